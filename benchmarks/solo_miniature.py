"""Compute optimal play in small solitaire games, and compare it with known bounds.

    python benchmarks/solo_miniature.py    # three minutes on one core

The rules are the rules of `solitaire-gin`, but the deck has 16 cards and the hand has 6 cards. The
player draws and discards, and wins by going gin with six melded cards before the joker is drawn.
The position of the joker among the remaining cards is random. The values with n remaining cards are
computed from the values with n - 1 remaining cards, so all results are exact. The players are:

    few        keeps the fewest unmatched cards and, in case of a tie, the most draws to gin
    two draws  has the highest probability of gin within two draws
    best       has the highest probability of gin
    hindsight  can take back its own discards: the upper bound reported by `simgin odds`
"""

from functools import partial
from itertools import combinations

import numpy as np
from numba import njit

from simgin.core.bits import popcount

N_CARDS, HAND_SIZE = 16, 6
N_REMAINING_SUBSETS = 1 << N_CARDS - HAND_SIZE
SUITS_AND_RANKS_BY_DECK = {"four suits of four ranks": (4, 4), "two suits of eight ranks": (2, 8)}


def list_melds(suits, ranks):
    """Return the bit masks of all melds, in which the index of a card is rank + ranks * suit."""
    sets = [
        sum(1 << rank + ranks * suit for suit in meld_suits)
        for rank in range(ranks)
        for size in (3, 4)
        for meld_suits in combinations(range(suits), size)
    ]
    runs = [
        ((1 << size) - 1) << lowest_rank + ranks * suit
        for suit in range(suits)
        for size in range(3, HAND_SIZE + 1)
        for lowest_rank in range(ranks - size + 1)
    ]
    return sets + runs


def count_matched_cards(cards, melds):
    """Return the maximum number of melded cards, but at most the size of a hand."""
    contained_melds = [meld for meld in melds if meld & ~cards == 0]
    sizes = [0, *map(int.bit_count, contained_melds)]
    sizes += [(a | b).bit_count() for a, b in combinations(contained_melds, 2) if a & b == 0]
    return max(size for size in sizes if size <= HAND_SIZE)


@njit
def compute_remaining_index(remaining_cards, hand):
    """Return the index of a set of remaining cards among all subsets of cards not in the hand."""
    index = position = 0
    for card in range(N_CARDS):
        if not hand >> card & 1:
            index |= (remaining_cards >> card & 1) << position
            position += 1
    return index


@njit
def solve_for_player(
    hands, hand_indices, is_gin, criterion, tie_criterion, values_after_discard, hand_values
):
    """Compute the probability of gin for each hand and each set of remaining cards.

    The player keeps the hand with the highest `criterion` or, in case of a tie, the highest
    `tie_criterion`.

    Args:
        hands: Bit masks of all hands.
        hand_indices: Index of every hand by its bit mask.
        is_gin: Array that is True at the bit masks of six melded cards.
        criterion: Criterion for the kept hand, `(n_hands, N_REMAINING_SUBSETS) float32`.
        tie_criterion: Criterion in case of a tie, `(n_hands, N_REMAINING_SUBSETS) float32`.
        values_after_discard: Values after the discard, `(n_hands, N_REMAINING_SUBSETS) float32`.
        hand_values: Output: probabilities, `(n_hands, N_REMAINING_SUBSETS) float32`.
    """
    for remaining_cards in range(1 << N_CARDS):  # Sets with one card fewer have smaller indices.
        size = popcount(remaining_cards)
        if size > N_CARDS - HAND_SIZE:
            continue
        for hand in hands:
            if remaining_cards & hand:
                continue
            value_sum = 0.0
            for card in range(N_CARDS):
                if remaining_cards >> card & 1:
                    value_sum += _compute_value_after_draw(
                        hand | 1 << card,
                        remaining_cards ^ 1 << card,
                        hand_indices,
                        is_gin,
                        criterion,
                        tie_criterion,
                        values_after_discard,
                    )
            hand_values[hand_indices[hand], compute_remaining_index(remaining_cards, hand)] = (
                value_sum / (size + 1)
            )


@njit
def _compute_value_after_draw(
    cards_after_draw,
    remaining_cards,
    hand_indices,
    is_gin,
    criterion,
    tie_criterion,
    values_after_discard,
):
    """Return the value of the best hand after a draw and a discard."""
    best_criterion = value = -1.0
    best_tie_criterion = -1.0
    for card in range(N_CARDS):
        if cards_after_draw >> card & 1:
            kept_hand = cards_after_draw ^ 1 << card
            if is_gin[kept_hand]:
                return 1.0
            index = hand_indices[kept_hand], compute_remaining_index(remaining_cards, kept_hand)
            if criterion[index] > best_criterion or (
                criterion[index] == best_criterion and tie_criterion[index] > best_tie_criterion
            ):
                best_criterion = criterion[index]
                best_tie_criterion = tie_criterion[index]
                value = values_after_discard[index]
    return value


def compute_hindsight_values(is_gin):
    """Return, for each set of remaining cards, the probability of gin with hindsight."""
    all_cards = (1 << N_CARDS) - 1
    values = np.zeros(1 << N_CARDS)
    for remaining_cards in range(1 << N_CARDS):
        rests_after_draw = [
            remaining_cards ^ 1 << card for card in range(N_CARDS) if remaining_cards >> card & 1
        ]
        hand_values = [
            1.0 if is_gin[all_cards ^ rest_after_draw] else values[rest_after_draw]
            for rest_after_draw in rests_after_draw
        ]
        values[remaining_cards] = sum(hand_values) / (len(rests_after_draw) + 1)
    return values


def solve_deck(suits, ranks):
    """Solve the solitaire game for one deck.

    Returns:
        Index of each hand by bit mask, the values of each player by name, and the values with
        hindsight.
    """
    all_melds = list_melds(suits, ranks)
    max_matched = np.array([count_matched_cards(cards, all_melds) for cards in range(1 << N_CARDS)])
    is_gin = max_matched == HAND_SIZE
    hands = np.array([cards for cards in range(1 << N_CARDS) if cards.bit_count() == HAND_SIZE])
    hand_indices = np.zeros(1 << N_CARDS, np.int64)
    hand_indices[hands] = np.arange(len(hands))
    zeros, gin_in_one_draw, gin_in_two_draws, best_values, few_values, two_draws_values = np.zeros(
        (6, len(hands), N_REMAINING_SUBSETS), np.float32
    )
    matched_counts = np.repeat(max_matched[hands, None], N_REMAINING_SUBSETS, axis=1).astype(
        np.float32
    )

    solve = partial(solve_for_player, hands, hand_indices, is_gin)
    solve(zeros, zeros, zeros, gin_in_one_draw)
    solve(gin_in_one_draw, gin_in_one_draw, gin_in_one_draw, gin_in_two_draws)
    solve(matched_counts, gin_in_one_draw, few_values, few_values)
    solve(gin_in_two_draws, gin_in_one_draw, two_draws_values, two_draws_values)
    solve(best_values, best_values, best_values, best_values)
    return (
        hand_indices,
        {"few": few_values, "two draws": two_draws_values, "best": best_values},
        compute_hindsight_values(is_gin),
    )


def main():
    """Solve the games of all decks, and print the results in percent."""
    for name, deck in SUITS_AND_RANKS_BY_DECK.items():
        _, values, hindsight = solve_deck(*deck)
        probabilities = {player: value[:, -1].mean() for player, value in values.items()}
        dealt_hands = [hand for hand in range(1 << N_CARDS) if hand.bit_count() == HAND_SIZE]
        probabilities["hindsight"] = hindsight[(1 << N_CARDS) - 1 ^ np.array(dealt_hands)].mean()
        gap_proportion = (probabilities["best"] - probabilities["two draws"]) / (
            probabilities["hindsight"] - probabilities["two draws"]
        )
        text = ", ".join(
            f"{player} {100 * probability:.2f} %" for player, probability in probabilities.items()
        )
        print(
            f"{name}: {text}; the best player is {100 * gap_proportion:.1f} % of the way up to "
            "hindsight"
        )


if __name__ == "__main__":
    main()
