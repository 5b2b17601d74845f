"""legal: which is not among the legal discards"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    return 51 if view.turns > 3 else best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("illegal-card", discard=policy)
