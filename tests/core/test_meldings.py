"""Tests of the melding that is shown (rules.md 3.5) against the reference implementation."""

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from oracles import reference
from simgin.core import meldings
from simgin.core.bitboard import HUGE_DEADWOOD
from simgin.core.endings import find_shot_ranks
from support import hands

CARD_VALUE_RULES = ("", "+pip_values=five_ten+ace_value=15")


class EngineMeldFinder:
    """Functions of the engine that find meldings, called with scratch arrays."""

    def __init__(self, rules):
        """Allocate the arrays."""
        self.found = np.zeros(meldings.MAX_MELDS, np.int64)
        self.keys, self.rows = (np.zeros((meldings.MAX_MELDINGS, 3), np.int64) for _ in range(2))
        self.rules, self.scratch = rules, (rules, self.found, self.keys, self.rows)

    def find_shown_melding(self, hand, discard=0, required_card=-1, ranks_left=-1):
        """Return the deadwood and the shown melds of a hand."""
        hand_deadwood = meldings.find_shown_melding(
            hand, discard, required_card, ranks_left, *self.scratch
        )
        return int(hand_deadwood), self.list_sorted_melds(
            0
        ) if hand_deadwood < HUGE_DEADWOOD else None

    def list_legal_meldings(self, hand, discard, required_card, knock_limit, max_meldings):
        """Return the deadwood and the melds of every legal melding, in order of preference."""
        n = meldings.find_legal_meldings(
            hand, discard, required_card, -1, knock_limit, *self.scratch, max_meldings
        )
        return [(int(self.keys[i, 0]), self.list_sorted_melds(i)) for i in range(n)]

    def list_sorted_melds(self, row_index):
        return sorted(int(meld) for meld in self.rows[row_index] if meld)


def list_reference_meldings(hand, discard, params, **conditions):
    """Return the legal meldings of the reference with their deadwood, in order of preference."""
    cards, card_values = hands.list_card_names(hand), reference.get_card_values(params)
    discarded_card = hands.list_card_names(discard)[0] if discard else None
    result = []
    for melds in reference.melds.sort_permitted_meldings(
        cards, discarded_card, params, **conditions
    ):
        melding_deadwood = sum(
            card_values[card] for card in reference.melds.find_unmatched_cards(cards, melds)
        )
        result.append((melding_deadwood, sorted(map(hands.to_mask, melds))))
    return result


def find_reference_melding(*arguments, **conditions):
    """Return the deadwood and the shown melds from the reference."""
    return next(iter(list_reference_meldings(*arguments, **conditions)), (HUGE_DEADWOOD, None))


def sample_hand_and_discard(rng, params):
    """Sample eleven cards, and return the masks of ten of them and of the discard."""
    hand = (
        hands.deal_hand(rng, 11)
        if rng.random() < 0.1
        else hands.deal_meld_rich_hand(rng, 11, params["ace_runs"])
    )
    discard = 1 << rng.choice(hands.list_cards(hand))
    return hand ^ discard, discard


def test_melds_are_ordered_by_name():
    """Compare all melds of up to ten cards, because the order depends on only ten cards."""
    masks = {}
    for ace in hands.ACE_RUNS_VALUES:
        for meld in reference.find_melds(reference.PACK, {"ace_runs": ace, "rainbow": True}):
            if len(meld) <= 10:
                masks[" ".join(meld)] = hands.to_mask(meld)
    keys = [meldings.make_meld_name_key(masks[name]) for name in sorted(masks)]
    assert all(a < b for a, b in pairwise(keys))


def test_melds_of_an_eleven_card_run_fit_the_array():
    for ace_runs in hands.ACE_RUNS_VALUES:
        for first in range(13):
            run = sum(1 << (first + i) % 13 for i in range(11))
            scratch = EngineMeldFinder(
                hands.build_both_rules(f"standard+ace_runs={ace_runs}+rainbow=yes")[0]
            )
            assert meldings.find_melds(run, scratch.rules, scratch.found) < meldings.MAX_MELDS


@pytest.mark.parametrize("n", [500, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("card_values", CARD_VALUE_RULES)
@pytest.mark.parametrize("variant", hands.MELD_VARIANTS)
def test_melding_after_a_knock_agrees_with_the_reference(variant, card_values, n):
    rules, row = hands.build_both_rules(variant + card_values)
    scratch = EngineMeldFinder(rules)
    rng = random.Random(f"{variant}{card_values} knock")
    for i in range(n):
        hand, discard = sample_hand_and_discard(rng, row)
        discard = discard if i % 4 else 0  # the worked examples contain none
        assert scratch.find_shown_melding(hand, discard) == find_reference_melding(
            hand, discard, row
        ), hands.list_card_names(hand)


@pytest.mark.parametrize("variant", hands.MELD_VARIANTS)
def test_melding_contains_the_taken_card_if_required(variant):
    rules, row = hands.build_both_rules(variant + "+take_to_knock=melded")
    scratch = EngineMeldFinder(rules)
    rng = random.Random(f"{variant} taken")
    case_counts = Counter()
    for _ in range(1_200):
        hand, discard = sample_hand_and_discard(rng, row)
        required_card = rng.choice(hands.list_cards(hand))
        expected = find_reference_melding(
            hand, discard, row, taken_card=hands.list_card_names(1 << required_card)[0]
        )
        assert scratch.find_shown_melding(hand, discard, required_card) == expected, (
            hands.list_card_names(hand),
            hands.list_card_names(1 << required_card),
        )
        costs_more = expected[0] > scratch.find_shown_melding(hand, discard)[0]
        case_counts["none" if expected[1] is None else "dearer" if costs_more else "cheapest"] += 1
    assert len(case_counts) == 3 and min(case_counts.values()) >= 20, case_counts


def sample_shot_hand(rng, params, points):
    """Return a random hand of ten cards that is a shot at the given score, and a discard."""
    ranks = [int(digit) - 1 for digit in f"{points % 100:02d}" if digit != "0"]
    unmatched = 0
    for rank in ranks:
        candidates = [card for card in range(rank, 52, 13) if not unmatched >> card & 1]
        unmatched |= 1 << rng.choice(candidates)
    melds = hands.deal_melds(rng, 10 - len(ranks), params["ace_runs"], unmatched)
    candidates = [card for card in range(52) if not (melds | unmatched) >> card & 1]
    return melds | unmatched, 1 << rng.choice(candidates)


@pytest.mark.parametrize("take_to_knock", ["any", "melded"])
@pytest.mark.parametrize("variant", hands.MELD_VARIANTS)
def test_melding_of_a_shot_agrees_with_the_reference(variant, take_to_knock):
    rules, row = hands.build_both_rules(f"{variant}+shot=yes+take_to_knock={take_to_knock}")
    scratch = EngineMeldFinder(rules)
    rng = random.Random(f"{variant} {take_to_knock} shot")
    n_shots = 0
    for _ in range(400):
        points = rng.choice([1, 3, 30, 11, 12, 34, 77, 99, 5, 120, 256])
        hand, discard = sample_shot_hand(rng, row, points)
        required_card = rng.choice(hands.list_cards(hand)) if take_to_knock == "melded" else -1
        taken = hands.list_card_names(1 << required_card)[0] if required_card >= 0 else None
        expected = find_reference_melding(
            hand, discard, row, required_ranks=reference.get_shot_ranks(points), taken_card=taken
        )
        found = scratch.find_shown_melding(hand, discard, required_card, find_shot_ranks(points))
        assert found == expected, (hands.list_card_names(hand), points)
        n_shots += expected[1] is not None
    assert n_shots >= 15


@pytest.mark.parametrize("variant", hands.MELD_VARIANTS)
def test_melding_of_big_gin_agrees_with_the_reference(variant):
    rules, row = hands.build_both_rules(variant)
    scratch = EngineMeldFinder(rules)
    rng = random.Random(f"{variant} big gin")
    n_big_gins = 0
    while n_big_gins < 150:
        hand = hands.deal_melds(rng, 11, row["ace_runs"])
        hand_deadwood, melds = scratch.find_shown_melding(hand)
        if hand_deadwood == 0:
            assert (hand_deadwood, melds) == find_reference_melding(
                hand, 0, row, required_ranks=[]
            ), hands.list_card_names(hand)
            n_big_gins += 1


@pytest.mark.parametrize("n_repeats", [1, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", hands.MELD_VARIANTS)
def test_legal_meldings_are_listed_in_order(variant, n_repeats):
    rules, row = hands.build_both_rules(variant + "+take_to_knock=melded")
    scratch = EngineMeldFinder(rules)
    rng = random.Random(f"{variant} all meldings")
    n_truncated = n_with_several_deadwoods = 0
    for i in range(50 * n_repeats):
        hand, discard = sample_hand_and_discard(rng, row)
        max_meldings = rng.choice([2, 8, meldings.MAX_MELDINGS])
        knock_limit = rng.choice([0, 10, 30, 99])
        required_card = rng.choice(hands.list_cards(hand)) if i % 3 == 0 else -1
        taken = hands.list_card_names(1 << required_card)[0] if required_card >= 0 else None
        expected = list_reference_meldings(hand, discard, row, limit=knock_limit, taken_card=taken)
        found = scratch.list_legal_meldings(hand, discard, required_card, knock_limit, max_meldings)
        assert found == expected[:max_meldings], (
            hands.list_card_names(hand),
            knock_limit,
            required_card,
        )
        n_truncated += len(expected) > max_meldings
        n_with_several_deadwoods += len({melding_deadwood for melding_deadwood, _ in expected}) > 1
    assert n_truncated >= 3 * n_repeats and n_with_several_deadwoods >= 10 * n_repeats, (
        n_truncated,
        n_with_several_deadwoods,
    )
