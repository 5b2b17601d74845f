"""same: depends on more than view"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard

ASKED = {"times": 0}


@discard
def policy(view, rules, params):
    ASKED["times"] += 1
    return best_discard(
        view.hand, view.legal if ASKED["times"] % 50 else view.legal & -view.legal, rules
    )


STRATEGY = Strategy("counting", discard=policy)
