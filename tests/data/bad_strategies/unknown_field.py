"""compiles: has a field 'hnad'; did you mean 'hand'?"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    return best_discard(view.hnad, view.legal, rules)


STRATEGY = Strategy("unknown-field", discard=policy)
