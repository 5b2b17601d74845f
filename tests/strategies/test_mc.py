"""Tests of the Monte Carlo player: rollouts, worlds, values, choices and strength.

A rollout of two greedy hands from the true cards is the deal that gold plays against gold: the
engine is the oracle of every action that gold (gin-only, if patient) took.
"""

import random

import numpy as np
import pytest
from simgin_strategies import _rollouts as mc

import simgin
from simgin.core.jit import jit
from simgin.match_value import match_value
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.strategy import compiler, loader
from simgin.text import notation
from support import hands
from support.hands import PACK
from support.policy_queries import count_deadwood, mask, query_policy, view
from support.variant_lists import strategy

ROWS = (
    *("eaai", "oklahoma", "standard+discard_ban=drawn", "eaai+discard_ban=none"),
    "standard+first_turn=upcard_stock_or_pass",
    "standard+first_turn=discard_first",
    "standard+first_turn=free+stock_end=at_draw",
    "standard+take_discard=no+first_turn=free",
    "standard+layoff_on_gin=yes+undercut_on_tie=no",
    "standard+layoff=no+stock_reserve=8",
)
RULES, _ = hands.game("eaai")


@jit
def _outcome(action, card, him, stock, patient, view, rules):
    return mc.evaluate_action(
        action, card, him, stock, patient, view, rules, mc._allocate_scratch()
    )


@jit
def _imagine(n, developed, view, rules, hidden, stocks):
    pool, stream = mc._convert_to_array(view.unseen), np.zeros(9, np.int64)
    for i in range(n):
        hidden[i] = mc.sample_world(view, rules, developed, pool, stream, stocks[i])


def action_of(question):
    """Return (action, card) of a recorded decision; None for a declined ending."""
    view, answer = question.view, question.action
    if question.slot == "take":
        passed = answer == mc.ACTION_STOCK and view.phase == 0 and not view.legal & 4
        return (mc.ACTION_PASS if passed else answer), -1
    if question.slot == "discard":
        return mc.ACTION_DISCARD, answer
    return (mc.ACTION_END, int(view.ending_card)) if answer else None


@pytest.mark.parametrize("text", ROWS)
@pytest.mark.parametrize("player", ["gold", "gin-only"])
def test_a_rollout_from_the_true_cards_is_the_engines_deal(text, player):
    rng = random.Random(text + player)
    rules = hands.game(text)[0]
    seen = set()
    for i in range(12):
        pack = rng.sample(range(52), 52)
        matchup = Matchup(
            variants.find_variant(text), strategy(player), strategy("gold"), i, "deal"
        )
        played = trace_deal(matchup, i, pack=pack, dealer=i % 2)
        points = int(played.state.score[0] - played.state.score[1])
        for question in played.decisions:
            if question.seat == 0 and (did := action_of(question)):
                view = question.view
                stock = np.array(pack[52 - view.stock :], np.int64)
                shown = int(view.hand) | int(view.pile) | notation.cards_to_mask(stock)
                found = _outcome(*did, PACK & ~shown, stock, player == "gin-only", view, rules)
                assert found == points, (i, question)
                seen.add((did[0], points > 0))
    # the sample contains won and lost deals
    assert len(seen) >= (3 if "take_discard=no" in text else 6)


def position(hand, known="", pile="", **fields):
    """Return a view in the middle of an EAAI deal, after a third of the stock."""
    told = {"hand": hand, "known": known, "pile": pile}
    here = {name: mask(cards) if cards else 0 for name, cards in told.items()}
    here |= dict.fromkeys(("upcard", "ending_card", "ending_count", "taken_offer"), -1)
    here |= dict.fromkeys(("phase", "multiplier", "stake"), 1)
    here |= {"turn": 10, "turns": 10, "target": 100, "goal": RULES.goal, "noise": 2**52 + 12345}
    made = view(**here | fields)
    made.unseen = PACK & ~(made.hand | made.known | made.pile)
    made.stock = int(made.unseen).bit_count() - 10 + int(made.known).bit_count()
    return made


MIDDLE = position("AS 2S 3S 5H 6H 9D 9C KD QC 4C", "7H 8H", "KS QH JD 8C 3D TD 2H 6S KH")


def imagined(n, developed, view=MIDDLE):
    hidden, stocks = np.zeros(n, np.int64), np.full((n, 52), -1, np.int64)
    _imagine(n, developed, view, RULES, hidden, stocks)
    return hidden, stocks


@pytest.mark.parametrize("developed", [mc.HAND_IMPROVED, mc.HAND_BEST_OF_DRAWS, mc.HAND_RANDOM])
def test_every_world_deals_each_unseen_card_once(developed):
    for him, stock in zip(*imagined(200, developed), strict=True):
        cards = stock[stock >= 0]
        assert int(him).bit_count() == 10
        assert him & MIDDLE.known == MIDDLE.known
        assert len(cards) == len(set(cards.tolist())) == MIDDLE.stock
        assert him & notation.cards_to_mask(cards) == 0
        assert him | notation.cards_to_mask(cards) == MIDDLE.unseen | MIDDLE.known


def test_hidden_hands_and_stock_are_dealt_uniformly():
    """Chi-square tests of each unseen card in the hand and as next card: 1 alarm in 10,000."""
    n, unseen = 20_000, notation.mask_to_cards(int(MIDDLE.unseen))
    hidden, stocks = imagined(n, mc.HAND_RANDOM)
    share = 8 / len(unseen)
    held = np.array([np.sum(hidden >> card & 1) for card in unseen])
    first = np.bincount(stocks[:, 0], minlength=52)[unseen]
    variance = n * share * (1 - share) * len(unseen) / (len(unseen) - 1)
    by_hand = np.sum((held - n * share) ** 2) / variance
    by_stock = np.sum((first - n / len(unseen)) ** 2) / (n / len(unseen))
    assert len(unseen) == 31
    assert by_hand < 67.6 and by_stock < 67.6  # the 0.9999 quantile with 30 degrees of freedom


def test_hidden_hands_are_as_developed_as_set():
    ways = mc.HAND_IMPROVED, mc.HAND_BEST_OF_DRAWS, mc.HAND_RANDOM
    counts = {way: [count_deadwood(him) for him in imagined(60, way)[0]] for way in ways}
    means = {way: np.mean(found) for way, found in counts.items()}
    aim = mc.EXPECTED_DEADWOOD[int(MIDDLE.pile).bit_count()]
    assert aim == 19
    assert abs(means[mc.HAND_IMPROVED] - aim) < 1 and max(counts[mc.HAND_IMPROVED]) <= aim + 8
    assert means[mc.HAND_IMPROVED] + 5 < means[mc.HAND_BEST_OF_DRAWS] < means[mc.HAND_RANDOM] - 5


def vector(**values):
    return compiler.make_parameter_vector(loader.find_strategy("mc").knock(**values))


def test_the_value_of_a_result_is_the_chance_of_the_match_or_points():
    table = np.load(loader.find_strategy("mc").knock.weights)
    for own, other, points in ((0, 0, 30), (70, 20, -45), (55, 99, 44), (12, 34, 0)):
        seen = position("AS", own_points=own, other_points=other)
        want = table[own + max(points, 0), other + max(-points, 0)]
        assert mc.evaluate_points(points, seen, vector()) == want
        assert mc.evaluate_points(points, seen, vector(value="points")) == points
    near = position("AS", own_points=80, other_points=90)
    assert (
        mc.evaluate_points(20, near, vector()) == 1 and mc.evaluate_points(-10, near, vector()) == 0
    )
    long = position("AS", own_points=100, other_points=50, target=250)
    assert mc.evaluate_points(25, long, vector()) == table[50, 20]
    assert mc.evaluate_points(25, position("AS", goal=RULES.goal + 1), vector()) == 25


def test_the_table_holds_v_of_gold_against_itself():
    """Compare with separate counts within 4 SE: one false alarm in 3,000 seeds."""
    table = np.load(loader.find_strategy("mc").knock.weights).astype(float)
    assert table.shape == (100, 100) and np.allclose(table + table.T, 1, atol=1e-6)
    assert (np.diff(table, axis=0) > 0).all() and (np.diff(table, axis=1) < 0).all()
    fresh = match_value.compute_value("eaai", "gold", "gold", deals=30_000, seed=5)
    for own, other in ((50, 0), (0, 75), (60, 40), (90, 80), (20, 95)):
        told = (
            fresh.win_probability(own, other, dealer=0)
            + fresh.win_probability(own, other, dealer=1)
        ) / 2
        error = max(fresh.se(own, other, dealer=0), fresh.se(own, other, dealer=1))
        assert abs(told - table[own, other]) < 4 * error + 0.001


def test_an_action_must_be_better_by_a_number_of_standard_errors():
    rng = np.random.default_rng(7)
    answers = set()
    for shift in (-0.5, 0.0, 0.2, 0.4, 0.6):
        a, b = rng.normal(shift, 1, 50), rng.normal(0, 1, 50)
        t = (a - b).mean() / ((a - b).std() / 50**0.5)
        assert mc._is_significantly_better(a, b, 50, 2.0) == (t > 2)
        answers.add(t > 2)
    assert answers == {True, False}
    assert not mc._is_significantly_better(np.ones(5), np.ones(5), 5, 0.0)


def test_a_card_that_the_opponent_can_use_is_kept():
    """The opponent collects spades, so mc discards the other king. Gold discards the spade."""
    seen = position("AD 2D 3D 6C 6H 6S 7D 8D 2S KS KH", "QS JS", "5C 3H 9H TD 4C 8C", drawn=12)
    seen.legal = seen.hand
    king_of_spades, king_of_hearts = notation.parse_cards("KS KH")
    assert query_policy("discard", "low", seen) == king_of_spades
    assert query_policy("discard", "mc", seen, n=1000, width=2, value="points") == king_of_hearts
    assert len({query_policy("discard", "mc", seen) for _ in range(5)}) == 1


def test_gin_ends_the_deal_but_a_knock_into_an_undercut_does_not():
    """An opponent that is known to hold three melds and an ace undercuts a knock with four."""
    his, king = "7H 8H 9H TC JC QC 5C 5H 5S AS", notation.parse_card("KH")
    kept = {"legal": 3, "ending": 1, "ending_card": king, "drawn": king}
    for last, known, fields, knocks in (
        ("4H", his, {"ending_count": 4}, 0),
        ("4H", "", {"ending_count": 4, "own_points": 95}, 1),
        ("QS", his, {"ending_count": 0}, 1),
    ):
        hand = f"AD 2D 3D 6C 6H 6S 9S TS JS {last} KH"
        assert (
            query_policy("knock", "mc", position(hand, known, "3H 7C", **kept | fields)) == knocks
        )


@pytest.mark.slow
@pytest.mark.parametrize(("opponent", "published"), [("simple", 0.654), ("gold", 0.695)])
def test_mc_agrees_with_the_published_numbers(opponent, published):
    """Use hands as in the original, with a tolerance of 1.5 points plus 3 SE."""
    frame = simgin.match("mc:developed=draws", opponent, "eaai", matches=1000, seed=5).frame
    row = next(row for row in frame.itertuples() if row.metric == "match_win")
    assert row.value > published - 0.015 - 3 * (row.se**2 + 0.004**2) ** 0.5
