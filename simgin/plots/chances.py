"""Plots of odds in solitaire and two-player variants, by draw, total, threshold and score."""

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


__all__ = ["counts", "knock", "odds", "scores", "skill", "totals"]

ODDS_HEIGHT = 1.75  # inches of one panel
TOTALS_HEIGHT = 1.25  # inches of one panel
BLOCK = 0.85  # inches of a panel without its rows
GOAL, BIN = 30, 10  # highest total that wins a match of Solitary Gin; width of a bin of totals
# Outcomes other than gin, in grey
LOOKS = {"knock": Series(figures.FAINT, "", "-."), "joker": Series(figures.FAINT, "", ":")}
SEEN_OFTEN = 0.01  # proportion below which other outcomes are omitted
APART = 13  # % of deals between the names of two lines
ROOM = 0.3  # proportion of the horizontal scale for the names to the right
ODDS_NOTE = "Shares of all deals; bands are 95 % intervals."
SKILL_NOTE = (
    "Pale: where the best possible player lies, up to one who sees the whole deck. Bars are 95 % "
    "intervals."
)
TOTALS_NOTE = f"Coloured: totals of {GOAL} or less, which win the match. Bars are 95 % intervals."


@figures.picture
def odds(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the cumulative probability of gin by draw for the weakest and strongest strategy.

    Columns: draws, kind, share; one panel per variant with labelled lines. Strategies are sorted
    weakest first (naive and strong); for the last one, drawn jokers and knocks are grey lines.

    Args:
        frame: The odds, as in the frame "odds" of `simgin.compute_odds`.
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        frames = simgin.compute_odds("solitaire-gin", seed=1)
        simgin.plots.gin_by_draw(frames["odds"], seed=1)
    """
    frame = _ends_and_outcomes(frame)
    looks = figures.looks(figures.unique(frame["strategy"]))
    caption = figures.caption(frame, seed=seed, unit="deals", note=ODDS_NOTE)
    height = ODDS_HEIGHT * frame["variant"].nunique()
    figure = figures.new_figure(height, "Probability of gin by draw, %", caption)
    for axes, _, part in figures.panels_by(figure, frame, "variant"):
        _odds_panel(axes, part, looks)
        figures.axis_labels(axes, "", "deals, %")
    figures.axis_labels(axes, "draws", "deals, %")
    return figure


def _ends_and_outcomes(frame: pd.DataFrame) -> pd.DataFrame:
    """Return gin of the first and last strategy per variant, and other outcomes of the last."""
    strategies = frame.groupby("variant", sort=False)["strategy"]
    is_last = frame["strategy"] == strategies.transform("last")
    is_first = frame["strategy"] == strategies.transform("first")
    is_seen = frame.groupby(["variant", "strategy", "kind"])["share"].transform("max") >= SEEN_OFTEN
    is_other = frame["kind"].isin(list(LOOKS)) & is_last & is_seen
    return frame[(frame["kind"] == "gin") & (is_first | is_last) | is_other]


def _odds_panel(axes: Axes, rows: pd.DataFrame, looks: dict[str, Series]) -> None:
    """Draw lines with their names to the right of the data, spaced to avoid overlap."""
    names = figures.unique(rows["strategy"])
    ends_of = {names[0]: "naive", names[-1]: "strong"} if len(names) > 1 else {names[0]: "gin"}
    ends = []
    for (kind, strategy), part in rows.groupby(["kind", "strategy"], sort=False):
        look = LOOKS.get(str(kind)) or looks[str(strategy)]
        (draws,) = figures.columns(part, "draws")
        share = figures.percent(part, "share", "low", "high")
        figures.band(axes, draws, share, look, "")
        name = ends_of[str(strategy)] if kind == "gin" else str(kind)
        ink = figures.INK if kind == "gin" else figures.FAINT
        ends.append((np.nan_to_num(share[0][-1]), name, ink))
    last = max(float(rows["draws"].max()), 1.0)
    free = 100.0
    for end, name, ink in sorted(ends, reverse=True):
        free = min(end + APART / 2, free)
        axes.text(1.04 * last, free, name, color=ink, fontsize=figures.SMALL, va="top")
        free -= APART
    axes.set_ylim(min(0, free), 100)
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= last])
    axes.set_xlim(0, last * (1 + ROOM))
    figures.mark_unknown(axes, rows["share"])


@figures.picture
def skill(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot deals won by the weakest and strongest solitaire player, and a bound for the best.

    Columns: value, low, high; one row for each player, the last for a player that sees the whole
    deck. One line per variant; the best possible player is within the pale bar.

    Args:
        frame: The win rates, as in the frame "bracket" of `simgin.compute_odds`.
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        frames = simgin.compute_odds("solitaire-gin", seed=1)
        simgin.plots.skill(frames["bracket"], seed=1)
    """
    variants = figures.unique(frame["variant"])
    looks = figures.looks(figures.unique(frame["strategy"]))
    caption = figures.caption(frame, seed=seed, unit="deals", note=SKILL_NOTE)
    height = BLOCK + len(variants) * figures.row_height(variants)
    figure = figures.new_figure(height, "Deals that end with gin, %", caption, list(looks)[:-1])
    (axes,) = figures.stack_panels(figure, 1)
    figures.style(axes, "x")
    for place, variant in enumerate(variants):
        rows = frame[frame["variant"] == variant]
        players = list(figures.groups(rows, "strategy"))[:-1]
        low, high = 100 * players[-1][1]["low"].iloc[0], 100 * rows["high"].iloc[-1]
        axes.barh(place, high - low, left=low, height=0.5, color=figures.GRID)
        for player, own in players:
            shown = figures.percent(own, "value", "low", "high")
            label = "" if place else player
            figures.level_bars(axes, np.array([place]), shown, looks[player], label)
    axes.set_yticks([])
    figures.hide_row_axis(axes, len(variants))
    figures.row_names(axes, variants)
    axes.set_xlim(0, 100)
    figures.legend(axes)
    return figure


@figures.picture
def totals(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the distribution of match totals in bins of ten, with winning totals coloured.

    Columns: total, share; one panel per strategy.

    Args:
        frame: The totals, as in the frame "totals" of `simgin.compute_odds`.
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        frames = simgin.compute_odds("solitary-gin", seed=1)
        simgin.plots.match_totals(frames["totals"], seed=1)
    """
    strategies = figures.unique(frame["strategy"])
    looks = figures.looks(strategies)
    caption = figures.caption(frame, seed=seed, unit="matches", note=TOTALS_NOTE)
    figure = figures.new_figure(TOTALS_HEIGHT * len(strategies), "Match totals", caption)
    for axes, strategy, part in figures.panels_by(figure, frame, "strategy", sharex=True):
        _histogram(axes, part, looks[strategy].colour)
        figures.axis_labels(axes, "", "matches, %")
    figures.axis_labels(axes, "total penalty", "matches, %")
    return figure


def _histogram(axes: Axes, part: pd.DataFrame, colour: str) -> None:
    """Draw bars for bins whose upper ends are multiples of ten, with Wilson intervals."""
    if part["share"].isna().all():
        figures.mark_empty(axes, figures.UNDEFINED)
        return
    shares = part["share"].groupby(-(-part["total"] // BIN) * BIN).sum()
    value = 100 * shares.to_numpy()
    n = int(part["n"].max())
    low, high = 100 * np.array([wilson(min(float(share), 1), n) for share in shares]).T
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


KNOCK_HEIGHT = 2.1  # inches
SPREAD = 0.6  # width that the dots of all variants cover at one threshold
KNOCK_NOTE = "Large markers: best threshold of each variant. Bars are 95 % intervals."


# Title, factor and break-even value
KNOCK_MEASURES = {"points": ("score per deal", 1, 0.0), "share": ("deals won, %", 100, 50.0)}


@figures.picture
def knock(frame: pd.DataFrame, *, seed: int | None = None, among: Sequence[str] = ()) -> Figure:
    """Plot the result of a player by knock threshold, one line per variant, the best marked.

    Columns: k, measure, value.

    Args:
        frame: The results of a player for each threshold, as `simgin odds` computes them.
        seed: Seed named in the caption.
        among: All variants of the report, in the order of their colours.

    Returns:
        The figure.

    Example:
        simgin.plots.knock_thresholds(frame, seed=1)
    """
    played = set(frame["measure"])
    shown = [measure for measure in KNOCK_MEASURES if measure in played]
    caption = figures.caption(frame, seed=seed, unit="deals or matches", note=KNOCK_NOTE)
    names = figures.unique(frame["variant"])
    figure = figures.new_figure(KNOCK_HEIGHT * len(shown), "Knock threshold", caption, names)
    looks = figures.looks(names, among)
    panels = figures.stack_panels(figure, len(shown), sharex=True)
    for axes, measure in zip(panels, shown, strict=True):
        title, factor, even = KNOCK_MEASURES[measure]
        _knock_lines(axes, frame[frame["measure"] == measure], factor, looks)
        axes.axhline(even, color=figures.FAINT, linewidth=1, zorder=1)
        figures.mark_unknown(axes, frame[frame["measure"] == measure]["value"])
        figures.panel_title(axes, title)
    panels[-1].set_xticks(sorted(set(frame["k"])))
    figures.axis_labels(panels[-1], "knocks with this deadwood or less (0: only gin)")
    figures.legend(panels[0])
    return figure


def _knock_lines(axes: Axes, rows: pd.DataFrame, factor: int, looks: dict[str, Series]) -> None:
    """Draw the lines of all variants, slightly shifted so that equal values remain visible."""
    for i, (variant, look) in enumerate(looks.items()):
        part = rows[rows["variant"] == variant]
        _line(axes, part, factor, look, SPREAD * ((i + 0.5) / len(looks) - 0.5))


def _line(axes: Axes, part: pd.DataFrame, factor: float, look: Series, aside: float) -> None:
    """Draw the line of one variant, with a larger marker at its best threshold."""
    (k,) = figures.columns(part, "k")
    k = k + aside
    limits = [factor * limit for limit in figures.columns(part, "value", "low", "high")]
    figures.upright_bars(axes, k, limits, look, str(part["variant"].iloc[0]))
    value = limits[0]
    axes.plot(k, value, color=look.colour, linestyle=look.dash, linewidth=1.4)
    if np.isnan(value).all():
        return
    best = int(np.nanargmax(value))
    axes.plot(k[best], value[best], look.marker, color=look.colour, markersize=8)


# Two-player variants: matches by score, deals by deadwood and turn


SCORES_HEIGHT = 3.6  # inches
LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)  # probabilities with a contour line
SHADES = 41
YOU_DEAL = 0
COUNTS_HEIGHT = 2.8  # inches
FEWEST = 100  # hands per cell; cells with fewer are empty
CROWDED, CROWDED_TYPE = 12, 7  # turns above which the font is smaller, and its size in points
COUNT_BIN = 5  # points of deadwood per row of the heat map


@figures.picture
def scores(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the probability of winning the match by score when the first player deals.

    Columns: a, b (the points of the players), dealer, value; one variant.

    Args:
        frame: The probabilities, as in the frame "scores" of `simgin.compute_odds`.
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        frames = simgin.compute_odds("standard", seed=1)
        simgin.plots.win_by_score(frames["scores"], seed=1)
    """
    by_dealer = frame.pivot(index=["a", "b"], columns="dealer", values="value")
    changes = by_dealer.diff(axis=1).to_numpy(np.float64)
    effect = 100 * figures.furthest(changes, 0)
    note = (
        "You deal. "
        if np.isnan(changes).all()
        else (f"You deal; if the opponent deals, values change by {effect:.2g} or less. ")
    )
    note += figures.precision(frame)
    caption = figures.caption(frame, seed=seed, unit="single deals", note=note)
    title = f"Win probability by score, %: {frame['variant'].iloc[0]}"
    first = frame.iloc[0]
    players = f"{first['strategy']} against {first['opponent']}"
    folded = figures.folded(players, figures.PANEL_TITLE_CHARACTERS)
    height = SCORES_HEIGHT + figures.TEXT_LINE * (folded.count("\n") + 1)
    figure = figures.new_figure(height, title, caption)
    (axes,) = figures.stack_panels(figure, 1)
    own_deals = frame[frame["dealer"] == YOU_DEAL]
    _contours(axes, own_deals.pivot(index="b", columns="a", values="value"))
    axes.set_aspect("equal")
    figures.panel_title(axes, players)
    figures.axis_labels(axes, "your points", "points of the opponent")
    return figure


def _contours(axes: Axes, table: pd.DataFrame) -> None:
    """Draw shades and labelled contour lines of a table of proportions."""
    x = table.columns
    y = table.index
    shares = table.to_numpy(dtype=float)
    if min(shares.shape) < 2:
        figures.mark_empty(axes, "too few scores for a map")
        return
    figures.mark_unknown(axes, shares)
    shades = axes.contourf(
        x, y, shares, levels=np.linspace(0, 1, SHADES), cmap=figures.loss_to_win()
    )
    shades.set(edgecolor="face", linewidth=0.4)  # or the background is visible between shades
    lines = axes.contour(x, y, shares, levels=LEVELS, colors=figures.DARKEST, linewidths=1)
    axes.clabel(lines, fmt=lambda level: f"{100 * level:g} %", fontsize=figures.NORMAL)


@figures.picture
def counts(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the probability of winning the deal by own deadwood and turn, one map per player.

    Columns: turn, count, value; count is the lower end of a bin.

    Args:
        frame: The probabilities, as `simgin odds` computes them.
        seed: Seed named in the caption.

    Returns:
        The figure.

    Example:
        simgin.plots.win_by_deadwood(frame, seed=1)
    """
    known = frame[frame["n"] >= FEWEST]
    frame = frame.assign(value=np.nan, low=np.nan) if known.empty else known
    frame = frame.assign(title=frame["strategy"] + ", " + frame["variant"] + ": deals won, %")
    note = (
        f"Deadwood in bins of {COUNT_BIN}, labelled by their lower end. "
        f"{figures.precision(frame)} Empty cells: fewer than {FEWEST} hands."
    )
    caption = figures.caption(frame, seed=seed, unit="hands per cell", note=note)
    height = COUNTS_HEIGHT * frame["title"].nunique()
    figure = figures.new_figure(height, "Win probability by deadwood and turn", caption)
    for axes, _, part in figures.panels_by(figure, frame, "title"):
        table = 100 * part.pivot(index="count", columns="turn", values="value")
        size = CROWDED_TYPE if len(table.columns) > CROWDED else figures.NORMAL
        figures.heat_map(axes, table.to_numpy(float), [*table.index], [*table.columns], size=size)
        figures.axis_labels(axes, "own turns played", "own deadwood")
    return figure
