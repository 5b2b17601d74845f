"""Figures and axes: their size, titles, captions, panels and labels."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from simgin.report.figures.colours import FAINT, GRID, INK, PAPER
from simgin.report.figures.legends import legend_lines
from simgin.report.figures.words import (
    CAPTION_CHARACTERS,
    LABEL_CHARACTERS,
    LARGE,
    NORMAL,
    PANEL_TITLE_CHARACTERS,
    SMALL,
    TEXT_LINE,
    TITLE_CHARACTERS,
    escape,
    folded,
)
from simgin.report.wrapping import keep_units

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "DPI",
    "WIDTH",
    "axis_labels",
    "hide",
    "hide_row_axis",
    "label_outer",
    "lines_of_panels",
    "new_figure",
    "panel_title",
    "row_height",
    "row_names",
    "stack_panels",
    "style",
]

WIDTH = 4.2  # inches: on a phone held upright, type keeps nine tenths of its size
DPI = 200
ROW_GAP, ROW_LINE = 0.08, 0.145  # inches between names of rows, and of a line of one


def new_figure(height: float, title: str, caption: str, legend_names: Sequence[str] = ()) -> Figure:
    """A figure with axes of `height` inches beside its title, caption and legend."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    title = folded(title, TITLE_CHARACTERS)
    caption = textwrap.fill(keep_units(caption), CAPTION_CHARACTERS, break_on_hyphens=False)
    text_lines = title.count("\n") + caption.count("\n")
    lines = text_lines + legend_lines(legend_names)
    new = Figure(
        figsize=(WIDTH, height + 0.8 + TEXT_LINE * lines),
        dpi=DPI,
        layout="constrained",
        facecolor=PAPER,
    )
    FigureCanvasAgg(new)
    new.suptitle(escape(title), x=0.02, ha="left", fontsize=LARGE, fontweight="bold", color=INK)
    new.supxlabel(escape(caption), x=0.02, ha="left", fontsize=SMALL, color=FAINT)
    return new


def stack_panels(figure: Figure, panels: int, *, sharex: bool = False) -> list[Axes]:
    """Panels one below another, styled."""
    grid = figure.subplots(panels, squeeze=False, sharex=sharex)
    column = list(grid[:, 0])
    for axes in column:
        style(axes)
    return column


def lines_of_panels(panels: int, across: int) -> int:
    """Lines that panels take with `across` side by side."""
    return -(-panels // across)


def hide(panels: Iterable[Axes]) -> None:
    """Make panels invisible: the places that are left in the last line."""
    for axes in panels:
        axes.set_visible(False)


def style(axes: Axes, grid: str = "y") -> None:
    """Axes without a frame, in the colours of the page; grid: "x", "y" or "both"."""
    axes.set_facecolor(PAPER)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(labelsize=NORMAL, colors=INK, color=FAINT)
    axes.grid(axis=grid, color=GRID, linewidth=0.8)  # type: ignore[arg-type]
    axes.set_axisbelow(True)


def panel_title(axes: Axes, text: str, width: int = PANEL_TITLE_CHARACTERS) -> None:
    """The title of a panel, folded at `width` characters."""
    lines = folded(text, width)
    axes.set_title(escape(lines), loc="left", fontsize=NORMAL, color=INK)


def axis_labels(axes: Axes, x: str = "", y: str = "") -> None:
    """Labels of the axes."""
    axes.set_xlabel(x, fontsize=NORMAL, color=INK)
    axes.set_ylabel(y, fontsize=NORMAL, color=INK)


def label_outer(grid: np.ndarray, drawn: int, x: str, y: str) -> None:
    """Labels below the lowest panel of every column, and beside the first of every line.

    grid: panels by line and column, of which the first `drawn` are visible.
    """
    across = grid.shape[1]
    for place, axes in enumerate(grid.ravel()[:drawn]):
        is_lowest = place + across >= drawn
        is_first = place % across == 0
        axis_labels(axes, x if is_lowest else "", y if is_first else "")
        if is_lowest:
            axes.tick_params(labelbottom=True)


def row_names(axes: Axes, names: Sequence[str]) -> None:
    """Names beside rows 0, 1, ... from the top, folded."""
    labels = [escape(folded(name, LABEL_CHARACTERS)) for name in names]
    axes.set_yticks(range(len(names)), labels, fontsize=NORMAL, color=INK)
    hide_row_axis(axes, len(names))


def row_height(names: Iterable[str]) -> float:
    """Inches of each row beside which these names stand."""
    lines = [folded(name, LABEL_CHARACTERS).count("\n") + 1 for name in names]
    return ROW_GAP + ROW_LINE * max(lines)


def hide_row_axis(axes: Axes, rows: int) -> None:
    """Rows from the top, without ticks and axis."""
    axes.set_ylim(rows - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
