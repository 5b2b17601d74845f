"""Cards on a table, drawn: hands sorted by melds, the pile as it grew, and cards face down."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from simgin.report.figures.layout import BLUE, FAINT, GRID, INK, NORMAL, PAPER, RED, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# In widths of a card
HEIGHT, GAP, BETWEEN, LABEL = 1.4, 0.12, 0.4, 0.62
ACROSS = 11  # cards in a line
WHOLE = ACROSS * (1 + GAP) + 2 * BETWEEN
INCHES = 4.05 / WHOLE  # of a card's width
SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
RED_SUITS = "HD"
BACK = "?"  # a card face down


class CardRow(NamedTuple):
    """Cards in a row, in groups with a space between them: texts such as `7H`, or BACK."""

    label: str
    groups: Sequence[Sequence[str]]
    marked: str = ""  # the card with a thick frame
    gone: Sequence[int] = ()  # places of cards that were taken away

    @property
    def lines(self) -> list[list[tuple[float, int, str]]]:
        """The cards of each line: how far right, the place in the row, and the text."""
        lines: list[list[tuple[float, int, str]]] = [[]]
        x = 0.0
        place = 0
        for group in self.groups:
            for card in group:
                if len(lines[-1]) == ACROSS:
                    lines.append([])
                    x = 0.0
                lines[-1].append((x, place, card))
                x += 1 + GAP
                place += 1
            x += BETWEEN
        return lines


def draw_cards(caption: str, rows: Sequence[CardRow]) -> Figure:
    """Rows of cards, each below its label."""
    line = HEIGHT + GAP
    height = 0.0
    for row in rows:
        height += LABEL + line * len(row.lines) + GAP
    figure = new_figure(height * INCHES, "", caption)
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-GAP, WHOLE)
    axes.set_ylim(-height, 0)
    y = 0.0
    for row in rows:
        axes.text(0, y - LABEL / 2, row.label, fontsize=NORMAL, color=INK, va="center")
        y -= LABEL
        for cards in row.lines:
            for x, place, card in cards:
                _card(axes, x, y - HEIGHT, card, row.marked, place in row.gone)
            y -= line
        y -= GAP
    return figure


def _card(axes: Axes, x: float, y: float, card: str, marked: str, is_gone: bool) -> None:
    """One card with its lower left corner at x, y; a thick frame if marked, dashed if gone."""
    from matplotlib.patches import FancyBboxPatch

    is_marked = card == marked
    edge = BLUE if is_marked else FAINT
    corner = FancyBboxPatch(
        (x + 0.06, y + 0.06),
        0.88,
        HEIGHT - 0.12,
        boxstyle="round,pad=0.06,rounding_size=0.16",
        facecolor=GRID if card == BACK else PAPER,
        edgecolor=edge,
        linewidth=2.2 if is_marked else 0.8,
        linestyle=":" if is_gone else "-",
    )
    axes.add_patch(corner)
    if card == BACK:
        return
    rank = card[0]
    suit = card[1]
    colour = RED if suit in RED_SUITS else INK
    axes.text(
        x + 0.5,
        y + 0.98,
        "10" if rank == "T" else rank,
        fontsize=NORMAL + 2,
        color=INK,
        alpha=0.55 if is_gone else 1,
        ha="center",
        va="center",
    )
    _suit(axes, x + 0.5, y + 0.4, suit, colour, is_gone)


def _suit(axes: Axes, x: float, y: float, suit: str, colour: str, is_gone: bool) -> None:
    """The symbol of a suit with its middle at x, y.

    As a shape: many phones show the characters as small pictures of their own.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.transforms import Affine2D

    shape = Affine2D().translate(x, y).transform_path(_shape(suit))
    patch = PathPatch(shape, facecolor=colour, edgecolor="none", alpha=0.55 if is_gone else 1)
    axes.add_patch(patch)


@cache
def _shape(suit: str) -> Any:
    """The outline of a suit's symbol about 0, 0."""
    from matplotlib.textpath import TextPath
    from matplotlib.transforms import Affine2D

    outline = TextPath((0, 0), SYMBOLS[suit], size=0.72)
    box = outline.get_extents()
    middle = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return Affine2D().translate(-middle[0], -middle[1]).transform_path(outline)
