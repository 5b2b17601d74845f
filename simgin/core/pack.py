"""The pack of one deal, shuffled only as far as the deal goes, from its unit's random stream."""

import numpy as np

from simgin.core import rng
from simgin.core.jit import jit


@jit
def new_pack(state):
    """Start a new pack and shuffle as much of it as every deal needs.

    `next_card` shuffles the rest when it is reached.
    """
    for i in range(52):
        state.pack[i] = i
    state.shuffled = 0
    _shuffle(state, 32)


@jit
def give_to_seats(state):
    """Swap the hands in a new pack if need be, so that a seat gets the same cards whoever deals.

    In the two halves of a mirrored match different seats may deal. If luck went with the dealer,
    the halves would be alike where they should be opposite (docs/explanation/decisions/0013).
    """
    if state.dealer == 0:  # seat 1 is dealt the first card
        for i in range(0, 20, 2):
            first = state.pack[i]
            state.pack[i] = state.pack[i + 1]
            state.pack[i + 1] = first


@jit
def next_card(state):
    """Deal the next card.

    After the first 32 cards the pack is shuffled eight cards at a time, as far as the deal goes.
    """
    i = state.dealt
    if i >= state.shuffled:
        _shuffle(state, 8)
    state.dealt = i + 1
    return np.int64(state.pack[i])


@jit
def _shuffle(state, n):
    """Shuffle the next n places (Fisher-Yates), n a multiple of eight.

    The generator gives the words of 32 places at a time; the last twelve of 64 are not used.
    """
    first = state.shuffled
    if first & 31 == 0:
        rng.write_blocks(state.seed, state.unit, state.deal, first >> 2, rng.PACK, state.words[:])
    for i in range(first, min(first + n, 52)):
        block, word = i >> 2 & 7, i & 3
        j = i + rng.below(52 - i, state.words[8 * word + block])
        one, other = state.pack[i], state.pack[j]
        state.pack[i] = other
        state.pack[j] = one
    state.shuffled = first + n
