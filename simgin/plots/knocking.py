"""Knock thresholds: how much deadwood to knock with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simgin.report import figures
from simgin.report.figures import Series

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["knock"]

PANEL = 2.1  # inches
SPREAD = 0.6  # of a threshold, which the dots of all variants share
KNOCK_NOTE = "Large markers: best threshold of each variant. Bars are 95 % intervals."


class Measure(NamedTuple):
    """How a measure is drawn; even: where a line marks the break-even value."""

    title: str
    factor: int
    even: float


MEASURES = {"points": Measure("score per deal", 1, 0), "share": Measure("deals won, %", 100, 50)}


@figures.picture
def knock(frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()) -> Figure:
    """Result of one player with every knock threshold, one line per variant, the best marked.

    Columns k, measure, value.
    """
    played = set(frame["measure"])
    shown = [measure for measure in MEASURES if measure in played]
    caption = figures.caption(frame, seed=seed, unit="deals or matches", note=KNOCK_NOTE)
    names = figures.unique(frame["variant"])
    figure = figures.new_figure(PANEL * len(shown), "Knock threshold", caption, names)
    looks = figures.looks(names, among)
    panels = figures.stack_panels(figure, len(shown), sharex=True)
    for axes, measure in zip(panels, shown, strict=True):
        _knock_panel(axes, frame[frame["measure"] == measure], MEASURES[measure], looks)
    panels[-1].set_xticks(sorted(set(frame["k"])))
    figures.axis_labels(panels[-1], "knocks with this deadwood or less (0: only gin)")
    figures.legend(panels[0])
    return figure


def _knock_panel(
    axes: Axes, rows: pd.DataFrame, measure: Measure, looks: dict[str, Series]
) -> None:
    """The lines of all variants, a little apart so that equal values can be seen."""
    for i, (variant, look) in enumerate(looks.items()):
        part = rows[rows["variant"] == variant]
        _line(axes, part, measure.factor, look, SPREAD * ((i + 0.5) / len(looks) - 0.5))
    axes.axhline(measure.even, color=figures.FAINT, linewidth=1, zorder=1)
    figures.panel_title(axes, measure.title)


def _line(axes: Axes, part: pd.DataFrame, factor: float, look: Series, aside: float) -> None:
    """The curve of one variant, shifted aside, its best threshold with a larger marker."""
    (k,) = figures.columns(part, "k")
    k = k + aside
    limits = [factor * limit for limit in figures.columns(part, "value", "low", "high")]
    figures.upright_bars(axes, k, limits, look, str(part["variant"].iloc[0]))
    value = limits[0]
    axes.plot(k, value, color=look.colour, linestyle=look.dash, linewidth=1.4)
    if np.isnan(value).all():
        return
    best = int(np.nanargmax(value))
    axes.plot(k[best], value[best], look.marker, color=look.colour, markersize=8)
