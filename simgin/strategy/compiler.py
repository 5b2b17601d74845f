"""From an author's plain function to the compiled hook that the engine calls, refusing what numba would silently bend.

What numba cannot compile runs in Python (see simgin.strategy.interpret), unless it is a mistake that would show at the first question anyway.
"""

import ast
import builtins
import linecache
import sys
import warnings
from bdb import BdbQuit
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any, Literal

import numpy as np
from numba import types
from numba.core.errors import NumbaError

from simgin.core import jit
from simgin.core.policy import HOOK, HOOK_ARGUMENTS
from simgin.core.rules import RULES
from simgin.core.view import VIEW
from simgin.strategy import interpret
from simgin.strategy.author import Policy
from simgin.text.messages import did_you_mean


class PolicyError(ValueError):
    """A policy that cannot be played; the message says which, in which file, and why."""


def vector(policy: Policy) -> np.ndarray:
    """The policy's read-only parameters: its named ones in declared order, then the numbers of its data file."""
    values = np.array([p.default for p in policy.params.values()], np.float64)
    if policy.weights is not None:
        try:
            more = np.load(policy.weights, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise PolicyError(
                f"{_where(policy)}: its numbers cannot be read from {policy.weights}: {error}."
            ) from None
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
    except (
        Exception
    ) as error:  # numba has its own errors for most of what it cannot do, but not for all
        return _in_python(policy, error)
    returned = next(iter(natural.overloads.values())).signature.return_type
    if not isinstance(returned, types.Integer | types.Boolean):
        raise PolicyError(
            f"{_where(policy)} returns {_returned(returned)}, and an answer is a whole number or a yes or no; write int(...) around it."
        )
    return natural if returned == types.int64 else jit.compiled(policy.function, HOOK, keep=keep)


def _in_python(policy: Policy, error: Exception) -> Any:
    """The hook that asks a policy in Python, with a notice; PolicyError if what numba refused is a mistake in any tier."""
    if isinstance(error, KeyError) and not hasattr(
        np.record, str(error.args[0])
    ):  # a field that a record does not have
        raise PolicyError(
            f"{_where(policy)} cannot be compiled: {_no_field(str(error.args[0]))}"
        ) from None
    if "readonly array" in str(error):
        raise PolicyError(
            f"{_where(policy)} writes into an array that it may only read: its parameters, or an array of the module."
        ) from None
    _SLOW[policy.function] = _short(error)
    print(
        f"simgin: {_where(policy)} runs in Python, some hundred times slower than compiled code: numba says {_SLOW[policy.function]}",
        file=sys.stderr,
    )
    return interpret.hook(policy.function)


def _as_python(policy: Policy) -> Any:
    """The policy as plain Python, refusing what the compiler would refuse. Leaving the debugger is an interruption."""

    def asked(view: Any, rules: Any, params: Any) -> int:
        try:
            return interpret.whole(policy.function(view, rules, params))
        except BdbQuit:
            raise KeyboardInterrupt from None

    return asked


@lru_cache(maxsize=1)
def _builtin_folder() -> set[Path]:
    return {
        path.parent
        for path in jit.compiled_sources()
        if path.parent.name in ("strategies", "simgin_strategies")
    }


def _is_builtin(policy: Policy) -> bool:
    """Whether the file is part of the cache's digest, so that its compiled code can be kept on disk without going stale."""
    return policy.source.resolve().parent in _builtin_folder()


def _check_source(policy: Policy) -> None:
    """Raise PolicyError for a policy that any tier would fail on, or that would play something else than it says."""
    code = getattr(policy.function, "__code__", None)
    if code is None or code.co_argcount != 3:
        raise PolicyError(
            f"{_where(policy)} must be a plain function of three arguments: (view, rules, params)."
        )
    definition = _definition(policy.function)
    if definition is None:
        return _check_noise(policy, set(code.co_names))
    body = _body(definition)
    reads = sorted(_free_names(body), key=lambda name: (name.lineno, name.col_offset))
    _check_noise(policy, {node.attr for node in ast.walk(body) if isinstance(node, ast.Attribute)})
    _check_fields(policy, body, reads)
    _check_names(policy, reads)


def _check_noise(policy: Policy, attributes: set[str]) -> None:
    if "noise" in attributes and not policy.noise:
        remedy = f"write @{policy.slot}(noise=True)"
        raise PolicyError(
            f"{_where(policy)} reads view.noise, which is there only if it says so: {remedy}."
        )


def _check_fields(policy: Policy, body: ast.AST, reads: list[ast.Name]) -> None:
    """Check every `view.field` and `rules.field`, under whatever names the function has given its arguments."""
    view, rules = policy.function.__code__.co_varnames[:2]
    fields = {view: VIEW.names or (), rules: RULES.names or ()}
    for node in ast.walk(body):
        if not isinstance(node, ast.Attribute) or node.value not in reads:
            continue
        known = fields.get(node.value.id)
        if known is not None and node.attr not in known and not hasattr(np.record, node.attr):
            raise PolicyError(f"{_where(policy)} cannot be compiled: {_no_field(node.attr)}")


def _check_names(policy: Policy, reads: list[ast.Name]) -> None:
    code, module = policy.function.__code__, policy.function.__globals__
    defined = {*module, *vars(builtins)}
    enclosing = {*code.co_varnames[: code.co_argcount], *code.co_freevars}
    for name in (node.id for node in reads):
        if name not in defined and name not in enclosing:
            hint = did_you_mean(name, defined)
            raise PolicyError(
                f"{_where(policy)} cannot be compiled: {name!r} is nowhere defined{hint}"
            )


# The source of a function


def _definition(function: Any) -> ast.FunctionDef | ast.Lambda | None:
    """The syntax tree of a function's definition; None if its source cannot be read, as for what `exec` made."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    candidates = [node for node in _definitions("".join(lines)) if _begins(node, code)]
    if len(candidates) > 1:  # several lambdas on one line
        candidates = [node for node in candidates if _encloses(node, code)]
    return candidates[0] if len(candidates) == 1 else None


@lru_cache(maxsize=16)
def _definitions(source: str) -> list[ast.FunctionDef | ast.Lambda]:
    """Every function defined in a source text, nested ones included; none if the text cannot be parsed."""
    try:
        with warnings.catch_warnings(action="ignore"):  # they were shown when the file was imported
            tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]


def _begins(node: ast.FunctionDef | ast.Lambda, code: CodeType) -> bool:
    """Whether a definition has the name, the first line and the arguments of a function's code."""
    name, first = "<lambda>", node.lineno
    if isinstance(node, ast.FunctionDef):
        name = node.name
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    arguments = tuple(argument.arg for argument in (*node.args.posonlyargs, *node.args.args))
    begins = (name, first, arguments)
    return begins == (code.co_name, code.co_firstlineno, code.co_varnames[: code.co_argcount])


def _encloses(node: ast.FunctionDef | ast.Lambda, code: CodeType) -> bool:
    """Whether a function's code was made from text that lies inside a definition."""
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    for line, _, column, _ in code.co_positions():
        if line is not None and column and not begin <= (line, column) < end:
            return False
    return True


def _body(definition: ast.FunctionDef | ast.Lambda) -> ast.Module:
    """What a function executes, without its decorators, arguments and annotations."""
    if isinstance(definition, ast.Lambda):
        return ast.Module([ast.Expr(definition.body)], [])
    return ast.Module(definition.body, [])


_COMPREHENSION = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_SCOPE = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | _COMPREHENSION


def _free_names(scope: ast.AST) -> Iterator[ast.Name]:
    """The reads of names that neither a scope nor one nested in it binds.

    Defaults and decorators of nested functions count as read inside them: a mistake there may pass, but nothing right is refused.
    """
    bound = _bound_names(scope)
    for node in _nodes_of_scope(scope):
        if isinstance(node, _SCOPE):
            reads = list(_free_names(node))
        else:
            reads = [node] if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else []
        yield from (name for name in reads if name.id not in bound)


def _bound_names(scope: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in _nodes_of_scope(scope):
        names |= _bound_by(node)
    for node in ast.walk(scope):  # these bind in the function around the scope they stand in
        if isinstance(node, ast.NamedExpr):
            names.add(node.target.id)
        elif isinstance(node, ast.Nonlocal):
            names |= set(node.names)
    return names


def _nodes_of_scope(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, down to nested scopes but not into them; annotations, which are not executed, left out."""
    for node in ast.iter_child_nodes(scope):
        if node in (getattr(scope, "annotation", None), getattr(scope, "returns", None)):
            continue
        yield node
        if not isinstance(node, _SCOPE):
            yield from _nodes_of_scope(node)


def _bound_by(node: ast.AST) -> set[str]:
    """The names that a node binds in its own scope."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return {name}
        case ast.alias(name=module, asname=name):
            return {name or module.split(".")[0]}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
        ):
            return {name}
        case ast.MatchMapping(rest=str(name)):
            return {name}
    return set()


# Messages


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
    skip = (
        "Failed in",
        "During:",
        "File ",
        "This error",
        "<source",
        "- Of which",
        "* Of which",
        "Overload",
    )
    said = [line for line in lines if not line.startswith(skip)]
    place = next(
        (
            line.split("line ")[-1].rstrip(":")
            for line in lines
            if line.startswith("File ") and "line " in line
        ),
        "",
    )
    sentence = said[0] if said else lines[0]
    return f"{sentence.rstrip('.')}{f' (line {place})' if place else ''}."
