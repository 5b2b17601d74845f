"""Solitaires so small that the best possible play can be computed: where in its bracket is it?

    python benchmarks/solo_miniature.py    # three minutes of one processor

As `solitaire-gin`, but with a hand of six of 16 cards: draw, discard, and go gin with six cards in
melds before the joker comes, which lies anywhere in the rest of the deck. The value of every hand
with every rest of the deck follows from those with a card less, so every figure is exact:

    few        keeps the fewest unmatched cards; among those the most cards to come that make gin
    two draws  has the highest probability of gin within two draws
    best       has the highest probability of gin
    hindsight  may take its own discards back: the upper end of the bracket of `simgin odds`
"""

from itertools import combinations

import numpy as np
from numba import njit

from simgin.core.bits import popcount

CARDS, HAND = 16, 6
RESTS = 1 << CARDS - HAND
DECKS = {"four suits of four ranks": (4, 4), "two suits of eight ranks": (2, 8)}


def melds(suits, ranks):
    """The masks of all melds; rank + ranks * suit is the number of a card."""
    sets = [
        sum(1 << rank + ranks * suit for suit in held)
        for rank in range(ranks)
        for size in (3, 4)
        for held in combinations(range(suits), size)
    ]
    runs = [
        ((1 << size) - 1) << low + ranks * suit
        for suit in range(suits)
        for size in range(3, HAND + 1)
        for low in range(ranks - size + 1)
    ]
    return sets + runs


def most_matched(cards, every):
    """The most of some cards, but no more than a hand, that lie in melds."""
    held = [meld for meld in every if meld & ~cards == 0]
    sizes = [0, *map(int.bit_count, held)]
    sizes += [(a | b).bit_count() for a, b in combinations(held, 2) if a & b == 0]
    return max(size for size in sizes if size <= HAND)


@njit
def rest_number(rest, hand):
    """The number of a rest of the deck among the cards that are not in a hand."""
    number = place = 0
    for card in range(CARDS):
        if not hand >> card & 1:
            number |= (rest >> card & 1) << place
            place += 1
    return number


@njit
def play(hands, numbers, is_gin, first, second, after, value):
    """Fill in the probability of gin for every hand and rest.

    Kept is what is best by `first`, then by `second`; what follows is worth `after`. All float32
    (hands, RESTS).
    """
    for rest in range(1 << CARDS):  # a rest with a card less has a smaller number
        size = popcount(rest)
        if size > CARDS - HAND:
            continue
        for hand in hands:
            if rest & hand:
                continue
            total = 0.0
            for card in range(CARDS):
                if rest >> card & 1:
                    total += _drawn(
                        hand | 1 << card, rest ^ 1 << card, numbers, is_gin, first, second, after
                    )
            value[numbers[hand], rest_number(rest, hand)] = total / (size + 1)


@njit
def _drawn(cards, rest, numbers, is_gin, first, second, after):
    """What a hand with a card too many is worth."""
    best = worth = -1.0
    also = -1.0
    for card in range(CARDS):
        if cards >> card & 1:
            kept = cards ^ 1 << card
            if is_gin[kept]:
                return 1.0
            place = numbers[kept], rest_number(rest, kept)
            if first[place] > best or (first[place] == best and second[place] > also):
                best, also, worth = first[place], second[place], after[place]
    return worth


def in_hindsight(is_gin):
    """The probability of gin for every rest of the deck, if any of the cards seen may be held."""
    everything = (1 << CARDS) - 1
    value = np.zeros(1 << CARDS)
    for rest in range(1 << CARDS):
        drawn = [rest ^ 1 << card for card in range(CARDS) if rest >> card & 1]
        worth = [1.0 if is_gin[everything ^ left] else value[left] for left in drawn]
        value[rest] = sum(worth) / (len(drawn) + 1)
    return value


def solved(suits, ranks):
    """The number of every hand, each player's values as `play` fills them in, and hindsight's."""
    every = melds(suits, ranks)
    matched = np.array([most_matched(cards, every) for cards in range(1 << CARDS)])
    is_gin = matched == HAND
    hands = np.array([cards for cards in range(1 << CARDS) if cards.bit_count() == HAND])
    numbers = np.zeros(1 << CARDS, np.int64)
    numbers[hands] = np.arange(len(hands))
    none, one, two, best, of_few, of_two = np.zeros((6, len(hands), RESTS), np.float32)
    few = np.repeat(matched[hands, None], RESTS, axis=1).astype(np.float32)

    def fill(first, second, after, value):
        play(hands, numbers, is_gin, first, second, after, value)

    fill(none, none, none, one)
    fill(one, one, one, two)
    fill(few, one, of_few, of_few)
    fill(two, one, of_two, of_two)
    fill(best, best, best, best)
    return numbers, {"few": of_few, "two draws": of_two, "best": best}, in_hindsight(is_gin)


def main():
    """Solve the decks, and print percentages."""
    for name, deck in DECKS.items():
        _, values, hindsight = solved(*deck)
        found = {player: value[:, -1].mean() for player, value in values.items()}
        dealt = [hand for hand in range(1 << CARDS) if hand.bit_count() == HAND]
        found["hindsight"] = hindsight[(1 << CARDS) - 1 ^ np.array(dealt)].mean()
        way = (found["best"] - found["two draws"]) / (found["hindsight"] - found["two draws"])
        told = ", ".join(f"{player} {100 * share:.2f} %" for player, share in found.items())
        print(f"{name}: {told}; the best lies {100 * way:.1f} % of the way up the bracket")


if __name__ == "__main__":
    main()
