"""What policies answer with: taking or leaving a card, and choices by lot from the noise of a question."""

from simgin.core.bits import lowest, nth, popcount
from simgin.core.jit import jit


@jit
def take_if(wanted, legal):
    """The answer of a take policy: take, or else pass where that is a choice, or else the stock."""
    if wanted:
        return 1
    return 2 if legal & 4 else 0


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
