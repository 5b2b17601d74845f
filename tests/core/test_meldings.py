"""Tests of the melding that is shown (rules.md 3.5) against the reference implementation."""

import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from oracles import reference
from simgin.core import meldings
from simgin.core.endings import find_required_ranks
from support import hands

VALUES = ("", "+pip_values=five_ten+ace_value=15")


class Board:
    """The scratch arrays that the engine keeps in its state."""

    def __init__(self, rules):
        self.found = np.zeros(meldings.MAX_MELDS, np.int64)
        self.keys, self.rows = (np.zeros((meldings.MAX_MELDINGS, 3), np.int64) for _ in range(2))
        self.rules, self.scratch = rules, (rules, self.found, self.keys, self.rows)

    def shown(self, hand, discard=0, must=-1, demanded=-1):
        """Return (deadwood, the melds shown) of a hand."""
        left = meldings.find_shown_melding(hand, discard, must, demanded, *self.scratch)
        return int(left), self.melds(0) if left < meldings.NO_MELDING else None

    def legal(self, hand, discard, must, limit, room):
        """Return every legal (deadwood, melds) to show, in order."""
        n = meldings.find_legal_meldings(hand, discard, must, -1, limit, *self.scratch, room)
        return [(int(self.keys[i, 0]), self.melds(i)) for i in range(n)]

    def melds(self, i):
        return sorted(int(meld) for meld in self.rows[i] if meld)


def reference_meldings(hand, discard, row, **conditions):
    """Return every legal (deadwood, melds) to show, in order, from the reference."""
    cards, worth = hands.names(hand), reference.get_card_values(row)
    thrown = hands.names(discard)[0] if discard else None
    found = []
    for melds in reference.melds.sort_permitted_meldings(cards, thrown, row, **conditions):
        left = sum(worth[card] for card in reference.melds.find_unmatched_cards(cards, melds))
        found.append((left, sorted(map(hands.mask, melds))))
    return found


def reference_melding(*asked, **conditions):
    """Return the deadwood and the melds shown, from the reference."""
    return next(iter(reference_meldings(*asked, **conditions)), (meldings.NO_MELDING, None))


def sample_hand_and_discard(rng, row):
    """Return the ten remaining cards and the discard, as masks."""
    hand = (
        hands.deal_hand(rng, 11)
        if rng.random() < 0.1
        else hands.meld_rich_hand(rng, 11, row["ace_runs"])
    )
    discard = 1 << rng.choice(hands.members(hand))
    return hand ^ discard, discard


def test_melds_are_ordered_by_their_texts():
    """Compare every meld of at most ten cards; longer ones are distinguished by their first ten."""
    texts = {}
    for ace in hands.ACE_RUNS:
        for meld in reference.find_melds(reference.PACK, {"ace_runs": ace, "rainbow": True}):
            if len(meld) <= 10:
                texts[" ".join(meld)] = hands.mask(meld)
    orders = [meldings.make_meld_name_key(texts[text]) for text in sorted(texts)]
    assert all(a < b for a, b in pairwise(orders))


def test_a_run_of_eleven_fits_the_arrays():
    for ace in hands.ACE_RUNS:
        for first in range(13):
            run = sum(1 << (first + i) % 13 for i in range(11))
            board = Board(hands.game(f"standard+ace_runs={ace}+rainbow=yes")[0])
            assert meldings.find_melds(run, board.rules, board.found) < meldings.MAX_MELDS


@pytest.mark.parametrize("n", [500, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_the_melding_after_a_knock_agrees_with_the_reference(text, values, n):
    rules, row = hands.game(text + values)
    board = Board(rules)
    rng = random.Random(f"{text}{values} knock")
    for i in range(n):
        ten, discard = sample_hand_and_discard(rng, row)
        discard = discard if i % 4 else 0  # the worked examples contain none
        assert board.shown(ten, discard) == reference_melding(ten, discard, row), hands.names(ten)


@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_the_melding_contains_the_card_taken_where_it_must(text):
    rules, row = hands.game(text + "+take_to_knock=melded")
    board = Board(rules)
    rng = random.Random(f"{text} taken")
    seen = Counter()
    for _ in range(1_200):
        ten, discard = sample_hand_and_discard(rng, row)
        must = rng.choice(hands.members(ten))
        want = reference_melding(ten, discard, row, taken=hands.names(1 << must)[0])
        assert board.shown(ten, discard, must) == want, (hands.names(ten), hands.names(1 << must))
        dearer = want[0] > board.shown(ten, discard)[0]
        seen["none" if want[1] is None else "dearer" if dearer else "cheapest"] += 1
    assert len(seen) == 3 and min(seen.values()) >= 20, seen


def sample_shot_hand(rng, row, points):
    """Return ten cards that form melds and a shot for a score, and the discard."""
    demanded = [int(digit) - 1 for digit in f"{points % 100:02d}" if digit != "0"]
    loose = 0
    for rank in demanded:
        spare = [card for card in range(rank, 52, 13) if not loose >> card & 1]
        loose |= 1 << rng.choice(spare)
    melds = hands.hand_of_melds(rng, 10 - len(demanded), row["ace_runs"], loose)
    spare = [card for card in range(52) if not (melds | loose) >> card & 1]
    return melds | loose, 1 << rng.choice(spare)


@pytest.mark.parametrize("ban", ["any", "melded"])
@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_the_melding_of_a_shot_agrees_with_the_reference(text, ban):
    rules, row = hands.game(f"{text}+shot=yes+take_to_knock={ban}")
    board = Board(rules)
    rng = random.Random(f"{text} {ban} shot")
    shots = 0
    for _ in range(400):
        points = rng.choice([1, 3, 30, 11, 12, 34, 77, 99, 5, 120, 256])
        ten, discard = sample_shot_hand(rng, row, points)
        must = rng.choice(hands.members(ten)) if ban == "melded" else -1
        taken = hands.names(1 << must)[0] if must >= 0 else None
        want = reference_melding(
            ten, discard, row, required_ranks=reference.get_shot_ranks(points), taken=taken
        )
        found = board.shown(ten, discard, must, find_required_ranks(points))
        assert found == want, (hands.names(ten), points)
        shots += want[1] is not None
    assert shots >= 15


@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_the_melding_of_big_gin_agrees_with_the_reference(text):
    rules, row = hands.game(text)
    board = Board(rules)
    rng = random.Random(f"{text} big gin")
    big = 0
    while big < 150:
        hand = hands.hand_of_melds(rng, 11, row["ace_runs"])
        left, melds = board.shown(hand)
        if left == 0:
            assert (left, melds) == reference_melding(hand, 0, row, required_ranks=[]), hands.names(
                hand
            )
            big += 1


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("text", hands.MELD_RULES)
def test_every_legal_melding_is_listed_in_order(text, times):
    rules, row = hands.game(text + "+take_to_knock=melded")
    board = Board(rules)
    rng = random.Random(f"{text} all meldings")
    cut = dearer = 0
    for i in range(50 * times):
        ten, discard = sample_hand_and_discard(rng, row)
        room = rng.choice([2, 8, meldings.MAX_MELDINGS])
        limit = rng.choice([0, 10, 30, 99])
        must = rng.choice(hands.members(ten)) if i % 3 == 0 else -1
        taken = hands.names(1 << must)[0] if must >= 0 else None
        want = reference_meldings(ten, discard, row, limit=limit, taken=taken)
        found = board.legal(ten, discard, must, limit, room)
        assert found == want[:room], (hands.names(ten), limit, must)
        cut += len(want) > room
        dearer += len({left for left, _ in want}) > 1
    assert cut >= 3 * times and dearer >= 10 * times, (cut, dearer)
