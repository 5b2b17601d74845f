"""Wary: gold-early that pays for safety; it throws what leaves least deadwood plus a price for what the opponent could meld.

What he could meld is judged by the beliefs learned from logged deals (docs/strategies/beliefs.md), not by what is near.

Source: this project, after Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy" (EAAI-21).
"""

import numpy as np
from simgin_strategies.knock import early
from simgin_strategies.take import lower

from simgin.strategy import Strategy, discard, param
from simgin.toolkit import believe, best_discards, deadwood, dearest, lowest, meld_chance


@discard(
    weights="beliefs.npy",
    price=param(3.0, 0.0, 100.0, "points that it is worth if the opponent cannot meld a discard"),
    window=param(12, 0, 99, "points of deadwood above the least up to which a discard is considered"),
)
def wary(view, rules, params):
    """Least of deadwood plus a price times the chance that the opponent can meld the card."""
    least = best_discards(view.hand, view.legal, rules)[0]
    chances = np.empty(52)
    believe(view, params, 2, chances)
    best, cost = -1, 1e9
    legal = view.legal
    while legal:
        card = lowest(dearest(legal, rules)[0])
        legal &= ~(1 << card)
        count = deadwood(view.hand & ~(1 << card), rules)
        if count <= least + params[1]:
            c = count + params[0] * meld_chance(card, chances, rules)
            if c < cost:
                best, cost = card, c
    return best


WARY = Strategy("wary", take=lower, discard=wary, knock=early)
