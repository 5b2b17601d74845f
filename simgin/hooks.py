"""From an author's plain function to the compiled hook that the engine calls, refusing what numba would silently bend.

What numba cannot compile runs in Python (see simgin.slow), unless it is a mistake that would show at the first question anyway.
"""

import builtins
import dis
import sys
from bdb import BdbQuit
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Any, Literal

import numpy as np
from numba import types
from numba.core.errors import NumbaError

from simgin import slow
from simgin.core import jit
from simgin.core.policy import HOOK, HOOK_ARGUMENTS
from simgin.core.rules import RULES
from simgin.core.view import VIEW
from simgin.parameters import did_you_mean
from simgin.strategy import Policy


class PolicyError(ValueError):
    """A policy that cannot be played; the message says which, in which file, and why."""


def vector(policy: Policy) -> np.ndarray:
    """The policy's read-only parameters: its named ones in declared order, then the numbers of its data file."""
    values = np.array([p.default for p in policy.params.values()], np.float64)
    if policy.weights is not None:
        try:
            more = np.load(policy.weights, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise PolicyError(f"{_where(policy)}: its numbers cannot be read from {policy.weights}: {error}.") from None
        values = np.concatenate([values, np.asarray(more, np.float64).ravel()])
    values.flags.writeable = False
    return values


def hook(policy: Policy) -> Any:
    """The compiled function of a policy, of the one type that the engine takes. PolicyError if it has none."""
    if (policy.function, policy.noise) not in _CHECKED:
        _check_source(policy)
        _CHECKED.add((policy.function, policy.noise))
    if policy.function not in _KEPT:
        _KEPT[policy.function] = _compile(policy)
    return _KEPT[policy.function]


def tier(policy: Policy) -> Literal["fast", "slow", "refused"]:
    """How a policy is played: compiled, in Python, or not at all. Built-in ones are fast and are not compiled to say so."""
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
    """Compile with the return type that numba infers, refuse what is no integer, and compile again only to widen a bool."""
    if jit.interpreted():
        return _as_python(policy)
    keep = _is_builtin(policy)
    try:
        natural = jit.compiled(policy.function, HOOK_ARGUMENTS, keep=keep)
    except Exception as error:  # numba has its own errors for most of what it cannot do, but not for all
        return _in_python(policy, error)
    returned = next(iter(natural.overloads.values())).signature.return_type
    if not isinstance(returned, types.Integer | types.Boolean):
        raise PolicyError(
            f"{_where(policy)} returns {_returned(returned)}, and an answer is a whole number or a yes or no; write int(...) around it."
        )
    return natural if returned == types.int64 else jit.compiled(policy.function, HOOK, keep=keep)


def _in_python(policy: Policy, error: Exception) -> Any:
    """The hook that asks a policy in Python, with a notice; PolicyError if what numba refused is a mistake in any tier."""
    if isinstance(error, KeyError) and not hasattr(np.record, str(error.args[0])):  # a field that a record does not have
        raise PolicyError(f"{_where(policy)} cannot be compiled: {_no_field(str(error.args[0]))}") from None
    if "readonly array" in str(error):
        raise PolicyError(
            f"{_where(policy)} writes into an array that it may only read: its parameters, or an array of the module."
        ) from None
    _SLOW[policy.function] = _short(error)
    print(
        f"simgin: {_where(policy)} runs in Python, some hundred times slower than compiled code: numba says {_SLOW[policy.function]}",
        file=sys.stderr,
    )
    return slow.hook(policy.function)


def _as_python(policy: Policy) -> Any:
    """The policy as plain Python, refusing what the compiler would refuse. Leaving the debugger is an interruption."""

    def asked(view: Any, rules: Any, params: Any) -> int:
        try:
            return slow.whole(policy.function(view, rules, params))
        except BdbQuit:
            raise KeyboardInterrupt from None

    return asked


@lru_cache(maxsize=1)
def _builtin_folder() -> set[Path]:
    return {path.parent for path in jit.compiled_sources() if path.parent.name in ("strategies", "simgin_strategies")}


def _is_builtin(policy: Policy) -> bool:
    """Whether the file is part of the cache's digest, so that its compiled code can be kept on disk without going stale."""
    return policy.source.resolve().parent in _builtin_folder()


def _check_source(policy: Policy) -> None:
    code = getattr(policy.function, "__code__", None)
    if code is None or code.co_argcount != 3:
        raise PolicyError(f"{_where(policy)} must be a plain function of three arguments: (view, rules, params).")
    if "noise" in code.co_names and not policy.noise:
        raise PolicyError(f"{_where(policy)} reads view.noise, which is there only if it says so: write @{policy.slot}(noise=True).")
    for record, name in _attributes(code, code.co_varnames[:2]):
        known = (VIEW, RULES)[code.co_varnames.index(record)].names or ()
        if name not in known and not hasattr(np.record, name):
            raise PolicyError(f"{_where(policy)} cannot be compiled: {_no_field(name)}")
    known_names = {*policy.function.__globals__, *vars(builtins)}
    if unknown := next((name for name in _globals(code) if name not in known_names), None):
        raise PolicyError(f"{_where(policy)} cannot be compiled: {unknown!r} is nowhere defined{did_you_mean(unknown, known_names)}")


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of the functions and comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _attributes(code: CodeType, arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """(argument, attribute) wherever the text says `argument.attribute`, for arguments that are never given another value."""
    for part in _codes(code):
        steps = list(dis.get_instructions(part))
        own = {name for step in steps if step.opname.startswith("STORE_FAST") for name in _named(step)}
        own |= set(part.co_varnames[: part.co_argcount]) if part is not code else set()
        for before, step in pairwise(steps):
            if "LOAD_FAST" in before.opname or before.opname == "LOAD_DEREF":
                loaded = _named(before)[-1]
                if loaded in arguments and loaded not in own and step.opname in ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR"):
                    yield loaded, str(step.argval)


def _named(step: dis.Instruction) -> tuple[str, ...]:
    """The names that an instruction is about: two of them where Python 3.13 and later join two instructions."""
    return step.argval if isinstance(step.argval, tuple) else (step.argval,)


def _globals(code: CodeType) -> Iterator[str]:
    """The names of the module that a function reads, without those that it makes itself."""
    steps = [step for part in _codes(code) for step in dis.get_instructions(part)]
    made = {step.argval for step in steps if step.opname == "STORE_GLOBAL"}
    return (str(step.argval) for step in steps if step.opname == "LOAD_GLOBAL" and step.argval not in made)


def _where(policy: Policy) -> str:
    return f"the {policy.slot} policy {policy.name!r} in {policy.source.name}"


def _returned(kind: Any) -> str:
    if isinstance(kind, types.Float):
        return "a float"
    if isinstance(kind, types.NoneType):
        return "nothing"
    if isinstance(kind, types.Optional):
        return "nothing on some path"
    return f"a value of type {kind}"


def _no_field(name: str) -> str:
    fields = [*(VIEW.names or ()), *(RULES.names or ())]
    return f"neither view nor rules has a field {name!r}{did_you_mean(name, fields)}"


def _short(error: Exception) -> str:
    """The line of numba's report that says what is wrong, and where."""
    if not isinstance(error, NumbaError):
        return f"{type(error).__name__}: {error}."
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    skip = ("Failed in", "During:", "File ", "This error", "<source", "- Of which", "* Of which", "Overload")
    said = [line for line in lines if not line.startswith(skip)]
    place = next((line.split("line ")[-1].rstrip(":") for line in lines if line.startswith("File ") and "line " in line), "")
    sentence = said[0] if said else lines[0]
    return f"{sentence.rstrip('.')}{f' (line {place})' if place else ''}."
