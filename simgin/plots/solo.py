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

__all__ = ["odds", "strength", "totals"]

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
STRENGTH_NOTE = "Bars are 95 % intervals. Empty panel: not defined in this variant."
TOTALS_NOTE = f"Coloured: totals of {GOAL} or less, which win the match. Bars are 95 % intervals."
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


@figures.picture
def odds(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Cumulative probability of gin by draw, one line per strategy; other outcomes in grey.

    Columns draws, kind, share; one panel per variant. Strategies come weakest first; other outcomes
    are those of the last.
    """
    frame = _gin_and_outcomes_of_strongest(frame)
    strategies = figures.unique(frame["strategy"])
    variants = figures.unique(frame["variant"])
    others = [kind for kind in figures.unique(frame["kind"]) if kind in OUTCOMES]
    grey_names = [OUTCOMES[kind] for kind in others]
    across = min(ACROSS, len(variants))
    lines = figures.lines_of_panels(len(variants), across)
    figure = figures.new_figure(
        lines * (LARGE if across == 1 else SMALL),
        "Probability of gin by draw, %",
        _odds_caption(frame, others, seed),
        [*strategies, *grey_names],
    )
    panels = figure.subplots(lines, across, squeeze=False, sharey=True).ravel()
    for axes, variant in zip(panels, variants, strict=False):
        rows = frame[frame["variant"] == variant]
        _odds_panel(axes, rows, strategies)
        figures.panel_title(axes, variant)
    figures.hide(panels[len(variants) :])
    figures.axis_labels(panels[len(variants) - 1], "draws")
    _complete_legend(panels[0], strategies, others)
    figures.legend(panels[0], last=grey_names)
    return figure


def _gin_and_outcomes_of_strongest(frame: pd.DataFrame) -> pd.DataFrame:
    by_variant = frame.groupby("variant", sort=False)
    strongest = by_variant["strategy"].transform("last")
    is_drawn = (frame["kind"] == "gin") | (frame["strategy"] == strongest)
    return frame[is_drawn]


def _odds_caption(frame: pd.DataFrame, others: list[str], seed: int | None) -> str:
    note = "Shares of all deals; bands are 95 % intervals."
    if others:
        note += " Grey: other outcomes of the strongest player."
    return figures.caption(frame, seed=seed, unit="deals", note=note)


def _odds_panel(axes: Axes, rows: pd.DataFrame, strategies: list[str]) -> None:
    figures.style(axes)
    for kind, of_kind in figures.groups(rows, "kind"):
        for strategy, part in figures.groups(of_kind, "strategy"):
            look = figures.series(strategies.index(strategy))
            label = strategy
            if kind in OUTCOMES:
                look = LOOKS[kind]
                label = OUTCOMES[kind]
            (draws,) = figures.columns(part, "draws")
            limits = figures.percent(part, "share", "low", "high")
            figures.band(axes, draws, limits, look, label)
    axes.set_ylim(0, 100)
    axes.set_xlim(left=0)


def _complete_legend(axes: Axes, strategies: list[str], others: list[str]) -> None:
    """Give the panel with the legend an empty series for each one that other panels draw."""
    looks = {name: figures.series(i) for i, name in enumerate(strategies)}
    for kind in others:
        looks[OUTCOMES[kind]] = LOOKS[kind]
    _, drawn = axes.get_legend_handles_labels()
    nothing = np.zeros(0)
    for label, look in looks.items():
        if figures.escape(label) not in drawn:
            figures.band(axes, nothing, [nothing] * 3, look, label)


@figures.picture
def strength(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Results of every strategy: measures side by side, one block of rows per variant.

    Columns metric, value.
    """
    metrics = figures.unique(frame["metric"])[:MOST_MEASURES]
    blocks = list(figures.groups(frame, "variant"))
    heights = [_block_height(rows) for _, rows in blocks]
    caption = figures.caption(
        frame,
        seed=seed,
        unit="deals or matches",
        note=STRENGTH_NOTE,
    )
    figure = figures.new_figure(sum(heights), "Solitaire odds by strategy", caption)
    grid = figure.subplots(len(blocks), len(metrics), squeeze=False, height_ratios=heights)
    for line, (variant, rows) in zip(grid, blocks, strict=True):
        strategies = figures.unique(rows["strategy"])
        for axes, metric in zip(line, metrics, strict=True):
            part = rows[rows["metric"] == metric]
            _measure(axes, part, strategies, metric)
        first = line[0]
        figures.row_names(first, strategies)
        figures.panel_title(first, f"{variant}\n{first.get_title(loc='left')}")
    return figure


def _block_height(rows: pd.DataFrame) -> float:
    """Inches of a block of rows with its two titles."""
    names = figures.unique(rows["strategy"])
    folded = [fold(name, figures.LABEL_CHARACTERS) for name in names]
    lines = max(map(len, folded))
    return len(names) * (0.09 + 0.13 * lines) + 0.5


def _measure(
    axes: Axes,
    part: pd.DataFrame,
    strategies: list[str],
    metric: str,
) -> None:
    """One measure of the strategies of a variant, in per cent if it is a share."""
    figures.style(axes, "x")
    axes.set_yticks([])
    figures.hide_row_axis(axes, len(strategies))
    if part.empty:
        _blank(axes)
        return
    is_share = bool((part["high"] <= 1).all() and (part["low"] >= 0).all())
    factor = 100 if is_share else 1
    limits = [factor * limit for limit in figures.columns(part, "value", "low", "high")]
    places = np.array([strategies.index(name) for name in part["strategy"]])
    figures.level_bars(axes, places, limits, figures.series(0), "")
    axes.locator_params(axis="x", nbins=3)
    axes.margins(x=0.12)
    title = MEASURES.get(metric, metric.replace("_", " "))
    figures.panel_title(axes, f"{title}, %" if is_share else title)


def _blank(axes: Axes) -> None:
    """Leave a panel empty but visible: the names of the rows may stand beside it."""
    axes.set_xticks([])
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


@figures.picture
def totals(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Distribution of match totals in bins of ten, winning totals coloured.

    Columns total, share; one panel per strategy.
    """
    strategies = figures.unique(frame["strategy"])
    caption = figures.caption(frame, seed=seed, unit="matches", note=TOTALS_NOTE)
    height = TOTALS_HEIGHT * len(strategies)
    figure = figures.new_figure(height, "Match totals", caption)
    panels = figures.stack_panels(figure, len(strategies), sharex=True)
    for axes, strategy in zip(panels, strategies, strict=True):
        part = frame[frame["strategy"] == strategy]
        _histogram(axes, part)
        figures.panel_title(axes, strategy)
    figures.axis_labels(panels[-1], "total penalty", "matches, %")
    return figure


def _histogram(axes: Axes, part: pd.DataFrame) -> None:
    """Bars for bins whose upper ends are multiples of ten, with Wilson's limits."""
    upper_ends = -(-part["total"] // BIN) * BIN
    shares = part["share"].groupby(upper_ends).sum()
    value = 100 * shares.to_numpy()
    low, high = _wilson_limits(shares, int(part["n"].max()))
    ends = shares.index.to_numpy(dtype=float)
    colours = [figures.BLUE if end <= GOAL else figures.GREY for end in ends]
    axes.bar(
        ends - BIN,
        value,
        width=0.92 * BIN,
        align="edge",
        color=colours,
        yerr=figures.bar_lengths(value, low, high),
        ecolor=figures.FAINT,
        capsize=1.5,
    )


def _wilson_limits(shares: pd.Series, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper limits in per cent of shares of n matches."""
    lows = []
    highs = []
    for share in shares:
        interval = wilson(min(float(share), 1), n)
        lows.append(interval[0])
        highs.append(interval[1])
    return 100 * np.array(lows), 100 * np.array(highs)
