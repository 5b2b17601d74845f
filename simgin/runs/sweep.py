"""Sweeps: texts with named places and lists of values for them; all combinations are played.

strategy = "simple+knock=at:k={k}"
variant = "standard+undercut_bonus={u}"
[grid]
k = [0, 2, 4]
u = [10, 25]
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import Field, PlainValidator

from simgin.rules import variants
from simgin.strategy import loader
from simgin.text import toml
from simgin.text.messages import shown

MOST = 10_000  # combinations
TOLD = 3  # combinations of a text that name nothing, before the others are only counted
_PLACE = re.compile(r"\{([^{}]*)\}")


def _word(value: object) -> str:
    """A value of a grid as the text forms write it."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float() if abs(value) < 1e18 or not math.isfinite(value):
            return str(value).removesuffix(".0")
        case str():
            return value
        case _:
            given = "a list" if isinstance(value, list) else shown(value)
            raise ValueError(
                f"{given} cannot be put in a place; write a number, a word, true or false."
            )


class Sweep(toml.Table):
    """The sweep of a file: texts with places like {k}, and the values of every place, as text."""

    strategy: str
    against: str | None = None
    variant: str | None = None
    grid: Annotated[
        dict[str, Annotated[list[Annotated[str, PlainValidator(_word)]], Field(min_length=1)]],
        Field(min_length=1),
    ]


@dataclass(frozen=True)
class Point:
    """One combination in canonical texts; None where the sweep names no variant or opponent."""

    variant: str | None
    strategy: str
    against: str | None


def points(sweep: Sweep) -> list[Point]:
    """Every combination once, in the order of the file, the last list running fastest.

    The sweep has no faults.
    """
    finders = {key: cache(finder) for key, finder in _FINDERS.items()}
    found = []
    for values in _combinations(sweep.grid):
        named: dict[str, str | None] = dict.fromkeys(_FINDERS)
        for key, text in _texts(sweep).items():
            named[key] = finders[key](_filled(text, values))
        found.append(Point(named["variant"], str(named["strategy"]), named["against"]))
    return list(dict.fromkeys(found))


def faults(sweep: Sweep) -> list[str]:
    """A sentence for everything that keeps a sweep from being laid out.

    The sentences go on from the name of the file.
    """
    used = {name for text in _texts(sweep).values() for name in _places(text)}
    sentences = [
        f"sweep: the place {shown(name)} has no list; give its values in [sweep.grid]."
        for name in sorted(used - set(sweep.grid))
    ]
    sentences += [
        f"sweep, grid: {shown(name)} has no place; write it in braces in strategy, against or "
        "variant, or leave it out."
        for name in sweep.grid
        if name not in used
    ]
    if (size := math.prod(map(len, sweep.grid.values()))) > MOST:
        sentences.append(
            f"sweep, grid: {size:,} combinations are too many; give shorter lists, at most "
            f"{MOST:,} combinations."
        )
    if not sentences:
        for key, text in _texts(sweep).items():
            sentences += _nameless(key, text, sweep.grid)
    return sentences


def variant_text(text: str) -> str:
    """The canonical text of a variant; ValueError with its sentences if it names none."""
    return variants.find(text).text


def strategy_text(text: str) -> str:
    """The canonical text of a strategy; ValueError with a sentence if it names none."""
    return loader.find(text).text


_FINDERS: dict[str, Callable[[str], str]] = {
    "variant": variant_text,
    "strategy": strategy_text,
    "against": strategy_text,
}


def _texts(sweep: Sweep) -> dict[str, str]:
    """The texts of a sweep by their keys."""
    texts = {"variant": sweep.variant, "strategy": sweep.strategy, "against": sweep.against}
    return {key: text for key, text in texts.items() if text is not None}


def _nameless(key: str, text: str, grid: Mapping[str, list[str]]) -> Iterator[str]:
    """A sentence for each of the first combinations that name nothing, and one for the rest."""
    found = 0
    for values in _combinations({name: grid[name] for name in _places(text)}):
        try:
            _FINDERS[key](_filled(text, values))
        except ValueError as error:
            found += 1
            if found <= TOLD:
                given = ", ".join(f"{name} = {shown(value)}" for name, value in values.items())
                place = f" with {given}" if given else ""
                yield f"sweep, {key}{place}: " + " ".join(str(error).splitlines())
    if found > TOLD:
        yield (
            f"sweep, {key}: {found - TOLD:,} more combinations name nothing; change the lists of "
            "[sweep.grid]."
        )


def _combinations(grid: Mapping[str, list[str]]) -> Iterator[dict[str, str]]:
    return (dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values()))


def _places(text: str) -> list[str]:
    """The names in braces, each once."""
    return list(dict.fromkeys(_PLACE.findall(text)))


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: values[place[1]], text)
