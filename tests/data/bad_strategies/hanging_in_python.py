"""time: took longer than"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard

SEEN = {}


@discard
def policy(view, rules, params):
    while SEEN.get("never", True):
        pass
    return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("hanging-in-python", discard=policy)
