"""Compare matches of the engine, deal by deal, with the reference implementation.

The reference determines the dealer, the score at every decision and the winner. The sums over deals
and matches are computed again from its results.
"""

import random
from collections import Counter

import numpy as np
import pytest

from oracles import reference
from simgin.core import batch_columns
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import DealNotFoundError, trace_deal
from simgin.rules import variants
from simgin.rules.parameters import load_rule_parameters
from support import hands
from support.reference_replay import replay_deal, start_match
from support.variant_lists import (
    draw_variant,
    find_test_strategy,
    find_values_in_effect,
    list_parameter_values,
    list_parameters,
)

PLAYER_PAIRS = (
    ("gambler", "stray"),
    ("simple", "gambler"),
    ("gold", "stray-same"),
    ("gambler", "gambler"),
    ("shooter", "gold-early"),
)
SOLO_PLAYERS = ("gambler", "gold", "stray", "gin-only")
OPTION_VARIANTS = (
    "standard+next_dealer=loser+void_dealer=other+first_dealer=1",
    "standard+start_points=90/75+shutout=double_all+game_bonus=20",
    "shot+next_dealer=loser+void_dealer=other+start_points=40/60",
    "standard+layoff_on_gin=yes+points_target=1+box_bonus=100",
    "standard+shutout=flat_100+points_target=40+undercut_on_tie=knocker+knock_limit=50",
    "hollywood+points_target=30+shutout=double_points+start_points=29/7+first_dealer=0",
    "hollywood+points_target=25+shutout=double_all+columns=5+box_bonus=25",
    "hollywood+columns=1+points_target=60+max_deals=3",
    "hollywood+columns=2+points_target=30+shutout=flat_100+undercut_on_tie=knocker+knock_limit=50",
    "hollywood+columns=10+points_target=10+column_entry=absolute",
    "hollywood+points_target=1+columns=2",
    "pro+games_target=2+start_points=100/20",
    "pro+points_target=40+games_target=3+game_table=0:9/20:2/39:1+max_deals=6",
    "pro+games_target=1+points_target=30+shot=yes",
    "race+race_points_seat=1+deals_target=3+points_target=60",
    "race+deal_count_gin=1+deals_target=4+points_target=50+start_points=20/49",
    "race+max_deals=2+deal_count_undercut=1+next_dealer=loser",
    "twofold+points_target=40+deals_target=4+start_points=39/99",
    "twofold+points_target=200+deals_target=2+big_gin=yes+max_deals=4",
    "twofold+shot+points_target=60+deals_target=6+deal_count_gin=1",
    "dice+deals_target=21+deal_count_gin=2+deal_count_undercut=2",
    "dice+die_cap=2+max_deals=3+next_dealer=loser",
    "dice-pro+points_target=60+games_target=10+die_refusal_pays=new+die_centre_in_play=yes",
    "dice-pro+points_target=50+die_cap=3+start_points=45/30+next_dealer=alternate",
    "dice-pro+points_target=40+games_target=20+max_deals=10+oklahoma-spades",
)
SOLO_VARIANTS = (
    "solitaire-gin-scored+joker_in_hand=lose+points_target=60+start_points=0/30+"
    "shutout=double_points",
    "gin-solitaire+max_turns=2+max_deals=20",
    "gin-solitaire+deal_scoring=winloss+knock_limit=0+points_target=3",
    "solitary-gin+total_goal=200+start_points=100/100",
    "solitary-gin+deals_in_match=3+max_deals=3+total_goal=-20",
    "solitary-gin+deals_in_match=4+max_deals=3",
)


# The engine's sums over deals and matches, recomputed from the reference implementation

SHOWDOWN_OUTCOMES = ("knock", "undercut", "even")


def make_empty_unit():
    """Return the records of a unit before the first deal."""
    return Counter(), [], [], Counter()


def make_batch_row(units):
    """Return the row of a batch with these units, computed without the engine."""
    row = np.zeros(batch_columns.N_COLUMNS, np.int64)
    for facts, turns, counts, singles in units:
        vector = np.array([facts[name] for name in batch_columns.STATISTIC_NAMES], np.int64)
        row[batch_columns.UNITS_COLUMN] += 1
        row[batch_columns.SUMS_START : batch_columns.SQUARES_START] += vector
        row[batch_columns.SQUARES_START : batch_columns.PRODUCTS_START] += vector**2
        row[batch_columns.PRODUCTS_START : batch_columns.TURNS_HISTOGRAM_START] += (
            vector * vector[list(batch_columns.DENOMINATOR_INDICES)]
        )
        for n in turns:
            row[batch_columns.TURNS_HISTOGRAM_START + min(n, batch_columns.N_TURNS_BINS - 1)] += 1
        for n in counts:
            row[
                batch_columns.DEADWOOD_HISTOGRAM_START + min(n, batch_columns.N_DEADWOOD_BINS - 1)
            ] += 1
        row[batch_columns.WIN_RATE_HISTOGRAM_START + compute_wins_in_quarters(facts)] += 1
        for name in (
            "SQUARED_DEAL_MARGIN_COLUMN",
            "SQUARED_MATCH_MARGIN_COLUMN",
            "DEADWOOD_DIFFERENCE_COLUMN",
        ):
            row[getattr(batch_columns, name)] += singles[name]
    return row


def compute_wins_in_quarters(statistics):
    """Return A's wins in a unit, in quarters. A draw counts as half a win."""
    if statistics["matches"]:
        return round(4 * statistics["a_match_win"] / (2 * statistics["matches"]))
    won = statistics["a_deal_win"] + (statistics["deals"] - statistics["decided"]) / 2
    return round(4 * won / statistics["deals"])


def get_columns_by_name(row):
    """Return the columns of a batch row by name, so that a failed test shows the names."""
    blocks = {
        "sum": batch_columns.SUMS_START,
        "square": batch_columns.SQUARES_START,
        "cross": batch_columns.PRODUCTS_START,
    }
    found = {
        (block, name): int(row[start + i])
        for block, start in blocks.items()
        for i, name in enumerate(batch_columns.STATISTIC_NAMES)
    }
    return {
        **found,
        "units": int(row[0]),
        "histograms": row[batch_columns.TURNS_HISTOGRAM_START :].tolist(),
    }


def record_deal(unit, result, traced_deal, a_seat):
    """Add a deal of the reference implementation to the records of its unit."""
    facts, turns, counts, singles = unit
    turns.append(result.turns)
    facts["deals"] += 1
    facts[result.outcome] += 1
    facts["turns"] += result.turns
    if traced_deal.state.upcard_to >= 0:  # the replay has compared it
        facts["upcard_" + ("first", "second", "none")[traced_deal.state.upcard_to]] += 1
    if result.winner is not None:
        facts["decided"] += 1
        facts["points_scored"] += sum(result.points)
        facts["first_player_win"] += result.winner != traced_deal.state.dealer
    facts[f"points_{result.outcome}"] += sum(result.points)
    if result.outcome in SHOWDOWN_OUTCOMES:
        counts.append(result.knocker_deadwood)
        _record_showdown(facts, result, traced_deal)
    for side, seat in (("a", a_seat), ("b", 1 - a_seat)):
        facts[f"{side}_points"] += result.points[seat]
        facts[f"{side}_takes"] += result.takes[seat]
        facts[f"{side}_draws"] += result.takes[seat] + result.draws[seat]
        facts[f"{side}_draws"] += seat == 0 and was_joker_drawn(result, traced_deal)
        if result.winner == seat:
            facts[f"{side}_deal_win"] += 1
            facts[f"{side}_won_{result.outcome}"] += 1
    margin = result.points[a_seat] - result.points[1 - a_seat]
    facts["a_margin"] += margin
    singles["SQUARED_DEAL_MARGIN_COLUMN"] += margin**2
    dealt = [0, 0]
    if traced_deal.state.hand.any():  # a blind offer may be refused before the cards are dealt
        row = traced_deal.matchup.variant.params
        dealt = [
            reference.compute_deadwood(hands.list_card_names(hand), row)
            for hand in traced_deal.hands
        ]
    singles["DEADWOOD_DIFFERENCE_COLUMN"] += (
        dealt[traced_deal.state.dealer] - dealt[1 - traced_deal.state.dealer]
    )


def was_joker_drawn(result, traced_deal):
    """Return True if a solitaire player drew the joker during the deal."""
    dealt = 11 if traced_deal.matchup.variant.params["first_turn"] == "discard_first" else 10
    return result.outcome == "joker" and int(traced_deal.state.joker) >= dealt


def _record_showdown(statistics, result, traced_deal):
    statistics["showdowns"] += 1
    statistics["knock_count"] += result.knocker_deadwood
    statistics["defender_count"] += result.defender_deadwood
    statistics["defender_before"] += result.deadwood_before_layoff or 0  # the joker holds no cards
    statistics["laid_off"] += int(traced_deal.state.laid_off)
    statistics["laid_off_any"] += any(result.laid_off)
    statistics["tie"] += result.knocker_deadwood == result.defender_deadwood


def record_match(unit, match, a_seat):
    """Add a match of the reference implementation to the records of its unit."""
    facts = unit[0]
    score = compute_final_score(match)
    facts["matches"] += 1
    facts["a_match_margin"] += score[a_seat] - score[1 - a_seat]
    unit[3]["SQUARED_MATCH_MARGIN_COLUMN"] += (score[a_seat] - score[1 - a_seat]) ** 2
    facts["match_drawn"] += match.winner is None and not match.is_unfinished
    facts["unfinished"] += match.is_unfinished
    for side, seat in (("a", a_seat), ("b", 1 - a_seat)):
        facts[f"{side}_match_win"] += 1 if match.winner is None else 2 * (match.winner == seat)
    if (
        match.winner is not None and match.params["goal"] != "total"
    ):  # solitaire games have no loser's score
        loser = score[1 - match.winner]
        facts["matches_decided"] += 1
        facts["winner_score"] += score[match.winner]
        facts["loser_score"] += loser
        facts["loser_zero"] += loser == 0
    if match.params["goal"] in ("points", "columns") and not match.is_unfinished:
        facts["settled"] += 1
        facts["a_settlement"] += (match.settlement or 0) * (1 if match.winner == a_seat else -1)
    if match.params["goal"] == "total" and not match.is_unfinished:
        facts["totals"] += 1
        facts["goal_met"] += match.winner == 0


def compute_final_score(match):
    """Return the final score of both players: won games, won deals, or points."""
    goal = match.goal
    if match.params["goal"] == "games":
        return goal.games
    if match.params["goal"] == "columns":
        return [sum(column[side] for column in goal.columns) for side in range(2)]
    return goal.deal_tally if match.params["goal"] == "deals" else goal.points


# Playing


def make_matchup(spec, pair_index, seed):
    variant = variants.find_variant(spec)
    players = SOLO_PLAYERS if variant.is_solo else PLAYER_PAIRS
    names = players[pair_index % len(players)]
    a, b = (names, None) if isinstance(names, str) else names
    return Matchup(variant, find_test_strategy(a), b and find_test_strategy(b), seed, "match")


def play_match(matchup, unit, half, unit_records):
    """Replay and record a match, and return the match of the reference at its end."""
    match = None
    while match is None or not match.is_over:
        traced_deal = trace_deal(matchup, unit, half, match.n_deals if match else 0)
        match = match or start_match(traced_deal)
        result = replay_deal(traced_deal, match)
        record_deal(unit_records, result, traced_deal, half)
        match.record_deal(result)
    told = f"the match ended with deal {match.n_deals - 1}, so it has no deal {match.n_deals}\\."
    with pytest.raises(DealNotFoundError, match=told):
        trace_deal(matchup, unit, half, match.n_deals)
    record_match(unit_records, match, half)
    return match


def compare_units(matchup, n_units):
    """Compare the sums of n units with the reference, and return its matches."""
    matches, units = [], []
    for unit in range(n_units):
        totals, dealers = make_empty_unit(), set()
        for half in range(1 + matchup.is_mirrored):
            dealers.add(int(trace_deal(matchup, unit, half).state.dealer))
            matches.append(play_match(matchup, unit, half, totals))
        assert len(dealers) == 1  # both halves start with the same dealer
        assert matchup.b is None or matchup.variant.params["first_dealer"] in ("lot", *dealers)
        units.append(totals)
    rows = kernel.play_batches(matchup, 0, n_units)
    assert rows.shape == (1, batch_columns.N_COLUMNS)
    assert get_columns_by_name(rows[0]) == get_columns_by_name(make_batch_row(units))
    return matches


ALL_VARIANTS = (*variants.variant_names(), *OPTION_VARIANTS, *SOLO_VARIANTS)


@pytest.mark.parametrize("pair_index, spec", [*enumerate(ALL_VARIANTS)])
def test_match_agrees_with_reference(pair_index, spec):
    matches = compare_units(make_matchup(spec, pair_index, 78), 1)
    assert "max_deals" in spec or not any(match.is_unfinished for match in matches)


@pytest.mark.slow
@pytest.mark.parametrize("pair_index", range(len(PLAYER_PAIRS)))
@pytest.mark.parametrize("spec", ALL_VARIANTS)
def test_many_matches_agree_with_reference(spec, pair_index):
    compare_units(make_matchup(spec, pair_index, 79), 8)


def test_every_value_of_a_match_rule_is_replayed():
    rows = [variants.find_variant(text).params for text in ALL_VARIANTS]
    rules = list_parameters("match", "stake")
    told = [name for name in rules if load_rule_parameters()[name].value_type in ("choice", "bool")]
    words = {
        (name, str(value))
        for name in told
        for value in list_parameter_values(load_rule_parameters()[name])
    }
    covered = find_values_in_effect(rules, rows)
    assert words <= covered, words - covered
    assert {name for name, _ in covered} == {*rules}


# How matches end, and random variants


RANDOM_RULE_VALUES = {
    "goal": ("points", "columns", "games", "race", "twofold", "deals", "single"),
    "points_target": (1, 25, 60),
    "deals_target": (1, 3, 5),
    "games_target": (1, 4),
    "columns": (1, 2, 3, 10),
    "column_entry": ("next_open", "absolute"),
    "deal_count_gin": (1, 2),
    "deal_count_undercut": (1, 2),
    "race_points_seat": (0, 1),
    "game_bonus": (0, 100),
    "box_bonus": (0, 25, 90),
    "shutout": ("none", "double_points", "double_all", "flat_100"),
    "start_points": ("0/0", "0/0", "24/9"),
    "max_deals": (1, 3, 1000, 1000),
    "first_dealer": ("lot", "0", "1"),
    "next_dealer": ("winner", "loser", "alternate"),
    "void_dealer": ("same", "other"),
    "die": ("off", "deal", "game"),
    "die_cap": (2, 4, 6),
    "die_refusal_pays": ("old", "new"),
    "die_centre_in_play": ("no", "yes"),
    "knock_limit": (0, 10, 50, 99),
    "stock_reserve": (2, 10),
    "undercut_on_tie": ("yes", "no", "knocker"),
    "layoff_on_gin": ("yes", "no"),
    "gin_bonus": (0, 25),
}


def compare_random_variants(seed, n_variants):
    """Compare matches of random variants with the reference, and count the outcomes."""
    rng, counts = random.Random(seed), Counter()
    for i in range(n_variants):
        goal = RANDOM_RULE_VALUES["goal"][i % len(RANDOM_RULE_VALUES["goal"])]
        text = draw_variant(rng, "standard", RANDOM_RULE_VALUES | {"goal": [goal]})
        for match in compare_units(make_matchup(text, i, seed + i), 1):
            how = (
                "unfinished" if match.is_unfinished else "drawn" if match.winner is None else "won"
            )
            counts[match.params["goal"], how] += 1
    return counts


@pytest.mark.parametrize("n_variants", [14, pytest.param(600, marks=pytest.mark.slow)])
def test_matches_of_random_variants_agree_with_reference(n_variants):
    counts = compare_random_variants(80, n_variants)
    assert {"won", "unfinished"} <= {how for _, how in counts}, counts
    if n_variants > 14:
        assert counts["single", "drawn"], counts  # drawn columns are rare: see test_scores
        goals = {*RANDOM_RULE_VALUES["goal"]} - {"single"}
        assert all(counts[goal, "unfinished"] and counts[goal, "won"] for goal in goals), counts


# Single deals


@pytest.mark.parametrize(
    "spec, a, b, n_units",
    [
        ("standard-50th", "gold", "late", 10),
        ("dice-pro+shot", "stray", "stray", 12),
        ("solitaire-gin-knock", "gambler", None, 20),
    ],
)
def test_sums_of_single_deals_agree_with_reference(spec, a, b, n_units):
    """If a unit is a deal, the number of the unit determines the dealer."""
    matchup = Matchup(
        variants.find_variant(spec), find_test_strategy(a), b and find_test_strategy(b), 78, "deal"
    )
    units = []
    for unit in range(n_units):
        totals = make_empty_unit()
        for half in range(1 + matchup.is_mirrored):
            traced_deal = trace_deal(matchup, unit, half)
            assert b is None or traced_deal.state.dealer == unit % 2
            record_deal(totals, replay_deal(traced_deal), traced_deal, half)
        units.append(totals)
    assert get_columns_by_name(kernel.play_batches(matchup, 0, n_units)[0]) == get_columns_by_name(
        make_batch_row(units)
    )
