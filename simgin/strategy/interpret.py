"""The slow tier: policies that numba cannot compile run in Python, behind a compiled wrapper.

The wrapper has the one type of all hooks and hands over addresses. The policy gets read-only
records on the engine's own memory: nothing is copied, and a write raises. What it raises is kept
here, by thread, until the kernel has been left.
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

_RAISED = -(2**63)  # in place of an answer
_INT64 = ctypes.c_int64
_CALLBACK = ctypes.CFUNCTYPE(_INT64, _INT64, _INT64, _INT64, _INT64)
_LIVE = 256  # records kept: two views, the rules and a few vectors for every thread
_thread = threading.local()


class Raised(Exception):
    """A policy of the slow tier raised; `unwrapped` puts its exception in place of this one."""


class NoAnswer(ValueError):
    """A policy gave something that is not an answer; continues `the take policy 'mine' `."""


class Ended(Exception):
    """A policy raised what would have ended the program; continues as NoAnswer does."""


@contextmanager
def unwrapped() -> Iterator[None]:
    """Raise what a policy raised inside the block: in place of Raised, or of what ends programs."""
    try:
        yield
    except Raised:
        raise _harmless(_thread.error) from None
    except BaseException as error:
        if (harmless := _harmless(error)) is error:
            raise
        raise harmless from None


def _harmless(error: BaseException) -> BaseException:
    """The error, or Ended. Ctrl-C comes to the main thread alone, and stays what it is."""
    error = sound(error)
    in_main = threading.current_thread() is threading.main_thread()
    if isinstance(error, Exception) or (in_main and isinstance(error, KeyboardInterrupt)):
        return error
    return Ended(f"raised {described(error)}")


def hook(function: Callable[..., Any]) -> Any:
    """A compiled hook that calls `function` in Python, and raises Raised if that raises."""
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
                f"calls a helper that cannot be compiled ({_first_line(error)}); "
                "leave @helper away."
            )
        # An interruption too: nothing can be raised through compiled code.
        except BaseException as error:
            _thread.error = error
        return _RAISED

    return answer


def whole(answer: Any) -> int:
    """An answer as an int64; raises NoAnswer for anything else."""
    if not isinstance(answer, bool | int | np.bool_ | np.integer):
        raise no_answer(answer, "an answer is a whole number, or yes or no")
    number = int(answer)
    if not _RAISED < number < 2**63:
        raise NoAnswer(f"answered {value_of_any_class(number)}, which no int64 holds.")
    return number


def no_answer(given: object, wanted: str) -> NoAnswer:
    """Return the error for what a policy returned instead of an answer; it may have any class."""
    return NoAnswer(f"answered {value_of_any_class(given)}, but {wanted}.")


def _first_line(error: NumbaError) -> str:
    """The first line that says something; numba's first line names the stage of compilation."""
    report = COLOUR.sub("", str(error))
    for line in report.splitlines()[1:]:
        if line.strip():
            return line.strip().rstrip(".")
    return report.rstrip(".")


# The engine's memory, as Python sees it. Allocators reuse addresses, and a record is the same
# wherever it lies.


def _quick(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same record with its fields as properties: np.record looks them up four times slower."""
    fields = {name: property(operator.itemgetter(name)) for name in dtype.names or ()}
    members = {"__getattribute__": np.void.__getattribute__, **fields}
    kind = type("Record", (np.record,), members)
    return np.dtype((kind, dtype))


_VIEW, _RULES = _quick(VIEW), _quick(RULES)


def _memory(address: int, size: int) -> memoryview:
    return memoryview((ctypes.c_char * size).from_address(address))


def _record(address: int, dtype: np.dtype[Any]) -> Any:
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
    """n parameters, and the weights that follow them."""
    vector = np.frombuffer(_memory(address, 8 * n), np.float64) if n else np.zeros(0)
    vector.flags.writeable = False
    return vector
