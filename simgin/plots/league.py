"""Results of a league: everybody against everybody, and the skill ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

UNITS = {"deal": "deals", "match": "matches"}
CELL, RUNG = 0.165, 0.3  # inches
LEAST_SIZE = 1.1  # inches
CLEAR_STEP = 60  # % of matches won that make a step of the skill chain
CROWDED = 8  # players from which on the type is smaller


def league(standings: pd.DataFrame, cross: pd.DataFrame, *, unit: str, seed: int) -> Figure:
    """Heat map of a league: per cent won by the row against the column, best rating first."""
    order = list(standings["strategy"])
    shares = cross.pivot(index="strategy", columns="opponent", values="share")
    values = 100 * shares.reindex(index=order, columns=order).to_numpy(dtype=float)
    variant = standings["variant"].iloc[0]
    title = f"{UNITS[unit].capitalize()} won, %, row against column: {variant}"
    size = max(CELL * len(order), LEAST_SIZE)
    figure = figures.new_figure(size + 0.3, title, _caption(cross, variant, unit, seed))
    (axes,) = figures.stack_panels(figure, 1)
    places = [str(place) for place in range(1, len(order) + 1)]
    names = [f"{figures.escape(name)}  {place}" for name, place in zip(order, places, strict=True)]
    type_size = 6 if len(order) > CROWDED else figures.NORMAL
    figures.heat_map(axes, values, names, places, size=type_size)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False)
    return figure


def _caption(cross: pd.DataFrame, variant: str, unit: str, seed: int) -> str:
    half, least = 100 * (cross["high"] - cross["low"]).max() / 2, int(cross["n"].min())
    more = " or more" if (cross["n"] > least).any() else ""
    return (
        f"Variant {variant}; {least:,} {UNITS[unit]}{more} per pair; seed {seed}. "
        f"95 % intervals: ± {half:.2g} or less."
    )


def ladder(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Skill ladder: share of matches won by each player against the next below, best first.

    Columns strategy, opponent, value; one panel per variant.
    """
    variants = list(figures.groups(frame, "variant"))
    note = (
        f"Each player against the next below. Dashed: {CLEAR_STEP} %, which makes a step of the "
        "skill chain. Bars are 95 % intervals."
    )
    caption = figures.caption(frame, seed=seed, unit="matches per step", note=note)
    height = sum(RUNG * len(part) + 0.6 for _, part in variants)
    figure = figures.new_figure(height, "Skill ladder", caption)
    heights = [len(part) + 1 for _, part in variants]
    grid = figure.subplots(len(variants), squeeze=False, sharex=True, height_ratios=heights)
    for axes, (variant, part) in zip(grid[:, 0], variants, strict=True):
        figures.style(axes, "x")
        limits = figures.percent(part, "value", "low", "high")
        figures.level_bars(axes, np.arange(len(part)), limits, figures.series(0), "")
        axes.axvline(50, color=figures.FAINT, linewidth=1)
        axes.axvline(CLEAR_STEP, color=figures.RED, linewidth=1, linestyle="--")
        pairs = zip(part["strategy"], part["opponent"], strict=True)
        figures.row_names(axes, [f"{player} v {next_below}" for player, next_below in pairs])
        figures.panel_title(axes, variant if len(variants) > 1 else "")
    figures.axis_labels(grid[-1, 0], "matches won, %")
    return figure
