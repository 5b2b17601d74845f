"""What the twin says of lay-offs, and the showdown of the EAAI framework, otherwise and by hand."""

import random
from itertools import product

from oracles import twin
from support.worked_examples import STANDARD


def least_by_assigning(melds, hand, row):
    """The joint minimum of rules.md 3.7, card by card: each is kept or goes to a meld shown."""
    whole, least = twin.all_melds({**row, "rainbow": False}), None
    for places in product(range(len(melds) + 1), repeat=len(hand)):
        grown = [
            {*meld, *(c for c, p in zip(hand, places, strict=True) if p == n)}
            for n, meld in enumerate(melds, 1)
        ]
        if all(len(new) == len(old) or new in whole for new, old in zip(grown, melds, strict=True)):
            kept = [card for card, place in zip(hand, places, strict=True) if place == 0]
            count = twin.deadwood(kept, row, "defender")
            least = count if least is None else min(least, count)
    return least


def test_the_joint_choice_card_by_card():
    rng = random.Random(7)
    for _ in range(60):
        # Few suits and ranks, so that melds, chains and lay-offs are frequent.
        pack = rng.sample([card for card in twin.PACK if card[1] in "SH" or card[0] in "678"], 17)
        row = {**STANDARD, "defender_ace_value": 15}
        row["ace_runs"] = rng.choice(("low", "high_or_low", "corner"))
        melds, hand = twin.optimal_meldings(pack[:11], row)[0][:3], pack[11:]
        assert twin.defender_count(melds, hand, row).count == least_by_assigning(melds, hand, row)


def test_eaai_showdown():
    rng = random.Random(6)
    knocker = "5S 6S 7S KH KD KC 2D 3D 4D 9H".split()
    # First fit in a chain: 8S, then 9S.
    own, other, laid = twin.eaai_showdown(knocker, "8S 9S 8H QC QD 2H 4C JC JH 6D".split(), rng)
    assert (own, laid, other) == (9, ["8S", "9S"], 8 + 20 + 2 + 4 + 20 + 6)
    # The hand of L03: the defender keeps his four 8s, so the joint choice (32) is out of reach.
    assert twin.eaai_showdown(knocker, "8S 8H 8D 8C 9S 2H 4C QD JC 6D".split(), rng) == (9, 41, [])
    own, other, laid = twin.eaai_showdown(
        "4S 5S 6S 9H 9D 9C QS QH QD QC".split(), "2S 3S 7S 8S 9S TH TD TC 4H 3D".split(), rng
    )
    assert (own, other, laid) == (0, 12, [])  # no lay-offs on a stopper without deadwood
    # 3x3 grid: rows and columns are equally likely, one takes the 7S and one does not.
    grid, hand = "4S 5S 6S 4H 5H 6H 4D 5D 6D KC".split(), "7S 9C QH KD 2C AH JS TD 8C 3C".split()
    laid_off = [len(twin.eaai_showdown(grid, hand, rng)[2]) for _ in range(400)]
    assert set(laid_off) == {0, 1} and 140 < sum(laid_off) < 260
