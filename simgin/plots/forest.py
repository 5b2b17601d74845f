"""Plots of differences from a baseline, gains by group of opponents, and parameter searches."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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

PANEL_HEADER_HEIGHT = 0.55  # height of a panel without its rows, in inches
# possible ticks on the scale of gains in points, and maximum number of ticks on each side
SQUARE_ROOT_SCALE_TICKS, MAX_TICKS = ((0.01, 0.04, 0.2, 1, 4, 20, 80), 2)
SCALE_MARGIN = 1.15  # extent of the scale of gains on each side, relative to the largest gain
MIN_SCALE_LIMIT = 0.01  # minimum extent of the scale of gains on each side, in points
ERROR_BARS_NOTE = "Error bars are 95 % intervals of differences on the same deals."
# minimum ratio of an outlier to the median, and minimum number of rows for outlier detection
MIN_OUTLIER_MEDIAN_RATIO, MIN_OUTLIER_ROWS = 6, 4
MINUS_SIGN = "\N{MINUS SIGN}"  # minus sign in tick labels
OUTLIERS_NOTE = "Arrows mark estimates outside the scale. Their values are printed on the right."
NAME_COLUMNS = ("variant", "strategy", "opponent", "base_variant", "base_strategy")
INCONCLUSIVE_NOTE = "Hollow grey dots mark differences that are not significant."


@figures.validate_frame
def forest_plot(
    frame: pd.DataFrame, *, labels: Mapping[str, str] | None = None, seed: int | None = None
) -> Figure:
    """Plot differences from the baseline by variant or strategy, with one panel per metric.

    The required columns are metric, base_variant, base_strategy and value, as in `differences.csv`.
    The column p_holm is optional. The rows are sorted by the first metric. Parts that all names
    share are shown only in the caption. Arrows mark values outside the scale. Significance depends
    on p_holm or, if this column is missing, on the interval. If any metric has a significant
    difference, metrics without significant differences are named only in the caption.

    Args:
        frame: Differences, such as `results.differences` or the contents of `differences.csv`.
        labels: Names of variants and strategies for the plot, by spec.
        seed: Seed shown in the caption.

    Example:
        results = simgin.run("experiment.toml")
        simgin.plots.forest_plot(results.differences)
    """
    frame = frame.replace({column: dict(labels or {}) for column in NAME_COLUMNS})
    if "se" in frame and frame["se"].any():
        frame = frame[frame["se"] != 0]  # metrics that cannot differ are omitted
    has_same_variant = frame["variant"] == frame["base_variant"]
    compared_column = "strategy" if has_same_variant.all() else "variant"
    baselines = frame[f"base_{compared_column}"]
    row_names = _make_row_names(frame, compared_column)
    if has_same_variant.nunique() > 1:  # differences between strategies and between variants
        baselines = baselines.mask(has_same_variant, frame.get("base_strategy"))
        row_names = [f"{name} v {base}" for name, base in zip(row_names, baselines, strict=True)]
    baseline_names = figures.find_unique_names(baselines)
    names, shared_sentence = figures.drop_shared_parts(row_names)
    frame = _convert_to_display_units(frame).assign(name=names, clear=_find_significant_rows(frame))
    titles = {name: metrics.METRICS_BY_NAME[name].title for name in frame["metric"]}
    displayed_metrics = figures.find_unique_names(frame.loc[frame["clear"], "metric"]) or list(
        titles
    )
    inconclusive_titles = [titles[name] for name in titles if name not in displayed_metrics]
    note = f"Baseline: {baseline_names[0]}. " if len(baseline_names) == 1 else ""
    note += f"{_make_marks_note(frame[frame['metric'].isin(displayed_metrics)])}{shared_sentence}"
    if inconclusive_titles:
        note += f" No significant difference: {', '.join(inconclusive_titles)}."
    first_values = frame["value"].where(frame["metric"] == displayed_metrics[0])
    sort_values = first_values.groupby(frame["name"]).transform("max")
    frame = frame.assign(rank=sort_values).sort_values("rank", ascending=False, kind="stable")
    rows_by_title = {titles[name]: frame[frame["metric"] == name] for name in displayed_metrics}
    limit_by_title = {title: find_outlier_limit(rows) for title, rows in rows_by_title.items()}
    if any(map(math.isfinite, limit_by_title.values())):
        note += f" {OUTLIERS_NOTE}"
    unit = "" if "unit" in frame else "deals or matches"
    caption = figures.format_caption(frame, seed=seed, unit=unit, note=note)
    title = f"Difference from {baseline_names[0] if len(baseline_names) == 1 else 'the baseline'}"
    figure, _ = _draw_panels(title, caption, rows_by_title, limit_by_title)
    return figure


def _make_marks_note(frame: pd.DataFrame) -> str:
    """Return a note on the error bars and on any hollow grey dots."""
    return ERROR_BARS_NOTE if frame["clear"].all() else f"{ERROR_BARS_NOTE} {INCONCLUSIVE_NOTE}"


def _make_row_names(frame: pd.DataFrame, compared_column: str) -> list[str]:
    """Return row names that consist of the columns that vary between rows."""
    varying = [name for name in ("variant", "strategy", "opponent") if frame[name].nunique() > 1]
    columns = dict.fromkeys([compared_column, *varying])
    return list(frame[list(columns)].astype(str).agg(", ".join, axis=1))


def _convert_to_display_units(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert differences to display units, such as percentages instead of proportions."""
    factors = frame["metric"].map(lambda name: metrics.METRICS_BY_NAME[name].display_factor)
    value_columns = ("value", "low", "high")
    return frame.assign(**{name: frame[name].astype(float) * factors for name in value_columns})


def find_outlier_limit(rows: pd.DataFrame) -> float:
    """Return the absolute value above which an estimate is an outlier, or inf without outliers."""
    absolute_values = rows["value"].abs().dropna()
    if len(absolute_values) < MIN_OUTLIER_ROWS:
        return math.inf
    outlier_limit = MIN_OUTLIER_MEDIAN_RATIO * float(absolute_values.median())
    return outlier_limit if (absolute_values > outlier_limit).any() else math.inf


def mark_outliers(axes: Axes, rows: pd.DataFrame, limit: float, names: Sequence[str]) -> None:
    """Exclude outliers from the range of an axis, and mark them at the edge of a plot.

    Args:
        axes: Axes of the estimates.
        rows: Estimates with the columns value, low, high, name and clear (True if significant).
        limit: Result of `find_outlier_limit`.
        names: Names of the rows, from top to bottom.
    """
    is_outlier = rows["value"].abs() > limit
    usual_bounds = figures.extract_float_columns(rows[~is_outlier], "value", "low", "high")
    scale_limit = SCALE_MARGIN * figures.compute_max_absolute_value(usual_bounds, MIN_SCALE_LIMIT)
    axes.set_xlim(-scale_limit, scale_limit)
    for _, row in rows[is_outlier].iterrows():
        value, y = row["value"], names.index(row["name"])
        text_colour = figures.get_setting("text.color")
        colour = text_colour if row["clear"] else figures.get_muted_colour()
        x = math.copysign(0.97 * scale_limit, value)
        axes.plot(x, y, ">" if value > 0 else "<", color=colour, clip_on=False, zorder=3)
        value_text = f"{value:+.3g}".replace("-", MINUS_SIGN)
        size, transform = (figures.scale_font(figures.SMALL_FONT_SIZE), axes.get_yaxis_transform())
        style: dict[str, Any] = {"va": "center", "fontsize": size, "color": text_colour}
        axes.text(1.03, y, value_text, transform=transform, **style)


@figures.validate_frame
def gains_by_field(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot gains in points per deal from changes to a strategy, with one panel per change.

    The required columns are change, field and value. All rows are gains in points per deal (metric
    `margin`) under one variant. The panels are sorted by mean gain and share a square-root scale.
    Each panel contains a dot with an error bar for every field of opponents.
    """
    mean_gains = frame.groupby("change", sort=False)["value"].mean()
    changes = mean_gains.sort_values(ascending=False, kind="stable").index
    # The caption lists only the fields because a list of all changes would be too long.
    field_frame = frame.assign(strategy=frame["field"], opponent="")
    frame = frame.assign(name=frame["field"].map(str), clear=_find_significant_rows(frame))
    note = f"{_make_marks_note(frame)} All panels share a square-root scale."
    caption = figures.format_caption(field_frame, seed=seed, unit="deals", note=note)
    rows_by_change = {str(change): frame[frame["change"] == change] for change in changes}
    figure, panels = _draw_panels(
        "Points gained per deal, by group of opponents", caption, rows_by_change
    )
    max_bound = figures.compute_max_absolute_value(
        figures.extract_float_columns(frame, "low", "high"), MIN_SCALE_LIMIT
    )
    for axes in panels:
        _set_square_root_scale(axes, SCALE_MARGIN * max_bound)
    return figure


def _find_significant_rows(frame: pd.DataFrame) -> pd.Series:
    """Return a mask of the significant rows, based on `p_holm` or, if missing, on the intervals."""
    if "p_holm" in frame:
        return frame["p_holm"] < ALPHA
    return (frame["low"] > 0) | (frame["high"] < 0)


def _draw_panels(
    title: str,
    caption: str,
    rows_by_heading: Mapping[str, pd.DataFrame],
    limit_by_heading: Mapping[str, float] | None = None,
) -> tuple[Figure, list[Axes]]:
    """Draw one panel per group of rows, and return the figure and the panels.

    Every panel has one row per name, with a dot and an error bar. Differences that are not
    significant are grey. `limit_by_heading` contains the distance from 0 above which values are
    outliers, by panel.
    """
    names = list(dict.fromkeys(name for rows in rows_by_heading.values() for name in rows["name"]))
    height = len(rows_by_heading) * (
        PANEL_HEADER_HEIGHT + figures.compute_row_height(names) * len(names)
    )
    figure = figures.create_figure(height, title, caption)
    panels = figures.stack_panels(figure, len(rows_by_heading), grid="x")
    for axes, (heading, rows) in zip(panels, rows_by_heading.items(), strict=True):
        for name, row in figures.iterate_groups(rows, "name"):
            draw_bars = figures.draw_inconclusive_error_bars
            if row["clear"].any():
                draw_bars = figures.draw_horizontal_error_bars
            bounds = figures.extract_float_columns(row, "value", "low", "high")
            draw_bars(axes, np.array([names.index(name)]), bounds, figures.get_neutral_style(), "")
        figures.draw_reference_line(axes, 0)
        figures.set_row_names(axes, names)
        figures.set_panel_title(axes, heading)
        axes.margins(x=0.12)
        axes.locator_params(axis="x", nbins=4)
        if limit_by_heading and math.isfinite(limit_by_heading[heading]):
            mark_outliers(axes, rows, limit_by_heading[heading], names)
    return figure, panels


def _set_square_root_scale(axes: Axes, scale_limit: float) -> None:
    """Set a square-root scale with signs, on which small and large gains are visible."""
    axes.set_xscale("function", functions=(_compute_signed_root, _compute_signed_square))
    axes.set_xlim(-scale_limit, scale_limit)
    positive_ticks = [points for points in SQUARE_ROOT_SCALE_TICKS if points < scale_limit][
        -MAX_TICKS:
    ]
    ticks = sorted([*[-points for points in positive_ticks], 0, *positive_ticks])
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def _compute_signed_root(values: np.ndarray) -> np.ndarray:
    """Return the square roots of absolute values, with the signs of the values."""
    return np.asarray(np.sign(values) * np.sqrt(np.abs(values)))


def _compute_signed_square(values: np.ndarray) -> np.ndarray:
    """Return the squares of values, with the signs of the values."""
    return np.asarray(np.sign(values) * np.square(values))


# History of a parameter search

GAIN_PANEL_HEIGHT, PARAMETER_PANEL_HEIGHT = 1.9, 1.15  # height of a panel, in inches
SEARCH_NOTE = (
    "Top: gain over the default at the mean of the search distribution, on held-out deals, with "
    "95 % intervals. Below: parameters at this mean. Bands show one standard deviation of the "
    "candidates. The last point shows the validated result. Dashed lines mark the default."
)


@figures.validate_frame
def search_history(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the gain and the parameter values of a search for each generation.

    The DataFrame is `history_frame` of a result of `simgin.tune_strategy`. The required columns
    are generations, metric, gain (with low and high), parameter, value (with value_low and
    value_high, the range of the candidates) and default. There must be one row per generation and
    parameter.

    Example:
        result = simgin.tune_strategy("gold-early", generations=5)
        simgin.plots.search_history(result.history_frame)
    """
    parameter_names = figures.find_unique_names(frame["parameter"])
    unit = "matches per candidate"
    caption = figures.format_caption(frame, seed=seed, unit=unit, note=SEARCH_NOTE)
    heights = [GAIN_PANEL_HEIGHT, *[PARAMETER_PANEL_HEIGHT] * len(parameter_names)]
    figure = figures.create_figure(sum(heights), "Search for better parameters", caption)
    gain_axes, *panels = figures.stack_panels(figure, len(heights), sharex=True, heights=heights)
    _draw_gain(gain_axes, frame[frame["parameter"] == parameter_names[0]])
    for axes, (name, rows) in zip(panels, figures.iterate_groups(frame, "parameter"), strict=True):
        _draw_parameter(axes, rows)
        figures.set_panel_title(axes, name)
    figures.set_axis_labels(panels[-1], "generations")
    return figure


def _draw_gain(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the gain over the default strategy by generation."""
    metric = metrics.METRICS_BY_NAME[rows["metric"].iloc[0]]
    (generations,) = figures.extract_float_columns(rows, "generations")
    bounds = figures.extract_float_columns(rows, "gain", "low", "high")
    displayed_bounds = [metric.display_factor * bound for bound in bounds]
    _draw_default_line(axes, 0)
    figures.draw_band(axes, generations, displayed_bounds, figures.get_series_style(0))
    figures.label_undefined_axes(axes, rows["gain"])
    figures.set_panel_title(axes, f"gain over the default, {metric.title}")
    _use_integer_ticks(axes)


def _draw_parameter(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the value of a parameter by generation."""
    generations, default = figures.extract_float_columns(rows, "generations", "default")
    bounds = figures.extract_float_columns(rows, "value", "value_low", "value_high")
    _draw_default_line(axes, default[0])
    figures.draw_band(axes, generations, bounds, figures.get_series_style(0))
    figures.label_undefined_axes(axes, rows["value"])
    _use_integer_ticks(axes)


def _draw_default_line(axes: Axes, default: float) -> None:
    """Draw a dashed line at the default value."""
    axes.axhline(default, color=figures.get_setting("text.color"), linewidth=1, linestyle="--")


def _use_integer_ticks(axes: Axes) -> None:
    """Restrict the ticks of the generation axis to integers."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
