"""Copies of an author's functions with all that they read, by value.

Strategies of a notebook, a script or a module are taken so, and policies that run in Python are
asked so: later changes do not reach them, no script is executed again, and other processes get the
copy itself. The bytes of a copy tell compiled policies apart on disk.
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

LIVE = "simgin_live_"  # and a digest: how the modules of functions taken live are called
_lock = threading.Lock()  # what is copied by value is known to all threads
_helpers: dict[Callable[..., Any], Any] = {}  # by the function that was compiled


def written(strategy: Strategy) -> bytes:
    """A strategy as bytes. StrategyError if it reads what cannot be copied."""
    policies = {policy.slot: replace(policy, live=b"") for policy in strategy.policies}
    functions = [policy.function for policy in strategy.policies]
    parts = {**vars(strategy), **policies, "text": ""}
    return copied(f"the strategy {quoted(strategy.name)}", parts, functions)


def fingerprint(function: Callable[..., Any]) -> str:
    """Digest of all, but the engine, that the compiled form of a function depends on.

    Hexadecimal. Empty where functions or their files cannot be told apart: it is compiled at every
    start then.
    """
    if not home(function).startswith(BUILT_IN) and _is_numba_extended():
        return ""
    digest = hashlib.sha256(version().encode())
    try:
        for one in reached(function):
            digest.update(copied(one.__name__, [one, *read_in_modules(one)], [one], ENGINE))
            text = read_bytes(Path(one.__code__.co_filename))
            if text.count(f"def {one.__qualname__}(".encode()) != 1:
                return ""  # on disk, functions of one name would be taken for one another
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
    """A value as bytes for pickle; functions: of an author, in it, with all that they read.

    fixed: how modules are called that every process has. StrategyError, which names the value as
    said, if it reads what cannot be copied.
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
        except Exception as error:  # an author's object may raise anything
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
    """The strategy that was written."""
    strategy = Strategy(**pickle.loads(content))
    module = LIVE + hashlib.sha256(content).hexdigest()[:16]
    sys.modules[module] = ModuleType(module)  # numba looks for it
    for policy in strategy.policies:
        for function in reached(policy.function):
            if not home(function).startswith(BUILT_IN):
                function.__module__ = module
    return exchange(strategy, {one.slot: replace(one, live=content) for one in strategy.policies})


class _Copier(cloudpickle.Pickler):  # type: ignore[misc]
    """Copies helpers with their constants as they are now; numba would hand over the helper."""

    def __init__(self, stream: io.BytesIO, fixed: tuple[str, ...]) -> None:
        super().__init__(stream)
        self._fixed = fixed

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, CodeType):  # form 2 is the same for code from source and from bytecode
            return marshal.loads, (marshal.dumps(value, 2),)
        if isinstance(value, ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, Strategy):
            return Strategy, (value.name,)  # nothing reads more of it
        if isinstance(value, functools._lru_cache_wrapper):
            return _remembering, (value.__wrapped__, value.cache_parameters())
        if not isinstance(value, ReduceMixin):
            return super().reducer_override(value)
        function: Any = value
        if home(function).startswith(self._fixed):
            return function.__name__  # found in its module
        if isinstance(value, Dispatcher):
            return _recompiled, (type(value), {**function._reduce_states(), "uuid": ""})
        return super().reducer_override(value)


def _recompiled(kind: Any, states: dict[str, Any]) -> Any:
    """A helper compiled anew; the same one for what calls itself."""
    function = states["py_func"]
    if function not in _helpers:
        is_ours = issubclass(kind, LazyDispatcher)
        states["uuid"] = uuid.uuid4().hex
        _helpers[function] = helper(function) if is_ours else kind._rebuild(**states)
    return _helpers[function]


def _remembering(function: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    return functools.lru_cache(**parameters)(function)


def _is_numba_extended() -> bool:
    """Whether anyone but numba itself has said how something is compiled.

    Compiled code does not show whose functions of that kind it contains.
    """
    from numba.core.typing.templates import builtin_registry

    for template in builtin_registry.functions + builtin_registry.attributes:
        extension = getattr(template, "_overload_func", None)
        home = getattr(extension, "__module__", None)  # None for what numba itself makes from text
        if home is not None and home.partition(".")[0] not in FIXED:
            return True
    return False
