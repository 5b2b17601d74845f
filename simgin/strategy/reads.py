"""Dependencies of an author's function: its helpers, and the globals of their modules.

Compiled code contains the values of these globals and the code of these helpers, regardless of the
file. Sources of randomness and time are not allowed among them.
"""

import contextlib
import dis
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

BUILT_IN = "simgin_strategies."  # prefix of the modules of built-in strategies
# Modules that the digest of the cache directory covers
ENGINE = ("simgin.core.", "simgin.toolkit.")
# Packages whose versions are part of the name of that directory, and built-in modules
FIXED = ("numpy", "numba", "math", "cmath", "operator", "builtins")
# The only source of randomness is `view.noise`, which the seed determines
CHANCE = ("random.", "numpy.random.", "secrets.", "uuid.", "time.", "datetime.", "os.")
# Builtins whose results differ between processes
CHANCE_OF_PYTHON = ("hash", "id")


def is_built_in(function: Callable[..., Any]) -> bool:
    """Return True if a function belongs to a built-in strategy."""
    return home(function).startswith(BUILT_IN)


def home(value: Any) -> str:
    """Return the name of a module, or of the module of a function or class; can be empty."""
    name = getattr(value, "__name__" if isinstance(value, ModuleType) else "__module__", "")
    return name if type(name) is str else ""  # str() of an author's object could raise


def reached(function: Callable[..., Any]) -> list[FunctionType]:
    """Return a function and its helpers, recursively, except those of the engine."""
    found: list[Any] = [function]
    for one in found:
        for _, value in _values(one):
            helper = value.py_func if _is_compiled(value) else value
            is_new = isinstance(helper, FunctionType) and helper not in found
            if is_new and not _is_fixed(home(helper)):
                found.append(helper)
    return found


def names(code: CodeType) -> set[str]:
    """Return the globals and attributes that a function and its inner functions use."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= names(constant)
    return found


def instructions(code: CodeType, name: str) -> list[Any]:
    """Return the arguments of all instructions of a kind, including inner functions."""
    found = [step.argval for step in dis.get_instructions(code) if step.opname == name]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += instructions(constant, name)
    return found


def _values(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names and values that a function can read.

    They come from its closure, its module and the modules that it names.
    """
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # it is empty
            yield name, cell.cell_contents
    wanted = names(code)
    spaces = [function.__globals__]
    for space in spaces:
        for name in sorted(wanted & space.keys()):
            value = space[name]
            yield name, value
            is_authors = isinstance(value, ModuleType) and not _is_fixed(home(value))
            if is_authors and not any(vars(value) is known for known in spaces):
                spaces.append(vars(value))


def read_in_modules(function: Any) -> list[tuple[str, Any]]:
    """Return the names and values that a function can read from modules it names."""
    own = function.__globals__
    found = [(name, value) for name, value in _values(function) if own.get(name, own) is not value]
    return [one for one in found if not isinstance(one[1], ModuleType)]


def _is_compiled(value: object) -> bool:
    """Return True if a value is a compiled helper, without importing the compiler."""
    compiler = sys.modules.get("numba.core.dispatcher")
    return compiler is not None and isinstance(value, compiler.Dispatcher)


def _is_fixed(module: str) -> bool:
    """Return True if the name of the cache directory determines the content of a module."""
    return module.partition(".")[0] in FIXED or f"{module}.".startswith(ENGINE)


# Randomness and time


def find_chance(function: Callable[..., Any]) -> str:
    """Return the first source of randomness or time that a function uses; empty if none."""
    for one in reached(function):
        wanted = names(one.__code__)
        found = [name for name in instructions(one.__code__, "IMPORT_NAME") if _is_chance(name)]
        for name in instructions(one.__code__, "LOAD_GLOBAL"):
            if name in CHANCE_OF_PYTHON and name not in one.__globals__:
                found.append(name)
        for name, value in _values(one):
            if _comes_from_chance(value):
                found.append(name)
            elif isinstance(value, ModuleType):
                inside = sorted(wanted & vars(value).keys())
                found += [f"{name}.{n}" for n in inside if _comes_from_chance(vars(value)[n])]
        if found:
            return str(found[0])
    return ""


def _comes_from_chance(value: Any) -> bool:
    # `from random import random` is a bound method of the module's generator
    owner = getattr(value, "__self__", value)
    return _is_chance(home(value)) or _is_chance(home(type(owner)))


def _is_chance(module: str) -> bool:
    return f"{module}.".startswith(CHANCE)
