"""Compiler options and the disk cache of compiled code.

numba's cache does not detect changes to a callee in another file, a global table or a data file.
The name of simgin's cache directory is therefore a digest of all compiled sources and of the
versions of numba, NumPy and Python. Each policy has a separate folder in that directory. The name
of the folder is a digest of all other dependencies of the policy. Code with bounds checks
(NUMBA_BOUNDSCHECK=1) has a separate folder.

A wheel can contain compiled code (see `simgin.core.shipped_code`). Code from a wheel is not copied
to the cache.
"""

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from filecmp import cmp
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.caching import FunctionCache

from simgin.core import shipped_code
from simgin.core.cache_checksums import ChecksummedCacheFile
from simgin.core.numba_cache import InnerCacheImpl, LazyDispatcher, add_runtime_symbols

PACKAGE_DIRECTORY = Path(__file__).resolve().parent.parent
# Maximum number of cache directories; the least recently used directories are deleted
MAX_CACHE_DIRECTORIES = 4
# Minimum time in seconds between the last use of a cache and its deletion. A long review with
# another version of simgin still needs its compiled code and its trained players.
CACHE_RETENTION_SECONDS = 2 * 24 * 3600
CACHE_TAG_FILE = (
    "CACHEDIR.TAG"  # file that marks a cache directory, for example for backup programs
)
CACHE_TAG_CONTENT = (
    "Signature: 8a477f597d28d172789f06886806bc55\n# Compiled code of simgin. It is compiled again "
    "if you delete it.\n"
)
POLICY_FOLDER = "policies"  # folder for compiled policies
BOUNDSCHECK_FOLDER = Path("checked")  # folder for code with bounds checks
MAX_CACHED_POLICIES = 400  # maximum number of policy folders in the cache


def list_compiled_sources() -> list[Path]:
    """Return the paths of all source files with compiled code, except strategies.

    The list contains the core, the toolkit, and all files named kernels.py.
    """
    files = list(PACKAGE_DIRECTORY.rglob("kernels.py"))
    for folder in (PACKAGE_DIRECTORY / "core", PACKAGE_DIRECTORY / "toolkit"):
        files += [path for path in folder.rglob("*") if path.suffix in (".py", ".npy")]
    return sorted(files)


@cache
def compute_source_digest() -> str:
    """Return a hexadecimal digest of the compiled sources and the versions of the compiler."""
    digest = hashlib.sha256()
    digest.update(repr(shipped_code.get_compiler_versions()).encode())
    for path in list_compiled_sources():
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def get_cache_root() -> Path:
    """Return the root directory of the cache: SIMGIN_CACHE_DIR or simgin's user cache directory."""
    if directory := os.environ.get("SIMGIN_CACHE_DIR"):
        # An absolute path stays valid if the process changes its directory.
        return Path(directory).absolute()
    if sys.platform == "darwin":
        return _get_home_directory() / "Library" / "Caches" / "simgin"
    folder = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # According to the XDG specification, relative paths are invalid.
    return (folder if folder.is_absolute() else _get_home_directory() / ".cache") / "simgin"


def _get_home_directory() -> Path:
    """Return the user's home directory, or / if the user has none, as in some containers."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def _remove_old_caches(current: Path, max_kept: int) -> None:
    """Remove the least recently used caches until at most `max_kept` caches remain.

    Recently used caches are not removed. The parent can be a shared folder, so the function removes
    only caches.
    """
    tag_file = current / CACHE_TAG_FILE
    tag_file.write_text(CACHE_TAG_CONTENT)
    os.utime(current)
    caches = (
        tag.parent
        for tag in current.parent.glob(f"*/{CACHE_TAG_FILE}")
        if cmp(tag_file, tag, shallow=False)
    )
    other_caches = sorted(
        (cache for cache in caches if cache != current), key=lambda cache: cache.stat().st_mtime
    )
    for old_cache in other_caches[: max(0, len(other_caches) - max_kept + 1)]:
        if time.time() - old_cache.stat().st_mtime > CACHE_RETENTION_SECONDS:
            shutil.rmtree(old_cache, ignore_errors=True)


@cache
def get_cache_directory() -> Path | None:
    """Return the cache directory of the current digest, or None if the directory is not writable.

    The function creates the directory if necessary.
    """
    directory = get_cache_root() / compute_source_digest()
    if find_cache_error(directory):
        return None
    with contextlib.suppress(OSError):
        _remove_old_caches(directory, MAX_CACHE_DIRECTORIES)
    return directory


@cache
def _warn_about_uncached_code() -> None:
    """Print a warning, once per process, that compiled code cannot be cached."""
    if sentence := find_cache_error(get_cache_root() / compute_source_digest()):
        print(f"simgin: warning: {sentence}", file=sys.stderr)


def _get_cache_folder(function: Callable[..., Any], policy_digest: str) -> Path | None:
    """Return the cache folder of a compiled function, or None for a policy without a digest.

    The key of a policy identifies all its dependencies, so the contents are never stale.
    """
    if policy_digest:
        return Path(POLICY_FOLDER, policy_digest)
    module = function.__module__
    return None if module.startswith("simgin_strategies.") else Path(module)


def find_cache_error(directory: Path) -> str:
    """Return an error message if a directory cannot be used as a cache, otherwise "".

    The function creates the directory if necessary.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        return (
            f"compiled code cannot be cached in {directory} ({error.strerror}), so every run "
            "compiles it again. Set SIMGIN_CACHE_DIR to a writable directory."
        )
    return ""


class _SafeCache(FunctionCache):  # type: ignore[misc]
    """Cache that treats corrupt files as cache misses and replaces them.

    An interrupted process or a full disk can leave corrupt files.
    """

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        # Most decorated functions are never called, so calling numba's constructor for each of them
        # would waste time.
        self._py_func, self._folder = function, folder
        self._directory = get_cache_directory()
        self._enabled = self._directory is not None

    @cached_property
    def _impl(self) -> InnerCacheImpl:
        return InnerCacheImpl(self._py_func, (self._directory or get_cache_root()) / self._folder)

    @cached_property
    def _cache_path(self) -> str:
        return str(self._impl.locator.get_cache_path())

    @cached_property
    def _cache_file(self) -> ChecksummedCacheFile:
        return ChecksummedCacheFile(self._cache_path, self._impl.filename_base, "")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            add_runtime_symbols()
            compile_result = self._load_shipped_code(sig, target_context)
            return compile_result or self._load_overload(sig, target_context)
        except Exception:
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def _load_shipped_code(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled version that the package contains, or None."""
        if shipped_code.explain_unused_code(compute_source_digest()) is not None:
            return None
        file = shipped_code.ShippedCacheFile(self._folder, self._impl.filename_base)
        payload = file.load(self._index_key(sig, shipped_code))
        return payload and self._impl.rebuild(target_context, payload)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        compile_result = super()._load_overload(sig, target_context)
        if compile_result is not None:
            with contextlib.suppress(OSError):  # The user might not own the cache.
                os.utime(self._cache_path)  # The least recently used policies are removed first.
        return compile_result

    def save_overload(self, sig: Any, compile_result: Any) -> None:
        if not self._enabled:
            _warn_about_uncached_code()
        with contextlib.suppress(OSError):  # A full disk must not stop the run.
            super().save_overload(sig, compile_result)
            if (directory := Path(self._cache_path)).parent.name == POLICY_FOLDER:
                _remove_old_caches(directory, MAX_CACHED_POLICIES)


def is_interpreted() -> bool:
    """Return True if NUMBA_DISABLE_JIT=1 makes all code run as plain Python.

    Plain Python gives the same results and supports debuggers, but is thousands of times slower.
    """
    return bool(config.DISABLE_JIT)


def compile_function(
    function: Callable[..., Any],
    signature: Any = None,
    *,
    use_cache: bool = True,
    policy_digest: str = "",
    no_alias: bool = False,
    is_engine_code: bool = False,
    **options: Any,
) -> Any:
    """Compile a function with numba, or return the function unchanged in interpreted mode.

    Args:
        function: Function to compile.
        signature: Signature or argument types for immediate compilation. By default, the function
            is compiled at each call with a new combination of types.
        use_cache: True to cache the compiled code on disk.
        policy_digest: Digest of all dependencies of a policy except the compiled sources, or "" for
            other functions.
        no_alias: True if the arguments never overlap in memory. The compiler then need not reload
            an array after a write to another array.
        is_engine_code: True if the function contains no user code. With bounds checks enabled,
            such a function might still be loaded from a cache without bounds checks.
        **options: Further options of numba's `jit`.

    Returns:
        The compiled function, or `function` itself in interpreted mode.
    """
    if is_interpreted():
        return function
    # numba applies "forceinline" to every function that is first compiled inside an inlined
    # function.
    options = {"forceinline": False, **options}
    dispatcher = LazyDispatcher(
        function, {"nopython": True, "nogil": True, "noalias": no_alias, **options}
    )
    folder = _get_cache_folder(function, policy_digest) if use_cache else None
    if folder and config.BOUNDSCHECK:
        if is_engine_code:
            dispatcher._cache = _SafeCache(function, folder)
            if dispatcher.load_cached(signature):
                dispatcher.disable_compile()
                return dispatcher
        folder = BOUNDSCHECK_FOLDER / folder
    if folder:
        dispatcher._cache = _SafeCache(function, folder)
    if signature is not None:
        dispatcher.compile(signature)
        dispatcher.disable_compile()
    return dispatcher


def jit(function: Callable[..., Any]) -> Any:
    """Decorate an engine function so that numba compiles it."""
    return compile_function(function)


def force_inline(function: Callable[..., Any]) -> Any:
    """Decorate a small, frequently called function so that LLVM inlines it.

    See docs/explanation/decisions/0003-compilation.md. Do not use this decorator for rarely called
    functions with many callers, because every copy is compiled separately.
    """
    return compile_function(function, forceinline=True)


def inline_before_compilation(function: Callable[..., Any]) -> Any:
    """Decorate a function so that numba copies its code into the caller before compilation.

    Use this decorator for a large function with one caller, and for a function that takes a
    function as an argument. A caller that passes a function to a separately compiled function
    cannot be cached on disk.
    """
    return compile_function(function, inline="always")
