"""One look for all pictures: size, inks, colours, titles and captions, and how a figure becomes a file.

Narrow enough for a phone held upright, in colours that colour-blind readers tell apart, every series with a mark or dash of its own for
print in grey. Nothing here touches pyplot's global state.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simgin.report.wrapping import fold

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

WIDTH = 4.2  # inches: on a phone held upright type keeps nine tenths of its size
TEXT_LINE = 0.18  # inches of a line of a title or caption
DPI = 200
LEGEND_CHARACTERS = HEADING_CHARACTERS = 48
LIFT = 0.25  # inches from axes to a legend above their heading
TITLE_CHARACTERS, CAPTION_CHARACTERS, LABEL_CHARACTERS = 42, 66, 22  # longer lines are folded
SMALL, NORMAL, LARGE = 7.5, 8.5, 11  # points

# The page exchanges these four, and no others, for those of its colour scheme: nothing else may be drawn in them.
INK, FAINT, GRID, PAPER = "#222222", "#666666", "#dddddd", "#ffffff"

# Okabe and Ito's palette; greys for the ends that nobody played for. All are readable on white and on a dark page.
BLUE, ORANGE, GREEN, YELLOW, SKY, RED, PINK, GREY = (
    *("#0072B2", "#E69F00", "#009E73", "#D9C400"),
    *("#56B4E9", "#D55E00", "#CC79A7", "#8C8C8C"),
)
DARKEST = "#101010"  # what is written on colours, on any page
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
DARK = ("knock", "undercut", "stalled", "joker", "limit")  # what white is read on


class Series(NamedTuple):
    """How one of several lines is told from the others, in colour and without."""

    colour: str
    marker: str
    dash: str | tuple[int, tuple[int, ...]]


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
    """The look of the i-th of several series, from 0; after eight the colours come again with the next mark and dash."""
    own, other = SERIES[i % len(SERIES)], SERIES[(i + i // len(SERIES)) % len(SERIES)]
    return Series(own.colour, other.marker, other.dash)


def figure(height: float, title: str, caption: str, names: Sequence[str] = ()) -> Figure:
    """A figure with room for axes of so many inches beside its title and caption, both folded, and a legend of some names."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    heading = "\n".join(line for part in title.split("\n") for line in fold(part, TITLE_CHARACTERS))
    note = textwrap.fill(caption.replace("± ", "±\N{NO-BREAK SPACE}"), CAPTION_CHARACTERS)
    lines = heading.count("\n") + note.count("\n") + _legend_lines(names)
    made = Figure(
        figsize=(WIDTH, height + 0.8 + TEXT_LINE * lines),
        dpi=DPI,
        layout="constrained",
        facecolor=PAPER,
    )
    FigureCanvasAgg(made)
    made.suptitle(safe(heading), x=0.02, ha="left", fontsize=LARGE, fontweight="bold", color=INK)
    made.supxlabel(safe(note), x=0.02, ha="left", fontsize=SMALL, color=FAINT)
    return made


def stacked(made: Figure, panels: int, *, sharex: bool = False) -> list[Axes]:
    """So many axes one under another, with nothing but what is read."""
    found = list(made.subplots(panels, squeeze=False, sharex=sharex)[:, 0])
    for axes in found:
        plain(axes)
    return found


def plain(axes: Axes, grid: str = "y") -> None:
    """Axes without a frame, in the page's inks; grid: along x, y, or both."""
    axes.set_facecolor(PAPER)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(FAINT)
    axes.tick_params(labelsize=NORMAL, colors=INK, color=FAINT)
    axes.grid(axis=grid, color=GRID, linewidth=0.8)  # type: ignore[arg-type]
    axes.set_axisbelow(True)


def heading(axes: Axes, text: str) -> None:
    """The title of a panel, folded."""
    folded = "\n".join(line for part in text.split("\n") for line in fold(part, HEADING_CHARACTERS))
    axes.set_title(safe(folded), loc="left", fontsize=NORMAL, color=INK)


def labels(axes: Axes, x: str = "", y: str = "") -> None:
    """What the axes count."""
    axes.set_xlabel(x, fontsize=NORMAL, color=INK)
    axes.set_ylabel(y, fontsize=NORMAL, color=INK)


def legend(axes: Axes, last: Sequence[str] = ()) -> None:
    """What the series of some axes are, above them and their heading; nothing where there is one only. last: names that end it."""
    handles, names = axes.get_legend_handles_labels()
    order = sorted(range(len(names)), key=lambda i: names[i] in last)
    handles, names = [handles[i] for i in order], [names[i] for i in order]
    made = axes.get_figure(root=True)
    if made is None or len(names) < 2:
        return
    lift = LIFT if axes.get_title(loc="left") else 0.03
    style: dict[str, Any] = {
        "fontsize": NORMAL,
        "frameon": False,
        "labelcolor": INK,
        "handlelength": 2.5,
        "borderaxespad": 0,
    }
    place: dict[str, Any] = {
        "loc": "lower left",
        "bbox_to_anchor": (0, lift),
        "bbox_transform": _above(made, axes),
    }
    folded = ["\n".join(fold(name, LEGEND_CHARACTERS)) for name in names]
    made_of = axes.legend(
        handles, folded, ncols=_legend_columns(names), columnspacing=1.2, **style, **place
    )
    made_of.set_in_layout(False)  # its width is not to be the axes'
    _keep_free(made, axes, lift + TEXT_LINE * _legend_lines(names))


def _above(made: Figure, axes: Axes) -> Transform:
    """Inches from the upper left corner of the axes."""
    from matplotlib.transforms import ScaledTranslation

    return made.dpi_scale_trans + ScaledTranslation(0, 1, axes.transAxes)  # type: ignore[arg-type]


def _keep_free(made: Figure, axes: Axes, height: float) -> None:
    """Have so many inches above the axes laid out as theirs."""
    from matplotlib.patches import Rectangle

    axes.add_artist(
        Rectangle(
            (0, 0),
            0.01,
            height,
            transform=_above(made, axes),
            facecolor="none",
            edgecolor="none",
            clip_on=False,
        )
    )


def _legend_columns(names: Sequence[str]) -> int:
    """As many as have room beside one another, three at most."""
    return max(1, min(3, LEGEND_CHARACTERS // (max(map(len, names)) + 7)))


def _legend_lines(names: Sequence[str]) -> int:
    if len(names) < 2:
        return 0
    lines = [len(fold(name, LEGEND_CHARACTERS)) for name in names]
    return max(lines) * -(-len(names) // _legend_columns(names))


Estimate = Sequence[
    np.ndarray
]  # values with their lower and upper limits, three arrays of one length


def band(axes: Axes, x: np.ndarray, estimate: Estimate, own: Series, label: str) -> None:
    """A line and the band of its 95 % limits."""
    value, low, high = estimate
    axes.fill_between(x, low, high, color=own.colour, alpha=0.25, linewidth=0)
    axes.plot(x, value, color=own.colour, linestyle=own.dash, linewidth=1.6, label=safe(label))


def bars(axes: Axes, x: np.ndarray, estimate: Estimate, own: Series, label: str) -> None:
    """Dots with upright 95 % bars."""
    axes.errorbar(x, estimate[0], yerr=_arms(*estimate), **_dot(own, label))


def dots(axes: Axes, y: np.ndarray, estimate: Estimate, own: Series, label: str) -> None:
    """Dots with level 95 % bars in rows y; where there is no value, a word says so."""
    axes.errorbar(estimate[0], y, xerr=_arms(*estimate), **_dot(own, label))
    too_few(axes, y[np.isnan(estimate[0])])


def _arms(value: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.asarray(np.maximum(0, np.array([value - low, high - value])))


def _dot(own: Series, label: str) -> dict[str, Any]:
    return {
        "fmt": own.marker,
        "color": own.colour,
        "markersize": 4.5,
        "capsize": 2.5,
        "linewidth": 1.2,
        "label": safe(label),
    }


def too_few(axes: Axes, places: Iterable[float]) -> None:
    """A word in the rows whose value is undefined."""
    for y in places:
        axes.annotate(
            "too few to say",
            (0.5, y),
            xycoords=("axes fraction", "data"),
            fontsize=NORMAL,
            ha="center",
            va="center",
            color=FAINT,
        )


def rows(axes: Axes, names: Sequence[str]) -> None:
    """Names beside rows 0, 1, ... from the top."""
    axes.set_yticks(
        range(len(names)),
        [safe("\n".join(fold(name, LABEL_CHARACTERS))) for name in names],
        fontsize=NORMAL,
        color=INK,
    )
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def diverging() -> Colormap:
    """From what is lost over a pale middle to what is won."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("won", [RED, "#F7F7F5", BLUE])


def heat(
    axes: Axes,
    values: np.ndarray,
    rows: Sequence[object],
    columns: Sequence[object],
    *,
    middle: float = 50,
    reach: float = 50,
    form: str = "{:.0f}",
    size: float = NORMAL,
) -> None:
    """A table of numbers on shades, `middle` pale and what is `reach` from it darkest; NaN stays empty."""
    edges = [
        np.arange(n + 1) - 0.5 for n in values.shape[::-1]
    ]  # cells as drawn shapes: an image would not be one with a page's policy
    axes.pcolormesh(
        *edges,
        np.ma.masked_invalid(values),
        vmin=middle - reach,
        vmax=middle + reach,
        cmap=diverging(),
    )
    axes.invert_yaxis()
    for i, j in zip(*np.nonzero(~np.isnan(values)), strict=True):
        ink = "#fefefe" if abs(values[i, j] - middle) > 0.75 * reach else DARKEST
        axes.text(
            j, i, form.format(values[i, j]), fontsize=size, ha="center", va="center", color=ink
        )
    axes.set_yticks(range(len(rows)), [str(name) for name in rows], fontsize=size)
    axes.set_xticks(range(len(columns)), [str(name) for name in columns], fontsize=size)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def caption(frame: pd.DataFrame, *, seed: int, unit: str, note: str = "") -> str:
    """What was played: the n behind the rows (`unit`: what they are), strategies, variants, seed; then a note how to read it."""
    least, most = int(frame["n"].min()), int(frame["n"].max())
    amount = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return (
        f"{_said('Variant', frame['variant'])}; {_players(frame)}; {amount} {unit}; seed {seed}."
        + (f" {note}" if note else "")
    )


def _said(what: str, names: pd.Series) -> str:
    found = unique(names)
    return f"{what}{'s' if len(found) > 1 else ''} {', '.join(found)}"


def _players(frame: pd.DataFrame) -> str:
    """Who played: everybody by name if that is short."""
    pairs = dict.fromkeys(zip(frame["strategy"].map(str), frame["opponent"].map(str), strict=True))
    said = [f"{a} against {b}" if b else a for a, b in pairs]
    if len(said) <= 3:
        return "; ".join(said)
    return ", ".join(dict.fromkeys(name for pair in pairs for name in pair if name))


def each(frame: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of every value of a column, in the order in which they are met."""
    for name, part in frame.groupby(column, sort=False):
        yield str(name), part


def unique(names: pd.Series) -> list[str]:
    """Every name once, in the order in which they are met."""
    return list(dict.fromkeys(map(str, names)))


def safe(text: str) -> str:
    """A text in which a dollar sign, which a path may have, begins no formula."""
    return text.replace("$", r"\$")


def _settle(made: Figure) -> None:
    """Lay the figure out once, and not again for every file."""
    if made.get_layout_engine() is not None:
        made.draw_without_rendering()
        made.set_layout_engine("none")


def png(made: Figure) -> bytes:
    """The figure as a PNG file, without a date or version in it."""
    _settle(made)
    out = io.BytesIO()
    made.savefig(out, format="png", dpi=DPI, metadata={"Software": None})
    return out.getvalue()


def svg(made: Figure, name: str) -> str:
    """The figure as an SVG file, its text as text; every id begins with `name`, so that several can stand on one page."""
    import matplotlib

    _settle(made)
    out = io.StringIO()
    with matplotlib.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "simgin", "font.family": "sans-serif"}
    ):
        made.savefig(
            out,
            format="svg",
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", out.getvalue())
