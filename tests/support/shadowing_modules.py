"""A working directory with modules that have the names of modules that Python imports."""

import os
import subprocess
import sys
from pathlib import Path

MARK = "it-ran"
MODULES = """
ast asyncio cloudpickle click collections contextlib ctypes dask dataclasses distributed encodings
functools importlib inspect io json logging matplotlib msgpack multiprocessing numba numpy os
pandas pathlib pickle platform queue random re runpy shutil signal simgin simgin_strategies
sitecustomize socket sqlite3 struct subprocess tempfile threading time tornado traceback typing
usercustomize warnings yaml zipfile
""".split()
SIMGIN = Path(sys.executable).with_name("simgin")


def poison(folder):
    """Write a module of every name that records its import and fails."""
    text = f"open({str(folder / MARK)!r}, 'a').write(__name__ + ' ')\nraise ImportError(__name__)\n"
    for name in MODULES:
        (folder / f"{name}.py").write_text(text)


def executed_modules(folder):
    """Return the names of the modules that were executed."""
    mark = folder / MARK
    return mark.read_text().split() if mark.exists() else []


def run_command(folder, *words, **environment):
    """Run the installed `simgin` in a folder, as a user does."""
    command = [str(word) for word in (SIMGIN, *words)]
    env = {**os.environ, **environment}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600)
