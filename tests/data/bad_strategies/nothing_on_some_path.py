"""compiles: returns nothing on some path"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    if view.turns > 3:
        return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("nothing-on-some-path", discard=policy)
