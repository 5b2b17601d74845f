"""What changes between rules, and how an estimate settles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW, HEAD = 0.14, 0.48  # inches of a row, and of the rest of a panel


def differences(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Variant minus base, or strategy minus base in one variant: a panel a metric with its own scale, a dot with its bar a variant.

    Columns metric, title, base_variant (and base_strategy), difference.
    """
    what = "strategy" if (frame["variant"] == frame["base_variant"]).all() else "variant"
    base, names = str(frame[f"base_{what}"].iloc[0]), figures.unique(frame[what])
    metrics = figures.unique(frame["metric"])
    note = "Bars are 95 % intervals, of the same packs for both; a bar that cannot be seen is shorter than its dot."
    told = figures.caption(frame, seed=seed, unit="deals or matches", note=note)
    lines = -(-len(metrics) // 2)
    made = figures.figure(
        lines * (HEAD + ROW * len(names)), f"What changes against {base}", told, names
    )
    grid = made.subplots(lines, 2, squeeze=False).ravel()
    for axes, metric in zip(grid, metrics, strict=False):
        figures.plain(axes, "x")
        part = frame[frame["metric"] == metric]
        for name, row in figures.each(part, what):
            i = names.index(name)
            estimate = [
                row[column].to_numpy(dtype=float) for column in ("difference", "low", "high")
            ]
            figures.dots(axes, np.array([i]), estimate, figures.series(i), name)
        axes.axvline(0, color=figures.FAINT, linewidth=1, zorder=1)
        axes.set_yticks([])
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.spines["left"].set_visible(False)
        axes.margins(x=0.12)
        axes.locator_params(axis="x", nbins=4)
        figures.heading(axes, str(part["title"].iloc[0]))
    for axes in grid[len(metrics) :]:
        axes.set_visible(False)
    _name_all(grid[0], names)
    figures.legend(grid[0])
    return made


def _name_all(axes: Axes, names: list[str]) -> None:
    """Every name in the legend of some axes, which need not have a dot of each."""
    for i, name in enumerate(names):
        if name not in axes.get_legend_handles_labels()[1]:
            figures.dots(axes, np.zeros(0), [np.zeros(0)] * 3, figures.series(i), name)


def convergence(frame: pd.DataFrame, *, seed: int) -> Figure:
    """An estimate as it was played, with the band that holds at every look, and its final interval.

    Columns units, value, final_low, final_high.
    """
    note = "The band is a 95 % confidence sequence, which holds at every look; the bar is the plain interval, which holds at the end alone."
    last = frame.tail(1)
    made = figures.figure(
        2.3, "How the estimate settled", figures.caption(last, seed=seed, unit="matches", note=note)
    )
    (axes,) = figures.stacked(made, 1)
    x, *shares = (
        frame[column].to_numpy(dtype=float) for column in ("units", "value", "low", "high")
    )
    figures.band(axes, x, [100 * share for share in shares], figures.series(0), "")
    value, low, high = (
        100 * float(last[column].iloc[0]) for column in ("value", "final_low", "final_high")
    )
    axes.errorbar(
        x[-1:],
        [value],
        yerr=[[value - low], [high - value]],
        fmt="o",
        color=figures.RED,
        capsize=3,
        markersize=4,
    )
    axes.set_ylim(max(0, value - 8 * (high - low)), min(100, value + 8 * (high - low)))
    figures.labels(axes, "units played (pairs of matches)", f"won by {last['strategy'].iloc[0]}, %")
    return made
