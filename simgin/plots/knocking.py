"""With how much deadwood to knock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MEASURES = {
    "points": ("points per deal, mean against the others", 1, 0),
    "share": ("matches won, %, mean against the others", 100, 50),
}
MEASURES_ALONE = {"points": ("score per deal", 1, 0), "share": ("deals won, %", 100, 50)}
PANEL = 2.1  # inches
CELL = 0.32


def knock(frame: pd.DataFrame, *, seed: int) -> Figure:
    """What each knock limit makes of the others, a line a variant, the best of each filled. Columns k, measure, value."""
    measures = MEASURES if (frame["opponent"] != "").any() else MEASURES_ALONE
    told = [name for name in measures if name in set(frame["measure"])]
    note = "Who knocks with k or less; large marks are the best of each variant; bars are 95 % intervals."
    made = figures.figure(
        PANEL * len(told),
        "With how much to knock",
        figures.caption(frame, seed=seed, unit="deals or matches", note=note),
        figures.unique(frame["variant"]),
    )
    panels = figures.stacked(made, len(told), sharex=True)
    for axes, name in zip(panels, told, strict=True):
        words, factor, even = measures[name]
        of = frame[frame["measure"] == name]
        for i, (variant, part) in enumerate(figures.each(of, "variant")):
            _line(axes, part, factor, figures.series(i), variant)
        axes.axhline(even, color=figures.FAINT, linewidth=1, zorder=1)
        figures.heading(axes, words)
    panels[-1].set_xticks(sorted(set(frame["k"])))
    figures.labels(panels[-1], "knocks with at most k (0: waits for gin)")
    figures.legend(panels[0])
    return made


def _line(axes, part, factor, own, variant) -> None:  # type: ignore[no-untyped-def]
    """The curve of one variant, its best limit with a larger mark."""
    k, value, low, high = (
        part[column].to_numpy(dtype=float) for column in ("k", "value", "low", "high")
    )
    figures.bars(axes, k, [factor * value, factor * low, factor * high], own, variant)
    axes.plot(k, factor * value, color=own.colour, linestyle=own.dash, linewidth=1.4)
    if not np.isnan(value).all():
        best = int(np.nanargmax(value))
        axes.plot(k[best], factor * value[best], own.marker, color=own.colour, markersize=9)


def knock_matrix(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Points per deal of every knock limit (rows) against every other (columns), of one variant. Columns k, j, value."""
    half = float(((frame["high"] - frame["low"]) / 2).max())
    table = frame.pivot(index="k", columns="j", values="value")
    note = f"Row against column, points per deal. 95 % limits: ± {half:.2g} or less."
    told = figures.caption(
        frame.assign(strategy="gold by knock limit", opponent=""),
        seed=seed,
        unit="deals a pair",
        note=note,
    )
    made = figures.figure(
        CELL * len(table) + 0.4,
        f"Knock limits against each other: {frame['variant'].iloc[0]}",
        told,
    )
    (axes,) = figures.stacked(made, 1)
    values = (
        np.round(table.to_numpy(dtype=float), 1) + 0.0
    )  # as they are written, and no minus zero
    far = max(float(np.nanmax(np.abs(values))), 0.1)
    figures.heat(
        axes, values, list(table.index), list(table.columns), middle=0, reach=far, form="{:+.1f}"
    )
    figures.labels(axes, "the other knocks with at most", "knocks with at most")
    return made
