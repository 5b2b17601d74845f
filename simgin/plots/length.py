"""How long deals last and what they are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

HEIGHT = 2.6  # inches of one panel


def turns(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Share of deals that last more than so many turns, a line a variant. Columns turns, share."""
    note = (
        "Turns of both players together; b" if (frame["opponent"] != "").all() else "B"
    ) + "ands are 95 % intervals."
    made = figures.figure(
        HEIGHT,
        "How long deals last",
        figures.caption(frame, seed=seed, unit="deals", note=note),
        figures.unique(frame["variant"]),
    )
    (axes,) = figures.stacked(made, 1)
    for i, (name, part) in enumerate(figures.each(frame, "variant")):
        x, *shares = _columns(part, "turns")
        figures.band(axes, x, shares, figures.series(i), name)
    axes.set_ylim(0, 100)
    axes.set_xlim(left=0)
    figures.labels(axes, "turns", "% of deals still going")
    figures.legend(axes)
    return made


def points(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Share of decided deals by points scored, in bins of `width`, steps a variant. Columns points, width, share."""
    width = int(frame["width"].iloc[0])
    note = f"Bins of {width} points, the last one open; bands are 95 % intervals."
    made = figures.figure(
        HEIGHT,
        "What deals are worth",
        figures.caption(frame, seed=seed, unit="decided deals", note=note),
        figures.unique(frame["variant"]),
    )
    (axes,) = figures.stacked(made, 1)
    for i, (name, part) in enumerate(figures.each(frame, "variant")):
        x, *shares = _columns(part, "points")
        edges = np.repeat(np.append(x, x[-1] + width), 2)[1:-1]
        figures.band(
            axes, edges, [np.repeat(share, 2) for share in shares], figures.series(i), name
        )
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    figures.labels(axes, "points", "% of decided deals")
    figures.legend(axes)
    return made


def _columns(part: pd.DataFrame, x: str) -> list[np.ndarray]:
    """x, and share, low and high in per cent."""
    return [
        part[x].to_numpy(dtype=float),
        *(100 * part[name].to_numpy(dtype=float) for name in ("share", "low", "high")),
    ]
