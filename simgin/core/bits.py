"""Small verbs on integers used as sets. LLVM turns each loop below into one instruction."""

from simgin.core.jit import jit


@jit
def popcount(x):
    """Number of bits set in a non-negative int64."""
    n = 0
    while x:
        x &= x - 1
        n += 1
    return n


@jit
def lowest(x):
    """Index of the lowest bit set; x must not be zero."""
    return popcount((x & -x) - 1)


@jit
def highest_of_lane(x):
    """Index of the highest bit set in 1..0x1FFF.

    Smeared downward, as a count of leading zeros is not at hand.
    """
    x |= x >> 1
    x |= x >> 2
    x |= x >> 4
    x |= x >> 8
    return popcount(x) - 1


@jit
def nth(x, n):
    """Index of the n-th bit set, n from 0, counted from the lowest.

    X must have more than n bits.
    """
    for _ in range(n):
        x &= x - 1
    return lowest(x)
