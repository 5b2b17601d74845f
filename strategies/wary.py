"""Wary: plays like gold-early, but prefers discards that the opponent probably cannot meld.

The probability that the opponent can meld a card is estimated with a belief table, which was fitted
to recorded deals (docs/reference/strategies/beliefs.md).

Source: Developed for simgin after Francis, Just and Neller, "Opponent Hand Estimation in the Game
of Gin Rummy" (EAAI-21).
"""

import numpy as np
from simgin_strategies.knock import knock_early
from simgin_strategies.take import take_to_lower_deadwood

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import deadwood, estimate_holdings, lowest_cost_card, meld_probability


@discard(
    name="wary",
    weights="beliefs.npy",
    price=param(3.0, 0.0, 100.0, "penalty on a discard that the opponent can certainly meld"),
    window=param(12, 0, 99, "maximum extra deadwood of a discard"),
)
def discard_by_meld_risk(view, rules, params):
    """Minimise the deadwood plus a penalty on cards that the opponent can meld."""
    max_deadwood = view.least + params[1]
    held_probabilities = np.empty(52)
    estimate_holdings(view, params, 2, held_probabilities)
    return lowest_cost_card(
        view, rules, params, view.legal, _compute_discard_cost, (max_deadwood, held_probabilities)
    )


@helper
def _compute_discard_cost(view, rules, params, card, context):
    """Return the deadwood plus a penalty times the probability that the opponent melds the card."""
    max_deadwood, held_probabilities = context
    deadwood_points = deadwood(view.hand & ~(1 << card), rules)
    return (
        deadwood_points + params[0] * meld_probability(card, held_probabilities, rules)
        if deadwood_points <= max_deadwood
        else 1e18
    )


WARY = Strategy(
    "wary", take=take_to_lower_deadwood, discard=discard_by_meld_risk, knock=knock_early
)
