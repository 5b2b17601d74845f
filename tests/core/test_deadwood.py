"""Tests of deadwood and best discards against the reference implementation and rules.md 3.2."""

import random
from collections import Counter

import numpy as np
import pytest

from oracles import reference
from simgin.core.deadwood import (
    best_discards,
    cards_in_melds,
    compute_deadwood_for_role,
    deadwood,
    deadwood_with_melded,
)
from simgin.core.layoff import MAX_LAYOFF_OPTIONS, lay_off
from support import hands

INFINITE_DEADWOOD = 1 << 20  # the deadwood if there is no discard or no meld


def get_ace_runs_rule(variant):
    return hands.build_both_rules(variant)[1]["ace_runs"]


def sample_hands(variant, seed, n_dealt, n_meld_rich):
    """Yield dealt hands and hands with many melds, of three to eleven cards."""
    rng = random.Random(f"{variant} {seed}")
    sizes = [10] * 12 + [11] * 6 + [9, 8, 7, 6, 5, 4, 3]
    for i in range(n_dealt):
        yield hands.deal_hand(rng, sizes[i % len(sizes)])
    for i in range(n_meld_rich):
        yield hands.deal_meld_rich_hand(rng, sizes[i % len(sizes)], get_ace_runs_rule(variant))


@pytest.mark.parametrize("n_repeats", [1, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", hands.MELD_VARIANTS)
def test_deadwood_agrees_with_the_reference(variant, n_repeats):
    """Compare hands under every set of card values, for the knocker and the defender."""
    games = [hands.build_both_rules(variant + values) for values in hands.CARD_VALUE_SETTINGS]
    for hand in sample_hands(variant, n_repeats, 1_000 * n_repeats, 625 * n_repeats):
        cards = hands.list_card_names(hand)
        for rules, row in games:
            assert deadwood(hand, rules) == reference.compute_deadwood(cards, row), cards
        rules, row = games[1]  # the row in which the defender's ace differs
        assert compute_deadwood_for_role(hand, rules, 1) == reference.compute_deadwood(
            cards, row, "defender"
        ), cards


@pytest.mark.parametrize("card_values", hands.CARD_VALUE_SETTINGS)
@pytest.mark.parametrize("variant", hands.MELD_VARIANTS)
def test_best_discards_agree_with_trying_every_discard(variant, card_values):
    rules, _ = hands.build_both_rules(variant + card_values)
    rng = random.Random(f"{variant}{card_values} discards")
    for i in range(400):
        hand = (
            hands.deal_hand(rng, 11)
            if i % 3 == 0
            else hands.deal_meld_rich_hand(rng, 11, get_ace_runs_rule(variant))
        )
        excluded = 1 << rng.choice(hands.list_cards(hand))
        legal = hand & (rng.getrandbits(52) if i % 4 == 0 else ~excluded)
        deadwood_by_discard = {
            card: deadwood(hand ^ 1 << card, rules) for card in hands.list_cards(legal)
        }
        least = min(deadwood_by_discard.values(), default=INFINITE_DEADWOOD)
        best = sum(1 << card for card, left in deadwood_by_discard.items() if left == least)
        assert best_discards(hand, legal, rules) == (least, best), hands.list_card_names(hand)
        if i % 3 == 1:  # and all eleven cards
            deadwood_by_discard = [
                deadwood(hand ^ 1 << card, rules) for card in hands.list_cards(hand)
            ]
            assert best_discards(hand, hand, rules)[0] == min(deadwood_by_discard)


@pytest.mark.parametrize("variant", hands.MELD_VARIANTS)
def test_deadwood_with_a_melded_card_agrees_with_the_reference(variant):
    rules, row = hands.build_both_rules(variant)
    rng = random.Random(f"{variant} with")
    for i in range(150):
        hand = hands.deal_meld_rich_hand(rng, 10 + i % 2, row["ace_runs"])
        cards = hands.list_card_names(hand)
        melds = reference.find_melds(cards, row)
        for card in cards:
            remainders = [set(cards).difference(meld) for meld in melds if card in meld]
            expected = min(
                (reference.compute_deadwood(remainder, row) for remainder in remainders),
                default=INFINITE_DEADWOOD,
            )
            assert deadwood_with_melded(hand, hands.CARD_NAMES.index(card), rules) == expected, (
                cards,
                card,
            )


@pytest.mark.parametrize("variant", hands.MELD_VARIANTS)
def test_cards_in_melds_agree_with_the_reference(variant):
    rules, row = hands.build_both_rules(variant)
    for hand in sample_hands(variant, 4, 1_000, 1_500):
        melded = {
            card for meld in reference.find_melds(hands.list_card_names(hand), row) for card in meld
        }
        assert cards_in_melds(hand, rules) == hands.to_mask(melded)


DEFENDER_ACE_RULES = ("", "+defender_ace_value=15")


def lay_off_with_engine(hand, melds, rules):
    """Lay off cards with the engine, and return the deadwood left and the mask of these cards."""
    shown = np.zeros(3, np.int64)
    shown[: len(melds)] = melds
    options = np.zeros((4, MAX_LAYOFF_OPTIONS), np.int64)
    left, laid = lay_off(hand, shown, rules, options[:3], np.zeros((2, 16), np.int64))
    assert not options[3].any()  # only the first three rows are of the engine
    return int(left), int(laid)


def count_min_laid_off(melds, cards, params, deadwood_left):
    """Return the smallest number of laid-off cards that leaves the given deadwood."""
    choices = [reference.layoff.list_extensions(meld, cards, params) for meld in melds]
    best = len(cards)
    for choice in reference.layoff._iter_layoffs(choices, frozenset()):
        laid = frozenset().union(*choice)
        if (
            len(laid) < best
            and reference.compute_deadwood(set(cards) - laid, params, "defender") == deadwood_left
        ):
            best = len(laid)
    return best


def sample_shown_melds(rng, params):
    """Sample one to three disjoint melds that a knocker can show."""
    melds, n_melds = [], rng.choice([1, 2, 2, 3, 3])
    for meld in rng.sample(hands.list_meld_masks(params["ace_runs"]), 60):
        used = sum(melds)
        ranks, suits = map(len, map(set, zip(*hands.list_card_names(meld), strict=True)))
        is_rainbow = ranks > 1 and suits > 1
        fits = not meld & used and (meld | used).bit_count() <= 11
        if fits and (params["rainbow"] or not is_rainbow):
            melds.append(meld)
        if len(melds) == n_melds:
            break
    return melds


def sample_defender_hand(rng, params, melds):
    """Sample a defender's hand that is as dealt, rich in melds, or close to the melds shown."""
    used = sum(melds)
    kind = rng.random()
    if kind < 0.25:
        return hands.deal_hand(rng, 10, [card for card in range(52) if not used >> card & 1])
    hand = hands.deal_melds(rng, 10, params["ace_runs"], used)
    if kind < 0.6:
        free_cards = [card for card in range(52) if not used >> card & 1]
        nearby = [card for meld in melds for card in free_cards if is_near_meld(card, meld)]
        for card in rng.sample(nearby, min(len(nearby), 7)):
            if not hand >> card & 1:
                hand ^= 1 << rng.choice(hands.list_cards(hand)) | 1 << card
    return hand


def is_near_meld(card, meld):
    """Return True if a card has the rank of a card of the meld or is close to it in the suit."""
    return any(
        card % 13 == other % 13
        or (card // 13 == other // 13 and min((card - other) % 13, (other - card) % 13) <= 4)
        for other in hands.list_cards(meld)
    )


@pytest.mark.parametrize("n", [250, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ace_value", DEFENDER_ACE_RULES)
@pytest.mark.parametrize("variant", hands.MELD_VARIANTS)
def test_lay_offs_agree_with_the_reference(variant, ace_value, n):
    rules, row = hands.build_both_rules(variant + ace_value)
    rng = random.Random(f"{variant}{ace_value} lay off")
    case_counts = Counter()
    for _ in range(n):
        melds = sample_shown_melds(rng, row)
        hand = sample_defender_hand(rng, row, melds)
        cards, meld_cards = (
            hands.list_card_names(hand),
            [hands.list_card_names(meld) for meld in melds],
        )
        left, laid = lay_off_with_engine(hand, melds, rules)
        assert left == reference.find_best_layoff(meld_cards, cards, row).deadwood, (
            meld_cards,
            cards,
        )
        assert laid & ~hand == 0 and compute_deadwood_for_role(hand & ~laid, rules, 1) == left
        assert laid.bit_count() == count_min_laid_off(meld_cards, cards, row, left), (
            meld_cards,
            cards,
        )
        case_counts["cards", min(laid.bit_count(), 3)] += 1
        own_melds = reference.find_optimal_meldings(cards, row, "defender")[
            0
        ]  # in which the joint choice matters
        case_counts["joint"] += (
            laid & hands.to_mask(card for meld in own_melds for card in meld) != 0
        )
    assert (
        min(case_counts["cards", n] for n in range(4)) >= n // 100
        and case_counts["joint"] >= n // 400
    ), case_counts


@pytest.mark.parametrize("variant", ["standard+ace_runs=corner", "standard+ace_runs=high_or_low"])
def test_long_chains_of_lay_offs_agree_with_the_reference(variant):
    """Lay off the rest of the suit on every run of three."""
    rules, row = hands.build_both_rules(variant)
    for meld in reference.find_melds(reference.PACK[:13], row):
        if len(meld) == 3:
            rest = [card for card in reference.PACK[:13] if card not in meld]
            left, _ = lay_off_with_engine(hands.to_mask(rest), [0, 0, hands.to_mask(meld)], rules)
            assert left == reference.find_best_layoff([meld], rest, row).deadwood
