"""The colours of pictures: four inks that a page exchanges, hues of series, and deal outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

__all__ = [
    "BLUE",
    "BROWN",
    "DARKEST",
    "FAINT",
    "GREEN",
    "GREY",
    "GRID",
    "INK",
    "KINDS",
    "LIGHTEST",
    "ORANGE",
    "PAPER",
    "PINK",
    "RED",
    "SKY",
    "VIOLET",
    "WHITE_TEXT",
    "loss_to_win",
]

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
