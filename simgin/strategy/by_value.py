"""Pickling of an author's functions by value, including all objects that the functions read.

simgin uses these pickles to copy strategies from notebooks, scripts and modules. Policies that run
in Python are also copied. Later changes to a strategy do not affect its copies. Other processes can
load the copies without running the script again. The pickles also identify cached compiled
policies.
"""

import functools
import hashlib
import importlib
import io
import marshal
import pickle
import sys
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from numba import cloudpickle
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import ReduceMixin

from simgin.core.numba_cache import LazyDispatcher, load_numba_extensions
from simgin.strategy.author import Strategy, helper
from simgin.strategy.dependencies import (
    BUILT_IN_PREFIX,
    ENGINE_PREFIXES,
    VERSIONED_PACKAGES,
    collect_functions,
    collect_module_values,
    collect_names,
    get_module_name,
)
from simgin.strategy.strategy_spec import StrategyError, with_policies
from simgin.text.files import read_bytes
from simgin.text.messages import format_error_message, quote_text
from simgin.version import get_version

RESTORED_MODULE_PREFIX = (
    "simgin_live_"  # prefix of the module name of a live function; a digest follows
)
_pickle_lock = threading.Lock()  # The registry of modules in cloudpickle is global.
_restored_helpers: dict[Callable[..., Any], Any] = {}  # compiled helpers by Python function


def pickle_strategy(strategy: Strategy) -> bytes:
    """Return the pickle of a strategy, including the code of its policies.

    Raises:
        StrategyError: If the strategy reads an object that cannot be pickled.
    """
    policies = {policy.slot: replace(policy, pickle_bytes=b"") for policy in strategy.policies}
    functions = [policy.function for policy in strategy.policies]
    attributes = {**vars(strategy), **policies, "spec": ""}
    return pickle_by_value(f"the strategy {quote_text(strategy.name)}", attributes, functions)


def compute_fingerprint(function: Callable[..., Any]) -> str:
    """Return a digest of everything outside the engine that a compiled function depends on.

    Returns:
        16 hexadecimal digits, or an empty string if the function cannot be identified. A function
        without a digest is compiled in every process.
    """
    if not get_module_name(function).startswith(BUILT_IN_PREFIX) and _is_numba_extended():
        return ""
    digest = hashlib.sha256(get_version().encode())
    try:
        for callee in collect_functions(function):
            digest.update(_pickle_dependencies(callee))
            source = read_bytes(Path(callee.__code__.co_filename))
            if source.count(f"def {callee.__qualname__}(".encode()) != 1:
                return ""  # The disk cache cannot distinguish functions with the same name.
            digest.update(source)
    except (OSError, ValueError):
        return ""
    return digest.hexdigest()[:16]


def _pickle_dependencies(function: Any) -> bytes:
    """Pickle the values that a function reads, and the function itself if an author wrote it.

    The code of a built-in function is determined by its file. A pickle of the code would contain
    the path of the installation, but compiled code must be usable in every installation.
    """
    values: list[Any] = collect_module_values(function)
    if not get_module_name(function).startswith(BUILT_IN_PREFIX):
        return pickle_by_value(function.__name__, [function, *values], [function], ENGINE_PREFIXES)
    names = collect_names(function.__code__) & function.__globals__.keys()
    values += [(name, function.__globals__[name]) for name in sorted(names)]
    data_values = [pair for pair in values if not isinstance(pair[1], FunctionType | Dispatcher)]
    name = f"{function.__module__}.{function.__qualname__}"
    return pickle_by_value(name, [name, function.__defaults__, data_values], [])


def pickle_by_value(
    description: str,
    value: Any,
    functions: Sequence[Callable[..., Any]],
    shared_module_prefixes: tuple[str, ...] = (*ENGINE_PREFIXES, BUILT_IN_PREFIX),
) -> bytes:
    """Pickle a value together with the functions that the value contains.

    Args:
        description: Description of the value, with which an error message begins.
        value: Value to pickle.
        functions: The strategy author's functions that the value contains. These functions are
            pickled by value, including all objects that they read.
        shared_module_prefixes: Prefixes of the names of modules that exist in every process. These
            modules are pickled by reference.

    Raises:
        StrategyError: If the value reads an object that cannot be pickled.
    """
    author_modules = {
        get_module_name(callee) for function in functions for callee in collect_functions(function)
    }
    loaded_modules = [sys.modules[name] for name in author_modules & sys.modules.keys()]
    registered_modules = [
        module
        for module in loaded_modules
        if not get_module_name(module).startswith(shared_module_prefixes)
    ]
    stream = io.BytesIO()
    with _pickle_lock:
        for module in registered_modules:
            cloudpickle.register_pickle_by_value(module)
        try:
            _ByValuePickler(stream, shared_module_prefixes).dump(value)
        except Exception as error:  # An author's object can raise any exception.
            raise StrategyError(
                f"{description} reads an object that cannot be copied "
                f"({format_error_message(error)}). Read only numbers, strings, tuples, arrays and "
                "functions."
            ) from None
        finally:
            for module in registered_modules:
                cloudpickle.unregister_pickle_by_value(module)
    return stream.getvalue()


@functools.cache
def unpickle_strategy(content: bytes) -> Strategy:
    """Return the strategy that is stored in a pickle."""
    strategy = Strategy(**pickle.loads(content))
    module_name = RESTORED_MODULE_PREFIX + hashlib.sha256(content).hexdigest()[:16]
    sys.modules[module_name] = ModuleType(module_name)  # numba looks up the module by name.
    for policy in strategy.policies:
        for function in collect_functions(policy.function):
            if not get_module_name(function).startswith(BUILT_IN_PREFIX):
                function.__module__ = module_name
    policies = {policy.slot: replace(policy, pickle_bytes=content) for policy in strategy.policies}
    return with_policies(strategy, policies)


class _ByValuePickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickler that stores helpers by value, with the current values of their globals.

    The pickler of numba does not copy these values.
    """

    def __init__(self, stream: io.BytesIO, shared_prefixes: tuple[str, ...]) -> None:
        super().__init__(stream)
        self._shared_prefixes = shared_prefixes

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, CodeType):  # marshal version 2 gives the same bytes for cached code.
            return marshal.loads, (marshal.dumps(value, 2),)
        if isinstance(value, ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, Strategy):
            return Strategy, (value.name,)  # Functions use only the name of a strategy.
        if isinstance(value, functools._lru_cache_wrapper):
            return _restore_lru_cache, (value.__wrapped__, value.cache_parameters())
        if isinstance(value, type):
            return _remove_random_id(super().reducer_override(value))
        if not isinstance(value, ReduceMixin):
            return super().reducer_override(value)
        function: Any = value
        if get_module_name(function).startswith(self._shared_prefixes):
            return function.__name__  # The function is pickled as a global object.
        if isinstance(value, Dispatcher):
            return _restore_helper, (type(value), {**function._reduce_states(), "uuid": ""})
        return super().reducer_override(value)


def _remove_random_id(reduced: Any) -> Any:
    """Return the reduced form of a class without the random identifier that cloudpickle adds.

    With the identifier, the digest of a function that reads the class would differ in every
    process, so that no process would find the compiled function in the cache.
    """
    # A class that is pickled by reference has another form.
    if not isinstance(reduced, tuple) or not reduced[0].__name__.startswith("_make_skeleton_"):
        return reduced
    make_class, (*arguments, _, extra), *state = reduced
    return make_class, (*arguments, None, extra), *state


def _restore_helper(dispatcher_type: Any, states: dict[str, Any]) -> Any:
    """Return a copy of a helper function, which numba compiles on the first call.

    If the function is restored repeatedly, the result is the same object.
    """
    function = states["py_func"]
    if function not in _restored_helpers:
        is_lazy = issubclass(dispatcher_type, LazyDispatcher)
        states["uuid"] = uuid.uuid4().hex
        _restored_helpers[function] = (
            helper(function) if is_lazy else dispatcher_type._rebuild(**states)
        )
    return _restored_helpers[function]


def _restore_lru_cache(function: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    """Restore the `lru_cache` wrapper of an unpickled function."""
    return functools.lru_cache(**parameters)(function)


def _is_numba_extended() -> bool:
    """Return True if any other package has registered extensions of numba.

    numba does not record which extensions compiled code uses.
    """
    from numba.core.typing.templates import builtin_registry

    load_numba_extensions()
    for template in builtin_registry.functions + builtin_registry.attributes:
        extension = getattr(template, "_overload_func", None)
        # The module is None for generated functions.
        module = getattr(extension, "__module__", None)
        if module is not None and module.partition(".")[0] not in VERSIONED_PACKAGES:
            return True
    return False
