"""MC: samples the hidden cards, simulates each action, and chooses the best action.

The strategy chooses gold's action unless another action is better by `gate` standard errors in the
same worlds. With a lower threshold, it plays worse than gold. Rollouts are greedy. In rollouts,
this player waits for gin (`patient`), so that plans are compared rather than immediate knocks, and
the opponent plays like gold. The sampled hand of the opponent has the deadwood expected at this
stage (`developed`). The value of a result is the match win probability at the new score (`value`),
from a table for matches to 100 between two gold players. The table is scaled to other targets. If
points do not decide the match, the value is the points. The strategy does not value information,
because all cards are known in a rollout. In solitaire games, in variants with shots or big gin, and
under the 50th-card rule, the strategy plays like gold.

Source: jdh8/gin-rummy-engine (MonteCarloBot), 2026. Unlike the original, the strategy uses exact
lay-offs and, by default, improved sampled hands.
"""

import numpy as np
from simgin_strategies._rollouts import (
    ACTION_DISCARD,
    ACTION_END_DEAL,
    ACTION_PASS,
    N_CANDIDATES_INDEX,
    PARAMETERS,
    find_best_action,
)

from simgin.strategy import (
    ACTION_STOCK,
    PHASE_LAST,
    PHASE_UPCARD,
    Strategy,
    discard,
    helper,
    knock,
    take,
)
from simgin.toolkit import (
    best_discard,
    best_discards,
    highest_value_cards,
    is_gin_or_better,
    legal_discards,
    lowers_deadwood,
    lowest_bit,
    take_if,
)


@helper
def _list_take_actions(view, rules):
    """Return the legal actions of a take decision, with gold's action first."""
    gold_action = take_if(lowers_deadwood(view, rules), view.legal)
    actions = np.full(3, gold_action, np.int64)
    n = 1
    for action in range(3):
        if view.legal >> action & 1 and action != gold_action:
            actions[n] = action
            n += 1
    return actions[:n]


@helper
def _list_lowest_deadwood_discards(eleven_cards, legal, n_discards, rules):
    """Return the discards that leave the least deadwood, best first.

    Ties are broken by the highest card, then by the lowest number.
    """
    candidates = np.empty(11, np.int64)
    n = 0
    while legal and n < n_discards:
        candidates[n] = lowest_bit(
            highest_value_cards(best_discards(eleven_cards, legal, rules)[1], rules)[0]
        )
        legal &= ~(1 << candidates[n])
        n += 1
    return candidates[:n]


@take(name="mc", noise=True, weights="mc.npy", **PARAMETERS)
def take_by_greedy_rollouts(view, rules, params):
    """Choose gold's action, unless another action has significantly better results."""
    choices = _list_take_actions(view, rules)
    actions = choices.copy()
    if view.phase == PHASE_UPCARD and not view.legal & 1 << ACTION_PASS:
        actions[choices == ACTION_STOCK] = ACTION_PASS
    return choices[find_best_action(actions, choices, view, rules, params)]


@discard(name="mc", noise=True, weights="mc.npy", **PARAMETERS)
def discard_by_greedy_rollouts(view, rules, params):
    """Roll out the discards with the least deadwood, and make the best one.

    If no discard is significantly better, make gold's discard.
    """
    if rules.players == 1:
        return best_discard(view.hand, view.legal, rules)
    cards = _list_lowest_deadwood_discards(view.hand, view.legal, params[N_CANDIDATES_INDEX], rules)
    actions = np.full(cards.shape[0], ACTION_DISCARD, np.int64)
    return cards[find_best_action(actions, cards, view, rules, params)]


@knock(name="mc", noise=True, weights="mc.npy", **PARAMETERS)
def knock_by_greedy_rollouts(view, rules, params):
    """Knock with gin, or if no discard is significantly better in sampled worlds."""
    if is_gin_or_better(view) or view.phase == PHASE_LAST or rules.players == 1:
        return True
    candidates = _list_lowest_deadwood_discards(
        view.hand, legal_discards(view, rules), params[N_CANDIDATES_INDEX], rules
    )
    cards = np.append(view.ending_card, candidates)
    actions = np.full(cards.shape[0], ACTION_DISCARD, np.int64)
    actions[0] = ACTION_END_DEAL
    return find_best_action(actions, cards, view, rules, params) == 0


MC = Strategy(
    "mc",
    take=take_by_greedy_rollouts,
    discard=discard_by_greedy_rollouts,
    knock=knock_by_greedy_rollouts,
)
