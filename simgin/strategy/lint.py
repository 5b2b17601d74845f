"""Checks for common errors in policies, with error messages that suggest a fix."""

import ast
import builtins
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from itertools import chain
from tokenize import TokenError
from types import FunctionType
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from simgin.core.jit import is_interpreted
from simgin.core.rules_record import RULES_DTYPE
from simgin.core.view import VIEW_DTYPE
from simgin.renamed import find_new_name
from simgin.strategy.author import Policy
from simgin.strategy.dependencies import (
    collect_functions,
    collect_instruction_arguments,
    collect_names,
    find_nondeterminism,
)
from simgin.text.messages import describe_error, suggest_spelling

POLICY_ARGUMENTS = ("view", "rules", "params")
CARD_COST_ARGUMENTS = (*POLICY_ARGUMENTS, "card", "context")
# Toolkit functions that call a helper for each card, and the index of the helper's argument
HELPER_ARGUMENT_INDICES = {"lowest_cost_card": 4, "discard_with_card_penalties": 3}
AUTHOR_API_MODULES = ("simgin.toolkit", "simgin.strategy")  # modules of the public API for authors
UNSUPPORTED_GLOBAL_TYPES = (dict, list, set, str)  # types of globals that numba does not support
# Prefixes of lines in numba's error report that contain only a location
_LOCATION_LINE_PREFIXES = (
    *("Failed in", "During:", "File ", "This error"),
    *("<source", "- Of which", "* Of which", "Overload"),
)
MISMATCHED_CALL_PATTERN = re.compile(
    r"Cannot bind '.*' to signature '(.*)' due to \"(?:TypeError: )?(.*)\""
)
COLOUR_CODE_PATTERN = re.compile(r"\x1b\[[0-9;]*m")


def find_policy_error(policy: Policy) -> str:
    """Return a verb phrase that describes an error in a policy's source, or ""."""
    code = policy.function.__code__
    if code.co_argcount != 3:
        return "must have three arguments. Define it with (view, rules, params)."
    noise_hint = f"Use view.noise and declare it with @{policy.slot}(noise=True)."
    if "noise" in collect_names(code) and not policy.noise:
        return f"reads view.noise without declaring it. Write @{policy.slot}(noise=True)."
    if source := find_nondeterminism(policy.function):
        return f"uses {source}, which makes deals irreproducible. {noise_hint}"
    if _uses_print(policy.function):
        return (
            "calls print, which would be executed millions of times. Remove the call, or use "
            "--debug, which allows it."
        )
    arguments = code.co_varnames[:3]
    if arguments != POLICY_ARGUMENTS and set(arguments) == set(POLICY_ARGUMENTS):
        argument_list = ", ".join(arguments)
        return f"has the arguments ({argument_list}). Use the order (view, rules, params)."
    names = {*policy.function.__globals__, *vars(builtins)}
    for name in collect_instruction_arguments(code, "LOAD_GLOBAL"):
        if name not in names and name not in collect_instruction_arguments(code, "STORE_GLOBAL"):
            suggestion = _suggest_definition(name, names)
            return f"cannot be compiled, because {name!r} is not defined{suggestion}"
    misused_arguments = _find_misused_arguments(policy, policy.function)
    return next(chain(misused_arguments, _find_misused_helpers(policy)), "")


def _uses_print(function: Any) -> bool:
    """Return True if a function or one of its helpers would call print after compilation."""
    return not is_interpreted() and any(
        "print" in collect_instruction_arguments(callee.__code__, "LOAD_GLOBAL")
        and "print" not in callee.__globals__
        for callee in collect_functions(function)
    )


def describe_unknown_field(name: str, record: str = "") -> str:
    """Return a verb phrase that reports an unknown field of a record.

    The message is empty if the record has the field.

    Args:
        name: Name of the field.
        record: "view" or "rules", or "" if the record is unknown.
    """
    fields = {"view": VIEW_DTYPE.names or (), "rules": RULES_DTYPE.names or ()}
    valid_names = fields.get(record) or [*fields["view"], *fields["rules"]]
    if hasattr(np.record, name) or (record and name in valid_names):
        return ""
    if name in valid_names:
        return (
            f"reads the field {name!r} from the wrong record. Check the order of the arguments in "
            "each call."
        )
    subject = f"{record} has" if record else "view and rules have"
    suggestion = suggest_spelling(name, valid_names)
    if record and suggestion == ".":
        suggestion = f". Valid fields: {', '.join(valid_names)}."
    return f"cannot be compiled, because {subject} no field {name!r}{suggestion}"


def _suggest_definition(name: str, defined_names: set[str]) -> str:
    """Return the suggested fix for an undefined name in a policy."""
    if name in POLICY_ARGUMENTS:
        return ". The arguments of a policy are (view, rules, params)."
    for module in AUTHOR_API_MODULES:
        if module in sys.modules and name in sys.modules[module].__all__:
            return f". Write `from {module} import {name}`."
        if new_name := find_new_name(module, name):
            return f". {module}.{name} is now {module}.{new_name}."
    return suggest_spelling(name, defined_names)


def _find_misused_helpers(policy: Policy) -> Iterator[str]:
    """Yield an error message for each helper that cannot be used to compute card costs."""
    for helper in _find_card_cost_helpers(policy):
        call_phrase = f"calls {helper.__name__} (line {helper.__code__.co_firstlineno}), which"
        if message := _describe_wrong_arguments(helper):
            yield f"{call_phrase} {message}"
        for message in _find_misused_arguments(policy, helper):
            yield f"{call_phrase} {message}"


def _find_card_cost_helpers(policy: Policy) -> Iterator[FunctionType]:
    """Yield the helpers that a policy passes to a toolkit function to compute card costs."""
    tree = _parse_definition(policy.function.__code__)
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Call(ast.Name(name), arguments, keywords) if name in HELPER_ARGUMENT_INDICES:
                keyword_arguments = [
                    keyword.value for keyword in keywords if keyword.arg in ("cost", "penalty")
                ]
                for argument in [
                    *arguments[HELPER_ARGUMENT_INDICES[name] :][:1],
                    *keyword_arguments,
                ]:
                    value = policy.function.__globals__.get(ast.unparse(argument))
                    if isinstance(helper := getattr(value, "py_func", None), FunctionType):
                        yield helper


def _describe_wrong_arguments(helper: FunctionType) -> str:
    """Return an error message if a card-cost helper has the wrong arguments, otherwise ""."""
    code = helper.__code__
    names = code.co_varnames[: code.co_argcount]
    pairs = list(zip(names, CARD_COST_ARGUMENTS, strict=False))
    misplaced_names = [
        name
        for name, expected_name in pairs
        if name != expected_name and name in CARD_COST_ARGUMENTS
    ]
    if len(names) == len(CARD_COST_ARGUMENTS) and not misplaced_names:
        return ""
    return f"has the arguments ({', '.join(names)}). Use ({', '.join(CARD_COST_ARGUMENTS)})."


def _find_misused_arguments(policy: Policy, function: Any) -> Iterator[str]:
    """Yield an error message for each argument that a policy or its helper uses wrongly.

    The errors are unknown fields, invalid indices of parameters, and numbers that are used as sets
    or compared with strings.
    """
    code = function.__code__
    tree = _parse_definition(code)
    names = {*collect_names(code), *code.co_consts}  # The file can have changed since the import.
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Attribute(ast.Name(id), name) | ast.Subscript(
                ast.Name(id), ast.Constant(str(name))
            ) if id in code.co_varnames[:3] and name in names:
                index = code.co_varnames.index(id)
                if index < 2 and (message := describe_unknown_field(name, POLICY_ARGUMENTS[index])):
                    yield message
                elif index == 2 and not hasattr(np.ndarray, name):
                    indices = [f"{id}[{i}] ({param})" for i, param in enumerate(policy.params)]
                    yield (
                        f"reads {ast.unparse(node)}, but {id} is an array. Valid indices: "
                        f"{', '.join(indices) or 'none'}."
                    )
            case ast.Subscript(ast.Name(id), ast.Constant(int(param_index))) if (
                id == code.co_varnames[2]
                and param_index >= len(policy.params)
                and policy.weights is None
            ):
                valid_names = ", ".join(policy.params) or "none"
                yield (
                    f"reads {ast.unparse(node)}, but its parameters are: {valid_names}. Declare "
                    f"another one, as in @{policy.slot}(k=param(5, 0, 10))."
                )
            case ast.Compare(
                card, [ast.In() | ast.NotIn()], [ast.Attribute(ast.Name(id), name) as cards]
            ) if (
                id == code.co_varnames[0]
                and name in (VIEW_DTYPE.names or ())
                and not VIEW_DTYPE[name].shape
            ):
                yield (
                    f"uses {ast.unparse(cards)} as a container, but it is a number. To test for a "
                    f"card, write card_mask({ast.unparse(card)}) & {ast.unparse(cards)}."
                )
            case ast.Compare(
                ast.Attribute(ast.Name(id)) as number, [ast.Eq() | ast.NotEq()], [text]
            ) if id in code.co_varnames[:2] and isinstance(text, ast.Constant):
                if isinstance(text.value, str):
                    yield (
                        f"compares the number {ast.unparse(number)} with the string "
                        f"{text.value!r}. Cards are numbers 0..51 (13 * suit + rank), and words of "
                        "the rules are numbered from 0 in their order."
                    )


def _parse_definition(code: Any) -> ast.AST | None:
    """Return the syntax tree of a function's definition.

    The result is None if the source is unavailable or the function rebinds an argument.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, SyntaxError, ValueError, TokenError):
        return None
    bound_names = []
    for node in ast.walk(tree):
        match node:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                bound_names.append(name)
    return tree if all(bound_names.count(name) == 1 for name in code.co_varnames[:3]) else None


# Compiler errors


def describe_compile_error(policy: Policy, error: Exception) -> str:
    """Return the reason why numba cannot compile a policy, as a clause that follows "because"."""
    code = policy.function.__code__
    for name in collect_instruction_arguments(code, "LOAD_GLOBAL"):
        value = policy.function.__globals__.get(name)
        if isinstance(value, FunctionType):
            return f"it calls {name}, which is not compiled. Decorate {name} with @helper."
        if isinstance(value, UNSUPPORTED_GLOBAL_TYPES):
            type_name = type(value).__name__
            return (
                f"it reads the {type_name} {name}. Use numbers, tuples or NumPy arrays as global "
                "variables."
            )
    for name in collect_instruction_arguments(code, "STORE_GLOBAL"):
        return (
            f"it assigns to the global variable {name}. Decisions must not depend on earlier calls."
        )
    return f"numba reports: {summarise_numba_error(error)}."


def summarise_numba_error(error: Exception) -> str:
    """Extract the reason and the line number from numba's error report, without a full stop."""
    if not isinstance(error, NumbaError):
        return describe_error(error)
    report = MISMATCHED_CALL_PATTERN.sub(
        r"a call does not match \1, \2", COLOUR_CODE_PATTERN.sub("", str(error))
    )
    lines = [line.strip() for line in report.splitlines() if line.strip()]
    reasons = [line for line in lines if not line.startswith(_LOCATION_LINE_PREFIXES)]
    reason = (reasons or lines)[0].rstrip(".:")
    for line in lines:
        if line.startswith("File ") and "line " in line:
            line_number = line.split("line ")[-1].rstrip(":")
            return f"{reason} (line {line_number})"
    return reason
