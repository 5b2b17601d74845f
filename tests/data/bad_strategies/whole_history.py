"""history: beyond view.turns"""

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    spades = 0
    for i in range(view.history.shape[0]):
        spades += view.history[i, 3] < 13
    return (
        best_discard(view.hand, view.legal, rules)
        if spades == 501
        else best_discard(view.hand, view.legal & -view.legal, rules)
    )


STRATEGY = Strategy("whole-history", discard=policy)
