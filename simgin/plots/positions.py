"""The actions of a position, and what each costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["analysis"]

HEAD = 0.55  # inches of a panel without its rows
DONE = " (done)"  # behind the action that the player did
UNITS = {
    "points": "points",
    "match": "% of matches",
    "deals": "won deals",
    "games": "won games",
    "win": "% of deals",
}
LOOK, LOOK_OF_DONE = figures.SERIES[0], figures.SERIES[1]
NOTE = (
    "Each action against the best in the same worlds. Bars are 95 % intervals, which hold for all "
    "actions together. Grey and hollow: may be as good as the best."
)
NOTE_ON_DONE = " Square: what was done."


@figures.picture
def analysis(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """What each action in a position costs against the best, which stands at the top.

    The frame of `simgin.analyze`, or of `simgin.analyze_deal` with a panel for each decision.
    Columns action, cost, by, worlds, best, done; optional decision.
    """
    if "decision" not in frame:
        frame = frame.assign(decision="")
    heights = [HEAD + _rows_height(rows) for _, rows in figures.groups(frame, "decision")]
    note = NOTE
    if frame["done"].any():
        note += NOTE_ON_DONE
    caption = figures.caption(frame.assign(n=frame["worlds"]), seed=seed, unit="worlds", note=note)
    unit = UNITS[frame["by"].iloc[0]]
    figure = figures.new_figure(sum(heights), f"Cost of each action, {unit}", caption)
    for axes, _, rows in figures.panels_by(figure, frame, "decision", grid="x", heights=heights):
        _panel(axes, rows)
    return figure


def _names(rows: pd.DataFrame) -> list[str]:
    """The actions, and which was done."""
    actions = zip(rows["action"], rows["done"], strict=True)
    return [action + DONE if done else action for action, done in actions]


def _rows_height(rows: pd.DataFrame) -> float:
    """Inches of the rows of a panel."""
    names = _names(rows)
    return figures.row_height(names) * len(names)


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    """A dot with its bar for every action, in the order of the frame."""
    values = figures.columns(rows, "cost", "low", "high")
    done = rows["done"].to_numpy(bool)
    may_be_best = rows["best"].to_numpy(bool)
    for row in range(len(rows)):
        look = LOOK_OF_DONE if done[row] else LOOK
        # The best is compared with itself, so that it is clear.
        is_unclear = row > 0 and may_be_best[row]
        draw = figures.unclear_bars if is_unclear else figures.level_bars
        place = np.array([row])
        draw(axes, place, [column[place] for column in values], look, "")
    axes.axvline(0, color=figures.FAINT, linewidth=1, zorder=1)
    figures.row_names(axes, _names(rows))
    axes.margins(x=0.06)
    axes.locator_params(axis="x", nbins=6)
