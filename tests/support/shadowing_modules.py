"""Modules that have the names of common modules and record whether they are imported."""

import os
import subprocess
import sys
from pathlib import Path

RECORD_FILE_NAME = "it-ran"
SHADOWED_MODULES = """
ast asyncio cloudpickle click collections contextlib ctypes dask dataclasses distributed encodings
functools importlib inspect io json logging matplotlib msgpack multiprocessing numba numpy os
pandas pathlib pickle platform queue random re runpy shutil signal simgin simgin_strategies
sitecustomize socket sqlite3 struct subprocess tempfile threading time tornado traceback typing
usercustomize warnings yaml zipfile
""".split()
SIMGIN_COMMAND = Path(sys.executable).with_name("simgin")


def write_shadowing_modules(folder):
    """Write modules that record their import and then raise ImportError."""
    record = f"open({str(folder / RECORD_FILE_NAME)!r}, 'a').write(__name__ + ' ')"
    text = f"{record}\nraise ImportError(__name__)\n"
    for name in SHADOWED_MODULES:
        (folder / f"{name}.py").write_text(text)


def read_executed_modules(folder):
    """Return the names of the modules that were imported."""
    mark = folder / RECORD_FILE_NAME
    return mark.read_text().split() if mark.exists() else []


def run_installed_simgin(folder, *arguments, **environment):
    """Run the installed command `simgin` in a folder, as a user does."""
    command = [str(word) for word in (SIMGIN_COMMAND, *arguments)]
    env = {**os.environ, **environment}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600)
