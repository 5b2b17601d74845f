"""Random: plays random legal cards, and ends the deal with probability 0.5 when possible.

The strategy also uses the die and chooses the melding to show at random.

Source: This player is a common baseline.
"""

from simgin_strategies.discard import uniform
from simgin_strategies.show import random as any_melding
from simgin_strategies.stake import accepting
from simgin_strategies.stake import random as offering
from simgin_strategies.take import random as by_lot

from simgin.strategy import Strategy, knock, param
from simgin.toolkit import bernoulli


@knock(noise=True, p_end=param(0.5, 0.0, 1.0, "probability of ending the deal if legal"))
def random(view, rules, params):
    """End the deal with probability `p_end` whenever it is legal."""
    return bernoulli(params[0], view.noise)


RANDOM = Strategy(
    "random",
    take=by_lot,
    discard=uniform,
    knock=random,
    offer=offering,
    answer=accepting,
    show=any_melding,
)
