"""What policies answer with.

Taking or leaving a card, ending or playing on, and choices by lot from the noise of a question.
"""

from simgin.core import endings
from simgin.core.bits import lowest, nth, popcount
from simgin.core.jit import jit
from simgin.core.rng import write_words


@jit
def take_if(wanted, legal):
    """The answer of a take policy: take, or else pass where that is a choice, or else the stock."""
    if wanted:
        return 1
    return 2 if legal & 4 else 0


@jit
def gin_or_better(view):
    """Whether the ending proposed to a knock policy is gin, a shot or big gin."""
    return view.ending_count == 0 or view.ending >= 2


@jit
def legal_discards(view, rules):
    """What may be thrown if the deal goes on.

    For knock policies, whose `view.legal` is about the ending.
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
    """Whether a bet with chance p comes off, by `view.noise`."""
    return noise < p * 9007199254740992.0


@jit
def random_word(noise, stream):
    """The next 32 random bits of a question, as many as wanted.

    Stream is an int64[9], zero at first, that counts and keeps them.
    """
    k = stream[8] & 7
    if k == 0:
        write_words(noise, 0, 0, stream[8] >> 2, 0, stream)
    stream[8] += 1
    return stream[k]
