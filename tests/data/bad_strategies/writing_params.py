"""compiles: that it may only read"""

from simgin.strategy import Strategy, discard, param
from simgin.toolkit import best_discard


@discard(k=param(1, 0, 9))
def policy(view, rules, params):
    params[0] += 1
    return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("writing-params", discard=policy)
