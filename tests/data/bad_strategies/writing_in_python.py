"""writes: raised ValueError: assignment destination is read-only"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard

SEEN = {}


@discard
def policy(view, rules, params):
    view.hand = SEEN.get("never", 0)
    return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("writing-in-python", discard=policy)
