"""The looks of series: one for each name of a page, whatever the picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from simgin.report.figures.colours import (
    BLUE,
    BROWN,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PINK,
    RED,
    SKY,
    VIOLET,
)

__all__ = ["PLAIN", "SERIES", "Dash", "Series", "looks", "series"]

Dash = str | tuple[int, tuple[int, ...]]


class Series(NamedTuple):
    """The look of one series, distinct in colour and without."""

    colour: str
    marker: str
    dash: Dash


SERIES = (
    Series(BLUE, "o", "-"),
    Series(RED, "s", (0, (5, 2))),
    Series(GREEN, "D", (0, (1, 1))),
    Series(ORANGE, "^", (0, (5, 1, 1, 1))),
    Series(PINK, "v", (0, (3, 1))),
    Series(SKY, "P", (0, (1, 2))),
    Series(BROWN, "X", (0, (7, 2))),
    Series(VIOLET, "*", (0, (9, 2))),
)
# Rows with names need no colour: theirs are those of variants and strategies elsewhere on the page
PLAIN = Series(INK, "o", "-")


def series(i: int) -> Series:
    """The look of series i, from 0: eight hues, then greys that differ in marker and dash."""
    look = SERIES[i % len(SERIES)]
    return look if i < len(SERIES) else look._replace(colour=GREY)


def looks(names: Iterable[str], among: Sequence[str] = ()) -> dict[str, Series]:
    """The look of every name: that of its place among the names of a page.

    Those that the page does not list come after, in order of appearance.
    """
    listed = list(names)
    ordered = dict.fromkeys([*among, *listed])
    looks_of_all = {name: series(i) for i, name in enumerate(ordered)}
    return {name: looks_of_all[name] for name in listed}
