"""The common look of all plots: size, colours, titles, captions, and how a figure becomes a file.

Figures are narrow enough for a phone held upright. Colours are safe for colour-blind readers, and
every series has its own marker or dash for print in grey. pyplot's global state is never touched.
"""

from __future__ import annotations

import functools
import io
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec

import numpy as np

from simgin.report.wrapping import fold, keep_units
from simgin.text.messages import shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

Frames = ParamSpec("Frames")  # what a picture is drawn from

WIDTH = 4.2  # inches: on a phone held upright, type keeps nine tenths of its size
TEXT_LINE = 0.18  # inches per line of a title or caption
DPI = 200
LIFT = 0.25  # inches between axes and a legend above their title
SMALL, NORMAL, LARGE = 7.5, 8.5, 11  # points
# Characters per line
TITLE_CHARACTERS, CAPTION_CHARACTERS = 42, 66
LABEL_CHARACTERS, PANEL_TITLE_CHARACTERS, LEGEND_CHARACTERS = 22, 48, 48
MOST_LEGEND_COLUMNS = 3
MOST_PAIRS = 3  # matchups named in full in a caption

# The page replaces these four, and no others, by the colours of its scheme: draw nothing else in
# them.
INK, FAINT, GRID, PAPER = "#222222", "#666666", "#dddddd", "#ffffff"

# The palette of Okabe and Ito, readable on white and on a dark page
BLUE, ORANGE, GREEN, YELLOW, SKY, RED, PINK, GREY = (
    *("#0072B2", "#E69F00", "#009E73", "#D9C400"),
    *("#56B4E9", "#D55E00", "#CC79A7", "#8C8C8C"),
)
DARKEST, LIGHTEST = "#101010", "#fefefe"  # text on colours, on any page
# Deal outcome -> colour; greys for outcomes that nobody plays for
KINDS = {
    "knock": BLUE,
    "gin": ORANGE,
    "big_gin": YELLOW,
    "shot": PINK,
    "undercut": RED,
    "even": SKY,
    "void": "#B5B5B5",
    "stalled": "#5A5A5A",
    "joker": GREEN,
    "limit": GREY,
    "refused": "#CFCFCF",
}
WHITE_TEXT = ("knock", "undercut", "stalled", "joker", "limit")  # outcomes dark enough for it

Dash = str | tuple[int, tuple[int, ...]]
# Values, lower limits, upper limits: three arrays of one length
Limits = Sequence[np.ndarray]


class Series(NamedTuple):
    """The look of one series, distinct in colour and without."""

    colour: str
    marker: str
    dash: Dash


SERIES = (
    Series(BLUE, "o", "-"),
    Series(RED, "s", (0, (5, 2))),
    Series(GREEN, "D", (0, (1, 1))),
    Series(ORANGE, "^", (0, (5, 1, 1, 1))),
    Series(PINK, "v", (0, (3, 1))),
    Series(SKY, "P", (0, (1, 2))),
    Series(GREY, "X", (0, (7, 2))),
    Series(YELLOW, "*", (0, (4, 1, 1, 1, 1, 1))),
)


def series(i: int) -> Series:
    """The look of series i, from 0; after eight, colours return with the next marker and dash."""
    colour = SERIES[i % len(SERIES)].colour
    other = SERIES[(i + i // len(SERIES)) % len(SERIES)]
    return Series(colour, other.marker, other.dash)


# Figures and axes


def new_figure(
    height: float,
    title: str,
    caption: str,
    legend_names: Sequence[str] = (),
) -> Figure:
    """A figure with axes of `height` inches beside its title, caption and legend."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    title = _folded(title, TITLE_CHARACTERS)
    caption = textwrap.fill(keep_units(caption), CAPTION_CHARACTERS)
    text_lines = title.count("\n") + caption.count("\n")
    lines = text_lines + _legend_lines(legend_names)
    new = Figure(
        figsize=(WIDTH, height + 0.8 + TEXT_LINE * lines),
        dpi=DPI,
        layout="constrained",
        facecolor=PAPER,
    )
    FigureCanvasAgg(new)
    new.suptitle(
        escape(title),
        x=0.02,
        ha="left",
        fontsize=LARGE,
        fontweight="bold",
        color=INK,
    )
    new.supxlabel(
        escape(caption),
        x=0.02,
        ha="left",
        fontsize=SMALL,
        color=FAINT,
    )
    return new


def stack_panels(figure: Figure, panels: int, *, sharex: bool = False) -> list[Axes]:
    """Panels one below another, styled."""
    grid = figure.subplots(panels, squeeze=False, sharex=sharex)
    column = list(grid[:, 0])
    for axes in column:
        style(axes)
    return column


def lines_of_panels(panels: int, across: int) -> int:
    """Lines that panels take with `across` side by side."""
    return -(-panels // across)


def hide(panels: Iterable[Axes]) -> None:
    """Make panels invisible: the places that are left in the last line."""
    for axes in panels:
        axes.set_visible(False)


def style(axes: Axes, grid: str = "y") -> None:
    """Axes without a frame, in the colours of the page; grid: "x", "y" or "both"."""
    axes.set_facecolor(PAPER)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(labelsize=NORMAL, colors=INK, color=FAINT)
    axes.grid(axis=grid, color=GRID, linewidth=0.8)  # type: ignore[arg-type]
    axes.set_axisbelow(True)


def panel_title(axes: Axes, text: str) -> None:
    """The title of a panel, folded."""
    folded = _folded(text, PANEL_TITLE_CHARACTERS)
    axes.set_title(
        escape(folded),
        loc="left",
        fontsize=NORMAL,
        color=INK,
    )


def axis_labels(axes: Axes, x: str = "", y: str = "") -> None:
    """Labels of the axes."""
    axes.set_xlabel(x, fontsize=NORMAL, color=INK)
    axes.set_ylabel(y, fontsize=NORMAL, color=INK)


def row_names(axes: Axes, names: Sequence[str]) -> None:
    """Names beside rows 0, 1, ... from the top, folded."""
    labels = [escape(_folded(name, LABEL_CHARACTERS)) for name in names]
    axes.set_yticks(range(len(names)), labels, fontsize=NORMAL, color=INK)
    hide_row_axis(axes, len(names))


def hide_row_axis(axes: Axes, rows: int) -> None:
    """Rows from the top, without ticks and axis."""
    axes.set_ylim(rows - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


# Legends


def legend(axes: Axes, last: Sequence[str] = ()) -> None:
    """A legend above axes and their title, unless there is only one series.

    last: names that go to the end.
    """
    drawn = list(zip(*axes.get_legend_handles_labels(), strict=True))
    figure = axes.get_figure(root=True)
    if figure is None or len(drawn) < 2:
        return
    drawn.sort(key=lambda pair: pair[1] in last)
    handles = [handle for handle, _ in drawn]
    names = [name for _, name in drawn]
    lift = LIFT if axes.get_title(loc="left") else 0.03
    box = axes.legend(
        handles,
        [_folded(name, LEGEND_CHARACTERS) for name in names],
        ncols=_legend_columns(names),
        loc="lower left",
        bbox_to_anchor=(0, lift),
        bbox_transform=_above(figure, axes),
        fontsize=NORMAL,
        frameon=False,
        labelcolor=INK,
        handlelength=2.5,
        columnspacing=1.2,
        borderaxespad=0,
    )
    box.set_in_layout(False)  # else the axes would shrink to the width of the legend
    _reserve(figure, axes, lift + TEXT_LINE * _legend_lines(names))


def _above(figure: Figure, axes: Axes) -> Transform:
    """Inches from the upper left corner of the axes."""
    from matplotlib.transforms import ScaledTranslation

    corner = ScaledTranslation(0, 1, axes.transAxes)  # type: ignore[arg-type]
    return figure.dpi_scale_trans + corner


def _reserve(figure: Figure, axes: Axes, height: float) -> None:
    """Make the layout keep `height` inches free above the axes, by an invisible rectangle."""
    from matplotlib.patches import Rectangle

    transform = _above(figure, axes)
    invisible = Rectangle(
        (0, 0),
        0.01,
        height,
        transform=transform,
        fill=False,
        linewidth=0,
    )
    invisible.set_clip_on(False)
    axes.add_artist(invisible)


def _legend_columns(names: Sequence[str]) -> int:
    """As many columns as fit, three at most."""
    widest = max(map(len, names)) + 7
    fitting = LEGEND_CHARACTERS // widest
    return max(1, min(MOST_LEGEND_COLUMNS, fitting))


def _legend_lines(names: Sequence[str]) -> int:
    if len(names) < 2:
        return 0
    folded = [fold(name, LEGEND_CHARACTERS) for name in names]
    tallest = max(map(len, folded))
    rows = -(-len(names) // _legend_columns(names))
    return tallest * rows


# Estimates with their limits


def band(
    axes: Axes,
    x: np.ndarray,
    limits: Limits,
    look: Series,
    label: str,
) -> None:
    """A line in the band of its 95 % limits."""
    value, low, high = limits
    axes.fill_between(
        x,
        low,
        high,
        color=look.colour,
        alpha=0.25,
        linewidth=0,
    )
    axes.plot(
        x,
        value,
        color=look.colour,
        linestyle=look.dash,
        linewidth=1.6,
        label=escape(label),
    )


def upright_bars(
    axes: Axes,
    x: np.ndarray,
    limits: Limits,
    look: Series,
    label: str,
) -> None:
    """Dots with vertical 95 % bars."""
    axes.errorbar(x, limits[0], yerr=bar_lengths(*limits), **_dot(look, label))


def level_bars(
    axes: Axes,
    y: np.ndarray,
    limits: Limits,
    look: Series,
    label: str,
) -> None:
    """Dots with horizontal 95 % bars in rows y; undefined values are marked in words."""
    value, low, high = limits
    axes.errorbar(value, y, xerr=bar_lengths(value, low, high), **_dot(look, label))
    mark_undefined(axes, y[np.isnan(value)])


def bar_lengths(value: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Distances from a value to its limits, as matplotlib's error bars take them; (2, n)."""
    lengths = np.array([value - low, high - value])
    return np.asarray(np.maximum(0, lengths))


def _dot(look: Series, label: str) -> dict[str, Any]:
    return {
        "fmt": look.marker,
        "color": look.colour,
        "label": escape(label),
        "markersize": 4.5,
        "capsize": 2.5,
        "linewidth": 1.2,
    }


def mark_undefined(axes: Axes, rows: Iterable[float]) -> None:
    """A note in the rows whose value is undefined."""
    for y in rows:
        axes.annotate(
            "too few to estimate",
            (0.5, y),
            xycoords=("axes fraction", "data"),
            fontsize=NORMAL,
            ha="center",
            va="center",
            color=FAINT,
        )


# Heat maps


def loss_to_win() -> Colormap:
    """Red for a loss, pale for even, blue for a win."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("won", [RED, "#F7F7F5", BLUE])


def heat_map(
    axes: Axes,
    values: np.ndarray,
    row_names: Sequence[object],
    column_names: Sequence[object],
    *,
    middle: float = 50,
    reach: float = 50,
    form: str = "{:.0f}",
    size: float = NORMAL,
) -> None:
    """A table of numbers on shades: `middle` is pale, `middle` ± `reach` darkest, NaN empty."""
    # Cells are drawn as shapes: the page's policy allows no images
    axes.pcolormesh(
        _cell_edges(len(column_names)),
        _cell_edges(len(row_names)),
        np.ma.masked_invalid(values),
        vmin=middle - reach,
        vmax=middle + reach,
        cmap=loss_to_win(),
    )
    axes.invert_yaxis()
    for (i, j), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        dark = abs(value - middle) > 0.75 * reach
        ink = LIGHTEST if dark else DARKEST
        number = form.format(value)
        axes.text(
            j,
            i,
            number,
            fontsize=size,
            ha="center",
            va="center",
            color=ink,
        )
    axes.set_yticks(range(len(row_names)), list(map(str, row_names)), fontsize=size)
    axes.set_xticks(range(len(column_names)), list(map(str, column_names)), fontsize=size)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _cell_edges(cells: int) -> np.ndarray:
    return np.arange(cells + 1) - 0.5


def picture(draw: Callable[Frames, Figure]) -> Callable[Frames, Figure]:
    """Decorator of a function that draws frames: what is no such frame gets a sentence."""

    @functools.wraps(draw)
    def checked(*args: Frames.args, **kwargs: Frames.kwargs) -> Figure:
        _check_frame(draw.__name__, args)
        try:
            return draw(*args, **kwargs)
        except KeyError as error:
            frames = [frame for frame in args if hasattr(frame, "columns")]
            missing = _missing_column(error, frames)
            if not missing:
                raise
            known = ", ".join(map(str, frames[0].columns))
            raise ValueError(
                f"plots.{draw.__name__} needs a column {missing!r}; the frame has {known}. "
                f"help(simgin.plots.{draw.__name__}) says which frame it draws."
            ) from None

    return checked


def _check_frame(name: str, args: Sequence[Any]) -> None:
    """Raise ValueError if the first argument is no frame, or has no rows."""
    for frame in args[:1]:
        if not hasattr(frame, "columns"):
            raise ValueError(f"plots.{name} draws a pandas frame, not {shown(frame)}.")
        if len(frame) == 0:
            raise ValueError(f"plots.{name} has nothing to draw: the frame has no rows.")


def _missing_column(error: KeyError, frames: Sequence[Any]) -> str:
    """The column that pandas did not find; empty if the error is about something else."""
    text = str(error.args[0])
    names = re.findall(r"'(\w+)'", text) or [text]  # of several columns it quotes each
    for name in names:
        if frames and name not in frames[0].columns:
            return str(name)
    return ""


# Captions and names


def seed_words(seed: int | None) -> str:
    """The end of a list of facts: `; seed 7`, or nothing if the seed is not known."""
    return "" if seed is None else f"; seed {seed}"


def caption(
    frame: pd.DataFrame,
    *,
    seed: int | None,
    unit: str,
    note: str = "",
) -> str:
    """Variants, strategies, n (in `unit`, such as "deals") and seed of a frame, then `note`.

    Without a seed the frame's deals cannot be named, and the caption does not.
    """
    least = int(frame["n"].min())
    most = int(frame["n"].max())
    size = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    variants = unique(frame["variant"])
    noun = "Variants" if len(variants) > 1 else "Variant"
    facts = [
        f"{noun} {', '.join(variants)}",
        _players(frame),
        f"{size} {unit}",
    ]
    origin = "; ".join(facts) + seed_words(seed) + "."
    return f"{origin} {note}" if note else origin


def _players(frame: pd.DataFrame) -> str:
    """The matchups if they are few, else the strategies."""
    strategies = frame["strategy"].map(str)
    opponents = frame["opponent"].map(str)
    pairs = dict.fromkeys(zip(strategies, opponents, strict=True))
    if len(pairs) <= MOST_PAIRS:
        titles = [f"{a} against {b}" if b else a for a, b in pairs]
        return "; ".join(titles)
    names: dict[str, None] = {}
    for pair in pairs:
        names |= dict.fromkeys(pair)
    names.pop("", None)
    return ", ".join(names)


def groups(frame: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows for each value of a column, in order of appearance."""
    for name, part in frame.groupby(column, sort=False):
        yield str(name), part


def unique(names: pd.Series) -> list[str]:
    """Distinct names in order of appearance."""
    return list(dict.fromkeys(map(str, names)))


def columns(frame: pd.DataFrame, *names: str) -> list[np.ndarray]:
    """Columns as arrays of floats."""
    return [frame[name].to_numpy(dtype=float) for name in names]


def percent(frame: pd.DataFrame, *names: str) -> list[np.ndarray]:
    """Columns of shares, 0 to 1, in per cent."""
    return [100 * shares for shares in columns(frame, *names)]


def widest_half(frame: pd.DataFrame) -> float:
    """Half the width of the widest 95 % interval."""
    halves = (frame["high"] - frame["low"]) / 2
    return float(halves.max())


def escape(text: str) -> str:
    """A text whose dollar signs, which a path may contain, do not start a formula."""
    return text.replace("$", r"\$")


def _folded(text: str, width: int) -> str:
    lines = []
    for part in text.split("\n"):
        lines += fold(part, width)
    return "\n".join(lines)


# Files


def png(figure: Figure) -> bytes:
    """A figure as a PNG file, without date or version: equal figures give equal bytes."""
    _lay_out(figure)
    out = io.BytesIO()
    figure.savefig(
        out,
        format="png",
        dpi=DPI,
        metadata={"Software": None},
    )
    return out.getvalue()


def svg(figure: Figure, name: str) -> str:
    """A figure as an SVG file whose text stays text.

    Every id begins with `name`, so that several figures can stand on one page.
    """
    import matplotlib

    _lay_out(figure)
    out = io.StringIO()
    settings = {
        "svg.fonttype": "none",
        "svg.hashsalt": "simgin",
        "font.family": "sans-serif",
    }
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context(settings):  # type: ignore[arg-type]
        figure.savefig(out, format="svg", metadata=no_metadata)
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", out.getvalue())


def _lay_out(figure: Figure) -> None:
    """Compute the layout once, not again for every file."""
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
