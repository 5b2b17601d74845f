"""Runs, sets, points and ways by bit operations, against listing cards one by one."""

import random
from itertools import product

import numpy as np
import pytest

from simgin.core.cards import RANK_ACES, ranks_held_twice
from simgin.core.deadwood import deadwood
from simgin.core.planes import (
    cards_in_runs,
    cards_in_sets,
    conflicts_in,
    next_way,
    points_in,
    ranks_of,
    run_outs,
    write_melds,
)
from support import hands


def in_runs(hand):
    """The cards with two neighbours that make three in a row, suit by suit."""
    found = 0
    for suit in range(4):
        for first in range(11):
            run = 0b111 << (13 * suit + first)
            if run & ~hand == 0:
                found |= run
    return found


def in_sets(hand):
    """The cards of the ranks held three or four times."""
    by_rank = [[13 * suit + rank for suit in range(4)] for rank in range(13)]
    held = [[card for card in cards if hand >> card & 1] for cards in by_rank]
    return sum(1 << card for cards in held if len(cards) >= 3 for card in cards)


def test_the_runs_of_every_lane_in_every_suit():
    for lane in range(8192):
        for suit in range(4):
            hand = lane << 13 * suit
            assert cards_in_runs(hand) == in_runs(hand)


def test_the_runs_and_sets_of_any_cards():
    """Suits do not touch: a king and the ace of the next suit are no neighbours."""
    rng = random.Random(1)
    for _ in range(20_000):
        hand = rng.getrandbits(52)
        if rng.random() < 0.7:
            hand &= rng.getrandbits(52)
        assert cards_in_runs(hand) == in_runs(hand)
        assert cards_in_sets(hand) == in_sets(hand)
        assert ranks_of(hand) == sum(1 << r for r in range(13) if hand & RANK_ACES << r)


def test_the_cards_that_would_lie_in_a_run():
    rng = random.Random(4)
    for _ in range(1_000):
        hand = sum(1 << card for card in rng.sample(range(52), rng.randint(0, 20)))
        missing = [card for card in range(52) if not hand >> card & 1]
        wanted = [card for card in missing if in_runs(hand | 1 << card) >> card & 1]
        assert run_outs(hand) & ~hand == sum(1 << card for card in wanted)


def test_the_ranks_held_twice():
    rng = random.Random(5)
    for _ in range(1_000):
        hand = sum(1 << card for card in rng.sample(range(52), rng.randint(0, 20)))
        ranks = [card % 13 for card in range(52) if hand >> card & 1]
        assert ranks_held_twice(hand) == sum(1 << r for r in range(13) if ranks.count(r) >= 2)


@pytest.mark.parametrize("values", hands.VALUES)
def test_points_are_the_sum_of_the_values(values):
    rules, _ = hands.game("standard" + values)
    rng = random.Random(values)
    for side in range(2):
        if rules.by_planes[side]:
            for _ in range(500):
                cards = rng.getrandbits(52)
                want = sum(int(rules.value[side, card % 13]) for card in hands.members(cards))
                assert points_in(cards, rules, side) == want


def ways_listed(hand, conflicts, spare):
    """The cards melded as sets, for every way to settle the conflicts."""
    choices = []
    for rank in range(13):
        if conflicts >> rank & 1:
            whole = hand & RANK_ACES << rank
            spared = [whole ^ 1 << card for card in hands.members(whole & spare)]
            choices.append([0, whole, *spared])
    return sorted(sum(way) for way in product(*choices))


def test_every_way_is_tried_once():
    rng, seen = random.Random(3), set()
    for _ in range(20_000):
        hand = hands.meld_rich(rng, rng.choice([9, 10, 11]), "low")
        runs, sets = in_runs(hand), in_sets(hand)
        conflicts, spare = conflicts_in(hand, runs, sets)
        assert conflicts == ranks_of(runs & sets)
        fours = [r for r in range(13) if conflicts >> r & 1 and not RANK_ACES << r & ~hand]
        assert spare == sum(runs & RANK_ACES << r for r in fours)
        ways, ranks, spared = [], 0, 0
        while True:
            ways.append(hand & ranks * RANK_ACES & ~spared)
            ranks, spared = next_way(conflicts, spare, ranks, spared)
            if ranks == 0:
                break
        assert sorted(ways) == ways_listed(hand, conflicts, spare)
        seen.add((conflicts.bit_count(), len(fours)))
    assert {(0, 0), (1, 0), (1, 1), (2, 0), (2, 1)} <= seen


def test_two_sets_of_four_may_spare_a_card_each():
    """555 and 666 without spades, and 4567 of spades: ten cards, no deadwood."""
    hand = hands.mask("5S 5H 5D 5C 6S 6H 6D 6C 4S 7S".split())
    conflicts, spare = conflicts_in(hand, in_runs(hand), in_sets(hand))
    assert spare == hands.mask("5S 6S".split())
    wanted = hands.mask("5H 5D 5C 6H 6D 6C".split())
    assert wanted in ways_listed(hand, conflicts, spare)
    rules, _ = hands.game("standard")
    assert deadwood(hand, rules) == 0


def test_melds_are_written_whole():
    melds = np.zeros(3, np.int64)
    runs = hands.mask("AS 2S 3S 4S JH QH KH".split())
    sets = hands.mask("9S 9H 9D".split())
    write_melds(runs, sets, melds)
    texts = {tuple(hands.names(int(meld))) for meld in melds}
    assert {frozenset(text) for text in texts} == {
        frozenset("AS 2S 3S 4S".split()),
        frozenset("JH QH KH".split()),
        frozenset("9S 9H 9D".split()),
    }
