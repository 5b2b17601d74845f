"""Random: plays random legal cards, and ends the deal with probability 0.5 when possible.

The strategy also uses the die and chooses the melding to show at random.

Source: This player is a common baseline.
"""

from simgin_strategies.discard import discard_at_random
from simgin_strategies.show import show_at_random
from simgin_strategies.stake import accept_at_random, offer_at_random
from simgin_strategies.take import take_at_random

from simgin.strategy import Strategy, knock, param
from simgin.toolkit import bernoulli


@knock(
    name="random", noise=True, p_end=param(0.5, 0.0, 1.0, "probability of ending the deal if legal")
)
def knock_at_random(view, rules, params):
    """End the deal with probability `p_end` whenever it is legal."""
    return bernoulli(params[0], view.noise)


RANDOM = Strategy(
    "random",
    take=take_at_random,
    discard=discard_at_random,
    knock=knock_at_random,
    offer=offer_at_random,
    answer=accept_at_random,
    show=show_at_random,
)
