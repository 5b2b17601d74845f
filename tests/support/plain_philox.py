"""Random number generator Philox in plain Python, written from its definition."""


def compute_philox(counter, key):
    """Return four random 32-bit words for a counter and a key (Philox4x32-10)."""
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        high = second >> 32 ^ c[1] ^ k[0], first >> 32 ^ c[3] ^ k[1]
        c = [high[0], second & 0xFFFFFFFF, high[1], first & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return tuple(c)


def compute_random_words(seed, unit, deal, index, domain):
    """Return the random words of a deal, as in docs/explanation/reproducibility.md."""
    counter = (unit % 2**32, unit >> 32 | deal << 16, index, domain)
    return compute_philox(counter, (seed % 2**32, seed >> 32))
