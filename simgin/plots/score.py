"""Probability of winning: the match by score, the deal by deadwood and turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["counts", "scores"]

SCORES_HEIGHT = 3.6  # inches
LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)  # of the contours
SHADES = 41
YOU_DEAL, OTHER_DEALS = 0, 1
COUNTS_HEIGHT = 2.8  # inches
FEWEST = 100  # rows behind a point; fewer deals say little
CROWDED, CROWDED_TYPE = 12, 7  # turns from which on the type is smaller; points
BIN = 5  # points of deadwood in a row of the heat map


@figures.picture
def scores(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Probability of winning the match by the score of both players, when the first one deals.

    Columns a, b (the points of the players), dealer, value; one variant.
    """
    caption = _scores_caption(frame, seed)
    title = f"Win probability by score, %: {frame['variant'].iloc[0]}"
    first = frame.iloc[0]
    players = f"{first['strategy']} against {first['opponent']}"
    folded = figures.folded(players, figures.PANEL_TITLE_CHARACTERS)
    height = SCORES_HEIGHT + figures.TEXT_LINE * (folded.count("\n") + 1)
    figure = figures.new_figure(height, title, caption)
    (axes,) = figures.stack_panels(figure, 1)
    own_deals = frame[frame["dealer"] == YOU_DEAL]
    _contours(axes, own_deals.pivot(index="b", columns="a", values="value"))
    axes.set_aspect("equal")
    figures.panel_title(axes, players)
    figures.axis_labels(axes, "your points", "points of the opponent")
    return figure


def _scores_caption(frame: pd.DataFrame, seed: int | None) -> str:
    half = 100 * figures.widest_half(frame)
    by_score = frame.set_index(["dealer", "a", "b"])["value"]
    effect = 100 * float((by_score.loc[YOU_DEAL] - by_score.loc[OTHER_DEALS]).abs().max())
    note = (
        f"You deal; if the opponent deals, values change by {effect:.2g} or less. "
        f"95 % intervals: ± {half:.2g} or less."
    )
    return figures.caption(frame, seed=seed, unit="single deals", note=note)


def _contours(axes: Axes, table: pd.DataFrame) -> None:
    """Shades and labelled contour lines of a table of shares, 0 to 1."""
    x = table.columns
    y = table.index
    shares = table.to_numpy(dtype=float)
    shades = axes.contourf(
        x, y, shares, levels=np.linspace(0, 1, SHADES), cmap=figures.loss_to_win()
    )
    shades.set(edgecolor="face", linewidth=0.4)  # else the paper shines through between shades
    lines = axes.contour(x, y, shares, levels=LEVELS, colors=figures.DARKEST, linewidths=1)
    axes.clabel(lines, fmt=lambda level: f"{100 * level:g} %", fontsize=figures.NORMAL)


@figures.picture
def counts(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Probability of winning the deal by own deadwood and turn: one heat map per player.

    Columns turn, count, value; count is the lower end of a bin.
    """
    frame = frame[frame["n"] >= FEWEST]
    frame = frame.assign(title=frame["strategy"] + ", " + frame["variant"] + ": deals won, %")
    caption = _counts_caption(frame, seed)
    height = COUNTS_HEIGHT * frame["title"].nunique()
    figure = figures.new_figure(height, "Win probability by deadwood and turn", caption)
    for axes, _, part in figures.panels_by(figure, frame, "title"):
        _counts_panel(axes, part)
    return figure


def _counts_caption(frame: pd.DataFrame, seed: int | None) -> str:
    half = 100 * figures.widest_half(frame)
    note = (
        f"Deadwood in bins of {BIN}, labelled by their lower end. 95 % intervals: ± {half:.2g} or "
        "less. Empty cells: too few deals."
    )
    return figures.caption(frame, seed=seed, unit="hands per cell", note=note)


def _counts_panel(axes: Axes, part: pd.DataFrame) -> None:
    table = 100 * part.pivot(index="count", columns="turn", values="value")
    values = table.to_numpy(dtype=float)
    size = CROWDED_TYPE if len(table.columns) > CROWDED else figures.NORMAL
    figures.heat_map(axes, values, list(table.index), list(table.columns), size=size)
    figures.axis_labels(axes, "own turns played", "own deadwood")
