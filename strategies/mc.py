"""Monte Carlo: samples the hidden cards, rolls out each world and picks the best action.

Gold's action is chosen unless another action is better by `gate` standard errors over the same
worlds; a lower threshold plays worse than gold. Rollouts are greedy. In them this player waits for
gin (`patient`), so that plans are compared rather than immediate knocks; the opponent plays gold.
The opponent's sampled hand is as good as can be expected at this stage (`developed`). A result
counts as the probability of winning the match from the score after it (`value`), from a table for
matches to 100 between two golds, scaled to other targets; if points do not decide the match, it
counts as points. The strategy cannot value hiding or gaining information, because all cards are
known in a rollout. In solitaire games, with shots and big gin, and under the 50th-card rule it
plays like gold.

Source: jdh8/gin-rummy-engine (MonteCarloBot), 2026. This project's readings: lay-offs are exact,
and hands are improved by default.
"""

import numpy as np
from simgin_strategies._rollouts import DISCARD, END, PARAMETERS, PASS, WIDTH, best_action

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
def _take_actions(view, rules):
    """Return the legal actions of the slot `take`, gold's first."""
    first = take_if(lowers_deadwood(view, rules), view.legal)
    out = np.full(3, first, np.int64)
    n = 1
    for answer in range(3):
        if view.legal >> answer & 1 and answer != first:
            out[n] = answer
            n += 1
    return out[:n]


@helper
def _best_candidates(eleven, legal, width, rules):
    """Return the discards that leave the least deadwood, best first.

    Ties: the highest card, then the lowest number.
    """
    out = np.empty(11, np.int64)
    n = 0
    while legal and n < width:
        out[n] = lowest_bit(highest_value_cards(best_discards(eleven, legal, rules)[1], rules)[0])
        legal &= ~(1 << out[n])
        n += 1
    return out[:n]


@take(name="mc", noise=True, weights="mc.npy", **PARAMETERS)
def monte_carlo_take(view, rules, params):
    """Take or draw, whichever is significantly better in sampled worlds; otherwise as gold."""
    answers = _take_actions(view, rules)
    actions = answers.copy()
    if view.phase == PHASE_UPCARD and not view.legal & 1 << PASS:
        actions[answers == ACTION_STOCK] = PASS
    return answers[best_action(actions, answers, view, rules, params)]


@discard(name="mc", noise=True, weights="mc.npy", **PARAMETERS)
def monte_carlo_discard(view, rules, params):
    """Choose among the `width` discards that leave least deadwood by sampled worlds.

    If none is significantly better, make gold's discard.
    """
    if rules.players == 1:
        return best_discard(view.hand, view.legal, rules)
    cards = _best_candidates(view.hand, view.legal, params[WIDTH], rules)
    actions = np.full(cards.shape[0], DISCARD, np.int64)
    return cards[best_action(actions, cards, view, rules, params)]


@knock(name="mc", noise=True, weights="mc.npy", **PARAMETERS)
def monte_carlo_knock(view, rules, params):
    """Knock with gin, and otherwise unless a discard is significantly better in the worlds."""
    if is_gin_or_better(view) or view.phase == PHASE_LAST or rules.players == 1:
        return True
    others = _best_candidates(view.hand, legal_discards(view, rules), params[WIDTH], rules)
    cards = np.append(view.ending_card, others)
    actions = np.full(cards.shape[0], DISCARD, np.int64)
    actions[0] = END
    return best_action(actions, cards, view, rules, params) == 0


MC = Strategy("mc", take=monte_carlo_take, discard=monte_carlo_discard, knock=monte_carlo_knock)
