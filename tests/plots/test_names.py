"""Tests that plots draw names with any characters without a warning."""

import pytest

from simgin.report import figures

UNUSUAL_NAMES = [
    "\x1b[31m",
    "a\tb",
    "\u202e",
    "🂡",
    "象棋",
    "$x$ and $",
    r"\frac{1}{0}$",
    "\x00",
    "\udce9",
]


@pytest.mark.parametrize("name", UNUSUAL_NAMES)
def test_name_with_unusual_characters_is_drawn(name):
    figure = figures.create_figure(1, name, name)
    (axes,) = figures.stack_panels(figure, 1)
    axes.plot([0, 1], [0, 1], label=figures.escape_text(name))
    figures.add_legend(axes)
    assert figures.png(figure).startswith(b"\x89PNG")
    assert figures.svg(figure, "name").startswith("<?xml")
