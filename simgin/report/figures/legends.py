"""Legends and headings: above the axes and their titles, where they cover no data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simgin.report.figures.colours import INK
from simgin.report.figures.words import NORMAL, TEXT_LINE, escape, folded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

__all__ = ["heading", "legend"]

LEFT = 0.02  # of the figure's width, as its title
GAP, TITLE_LINE = 0.1, 0.16  # inches below a legend, and of a line of the title of the axes
LEGEND_CHARACTERS, HANDLE_CHARACTERS = 50, 7  # of a line, and that a mark takes the room of
MOST_LEGEND_COLUMNS = 3


def legend(axes: Axes, last: Sequence[str] = ()) -> None:
    """A legend above axes and their title, unless there is only one series.

    last: names that go to the end.
    """
    drawn = list(zip(*axes.get_legend_handles_labels(), strict=True))
    figure = axes.get_figure(root=True)
    if figure is None or len(drawn) < 2:
        return
    drawn.sort(key=lambda pair: pair[1] in last)
    handles = [handle for handle, _ in drawn]
    names = [name for _, name in drawn]
    above = _above(figure, axes)
    lift = GAP + TITLE_LINE * _title_lines(figure, axes)
    box = axes.legend(
        handles,
        [folded(name, LEGEND_CHARACTERS) for name in names],
        ncols=_legend_columns(names),
        loc="lower left",
        bbox_to_anchor=(LEFT, lift),
        bbox_transform=above,
        fontsize=NORMAL,
        frameon=False,
        labelcolor=INK,
        handlelength=2.5,
        columnspacing=1.2,
        borderaxespad=0,
        borderpad=0,
    )
    box.set_in_layout(False)  # else the axes would shrink to the width of the legend
    _reserve(axes, above, lift + TEXT_LINE * legend_lines(names))


def heading(axes: Axes, text: str) -> None:
    """A heading above the titles of panels that stand beside one another; axes: the first."""
    figure = axes.get_figure(root=True)
    if figure is None:
        return
    above = _above(figure, axes)
    lift = GAP + TITLE_LINE * _title_lines(figure, axes)
    over = axes.text(
        LEFT, lift, escape(text), transform=above, fontsize=NORMAL, fontweight="bold", color=INK
    )
    over.set_in_layout(False)
    _reserve(axes, above, lift + TEXT_LINE)


def _title_lines(figure: Figure, axes: Axes) -> int:
    """Lines of the longest title of the panels beside one another, of which `axes` is one."""
    spec = axes.get_subplotspec()
    longest = 0
    for other in figure.axes:
        own = other.get_subplotspec()
        title = other.get_title(loc="left")
        if title and own is not None and spec is not None and own.rowspan == spec.rowspan:
            longest = max(longest, title.count("\n") + 1)
    return longest


def _above(figure: Figure, axes: Axes) -> Transform:
    """Across: shares of the figure's width. Upwards: inches from the top of the axes."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    top = ScaledTranslation(0, 1, axes.transAxes)  # type: ignore[arg-type]
    return blended_transform_factory(figure.transFigure, figure.dpi_scale_trans + top)


def _reserve(axes: Axes, above: Transform, height: float) -> None:
    """Make the layout keep `height` inches free above the axes, by an invisible rectangle."""
    from matplotlib.patches import Rectangle

    invisible = Rectangle((0.5, 0), 0.01, height, transform=above, fill=False, linewidth=0)
    invisible.set_clip_on(False)
    axes.add_artist(invisible)


def _legend_columns(names: Sequence[str]) -> int:
    """As many columns as fit, three at most."""
    widest = max(map(len, names)) + HANDLE_CHARACTERS
    fitting = LEGEND_CHARACTERS // widest
    return max(1, min(MOST_LEGEND_COLUMNS, fitting))


def legend_lines(names: Sequence[str]) -> int:
    """Lines of text of a legend; none for a single series."""
    if len(names) < 2:
        return 0
    columns = _legend_columns(names)
    if columns > 1:  # of names of a line each
        return -(-len(names) // columns)
    return sum(folded(name, LEGEND_CHARACTERS).count("\n") + 1 for name in names)
