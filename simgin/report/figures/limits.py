"""Estimates with their 95 % limits: lines in bands, and dots with bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.report.figures.colours import FAINT, PAPER
from simgin.report.figures.looks import Series
from simgin.report.figures.words import NORMAL, escape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Limits",
    "band",
    "bar_lengths",
    "level_bars",
    "mark_undefined",
    "unclear_bars",
    "upright_bars",
]

# Values, lower limits, upper limits: three arrays of one length
Limits = Sequence[np.ndarray]


def band(axes: Axes, x: np.ndarray, limits: Limits, look: Series, label: str) -> None:
    """A line in the band of its 95 % limits."""
    value, low, high = limits
    axes.fill_between(x, low, high, color=look.colour, alpha=0.25, linewidth=0)
    axes.plot(x, value, color=look.colour, linestyle=look.dash, linewidth=1.6, label=escape(label))


def upright_bars(axes: Axes, x: np.ndarray, limits: Limits, look: Series, label: str) -> None:
    """Dots with vertical 95 % bars."""
    axes.errorbar(x, limits[0], yerr=bar_lengths(*limits), **_dot(look, label))


def level_bars(
    axes: Axes, y: np.ndarray, limits: Limits, look: Series, label: str, **style: Any
) -> None:
    """Dots with horizontal 95 % bars in rows y; undefined values are marked in words."""
    value, low, high = limits
    dot = _dot(look, label) | style
    axes.errorbar(value, y, xerr=bar_lengths(value, low, high), **dot)
    mark_undefined(axes, y[np.isnan(value)])


def unclear_bars(axes: Axes, y: np.ndarray, limits: Limits, look: Series, label: str) -> None:
    """The same in grey, hollow and without an entry in the legend: what may be nothing."""
    grey = look._replace(colour=FAINT)
    level_bars(axes, y, limits, grey, f"_{label}", markerfacecolor=PAPER)


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
            bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1},
        )
