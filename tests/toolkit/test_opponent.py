"""Helpers about hands and opponents, against plain definitions over lists of melds and cards."""

import random
from math import prod

import numpy as np
import pytest

from oracles import reference
from simgin import toolkit
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from support.hands import NAMES, game, mask, meld_rich_hand, names

LOT = random.Random()
ROWS = variants.variant_names()


@pytest.fixture(autouse=True)
def _the_same_cards_in_any_order_of_tests():
    LOT.seed(20261122)


def random_cards(most):
    """Return a random set of cards; every other set is rich in melds."""
    pack = [card for card in reference.PACK if card[0] in "56789"]
    pack = pack if LOT.random() < 0.5 else list(reference.PACK)
    return frozenset(LOT.sample(pack, LOT.randint(most // 2, min(most, len(pack)))))


@pytest.mark.parametrize("text", ROWS)
def test_extensions_of_a_hand_agree_with_the_reference(text):
    rules, row = game(text)
    found = 0
    for _ in range(40):
        hand = random_cards(11)
        melds = reference.find_melds([card for card in reference.PACK if card in hand], row)
        want = {
            card
            for card in reference.PACK
            if card not in hand
            and any(reference.melds.is_extendable_by(meld, [card], row) for meld in melds)
        }
        assert toolkit.extension_cards(mask(hand), rules) == mask(want)
        found += len(want)
    assert found > 20


@pytest.mark.parametrize("text", ROWS)
def test_some_best_melding_leaves_the_unmatched_cards(text):
    """The preferred cards are left over before others of their melds."""
    rules, row = game(text)
    for _ in range(25):
        hand, first = random_cards(11), random_cards(40)
        cards = [card for card in reference.PACK if card in hand]
        left = [
            set(cards).difference(*melding)
            for melding in reference.find_optimal_meldings(cards, row)
        ]
        assert toolkit.unmatched_cards(mask(hand), rules) == mask(set().union(*left))
        over = set(names(toolkit.leftover_cards(mask(hand), mask(first), rules)))
        assert over in left
        assert not any(over & first < other & first for other in left)


@pytest.mark.parametrize("text", ROWS)
def test_the_prospects_of_a_hand_agree_with_their_definition(text):
    rules, row = game(text)
    room = np.empty(52, np.int64)
    for _ in range(6):
        hand = LOT.sample(reference.PACK, 10)
        others = [card for card in reference.PACK if card not in hand]
        melds = {card: reference.find_melds([*hand, card], row) for card in others}
        outs = {card for card in others if any(card in meld for meld in melds[card])}
        assert toolkit.outs(mask(hand), rules) == mask(outs)
        drawn = LOT.sample(others, 5)
        assert toolkit.count_outs(mask(hand), mask(drawn), rules) == len(outs & set(drawn))
        n = toolkit.deadwood_after_draws(mask(hand), mask(drawn), rules, room)
        want = [
            min(reference.compute_deadwood({*hand, card} - {gone}, row) for gone in {*hand, card})
            for card in NAMES
            if card in drawn
        ]
        assert room[:n].tolist() == want
        tally = np.zeros(40, np.int64)
        assert toolkit.tally_deadwood_after_draws(mask(hand), mask(drawn), rules, tally) == n
        assert tally.tolist() == np.bincount(np.minimum(want, 39), minlength=40).tolist()


@pytest.mark.parametrize("text", ROWS)
def test_the_probability_of_a_meld_with_a_card_agrees_with_counting(text):
    rules, row = game(text)
    melds = [meld for meld in reference.list_all_melds(row) if len(meld) == 3]
    chances = np.array([LOT.choice([0, 1, LOT.random()]) * (LOT.random() < 0.3) for _ in NAMES])
    held = dict(zip(NAMES, chances.tolist(), strict=True))
    for number, card in enumerate(NAMES):
        ways = [prod(held[o] for o in meld - {card}) for meld in melds if card in meld]
        want = 1 - prod(1 - way for way in ways)
        assert toolkit.meld_probability(number, chances, rules) == pytest.approx(want)


# The table of mean deadwood

DEALS, TURNS, SURE = 250, 8, 4.5  # standard errors: one false alarm in random_cards ten thousand


def deadwood_before_turns(played):
    """Yield (number of turns, least deadwood of ten cards) before every own turn, by seat."""
    row = played.matchup.variant.params
    hands = [set(names(hand)) for hand in played.hands]
    had = [0, 0]
    for seat, _, drawn, thrown in played.turns:
        if thrown < 0:
            return
        hands[seat] ^= {*names(1 << drawn), *names(1 << thrown)} if drawn != thrown else set()
        had[seat] += 1
        yield had[seat], reference.compute_deadwood(hands[seat], row)


def test_the_table_of_expected_counts_agrees_with_play():
    """The means of another sample agree with the table turn by turn, and the table never rises."""
    pairing = parse_matchup("gold-early", "gold-early", "standard", 77, "deal")
    seen = {turn: [] for turn in range(1, TURNS + 1)}
    for unit in range(DEALS):
        for turn, count in deadwood_before_turns(trace_deal(pairing, unit)):
            if turn in seen:
                seen[turn].append(count)
    for turn, counts in seen.items():
        error = np.std(counts) / len(counts) ** 0.5
        assert abs(np.mean(counts) - toolkit.expected_deadwood(turn)) < SURE * error, turn
    table = [toolkit.expected_deadwood(turn) for turn in range(60)]
    assert table == sorted(table, reverse=True)
    assert abs(table[0] - 56.565) < 0.5  # the mean of a dealt hand, rules.md 15.2


@pytest.mark.parametrize("text", ROWS)
def test_the_draws_that_make_gin_agree_with_their_definition(text):
    rules, row = game(text)
    found = 0
    for _ in range(60):
        hand = frozenset(names(meld_rich_hand(LOT, 10, row["ace_runs"])))
        drawn = [card for card in random_cards(40) if card not in hand]
        want = 0
        if len(hand - set().union(*reference.find_melds(list(hand), row))) <= 3:
            for card in drawn:
                eleven = {*hand, card}
                want += any(
                    reference.compute_deadwood(eleven - {gone}, row) == 0 for gone in eleven
                )
        assert toolkit.count_gin_draws(mask(hand), mask(drawn), rules) == want
        found += want
    assert found > 20
