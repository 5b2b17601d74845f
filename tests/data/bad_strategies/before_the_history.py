"""history: beyond view.turns"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    # the last row of the array is not the last turn
    return (
        best_discard(view.hand, view.legal, rules)
        if view.history[-1, 3] == 0
        else best_discard(view.hand, view.legal & -view.legal, rules)
    )


STRATEGY = Strategy("before-the-history", discard=policy)
