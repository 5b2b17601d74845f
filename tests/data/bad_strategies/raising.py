"""raises: raised ValueError: out of ideas"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    if view.turns > 3:
        raise ValueError("out of ideas")
    return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("raising", discard=policy)
