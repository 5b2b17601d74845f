"""legal: answered nothing"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard

SEEN = {}


@discard
def policy(view, rules, params):
    if SEEN.get("never", view.turns) > 3:
        return None
    return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("nothing-in-python", discard=policy)
