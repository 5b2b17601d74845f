"""Tables that summarise the results of matchups with 95 % confidence intervals.

Deals won, points per deal and matches won are shown side by side because they can favour different
players (docs/explanation/statistics.md#traps).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simgin.core.batch_columns import WINNING_RESULTS
from simgin.report.numbers import EN_DASH, format_estimate, format_number
from simgin.report.report_table import Column, Table, make_table_from_rows
from simgin.stats import metrics, table
from simgin.stats.metrics import (
    METRICS_BY_NAME,
    ONE_PLAYER,
    TABLE_METRICS,
    TWO_PLAYERS,
    WIN_METRICS,
)
from simgin.text.amounts import UNIT_PLURALS, format_count_range
from simgin.text.messages import join_words

if TYPE_CHECKING:
    import pandas as pd

    from simgin.stats.table import RowsByMetric, TidyRows

# maximum relative difference at which a settlement is considered equal to the points of the deals
SETTLEMENT_TOLERANCE = 1e-6
# Maximum number of rows. With this number, the rows and the text fit on two screens of 24 lines.
MAX_TERMINAL_ROWS = 18
PARENTHESIZED_INTERVAL_PATTERN = re.compile(r"\(\S+ to ")  # interval in parentheses


# Columns


def list_player_headings(rows: TidyRows) -> tuple[str, ...]:
    """Return the headings of the player columns: A and B, or `strategy` in solitaire games."""
    return ("A", "B") if any(row["opponent"] for row in table.to_row_dicts(rows)) else ("strategy",)


def has_results_of_both_sides(tidy_rows: TidyRows) -> bool:
    """Return True if the players differ and the rows contain the deal endings of both."""
    return any(
        row["opponent"] not in ("", row["strategy"]) and row["metric"] == "lost_gin"
        for row in table.to_row_dicts(tidy_rows)
    )


def make_metric_columns(tidy_rows: TidyRows) -> list[Column]:
    """Return a table column for each informative metric.

    If the players of a matchup differ, deal endings are listed separately for A and B. Otherwise,
    deal endings are listed for both players together.
    """
    columns = []
    has_two_sides = has_results_of_both_sides(tidy_rows)
    for name in _list_informative_metrics(tidy_rows):
        if name in WINNING_RESULTS and has_two_sides:
            columns += [
                _make_metric_column(f"won_{name}", "A "),
                _make_metric_column(f"lost_{name}", "B "),
            ]
        else:
            columns.append(_make_metric_column(name))
    return columns


def _make_metric_column(name: str, prefix: str = "") -> Column:
    """Return the table column of a metric for player A, for player B or for both together.

    For B, wins by A count as losses.
    """
    metric = METRICS_BY_NAME[name.replace("lost_", "won_")] if prefix else METRICS_BY_NAME[name]
    return Column(name, f"{prefix}{metric.title}", factor=metric.display_factor)


def _list_informative_metrics(tidy_rows: TidyRows) -> list[str]:
    """Return the metrics that a table of `tidy_rows` should show."""
    matchups = [rows for _, rows in table.iterate_matchups(tidy_rows)]
    n_players = len(list_player_headings(tidy_rows))
    return [name for name in TABLE_METRICS if _is_informative(name, matchups, n_players)]


def _is_informative(name: str, matchups: Sequence[RowsByMetric], n_players: int) -> bool:
    """Return True if a table of matchups should show a metric."""
    if all(name not in rows for rows in matchups):
        return False  # No matches were played.
    if name in ("match_win", "goal_met") and n_players == 1:
        # If every match were won by reaching the goal, both columns would be equal.
        return all(_find_metric_value(rows, "goal_met") >= 0 for rows in matchups) == (
            name == "goal_met"
        )
    if name == "settlement":
        return any(_has_settlement(rows) for rows in matchups)
    if n_players in TABLE_METRICS[name] or (
        TABLE_METRICS[name] in (ONE_PLAYER, TWO_PLAYERS) and name in WIN_METRICS
    ):
        return n_players in TABLE_METRICS[name]
    return any(_find_metric_value(rows, name) > 0 for rows in matchups)


def _find_metric_value(rows: RowsByMetric, metric: str) -> float:
    """Return the value of a metric, or NaN if the metric is missing."""
    return table.find_interval(rows, metric)[0]


def _has_settlement(rows: RowsByMetric) -> bool:
    """Return True if the settlement of a match differs from the sum of its deal points."""
    settlement = _find_metric_value(rows, "settlement")
    points = _find_metric_value(rows, "margin") * _find_metric_value(rows, "deals_per_match")
    is_points_sum = math.isclose(
        settlement, points, rel_tol=SETTLEMENT_TOLERANCE, abs_tol=SETTLEMENT_TOLERANCE
    )
    return not (math.isnan(settlement) or is_points_sum)


# DataFrame with one row per matchup


def make_matchup_frame(tidy_rows: TidyRows) -> pd.DataFrame:
    """Return a DataFrame with one row per matchup, and the bounds of every metric.

    The columns are variant, strategy, opponent, played (the sample size) and, for every metric, its
    value and the 95 % confidence bounds NAME_low and NAME_high.
    """
    rows = []
    for (variant, strategy, opponent), matchup in table.iterate_matchups(tidy_rows):
        row: dict[str, object] = {"variant": variant, "strategy": strategy, "opponent": opponent}
        row["played"] = format_sample_size(matchup)
        for name in matchup:
            row |= _make_bound_columns(matchup, name)
        rows.append(row)
    return table.make_frame(rows)


def _make_bound_columns(matchup: RowsByMetric, name: str) -> dict[str, float]:
    """Return the value and the bounds of a metric, keyed by column name."""
    column_names = (name, f"{name}_low", f"{name}_high")
    return dict(zip(column_names, table.find_interval(matchup, name), strict=True))


def format_sample_size(*matchups: RowsByMetric) -> str:
    """Format the sample size as a number of deals, or as the numbers of matches and deals.

    If matchups have different sample sizes, the text shows ranges.
    """
    deals = format_count_range([_find_sample_size(rows, metrics.DEAL) for rows in matchups])
    if not any(_find_sample_size(rows, metrics.MATCH) for rows in matchups):
        return f"{deals} deals"
    matches = format_count_range([_find_sample_size(rows, metrics.MATCH) for rows in matchups])
    return f"{matches} matches ({deals} deals)"


def _find_sample_size(rows: RowsByMetric, unit: str) -> int:
    """Return the largest number of deals or matches that any metric is based on."""
    return max([int(row["n"]) for row in rows.values() if row["unit"] == unit], default=0)


def build_results_table(tidy_rows: TidyRows) -> Table:
    """Return a table of the results with one row per matchup."""
    players = [*zip(("strategy", "opponent"), list_player_headings(tidy_rows), strict=False)]
    name_columns = [
        Column(*pair) for pair in (("variant", "variant"), *players, ("played", "played"))
    ]
    columns = [*name_columns, *make_metric_columns(tidy_rows)]
    return _add_estimate_note(
        Table("Results", make_matchup_frame(tidy_rows), columns, format_metrics_note(tidy_rows))
    )


def _add_estimate_note(report_table: Table) -> Table:
    """Return a copy of a table with a note that explains its intervals and dashes."""
    cells = [str(cell) for row in report_table.rows for cell in row]
    marks = ["±"] * any("±" in cell for cell in cells)
    marks += ["parentheses"] * any(map(PARENTHESIZED_INTERVAL_PATTERN.search, cells))
    sentences = [report_table.note] * bool(report_table.note)
    if marks:
        verb = "marks" if marks == ["±"] else "mark"
        sentences.append(f"{join_words(marks).capitalize()} {verb} 95 % confidence intervals.")
    if EN_DASH in cells:
        sentences.append(f"{EN_DASH} means that there are too few deals.")
    return replace(report_table, note=" ".join(sentences))


def format_metrics_note(tidy_rows: TidyRows) -> str:
    """Return a note that explains the wins, points and endings in a summary."""
    if len(list_player_headings(tidy_rows)) == 1:
        return _format_solo_note(tidy_rows)
    sentences = ["Wins are A's wins, and points are A's points minus B's points."]
    if not has_results_of_both_sides(tidy_rows):
        sentences.append("Endings are counted for both players together.")
    if "settlement" in _list_informative_metrics(tidy_rows):
        sentences.append("The settlement is the total payment to A for a match, including bonuses.")
    return " ".join(sentences)


def _format_solo_note(tidy_rows: TidyRows) -> str:
    """Return a sentence that explains the score in solitaire games."""
    occurred_metrics = _find_occurring_metrics(tidy_rows)
    if "joker" not in occurred_metrics:
        return "The score is the penalty per deal, so lower values are better."
    score = "The score is the player's points minus the joker's points"
    if "limit" in occurred_metrics:
        score += ", or the penalty in variants that count penalties"
    return f"{score}."


def _find_occurring_metrics(tidy_rows: TidyRows) -> set[str]:
    """Return the metrics whose value is greater than 0 for at least one player."""
    return {row["metric"] for row in table.to_row_dicts(tidy_rows) if row["value"] > 0}


def format_summary_csv(tidy_rows: TidyRows) -> str:
    """Return the summary as CSV with 95 % bounds.

    Undefined values are empty.
    """
    sides = ("", "won_", "lost_") if len(list_player_headings(tidy_rows)) == 2 else ("",)
    metric_names = [
        f"{prefix}{metric}"
        for metric in _list_informative_metrics(tidy_rows)
        for prefix in (sides if metric in WINNING_RESULTS else ("",))
    ]
    units = [
        unit
        for unit in UNIT_PLURALS
        if unit in {row["unit"] for row in table.to_row_dicts(tidy_rows)}
    ]
    rows = []
    for (variant, strategy, opponent), matchup in table.iterate_matchups(tidy_rows):
        row: dict[str, object] = {"variant": variant, "strategy": strategy, "opponent": opponent}
        row |= {UNIT_PLURALS[unit]: _find_sample_size(matchup, unit) for unit in units}
        for name in metric_names:
            row |= _format_metric_cells(matchup, name)
        rows.append(row)
    return table.make_frame(rows).to_csv(index=False, lineterminator="\n")


def _format_metric_cells(matchup: RowsByMetric, name: str) -> dict[str, str]:
    """Return the formatted value and bounds of a metric, keyed by column name."""
    metric = METRICS_BY_NAME[name]
    value, low, high = (metric.display_factor * x for x in table.find_interval(matchup, name))
    half_width = (high - low) / 2
    cells = ["" if math.isnan(value) else format_number(x, half_width) for x in (value, low, high)]
    column = metric.summary_column
    return dict(zip((column, f"{column}_low", f"{column}_high"), cells, strict=True))


# Terminal


def build_terminal_table(tidy_rows: TidyRows, seed: int) -> Table:
    """Return a table of the main metrics for the terminal."""
    (matchup_names, matchup), *other_matchups = table.iterate_matchups(tidy_rows)
    if other_matchups:
        return _build_matchup_table(tidy_rows, seed)
    variant, *players = matchup_names
    text = f"{format_sample_size(matchup)}, seed {seed}"
    if has_results_of_both_sides(tidy_rows):
        return _build_player_table(tidy_rows, f"{' against '.join(players)}, {variant}, {text}")
    player_a = players[0]
    player_names = " against ".join(filter(None, players))
    metric_names = [column.name for column in make_metric_columns(tidy_rows)]
    return _build_metric_table(
        f"{player_names}, {variant}, {text}", {player_a: matchup}, metric_names
    )


def _build_matchup_table(tidy_rows: TidyRows, seed: int) -> Table:
    """Return a table with one row per matchup.

    The title contains the names that all rows share.
    """
    frame = make_matchup_frame(tidy_rows)
    headings = ("variant", *list_player_headings(tidy_rows))
    headings_by_column = dict(zip(("variant", "strategy", "opponent"), headings, strict=False))
    shared_names = {
        name: frame[name].iloc[0] for name in headings_by_column if frame[name].nunique() == 1
    }
    size_text = format_sample_size(*(rows for _, rows in table.iterate_matchups(tidy_rows)))
    shared_texts = [f"{headings_by_column[name]}: {text}" for name, text in shared_names.items()]
    title = "; ".join([*shared_texts, f"{size_text} each, seed {seed}"])
    columns = [
        Column(name, headings_by_column[name])
        for name in headings_by_column
        if name not in shared_names
    ]
    columns += [column for column in make_metric_columns(tidy_rows) if column.name in WIN_METRICS]
    n_omitted = len(frame) - MAX_TERMINAL_ROWS
    omitted_text = f"... and {n_omitted} more\n" if n_omitted > 0 else ""
    note = f"{omitted_text}{format_metrics_note(tidy_rows)}"
    return _add_estimate_note(Table(title, frame[:MAX_TERMINAL_ROWS], columns, note))


def _build_player_table(tidy_rows: TidyRows, title: str) -> Table:
    """Return a table that shows both players of a matchup side by side."""
    occurred_metrics = _find_occurring_metrics(tidy_rows)
    names = [name for name in WIN_METRICS if name in _list_informative_metrics(tidy_rows)]
    names += [name for name in map("won_{}".format, WINNING_RESULTS) if name in occurred_metrics]
    rows_by_player: dict[str, list[dict[str, Any]]] = {}
    for row in table.to_row_dicts(tidy_rows):
        rows_by_player.setdefault(row["strategy"], []).append(row)
    metrics_by_player = {name: table.index_by_metric(rows) for name, rows in rows_by_player.items()}
    return _build_metric_table(title, metrics_by_player, names)


def _build_metric_table(
    title: str, rows_by_player: dict[str, RowsByMetric], metric_names: Sequence[str]
) -> Table:
    """Return a table with one row per metric and one column per player."""
    rows = []
    for name in metric_names:
        metric = METRICS_BY_NAME[name]
        intervals = [table.find_interval(player, name) for player in rows_by_player.values()]
        cells = [format_estimate(*interval, metric.display_factor) for interval in intervals]
        rows.append((metric.title, *cells))
    return _add_estimate_note(make_table_from_rows(title, ("metric", *rows_by_player), rows))


def build_details_table(tidy_rows: TidyRows) -> Table:
    """Return a table of all metrics of player A in the first matchup, with their meanings."""
    (variant, *player_names), rows = next(iter(table.iterate_matchups(tidy_rows)))
    players = " against ".join(name for name in player_names if name)
    defined_rows = [row for row in rows.values() if not math.isnan(row["value"])]
    zero_rows = [
        row
        for row in defined_rows
        if METRICS_BY_NAME[row["metric"]].is_proportion and row["value"] == 0
    ]
    undefined_metrics = [name for name, row in rows.items() if math.isnan(row["value"])]
    notes = []
    if zero_rows:
        max_bound = max(row["high"] for row in zero_rows)
        text = format_number(max_bound, max_bound)
        unobserved_metrics = ", ".join(row["metric"] for row in zero_rows)
        notes.append(f"Not observed: {unobserved_metrics} (95 % upper bound of each rate: {text}).")
    if undefined_metrics:
        notes.append(f"Too few deals to estimate: {', '.join(undefined_metrics)}.")
    shown_rows = [
        row | {"meaning": METRICS_BY_NAME[row["metric"]].meaning}
        for row in defined_rows
        if row not in zero_rows
    ]
    columns = [Column("metric", "metric"), Column("value", "value"), Column("meaning", "meaning")]
    title = f"All metrics with 95 % intervals: {players}, {variant}, {format_sample_size(rows)}"
    return Table(title, table.make_frame(shown_rows), columns, "\n".join(notes))
