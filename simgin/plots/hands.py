"""Hands during a deal: how deadwood falls, and how often a hand wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simgin.report import figures

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["counts", "deadwood"]

DEADWOOD_HEIGHT, COUNTS_HEIGHT = 1.7, 2.8  # inches per panel
FEWEST = 100  # rows behind a point; fewer deals say little
BIN = 5  # points of deadwood in a row of the heat map
DEADWOOD_NOTE = (
    "Deals still in progress. Lines are medians with 95 % intervals; bands hold the middle "
    "80 % of hands."
)


@figures.picture
def deadwood(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Deadwood by turn for both seats: median, and the range of the middle 80 % of hands.

    Columns turn, side, q10, q50, q90; one panel per variant.
    """
    frame = frame[frame["n"] >= FEWEST]
    variants = figures.unique(frame["variant"])
    caption = figures.caption(
        frame,
        seed=seed,
        unit="hands per point",
        note=DEADWOOD_NOTE,
    )
    height = DEADWOOD_HEIGHT * len(variants) + 0.3
    figure = figures.new_figure(height, "Deadwood by turn", caption, ["", ""])
    panels = figures.stack_panels(figure, len(variants), sharex=True)
    for axes, variant in zip(panels, variants, strict=True):
        rows = frame[frame["variant"] == variant]
        _deadwood_panel(axes, rows)
        figures.panel_title(axes, variant if len(variants) > 1 else "")
    figures.axis_labels(panels[-1], "turn", "deadwood")
    figures.legend(panels[0])
    return figure


def _deadwood_panel(axes: Axes, rows: pd.DataFrame) -> None:
    for i, (side, part) in enumerate(figures.groups(rows, "side")):
        look = figures.series(i)
        (turn,) = figures.columns(part, "turn")
        axes.fill_between(
            turn,
            part["q10"],
            part["q90"],
            color=look.colour,
            alpha=0.18,
            linewidth=0,
        )
        median, low, high = figures.columns(part, "q50", "low", "high")
        axes.plot(
            turn,
            median,
            color=look.colour,
            linestyle=look.dash,
            linewidth=1.6,
            label=side,
        )
        bars = figures.bar_lengths(median, low, high)
        axes.errorbar(
            turn,
            median,
            yerr=bars,
            fmt="none",
            ecolor=look.colour,
            linewidth=1,
        )
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", integer=True)


@figures.picture
def counts(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Probability of winning the deal by own deadwood and turn: one heat map per player.

    Columns turn, count, value; count is the lower end of a bin.
    """
    frame = frame[frame["n"] >= FEWEST]
    panels = []
    for variant, rows in figures.groups(frame, "variant"):
        for strategy, part in figures.groups(rows, "strategy"):
            panels.append((f"{strategy}, {variant}: deals won, %", part))
    caption = _counts_caption(frame, seed)
    height = COUNTS_HEIGHT * len(panels)
    figure = figures.new_figure(height, "Win probability by deadwood and turn", caption)
    stacked = figures.stack_panels(figure, len(panels))
    for axes, (title, part) in zip(stacked, panels, strict=True):
        _counts_panel(axes, part)
        figures.panel_title(axes, title)
    return figure


def _counts_caption(frame: pd.DataFrame, seed: int | None) -> str:
    half = 100 * figures.widest_half(frame)
    note = (
        f"Deadwood in bins of {BIN}, labelled by their lower end. 95 % intervals: ± {half:.2g} or "
        "less. Empty cells: too few deals."
    )
    return figures.caption(frame, seed=seed, unit="hands per cell", note=note)


def _counts_panel(axes: Axes, part: pd.DataFrame) -> None:
    table = 100 * part.pivot(index="count", columns="turn", values="value")
    values = table.to_numpy(dtype=float)
    figures.heat_map(axes, values, list(table.index), list(table.columns))
    figures.axis_labels(axes, "own turns played", "own deadwood")
