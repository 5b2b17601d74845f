"""Compiled hooks from policies: an author's plain function becomes what the engine calls.

What numba would silently bend is refused. What it cannot compile runs in Python (see
simgin.strategy.interpret), unless the first question would raise anyway.
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

# How a message calls what a policy must not return
_RETURNED = {
    types.Float: "a float",
    types.NoneType: "nothing",
    types.Optional: "nothing on some path",
    types.UnicodeType: "a text",
    types.StringLiteral: "a text",
}
NUMBERS = "biuf"  # kinds of numpy's: no complex ones, dates or texts


class PolicyError(StrategyError):
    """A policy that cannot be played; the message says which, in which file, and why."""


def vector(policy: Policy) -> np.ndarray:
    """The policy's parameters, read-only: its own in declared order, then those of its data file.

    PolicyError if the data file cannot be read.
    """
    values = np.array([param.default for param in policy.params.values()], np.float64)
    if policy.weights is not None:
        values = np.concatenate([values, _numbers(policy).ravel()])
    values.flags.writeable = False
    return values


def _numbers(policy: Policy) -> np.ndarray:
    """The numbers that follow a policy's parameters; PolicyError if their file cannot be read."""
    if not isinstance(policy.weights, Path):
        return np.asarray(policy.weights, np.float64)
    if policy.is_untrained:
        _tell_untrained(policy.source, policy.weights)
        return np.array([*policy.start.values()], np.float64)
    try:
        numbers = _numbers_in(policy.weights, policy.weights.stat().st_mtime_ns)
    except OSError as error:
        reason = error.strerror
    # A damaged file makes numpy raise anything, and one of a huge size asks for the memory.
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
    """Say, once a process, that a strategy plays as it was before any training."""
    train = shell.join(["simgin", "train", source.name, "-o", weights.name])
    tell(
        f"{source.name} plays with the weights of its start: there is no {weights.name} "
        f"beside it. `{train}` learns better ones."
    )


@lru_cache(maxsize=64)
def _numbers_in(path: Path, _changed: int) -> np.ndarray:
    """The numbers of a file as it was last changed: positions are played on by the thousand."""
    numbers = np.load(io.BytesIO(read_bytes(path)), allow_pickle=False)
    if numbers.dtype.kind not in NUMBERS or np.isnan(numbers).any():
        raise ValueError("no numbers, or some that are none")
    return np.asarray(numbers, np.float64)


def hook(policy: Policy) -> Any:
    """The compiled function of a policy, of the type that the engine calls.

    PolicyError if the policy cannot be played.
    """
    if policy.function not in _HOOKS:
        try:
            if not is_built_in(policy.function):  # the tests check those, and reading takes time
                check_source(policy)
            _HOOKS[policy.function] = _compile(policy)
        except StrategyError:
            raise
        except Exception as error:  # an author's object may raise anything where it is looked at
            raise PolicyError(
                f"{_where(policy)} reads something that raises {described(sound(error))}."
            ) from None
    return _HOOKS[policy.function]


def tier(policy: Policy) -> Literal["fast", "slow", "refused"]:
    """How a policy is played: compiled, in Python, or not at all.

    Built-in policies are known to be fast: they are not compiled here.
    """
    if is_built_in(policy.function):
        return "fast"
    try:
        hook(policy)
    except StrategyError:
        return "refused"
    return "slow" if policy.function in _SLOW else "fast"


def slow_because(policy: Policy) -> str:
    """Why a policy that has been compiled runs in Python; empty if it does not."""
    return _SLOW.get(policy.function, "")


def remembers(policy: Policy) -> bool:
    """Whether a policy that runs in Python has changed what it reads since it was made."""
    copy, content = _COPIES.get(policy.function, (None, b""))
    return copy is not None and live.copied(_where(policy), copy, [copy]) != content


# A function is read and compiled once a process, whatever values its parameters take.
_HOOKS: dict[Any, Any] = {}
_SLOW: dict[Any, str] = {}
_COPIES: dict[Any, tuple[Any, bytes]] = {}  # what is asked in Python, and all that it reads


def _compile(policy: Policy) -> Any:
    """The policy as a hook, from disk if it is there; in Python if numba cannot compile it."""
    if jit.interpreted():
        return _as_python(policy)
    key = live.fingerprint(policy.function)
    compiled = partial(jit.compiled, policy.function, keep=bool(key), key=key, distinct=True)
    try:
        with catch_warnings(action="ignore", category=NumbaWarning):
            if is_built_in(policy.function):  # the tests know what those return
                return compiled(HOOK)
            by_itself = compiled(HOOK.args)  # given HOOK, numba bends whatever is returned
            (signature,) = by_itself.nopython_signatures
            if signature.return_type == HOOK.return_type:
                return by_itself
            _check_returned(policy, signature.return_type)
            return compiled(HOOK)
    except PolicyError:
        raise
    except Exception as error:  # numba raises errors of its own for most failures, not for all
        return _in_python(policy, error)


def _check_returned(policy: Policy, returned: Any) -> None:
    """Refuse a type that numba would silently bend to an integer. Raises PolicyError."""
    if not isinstance(returned, types.Integer | types.Boolean):
        raise PolicyError(
            f"{_where(policy)} returns {_RETURNED.get(type(returned), f'a {returned}')}, and an "
            "answer is a whole number or a yes or no; write int(...) around it, and end every path "
            "through it with a return."
        )


def _in_python(policy: Policy, error: Exception) -> Any:
    """The hook that asks a policy in Python, with a notice.

    PolicyError if what numba refused is a mistake in either tier.
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
    # A copy with all that it reads as it is now: nobody else can change that.
    copy = pickle.loads(live.copied(_where(policy), policy.function, [policy.function]))
    _COPIES[policy.function] = copy, live.copied(_where(policy), copy, [copy])
    return interpret.hook(copy)


def _as_python(policy: Policy) -> Any:
    """The policy as plain Python, refusing what the compiler would refuse.

    Leaving the debugger counts as an interruption.
    """

    def ask(view: Any, rules: Any, params: Any) -> int:
        try:
            return interpret.whole(policy.function(view, rules, params))
        except BdbQuit:
            raise KeyboardInterrupt from None

    return ask


def check_source(policy: Policy) -> None:
    """Refuse what would fail in either tier, or play something else than the text says.

    Raises PolicyError.
    """
    if mistake := find_mistake(policy):
        raise PolicyError(f"{_where(policy)} {mistake}")


def _where(policy: Policy) -> str:
    return f"the {policy.slot} policy {policy.name!r} in {policy.home}"
