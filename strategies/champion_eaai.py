"""Champion-eaai: plays like champion, but with more detailed weights under the rules of `eaai`.

Champion's weights depend on the stage of the deal and on the type of the opponent. Champion-eaai
adds weights that depend on the context of a decision: the turn, the unmatched cards, the known
cards, the deadwood and both scores. The estimate of the opponent's type also depends on the number
of known cards. The additional weights apply only under rules for which champion uses its weights
for `eaai` without changes. Under other rules, champion-eaai plays like champion.

Source: Developed for simgin. training/champion_eaai.py learns the additional weights with the
method of champion.
"""

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import N_FEATURES
from simgin_strategies._champion_rules import compute_rule_features, compute_variant_features
from simgin_strategies.stake import accept_by_match_value, offer_by_match_value

from simgin.core.jit import force_inline
from simgin.core.policy_types import get_params_at
from simgin.strategy import PHASE_LAST, Strategy, discard, helper, knock, take
from simgin.toolkit import cards_in_melds, is_gin_or_better, popcount, take_if

# Lower bounds of the categories of each context, except the first category
TURN_BOUNDS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
UNMATCHED_BOUNDS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
KNOWN_BOUNDS = (1, 2, 3, 4, 5)
DEADWOOD_BOUNDS = (1, 3, 5, 8, 11, 16, 23, 31, 41, 51)
SCORE_BOUNDS = (1, 15, 30, 45, 60, 75, 85, 92)
CONTEXT_BOUNDS = (
    TURN_BOUNDS,
    UNMATCHED_BOUNDS,
    KNOWN_BOUNDS,
    DEADWOOD_BOUNDS,
    SCORE_BOUNDS,
    SCORE_BOUNDS,
)
# Row of additional weights for the first category of each context
FIRST_ROWS = tuple(
    sum(len(bounds) + 1 for bounds in CONTEXT_BOUNDS[:i]) for i in range(len(CONTEXT_BOUNDS))
)
TURN_ROW, UNMATCHED_ROW, KNOWN_ROW, DEADWOOD_ROW, OWN_SCORE_ROW, OPPONENT_SCORE_ROW = FIRST_ROWS
N_ROWS = sum(len(bounds) + 1 for bounds in CONTEXT_BOUNDS)
# The weights of discards do not depend on the last two contexts, which are the scores.
N_DISCARD_CONTEXTS = 4
N_DISCARD_ROWS = FIRST_ROWS[N_DISCARD_CONTEXTS]
# The last two features of a knock are 1 and champion's estimate of the gain
N_KNOCK_FEATURES = player.N_KNOCK_FEATURES + 2
# Offsets of the additional weights against patient opponents. The weights against opponents that
# knock immediately follow in the same order.
DISCARD_OFFSET = player.N_WEIGHTS
KNOCK_OFFSET = DISCARD_OFFSET + N_DISCARD_ROWS * N_FEATURES
TAKE_OFFSET = KNOCK_OFFSET + N_ROWS * N_KNOCK_FEATURES
N_CONTEXT_WEIGHTS = TAKE_OFFSET + N_ROWS * player.N_TAKE_FEATURES - DISCARD_OFFSET
# The table of the probability that the opponent knocks immediately also depends on the number of
# known cards: 0, 1, 2, or 3 and more
N_KNOWN_BINS = 4
OPPONENT_TABLE_OFFSET = DISCARD_OFFSET + 2 * N_CONTEXT_WEIGHTS


def adapt_weights(weights, weight_deltas, rules):
    """Return champion's weights for the given rules, followed by the weights of this strategy.

    Args:
        weights: Contents of champion-eaai.npy.
        weight_deltas: Contents of champion-rules.npy (see champion.adapt_weights).
        rules: Rules of the variant.
    """
    champion_weights, context_weights, levels = np.split(
        weights, [player.N_WEIGHTS, OPPONENT_TABLE_OFFSET]
    )
    adapted_weights = player.adapt_weights(champion_weights, weight_deltas, rules)
    if (compute_rule_features(rules) != compute_variant_features("eaai")).any():
        context_weights = np.zeros_like(context_weights)
        table = player.find_weights_offset(rules) + player.OPPONENT_TABLE_OFFSET
        levels = adapted_weights[table : table + player.OPPONENT_TABLE_SIZE].repeat(N_KNOWN_BINS)
    return np.concatenate([adapted_weights, context_weights, levels])


WEIGHT_OPTIONS = {
    **player.CHAMPION_WEIGHT_OPTIONS,
    "weights": "champion-eaai.npy",
    "for_rules": adapt_weights,
}


@helper
def find_knock_probability_index(view, params):
    """Return the probability that the opponent knocks immediately, in eighths (0 to 8)."""
    n_known = min(popcount(view.known), N_KNOWN_BINS - 1)
    index = player.find_opponent_table_index(view) * N_KNOWN_BINS + n_known
    return int(params[OPPONENT_TABLE_OFFSET + index])


@helper
def find_blend_offset(view, rules, params):
    """Return the offset of champion's blend of weights for the current opponent."""
    group_offset = player.compiled_find_weights_offset(rules)
    return group_offset + player.N_WEIGHTS_PER_BLEND * find_knock_probability_index(view, params)


@helper
def find_category(value, bounds):
    """Return the number of bounds that a value reaches."""
    category = 0
    for bound in bounds:
        category += value >= bound
    return category


@helper
def find_rows(view, deadwood_points, rules):
    """Return the row of additional weights that applies in each context of a decision.

    Args:
        view: View of the player.
        deadwood_points: Deadwood of the hand, or of the best ten cards of an eleven-card hand.
        rules: Rules of the variant.
    """
    unmatched = view.hand & ~cards_in_melds(view.hand, rules)
    return (
        TURN_ROW + find_category(view.own_turn, TURN_BOUNDS),
        UNMATCHED_ROW + find_category(popcount(unmatched), UNMATCHED_BOUNDS),
        KNOWN_ROW + find_category(popcount(view.known), KNOWN_BOUNDS),
        DEADWOOD_ROW + find_category(deadwood_points, DEADWOOD_BOUNDS),
        OWN_SCORE_ROW + find_category(view.own_points, SCORE_BOUNDS),
        OPPONENT_SCORE_ROW + find_category(view.other_points, SCORE_BOUNDS),
    )


@force_inline
def add_context_weights(view, rows, offset, params, weights):
    """Add the additional weights of each context to the weights of a decision's features.

    Args:
        view: View of the player.
        rows: Result of `find_rows`.
        offset: Offset of the additional weights against patient opponents in `params`.
        params: Parameters of the policy.
        weights: Weights of the features, which are overwritten.
    """
    knocking_proportion = find_knock_probability_index(view, params) / (player.N_WEIGHT_BLENDS - 1)
    n = len(weights)
    for row in rows:
        address = params.ctypes.data + 8 * (offset + row * n)
        patient = get_params_at(address, n)
        knocking = get_params_at(address + 8 * N_CONTEXT_WEIGHTS, n)
        for i in range(n):
            weights[i] += patient[i] + knocking_proportion * (knocking[i] - patient[i])


@discard(name="champion-eaai", **WEIGHT_OPTIONS)
def discard_by_detailed_weights(view, rules, params):
    """Discard like champion, but with the additional weights for the context."""
    blend_offset = find_blend_offset(view, rules, params)
    weights = player.get_stage_weights(blend_offset, view, params).copy()
    rows = find_rows(view, view.least, rules)[:N_DISCARD_CONTEXTS]
    add_context_weights(view, rows, DISCARD_OFFSET, params, weights)
    return player.find_lowest_cost_discard_by_weights(view.legal, view, rules, weights)


@helper
def sum_context_gain(view, deadwood_points, features, offset, rules, params):
    """Return the sum of a decision's features times their additional weights."""
    weights = np.zeros(len(features))
    rows = find_rows(view, deadwood_points, rules)
    add_context_weights(view, rows, offset, params, weights)
    gain = 0.0
    for i in range(len(features)):
        gain += features[i] * weights[i]
    return gain


@helper
def compute_knock_features(view, rules, params):
    """Return champion's features of a knock, 1, and champion's estimate of the gain."""
    features = player.compute_knock_features(view, rules)
    blend_offset = find_blend_offset(view, rules, params)
    return *features, 1.0, player.compute_knock_gain(features, view, blend_offset, params)


@helper
def estimate_knock_gain(view, rules, params):
    """Return the estimated gain from knocking instead of continuing."""
    features = compute_knock_features(view, rules, params)
    change = sum_context_gain(view, view.ending_count, features, KNOCK_OFFSET, rules, params)
    return features[-1] + change


@knock(name="champion-eaai", **WEIGHT_OPTIONS)
def knock_by_detailed_weights(view, rules, params):
    """Knock like champion, but with the additional weights for the context."""
    if is_gin_or_better(view) or view.phase == PHASE_LAST:
        return True
    return estimate_knock_gain(view, rules, params) > 0


@helper
def compute_take_features(view, rules, params):
    """Return champion's features of a take, which are 0 if the card saves no deadwood."""
    blend_offset = find_blend_offset(view, rules, params)
    weights = player.get_stage_weights(blend_offset, view, params)
    return player.compute_take_features(view, rules, weights)


@helper
def estimate_take_gain(view, rules, params):
    """Return the estimated gain from taking the card on offer, or 0 if it saves no deadwood."""
    features = compute_take_features(view, rules, params)
    if not features[0]:
        return 0.0
    blend_offset = find_blend_offset(view, rules, params)
    change = sum_context_gain(view, view.count, features, TAKE_OFFSET, rules, params)
    return player.compute_take_gain(features, view, blend_offset, params) + change


@take(name="champion-eaai", **WEIGHT_OPTIONS)
def take_by_detailed_weights(view, rules, params):
    """Take a card like champion, but with the additional weights for the context."""
    return take_if(estimate_take_gain(view, rules, params) > 0, view.legal)


CHAMPION_EAAI = Strategy(
    "champion-eaai",
    take=take_by_detailed_weights,
    discard=discard_by_detailed_weights,
    knock=knock_by_detailed_weights,
    offer=offer_by_match_value,
    answer=accept_by_match_value,
)
