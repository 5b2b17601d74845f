"""Dependencies of an author's function: the helpers that it calls and the globals that it reads.

Compiled code contains copies of these helpers and values. A policy must not use random numbers or
read the clock.
"""

import contextlib
import dis
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

BUILT_IN_PREFIX = "simgin_strategies."  # prefix of the module names of built-in strategies
# Prefixes of modules that the digest of the cache directory covers
ENGINE_PREFIXES = ("simgin.core.", "simgin.toolkit.")
# Built-in modules, and packages whose versions the digest of the cache directory covers
VERSIONED_PACKAGES = ("numpy", "numba", "math", "cmath", "operator", "builtins")
# Modules and functions with random or time-dependent results. A policy must use `view.noise`.
NONDETERMINISTIC_MODULES = (
    "random.",
    "numpy.random.",
    "secrets.",
    "uuid.",
    "time.",
    "datetime.",
    "os.",
)
# Built-in functions whose results differ between processes
NONDETERMINISTIC_BUILTINS = ("hash", "id")


def is_built_in(function: Callable[..., Any]) -> bool:
    """Return True if a function belongs to a built-in strategy."""
    return get_module_name(function).startswith(BUILT_IN_PREFIX)


def get_module_name(value: Any) -> str:
    """Return the name of a module, or of the module that defines a value, if it is known."""
    name = getattr(value, "__name__" if isinstance(value, ModuleType) else "__module__", "")
    return name if type(name) is str else ""  # An author can set the name to any object.


def collect_functions(function: Callable[..., Any]) -> list[FunctionType]:
    """Return a function and, recursively, the helpers that it calls outside the engine."""
    functions: list[Any] = [function]
    for callee in functions:
        for _, value in _iterate_readable_values(callee):
            helper = value.py_func if _is_compiled(value) else value
            is_new = isinstance(helper, FunctionType) and helper not in functions
            if is_new and not _is_versioned(get_module_name(helper)):
                functions.append(helper)
    return functions


def collect_names(code: CodeType) -> set[str]:
    """Return the names of globals and attributes that a function and its inner functions use."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= collect_names(constant)
    return names


def collect_instruction_arguments(code: CodeType, opname: str) -> list[Any]:
    """Return the arguments of all bytecode instructions of one type, including inner functions."""
    arguments = [
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname == opname
    ]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            arguments += collect_instruction_arguments(constant, opname)
    return arguments


def _iterate_readable_values(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each variable that a function can read.

    A function can read variables from its closure, from its module and from modules that it names.
    """
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # A closure cell can be empty.
            yield name, cell.cell_contents
    names = collect_names(code)
    namespaces = [function.__globals__]
    for namespace in namespaces:
        for name in sorted(names & namespace.keys()):
            value = namespace[name]
            yield name, value
            if not isinstance(value, ModuleType) or _is_versioned(get_module_name(value)):
                continue
            if not any(vars(value) is known_globals for known_globals in namespaces):
                namespaces.append(vars(value))


def collect_module_values(function: Any) -> list[tuple[str, Any]]:
    """Return the name and value of each module-level variable that a function can read."""
    module_globals = function.__globals__
    values = [
        (name, value)
        for name, value in _iterate_readable_values(function)
        if module_globals.get(name, module_globals) is not value
    ]
    return [pair for pair in values if not isinstance(pair[1], ModuleType)]


def _is_compiled(value: object) -> bool:
    """Return True if a value is a compiled helper function.

    The function does not import the compiler.
    """
    compiler = sys.modules.get("numba.core.dispatcher")
    return compiler is not None and isinstance(value, compiler.Dispatcher)


def _is_versioned(module: str) -> bool:
    """Return True if the digest of the compilation cache covers a module."""
    is_engine = f"{module}.".startswith(ENGINE_PREFIXES)
    return is_engine or module.partition(".")[0] in VERSIONED_PACKAGES


# Randomness and time


def find_nondeterminism(function: Callable[..., Any]) -> str:
    """Return the name of the first random or time-dependent object that a function uses, or ""."""
    for callee in collect_functions(function):
        names = collect_names(callee.__code__)
        imports = collect_instruction_arguments(callee.__code__, "IMPORT_NAME")
        nondeterministic_names = [name for name in imports if _is_nondeterministic_module(name)]
        for name in collect_instruction_arguments(callee.__code__, "LOAD_GLOBAL"):
            if name in NONDETERMINISTIC_BUILTINS and name not in callee.__globals__:
                nondeterministic_names.append(name)
        for name, value in _iterate_readable_values(callee):
            if _is_nondeterministic(value):
                nondeterministic_names.append(name)
            elif isinstance(value, ModuleType):
                used_names = sorted(names & vars(value).keys())
                nondeterministic_names += [
                    f"{name}.{attribute_name}"
                    for attribute_name in used_names
                    if _is_nondeterministic(vars(value)[attribute_name])
                ]
        if nondeterministic_names:
            return str(nondeterministic_names[0])
    return ""


def _is_nondeterministic(value: Any) -> bool:
    """Return True if a value comes from a module with random or time-dependent results."""
    # After `from random import random`, the name `random` is a bound method of a generator.
    owner = getattr(value, "__self__", value)
    return any(
        _is_nondeterministic_module(get_module_name(candidate))
        for candidate in (value, type(owner))
    )


def _is_nondeterministic_module(module: str) -> bool:
    return f"{module}.".startswith(NONDETERMINISTIC_MODULES)
