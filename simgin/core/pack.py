"""The pack of one deal: shuffled from the random stream of its unit, as far as the deal goes."""

from simgin.core import rng
from simgin.core.jit import jit


@jit
def new_pack(state):
    """A new pack, shuffled as far as every deal needs it.

    `next_card` shuffles the rest as it goes.
    """
    for i in range(52):
        state.pack[i] = i
    state.shuffled = 0
    _shuffle(state, 24)


@jit
def give_to_seats(state):
    """Put a new pack in the order in which this dealer deals it.

    That each seat gets the same ten cards whoever deals.

    In the two halves of a mirrored match different seats may deal, and were luck to go with the
    dealer, the halves would be alike where they should be opposite
    (docs/explanation/decisions/0013).
    """
    if state.dealer == 0:  # seat 1 is dealt to first
        for i in range(0, 20, 2):
            first = state.pack[i]
            state.pack[i] = state.pack[i + 1]
            state.pack[i + 1] = first


@jit
def next_card(state):
    """Deal the next card.

    After the first 24 places the pack is shuffled eight at a time, only as far as the deal goes.
    """
    i = state.dealt
    if i >= state.shuffled:
        _shuffle(state, 8)
    state.dealt = i + 1
    return int(state.pack[i])


@jit
def _shuffle(state, n):
    """Shuffle n more places from the top (Fisher and Yates), n a multiple of eight.

    The last four of 56 places are wasted: a pack has 52.
    """
    first = state.shuffled
    for k in range(0, n, 8):
        rng.write_words(
            state.seed, state.unit, state.deal, (first + k) >> 2, rng.PACK, state.words[k >> 3]
        )
    for k in range(min(n, 52 - first)):
        _swap(state.pack, first + k, state.words[k >> 3, k & 7])
    state.shuffled = first + n


@jit
def _swap(pack, i, word):
    j = i + rng.below(52 - i, word)
    a, b = pack[i], pack[j]
    pack[i] = b
    pack[j] = a
