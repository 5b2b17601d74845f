"""What policies answer with: take or pass, end or play on, and random choices.

Random choices use the noise of a question.
"""

from simgin.core import endings
from simgin.core.bits import lowest, nth, popcount
from simgin.core.jit import jit
from simgin.core.rng import words, write_blocks


@jit
def take_if(wanted, legal):
    """The answer of a take policy: take if wanted, else pass where that is a choice, else draw."""
    if wanted:
        return 1
    return 2 if legal & 4 else 0


@jit
def gin_or_better(view):
    """Whether the ending proposed to a knock policy is gin, a shot or big gin."""
    return view.ending_count == 0 or view.ending >= 2


@jit
def legal_discards(view, rules):
    """The legal discards if the deal goes on, for knock policies.

    Their `view.legal` is about the ending.
    """
    return endings.legal_discards(view.hand, view.taken, view.drawn, rules)


@jit
def pick(cards, noise):
    """One of some cards (mask, not empty) at random, by `view.noise`."""
    if cards & (cards - 1) == 0:
        return lowest(cards)
    return nth(cards, (noise * popcount(cards)) >> 53)


@jit
def chance(p, noise):
    """True with probability p, by `view.noise`."""
    return noise < p * 9007199254740992.0


@jit
def random_word(noise, stream):
    """The next 32 random bits of a question, as often as needed.

    stream: an int64[33], zero at first, that counts and holds them; int64[9] if few are needed. The
    bits are the same.
    """
    if len(stream) == 33:
        n = stream[32]
        if n & 31 == 0:
            write_blocks(noise, 0, 0, n >> 2, 0, stream)
        stream[32] = n + 1
        block, word = n >> 2 & 7, n & 3
        return stream[8 * word + block]
    n = stream[8]
    if n & 3 == 0:
        stream[0], stream[1], stream[2], stream[3] = words(noise, 0, 0, n >> 2, 0)
    stream[8] = n + 1
    return stream[n & 3]
