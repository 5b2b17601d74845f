"""Marks of plots, such as error bars and heat maps, and checks of the DataFrames drawn."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, cast

import numpy as np

from simgin.report.figures.layout import (
    DARKEST,
    FAINT,
    INK,
    KINDS,
    LIGHTEST,
    NORMAL,
    PAPER,
    WHITE_TEXT,
    Series,
    escape,
    loss_to_win,
)
from simgin.text.messages import shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

UNDEFINED = "too few to estimate"
LEAST_LABELLED = 7  # %; narrower parts of a bar have no label
STEPS, KEY_TICKS = 20, (0, 20, 40, 60, 80, 100)  # shades of a map without numbers, and ticks in %
Frames = ParamSpec("Frames")  # arguments of a plot function
MOST_PAIRS = 3  # matchups listed in a caption
MOST_NAMES = 12  # variants or strategies listed in a caption; above that, their number
MOST_LETTERS = 150  # of the strategies listed in a caption
# Values, lower bounds and upper bounds: three arrays of shape (n,)
Limits = Sequence[np.ndarray]


def band(axes: Axes, x: np.ndarray, limits: Limits, look: Series, label: str) -> None:
    """Draw a line and the band of its 95 % confidence intervals."""
    value, low, high = limits
    axes.fill_between(x, low, high, color=look.colour, alpha=0.25, linewidth=0)
    axes.plot(x, value, color=look.colour, linestyle=look.dash, linewidth=1.6, label=escape(label))


def upright_bars(axes: Axes, x: np.ndarray, limits: Limits, look: Series, label: str) -> None:
    """Draw dots with vertical 95 % error bars."""
    axes.errorbar(x, limits[0], yerr=bar_lengths(*limits), **_dot(look, label))


def level_bars(
    axes: Axes, y: np.ndarray, limits: Limits, look: Series, label: str, **style: Any
) -> None:
    """Draw dots with horizontal 95 % error bars in rows y, and label undefined values."""
    value, low, high = limits
    dot = _dot(look, label) | style
    axes.errorbar(value, y, xerr=bar_lengths(value, low, high), **dot)
    mark_undefined(axes, y[np.isnan(value)])


def unclear_bars(axes: Axes, y: np.ndarray, limits: Limits, look: Series, label: str) -> None:
    """Draw hollow grey dots with horizontal error bars and without a legend entry."""
    level_bars(axes, y, limits, look._replace(colour=FAINT), f"_{label}", markerfacecolor=PAPER)


def bar_lengths(value: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the distances from values to their bounds for error bars, shape (2, n)."""
    return np.asarray(np.maximum(0, np.array([value - low, high - value])))


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
    """Label the rows whose value is undefined."""
    for y in rows:
        axes.annotate(
            UNDEFINED,
            (0.5, y),
            xycoords=("axes fraction", "data"),
            fontsize=NORMAL,
            ha="center",
            va="center",
            color=FAINT,
            bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1},
        )


def mark_unknown(axes: Axes, values: Any) -> None:
    """Label axes if all of their values are undefined."""
    if np.isnan(np.asarray(values, np.float64)).all():
        mark_empty(axes, UNDEFINED)


def mark_empty(axes: Axes, text: str) -> None:
    """Label axes without data with the reason."""
    axes.set_axis_off()
    axes.text(
        0.5,
        0.5,
        text,
        transform=axes.transAxes,
        fontsize=NORMAL,
        ha="center",
        va="center",
        color=FAINT,
        bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1},
    )


def stack_bars(
    axes: Axes, kind: str, shares: np.ndarray, left: np.ndarray, label: str, size: float
) -> None:
    """Draw a deal ending as a part of every stacked bar, labelled with its percentage.

    Parts narrower than MIN_LABELLED_PERCENT have no label.
    """
    rows = range(len(shares))
    bars = axes.barh(rows, shares, left=left, color=KINDS[kind], label=label)
    texts = [f"{share:.0f}" if share >= LEAST_LABELLED else "" for share in shares]
    ink = LIGHTEST if kind in WHITE_TEXT else DARKEST
    axes.bar_label(bars, texts, label_type="center", fontsize=size, color=ink)


# Heat maps


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
    """Draw a table of numbers on shades.

    Args:
        axes: The axes.
        values: Numbers, shape (n_rows, n_columns); NaN cells are empty.
        row_names: Names of the rows.
        column_names: Names of the columns.
        middle: Value with the palest shade.
        reach: Distance from `middle` to the darkest shades.
        form: Format of a number.
        size: Font size in points.
    """
    from matplotlib.colors import Normalize

    _cells(axes, values, Normalize(middle - reach, middle + reach))
    for (i, j), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        dark = abs(value - middle) > 0.75 * reach
        ink = LIGHTEST if dark else DARKEST
        axes.text(j, i, form.format(value), fontsize=size, ha="center", va="center", color=ink)
    _name_cells(axes, row_names, column_names, size)
    mark_unknown(axes, values)


def shade_map(
    axes: Axes,
    values: np.ndarray,
    row_names: Sequence[object],
    column_names: Sequence[object],
    *,
    size: float,
    key: str,
) -> None:
    """Draw a large table of percentages as shades, without numbers but with a colour bar.

    Args:
        axes: The axes.
        values: Percentages, shape (n_rows, n_columns); NaN cells are empty.
        row_names: Names of the rows.
        column_names: Names of the columns.
        size: Font size in points.
        key: Title of the colour bar.
    """
    from matplotlib.colors import BoundaryNorm

    cells = _cells(axes, values, BoundaryNorm(np.linspace(0, 100, STEPS + 1), loss_to_win().N))
    _name_cells(axes, row_names, column_names, size)
    mark_unknown(axes, values)
    figure = axes.get_figure(root=True)
    if figure is None:
        return
    scale = figure.colorbar(
        cells, ax=axes, location="bottom", aspect=40, ticks=KEY_TICKS, pad=0.01, fraction=0.05
    )
    scale.outline.set_visible(False)
    scale.ax.minorticks_off()
    scale.ax.tick_params(labelsize=NORMAL, colors=INK, length=0)
    scale.set_label(key, fontsize=NORMAL, color=INK)


def _cells(axes: Axes, values: np.ndarray, norm: Normalize) -> QuadMesh:
    """Draw cells as vector shapes, because HTML reports do not allow images."""
    rows, columns = values.shape
    cells = axes.pcolormesh(
        _cell_edges(columns),
        _cell_edges(rows),
        np.ma.masked_invalid(values),
        norm=norm,
        cmap=loss_to_win(),
    )
    axes.invert_yaxis()
    return cells


def _name_cells(
    axes: Axes, row_names: Sequence[object], column_names: Sequence[object], size: float
) -> None:
    """Set the names of rows and columns and remove the frame and grid."""
    axes.set_yticks(range(len(row_names)), list(map(str, row_names)), fontsize=size)
    axes.set_xticks(range(len(column_names)), list(map(str, column_names)), fontsize=size)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _cell_edges(cells: int) -> np.ndarray:
    return np.arange(cells + 1) - 0.5


# DataFrames: checks, columns, groups and captions


def picture(draw: Callable[Frames, Figure]) -> Callable[Frames, Figure]:
    """Decorate a function that draws a DataFrame with checks of its first argument.

    Args:
        draw: Function whose first argument is a DataFrame.

    Returns:
        The function, which raises a `ValueError` with an explanation for other arguments, empty
        DataFrames and missing columns.
    """

    @functools.wraps(draw)
    def checked(*args: Frames.args, **kwargs: Frames.kwargs) -> Figure:
        name, frame = draw.__name__, cast("pd.DataFrame", args[0])
        if not hasattr(frame, "columns"):
            raise ValueError(f"plots.{name} draws a pandas frame, not {shown(frame)}.")
        if not len(frame):
            raise ValueError(f"plots.{name} has nothing to draw: the frame has no rows.")
        try:
            return draw(*args, **kwargs)
        except KeyError as error:
            told = str(error.args[0])
            missing = ", ".join(re.findall(r"'(\w+)'", told)[-1:] or [told])
            raise ValueError(
                f"plots.{name} draws another frame: this one has no column {missing} "
                f"(help(simgin.plots.{name}) lists them)."
            ) from error

    return checked


def seed_words(seed: int | None) -> str:
    """Return the end of a list of facts: `; seed 7`, or "" if the seed is unknown."""
    return "" if seed is None else f"; seed {seed}"


def caption(frame: pd.DataFrame, *, seed: int | None, unit: str, note: str = "") -> str:
    """Return a caption: variants, strategies, sample size and seed, followed by a note.

    Args:
        frame: DataFrame with the columns variant, strategy, opponent and n.
        seed: Seed of the deals; omitted if None.
        unit: Noun for `n`, such as "deals".
        note: Text after these facts.
    """
    least = int(frame["n"].min())
    most = int(frame["n"].max())
    size = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    variants = unique(frame["variant"])
    noun = "Variants" if len(variants) > 1 else "Variant"
    told = (
        f"{noun} {', '.join(variants)}"
        if len(variants) <= MOST_NAMES
        else f"{len(variants)} variants"
    )
    facts = [told, _players(frame), f"{size} {unit}"]
    origin = "; ".join(facts) + seed_words(seed) + "."
    return f"{origin} {note}" if note else origin


def _players(frame: pd.DataFrame) -> str:
    """Return the matchups if they are few, and otherwise the strategies or their number."""
    strategies = frame["strategy"].map(str)
    pairs = dict.fromkeys(zip(strategies, frame["opponent"].map(str), strict=True))
    if len(pairs) <= MOST_PAIRS:
        return "; ".join([f"{a} against {b}" if b else a for a, b in pairs])
    names: dict[str, None] = {}
    for pair in pairs:
        names |= dict.fromkeys(pair)
    names.pop("", None)
    told = ", ".join(names)
    many = len(names) > MOST_NAMES or len(told) > MOST_LETTERS
    return f"{len(names)} players" if many else told


def groups(frame: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows for each value of a column, in order of appearance."""
    for name, part in frame.groupby(column, sort=False):
        yield str(name), part


def unique(names: pd.Series) -> list[str]:
    """Return the distinct names in order of appearance."""
    return list(dict.fromkeys(map(str, names)))


def columns(frame: pd.DataFrame, *names: str) -> list[np.ndarray]:
    """Return columns as arrays of floats."""
    return [frame[name].to_numpy(dtype=float) for name in names]


def percent(frame: pd.DataFrame, *names: str) -> list[np.ndarray]:
    """Return columns of proportions (0 to 1) as percentages."""
    return [100 * shares for shares in columns(frame, *names)]


def furthest(values: Any, least: float) -> float:
    """Return the largest absolute value, ignoring NaN, or `least` if that is larger."""
    return float(np.nanmax(np.abs(np.asarray(values, np.float64)), initial=least))


def precision(frame: pd.DataFrame, factor: float = 100, unit: str = "") -> str:
    """Return a sentence with the half-width of the widest 95 % confidence interval."""
    half = factor * float((frame["high"] - frame["low"]).max()) / 2
    if np.isnan(half):
        return "Too few to estimate."
    return f"95 % intervals: ± {half:.2g}{unit} or less."
