"""Compilation of policies: the engine calls an author's function as a compiled hook.

Functions whose results numba would silently convert are rejected. A function that numba cannot
compile runs in Python (`simgin.strategy.python_tier`), unless its first call would raise anyway.
"""

import io
import pickle
from bdb import BdbQuit
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal
from warnings import catch_warnings

import numpy as np
from numba import types
from numba.core.errors import NumbaWarning

from simgin.core import jit
from simgin.core.policy import HOOK
from simgin.strategy import interpret, live
from simgin.strategy.author import Policy
from simgin.strategy.mistakes import describe_refusal, find_mistake, unknown_field
from simgin.strategy.reads import is_built_in
from simgin.strategy.text_form import StrategyError
from simgin.text import shell
from simgin.text.files import read_bytes
from simgin.text.messages import described, sound, tell

# Descriptions of invalid return types
_RETURNED = {
    types.Float: "a float",
    types.NoneType: "nothing",
    types.Optional: "nothing on some path",
    types.UnicodeType: "a text",
    types.StringLiteral: "a text",
}
NUMBERS = "biuf"  # NumPy dtype kinds: no complex numbers, dates or strings


class PolicyError(StrategyError):
    """Error for a policy that cannot be played; the message names policy, file and reason."""


def vector(policy: Policy) -> np.ndarray:
    """Return the read-only parameter vector of a policy.

    It contains the parameters in declared order, then the weights.

    Raises:
        PolicyError: If the weights file cannot be read.
    """
    values = np.array([param.default for param in policy.params.values()], np.float64)
    if policy.weights is not None:
        values = np.concatenate([values, _numbers(policy).ravel()])
    values.flags.writeable = False
    return values


def _numbers(policy: Policy) -> np.ndarray:
    """Return the weights of a policy; raise PolicyError if their file cannot be read."""
    if not isinstance(policy.weights, Path):
        return np.asarray(policy.weights, np.float64)
    if policy.is_untrained:
        _tell_untrained(policy.source, policy.weights)
        return np.array([*policy.start.values()], np.float64)
    try:
        numbers = _numbers_in(policy.weights, policy.weights.stat().st_mtime_ns)
    except OSError as error:
        reason = error.strerror
    # numpy can raise any exception for a corrupt file, and MemoryError for a huge shape.
    except Exception:
        reason = "it is not an array of real numbers, none of them NaN, as numpy.save writes it"
    else:
        if not policy.start or numbers.size == len(policy.start):
            return numbers
        reason = (
            f"it holds {numbers.size} weights where start names {len(policy.start)}; "
            "`simgin train` writes it anew"
        )
    raise PolicyError(
        f"{_where(policy)}: its numbers cannot be read from {policy.weights}: {reason}."
    )


@lru_cache(maxsize=64)
def _tell_untrained(source: Path, weights: Path) -> None:
    """Report, once per process, that a strategy uses its start weights."""
    train = shell.join(["simgin", "train", source.name, "-o", weights.name])
    tell(
        f"{source.name} plays with the weights of its start: there is no {weights.name} "
        f"beside it. `{train}` learns better ones."
    )


@lru_cache(maxsize=64)
def _numbers_in(path: Path, _changed: int) -> np.ndarray:
    """Return the weights in a file; the cache key includes its modification time."""
    numbers = np.load(io.BytesIO(read_bytes(path)), allow_pickle=False)
    if numbers.dtype.kind not in NUMBERS or np.isnan(numbers).any():
        raise ValueError("no numbers, or some that are none")
    return np.asarray(numbers, np.float64)


def hook(policy: Policy) -> Any:
    """Return the compiled function of a policy, with the type that the engine calls.

    Raises:
        PolicyError: If the policy cannot be played.
    """
    if policy.function not in _HOOKS:
        try:
            if not is_built_in(policy.function):  # tests check those
                check_source(policy)
            _HOOKS[policy.function] = _compile(policy)
        except StrategyError:
            raise
        except Exception as error:  # an author's object can raise any exception
            raise PolicyError(
                f"{_where(policy)} reads something that raises {described(sound(error))}."
            ) from None
    return _HOOKS[policy.function]


def tier(policy: Policy) -> Literal["fast", "slow", "refused"]:
    """Return how a policy runs: "fast" (compiled), "slow" (in Python) or "refused".

    Built-in policies are fast, so they are not compiled here.
    """
    if is_built_in(policy.function):
        return "fast"
    try:
        hook(policy)
    except StrategyError:
        return "refused"
    return "slow" if policy.function in _SLOW else "fast"


def slow_because(policy: Policy) -> str:
    """Return why a compiled policy runs in Python; empty if it does not."""
    return _SLOW.get(policy.function, "")


def remembers(policy: Policy) -> bool:
    """Return True if a policy that runs in Python has changed the values it reads."""
    copy, content = _COPIES.get(policy.function, (None, b""))
    return copy is not None and live.copied(_where(policy), copy, [copy]) != content


# A function is compiled once per process, for all values of its parameters.
_HOOKS: dict[Any, Any] = {}
_SLOW: dict[Any, str] = {}
_COPIES: dict[Any, tuple[Any, bytes]] = {}  # copy that runs in Python, and its pickle


def _compile(policy: Policy) -> Any:
    """Return the compiled hook of a policy, from disk if cached; in Python if numba fails."""
    if jit.interpreted():
        return _as_python(policy)
    key = live.fingerprint(policy.function)
    compiled = partial(jit.compiled, policy.function, keep=bool(key), key=key, distinct=True)
    try:
        with catch_warnings(action="ignore", category=NumbaWarning):
            if is_built_in(policy.function):  # tests check their return types
                return compiled(HOOK)
            by_itself = compiled(HOOK.args)  # with HOOK, numba would convert any return type
            (signature,) = by_itself.nopython_signatures
            if signature.return_type == HOOK.return_type:
                return by_itself
            _check_returned(policy, signature.return_type)
            return compiled(HOOK)
    except PolicyError:
        raise
    except Exception as error:  # numba does not use its own exceptions for all failures
        return _in_python(policy, error)


def _check_returned(policy: Policy, returned: Any) -> None:
    """Raise PolicyError for a return type that numba would silently convert to an integer."""
    if not isinstance(returned, types.Integer | types.Boolean):
        raise PolicyError(
            f"{_where(policy)} returns {_RETURNED.get(type(returned), f'a {returned}')}, and an "
            "answer is a whole number or a yes or no; write int(...) around it, and end every path "
            "through it with a return."
        )


def _in_python(policy: Policy, error: Exception) -> Any:
    """Return a hook that runs a policy in Python, and report it.

    Raises:
        PolicyError: If the policy would be wrong in Python too.
    """
    if isinstance(error, KeyError) and (mistake := unknown_field(str(error.args[0]))):
        raise PolicyError(f"{_where(policy)} {mistake}") from None
    if "readonly array" in str(error):
        raise PolicyError(
            f"{_where(policy)} writes into an array that it may only read: "
            "its parameters, or an array of the module."
        ) from None
    reason = describe_refusal(policy, error)
    _SLOW[policy.function] = reason
    tell(f"{_where(policy)} runs in Python, some hundred times slower than compiled code: {reason}")
    # A copy with the present values of everything it reads, which no other code can change.
    copy = pickle.loads(live.copied(_where(policy), policy.function, [policy.function]))
    _COPIES[policy.function] = copy, live.copied(_where(policy), copy, [copy])
    return interpret.hook(copy)


def _as_python(policy: Policy) -> Any:
    """Return a policy as plain Python that rejects what the compiler would reject.

    Leaving the debugger counts as an interruption.
    """

    def ask(view: Any, rules: Any, params: Any) -> int:
        try:
            return interpret.whole(policy.function(view, rules, params))
        except BdbQuit:
            raise KeyboardInterrupt from None

    return ask


def check_source(policy: Policy) -> None:
    """Raise PolicyError for a function that would fail or behave differently from its source."""
    if mistake := find_mistake(policy):
        raise PolicyError(f"{_where(policy)} {mistake}")


def _where(policy: Policy) -> str:
    """Return the description of a policy in messages."""
    return f"the {policy.slot} policy {policy.name!r} in {policy.home}"
