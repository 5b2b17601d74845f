"""Hands in the course of a deal: how deadwood falls, and what a hand is worth after so many turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

PANEL = 1.7  # inches
LAST = 100  # rows behind a point at least: what fewer deals came to says little


def deadwood(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Deadwood after so many turns: the median of each side, and the band from the lowest to the highest tenth.

    Columns turn, side, q10, q50, q90; a panel a variant.
    """
    frame, names = frame[frame["n"] >= LAST], figures.unique(frame["variant"])
    note = "Of the deals still going. Lines are medians, the bands hold four hands of five; bars are 95 % intervals of the median."
    made = figures.figure(
        PANEL * len(names) + 0.3,
        "How hands improve",
        figures.caption(frame, seed=seed, unit="hands a point", note=note),
        ["", ""],
    )
    panels = figures.stacked(made, len(names), sharex=True)
    for axes, name in zip(panels, names, strict=True):
        of = frame[frame["variant"] == name]
        for i, (side, part) in enumerate(figures.each(of, "side")):
            own, x = figures.series(i), part["turn"].to_numpy(dtype=float)
            axes.fill_between(
                x, part["q10"], part["q90"], color=own.colour, alpha=0.18, linewidth=0
            )
            middle, low, high = (
                part[column].to_numpy(dtype=float) for column in ("q50", "low", "high")
            )
            axes.plot(x, middle, color=own.colour, linestyle=own.dash, linewidth=1.6, label=side)
            axes.errorbar(
                x,
                middle,
                yerr=np.maximum(0, [middle - low, high - middle]),
                fmt="none",
                ecolor=own.colour,
                linewidth=1,
            )
        axes.set_ylim(bottom=0)
        axes.locator_params(axis="x", integer=True)
        figures.heading(axes, name if len(names) > 1 else "")
    figures.labels(panels[-1], "turn", "deadwood")
    figures.legend(panels[0])
    return made


def counts(frame: pd.DataFrame, *, seed: int) -> Figure:
    """The chance to win the deal by own deadwood and turn, a heat map a variant and strategy. Columns turn, count, value."""
    frame = frame[frame["n"] >= LAST]
    panels = [
        (variant, name, part)
        for variant, of in figures.each(frame, "variant")
        for name, part in figures.each(of, "strategy")
    ]
    half = 100 * float(((frame["high"] - frame["low"]) / 2).max())
    note = f"Deadwood in bins of 5, the number is the least of a bin. 95 % limits: ± {half:.2g} or less. Empty: too few to say."
    made = figures.figure(
        2.8 * len(panels),
        "What a hand is worth",
        figures.caption(frame, seed=seed, unit="hands a cell", note=note),
    )
    for axes, (variant, name, part) in zip(figures.stacked(made, len(panels)), panels, strict=True):
        table = 100 * part.pivot(index="count", columns="turn", values="value")
        figures.heat(axes, table.to_numpy(dtype=float), list(table.index), list(table.columns))
        figures.heading(axes, f"{name}, {variant}: deals won, %")
        figures.labels(axes, "own turns played", "own deadwood")
    return made
