"""The looks of pictures: inks that a page exchanges, hues of series, deal outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

# The page replaces these four, and no others, by the colours of its scheme.
INK, FAINT, GRID, PAPER = "#222222", "#666666", "#dddddd", "#ffffff"

# Hues of Okabe and Ito, a brown and a violet, on white and on a dark page;
# tests/plots/test_colours.py measures how far apart they are for every kind of colour vision
BLUE, ORANGE, GREEN, SKY, RED, PINK, BROWN, VIOLET = (
    *("#0072B2", "#E69F00", "#009E73"),
    *("#56B4E9", "#D55E00", "#CC79A7", "#8C5A2B", "#8424F0"),
)
GREY = "#8C8C8C"
DARKEST, LIGHTEST = "#101010", "#fefefe"  # text on colours, on any page
# Deal outcome -> colour, none of them that of a series; greys for outcomes that nobody plays for
KINDS = {
    "knock": "#6F5BB5",
    "gin": "#DDCC77",
    "big_gin": "#A89432",
    "shot": "#F2E6B0",
    "undercut": "#A8325F",
    "even": "#E3B9C9",
    "void": "#B5B5B5",
    "stalled": "#5A5A5A",
    "joker": "#2F6F7E",
    "limit": GREY,
    "refused": "#CFCFCF",
}
WHITE_TEXT = ("knock", "undercut", "stalled", "joker")  # outcomes dark enough for it


def loss_to_win() -> Colormap:
    """Red for a loss, pale for even, blue for a win."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("won", [RED, "#F7F7F5", BLUE])


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
