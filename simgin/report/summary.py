"""Tables that summarise the results of matchups with 95 % confidence intervals.

Deals won, points per deal and matches won appear side by side, because they can point in different
directions (docs/explanation/statistics.md#traps).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simgin.core.batch_columns import WINNING_RESULTS
from simgin.report.numbers import EN_DASH, format_estimate, format_number
from simgin.report.report_table import Column, Table, table_from_rows
from simgin.stats import metrics, table
from simgin.stats.metrics import (
    METRICS_BY_NAME,
    ONE_PLAYER,
    TABLE_METRICS,
    TWO_PLAYERS,
    WIN_METRICS,
)
from simgin.text.amounts import UNIT_PLURALS, format_count_range

if TYPE_CHECKING:
    import pandas as pd

    from simgin.stats.table import ByMetric, TidyRows

# relative difference up to which a settlement and the points of the deals count as equal
SETTLEMENT_TOLERANCE = 1e-6
MAX_TERMINAL_ROWS = 18  # maximum number of rows; the rows and the text fill two screens of 24 lines
ESTIMATE_NOTE = (
    f"± and parentheses are 95 % confidence intervals. {EN_DASH} means that there are too few "
    "deals."
)


# Columns


def player_headings(tidy: TidyRows) -> tuple[str, ...]:
    """Return the headings of the player columns: A and B, or `strategy` in solitaire variants."""
    return ("A", "B") if any(row["opponent"] for row in table.to_rows(tidy)) else ("strategy",)


def has_sides(tidy: TidyRows) -> bool:
    """Return True if two different players meet and both have rows for deal endings."""
    return any(
        row["opponent"] not in ("", row["strategy"]) and row["metric"] == "lost_gin"
        for row in table.to_rows(tidy)
    )


def metric_columns(tidy: TidyRows) -> list[Column]:
    """Return table columns for the metrics that are informative in the given rows.

    If two different players meet, deal endings are listed separately for A and B. Otherwise, they
    are listed for both players together.
    """
    columns = []
    sides = has_sides(tidy)
    for name in _informative_metrics(tidy):
        if name in WINNING_RESULTS and sides:
            columns += [_metric_column(f"won_{name}", "A "), _metric_column(f"lost_{name}", "B ")]
        else:
            columns.append(_metric_column(name))
    return columns


def _metric_column(name: str, side: str = "") -> Column:
    """Return the column of a metric for one player; for B, A's win counts as a loss."""
    metric = METRICS_BY_NAME[name.replace("lost_", "won_")] if side else METRICS_BY_NAME[name]
    return Column(name, f"{side}{metric.title}", factor=metric.display_factor)


def _informative_metrics(tidy: TidyRows) -> list[str]:
    matchups = [rows for _, rows in table.iterate_matchups(tidy)]
    players = len(player_headings(tidy))
    return [name for name in TABLE_METRICS if _is_informative(name, matchups, players)]


def _is_informative(name: str, matchups: Sequence[ByMetric], n_players: int) -> bool:
    if all(name not in rows for rows in matchups):
        return False  # No matches were played.
    if name in ("match_win", "goal_met") and n_players == 1:
        # If every match were won by reaching the goal, both columns would be equal.
        return all(_metric_value(rows, "goal_met") >= 0 for rows in matchups) == (
            name == "goal_met"
        )
    if name == "settlement":
        return any(_has_settlement(rows) for rows in matchups)
    if n_players in TABLE_METRICS[name] or (
        TABLE_METRICS[name] in (ONE_PLAYER, TWO_PLAYERS) and name in WIN_METRICS
    ):
        return n_players in TABLE_METRICS[name]
    return any(_metric_value(rows, name) > 0 for rows in matchups)


def _metric_value(rows: ByMetric, metric: str) -> float:
    return table.find_interval(rows, metric)[0]


def _has_settlement(rows: ByMetric) -> bool:
    """Return True if the settlement of a match differs from the points of its deals."""
    settlement = _metric_value(rows, "settlement")
    points = _metric_value(rows, "margin") * _metric_value(rows, "deals_per_match")
    is_sum = math.isclose(
        settlement, points, rel_tol=SETTLEMENT_TOLERANCE, abs_tol=SETTLEMENT_TOLERANCE
    )
    return not (math.isnan(settlement) or is_sum)


# DataFrame with one row per matchup


def matchup_frame(tidy: TidyRows) -> pd.DataFrame:
    """Return a DataFrame with one row per matchup, including bounds for every metric.

    Columns: variant, strategy, opponent, played (the sample size), and for every metric its value
    and the 95 % confidence bounds NAME_low and NAME_high.
    """
    rows = []
    for (variant, a, b), matchup in table.iterate_matchups(tidy):
        row: dict[str, object] = {"variant": variant, "strategy": a, "opponent": b}
        row["played"] = format_sample_size(matchup)
        for name in matchup:
            row |= _bound_columns(matchup, name)
        rows.append(row)
    return table.make_frame(rows)


def _bound_columns(matchup: ByMetric, name: str) -> dict[str, float]:
    return dict(
        zip((name, f"{name}_low", f"{name}_high"), table.find_interval(matchup, name), strict=True)
    )


def format_sample_size(*matchups: ByMetric) -> str:
    """Format the sample size as a number of deals, or as the numbers of matches and deals.

    If the sizes of matchups differ, each number is a range.
    """
    deals = format_count_range([_sample_size(rows, metrics.DEAL) for rows in matchups])
    if not any(_sample_size(rows, metrics.MATCH) for rows in matchups):
        return f"{deals} deals"
    matches = format_count_range([_sample_size(rows, metrics.MATCH) for rows in matchups])
    return f"{matches} matches ({deals} deals)"


def _sample_size(rows: ByMetric, unit: str) -> int:
    return max([int(row["n"]) for row in rows.values() if row["unit"] == unit], default=0)


def results_table(tidy: TidyRows) -> Table:
    """Return a table that summarises the results, with one row per matchup."""
    players = [*zip(("strategy", "opponent"), player_headings(tidy), strict=False)]
    names = [Column(*pair) for pair in (("variant", "variant"), *players, ("played", "played"))]
    return Table(
        "Results",
        matchup_frame(tidy),
        [*names, *metric_columns(tidy)],
        f"{metrics_note(tidy)} {ESTIMATE_NOTE}",
    )


def metrics_note(tidy: TidyRows) -> str:
    """Return a note that explains the wins, points and endings in a summary."""
    if len(player_headings(tidy)) == 1:
        return _solo_note(tidy)
    sentences = ["Wins are A's wins, and points are A's points minus B's points."]
    if not has_sides(tidy):
        sentences.append("Endings are counted for both players together.")
    if "settlement" in _informative_metrics(tidy):
        sentences.append("The settlement is the total payment to A for a match, including bonuses.")
    return " ".join(sentences)


def _solo_note(tidy: TidyRows) -> str:
    occurred = _occurred_metrics(tidy)
    if "joker" not in occurred:
        return "The score is the penalty per deal, so lower values are better."
    penalty = ", or the penalty in variants that count penalties" if "limit" in occurred else ""
    return f"The score is the player's points minus the joker's points{penalty}."


def _occurred_metrics(tidy: TidyRows) -> set[str]:
    """Return the metrics whose value is greater than 0 for at least one player."""
    return {row["metric"] for row in table.to_rows(tidy) if row["value"] > 0}


def summary_csv(tidy: TidyRows) -> str:
    """Return the summary as CSV with 95 % bounds, leaving undefined values empty."""
    sides = ("", "won_", "lost_") if len(player_headings(tidy)) == 2 else ("",)
    names = [
        f"{s}{n}"
        for n in _informative_metrics(tidy)
        for s in (sides if n in WINNING_RESULTS else ("",))
    ]
    present = [
        unit for unit in UNIT_PLURALS if unit in {row["unit"] for row in table.to_rows(tidy)}
    ]
    rows = []
    for (variant, a, b), matchup in table.iterate_matchups(tidy):
        row: dict[str, object] = {"variant": variant, "strategy": a, "opponent": b}
        row |= {UNIT_PLURALS[unit]: _sample_size(matchup, unit) for unit in present}
        for name in names:
            row |= _metric_cells(matchup, name)
        rows.append(row)
    return table.make_frame(rows).to_csv(index=False, lineterminator="\n")


def _metric_cells(matchup: ByMetric, name: str) -> dict[str, str]:
    metric = METRICS_BY_NAME[name]
    value, low, high = (metric.display_factor * x for x in table.find_interval(matchup, name))
    half_width = (high - low) / 2
    texts = ["" if math.isnan(value) else format_number(x, half_width) for x in (value, low, high)]
    return dict(
        zip(
            (
                metric.summary_column,
                f"{metric.summary_column}_low",
                f"{metric.summary_column}_high",
            ),
            texts,
            strict=True,
        )
    )


# Terminal


def terminal_table(tidy: TidyRows, seed: int) -> Table:
    """Return a table of the main metrics, with a column per player or a row per matchup."""
    (names, matchup), *other_matchups = table.iterate_matchups(tidy)
    if other_matchups:
        return _matchup_table(tidy, seed)
    variant, *players = names
    size = f"{format_sample_size(matchup)}, seed {seed}"
    if has_sides(tidy):
        return _player_table(tidy, f"{' against '.join(players)}, {variant}, {size}")
    a = players[0]
    player_names = " against ".join(filter(None, players))
    metrics = [column.name for column in metric_columns(tidy)]
    return _metric_table(f"{player_names}, {variant}, {size}", {a: matchup}, metrics)


def _matchup_table(tidy: TidyRows, seed: int) -> Table:
    """Return a table with one row per matchup, whose title contains the shared names."""
    frame = matchup_frame(tidy)
    names = dict(
        zip(("variant", "strategy", "opponent"), ("variant", *player_headings(tidy)), strict=False)
    )
    common = {name: frame[name].iloc[0] for name in names if frame[name].nunique() == 1}
    sizes = format_sample_size(*(rows for _, rows in table.iterate_matchups(tidy)))
    size = f"{sizes} each, seed {seed}"
    title = "; ".join([*(f"{names[name]}: {text}" for name, text in common.items()), size])
    columns = [Column(name, names[name]) for name in names if name not in common]
    columns += [column for column in metric_columns(tidy) if column.name in WIN_METRICS]
    n_omitted = len(frame) - MAX_TERMINAL_ROWS
    more = f"... and {n_omitted} more\n" if n_omitted > 0 else ""
    return Table(
        title, frame[:MAX_TERMINAL_ROWS], columns, f"{more}{metrics_note(tidy)} {ESTIMATE_NOTE}"
    )


def _player_table(tidy: TidyRows, title: str) -> Table:
    """Return a table that shows both players of a matchup next to each other."""
    occurred = _occurred_metrics(tidy)
    ending_metrics = [f"won_{kind}" for kind in WINNING_RESULTS if f"won_{kind}" in occurred]
    sides: dict[str, list[dict[str, Any]]] = {}
    for row in table.to_rows(tidy):
        sides.setdefault(row["strategy"], []).append(row)
    players = {name: table.index_by_metric(rows) for name, rows in sides.items()}
    return _metric_table(
        title,
        players,
        [*(name for name in WIN_METRICS if name in _informative_metrics(tidy)), *ending_metrics],
    )


def _metric_table(title: str, players: dict[str, ByMetric], names: Sequence[str]) -> Table:
    """Return a table with one row per metric and one column per player."""
    metrics = [METRICS_BY_NAME[name] for name in names]
    rows = [
        (
            metric.title,
            *(
                format_estimate(*table.find_interval(p, metric.name), metric.display_factor)
                for p in players.values()
            ),
        )
        for metric in metrics
    ]
    return table_from_rows(title, ("metric", *players), rows, ESTIMATE_NOTE)


def details_table(tidy: TidyRows) -> Table:
    """Return a table of all metrics of player A in the first matchup, with their meanings."""
    (variant, *names), rows = next(iter(table.iterate_matchups(tidy)))
    players = " against ".join(name for name in names if name)
    defined = [row for row in rows.values() if not math.isnan(row["value"])]
    never_seen = [
        row for row in defined if METRICS_BY_NAME[row["metric"]].is_proportion and row["value"] == 0
    ]
    undefined = [name for name, row in rows.items() if math.isnan(row["value"])]
    notes = []
    if never_seen:
        most = max(row["high"] for row in never_seen)
        limit = format_number(most, most)
        unobserved = ", ".join(row["metric"] for row in never_seen)
        notes.append(f"Not observed: {unobserved} (95 % upper bound of each rate: {limit}).")
    if undefined:
        notes.append(f"Too few deals to estimate: {', '.join(undefined)}.")
    shown_rows = [
        row | {"meaning": METRICS_BY_NAME[row["metric"]].meaning}
        for row in defined
        if row not in never_seen
    ]
    columns = [Column("metric", "metric"), Column("value", "value"), Column("meaning", "meaning")]
    title = f"All metrics with 95 % intervals: {players}, {variant}, {format_sample_size(rows)}"
    return Table(title, table.make_frame(shown_rows), columns, "\n".join(notes))
