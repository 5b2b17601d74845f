"""writes: writes into rules.gin_bonus"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    rules.gin_bonus = 1000
    return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("writing-rules", discard=policy)
