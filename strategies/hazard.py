"""Hazard: minimises its expected deadwood and the value of its discards for the opponent.

The deal can end on each of the next turns, with a probability (the hazard) that increases during
the deal. The cost of a discard has two parts. The first part is the expected deadwood in each of
these turns, weighted by the probability that the turn is the last. The second part is the expected
improvement of the opponent's hand.

This project's interpretation: Deadwood one turn ahead is the mean over the most favourable 35 % of
the unseen cards (`share`), and the gain of later turns decreases by a constant factor. (The
original computes the second turn and extrapolates linearly.) The opponent's improvement is the
value of the other cards of every meld with the discard, times the probability that the opponent
holds them. (The original has a table learned from play.) The parameters were tuned by grid search.
According to the deal lengths published with the original, the hazard increases about half as fast
(slope 0.03). The original program divides integers, however, so that all weight is on the eighth
turn.

Source: Goldstein, Astudillo Guerra, Haigh, Cruz Ulloa and Blum, "Extracting Learned Discard
and Knocking Strategies", EAAI-21; bendstein/Gin-Rummy, 2021.
"""

import numpy as np
from simgin_strategies.ginrummy_and_tonic import compute_next_deadwood
from simgin_strategies.knock import knock_early
from simgin_strategies.take import take_to_lower_deadwood

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import (
    cards_of_rank,
    count_three_card_runs,
    deadwood,
    holding_probability,
    lowest_cost_card,
    popcount,
    suit_lane,
    total_points,
)

N_DEADWOOD_VALUES = 300  # larger than the deadwood of ten cards, even if an ace counts 99 points


@discard(
    name="hazard",
    share=param(0.35, 0.01, 1.0, "proportion of the best unseen cards to average"),
    turns=param(8, 1, 50, "number of turns to look ahead"),
    fade=param(0.2, 0.0, 1.0, "gain of a turn relative to the previous turn's gain"),
    first=param(3, 0, 500, "last own turn on which the hazard is 0"),
    slope=param(0.06, 0.0, 1.0, "increase of the hazard per later turn"),
    opponent=param(0.1, 0.0, 20.0, "weight of the improvement of the opponent's hand"),
    margin=param(6, 0, 99, "maximum extra deadwood of a discard"),
)
def discard_by_hazard(view, rules, params):
    """Minimise the expected final deadwood plus the help to the opponent (Goldstein)."""
    max_deadwood = view.least + params[6]
    tally = np.zeros(N_DEADWOOD_VALUES, np.int64)
    context = max_deadwood, holding_probability(view), tally
    return lowest_cost_card(view, rules, params, view.legal, _compute_discard_cost, context)


@helper
def _compute_discard_cost(view, rules, params, card, context):
    """Return the expected deadwood after a discard plus its weighted use to the opponent."""
    max_deadwood, held_probability, tally = context
    ten_cards = view.hand & ~(1 << card)
    deadwood_points = deadwood(ten_cards, rules)
    if deadwood_points > max_deadwood:
        return 1e18
    next_deadwood = compute_next_deadwood(ten_cards, view.unseen, params[0], tally, rules)
    return _compute_final_deadwood(deadwood_points, next_deadwood, view.own_turn, params) + params[
        5
    ] * _compute_opponent_improvement(card, view.known, view.unseen, held_probability, rules)


@helper
def _compute_final_deadwood(deadwood_points, next_deadwood, turn, params):
    """Return the expected deadwood at the end of the deal, or after the last turn considered."""
    expected, survival, gain = 0.0, 1.0, deadwood_points - next_deadwood
    expected_hand = float(deadwood_points)
    for i in range(int(params[1])):
        end_probability = min(1.0, max(0.0, params[4] * (turn + i - params[3])))
        expected += survival * end_probability * expected_hand
        survival *= 1.0 - end_probability
        expected_hand = max(0.0, expected_hand - gain)
        gain *= params[2]
    return expected + survival * expected_hand


@helper
def _compute_opponent_improvement(card, known_cards, unseen_cards, held_probability, rules):
    """Return the expected deadwood that the opponent would save by melding a given card."""
    same_rank = cards_of_rank(card % 13) & ~(1 << card)
    value = float(rules.value[0, card % 13])
    n_known, n_unseen = popcount(same_rank & known_cards), popcount(same_rank & unseen_cards)
    pairs = (
        n_known * (n_known - 1) / 2
        + n_known * n_unseen * held_probability
        + n_unseen * (n_unseen - 1) / 2 * held_probability * held_probability
    )
    total = pairs * 2 * value
    rank_bit = 1 << (card % 13)
    known_ranks, unseen_ranks = (
        suit_lane(known_cards, card // 13),
        suit_lane(unseen_cards, card // 13),
    )
    for i in range(count_three_card_runs(rules)):
        partner_ranks = rules.runs[i] & ~rank_bit
        if rules.runs[i] & rank_bit and partner_ranks & ~(known_ranks | unseen_ranks) == 0:
            p = 1.0
            while partner_ranks:
                lowest = partner_ranks & -partner_ranks
                partner_ranks ^= lowest
                if not known_ranks & lowest:
                    p *= held_probability
            total += p * total_points(rules.runs[i] & ~rank_bit, rules)
    return total


HAZARD = Strategy(
    "hazard", take=take_to_lower_deadwood, discard=discard_by_hazard, knock=knock_early
)
