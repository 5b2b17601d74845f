"""Pickling of an author's functions by value, with everything that they read.

Strategies from notebooks, scripts and modules are copied this way, and policies that run in Python
are called this way: later changes do not affect them, scripts are not run again, and other
processes receive the copy itself. The pickles also distinguish cached compiled policies.
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
from types import CodeType, ModuleType
from typing import Any

from numba import cloudpickle
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import ReduceMixin

from simgin.core.inner import LazyDispatcher
from simgin.strategy.author import Strategy, helper
from simgin.strategy.reads import BUILT_IN, ENGINE, FIXED, home, reached, read_in_modules
from simgin.strategy.text_form import StrategyError, exchange
from simgin.text.files import read_bytes
from simgin.text.messages import error_text, quoted
from simgin.version import version

LIVE = "simgin_live_"  # prefix of the module names of live functions, followed by a digest
_lock = threading.Lock()  # cloudpickle's registry of modules is global
_helpers: dict[Callable[..., Any], Any] = {}  # compiled helpers by Python function


def written(strategy: Strategy) -> bytes:
    """Return a strategy as bytes.

    Raises:
        StrategyError: If it reads an object that cannot be pickled.
    """
    policies = {policy.slot: replace(policy, live=b"") for policy in strategy.policies}
    functions = [policy.function for policy in strategy.policies]
    parts = {**vars(strategy), **policies, "text": ""}
    return copied(f"the strategy {quoted(strategy.name)}", parts, functions)


def fingerprint(function: Callable[..., Any]) -> str:
    """Return a digest of everything, except the engine, that a compiled function depends on.

    Returns:
        16 hexadecimal digits. Empty if functions or their files cannot be distinguished; the
        function is then compiled in every process.
    """
    if not home(function).startswith(BUILT_IN) and _is_numba_extended():
        return ""
    digest = hashlib.sha256(version().encode())
    try:
        for one in reached(function):
            digest.update(copied(one.__name__, [one, *read_in_modules(one)], [one], ENGINE))
            text = read_bytes(Path(one.__code__.co_filename))
            if text.count(f"def {one.__qualname__}(".encode()) != 1:
                return ""  # the cache on disk cannot distinguish functions of the same name
            digest.update(text)
    except (OSError, ValueError):
        return ""
    return digest.hexdigest()[:16]


def copied(
    what: str,
    value: Any,
    functions: Sequence[Callable[..., Any]],
    fixed: tuple[str, ...] = (*ENGINE, BUILT_IN),
) -> bytes:
    """Return a value as a pickle.

    Args:
        what: Description of the value for the error message.
        value: The value.
        functions: The author's functions in it, which are pickled by value with everything they
            read.
        fixed: Prefixes of modules that exist in every process, which are pickled by reference.

    Raises:
        StrategyError: If it reads an object that cannot be pickled.
    """
    homes = {home(one) for function in functions for one in reached(function)}
    modules = [sys.modules[name] for name in homes & sys.modules.keys()]
    by_value = [module for module in modules if not home(module).startswith(fixed)]
    stream = io.BytesIO()
    with _lock:
        for module in by_value:
            cloudpickle.register_pickle_by_value(module)
        try:
            _Copier(stream, fixed).dump(value)
        except Exception as error:  # an author's object can raise any exception
            raise StrategyError(
                f"{what} reads something that cannot be copied ({error_text(error)}); policies "
                "read numbers, texts, tables, arrays and functions."
            ) from None
        finally:
            for module in by_value:
                cloudpickle.unregister_pickle_by_value(module)
    return stream.getvalue()


@functools.cache
def read(content: bytes) -> Strategy:
    """Return the strategy in a pickle."""
    strategy = Strategy(**pickle.loads(content))
    module = LIVE + hashlib.sha256(content).hexdigest()[:16]
    sys.modules[module] = ModuleType(module)  # numba looks it up
    for policy in strategy.policies:
        for function in reached(policy.function):
            if not home(function).startswith(BUILT_IN):
                function.__module__ = module
    return exchange(strategy, {one.slot: replace(one, live=content) for one in strategy.policies})


class _Copier(cloudpickle.Pickler):  # type: ignore[misc]
    """Pickler that copies helpers with the present values of their globals, unlike numba's."""

    def __init__(self, stream: io.BytesIO, fixed: tuple[str, ...]) -> None:
        super().__init__(stream)
        self._fixed = fixed

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, CodeType):  # version 2 is the same for code from source and bytecode
            return marshal.loads, (marshal.dumps(value, 2),)
        if isinstance(value, ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, Strategy):
            return Strategy, (value.name,)  # no function reads other fields
        if isinstance(value, functools._lru_cache_wrapper):
            return _remembering, (value.__wrapped__, value.cache_parameters())
        if not isinstance(value, ReduceMixin):
            return super().reducer_override(value)
        function: Any = value
        if home(function).startswith(self._fixed):
            return function.__name__  # pickled by reference
        if isinstance(value, Dispatcher):
            return _recompiled, (type(value), {**function._reduce_states(), "uuid": ""})
        return super().reducer_override(value)


def _recompiled(kind: Any, states: dict[str, Any]) -> Any:
    """Return a compiled helper, the same for recursive calls."""
    function = states["py_func"]
    if function not in _helpers:
        is_ours = issubclass(kind, LazyDispatcher)
        states["uuid"] = uuid.uuid4().hex
        _helpers[function] = helper(function) if is_ours else kind._rebuild(**states)
    return _helpers[function]


def _remembering(function: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    """Return a function with an `lru_cache`."""
    return functools.lru_cache(**parameters)(function)


def _is_numba_extended() -> bool:
    """Return True if a package other than numba has registered numba extensions.

    Compiled code does not show which extension functions it contains.
    """
    from numba.core.typing.templates import builtin_registry

    for template in builtin_registry.functions + builtin_registry.attributes:
        extension = getattr(template, "_overload_func", None)
        home = getattr(extension, "__module__", None)  # None for generated functions
        if home is not None and home.partition(".")[0] not in FIXED:
            return True
    return False
