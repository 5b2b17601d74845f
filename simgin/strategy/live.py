"""Strategies of a notebook, a script or a module, taken from their functions as they are.

What is taken is a copy of the policies with all that they read, by value: later changes do not
reach it, no script is executed again, and other processes get the copy itself.
"""

import functools
import hashlib
import importlib
import io
import pickle
import sys
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from numba import cloudpickle
from numba.core.dispatcher import Dispatcher

from simgin.core.inner import LazyDispatcher
from simgin.strategy.author import Strategy, helper
from simgin.strategy.reads import BUILT_IN, LIVE, is_built_in, reached
from simgin.strategy.text_form import StrategyError, exchange
from simgin.text.messages import error_text, quoted

_lock = threading.Lock()  # what is copied by value is known to all threads
_helpers: dict[Callable[..., Any], Any] = {}  # by the function that was compiled


def written(strategy: Strategy) -> bytes:
    """A strategy as bytes. StrategyError if it reads what cannot be copied."""
    policies = {policy.slot: replace(policy, live=b"") for policy in strategy.policies}
    functions = [policy.function for policy in strategy.policies]
    parts = {**vars(strategy), **policies, "text": ""}
    return copied(f"the strategy {quoted(strategy.name)}", parts, functions)


def copied(what: str, value: Any, functions: Sequence[Callable[..., Any]]) -> bytes:
    """A value as bytes for pickle; functions: of an author, in it, with all that they read.

    StrategyError, which names it as said, if it reads what cannot be copied.
    """
    homes = {str(one.__module__) for function in functions for one in reached(function)}
    modules = [sys.modules[home] for home in homes & sys.modules.keys()]
    by_value = [module for module in modules if not module.__name__.startswith(BUILT_IN)]
    stream = io.BytesIO()
    with _lock:
        for module in by_value:
            cloudpickle.register_pickle_by_value(module)
        try:
            _Copier(stream).dump(value)
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
            if not is_built_in(function):
                function.__module__ = module
    return exchange(strategy, {one.slot: replace(one, live=content) for one in strategy.policies})


class _Copier(cloudpickle.Pickler):  # type: ignore[misc]
    """Copies helpers with their constants as they are now; numba would hand over the helper."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, functools._lru_cache_wrapper):
            return _remembering, (value.__wrapped__, value.cache_parameters())
        if not isinstance(value, Dispatcher):
            return super().reducer_override(value)
        function: Any = value
        if function.__module__.startswith(("simgin.", BUILT_IN)):
            return function.__name__  # found in its module
        return _recompiled, (type(function), {**function._reduce_states(), "uuid": ""})


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
