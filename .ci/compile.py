"""Compile the code that simgin's commands need, so that their first calls are fast.

Without arguments, the script fills the cache of the user until STOP_REQUEST_FILE is created. With
the path of a package directory, the script writes the compiled code and its manifest (see
`simgin.core.shipped_code`) to that directory.
"""

import hashlib
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from simgin.core import jit, shipped_code
from simgin.strategy import compiler, loader

# Commands that together call every compiled loop of the engine
WARM_UP_COMMANDS = """
simgin match gold simple --deals 2k
simgin match gold -v solitaire-gin --deals 2k
simgin doctor
simgin odds solitaire-gin --deals 2k
simgin odds standard --deals 20k
simgin review oklahoma --against standard --matches 1k
simgin chart knock --player simple --deals 2k
simgin drill --positions 1 -o drill.html
simgin analyze gold simple --unit 7 --turn 2
simgin find gold simple --where undercut
simgin show gold simple
simgin hand "5S 6S 7S 9H 9D 9C KS QD 2C AH"
"""
STOP_REQUEST_FILE = Path(
    sys.prefix, ".tested"
)  # `make test` creates the file in the virtual environment


def compile_everything(should_stop: Callable[[], bool] = lambda: False) -> None:
    """Compile all policies of the built-in strategies and all code that the commands need.

    Args:
        should_stop: Function that returns True to end the compilation early.
    """
    for policy in loader.list_policies():
        if should_stop():
            return
        compiler.compile_policy(policy)
    with tempfile.TemporaryDirectory() as directory:
        for command in WARM_UP_COMMANDS.strip().splitlines():
            if should_stop():
                return
            words = [sys.executable, "-m", *shlex.split(command)]
            subprocess.run(words, cwd=directory, check=True, stdout=subprocess.DEVNULL)


def write_compiled_package(package: Path) -> None:
    """Copy the compiled code from the cache to a package directory, and write a manifest."""
    cache = jit.get_cache_directory()
    assert cache is not None, "the cache must be writable"
    files = {}
    for path in sorted(cache.rglob("*.nb?")):
        name = path.relative_to(cache)
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, package / name)
        files[name.as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest = {
        "versions": shipped_code.get_compiler_versions(),
        "cpu": shipped_code.MINIMUM_CPU,
        "sources": jit.compute_source_digest(),
        "files": files,
    }
    (package / shipped_code.MANIFEST_FILE_NAME).write_text(json.dumps(manifest, indent=1))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compile_everything()
        write_compiled_package(Path(sys.argv[1]))
    else:
        compile_everything(STOP_REQUEST_FILE.exists)
