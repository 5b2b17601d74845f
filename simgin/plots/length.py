"""How long deals last, and how many points they score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["points", "turns"]

HEIGHT = 2.6  # inches
SHARE = ("share", "low", "high")


@figures.picture
def turns(frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()) -> Figure:
    """Share of deals still in progress after so many turns, one line per variant.

    Columns turns, share.
    """
    note = "Bands are 95 % intervals."
    if (frame["opponent"] != "").all():
        note = f"Turns of both players together. {note}"
    caption = figures.caption(frame, seed=seed, unit="deals", note=note)
    names = figures.unique(frame["variant"])
    looks = figures.looks(names, among)
    figure = figures.new_figure(HEIGHT, "Deal length", caption, names)
    (axes,) = figures.stack_panels(figure, 1)
    for variant, part in figures.groups(frame, "variant"):
        (turn,) = figures.columns(part, "turns")
        figures.band(axes, turn, figures.percent(part, *SHARE), looks[variant], variant)
    axes.set_ylim(0, 100)
    axes.set_xlim(left=0)
    figures.axis_labels(axes, "turns", "deals still in progress, %")
    figures.legend(axes)
    return figure


@figures.picture
def points(frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()) -> Figure:
    """Distribution of the points scored by the winner of a deal, one line of steps per variant.

    Columns points, width, share; bins of `width` points.
    """
    width = int(frame["width"].iloc[0])
    note = f"Bins of {width} points, the last one open-ended. Bands are 95 % intervals."
    caption = figures.caption(frame, seed=seed, unit="decided deals", note=note)
    names = figures.unique(frame["variant"])
    looks = figures.looks(names, among)
    figure = figures.new_figure(HEIGHT, "Points per deal", caption, names)
    (axes,) = figures.stack_panels(figure, 1)
    for variant, part in figures.groups(frame, "variant"):
        (lower_ends,) = figures.columns(part, "points")
        corners = np.repeat(np.append(lower_ends, lower_ends[-1] + width), 2)[1:-1]
        steps = [np.repeat(share, 2) for share in figures.percent(part, *SHARE)]
        figures.band(axes, corners, steps, looks[variant], variant)
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    figures.axis_labels(axes, "points", "decided deals, %")
    figures.legend(axes)
    return figure
