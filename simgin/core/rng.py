"""Counter-based random number generator Philox4x32-10.

Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). The key is
the seed. The counter consists of four words: the low 32 bits of the unit, the high 16 bits of the
unit combined with the number of the deal, the index of the draw, and the domain. Every random
number of a run therefore has an address. Random numbers do not depend on threads, on blocks or on
other draws.
"""

import numpy as np

from simgin.core.jit import jit

(
    DOMAIN_SHUFFLE,
    DOMAIN_NOISE_A,
    DOMAIN_NOISE_B,
    DOMAIN_JOKER,
    DOMAIN_FIRST_DEALER,
    DOMAIN_BOOTSTRAP,
    DOMAIN_DECISION,
) = range(7)  # domains of the random streams, one for each purpose
STREAM_VERSION = 2  # Increase it when a change makes seeds yield different cards or numbers.

_MULTIPLIER_0, _MULTIPLIER_1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_KEY_INCREMENT_0, _KEY_INCREMENT_1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
_LOW_WORD_MASK = np.uint64(0xFFFFFFFF)
_WORD_BITS = np.uint64(32)


@jit
def philox(c0, c1, c2, c3, k0, k1):
    """Return the four 32-bit words, as uint64, that Philox computes from a counter and a key."""
    for _ in range(10):
        c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k0, k1)
        k0 = (k0 + _KEY_INCREMENT_0) & _LOW_WORD_MASK
        k1 = (k1 + _KEY_INCREMENT_1) & _LOW_WORD_MASK
    return c0, c1, c2, c3


@jit
def _philox_round(c0, c1, c2, c3, k0, k1):
    """Apply one of the ten rounds of Philox."""
    p0 = _MULTIPLIER_0 * c0
    p1 = _MULTIPLIER_1 * c2
    return (
        (p1 >> _WORD_BITS) ^ c1 ^ k0,
        p1 & _LOW_WORD_MASK,
        (p0 >> _WORD_BITS) ^ c3 ^ k1,
        p0 & _LOW_WORD_MASK,
    )


@jit
def generate_random_words(seed, unit, deal, index, domain):
    """Return four random 32-bit words as int64, each from 0 to 2**32-1.

    `seed` is any int64, `unit` is in 0..2**48-1, and `deal` is in 0..2**16-1.
    """
    key = np.uint64(seed)
    low = np.uint64(unit & 0xFFFFFFFF)
    high = np.uint64((unit >> 32) | deal << 16)
    word0, word1, word2, word3 = philox(
        low, high, np.uint64(index), np.uint64(domain), key & _LOW_WORD_MASK, key >> _WORD_BITS
    )
    return np.int64(word0), np.int64(word1), np.int64(word2), np.int64(word3)


@jit
def write_random_blocks(seed, unit, deal, index, domain, out):
    """Write the random words of eight consecutive indices to `out`.

    `out` is (32,) int64. Word w of block b is at index 8 * w + b.

    LLVM vectorises the eight independent chains of multiplications, so that together they take as
    long as one chain.
    """
    seed_bits = np.uint64(seed)
    low = np.uint64(unit & 0xFFFFFFFF)
    # The mask tells LLVM that the number has 32 bits.
    high = np.uint64((unit >> 32 | deal << 16) & 0xFFFFFFFF)
    first_index, domain_word = np.uint64(index), np.uint64(domain & 0xFFFFFFFF)
    for block in range(8):
        k0, k1 = seed_bits & _LOW_WORD_MASK, seed_bits >> _WORD_BITS
        c0, c1, c2, c3 = low, high, first_index + np.uint64(block) & _LOW_WORD_MASK, domain_word
        for _ in range(10):
            c0, c1, c2, c3 = _philox_round(c0, c1, c2, c3, k0, k1)
            k0 = (k0 + _KEY_INCREMENT_0) & _LOW_WORD_MASK
            k1 = (k1 + _KEY_INCREMENT_1) & _LOW_WORD_MASK
        out[block] = np.int64(c0)
        out[8 + block] = np.int64(c1)
        out[16 + block] = np.int64(c2)
        out[24 + block] = np.int64(c3)


@jit
def combine_words(high_word, low_word):
    """Combine two 32-bit words into a uniform integer from 0 to 2**53-1."""
    return high_word << 21 ^ low_word >> 11


@jit
def random_below(n, word):
    """Convert a random word to a random integer from 0 to n-1 by multiplication.

    Args:
        n: Number of possible values, 1 to 2**31.
        word: Random 32-bit word, for example from `next_random_word`.

    Returns:
        An integer in 0..n-1. The probabilities differ by at most a factor of 1 + n / 2**32.

    Example:
        Choose one of three plans at random::

            random_below(3, next_random_word(view.noise, stream))
    """
    return (word * n) >> 32
