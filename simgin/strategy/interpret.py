"""Policies that numba cannot compile: they run in Python, behind a compiled wrapper.

The wrapper has the type of all hooks and passes addresses. The policy gets read-only records on the
memory of the engine: nothing is copied, and a write raises an exception. An exception of the policy
is stored per thread until the kernel has returned.
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
from simgin.strategy.mistakes import COLOUR
from simgin.text.messages import described, sound, value_of_any_class

_RAISED = -(2**63)  # return value that signals an exception
_INT64 = ctypes.c_int64
_CALLBACK = ctypes.CFUNCTYPE(_INT64, _INT64, _INT64, _INT64, _INT64)
_LIVE = 256  # cached records: two views, the rules and a few vectors per thread
_thread = threading.local()


class Raised(Exception):
    """Signal that an interpreted policy raised; `reraise_policy_errors` replaces it."""


class NoAnswer(ValueError):
    """Error for a return value that is not an action; continues `the take policy 'mine' `."""


class Ended(Exception):
    """Error for an exception that would end the program; continues like InvalidActionError."""


@contextmanager
def unwrapped() -> Iterator[None]:
    """Raise the exception of a policy that was called in the block, instead of PolicyRaised."""
    try:
        yield
    except Raised:
        raise _harmless(_thread.error) from None
    except BaseException as error:
        if (harmless := _harmless(error)) is error:
            raise
        raise harmless from None


def _harmless(error: BaseException) -> BaseException:
    """Return an exception, or PolicyExitError for one that would end the program.

    Ctrl-C reaches only the main thread and is returned unchanged.
    """
    error = sound(error)
    in_main = threading.current_thread() is threading.main_thread()
    if isinstance(error, Exception) or (in_main and isinstance(error, KeyboardInterrupt)):
        return error
    return Ended(f"raised {described(error)}")


def hook(function: Callable[..., Any]) -> Any:
    """Return a compiled hook that calls `function` in Python.

    The hook raises PolicyRaised if the function raises an exception.
    """
    callback = _CALLBACK(_answering(function))

    def ask(view, rules, params):  # type: ignore[no-untyped-def]
        answer = callback(address_of(view), address_of(rules), params.ctypes.data, len(params))
        if answer == _RAISED:
            raise Raised
        return answer

    return jit.compiled(ask, HOOK, keep=False)


def _answering(function: Callable[..., Any]) -> Callable[[int, int, int, int], int]:
    """Return the callback that calls a policy with records at the given addresses."""

    def answer(view: int, rules: int, params: int, n: int) -> int:
        try:
            return whole(function(_view(view), _rules(rules), _vector(params, n)))
        except NumbaError as error:
            _thread.error = NoAnswer(
                f"calls a helper that cannot be compiled ({_first_line(error)}); "
                "leave @helper away."
            )
        # KeyboardInterrupt too: no exception can pass through compiled code.
        except BaseException as error:
            _thread.error = error
        return _RAISED

    return answer


def whole(answer: Any) -> int:
    """Return an action as an integer.

    Raises:
        InvalidActionError: If it is not an integer or Boolean, or does not fit in an int64.
    """
    if not isinstance(answer, bool | int | np.bool_ | np.integer):
        raise no_answer(answer, "an answer is a whole number, or yes or no")
    number = int(answer)
    if not _RAISED < number < 2**63:
        raise NoAnswer(f"answered {value_of_any_class(number)}, which no int64 holds.")
    return number


def no_answer(given: object, wanted: str) -> NoAnswer:
    """Return the error for a return value, of any type, that is not an action."""
    return NoAnswer(f"answered {value_of_any_class(given)}, but {wanted}.")


def _first_line(error: NumbaError) -> str:
    """Return the first informative line; numba's first line names the stage of compilation."""
    report = COLOUR.sub("", str(error))
    for line in report.splitlines()[1:]:
        if line.strip():
            return line.strip().rstrip(".")
    return report.rstrip(".")


# Records on the memory of the engine. They can be cached by address: allocators reuse addresses,
# and records at the same address are identical.


def _quick(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a dtype whose fields are properties, which np.record reads four times as fast."""
    fields = {name: property(operator.itemgetter(name)) for name in dtype.names or ()}
    members = {"__getattribute__": np.void.__getattribute__, **fields}
    kind = type("Record", (np.record,), members)
    return np.dtype((kind, dtype))


_VIEW, _RULES = _quick(VIEW), _quick(RULES)


def _memory(address: int, size: int) -> memoryview:
    """Return the memory at an address."""
    return memoryview((ctypes.c_char * size).from_address(address))


def _record(address: int, dtype: np.dtype[Any]) -> Any:
    """Return a read-only record at an address."""
    records = np.frombuffer(_memory(address, dtype.itemsize), dtype)
    records.flags.writeable = False
    return records[0]


@lru_cache(_LIVE)
def _view(address: int) -> Any:
    return _record(address, _VIEW)


@lru_cache(_LIVE)
def _rules(address: int) -> Any:
    return _record(address, _RULES)


@lru_cache(_LIVE)
def _vector(address: int, n: int) -> np.ndarray:
    """Return the vector of n parameters and weights at an address."""
    vector = np.frombuffer(_memory(address, 8 * n), np.float64) if n else np.zeros(0)
    vector.flags.writeable = False
    return vector
