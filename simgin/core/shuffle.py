"""Shuffle of the pack with the random stream of a unit of analysis.

Cards are shuffled only when a deal needs them.
"""

import numpy as np

from simgin.core import rng
from simgin.core.jit import force_inline, jit


@jit
def start_shuffle(state):
    """Start a new shuffle, and shuffle the first 32 cards, which every deal uses.

    `deal_next_card` shuffles further cards when they are needed.
    """
    for card in range(52):
        state.pack[card] = card
    state.shuffled = 0
    _shuffle_positions(state, 32)


@jit
def swap_hands_for_dealer(state):
    """Swap the two dealt hands if seat 0 is the dealer.

    The cards of a seat then do not depend on the dealer.

    The two games of a mirrored match can have different dealers. If the cards depended on the
    dealer, the correlation between the games would be positive, not negative
    (docs/explanation/decisions/0002-random-numbers.md).
    """
    if state.dealer == 0:  # Seat 1 receives the first card.
        for i in range(0, 20, 2):
            card = state.pack[i]
            state.pack[i] = state.pack[i + 1]
            state.pack[i + 1] = card


@force_inline
def deal_next_card(state):
    """Return the next card of the shuffled pack.

    After the first 32 cards, the function shuffles eight cards at a time.
    """
    position = state.dealt
    if position >= state.shuffled:
        _shuffle_positions(state, 8)
    state.dealt = position + 1
    return np.int64(
        state.pack[position & 63]
    )  # The mask tells LLVM that `position` is not negative.


@jit
def _shuffle_positions(state, n_positions):
    """Shuffle the next `n_positions` positions of the pack with the Fisher-Yates algorithm.

    `n_positions` is a multiple of eight.

    The generator writes random words for 32 positions at a time. The last twelve of 64 words are
    unused.
    """
    n_shuffled = state.shuffled
    if n_shuffled & 31 == 0:
        rng.write_random_blocks(
            state.seed, state.unit, state.deal, n_shuffled >> 2, rng.DOMAIN_SHUFFLE, state.words[:]
        )
    for position in range(n_shuffled, min(n_shuffled + n_positions, 52)):
        block, word = position >> 2 & 7, position & 3
        position &= 63  # The masks tell LLVM that the positions are not negative.
        other_position = (
            position + rng.random_below(52 - position, state.words[8 * word + block]) & 63
        )
        card, other_card = state.pack[position], state.pack[other_position]
        state.pack[position] = other_card
        state.pack[other_position] = card
    state.shuffled = n_shuffled + n_positions
