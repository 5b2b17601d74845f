"""Philox4x32-10: random numbers as a pure function of a key and a counter.

Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). Key = seed.
Counter = (unit's low 32 bits; unit's high 16 bits, with the deal's number in the upper 16; index of
the draw; domain). So every number of a run has an address. It depends neither on threads, blocks or
order, nor on how many numbers anything else drew.
"""

import numpy as np

from simgin.core.jit import jit

PACK, NOISE_A, NOISE_B, JOKER, FIRST_DEALER, BOOTSTRAP, BRANCH = 0, 1, 2, 3, 4, 5, 6  # domains
STREAM = 2  # raised when the same seed gives other cards or other noise

_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)


@jit
def philox(c0, c1, c2, c3, k0, k1):
    """Four 32-bit words, as uint64, for a counter of four and a key of two 32-bit words."""
    for _ in range(10):
        c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@jit
def _round(c0, c1, c2, c3, k0, k1):
    """One of the ten rounds."""
    p0 = _M0 * c0
    p1 = _M1 * c2
    return (p1 >> _32) ^ c1 ^ k0, p1 & _LOW, (p0 >> _32) ^ c3 ^ k1, p0 & _LOW


@jit
def words(seed, unit, deal, index, domain):
    """Four 32-bit words (as int64, 0..2**32-1).

    seed: int64 of 64 bits; unit 0..2**48-1; deal 0..2**16-1.
    """
    s = np.uint64(seed)
    low = np.uint64(unit & 0xFFFFFFFF)
    high = np.uint64((unit >> 32) | deal << 16)
    a, b, c, d = philox(low, high, np.uint64(index), np.uint64(domain), s & _LOW, s >> _32)
    return np.int64(a), np.int64(b), np.int64(c), np.int64(d)


@jit
def write_blocks(seed, unit, deal, index, domain, out):
    """Write the words of eight consecutive indices to out, int64[32]: out[8 * word + block].

    The eight chains of multiplications are the lanes of one vector, so LLVM computes all of them
    in the time of one.
    """
    s = np.uint64(seed)
    low = np.uint64(unit & 0xFFFFFFFF)
    high = np.uint64((unit >> 32 | deal << 16) & 0xFFFFFFFF)  # the mask tells LLVM what fits
    first, last = np.uint64(index), np.uint64(domain & 0xFFFFFFFF)
    for block in range(8):
        k0, k1 = s & _LOW, s >> _32
        c0, c1, c2, c3 = low, high, first + np.uint64(block) & _LOW, last
        for _ in range(10):
            c0, c1, c2, c3 = _round(c0, c1, c2, c3, k0, k1)
            k0 = (k0 + _W0) & _LOW
            k1 = (k1 + _W1) & _LOW
        out[block] = np.int64(c0)
        out[8 + block] = np.int64(c1)
        out[16 + block] = np.int64(c2)
        out[24 + block] = np.int64(c3)


@jit
def uniform(a, b):
    """A number uniform on 0..2**53-1 from two 32-bit words."""
    return a << 21 ^ b >> 11


@jit
def below(n, word):
    """A number in 0..n-1 from a 32-bit word, by multiplication.

    Probabilities differ by at most n / 2**32 relative, 1.2e-8 for a pack.
    """
    return (word * n) >> 32
