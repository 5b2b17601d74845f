"""Compare solitaire policies with definitions, exact values and published results."""

import math
import random
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import solo as script
import solo_champion as training
from simgin_strategies import solo_champion as player
from simgin_strategies import solo_two_draws
from simgin_strategies.stop import (
    MAX_CARDS_LEFT,
    N_DEADWOOD_BANDS,
    compute_stopping_value,
    find_deadwood_band,
)

from oracles import reference
from oracles.reference import strategies as reference_strategies
from simgin.core import batch_columns
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.runs import runner
from simgin.text import notation
from support import hands
from support import policy_queries as questions
from support.cached_compilation import compile_cached
from support.hands import ALL_CARDS_MASK, format_cards, list_card_names, list_cards
from support.policy_queries import parse_hand_mask
from support.shapes import find_melded_cards, find_partner_types, is_three_card_meld

STRATEGIES_DIRECTORY = Path(__file__).resolve().parents[2] / "strategies"
RNG = random.Random(20261122)


def load_committed_array(name):
    return np.load(STRATEGIES_DIRECTORY / f"{name}.npy")


def build_rules_from_spec(spec):
    return hands.build_both_rules(spec)[0]


def find_params_of_spec(spec):
    return hands.build_both_rules(spec)[1]


KNOCK_RULES, SOLITARY_RULES = map(build_rules_from_spec, ("solitaire-gin-knock", "solitary-gin"))


def query_solo_policy(slot, name, settings=None, rules=KNOCK_RULES, **fields):
    default_fields = {"ending_card": -1, "deck_left": 20, "ending": 1}
    return questions.query_policy(
        slot, name, questions.build_view(**default_fields | fields), rules, **settings or {}
    )


def query_discard(name, rules, hand, unseen, settings=None, **fields):
    return query_solo_policy(
        "discard", name, settings, rules, hand=hand, legal=hand, unseen=unseen, **fields
    )


def sample_hand_and_unseen_cards():
    """Return a random hand of eleven cards, and random unseen cards."""
    is_rich = RNG.random() < 0.5
    candidates = [
        13 * suit + rank for suit in range(4) for rank in (range(4, 9) if is_rich else range(13))
    ]
    hand = notation.cards_to_mask(RNG.sample(candidates, 11))
    other_cards = list_cards(ALL_CARDS_MASK & ~hand)
    return hand, ALL_CARDS_MASK & ~hand & ~notation.cards_to_mask(RNG.sample(other_cards, 18))


def count_unmatched_cards(hand, params):
    meldings = reference.melds.iter_meldings(reference.find_melds(hand, params))
    return min(len(reference.melds.find_unmatched_cards(hand, melding)) for melding in meldings)


def compute_min_deadwood_after_draw(hand, card, params):
    hand_with_card = hand | 1 << card
    return min(
        reference.compute_deadwood(list_card_names(hand_with_card & ~(1 << discard)), params)
        for discard in list_cards(hand_with_card)
    )


def compute_lookahead_cost(aim, hand, unseen, params, n_best=7):
    """Return the cost of a hand of ten cards for an aim of the look-ahead policy."""
    if aim == "loose":
        unmatched_counts = [
            max(0, count_unmatched_cards(list_card_names(hand | 1 << card), params) - 1)
            for card in list_cards(unseen)
        ]
        return sum(unmatched_counts), reference.compute_deadwood(list_card_names(hand), params)
    deadwood_values = sorted(
        compute_min_deadwood_after_draw(hand, card, params) for card in list_cards(unseen)
    )
    return {
        "deadwood": (sum(deadwood_values),),
        "gin": (-deadwood_values.count(0), sum(deadwood_values)),
        "few": (sum(deadwood_values[:n_best]),),
    }[aim]


@pytest.mark.parametrize("aim", ["deadwood", "gin", "few", "loose"])
@pytest.mark.parametrize("variant", ["solitaire-gin-knock", "solitary-gin"])
def test_lookahead_discard_has_the_lowest_cost(aim, variant):
    rules, values = build_rules_from_spec(variant), find_params_of_spec(variant)
    for _ in range(4):
        hand, unseen = sample_hand_and_unseen_cards()
        costs = {
            card: compute_lookahead_cost(aim, hand & ~(1 << card), unseen, values)
            for card in list_cards(hand)
        }
        chosen = query_discard("ahead", rules, hand, unseen, {"aim": aim}, own_turn=3)
        assert costs[chosen] == min(costs.values())


@pytest.mark.parametrize(
    ("rules", "last_fields", "expected"),
    [
        (KNOCK_RULES, {"deck_left": 1}, ("KS", "KH")),
        (SOLITARY_RULES, {"deck_left": 27, "own_turn": 15}, ("AC",)),
    ],
)
def test_last_discard_leaves_the_lowest_deadwood(rules, last_fields, expected):
    """Offer two kings, or a 7 and an 8, which are worth keeping if a draw follows."""
    hand = parse_hand_mask("2S 3S 4S 5H 5D 5C 7D 8D KS KH AC")
    for name in ("ahead", "switch"):
        chosen = query_discard(
            name, rules, hand, ALL_CARDS_MASK & ~hand, {"aim": "gin"}, **last_fields
        )
        assert notation.format_card(chosen) in expected


def test_switch_minimises_the_mean_penalty_in_its_last_turns():
    """Check also the last deal, in which at most 5 penalty points meet the goal."""
    values = find_params_of_spec("solitary-gin")
    early_fields, late_fields = ({"own_turn": turn, "deck_left": 30} for turn in (12, 13))
    last_deal_fields = {"own_turn": 14, "deal": 4, "own_points": 15, "deck_left": 30}
    for _ in range(6):
        hand, unseen = sample_hand_and_unseen_cards()
        penalties, n_meeting_goal = {}, {}
        for card in list_cards(hand):
            deadwood_values = [
                compute_min_deadwood_after_draw(hand & ~(1 << card), drawn, values)
                for drawn in list_cards(unseen)
            ]
            penalties[card] = sum(deadwood or -20 for deadwood in deadwood_values)
            n_meeting_goal[card] = sum(deadwood <= 15 for deadwood in deadwood_values)
        chosen = query_discard("switch", SOLITARY_RULES, hand, unseen, {"k": 3}, **late_fields)
        assert penalties[chosen] == min(penalties.values())
        early_discard = query_discard(
            "switch", SOLITARY_RULES, hand, unseen, {"k": 3}, **early_fields
        )
        assert early_discard == query_discard(
            "ahead", SOLITARY_RULES, hand, unseen, {"aim": "loose"}, **early_fields
        )
        chosen = query_discard(
            "switch", SOLITARY_RULES, hand, unseen, {"goal": "yes"}, **last_deal_fields
        )
        assert n_meeting_goal[chosen] == max(n_meeting_goal.values())


def load_dp_table():
    return load_committed_array("solo_dp").reshape(3, 15, 11, 3).astype(float)


def evaluate_by_table(scoring, time_index, hand, unseen, params):
    """Return the value of a hand of ten cards according to solo_dp.npy."""
    n_unmatched = count_unmatched_cards(list_card_names(hand), params)
    saved = sum(
        n_unmatched - max(0, count_unmatched_cards(list_card_names(hand | 1 << card), params) - 1)
        for card in list_cards(unseen)
    )
    return load_dp_table()[scoring, time_index, n_unmatched] @ [
        1,
        saved,
        reference.compute_deadwood(list_card_names(hand), params),
    ]


@pytest.mark.parametrize(
    ("variant", "scoring", "time_index", "fields"),
    [
        ("solitaire-gin", 0, 6, {"deck_left": 20}),
        ("gin-solitaire", 1, 0, {"deck_left": 3}),
        ("solitaire-gin-knock", 1, 14, {"deck_left": 43}),
        ("solitary-gin", 2, 2, {"own_turn": 12, "deck_left": 31}),
        ("solitary-gin", 2, 13, {"own_turn": 1, "deck_left": 42}),
        ("standard", 1, 9, {"deck_left": -1, "stock": 29}),
    ],
)
def test_dp_discard_has_the_highest_table_value(variant, scoring, time_index, fields):
    rules, values = build_rules_from_spec(variant), find_params_of_spec(variant)
    for _ in range(2):
        hand, unseen = sample_hand_and_unseen_cards()
        hands_after = {card: hand & ~(1 << card) for card in list_cards(hand)}
        values_after = {
            card: evaluate_by_table(scoring, time_index, remaining, unseen, values)
            for card, remaining in hands_after.items()
        }
        chosen = query_discard("dp", rules, hand, unseen, **{"own_turn": 3, **fields})
        assert values_after[chosen] == pytest.approx(max(values_after.values()), abs=1e-9)


def test_dp_knocks_if_ending_is_worth_more_than_continuing():
    """Use a hand of two points, with and without unseen cards that would make it gin."""
    hand, values, actions = (
        parse_hand_mask("5S 6S 7S 9H 9D 9C 2H 3H 4H 2C"),
        find_params_of_spec("solitaire-gin-knock"),
        set(),
    )
    for unseen in (
        0,
        parse_hand_mask("KS KH QD"),
        parse_hand_mask("4S 8S 9S AH 5H KC"),
        ALL_CARDS_MASK & ~hand,
    ):
        for cards_left in range(1, 44, 3):
            gain = compute_ending_value(2, cards_left) - evaluate_by_table(
                1, (cards_left - 1) // 3, hand, unseen, values
            )
            action = query_solo_policy(
                "knock", "dp", hand=hand, unseen=unseen, ending_count=2, deck_left=cards_left
            )
            assert action == (gain >= 0)
            actions.add(action)
    assert actions == {0, 1}
    two_player_action = query_solo_policy(
        "knock", "dp", hand=hand, unseen=0, ending_count=2, deck_left=-1
    )
    assert two_player_action == 0  # gin only


def evaluate_by_search(scoring, time_index, hand, unseen, cards_left, params):
    """Return the mean value of a hand of ten cards over all possible next draws.

    `time_index` is that of the table after the card, in units of three cards.
    """

    def find_unmatched(cards):
        n_unmatched = count_unmatched_cards(list_card_names(cards), params)
        return [
            card
            for card in list_cards(cards)
            if count_unmatched_cards(list_card_names(cards & ~(1 << card)), params) < n_unmatched
        ]

    def find_best_value(cards, still_unseen):
        if count_unmatched_cards(list_card_names(cards), params) <= 1:
            return compute_ending_value(0, cards_left - 1)
        hands_after = [cards & ~(1 << card) for card in find_unmatched(cards)]
        return max(
            evaluate_by_table(scoring, time_index, remaining, still_unseen, params)
            for remaining in hands_after
        )

    total = 0.0
    for drawn in list_cards(unseen):
        still_unseen = unseen & ~(1 << drawn)
        if makes_meld(hand, drawn, params):
            total += find_best_value(hand | 1 << drawn, still_unseen)
            continue
        nine_card_hands = [hand & ~(1 << card) for card in find_unmatched(hand)]
        remaining = (
            max(
                nine_card_hands,
                key=lambda nine_cards: evaluate_by_table(
                    scoring, time_index, nine_cards, unseen, params
                ),
            )
            | 1 << drawn
        )
        options = (
            evaluate_by_table(scoring, time_index, option, still_unseen, params)
            for option in (hand, remaining)
        )
        total += max(options)
    mean_value = total / unseen.bit_count()
    return (
        mean_value
        + (-reference.compute_deadwood(list_card_names(hand), params) - mean_value) / cards_left
    )


def makes_meld(hand, drawn_card, params):
    (card,) = list_card_names(1 << drawn_card)
    return any(
        card in meld
        for meld in reference.find_melds(list_card_names(hand | 1 << drawn_card), params)
    )


def test_two_draws_discard_has_the_highest_value_in_a_search():
    """Search the four discards that are best in the table, with six unseen cards."""
    values = find_params_of_spec("solitaire-gin-knock")
    cards_left, time = 20, 6
    for _ in range(3):
        hand, not_in_hand = sample_hand_and_unseen_cards()
        while count_unmatched_cards(list_card_names(hand), values) <= 1:  # gin, without a decision
            hand, not_in_hand = sample_hand_and_unseen_cards()
        unseen = notation.cards_to_mask(RNG.sample(list_cards(not_in_hand), 6))
        hands_after = {card: hand & ~(1 << card) for card in list_cards(hand)}
        candidates = sorted(
            hands_after,
            key=lambda card: -evaluate_by_table(1, time, hands_after[card], unseen, values),
        )[:4]
        values_after = {
            card: evaluate_by_search(1, time, hands_after[card], unseen, cards_left, values)
            for card in candidates
        }
        chosen = query_discard(
            "two-draws", KNOCK_RULES, hand, unseen, deck_left=cards_left, own_turn=3
        )
        assert values_after[chosen] == pytest.approx(max(values_after.values()), abs=1e-9)


# Stopping


def compute_ending_value(deadwood, cards_left, variant="solitaire-gin-knock"):
    """Return the mean points of ending the deal, player minus joker, by the reference."""
    return float(
        reference_strategies.compute_stopping_value(
            find_params_of_spec(variant), deadwood, cards_left
        )
    )


@pytest.mark.parametrize(
    "settings",
    [
        "",
        "+count_joker=yes",
        "+undercut_on_tie=yes",
        "+undercut_on_tie=knocker",
        "+undercut_bonus=10+gin_bonus=0",
    ],
)
def test_ending_value_agrees_with_enumeration(settings):
    variant = f"solitaire-gin-knock{settings}"
    for cards_left in range(1, 44):
        for deadwood in range(11):
            expected = compute_ending_value(deadwood, cards_left, variant)
            assert compute_stopping_value(
                deadwood, cards_left, build_rules_from_spec(variant)
            ) == pytest.approx(expected, abs=1e-12)


def test_stop_by_knocks_with_the_tabulated_cards_left():
    all_cards_left = range(1, 44)
    for deadwood, tabulated in enumerate((9, 13, 17, 20, 23, 25, 28, 31, 33, 36), start=1):
        min_cards_left = min(
            cards_left
            for cards_left in all_cards_left
            if all(
                compute_ending_value(deadwood, more_cards_left) >= 0
                for more_cards_left in range(cards_left, 44)
            )
        )
        assert min_cards_left == tabulated
        for cards_left in all_cards_left:
            assert query_solo_policy(
                "knock", "stop-by", ending_count=deadwood, deck_left=cards_left
            ) == (cards_left >= min_cards_left)


def test_stop_dp_agrees_with_backward_induction():
    """Compare with memoised recursion over the same table, under rules with both actions."""
    table = load_committed_array("stop").astype(float)
    means = table[:N_DEADWOOD_BANDS]
    probabilities = table[N_DEADWOOD_BANDS:].reshape(
        MAX_CARDS_LEFT + 1, N_DEADWOOD_BANDS, N_DEADWOOD_BANDS
    )
    variant = "solitaire-gin-knock+gin_bonus=0+undercut_bonus=0"
    rules = build_rules_from_spec(variant)

    @cache
    def find_best_value(cards_left, state):
        continuing = compute_continuation_value(cards_left, state, means[state])
        return (
            max(continuing, compute_ending_value(state, cards_left, variant))
            if state <= 10
            else continuing
        )

    def compute_continuation_value(cards_left, state, deadwood):
        if cards_left == 1:
            return -deadwood
        later_value = sum(
            probabilities[cards_left, state, j] * find_best_value(cards_left - 1, j)
            for j in range(N_DEADWOOD_BANDS)
        )
        return -deadwood / cards_left + (1 - 1 / cards_left) * later_value

    actions = set()
    for cards_left in range(1, 44, 3):
        for deadwood in range(1, 11):
            ending_value = compute_ending_value(deadwood, cards_left, variant)
            if (
                abs(
                    ending_value
                    - compute_continuation_value(cards_left, find_deadwood_band(deadwood), deadwood)
                )
                > 1e-6
            ):
                action = query_solo_policy(
                    "knock", "stop-dp", rules=rules, ending_count=deadwood, deck_left=cards_left
                )
                assert action == (
                    ending_value
                    > compute_continuation_value(cards_left, find_deadwood_band(deadwood), deadwood)
                )
                actions.add(action)
    assert actions == {0, 1}


def compute_deal_sums(variant, strategy, n_deals):
    """Return the sums of all statistics of some deals, and the sum of squared scores."""
    matchup = parse_matchup(strategy, None, variant, 5, "deal")
    total = runner.run_matchup(matchup, n_deals).sum(axis=0)
    sums = {
        name: int(total[batch_columns.SUMS_START + i])
        for name, i in batch_columns.STATISTIC_INDEX.items()
    }
    return sums, int(total[batch_columns.SQUARED_DEAL_MARGIN_COLUMN])


def simulate_mean_score(variant, strategy, n_deals):
    """Return the mean score of n deals and its standard error."""
    sums, squares = compute_deal_sums(variant, strategy, n_deals)
    score = sums["a_margin"] / n_deals
    return score, math.sqrt((squares / n_deals - score**2) / n_deals)


def test_lookahead_reaches_the_published_gin_rate():
    """Compare with 57 % of 20,000 deals (rules.md 15.3); allow 4 SE plus rounding."""
    n = 10_000
    gin_rate = compute_deal_sums("solitaire-gin", "solo-lookahead", n)[0]["gin"] / n
    assert abs(gin_rate - 0.57) < 4 * math.sqrt(0.57 * 0.43 * (1 / n + 1 / 20_000)) + 0.005


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "only_gin", "knock_at_10"),
    [("solitaire-gin-knock", 9.2, -5.4), ("gin-solitaire", 11.3, -3.8)],
)
def test_knocking_reaches_the_published_scores(variant, only_gin, knock_at_10):
    """Compare with rules.md 15.3, where the standard error is 0.2."""
    for knock_policy, expected in (("at:k=0", only_gin), ("at", knock_at_10)):
        score, error = simulate_mean_score(
            variant, f"solo-lookahead:aim=deadwood+knock={knock_policy}", 20_000
        )
        assert abs(score - expected) < 4 * math.hypot(error, 0.2)


# Learning


def test_goal_table_is_a_convolution_of_deals(capsys):
    """Check two deals, and compare with the committed probabilities."""
    goal_table = script.compute_goal_table(400, 7, "low").reshape(5, 50)
    assert "400 deals of low" in capsys.readouterr().out
    deal_probabilities = np.diff(goal_table[1], prepend=0)
    for allowance in range(50):
        expected = sum(
            deal_probabilities[i] * deal_probabilities[j]
            for i in range(50)
            for j in range(50)
            if i + j - 20 <= allowance
        )
        assert goal_table[2, allowance] == pytest.approx(expected, abs=1e-5)
    assert (goal_table[0] == ([0] * 20 + [1] * 30)).all()
    committed = load_committed_array("solo").reshape(5, 50)
    assert (np.diff(committed, axis=1) >= 0).all()
    assert committed[4, 26] - goal_table[4, 26] > 0.2  # look-ahead reaches the goal far more often


@pytest.mark.slow
def test_stop_table_training_is_reproducible(capsys):
    stop_table = script.compute_stop_table(300, 7, "low")
    assert np.array_equal(stop_table, script.compute_stop_table(300, 7, "low"))
    probabilities = stop_table[17:].reshape(44, 17, 17)
    assert np.allclose(probabilities.sum(axis=2), 1, atol=1e-5)
    assert "300 deals of low" in capsys.readouterr().out


@pytest.mark.parametrize("ends_in_gin", [True, False])
@pytest.mark.parametrize("scoring", range(3))
def test_continuation_value_averages_over_joker_positions(scoring, ends_in_gin):
    """Use deals that end in gin or at the end of the deck."""
    variant = ("solitaire-gin", "solitaire-gin-knock", "solitary-gin")[scoring]
    rules, values = build_rules_from_spec(variant), find_params_of_spec(variant)
    last_turn = 40 + 2 * (not ends_in_gin) if scoring < 2 else 15
    hands = np.array(
        [notation.cards_to_mask(RNG.sample(range(52), 10)) for _ in range(last_turn + 1)]
    )
    if ends_in_gin:
        hands[last_turn] = parse_hand_mask("5S 6S 7S 9H 9D 9C 2H 3H 4H 5H")
    deadwood_values = [
        reference.compute_deadwood(list_card_names(int(hand)), values) for hand in hands
    ]
    for turn in (last_turn - 5, last_turn - 1):
        expected = Fraction(20 if ends_in_gin else -deadwood_values[last_turn])
        if scoring < 2:
            cards_left, total = 43 - turn, 0
            for above in range(cards_left):
                if ends_in_gin and turn + above >= last_turn:
                    total += (
                        1 if scoring == 0 else above - (last_turn - turn) + int(rules.gin_bonus)
                    )
                elif scoring == 1:
                    total -= deadwood_values[turn + above]
            expected = Fraction(total, cards_left)
        value = script.compute_continuing_value(hands, turn, last_turn, ends_in_gin, scoring, rules)
        assert value == pytest.approx(float(expected))


def test_fit_recovers_known_linear_functions(monkeypatch):
    """Fit random linear functions without noise, with almost no prior."""
    monkeypatch.setattr(script, "PRIOR_WEIGHT_IN_HANDS", 1e-6)
    rng = np.random.default_rng(3)
    expected = rng.normal(size=(15, 11, 3))
    x = np.concatenate([np.ones((15, 11, 60, 1)), rng.integers(0, 40, (15, 11, 60, 2))], axis=3)
    y = (x @ expected[..., None])[..., 0]
    squares = np.einsum("tnki,tnkj->tnij", x, x)
    products = np.einsum("tnki,tnk->tni", x, y)
    fitted = script.fit_value_functions(np.concatenate([squares, products[..., None]], axis=3))
    assert fitted == pytest.approx(expected, abs=1e-5)


# Solo-champion: features, choices and training

SOLO_VARIANTS = ["solitaire-gin", "solitaire-gin-scored", "solitaire-gin-knock", "gin-solitaire"]
SOLO_VARIANTS.append("solitary-gin")


def list_discard_decisions(variant, n_deals=2):
    matchup = parse_matchup("solo-champion", None, variant, 11, "deal")
    decisions_by_deal = [trace_deal(matchup, unit).decisions for unit in range(n_deals)]
    return [
        decision
        for decisions in decisions_by_deal
        for decision in decisions
        if decision.slot == "discard"
    ]


def count_live_melds(cards, unseen):
    """Count the three-card melds of each card with two unseen cards."""
    return sum(
        is_three_card_meld((card, *pair)) for card in cards for pair in combinations(unseen, 2)
    )


def compute_features_by_name(hand, unseen, params):
    """Return the features of a hand as a dictionary by name."""
    n_unmatched = count_unmatched_cards(format_cards(hand), params)
    saved = [
        n_unmatched - max(0, count_unmatched_cards(format_cards([*hand, card]), params) - 1)
        for card in unseen
    ]
    n_saving_one, n_saving_two = saved.count(1), saved.count(2)
    n_saving_three = sum(n_saved >= 3 for n_saved in saved)
    unmatched = sorted(set(hand) - find_melded_cards(hand))
    isolated = [card for card, pairs in find_partner_types(unmatched).items() if not pairs]
    deadwood = reference.compute_deadwood(format_cards(hand), params)
    return {
        "constant": 1,
        "saves_one": n_saving_one / 10,
        "saves_two": n_saving_two / 10,
        "saves_three": n_saving_three / 10,
        "live_pairs": count_live_melds(unmatched, unseen) / 20,
        "unpaired": 0.3 * len(isolated),
        "deadwood": deadwood / 50,
        "saves_one_squared": n_saving_one * n_saving_one / 50,
        "saves_one_times_three": n_saving_one * n_saving_three / 50,
        "saves_three_squared": n_saving_three * n_saving_three / 50,
        "saves_one_times_two": n_saving_one * n_saving_two / 50,
        "unpaired_live_pairs": count_live_melds(isolated, unseen) / 50,
        "deadwood_squared": 0.0003 * deadwood * deadwood,
        "rank_and_suit_partners": 0.3
        * sum(len(pairs) == 2 for pairs in find_partner_types(unmatched).values()),
    }


@compile_cached
def write_features(hand, unseen, cards_left, value, rules, features):
    player.write_features(hand, unseen, cards_left, value, rules, features)


@compile_cached
def find_best_discards(view, n_discards, rules, table):
    return solo_two_draws.find_best_discards(view, n_discards, rules, table)


def test_solo_champion_features_agree_with_their_names():
    rules, params = hands.build_both_rules("solitaire-gin-scored")
    nonzero_features = set()
    for decision in list_discard_decisions("solitaire-gin-scored")[::10]:
        view = decision.view
        cards_left = int(view.deck_left)
        hand = [card for card in list_cards(view.hand) if card != decision.action]
        hand_mask = sum(1 << card for card in hand)
        x = np.full(player.N_WEIGHTS, 9.0)
        write_features(hand_mask, int(view.unseen), cards_left, 1.5, rules, x)
        expected = compute_features_by_name(hand, list_cards(view.unseen), params)
        offset = min(count_unmatched_cards(format_cards(hand), params), 7) * player.N_HAND_FEATURES
        features = x[offset : offset + player.N_HAND_FEATURES]
        feature_by_name = dict(zip((key for key, _ in player.HAND_FEATURES), features, strict=True))
        assert feature_by_name == pytest.approx(expected)
        assert x[player.TIME_LEFT_WEIGHTS_OFFSET :][
            offset : offset + player.N_HAND_FEATURES
        ] == pytest.approx(features * cards_left / 43)
        assert x[-1] == 1.5
        assert np.count_nonzero(x) == 2 * np.count_nonzero(features) + 1  # and 0 elsewhere
        nonzero_features |= {key for key, feature in expected.items() if feature}
    assert len(nonzero_features) >= player.N_HAND_FEATURES - 2  # few hands have such cards


@pytest.mark.parametrize("variant", SOLO_VARIANTS)
def test_solo_champion_makes_the_discard_of_highest_corrected_value(variant):
    rules, _ = hands.build_both_rules(variant)
    params = np.load(player.discard_by_corrected_value.weights).astype(float)
    offset = player.find_correction_offset(rules)
    weights = params[offset : offset + player.N_WEIGHTS]
    n_changed = 0
    for decision in list_discard_decisions(variant):
        view = decision.view
        cards_left = int(view.deck_left) if rules.max_draws < 0 else 15 - int(view.own_turn)
        if cards_left == (1 if rules.max_draws < 0 else 0):
            continue
        discards, values = find_best_discards(view, 4, rules, params[: player.DP_TABLE_SIZE])
        corrected = values.copy()
        for k, card in enumerate(discards):
            x = np.zeros(player.N_WEIGHTS)
            remaining = int(view.hand) & ~(1 << int(card))
            write_features(remaining, int(view.unseen), cards_left, values[k], rules, x)
            corrected[k] += x @ weights
        value_by_discard = dict(zip(discards.tolist(), corrected, strict=True))
        assert value_by_discard[decision.action] == pytest.approx(max(corrected), abs=1e-9)
        n_changed += corrected.argmax() != values.argmax()
    assert (n_changed > 0) == bool(weights.any())


def test_every_solitaire_variant_has_separate_weights():
    offsets = [
        player.find_correction_offset(hands.build_both_rules(variant)[0])
        for variant in SOLO_VARIANTS
    ]
    assert offsets == [player.DP_TABLE_SIZE + i * player.N_WEIGHTS for i in range(5)]
    assert list(training.TYPICAL_DIFFERENCE_BY_GAME) == SOLO_VARIANTS
    solo_names = {name for name in variants.variant_names() if variants.find_variant(name).is_solo}
    assert solo_names == set(SOLO_VARIANTS)


def test_weights_file_begins_with_the_search_table():
    params = np.load(player.discard_by_corrected_value.weights)
    assert params.size == player.DP_TABLE_SIZE + 5 * player.N_WEIGHTS
    table = np.load(STRATEGIES_DIRECTORY / "solo_dp.npy")
    assert params[: player.DP_TABLE_SIZE].tobytes() == table.tobytes()


@pytest.mark.parametrize("variant", SOLO_VARIANTS)
def test_deal_value_averages_over_joker_positions(variant):
    rules, _ = hands.build_both_rules(variant)
    last_turn = 12
    rng = np.random.default_rng(5)
    kept_hands = np.zeros(60, np.int64)
    for turn in range(last_turn):
        kept_hands[turn] = sum(1 << int(card) for card in rng.choice(52, 10, replace=False))
    kept_hands[last_turn] = 0b1111 | 0b111 << 13 | 0b111 << 26  # gin
    value = training.compute_mean_deal_value(kept_hands, 3, last_turn, rules)
    if variant == "solitary-gin":
        assert value == -rules.penalty_gin
        return
    outcomes = []
    for n_drawn in range(43 - 3):  # cards drawn before the joker comes
        if 3 + n_drawn >= last_turn:
            above = n_drawn - (last_turn - 3)
            points = above + rules.gin_bonus
            outcomes.append(1.0 if variant == "solitaire-gin" else float(points))
        else:
            hand_names = list_card_names(int(kept_hands[3 + n_drawn]))
            deadwood = reference.compute_deadwood(hand_names, hands.build_both_rules(variant)[1])
            outcomes.append(0.0 if variant == "solitaire-gin" else -float(deadwood))
    assert value == pytest.approx(np.mean(outcomes))


def test_regression_recovers_known_weights():
    """Solve least-squares equations of features without noise."""
    rng = np.random.default_rng(2)
    expected = rng.normal(size=player.N_WEIGHTS)
    squares, products = np.zeros((player.N_WEIGHTS, player.N_WEIGHTS)), np.zeros(player.N_WEIGHTS)
    for _ in range(1000):
        features = rng.normal(size=player.N_WEIGHTS)
        training.add_difference_sums(
            features, features[-1] + features @ expected, squares, products
        )
    assert np.linalg.solve(squares, products) == pytest.approx(expected)


@pytest.mark.slow
def test_solo_champion_training_is_reproducible(capsys):
    variant_names = ["solitaire-gin-scored", "solitary-gin"]
    weights = training.train_corrections(variant_names, 30, 20, 5)
    assert weights.size == player.DP_TABLE_SIZE + 5 * player.N_WEIGHTS
    assert capsys.readouterr().out.count("±") == len(variant_names)
    learning_kernel, _ = training.compile_kernels()
    first, repeated, other_seed = (
        training.fit_correction(variant_names[0], 30, seed, learning_kernel) for seed in (5, 5, 6)
    )
    assert first.any()
    assert first.tobytes() == repeated.tobytes() != other_seed.tobytes()
