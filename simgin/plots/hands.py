"""Hands during a deal: how deadwood falls, and how often a hand wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DEADWOOD_HEIGHT, COUNTS_HEIGHT = 1.7, 2.8  # inches per panel
FEWEST = 100  # rows behind a point; fewer deals say little
BIN = 5  # points of deadwood in a row of the heat map


def deadwood(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Deadwood by turn for both seats: median, and the range of the middle 80 % of hands.

    Columns turn, side, q10, q50, q90; one panel per variant.
    """
    frame = frame[frame["n"] >= FEWEST]
    variants = figures.unique(frame["variant"])
    note = (
        "Deals still in progress. Lines are medians with 95 % intervals; bands hold the middle "
        "80 % of hands."
    )
    caption = figures.caption(frame, seed=seed, unit="hands per point", note=note)
    height = DEADWOOD_HEIGHT * len(variants) + 0.3
    figure = figures.new_figure(height, "Deadwood by turn", caption, ["", ""])
    panels = figures.stack_panels(figure, len(variants), sharex=True)
    for axes, variant in zip(panels, variants, strict=True):
        _deadwood_panel(axes, frame[frame["variant"] == variant])
        figures.panel_title(axes, variant if len(variants) > 1 else "")
    figures.axis_labels(panels[-1], "turn", "deadwood")
    figures.legend(panels[0])
    return figure


def _deadwood_panel(axes: Axes, rows: pd.DataFrame) -> None:
    for i, (side, part) in enumerate(figures.groups(rows, "side")):
        look, turn = figures.series(i), part["turn"].to_numpy(dtype=float)
        axes.fill_between(
            turn,
            part["q10"],
            part["q90"],
            color=look.colour,
            alpha=0.18,
            linewidth=0,
        )
        columns = ("q50", "low", "high")
        median, low, high = (part[column].to_numpy(dtype=float) for column in columns)
        axes.plot(
            turn,
            median,
            color=look.colour,
            linestyle=look.dash,
            linewidth=1.6,
            label=side,
        )
        bars = figures.bar_lengths(median, low, high)
        axes.errorbar(turn, median, yerr=bars, fmt="none", ecolor=look.colour, linewidth=1)
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", integer=True)


def counts(frame: pd.DataFrame, *, seed: int) -> Figure:
    """Probability of winning the deal by own deadwood and turn: one heat map per player.

    Columns turn, count, value; count is the lower end of a bin.
    """
    frame = frame[frame["n"] >= FEWEST]
    panels = []
    for variant, rows in figures.groups(frame, "variant"):
        for strategy, part in figures.groups(rows, "strategy"):
            panels.append((f"{strategy}, {variant}: deals won, %", part))
    half = 100 * float(((frame["high"] - frame["low"]) / 2).max())
    note = (
        f"Deadwood in bins of {BIN}, labelled by their lower end. 95 % intervals: ± {half:.2g} or "
        "less. Empty cells: too few deals."
    )
    caption = figures.caption(frame, seed=seed, unit="hands per cell", note=note)
    height = COUNTS_HEIGHT * len(panels)
    figure = figures.new_figure(height, "Win probability by deadwood and turn", caption)
    stacked = figures.stack_panels(figure, len(panels))
    for axes, (title, part) in zip(stacked, panels, strict=True):
        table = 100 * part.pivot(index="count", columns="turn", values="value")
        values = table.to_numpy(dtype=float)
        figures.heat_map(axes, values, list(table.index), list(table.columns))
        figures.panel_title(axes, title)
        figures.axis_labels(axes, "own turns played", "own deadwood")
    return figure
