"""Operations on integers as bit sets.

LLVM compiles each loop below to one instruction.
"""

from simgin.core.jit import jit


@jit
def popcount(bits):
    """Return the number of bits set in a non-negative int64.

    Example:
        Count the cards that the opponent took and still holds::

            popcount(view.known)
    """
    n_set_bits = 0
    while bits:
        bits &= bits - 1
        n_set_bits += 1
    return n_set_bits


@jit
def lowest_bit(bits):
    """Return the index of the lowest set bit.

    For a set of cards, the index is the lowest card.

    Args:
        bits: Non-empty bit set, int64.

    Example:
        Discard the lowest legal card::

            lowest_bit(view.legal)
    """
    return popcount((bits & -bits) - 1)


@jit
def find_highest_rank(ranks):
    """Return the highest rank in a non-empty set of ranks, given as 13 bits."""
    ranks &= 0x1FFF  # The mask tells LLVM that the number is not negative.
    highest_rank = -1
    while ranks:
        ranks >>= 1
        highest_rank += 1
    return highest_rank


@jit
def nth_bit(bits, n):
    """Return the index of the n-th set bit, where bit 0 is the lowest set bit.

    Args:
        bits: Bit set with more than n bits set, int64.
        n: Position, 0..popcount(bits) - 1.

    Example:
        Discard the second lowest legal card::

            nth_bit(view.legal, 1)
    """
    for _ in range(n):
        bits &= bits - 1
    return lowest_bit(bits)
