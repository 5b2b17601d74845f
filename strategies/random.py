"""Random: plays any legal card and ends half the deals it may; the zero point of ratings.

The die and what is shown are left to chance as well.

Source: Nobody in particular.
"""

from simgin_strategies.discard import uniform
from simgin_strategies.show import random as any_melding
from simgin_strategies.stake import accepting
from simgin_strategies.stake import random as offering
from simgin_strategies.take import random as by_lot

from simgin.strategy import Strategy, knock, param
from simgin.toolkit import chance


@knock(noise=True, p_end=param(0.5, 0.0, 1.0, "chance of ending whenever it is allowed"))
def random(view, rules, params):
    """End the deal with probability p_end."""
    return chance(params[0], view.noise)


RANDOM = Strategy(
    "random",
    take=by_lot,
    discard=uniform,
    knock=random,
    offer=offering,
    answer=accepting,
    show=any_melding,
)
