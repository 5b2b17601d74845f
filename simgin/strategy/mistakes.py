"""Common mistakes in a policy, each in a sentence with its remedy."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from numba.core.errors import NumbaError

from simgin.strategy.author import Policy
from simgin.strategy.source import find_body, find_reads

ARGUMENTS = ("view", "rules", "params")
HOMES = ("simgin.toolkit", "simgin.strategy")  # modules that authors import from
NO_GLOBALS = (dict, list, set, str)  # types that compiled code does not read from a module
# Lines of numba's report that only say where it was.
_NO_REASON = (
    *("Failed in", "During:", "File ", "This error"),
    *("<source", "- Of which", "* Of which", "Overload"),
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def find_mistake(policy: Policy) -> str:
    """What a policy does that cannot be meant; continues its name. Empty if nothing is found."""
    body = find_body(policy.function)
    if body is None:
        return ""
    names = policy.function.__code__.co_varnames[:3]
    found = [_order(names), *_misread(policy, body, names[2]), *_compared(body, names)]
    sentences = [sentence for sentence in found if sentence]
    return sentences[0] if sentences else ""


def home(name: str) -> str:
    """How to import a name that authors use; empty if it is none of theirs."""
    for home_name in HOMES:
        module = sys.modules.get(home_name)
        if module is not None and name in module.__all__:
            return f"write `from {home_name} import {name}`"
    return ""


def _order(names: tuple[str, ...]) -> str:
    """Arguments with the usual names in unusual places."""
    for place, name in enumerate(names):
        if name in ARGUMENTS and name != ARGUMENTS[place]:
            listed = ", ".join(names)
            return f"takes ({listed}), but its arguments come in the order (view, rules, params)"
    return ""


def _misread(policy: Policy, body: ast.AST, vector: str) -> Iterator[str]:
    """Parameters that are read by name, or beyond the last."""
    declared = list(policy.params)
    count = len(declared)
    nodes = list(ast.walk(body))
    if any(_assigns(node, vector) for node in nodes):
        return
    for node in nodes:
        if not isinstance(node, ast.Attribute | ast.Subscript):
            continue
        if not isinstance(node.value, ast.Name) or node.value.id != vector:
            continue
        key = _key(node)
        read = ast.unparse(node)
        if key in declared:
            place = declared.index(key)
            yield f"reads {read}, but params is a row of numbers: write {vector}[{place}]"
        elif isinstance(key, int) and key >= count and policy.weights is None:
            known = ", ".join(declared) or "none"
            yield (
                f"reads {read}, but its parameters are {known}; declare one more, as in "
                f"@{policy.slot}(k=param(5, 0, 10))"
            )


def _assigns(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def _key(node: ast.Attribute | ast.Subscript) -> Any:
    """The name or the number by which a vector is read; None for what only play can tell."""
    if isinstance(node, ast.Attribute):
        return node.attr
    place = node.slice
    return place.value if isinstance(place, ast.Constant) else None


def _compared(body: ast.AST, names: tuple[str, ...]) -> Iterator[str]:
    """Numbers of view or rules that are compared with a text."""
    for node in ast.walk(body):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        fields = [side for side in sides if _is_field(side, names)]
        texts = [side for side in sides if _is_text(side)]
        if fields and texts:
            number = ast.unparse(fields[0])
            text = ast.unparse(texts[0])
            yield (
                f"compares {number}, a number, with the text {text}; cards are numbers 0..51 "
                "(13 * suit + rank), and words of the rules are numbered in their order"
            )


def _is_field(node: ast.expr, names: tuple[str, ...]) -> bool:
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return False
    return node.value.id in names


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


# What numba cannot compile


def describe_refusal(policy: Policy, error: Exception) -> str:
    """Why numba cannot compile a policy that runs in Python, in a sentence."""
    reads = find_reads(policy.function)
    for name in reads.names if reads else ():
        value = policy.function.__globals__.get(name)
        if isinstance(value, FunctionType):
            return f"it calls {name}, a plain function. Write @helper above its definition."
        if isinstance(value, NO_GLOBALS):
            kind = type(value).__name__
            return (
                f"it reads {name}, a {kind} of its module. Compiled code reads numbers, tuples "
                "and numpy arrays there."
            )
    for name in _assigned_globals(policy):
        return (
            f"it changes {name}, a variable of its module, and what is remembered from question "
            "to question must not change an answer."
        )
    if "imprecise type" in str(error):
        return "it has a list, dict or set that never says what it holds: one that stays empty."
    return f"numba says {_short(error)}"


def _assigned_globals(policy: Policy) -> Iterator[str]:
    body = find_body(policy.function)
    for node in ast.walk(body) if body else ():
        if isinstance(node, ast.Global):
            yield from node.names


def _short(error: Exception) -> str:
    """What is wrong, and where: one line of numba's report."""
    if not isinstance(error, NumbaError):
        return f"{type(error).__name__}: {error}."
    report = _COLOUR.sub("", str(error))
    lines = [line.strip() for line in report.splitlines() if line.strip()]
    reasons = [line for line in lines if not line.startswith(_NO_REASON)]
    reason = reasons[0] if reasons else lines[0]
    place = ""
    for line in lines:
        if line.startswith("File ") and "line " in line:
            place = line.split("line ")[-1].rstrip(":")
            break
    reason = reason.rstrip(".:")
    if place:
        return f"{reason} (line {place})."
    return f"{reason}."
