"""How an estimate settles as more is played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

HEIGHT = 2.3  # inches
SHOWN = 8  # widths of the final interval above and below the final value


def convergence(frame: pd.DataFrame, *, seed: int) -> Figure:
    """An estimate as more is played, with its confidence sequence and its final interval.

    Columns units, value, final_low, final_high.
    """
    note = (
        "Band: 95 % confidence sequence, valid at every look. "
        "Bar: plain 95 % interval, valid at the end only."
    )
    last = frame.tail(1)
    caption = figures.caption(last, seed=seed, unit="matches", note=note)
    figure = figures.new_figure(HEIGHT, "Convergence of the estimate", caption)
    (axes,) = figures.stack_panels(figure, 1)
    units = frame["units"].to_numpy(dtype=float)
    figures.band(axes, units, figures.percent(frame, "value", "low", "high"), figures.series(0), "")
    final = figures.percent(last, "value", "final_low", "final_high")
    value, low, high = (float(numbers[0]) for numbers in final)
    axes.errorbar(
        units[-1:],
        [value],
        yerr=figures.bar_lengths(*final),
        fmt="o",
        color=figures.RED,
        capsize=3,
        markersize=4,
    )
    reach = SHOWN * (high - low)
    axes.set_ylim(max(0, value - reach), min(100, value + reach))
    strategy = last["strategy"].iloc[0]
    figures.axis_labels(axes, "pairs of matches played", f"matches won by {strategy}, %")
    return figure
