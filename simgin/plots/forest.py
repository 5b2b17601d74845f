"""Differences: between variants, between strategies in one variant, and of changes by field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simgin.report import figures
from simgin.report.figures import Series

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["differences", "effects"]

ROW, HEAD, TITLE_LINE = 0.14, 0.42, 0.15  # inches of a row, a panel without title, a line of it
ACROSS = 2  # panels side by side
CHARACTERS = 26  # per line of the title of a panel
SURE = 0.05  # p after Holm's adjustment
MARKED, MOST_MARKED = (0.01, 0.04, 0.2, 1, 4, 20, 80), 2  # points on the scale of effects
ROOM = 1.15  # of the largest effect: where its scale ends
BARS = "Bars are 95 % intervals on shared packs; one that cannot be seen is shorter than its dot."
GREY_DOTS = "Grey and hollow: no clear difference."


class Rows(NamedTuple):
    """Who has a row in every panel, and its look; too many for colours are named beside it."""

    names: list[str]
    looks: dict[str, Series]

    @property
    def are_named(self) -> bool:
        return len(self.names) > len(figures.SERIES)

    @property
    def height(self) -> float:
        """Inches of the rows of a panel."""
        row = figures.row_height(self.names) if self.are_named else ROW
        return row * len(self.names)


@figures.picture
def differences(
    frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()
) -> Figure:
    """Variants minus their base, or strategies minus theirs: a panel per metric.

    Columns metric, title, base_variant (and base_strategy), difference; optional p_holm, which
    says what is clear (else the interval does). Metrics without a clear difference are only named,
    below, if there are others. `simgin.forest` makes such a frame from the differences of a run.
    """
    compared = _compared(frame)
    base = str(frame[f"base_{compared}"].iloc[0])
    rows = _rows(frame[compared], among)
    frame = frame.assign(name=frame[compared].map(str), clear=_is_clear(frame))
    titles = frame.drop_duplicates("metric").set_index("metric")["title"].map(str)
    shown = figures.unique(frame.loc[frame["clear"], "metric"]) or list(titles.index)
    unclear = [title for metric, title in titles.items() if metric not in shown]
    note = f"{BARS} {GREY_DOTS}"
    note += f" No clear difference: {', '.join(unclear)}." if unclear else ""
    caption = figures.caption(frame, seed=seed, unit="deals or matches", note=note)
    figure, panels = _grid(f"Difference from {base}", caption, list(titles[shown]), rows)
    for axes, metric in zip(panels, shown, strict=True):
        _panel(axes, frame[frame["metric"] == metric], rows)
    _finish_legend(panels[0], rows)
    return figure


@figures.picture
def effects(frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()) -> Figure:
    """What changes of a strategy gain in points per deal: one panel per change, the best first.

    Columns change, field, difference, of the rows in points (metric margin) of one variant. All
    panels have one scale, of square roots, with a dot and its bar for every field.
    """
    changes = _best_first(frame)
    rows = _rows(frame["field"], among)
    # The fields say who plays; with every change added to them the list would fill a page.
    by_field = frame.assign(strategy=frame["field"], opponent="")
    note = f"{BARS} {GREY_DOTS} All panels have one scale, of square roots."
    caption = figures.caption(by_field, seed=seed, unit="deals", note=note)
    frame = frame.assign(name=frame["field"].map(str), clear=_is_clear(frame))
    figure, panels = _grid("Points per deal gained, by field", caption, changes, rows)
    largest = np.nanmax(np.abs(figures.columns(frame, "low", "high")))
    for axes, change in zip(panels, changes, strict=True):
        _panel(axes, frame[frame["change"] == change], rows)
        _root_scale(axes, ROOM * float(largest))
    _finish_legend(panels[0], rows)
    return figure


def _best_first(frame: pd.DataFrame) -> list[str]:
    """The changes by what they gain in the mean of the fields."""
    gains = frame.groupby("change", sort=False)["difference"].mean()
    ranked = gains.sort_values(ascending=False, kind="stable")
    return [str(change) for change in ranked.index]


def _compared(frame: pd.DataFrame) -> str:
    """The column of what is compared: strategies if the variant is that of the base."""
    same_variant = frame["variant"] == frame["base_variant"]
    return "strategy" if same_variant.all() else "variant"


def _is_clear(frame: pd.DataFrame) -> pd.Series:
    """Whether a difference is sure: after Holm's adjustment, or else by its interval."""
    if "p_holm" in frame:
        return frame["p_holm"] < SURE
    return (frame["low"] > 0) | (frame["high"] < 0)


def _rows(names: pd.Series, among: Sequence[str]) -> Rows:
    """The rows of a panel, in order of appearance."""
    distinct = figures.unique(names)
    if len(distinct) > len(figures.SERIES):
        return Rows(distinct, dict.fromkeys(distinct, figures.PLAIN))
    return Rows(distinct, figures.looks(distinct, among))


def _grid(title: str, caption: str, heads: list[str], rows: Rows) -> tuple[Figure, list[Axes]]:
    """A figure with a titled panel for every head."""
    across = 1 if rows.are_named else ACROSS
    lines = figures.lines_of_panels(len(heads), across)
    height = lines * (HEAD + rows.height)
    for line in range(lines):
        first = line * across
        height += TITLE_LINE * _tallest(heads[first : first + across])
    in_legend = [] if rows.are_named else rows.names
    figure = figures.new_figure(height, title, caption, in_legend)
    panels = list(figure.subplots(lines, across, squeeze=False).ravel())
    drawn = panels[: len(heads)]
    figures.hide(panels[len(heads) :])
    for axes, head in zip(drawn, heads, strict=True):
        figures.style(axes, "x")
        figures.panel_title(axes, head, CHARACTERS)
    return figure, drawn


def _tallest(heads: list[str]) -> int:
    """Lines of the longest of these titles of panels."""
    return max([figures.folded(head, CHARACTERS).count("\n") + 1 for head in heads])


def _panel(axes: Axes, part: pd.DataFrame, rows: Rows) -> None:
    """A dot with its bar for every name, grey where the difference is not clear."""
    for name, row in figures.groups(part, "name"):
        look = rows.looks[name]
        limits = figures.columns(row, "difference", "low", "high")
        place = np.array([rows.names.index(name)])
        draw = figures.level_bars if row["clear"].any() else figures.unclear_bars
        draw(axes, place, limits, look, name)
    axes.axvline(0, color=figures.FAINT, linewidth=1, zorder=1)
    if rows.are_named:
        figures.row_names(axes, rows.names)
    else:
        axes.set_yticks([])
        figures.hide_row_axis(axes, len(rows.names))
    axes.margins(x=0.12)
    axes.locator_params(axis="x", nbins=4)


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


def _finish_legend(axes: Axes, rows: Rows) -> None:
    """A legend of all names in their order, above the first panel, unless rows are named.

    Names without a clear dot in that panel get an empty series.
    """
    if rows.are_named:
        return
    nothing = np.zeros(0)
    for name in rows.names:
        _, drawn = axes.get_legend_handles_labels()
        if figures.escape(name) not in drawn:
            figures.level_bars(axes, nothing, [nothing] * 3, rows.looks[name], name)
    order = [figures.escape(name) for name in rows.names]
    labelled = [bars for bars in axes.containers if bars.get_label() in order]
    others = [bars for bars in axes.containers if bars.get_label() not in order]
    labelled.sort(key=lambda bars: order.index(str(bars.get_label())))
    axes.containers[:] = labelled + others
    figures.legend(axes)
