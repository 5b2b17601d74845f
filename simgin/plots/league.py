"""Who beats whom: the league as a heat map, and the ladder of its players."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

CELL, RUNG = 0.165, 0.3  # inches
CLEAR = 60  # % of the matches that a step of the skill chain takes


def league(standings: pd.DataFrame, cross: pd.DataFrame, *, unit: str, seed: int) -> Figure:
    """A heat map of one league: what the row won against the column in per cent, best rating first."""
    order = list(standings["strategy"])
    share = 100 * cross.pivot(index="strategy", columns="opponent", values="share").reindex(
        index=order, columns=order
    )
    units, size = {"match": "matches", "deal": "deals"}[unit], max(CELL * len(order), 1.1)
    half, least = 100 * (cross["high"] - cross["low"]).max() / 2, int(cross["n"].min())
    n = f"{least:,} {units}" + (" or more" if (cross["n"] > least).any() else "")
    variant = standings["variant"].iloc[0]
    caption = f"Variant {variant}; {n} a pairing; seed {seed}. Limits (95 %): ± {half:.2g} or less."
    made = figures.figure(size + 0.3, f"Who beats whom, {units} won, %: {variant}", caption)
    (axes,) = figures.stacked(made, 1)
    places = [str(place) for place in range(1, len(order) + 1)]
    names = [f"{figures.safe(name)}  {place}" for name, place in zip(order, places, strict=True)]
    figures.heat(
        axes,
        share.to_numpy(dtype=float),
        names,
        places,
        size=6 if len(order) > 8 else figures.NORMAL,
    )
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False)
    return made


def ladder(frame: pd.DataFrame, *, seed: int) -> Figure:
    """The share that everybody takes from the next, best first, a panel a variant. Columns strategy, opponent, value."""
    panels = list(figures.each(frame, "variant"))
    note = f"Each against the next below. The skill chain counts steps of {CLEAR} % or more. Bars are 95 % intervals."
    told = figures.caption(frame, seed=seed, unit="matches a step", note=note)
    made = figures.figure(
        sum(RUNG * len(part) + 0.6 for _, part in panels), "The ladder of skill", told
    )
    grid = made.subplots(
        len(panels), squeeze=False, sharex=True, height_ratios=[len(part) + 1 for _, part in panels]
    )[:, 0]
    for axes, (variant, part) in zip(grid, panels, strict=True):
        figures.plain(axes, "x")
        estimate = [100 * part[column].to_numpy(dtype=float) for column in ("value", "low", "high")]
        figures.dots(axes, np.arange(len(part)), estimate, figures.series(0), "")
        axes.axvline(50, color=figures.FAINT, linewidth=1)
        axes.axvline(CLEAR, color=figures.RED, linewidth=1, linestyle="--")
        figures.rows(
            axes, [f"{a} v {b}" for a, b in zip(part["strategy"], part["opponent"], strict=True)]
        )
        figures.heading(axes, variant if len(panels) > 1 else "")
    figures.labels(grid[-1], "matches won, %")
    return made
