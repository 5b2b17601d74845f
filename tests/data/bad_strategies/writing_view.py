"""writes: writes into view.shed"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    view.shed = 0
    return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("writing-view", discard=policy)
