"""What a function of an author reads: its helpers, and the globals of the modules they stand in.

Compiled code contains the values of these globals and the code of these helpers, in whatever files
they lie. Chance and time must not be among them.
"""

import contextlib
import dis
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

BUILT_IN = "simgin_strategies."  # how the modules of the built-in strategies are called
ENGINE = ("simgin.core.", "simgin.toolkit.")  # what the digest of the cache's directory covers
# Packages whose versions are part of the name of that directory
FIXED = ("numpy", "numba", "math", "cmath", "operator", "builtins")
# A policy's only source of chance is `view.noise`, which the seed determines
CHANCE = ("random.", "numpy.random.", "secrets.", "uuid.", "time.", "datetime.", "os.")
# What Python gives differs from process to process
CHANCE_OF_PYTHON = ("hash", "id")


def is_built_in(function: Callable[..., Any]) -> bool:
    """Whether a function is of a strategy that comes with simgin."""
    return home(function).startswith(BUILT_IN)


def home(value: Any) -> str:
    """How a module is called, or that of a function or class; empty where it is no text."""
    name = getattr(value, "__name__" if isinstance(value, ModuleType) else "__module__", "")
    return name if type(name) is str else ""  # to ask an author's object for a text may raise


def reached(function: Callable[..., Any]) -> list[FunctionType]:
    """A function, its helpers and theirs, in whatever files they lie; none of the engine."""
    found: list[Any] = [function]
    for one in found:
        for _, value in _values(one):
            helper = value.py_func if _is_compiled(value) else value
            is_new = isinstance(helper, FunctionType) and helper not in found
            if is_new and not _is_fixed(home(helper)):
                found.append(helper)
    return found


def names(code: CodeType) -> set[str]:
    """The globals and attributes that a function reads or writes, and any function inside it."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= names(constant)
    return found


def instructions(code: CodeType, name: str) -> list[Any]:
    """What these instructions of a function, and of any function inside it, are about."""
    found = [step.argval for step in dis.get_instructions(code) if step.opname == name]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += instructions(constant, name)
    return found


def _values(function: Any) -> Iterator[tuple[str, Any]]:
    """What a function may read by name: from around it, its module, and modules named there."""
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
    """What a function may read by name in the modules that it names."""
    own = function.__globals__
    found = [(name, value) for name, value in _values(function) if own.get(name, own) is not value]
    return [one for one in found if not isinstance(one[1], ModuleType)]


def _is_compiled(value: object) -> bool:
    """Whether a value is a helper. Asked without loading the compiler, which made it if it is."""
    compiler = sys.modules.get("numba.core.dispatcher")
    return compiler is not None and isinstance(value, compiler.Dispatcher)


def _is_fixed(module: str) -> bool:
    """Whether the name of the cache's directory says what a module holds."""
    return module.partition(".")[0] in FIXED or f"{module}.".startswith(ENGINE)


# Chance and time


def find_chance(function: Callable[..., Any]) -> str:
    """The first source of chance or time that a function or its helpers use; empty if none."""
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
    # `from random import random` is a method of a generator that the module keeps
    owner = getattr(value, "__self__", value)
    return _is_chance(home(value)) or _is_chance(home(type(owner)))


def _is_chance(module: str) -> bool:
    return f"{module}.".startswith(CHANCE)
