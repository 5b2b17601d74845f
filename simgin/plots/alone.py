"""The odds of a player alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures
from simgin.report.wrapping import fold
from simgin.stats.ratios import wilson

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SMALL, LARGE = 1.75, 2.8  # inches of one panel of several, and of a single one
GOAL, BIN = 30, 10  # the total of a won match of Solitary Gin; totals are counted by tens
WORDS = {
    "gin": "gone gin",
    "big_gin": "gone big gin",
    "knock": "knocked",
    "joker": "met the joker",
    "limit": "run out of draws",
}
ENDS = {
    "knock": figures.Series(figures.FAINT, "", "-."),
    "joker": figures.Series(figures.FAINT, "", ":"),
    "limit": figures.Series(figures.FAINT, "", "--"),
}
MEASURES = 3  # side by side at most


def odds(frame: pd.DataFrame, *, seed: int) -> Figure:
    """How many deals have ended in gin by so many draws, a line a strategy, and otherwise, in grey; a panel a variant.

    Columns draws, kind, share.
    """
    names, variants = figures.unique(frame["strategy"]), figures.unique(frame["variant"])
    others = [kind for kind in figures.unique(frame["kind"]) if kind in ENDS]
    legend = [*names, *(WORDS[kind] for kind in others)]
    across = min(2, len(variants))
    lines = -(-len(variants) // across)
    note = "Shares of all deals, bands are 95 % intervals. " + (
        "Grey: other ends, for the strongest player." if others else ""
    )
    told = figures.caption(frame, seed=seed, unit="deals", note=note)
    made = figures.figure(
        lines * (LARGE if across == 1 else SMALL), "Gone gin by so many draws, %", told, legend
    )
    grid = made.subplots(lines, across, squeeze=False, sharey=True).ravel()
    for axes, variant in zip(grid, variants, strict=False):
        figures.plain(axes)
        of = frame[frame["variant"] == variant]
        for kind, ended in figures.each(of, "kind"):
            for name, part in figures.each(ended, "strategy"):
                own, label = (
                    (figures.series(names.index(name)), name)
                    if kind not in ENDS
                    else (ENDS[kind], WORDS[kind])
                )
                figures.band(axes, *_shares(part, "draws"), own, label)
        axes.set_ylim(0, 100)
        axes.set_xlim(left=0)
        figures.heading(axes, variant)
    for axes in grid[len(variants) :]:
        axes.set_visible(False)
    figures.labels(grid[len(variants) - 1], "draws")
    _complete(grid[0], names, others)
    figures.legend(grid[0], last=list(WORDS.values()))
    return made


def _shares(part: pd.DataFrame, x: str) -> tuple[np.ndarray, list[np.ndarray]]:
    return part[x].to_numpy(dtype=float), [
        100 * part[name].to_numpy(dtype=float) for name in ("share", "low", "high")
    ]


def _complete(axes: Axes, names: list[str], others: list[str]) -> None:
    """Put what is met in other panels only into the legend of the first."""
    nothing = [np.zeros(0)] * 3
    there = axes.get_legend_handles_labels()[1]
    for i, name in enumerate(names):
        if figures.safe(name) not in there:
            figures.band(axes, np.zeros(0), nothing, figures.series(i), name)
    for kind in others:
        if WORDS[kind] not in there:
            figures.band(axes, np.zeros(0), nothing, ENDS[kind], WORDS[kind])


def strength(frame: pd.DataFrame, *, seed: int) -> Figure:
    """A figure of every strategy: measures side by side, a block of rows a variant. Columns metric, value."""
    metrics = figures.unique(frame["metric"])[:MEASURES]
    blocks = [(variant, of) for variant, of in figures.each(frame, "variant")]
    heights = [_height(figures.unique(of["strategy"])) for _, of in blocks]
    told = figures.caption(
        frame,
        seed=seed,
        unit="deals or matches",
        note="Bars are 95 % intervals; an empty panel is none of the game's.",
    )
    made = figures.figure(sum(heights), "By strength of player", told)
    grid = made.subplots(len(blocks), len(metrics), squeeze=False, height_ratios=heights)
    for line, (variant, of) in zip(grid, blocks, strict=True):
        names = figures.unique(of["strategy"])
        for axes, metric in zip(line, metrics, strict=True):
            _measure(axes, of[of["metric"] == metric], names, f"{metric.replace('_', ' ')}")
        figures.rows(line[0], names)
        figures.heading(line[0], f"{variant}\n{line[0].get_title(loc='left')}")
    return made


def _height(names: list[str]) -> float:
    """Inches of a block of so many rows with its two headings."""
    lines = max(len(fold(name, figures.LABEL_CHARACTERS)) for name in names)
    return len(names) * (0.09 + 0.13 * lines) + 0.5


def _measure(axes: Axes, part: pd.DataFrame, names: list[str], title: str) -> None:
    """One measure of the strategies of a variant, in per cent if it is a share."""
    figures.plain(axes, "x")
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    if part.empty:  # the names of the rows may stand beside it
        axes.set_xticks([])
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        return
    share = bool((part["high"] <= 1).all() and (part["low"] >= 0).all())
    estimate = [
        (100 if share else 1) * part[column].to_numpy(dtype=float)
        for column in ("value", "low", "high")
    ]
    figures.dots(
        axes,
        np.array([names.index(name) for name in part["strategy"]]),
        estimate,
        figures.series(0),
        "",
    )
    axes.locator_params(axis="x", nbins=3)
    axes.margins(x=0.12)
    figures.heading(axes, title + (" %" if share else ""))


def totals(frame: pd.DataFrame, *, seed: int) -> Figure:
    """How match totals spread by tens, a panel a strategy, what wins the match in colour. Columns total, share."""
    names = figures.unique(frame["strategy"])
    note = f"Coloured: {GOAL} or less, the match is won. Bars are 95 % intervals."
    made = figures.figure(
        1.25 * len(names),
        "What five deals add up to",
        figures.caption(frame, seed=seed, unit="matches", note=note),
    )
    found = figures.stacked(made, len(names), sharex=True)
    for axes, name in zip(found, names, strict=True):
        _histogram(axes, frame[frame["strategy"] == name])
        figures.heading(axes, name)
    figures.labels(found[-1], "total penalty", "% of matches")
    return made


def _histogram(axes: Axes, part: pd.DataFrame) -> None:
    """Totals in bins of ten, those up to 30 in one of them: limits are Wilson's for so many matches."""
    upper = -(-part["total"] // BIN) * BIN
    share = part["share"].groupby(upper).sum()
    low, high = (
        100 * np.array([wilson(min(float(p), 1), int(part["n"].max()))[end] for p in share])
        for end in (0, 1)
    )
    value, x = 100 * share.to_numpy(), share.index.to_numpy(dtype=float)
    colours = [figures.BLUE if edge <= GOAL else figures.GREY for edge in x]
    arms = np.maximum(0, [value - low, high - value])
    axes.bar(
        x - BIN,
        value,
        width=0.92 * BIN,
        align="edge",
        color=colours,
        yerr=arms,
        ecolor=figures.FAINT,
        capsize=1.5,
    )
