"""compiles: 'lengh' is nowhere defined; did you mean 'len'?"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    return best_discard(view.hand, view.legal, rules) + 0 * lengh(params)  # noqa: F821


STRATEGY = Strategy("unknown-name", discard=policy)
