"""bounds: raised IndexError"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    return best_discard(view.hand, view.legal, rules) + 0 * view.history[view.turns + 600, 3]


STRATEGY = Strategy("out-of-bounds", discard=policy)
