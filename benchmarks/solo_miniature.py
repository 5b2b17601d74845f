"""Compute optimal play in small solitaire games, and compare it with its bounds.

    python benchmarks/solo_miniature.py    # three minutes on one core

The rules are those of `solitaire-gin` with a hand of 6 of 16 cards: draw, discard, and go gin with
six melded cards before the joker is drawn, whose position in the rest of the deck is random. The
value of a hand and a rest of the deck follows from the values with one card fewer in the rest, so
all results are exact. The players are:

    few        keeps the fewest unmatched cards; among those, the most draws that make gin
    two draws  has the highest probability of gin within two draws
    best       has the highest probability of gin
    hindsight  can take back its own discards: the upper bound reported by `simgin odds`
"""

from itertools import combinations

import numpy as np
from numba import njit

from simgin.core.bits import popcount

CARDS, HAND = 16, 6
RESTS = 1 << CARDS - HAND
DECKS = {"four suits of four ranks": (4, 4), "two suits of eight ranks": (2, 8)}


def melds(suits, ranks):
    """Return the bit masks of all melds; the index of a card is rank + ranks * suit."""
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
    """Return the maximum number of cards in melds, but at most the size of a hand."""
    held = [meld for meld in every if meld & ~cards == 0]
    sizes = [0, *map(int.bit_count, held)]
    sizes += [(a | b).bit_count() for a, b in combinations(held, 2) if a & b == 0]
    return max(size for size in sizes if size <= HAND)


@njit
def rest_number(rest, hand):
    """Return the index of a rest of the deck among the cards that are not in the hand."""
    number = place = 0
    for card in range(CARDS):
        if not hand >> card & 1:
            number |= (rest >> card & 1) << place
            place += 1
    return number


@njit
def play(hands, numbers, is_gin, first, second, after, value):
    """Compute the probability of gin for every hand and rest of the deck.

    The player keeps the hand with the highest `first`, then with the highest `second`; `after` is
    the value of the kept hand.

    Args:
        hands: Bit masks of all hands.
        numbers: Index of every hand by its bit mask.
        is_gin: True for the bit masks of six melded cards.
        first: Criterion, `(n_hands, N_RESTS) float32`.
        second: Criterion in case of a tie, `(n_hands, N_RESTS) float32`.
        after: Value after the discard, `(n_hands, N_RESTS) float32`.
        value: Output, `(n_hands, N_RESTS) float32`.
    """
    for rest in range(1 << CARDS):  # a rest with one card fewer has a smaller index
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
    """Return the value of a hand with one additional card."""
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
    """Return the probability of gin for every rest of the deck, if any seen card can be kept."""
    everything = (1 << CARDS) - 1
    value = np.zeros(1 << CARDS)
    for rest in range(1 << CARDS):
        drawn = [rest ^ 1 << card for card in range(CARDS) if rest >> card & 1]
        worth = [1.0 if is_gin[everything ^ left] else value[left] for left in drawn]
        value[rest] = sum(worth) / (len(drawn) + 1)
    return value


def solved(suits, ranks):
    """Solve a deck.

    Returns:
        Index of every hand by its bit mask, the values of each player by `solve_player`, and
        the values with hindsight.
    """
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
    """Solve all decks and print percentages."""
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
