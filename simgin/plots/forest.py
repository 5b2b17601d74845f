"""Forest plots: differences between variants or strategies, gains by field, and searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.report import figures
from simgin.stats import metrics
from simgin.stats.estimate import ALPHA

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["forest_plot", "gains_by_field", "search_history"]

PANEL_HEAD = 0.55  # inches of a panel without its rows
# Possible ticks on the scale of gains in points, and the maximum on each side
TICK_POINTS, MAX_TICKS = ((0.01, 0.04, 0.2, 1, 4, 20, 80), 2)
SCALE_MARGIN = 1.15  # limit of the scale of gains, relative to the largest gain
MIN_REACH = 0.01  # points; smallest limit of the scale of gains
BARS_NOTE = "Error bars are 95 % intervals from shared deals, and some are shorter than their dot."
INCONCLUSIVE_NOTE = "Hollow grey dots mark differences that are not significant."


@figures.plot_function
def forest_plot(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the differences between variants or strategies and their baseline by metric.

    Columns: metric, title, base_variant (and base_strategy), value, and optionally p_holm.
    Significance depends on p_holm if the column exists, and otherwise on the interval. Metrics
    without a significant difference are only listed in the caption, unless no metric has one.
    `simgin.prepare_forest` creates such a DataFrame from the differences of a run.

    Args:
        frame: The differences in display units, such as %.
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        results = simgin.run("experiment.toml")
        simgin.plots.forest_plot(simgin.prepare_forest(results.differences))
    """
    same_variant = frame["variant"] == frame["base_variant"]
    compared = "strategy" if same_variant.all() else "variant"
    base = str(frame[f"base_{compared}"].iloc[0])
    frame = frame.assign(name=frame[compared].map(str), clear=_is_significant(frame))
    titles = frame.drop_duplicates("metric").set_index("metric")["title"].map(str)
    shown = figures.unique_names(frame.loc[frame["clear"], "metric"]) or list(titles.index)
    unclear = [title for metric, title in titles.items() if metric not in shown]
    note = f"{BARS_NOTE} {INCONCLUSIVE_NOTE}"
    note += f" No significant difference: {', '.join(unclear)}." if unclear else ""
    caption = figures.format_caption(frame, seed=seed, unit="deals or matches", note=note)
    parts = {titles[metric]: frame[frame["metric"] == metric] for metric in shown}
    figure, _ = _draw_panels(f"Difference from {base}", caption, parts)
    return figure


@figures.plot_function
def gains_by_field(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the gain of changes to a strategy in points per deal, with one panel per change.

    Columns: change, field, value. All rows are gains in points per deal (metric margin) under one
    variant. Panels are sorted by mean gain, share a square-root scale, and contain a dot with an
    error bar for every field.

    Args:
        frame: The gains.
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        simgin.plots.gains_by_field(gains, seed=7)
    """
    gains = frame.groupby("change", sort=False)["value"].mean()
    changes = gains.sort_values(ascending=False, kind="stable").index
    # The caption lists only the fields, because a list of all changes would be too long
    by_field = frame.assign(strategy=frame["field"], opponent="")
    note = f"{BARS_NOTE} {INCONCLUSIVE_NOTE} All panels share a square-root scale."
    caption = figures.format_caption(by_field, seed=seed, unit="deals", note=note)
    frame = frame.assign(name=frame["field"].map(str), clear=_is_significant(frame))
    parts = {str(change): frame[frame["change"] == change] for change in changes}
    figure, panels = _draw_panels("Points per deal gained, by field", caption, parts)
    largest = figures.max_distance(figures.float_columns(frame, "low", "high"), MIN_REACH)
    for axes in panels:
        _set_root_scale(axes, SCALE_MARGIN * largest)
    return figure


def _is_significant(frame: pd.DataFrame) -> pd.Series:
    """Return True for rows that are significant by p_holm or, without it, by their interval."""
    if "p_holm" in frame:
        return frame["p_holm"] < ALPHA
    return (frame["low"] > 0) | (frame["high"] < 0)


def _draw_panels(
    title: str, caption: str, parts: Mapping[str, pd.DataFrame]
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel for every part, and its panels.

    Every panel has a row for every name, with a dot and an error bar. Differences that are not
    significant are grey.
    """
    names = list(dict.fromkeys(name for part in parts.values() for name in part["name"]))
    height = len(parts) * (PANEL_HEAD + figures.row_height(names) * len(names))
    figure = figures.new_figure(height, title, caption)
    panels = figures.stack_panels(figure, len(parts), grid="x")
    for axes, (heading, part) in zip(panels, parts.items(), strict=True):
        for name, row in figures.iterate_groups(part, "name"):
            draw = (
                figures.draw_horizontal_bars
                if row["clear"].any()
                else figures.draw_inconclusive_bars
            )
            limits = figures.float_columns(row, "value", "low", "high")
            draw(axes, np.array([names.index(name)]), limits, figures.SINGLE_STYLE, "")
        axes.axvline(0, color=figures.MUTED_COLOUR, linewidth=1, zorder=1)
        figures.set_row_names(axes, names)
        figures.set_panel_title(axes, heading)
        axes.margins(x=0.12)
        axes.locator_params(axis="x", nbins=4)
    return figure, panels


def _set_root_scale(axes: Axes, reach: float) -> None:
    """Set a signed square-root scale, on which small and large gains are visible."""
    axes.set_xscale("function", functions=(_signed_root, _signed_square))
    axes.set_xlim(-reach, reach)
    gains = [points for points in TICK_POINTS if points < reach][-MAX_TICKS:]
    ticks = sorted([*[-points for points in gains], 0, *gains])
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def _signed_root(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.sign(x) * np.sqrt(np.abs(x)))


def _signed_square(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.sign(x) * np.square(x))


# History of a parameter search

GAIN_HEIGHT, PARAMETER_HEIGHT = 1.9, 1.15  # inches per panel
LINE_STYLE = figures.SERIES_STYLES[0]
DEFAULT_LINE: dict[str, Any] = {"color": figures.TEXT_COLOUR, "linewidth": 1, "linestyle": "--"}
SEARCH_NOTE = (
    "Top: gain of the distribution mean over the default on held-out deals, with 95 % intervals. "
    "Below: parameters of the mean, with one standard deviation of the candidates as a band. The "
    "last point shows the validated result. Dashed lines mark the default."
)


@figures.plot_function
def search_history(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the gain over the default and the parameters of a search by generation.

    Columns: generations, metric, gain (with low and high), parameter, value (with value_low and
    value_high, the range of the candidates), default. There is one row per generation and
    parameter.

    Args:
        frame: The history of the search.
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        result = simgin.tune_strategy("gold-early", generations=5)
        simgin.plots.search_history(result.history_frame)
    """
    names = figures.unique_names(frame["parameter"])
    caption = figures.format_caption(
        frame, seed=seed, unit="matches per candidate", note=SEARCH_NOTE
    )
    heights = [GAIN_HEIGHT, *[PARAMETER_HEIGHT] * len(names)]
    figure = figures.new_figure(sum(heights), "Search for better parameters", caption)
    top, *panels = figures.stack_panels(figure, len(heights), sharex=True, heights=heights)
    _draw_gain(top, frame[frame["parameter"] == names[0]])
    for axes, (name, rows) in zip(panels, figures.iterate_groups(frame, "parameter"), strict=True):
        _draw_parameter(axes, rows)
        figures.set_panel_title(axes, name)
    figures.set_axis_labels(panels[-1], "generations")
    return figure


def _draw_gain(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the gain over the default by generation."""
    metric = metrics.METRICS_BY_NAME[rows["metric"].iloc[0]]
    (generations,) = figures.float_columns(rows, "generations")
    shown = [
        metric.display_factor * limit
        for limit in figures.float_columns(rows, "gain", "low", "high")
    ]
    axes.axhline(0, **DEFAULT_LINE)
    figures.draw_band(axes, generations, shown, LINE_STYLE, "")
    figures.label_if_undefined(axes, rows["gain"])
    figures.set_panel_title(axes, f"gain over the default, {metric.title}")
    _use_integer_ticks(axes)


def _draw_parameter(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw one parameter by generation."""
    generations, default = figures.float_columns(rows, "generations", "default")
    limits = figures.float_columns(rows, "value", "value_low", "value_high")
    axes.axhline(default[0], **DEFAULT_LINE)
    figures.draw_band(axes, generations, limits, LINE_STYLE, "")
    figures.label_if_undefined(axes, rows["value"])
    _use_integer_ticks(axes)


def _use_integer_ticks(axes: Axes) -> None:
    """Restrict the ticks to whole generations."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
