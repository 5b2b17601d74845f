"""same: depends on more than view"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    return best_discard(
        view.hand, view.legal if hash(str(view.hand)) % 2 else view.legal & -view.legal, rules
    )


STRATEGY = Strategy("hash-of-text", discard=policy)
