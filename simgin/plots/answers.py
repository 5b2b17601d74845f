"""Plots of actions: their costs in a position, and charts of their average gains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["analysis", "chart"]

HEAD = 0.55  # inches of a panel without its rows
DONE = " (done)"  # suffix of the action that the player chose
# Unit of costs by the measure that compares actions
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
    """Plot the cost of each action in a position compared with the best, which is at the top.

    Columns: action, cost, by, worlds, best, done; optional decision. The DataFrame of
    `simgin.analyze_deal` gives a panel for each decision.

    Args:
        frame: The costs, as from `simgin.analyze` or `simgin.analyze_deal`.
        seed: Seed named in the caption.

    Returns:
        The figure, with simultaneous 95 % intervals.

    Example:
        costs = simgin.analyze(position, seed=1)
        simgin.plots.analysis(costs, seed=1)
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
    """Return the actions, with the one that was chosen marked."""
    actions = zip(rows["action"], rows["done"], strict=True)
    return [action + DONE if done else action for action, done in actions]


def _rows_height(rows: pd.DataFrame) -> float:
    """Return the height in inches of the rows of a panel."""
    names = _names(rows)
    return figures.row_height(names) * len(names)


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a dot with its error bar for every action, in the order of the DataFrame."""
    values = figures.columns(rows, "cost", "low", "high")
    done = rows["done"].to_numpy(bool)
    may_be_best = rows["best"].to_numpy(bool)
    for row in range(len(rows)):
        look = LOOK_OF_DONE if done[row] else LOOK
        # The best action is compared with itself, so it is never inconclusive
        is_unclear = row > 0 and may_be_best[row]
        draw = figures.unclear_bars if is_unclear else figures.level_bars
        place = np.array([row])
        draw(axes, place, [column[place] for column in values], look, "")
    axes.axvline(0, color=figures.FAINT, linewidth=1, zorder=1)
    figures.row_names(axes, _names(rows))
    axes.margins(x=0.06)
    axes.locator_params(axis="x", nbins=6)


# Charts for players: blue if an action gains, orange if it costs

SURE = 0.05
PALE = 0.5  # opacity of inconclusive numbers
WORDS = {"deal": "points a deal", "match": "% of matches"}  # by unit
TITLES = {
    "knock_gain": ("Knock, or play on?", "own turn", "deadwood"),
    "upcard_gain": ("Take the first upcard?", "your seat", "the upcard"),
    "discard_gain": ("What does a first discard cost?", "card", "partners in the hand"),
}


@figures.picture
def chart(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the average gain of an action by situation; significant gains are coloured.

    Columns: metric (knock_gain, upcard_gain or discard_gain), unit (deal or match), row, column,
    value, p_holm; one chart.

    Args:
        frame: The gains of one chart.
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        simgin.plots.decision_chart(frame, seed=7)
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
    values = known.to_numpy(np.float64)
    gains = frame.assign(value=frame["value"].where(clear | frame["value"].isna(), 0))
    cells = gains.pivot(index="row", columns="column", values="value").reindex(rows)[columns]
    reach = figures.furthest(cells, 1.0)
    form = "{:+.0f}" if reach >= 5 else "{:+.1f}"
    figures.heat_map(axes, cells.to_numpy(float), rows, columns, middle=0, reach=reach, form=form)
    for text in axes.texts:
        column, row = map(int, text.get_position())
        gain = values[row, column]
        if np.isnan(gain):
            continue  # the label of an undefined cell
        told = form.format(gain)
        text.set_text(told if float(told) else told[1:])  # zero has no sign
        text.set_alpha(PALE if cells.iat[row, column] == 0 else 1)
    figures.axis_labels(axes, across, down)
    return figure


def _place(turn: str) -> int:
    return int(turn.rstrip("+"))
