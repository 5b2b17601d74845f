"""Compare toolkit functions about hands and opponents with the reference implementation."""

import random
from math import prod

import numpy as np
import pytest

from oracles import reference
from simgin import toolkit
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from support.hands import (
    CARD_NAMES,
    build_both_rules,
    deal_meld_rich_hand,
    list_card_names,
    to_mask,
)

RNG = random.Random()
VARIANT_NAMES = variants.variant_names()


@pytest.fixture(autouse=True)
def seed_rng():
    """Seed the generator, so that the order of the tests does not matter."""
    RNG.seed(20261122)


def sample_cards(max_cards):
    """Return a random set of cards, which is rich in melds in half of the calls."""
    candidates = [card for card in reference.PACK if card[0] in "56789"]
    candidates = candidates if RNG.random() < 0.5 else list(reference.PACK)
    return frozenset(
        RNG.sample(candidates, RNG.randint(max_cards // 2, min(max_cards, len(candidates))))
    )


@pytest.mark.parametrize("variant", VARIANT_NAMES)
def test_extensions_of_a_hand_agree_with_the_reference(variant):
    rules, params = build_both_rules(variant)
    n_extensions = 0
    for _ in range(40):
        hand = sample_cards(11)
        melds = reference.find_melds([card for card in reference.PACK if card in hand], params)
        expected = {
            card
            for card in reference.PACK
            if card not in hand
            and any(reference.melds.is_extendable_by(meld, [card], params) for meld in melds)
        }
        assert toolkit.extension_cards(to_mask(hand), rules) == to_mask(expected)
        n_extensions += len(expected)
    assert n_extensions > 20


@pytest.mark.parametrize("variant", VARIANT_NAMES)
def test_unmatched_cards_agree_with_the_reference(variant):
    """Check also that preferred cards are left over before others."""
    rules, params = build_both_rules(variant)
    for _ in range(25):
        hand, preferred = sample_cards(11), sample_cards(40)
        cards = [card for card in reference.PACK if card in hand]
        unmatched_sets = [
            set(cards).difference(*melding)
            for melding in reference.find_optimal_meldings(cards, params)
        ]
        assert toolkit.unmatched_cards(to_mask(hand), rules) == to_mask(
            set().union(*unmatched_sets)
        )
        leftover = set(
            list_card_names(toolkit.leftover_cards(to_mask(hand), to_mask(preferred), rules))
        )
        assert leftover in unmatched_sets
        assert not any(leftover & preferred < unmatched & preferred for unmatched in unmatched_sets)


@pytest.mark.parametrize("variant", VARIANT_NAMES)
def test_outs_and_deadwood_after_draws_agree_with_the_reference(variant):
    rules, params = build_both_rules(variant)
    output = np.empty(52, np.int64)
    for _ in range(6):
        hand = RNG.sample(reference.PACK, 10)
        others = [card for card in reference.PACK if card not in hand]
        melds = {card: reference.find_melds([*hand, card], params) for card in others}
        outs = {card for card in others if any(card in meld for meld in melds[card])}
        assert toolkit.outs(to_mask(hand), rules) == to_mask(outs)
        draws = RNG.sample(others, 5)
        assert toolkit.count_outs(to_mask(hand), to_mask(draws), rules) == len(outs & set(draws))
        n = toolkit.deadwood_after_draws(to_mask(hand), to_mask(draws), rules, output)
        expected = [
            min(
                reference.compute_deadwood({*hand, card} - {discard}, params)
                for discard in {*hand, card}
            )
            for card in CARD_NAMES
            if card in draws
        ]
        assert output[:n].tolist() == expected
        tally = np.zeros(40, np.int64)
        assert toolkit.tally_deadwood_after_draws(to_mask(hand), to_mask(draws), rules, tally) == n
        assert tally.tolist() == np.bincount(np.minimum(expected, 39), minlength=40).tolist()


@pytest.mark.parametrize("variant", VARIANT_NAMES)
def test_meld_probability_agrees_with_enumeration(variant):
    rules, params = build_both_rules(variant)
    melds = [meld for meld in reference.list_all_melds(params) if len(meld) == 3]
    probabilities = np.array(
        [RNG.choice([0, 1, RNG.random()]) * (RNG.random() < 0.3) for _ in CARD_NAMES]
    )
    probability_by_card = dict(zip(CARD_NAMES, probabilities.tolist(), strict=True))
    for index, card in enumerate(CARD_NAMES):
        meld_probabilities = [
            prod(probability_by_card[other] for other in meld - {card})
            for meld in melds
            if card in meld
        ]
        expected = 1 - prod(1 - probability for probability in meld_probabilities)
        assert toolkit.meld_probability(index, probabilities, rules) == pytest.approx(expected)


# The table of mean deadwood

N_DEALS, N_TURNS, MAX_STANDARD_ERRORS = (250, 8, 4.5)  # one false alarm in ten thousand


def iter_deadwood_by_turn(deal):
    """Yield (number of own turns, deadwood) after every turn of both players."""
    params = deal.matchup.variant.params
    hands = [set(list_card_names(hand)) for hand in deal.hands]
    own_turns = [0, 0]
    for seat, _, drawn_card, discard in deal.turns:
        if discard < 0:
            return
        hands[seat] ^= (
            {*list_card_names(1 << drawn_card), *list_card_names(1 << discard)}
            if drawn_card != discard
            else set()
        )
        own_turns[seat] += 1
        yield own_turns[seat], reference.compute_deadwood(hands[seat], params)


def test_expected_deadwood_agrees_with_played_deals():
    """Check also that the table never rises."""
    matchup = parse_matchup("gold-early", "gold-early", "standard", 77, "deal")
    deadwood_by_turn = {turn: [] for turn in range(1, N_TURNS + 1)}
    for unit in range(N_DEALS):
        for turn, deadwood in iter_deadwood_by_turn(trace_deal(matchup, unit)):
            if turn in deadwood_by_turn:
                deadwood_by_turn[turn].append(deadwood)
    for turn, deadwood_values in deadwood_by_turn.items():
        error = np.std(deadwood_values) / len(deadwood_values) ** 0.5
        assert (
            abs(np.mean(deadwood_values) - toolkit.expected_deadwood(turn))
            < MAX_STANDARD_ERRORS * error
        ), turn
    table = [toolkit.expected_deadwood(turn) for turn in range(60)]
    assert table == sorted(table, reverse=True)
    assert abs(table[0] - 56.565) < 0.5  # the mean of a dealt hand, rules.md 15.2


@pytest.mark.parametrize("variant", VARIANT_NAMES)
def test_gin_draws_agree_with_the_reference(variant):
    rules, params = build_both_rules(variant)
    n_gin_draws = 0
    for _ in range(60):
        hand = frozenset(list_card_names(deal_meld_rich_hand(RNG, 10, params["ace_runs"])))
        draws = [card for card in sample_cards(40) if card not in hand]
        expected = 0
        if len(hand - set().union(*reference.find_melds(list(hand), params))) <= 3:
            for card in draws:
                hand_with_card = {*hand, card}
                expected += any(
                    reference.compute_deadwood(hand_with_card - {discard}, params) == 0
                    for discard in hand_with_card
                )
        assert toolkit.count_gin_draws(to_mask(hand), to_mask(draws), rules) == expected
        n_gin_draws += expected
    assert n_gin_draws > 20
