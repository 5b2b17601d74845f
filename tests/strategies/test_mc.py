"""Tests of the Monte Carlo player: rollouts, worlds, values, choices and strength.

A rollout of two greedy hands from the true cards is the deal that gold plays against gold: the
engine is the oracle of every action that gold (gin-only, if patient) took.
"""

import random

import numpy as np
import pytest
from simgin_strategies import _rollouts as mc

import simgin
from simgin.match_value import match_value
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.strategy import compiler, loader
from simgin.text import notation
from support import hands
from support.cached_compilation import compile_cached
from support.hands import ALL_CARDS_MASK
from support.policy_queries import build_view, compute_eaai_deadwood, parse_hand_mask, query_policy
from support.variant_lists import find_test_strategy

VARIANT_SPECS = (
    *("eaai", "oklahoma", "standard+discard_ban=drawn", "eaai+discard_ban=none"),
    "standard+first_turn=upcard_stock_or_pass",
    "standard+first_turn=discard_first",
    "standard+first_turn=free+stock_end=at_draw",
    "standard+take_discard=no+first_turn=free",
    "standard+layoff_on_gin=yes+undercut_on_tie=no",
    "standard+layoff=no+stock_reserve=8",
)
EAAI_RULES = hands.build_both_rules("eaai")[0]


@compile_cached
def evaluate_single_action(action, card, opponent_hand, stock, is_patient, view, rules):
    return mc.evaluate_action(
        action, card, opponent_hand, stock, is_patient, view, rules, mc._allocate_scratch()
    )


@compile_cached
def sample_worlds_into(n_worlds, method, view, rules, opponent_hands, stocks):
    cards, stream = mc._convert_mask_to_array(view.unseen), np.zeros(9, np.int64)
    for i in range(n_worlds):
        opponent_hands[i] = mc.sample_world(view, rules, method, cards, stream, stocks[i])


def to_mc_action(decision):
    """Return (action, card) of a recorded decision; None for a declined ending."""
    view, chosen = decision.view, decision.action
    if decision.slot == "take":
        is_pass = chosen == mc.ACTION_STOCK and view.phase == 0 and not view.legal & 4
        return (mc.ACTION_PASS if is_pass else chosen), -1
    if decision.slot == "discard":
        return mc.ACTION_DISCARD, chosen
    return (mc.ACTION_END_DEAL, int(view.ending_card)) if chosen else None


@pytest.mark.parametrize("variant", VARIANT_SPECS)
@pytest.mark.parametrize("player", ["gold", "gin-only"])
def test_rollout_from_the_true_cards_agrees_with_the_engine(variant, player):
    rng = random.Random(variant + player)
    rules = hands.build_both_rules(variant)[0]
    case_kinds = set()
    for i in range(12):
        deck = rng.sample(range(52), 52)
        matchup = Matchup(
            variants.find_variant(variant),
            find_test_strategy(player),
            find_test_strategy("gold"),
            i,
            "deal",
        )
        deal = trace_deal(matchup, i, pack=deck, dealer=i % 2)
        points = int(deal.state.score[0] - deal.state.score[1])
        for decision in deal.decisions:
            if decision.seat == 0 and (action := to_mc_action(decision)):
                view = decision.view
                stock = np.array(deck[52 - view.stock :], np.int64)
                visible = int(view.hand) | int(view.pile) | notation.cards_to_mask(stock)
                value = evaluate_single_action(
                    *action, ALL_CARDS_MASK & ~visible, stock, player == "gin-only", view, rules
                )
                assert value == points, (i, decision)
                case_kinds.add((action[0], points > 0))
    # the sample contains won and lost deals
    assert len(case_kinds) >= (3 if "take_discard=no" in variant else 6)


def make_view(hand, known="", pile="", **fields):
    """Return a view in the middle of an EAAI deal, after a third of the stock."""
    card_sets = {"hand": hand, "known": known, "pile": pile}
    view_fields = {
        name: parse_hand_mask(cards) if cards else 0 for name, cards in card_sets.items()
    }
    view_fields |= dict.fromkeys(("upcard", "ending_card", "ending_count", "taken_offer"), -1)
    view_fields |= dict.fromkeys(("phase", "multiplier", "stake"), 1)
    view_fields |= {
        "turn": 10,
        "turns": 10,
        "target": 100,
        "goal": EAAI_RULES.goal,
        "noise": 2**52 + 12345,
    }
    player_view = build_view(**view_fields | fields)
    player_view.unseen = ALL_CARDS_MASK & ~(player_view.hand | player_view.known | player_view.pile)
    player_view.stock = (
        int(player_view.unseen).bit_count() - 10 + int(player_view.known).bit_count()
    )
    return player_view


MID_DEAL_VIEW = make_view("AS 2S 3S 5H 6H 9D 9C KD QC 4C", "7H 8H", "KS QH JD 8C 3D TD 2H 6S KH")


def sample_worlds(n_worlds, method, view=MID_DEAL_VIEW):
    opponent_hands, stocks = np.zeros(n_worlds, np.int64), np.full((n_worlds, 52), -1, np.int64)
    sample_worlds_into(n_worlds, method, view, EAAI_RULES, opponent_hands, stocks)
    return opponent_hands, stocks


@pytest.mark.parametrize(
    "method", [mc.SAMPLING_TO_EXPECTED_DEADWOOD, mc.SAMPLING_BEST_OF_DRAWS, mc.SAMPLING_AT_RANDOM]
)
def test_world_deals_every_unseen_card_once(method):
    for opponent_hand, stock in zip(*sample_worlds(200, method), strict=True):
        cards = stock[stock >= 0]
        assert int(opponent_hand).bit_count() == 10
        assert opponent_hand & MID_DEAL_VIEW.known == MID_DEAL_VIEW.known
        assert len(cards) == len(set(cards.tolist())) == MID_DEAL_VIEW.stock
        assert opponent_hand & notation.cards_to_mask(cards) == 0
        assert (
            opponent_hand | notation.cards_to_mask(cards)
            == MID_DEAL_VIEW.unseen | MID_DEAL_VIEW.known
        )


def test_hidden_hands_and_stock_are_dealt_uniformly():
    """Test how often each unseen card is in the hand, and how often on top of the stock."""
    n_worlds, unseen = 20_000, notation.mask_to_cards(int(MID_DEAL_VIEW.unseen))
    opponent_hands, stocks = sample_worlds(n_worlds, mc.SAMPLING_AT_RANDOM)
    probability = 8 / len(unseen)
    hand_counts = np.array([np.sum(opponent_hands >> card & 1) for card in unseen])
    next_counts = np.bincount(stocks[:, 0], minlength=52)[unseen]
    variance = n_worlds * probability * (1 - probability) * len(unseen) / (len(unseen) - 1)
    hand_statistic = np.sum((hand_counts - n_worlds * probability) ** 2) / variance
    stock_statistic = np.sum((next_counts - n_worlds / len(unseen)) ** 2) / (n_worlds / len(unseen))
    assert len(unseen) == 31
    assert (
        hand_statistic < 67.6 and stock_statistic < 67.6
    )  # the 0.9999 quantile with 30 degrees of freedom


def test_hidden_hands_have_the_expected_deadwood():
    methods = mc.SAMPLING_TO_EXPECTED_DEADWOOD, mc.SAMPLING_BEST_OF_DRAWS, mc.SAMPLING_AT_RANDOM
    deadwood_by_method = {
        method: [
            compute_eaai_deadwood(opponent_hand) for opponent_hand in sample_worlds(60, method)[0]
        ]
        for method in methods
    }
    means = {method: np.mean(deadwood) for method, deadwood in deadwood_by_method.items()}
    expected = mc.EXPECTED_DEADWOOD[int(MID_DEAL_VIEW.pile).bit_count()]
    assert expected == 19
    assert (
        abs(means[mc.SAMPLING_TO_EXPECTED_DEADWOOD] - expected) < 1
        and max(deadwood_by_method[mc.SAMPLING_TO_EXPECTED_DEADWOOD]) <= expected + 8
    )
    assert (
        means[mc.SAMPLING_TO_EXPECTED_DEADWOOD] + 5
        < means[mc.SAMPLING_BEST_OF_DRAWS]
        < means[mc.SAMPLING_AT_RANDOM] - 5
    )


def make_mc_parameters(**values):
    return compiler.make_parameter_vector(loader.find_strategy("mc").knock(**values))


def test_result_is_valued_by_match_probability_or_points():
    table = np.load(loader.find_strategy("mc").knock.weights)
    for own_points, other_points, points in ((0, 0, 30), (70, 20, -45), (55, 99, 44), (12, 34, 0)):
        player_view = make_view("AS", own_points=own_points, other_points=other_points)
        expected = table[own_points + max(points, 0), other_points + max(-points, 0)]
        assert mc.evaluate_points(points, player_view, make_mc_parameters()) == expected
        assert mc.evaluate_points(points, player_view, make_mc_parameters(value="points")) == points
    late_view = make_view("AS", own_points=80, other_points=90)
    assert (
        mc.evaluate_points(20, late_view, make_mc_parameters()) == 1
        and mc.evaluate_points(-10, late_view, make_mc_parameters()) == 0
    )
    long_match_view = make_view("AS", own_points=100, other_points=50, target=250)
    assert mc.evaluate_points(25, long_match_view, make_mc_parameters()) == table[50, 20]
    assert (
        mc.evaluate_points(25, make_view("AS", goal=EAAI_RULES.goal + 1), make_mc_parameters())
        == 25
    )


def test_value_table_agrees_with_simulated_matches_of_gold():
    """Allow 4 SE: one false alarm in 3,000 seeds."""
    table = np.load(loader.find_strategy("mc").knock.weights).astype(float)
    assert table.shape == (100, 100) and np.allclose(table + table.T, 1, atol=1e-6)
    assert (np.diff(table, axis=0) > 0).all() and (np.diff(table, axis=1) < 0).all()
    separate_value = match_value.compute_value("eaai", "gold", "gold", deals=30_000, seed=5)
    for own_points, other_points in ((50, 0), (0, 75), (60, 40), (90, 80), (20, 95)):
        probability = (
            separate_value.win_probability(own_points, other_points, dealer=0)
            + separate_value.win_probability(own_points, other_points, dealer=1)
        ) / 2
        error = max(
            separate_value.standard_error(own_points, other_points, dealer=0),
            separate_value.standard_error(own_points, other_points, dealer=1),
        )
        assert abs(probability - table[own_points, other_points]) < 4 * error + 0.001


def test_action_must_be_better_by_several_standard_errors():
    rng = np.random.default_rng(7)
    results = set()
    for shift in (-0.5, 0.0, 0.2, 0.4, 0.6):
        a, b = rng.normal(shift, 1, 50), rng.normal(0, 1, 50)
        t = (a - b).mean() / ((a - b).std() / 50**0.5)
        assert mc._has_significant_lead(a, b, 50, 2.0) == (t > 2)
        results.add(t > 2)
    assert results == {True, False}
    assert not mc._has_significant_lead(np.ones(5), np.ones(5), 5, 0.0)


def test_card_that_the_opponent_can_use_is_kept():
    """Let the opponent collect spades, so that mc discards the other king and gold the spade."""
    player_view = make_view(
        "AD 2D 3D 6C 6H 6S 7D 8D 2S KS KH", "QS JS", "5C 3H 9H TD 4C 8C", drawn=12
    )
    player_view.legal = player_view.hand
    king_of_spades, king_of_hearts = notation.parse_cards("KS KH")
    assert query_policy("discard", "low", player_view) == king_of_spades
    assert (
        query_policy("discard", "mc", player_view, n=1000, width=2, value="points")
        == king_of_hearts
    )
    assert len({query_policy("discard", "mc", player_view) for _ in range(5)}) == 1


def test_mc_does_not_knock_into_an_undercut():
    """Let the opponent undercut a knock with four by three known melds and an ace."""
    opponent_hand, king = "7H 8H 9H TC JC QC 5C 5H 5S AS", notation.parse_card("KH")
    common_fields = {"legal": 3, "ending": 1, "ending_card": king, "drawn": king}
    for last_card, known, fields, expected in (
        ("4H", opponent_hand, {"ending_count": 4}, 0),
        ("4H", "", {"ending_count": 4, "own_points": 95}, 1),
        ("QS", opponent_hand, {"ending_count": 0}, 1),
    ):
        hand = f"AD 2D 3D 6C 6H 6S 9S TS JS {last_card} KH"
        assert (
            query_policy("knock", "mc", make_view(hand, known, "3H 7C", **common_fields | fields))
            == expected
        )


@pytest.mark.slow
@pytest.mark.parametrize(("opponent", "published"), [("simple", 0.654), ("gold", 0.695)])
def test_mc_agrees_with_the_published_win_rates(opponent, published):
    """Sample hands as in the original, and allow 1.5 points plus 3 SE."""
    frame = simgin.match("mc:developed=draws", opponent, "eaai", matches=1000, seed=5).frame
    row = next(row for row in frame.itertuples() if row.metric == "match_win")
    assert row.value > published - 0.015 - 3 * (row.se**2 + 0.004**2) ** 0.5
