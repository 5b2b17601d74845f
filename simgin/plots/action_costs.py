"""Plots of the costs of actions in a position, and of the gains in a decision chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures
from simgin.stats.estimate import ALPHA

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["analysis", "decision_chart"]

COST_PANEL_HEADER_HEIGHT = 0.55  # height of a panel without its rows, in inches
CHOSEN_ACTION_SUFFIX = " (played)"  # suffix of the action that the player chose
# unit of the cost for each measure that can compare actions
COST_UNITS = {
    "points": "points",
    "match": "% of matches",
    "deals": "won deals",
    "games": "won games",
    "win": "% of deals",
}
COST_NOTE = (
    "Cost of each action compared with the best action in the same worlds. Error bars are "
    "simultaneous 95 % intervals. Hollow grey dots mark actions that are not significantly "
    "worse than the best."
)
CHOSEN_ACTION_NOTE = " A square marks the action that was played."


@figures.validate_frame
def analysis(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the cost of each action in a position, with the best action at the top.

    The DataFrame contains costs of actions, computed by `simgin.analyze` or `simgin.analyze_deal`.
    The required columns are action, cost, by, worlds, best and done. If the optional column
    `decision` is present, as in a DataFrame of `simgin.analyze_deal`, the plot has one panel per
    decision. The intervals are simultaneous 95 % intervals.

    Example:
        costs = simgin.analyze(position, seed=1).frame
        simgin.plots.analysis(costs, seed=1)
    """
    if "decision" not in frame:
        frame = frame.assign(decision="")
    heights = [
        COST_PANEL_HEADER_HEIGHT + _compute_rows_height(rows)
        for _, rows in figures.iterate_groups(frame, "decision")
    ]
    note = COST_NOTE
    if frame["done"].any():
        note += CHOSEN_ACTION_NOTE
    frame = frame.assign(n=frame["worlds"])
    caption = figures.format_caption(frame, seed=seed, unit="worlds", note=note)
    unit = COST_UNITS[frame["by"].iloc[0]]
    figure = figures.create_figure(sum(heights), f"Cost of each action, {unit}", caption)
    for axes, _, rows in figures.iterate_panels(
        figure, frame, "decision", grid="x", heights=heights
    ):
        _draw_costs(axes, rows)
    return figure


def _make_action_labels(rows: pd.DataFrame) -> list[str]:
    """Return the labels of actions, with a suffix for the action that was played."""
    actions = zip(rows["action"], rows["done"], strict=True)
    return [action + CHOSEN_ACTION_SUFFIX if is_chosen else action for action, is_chosen in actions]


def _compute_rows_height(rows: pd.DataFrame) -> float:
    """Return the total height of the rows of a panel, in inches."""
    labels = _make_action_labels(rows)
    return figures.compute_row_height(labels) * len(labels)


def _draw_costs(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a dot with an error bar for every action, in the order of the DataFrame."""
    bounds = figures.extract_float_columns(rows, "cost", "low", "high")
    was_chosen = rows["done"].to_numpy(bool)
    may_be_best = rows["best"].to_numpy(bool)
    for row in range(len(rows)):
        style = figures.get_series_style(1 if was_chosen[row] else 0)
        # The best action is compared with itself, so it is never inconclusive.
        draw_bars = figures.draw_inconclusive_error_bars
        if row == 0 or not may_be_best[row]:
            draw_bars = figures.draw_horizontal_error_bars
        row_array = np.array([row])
        draw_bars(axes, row_array, [column[row_array] for column in bounds], style, "")
    figures.draw_reference_line(axes, 0)
    figures.set_row_names(axes, _make_action_labels(rows))
    axes.margins(x=0.06)
    axes.locator_params(axis="x", nbins=6)


# Charts for players, in which gains are blue and losses are orange

INCONCLUSIVE_OPACITY = 0.5  # opacity of inconclusive numbers
GAIN_UNITS = {"deal": "points per deal", "match": "% of matches"}
CHART_TITLES = {
    "knock_gain": ("Should you knock?", "your own turn", "deadwood"),
    "upcard_gain": ("Should you take the first upcard?", "your seat", "upcard"),
    "discard_gain": ("What does the first discard cost?", "card", "partners in the hand"),
}


@figures.validate_frame
def decision_chart(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the mean gain from an action in each situation, with significant gains in colour.

    The required columns are metric (knock_gain, upcard_gain or discard_gain), unit (deal or match),
    row, column, value and p_holm. The DataFrame must contain only one chart.
    """
    title, column_label, row_label = CHART_TITLES[str(frame["metric"].iloc[0])]
    rows, columns = (figures.find_unique_names(frame[name]) for name in ("row", "column"))
    if column_label == "your own turn":
        columns = sorted(columns, key=lambda turn: int(turn.rstrip("+")))
    is_significant = frame["p_holm"] < ALPHA
    unit = str(frame["unit"].iloc[0])
    frame = frame.assign(value=frame["value"] * (100 if unit == "match" else 1))
    note = (
        f"Average gain in {GAIN_UNITS[unit]}. Blue cells are gains, and orange cells are losses. "
        "Pale cells are inconclusive. The 95 % confidence level applies to all cells together."
    )
    caption = figures.format_caption(frame, seed=seed, unit="decisions", note=note)
    figure = figures.create_figure(0.34 * len(rows) + 0.5, title, caption)
    (axes,) = figures.stack_panels(figure, 1)
    value_table = frame.pivot(index="row", columns="column", values="value").reindex(rows)[columns]
    gains = value_table.to_numpy(np.float64)
    frame["significant"] = frame["value"].where(is_significant | frame["value"].isna(), 0)
    cells = frame.pivot(index="row", columns="column", values="significant").reindex(rows)[columns]
    max_gain = figures.compute_max_absolute_value(cells, 1.0)
    number_format = "{:+.0f}" if max_gain >= 5 else "{:+.1f}"
    figures.draw_heat_map(
        axes,
        cells.to_numpy(float),
        rows,
        columns,
        midpoint=0,
        max_deviation=max_gain,
        number_format=number_format,
    )
    for label in axes.texts:
        column, row = map(int, label.get_position())
        gain = gains[row, column]
        if np.isnan(gain):
            continue  # The label of an undefined cell is kept.
        number_text = number_format.format(gain)
        # Remove the sign of zero.
        label.set_text(number_text if float(number_text) else number_text[1:])
        label.set_alpha(INCONCLUSIVE_OPACITY if cells.iat[row, column] == 0 else 1)
    figures.set_axis_labels(axes, column_label, row_label)
    return figure
