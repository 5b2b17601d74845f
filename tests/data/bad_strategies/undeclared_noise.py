"""compiles: reads view.noise, which is there only if it says so"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    return best_discard(view.hand, view.legal, rules) + 0 * view.noise


STRATEGY = Strategy("undeclared-noise", discard=policy)
