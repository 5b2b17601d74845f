"""compiles: has a field 'hnad'; did you mean 'hand'?"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard

SEEN = {}


@discard
def policy(view, rules, params):
    SEEN[view.turns] = [view.hnad for _ in range(1)]
    return best_discard(view.hand, view.legal, rules)


STRATEGY = Strategy("unknown-field-in-python", discard=policy)
