"""Charts for players: a table of gains, blue where an answer pays, orange where it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["chart"]

SURE = 0.05
PALE = 0.5  # what is too close to call
WORDS = {"deal": "points a deal", "match": "% of matches"}  # by unit
TITLES = {
    "knock_gain": ("Knock, or play on?", "own turn", "deadwood"),
    "upcard_gain": ("Take the first upcard?", "your seat", "the upcard"),
    "discard_gain": ("What does a first discard cost?", "card", "partners in the hand"),
}


@figures.picture
def chart(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """What answers gain, by what matters: in a coloured cell where that is clear.

    Columns metric (knock_gain, upcard_gain or discard_gain), unit (deal or match), row, column,
    value, p_holm. One chart.
    """
    title, across, down = TITLES[str(frame["metric"].iloc[0])]
    rows, columns = (figures.unique(frame[name]) for name in ("row", "column"))
    columns = sorted(columns, key=_place) if across == "own turn" else columns
    clear = frame["p_holm"] < SURE
    unit = str(frame["unit"].iloc[0])
    frame = frame.assign(value=frame["value"] * (100 if unit == "match" else 1))
    note = (
        f"In {WORDS[unit]}. Blue: it pays; orange: it costs; pale: too close to call, at 95 % for "
        "all cells together."
    )
    caption = figures.caption(frame, seed=seed, unit="questions", note=note)
    figure = figures.new_figure(0.34 * len(rows) + 0.5, title, caption)
    (axes,) = figures.stack_panels(figure, 1)
    known = frame.pivot(index="row", columns="column", values="value").reindex(rows)[columns]
    gains = frame.assign(value=frame["value"].where(clear, 0))
    cells = gains.pivot(index="row", columns="column", values="value").reindex(rows)[columns]
    reach = max(float(np.nanmax(np.abs(cells.to_numpy(float)), initial=0)), 1.0)
    form = "{:+.0f}" if reach >= 5 else "{:+.1f}"
    figures.heat_map(axes, cells.to_numpy(float), rows, columns, middle=0, reach=reach, form=form)
    for text in axes.texts:
        column, row = map(int, text.get_position())
        told = form.format(known.iat[row, column])
        text.set_text(told if float(told) else told[1:])  # no sign at nothing
        text.set_alpha(PALE if cells.iat[row, column] == 0 else 1)
    figures.axis_labels(axes, across, down)
    return figure


def _place(turn: str) -> int:
    return int(turn.rstrip("+"))
