"""Plots of matchups and leagues: wins and points, deal endings, ratings and cross tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core.sums import KINDS, WON_KINDS
from simgin.report import figures
from simgin.report.summary import has_sides, played, roles, shown
from simgin.report.table import Column
from simgin.report.wrapping import fold
from simgin.stats import metrics, table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simgin.stats.table import ByMetric

__all__ = ["endings", "league", "ratings", "win_and_points"]

LINE, GAP = 0.14, 0.16  # inches per line of a label, and between matchups
TYPE = 8  # points of labels and legends
PANEL_HEAD = 0.6  # inches of a panel without its rows
MOST_STACKED = 6  # matchups up to which panels are stacked; above, they are side by side
MOST_NAMED = 8  # players listed in a caption
SIDE_CHARACTERS = 36  # characters of all titles of panels that are side by side
NOTE = "Bars are 95 % intervals; one that cannot be seen is shorter than its dot."

Matchup = tuple[tuple[str, str, str], "ByMetric"]  # variant, A, B; the rows of player A

EVEN = {"margin": 0, "score": 0, "settlement": 0, "match_win": 0.5, "goal_met": 0.5}
# Styles of the dots of the first and second player; the second is visible behind the first
FILLED = {"markersize": 4, "zorder": 3}
HOLLOW = {
    "color": figures.FAINT,
    "fmt": "s",
    "markersize": 6,
    "zorder": 2,
    "markerfacecolor": figures.PAPER,
}
WINNERS = {2: ("won by A", "won by B"), 1: ("won", "lost to the joker")}


@figures.picture
def win_and_points(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot deals won, points per deal and, if matches were played, matches won per matchup.

    Args:
        frame: Tidy rows, as from `simgin.match`.
        seed: Seed named in the caption.

    Returns:
        The figure, with 95 % error bars.

    Example:
        simgin.plots.win_and_points(simgin.match("gold-early", "simple", seed=7), seed=7)
    """
    matchups = list(table.matchups(frame))
    players = len(roles(frame))
    panels = [column for column in shown(frame) if column.name in metrics.WINS]
    labels = _labels(matchups)
    side_by_side = len(matchups) > MOST_STACKED
    lines = 1 if side_by_side else len(panels)
    height = lines * (_height(labels) + PANEL_HEAD)
    caption = _caption(matchups, seed, NOTE)
    figure = figures.new_figure(height, "", caption, WINNERS[players])
    grid = figure.subplots(lines, len(panels) // lines, squeeze=False, sharey=side_by_side)
    drawn = list(grid.ravel())
    for axes, panel in zip(drawn, panels, strict=True):
        _draw_panel(axes, panel, matchups, WINNERS[players])
        _name_rows(axes, labels)
        figures.panel_title(axes, panel.title)
    if side_by_side:
        _narrow(drawn, panels)
    for axes in drawn:
        figures.legend(axes)
    return figure


def _narrow(drawn: Sequence[Axes], panels: Sequence[Column]) -> None:
    """Set narrow titles and few ticks for panels that are side by side."""
    width = SIDE_CHARACTERS // len(panels)
    for axes, panel in zip(drawn, panels, strict=True):
        figures.panel_title(axes, panel.title, width)
        axes.locator_params(axis="x", nbins=3)
        axes.tick_params(axis="x", labelsize=figures.SMALL)
    for axes in drawn[1:]:
        axes.tick_params(labelleft=False)


def _draw_panel(
    axes: Axes, panel: Column, matchups: list[Matchup], winners: tuple[str, str]
) -> None:
    _dots(axes, matchups, panel.name, panel.factor, winners[0], **FILLED)
    # Variants that count penalties have no lost deals
    losses = [table.cell(rows, "deal_loss")[0] for _, rows in matchups]
    if panel.name == "deal_win" and any(losses):
        _dots(axes, matchups, "deal_loss", panel.factor, winners[1], **HOLLOW)
    if panel.name in EVEN:
        axes.axvline(panel.factor * EVEN[panel.name], color=figures.FAINT, linewidth=1, zorder=1)


@figures.picture
def endings(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the deal endings of each matchup as stacked bars, in % of all deals.

    If two different players meet, A's wins are on the left, B's on the right and deals without a
    winner between them.

    Args:
        frame: Tidy rows, as from `simgin.match`.
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        simgin.plots.endings(simgin.match("gold-early", "simple", seed=7), seed=7)
    """
    matchups = list(table.matchups(frame))
    labels = _labels(matchups)
    caption = _caption(matchups, seed, _precision(frame))
    segments = [
        (side, kind, np.nan_to_num([100 * table.cell(rows, metric)[0] for _, rows in matchups]))
        for side, kind, metric in _segment_names(frame)
    ]
    seen = {kind for _, kind, shares in segments if shares.any()}
    drawn = [segment for segment in segments if segment[1] in seen]
    figure = figures.new_figure(_height(labels) + 1.0, "", caption, list(seen))
    axes = figure.subplots()
    left = _stack(axes, drawn, len(matchups))
    _name_rows(axes, labels)
    axes.set_xlim(0, 100)
    axes.grid(visible=False)
    figures.axis_labels(axes, "deals, %")
    figures.panel_title(axes, _whose(frame))
    figures.legend(axes)
    figures.mark_undefined(axes, np.flatnonzero(left == 0))
    return figure


def _whose(frame: pd.DataFrame) -> str:
    """Return a title on whose endings the bars show; empty for solitaire variants."""
    if has_sides(frame):
        return "won by A from the left, by B from the right"
    if len(roles(frame)) == 1:
        return ""
    return "ended by either player"


def _segment_names(frame: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return side, ending and metric of the parts of a bar, from the left."""
    if not has_sides(frame):
        return [("", kind, kind) for kind in KINDS]
    own = [("A", kind, f"won_{kind}") for kind in WON_KINDS]
    nobody = [("", kind, kind) for kind in KINDS if kind not in WON_KINDS]
    return [*own, *nobody, *[("B", kind, f"lost_{kind}") for kind in reversed(WON_KINDS)]]


def _stack(axes: Axes, segments: Sequence[tuple[str, str, np.ndarray]], rows: int) -> np.ndarray:
    """Draw the parts of the bars with lines between sides, and return the lengths of the bars.

    Args:
        axes: The axes.
        segments: Side that won ("A", "B", or empty for no or either player), ending, and percentage
            of the deals of each matchup, shape (n_rows,).
        rows: Number of matchups.

    Returns:
        Lengths of the bars in %, shape (n_rows,).
    """
    left = np.zeros(rows)
    named = set()
    before = ""
    for side, kind, shares in segments:
        if side != before:
            begun = np.flatnonzero(left)
            ends = begun - 0.45, begun + 0.45
            axes.vlines(left[begun], *ends, color=figures.INK, linewidth=1.2)
        label = "" if kind in named else metrics.kind_words(kind)
        figures.stack_bars(axes, kind, shares, left, label, TYPE)
        left = left + shares
        named.add(kind)
        before = side
    return left


def _precision(frame: pd.DataFrame) -> str:
    """Return a sentence with the half-width of the widest interval of the endings."""
    outcomes = frame["metric"].isin([metric for _, _, metric in _segment_names(frame)])
    rows = frame[outcomes & (frame["unit"] == metrics.DEAL)]
    return figures.precision(rows, unit=" percentage points")


def _dots(
    axes: Axes, matchups: list[Matchup], metric: str, factor: float, label: str, **style: Any
) -> None:
    limits = [*(factor * np.array([table.cell(rows, metric) for _, rows in matchups]).T)]
    rows = np.arange(len(matchups))
    figures.level_bars(axes, rows, limits, figures.PLAIN, label, **style)


# Labels


def _labels(matchups: list[Matchup]) -> list[str]:
    """Return the players of every matchup, with the variant below if there are several."""
    is_one = len({variant for (variant, _, _), _ in matchups}) == 1
    players = [f"{a} v {b}" if b else a for (_, a, b), _ in matchups]
    variants = ["" if is_one else f"\n{_folded(variant)}" for (variant, _, _), _ in matchups]
    return [_folded(who) + under for who, under in zip(players, variants, strict=True)]


def _folded(label: str) -> str:
    return "\n".join(fold(label, figures.LABEL_CHARACTERS))


def _height(labels: list[str]) -> float:
    """Return the height in inches of the rows of all matchups."""
    return len(labels) * (GAP + LINE * max(label.count("\n") + 1 for label in labels))


def _name_rows(axes: Axes, labels: list[str]) -> None:
    """Set the folded names of matchups as row labels."""
    figures.style(axes, "x")
    names = [figures.escape(label) for label in labels]
    axes.set_yticks(range(len(labels)), names, fontsize=TYPE, color=figures.INK)
    figures.hide_row_axis(axes, len(labels))


def _caption(matchups: list[Matchup], seed: int | None, note: str) -> str:
    variants = list(dict.fromkeys(key[0] for key, _ in matchups))
    noun = "Variants" if len(variants) > 1 else "Variant"
    size = played(*(rows for _, rows in matchups))
    if len(matchups) > 1:
        size += " each"
    players = _players(matchups)
    return f"{noun} {', '.join(variants)}; {players}; {size}{figures.seed_words(seed)}. {note}"


def _players(matchups: list[Matchup]) -> str:
    """Return the players of a single matchup, or else the names or number of all players."""
    pairs = {f"{a} (A) against {b} (B)" if b else a for (_, a, b), _ in matchups}
    if len(pairs) == 1:
        return pairs.pop()
    distinct = dict.fromkeys(name for (_, *names), _ in matchups for name in names if name)
    if len(distinct) > MOST_NAMED:
        return f"{len(distinct)} strategies"
    return ", ".join(distinct)


# Leagues

UNITS = {"deal": "deals", "match": "matches"}
HEAD = 0.5  # inches of a panel without its rows
TIGHTER = 0.06  # inches by which the rows of large leagues are lower
LEAST_SIZE = 1.1  # inches
ROOM = 1.35  # limit of the scale of leads, relative to the largest
LEADS = (0, 20, 40, 400)  # Elo with a tick; the scale is compressed above the last but one
CROWDED = 8  # players above which the font is smaller
CROWDED_TYPE = 7  # points
MOST_NUMBERED = 14  # players above which cells have no numbers
RATINGS_NOTE = (
    "Right: how far everyone is ahead of the next below; where the bar reaches the line, their "
    "order is open; its scale is compressed beyond 40. Bars are 95 % intervals; those on the left "
    "are of the distance to the anchor at 0."
)


@figures.picture
def league(
    standings: pd.DataFrame, cross: pd.DataFrame, *, unit: str, seed: int | None = None
) -> Figure:
    """Plot a league as a heat map: % won by the row against the column, best rating first.

    Args:
        standings: Rows with strategy and variant, best rating first; one variant.
        cross: Rows with strategy, opponent, share (0 to 1), low, high and n.
        unit: "deal" or "match".
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        results = simgin.run_experiment("league.toml")
        simgin.plots.league(results.standings, results.cross, unit="deal")
    """
    order = list(standings["strategy"])
    shares = cross.pivot(index="strategy", columns="opponent", values="share")
    values = 100 * shares.reindex(index=order, columns=order).to_numpy(dtype=float)
    variant = standings["variant"].iloc[0]
    rows = [f"{name}  {place}" for place, name in enumerate(order, start=1)]
    is_crowded = len(order) > CROWDED
    cell = figures.row_height(rows) - (TIGHTER if is_crowded else 0)
    size = max(cell * len(order), LEAST_SIZE)
    figure = figures.new_figure(size + 0.3, "", _league_caption(cross, variant, unit, seed))
    (axes,) = figures.stack_panels(figure, 1)
    places = range(1, len(order) + 1)
    names = [figures.escape(figures.folded(row, figures.LABEL_CHARACTERS)) for row in rows]
    if len(order) > MOST_NUMBERED:
        every_other = [str(place) if place % 2 else "" for place in places]
        key = f"{UNITS[unit]} won by the row, %"
        figures.shade_map(axes, values, names, every_other, size=CROWDED_TYPE, key=key)
    else:
        type_size = CROWDED_TYPE if is_crowded else figures.NORMAL
        figures.heat_map(axes, values, names, places, size=type_size)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False)
    return figure


def _league_caption(cross: pd.DataFrame, variant: str, unit: str, seed: int | None) -> str:
    least = int(cross["n"].min())
    more = " or more" if (cross["n"] > least).any() else ""
    return (
        f"{UNITS[unit].capitalize()} won by the row against the column, %. Variant {variant}; "
        f"{least:,} {UNITS[unit]}{more} per pair{figures.seed_words(seed)}. "
        f"{figures.precision(cross)}"
    )


@figures.picture
def ratings(standings: pd.DataFrame, *, unit: str, seed: int | None = None) -> Figure:
    """Plot the Elo ratings of a league, and next to them every player's lead over the next.

    Columns: elo, elo_low, elo_high, lead, lead_low, lead_high; one variant.

    Args:
        standings: Rows of the league, best rating first.
        unit: "deal" or "match".
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        results = simgin.run_experiment("league.toml")
        simgin.plots.elo_ratings(results.standings, unit="deal")
    """
    variant = standings["variant"].iloc[0]
    names = list(standings["strategy"])
    least = int(standings["n"].min())
    size = f"{least:,} {UNITS[unit]} of each{figures.seed_words(seed)}"
    caption = f"Variant {variant}; {size}. {RATINGS_NOTE}"
    figure = figures.new_figure(figures.row_height(names) * len(names) + HEAD, "", caption)
    left, right = figure.subplots(1, 2, sharey=True)
    _rating_panel(left, standings, "elo")
    _rating_panel(right, standings.iloc[:-1], "lead")
    right.axvline(0, color=figures.FAINT, linewidth=1, zorder=1)
    right.set_xscale("symlog", linthresh=LEADS[-2])
    least, most = right.get_xlim()
    right.set_xlim(least, ROOM * most)
    ticks = [lead for lead in LEADS if lead < most]
    right.set_xticks(ticks, list(map(str, ticks)))
    right.minorticks_off()
    figures.panel_title(left, "Elo")
    figures.panel_title(right, "lead over the next")
    figures.row_names(left, names)
    return figure


def _rating_panel(axes: Axes, standings: pd.DataFrame, name: str) -> None:
    figures.style(axes, "x")
    limits = figures.columns(standings, name, f"{name}_low", f"{name}_high")
    figures.level_bars(axes, np.arange(len(standings)), limits, figures.PLAIN, "")
    figures.hide_row_axis(axes, len(standings))
