"""Compute optimal play in small solitaire games, and compare it with its bounds.

    python benchmarks/solo_miniature.py    # three minutes on one core

The rules are the rules of `solitaire-gin`, but the deck has 16 cards and the hand 6 cards. The
player draws and discards, and wins by going gin with six melded cards before the joker is drawn.
The position of the joker in the rest of the deck is random. The value of a hand and a rest of the
deck follows from the values with one card fewer in the rest, so all results are exact. The players
are:

    few        keeps the fewest unmatched cards and, in case of a tie, the most draws to gin
    two draws  has the highest probability of gin within two draws
    best       has the highest probability of gin
    hindsight  can take back its own discards: the upper bound reported by `simgin odds`
"""

from itertools import combinations

import numpy as np
from numba import njit

from simgin.core.bits import popcount

N_CARDS, HAND_SIZE = 16, 6
N_RESTS = 1 << N_CARDS - HAND_SIZE
DECKS = {"four suits of four ranks": (4, 4), "two suits of eight ranks": (2, 8)}


def list_melds(suits, ranks):
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
        for size in range(3, HAND_SIZE + 1)
        for low in range(ranks - size + 1)
    ]
    return sets + runs


def max_matched_cards(cards, melds):
    """Return the maximum number of melded cards, limited to the size of a hand."""
    held = [meld for meld in melds if meld & ~cards == 0]
    sizes = [0, *map(int.bit_count, held)]
    sizes += [(a | b).bit_count() for a, b in combinations(held, 2) if a & b == 0]
    return max(size for size in sizes if size <= HAND_SIZE)


@njit
def rest_index(rest, hand):
    """Return the index of the remaining deck among all sets of cards outside the hand."""
    number = position = 0
    for card in range(N_CARDS):
        if not hand >> card & 1:
            number |= (rest >> card & 1) << position
            position += 1
    return number


@njit
def solve_player(hands, hand_indices, is_gin, first, second, after, value):
    """Compute the probability of gin for every hand and every remaining deck.

    The player keeps the hand with the highest `first`, then with the highest `second`; `after` is
    the value of the kept hand.

    Args:
        hands: Bit masks of all hands.
        hand_indices: Index of every hand by its bit mask.
        is_gin: True for the bit masks of six melded cards.
        first: Criterion, `(n_hands, N_RESTS) float32`.
        second: Criterion in case of a tie, `(n_hands, N_RESTS) float32`.
        after: Value after the discard, `(n_hands, N_RESTS) float32`.
        value: Output, `(n_hands, N_RESTS) float32`.
    """
    for rest in range(1 << N_CARDS):  # A rest with one card fewer has a smaller index.
        size = popcount(rest)
        if size > N_CARDS - HAND_SIZE:
            continue
        for hand in hands:
            if rest & hand:
                continue
            total = 0.0
            for card in range(N_CARDS):
                if rest >> card & 1:
                    total += _value_after_draw(
                        hand | 1 << card,
                        rest ^ 1 << card,
                        hand_indices,
                        is_gin,
                        first,
                        second,
                        after,
                    )
            value[hand_indices[hand], rest_index(rest, hand)] = total / (size + 1)


@njit
def _value_after_draw(cards, rest, hand_indices, is_gin, first, second, after):
    """Return the value of a hand after drawing one additional card."""
    best = value = -1.0
    best_second = -1.0
    for card in range(N_CARDS):
        if cards >> card & 1:
            kept_hand = cards ^ 1 << card
            if is_gin[kept_hand]:
                return 1.0
            index = hand_indices[kept_hand], rest_index(rest, kept_hand)
            if first[index] > best or (first[index] == best and second[index] > best_second):
                best, best_second, value = first[index], second[index], after[index]
    return value


def hindsight_values(is_gin):
    """Return the probability of gin for every remaining deck, if every seen card can be kept."""
    everything = (1 << N_CARDS) - 1
    value = np.zeros(1 << N_CARDS)
    for rest in range(1 << N_CARDS):
        hands_after_draw = [rest ^ 1 << card for card in range(N_CARDS) if rest >> card & 1]
        hand_values = [
            1.0 if is_gin[everything ^ left] else value[left] for left in hands_after_draw
        ]
        value[rest] = sum(hand_values) / (len(hands_after_draw) + 1)
    return value


def solve_deck(suits, ranks):
    """Solve the solitaire game for one deck.

    Returns:
        Index of every hand by its bit mask, the values of each player by `solve_player`, and
        the values with hindsight.
    """
    all_melds = list_melds(suits, ranks)
    max_matched = np.array([max_matched_cards(cards, all_melds) for cards in range(1 << N_CARDS)])
    is_gin = max_matched == HAND_SIZE
    hands = np.array([cards for cards in range(1 << N_CARDS) if cards.bit_count() == HAND_SIZE])
    numbers = np.zeros(1 << N_CARDS, np.int64)
    numbers[hands] = np.arange(len(hands))
    none, one, two, best, of_few, of_two = np.zeros((6, len(hands), N_RESTS), np.float32)
    few = np.repeat(max_matched[hands, None], N_RESTS, axis=1).astype(np.float32)

    def fill(first, second, after, value):
        solve_player(hands, numbers, is_gin, first, second, after, value)

    fill(none, none, none, one)
    fill(one, one, one, two)
    fill(few, one, of_few, of_few)
    fill(two, one, of_two, of_two)
    fill(best, best, best, best)
    return numbers, {"few": of_few, "two draws": of_two, "best": best}, hindsight_values(is_gin)


def main():
    """Solve the games for all decks, and print the results in percent."""
    for name, deck in DECKS.items():
        _, values, hindsight = solve_deck(*deck)
        probabilities = {player: value[:, -1].mean() for player, value in values.items()}
        find_dealt_hands = [hand for hand in range(1 << N_CARDS) if hand.bit_count() == HAND_SIZE]
        probabilities["hindsight"] = hindsight[
            (1 << N_CARDS) - 1 ^ np.array(find_dealt_hands)
        ].mean()
        position = (probabilities["best"] - probabilities["two draws"]) / (
            probabilities["hindsight"] - probabilities["two draws"]
        )
        text = ", ".join(f"{player} {100 * share:.2f} %" for player, share in probabilities.items())
        print(
            f"{name}: {text}; the best player is {100 * position:.1f} % of the way up to hindsight"
        )


if __name__ == "__main__":
    main()
