"""time: reading"""

import time

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard

while time.time() > 0:
    time.sleep(0.1)


@discard
def policy(view, rules, params):
    return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("hanging-when-read", discard=policy)
