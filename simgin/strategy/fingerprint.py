"""Everything that the compiled form of an author's function depends on, as one digest.

Compiled code contains the values of the globals that a function reads and the code of the helpers
that it calls, in whatever files they lie. So both are part of the digest, and with them the text of
those files. What cannot be told for certain gives no digest, and is compiled at every start.
"""

import dis
import hashlib
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.typing.templates import builtin_registry

from simgin.core import jit
from simgin.version import version

PLAIN = (type(None), bool, int, float, complex, str, bytes)
# Packages whose versions are part of the name of the cache's directory
FIXED = ("numpy", "numba", "math", "cmath", "operator", "builtins")


class _Unknown(Exception):
    """A value whose part in compiled code is not known."""


def fingerprint(function: Callable[..., Any]) -> str:
    """Digest of a function, of all that it reads from its module, and of simgin's version.

    Hexadecimal; empty where something that it reads cannot be told apart from what it was.
    """
    if _is_numba_extended():
        return ""
    known: set[Any] = set()
    digest = hashlib.sha256(version().encode())
    try:
        for part in _function_parts(function, known):
            digest.update(part)
            digest.update(b"\0")
    except (_Unknown, OSError):
        return ""
    return digest.hexdigest()[:16]


def _is_numba_extended() -> bool:
    """Whether anyone but numba itself has said how something is compiled.

    Compiled code does not show whose functions of that kind it contains.
    """
    for template in builtin_registry.functions + builtin_registry.attributes:
        extension = getattr(template, "_overload_func", None)
        home = getattr(extension, "__module__", None)  # None for what numba itself makes from text
        if home is not None and not _in_fixed_package(home):
            return True
    return False


def _function_parts(function: Any, known: set[Any]) -> Iterator[bytes]:
    """The file of a function, its code, its defaults, and all that it reads around it."""
    if id(function) in known:
        return
    known.add(id(function))
    code = function.__code__
    globals_ = function.__globals__
    text = Path(code.co_filename).read_bytes()
    if text.count(f"def {function.__qualname__}(".encode()) != 1:
        raise _Unknown  # on disk, functions of one name would be taken for one another
    yield hashlib.sha256(text).digest()
    yield from _code_parts(code)
    yield from _value_parts((function.__defaults__, function.__qualname__), (), known)
    for name, value in (function.__kwdefaults__ or {}).items():
        yield name.encode()
        yield from _value_parts(value, (), known)
    attributes = _names(code, "LOAD_ATTR") + _names(code, "LOAD_METHOD")
    for cell in function.__closure__ or ():
        yield from _value_parts(_content(cell), attributes, known)
    for name in _names(code, "LOAD_GLOBAL"):
        if name in globals_:
            yield name.encode()
            yield from _value_parts(globals_[name], attributes, known)
    for value in globals_.values():  # a module may change what compiled code does by being there
        if isinstance(value, ModuleType):
            yield from _module_file(value)


def _code_parts(code: CodeType) -> Iterator[bytes]:
    """A function's code and those of the functions inside it."""
    about = (
        *(code.co_filename, code.co_qualname, code.co_firstlineno, code.co_flags),
        *(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        code.co_argcount,
    )
    yield repr(about).encode()
    yield code.co_code
    yield code.co_linetable
    yield code.co_exceptiontable
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_parts(constant)
        else:
            yield repr(constant).encode()


def _names(code: CodeType, instruction: str) -> tuple[str, ...]:
    """The names that these instructions of a function, or of one inside it, bear, in order."""
    names: dict[str, None] = {}
    for step in dis.get_instructions(code):
        if step.opname.startswith(instruction):
            names[step.argval] = None
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= dict.fromkeys(_names(constant, instruction))
    return tuple(names)


def _value_parts(value: Any, names: tuple[str, ...], known: set[Any]) -> Iterator[bytes]:
    """What a value is; `names` are the attributes that may be read from it.

    known: the functions and modules whose parts are there. Raises _Unknown.
    """
    yield type(value).__qualname__.encode()
    if type(value) in PLAIN:
        yield repr(value).encode()
    elif type(value) is tuple:
        yield str(len(value)).encode()
        for item in value:
            yield from _value_parts(item, names, known)
    elif type(value) is np.ndarray or isinstance(value, np.generic):
        yield from _array_parts(np.asarray(value))
    elif isinstance(value, ModuleType):
        yield from _module_parts(value, names, known)
    elif _is_fixed(value):
        yield f"{value.__module__}.{value.__qualname__}".encode()
    elif isinstance(value, Dispatcher):
        yield _options(value)
        yield from _function_parts(value.py_func, known)
    else:
        raise _Unknown


def _options(helper: Any) -> bytes:
    """How a helper is compiled, and for which types alone if it was told."""
    types_given = [] if helper._can_compile else helper.nopython_signatures
    about = (sorted(helper.targetoptions.items()), sorted(helper.locals.items()), types_given)
    return repr(about).encode()


def _array_parts(array: np.ndarray) -> Iterator[bytes]:
    if array.dtype.hasobject:
        raise _Unknown
    layout = (array.dtype.descr, array.shape, array.strides, array.flags.num)
    yield repr(layout).encode()
    yield array.tobytes()


def _module_parts(module: ModuleType, names: tuple[str, ...], known: set[Any]) -> Iterator[bytes]:
    """A module by its name, and if it is an author's, by what a function may read from it."""
    yield module.__name__.encode()
    visit = (id(module), names)
    if _in_fixed_package(module.__name__) or visit in known:
        return
    known.add(visit)
    yield from _module_file(module)
    for name in names:
        if name in vars(module):
            yield name.encode()
            yield from _value_parts(vars(module)[name], names, known)


def _module_file(module: ModuleType) -> Iterator[bytes]:
    """The text of an author's module; nothing for one that is built into Python."""
    path = getattr(module, "__file__", None)
    if path and not _in_fixed_package(module.__name__):
        yield _file(path)


def _is_fixed(value: Any) -> bool:
    """Whether the name of the cache's directory says what a value is, given its own name."""
    name = getattr(value, "__qualname__", "")
    module = getattr(value, "__module__", None) or ""
    if getattr(sys.modules.get(module), name, None) is not value:
        return False
    if isinstance(value, Dispatcher):
        path = Path(value.py_func.__code__.co_filename)
        return path.resolve() in _compiled_sources()
    return _in_fixed_package(module)


def _in_fixed_package(module: str) -> bool:
    return module.partition(".")[0] in FIXED


@cache
def _compiled_sources() -> frozenset[Path]:
    return frozenset(path.resolve() for path in jit.compiled_sources())


def _file(path: str) -> bytes:
    content = Path(path).read_bytes()
    return hashlib.sha256(content).digest()


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        raise _Unknown from None
