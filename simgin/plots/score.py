"""The chance to win the match: by the score, and as it swings in the course of matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
SHADES = 41
SHOWN_DEALER = 0


def scores(frame: pd.DataFrame, *, seed: int) -> Figure:
    """V by the points of both sides while the first side deals, with contours, of one variant. Columns a, b, dealer, value."""
    half = 100 * float(((frame["high"] - frame["low"]) / 2).max())
    note = f"You deal; if the other deals it is up to {_dealer(frame):.2g} more or less. 95 % limits: ± {half:.2g} or less."
    title = f"The chance to win the match, %: {frame['variant'].iloc[0]}"
    made = figures.figure(
        3.6, title, figures.caption(frame, seed=seed, unit="single deals", note=note)
    )
    (axes,) = figures.stacked(made, 1)
    table = frame[frame["dealer"] == SHOWN_DEALER].pivot(index="b", columns="a", values="value")
    values = table.to_numpy(dtype=float)
    shades = axes.contourf(
        table.columns,
        table.index,
        values,
        levels=np.linspace(0, 1, SHADES),
        cmap=figures.diverging(),
    )
    shades.set(edgecolor="face", linewidth=0.4)  # else paper shines through between the shades
    lines = axes.contour(
        table.columns, table.index, values, levels=LEVELS, colors=figures.DARKEST, linewidths=1
    )
    axes.clabel(lines, fmt=lambda level: f"{100 * level:g} %", fontsize=figures.NORMAL)
    axes.set_aspect("equal")
    figures.labels(axes, "your points", "the other's points")
    return made


def _dealer(frame: pd.DataFrame) -> float:
    """How much the dealer matters at most, in per cent."""
    one, other = (
        frame[frame["dealer"] == dealer].set_index(["a", "b"])["value"] for dealer in (0, 1)
    )
    return 100 * float((one - other).abs().max())


def swings(frame: pd.DataFrame, *, seed: int) -> Figure:
    """V of one side in the course of sample matches, over the tenths and the median of all. Columns match, share, value, q10, q50, q90."""
    names = figures.unique(frame["variant"])
    note = "Thin lines are single matches; the band holds four matches of five, the thick line is the median."
    made = figures.figure(
        2.3 * len(names),
        "How matches swing",
        figures.caption(frame, seed=seed, unit="matches", note=note),
    )
    for axes, name in zip(figures.stacked(made, len(names)), names, strict=True):
        of = frame[frame["variant"] == name]
        for _, part in figures.each(of, "match"):
            axes.plot(
                100 * part["share"],
                100 * part["value"],
                color=figures.FAINT,
                linewidth=0.6,
                alpha=0.6,
            )
        field = of.drop_duplicates("share").sort_values("share")
        axes.fill_between(
            100 * field["share"],
            100 * field["q10"],
            100 * field["q90"],
            color=figures.SKY,
            alpha=0.3,
            linewidth=0,
        )
        axes.plot(100 * field["share"], 100 * field["q50"], color=figures.BLUE, linewidth=2)
        axes.axhline(50, color=figures.FAINT, linewidth=1)
        axes.set_ylim(0, 100)
        figures.heading(axes, name if len(names) > 1 else "")
        figures.labels(axes, "% of the match played", "chance to win, %")
    return made
