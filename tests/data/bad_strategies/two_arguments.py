"""compiles: must be a plain function of three arguments"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules):
    return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("two-arguments", discard=policy)
