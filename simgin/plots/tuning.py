"""The course of a search for better numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simgin.report import figures
from simgin.stats import metrics

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["search"]

GAIN, NUMBER = 1.9, 1.15  # inches of the panel of the gain, and of those of the numbers
LOOK = figures.SERIES[0]
DEFAULT: dict[str, Any] = {"color": figures.INK, "linewidth": 1, "linestyle": "--"}
NOTE = (
    "After each generation, the middle of what is drawn next: above, its gain on the default on "
    "packs new to it, with 95 % intervals; below, its values, and one standard deviation of what "
    "is drawn either way. Last: what was chosen, as confirmed. Dashed: the default."
)


@figures.picture
def search(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """What a search gained on the default, generation by generation, and how the numbers moved.

    Columns generations, metric, gain (with low and high), parameter, value (with value_low and
    value_high, of what is drawn), default; a row for every generation and parameter.
    """
    names = figures.unique(frame["parameter"])
    caption = figures.caption(frame, seed=seed, unit="matches a candidate", note=NOTE)
    heights = [GAIN, *[NUMBER] * len(names)]
    figure = figures.new_figure(sum(heights), "Search for better numbers", caption)
    top, *panels = figures.stack_panels(figure, len(heights), sharex=True, heights=heights)
    _gain_panel(top, frame[frame["parameter"] == names[0]])
    for axes, (name, rows) in zip(panels, figures.groups(frame, "parameter"), strict=True):
        _number_panel(axes, rows)
        figures.panel_title(axes, name)
    figures.axis_labels(panels[-1], "generations")
    return figure


def _gain_panel(axes: Axes, rows: pd.DataFrame) -> None:
    """The gain by generation."""
    metric = metrics.BY_NAME[rows["metric"].iloc[0]]
    (generations,) = figures.columns(rows, "generations")
    shown = [metric.factor * limit for limit in figures.columns(rows, "gain", "low", "high")]
    axes.axhline(0, **DEFAULT)
    figures.band(axes, generations, shown, LOOK, "")
    figures.panel_title(axes, f"gain on the default, {metric.title}")
    _whole_ticks(axes)


def _number_panel(axes: Axes, rows: pd.DataFrame) -> None:
    """One number by generation."""
    generations, default = figures.columns(rows, "generations", "default")
    limits = figures.columns(rows, "value", "value_low", "value_high")
    axes.axhline(default[0], **DEFAULT)
    figures.band(axes, generations, limits, LOOK, "")
    _whole_ticks(axes)


def _whole_ticks(axes: Axes) -> None:
    """No ticks between two generations."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
