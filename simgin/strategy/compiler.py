"""Compiled hooks from policies: an author's plain function becomes what the engine calls.

What numba would silently bend is refused. What it cannot compile runs in Python (see
simgin.strategy.interpret), unless the first question would raise anyway.
"""

import builtins
import sys
from bdb import BdbQuit
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from warnings import catch_warnings

import numpy as np
from numba import types
from numba.core.errors import NumbaWarning

from simgin.core import jit
from simgin.core.policy import HOOK
from simgin.core.rules import RULES
from simgin.core.view import VIEW
from simgin.strategy import interpret, kept
from simgin.strategy.author import Policy
from simgin.strategy.chance import find_source
from simgin.strategy.fingerprint import fingerprint
from simgin.strategy.mistakes import ARGUMENTS, describe_refusal, find_mistake, home
from simgin.strategy.source import Reads, find_reads
from simgin.text.messages import did_you_mean


class PolicyError(ValueError):
    """A policy that cannot be played; the message says which, in which file, and why."""


def vector(policy: Policy) -> np.ndarray:
    """The policy's parameters, read-only: its own in declared order, then those of its data file.

    PolicyError if the data file cannot be read.
    """
    defaults = [param.default for param in policy.params.values()]
    values = np.array(defaults, np.float64)
    if policy.weights is not None:
        weights = _numbers(policy)
        values = np.concatenate([values, weights.ravel()])
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
        changed = policy.weights.stat().st_mtime_ns
        numbers = _numbers_in(policy.weights, changed)
    except OSError as error:
        reason = error.strerror
    # A damaged file makes numpy raise anything, and one of a huge size asks for the memory.
    except Exception:
        reason = "it is not an array of numbers as numpy.save writes it"
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
    print(
        f"simgin: {source.name} plays with the weights of its start: there is no {weights.name} "
        f"beside it. `simgin train {source.name} -o {weights.name}` learns better ones.",
        file=sys.stderr,
    )


@lru_cache(maxsize=64)
def _numbers_in(path: Path, _changed: int) -> np.ndarray:
    """The numbers of a file as it was last changed: positions are played on by the thousand."""
    numbers = np.load(path, allow_pickle=False)
    return np.asarray(numbers, np.float64)


def hook(policy: Policy) -> Any:
    """The compiled function of a policy, of the type that the engine calls.

    PolicyError if the policy cannot be played.
    """
    key = (policy.function, policy.noise)
    if key not in _CHECKED:
        if not _is_builtin(policy):  # those are checked by the tests, and reading takes time
            check_source(policy)
        _CHECKED.add(key)
    if policy.function not in _KEPT:
        _KEPT[policy.function] = _compile(policy)
    return _KEPT[policy.function]


def tier(policy: Policy) -> Literal["fast", "slow", "refused"]:
    """How a policy is played: compiled, in Python, or not at all.

    Built-in policies are known to be fast: they are not compiled here.
    """
    if _is_builtin(policy):
        return "fast"
    try:
        hook(policy)
    except PolicyError:
        return "refused"
    return "slow" if policy.function in _SLOW else "fast"


def slow_because(policy: Policy) -> str:
    """Why a policy that has been compiled runs in Python; empty if it does not."""
    return _SLOW.get(policy.function, "")


# A function is read and compiled once a process, whatever values its parameters take.
_CHECKED: set[tuple[Any, bool]] = set()
_KEPT: dict[Any, Any] = {}
_SLOW: dict[Any, str] = {}


def _compile(policy: Policy) -> Any:
    """The policy as a hook, from disk if it is there; in Python if numba cannot compile it."""
    if jit.interpreted():
        return _as_python(policy)
    built_in = _is_builtin(policy)
    key = "" if built_in else fingerprint(policy.function)
    keep = built_in or (key != "" and kept.prepare(key))

    def check(returned: Any) -> None:
        _check_returned(policy, returned)

    try:
        with catch_warnings(action="ignore", category=NumbaWarning):
            compiled = jit.compiled(
                policy.function, HOOK, keep=keep, key=key, distinct=True, check=check
            )
    except PolicyError:
        raise
    except Exception as error:  # numba raises errors of its own for most failures, not for all
        return _in_python(policy, error)
    if keep and not built_in:
        kept.seal(key)
    return compiled


def _check_returned(policy: Policy, returned: Any) -> None:
    """Refuse a type that numba would silently bend to an integer. Raises PolicyError."""
    if not isinstance(returned, types.Integer | types.Boolean):
        raise PolicyError(
            f"{_where(policy)} returns {_returned(returned)}, and an answer is a whole number "
            f"or a yes or no; {_remedy(returned)}."
        )


def _in_python(policy: Policy, error: Exception) -> Any:
    """The hook that asks a policy in Python, with a notice.

    PolicyError if what numba refused is a mistake in either tier.
    """
    if isinstance(error, KeyError):
        field = str(error.args[0])
        if not hasattr(np.record, field):
            raise PolicyError(f"{_where(policy)} cannot be compiled: {_no_field(field)}") from None
    if "readonly array" in str(error):
        raise PolicyError(
            f"{_where(policy)} writes into an array that it may only read: "
            "its parameters, or an array of the module."
        ) from None
    reason = describe_refusal(policy, error)
    _SLOW[policy.function] = reason
    print(
        f"simgin: {_where(policy)} runs in Python, some hundred times slower than compiled code: "
        f"{reason}",
        file=sys.stderr,
    )
    return interpret.hook(policy.function)


def _as_python(policy: Policy) -> Any:
    """The policy as plain Python, refusing what the compiler would refuse.

    Leaving the debugger counts as an interruption.
    """

    def ask(view: Any, rules: Any, params: Any) -> int:
        try:
            value = policy.function(view, rules, params)
            return interpret.whole(value)
        except BdbQuit:
            raise KeyboardInterrupt from None

    return ask


@lru_cache(maxsize=1)
def _builtin_folder() -> set[Path]:
    folders = {path.parent for path in jit.compiled_sources()}
    return {folder for folder in folders if folder.name in ("strategies", "simgin_strategies")}


def _is_builtin(policy: Policy) -> bool:
    """Whether the digest of the cache covers the file, so that its code on disk is never stale."""
    folder = policy.source.resolve().parent
    return folder in _builtin_folder()


def check_source(policy: Policy) -> None:
    """Refuse what would fail in either tier, or play something else than the text says.

    Raises PolicyError.
    """
    code = getattr(policy.function, "__code__", None)
    if code is None or code.co_argcount != 3:
        raise PolicyError(
            f"{_where(policy)} must be a plain function of three arguments: (view, rules, params)."
        )
    reads = find_reads(policy.function)
    attributes = set(code.co_names) if reads is None else reads.attributes
    if "noise" in attributes and not policy.noise:
        raise PolicyError(
            f"{_where(policy)} reads view.noise, which is there only if it says so: "
            f"write @{policy.slot}(noise=True)."
        )
    source = find_source(policy.function)
    if source:
        raise PolicyError(
            f"{_where(policy)} uses {source}, so that a deal could not be played again. A policy's "
            f"only source of chance is view.noise: write @{policy.slot}(noise=True)."
        )
    if mistake := find_mistake(policy):
        raise PolicyError(f"{_where(policy)} {mistake}.")
    if reads is not None:  # else the compiler or the first question tells
        _check_fields(policy, reads)
        _check_names(policy, reads)


def _check_fields(policy: Policy, reads: Reads) -> None:
    """Check every `view.field` and `rules.field`, whatever the arguments are called."""
    view, rules = policy.function.__code__.co_varnames[:2]
    known = {view: VIEW.names or (), rules: RULES.names or ()}
    for argument, field in reads.fields:
        if argument not in known or hasattr(np.record, field):
            continue
        if field not in known[argument]:
            raise PolicyError(f"{_where(policy)} cannot be compiled: {_no_field(field)}")


def _check_names(policy: Policy, reads: Reads) -> None:
    defined = {*policy.function.__globals__, *vars(builtins)}
    for name in reads.names:
        if name not in defined:
            raise PolicyError(
                f"{_where(policy)} cannot be compiled: {name!r} is nowhere defined"
                f"{_hint(name, defined)}"
            )


def _hint(name: str, defined: Collection[str]) -> str:
    """What may have been meant by a name that is not defined; ends a sentence."""
    if name in ARGUMENTS:
        return "; a policy's three arguments are (view, rules, params)."
    remedy = home(name)
    return f"; {remedy}." if remedy else did_you_mean(name, defined)


def _where(policy: Policy) -> str:
    return f"the {policy.slot} policy {policy.name!r} in {policy.source.name}"


def _returned(kind: Any) -> str:
    if isinstance(kind, types.Float):
        return "a float"
    if isinstance(kind, types.UnicodeType | types.StringLiteral):
        return "a text"
    if isinstance(kind, types.BaseTuple):
        return "several values"
    if isinstance(kind, types.NoneType):
        return "nothing"
    if isinstance(kind, types.Optional):
        return "nothing on some path"
    return f"a value of type {kind}"


def _remedy(kind: Any) -> str:
    if isinstance(kind, types.NoneType | types.Optional):
        return "end every path through it with a return"
    if isinstance(kind, types.UnicodeType | types.StringLiteral):
        return "a card is a number 0..51, and TAKE, STOCK and PASS are numbers of simgin.strategy"
    if isinstance(kind, types.BaseTuple):
        return "return one of them"
    return "write int(...) around it"


def _no_field(name: str) -> str:
    fields = [*(VIEW.names or ()), *(RULES.names or ())]
    near = did_you_mean(name, fields)
    return f"neither view nor rules has a field {name!r}{near}"
