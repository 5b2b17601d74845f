"""Specialised kernels, which play long runs faster than the generic kernel.

The generic kernel reads the rules from a record, and calls each policy by its address. In a
specialised kernel, the rules are constant and the policies are known. LLVM can therefore remove the
code of unused rules, and inline the policies. The generic and the specialised kernel
give the same results.

A run starts with the generic kernel. After some CPU time, simgin loads the specialised kernel from
the cache, or compiles the kernel in another process. The specialised kernel plays all later blocks.
If the compilation fails, the generic kernel continues.

Each specialised kernel has a separate LLVM engine, so that the machine code is freed with the
kernel. numba's LLVM engine never frees code.
"""

import ctypes
import hashlib
import mmap
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from numba import _dynfunc
from numba.core import config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.environment import lookup_environment

from simgin.core import jit
from simgin.core.policy_types import POLICY_SIGNATURE
from simgin.play import kernel_linker
from simgin.strategy.dependencies import is_built_in
from simgin.text.files import read_bytes, write_file

LOAD_AFTER_SECONDS = 0.5  # CPU time in seconds after which a kernel is loaded from the cache
# CPU time in seconds after which a kernel is compiled. The compilation takes 2 to 3 s and pays off
# if the run continues for another 20 to 40 s.
COMPILE_AFTER_SECONDS = 15.0
MAX_LOADED_KERNELS = 64
MAX_CACHED_KERNELS = 200
MIN_FREE_BYTES = 64 << 20  # minimum free memory in bytes, because LLVM exits if memory runs out
LLVM_READ_ONLY_ATTRIBUTES = {b"readonly", b"readnone"}

_state_lock = threading.Lock()
_is_enabled = True
_cpu_seconds_by_kernel_type = {
    False: 0.0,
    True: 0.0,
}  # CPU time of generic and specialised kernels, in seconds


class SpecializedKernel:
    """Kernel that switches from generic to specialised code in long runs.

    Args:
        generic: Compiled generic kernel.
        policies: Compiled policies, in the order of the kernel's arguments.
        rules: Content of the rules record.
    """

    def __init__(self, generic_kernel: Any, policies: tuple[Any, ...], rules: bytes) -> None:
        self._generic = generic_kernel
        self._policies = policies
        self._rules = rules
        self._specialized: Any = None
        self._code = b""  # compiled code that is not loaded yet
        self._has_searched_cache = self._is_started = False
        self._generic_seconds = 0.0

    def entry_point(self, *arguments: Any) -> None:
        """Play with the specialised kernel, or with the generic kernel until it is ready.

        The generic and the specialised kernel have the same arguments.
        """
        specialized = self._specialized if _is_enabled else None
        start_seconds = time.thread_time()
        (specialized or self._generic.entry_point)(*arguments)
        elapsed_seconds = time.thread_time() - start_seconds
        with _state_lock:
            _cpu_seconds_by_kernel_type[specialized is not None] += elapsed_seconds
            if specialized is None:
                self._generic_seconds += elapsed_seconds
                with suppress(Exception):  # After an error, the run uses the generic kernel.
                    self._load_or_start_compiling()

    def specialize(self) -> None:
        """Load or compile the specialised kernel immediately, and store it in the cache."""
        if self._specialized is None:
            linker_arguments = self._make_linker_arguments()
            code = _read_cached_code(linker_arguments)
            if not code:
                code = run_linker(linker_arguments)
                with suppress(OSError):  # The kernel is valid even if it cannot be cached.
                    _cache_code(linker_arguments, code)
            self._specialized = load_kernel(self._generic, code)

    def _load_or_start_compiling(self) -> None:
        """Load the specialised kernel if it exists, or start the compilation if the run is long."""
        if not _is_enabled:
            return
        if self._generic_seconds >= LOAD_AFTER_SECONDS and not self._has_searched_cache:
            self._has_searched_cache = True
            self._code = _read_cached_code(self._make_linker_arguments())
        if self._code:
            code, self._code = self._code, b""
            self._specialized = load_kernel(self._generic, code)
        elif self._generic_seconds >= COMPILE_AFTER_SECONDS and not (
            self._specialized or self._is_started
        ):
            self._is_started = True
            threading.Thread(
                target=self._compile_and_cache, args=(self._make_linker_arguments(),), daemon=True
            ).start()

    def _make_linker_arguments(self) -> dict[str, Any]:
        return make_linker_arguments(self._generic, self._policies, self._rules)

    def _compile_and_cache(self, linker_arguments: dict[str, Any]) -> None:
        """Compile the specialised kernel in another process, and store it in the cache."""
        with suppress(Exception):  # After an error, the run uses the generic kernel.
            self._code = run_linker(linker_arguments)
            _cache_code(linker_arguments, self._code)


@lru_cache(maxsize=MAX_LOADED_KERNELS)
def find_kernel(generic_kernel: Any, policies: tuple[Any, ...], rules: bytes) -> Any:
    """Return a kernel that uses specialised code in long runs, or the generic kernel.

    Args:
        generic_kernel: Compiled generic kernel.
        policies: Compiled policies, in the order of the kernel's arguments.
        rules: Content of the rules record.
    """
    if jit.is_interpreted() or config.BOUNDSCHECK:
        return generic_kernel
    return SpecializedKernel(generic_kernel, policies, rules)


@contextmanager
def disable_specialized_kernels() -> Iterator[None]:
    """Use only generic kernels in a `with` block, so that speeds do not depend on the cache."""
    with allow_specialized_kernels(False):
        yield


@contextmanager
def allow_specialized_kernels(is_allowed: bool = True) -> Iterator[None]:
    """Allow or forbid specialised kernels in a `with` block."""
    global _is_enabled
    was_enabled, _is_enabled = _is_enabled, is_allowed
    try:
        yield
    finally:
        _is_enabled = was_enabled


def describe_specialized_kernel_use() -> str:
    """Return a sentence about the CPU time of specialised kernels, or "" if the run used none."""
    generic, specialized = _cpu_seconds_by_kernel_type.values()
    if not specialized:
        return ""
    return (
        f"Specialised kernels used {specialized:.0f} s of CPU time, and generic kernels used "
        f"{generic:.0f} s."
    )


def make_linker_arguments(
    generic_kernel: Any, policies: tuple[Any, ...], rules: bytes
) -> dict[str, Any]:
    """Return the arguments with which `kernel_linker.build_kernel` builds a specialised kernel.

    Args:
        generic_kernel: Compiled generic kernel.
        policies: Compiled policies, in the order of the kernel's arguments.
        rules: Content of the rules record.

    Raises:
        ValueError: If a policy might modify the rules, which are a constant in the new kernel.
    """
    kernel = generic_kernel.get_compile_result(None)
    versions = [policy.get_compile_result(POLICY_SIGNATURE) for policy in policies]
    for policy, version in zip(policies, versions, strict=True):
        if not is_built_in(policy.py_func) and not _leaves_rules_unchanged(version):
            raise ValueError(f"{policy.__name__} might modify the rules")
    return {
        "kernel": _read_bitcode(kernel),
        "kernel_name": kernel.fndesc.llvm_func_name,
        "wrapper_name": kernel.fndesc.llvm_cpython_wrapper_name,
        "policies": [
            (_read_bitcode(version), version.fndesc.llvm_func_name) for version in versions
        ],
        "rules": rules,
        "target": _get_target_options(kernel.library.codegen),
    }


def run_linker(linker_arguments: dict[str, Any]) -> bytes:
    """Run `kernel_linker.build_kernel` in a subprocess, and return the machine code."""
    command = [sys.executable, "-P", kernel_linker.__file__]
    message = pickle.dumps(linker_arguments)
    return subprocess.run(command, input=message, capture_output=True, check=True).stdout


def load_kernel(generic_kernel: Any, code: bytes) -> Any:
    """Return a function that calls a specialised kernel.

    The function has the arguments of the generic kernel. The machine code is freed with the
    function.

    Raises:
        OSError: If too little memory is available.
    """
    version = generic_kernel.get_compile_result(None)
    names, object_code = code.split(b"\n", 1)
    environments = {name: lookup_environment(name) for name in names.decode().split()}
    mmap.mmap(-1, MIN_FREE_BYTES).close()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    with global_compiler_lock:
        machine = target.create_target_machine(**_get_target_options(version.library.codegen))
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(object_code))
        engine.finalize_object()
    for name, environment in environments.items():
        if environment is not None:
            pointer = ctypes.c_void_p.from_address(engine.get_global_value_address(name))
            pointer.value = id(environment)
    return _dynfunc.make_function(
        version.fndesc.lookup_module(),
        kernel_linker.ENTRY_POINT_NAME,
        "",
        engine.get_function_address(kernel_linker.ENTRY_POINT_NAME),
        version.environment,
        (engine, environments),
    )


def _read_bitcode(compiled_function: Any) -> bytes:
    """Return the LLVM bitcode of a compiled function."""
    library = compiled_function.library
    return bytes(library._bitcode or library._get_module_for_linking().as_bitcode())


def _leaves_rules_unchanged(compiled_policy: Any) -> bool:
    """Return True if LLVM has proved that a policy does not modify the rules."""
    module = compiled_policy.library._get_module_for_linking()
    for argument in module.get_function(compiled_policy.fndesc.llvm_func_name).arguments:
        if argument.name == "arg.rules":
            return not LLVM_READ_ONLY_ATTRIBUTES.isdisjoint(argument.attributes)
    return False


def _get_target_options(codegen: Any) -> dict[str, Any]:
    """Return the options with which numba creates its target machine."""
    options: dict[str, Any] = {"opt": int(config.OPT)}
    codegen._customize_tm_options(options)
    return options


def _get_cache_path(linker_arguments: dict[str, Any]) -> Path:
    """Return the path of a kernel in the cache.

    The file name identifies all inputs of the compiler.

    Raises:
        OSError: If the cache is not writable.
    """
    digest = hashlib.sha256(read_bytes(Path(kernel_linker.__file__)))
    digest.update(repr(sorted(linker_arguments.items())).encode())
    if (directory := jit.get_cache_directory()) is None:
        raise OSError("the cache is not writable")
    return directory / "kernels" / f"{digest.hexdigest()[:32]}.bin"


def _read_cached_code(linker_arguments: dict[str, Any]) -> bytes:
    """Return the code in the cache, or b"" if the file does not exist or is corrupt."""
    with suppress(OSError):
        path = _get_cache_path(linker_arguments)
        content = read_bytes(path)
        os.utime(path)  # The least recently used files are removed first.
        if hashlib.sha256(content[32:]).digest() == content[:32]:
            return content[32:]
    return b""


def _cache_code(linker_arguments: dict[str, Any], code: bytes) -> None:
    """Write code with its checksum to the cache, and remove the oldest files."""
    path = _get_cache_path(linker_arguments)
    write_file(path, hashlib.sha256(code).digest() + code)
    files = sorted(path.parent.glob("*.bin"), key=lambda file: file.stat().st_mtime)
    for file in files[:-MAX_CACHED_KERNELS]:
        file.unlink(missing_ok=True)
