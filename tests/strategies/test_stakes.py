"""Tests of policies for the die and of elementary policies."""

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
from support.hands import members
from support.policy_queries import query_policy, view

ROOT = Path(__file__).resolve().parents[2]
RULES = build_rules(variants.find_variant("dice"))
TABLE = np.load(ROOT / "strategies" / "stake.npy").astype(float)
CHANCES, VALUES = TABLE[:1024].reshape(2, 16, 16, 2), TABLE[1024:].reshape(2, 21, 21)
BLIND, TURN = 4, 1


def at_die(slot, name, values=None, **fields):
    about = {"target": 7, "stake": 1, "goal": int(RULES.goal), "phase": TURN, "own_turn": 3}
    return query_policy(slot, name, view(**about | fields), RULES, **values or {})


@cache
def value(mine, his, dealer):
    """Compute V from its definition: both players may offer, and every deal is even."""
    if mine <= 0 or his <= 0:
        return float(mine <= 0)
    plays = {n: (value(mine - n, his, True) + value(mine, his - n, False)) / 2 for n in range(1, 7)}
    own = [min(value(mine - 1, his, True), plays[n]) for n in range(2, 7)]
    others = [max(value(mine, his - 1, False), plays[n]) for n in range(2, 7)]
    if dealer:
        return min(max(plays[1], *own), *others)
    return max(min(plays[1], *others), *own)


def test_v_agrees_with_its_definition():
    for mine in range(1, 22):
        for his in range(1, 22):
            for dealer in (0, 1):
                want = value(mine, his, bool(dealer))
                assert VALUES[dealer, mine - 1, his - 1] == pytest.approx(want, abs=1e-6)


@pytest.mark.parametrize("stake, offered", [(1, 2), (1, 6), (2, 3), (5, 6)])
def test_dead_accepts_an_offer_that_costs_less_than_refusing(stake, offered):
    """W >= (n - s) / (2n) if no deal is drawn, because a blind offer reveals nothing."""
    stakes = {"stake": stake, "offered": offered}
    answers = set()
    for turn in range(1, 20, 3):
        for count in range(0, 90, 3):
            won, lost = CHANCES[1, min(turn, 16) - 1, min(count // 5, 15)]
            accepted = at_die("answer", "dead", own_turn=turn, count=count, **stakes)
            assert accepted == (offered * (won - lost) >= -stake - 1e-9)
            answers.add(accepted)
    assert (0 in answers) == (offered == 6 and stake == 1)
    for caution in (0, 2):
        assert at_die("answer", "dead", {"caution": caution}, phase=BLIND, **stakes) == 1


def test_dead_offers_the_largest_number_the_hand_is_good_for():
    chances = {"w2": 0.5, "w3": 0.6, "w4": 0.7, "w5": 0.8, "w6": 0.9}
    seen = set()
    for count in range(80):
        won = CHANCES[0, 2, min(count // 5, 15), 0]
        want = max((n for n in range(3, 7) if won >= chances[f"w{n}"]), default=0)
        assert at_die("offer", "dead", chances, count=count, stake=2) == want
        seen.add(want)
    assert len(seen) >= 3


def test_answers_by_value_follow_v():
    """Refusing costs a leader less than seven won deals; in the last deal, any hand accepts."""
    assert at_die("answer", "by-value", phase=BLIND, own_deals=6, other_deals=0, offered=6) == 0
    assert value(1, 6, False) > 0.5 + 0.5 * value(1, 1, False)
    assert at_die("answer", "by-value", phase=BLIND, own_deals=0, other_deals=6, offered=6) == 1
    last = {"own_deals": 6, "other_deals": 6, "own_turn": 9, "offered": 6}
    assert all(at_die("answer", "by-value", count=count, **last) == 1 for count in range(0, 90, 5))


def test_the_blind_offers_are_those_on_the_page():
    page = (ROOT / "docs" / "reference" / "strategies" / "stakes.md").read_text()
    rows = page.split("## Blind offers")[1].split("|---")[1].splitlines()[1:8]
    for own, row in enumerate(rows):
        told = [0 if text.strip() == "–" else int(text) for text in row.split("|")[2:9]]
        for other in range(7):
            blind = {"phase": BLIND, "seat": 0, "dealer": 1, "own_turn": 0}
            score = {"own_deals": own, "other_deals": other}
            assert told[other] == at_die("offer", "by-value", **score, **blind)


def test_the_training_script_learns_in_miniature(capsys):
    """Probabilities from 300 deals are reproducible, and close to the committed ones."""
    small = script.compute_deal_probabilities(300, 5)
    assert np.array_equal(small, script.compute_deal_probabilities(300, 5))
    assert "300 deals of gold" in capsys.readouterr().out
    assert abs(small[0, 0, 9:14, 0].mean() - CHANCES[0, 0, 9:14, 0].mean()) < 0.15


def won(a, b, variant, matches):
    totals = batches.sum_rows(runner.run_matchup(parse_matchup(a, b, variant, 3, "match"), matches))
    return (
        int(totals[batch_columns.COL_SUM + batch_columns.STATISTIC_INDEX["a_match_win"]])
        / 2
        / matches
    )


def test_the_die_by_value_beats_no_die():
    """The tolerance is 3.1 SE of .008: one false alarm in a thousand."""
    assert won("dice-player", "gold", "dice", 4_000) > 0.5 + 3.1 * 0.008


# Elementary policies: randomness, the die and the score; the reference covers the rest

RANDOM = random.Random(20261120)


def test_random_answers_are_as_frequent_as_set():
    """Chi-square with ten degrees of freedom exceeds 29.6 for one of 1,000 seeds."""
    hand = notation.cards_to_mask(RANDOM.sample(range(52), 11))
    counts = dict.fromkeys(members(hand), 0)
    for _ in range(5500):
        seen = view(hand=hand, legal=hand, noise=RANDOM.randrange(2**53))
        counts[query_policy("discard", "uniform", seen)] += 1
    assert sum((n - 500) ** 2 / 500 for n in counts.values()) < 29.6
    noises = [RANDOM.randrange(2**53) for _ in range(4000)]
    takes = sum(
        query_policy("take", "random", view(legal=3, noise=noise), p=0.25) for noise in noises
    )
    assert abs(takes - 1000) < 3.3 * 27.4  # once in a thousand
    for noise, ends in ((2**52 - 1, 1), (2**52, 0)):
        assert query_policy("knock", "random", view(ending=1, noise=noise), p_end=0.5) == ends


BEFORE = {"phase": 4, "count": 60, "own_turn": 1}


@pytest.mark.parametrize(
    ("name", "params", "fields", "offered"),
    [
        ("strong", {}, {"count": 20, "own_turn": 6, "stake": 1}, 2),
        ("strong", {}, {"count": 20, "own_turn": 6, "stake": 4}, 5),
        ("strong", {}, {"count": 21, "own_turn": 6, "stake": 1}, 0),
        ("strong", {}, {"count": 20, "own_turn": 7, "stake": 1}, 0),
        ("strong", {}, {**BEFORE, "stake": 1, "count": 0}, 0),
        ("strong", {"blind": "yes"}, {**BEFORE, "stake": 1}, 2),
        ("none", {}, {"count": 0, "own_turn": 1, "stake": 1}, 0),
    ],
)
def test_offer_policies_follow_their_definitions(name, params, fields, offered):
    legal = 0b1111101 & ~((1 << fields["stake"] + 1) - 2)
    assert (
        query_policy("offer", name, view(**{"phase": 1, **fields}, legal=legal), **params)
        == offered
    )


@pytest.mark.parametrize(
    ("name", "params", "fields", "accepted"),
    [
        ("brave", {}, {"phase": 1, "count": 35}, 1),
        ("brave", {}, {"phase": 1, "count": 36}, 0),
        ("brave", {"count": 50}, {"phase": 1, "count": 36}, 1),
        ("brave", {}, BEFORE, 1),
        ("brave", {"blind": "no"}, {**BEFORE, "count": 0}, 0),
        ("never", {}, {"phase": 1, "count": 0}, 0),
    ],
)
def test_answer_policies_follow_their_definitions(name, params, fields, accepted):
    assert query_policy("answer", name, view(**fields, offered=2, legal=3), **params) == accepted


def test_random_offers_are_legal_and_as_frequent_as_set():
    seen = view(stake=3, legal=0b1110001)
    offers = []
    for seen.noise in (RANDOM.randrange(2**53) for _ in range(4000)):
        offers.append(query_policy("offer", "random", seen, p_offer=0.25))
    assert set(offers) == {0, 4, 5, 6}
    assert abs(sum(offer > 0 for offer in offers) - 1000) < 140  # five standard errors
    assert all(abs(offers.count(number) - 333) < 90 for number in (4, 5, 6))


@pytest.mark.parametrize(
    ("game", "seat", "other", "count", "knocks"),
    [
        ("pro", 0, 110, 10, True),  # a game is 121 points, a match several games
        ("pro", 0, 116, 5, False),
        ("standard", 0, 95, 5, False),
        ("standard", 0, 95, 4, True),
        ("race", 0, 115, 6, False),  # 121 points win the race for the seat that counts points
        ("race", 1, 115, 6, True),
    ],
)
def test_playing_to_the_score_follows_the_points_needed(game, seat, other, count, knocks):
    """A player that needs won deals gains one for any count."""
    rules = build_rules(variants.find_variant(game))
    if game == "race" and seat == 0:
        seat = 1 - rules.race_points_seat
    elif game == "race":
        seat = rules.race_points_seat
    seen = view(seat=seat, other_points=other, ending=1, ending_count=count)
    assert query_policy("knock", "count", seen, rules) == knocks
