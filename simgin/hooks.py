"""From an author's plain function to the compiled hook that the engine calls, refusing what numba would silently bend."""

from bdb import BdbQuit
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import NumbaError

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
    _check_source(policy)
    return _compiled(policy.function, policy)


# A function is compiled once a process, whatever values its parameters take.
_KEPT: dict[Any, Any] = {}


def _compiled(function: Any, policy: Policy) -> Any:
    if function not in _KEPT:
        _KEPT[function] = _compile(policy)
    return _KEPT[function]


def _compile(policy: Policy) -> Any:
    """Compile with the return type that numba infers, refuse what is no integer, and compile again only to widen a bool."""
    if jit.interpreted():
        return _as_python(policy)
    keep = _is_builtin(policy)
    try:
        natural = jit.compiled(policy.function, HOOK_ARGUMENTS, keep=keep)
    except KeyError as error:  # numba's own words for a field that a record does not have
        raise PolicyError(f"{_where(policy)} cannot be compiled: {_no_field(str(error.args[0]))}") from None
    except NumbaError as error:
        raise PolicyError(f"{_where(policy)} cannot be compiled: {_short(error)}") from None
    returned = next(iter(natural.overloads.values())).signature.return_type
    if not isinstance(returned, types.Integer | types.Boolean):
        raise PolicyError(
            f"{_where(policy)} returns {_returned(returned)}, and an answer is a whole number or a yes or no; write int(...) around it."
        )
    return natural if returned == types.int64 else jit.compiled(policy.function, HOOK, keep=keep)


def _as_python(policy: Policy) -> Any:
    """The policy as plain Python, refusing what the compiler would refuse. Leaving the debugger is an interruption."""

    def asked(view: Any, rules: Any, params: Any) -> int:
        try:
            answer = policy.function(view, rules, params)
        except BdbQuit:
            raise KeyboardInterrupt from None
        if not isinstance(answer, int | np.integer | np.bool_):
            raise TypeError(f"an answer is a whole number or a yes or no, not {answer!r}")
        return int(answer)

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


def _short(error: NumbaError) -> str:
    """The line of numba's report that says what is wrong, and where."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    skip = ("Failed in", "During:", "File ", "This error", "<source", "- Of which", "* Of which", "Overload")
    said = [line for line in lines if not line.startswith(skip)]
    place = next((line.split("line ")[-1].rstrip(":") for line in lines if line.startswith("File ") and "line " in line), "")
    sentence = said[0] if said else lines[0]
    return f"{sentence.rstrip('.')}{f' (line {place})' if place else ''}."
