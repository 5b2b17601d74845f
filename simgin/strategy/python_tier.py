"""Python execution of policies that numba cannot compile.

A compiled wrapper, which has the type of a compiled policy, passes the addresses of the records to
Python. The policy receives read-only records in the memory of the engine. Records are not copied,
and writing to a record raises an exception. If a policy raises an exception, the wrapper stores the
exception for the thread until the kernel returns.
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
from simgin.core.policy_types import POLICY_SIGNATURE, get_record_address
from simgin.core.rules_record import RULES_DTYPE
from simgin.core.view import VIEW_DTYPE
from simgin.strategy.lint import summarise_numba_error
from simgin.text.messages import (
    SimginError,
    describe_error,
    describe_return_value,
    ensure_printable_error,
)

_ERROR_CODE = -(2**63)  # return value that signals an exception
_INT64_TYPE = ctypes.c_int64
_CALLBACK_TYPE = ctypes.CFUNCTYPE(_INT64_TYPE, _INT64_TYPE, _INT64_TYPE, _INT64_TYPE, _INT64_TYPE)
_RECORD_CACHE_SIZE = 256  # number of cached records; each thread needs a few
_thread_errors = threading.local()


class PolicyRaisedError(Exception):
    """Exception that compiled code raises if a policy raises an exception.

    `reraise_policy_errors` raises the policy's exception instead.
    """


class InvalidActionError(SimginError):
    """Exception for a policy whose return value is not a valid action.

    The message is a verb phrase without a subject.
    """


class PolicyExitError(Exception):
    """Exception that replaces a policy's exception if that exception would end the program.

    The message is a verb phrase without a subject.
    """


@contextmanager
def reraise_policy_errors() -> Iterator[None]:
    """Replace a PolicyRaisedError in a `with` block by the policy's original exception."""
    try:
        yield
    except PolicyRaisedError:
        raise _replace_exit_error(_thread_errors.error) from None
    except BaseException as error:
        if (replacement := _replace_exit_error(error)) is error:
            raise
        raise replacement from None


def _replace_exit_error(error: BaseException) -> BaseException:
    """Return an exception unchanged, or a PolicyExitError if it would end the program.

    A KeyboardInterrupt in the main thread is returned unchanged.
    """
    error = ensure_printable_error(error)
    is_main_thread = threading.current_thread() is threading.main_thread()
    if isinstance(error, Exception) or (is_main_thread and isinstance(error, KeyboardInterrupt)):
        return error
    return PolicyExitError(f"raised {describe_error(error)}")


def wrap_python_policy(function: Callable[..., Any]) -> Any:
    """Return a compiled function that calls `function` in Python.

    If `function` raises an exception, the compiled function raises PolicyRaisedError.
    """
    callback = _CALLBACK_TYPE(_make_callback(function))

    def call_policy(view, rules, params):  # type: ignore[no-untyped-def]
        records = (get_record_address(view), get_record_address(rules))
        action = callback(*records, params.ctypes.data, len(params))
        if action == _ERROR_CODE:
            raise PolicyRaisedError
        return action

    return jit.compile_function(call_policy, POLICY_SIGNATURE, use_cache=False)


def _make_callback(function: Callable[..., Any]) -> Callable[[int, int, int, int], int]:
    """Return a callback for compiled code, which passes the policy's arguments as addresses."""

    def call_policy(view: int, rules: int, params: int, n_params: int) -> int:
        try:
            return convert_action_to_int(
                function(_get_view_at(view), _get_rules_at(rules), _get_vector_at(params, n_params))
            )
        except NumbaError as error:
            _thread_errors.error = InvalidActionError(
                f"calls a helper that cannot be compiled ({summarise_numba_error(error)}). "
                "Remove @helper."
            )
        # Compiled code cannot propagate exceptions, including KeyboardInterrupt.
        except BaseException as error:
            _thread_errors.error = error
        return _ERROR_CODE

    return call_policy


def convert_action_to_int(action: Any) -> int:
    """Return an action as an integer, or raise InvalidActionError.

    Raises:
        InvalidActionError: If the action is not an integer or a Boolean, or does not fit in an
            int64.
    """
    if not isinstance(action, bool | int | np.bool_ | np.integer):
        raise make_action_error(action, "an action must be an integer or a Boolean")
    number = int(action)
    if not _ERROR_CODE < number < 2**63:
        raise InvalidActionError(f"returned {describe_return_value(number)}, which is too large.")
    return number


def make_action_error(value: object, requirement: str) -> InvalidActionError:
    """Return the exception for a policy whose return value is not a valid action."""
    return InvalidActionError(f"returned {describe_return_value(value)}, but {requirement}.")


# Records in the memory of the engine, cached by address. If an allocator reuses an address, the
# cached record is still valid.


def _make_fast_record_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a record dtype whose records expose their fields as Python properties.

    Reading a property of np.record is four times as fast as reading a field.
    """
    properties = {name: property(operator.itemgetter(name)) for name in dtype.names or ()}
    members = {"__getattribute__": np.void.__getattribute__, **properties}
    record_type = type("Record", (np.record,), members)
    return np.dtype((record_type, dtype))


_FAST_VIEW_DTYPE, _FAST_RULES_DTYPE = (
    _make_fast_record_dtype(VIEW_DTYPE),
    _make_fast_record_dtype(RULES_DTYPE),
)


def _get_memory_at(address: int, size: int) -> memoryview:
    """Return a buffer of the bytes at a memory address."""
    return memoryview((ctypes.c_char * size).from_address(address))


def _get_record_at(address: int, dtype: np.dtype[Any]) -> Any:
    """Return a read-only record at a memory address."""
    records = np.frombuffer(_get_memory_at(address, dtype.itemsize), dtype)
    records.flags.writeable = False
    return records[0]


@lru_cache(_RECORD_CACHE_SIZE)
def _get_view_at(address: int) -> Any:
    return _get_record_at(address, _FAST_VIEW_DTYPE)


@lru_cache(_RECORD_CACHE_SIZE)
def _get_rules_at(address: int) -> Any:
    return _get_record_at(address, _FAST_RULES_DTYPE)


@lru_cache(_RECORD_CACHE_SIZE)
def _get_vector_at(address: int, n_params: int) -> np.ndarray:
    """Return the parameter vector of length n that starts at a memory address."""
    vector = (
        np.frombuffer(_get_memory_at(address, 8 * n_params), np.float64)
        if n_params
        else np.zeros(0)
    )
    vector.flags.writeable = False
    return vector
