"""Plots of odds, such as gin by draw, match totals, knock thresholds and wins by score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.report import figures
from simgin.report.figures import SeriesStyle
from simgin.report.wrapping import fold_text
from simgin.stats.estimate import compute_wilson_interval
from simgin.strategy.cast import NAIVE_PLAYER, STRONG_PLAYER

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


__all__ = [
    "gin_by_draw",
    "knock_thresholds",
    "match_totals",
    "skill",
    "win_by_deadwood",
    "win_by_score",
]

GIN_PANEL_HEIGHT = 1.75  # height of a panel, in inches
TOTALS_PANEL_HEIGHT = 1.25  # height of a panel, in inches
SKILL_HEADER_HEIGHT = 0.85  # height of a panel without its rows, in inches
# maximum total that wins a match of Solitary Gin, and width of a bin of totals, in points
MAX_WINNING_TOTAL, TOTAL_BIN_WIDTH = (30, 10)
# dash patterns of outcomes other than gin, which are grey
OUTCOME_DASHES = {"knock": "-.", "joker": ":"}
# Minimum proportion of an outcome other than gin. Rarer outcomes are omitted.
MIN_OUTCOME_PROPORTION = 0.01
MIN_LABEL_DISTANCE = 13  # minimum distance between the labels of two lines, in % of deals
LABEL_MARGIN = 0.3  # proportion of the horizontal scale that is reserved for labels
ODDS_NOTE = "Values are percentages of all deals. Bands are 95 % intervals."
SKILL_NOTE = (
    "The result of the best possible player is within the pale bar, which ends at the result of a "
    "player that sees the whole deck. Error bars are 95 % intervals."
)
MATCH_TOTALS_NOTE = (
    f"Coloured bars mark totals of {MAX_WINNING_TOTAL} or less, which win the match. Error "
    "bars are 95 % intervals."
)


@figures.validate_frame
def gin_by_draw(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the probability of gin within n draws, for the weakest and the strongest strategy.

    The DataFrame is `frames()["odds"]` of a result of `simgin.compute_odds`. The required columns
    are draws, kind and value. Each variant has a panel with labelled lines. Strategies must be
    sorted from weakest (naive) to strongest (strong). Grey lines show how often the strongest
    strategy draws a joker or knocks.

    Example:
        frames = simgin.compute_odds("solitaire-gin", seed=1).frames()
        simgin.plots.gin_by_draw(frames["odds"], seed=1)
    """
    frame = _select_extreme_strategies(frame)
    styles = figures.assign_series_styles(figures.find_unique_names(frame["strategy"]))
    caption = figures.format_caption(frame, seed=seed, unit="deals", note=ODDS_NOTE)
    height = GIN_PANEL_HEIGHT * frame["variant"].nunique()
    figure = figures.create_figure(height, "Probability of gin by number of draws, %", caption)
    for axes, _, rows in figures.iterate_panels(figure, frame, "variant"):
        _draw_odds(axes, rows, styles)
        figures.set_axis_labels(axes, "", "deals, %")
    figures.set_axis_labels(axes, "draws", "deals, %")
    return figure


def _select_extreme_strategies(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the odds of gin of the weakest strategy, and all common outcomes of the strongest."""
    strategies = frame.groupby("variant", sort=False)["strategy"]
    is_last = frame["strategy"] == strategies.transform("last")
    is_first = frame["strategy"] == strategies.transform("first")
    max_values = frame.groupby(["variant", "strategy", "kind"])["value"].transform("max")
    is_frequent = max_values >= MIN_OUTCOME_PROPORTION
    is_other_outcome = frame["kind"].isin(list(OUTCOME_DASHES)) & is_last & is_frequent
    return frame[(frame["kind"] == "gin") & (is_first | is_last) | is_other_outcome]


def _draw_odds(axes: Axes, rows: pd.DataFrame, styles: dict[str, SeriesStyle]) -> None:
    """Draw one line per outcome, and label the lines on the right without overlaps."""
    strategies = figures.find_unique_names(rows["strategy"])
    labels = (
        {strategies[0]: NAIVE_PLAYER, strategies[-1]: STRONG_PLAYER}
        if len(strategies) > 1
        else {strategies[0]: "gin"}
    )
    label_heights = []
    for (outcome, strategy), series in rows.groupby(["kind", "strategy"], sort=False):
        dash = OUTCOME_DASHES.get(str(outcome))
        grey = figures.get_muted_colour()
        style = SeriesStyle(grey, "", dash) if dash else styles[str(strategy)]
        (draws,) = figures.extract_float_columns(series, "draws")
        percentages = figures.extract_percent_columns(series, "value", "low", "high")
        figures.draw_band(axes, draws, percentages, style)
        label = labels[str(strategy)] if outcome == "gin" else str(outcome)
        text_colour = figures.get_setting("text.color") if outcome == "gin" else grey
        label_heights.append((np.nan_to_num(percentages[0][-1]), label, text_colour))
    last_draw = max(float(rows["draws"].max()), 1.0)
    free_height = 100.0
    for label_height, label, text_colour in sorted(label_heights, reverse=True):
        free_height = min(label_height + MIN_LABEL_DISTANCE / 2, free_height)
        size = figures.scale_font(figures.SMALL_FONT_SIZE)
        axes.text(1.04 * last_draw, free_height, label, color=text_colour, fontsize=size, va="top")
        free_height -= MIN_LABEL_DISTANCE
    axes.set_ylim(min(0, free_height), 100)
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= last_draw])
    axes.set_xlim(0, last_draw * (1 + LABEL_MARGIN))
    figures.label_undefined_axes(axes, rows["value"])


@figures.validate_frame
def skill(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the win rates of the weakest and the strongest solitaire player, and an upper bound.

    The DataFrame is `frames()["bracket"]` of a result of `simgin.compute_odds`. The required
    columns are value, low and high. Each variant has one row per player. The last row is the
    player who sees the whole deck. The win rate of the best possible player is within the pale
    bar.

    Example:
        frames = simgin.compute_odds("solitaire-gin", seed=1).frames()
        simgin.plots.skill(frames["bracket"], seed=1)
    """
    variants = figures.find_unique_names(frame["variant"])
    styles = figures.assign_series_styles(figures.find_unique_names(frame["strategy"]))
    caption = figures.format_caption(frame, seed=seed, unit="deals", note=SKILL_NOTE)
    height = SKILL_HEADER_HEIGHT + len(variants) * figures.compute_row_height(variants)
    figure = figures.create_figure(height, "Deals that end with gin, %", caption, list(styles)[:-1])
    (axes,) = figures.stack_panels(figure, 1, grid="both")
    for row, variant in enumerate(variants):
        rows = frame[frame["variant"] == variant]
        players = list(figures.iterate_groups(rows, "strategy"))[:-1]
        low, high = 100 * players[-1][1]["low"].iloc[0], 100 * rows["high"].iloc[-1]
        axes.barh(row, high - low, left=low, height=0.5, color=figures.get_setting("grid.color"))
        for player, player_rows in players:
            percent_frame = figures.extract_percent_columns(player_rows, "value", "low", "high")
            y, label = np.array([row]), "" if row else player
            figures.draw_horizontal_error_bars(axes, y, percent_frame, styles[player], label)
    axes.set_yticks([])
    figures.hide_row_axis(axes, len(variants))
    figures.set_row_names(axes, variants)
    axes.set_xlim(0, 100)
    figures.add_legend(axes)
    return figure


@figures.validate_frame
def match_totals(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the distribution of match totals in bins of ten points, with wins in colour.

    The DataFrame is `frames()["totals"]` of a result of `simgin.compute_odds`. The required
    columns are total and value. Each strategy has a panel.

    Example:
        frames = simgin.compute_odds("solitary-gin", seed=1).frames()
        simgin.plots.match_totals(frames["totals"], seed=1)
    """
    strategies = figures.find_unique_names(frame["strategy"])
    styles = figures.assign_series_styles(strategies)
    caption = figures.format_caption(frame, seed=seed, unit="matches", note=MATCH_TOTALS_NOTE)
    figure = figures.create_figure(TOTALS_PANEL_HEIGHT * len(strategies), "Match totals", caption)
    for axes, strategy, rows in figures.iterate_panels(figure, frame, "strategy", sharex=True):
        _draw_histogram(axes, rows, styles[strategy].colour)
        figures.set_axis_labels(axes, "", "matches, %")
    figures.set_axis_labels(axes, "total penalty", "matches, %")
    return figure


def _draw_histogram(axes: Axes, rows: pd.DataFrame, colour: str) -> None:
    """Draw a histogram of match totals with Wilson intervals, in bins of ten points."""
    if rows["value"].isna().all():
        figures.label_empty_axes(axes, figures.UNDEFINED_LABEL)
        return
    proportions = (
        rows["value"].groupby(-(-rows["total"] // TOTAL_BIN_WIDTH) * TOTAL_BIN_WIDTH).sum()
    )
    percentages = 100 * proportions.to_numpy()
    n_matches = int(rows["n"].max())
    intervals = [
        compute_wilson_interval(min(float(proportion), 1), n_matches) for proportion in proportions
    ]
    low, high = 100 * np.array(intervals).T
    bin_ends = proportions.index.to_numpy(dtype=float)
    losing_colour = figures.get_setting("grid.color")
    colours = [colour if end <= MAX_WINNING_TOTAL else losing_colour for end in bin_ends]
    axes.bar(
        bin_ends - TOTAL_BIN_WIDTH,
        percentages,
        width=0.92 * TOTAL_BIN_WIDTH,
        align="edge",
        color=colours,
        yerr=figures.compute_error_bar_lengths(percentages, low, high),
        ecolor=figures.get_muted_colour(),
        capsize=1.5,
    )


KNOCK_PANEL_HEIGHT = 2.1  # height of a panel, in inches
THRESHOLD_DOT_SPREAD = 0.6  # total width of the dots of all variants at a threshold
KNOCK_NOTE = "Large markers show the best threshold of each variant. Error bars are 95 % intervals."


# title, display factor and break-even value of each measure
KNOCK_MEASURES = {"points": ("score per deal", 1, 0.0), "share": ("deals won, %", 100, 50.0)}


@figures.validate_frame
def knock_thresholds(
    frame: pd.DataFrame, *, seed: int | None = None, order: Sequence[str] = ()
) -> Figure:
    """Plot the results of a player by knock threshold, and mark the best threshold.

    The DataFrame contains the results of a player at each threshold, as computed by `simgin odds`.
    The required columns are k, measure and value. Each variant has a line.
    """
    measured_columns = set(frame["measure"])
    displayed_measures = [measure for measure in KNOCK_MEASURES if measure in measured_columns]
    caption = figures.format_caption(frame, seed=seed, unit="deals or matches", note=KNOCK_NOTE)
    variants = figures.find_unique_names(frame["variant"])
    height = KNOCK_PANEL_HEIGHT * len(displayed_measures)
    figure = figures.create_figure(height, "Knock threshold", caption, variants)
    styles = figures.assign_series_styles(variants, order)
    panels = figures.stack_panels(figure, len(displayed_measures), sharex=True)
    for axes, measure in zip(panels, displayed_measures, strict=True):
        title, unit_factor, break_even = KNOCK_MEASURES[measure]
        _draw_threshold_lines(axes, frame[frame["measure"] == measure], unit_factor, styles)
        axes.axhline(break_even, color=figures.get_muted_colour(), linewidth=1, zorder=1)
        figures.label_undefined_axes(axes, frame[frame["measure"] == measure]["value"])
        figures.set_panel_title(axes, title)
    panels[-1].set_xticks(sorted(set(frame["k"])))
    figures.set_axis_labels(panels[-1], "maximum deadwood of a knock (0: only gin)")
    figures.add_legend(panels[0])
    return figure


def _draw_threshold_lines(
    axes: Axes, rows: pd.DataFrame, unit_factor: int, styles: dict[str, SeriesStyle]
) -> None:
    """Draw one line per variant, shifted sideways so that equal values remain visible."""
    for i, (variant, style) in enumerate(styles.items()):
        variant_rows = rows[rows["variant"] == variant]
        shift = THRESHOLD_DOT_SPREAD * ((i + 0.5) / len(styles) - 0.5)
        _draw_threshold_line(axes, variant_rows, unit_factor, style, shift)


def _draw_threshold_line(
    axes: Axes, rows: pd.DataFrame, unit_factor: float, style: SeriesStyle, shift: float
) -> None:
    """Draw the line of a variant, with a larger marker at the best threshold."""
    (thresholds,) = figures.extract_float_columns(rows, "k")
    thresholds = thresholds + shift
    bounds = [
        unit_factor * bound for bound in figures.extract_float_columns(rows, "value", "low", "high")
    ]
    figures.draw_vertical_error_bars(axes, thresholds, bounds, style, str(rows["variant"].iloc[0]))
    values, width = bounds[0], figures.scale_line_width(1.4)
    axes.plot(thresholds, values, color=style.colour, linestyle=style.dash, linewidth=width)
    if np.isnan(values).all():
        return
    best_index, marker_size = int(np.nanargmax(values)), figures.scale_marker_size(8)
    axes.plot(
        thresholds[best_index],
        values[best_index],
        style.marker,
        color=style.colour,
        markersize=marker_size,
    )


# Plots for two-player variants: matches by score, and deals by deadwood and turn


SCORES_PANEL_HEIGHT = 3.6  # height of a panel, in inches
CONTOUR_LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)  # probabilities for which contour lines are drawn
N_CONTOUR_SHADES = 41
PLAYER_A = 0
DEADWOOD_MAP_HEIGHT = 2.8  # height of a heat map, in inches
MIN_HANDS_PER_CELL = 100  # Minimum number of hands in a cell. Cells with fewer hands are empty.
# number of turns above which heat maps use a small font, and its size in points
MAX_TURNS_FOR_NORMAL_FONT, SMALL_CELL_FONT_SIZE = (12, 7)
DEADWOOD_BIN_WIDTH = 5  # range of deadwood per row of the heat map, in points


@figures.validate_frame
def win_by_score(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the match win probability of the dealer by score.

    The DataFrame is `frames()["scores"]` of a result of `simgin.compute_odds`. The required
    columns are a and b (points of both players), dealer and value. The DataFrame must contain only
    one variant.

    Example:
        frames = simgin.compute_odds("standard", seed=1).frames()
        simgin.plots.win_by_score(frames["scores"], seed=1)
    """
    values_by_dealer = frame.pivot(index=["a", "b"], columns="dealer", values="value")
    dealer_differences = values_by_dealer.diff(axis=1).to_numpy(np.float64)
    max_dealer_effect = 100 * figures.compute_max_absolute_value(dealer_differences, 0)
    note = "The map shows the dealer's win probability. "
    if not np.isnan(dealer_differences).all():
        note += f"The nondealer's win probability differs by at most {max_dealer_effect:.2g} "
        note += "percentage points. "
    note += figures.format_max_half_width(frame, unit=" percentage points")
    caption = figures.format_caption(frame, seed=seed, unit="single deals", note=note)
    title = f"Win probability by score, %: {frame['variant'].iloc[0]}"
    first_row = frame.iloc[0]
    players = f"{first_row['strategy']} against {first_row['opponent']}"
    width = figures.count_fitting_characters(figures.MAX_PANEL_TITLE_CHARACTERS, "axes.titlesize")
    n_title_lines = fold_text(players, width).count("\n") + 1
    height = SCORES_PANEL_HEIGHT + figures.scale_font(figures.TEXT_LINE_HEIGHT * n_title_lines)
    figure = figures.create_figure(height, title, caption)
    (axes,) = figures.stack_panels(figure, 1)
    dealer_rows = frame[frame["dealer"] == PLAYER_A]
    _draw_contours(axes, dealer_rows.pivot(index="b", columns="a", values="value"))
    axes.set_aspect("equal")
    figures.set_panel_title(axes, players)
    figures.set_axis_labels(axes, "your points", "opponent's points")
    return figure


def _draw_contours(axes: Axes, table: pd.DataFrame) -> None:
    """Draw shaded areas and labelled contour lines of a table of proportions."""
    proportions = table.to_numpy(dtype=float)
    grid = (table.columns, table.index, proportions)
    if min(proportions.shape) < 2:
        figures.label_empty_axes(axes, "too few scores for a map")
        return
    figures.label_undefined_axes(axes, proportions)
    levels = np.linspace(0, 1, N_CONTOUR_SHADES)
    shades = axes.contourf(*grid, levels=levels, cmap=figures.make_win_rate_colormap())
    shades.set(edgecolor="face", linewidth=0.4)  # edges cover the gaps between adjacent areas
    contours = axes.contour(
        *grid, levels=CONTOUR_LEVELS, colors=figures.DARKEST_COLOUR, linewidths=1
    )
    font_size = figures.scale_font(figures.NORMAL_FONT_SIZE)
    axes.clabel(contours, fmt=lambda level: f"{100 * level:g} %", fontsize=font_size)


@figures.validate_frame
def win_by_deadwood(frame: pd.DataFrame, *, seed: int | None = None) -> Figure:
    """Plot the probability of winning the deal as a function of deadwood and turn.

    The DataFrame contains win probabilities, as computed by `simgin odds`. The required columns
    are turn, count (lower end of a bin) and value. Each player has a heat map.
    """
    cells = frame[frame["n"] >= MIN_HANDS_PER_CELL]
    frame = frame.assign(value=np.nan, low=np.nan) if cells.empty else cells
    frame = frame.assign(title=frame["strategy"] + ", " + frame["variant"] + ": deals won, %")
    note = (
        f"Rows are bins of {DEADWOOD_BIN_WIDTH} points of deadwood, labelled by their lower end. "
        f"Empty cells have fewer than {MIN_HANDS_PER_CELL} hands. "
        f"{figures.format_max_half_width(frame)}"
    )
    caption = figures.format_caption(frame, seed=seed, unit="hands per cell", note=note)
    height = DEADWOOD_MAP_HEIGHT * frame["title"].nunique()
    figure = figures.create_figure(height, "Win probability by deadwood and turn", caption)
    for axes, _, panel_rows in figures.iterate_panels(figure, frame, "title"):
        table = 100 * panel_rows.pivot(index="count", columns="turn", values="value")
        font_size = (
            SMALL_CELL_FONT_SIZE
            if len(table.columns) > MAX_TURNS_FOR_NORMAL_FONT
            else figures.NORMAL_FONT_SIZE
        )
        labels = [*table.index], [*table.columns]
        figures.draw_heat_map(axes, table.to_numpy(float), *labels, font_size=font_size)
        figures.set_axis_labels(axes, "own turns played", "own deadwood")
    return figure
