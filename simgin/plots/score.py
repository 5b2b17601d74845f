"""Probability of winning the match: by score, and as it moves during matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures
from simgin.report.figures import Series

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["scores", "swings"]

SCORES_HEIGHT, SWINGS_HEIGHT = 3.6, 2.3  # inches
LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)  # of the contours
SHADES = 41
YOU_DEAL, OTHER_DEALS = 0, 1
SWINGS_NOTE = "Thin lines: single matches. Band: middle 80 % of matches. Thick line: median."


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
    effect = _dealer_effect(frame)
    note = (
        f"You deal; if the opponent deals, values change by {effect:.2g} or less. "
        f"95 % intervals: ± {half:.2g} or less."
    )
    return figures.caption(frame, seed=seed, unit="single deals", note=note)


def _dealer_effect(frame: pd.DataFrame) -> float:
    """The largest difference that the deal makes, in per cent."""
    by_score = frame.set_index(["dealer", "a", "b"])["value"]
    change = by_score.loc[YOU_DEAL] - by_score.loc[OTHER_DEALS]
    return 100 * float(change.abs().max())


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
def swings(frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()) -> Figure:
    """Probability of winning during sample matches, over the median and middle 80 % of all.

    Columns match, share (of the match played), value, q10, q50, q90; one panel per variant.
    """
    variants = figures.unique(frame["variant"])
    looks = figures.looks(variants, among)
    caption = figures.caption(frame, seed=seed, unit="matches", note=SWINGS_NOTE)
    height = SWINGS_HEIGHT * len(variants)
    figure = figures.new_figure(height, "Win probability during a match", caption)
    panels = figures.stack_panels(figure, len(variants))
    for axes, variant in zip(panels, variants, strict=True):
        _swings_panel(axes, frame[frame["variant"] == variant], looks[variant])
        figures.panel_title(axes, variant if len(variants) > 1 else "")
        figures.axis_labels(axes, "match played, %", "win probability, %")
    return figure


def _swings_panel(axes: Axes, rows: pd.DataFrame, look: Series) -> None:
    for _, part in figures.groups(rows, "match"):
        share, value = figures.percent(part, "share", "value")
        axes.plot(share, value, color=figures.FAINT, linewidth=0.6, alpha=0.6)
    by_share = rows.drop_duplicates("share").sort_values("share")
    share, q10, median, q90 = figures.percent(by_share, "share", "q10", "q50", "q90")
    axes.fill_between(share, q10, q90, color=look.colour, alpha=0.25, linewidth=0)
    axes.plot(share, median, color=look.colour, linewidth=2)
    axes.axhline(50, color=figures.FAINT, linewidth=1)
    axes.set_ylim(0, 100)
