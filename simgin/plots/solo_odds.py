"""Solitaire odds: probability of gin by draw, results by strategy, match totals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures
from simgin.report.figures import Series
from simgin.stats.estimate import wilson

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["odds", "strength", "totals"]

SMALL, LARGE = 1.75, 2.8  # inches of one panel of several, and of a single one
TOTALS_HEIGHT = 1.25  # inches of one panel
BLOCK = 0.85  # inches of a block of rows without them
ACROSS = 2  # panels side by side
GOAL, BIN = 30, 10  # highest total that wins a match of Solitary Gin; width of a bin of totals
PANEL_CHARACTERS = {1: 48, 2: 25}  # per line of the title of a panel, by panels side by side
MOST_MEASURES = 3  # side by side
NO_BREAK = "\N{NO-BREAK SPACE}"
TITLE_CHARACTERS = {1: 40, 2: 22, 3: 13}  # per line of the title of a measure, by their number
# Outcome -> label, for those drawn in grey besides gin
OUTCOMES = {"knock": "knock", "joker": "joker drawn", "limit": "out of draws"}
LOOKS = {
    "knock": Series(figures.FAINT, "", "-."),
    "joker": Series(figures.FAINT, "", ":"),
    "limit": Series(figures.FAINT, "", "--"),
}
STRENGTH_NOTE = "Bars are 95 % intervals; one that cannot be seen is shorter than its dot."
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
def odds(frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()) -> Figure:
    """Cumulative probability of gin by draw, one line per strategy; other outcomes in grey.

    Columns draws, kind, share; one panel per variant. Strategies come weakest first; other outcomes
    are those of the last.
    """
    frame = _gin_and_outcomes_of_strongest(frame)
    owner = figures.owner(frame, among)
    frame = frame.assign(owner=frame[owner].map(str))
    looks = figures.looks(figures.unique(frame["owner"]), among)
    variants = figures.unique(frame["variant"])
    others = [kind for kind in figures.unique(frame["kind"]) if kind in OUTCOMES]
    legend = {OUTCOMES[kind]: LOOKS[kind] for kind in others}
    if owner == "strategy":
        legend = looks | legend
    else:  # one line of gin in a panel, in the colour of its variant
        legend = {"gin": figures.PLAIN} | legend
        looks = {name: look._replace(dash="-") for name, look in looks.items()}
    across = min(ACROSS, len(variants))
    lines = figures.lines_of_panels(len(variants), across)
    figure = figures.new_figure(
        lines * (LARGE if across == 1 else SMALL),
        "Probability of gin by draw, %",
        _odds_caption(frame, others, seed),
        list(legend),
    )
    grid = figure.subplots(lines, across, squeeze=False, sharey=True)
    panels = grid.ravel()
    for axes, variant in zip(panels, variants, strict=False):
        _odds_panel(axes, frame[frame["variant"] == variant], looks)
        figures.panel_title(axes, variant, PANEL_CHARACTERS[across])
    figures.hide(panels[len(variants) :])
    figures.label_outer(grid, len(variants), "draws", "deals, %")
    _name_lines(panels[0], legend)
    figures.legend(panels[0])
    return figure


def _gin_and_outcomes_of_strongest(frame: pd.DataFrame) -> pd.DataFrame:
    strongest = frame.groupby("variant", sort=False)["strategy"].transform("last")
    is_drawn = (frame["kind"] == "gin") | (frame["strategy"] == strongest)
    return frame[is_drawn]


def _odds_caption(frame: pd.DataFrame, others: list[str], seed: int | None) -> str:
    note = "Shares of all deals; bands are 95 % intervals."
    if others:
        note += " Grey: other outcomes of the strongest player."
    return figures.caption(frame, seed=seed, unit="deals", note=note)


def _odds_panel(axes: Axes, rows: pd.DataFrame, looks: dict[str, Series]) -> None:
    figures.style(axes)
    for kind, of_kind in figures.groups(rows, "kind"):
        for _, part in figures.groups(of_kind, "strategy"):
            look = LOOKS[kind] if kind in OUTCOMES else looks[part["owner"].iloc[0]]
            (draws,) = figures.columns(part, "draws")
            figures.band(axes, draws, figures.percent(part, "share", "low", "high"), look, "")
    axes.set_ylim(0, 100)
    axes.set_xlim(left=0)


def _name_lines(axes: Axes, looks: dict[str, Series]) -> None:
    """Entries of the legend, for the lines of all panels."""
    nothing = np.zeros(0)
    for label, look in looks.items():
        figures.band(axes, nothing, [nothing] * 3, look, label)


@figures.picture
def strength(frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()) -> Figure:
    """Results of every strategy: measures side by side, one block of rows per variant.

    Columns metric, value.
    """
    metrics = figures.unique(frame["metric"])[:MOST_MEASURES]
    frame = frame.assign(owner=frame[figures.owner(frame, among)].map(str))
    looks = figures.looks(figures.unique(frame["owner"]), among)
    blocks = list(figures.groups(frame, "variant"))
    heights = [_block_height(rows) for _, rows in blocks]
    caption = figures.caption(frame, seed=seed, unit="deals or matches", note=STRENGTH_NOTE)
    figure = figures.new_figure(sum(heights), "Solitaire odds by strategy", caption)
    grid = figure.subplots(len(blocks), len(metrics), squeeze=False, height_ratios=heights)
    for line, (variant, rows) in zip(grid, blocks, strict=True):
        strategies = figures.unique(rows["strategy"])
        _block(line, rows[rows["metric"].isin(metrics)], looks)
        figures.row_names(line[0], strategies)
        figures.heading(line[0], variant)
    return figure


def _block(line: np.ndarray, rows: pd.DataFrame, looks: dict[str, Series]) -> None:
    """The measures of one variant, side by side."""
    strategies = figures.unique(rows["strategy"])
    width = TITLE_CHARACTERS[len(line)]
    parts = list(figures.groups(rows, "metric"))
    for axes, (metric, part) in zip(line, parts, strict=False):
        _measure(axes, part, strategies, looks)
        figures.panel_title(axes, _measure_title(part, metric), width)
    figures.hide(line[len(parts) :])


def _measure_title(part: pd.DataFrame, metric: str) -> str:
    title = MEASURES.get(metric, metric.replace("_", " "))
    return f"{title},{NO_BREAK}%" if _is_share(part) else title


def _is_share(part: pd.DataFrame) -> bool:
    return bool((part["high"] <= 1).all() and (part["low"] >= 0).all())


def _block_height(rows: pd.DataFrame) -> float:
    """Inches of a block of rows with its heading and titles."""
    names = figures.unique(rows["strategy"])
    return BLOCK + len(names) * figures.row_height(names)


def _measure(
    axes: Axes, part: pd.DataFrame, strategies: list[str], looks: dict[str, Series]
) -> None:
    """One measure of the strategies of a variant, in per cent if it is a share."""
    figures.style(axes, "x")
    axes.set_yticks([])
    figures.hide_row_axis(axes, len(strategies))
    factor = 100 if _is_share(part) else 1
    for strategy, row in figures.groups(part, "strategy"):
        limits = [factor * limit for limit in figures.columns(row, "value", "low", "high")]
        place = np.array([strategies.index(strategy)])
        figures.level_bars(axes, place, limits, looks[row["owner"].iloc[0]], "")
    axes.margins(x=0.15)
    low, high = axes.get_xlim()
    axes.locator_params(axis="x", nbins=2)
    if high - low < 1:  # numbers so long that there is room for two
        ticks = [tick for tick in axes.get_xticks() if low <= tick <= high]
        axes.set_xticks([ticks[0], ticks[-1]])
    axes.xaxis.set_major_formatter("{x:g}")  # without zeros, for which there is no room
    axes.tick_params(axis="x", labelsize=figures.SMALL)


@figures.picture
def totals(frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()) -> Figure:
    """Distribution of match totals in bins of ten, winning totals coloured.

    Columns total, share; one panel per strategy.
    """
    strategies = figures.unique(frame["strategy"])
    owner = figures.owner(frame, among)
    looks = figures.looks(figures.unique(frame[owner]), among)
    caption = figures.caption(frame, seed=seed, unit="matches", note=TOTALS_NOTE)
    figure = figures.new_figure(TOTALS_HEIGHT * len(strategies), "Match totals", caption)
    panels = figures.stack_panels(figure, len(strategies), sharex=True)
    for axes, strategy in zip(panels, strategies, strict=True):
        part = frame[frame["strategy"] == strategy]
        _histogram(axes, part, looks[str(part[owner].iloc[0])].colour)
        figures.panel_title(axes, strategy)
        figures.axis_labels(axes, "", "matches, %")
    figures.axis_labels(panels[-1], "total penalty", "matches, %")
    return figure


def _histogram(axes: Axes, part: pd.DataFrame, colour: str) -> None:
    """Bars for bins whose upper ends are multiples of ten, with Wilson's limits."""
    shares = part["share"].groupby(-(-part["total"] // BIN) * BIN).sum()
    value = 100 * shares.to_numpy()
    low, high = _wilson_limits(shares, int(part["n"].max()))
    ends = shares.index.to_numpy(dtype=float)
    colours = [colour if end <= GOAL else figures.GRID for end in ends]
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
    low, high = 100 * np.array([wilson(min(float(share), 1), n) for share in shares]).T
    return low, high
