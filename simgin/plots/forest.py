"""Differences: between variants or strategies, of changes by field, and in a search for better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.report import figures
from simgin.stats import metrics

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["differences", "effects", "search"]

HEAD = 0.55  # inches of a panel without its rows
SURE = 0.05  # p after Holm's adjustment
MARKED, MOST_MARKED = (0.01, 0.04, 0.2, 1, 4, 20, 80), 2  # points on the scale of effects
ROOM = 1.15  # of the largest effect: where its scale ends
LEAST_REACH = 0.01  # points: the smallest scale of effects
BARS = "Bars are 95 % intervals on shared packs; one that cannot be seen is shorter than its dot."
GREY_DOTS = "Grey and hollow: no clear difference."


@figures.picture
def differences(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Variants minus their base, or strategies minus theirs: a panel per metric.

    Columns metric, title, base_variant (and base_strategy), difference; optional p_holm, which
    says what is clear (else the interval does). Metrics without a clear difference are only named,
    below, if there are others. `simgin.forest` makes such a frame from the differences of a run.
    """
    same_variant = frame["variant"] == frame["base_variant"]
    compared = "strategy" if same_variant.all() else "variant"
    base = str(frame[f"base_{compared}"].iloc[0])
    frame = frame.assign(name=frame[compared].map(str), clear=_is_clear(frame))
    titles = frame.drop_duplicates("metric").set_index("metric")["title"].map(str)
    shown = figures.unique(frame.loc[frame["clear"], "metric"]) or list(titles.index)
    unclear = [title for metric, title in titles.items() if metric not in shown]
    note = f"{BARS} {GREY_DOTS}"
    note += f" No clear difference: {', '.join(unclear)}." if unclear else ""
    caption = figures.caption(frame, seed=seed, unit="deals or matches", note=note)
    parts = {titles[metric]: frame[frame["metric"] == metric] for metric in shown}
    figure, _ = _panels(f"Difference from {base}", caption, parts)
    return figure


@figures.picture
def effects(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """What changes of a strategy gain in points per deal: one panel per change, the best first.

    Columns change, field, difference, of the rows in points (metric margin) of one variant. All
    panels have one scale, of square roots, with a dot and its bar for every field.
    """
    gains = frame.groupby("change", sort=False)["difference"].mean()
    changes = gains.sort_values(ascending=False, kind="stable").index
    # The fields say who plays; with every change added to them the list would fill a page.
    by_field = frame.assign(strategy=frame["field"], opponent="")
    note = f"{BARS} {GREY_DOTS} All panels have one scale, of square roots."
    caption = figures.caption(by_field, seed=seed, unit="deals", note=note)
    frame = frame.assign(name=frame["field"].map(str), clear=_is_clear(frame))
    parts = {str(change): frame[frame["change"] == change] for change in changes}
    figure, panels = _panels("Points per deal gained, by field", caption, parts)
    largest = figures.furthest(figures.columns(frame, "low", "high"), LEAST_REACH)
    for axes in panels:
        _root_scale(axes, ROOM * largest)
    return figure


def _is_clear(frame: pd.DataFrame) -> pd.Series:
    """Whether a difference is sure: after Holm's adjustment, or else by its interval."""
    if "p_holm" in frame:
        return frame["p_holm"] < SURE
    return (frame["low"] > 0) | (frame["high"] < 0)


def _panels(
    title: str, caption: str, parts: Mapping[str, pd.DataFrame]
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel for every part: a dot with its bar beside every name.

    A name has its row in every panel, grey where its difference is not clear.
    """
    names = list(dict.fromkeys(name for part in parts.values() for name in part["name"]))
    height = len(parts) * (HEAD + figures.row_height(names) * len(names))
    figure = figures.new_figure(height, title, caption)
    panels = figures.stack_panels(figure, len(parts), grid="x")
    for axes, (head, part) in zip(panels, parts.items(), strict=True):
        for name, row in figures.groups(part, "name"):
            draw = figures.level_bars if row["clear"].any() else figures.unclear_bars
            limits = figures.columns(row, "difference", "low", "high")
            draw(axes, np.array([names.index(name)]), limits, figures.PLAIN, "")
        axes.axvline(0, color=figures.FAINT, linewidth=1, zorder=1)
        figures.row_names(axes, names)
        figures.panel_title(axes, head)
        axes.margins(x=0.12)
        axes.locator_params(axis="x", nbins=4)
    return figure, panels


def _root_scale(axes: Axes, reach: float) -> None:
    """A scale of square roots, on which small and large gains and losses can both be seen."""
    axes.set_xscale("function", functions=(_signed_root, _signed_square))
    axes.set_xlim(-reach, reach)
    gains = [points for points in MARKED if points < reach][-MOST_MARKED:]
    ticks = sorted([*[-points for points in gains], 0, *gains])
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def _signed_root(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.sign(x) * np.sqrt(np.abs(x)))


def _signed_square(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.sign(x) * np.square(x))


# The course of a search for better numbers

GAIN, NUMBER = 1.9, 1.15  # inches of the panel of the gain, and of those of the numbers
LOOK = figures.SERIES[0]
DEFAULT: dict[str, Any] = {"color": figures.INK, "linewidth": 1, "linestyle": "--"}
SEARCH_NOTE = (
    "After each generation, the middle of what is drawn next: above, its gain on the default on "
    "packs new to it, with 95 % intervals; below, its values, and one standard deviation of what "
    "is drawn either way. Last: what was chosen, as confirmed. Dashed: the default."
)


@figures.picture
def search(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """What a search gained on the default, generation by generation, and how the numbers moved.

    Columns generations, metric, gain (with low and high), parameter, value (with value_low and
    value_high, of what is drawn), default; a row for every generation and parameter.
    """
    names = figures.unique(frame["parameter"])
    caption = figures.caption(frame, seed=seed, unit="matches a candidate", note=SEARCH_NOTE)
    heights = [GAIN, *[NUMBER] * len(names)]
    figure = figures.new_figure(sum(heights), "Search for better numbers", caption)
    top, *panels = figures.stack_panels(figure, len(heights), sharex=True, heights=heights)
    _gain_panel(top, frame[frame["parameter"] == names[0]])
    for axes, (name, rows) in zip(panels, figures.groups(frame, "parameter"), strict=True):
        _number_panel(axes, rows)
        figures.panel_title(axes, name)
    figures.axis_labels(panels[-1], "generations")
    return figure


def _gain_panel(axes: Axes, rows: pd.DataFrame) -> None:
    """The gain by generation."""
    metric = metrics.BY_NAME[rows["metric"].iloc[0]]
    (generations,) = figures.columns(rows, "generations")
    shown = [metric.factor * limit for limit in figures.columns(rows, "gain", "low", "high")]
    axes.axhline(0, **DEFAULT)
    figures.band(axes, generations, shown, LOOK, "")
    figures.mark_unknown(axes, rows["gain"])
    figures.panel_title(axes, f"gain on the default, {metric.title}")
    _whole_ticks(axes)


def _number_panel(axes: Axes, rows: pd.DataFrame) -> None:
    """One number by generation."""
    generations, default = figures.columns(rows, "generations", "default")
    limits = figures.columns(rows, "value", "value_low", "value_high")
    axes.axhline(default[0], **DEFAULT)
    figures.band(axes, generations, limits, LOOK, "")
    figures.mark_unknown(axes, rows["value"])
    _whole_ticks(axes)


def _whole_ticks(axes: Axes) -> None:
    """No ticks between two generations."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
