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
from simgin.strategy.cast import NAIVE, STRONG, odds_players, type_name

if TYPE_CHECKING:
    import pandas as pd

ODDS_INTERVAL_NOTE = "All intervals are 95 % confidence intervals."
N_SCORE_STEPS = 10  # number of scores per side in the table
SHOWN_TURNS = (0, 2, 4, 6, 8)  # player's turns that the deadwood table shows
DEADWOOD_BIN = 5  # points of deadwood per row of the table
EXAMPLE_HAND = (4, 20)  # player's turns and deadwood of the example hand in a summary sentence
MAX_HALF_WIDTH = 0.05  # maximum half-width of an interval for a displayed value
OMNISCIENT_LABEL = "sees the whole deck"
METRIC_TITLES = {"win": "deals won", "score": "score", "match": "matches won"}


def odds_report(odds: Odds, command: str) -> Report:
    """Return the report of the computed odds.

    Args:
        odds: Computed odds.
        command: Command that repeats the run.
    """
    main_table, *other_tables = odds_tables(odds)
    open_tables = sum(name in odds.tables for name in ("scores", "counts", "seats"))
    return Report(
        question=f"Odds for {', '.join(odds.identity['variants'])}",
        verdict=list(odds_verdict(odds)),
        rules=[(name, find_variant(name).title) for name in odds.strongest]
        if len(odds.strongest) > 1
        else (),
        tables=[main_table, *other_tables[: max(0, open_tables - 1)]],
        plots=LazySequence(odds_plots(odds)),
        detail_tables=other_tables[max(0, open_tables - 1) :],
        facts=list(_facts(odds)),
        command=command,
        files=odds.csv_files(),
    )


def _facts(odds: Odds) -> Iterator[tuple[str, str]]:
    """Yield notes about the intervals, the players and the random numbers of the odds."""
    yield "Intervals", ODDS_INTERVAL_NOTE
    for variant, best in odds.strongest.items():
        yield f"Strong player in {variant}", best
        for naive in odds.select_rows("bracket", variant)["strategy"][:-2]:
            yield f"Naive player in {variant}", naive
    for sentence in odds.unavailable:
        yield "Not computed", sentence
    identity = odds.identity
    yield "Random numbers", f"stream {identity['stream']}, engine {identity['engine']}"


# Summary


def odds_verdict(odds: Odds) -> Iterator[str]:
    """Yield sentences about the main results, naming the variant if there are several variants."""
    for variant in odds.strongest:
        name = f"{variant}: " if len(odds.strongest) > 1 else ""
        sentence_makers = (
            lead_sentences,
            deadwood_sentences,
            seat_sentences,
            solo_sentences,
            gin_draw_sentences,
        )
        lines = [
            line for make_sentences in sentence_makers for line in make_sentences(odds, variant)
        ]
        yield from (f"{name}{line}" for line in lines[: 1 if name else len(lines)])


def lead_sentences(odds: Odds, variant: str) -> Iterator[str]:
    """Yield a sentence about the win rates for two typical leads."""
    rows = odds.select_rows("scores", variant, strongest=True)
    if len(rows):
        target = int(rows["a"].max()) + 1
        a, b = _round_score(0.75 * target), _round_score(0.5 * target)
        yield (
            f"Against an equal opponent, you win {_format_win_rate(rows, a, b)} % of matches with "
            f"a lead of {a} to {b}, and {_format_win_rate(rows, b, 0)} % with a lead of {b} to 0."
        )


def _round_score(points: float) -> int:
    """Return a score rounded to a multiple of 5, or to an integer if it is below 10."""
    return round(points / 5) * 5 if points >= 10 else round(points)


def _format_win_rate(rows: pd.DataFrame, a: int, b: int) -> str:
    """Return the win rate at a score in percent, averaged over both dealers."""
    return f"{100 * float(rows[(rows['a'] == a) & (rows['b'] == b)]['value'].mean()):.0f}"


def deadwood_sentences(odds: Odds, variant: str) -> Iterator[str]:
    """Yield a sentence about the win rate with the deadwood of `EXAMPLE_HAND`."""
    turn, deadwood = EXAMPLE_HAND
    rows = odds.select_rows("counts", variant, strongest=True, turn=turn, count=deadwood)
    for _, row in rows[_is_precise(rows)].iterrows():
        yield (
            f"With {deadwood} to {deadwood + DEADWOOD_BIN - 1} points of deadwood after your first "
            f"{turn} turns, you win {100 * row['value']:.0f} % of deals."
        )


def seat_sentences(odds: Odds, variant: str) -> Iterator[str]:
    """Yield a sentence about each seat's win rate between two strong players."""
    rows = odds.select_rows("seats", variant, strongest=True, metric="win")
    if len(rows):
        dealer, nondealer = (f"{100 * value:.1f} %" for value in rows["value"])
        seats = f"the dealer wins {dealer} of deals and the nondealer wins {nondealer}"
        yield f"Between strong players, {seats}."


def solo_sentences(odds: Odds, variant: str) -> Iterator[str]:
    """Yield sentences about the naive, strong and best possible players of a solitaire game."""
    bracket = odds.select_rows("bracket", variant)
    if not len(bracket):
        return
    goal = "wins" if not find_variant(variant).params["knock_limit"] else "goes gin in"
    shares = [f"{100 * value:.0f} %" for value in bracket["value"]]
    low, high = _bracket_percentages(bracket)
    best = bracket["strategy"].iloc[-2]
    players = f"{best} {goal} {shares[-2]} of deals"
    if len(bracket) > 2:
        naive, strong = _player_labels(variant, bracket["strategy"].iloc[0], best)
        players = f"{naive} {goal} {shares[0]} of deals, and {strong} {goal} {shares[1]}"
    yield f"{players}. The best possible player {goal} {low} to {high} % of deals."
    matches = odds.select_rows("strength", variant, metric="match")
    if len(matches) > 1:
        goal = "meets the goal in" if find_variant(variant).goal.total else "wins"
        naive, strong = _player_labels(variant, *matches["strategy"].iloc[[0, -1]])
        naive_rate, best_rate = (
            f"{100 * matches['value'].iloc[position]:.0f} %" for position in (0, -1)
        )
        yield f"{naive} {goal} {naive_rate} of matches, and {strong} {goal} {best_rate}."


def _player_labels(variant: str, naive: str, strong: str) -> tuple[str, str]:
    """Return the subjects of a sentence, by player type or, for other strategies, by spec."""
    if naive == odds_players(find_variant(variant))[0]:
        return "A naive player", f"a strong player ({strong})"
    return naive, strong


def _bracket_percentages(rows: pd.DataFrame) -> tuple[int, int]:
    """Return bounds, in percent, on the gin rate of the best possible player."""
    return math.floor(100 * rows["low"].iloc[-2]), math.ceil(100 * rows["high"].iloc[-1])


def gin_draw_sentences(odds: Odds, variant: str) -> Iterator[str]:
    """Yield a sentence about the number of draws that the strong player needs for gin."""
    rows = odds.select_rows("gin", variant, strongest=True)
    if len(rows):
        draws = rows.set_index("statistic")["value"]
        yield (
            f"When a strong player goes gin, the median number of draws is {draws['q50']:.0f}. In "
            f"80 % of these deals, it is between {draws['q10']:.0f} and {draws['q90']:.0f}."
        )


def _is_precise(rows: pd.DataFrame) -> pd.Series:
    """Return a mask of the rows that are precise enough to be shown without an interval."""
    return (rows["high"] - rows["low"]) / 2 <= MAX_HALF_WIDTH


# Tables


def odds_tables(odds: Odds) -> list[Table]:
    """Return the tables of two-player variants, followed by the tables of solitaire games."""
    makers = (("scores", _score_table), ("counts", _deadwood_table), ("seats", _seat_table))
    pairs = [variant for variant in odds.strongest if len(odds.select_rows("seats", variant))]
    solo_variants = [variant for variant in odds.strongest if variant not in pairs]
    tables = [
        make(odds, variant)
        for variant in pairs
        for name, make in makers
        if len(odds.select_rows(name, variant))
    ]
    if solo_variants:
        tables.append(_solo_table(odds, solo_variants))
        tables += [_strategy_table(odds, variant) for variant in solo_variants]
    return tables


def _grid_table(title: str, table: pd.DataFrame, first: str, note: str) -> Table:
    """Return a table of whole percentages by two quantities."""
    frame = (100 * table).reset_index()
    frame.columns = [str(name) for name in frame.columns]
    frame[frame.columns[0]] = frame[frame.columns[0]].astype(str)
    columns = [Column(name, name, digits=0) for name in frame.columns[1:]]
    return Table(title, frame, [Column(frame.columns[0], first), *columns], note)


def _score_table(odds: Odds, variant: str) -> Table:
    """Return a table of win rates at ten scores per side, averaged over both dealers."""
    rows = odds.select_rows("scores", variant, strongest=True)
    target = int(rows["a"].max()) + 1
    tens = sorted({target * step // N_SCORE_STEPS for step in range(N_SCORE_STEPS)})
    shown_rows = rows[rows["a"].isin(tens) & rows["b"].isin(tens)]
    table = shown_rows.pivot_table(index="a", columns="b", values="value", aggfunc="mean")
    half_width = 100 * float((shown_rows["high"] - shown_rows["low"]).max() / 2)
    by_dealer = shown_rows.pivot_table(index=["a", "b"], columns="dealer", values="value")
    effect = 100 * float((by_dealer[0] - by_dealer[1]).abs().max() / 2)
    return _grid_table(
        f"Matches won by score (%) when {odds.strongest[variant]} plays against itself in "
        f"{variant}",
        table,
        "your points",
        "Rows show your points, and columns show the opponent's points. 95 % confidence intervals "
        f"are at most ± {half_width:.2g} percentage points. The choice of the dealer changes win "
        f"rates by up to {effect:.2g} percentage points.",
    )


def _deadwood_table(odds: Odds, variant: str) -> Table:
    """Return a table of the strong player's win probability by deadwood and turn."""
    rows = odds.select_rows("counts", variant, strongest=True)
    displayed_rows = rows[rows["turn"].isin(SHOWN_TURNS) & _is_precise(rows)]
    table = displayed_rows.pivot(index="count", columns="turn", values="value")
    table.index = [
        f"{lower_bound} to {lower_bound + DEADWOOD_BIN - 1}" for lower_bound in table.index
    ]
    table.columns = [f"after turn {turn}" for turn in table.columns]
    return _grid_table(
        f"Deals won by deadwood and turn (%) when {odds.strongest[variant]} plays against itself "
        f"in {variant}",
        table,
        "deadwood",
        f"A dash ({numbers.EN_DASH}) marks win rates with an interval wider than "
        f"± {100 * MAX_HALF_WIDTH:.0f} percentage points. The file counts.csv contains all turns.",
    )


def _seat_table(odds: Odds, variant: str) -> Table:
    """Return a table of win rates with one row per player and seat."""
    lines = []
    rows = odds.select_rows("seats", variant)
    for (player, seat), seat_rows in rows.groupby(["strategy", "seat"], sort=False):
        label = type_name(str(player)) or (STRONG if player == odds.strongest[variant] else "")
        name = f"{label} ({player})" if label else str(player)
        lines.append({"player": name, "seat": seat, **_combine_metrics(seat_rows)})
    titles = {"win": "deals won", "nobody": "drawn deals", "match": "matches won"}
    return Table(
        f"Deals and matches won by seat when each player plays against itself in {variant}",
        make_frame(lines),
        [Column("player", "player"), Column("seat", "seat"), *_metric_columns(rows, titles)],
        "For matches, the seat is the seat of the player in the first deal. If the rules treat the "
        "seats differently, the table shows seat numbers.",
    )


def _combine_metrics(rows: pd.DataFrame) -> dict[str, Any]:
    """Combine several metric rows into one row with columns NAME, NAME_low and NAME_high."""
    cells: dict[str, Any] = {}
    for _, row in rows.iterrows():
        cells |= _estimate_fields(row["metric"], row)
    return cells


def _estimate_fields(name: str, row: Any) -> dict[str, Any]:
    return {name: row["value"], f"{name}_low": row["low"], f"{name}_high": row["high"]}


def _metric_columns(rows: pd.DataFrame, titles: Mapping[str, str]) -> list[Column]:
    """Return one table column per metric; every metric except the score is a proportion."""
    names = [name for name in titles if name in set(rows["metric"])]
    return [
        Column(name, titles[name])
        if name == "score"
        else Column(name, f"{titles[name]} %", factor=100)
        for name in names
    ]


def _solo_table(odds: Odds, variants: list[str]) -> Table:
    """Return a table of the results of a naive and a strong player in each solitaire game."""
    lines = []
    for variant in variants:
        rows = odds.select_rows("bracket", variant)
        line: dict[str, Any] = {
            "variant": variant,
            "best": "{} to {}".format(*_bracket_percentages(rows)),
        }
        line |= _estimate_fields(STRONG, rows.iloc[-2])
        if len(rows) > 2:
            line |= _estimate_fields(NAIVE, rows.iloc[0])
        matches = odds.select_rows("strength", variant, metric="match")
        if len(matches) > 1:
            line |= _estimate_fields("match_naive", matches.iloc[0]) | _estimate_fields(
                "match", matches.iloc[-1]
            )
        lines.append(line)
    titles = {
        NAIVE: "naive: gin",
        STRONG: "strong: gin",
        "best": "optimum: gin",
        "match_naive": "naive: matches won",
        "match": "strong: matches won",
    }
    frame = make_frame(lines)
    columns = [Column(name, f"{titles[name]} %", factor=100) for name in titles if name in frame]
    return Table(
        "Gin rates, and percentages of matches won or goals met",
        frame,
        [Column("variant", "game"), *columns],
        "The gin rate of the best possible player lies between two 95 % confidence bounds: the "
        "lower bound of the strong player and the upper bound of a player who sees the whole deck. "
        "In the gin columns, the strong player is the strategy with the highest gin rate. In games "
        "without knocking, only gin wins a deal.",
    )


def _strategy_table(odds: Odds, variant: str) -> Table:
    """Return a table of win rates with one row per strategy."""
    game = find_variant(variant)
    titles = dict(METRIC_TITLES)
    if game.params["deal_scoring"] == "penalty":
        titles["score"] = "penalty"
    if game.goal.total:
        titles["match"] = "goals met"
    rows = odds.select_rows("strength", variant)
    players = rows.groupby("strategy", sort=False)
    lines = [{"strategy": name, **_combine_metrics(player_rows)} for name, player_rows in players]
    title = f"{game.title} ({variant}), {rows['n'].max():,} deals per strategy"
    return Table(
        title, make_frame(lines), [Column("strategy", "strategy"), *_metric_columns(rows, titles)]
    )


# Plots


def odds_plots(odds: Odds) -> Iterator[Plot]:
    """Yield the plots of two-player variants, followed by the plots of solitaire games."""
    for variant in odds.strongest:
        parts = (
            ("scores", plots.win_by_score, "Win probability by score"),
            ("counts", plots.win_by_deadwood, "Win probability by deadwood and turn"),
        )
        for name, draw, title in parts:
            rows = odds.select_rows(name, variant, strongest=True)
            if len(rows):
                word = re.sub(r"[^\w.-]|_", "-", variant)
                yield _make_plot(odds, f"{name}-{word}", title, rows, draw)
    if "bracket" in odds.tables:
        yield _make_plot(
            odds,
            "odds",
            "Probability of gin by draw",
            _naive_and_strong_rows(odds, "odds"),
            plots.gin_by_draw,
        )
        yield _make_plot(
            odds,
            "strength",
            "Naive, strong and best possible players",
            _naive_and_strong_rows(odds, "bracket"),
            plots.skill,
        )
    if "totals" in odds.tables:
        totals = _naive_and_strong_rows(odds, "totals")
        yield _make_plot(odds, "totals", "Match totals", totals, plots.match_totals)
    if "threshold" in odds.tables:
        frame = odds.tables["threshold"]
        yield _make_plot(
            odds, "threshold", "Results by knock threshold", frame, plots.knock_thresholds
        )


def _make_plot(odds: Odds, name: str, title: str, frame: pd.DataFrame, draw: Any) -> Plot:
    text = ["variant", "strategy", "kind", "statistic", "metric", "measure"]
    keys = [column for column in (*text, "a", "b", "turn", "count", "draws") if column in frame]
    columns = [Column(key, key) for key in keys if key in text]
    columns.append(Column("value", f"{title} %", digits=1, factor=100))
    figure = draw(frame.reset_index(drop=True), seed=odds.seed)
    # The CSV file of all players contains the data of the plot.
    return Plot(name, title, describe_frame(frame, columns), figure)


def _naive_and_strong_rows(odds: Odds, name: str) -> pd.DataFrame:
    """Return the rows of the naive and the strong player, labelled by player type.

    In the table "bracket", the strong player is the strategy that goes gin most often, and the last
    row is the player who sees the whole deck.
    """
    frame = odds.tables[name]
    strategies = frame.groupby("variant", sort=False)["strategy"]
    bound = frame["strategy"] == solo_odds.HINDSIGHT
    is_naive = frame["strategy"] == strategies.transform("first")
    is_strong = frame["strategy"] == frame["variant"].map(odds.strongest)
    if name == "bracket":
        is_naive &= strategies.transform("nunique") > 2
        is_strong = ~(is_naive | bound)
    labelled = (
        frame["strategy"]
        .mask(is_naive, NAIVE)
        .mask(is_strong, STRONG)
        .mask(bound, OMNISCIENT_LABEL)
    )
    return frame.assign(strategy=labelled)[is_naive | is_strong | bound].reset_index(drop=True)
