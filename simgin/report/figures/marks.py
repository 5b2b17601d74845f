"""Elements of plots, such as error bars and heat maps, and validation of DataFrames."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, cast

import numpy as np

from simgin.report.figures.layout import (
    DARKEST_COLOUR,
    ENDING_COLOURS,
    ENDINGS_WITH_LIGHT_TEXT,
    LIGHTEST_COLOUR,
    SeriesStyle,
    escape_text,
    make_axis_label_style,
    make_win_rate_colormap,
)
from simgin.report.figures.style import (
    NORMAL_FONT_SIZE,
    disable_tex,
    get_colour_setting,
    get_muted_colour,
    get_setting,
    resolve_font_size,
    scale_font,
    scale_line_width,
)
from simgin.text.amounts import UNIT_PLURALS, format_count_range
from simgin.text.messages import SimginError, format_value

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

UNDEFINED_LABEL = "sample too small"
MIN_LABELLED_PERCENT = 7  # percentage below which a bar segment has no label
# number of shades in a heat map without numbers, and ticks of the colour bar in percent
N_HEAT_MAP_SHADES, COLOUR_BAR_TICKS = 20, (0, 20, 40, 60, 80, 100)
DrawParameters = ParamSpec("DrawParameters")  # parameters of a plot function
MAX_NAMED_MATCHUPS = 3  # maximum number of matchups that a caption lists
# Maximum number of variants or strategies that a caption lists. A longer list is replaced by a
# count.
MAX_LISTED_NAMES = 12
# maximum total length of the strategy names in a caption, in characters
MAX_NAME_LIST_CHARACTERS = 150
# values, lower bounds and upper bounds: three arrays of shape (n,)
Bounds = Sequence[np.ndarray]


def draw_band(axes: Axes, x: np.ndarray, bounds: Bounds, style: SeriesStyle) -> None:
    """Draw a line with a band that shows its 95 % confidence intervals."""
    values, lower_bounds, upper_bounds = bounds
    axes.fill_between(x, lower_bounds, upper_bounds, color=style.colour, alpha=0.25, linewidth=0)
    width = get_setting("lines.linewidth")
    axes.plot(x, values, color=style.colour, linestyle=style.dash, linewidth=width)


def draw_vertical_error_bars(
    axes: Axes, x: np.ndarray, bounds: Bounds, style: SeriesStyle, label: str
) -> None:
    """Draw dots with vertical 95 % error bars."""
    axes.errorbar(
        x, bounds[0], yerr=compute_error_bar_lengths(*bounds), **_make_dot_style(style, label)
    )


def draw_horizontal_error_bars(
    axes: Axes, y: np.ndarray, bounds: Bounds, style: SeriesStyle, label: str, **options: Any
) -> None:
    """Draw dots with horizontal 95 % error bars in the rows `y`, and label undefined values."""
    values, lower_bounds, upper_bounds = bounds
    dot_style = _make_dot_style(style, label) | options
    axes.errorbar(
        values, y, xerr=compute_error_bar_lengths(values, lower_bounds, upper_bounds), **dot_style
    )
    label_undefined_rows(axes, y[np.isnan(values)])


def draw_inconclusive_error_bars(
    axes: Axes, y: np.ndarray, bounds: Bounds, style: SeriesStyle, label: str
) -> None:
    """Draw hollow grey dots with horizontal error bars, and omit them from the legend."""
    draw_horizontal_error_bars(
        axes,
        y,
        bounds,
        style._replace(colour=get_muted_colour()),
        f"_{label}",
        markerfacecolor=get_setting("axes.facecolor"),
    )


def draw_reference_line(axes: Axes, x: float) -> None:
    """Draw a vertical line at 0 or at the break-even value, behind the data."""
    axes.axvline(x, color=get_muted_colour(), linewidth=1, zorder=1)


def compute_error_bar_lengths(
    values: np.ndarray, lower_bounds: np.ndarray, upper_bounds: np.ndarray
) -> np.ndarray:
    """Return the distances of values from their lower and upper bounds, shape (2, n)."""
    return np.asarray(np.maximum(0, np.array([values - lower_bounds, upper_bounds - values])))


def _make_dot_style(style: SeriesStyle, label: str) -> dict[str, Any]:
    """Return the matplotlib arguments that style dots with error bars."""
    return {
        "fmt": style.marker,
        "color": style.colour,
        "label": escape_text(label),
        "markersize": get_setting("lines.markersize"),
        "capsize": get_setting("errorbar.capsize"),
        "linewidth": scale_line_width(1.2),
    }


def label_undefined_rows(axes: Axes, rows: Iterable[float]) -> None:
    """Label rows whose values are undefined."""
    for y in rows:
        centre = (0.5, y)
        axes.annotate(
            UNDEFINED_LABEL, centre, xycoords=("axes fraction", "data"), **_make_label_style()
        )


def _make_label_style() -> dict[str, Any]:
    """Return the style of the labels that mark axes or rows without data."""
    return {
        "fontsize": scale_font(NORMAL_FONT_SIZE),
        "color": get_muted_colour(),
        "ha": "center",
        "va": "center",
        "bbox": {"facecolor": get_setting("axes.facecolor"), "edgecolor": "none", "pad": 1},
    }


def label_undefined_axes(axes: Axes, values: Any) -> None:
    """Label axes on which all values are undefined."""
    if np.isnan(np.asarray(values, np.float64)).all():
        label_empty_axes(axes, UNDEFINED_LABEL)


def label_empty_axes(axes: Axes, reason: str) -> None:
    """Replace the contents of axes with the reason for missing data."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, reason, transform=axes.transAxes, **_make_label_style())


def draw_stacked_bars(
    axes: Axes,
    ending: str,
    percentages: np.ndarray,
    left_edges: np.ndarray,
    label: str,
    font_size: float,
) -> None:
    """Draw one type of deal ending as a labelled segment in each stacked bar.

    Segments below MIN_LABELLED_PERCENT have no label. `font_size` applies to simgin's style.
    """
    rows = range(len(percentages))
    bars = axes.barh(rows, percentages, left=left_edges, color=ENDING_COLOURS[ending], label=label)
    labels = [f"{p:.0f}" if p >= MIN_LABELLED_PERCENT else "" for p in percentages]
    colour = LIGHTEST_COLOUR if ending in ENDINGS_WITH_LIGHT_TEXT else DARKEST_COLOUR
    axes.bar_label(bars, labels, label_type="center", fontsize=scale_font(font_size), color=colour)


# Heat maps


def draw_heat_map(
    axes: Axes,
    values: np.ndarray,
    row_names: Sequence[object],
    column_names: Sequence[object],
    *,
    midpoint: float = 50,
    max_deviation: float = 50,
    number_format: str = "{:.0f}",
    number_rotation: float = 0,
    font_size: float = NORMAL_FONT_SIZE,
) -> None:
    """Draw a heat map with a number in every cell.

    Args:
        axes: Axes for the heat map.
        values: Numbers in the cells, shape (n_rows, n_columns). If a number is NaN, its cell is
            empty.
        row_names: Names of the rows.
        column_names: Names of the columns.
        midpoint: Value that has the palest shade.
        max_deviation: Distance from `midpoint` at which the shade is darkest.
        number_format: Format specification of the numbers.
        number_rotation: Rotation of the numbers, in degrees.
        font_size: Font size in simgin's style, in points.
    """
    from matplotlib.colors import Normalize

    _draw_cells(axes, values, Normalize(midpoint - max_deviation, midpoint + max_deviation))
    for (row, column), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        is_dark = abs(value - midpoint) > 0.75 * max_deviation
        number = axes.text(column, row, number_format.format(value), ha="center", va="center")
        number.set(
            fontsize=scale_font(font_size),
            color=LIGHTEST_COLOUR if is_dark else DARKEST_COLOUR,
            rotation=number_rotation,
        )
    _label_rows_and_columns(axes, row_names, column_names, font_size)
    label_undefined_axes(axes, values)


def outline_dark_numbers(axes: Axes) -> None:
    """Outline the dark numbers of a heat map so that they remain readable under lines."""
    from matplotlib.patheffects import withStroke

    for label in axes.texts:
        if label.get_color() == DARKEST_COLOUR:
            label.set_path_effects([withStroke(linewidth=3, foreground=LIGHTEST_COLOUR)])


def outline_cell(axes: Axes, row: int, column: int) -> None:
    """Draw a frame inside a cell of a heat map."""
    from matplotlib.patches import Rectangle

    line_width = scale_line_width(2)
    frame = Rectangle((column - 0.46, row - 0.42), 0.92, 0.84, fill=False, linewidth=line_width)
    frame.set(edgecolor=DARKEST_COLOUR, zorder=3)
    axes.add_patch(frame)


def draw_shade_map(
    axes: Axes,
    values: np.ndarray,
    row_names: Sequence[object],
    column_names: Sequence[object],
    *,
    font_size: float,
    scale_title: str,
) -> None:
    """Draw a heat map of percentages with a colour bar instead of numbers.

    Args:
        axes: Axes for the heat map.
        values: Percentages, shape (n_rows, n_columns). If a percentage is NaN, its cell is empty.
        row_names: Names of the rows.
        column_names: Names of the columns.
        font_size: Font size in simgin's style, in points.
        scale_title: Title of the colour bar.
    """
    from matplotlib.colors import BoundaryNorm

    norm = BoundaryNorm(np.linspace(0, 100, N_HEAT_MAP_SHADES + 1), make_win_rate_colormap().N)
    mesh = _draw_cells(axes, values, norm)
    _label_rows_and_columns(axes, row_names, column_names, font_size)
    label_undefined_axes(axes, values)
    figure = axes.get_figure(root=True)
    if figure is None:
        return
    colour_bar = figure.colorbar(
        mesh, ax=axes, location="bottom", aspect=40, ticks=COLOUR_BAR_TICKS, pad=0.01, fraction=0.05
    )
    colour_bar.outline.set_visible(False)
    colour_bar.ax.minorticks_off()
    colour, size = get_colour_setting("xtick.labelcolor", "xtick.color"), "xtick.labelsize"
    colour_bar.ax.tick_params(labelsize=resolve_font_size(size), colors=colour, length=0)
    colour_bar.set_label(scale_title, **make_axis_label_style())


def _draw_cells(axes: Axes, values: np.ndarray, norm: Normalize) -> QuadMesh:
    """Draw the cells of a heat map as vector shapes, because HTML reports do not allow images."""
    n_rows, n_columns = values.shape
    edges = (_compute_cell_edges(n_columns), _compute_cell_edges(n_rows))
    values = np.ma.masked_invalid(values)
    cells = axes.pcolormesh(*edges, values, norm=norm, cmap=make_win_rate_colormap())
    axes.invert_yaxis()
    return cells


def _label_rows_and_columns(
    axes: Axes, row_names: Sequence[object], column_names: Sequence[object], font_size: float
) -> None:
    """Label the rows and columns of a heat map, and remove its frame and grid."""
    axes.set_yticks(range(len(row_names)), list(map(str, row_names)))
    axes.set_xticks(range(len(column_names)), list(map(str, column_names)))
    for axis in ("x", "y"):
        axes.tick_params(axis=axis, labelsize=resolve_font_size(f"{axis}tick.labelsize", font_size))
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _compute_cell_edges(n_cells: int) -> np.ndarray:
    """Return the coordinates of the edges of cells that are centred on whole numbers."""
    return np.arange(n_cells + 1) - 0.5


# DataFrames: checks, columns, groups and captions


def validate_frame(draw: Callable[DrawParameters, Figure]) -> Callable[DrawParameters, Figure]:
    """Decorate a plot function so that it validates its DataFrame.

    Args:
        draw: Function whose first argument is a DataFrame.

    Returns:
        Decorated function. If the argument is not a DataFrame, is empty or lacks a column, the
        decorated function raises a `SimginError` with an explanation.
    """

    @functools.wraps(draw)
    def draw_validated(*args: DrawParameters.args, **kwargs: DrawParameters.kwargs) -> Figure:
        function_name, frame = draw.__name__, cast("pd.DataFrame", args[0])
        if not hasattr(frame, "columns"):
            has_frames = hasattr(frame, "frames")
            value_text = type(frame).__name__ if has_frames else format_value(frame)
            fix = " Pass a DataFrame that its method `frames` returns." if has_frames else ""
            raise SimginError(
                f"plots.{function_name} requires a pandas DataFrame, but received "
                f"{value_text}.{fix} See help(simgin.plots.{function_name})."
            )
        if not len(frame):
            raise SimginError(
                f"plots.{function_name} received a DataFrame without rows. Pass at least one row."
            )
        # In solitaire games, the opponent is missing in the CSV file.
        if "opponent" in frame:
            opponents = frame["opponent"].astype(object)
            frame = frame.assign(opponent=opponents.where(opponents.notna(), ""))
        try:
            with disable_tex():
                return draw(*cast("Any", (frame, *args[1:])), **kwargs)
        except KeyError as error:
            message = str(error.args[0])
            column_text = ", ".join(re.findall(r"'(\w+)'", message)[-1:] or [message])
            raise SimginError(
                f"plots.{function_name} received a DataFrame without the column {column_text}. "
                f"See help(simgin.plots.{function_name}) for the required columns."
            ) from error

    return draw_validated


def format_seed_clause(seed: int | None) -> str:
    """Return the seed as a clause after a sample size (`, seed 7`), or "" if it is unknown."""
    return "" if seed is None else f", seed {seed}"


def format_caption(
    frame: pd.DataFrame,
    *,
    seed: int | None,
    unit: str = "",
    note: str = "",
    variants: Sequence[str] = (),
) -> str:
    """Return a caption that states the variants, players, sample size and seed, followed by a note.

    Args:
        frame: DataFrame with the columns variant, strategy, opponent and n.
        seed: Seed of the deals, or None to omit the seed.
        unit: Unit of the sample size, such as "deals". By default, the column `unit` contains the
            unit of each row.
        note: Text at the end of the caption.
        variants: Names of the variants [default: all names in the column `variant`].
    """
    groups = [(unit, frame)]
    if not unit:
        groups = [(UNIT_PLURALS[name], rows) for name, rows in iterate_groups(frame, "unit")]
    size_texts = [f"{format_count_range([*rows['n']])} {name}" for name, rows in groups]
    names = variants or find_unique_names(frame["variant"])
    return describe_sample(names, _format_players(frame), " and ".join(size_texts), seed, note)


def describe_sample(
    variants: Sequence[str], players: str, size: str, seed: int | None, note: str
) -> str:
    """Return a caption about the variants, the players and the sample size."""
    noun = "Variants" if len(variants) > 1 else "Variant"
    variant_text = f"{noun}: {', '.join(variants)}"
    if len(variants) > MAX_LISTED_NAMES:
        variant_text = f"{len(variants)} variants"
    sample_text = f"{variant_text}. {players}. Sample: {size}{format_seed_clause(seed)}."
    return f"{sample_text} {note}" if note else sample_text


def _format_players(frame: pd.DataFrame) -> str:
    """Return the matchups or, if there are many, the names or the number of the players."""
    strategies = frame["strategy"].map(str)
    pairs = dict.fromkeys(zip(strategies, frame["opponent"].map(str), strict=True))
    if len(pairs) <= MAX_NAMED_MATCHUPS:
        return "Players: " + ", ".join([f"{a} against {b}" if b else a for a, b in pairs])
    names: dict[str, None] = {}
    for pair in pairs:
        names |= dict.fromkeys(pair)
    names.pop("", None)
    name_list = ", ".join(names)
    is_too_long = len(names) > MAX_LISTED_NAMES or len(name_list) > MAX_NAME_LIST_CHARACTERS
    return f"{len(names)} players" if is_too_long else f"Players: {name_list}"


def iterate_groups(frame: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield each value of a column, in order of appearance, with the rows that contain it."""
    for name, rows in frame.groupby(column, sort=False):
        yield str(name), rows


def find_unique_names(names: pd.Series) -> list[str]:
    """Return the distinct names in a column, in order of appearance."""
    return list(dict.fromkeys(map(str, names)))


def extract_float_columns(frame: pd.DataFrame, *names: str) -> list[np.ndarray]:
    """Return columns of a DataFrame as arrays of floats."""
    return [frame[name].to_numpy(dtype=float) for name in names]


def extract_percent_columns(frame: pd.DataFrame, *names: str) -> list[np.ndarray]:
    """Return columns that contain proportions as arrays of percentages."""
    return [100 * proportions for proportions in extract_float_columns(frame, *names)]


def compute_max_absolute_value(values: Any, minimum: float) -> float:
    """Return the largest absolute value except NaN, or `minimum` if it is larger."""
    return float(np.nanmax(np.abs(np.asarray(values, np.float64)), initial=minimum))


def format_max_half_width(frame: pd.DataFrame, factor: float = 100, unit: str = "") -> str:
    """Return a sentence that states the half-width of the widest 95 % confidence interval."""
    half_width = factor * float((frame["high"] - frame["low"]).max()) / 2
    if np.isnan(half_width):
        return "The sample is too small for 95 % intervals."
    return f"The half-widths of all 95 % intervals are at most {half_width:.2g}{unit}."
