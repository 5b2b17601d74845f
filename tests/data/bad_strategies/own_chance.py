"""compiles: uses np.random.random, so that a deal could not be played again"""

import numpy as np

from simgin.strategy import Strategy, discard
from simgin.toolkit import best_discard


@discard
def policy(view, rules, params):
    return (
        best_discard(view.hand, view.legal, rules)
        if np.random.random() < 0.9
        else best_discard(view.hand, view.legal & -view.legal, rules)
    )


STRATEGY = Strategy("own-chance", discard=policy)
