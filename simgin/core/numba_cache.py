"""Lazy compilation, which generates machine code only for functions that Python calls.

numba optimises every compiled function and generates machine code for it. However, nearly all
functions of simgin are called only by other compiled functions, which contain copies of them. With
this module, a function that is compiled for a caller remains unoptimised LLVM code. The caller
links and optimises that code. If Python calls the function, numba compiles it again as an entry
point. The disk cache stores the LLVM code as bitcode, so that strategies that call the function
need not compile it again.
"""

import contextlib
import ctypes
import gc
import hashlib
import importlib
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import binding as llvm
from numba.core import entrypoints, sigutils
from numba.core.caching import CompileResultCacheImpl, UserProvidedCacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUTargetOptions
from numba.core.environment import lookup_environment
from numba.core.errors import TypingError
from numba.core.options import TargetOptions
from numba.core.registry import CPUDispatcher
from numba.core.runtime import _nrt_python
from numba.core.types import FunctionType, Record, Type
from numba.core.types.containers import List
from numba.core.types.misc import NoneType, PyObject, UnicodeType, unliteral
from numba.core.typing.typeof import typeof_impl

from simgin.core.refcounts import add_refcount_elision

# Placeholder for the address of an inner function, which callers never use
PLACEHOLDER_ADDRESS = ctypes.cast(ctypes.pythonapi.PyErr_BadInternalCall, ctypes.c_void_p).value


def _make_mangling_args(function_type: FunctionType) -> tuple[str, tuple[()]]:
    """Return a short name for a function type, so that mangled names stay short.

    numba spells out all arguments, including every field of a record. The name of a function with
    twelve policies would then have 70,000 characters.
    """
    digest = hashlib.sha256(function_type.name.encode()).hexdigest()
    return f"{type(function_type).__name__}_{digest[:16]}", ()


FunctionType.mangling_args = property(_make_mangling_args)  # type: ignore[method-assign, assignment]
# numba calls repr in every pass over every function. The repr method of records would list all
# fields.
Record.__repr__ = Type.__repr__  # type: ignore[method-assign]
# numba can promise LLVM that arguments do not overlap, but numba's decorators lack this option.
CPUTargetOptions.noalias = TargetOptions.Mapping("noalias")


class _DeferredEnvironmentCodegen:
    """Code generator that does not set the addresses of numba's environments (global variables)."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing, because `_link_environments` sets the address in the enclosing library."""


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Library that contains the bitcode of a function called only by compiled functions."""

    @property
    def codegen(self) -> Any:
        """Code generator that created this library."""
        return _DeferredEnvironmentCodegen(super().codegen)

    @classmethod
    def from_bitcode(cls, codegen: Any, name: str, bitcode: bytes) -> "InnerLibrary":
        """Create a library from bitcode."""
        library = cls(codegen, name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library._finalized = True
        return library

    def _optimize_functions(self, ll_module: Any) -> None:
        """Simplify each function as numba does, then remove unused declarations."""
        super()._optimize_functions(ll_module)
        pass_manager = llvm.create_new_module_pass_manager()
        pass_manager.add_global_dead_code_eliminate_pass()
        pass_manager.run(ll_module, self._codegen._pass_builder())

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int | None:
        """Return a placeholder address, which is never called."""
        self._ensure_finalized()
        return PLACEHOLDER_ADDRESS

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return the serialised library, with bitcode instead of object code."""
        serialized: tuple[str, str, bytes] = self.serialize_using_bitcode()
        return serialized


class _ExecutableLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Library of executable code that hides the functions inside it from the linker."""

    _bitcode = b""
    _shared_module: Any

    @classmethod
    def from_object(
        cls, codegen: Any, name: str, object_code: bytes, bitcode: bytes, symbols: set[str]
    ) -> "_ExecutableLibrary":
        """Create a library from cached machine code and bitcode."""
        library = cls(codegen, name)
        library.enable_object_caching()
        library._set_compiled_object(object_code)
        library._finalize_final_module()
        codegen._engine._defined_symbols |= symbols
        library._bitcode = bitcode
        return library

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes, set[str]]]:
        """Return the serialised library: machine code, bitcode and the names of all functions."""
        name, code_type, (object_code, bitcode) = super().serialize_using_object_code()
        symbols = {function.name for function in self.get_defined_functions()}
        return name, code_type, (object_code, bitcode, symbols)

    def _get_module_for_linking(self) -> Any:
        """Return the LLVM module that is linked into compiled callers.

        numba would parse the bitcode in every process, although few processes compile a caller.
        """
        if self._bitcode and self._shared_module is None:
            self._shared_module = llvm.parse_bitcode(self._bitcode)
        return super()._get_module_for_linking()

    def _optimize_final_module(self) -> None:
        """Make callees private before the optimisation, so that LLVM can change their arguments.

        The linker does not see private functions. Otherwise, it would bind a function in another
        module, such as a user's compiled code, to an internal function with the same name.
        """
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.linkonce_odr:
                function.linkage = llvm.Linkage.private
        super()._optimize_final_module()


class _InnerCompiler(Compiler):  # type: ignore[misc]
    """Variant of numba's compiler that creates an InnerLibrary for inner functions."""

    def __init__(self, *arguments: Any) -> None:
        load_numba_extensions()
        _load_array_functions()
        super().__init__(*arguments)

    def define_pipelines(self) -> Any:
        """Return numba's compilation passes and RefcountElisionPass."""
        return add_refcount_elision(super().define_pipelines())

    def _compile_core(self) -> Any:
        codegen, name = self.state.targetctx.codegen(), self.state.func_id.func_qualname
        if LazyDispatcher.compile_depth > 1:
            self.state.library = InnerLibrary(codegen, name)
            self.state.flags.no_cpython_wrapper = True
            self.state.flags.no_cfunc_wrapper = True
        else:
            self.state.library = _ExecutableLibrary(codegen, name)
            self.state.library.enable_object_caching()
        return super()._compile_core()


def load_numba_extensions() -> None:
    """Load the numba extensions of all installed packages, and ignore errors in them."""
    with contextlib.suppress(Exception):
        entrypoints.init_all()


@cache
def add_runtime_symbols() -> None:
    """Make numba's runtime available to cached code.

    Before a compilation, numba initialises its compiler and generates code for its runtime, which
    takes a third of a second. Cached code contains a copy of that code.
    """
    for name, address in _nrt_python.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def _load_array_functions() -> None:
    """Load numba's array functions without scipy's linear algebra, which takes 0.2 s to import.

    At this point, numba only checks that scipy is available, which is always true because simgin
    depends on scipy. Code that multiplies matrices still loads the linear algebra.
    """
    if "numba.np.arraymath" in sys.modules:
        return
    from numba.np import linalg

    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas


class LazyDispatcher(CPUDispatcher):  # type: ignore[misc]
    """Compiled function for which machine code is generated only if Python calls it."""

    compile_depth = 0  # nesting level of the current compilation

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=_InnerCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the call template for the argument types, ignoring literal values.

        numba would compile f(x, 0) and f(x, 1) separately, but LLVM specialises inlined code
        anyway.
        """
        keyword_types = {name: unliteral(argument_type) for name, argument_type in kws.items()}
        return super().get_call_template(
            [unliteral(argument_type) for argument_type in args], keyword_types
        )

    def add_overload(self, result: Any) -> None:
        """Register a compiled version of the function.

        Only executable versions are visible to Python.
        """
        if isinstance(result.library, InnerLibrary):
            self.overloads[tuple(result.signature.args)] = result
            return
        super().add_overload(result)
        self._latest_result, library = result, result.library
        library.get_pointer_to_function = cache(library.get_pointer_to_function)

    def load_cached(self, signature: Any) -> bool:
        """Load the compiled version for a signature from the disk cache.

        Returns True if the version exists.
        """
        with global_compiler_lock, _nested_compilation():
            result = self._cache.load_overload(signature, self.targetctx)
            if result is not None:
                self.add_overload(result)
                _link_environments(result.library)
        return result is not None

    def get_compile_result(self, sig: Any) -> Any:
        """Return the compiled version for a signature.

        The result is cached, because every kernel call requests the version.
        """
        return super().get_compile_result(sig) if self._can_compile else self._latest_result

    @property
    def code_address(self) -> int:
        """Memory address of the machine code of the latest version."""
        version = self._latest_result
        address: int = version.library.get_pointer_to_function(version.fndesc.llvm_func_name)
        return address

    @property
    def entry_point(self) -> Any:
        """Machine code of the latest version, which does not check the types of its arguments.

        When a compiled loop is called for the first time, numba would need 0.01 s to check the
        types.
        """
        return self._latest_result.entry_point

    def _compilation_chain_init_hook(self) -> None:
        load_numba_extensions()

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Compile a version for the arguments of a call from Python.

        Raises:
            TypeError: If an argument is a string, a list, None or another object that numba does
                not support, or if a function of simgin requires a rules record but all arguments
                are integers. numba's own error message would be a dozen lines long.
        """
        try:
            return super()._compile_for_args(*args, **kws)
        except TypingError:
            is_simgin_function = self.py_func.__module__.startswith("simgin.")
            if any(
                isinstance(self.typeof_pyval(arg), PyObject | UnicodeType | List | NoneType)
                for arg in args
            ) or (is_simgin_function and all(isinstance(arg, int) for arg in args)):
                type_names = ", ".join(type(arg).__name__ for arg in args)
                raise TypeError(
                    f"{self.__name__}() does not accept arguments of the types {type_names}. Pass "
                    "a mask of cards and a rules record, or call simgin.hand."
                ) from None
            raise

    def compile(self, sig: Any) -> Any:
        """Compile a version for a signature unless a suitable version exists."""
        with global_compiler_lock:
            args = tuple(sigutils.normalize_signature(sig)[0])
            version = self.overloads.get(args)
            if version and (
                LazyDispatcher.compile_depth or not isinstance(version.library, InnerLibrary)
            ):
                return version.entry_point
            self.overloads.pop(args, None)
            with _nested_compilation():
                entry_point = super().compile(sig)
            if LazyDispatcher.compile_depth == 0 and args in self.overloads:
                _link_environments(self.overloads[args].library)
            return entry_point


@contextmanager
def _nested_compilation() -> Iterator[None]:
    """Count one level of nested compilation, and disable garbage collection inside the block.

    The compiler creates many long-lived objects, and the garbage collector would take 10 % of the
    time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    LazyDispatcher.compile_depth += 1
    try:
        yield
    finally:
        LazyDispatcher.compile_depth -= 1
        if was_enabled:
            gc.enable()


def _link_environments(library: Any) -> None:
    """Set the addresses of numba's environments (global variables) in an executable library."""
    for variable in library._final_module.global_variables:
        environment = lookup_environment(variable.name)
        if environment is not None:
            library.codegen.set_env(variable.name, environment)


class _CacheLocator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Locator of the directory in which a function is cached.

    numba's own locators depend on global settings, which other threads share. They also depend on
    the path and modification time of the source file, which differ between machines.
    """

    def __init__(self, function: Any, directory: Path) -> None:
        self._py_file = inspect.getfile(function)
        self._lineno = function.__code__.co_firstlineno
        self._cache_path = str(directory)

    def get_source_stamp(self) -> str:
        """Return an empty stamp, because the name of the directory identifies the sources."""
        return ""


class InnerCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    """Cache implementation that stores bitcode for inner functions and machine code for others."""

    def __init__(self, function: Any, directory: Path) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _CacheLocator(function, directory)
        name = f"{Path(inspect.getfile(function)).stem}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, "")

    def reduce(self, compile_result: Any) -> Any:
        """Return a compilation result in picklable form, without its source annotations."""
        return super().reduce(compile_result._replace(type_annotation=""))

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return the cached version, or None if Python is the caller and only bitcode is stored."""
        (name, code_type, code), fndesc, environment, signature, *other_fields = payload
        objectmode, lifted, annotation, reload_init, environments = other_fields
        for initialize in reload_init:
            initialize()
        codegen = target_context.codegen()
        library: Any
        if code_type == "object":
            library = _ExecutableLibrary.from_object(codegen, name, *code)
        elif LazyDispatcher.compile_depth == 1:
            return None
        else:
            library = InnerLibrary.from_bitcode(codegen, name, code)
        entry_point = target_context.get_executable(library, fndesc, environment)
        for referenced_environment in environments:
            library.codegen.set_env(referenced_environment.env_name, referenced_environment)
        return CompileResult(
            typing_context=target_context.typing_context,
            target_context=target_context,
            entry_point=entry_point,
            typing_error=None,
            type_annotation=annotation,
            signature=signature,
            library=library,
            objectmode=objectmode,
            lifted=lifted,
            fndesc=fndesc,
            call_helper=None,
            environment=environment,
            metadata=None,
            reload_init=reload_init,
            referenced_envs=environments,
        )


# numba looks up the type of an argument by its class. If the class is not in the table, numba
# searches the table for base classes, which fails if another thread modifies the table.
for known in (LazyDispatcher, np.record):
    typeof_impl.register(known, typeof_impl.dispatch(known))
