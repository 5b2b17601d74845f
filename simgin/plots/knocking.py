"""Knock thresholds: how much deadwood to knock with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures
from simgin.report.figures import Series

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Measure -> panel title, factor, break-even value
MEASURES = {
    "points": ("points per deal, mean against the other thresholds", 1, 0),
    "share": ("matches won, %, mean against the other thresholds", 100, 50),
}
SOLO_MEASURES = {"points": ("score per deal", 1, 0), "share": ("deals won, %", 100, 50)}
PANEL, CELL = 2.1, 0.32  # inches
LEAST_REACH = 0.1  # points: smallest end of the colour scale


def knock(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Result of every knock threshold against the others, one line per variant, the best marked.

    Columns k, measure, value.
    """
    measures = MEASURES if (frame["opponent"] != "").any() else SOLO_MEASURES
    shown = [measure for measure in measures if measure in set(frame["measure"])]
    note = "Large markers: best threshold of each variant. Bars are 95 % intervals."
    caption = figures.caption(frame, seed=seed, unit="deals or matches", note=note)
    names = figures.unique(frame["variant"])
    figure = figures.new_figure(PANEL * len(shown), "Knock threshold", caption, names)
    panels = figures.stack_panels(figure, len(shown), sharex=True)
    for axes, measure in zip(panels, shown, strict=True):
        title, factor, even = measures[measure]
        rows = frame[frame["measure"] == measure]
        for i, (variant, part) in enumerate(figures.groups(rows, "variant")):
            _line(axes, part, factor, figures.series(i), variant)
        axes.axhline(even, color=figures.FAINT, linewidth=1, zorder=1)
        figures.panel_title(axes, title)
    panels[-1].set_xticks(sorted(set(frame["k"])))
    figures.axis_labels(panels[-1], "knocks with k or less (0: only gin)")
    figures.legend(panels[0])
    return figure


def _line(axes: Axes, part: pd.DataFrame, factor: float, look: Series, variant: str) -> None:
    """The curve of one variant, its best threshold with a larger marker."""
    k = part["k"].to_numpy(dtype=float)
    limits = [factor * part[column].to_numpy(dtype=float) for column in ("value", "low", "high")]
    figures.upright_bars(axes, k, limits, look, variant)
    value = limits[0]
    axes.plot(k, value, color=look.colour, linestyle=look.dash, linewidth=1.4)
    if not np.isnan(value).all():
        best = int(np.nanargmax(value))
        axes.plot(k[best], value[best], look.marker, color=look.colour, markersize=9)


def knock_matrix(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Points per deal of every knock threshold (rows) against every other, in one variant.

    Columns k, j, value.
    """
    half = float(((frame["high"] - frame["low"]) / 2).max())
    table = frame.pivot(index="k", columns="j", values="value")
    note = f"Points per deal, row against column. 95 % intervals: ± {half:.2g} or less."
    players = frame.assign(strategy="gold with each knock threshold", opponent="")
    caption = figures.caption(players, seed=seed, unit="deals per pair", note=note)
    variant = frame["variant"].iloc[0]
    title = f"Knock thresholds against each other: {variant}"
    figure = figures.new_figure(CELL * len(table) + 0.4, title, caption)
    (axes,) = figures.stack_panels(figure, 1)
    # Shade what is written, without a minus zero
    values = np.round(table.to_numpy(dtype=float), 1) + 0.0
    figures.heat_map(
        axes,
        values,
        list(table.index),
        list(table.columns),
        middle=0,
        reach=max(float(np.nanmax(np.abs(values))), LEAST_REACH),
        form="{:+.1f}",
    )
    figures.axis_labels(axes, "threshold of the opponent", "threshold of the player")
    return figure
