"""Hands during a deal: how deadwood falls, and how often a hand wins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simgin.report import figures
from simgin.report.figures import Series

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["counts", "deadwood"]

SMALL, LARGE, COUNTS_HEIGHT = 1.6, 2.4, 2.8  # inches: one panel of several, a single one, a map
ACROSS = 2  # panels of deadwood side by side
PANEL_CHARACTERS = {1: 48, 2: 25}  # per line of the title of a panel, by panels side by side
SEAT_DASH = (0, (3, 2))
FEWEST = 100  # rows behind a point; fewer deals say little
CROWDED, CROWDED_TYPE = 12, 7  # turns from which on the type is smaller; points
BIN = 5  # points of deadwood in a row of the heat map
DEADWOOD_NOTE = (
    "Deals still in progress. Thick: median hand with 95 % interval. Between the thin lines: the "
    "middle 80 % of hands."
)


@figures.picture
def deadwood(frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()) -> Figure:
    """Deadwood by turn for both seats: median, and the range of the middle 80 % of hands.

    Columns turn, side, q10, q50, q90; one panel per variant, two side by side.
    """
    frame = frame[frame["n"] >= FEWEST]
    variants = figures.unique(frame["variant"])
    looks = figures.looks(variants, among)
    caption = figures.caption(frame, seed=seed, unit="hands per point", note=DEADWOOD_NOTE)
    across = min(ACROSS, len(variants))
    lines = figures.lines_of_panels(len(variants), across)
    height = lines * (LARGE if across == 1 else SMALL)
    figure = figures.new_figure(height, "Deadwood by turn", caption, ["", ""])
    grid = figure.subplots(lines, across, squeeze=False, sharex=True, sharey=True)
    panels = grid.ravel()
    for axes, variant in zip(panels, variants, strict=False):
        _deadwood_panel(axes, frame[frame["variant"] == variant], looks[variant])
        figures.panel_title(axes, variant, PANEL_CHARACTERS[across])
    figures.hide(panels[len(variants) :])
    figures.label_outer(grid, len(variants), "own turns played", "deadwood")
    _name_seats(panels[0], figures.unique(frame["side"]))
    figures.legend(panels[0])
    return figure


def _deadwood_panel(axes: Axes, rows: pd.DataFrame, look: Series) -> None:
    """Thick medians with their bars, between the thin edges of the middle 80 % of hands."""
    figures.style(axes)
    for i, (_, part) in enumerate(figures.groups(rows, "side")):
        seat = _seat(look, i)
        turn, median, low, high = figures.columns(part, "turn", "q50", "low", "high")
        for edge in figures.columns(part, "q10", "q90"):
            axes.plot(turn, edge, color=seat.colour, linestyle=seat.dash, linewidth=0.7)
        axes.plot(turn, median, color=seat.colour, linestyle=seat.dash, linewidth=2)
        bars = figures.bar_lengths(median, low, high)
        axes.errorbar(turn, median, yerr=bars, fmt="none", ecolor=seat.colour, linewidth=1)
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", integer=True)


def _seat(look: Series, i: int) -> Series:
    """The look of seat i, 0 or 1: the variant's colour, or grey dashes."""
    return look._replace(dash="-") if i == 0 else Series(figures.FAINT, "", SEAT_DASH)


def _name_seats(axes: Axes, sides: Sequence[str]) -> None:
    """Entries of the legend in ink, since every panel has its own colour."""
    for i, side in enumerate(sides):
        seat = _seat(figures.PLAIN, i)
        axes.plot([], [], color=seat.colour, linestyle=seat.dash, linewidth=2, label=side)


@figures.picture
def counts(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Probability of winning the deal by own deadwood and turn: one heat map per player.

    Columns turn, count, value; count is the lower end of a bin.
    """
    frame = frame[frame["n"] >= FEWEST]
    panels = [
        (f"{strategy}, {variant}: deals won, %", part)
        for variant, rows in figures.groups(frame, "variant")
        for strategy, part in figures.groups(rows, "strategy")
    ]
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
    size = CROWDED_TYPE if len(table.columns) > CROWDED else figures.NORMAL
    figures.heat_map(axes, values, list(table.index), list(table.columns), size=size)
    figures.axis_labels(axes, "own turns played", "own deadwood")
