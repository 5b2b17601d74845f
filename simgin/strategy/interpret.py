"""The slow tier: a policy that numba cannot compile is asked in Python, through a compiled wrapper of the one type of all hooks.

The wrapper hands over addresses. What the policy is given are read-only records on the engine's own memory: nothing is copied, and a
write raises. What it raises is kept here, by thread, until the kernel has been left.
"""

import ctypes
import operator
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from simgin.core import jit
from simgin.core.policy import HOOK, address_of
from simgin.core.rules import RULES
from simgin.core.view import VIEW

_RAISED = -(2**63)  # in place of an answer
_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64
)
_LIVE = 256  # records kept: two views, the rules and a few vectors for every thread
_thread = threading.local()


class Raised(Exception):
    """A policy of the slow tier raised; `unwrapped` puts what it raised in this one's place."""


class NoAnswer(ValueError):
    """A policy gave what is no answer; the message goes on from `the take policy 'mine' `."""


@contextmanager
def unwrapped() -> Iterator[None]:
    """What a policy of the slow tier raised, in place of Raised, comes out of the block that asked it."""
    try:
        yield
    except Raised:
        raise _thread.error from None


def hook(function: Callable[..., Any]) -> Any:
    """A compiled function of the type of all hooks that asks `function` in Python. It raises Raised where that raises."""
    callback = _CALLBACK(_answering(function))

    def ask(view, rules, params):  # type: ignore[no-untyped-def]
        answer = callback(address_of(view), address_of(rules), params.ctypes.data, len(params))
        if answer == _RAISED:
            raise Raised
        return answer

    return jit.compiled(ask, HOOK, keep=False)


def _answering(function: Callable[..., Any]) -> Callable[[int, int, int, int], int]:
    def answer(view: int, rules: int, params: int, n: int) -> int:
        try:
            return whole(function(_view(view), _rules(rules), _vector(params, n)))
        except NumbaError as error:
            _thread.error = NoAnswer(
                f"calls a helper that cannot be compiled ({_first_line(error)}); leave @helper away."
            )
        except (
            BaseException
        ) as error:  # an interruption too: nothing can be raised through compiled code
            _thread.error = error
        return _RAISED

    return answer


def whole(answer: Any) -> int:
    """An answer as an int64; NoAnswer for what is none."""
    if isinstance(answer, bool | int | np.bool_ | np.integer):
        whole = int(answer)
        if _RAISED < whole < 2**63:
            return whole
        raise NoAnswer(f"answered {answer}, which no int64 holds.")
    what = "nothing" if answer is None else f"{answer!r:.40}, a {type(answer).__name__}"
    raise NoAnswer(f"answered {what}, and an answer is a whole number or a yes or no.")


def _first_line(error: NumbaError) -> str:
    return next(
        (line.strip() for line in str(error).splitlines()[1:] if line.strip()), str(error)
    ).rstrip(".")


# The engine's memory, as Python sees it. Allocators give an address again, and a record is the same wherever it lies.


def _quick(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same record with its fields as properties: np.record looks each up in Python, four times as slowly."""
    fields = {name: property(operator.itemgetter(name)) for name in dtype.names or ()}
    kind = type("Record", (np.record,), {"__getattribute__": np.void.__getattribute__, **fields})
    return np.dtype((kind, dtype))


_VIEW, _RULES = _quick(VIEW), _quick(RULES)


def _record(address: int, dtype: np.dtype[Any]) -> Any:
    whole = np.frombuffer(memoryview((ctypes.c_char * dtype.itemsize).from_address(address)), dtype)
    whole.flags.writeable = False
    return whole[0]


@lru_cache(_LIVE)
def _view(address: int) -> Any:
    return _record(address, _VIEW)


@lru_cache(_LIVE)
def _rules(address: int) -> Any:
    return _record(address, _RULES)


@lru_cache(_LIVE)
def _vector(address: int, n: int) -> np.ndarray:
    vector = (
        np.frombuffer(memoryview((ctypes.c_char * (8 * n)).from_address(address)), np.float64)
        if n
        else np.zeros(0)
    )
    vector.flags.writeable = False
    return vector
