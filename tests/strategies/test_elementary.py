"""Elementary policies: chance, the die and the score; the rest is compared with the twin.

See test_roster_against_twin.py.
"""

import random

import pytest

from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.text import notation
from support.policy_questions import ask, members, view

RANDOM = random.Random(20261120)


def test_random_answers_are_as_frequent_as_set():
    """A chi-square of ten degrees of freedom exceeds 29.6 for a thousandth of the seeds."""
    hand = notation.hand_mask(RANDOM.sample(range(52), 11))
    counts = dict.fromkeys(members(hand), 0)
    for _ in range(5500):
        seen = view(hand=hand, legal=hand, noise=RANDOM.randrange(2**53))
        counts[ask("discard", "uniform", seen)] += 1
    assert sum((n - 500) ** 2 / 500 for n in counts.values()) < 29.6
    noises = [RANDOM.randrange(2**53) for _ in range(4000)]
    takes = sum(ask("take", "random", view(legal=3, noise=noise), p=0.25) for noise in noises)
    assert abs(takes - 1000) < 3.3 * 27.4  # once in a thousand
    for noise, ends in ((2**52 - 1, 1), (2**52, 0)):
        assert ask("knock", "random", view(ending=1, noise=noise), p_end=0.5) == ends


BLIND = {"phase": 4, "count": 60, "own_turn": 1}


@pytest.mark.parametrize(
    ("name", "params", "fields", "offered"),
    [
        ("strong", {}, {"count": 20, "own_turn": 6, "stake": 1}, 2),
        ("strong", {}, {"count": 20, "own_turn": 6, "stake": 4}, 5),
        ("strong", {}, {"count": 21, "own_turn": 6, "stake": 1}, 0),
        ("strong", {}, {"count": 20, "own_turn": 7, "stake": 1}, 0),
        ("strong", {}, {**BLIND, "stake": 1, "count": 0}, 0),
        ("strong", {"blind": "yes"}, {**BLIND, "stake": 1}, 2),
        ("none", {}, {"count": 0, "own_turn": 1, "stake": 1}, 0),
    ],
)
def test_offer_policies_follow_their_definitions(name, params, fields, offered):
    legal = 0b1111101 & ~((1 << fields["stake"] + 1) - 2)
    assert ask("offer", name, view(**{"phase": 1, **fields}, legal=legal), **params) == offered


@pytest.mark.parametrize(
    ("name", "params", "fields", "accepted"),
    [
        ("brave", {}, {"phase": 1, "count": 35}, 1),
        ("brave", {}, {"phase": 1, "count": 36}, 0),
        ("brave", {"count": 50}, {"phase": 1, "count": 36}, 1),
        ("brave", {}, BLIND, 1),
        ("brave", {"blind": "no"}, {**BLIND, "count": 0}, 0),
        ("never", {}, {"phase": 1, "count": 0}, 0),
    ],
)
def test_answer_policies_follow_their_definitions(name, params, fields, accepted):
    assert ask("answer", name, view(**fields, offered=2, legal=3), **params) == accepted


def test_random_offers_are_legal_and_as_frequent_as_set():
    seen = view(stake=3, legal=0b1110001)
    offers = []
    for seen.noise in (RANDOM.randrange(2**53) for _ in range(4000)):
        offers.append(ask("offer", "random", seen, p_offer=0.25))
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
    """Who needs won deals gets one whatever the count."""
    rules = build_rules(variants.find(game))
    if game == "race" and seat == 0:
        seat = 1 - rules.race_points_seat
    elif game == "race":
        seat = rules.race_points_seat
    seen = view(seat=seat, other_points=other, ending=1, ending_count=count)
    assert ask("knock", "count", seen, rules) == knocks
