"""How an estimate settles as more is played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["convergence"]

HEIGHT = 2.3  # inches
SHOWN = 8  # widths of the final interval above and below the final value
NOTE = (
    "Band: 95 % confidence sequence, valid at every look. "
    "Bar: plain 95 % interval, valid at the end only."
)


@figures.picture
def convergence(
    frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()
) -> Figure:
    """An estimate as more is played, with its confidence sequence and its final interval.

    Columns units, value, final_low, final_high.
    """
    last = frame.tail(1)
    caption = figures.caption(last, seed=seed, unit="matches", note=NOTE)
    figure = figures.new_figure(HEIGHT, "Convergence of the estimate", caption)
    (axes,) = figures.stack_panels(figure, 1)
    units = frame["units"].to_numpy(dtype=float)
    estimates = figures.percent(frame, "value", "low", "high")
    variant = str(last["variant"].iloc[0])
    figures.band(axes, units, estimates, figures.looks([variant], among)[variant], "")
    _final_bar(axes, units[-1:], last)
    strategy = last["strategy"].iloc[0]
    figures.panel_title(axes, f"matches won by {strategy}, %")
    figures.axis_labels(axes, "pairs of matches played")
    return figure


def _final_bar(axes: Axes, units: np.ndarray, last: pd.DataFrame) -> None:
    """The final interval at the end of the band, with the scale set by its width."""
    value, low, high = figures.percent(last, "value", "final_low", "final_high")
    bars = figures.bar_lengths(value, low, high)
    axes.errorbar(units, value, yerr=bars, fmt="o", color=figures.INK, capsize=3, markersize=4)
    middle = float(value[0])
    reach = SHOWN * (float(high[0]) - float(low[0]))
    axes.set_ylim(max(0, middle - reach), min(100, middle + reach))
