"""Strategies for solitaire games that are greedy, look one draw ahead, or collect melds first.

All strategies in this file wait for gin, because no threshold on deadwood or cards left was better
(docs/reference/strategies/solo.md). `solo-switch` is for Solitary Gin, which has no knocks. It ends
deals with `stop-dp`, which waits for gin in that game. It follows the advice of the rule book to
collect melds, and to exchange high cards for lower cards near the end. With `goal`, the last turns
maximise the probability that the total of the five deals meets the goal. The probability is based
on the distribution of deal scores that training/solo.py found in self-play.

Source: Developed for simgin, to play Solitary Gin (Susan Plank, pagat.com) and the joker games.
"""

import numpy as np
from simgin_strategies.ahead import (
    MAX_UNSEEN_CARDS,
    compute_hand_cost,
    discard_by_next_draw,
    is_last_discard,
)
from simgin_strategies.discard import discard_for_least_deadwood
from simgin_strategies.knock import knock_with_limit
from simgin_strategies.stop import stop_by_backward_induction

from simgin.strategy import Strategy, choice, discard, flag, helper, param
from simgin.toolkit import best_discard, deadwood_after_draws, highest_value_cards, lowest_bit

N_PARAMETERS = 4  # number of parameters; the values of solo.npy come after the parameters
# solo.npy contains the values of N_TOTAL_SCORES total scores in steps of TOTAL_SCORE_STEP, starting
# with MIN_TOTAL_SCORE.
TOTAL_SCORE_STEP, MIN_TOTAL_SCORE, N_TOTAL_SCORES = 5, -100, 50


@discard(
    name="switch",
    k=param(3, 0, 500, "number of last turns, in which the mean penalty is minimised"),
    aim=choice("loose", "gin", "few", "deadwood", about="aim in the turns before"),
    few=param(7, 1, 42, "number of best draws for aim=few"),
    goal=flag(False, "in the last turns, maximise the probability of meeting the goal"),
    weights="solo.npy",
)
def discard_for_melds_then_penalties(view, rules, params):
    """Collect melds until k turns remain, and then minimise the mean penalty."""
    is_late = count_turns_left(view, rules) <= params[0]
    if is_late and is_last_discard(view, rules):
        return best_discard(view.hand, view.legal, rules)
    deadwood_values = np.empty(MAX_UNSEEN_CARDS, np.int64)
    best_card, min_cost = -1, 1e18
    legal = view.legal
    while legal:
        card = lowest_bit(highest_value_cards(legal, rules)[0])
        legal &= ~(1 << card)
        ten_cards = view.hand & ~(1 << card)
        if is_late:
            cost = _sum_penalties(ten_cards, view, rules, params, deadwood_values)
        else:
            cost = float(
                compute_hand_cost(
                    ten_cards,
                    view.unseen,
                    (3, 1, 2, 0)[int(params[1])],
                    params[2],
                    rules,
                    deadwood_values,
                )
            )
        if cost < min_cost:
            best_card, min_cost = card, cost
    return best_card


@helper
def count_turns_left(view, rules):
    """Return the number of remaining turns of the deal, including the current turn.

    In joker games, the result is the maximum.
    """
    return view.deck_left if rules.max_draws < 0 else rules.max_draws - view.own_turn + 1


@helper
def _sum_penalties(ten_cards, view, rules, params, deadwood_values):
    """Return the sum of the penalties of ten cards over all possible draws.

    With `goal`, the probability of meeting the goal is subtracted with a large weight.
    """
    total = 0.0
    for i in range(deadwood_after_draws(ten_cards, view.unseen, rules, deadwood_values)):
        penalty = deadwood_values[i] if deadwood_values[i] else rules.penalty_gin
        total += penalty
        if params[3]:
            total += -1e6 * compute_goal_probability(
                rules.total_goal - view.own_points - penalty,
                rules.deals_in_match - view.deal - 1,
                params,
            )
    return total


@helper
def compute_goal_probability(max_total, deals, params):
    """Return the probability that the total of several deals is at most `max_total` points."""
    i = (int(max_total) - MIN_TOTAL_SCORE) // TOTAL_SCORE_STEP
    if i < 0:
        return 0.0
    return params[
        N_PARAMETERS + max(0, min(4, deals)) * N_TOTAL_SCORES + min(i, N_TOTAL_SCORES - 1)
    ]


WAIT_FOR_GIN = knock_with_limit(k=0)
SOLO_GREEDY = Strategy(
    "solo-greedy",
    discard=discard_for_least_deadwood,
    knock=WAIT_FOR_GIN,
    about="Solitaire: keeps the least deadwood, and ends the deal only with gin.",
)
SOLO_LOOKAHEAD = Strategy(
    "solo-lookahead",
    discard=discard_by_next_draw(aim="loose"),
    knock=WAIT_FOR_GIN,
    about="Solitaire: looks one draw ahead, and ends the deal only with gin.",
)
SOLO_SWITCH = Strategy(
    "solo-switch",
    discard=discard_for_melds_then_penalties,
    knock=stop_by_backward_induction,
    about="Solitary Gin: collects melds, then minimises penalties in the last k turns.",
)
