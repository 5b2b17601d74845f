"""Champion-mc: champion with rollouts in worlds weighted by the opponent's play.

If champion's weights do not separate the best actions, these are rolled out to the end of the deal
in the same sampled worlds (strategies/_champion_worlds.py). The weights and the rollouts are
combined like two measurements, each weighted by its error, and the best action is chosen. An action
gets more worlds as long as their expected gain exceeds the cost of their time.

Source: This project. Sampled hidden cards and play-outs as in jdh8/gin-rummy-engine
(MonteCarloBot), 2026; learned prices as the start of the comparison as in G. Tesauro and G.
Galperin, "On-line Policy Improvement using Monte-Carlo Search", 1996.
"""

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion_worlds import (
    KNOCK_SPREAD,
    NUMBERS,
    SPREAD,
    best_action,
    own_numbers,
)
from simgin_strategies.stake import by_value, by_value_answer

from simgin.core.position import END, THROW
from simgin.strategy import LAST, PASS, STOCK, UPCARD, Strategy, discard, helper, knock, take
from simgin.toolkit import gin_or_better, legal_discards, lowers, take_if
from simgin.toolkit.lanes import real_lanes, whole_lanes

FEW = 4  # maximum number of candidate discards


@take(name="champion-mc", noise=True, weights="champion-mc.npy", **NUMBERS)
def mc_take(view, rules, params):
    """Take a card that lowers the deadwood if weights and rollouts favour it."""
    if not lowers(view, rules):
        return take_if(False, view.legal)
    gain = player.take_gain(view, rules, own_numbers(params))
    answers = np.array([take_if(gain > 0, view.legal), take_if(gain <= 0, view.legal)])
    actions = answers.copy()
    if view.phase == UPCARD and not view.legal & 1 << PASS:
        actions[answers == STOCK] = PASS
    before = np.array([0.0, -abs(gain)])
    cards = np.array([-1, -1])
    return answers[best_action(actions, cards, before, params[SPREAD], view, rules, params)]


@helper
def cheapest_few(legal, view, rules, params):
    """Return the discards with the lowest costs, and their negative gains over the first."""
    weights = player.weights_in_force(view, rules, own_numbers(params))
    tried, prices = whole_lanes(), real_lanes()
    n = player.priced(legal, view, rules, weights, tried, prices)
    few = min(n, FEW)
    cards, before = np.zeros(few, np.int64), np.zeros(few)
    least = prices[:n].min()
    for k in range(few):
        i = prices[:n].argmin()
        cards[k], before[k] = tried[i], least - prices[i]
        prices[i] = player.TOO_HIGH
    return cards, before


@discard(name="champion-mc", noise=True, weights="champion-mc.npy", **NUMBERS)
def mc_discard(view, rules, params):
    """Make the candidate discard with the best result in weights and rollouts."""
    cards, before = cheapest_few(view.legal, view, rules, params)
    if len(cards) == 1:
        return cards[0]
    actions = np.full(len(cards), THROW)
    return cards[best_action(actions, cards, before, params[SPREAD], view, rules, params)]


@knock(name="champion-mc", noise=True, weights="champion-mc.npy", **NUMBERS)
def mc_knock(view, rules, params):
    """Knock with gin or on the last discard, and otherwise if it beats the best discard."""
    if gin_or_better(view) or view.phase == LAST:
        return True
    numbers = own_numbers(params)
    gain = player.knock_gain(view, rules, numbers)
    legal = legal_discards(view, rules)
    thrown = player.cheapest(legal, view, rules, numbers)
    ends = np.int64(gain > 0)
    actions = np.array([END if ends else THROW, THROW if ends else END])
    cards = np.array([view.ending_card if ends else thrown, thrown if ends else view.ending_card])
    before = np.array([0.0, -abs(gain)])
    best = best_action(actions, cards, before, params[KNOCK_SPREAD], view, rules, params)
    return actions[best] == END


CHAMPION_MC = Strategy(
    "champion-mc",
    take=mc_take,
    discard=mc_discard,
    knock=mc_knock,
    offer=by_value,
    answer=by_value_answer,
)
