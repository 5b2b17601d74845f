"""Sources of chance and time in a policy: whatever would make a deal irreproducible.

A policy's only source of chance is `view.noise`, which the seed determines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from simgin.strategy.source import find_reads

SOURCES = ("random", "numpy.random", "secrets", "uuid", "time", "datetime", "os")
# Functions of these packages are not searched
TRUSTED = ("simgin", "numpy", "numba", "math", "builtins")


def find_source(function: Callable[..., Any]) -> str:
    """The first source of chance or time that a function or its helpers use; empty if none."""
    return next(_sources(function, set()), "")


def _sources(function: Callable[..., Any], searched: set[Any]) -> Iterator[str]:
    searched.add(function)
    reads = find_reads(function)
    if reads is None:
        return
    yield from filter(_is_source, reads.modules)
    for dotted in reads.dotted:
        found = list(_resolve(dotted, function.__globals__))
        if any(map(_comes_from_source, found)):
            yield dotted
        helper = found[-1] if found else None
        helper = getattr(helper, "py_func", helper)
        if isinstance(helper, FunctionType) and _is_searched(helper) and helper not in searched:
            yield from _sources(helper, searched)


def _resolve(dotted: str, names: dict[str, Any]) -> Iterator[Any]:
    """What a name stands for, and each of its attributes."""
    first, *attributes = dotted.split(".")
    if first not in names:
        return
    value = names[first]
    yield value
    for attribute in attributes:
        if not hasattr(value, attribute):
            return
        value = getattr(value, attribute)
        yield value


def _comes_from_source(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return _is_source(value.__name__)
    # `from random import random` is a method of a generator that the module keeps.
    owner = getattr(value, "__self__", None)
    kind = type(value if owner is None else owner)
    modules = (getattr(value, "__module__", None), kind.__module__)
    return any(_is_source(module) for module in modules if isinstance(module, str))


def _is_source(module: str) -> bool:
    return any(module == source or module.startswith(f"{source}.") for source in SOURCES)


def _is_searched(function: FunctionType) -> bool:
    """Whether a function is the author's own."""
    package = function.__module__.partition(".")[0]
    return package not in TRUSTED
