"""Plots of matchups and leagues: wins and points, deal endings, ratings and cross-tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core.batch_columns import DEAL_RESULTS, WINNING_RESULTS
from simgin.plots.forest import OUTLIERS_NOTE, find_outlier_limit, mark_outliers
from simgin.report import figures
from simgin.report.report_table import Column
from simgin.report.summary import (
    format_sample_size,
    has_results_of_both_sides,
    list_player_headings,
    make_metric_columns,
)
from simgin.stats import metrics, table
from simgin.text.amounts import UNIT_PLURALS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simgin.stats.table import RowsByMetric

__all__ = ["cross_table", "elo_ratings", "endings", "win_and_points"]

# height of one line of a label, and distance between matchups, in inches
LABEL_LINE_HEIGHT, ROW_GAP = 0.14, 0.16
LABEL_FONT_SIZE = 8  # font size of labels in simgin's style, in points
PANEL_HEADER_HEIGHT = 0.6  # height of a panel without its rows, in inches
# Maximum number of matchups for stacked panels. With more matchups, panels are side by side.
MAX_STACKED_MATCHUPS = 6
MAX_NAMED_PLAYERS = 8  # maximum number of players that a caption lists
# maximum combined length of the titles of adjacent panels, in characters
MAX_ADJACENT_TITLE_CHARACTERS = 36
ERROR_BARS_NOTE = "Error bars are 95 % intervals."

# key (variant, A, B), and rows of player A by metric
MatchupRows = tuple[tuple[str, str, str], "RowsByMetric"]

BREAK_EVEN_VALUES = {"margin": 0, "score": 0, "settlement": 0, "match_win": 0.5, "goal_met": 0.5}
WINNER_LABELS = {2: ("won by A", "won by B"), 1: ("won", "lost to the joker")}


@figures.validate_frame
def win_and_points(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot deals won, points per deal and, in runs of matches, matches won for each matchup.

    The DataFrame contains the tidy rows of a result of `simgin.match`. The error bars are 95 %
    intervals.

    Example:
        result = simgin.match("gold-early", "simple", seed=7)
        simgin.plots.win_and_points(result.frame, seed=7)
    """
    matchups = list(table.iterate_matchups(frame))
    n_players = len(list_player_headings(frame))
    panels = [column for column in make_metric_columns(frame) if column.name in metrics.WIN_METRICS]
    labels = _make_matchup_labels(matchups)
    is_side_by_side = len(matchups) > MAX_STACKED_MATCHUPS
    n_rows = 1 if is_side_by_side else len(panels)
    height = n_rows * (_compute_rows_height(labels) + PANEL_HEADER_HEIGHT)
    caption = _make_matchups_caption(matchups, seed, ERROR_BARS_NOTE)
    figure = figures.create_figure(height, "", caption, WINNER_LABELS[n_players])
    n_columns = len(panels) // n_rows
    axes_grid = figure.subplots(n_rows, n_columns, squeeze=False, sharey=is_side_by_side)
    axes_list = list(axes_grid.ravel())
    for axes, panel in zip(axes_list, panels, strict=True):
        _draw_panel(axes, panel, matchups, WINNER_LABELS[n_players])
        _set_matchup_labels(axes, labels)
        figures.set_panel_title(axes, panel.heading)
    if is_side_by_side:
        _narrow_panels(axes_list, panels)
    for axes in axes_list:
        figures.add_legend(axes)
    return figure


def _narrow_panels(axes_list: Sequence[Axes], panels: Sequence[Column]) -> None:
    """Use narrow titles and fewer ticks for panels that are next to each other."""
    title_width = MAX_ADJACENT_TITLE_CHARACTERS // len(panels)
    for axes, panel in zip(axes_list, panels, strict=True):
        figures.set_panel_title(axes, panel.heading, title_width)
        axes.locator_params(axis="x", nbins=3)
        font_size = figures.resolve_font_size("xtick.labelsize", figures.SMALL_FONT_SIZE)
        axes.tick_params(axis="x", labelsize=font_size)
    for axes in axes_list[1:]:
        axes.tick_params(labelleft=False)


def _draw_panel(
    axes: Axes, panel: Column, matchups: list[MatchupRows], winners: tuple[str, str]
) -> None:
    """Draw one metric of all matchups, with the deals lost if available."""
    front_style = {"markersize": figures.scale_marker_size(4), "zorder": 3}
    _draw_dots(axes, matchups, panel.name, panel.factor, winners[0], **front_style)
    # Variants that count penalty points have no lost deals.
    loss_rates = [table.find_interval(rows, "deal_loss")[0] for _, rows in matchups]
    if panel.name == "deal_win" and any(loss_rates):
        back_style = {  # a square that remains visible behind the first dot
            "color": figures.get_muted_colour(),
            "fmt": "s",
            "markersize": figures.scale_marker_size(6),
            "zorder": 2,
            "markerfacecolor": figures.get_setting("axes.facecolor"),
        }
        _draw_dots(axes, matchups, "deal_loss", panel.factor, winners[1], **back_style)
    if panel.name in BREAK_EVEN_VALUES:
        figures.draw_reference_line(axes, panel.factor * BREAK_EVEN_VALUES[panel.name])


@figures.validate_frame
def endings(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the deal endings of each matchup as stacked bars, in percent of all deals.

    The DataFrame contains the tidy rows of a result of `simgin.match`. If the players differ, A's
    wins are on the left, B's wins are on the right, and deals without a winner are in the middle.

    Example:
        result = simgin.match("gold-early", "simple", seed=7)
        simgin.plots.endings(result.frame, seed=7)
    """
    matchups = list(table.iterate_matchups(frame))
    labels = _make_matchup_labels(matchups)
    caption = _make_matchups_caption(matchups, seed, _describe_endings_precision(frame))
    segments = []
    for winner, ending, metric in _list_segments(frame):
        percentages = [100 * table.find_interval(rows, metric)[0] for _, rows in matchups]
        segments.append((winner, ending, np.nan_to_num(percentages)))
    occurring_endings = {ending for _, ending, percentages in segments if percentages.any()}
    drawn_segments = [segment for segment in segments if segment[1] in occurring_endings]
    figure = figures.create_figure(
        _compute_rows_height(labels) + 1.0, "", caption, list(occurring_endings)
    )
    axes = figure.subplots()
    bar_ends = _draw_segments(axes, drawn_segments, len(matchups))
    _set_matchup_labels(axes, labels)
    axes.set_xlim(0, 100)
    axes.grid(visible=False)
    figures.set_axis_labels(axes, "deals, %")
    figures.set_panel_title(axes, _make_endings_title(frame))
    figures.add_legend(axes)
    figures.label_undefined_rows(axes, np.flatnonzero(bar_ends == 0))
    return figure


def _make_endings_title(frame: pd.DataFrame) -> str:
    """Return the title of a plot of deal endings, or "" for solitaire games."""
    if has_results_of_both_sides(frame):
        return "deals won by A (left) and by B (right)"
    if len(list_player_headings(frame)) == 1:
        return ""
    return "endings of both players"


def _list_segments(frame: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return the winner (A, B or ""), ending and metric of each segment, from left to right."""
    if not has_results_of_both_sides(frame):
        return [("", ending, ending) for ending in DEAL_RESULTS]
    segments = [("A", ending, f"won_{ending}") for ending in WINNING_RESULTS]
    segments += [("", ending, ending) for ending in DEAL_RESULTS if ending not in WINNING_RESULTS]
    return segments + [("B", ending, f"lost_{ending}") for ending in reversed(WINNING_RESULTS)]


def _draw_segments(
    axes: Axes, segments: Sequence[tuple[str, str, np.ndarray]], n_rows: int
) -> np.ndarray:
    """Draw the segments of stacked bars, and a line between the sides of A and B.

    Args:
        axes: Axes for the bars.
        segments: Segments, each with the side that won ("A", "B", or "" if the segment belongs to
            neither side or to both), the ending, and the percentages of deals per matchup, shape
            (n_rows,).
        n_rows: Number of matchups.

    Returns:
        Lengths of the bars in %, shape (n_rows,).
    """
    left_edges = np.zeros(n_rows)
    named_labels = set()
    last_side = ""
    for side, ending, percentages in segments:
        if side != last_side:
            filled_rows = np.flatnonzero(left_edges)
            line_ends = filled_rows - 0.45, filled_rows + 0.45
            text_colour = figures.get_setting("text.color")
            axes.vlines(left_edges[filled_rows], *line_ends, color=text_colour, linewidth=1.2)
        label = "" if ending in named_labels else metrics.format_deal_ending(ending)
        figures.draw_stacked_bars(axes, ending, percentages, left_edges, label, LABEL_FONT_SIZE)
        left_edges = left_edges + percentages
        named_labels.add(ending)
        last_side = side
    return left_edges


def _describe_endings_precision(frame: pd.DataFrame) -> str:
    """Return a sentence about the widest confidence interval in a plot of deal endings."""
    is_ending = frame["metric"].isin([metric for _, _, metric in _list_segments(frame)])
    rows = frame[is_ending & (frame["unit"] == metrics.DEAL)]
    return figures.format_max_half_width(rows, unit=" percentage points")


def _draw_dots(
    axes: Axes, matchups: list[MatchupRows], metric: str, factor: float, label: str, **style: Any
) -> None:
    """Draw a dot with an error bar for every matchup."""
    bounds = [*(factor * np.array([table.find_interval(rows, metric) for _, rows in matchups]).T)]
    rows = np.arange(len(matchups))
    figures.draw_horizontal_error_bars(
        axes, rows, bounds, figures.get_neutral_style(), label, **style
    )


# Labels


def _make_matchup_labels(matchups: list[MatchupRows]) -> list[str]:
    """Return labels with the players and, if there are several, the variant of each matchup."""
    has_one_variant = len({variant for (variant, _, _), _ in matchups}) == 1
    labels = []
    for (variant, strategy, opponent), _ in matchups:
        suffix = "" if has_one_variant else f"\n{figures.wrap_row_name(variant)}"
        labels.append(
            figures.wrap_row_name(f"{strategy} v {opponent}" if opponent else strategy) + suffix
        )
    return labels


def _compute_rows_height(labels: list[str]) -> float:
    """Return the total height of the rows of all matchups, in inches."""
    line_height = LABEL_LINE_HEIGHT * figures.compute_text_scale("ytick.labelsize")
    return len(labels) * (ROW_GAP + line_height * max(label.count("\n") + 1 for label in labels))


def _set_matchup_labels(axes: Axes, labels: list[str]) -> None:
    """Label the rows of a plot with matchups, and wrap long names."""
    figures.style_axes(axes, "x")
    escaped_labels = [figures.escape_text(label) for label in labels]
    font_size = figures.resolve_font_size("ytick.labelsize", LABEL_FONT_SIZE)
    axes.set_yticks(range(len(labels)), escaped_labels, fontsize=font_size)
    figures.hide_row_axis(axes, len(labels))


def _make_matchups_caption(matchups: list[MatchupRows], seed: int | None, note: str) -> str:
    """Return a caption that states the players and the sample size of several matchups."""
    variants = list(dict.fromkeys(key[0] for key, _ in matchups))
    size_text = format_sample_size(*(rows for _, rows in matchups))
    if len(matchups) > 1:
        size_text += " each"
    return figures.describe_sample(variants, _format_players(matchups), size_text, seed, note)


def _format_players(matchups: list[MatchupRows]) -> str:
    """Return the names of the players, or only their number if there are many."""
    pairs = {f"{a} (A) against {b} (B)" if b else a for (_, a, b), _ in matchups}
    if len(pairs) == 1:
        return f"Players: {pairs.pop()}"
    distinct_names = dict.fromkeys(name for (_, *names), _ in matchups for name in names if name)
    if len(distinct_names) > MAX_NAMED_PLAYERS:
        return f"{len(distinct_names)} players"
    return f"Players: {', '.join(distinct_names)}"


# Leagues

RATINGS_HEADER_HEIGHT = 0.5  # height of a panel without its rows, in inches
CROWDED_ROW_HEIGHT_REDUCTION = 0.06  # reduction in the height of rows for large leagues, in inches
AXIS_MARGIN = 0.05  # empty part of an axis before the lowest value
MIN_LEAGUE_HEIGHT = 1.1  # minimum height of league plots, in inches
MAX_PLAYERS_FOR_NORMAL_FONT = 8  # maximum number of players for the normal font size
CROWDED_FONT_SIZE = 7  # font size for large leagues in simgin's style, in points
MAX_PLAYERS_WITH_NUMBERS = 14  # maximum number of players for which cells contain numbers
RATINGS_NOTE = (
    "Left: Elo ratings relative to the anchor at 0. Right: lead over the next player. "
    "Error bars are 95 % intervals. If the error bar of a lead reaches the zero line, the order of "
    "the two players is uncertain."
)


@figures.validate_frame
def cross_table(
    standings: pd.DataFrame, cross: pd.DataFrame, *, unit: str, seed: int | None = None
) -> Figure:
    """Plot a league as a heat map of the win rates of row players against column players.

    Players are sorted by rating, with the best player first.

    Args:
        standings: Rows of one variant with the columns strategy and variant, best rating first.
        cross: Rows with the columns strategy, opponent, value (0 to 1), low, high and n.
        unit: "deal" or "match".
        seed: Seed shown in the caption.

    Example:
        results = simgin.run("league.toml")
        simgin.plots.cross_table(results.standings, results.cross_table, unit="deal")
    """
    strategies = list(standings["strategy"])
    rates = cross.pivot(index="strategy", columns="opponent", values="value")
    percentages = 100 * rates.reindex(index=strategies, columns=strategies).to_numpy(dtype=float)
    variant = standings["variant"].iloc[0]
    row_labels = [f"{name}  {rank}" for rank, name in enumerate(strategies, start=1)]
    is_crowded = len(strategies) > MAX_PLAYERS_FOR_NORMAL_FONT
    row_height = figures.compute_row_height(row_labels) - (
        CROWDED_ROW_HEIGHT_REDUCTION if is_crowded else 0
    )
    height = max(row_height * len(strategies), MIN_LEAGUE_HEIGHT)
    figure = figures.create_figure(
        height + 0.3, "", _make_league_caption(cross, variant, unit, seed)
    )
    (axes,) = figures.stack_panels(figure, 1)
    columns = range(1, len(strategies) + 1)
    wrapped_labels = [figures.escape_text(figures.wrap_row_name(row)) for row in row_labels]
    if len(strategies) > MAX_PLAYERS_WITH_NUMBERS:
        tick_labels = [str(rank) if rank % 2 else "" for rank in columns]
        colour_title = f"{UNIT_PLURALS[unit]} won by the row player, %"
        figures.draw_shade_map(
            axes,
            percentages,
            wrapped_labels,
            tick_labels,
            font_size=CROWDED_FONT_SIZE,
            scale_title=colour_title,
        )
    else:
        font_size = CROWDED_FONT_SIZE if is_crowded else figures.NORMAL_FONT_SIZE
        figures.draw_heat_map(axes, percentages, wrapped_labels, columns, font_size=font_size)
    axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False)
    return figure


def _make_league_caption(cross: pd.DataFrame, variant: str, unit: str, seed: int | None) -> str:
    """Return a caption that explains the cells of a cross-table and states the sample size."""
    min_sample = int(cross["n"].min())
    suffix = " or more" if (cross["n"] > min_sample).any() else ""
    return (
        f"{UNIT_PLURALS[unit].capitalize()} won by the row player against the column player, in %. "
        f"Variant: {variant}. Sample: {min_sample:,} {UNIT_PLURALS[unit]}{suffix} per "
        f"pair{figures.format_seed_clause(seed)}. {figures.format_max_half_width(cross)}"
    )


@figures.validate_frame
def elo_ratings(standings: pd.DataFrame, *, unit: str, seed: int | None = None) -> Figure:
    """Plot the Elo ratings of a league, and the lead of each player over the next-best player.

    The required columns are elo, elo_low, elo_high, lead, lead_low and lead_high. The DataFrame
    must contain only one variant.

    Args:
        standings: Rows of the league, best rating first.
        unit: "deal" or "match".
        seed: Seed shown in the caption.

    Example:
        results = simgin.run("league.toml")
        simgin.plots.elo_ratings(results.standings, unit="deal")
    """
    variant = standings["variant"].iloc[0]
    strategies = list(standings["strategy"])
    min_sample = int(standings["n"].min())
    text = f"{min_sample:,} {UNIT_PLURALS[unit]} per player{figures.format_seed_clause(seed)}"
    caption = f"Variant: {variant}. Sample: {text}. {RATINGS_NOTE}"
    lead_columns = {"strategy": "name", "lead": "value", "lead_low": "low", "lead_high": "high"}
    leads = standings.iloc[:-1].rename(columns=lead_columns).assign(clear=True)
    outlier_limit = find_outlier_limit(leads)
    if math.isfinite(outlier_limit):
        caption += f" {OUTLIERS_NOTE}"
    figure = figures.create_figure(
        figures.compute_row_height(strategies) * len(strategies) + RATINGS_HEADER_HEIGHT,
        "",
        caption,
    )
    rating_axes, lead_axes = figure.subplots(1, 2, sharey=True)
    _draw_ratings(rating_axes, standings, "elo")
    _draw_ratings(lead_axes, standings.iloc[:-1], "lead")
    figures.draw_reference_line(lead_axes, 0)
    if math.isfinite(outlier_limit):
        mark_outliers(lead_axes, leads, outlier_limit, strategies)
        _, max_lead = lead_axes.get_xlim()
        lead_axes.set_xlim(left=min(0, leads["low"].min()) - AXIS_MARGIN * max_lead)
    for axes in (rating_axes, lead_axes):
        axes.locator_params(axis="x", nbins=4)
    figures.set_panel_title(rating_axes, "Elo")
    figures.set_panel_title(lead_axes, "lead over next player")
    figures.set_row_names(rating_axes, strategies)
    return figure


def _draw_ratings(axes: Axes, standings: pd.DataFrame, column: str) -> None:
    """Draw the Elo rating or the lead of every player with an error bar."""
    figures.style_axes(axes, "x")
    bounds = figures.extract_float_columns(standings, column, f"{column}_low", f"{column}_high")
    row_positions = np.arange(len(standings))
    figures.draw_horizontal_error_bars(axes, row_positions, bounds, figures.get_neutral_style(), "")
    figures.hide_row_axis(axes, len(standings))
