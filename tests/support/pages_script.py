"""docs/make.py, which writes the generated parts of the documentation, as a module."""

import importlib.util
from pathlib import Path
from types import ModuleType

DOCS = Path(__file__).resolve().parents[2] / "docs"


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_pages", DOCS / "make.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = _script()
