"""compiles: uses time.time_ns, so that a deal could not be played again"""

import time

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    return best_discard(
        view.hand, view.legal if time.time_ns() // 1000 % 10 else view.legal & -view.legal, rules
    )


STRATEGY = Strategy("clock", discard=policy)
