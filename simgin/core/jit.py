"""The compiler options, named only here, and the on-disk cache of compiled code.

numba's own cache goes stale silently when a callee in another file, a global table or a data file
changes. So the cache lives in a directory named by a digest of all compiled sources of simgin and
the versions of numba, numpy and Python: a change of any of them means a new directory. Policies
have a folder each in it, named by a digest of all else that they depend on; what checks the index
of every array (NUMBA_BOUNDSCHECK=1) has a folder of its own.
"""

import contextlib
import hashlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable
from filecmp import cmp
from functools import cache, partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import config, entrypoints
from numba.core.caching import FunctionCache
from numba.core.runtime import rtsys

from simgin.core.inner import InnerCacheImpl, LazyDispatcher
from simgin.core.sealed import SealedFile

PACKAGE = Path(__file__).resolve().parent.parent
KEPT_DIRECTORIES = 4  # older ones are deleted
TAG = "CACHEDIR.TAG"  # the file that marks a cache, also for programs that make backups
OURS = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# Compiled code of simgin, made anew if lost.\n"
)
POLICIES = "policies"  # the folder of the functions of strategies
CHECKED = "checked"  # the folder of what checks every index
KEPT_POLICIES = 400  # of those

# numba asks every package for extensions, once; one may be damaged
with contextlib.suppress(Exception):
    entrypoints.init_all()


def compiled_sources() -> list[Path]:
    """Every file whose text can end up in compiled code, but strategies.

    The core, the toolkit, and every file called kernels.py.
    """
    files = list(PACKAGE.rglob("kernels.py"))
    for folder in (PACKAGE / "core", PACKAGE / "toolkit"):
        files += [path for path in folder.rglob("*") if path.suffix in (".py", ".npy")]
    return sorted(files)


@cache
def digest() -> str:
    """Hexadecimal digest of the compiled sources, the compiler and the machine."""
    h = hashlib.sha256()
    about = (numba.__version__, np.__version__, sys.version, platform.machine())
    h.update(repr(about).encode())
    for path in compiled_sources():
        h.update(path.name.encode())
        h.update(path.read_bytes())
    return h.hexdigest()[:16]


def cache_root() -> Path:
    """Where compiled code is cached: SIMGIN_CACHE_DIR, or the user's cache directory."""
    if named := os.environ.get("SIMGIN_CACHE_DIR"):
        return Path(named).absolute()  # it stays there when the process goes elsewhere
    if sys.platform == "darwin":
        return _home() / "Library" / "Caches" / "simgin"
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # A relative one is invalid by its specification; it would lie in the working directory
    return (folder if folder.is_absolute() else _home() / ".cache") / "simgin"


def _home() -> Path:
    """The user's folder; / for a user without one, as containers have it."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def _prune(keep: Path, most: int) -> None:
    """Remove the caches beside one that were used longest ago, so that `most` are left.

    They may lie in anybody's folder: nothing else in it is touched.
    """
    own = keep / TAG
    own.write_text(OURS)
    os.utime(keep)
    caches = (tag.parent for tag in keep.parent.glob(f"*/{TAG}") if cmp(own, tag, shallow=False))
    others = sorted((d for d in caches if d != keep), key=lambda d: d.stat().st_mtime)
    for old in others[: max(0, len(others) - most + 1)]:
        shutil.rmtree(old, ignore_errors=True)


@cache
def cache_directory() -> Path | None:
    """The directory of this digest, created if need be.

    None, with a notice on stderr, if it cannot be written to.
    """
    directory = cache_root() / digest()
    if sentence := not_kept(directory):
        print(f"simgin: {sentence}", file=sys.stderr)
        return None
    with contextlib.suppress(OSError):
        _prune(directory, KEPT_DIRECTORIES)
    return directory


def _directory(function: Callable[..., Any], key: str) -> Path | None:
    """Where a function is cached: with simgin's own, or in a directory that its key names.

    The name says all that the code depends on, so what lies there is never stale. None for a
    function of a strategy without a key.
    """
    directory = cache_directory()
    if directory is None:
        return None
    if config.BOUNDSCHECK:
        directory /= CHECKED
        directory.mkdir(exist_ok=True)
    if not key:
        return None if function.__module__.startswith("simgin_strategies.") else directory
    own = directory / POLICIES / key
    with contextlib.suppress(OSError):
        if own.is_dir():
            os.utime(own)
        else:
            own.mkdir(parents=True)
            _prune(own, KEPT_POLICIES)
    return own


def not_kept(directory: Path) -> str:
    """Why nothing can be cached in a directory, in a sentence with the remedy; empty if it can.

    Creates the directory if need be.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        return (
            f"compiled code cannot be cached in {directory} ({error.strerror}), so every start "
            "compiles it again. Set SIMGIN_CACHE_DIR to a directory that can be written to."
        )
    return ""


class _SafeCache(FunctionCache):  # type: ignore[misc]
    """A cache that treats damaged files as a miss and rewrites them.

    A kill or a full disk can leave such files.
    """

    def __init__(self, function: Callable[..., Any], directory: Path) -> None:
        self._impl_class = partial(InnerCacheImpl, directory=directory)
        super().__init__(function)
        self._cache_file = SealedFile(self._cache_path, self._impl.filename_base, "")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            # Of all that numba prepares before it loads, which takes a third of a second, code
            # that is there needs the runtime alone; a miss prepares the rest.
            rtsys.initialize(target_context)
            return self._load_overload(sig, target_context)
        except Exception:
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):  # a full disk costs the cache, not the run
            super().save_overload(sig, data)


def interpreted() -> bool:
    """Whether everything runs as plain Python (NUMBA_DISABLE_JIT=1).

    Thousands of times slower, open to a debugger, with the same results.
    """
    return bool(config.DISABLE_JIT)


def compiled(
    function: Callable[..., Any],
    signature: Any = None,
    *,
    keep: bool = True,
    key: str = "",
    distinct: bool = False,
    trusted: bool = False,
    **options: Any,
) -> Any:
    """`function` compiled so that it releases the interpreter lock.

    signature: compile now for this type alone, or for these types of arguments. keep: cache on
    disk. key: of a policy, a digest of all that its code depends on besides the compiled sources.
    distinct: no two of the records and arrays it is given overlap in memory, so after a write to
    one the others are not read again. trusted: no author's code is inside, so where every index is
    checked it may be taken as others have compiled it.
    """
    if interpreted():
        return function
    # numba hands "forceinline" down to whatever is first compiled inside an inlined function
    options = {"forceinline": False, **options}
    dispatcher = LazyDispatcher(
        function, {"nopython": True, "nogil": True, "noalias": distinct, **options}
    )
    if trusted and config.BOUNDSCHECK and (directory := cache_directory()) is not None:
        dispatcher._cache = _SafeCache(function, directory)
        if dispatcher.load(signature):
            dispatcher.disable_compile()
            return dispatcher
    directory = _directory(function, key) if keep else None
    if directory is not None:
        dispatcher._cache = _SafeCache(function, directory)
    if signature is not None:
        dispatcher.compile(signature)
        dispatcher.disable_compile()
    return dispatcher


def jit(function: Callable[..., Any]) -> Any:
    """Decorator of the compiled functions of the core."""
    return compiled(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Decorator of small hot functions that LLVM would not inline by itself.

    See docs/explanation/decisions/0008-inlining.md. Not for functions with many rare callers: every
    copy is compiled again.
    """
    return compiled(function, forceinline=True)


def spliced(function: Callable[..., Any]) -> Any:
    """Decorator of a function whose code becomes part of its caller's before compilation.

    For a large function with one caller, and for a function that is passed a function: a caller
    that passes one to a separately compiled function cannot be cached on disk.
    """
    return compiled(function, inline="always")
