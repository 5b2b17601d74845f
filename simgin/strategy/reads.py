"""What a function of an author reads: its helpers, and the globals of the modules they stand in.

Compiled code contains the values of these globals and the code of these helpers, in whatever files
they lie. So both make the fingerprint that its place on disk is named after. Chance and time must
not be among them.
"""

import contextlib
import dis
import hashlib
import marshal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from simgin.strategy.author import Param, Policy, Strategy
from simgin.version import version

BUILT_IN = "simgin_strategies."  # how the modules of the built-in strategies are called
LIVE = "simgin_live_"  # and those of functions taken live; a digest follows
ENGINE = ("simgin.core.", "simgin.toolkit.")  # what the digest of the cache's directory covers
# Packages whose versions are part of the name of that directory
FIXED = ("numpy", "numba", "math", "cmath", "operator", "builtins")
PLAIN = (type(None), bool, int, float, complex, str, bytes)
# A policy's only source of chance is `view.noise`, which the seed determines
CHANCE = ("random", "numpy.random", "secrets", "uuid", "time", "datetime", "os")
# What Python gives differs from process to process
CHANCE_OF_PYTHON = ("hash", "id")


class _Unknown(Exception):
    """A value whose part in compiled code is not known."""


def is_built_in(function: Callable[..., Any]) -> bool:
    """Whether a function is of a strategy that comes with simgin."""
    return str(function.__module__).startswith(BUILT_IN)


def is_live(function: Callable[..., Any]) -> bool:
    """Whether a function was taken live; see `simgin.strategy.live`."""
    return str(function.__module__).startswith(LIVE)


def reached(function: Callable[..., Any]) -> list[FunctionType]:
    """A function, its helpers and theirs, in whatever files they lie; none of the engine."""
    found: list[Any] = [function]
    for one in found:
        for _, value in _values(one):
            helper = value.py_func if _is_compiled(value) else value
            is_new = isinstance(helper, FunctionType) and helper not in found
            if is_new and not _is_fixed(str(helper.__module__)):
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
            is_authors = isinstance(value, ModuleType) and not _is_fixed(value.__name__)
            if is_authors and not any(vars(value) is known for known in spaces):
                spaces.append(vars(value))


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
    if isinstance(value, ModuleType):
        return _is_chance(value.__name__)
    # `from random import random` is a method of a generator that the module keeps
    owner = getattr(value, "__self__", value)
    return _is_chance(getattr(value, "__module__", None)) or _is_chance(type(owner).__module__)


def _is_chance(module: object) -> bool:
    return any(module == name or str(module).startswith(f"{name}.") for name in CHANCE)


# The fingerprint


def fingerprint(function: Callable[..., Any]) -> str:
    """Digest of all, but the engine, that the compiled form of a function depends on.

    Hexadecimal. Empty where something that it reads cannot be told apart from what it was: it is
    compiled at every start then.
    """
    if not is_built_in(function) and _is_numba_extended():
        return ""
    digest = hashlib.sha256(version().encode())
    try:
        for one in reached(function):
            for part in _parts(one):
                digest.update(part)
    except (_Unknown, OSError, ValueError):
        return ""
    return digest.hexdigest()[:16]


def _parts(function: Any) -> Iterator[bytes]:
    """The file of a function, its code, its defaults, and what it reads."""
    text = Path(function.__code__.co_filename).read_bytes()
    if text.count(f"def {function.__qualname__}(".encode()) != 1:
        raise _Unknown  # on disk, functions of one name would be taken for one another
    yield hashlib.sha256(text).digest()
    yield marshal.dumps(function.__code__, 2)  # a later form differs from process to process
    defaults = (function.__defaults__, *(function.__kwdefaults__ or {}).values())
    yield repr(_described(defaults)).encode()
    for name, value in _values(function):
        yield repr((name, _described(value))).encode()


def _described(value: Any) -> object:
    """What tells a value apart from all others, as plain values. Raises _Unknown."""
    kind = type(value)
    if kind in PLAIN:
        return kind.__name__, value
    if kind is tuple:
        return [_described(item) for item in value]
    if kind is np.ndarray or isinstance(value, np.generic):
        return _array(np.asarray(value)), kind.__name__
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, np.dtype):
        return repr(value)
    if kind in (Param, Policy, Strategy):  # an attribute of that name is meant: nothing reads these
        return kind.__name__
    module = str(getattr(value, "__module__", ""))
    name = getattr(value, "__qualname__", "")
    if _is_fixed(module) and getattr(sys.modules.get(module), name, None) is value:
        return f"{module}.{name}"
    if _is_compiled(value):  # its code is reached
        types = [] if value._can_compile else value.nopython_signatures
        return name, sorted(value.targetoptions.items()), sorted(value.locals.items()), types
    raise _Unknown


def _array(array: np.ndarray) -> object:
    if array.dtype.hasobject:
        raise _Unknown
    return array.dtype.descr, array.shape, array.strides, array.flags.num, array.tobytes()


def _is_numba_extended() -> bool:
    """Whether anyone but numba itself has said how something is compiled.

    Compiled code does not show whose functions of that kind it contains.
    """
    from numba.core.typing.templates import builtin_registry

    for template in builtin_registry.functions + builtin_registry.attributes:
        extension = getattr(template, "_overload_func", None)
        home = getattr(extension, "__module__", None)  # None for what numba itself makes from text
        if home is not None and home.partition(".")[0] not in FIXED:
            return True
    return False
