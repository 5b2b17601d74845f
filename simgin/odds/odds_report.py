"""Report of odds: summary sentences, tables, plots and notes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simgin import plots
from simgin.odds import solo_odds
from simgin.odds.odds import Odds
from simgin.report import numbers
from simgin.report.report import LazySequence, Plot, Report
from simgin.report.report_table import Column, Table, describe_frame
from simgin.rules.variants import find_variant
from simgin.stats.table import make_frame
from simgin.strategy import cast

if TYPE_CHECKING:
    import pandas as pd

ODDS_INTERVAL_NOTE = "All intervals are 95 % confidence intervals."
N_SHOWN_SCORES = 10  # number of scores per side in the score table
SHOWN_TURNS = (0, 2, 4, 6, 8)  # turn counts shown in the deadwood table
DEADWOOD_BIN_WIDTH = 5  # range of deadwood per row of the table, in points
EXAMPLE_TURN, EXAMPLE_DEADWOOD = 4, 20  # turn and deadwood of a hand in a summary sentence
# maximum half-width of the confidence interval of a win rate in the deadwood table
MAX_SHOWN_HALF_WIDTH = 0.05
OMNISCIENT_LABEL = "sees the whole deck"
METRIC_TITLES = {"win": "deals won", "score": "score", "match": "matches won"}


def build_odds_report(odds: Odds, command: str) -> Report:
    """Return the report of the computed odds.

    Args:
        odds: Computed odds.
        command: Command that repeats the run.
    """
    main_table, *other_tables = build_odds_tables(odds)
    n_main_tables = sum(name in odds.tables for name in ("scores", "counts", "seats"))
    return Report(
        question=f"Odds for {', '.join(odds.identity['variants'])}",
        verdict=list(iter_verdict_sentences(odds)),
        rules=[(name, find_variant(name).title) for name in odds.strongest_players]
        if len(odds.strongest_players) > 1
        else (),
        tables=[main_table, *other_tables[: max(0, n_main_tables - 1)]],
        plots=LazySequence(iter_odds_plots(odds)),
        detail_tables=other_tables[max(0, n_main_tables - 1) :],
        facts=list(_iter_notes(odds)),
        command=command,
        files=odds.format_csv_files(),
    )


def _iter_notes(odds: Odds) -> Iterator[tuple[str, str]]:
    """Yield labelled notes about intervals, players and random numbers."""
    yield "Intervals", ODDS_INTERVAL_NOTE
    for variant, strongest_player in odds.strongest_players.items():
        yield f"Strong player in {variant}", strongest_player
        for naive_player in odds.select_rows("bracket", variant)["strategy"][:-2]:
            yield f"Naive player in {variant}", naive_player
    for sentence in odds.unavailable_reasons:
        yield "Not computed", sentence
    identity = odds.identity
    yield "Random numbers", f"stream {identity['stream']}, engine {identity['engine']}"


# Summary


def iter_verdict_sentences(odds: Odds) -> Iterator[str]:
    """Yield sentences about the main results.

    If there are several variants, each sentence names its variant.
    """
    for variant in odds.strongest_players:
        variant_prefix = f"{variant}: " if len(odds.strongest_players) > 1 else ""
        sentence_makers = (
            describe_leads,
            describe_deadwood,
            describe_seats,
            describe_solo_play,
            describe_gin_draws,
        )
        sentences = [sentence for make in sentence_makers for sentence in make(odds, variant)]
        for sentence in sentences[: 1 if variant_prefix else None]:
            yield f"{variant_prefix}{sentence}"


def describe_leads(odds: Odds, variant: str) -> Iterator[str]:
    """Yield a sentence about the win rates at two typical leads."""
    rows = odds.select_rows("scores", variant, strongest=True)
    if len(rows):
        target_score = int(rows["a"].max()) + 1
        a, b = _round_score(0.75 * target_score), _round_score(0.5 * target_score)
        yield (
            f"Against an equal opponent, you win {_format_win_rate(rows, a, b)} of matches with "
            f"a lead of {a} to {b}, and {_format_win_rate(rows, b, 0)} with a lead of {b} to 0."
        )


def _round_score(points: float) -> int:
    """Round a score to a multiple of 5, or to an integer if it is below 10."""
    return round(points / 5) * 5 if points >= 10 else round(points)


def _format_win_rate(rows: pd.DataFrame, a: int, b: int) -> str:
    """Format the win rate at a score, averaged over both dealers.

    The half-width is also averaged, because the win rates of both dealers are correlated.
    """
    at_score = rows[(rows["a"] == a) & (rows["b"] == b)]
    return _format_rates(at_score[["value", "low", "high"]].mean().to_frame().T)[0]


def describe_deadwood(odds: Odds, variant: str) -> Iterator[str]:
    """Yield a sentence about the win rate of a hand with typical deadwood early in the deal."""
    turn, deadwood = EXAMPLE_TURN, EXAMPLE_DEADWOOD
    rows = odds.select_rows("counts", variant, strongest=True, turn=turn, count=deadwood)
    for win_rate in _format_rates(rows[_is_precise(rows)]):
        yield (
            f"With {deadwood} to {deadwood + DEADWOOD_BIN_WIDTH - 1} points of deadwood after your "
            f"first {turn} turns, you win {win_rate} of deals."
        )


def describe_seats(odds: Odds, variant: str) -> Iterator[str]:
    """Yield a sentence about the win rate of each seat if both players are equally strong."""
    rows = odds.select_rows("seats", variant, strongest=True, metric="win")
    if len(rows):
        dealer_rate, nondealer_rate = _format_rates(rows)
        yield (
            f"Between strong players, the dealer wins {dealer_rate} of deals and the nondealer "
            f"wins {nondealer_rate}."
        )


def describe_solo_play(odds: Odds, variant: str) -> Iterator[str]:
    """Yield sentences about naive, strong and best possible play in a solitaire game."""
    bracket = odds.select_rows("bracket", variant)
    if not len(bracket):
        return
    parsed_variant = find_variant(variant)
    verb = "wins"
    if parsed_variant.params["knock_limit"]:
        verb = "goes gin in"
        wins = odds.select_rows("strength", variant, metric="win")
        yield f"{_format_player_comparison(variant, wins, 'wins', 'deals')}."
    low_bound, high_bound = _get_best_gin_rate_bounds(bracket)
    yield (
        f"{_format_player_comparison(variant, bracket.iloc[:-1], verb, 'deals')}. With 95 % "
        f"confidence, the best possible player {verb} {low_bound} to {high_bound} % of deals."
    )
    matches = odds.select_rows("strength", variant, metric="match")
    if len(matches) > 1:
        verb = "meets the goal in" if parsed_variant.goal.low_total_wins else "wins"
        yield f"{_format_player_comparison(variant, matches, verb, 'matches')}."


def _format_player_comparison(variant: str, rows: pd.DataFrame, verb: str, unit: str) -> str:
    """Return a clause that compares the first and the last strategy in `rows`."""
    first_rate, last_rate = _format_rates(rows.iloc[[0, -1]])
    naive, strong = rows["strategy"].iloc[[0, -1]]
    if naive == strong:
        return f"{strong} {verb} {last_rate} of {unit}"
    naive, strong = _format_player_labels(variant, naive, strong)
    return f"{naive} {verb} {first_rate} of {unit}, and {strong} {verb} {last_rate}"


def _format_rates(rows: pd.DataFrame) -> list[str]:
    """Format the percentage in each row with its confidence interval."""
    estimates = rows[["value", "low", "high"]].to_numpy(dtype=float)
    return [f"{numbers.format_estimate(*estimate)} %" for estimate in 100 * estimates]


def _format_player_labels(variant: str, naive: str, strong: str) -> tuple[str, str]:
    """Return labels such as `A naive player`, or the specs if the players are not the default."""
    if naive == cast.list_odds_players(find_variant(variant))[0]:
        return "A naive player", f"a strong player ({strong})"
    return naive, strong


def _get_best_gin_rate_bounds(rows: pd.DataFrame) -> tuple[int, int]:
    """Return lower and upper bounds on the best possible player's gin rate, in percent."""
    return math.floor(100 * rows["low"].iloc[-2]), math.ceil(100 * rows["high"].iloc[-1])


def describe_gin_draws(odds: Odds, variant: str) -> Iterator[str]:
    """Yield a sentence about the number of draws that the strong player needs for gin."""
    rows = odds.select_rows("gin", variant, strongest=True)
    if len(rows):
        draws_by_statistic = rows.set_index("statistic")["value"]
        yield (
            f"When {odds.strongest_players[variant]} goes gin, the median number of draws is "
            f"{draws_by_statistic['q50']:.0f}. In 80 % of these deals, the number is between "
            f"{draws_by_statistic['q10']:.0f} and {draws_by_statistic['q90']:.0f}."
        )


def _is_precise(rows: pd.DataFrame) -> pd.Series:
    """Return a mask of the rows that are precise enough to show without an interval."""
    return (rows["high"] - rows["low"]) / 2 <= MAX_SHOWN_HALF_WIDTH


# Tables


def build_odds_tables(odds: Odds) -> list[Table]:
    """Return the tables of the report: first two-player variants, then solitaire games."""
    table_makers = (
        ("scores", _build_score_table),
        ("counts", _build_deadwood_table),
        ("seats", _build_seat_table),
    )
    two_player_variants = [v for v in odds.strongest_players if len(odds.select_rows("seats", v))]
    solo_variants = [v for v in odds.strongest_players if v not in two_player_variants]
    tables = [
        make_table(odds, variant)
        for variant in two_player_variants
        for name, make_table in table_makers
        if len(odds.select_rows(name, variant))
    ]
    if solo_variants:
        tables.append(_build_solo_table(odds, solo_variants))
        tables += [_build_strategy_table(odds, variant) for variant in solo_variants]
    return tables


def _build_grid_table(title: str, table: pd.DataFrame, first_heading: str, note: str) -> Table:
    """Return a two-way table of rounded percentages."""
    frame = (100 * table).reset_index()
    frame.columns = [str(name) for name in frame.columns]
    frame[frame.columns[0]] = frame[frame.columns[0]].astype(str)
    columns = [Column(name, name, digits=0) for name in frame.columns[1:]]
    return Table(title, frame, [Column(frame.columns[0], first_heading), *columns], note)


def _build_score_table(odds: Odds, variant: str) -> Table:
    """Return a table of win rates at ten scores per side, averaged over both dealers."""
    rows = odds.select_rows("scores", variant, strongest=True)
    target = int(rows["a"].max()) + 1
    shown_scores = sorted({target * step // N_SHOWN_SCORES for step in range(N_SHOWN_SCORES)})
    shown_rows = rows[rows["a"].isin(shown_scores) & rows["b"].isin(shown_scores)]
    table = shown_rows.pivot_table(index="a", columns="b", values="value", aggfunc="mean")
    half_width = 100 * float((shown_rows["high"] - shown_rows["low"]).max() / 2)
    by_dealer = shown_rows.pivot_table(index=["a", "b"], columns="dealer", values="value")
    dealer_effect = 100 * float((by_dealer[0] - by_dealer[1]).abs().max() / 2)
    return _build_grid_table(
        f"Matches won at each score (%) when {odds.strongest_players[variant]} plays against "
        f"itself in {variant}",
        table,
        "your points",
        "Rows show your points, and columns show the opponent's points. 95 % confidence intervals "
        f"are at most ± {half_width:.2g} percentage points. For each dealer, the value differs "
        f"from the mean shown by up to {dealer_effect:.2g} percentage points.",
    )


def _build_deadwood_table(odds: Odds, variant: str) -> Table:
    """Return a table of the strong player's win rate by deadwood and turn."""
    rows = odds.select_rows("counts", variant, strongest=True)
    displayed_rows = rows[rows["turn"].isin(SHOWN_TURNS) & _is_precise(rows)]
    table = displayed_rows.pivot(index="count", columns="turn", values="value")
    table.index = [f"{low} to {low + DEADWOOD_BIN_WIDTH - 1}" for low in table.index]
    table.columns = [f"after turn {turn}" for turn in table.columns]
    limit_text = f"wider than ± {100 * MAX_SHOWN_HALF_WIDTH:.0f} percentage points"
    note = f"A dash ({numbers.EN_DASH}) marks win rates with an interval {limit_text}."
    if table.empty:
        note = f"Every interval is {limit_text}. Increase --deals."
    return _build_grid_table(
        f"Deals won for each deadwood and turn (%) when {odds.strongest_players[variant]} plays "
        f"against itself in {variant}",
        table,
        "deadwood",
        f"{note} For all turns, see counts.csv.",
    )


def _build_seat_table(odds: Odds, variant: str) -> Table:
    """Return a table of win rates with one row per player and seat."""
    table_rows = []
    rows = odds.select_rows("seats", variant)
    for (player, seat), seat_rows in rows.groupby(["strategy", "seat"], sort=False):
        default_type = cast.STRONG_PLAYER if player == odds.strongest_players[variant] else ""
        player_type = cast.find_player_type_name(str(player)) or default_type
        player_label = f"{player_type} ({player})" if player_type else str(player)
        table_rows.append({"player": player_label, "seat": seat, **_combine_metrics(seat_rows)})
    titles = {"win": "deals won", "nobody": "drawn deals", "match": "matches won"}
    return Table(
        f"Deals and matches won from each seat when each player plays against itself in {variant}",
        make_frame(table_rows),
        [Column("player", "player"), Column("seat", "seat"), *_make_metric_columns(rows, titles)],
        "In the match column, the seat is the player's seat in the first deal. If the rules treat "
        "the seats differently, the table shows seat numbers.",
    )


def _combine_metrics(rows: pd.DataFrame) -> dict[str, Any]:
    """Combine one row per metric into a single row with the value and bounds of each metric."""
    fields: dict[str, Any] = {}
    for _, row in rows.iterrows():
        fields |= _make_estimate_fields(row["metric"], row)
    return fields


def _make_estimate_fields(name: str, row: Any) -> dict[str, Any]:
    """Return the value and bounds in a row as the fields NAME, NAME_low and NAME_high."""
    return {name: row["value"], f"{name}_low": row["low"], f"{name}_high": row["high"]}


def _make_metric_columns(rows: pd.DataFrame, titles: Mapping[str, str]) -> list[Column]:
    """Return one table column per metric, in percent except for the score."""
    names = [name for name in titles if name in set(rows["metric"])]
    return [
        Column(name, titles[name])
        if name == "score"
        else Column(name, f"{titles[name]} %", factor=100)
        for name in names
    ]


def _build_solo_table(odds: Odds, variants: list[str]) -> Table:
    """Return a table of the results of naive and strong players in each solitaire game."""
    table_rows = []
    # In games without knocking, only gin wins a deal.
    has_knocking = any(find_variant(variant).params["knock_limit"] for variant in variants)
    for variant in variants:
        rows = odds.select_rows("bracket", variant)
        best_gin_range = "{} to {}".format(*_get_best_gin_rate_bounds(rows))
        table_row: dict[str, Any] = {"variant": variant, "best": best_gin_range}
        table_row |= _make_estimate_fields(cast.STRONG_PLAYER, rows.iloc[-2])
        if len(rows) > 2:
            table_row |= _make_estimate_fields(cast.NAIVE_PLAYER, rows.iloc[0])
        wins = odds.select_rows("strength", variant, metric="win")
        if has_knocking:
            table_row |= _make_estimate_fields("win", wins.iloc[-1])
        if has_knocking and len(wins) > 1:
            table_row |= _make_estimate_fields("win_naive", wins.iloc[0])
        matches = odds.select_rows("strength", variant, metric="match")
        if len(matches) > 1:
            table_row |= _make_estimate_fields("match_naive", matches.iloc[0])
            table_row |= _make_estimate_fields("match", matches.iloc[-1])
        table_rows.append(table_row)
    titles = {
        "win_naive": "naive: deals won",
        "win": "strong: deals won",
        cast.NAIVE_PLAYER: "naive: gin",
        cast.STRONG_PLAYER: "strong: gin",
        "best": "best possible: gin",
        "match_naive": "naive: matches won",
        "match": "strong: matches won",
    }
    frame = make_frame(table_rows)
    columns = [Column(name, f"{titles[name]} %", factor=100) for name in titles if name in frame]
    return Table(
        "Win rates and gin rates",
        frame,
        [Column("variant", "game"), *columns],
        "The gin rate of the best possible player lies between two 95 % confidence bounds: the "
        "lower bound on the gin rate of the strong player, and the upper bound on the gin rate of "
        "a player who sees the whole deck. In the gin columns, the strong player is the strategy "
        "with the highest gin rate. In games without knocking, only gin wins a deal. In games with "
        "a goal for the total penalty, a player wins the match by meeting the goal.",
    )


def _build_strategy_table(odds: Odds, variant: str) -> Table:
    """Return a table of win rates with one row per strategy."""
    parsed_variant = find_variant(variant)
    titles = dict(METRIC_TITLES)
    if parsed_variant.params["deal_scoring"] == "penalty":
        titles["score"] = "penalty"
    if parsed_variant.goal.low_total_wins:
        titles["match"] = "goals met"
    rows = odds.select_rows("strength", variant)
    groups = rows.groupby("strategy", sort=False)
    table_rows = [{"strategy": name, **_combine_metrics(group)} for name, group in groups]
    title = f"{parsed_variant.title} ({variant}), {rows['n'].max():,} deals per strategy"
    columns = [Column("strategy", "strategy"), *_make_metric_columns(rows, titles)]
    return Table(title, make_frame(table_rows), columns)


# Plots


def iter_odds_plots(odds: Odds) -> Iterator[Plot]:
    """Yield the plots of the report: first two-player variants, then solitaire games."""
    for variant in odds.strongest_players:
        plot_definitions = (
            ("scores", plots.win_by_score, "How much is a lead worth?"),
            ("counts", plots.win_by_deadwood, "How much does a low deadwood help?"),
        )
        for name, draw, question in plot_definitions:
            rows = odds.select_rows(name, variant, strongest=True)
            if len(rows):
                variant_slug = re.sub(r"[^\w.-]|_", "-", variant)
                yield _make_plot(
                    odds, f"{name}-{variant_slug}", question, "win probability", rows, draw
                )
    if "bracket" in odds.tables:
        frame = _select_naive_and_strong_rows(odds, "odds")
        question = "How soon do players go gin?"
        yield _make_plot(odds, "odds", question, "probability of gin", frame, plots.gin_by_draw)
        frame = _select_naive_and_strong_rows(odds, "bracket")
        question = "How close are players to the best possible player?"
        yield _make_plot(odds, "strength", question, "deals that end with gin", frame, plots.skill)
    if "totals" in odds.tables:
        totals = _select_naive_and_strong_rows(odds, "totals")
        question = "Which total do players reach in a match?"
        yield _make_plot(odds, "totals", question, "matches", totals, plots.match_totals)
    if "threshold" in odds.tables:
        frame = odds.tables["threshold"]
        question = "At which deadwood is it best to knock?"
        yield _make_plot(odds, "threshold", question, "result", frame, plots.knock_thresholds)


def _make_plot(
    odds: Odds, name: str, question: str, value_name: str, frame: pd.DataFrame, draw: Any
) -> Plot:
    """Draw a plot of a table of odds, with a text alternative that names the plotted value."""
    text_columns = ["variant", "strategy", "kind", "statistic", "metric", "measure"]
    columns = [Column(name, name) for name in text_columns if name in frame]
    columns.append(Column("value", f"{value_name} (%)", digits=1, factor=100))
    figure = draw(frame.reset_index(drop=True), seed=odds.seed)
    # The CSV file of all players contains the data of this plot.
    return Plot(name, question, describe_frame(frame, columns), figure)


def _select_naive_and_strong_rows(odds: Odds, name: str) -> pd.DataFrame:
    """Return the rows of the naive and the strong player, labelled by player type.

    In the table "bracket", the strong player is the strategy with the highest gin rate. The last
    row belongs to the player who sees the whole deck.
    """
    frame = odds.tables[name]
    strategies = frame.groupby("variant", sort=False)["strategy"]
    is_hindsight = frame["strategy"] == solo_odds.HINDSIGHT_PLAYER
    is_naive = frame["strategy"] == strategies.transform("first")
    is_strong = frame["strategy"] == frame["variant"].map(odds.strongest_players)
    if name == "bracket":
        is_naive &= strategies.transform("nunique") > 2
        is_strong = ~(is_naive | is_hindsight)
    labels = frame["strategy"].mask(is_naive, cast.NAIVE_PLAYER).mask(is_strong, cast.STRONG_PLAYER)
    labelled_frame = frame.assign(strategy=labels.mask(is_hindsight, OMNISCIENT_LABEL))
    return labelled_frame[is_naive | is_strong | is_hindsight].reset_index(drop=True)
