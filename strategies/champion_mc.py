"""Champion-mc: plays like champion, but also simulates actions in sampled worlds.

If champion's weights do not clearly separate the best actions, simgin rolls these actions out to
the end of the deal in the same sampled worlds (strategies/_champion_worlds.py). The estimates from
the weights and from the rollouts are combined according to their errors, and the best action is
chosen. An action is rolled out in more worlds as long as the expected gain exceeds the cost in
time.

Source: Developed for simgin. Champion-mc samples hidden cards and plays rollouts like MonteCarloBot
(jdh8/gin-rummy-engine, 2026), and uses learned costs as the prior of the comparison, as in Tesauro
and Galperin, "On-line Policy Improvement using Monte-Carlo Search", 1996.
"""

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion_worlds import (
    COST_STANDARD_ERROR_INDEX,
    KNOCK_STANDARD_ERROR_INDEX,
    PARAMETERS,
    find_best_action,
    get_champion_weights,
)
from simgin_strategies.stake import accept_by_match_value, offer_by_match_value

from simgin.core.position_rollouts import ACTION_DISCARD, ACTION_END_DEAL
from simgin.strategy import (
    ACTION_PASS,
    ACTION_STOCK,
    PHASE_LAST,
    PHASE_UPCARD,
    Strategy,
    discard,
    helper,
    knock,
    take,
)
from simgin.toolkit import is_gin_or_better, legal_discards, lowers_deadwood, take_if
from simgin.toolkit.stack_arrays import float_stack_array, int_stack_array

MAX_DISCARDS_TRIED = 4  # maximum number of candidate discards


def adapt_weights(weights, weight_deltas, rules):
    """Return the weights of champion-mc, in which champion's weights are adapted to the rules."""
    champion_part, other_weights = np.split(weights, [player.N_WEIGHTS])
    return np.concatenate(
        [player.adapt_weights(champion_part, weight_deltas, rules), other_weights]
    )


MC_WEIGHT_OPTIONS = {
    **player.CHAMPION_WEIGHT_OPTIONS,
    "weights": "champion-mc.npy",
    "for_rules": adapt_weights,
}


@take(name="champion-mc", noise=True, **MC_WEIGHT_OPTIONS, **PARAMETERS)
def take_by_champion_rollouts(view, rules, params):
    """Take a card that lowers the deadwood if the weights and rollouts predict a gain."""
    if not lowers_deadwood(view, rules):
        return take_if(False, view.legal)
    gain = player.estimate_take_gain(view, rules, get_champion_weights(params))
    choices = np.array([take_if(gain > 0, view.legal), take_if(gain <= 0, view.legal)])
    actions = choices.copy()
    if view.phase == PHASE_UPCARD and not view.legal & 1 << ACTION_PASS:
        actions[choices == ACTION_STOCK] = ACTION_PASS
    prior_gains = np.array([0.0, -abs(gain)])
    cards = np.array([-1, -1])
    return choices[
        find_best_action(
            actions, cards, prior_gains, params[COST_STANDARD_ERROR_INDEX], view, rules, params
        )
    ]


@helper
def find_lowest_cost_discards(legal, view, rules, params):
    """Return the discards with the lowest costs according to champion's weights, best first.

    Returns:
        Up to MAX_DISCARDS_TRIED cards, and the lowest cost minus the cost of each card.
    """
    weights = player.get_current_weights(view, rules, get_champion_weights(params))
    candidates, costs = int_stack_array(), float_stack_array()
    n = player.write_candidates(legal, view, rules, weights, candidates, costs)
    n_tried = min(n, MAX_DISCARDS_TRIED)
    cards, prior_gains = np.zeros(n_tried, np.int64), np.zeros(n_tried)
    min_cost = costs[:n].min()
    for k in range(n_tried):
        i = costs[:n].argmin()
        cards[k], prior_gains[k] = candidates[i], min_cost - costs[i]
        costs[i] = player.MAX_COST
    return cards, prior_gains


@discard(name="champion-mc", noise=True, **MC_WEIGHT_OPTIONS, **PARAMETERS)
def discard_by_champion_rollouts(view, rules, params):
    """Discard the candidate with the best estimate from weights and rollouts."""
    cards, prior_gains = find_lowest_cost_discards(view.legal, view, rules, params)
    if len(cards) == 1:
        return cards[0]
    actions = np.full(len(cards), ACTION_DISCARD)
    return cards[
        find_best_action(
            actions, cards, prior_gains, params[COST_STANDARD_ERROR_INDEX], view, rules, params
        )
    ]


@knock(name="champion-mc", noise=True, **MC_WEIGHT_OPTIONS, **PARAMETERS)
def knock_by_champion_rollouts(view, rules, params):
    """Knock with gin or on the last discard, or if a knock is better than the best discard."""
    if is_gin_or_better(view) or view.phase == PHASE_LAST:
        return True
    weights = get_champion_weights(params)
    gain = player.estimate_knock_gain(view, rules, weights)
    legal = legal_discards(view, rules)
    discarded = player.find_lowest_cost_discard(legal, view, rules, weights)
    is_knock = np.int64(gain > 0)
    actions = np.array(
        [
            ACTION_END_DEAL if is_knock else ACTION_DISCARD,
            ACTION_DISCARD if is_knock else ACTION_END_DEAL,
        ]
    )
    cards = np.array(
        [view.ending_card if is_knock else discarded, discarded if is_knock else view.ending_card]
    )
    prior_gains = np.array([0.0, -abs(gain)])
    best = find_best_action(
        actions, cards, prior_gains, params[KNOCK_STANDARD_ERROR_INDEX], view, rules, params
    )
    return actions[best] == ACTION_END_DEAL


CHAMPION_MC = Strategy(
    "champion-mc",
    take=take_by_champion_rollouts,
    discard=discard_by_champion_rollouts,
    knock=knock_by_champion_rollouts,
    offer=offer_by_match_value,
    answer=accept_by_match_value,
)
