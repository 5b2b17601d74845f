"""Plots of rule reviews, with a colour for each rule set and equal scales."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.report import figures
from simgin.stats.metrics import format_deal_ending

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "effects_by_player_type",
    "endings_by_player_type",
    "knocks_by_turn",
    "match_length",
    "score_difference",
    "sweep_curves",
    "sweep_map",
]

PERCENTAGE_POINTS_UNIT = " percentage points"
PANEL_HEIGHT = 1.0  # height of the panel of a distribution, in inches
PLOTTED_ENDINGS = ("gin", "knock", "undercut", "void", "stalled")
MIN_COLOUR_LIMIT = 2.0  # minimum extent of a colour scale on each side, in percentage points
# Minimum proportion of knocks in a cell. Cells with fewer knocks are empty.
MIN_SHOWN_PROPORTION = 0.001
MIN_MAP_ROW_HEIGHT = 0.34  # minimum height of a row in the heat map of a sweep, in inches
# maximum number of characters of a row name and all column names in the heat map of a sweep
MAX_HEAT_MAP_CHARACTERS = 48
CHARACTER_WIDTH = 0.075  # mean width of a character in a column name, in inches
VARIANT_DOT_HEIGHT = 0.075  # minimum height per variant in the row of a player type, in inches
VARIANT_DOT_SPREAD = 0.5  # total height of the dots of all variants, as a proportion of a row


@figures.validate_frame
def match_length(
    frame: pd.DataFrame, *, seed: int | None = None, order: Sequence[str] = ()
) -> Figure:
    """Plot the distribution and the median of turns per match for every variant.

    The DataFrame contains the match lengths of a review. The required columns are turns (lower end
    of a bin), width, value (proportion of matches) and median.
    """
    variants = figures.find_unique_names(frame["variant"])
    player_text = " of both players together" if any(frame["opponent"]) else ""
    note = (
        f"Each bar covers {int(frame['width'].iloc[0])} turns{player_text}. The line marks the "
        f"median. {figures.format_max_half_width(frame, unit=PERCENTAGE_POINTS_UNIT)}"
    )
    caption = figures.format_caption(frame, seed=seed, unit="matches", note=note)
    figure = figures.create_figure(PANEL_HEIGHT * len(variants) + 0.4, "", caption)
    styles = figures.assign_series_styles(variants, order)
    max_percentage = 100 * figures.compute_max_absolute_value(frame["value"], MIN_SHOWN_PROPORTION)
    for axes, variant, rows in figures.iterate_panels(figure, frame, "variant", sharex=True):
        _draw_distribution(axes, rows, styles[variant].colour)
        axes.set_ylim(0, 1.1 * max_percentage)
        figures.set_panel_title(axes, f"{variant}: median {rows['median'].iloc[0]:.0f} turns")
    figures.set_axis_labels(axes, "turns per match", "matches, %")
    return figure


def _draw_distribution(axes: Axes, rows: pd.DataFrame, colour: str) -> None:
    """Draw a histogram of turns per match with a line at the median."""
    turns, width, percentages = figures.extract_float_columns(rows, "turns", "width", "value")
    if np.isnan(percentages).all():
        figures.label_empty_axes(axes, figures.UNDEFINED_LABEL)
        return
    axes.bar(turns, 100 * percentages, width=width, align="edge", color=colour, alpha=0.55)
    axes.axvline(rows["median"].iloc[0], color=figures.get_setting("text.color"), linewidth=1.2)
    axes.locator_params(axis="y", nbins=3)


@figures.validate_frame
def endings_by_player_type(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot deal endings as stacked bars, with one bar per player type and variant.

    The DataFrame contains the deal endings of a review. The required columns are players, metric
    (gin, knock, undercut, void or stalled) and value.
    """
    variants = figures.find_unique_names(frame["variant"])
    player_types = figures.find_unique_names(frame["players"])
    height = figures.compute_row_height(player_types) * len(player_types)
    note = "Both players are of the same type. " * any(frame["opponent"])
    note += figures.format_max_half_width(frame, unit=PERCENTAGE_POINTS_UNIT)
    caption = figures.format_caption(frame, seed=seed, unit="deals", note=note)
    outcomes = [name for name in PLOTTED_ENDINGS if frame[frame["metric"] == name]["value"].any()]
    ending_names = [format_deal_ending(name) for name in outcomes]
    figure = figures.create_figure((height + 0.35) * len(variants), "", caption, ending_names)
    for axes, _, rows in figures.iterate_panels(figure, frame, "variant", sharex=True):
        _draw_endings(axes, rows, player_types, outcomes)
    figures.set_axis_labels(axes, "deals, %")
    figures.add_legend(figure.axes[0])
    return figure


def _draw_endings(
    axes: Axes, rows: pd.DataFrame, player_types: Sequence[str], outcomes: Sequence[str]
) -> None:
    """Draw a stacked bar of deal endings for each player type."""
    edges = np.zeros(len(player_types))
    for outcome in outcomes:
        proportions = rows[rows["metric"] == outcome].set_index("players")["value"]
        percentages = np.nan_to_num([100 * proportions.get(name, 0.0) for name in player_types])
        label = format_deal_ending(outcome)
        figures.draw_stacked_bars(axes, outcome, percentages, edges, label, figures.SMALL_FONT_SIZE)
        edges = edges + percentages
    figures.label_undefined_rows(axes, np.flatnonzero(edges == 0))
    figures.set_row_names(axes, player_types)
    axes.set_xlim(0, 100)
    axes.grid(visible=False)


@figures.validate_frame
def knocks_by_turn(
    frame: pd.DataFrame, *, seed: int | None = None, order: Sequence[str] = ()
) -> Figure:
    """Plot the turn and deadwood at which the strong player knocks, for every variant.

    The DataFrame contains the knocks of a review. The required columns are turn, deadwood and
    value (proportion of all knocks of the variant).
    """
    variants = figures.find_unique_names(frame["variant"])
    precision = figures.format_max_half_width(frame, unit=PERCENTAGE_POINTS_UNIT)
    note = (
        "In each panel, cells with a more intense colour contain more of the strong player's "
        f"knocks. {precision}"
    )
    caption = figures.format_caption(frame, seed=seed, unit="knocks", note=note)
    figure = figures.create_figure(1.5 * len(variants) + 0.3, "", caption)
    styles = figures.assign_series_styles(variants, order)
    is_shown = frame["value"] > MIN_SHOWN_PROPORTION
    max_turn = figures.compute_max_absolute_value(frame[is_shown]["turn"], 1)
    max_deadwood = figures.compute_max_absolute_value(frame[frame["value"] > 0]["deadwood"], 0)
    for axes, variant, rows in figures.iterate_panels(figure, frame, "variant"):
        _draw_knocks(axes, rows, styles[variant].colour)
        axes.set(xlim=(0.5, max_turn + 0.5), ylim=(-0.5, max_deadwood + 0.5))
        figures.set_axis_labels(axes, "", "deadwood")
    figures.set_axis_labels(axes, "knocker's own turn", "deadwood")
    return figure


def _draw_knocks(axes: Axes, rows: pd.DataFrame, colour: str) -> None:
    """Draw a heat map of knocks by turn and deadwood."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    table = rows.pivot(index="deadwood", columns="turn", values="value")
    colour_map = LinearSegmentedColormap.from_list("knocks", [to_rgba(colour, a) for a in (0, 1)])
    proportions = np.ma.masked_equal(table.to_numpy(dtype=float), 0)
    values_by_axis = [np.asarray(cells, np.float64) for cells in (table.columns, table.index)]
    edges = [np.append(cells - 0.5, cells[-1] + 0.5) for cells in values_by_axis]
    axes.pcolormesh(*edges, proportions, cmap=colour_map, vmin=0)
    axes.grid(visible=False)
    axes.locator_params(integer=True)
    if not any(rows["value"] > MIN_SHOWN_PROPORTION):
        figures.label_empty_axes(axes, "no knock")


@figures.validate_frame
def effects_by_player_type(
    frame: pd.DataFrame, *, seed: int | None = None, order: Sequence[str] = ()
) -> Figure:
    """Plot differences from the baseline by player type, with one panel per metric.

    The DataFrame contains the differences computed by a review. The required columns are players,
    title, factor and value. Each variant has its own colour. The plot shows at most eight variants.
    """
    all_variants = figures.find_unique_names(frame["variant"])
    variants = all_variants[: figures.MAX_SERIES]
    frame = frame[frame["variant"].isin(variants)]
    titles = figures.find_unique_names(frame["title"])
    player_types = figures.find_unique_names(frame["players"])
    row_height = max(figures.compute_row_height(player_types), VARIANT_DOT_HEIGHT * len(variants))
    height = (row_height * len(player_types) + 0.5) * len(titles)
    note = (
        "Differences from the baseline in matches between two players of the same type. Error bars "
        "are 95 % intervals."
    )
    if len(variants) < len(all_variants):
        note += f" The plot shows the first {len(variants)} of {len(all_variants)} variants."
    caption = figures.format_caption(frame, seed=seed, unit="matches", note=note)
    figure = figures.create_figure(height, "", caption, variants)
    styles = figures.assign_series_styles(variants, order)
    for axes, _, rows in figures.iterate_panels(figure, frame, "title", grid="x"):
        _draw_player_type_dots(axes, rows, player_types, styles)
    figures.add_legend(figure.axes[0])
    return figure


def _scale_bounds(rows: pd.DataFrame) -> list[np.ndarray]:
    """Return values and bounds, each multiplied by the display factor of its row."""
    (factor,) = figures.extract_float_columns(rows, "factor")
    return [
        factor * values for values in figures.extract_float_columns(rows, "value", "low", "high")
    ]


def _draw_player_type_dots(
    axes: Axes,
    metric_rows: pd.DataFrame,
    player_types: Sequence[str],
    styles: dict[str, figures.SeriesStyle],
) -> None:
    """Draw a row for each player type, with a slightly shifted dot for each variant."""
    for i, (variant, style) in enumerate(styles.items()):
        rows = metric_rows[metric_rows["variant"] == variant].set_index("players")
        rows = rows.reindex(list(player_types)).dropna(subset=["value"])
        shift = VARIANT_DOT_SPREAD * ((i + 0.5) / len(styles) - 0.5)
        y = shift + np.array(
            [list(player_types).index(str(player_type)) for player_type in rows.index]
        )
        figures.draw_horizontal_error_bars(axes, y, _scale_bounds(rows), style, variant)
    measured_types = set(metric_rows.dropna(subset=["value"])["players"])
    undefined_rows = [row for row, name in enumerate(player_types) if name not in measured_types]
    figures.label_undefined_rows(axes, undefined_rows)
    figures.draw_reference_line(axes, 0)
    figures.set_row_names(axes, player_types)
    axes.margins(x=0.06)
    axes.locator_params(axis="x", nbins=6)


@figures.validate_frame
def score_difference(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot how the match win probability at each score differs from the baseline.

    The DataFrame contains differences from a review, as proportions. The required columns are own
    and other (lower ends of bins, in % of the target), value, low and high. Each variant has a heat
    map. The heat maps show percentage points. Cells without a significant difference are empty.
    """
    is_significant = (frame["low"] > 0) | (frame["high"] < 0)
    variants = figures.find_unique_names(frame[is_significant]["variant"])
    note = (
        "Difference between the win probability and that of the baseline, in percentage points. "
        "In empty cells, the 95 % interval includes 0."
    )
    if inconclusive_names := [
        name for name in figures.find_unique_names(frame["variant"]) if name not in variants
    ]:
        note += f" No cell is significant for {', '.join(inconclusive_names)}."
    caption = figures.format_caption(frame, seed=seed, unit="deals", note=note)
    if not variants:
        return _make_empty_figure("No cell is significant", caption)
    frame = frame[frame["variant"].isin(variants)]
    figure = figures.create_figure(2.0 * len(variants), "", caption)
    percent_frame = frame.assign(value=100 * frame["value"].where(is_significant))
    max_difference = figures.compute_max_absolute_value(percent_frame["value"], MIN_COLOUR_LIMIT)
    for axes, _, rows in figures.iterate_panels(figure, percent_frame, "variant"):
        table = rows.pivot(index="own", columns="other", values="value")
        cells = table.to_numpy(dtype=float)
        fifth_labels = [
            f"{lower_end:.0f}–{lower_end + 20:.0f} %"  # noqa: RUF001
            for lower_end in map(float, table.columns)
        ]
        figures.draw_heat_map(
            axes,
            cells,
            fifth_labels,
            fifth_labels,
            midpoint=0,
            max_deviation=max_difference,
            number_format="{:+.0f}",
            font_size=figures.SMALL_FONT_SIZE,
        )
        figures.set_axis_labels(axes, "", "own score")
    figures.set_axis_labels(axes, "opponent's score in % of the target", "own score")
    return figure


def _make_empty_figure(reason: str, caption: str, title: str = "") -> Figure:
    """Return a figure that shows only the reason for missing data."""
    figure = figures.create_figure(0.5, title, caption)
    (axes,) = figures.stack_panels(figure, 1)
    figures.label_empty_axes(axes, reason)
    return figure


@figures.validate_frame
def sweep_curves(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot every row of the scorecard against a rule parameter, and mark the baseline.

    The DataFrame contains the values of a review that varies one parameter. The required columns
    are x_name, x, title, factor, value and is_base. If x contains only numbers, every panel has a
    curve. Otherwise, every panel has one dot per value of the parameter.
    """
    return (_plot_curves if _is_numeric(frame["x"]) else _plot_value_dots)(frame, seed)


def _plot_curves(frame: pd.DataFrame, seed: int | None) -> Figure:
    """Plot each row of the scorecard as a curve over a numeric parameter."""
    parameter_name, titles = str(frame["x_name"].iloc[0]), figures.find_unique_names(frame["title"])
    note = "Bands are 95 % intervals." + " A ring marks the baseline." * any(frame["is_base"])
    caption = _format_sweep_caption(frame, "x", seed=seed, note=note)
    figure = figures.create_figure(1.25 * len(titles), f"Effects of the {parameter_name}", caption)
    for axes, title, rows in figures.iterate_panels(figure, frame, "title", sharex=True):
        _draw_curve(axes, rows.sort_values("x"))
        figures.set_panel_title(axes, _add_percent_sign(title, rows))
    axes.locator_params(axis="x", integer=True)
    figures.set_axis_labels(axes, parameter_name)
    return figure


def _plot_value_dots(frame: pd.DataFrame, seed: int | None) -> Figure:
    """Plot each row of the scorecard with one dot per value of a parameter."""
    parameter_name, titles = str(frame["x_name"].iloc[0]), figures.find_unique_names(frame["title"])
    note = "Error bars are 95 % intervals." + " A ring marks the baseline." * any(frame["is_base"])
    caption = _format_sweep_caption(frame, "x", seed=seed, note=note)
    labels = _list_value_labels(frame["x"])
    height = (figures.compute_row_height(labels) * len(labels) + 0.5) * len(titles)
    figure = figures.create_figure(height, f"Effects of the {parameter_name}", caption)
    for axes, title, rows in figures.iterate_panels(figure, frame, "title", grid="x"):
        _draw_value_dots(axes, rows, labels)
        figures.set_panel_title(axes, _add_percent_sign(title, rows))
    return figure


def _is_numeric(values: pd.Series) -> bool:
    """Return True if all values of a swept parameter are numbers."""
    return values.dtype.kind in "iuf"


def _list_swept_values(values: pd.Series) -> list[Any]:
    """Return the distinct values of a swept parameter, in order if they are numbers."""
    distinct_values = list(dict.fromkeys(values))
    return sorted(distinct_values) if _is_numeric(values) else distinct_values


def _list_value_labels(values: pd.Series) -> list[str]:
    """Return the labels of the distinct values of a swept parameter."""
    return list(map(_format_swept_value, _list_swept_values(values)))


def _format_swept_value(value: Any) -> str:
    """Format a value of a swept parameter, such as `25` or `next open`."""
    return f"{value:g}" if isinstance(value, float) else str(value).replace("_", " ")


def _format_sweep_caption(
    frame: pd.DataFrame, *axis_names: str, seed: int | None, note: str
) -> str:
    """Return a caption with the swept parameters and their values instead of the variants."""
    labels_by_parameter = {
        str(frame[f"{axis}_name"].iloc[0]): _list_value_labels(frame[axis]) for axis in axis_names
    }
    parameter_texts = []
    for name, labels in labels_by_parameter.items():
        value_list = ", ".join(labels)
        if len(labels) > figures.MAX_LISTED_NAMES:
            value_list = f"{labels[0]} to {labels[-1]} ({len(labels)} values)"
        parameter_texts.append(f"{name} {value_list}")
    settings = {f"{name} {x}" for name, labels in labels_by_parameter.items() for x in labels}
    variant = " with ".join([*_find_common_variant(frame, settings), "; ".join(parameter_texts)])
    return figures.format_caption(frame, seed=seed, unit="matches", note=note, variants=[variant])


def _find_common_variant(frame: pd.DataFrame, settings: Collection[str]) -> list[str]:
    """Return the name that all variants share without the swept settings, or []."""
    remaining_names = set()
    for variant in figures.find_unique_names(frame["variant"]):
        clauses = variant.split(", ")
        other_clauses = [clause for clause in clauses if clause.lower() not in settings]
        # The labels of variants of `standard` contain only settings.
        remaining_names.add(", ".join(other_clauses) or "Standard")
    return [*remaining_names] if len(remaining_names) == 1 else []


def _add_percent_sign(title: str, rows: pd.DataFrame) -> str:
    """Return the title of a scorecard row, with "%" if the row contains percentages."""
    is_percentage = float(rows["factor"].iloc[0]) == 100
    return f"{title}, %" if is_percentage and not title.endswith("%") else title


def _draw_curve(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw a line with a confidence band and a ring around the baseline."""
    (x,) = figures.extract_float_columns(rows, "x")
    bounds = _scale_bounds(rows)
    style = figures.get_series_style(0)
    figures.draw_band(axes, x, bounds, style)
    axes.plot(x, bounds[0], "o", color=style.colour, markersize=figures.scale_marker_size(3.5))
    _draw_baseline_ring(axes, x, bounds[0], rows)
    axes.locator_params(axis="y", nbins=4)
    figures.label_undefined_axes(axes, bounds[0])


def _draw_value_dots(axes: Axes, rows: pd.DataFrame, labels: list[str]) -> None:
    """Draw a dot for every value of a parameter, and a ring around the baseline."""
    y = np.array([labels.index(_format_swept_value(value)) for value in rows["x"]])
    bounds = _scale_bounds(rows)
    figures.draw_horizontal_error_bars(axes, y, bounds, figures.get_series_style(0), "")
    _draw_baseline_ring(axes, bounds[0], y, rows)
    figures.set_row_names(axes, labels)
    axes.margins(x=0.06)
    axes.locator_params(axis="x", nbins=6)


def _draw_baseline_ring(axes: Axes, x: np.ndarray, y: np.ndarray, rows: pd.DataFrame) -> None:
    """Draw a ring around the dot of the baseline."""
    is_base, size = rows["is_base"].to_numpy(bool), figures.scale_marker_size(9)
    ring: dict[str, Any] = {"fillstyle": "none", "color": figures.get_setting("text.color")}
    axes.plot(x[is_base], y[is_base], "o", markersize=size, **ring)


@figures.validate_frame
def sweep_map(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot one scorecard row as a heat map over two rule parameters.

    The DataFrame contains the values of a review that varies two parameters. The required columns
    are x, y, title, factor, value, x_name, y_name and even (the break-even value, which has the
    palest shade). All rows must have the same title. If there is a break-even value and both
    parameters are numbers, a line marks the break-even value. If the optional column is_base is
    true, a frame marks the cell as the baseline.
    """
    frame = frame.assign(**dict(zip(("value", "low", "high"), _scale_bounds(frame), strict=True)))
    table = frame.pivot(index="y", columns="x", values="value")
    table = table.reindex(
        index=_list_swept_values(frame["y"]), columns=_list_swept_values(frame["x"])
    )
    title = _add_percent_sign(str(frame["title"].iloc[0]), frame)
    caption = _format_sweep_caption(frame, "x", "y", seed=seed, note=_format_map_note(frame))
    if table.isna().all(axis=None):
        return _make_empty_figure(figures.UNDEFINED_LABEL, caption, title)
    row_names, column_names = map(_list_value_labels, (frame["y"], frame["x"]))
    number_height = _compute_rotated_height(
        row_names, _format_map_numbers(table), len(table.columns)
    )
    row_height = max(MIN_MAP_ROW_HEIGHT, figures.compute_row_height(row_names), number_height)
    rotated_height = _compute_rotated_height(row_names, column_names, len(column_names))
    height = row_height * len(table) + 0.4 + rotated_height
    figure = figures.create_figure(height, title, caption)
    (axes,) = figures.stack_panels(figure, 1)
    rotation = 90 if number_height else 0
    _draw_map_cells(axes, table, row_names, column_names, _find_break_even(frame), rotation)
    axes.tick_params(axis="x", labelrotation=90 if rotated_height else 0)
    if _has_break_even_line(frame):
        axes.contour(
            table, [_find_break_even(frame)], colors=figures.DARKEST_COLOUR, linewidths=1.5
        )
        figures.outline_dark_numbers(axes)
    for row, column in _list_baseline_cells(frame):
        figures.outline_cell(axes, row, column)
    figures.set_axis_labels(axes, str(frame["x_name"].iloc[0]), str(frame["y_name"].iloc[0]))
    return figure


def _draw_map_cells(
    axes: Axes,
    table: pd.DataFrame,
    row_names: Sequence[str],
    column_names: Sequence[str],
    break_even: float | None,
    number_rotation: float,
) -> None:
    """Draw the heat map of a sweep, with the palest shade at the break-even value."""
    cells = table.to_numpy(dtype=float)
    midpoint = break_even
    if midpoint is None:
        midpoint = float(np.nanmin(cells) + np.nanmax(cells)) / 2
    figures.draw_heat_map(
        axes,
        cells,
        list(map(figures.wrap_row_name, row_names)),
        column_names,
        midpoint=midpoint,
        max_deviation=figures.compute_max_absolute_value(cells - midpoint, 1e-9),
        number_format=_choose_map_number_format(table),
        number_rotation=number_rotation,
    )


def _choose_map_number_format(table: pd.DataFrame) -> str:
    """Return the format of the numbers in the heat map of a sweep."""
    max_value = figures.compute_max_absolute_value(table.to_numpy(dtype=float), 0)
    return "{:.1f}" if max_value < 20 else "{:.0f}"


def _format_map_numbers(table: pd.DataFrame) -> list[str]:
    """Return the numbers in the heat map of a sweep as strings."""
    cells = table.to_numpy(dtype=float)
    return list(map(_choose_map_number_format(table).format, cells[~np.isnan(cells)]))


def _find_break_even(frame: pd.DataFrame) -> float | None:
    """Return the break-even value of a scorecard row, or None if there is none."""
    return float(frame["even"].iloc[0]) if frame["even"].notna().all() else None


def _has_break_even_line(frame: pd.DataFrame) -> bool:
    """Return True if a heat map can show a line at the break-even value."""
    break_even = _find_break_even(frame)
    if break_even is None or not (_is_numeric(frame["x"]) and _is_numeric(frame["y"])):
        return False
    has_both_sides = any(frame["value"] < break_even) and any(frame["value"] > break_even)
    return has_both_sides and min(frame["x"].nunique(), frame["y"].nunique()) > 1


def _list_baseline_cells(frame: pd.DataFrame) -> list[tuple[int, int]]:
    """Return the row and column of the baseline, or [] if it is not in the sweep."""
    rows = frame[frame["is_base"].to_numpy(bool)] if "is_base" in frame else frame[:0]
    ys, xs = _list_swept_values(frame["y"]), _list_swept_values(frame["x"])
    return [(ys.index(y), xs.index(x)) for x, y in zip(rows["x"], rows["y"], strict=True)]


def _format_map_note(frame: pd.DataFrame) -> str:
    """Return a note on the precision, the colours and the lines of a heat map."""
    break_even = _find_break_even(frame)
    note = figures.format_max_half_width(frame, factor=1)
    if break_even is None:
        note += " High values are blue, and low values are orange."
    else:
        note += f" Blue cells are above the break-even value, {break_even:g}, "
        note += "and orange cells are below it."
    note += " The line marks the break-even value." * _has_break_even_line(frame)
    return note + " A frame marks the baseline." * len(_list_baseline_cells(frame))


def _compute_rotated_height(
    row_names: Sequence[str], texts: Sequence[str], n_columns: int
) -> float:
    """Return the height of rotated column names or numbers in inches.

    If rotation is not necessary, the result is 0.
    """
    row_name_lines = [
        line for name in row_names for line in figures.wrap_row_name(name).split("\n")
    ]
    n_characters = figures.count_fitting_characters(MAX_HEAT_MAP_CHARACTERS, "xtick.labelsize")
    n_column_characters = (n_characters - max(map(len, row_name_lines))) // n_columns
    max_length = max(map(len, texts))
    if max_length <= n_column_characters:
        return 0
    return CHARACTER_WIDTH * figures.compute_text_scale("xtick.labelsize") * max_length
