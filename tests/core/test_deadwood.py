"""Deadwood, best discards and their helpers against the twin, brute force and rules.md 3.2."""

import random

import pytest

from oracles import twin
from simgin.core.deadwood import best_discards, deadwood, deadwood_of, deadwood_with, meldable
from support import hands

NOTHING = 1 << 20  # the count where there is no discard or no meld


def ace_runs_of(text):
    return hands.game(text)[1]["ace_runs"]


def sample(text, seed, n_dealt, n_rich):
    """Mostly hands of ten cards, some of eleven and some of fewer."""
    rng = random.Random(f"{text} {seed}")
    sizes = [10] * 12 + [11] * 6 + [9, 8, 7, 6, 5, 4, 3]
    for i in range(n_dealt):
        yield hands.dealt(rng, sizes[i % len(sizes)])
    for i in range(n_rich):
        yield hands.meld_rich(rng, sizes[i % len(sizes)], ace_runs_of(text))


@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_deadwood_agrees_with_the_twin(text, times):
    """Compare hands in every set of card values, for stopper and defender."""
    games = [hands.game(text + values) for values in hands.VALUES]
    for hand in sample(text, times, 2_000 * times, 1_250 * times):
        cards = hands.names(hand)
        for rules, row in games:
            assert deadwood(hand, rules) == twin.deadwood(cards, row), cards
        rules, row = games[1]  # the row where the defender's ace differs
        assert deadwood_of(hand, rules, 1) == twin.deadwood(cards, row, "defender"), cards


def test_the_deadwood_of_at_most_one_card_is_its_value():
    rules, row = hands.game("standard")
    assert deadwood(0, rules) == 0
    values = twin.card_values(row)
    for card, name in enumerate(hands.NAMES):
        assert deadwood(1 << card, rules) == values[name]


# Discards


@pytest.mark.parametrize("values", hands.VALUES)
@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_best_discards_agree_with_trying_every_discard(text, values):
    rules, _ = hands.game(text + values)
    rng = random.Random(f"{text}{values} discards")
    for i in range(800):
        hand = hands.dealt(rng, 11) if i % 3 == 0 else hands.meld_rich(rng, 11, ace_runs_of(text))
        one = 1 << rng.choice(hands.members(hand))
        legal = hand & (rng.getrandbits(52) if i % 4 == 0 else ~one)
        left = {card: deadwood(hand ^ 1 << card, rules) for card in hands.members(legal)}
        least = min(left.values(), default=NOTHING)
        best = sum(1 << card for card, count in left.items() if count == least)
        assert best_discards(hand, legal, rules) == (least, best), hands.names(hand)
        if i % 3 == 1:  # and all eleven
            assert best_discards(hand, hand, rules)[0] == min(
                deadwood(hand ^ 1 << card, rules) for card in hands.members(hand)
            )


@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_deadwood_with_a_card_kept_in_a_meld_agrees_with_the_twin(text):
    rules, row = hands.game(text)
    rng = random.Random(f"{text} with")
    for i in range(150):
        hand = hands.meld_rich(rng, 10 + i % 2, row["ace_runs"])
        cards = hands.names(hand)
        melds = twin.melds_in(cards, row)
        for card in cards:
            rests = [set(cards).difference(meld) for meld in melds if card in meld]
            want = min((twin.deadwood(rest, row) for rest in rests), default=NOTHING)
            assert deadwood_with(hand, hands.NAMES.index(card), rules) == want, (cards, card)


@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_meldable_cards_agree_with_the_twin(text):
    rules, row = hands.game(text)
    for hand in sample(text, 4, 1_000, 1_500):
        melded = {card for meld in twin.melds_in(hands.names(hand), row) for card in meld}
        assert meldable(hand, rules) == hands.mask(melded)
