"""Solitaire odds: probability of gin by draw, results by strategy, match totals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures
from simgin.report.figures import Series
from simgin.report.wrapping import fold
from simgin.stats.estimate import wilson

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SMALL, LARGE = 1.75, 2.8  # inches of one panel of several, and of a single one
TOTALS_HEIGHT = 1.25  # inches of one panel
ACROSS = 2  # panels side by side
GOAL, BIN = 30, 10  # highest total that wins a match of Solitary Gin; width of a bin of totals
MOST_MEASURES = 3  # side by side
# Outcome -> label, for those drawn in grey besides gin
OUTCOMES = {"knock": "knock", "joker": "joker drawn", "limit": "out of draws"}
LOOKS = {
    "knock": Series(figures.FAINT, "", "-."),
    "joker": Series(figures.FAINT, "", ":"),
    "limit": Series(figures.FAINT, "", "--"),
}
# Metric -> panel title
MEASURES = {
    "win": "deals won",
    "match": "matches won",
    "match_win": "matches won",
    "goal_met": "goal met",
    "score": "score per deal",
    "penalty": "penalty per deal",
    "total": "match total",
}


def odds(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Cumulative probability of gin by draw, one line per strategy; other outcomes in grey.

    Columns draws, kind, share; one panel per variant.
    """
    strategies, variants = figures.unique(frame["strategy"]), figures.unique(frame["variant"])
    others = [kind for kind in figures.unique(frame["kind"]) if kind in OUTCOMES]
    grey_names = [OUTCOMES[kind] for kind in others]
    across = min(ACROSS, len(variants))
    lines = -(-len(variants) // across)
    note = "Shares of all deals; bands are 95 % intervals."
    if others:
        note += " Grey: other outcomes of the strongest player."
    caption = figures.caption(frame, seed=seed, unit="deals", note=note)
    height = lines * (LARGE if across == 1 else SMALL)
    title, legend_names = "Probability of gin by draw, %", [*strategies, *grey_names]
    figure = figures.new_figure(height, title, caption, legend_names)
    panels = figure.subplots(lines, across, squeeze=False, sharey=True).ravel()
    for axes, variant in zip(panels, variants, strict=False):
        _odds_panel(axes, frame[frame["variant"] == variant], strategies)
        figures.panel_title(axes, variant)
    for axes in panels[len(variants) :]:
        axes.set_visible(False)
    figures.axis_labels(panels[len(variants) - 1], "draws")
    _complete_legend(panels[0], strategies, others)
    figures.legend(panels[0], last=grey_names)
    return figure


def _odds_panel(axes: Axes, rows: pd.DataFrame, strategies: list[str]) -> None:
    figures.style(axes)
    for kind, of_kind in figures.groups(rows, "kind"):
        for strategy, part in figures.groups(of_kind, "strategy"):
            if kind in OUTCOMES:
                look, label = LOOKS[kind], OUTCOMES[kind]
            else:
                look, label = figures.series(strategies.index(strategy)), strategy
            draws = part["draws"].to_numpy(dtype=float)
            figures.band(axes, draws, figures.percent(part, "share", "low", "high"), look, label)
    axes.set_ylim(0, 100)
    axes.set_xlim(left=0)


def _complete_legend(axes: Axes, strategies: list[str], others: list[str]) -> None:
    """Give the panel with the legend an empty series for each one that other panels draw."""
    looks = {name: figures.series(i) for i, name in enumerate(strategies)}
    looks |= {OUTCOMES[kind]: LOOKS[kind] for kind in others}
    drawn = axes.get_legend_handles_labels()[1]
    nothing = np.zeros(0)
    for label, look in looks.items():
        if figures.escape(label) not in drawn:
            figures.band(axes, nothing, [nothing] * 3, look, label)


def strength(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Results of every strategy: measures side by side, one block of rows per variant.

    Columns metric, value.
    """
    metrics = figures.unique(frame["metric"])[:MOST_MEASURES]
    blocks = list(figures.groups(frame, "variant"))
    heights = [_block_height(figures.unique(rows["strategy"])) for _, rows in blocks]
    note = "Bars are 95 % intervals. Empty panel: not defined in this variant."
    caption = figures.caption(frame, seed=seed, unit="deals or matches", note=note)
    figure = figures.new_figure(sum(heights), "Solitaire odds by strategy", caption)
    grid = figure.subplots(len(blocks), len(metrics), squeeze=False, height_ratios=heights)
    for line, (variant, rows) in zip(grid, blocks, strict=True):
        strategies = figures.unique(rows["strategy"])
        for axes, metric in zip(line, metrics, strict=True):
            _measure(axes, rows[rows["metric"] == metric], strategies, metric)
        figures.row_names(line[0], strategies)
        figures.panel_title(line[0], f"{variant}\n{line[0].get_title(loc='left')}")
    return figure


def _block_height(names: list[str]) -> float:
    """Inches of a block of rows with its two titles."""
    lines = max(len(fold(name, figures.LABEL_CHARACTERS)) for name in names)
    return len(names) * (0.09 + 0.13 * lines) + 0.5


def _measure(axes: Axes, part: pd.DataFrame, strategies: list[str], metric: str) -> None:
    """One measure of the strategies of a variant, in per cent if it is a share."""
    figures.style(axes, "x")
    axes.set_yticks([])
    figures.hide_row_axis(axes, len(strategies))
    if part.empty:  # the names of the rows may stand beside it
        axes.set_xticks([])
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        return
    is_share = bool((part["high"] <= 1).all() and (part["low"] >= 0).all())
    factor = 100 if is_share else 1
    limits = [factor * part[column].to_numpy(dtype=float) for column in ("value", "low", "high")]
    places = np.array([strategies.index(name) for name in part["strategy"]])
    figures.level_bars(axes, places, limits, figures.series(0), "")
    axes.locator_params(axis="x", nbins=3)
    axes.margins(x=0.12)
    title = MEASURES.get(metric, metric.replace("_", " "))
    figures.panel_title(axes, f"{title}, %" if is_share else title)


def totals(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Distribution of match totals in bins of ten, winning totals coloured.

    Columns total, share; one panel per strategy.
    """
    strategies = figures.unique(frame["strategy"])
    note = f"Coloured: totals of {GOAL} or less, which win the match. Bars are 95 % intervals."
    caption = figures.caption(frame, seed=seed, unit="matches", note=note)
    figure = figures.new_figure(TOTALS_HEIGHT * len(strategies), "Match totals", caption)
    panels = figures.stack_panels(figure, len(strategies), sharex=True)
    for axes, strategy in zip(panels, strategies, strict=True):
        _histogram(axes, frame[frame["strategy"] == strategy])
        figures.panel_title(axes, strategy)
    figures.axis_labels(panels[-1], "total penalty", "matches, %")
    return figure


def _histogram(axes: Axes, part: pd.DataFrame) -> None:
    """Bars for bins whose upper ends are multiples of ten, with Wilson's limits."""
    upper_ends = -(-part["total"] // BIN) * BIN
    share = part["share"].groupby(upper_ends).sum()
    matches = int(part["n"].max())
    intervals = [wilson(min(float(p), 1), matches) for p in share]
    low, high = (100 * np.array([interval[end] for interval in intervals]) for end in (0, 1))
    value, ends = 100 * share.to_numpy(), share.index.to_numpy(dtype=float)
    axes.bar(
        ends - BIN,
        value,
        width=0.92 * BIN,
        align="edge",
        color=[figures.BLUE if end <= GOAL else figures.GREY for end in ends],
        yerr=figures.bar_lengths(value, low, high),
        ecolor=figures.FAINT,
        capsize=1.5,
    )
