"""Sets of cards as bits of integers. LLVM turns each loop below into one instruction."""

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
    """Index of the highest bit set in 1..0x1FFF."""
    x &= 0x1FFF  # tells LLVM that the number is not negative
    n = -1
    while x:
        x >>= 1
        n += 1
    return n


@jit
def nth(x, n):
    """Index of the n-th bit set, from 0 and from the lowest; x must have more than n bits set."""
    for _ in range(n):
        x &= x - 1
    return lowest(x)
