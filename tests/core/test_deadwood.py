"""Tests of deadwood and best discards against the reference implementation and rules.md 3.2."""

import random
from collections import Counter

import numpy as np
import pytest

from oracles import reference
from simgin.core.deadwood import (
    best_discards,
    cards_in_melds,
    compute_deadwood_for_side,
    deadwood,
    deadwood_with_melded,
)
from simgin.core.layoff import MAX_LAYOFF_OPTIONS, lay_off
from support import hands

NO_DEADWOOD = 1 << 20  # the deadwood if there is no discard or no meld


def read_ace_runs(text):
    return hands.game(text)[1]["ace_runs"]


def sample_hands(text, seed, n_dealt, n_rich):
    """Return hands of ten cards, some of eleven and some of fewer."""
    rng = random.Random(f"{text} {seed}")
    sizes = [10] * 12 + [11] * 6 + [9, 8, 7, 6, 5, 4, 3]
    for i in range(n_dealt):
        yield hands.deal_hand(rng, sizes[i % len(sizes)])
    for i in range(n_rich):
        yield hands.meld_rich_hand(rng, sizes[i % len(sizes)], read_ace_runs(text))


@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_deadwood_agrees_with_the_reference(text, times):
    """Compare hands in every set of card values, for the knocker and the defender."""
    games = [hands.game(text + values) for values in hands.VALUES]
    for hand in sample_hands(text, times, 1_000 * times, 625 * times):
        cards = hands.names(hand)
        for rules, row in games:
            assert deadwood(hand, rules) == reference.compute_deadwood(cards, row), cards
        rules, row = games[1]  # the row in which the defender's ace differs
        assert compute_deadwood_for_side(hand, rules, 1) == reference.compute_deadwood(
            cards, row, "defender"
        ), cards


@pytest.mark.parametrize("values", hands.VALUES)
@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_best_discards_agree_with_trying_every_discard(text, values):
    rules, _ = hands.game(text + values)
    rng = random.Random(f"{text}{values} discards")
    for i in range(400):
        hand = (
            hands.deal_hand(rng, 11)
            if i % 3 == 0
            else hands.meld_rich_hand(rng, 11, read_ace_runs(text))
        )
        one = 1 << rng.choice(hands.members(hand))
        legal = hand & (rng.getrandbits(52) if i % 4 == 0 else ~one)
        left = {card: deadwood(hand ^ 1 << card, rules) for card in hands.members(legal)}
        least = min(left.values(), default=NO_DEADWOOD)
        best = sum(1 << card for card, count in left.items() if count == least)
        assert best_discards(hand, legal, rules) == (least, best), hands.names(hand)
        if i % 3 == 1:  # and all eleven cards
            left = [deadwood(hand ^ 1 << card, rules) for card in hands.members(hand)]
            assert best_discards(hand, hand, rules)[0] == min(left)


@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_deadwood_with_a_card_kept_in_a_meld_agrees_with_the_reference(text):
    rules, row = hands.game(text)
    rng = random.Random(f"{text} with")
    for i in range(150):
        hand = hands.meld_rich_hand(rng, 10 + i % 2, row["ace_runs"])
        cards = hands.names(hand)
        melds = reference.find_melds(cards, row)
        for card in cards:
            rests = [set(cards).difference(meld) for meld in melds if card in meld]
            want = min(
                (reference.compute_deadwood(rest, row) for rest in rests), default=NO_DEADWOOD
            )
            assert deadwood_with_melded(hand, hands.NAMES.index(card), rules) == want, (cards, card)


@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_meldable_cards_agree_with_the_reference(text):
    rules, row = hands.game(text)
    for hand in sample_hands(text, 4, 1_000, 1_500):
        melded = {card for meld in reference.find_melds(hands.names(hand), row) for card in meld}
        assert cards_in_melds(hand, rules) == hands.mask(melded)


ACES = ("", "+defender_ace_value=15")


def engine_layoff(hand, melds, rules):
    """Return the engine's deadwood after lay-offs, and the mask of the cards laid off."""
    shown = np.zeros(3, np.int64)
    shown[: len(melds)] = melds
    options = np.zeros((4, MAX_LAYOFF_OPTIONS), np.int64)
    count, laid = lay_off(hand, shown, rules, options[:3], np.zeros((2, 16), np.int64))
    assert not options[3].any()  # only the first three rows are of the engine
    return int(count), int(laid)


def min_laid_off(melds, cards, row, count):
    """Return the smallest number of laid-off cards that leaves this deadwood."""
    choices = [reference.layoff.list_extensions(meld, cards, row) for meld in melds]
    best = len(cards)
    for way in reference.layoff._iter_layoffs(choices, frozenset()):
        laid = frozenset().union(*way)
        if (
            len(laid) < best
            and reference.compute_deadwood(set(cards) - laid, row, "defender") == count
        ):
            best = len(laid)
    return best


def sample_shown_melds(rng, row):
    """Return one to three disjoint melds of at most eleven cards, as a knocker can show them."""
    melds, wanted = [], rng.choice([1, 2, 2, 3, 3])
    for meld in rng.sample(hands.all_meld_masks(row["ace_runs"]), 60):
        used = sum(melds)
        ranks, suits = map(len, map(set, zip(*hands.names(meld), strict=True)))
        is_rainbow = ranks > 1 and suits > 1
        fits = not meld & used and (meld | used).bit_count() <= 11
        if fits and (row["rainbow"] or not is_rainbow):
            melds.append(meld)
        if len(melds) == wanted:
            break
    return melds


def sample_defender(rng, row, melds):
    """Return ten other cards: as dealt, made of melds, or near the melds shown."""
    used = sum(melds)
    kind = rng.random()
    if kind < 0.25:
        return hands.deal_hand(rng, 10, [card for card in range(52) if not used >> card & 1])
    hand = hands.hand_of_melds(rng, 10, row["ace_runs"], used)
    if kind < 0.6:
        spare = [card for card in range(52) if not used >> card & 1]
        near = [card for meld in melds for card in spare if is_near_meld(card, meld)]
        for card in rng.sample(near, min(len(near), 7)):
            if not hand >> card & 1:
                hand ^= 1 << rng.choice(hands.members(hand)) | 1 << card
    return hand


def is_near_meld(card, meld):
    """Return True if a card has the rank, or the suit within four ranks, of a card of a meld."""
    return any(
        card % 13 == other % 13
        or (card // 13 == other // 13 and min((card - other) % 13, (other - card) % 13) <= 4)
        for other in hands.members(meld)
    )


@pytest.mark.parametrize("n", [400, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ace", ACES)
@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_the_defenders_count_agrees_with_the_reference(text, ace, n):
    rules, row = hands.game(text + ace)
    rng = random.Random(f"{text}{ace} lay off")
    seen = Counter()
    for _ in range(n):
        melds = sample_shown_melds(rng, row)
        hand = sample_defender(rng, row, melds)
        cards, texts = hands.names(hand), [hands.names(meld) for meld in melds]
        count, laid = engine_layoff(hand, melds, rules)
        assert count == reference.find_best_layoff(texts, cards, row).deadwood, (texts, cards)
        assert laid & ~hand == 0 and compute_deadwood_for_side(hand & ~laid, rules, 1) == count
        assert laid.bit_count() == min_laid_off(texts, cards, row, count), (texts, cards)
        seen["cards", min(laid.bit_count(), 3)] += 1
        own = reference.find_optimal_meldings(cards, row, "defender")[
            0
        ]  # in which the joint choice matters
        seen["joint"] += laid & hands.mask(card for meld in own for card in meld) != 0
    assert min(seen["cards", n] for n in range(4)) >= n // 100 and seen["joint"] >= n // 400, seen


@pytest.mark.parametrize("text", ["standard+ace_runs=corner", "standard+ace_runs=high_or_low"])
def test_long_chains_of_lay_offs_agree_with_the_reference(text):
    """Lay off the rest of the suit, held by the defender, on every run of three."""
    rules, row = hands.game(text)
    for meld in reference.find_melds(reference.PACK[:13], row):
        if len(meld) == 3:
            rest = [card for card in reference.PACK[:13] if card not in meld]
            count, _ = engine_layoff(hands.mask(rest), [0, 0, hands.mask(meld)], rules)
            assert count == reference.find_best_layoff([meld], rest, row).deadwood
