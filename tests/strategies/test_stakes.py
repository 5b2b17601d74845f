"""Tests of policies for the die, and of random and simple policies."""

import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import stake as script

from simgin.core import batch_columns
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.runs import runner
from simgin.stats import batches
from simgin.text import notation
from support.hands import list_cards
from support.policy_queries import build_view, query_policy

ROOT = Path(__file__).resolve().parents[2]
DICE_RULES = build_rules(variants.find_variant("dice"))
STAKE_TABLE = np.load(ROOT / "strategies" / "stake.npy").astype(float)
DEAL_PROBABILITIES, MATCH_VALUES = (
    STAKE_TABLE[:1024].reshape(2, 16, 16, 2),
    STAKE_TABLE[1024:].reshape(2, 21, 21),
)
BLIND_PHASE, TURN_PHASE = 4, 1


def query_die_policy(slot, name, settings=None, **fields):
    default_fields = {
        "target": 7,
        "stake": 1,
        "goal": int(DICE_RULES.goal),
        "phase": TURN_PHASE,
        "own_turn": 3,
    }
    return query_policy(
        slot, name, build_view(**default_fields | fields), DICE_RULES, **settings or {}
    )


@cache
def compute_match_value(own_deals_needed, other_deals_needed, is_dealer):
    """Compute the win probability of a match in which every deal is even."""
    if own_deals_needed <= 0 or other_deals_needed <= 0:
        return float(own_deals_needed <= 0)
    value_by_stake = {
        stake: (
            compute_match_value(own_deals_needed - stake, other_deals_needed, True)
            + compute_match_value(own_deals_needed, other_deals_needed - stake, False)
        )
        / 2
        for stake in range(1, 7)
    }
    own_offers = [
        min(
            compute_match_value(own_deals_needed - 1, other_deals_needed, True),
            value_by_stake[stake],
        )
        for stake in range(2, 7)
    ]
    other_offers = [
        max(
            compute_match_value(own_deals_needed, other_deals_needed - 1, False),
            value_by_stake[stake],
        )
        for stake in range(2, 7)
    ]
    if is_dealer:
        return min(max(value_by_stake[1], *own_offers), *other_offers)
    return max(min(value_by_stake[1], *other_offers), *own_offers)


def test_match_values_agree_with_their_definition():
    for own_needed in range(1, 22):
        for other_needed in range(1, 22):
            for dealer in (0, 1):
                expected = compute_match_value(own_needed, other_needed, bool(dealer))
                assert MATCH_VALUES[dealer, own_needed - 1, other_needed - 1] == pytest.approx(
                    expected, abs=1e-6
                )


@pytest.mark.parametrize("stake, offered", [(1, 2), (1, 6), (2, 3), (5, 6)])
def test_dead_policy_accepts_offers_cheaper_than_refusing(stake, offered):
    """Expect any blind offer to be accepted, because it reveals nothing about the hand."""
    stakes = {"stake": stake, "offered": offered}
    actions = set()
    for turn in range(1, 20, 3):
        for deadwood in range(0, 90, 3):
            win_probability, loss_probability = DEAL_PROBABILITIES[
                1, min(turn, 16) - 1, min(deadwood // 5, 15)
            ]
            accepted = query_die_policy("answer", "dead", own_turn=turn, count=deadwood, **stakes)
            assert accepted == (offered * (win_probability - loss_probability) >= -stake - 1e-9)
            actions.add(accepted)
    assert (0 in actions) == (offered == 6 and stake == 1)
    for caution in (0, 2):
        assert (
            query_die_policy("answer", "dead", {"caution": caution}, phase=BLIND_PHASE, **stakes)
            == 1
        )


def test_dead_policy_offers_the_highest_stake_that_the_hand_allows():
    thresholds = {"w2": 0.5, "w3": 0.6, "w4": 0.7, "w5": 0.8, "w6": 0.9}
    offers = set()
    for deadwood in range(80):
        win_probability = DEAL_PROBABILITIES[0, 2, min(deadwood // 5, 15), 0]
        expected = max(
            (stake for stake in range(3, 7) if win_probability >= thresholds[f"w{stake}"]),
            default=0,
        )
        assert query_die_policy("offer", "dead", thresholds, count=deadwood, stake=2) == expected
        offers.add(expected)
    assert len(offers) >= 3


def test_by_value_answers_follow_match_values():
    """Expect a leader to refuse a stake of six, and any hand to accept in the last deal."""
    assert (
        query_die_policy(
            "answer", "by-value", phase=BLIND_PHASE, own_deals=6, other_deals=0, offered=6
        )
        == 0
    )
    assert compute_match_value(1, 6, False) > 0.5 + 0.5 * compute_match_value(1, 1, False)
    assert (
        query_die_policy(
            "answer", "by-value", phase=BLIND_PHASE, own_deals=0, other_deals=6, offered=6
        )
        == 1
    )
    last_deal_fields = {"own_deals": 6, "other_deals": 6, "own_turn": 9, "offered": 6}
    assert all(
        query_die_policy("answer", "by-value", count=deadwood, **last_deal_fields) == 1
        for deadwood in range(0, 90, 5)
    )


def test_blind_offers_are_those_of_the_documentation():
    page = (ROOT / "docs" / "reference" / "strategies" / "stakes.md").read_text()
    rows = page.split("## Blind offers")[1].split("|---")[1].splitlines()[1:8]
    for own_deals, row in enumerate(rows):
        documented = [0 if cell.strip() == "–" else int(cell) for cell in row.split("|")[2:9]]
        for other_deals in range(7):
            blind_fields = {"phase": BLIND_PHASE, "seat": 0, "dealer": 1, "own_turn": 0}
            score = {"own_deals": own_deals, "other_deals": other_deals}
            assert documented[other_deals] == query_die_policy(
                "offer", "by-value", **score, **blind_fields
            )


def test_stake_training_is_reproducible(capsys):
    """Compare probabilities from 300 deals also with the committed ones."""
    probabilities = script.compute_deal_probabilities(300, 5)
    assert np.array_equal(probabilities, script.compute_deal_probabilities(300, 5))
    assert "300 deals of gold" in capsys.readouterr().out
    assert (
        abs(probabilities[0, 0, 9:14, 0].mean() - DEAL_PROBABILITIES[0, 0, 9:14, 0].mean()) < 0.15
    )


def simulate_win_rate(a, b, variant, n_matches):
    totals = batches.sum_rows(
        runner.run_matchup(parse_matchup(a, b, variant, 3, "match"), n_matches)
    )
    return (
        int(totals[batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX["a_match_win"]])
        / 2
        / n_matches
    )


def test_die_policies_by_value_beat_no_offers():
    """Require a lead of 3.1 standard errors: one false alarm in a thousand."""
    assert simulate_win_rate("dice-player", "gold", "dice", 4_000) > 0.5 + 3.1 * 0.008


# Elementary policies: randomness, the die and the score; the reference covers the rest

RNG = random.Random(20261120)


def test_random_policies_have_the_configured_probabilities():
    """Use a chi-square test that fails for one of 1,000 seeds."""
    hand = notation.cards_to_mask(RNG.sample(range(52), 11))
    counts = dict.fromkeys(list_cards(hand), 0)
    for _ in range(5500):
        player_view = build_view(hand=hand, legal=hand, noise=RNG.randrange(2**53))
        counts[query_policy("discard", "uniform", player_view)] += 1
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 29.6
    random_numbers = [RNG.randrange(2**53) for _ in range(4000)]
    n_takes = sum(
        query_policy("take", "random", build_view(legal=3, noise=random_number), p=0.25)
        for random_number in random_numbers
    )
    assert abs(n_takes - 1000) < 3.3 * 27.4  # once in a thousand
    for random_number, expected in ((2**52 - 1, 1), (2**52, 0)):
        assert (
            query_policy("knock", "random", build_view(ending=1, noise=random_number), p_end=0.5)
            == expected
        )


BLIND_FIELDS = {"phase": 4, "count": 60, "own_turn": 1}


@pytest.mark.parametrize(
    ("name", "params", "fields", "expected"),
    [
        ("strong", {}, {"count": 20, "own_turn": 6, "stake": 1}, 2),
        ("strong", {}, {"count": 20, "own_turn": 6, "stake": 4}, 5),
        ("strong", {}, {"count": 21, "own_turn": 6, "stake": 1}, 0),
        ("strong", {}, {"count": 20, "own_turn": 7, "stake": 1}, 0),
        ("strong", {}, {**BLIND_FIELDS, "stake": 1, "count": 0}, 0),
        ("strong", {"blind": "yes"}, {**BLIND_FIELDS, "stake": 1}, 2),
        ("none", {}, {"count": 0, "own_turn": 1, "stake": 1}, 0),
    ],
)
def test_offer_policies_follow_their_definitions(name, params, fields, expected):
    legal = 0b1111101 & ~((1 << fields["stake"] + 1) - 2)
    assert (
        query_policy("offer", name, build_view(**{"phase": 1, **fields}, legal=legal), **params)
        == expected
    )


@pytest.mark.parametrize(
    ("name", "params", "fields", "expected"),
    [
        ("brave", {}, {"phase": 1, "count": 35}, 1),
        ("brave", {}, {"phase": 1, "count": 36}, 0),
        ("brave", {"count": 50}, {"phase": 1, "count": 36}, 1),
        ("brave", {}, BLIND_FIELDS, 1),
        ("brave", {"blind": "no"}, {**BLIND_FIELDS, "count": 0}, 0),
        ("never", {}, {"phase": 1, "count": 0}, 0),
    ],
)
def test_answer_policies_follow_their_definitions(name, params, fields, expected):
    assert (
        query_policy("answer", name, build_view(**fields, offered=2, legal=3), **params) == expected
    )


def test_random_offers_have_the_configured_probability():
    player_view = build_view(stake=3, legal=0b1110001)
    offers = []
    for player_view.noise in (RNG.randrange(2**53) for _ in range(4000)):
        offers.append(query_policy("offer", "random", player_view, p_offer=0.25))
    assert set(offers) == {0, 4, 5, 6}
    assert abs(sum(offer > 0 for offer in offers) - 1000) < 140  # five standard errors
    assert all(abs(offers.count(stake) - 333) < 90 for stake in (4, 5, 6))


@pytest.mark.parametrize(
    ("variant", "seat", "other_points", "deadwood", "expected"),
    [
        ("pro", 0, 110, 10, True),  # a game is 121 points, a match several games
        ("pro", 0, 116, 5, False),
        ("standard", 0, 95, 5, False),
        ("standard", 0, 95, 4, True),
        ("race", 0, 115, 6, False),  # 121 points win the race for the seat that counts points
        ("race", 1, 115, 6, True),
    ],
)
def test_count_policy_knocks_by_the_points_that_the_opponent_needs(
    variant, seat, other_points, deadwood, expected
):
    """Include a race, in which a player that needs won deals gains one with any deadwood."""
    rules = build_rules(variants.find_variant(variant))
    if variant == "race" and seat == 0:
        seat = 1 - rules.race_points_seat
    elif variant == "race":
        seat = rules.race_points_seat
    player_view = build_view(seat=seat, other_points=other_points, ending=1, ending_count=deadwood)
    assert query_policy("knock", "count", player_view, rules) == expected
