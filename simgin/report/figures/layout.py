"""Layout of figures: titles, captions, panels, labels, legends and the styles of series."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from simgin.report.figures.style import (
    compute_text_scale,
    count_fitting_characters,
    disable_tex,
    get_colour_setting,
    get_muted_colour,
    get_rc_param,
    get_setting,
    is_colour_scheme_changed,
    is_rc_param_changed,
    resolve_font_size,
    scale_font,
)
from simgin.report.wrapping import fold_text, insert_no_break_spaces
from simgin.text.messages import escape_control_chars

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

TEXT_LINE_HEIGHT = 0.18  # height of one line of a title, legend or caption, in inches
# Maximum number of characters per line. `count_fitting_characters` adapts it to the user's style.
MAX_TITLE_CHARACTERS, MAX_CAPTION_CHARACTERS = 42, 66
MAX_LABEL_CHARACTERS, MAX_PANEL_TITLE_CHARACTERS = 22, 48

# distance between row names, and height of one line of a row name, in inches
ROW_GAP, ROW_LINE_HEIGHT = 0.08, 0.145
# Legends
LEGEND_LEFT_EDGE = 0.02  # left edge of titles and legends, as a proportion of the figure width
# distance below a legend, and height of one line of a panel title, in inches
LEGEND_GAP, TITLE_LINE_HEIGHT = 0.1, 0.16
# number of characters per legend line, and width of a marker in characters
MAX_LEGEND_CHARACTERS, LEGEND_HANDLE_CHARACTERS = 50, 7
MAX_LEGEND_COLUMNS = 3


# Text

# part of a spec, including the separator before it
NAME_PART_PATTERN = re.compile(r"[+:,@#/]?[^+:,@#/]+|[+:,@#/]")


def escape_text(text: str) -> str:
    """Escape a string so that matplotlib draws it unchanged.

    Paths can contain control characters, and a dollar sign would start a formula.
    """
    return escape_control_chars(text).replace("$", r"\$")


def drop_shared_parts(names: Sequence[str]) -> tuple[list[str], str]:
    """Return names without the parts that all of them share, and a sentence about these parts.

    A part of a name begins with `+`, `:`, `,`, `@`, `#` or `/`. At least one part of every name is
    kept.
    """
    split_names = [NAME_PART_PATTERN.findall(name) for name in dict.fromkeys(names)]
    if len(split_names) < 2:
        return list(names), ""
    n_shared_first = _compute_common_prefix_length(split_names)
    n_shared_last = _compute_common_prefix_length(
        [parts[n_shared_first:][::-1] for parts in split_names]
    )
    prefix = "".join(split_names[0][:n_shared_first])
    suffix = "".join(split_names[0][len(split_names[0]) - n_shared_last :])
    clauses = [f"begins with {prefix}"] * bool(prefix) + [f"ends with {suffix}"] * bool(suffix)
    sentence = f" Every full name {' and '.join(clauses)}." if clauses else ""
    short_names = [name[len(prefix) : len(name) - len(suffix)].lstrip("+:,@#/ ") for name in names]
    return short_names, sentence


def _compute_common_prefix_length(part_lists: Sequence[Sequence[str]]) -> int:
    """Return the length of the common prefix of several lists, without their last elements."""
    columns = zip(*part_lists, strict=False)
    shared_parts = list(itertools.takewhile(lambda parts: len(set(parts)) == 1, columns))
    return min(len(shared_parts), *(len(parts) - 1 for parts in part_lists))


# Figures and panels


def create_figure(height: float, title: str, caption: str, names: Sequence[str] = ()) -> Figure:
    """Return an empty figure with space for axes, a title, a caption and a legend.

    Args:
        height: Height of the axes in inches.
        title: Title of the figure. If the panels have titles, the figure title is empty.
        caption: Caption below the axes.
        names: Names in the legend.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    title = fold_text(title, count_fitting_characters(MAX_TITLE_CHARACTERS, "figure.titlesize"))
    caption_characters = count_fitting_characters(MAX_CAPTION_CHARACTERS, "figure.labelsize")
    caption = textwrap.fill(
        insert_no_break_spaces(caption), caption_characters, break_on_hyphens=False
    )
    n_lines = title.count("\n") + caption.count("\n") + count_legend_lines(names)
    height += scale_font(0.8 if title else 0.5)
    figure = Figure(
        figsize=(get_setting("figure.figsize")[0], height + scale_font(TEXT_LINE_HEIGHT * n_lines)),
        dpi=get_setting("figure.dpi"),
        layout="constrained",
        facecolor=get_setting("figure.facecolor"),
    )
    FigureCanvasAgg(figure)
    if title:
        figure.suptitle(
            escape_text(title),
            x=0.02,
            ha="left",
            fontsize=resolve_font_size("figure.titlesize"),
            fontweight=get_setting("figure.titleweight"),
            color=get_setting("text.color"),
        )
    figure.supxlabel(
        escape_text(caption),
        x=0.02,
        ha="left",
        fontsize=resolve_font_size("figure.labelsize"),
        color=get_muted_colour(),
    )
    return figure


def stack_panels(
    figure: Figure,
    n_panels: int,
    *,
    sharex: bool = False,
    grid: str = "y",
    heights: Sequence[float] | None = None,
) -> list[Axes]:
    """Return panels in the common style, stacked vertically.

    Args:
        figure: Figure that will contain the panels.
        n_panels: Number of panels.
        sharex: True to share the x axis between panels.
        grid: Grid lines, which are "x", "y" or "both".
        heights: Relative heights of the panels, which are equal by default.
    """
    axes_grid = figure.subplots(n_panels, squeeze=False, sharex=sharex, height_ratios=heights)
    for axes in axes_grid[:, 0]:
        style_axes(axes, grid)
    return list(axes_grid[:, 0])


def iterate_panels(
    figure: Figure,
    frame: pd.DataFrame,
    column: str,
    *,
    sharex: bool = False,
    grid: str = "y",
    heights: Sequence[float] | None = None,
) -> Iterator[tuple[Axes, str, pd.DataFrame]]:
    """Yield a titled panel for each value of a column, with the value and its rows."""
    groups = list(frame.groupby(column, sort=False))
    panels = stack_panels(figure, len(groups), sharex=sharex, grid=grid, heights=heights)
    for axes, (name, rows) in zip(panels, groups, strict=True):
        set_panel_title(axes, str(name))
        yield axes, str(name), rows


def style_axes(axes: Axes, grid: str = "y") -> None:
    """Apply the common style to axes, including simgin's colours.

    Args:
        axes: Axes to style.
        grid: Grid lines, which are "x", "y" or "both".
    """
    axes.set_facecolor(get_setting("axes.facecolor"))
    axes.spines[:].set_color(get_setting("axes.edgecolor"))
    for side in ("top", "right"):
        axes.spines[side].set_visible(get_setting(f"axes.spines.{side}"))
    for axis in ("x", "y"):
        # matplotlib creates ticks when it draws them, possibly outside the context of the style.
        axes.tick_params(
            axis=axis,
            labelsize=resolve_font_size(f"{axis}tick.labelsize"),
            labelcolor=get_colour_setting(f"{axis}tick.labelcolor", f"{axis}tick.color"),
            labelfontfamily=get_rc_param("font.family"),
            color=get_setting(f"{axis}tick.color"),
            direction=get_rc_param(f"{axis}tick.direction"),
            length=get_rc_param(f"{axis}tick.major.size"),
            width=get_rc_param(f"{axis}tick.major.width"),
        )
    axes.grid(visible=False)
    # Grid lines can be too bright for a style with its own colours. In this case, they are drawn
    # only if the style has grid lines.
    if get_rc_param("axes.grid") if is_colour_scheme_changed() else get_setting("axes.grid"):
        line_properties = ("linewidth", "linestyle", "alpha")
        line_style = {name: get_rc_param(f"grid.{name}") for name in line_properties}
        axes.grid(axis=grid, color=get_setting("grid.color"), **line_style)  # type: ignore[arg-type]
    axes.set_axisbelow(True)


def set_panel_title(axes: Axes, text: str, width: int = MAX_PANEL_TITLE_CHARACTERS) -> None:
    """Set the title of a panel, wrapped at `width` characters of simgin's default font size."""
    wrapped_title = fold_text(text, count_fitting_characters(width, "axes.titlesize"))
    axes.set_title(
        escape_text(wrapped_title),
        loc="left",
        fontsize=resolve_font_size("axes.titlesize"),
        color=get_colour_setting("axes.titlecolor", "text.color"),
    )


def set_axis_labels(axes: Axes, x_label: str = "", y_label: str = "") -> None:
    """Set the labels of both axes."""
    axes.set_xlabel(x_label, **make_axis_label_style())
    axes.set_ylabel(y_label, **make_axis_label_style())


def make_axis_label_style() -> dict[str, Any]:
    """Return the font size and colour of axis labels, as arguments of matplotlib."""
    return {
        "fontsize": resolve_font_size("axes.labelsize"),
        "color": get_setting("axes.labelcolor"),
    }


def set_row_names(axes: Axes, names: Sequence[str]) -> None:
    """Label the rows of a plot from top to bottom, and wrap long names."""
    labels = [escape_text(wrap_row_name(name)) for name in names]
    axes.set_yticks(range(len(names)), labels)
    hide_row_axis(axes, len(names))


def wrap_row_name(name: str) -> str:
    """Wrap a row name at the width of the label column."""
    return fold_text(name, count_fitting_characters(MAX_LABEL_CHARACTERS, "ytick.labelsize"))


def compute_row_height(names: Iterable[str]) -> float:
    """Return the height in inches of rows that have the longest of the given names."""
    line_counts = [wrap_row_name(name).count("\n") + 1 for name in names]
    return ROW_GAP + ROW_LINE_HEIGHT * compute_text_scale("ytick.labelsize") * max(line_counts)


def hide_row_axis(axes: Axes, n_rows: int) -> None:
    """Hide the vertical axis of a plot with rows, and place row 0 at the top."""
    axes.set_ylim(n_rows - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


# Legends are placed above the axes and their titles, so that they do not cover data.


def add_legend(axes: Axes) -> None:
    """Add a legend above the title of the axes if there is more than one series."""
    handles, names = axes.get_legend_handles_labels()
    figure = axes.get_figure(root=True)
    if figure is None or len(names) < 2:
        return
    legend_transform = _make_legend_transform(figure, axes)
    title_line = TITLE_LINE_HEIGHT * compute_text_scale("axes.titlesize")
    height = LEGEND_GAP + title_line * _count_title_lines(figure, axes)
    legend = axes.legend(
        handles,
        [fold_text(name, _count_legend_characters()) for name in names],
        ncols=_count_legend_columns(names),
        loc="lower left",
        bbox_to_anchor=(LEGEND_LEFT_EDGE, height),
        bbox_transform=legend_transform,
        fontsize=resolve_font_size("legend.fontsize"),
        frameon=get_setting("legend.frameon"),
        labelcolor=get_setting("legend.labelcolor"),
        handlelength=2.5,
        columnspacing=1.2,
        borderaxespad=0,
        borderpad=0,
    )
    legend.set_in_layout(False)  # A legend in the layout would narrow the axes.
    line_height = TEXT_LINE_HEIGHT * compute_text_scale("legend.fontsize")
    _reserve_space(axes, legend_transform, height + line_height * count_legend_lines(names))


def _count_title_lines(figure: Figure, axes: Axes) -> int:
    """Return the largest number of title lines among the panels in the same row as `axes`."""
    spec = axes.get_subplotspec()
    max_lines = 0
    for other_axes in figure.axes:
        other_spec = other_axes.get_subplotspec()
        title = other_axes.get_title(loc="left")
        is_in_row = spec and other_spec and other_spec.rowspan == spec.rowspan
        if title and is_in_row:
            max_lines = max(max_lines, title.count("\n") + 1)
    return max_lines


def _make_legend_transform(figure: Figure, axes: Axes) -> Transform:
    """Return a transform with x in figure widths, and y in inches above the axes."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    top = ScaledTranslation(0, 1, axes.transAxes)  # type: ignore[arg-type]
    return blended_transform_factory(figure.transFigure, figure.dpi_scale_trans + top)


def _reserve_space(axes: Axes, legend_transform: Transform, height: float) -> None:
    """Reserve vertical space in inches above the axes for a legend."""
    from matplotlib.patches import Rectangle

    spacer = Rectangle((0.5, 0), 0.01, height, transform=legend_transform, fill=False, linewidth=0)
    spacer.set_clip_on(False)
    axes.add_artist(spacer)


def _count_legend_columns(names: Sequence[str]) -> int:
    """Return the number of columns that fit into a legend, at most three."""
    max_width = max(map(len, names)) + LEGEND_HANDLE_CHARACTERS
    return max(1, min(MAX_LEGEND_COLUMNS, _count_legend_characters() // max_width))


def _count_legend_characters() -> int:
    """Return the number of characters that fit on one line of a legend."""
    return count_fitting_characters(MAX_LEGEND_CHARACTERS, "legend.fontsize")


def count_legend_lines(names: Sequence[str]) -> int:
    """Return the number of lines in a legend, which is 0 for a single series."""
    if len(names) < 2:
        return 0
    columns = _count_legend_columns(names)
    if columns > 1:  # If there are several columns, every name fits on one line.
        return -(-len(names) // columns)
    return sum(fold_text(name, _count_legend_characters()).count("\n") + 1 for name in names)


# Files


def png(figure: Figure) -> bytes:
    """Return a figure as PNG bytes.

    Equal figures have identical bytes.

    The file contains neither a date nor a version number.

    Args:
        figure: Figure, for example from a function of `simgin.plots`.

    Returns:
        Contents of the PNG file.

    Example:
        figure = simgin.match("gold", "simple").plot()
        Path("wins.png").write_bytes(simgin.plots.png(figure))
    """
    buffer = io.BytesIO()
    with _ignore_missing_glyphs(), disable_tex():
        _lay_out(figure)
        figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def svg(figure: Figure, name: str) -> str:
    """Return a figure as SVG with selectable text.

    Args:
        figure: Figure, for example from a function of `simgin.plots`.
        name: Prefix of all ids, so that one HTML document can contain several figures.

    Returns:
        Contents of the SVG file. Equal figures produce equal files.

    Example:
        figure = simgin.match("gold", "simple").plot()
        Path("wins.svg").write_text(simgin.plots.svg(figure, "wins"))
    """
    import matplotlib

    buffer = io.StringIO()
    svg_settings = {"svg.fonttype": "none", "svg.hashsalt": "simgin"}
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with _ignore_missing_glyphs(), disable_tex():
        _lay_out(figure)
        with matplotlib.rc_context(svg_settings):  # type: ignore[arg-type]
            figure.savefig(buffer, format="svg", metadata=no_metadata)
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", buffer.getvalue())


@contextlib.contextmanager
def _ignore_missing_glyphs() -> Iterator[None]:
    """Suppress warnings about characters that no font contains."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield


def _lay_out(figure: Figure) -> None:
    """Compute the layout of a figure once for all output files.

    A figure with a layout engine, even "none", would be drawn twice for each file.
    """
    import matplotlib

    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        with matplotlib.rc_context(
            {"figure.autolayout": False, "figure.constrained_layout.use": False}
        ):
            figure.set_layout_engine(None)


# Hues of Okabe and Ito, with an additional brown and violet, for light and dark backgrounds.
# tests/plots/test_colours.py checks their contrast for all types of colour vision.
BLUE, ORANGE, GREEN, SKY_BLUE, RED, PINK, BROWN, VIOLET = (
    *("#0072B2", "#E69F00", "#009E73"),
    *("#56B4E9", "#D55E00", "#CC79A7", "#8C5A2B", "#8424F0"),
)
GREY = "#8C8C8C"
# colours of text on coloured areas, in both colour schemes
DARKEST_COLOUR, LIGHTEST_COLOUR = "#101010", "#fefefe"
# Colours of deal endings, which differ from the colours of series. Endings without a winner are
# grey.
ENDING_COLOURS = {
    "knock": "#6F5BB5",
    "gin": "#DDCC77",
    "big_gin": "#A89432",
    "shot": "#F2E6B0",
    "undercut": "#A8325F",
    "even": "#E3B9C9",
    "void": "#B5B5B5",
    "stalled": "#5A5A5A",
    "joker": "#2F6F7E",
    "limit": GREY,
    "refused": "#CFCFCF",
}
ENDINGS_WITH_LIGHT_TEXT = ("knock", "undercut", "stalled", "joker")  # endings with a dark colour


def make_win_rate_colormap() -> Colormap:
    """Return a colour map from red (losses) through a pale colour (even results) to blue (wins)."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("won", [RED, "#F7F7F5", BLUE])


DashStyle = str | tuple[int, tuple[int, ...]]


class SeriesStyle(NamedTuple):
    """Style of a plotted series.

    The series of a plot are distinguishable in greyscale.
    """

    colour: str
    marker: str
    dash: DashStyle


SERIES_STYLES = (
    SeriesStyle(BLUE, "o", "-"),
    SeriesStyle(RED, "s", (0, (5, 2))),
    SeriesStyle(GREEN, "D", (0, (1, 1))),
    SeriesStyle(ORANGE, "^", (0, (5, 1, 1, 1))),
    SeriesStyle(PINK, "v", (0, (3, 1))),
    SeriesStyle(SKY_BLUE, "P", (0, (1, 2))),
    SeriesStyle(BROWN, "X", (0, (7, 2))),
    SeriesStyle(VIOLET, "*", (0, (9, 2))),
)
MAX_SERIES = len(SERIES_STYLES)  # maximum number of series that a reader can distinguish


def get_neutral_style() -> SeriesStyle:
    """Return the style of a series that belongs to no particular variant or strategy.

    Series colours are reserved for variants and strategies.
    """
    return SeriesStyle(get_setting("text.color"), "o", "-")


def get_series_style(index: int) -> SeriesStyle:
    """Return the style of the series with a given index in a plot, counted from 0.

    The colour cycle of simgin's style has eight colours. All further series are grey and differ
    only in marker and dash pattern.
    """
    style = SERIES_STYLES[index % len(SERIES_STYLES)]
    if not is_rc_param_changed("axes.prop_cycle"):
        return style if index < len(SERIES_STYLES) else style._replace(colour=GREY)
    style_cycle = list(get_rc_param("axes.prop_cycle"))
    cycle_entry = style_cycle[index] if index < len(style_cycle) else {"color": GREY}
    rc_key_by_field = {"colour": "color", "marker": "marker", "dash": "linestyle"}
    rc_keys = [item for item in rc_key_by_field.items() if item[1] in cycle_entry]
    return style._replace(**{field: cycle_entry[rc_key] for field, rc_key in rc_keys})


def assign_series_styles(names: Iterable[str], order: Sequence[str] = ()) -> dict[str, SeriesStyle]:
    """Return a style for every name, according to its position in `order`.

    Names that are not in `order` come last, in order of appearance.
    """
    names_list = list(names)
    ordered_names = dict.fromkeys([*order, *names_list])
    all_styles = {name: get_series_style(i) for i, name in enumerate(ordered_names)}
    return {name: all_styles[name] for name in names_list}
