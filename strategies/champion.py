"""Champion: uses trained weights to balance its prospects against the risk of discards.

Champion considers only discards that leave nearly the least possible deadwood. The cost of a
discard is the weighted sum of 64 features of the remaining cards and of the discard
(strategies/_champion.py). The weights depend on the stage of the deal. Champion makes the discard
with the lowest cost. Champion knocks according to a table indexed by turn and deadwood. The values
in the table are corrected for the outs. Champion takes a card on offer if the same weights predict
a gain.

There are two sets of weights: one for opponents that knock immediately, and one for opponents that
wait for gin. Champion interpolates between them with the probability that the opponent knocks
immediately. The probability of an immediate knock depends on the number of deals that the opponent
has won in the match, on the points of these deals, and on the length of the current deal.
training/champion.py trained all weights with rollouts of every option in the same world. The
training used the rules of the EAAI challenge and, separately, the rules of Gin Rush, Tedesco Gin
and Gin Dice. Under other rules, champion changes the weights for the most similar of these variants
by a linear function of the bonuses, the knock limit and other features of the rules. Champion uses
the die like `dice-player`.

Source: Developed for simgin. Regression on rollouts of alternative moves from the same position
goes back to Tesauro and Galperin, "On-line Policy Improvement using Monte-Carlo Search", 1996.
"""

import numpy as np
from simgin_strategies._champion import (
    N_FEATURES,
    N_STAGES,
    find_opponent_signals,
    find_stage,
    write_discard_costs,
    write_hand_costs,
)
from simgin_strategies._champion_rules import (
    ACTIVE_FEATURES_BY_TRAINED_VARIANT,
    N_RULE_FEATURES,
    RULE_FEATURE_GROUPS,
    compute_rule_features,
    compute_variant_features,
)
from simgin_strategies.stake import accept_by_match_value, offer_by_match_value

from simgin.core.jit import force_inline
from simgin.core.policy_types import get_params_at
from simgin.core.rules_record import ACE_ROUND_CORNER, GOAL_DEALS
from simgin.strategy import PHASE_LAST, Strategy, discard, helper, knock, take
from simgin.toolkit import (
    best_discards,
    card_value,
    cards_in_melds,
    deadwood,
    is_gin_or_better,
    is_in_best_melding,
    lowest_bit,
    outs,
    partners_by_rank_and_suit,
    popcount,
    take_if,
    total_points,
)
from simgin.toolkit.stack_arrays import float_stack_array, int_stack_array

# Number of blends, one for each probability 0, 1/8, ..., 1 that the opponent knocks immediately
N_WEIGHT_BLENDS = 9
# Shape of the table that gives the probability that the opponent knocks immediately
N_DEALS_WON_BINS, N_MEAN_POINTS_BINS, N_TURN_BINS = 5, 16, 16
MAX_COST = 1e9
# Maximum extra deadwood of a candidate discard, in general and for a card without a partner
MAX_EXTRA_DEADWOOD, MAX_EXTRA_DEADWOOD_IF_UNPAIRED = 6, 10
N_KNOCK_DEADWOOD_LEVELS, N_KNOCK_TURNS, N_KNOCK_FEATURES = 11, 16, 5
N_TAKE_FEATURES = 7
# Offsets in the weights of a blend
KNOCK_TABLE_OFFSET = N_STAGES * N_FEATURES
KNOCK_FEATURES_OFFSET = KNOCK_TABLE_OFFSET + N_KNOCK_TURNS * N_KNOCK_DEADWOOD_LEVELS
TAKE_FEATURES_OFFSET = KNOCK_FEATURES_OFFSET + N_STAGES * N_KNOCK_FEATURES
N_WEIGHTS_PER_BLEND = TAKE_FEATURES_OFFSET + N_STAGES * N_TAKE_FEATURES
# Offset of the table that gives the probability that the opponent knocks immediately
OPPONENT_TABLE_OFFSET = N_WEIGHT_BLENDS * N_WEIGHTS_PER_BLEND
OPPONENT_TABLE_SIZE = N_DEALS_WON_BINS * N_MEAN_POINTS_BINS * N_TURN_BINS
N_WEIGHTS_PER_VARIANT = OPPONENT_TABLE_OFFSET + OPPONENT_TABLE_SIZE
# Offsets of the weights for each of the variants used in training
TRAINED_VARIANTS = tuple(ACTIVE_FEATURES_BY_TRAINED_VARIANT)
EAAI_WEIGHTS_OFFSET, RUSH_WEIGHTS_OFFSET, TEDESCO_WEIGHTS_OFFSET, DICE_WEIGHTS_OFFSET, N_WEIGHTS = (
    i * N_WEIGHTS_PER_VARIANT for i in range(5)
)
# Numbers of the log odds of the opponent's type: by deals won and mean points, by turn, and prior
LOG_ODDS_SIZES = (N_DEALS_WON_BINS * N_MEAN_POINTS_BINS, N_TURN_BINS, 1)
N_OPPONENT_LOG_ODDS = sum(LOG_ODDS_SIZES)


def find_weights_offset(rules):
    """Return the offset of the weights that were trained under the most similar rules."""
    if rules.goal == GOAL_DEALS:
        return DICE_WEIGHTS_OFFSET
    if rules.rush_premium:
        return RUSH_WEIGHTS_OFFSET
    return (
        TEDESCO_WEIGHTS_OFFSET
        if rules.ace_runs == ACE_ROUND_CORNER and rules.knock_by_upcard
        else EAAI_WEIGHTS_OFFSET
    )


compiled_find_weights_offset = helper(find_weights_offset)


def adapt_weights(weights, weight_deltas, rules):
    """Return the weights of the most similar trained rules, adapted to the given rules.

    Args:
        weights: Weights for the rules of all variants used in training, (N_WEIGHTS,).
        weight_deltas: Contents of champion-rules.npy,
            (1 + N_RULE_FEATURES, 2 * N_WEIGHTS_PER_BLEND + N_OPPONENT_LOG_ODDS). The first row
            contains the values under the rules of eaai. The other rows contain the change in both
            sets of weights and in the log odds of the opponent's type per unit of each rule
            feature.
        rules: Rules of the variant.
    """
    features, offset = compute_rule_features(rules), find_weights_offset(rules)
    trained_features = compute_variant_features(TRAINED_VARIANTS[offset // N_WEIGHTS_PER_VARIANT])
    # Of the variants used in training, only rush plays better with a correction for its own rules.
    if offset != RUSH_WEIGHTS_OFFSET and (features == trained_features).all():
        return weights
    table = weight_deltas.reshape(1 + N_RULE_FEATURES, -1)
    constants, changes = table[0], table[1:]
    change = compute_total_changes(features, changes)
    waiting_change, knocking_change = change[: 2 * N_WEIGHTS_PER_BLEND].reshape(
        2, N_WEIGHTS_PER_BLEND
    )
    knocking_proportion = np.arange(N_WEIGHT_BLENDS)[:, None] / (N_WEIGHT_BLENDS - 1)
    before, after = (
        compute_knock_probabilities(
            (constants + compute_total_changes(x, changes))[2 * N_WEIGHTS_PER_BLEND :]
        )
        for x in (trained_features, features)
    )
    adapted_weights = weights.copy()
    blends, knock_levels = np.split(
        adapted_weights[offset : offset + N_WEIGHTS_PER_VARIANT], [OPPONENT_TABLE_OFFSET]
    )
    blends += (waiting_change + (knocking_change - waiting_change) * knocking_proportion).ravel()
    knock_levels += (N_WEIGHT_BLENDS - 1) * (after - before).ravel()
    knock_levels[:] = np.rint(knock_levels).clip(0, N_WEIGHT_BLENDS - 1)
    return adapted_weights


def compute_total_changes(features, changes_per_feature):
    """Return the total change of each weight under the given rules, (n_weights,).

    A separate product for each group of features leaves the rounding of other rule sets unchanged.
    """
    return sum(features[group] @ changes_per_feature[group] for group in RULE_FEATURE_GROUPS)


def compute_knock_probabilities(log_odds):
    """Return the probability that the opponent knocks immediately, by results and turn.

    Args:
        log_odds: Log odds by deals won and mean points of these deals, log odds by turn of the
            player, and prior log odds, (N_OPPONENT_LOG_ODDS,).
    """
    points_odds, turn_odds, prior = np.split(log_odds, np.cumsum(LOG_ODDS_SIZES)[:-1])
    points_odds = points_odds.reshape(N_DEALS_WON_BINS, N_MEAN_POINTS_BINS, 1)
    return 1 / (1 + np.exp(-(points_odds + turn_odds + prior)))


def compute_prior_odds(weight_deltas, rules):
    """Return the prior odds that the opponent knocks immediately, from champion-rules.npy."""
    prior_log_odds = weight_deltas.reshape(1 + N_RULE_FEATURES, -1)[1:, -1]
    return float(np.exp(compute_rule_features(rules) @ prior_log_odds))


CHAMPION_WEIGHT_OPTIONS = {
    "weights": "champion.npy",
    "rules_weights": "champion-rules.npy",
    "for_rules": adapt_weights,
}


@helper
def find_opponent_table_index(view):
    """Return the index in the table of the probability that the opponent knocks immediately."""
    n_won = min(view.other_deals, N_DEALS_WON_BINS - 1)
    mean = 0
    if n_won > 0:
        mean = min(N_MEAN_POINTS_BINS - 1, view.other_points // (3 * view.other_deals))
    turn = min(view.own_turn, N_TURN_BINS) - 1
    return (n_won * N_MEAN_POINTS_BINS + mean) * N_TURN_BINS + turn


@helper
def find_knock_probability_index(view, rules, params):
    """Return the probability that the opponent knocks immediately, in eighths (0 to 8).

    The probability depends on the number of deals that the opponent won in this match, on their
    mean points, and on the length of the current deal.
    """
    table = compiled_find_weights_offset(rules) + OPPONENT_TABLE_OFFSET
    return int(params[table + find_opponent_table_index(view)])


@helper
def find_blend_offset(view, rules, params):
    """Return the offset of the blend of weights for the current opponent."""
    return compiled_find_weights_offset(rules) + N_WEIGHTS_PER_BLEND * find_knock_probability_index(
        view, rules, params
    )


@force_inline
def get_stage_weights(blend_offset, view, params):
    """Return the feature weights of the current stage, given the offset of the blend."""
    return get_params_at(
        params.ctypes.data + 8 * (blend_offset + N_FEATURES * find_stage(view.own_turn)), N_FEATURES
    )


@helper
def get_current_weights(view, rules, params):
    """Return the feature weights of the current stage, (N_FEATURES,) float64."""
    return get_stage_weights(find_blend_offset(view, rules, params), view, params)


@force_inline
def write_candidates(legal, view, rules, weights, cards, costs):
    """Write the candidate discards and their costs to two arrays, and return their number.

    Candidates are legal discards that leave nearly the least possible deadwood.
    """
    ranks, hands, unmatched, deadwood_values = (
        int_stack_array(),
        int_stack_array(),
        int_stack_array(),
        int_stack_array(),
    )
    melded = cards_in_melds(view.hand, rules)
    by_rank, by_suit = partners_by_rank_and_suit(view.hand & ~melded)
    paired_or_melded = by_rank | by_suit | melded
    # Discarding an unmatched card reduces the deadwood by the whole value of the card.
    best_unmatched = view.best & ~melded
    total = (
        view.least + card_value(lowest_bit(best_unmatched), rules)
        if best_unmatched
        else deadwood(view.hand, rules)
    )
    n = 0
    while legal:
        bit, card = legal & -legal, lowest_bit(legal)
        legal ^= bit
        ten_cards = view.hand ^ bit
        deadwood_points, remaining_unmatched = total - card_value(card, rules), ten_cards & ~melded
        limit = view.least + (
            MAX_EXTRA_DEADWOOD if bit & paired_or_melded else MAX_EXTRA_DEADWOOD_IF_UNPAIRED
        )
        if bit & melded:
            remaining_unmatched = ten_cards & ~cards_in_melds(ten_cards, rules)
            if total_points(remaining_unmatched, rules) > limit:
                continue
            deadwood_points = deadwood(ten_cards, rules)
        cards[n], ranks[n], hands[n], unmatched[n], deadwood_values[n] = (
            card,
            card % 13,
            ten_cards,
            remaining_unmatched,
            deadwood_points,
        )
        n += deadwood_points <= limit
    signals = find_opponent_signals(view)
    write_discard_costs(
        n, cards, ranks, hands, unmatched, deadwood_values, signals, view, rules, weights, costs
    )
    return n


@force_inline
def find_lowest_cost_discard_by_weights(legal, view, rules, weights):
    """Return the legal discard with the lowest cost, given the weights of the features."""
    cards, costs = int_stack_array(), float_stack_array()
    best_card, min_cost = -1, MAX_COST
    for i in range(write_candidates(legal, view, rules, weights, cards, costs)):
        if costs[i] < min_cost:
            best_card, min_cost = cards[i], costs[i]
    return best_card


@helper
def find_lowest_cost_discard(legal, view, rules, params):
    """Return the legal discard with the lowest cost."""
    weights = get_current_weights(view, rules, params)
    return find_lowest_cost_discard_by_weights(legal, view, rules, weights)


@discard(name="champion", **CHAMPION_WEIGHT_OPTIONS)
def discard_by_learned_cost(view, rules, params):
    """Discard the card with the lowest cost according to the trained weights."""
    return find_lowest_cost_discard(view.legal, view, rules, params)


@helper
def compute_knock_features(view, rules):
    """Return the features of a knock, except for the turn and the deadwood."""
    ten_cards = view.hand
    if view.ending_card >= 0:
        ten_cards &= ~(1 << view.ending_card)
    unmatched = ten_cards & ~cards_in_melds(ten_cards, rules)
    n = popcount(unmatched)
    new_outs = outs(unmatched, rules) & view.unseen
    other_outs = outs(ten_cards, rules) & view.unseen & ~new_outs
    near_outs, far_outs = (popcount(new_outs), 0) if n <= 3 else (0, popcount(new_outs))
    gin_outs = popcount(other_outs) if n <= 1 else 0
    return (
        1.0 * near_outs,
        1.0 * gin_outs,
        1.0 * popcount(view.known),
        1.0 * far_outs,
        1.0 * (n <= 2),
    )


@helper
def compute_knock_gain(features, view, blend_offset, params):
    """Return the estimated gain from knocking, given the features of the knock."""
    turn = min(view.own_turn, N_KNOCK_TURNS) - 1
    gain = params[
        blend_offset
        + KNOCK_TABLE_OFFSET
        + turn * N_KNOCK_DEADWOOD_LEVELS
        + min(view.ending_count, N_KNOCK_DEADWOOD_LEVELS - 1)
    ]
    offset = blend_offset + KNOCK_FEATURES_OFFSET + N_KNOCK_FEATURES * find_stage(view.own_turn)
    for i in range(N_KNOCK_FEATURES):
        gain += features[i] * params[offset + i]
    return gain


@helper
def estimate_knock_gain(view, rules, params):
    """Return the estimated gain from knocking instead of continuing."""
    blend_offset = find_blend_offset(view, rules, params)
    return compute_knock_gain(compute_knock_features(view, rules), view, blend_offset, params)


@knock(name="champion", **CHAMPION_WEIGHT_OPTIONS)
def knock_by_learned_gain(view, rules, params):
    """Knock with gin or on the last discard; otherwise decide by the turn, deadwood and outs."""
    if is_gin_or_better(view) or view.phase == PHASE_LAST:
        return True
    return estimate_knock_gain(view, rules, params) > 0


@helper
def compute_take_features(view, rules, weights):
    """Return the features of the decision whether to take the card on offer.

    All features are 0 if the card saves no deadwood.

    Args:
        view: View of the player.
        rules: Rules of the variant.
        weights: Feature weights of the current stage.
    """
    eleven_cards = view.hand | 1 << view.taken_offer
    after, best = best_discards(eleven_cards, view.hand, rules)
    if after >= view.count:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    hands, unmatched, deadwood_values, costs = (
        int_stack_array(),
        int_stack_array(),
        int_stack_array(),
        float_stack_array(),
    )
    # Row 0 is the current hand. The other rows are the hands after taking the card.
    hands[0], deadwood_values[0] = view.hand, view.count
    n = 1
    while best:
        hands[n], deadwood_values[n] = eleven_cards & ~(best & -best), after
        best &= best - 1
        n += 1
    for i in range(n):
        unmatched[i] = hands[i] & ~cards_in_melds(hands[i], rules)
    write_hand_costs(
        n,
        hands,
        unmatched,
        deadwood_values,
        find_opponent_signals(view),
        view,
        rules,
        weights,
        costs,
    )
    min_deadwood = MAX_COST
    for i in range(1, n):
        min_deadwood = min(min_deadwood, costs[i])
    melds = 1.0 * is_in_best_melding(view.hand, view.taken_offer, rules)
    saving, is_gin, is_low = 1.0 * (view.count - after), 1.0 * (after == 0), 1.0 * (after <= 10)
    return 1.0, melds, saving, melds * is_gin, melds * saving, is_low, costs[0] - min_deadwood


@helper
def compute_take_gain(features, view, blend_offset, params):
    """Return the estimated gain from taking a card, given the features of the take."""
    offset = blend_offset + TAKE_FEATURES_OFFSET + N_TAKE_FEATURES * find_stage(view.own_turn)
    gain = 0.0
    for i in range(N_TAKE_FEATURES):
        gain += features[i] * params[offset + i]
    return gain


@helper
def estimate_take_gain(view, rules, params):
    """Return the estimated gain from taking the card on offer, or 0 if it saves no deadwood."""
    blend_offset = find_blend_offset(view, rules, params)
    features = compute_take_features(view, rules, get_stage_weights(blend_offset, view, params))
    return compute_take_gain(features, view, blend_offset, params)


@take(name="champion", **CHAMPION_WEIGHT_OPTIONS)
def take_by_learned_gain(view, rules, params):
    """Take a card that lowers the deadwood if the weights predict a gain."""
    return take_if(estimate_take_gain(view, rules, params) > 0, view.legal)


CHAMPION = Strategy(
    "champion",
    take=take_by_learned_gain,
    discard=discard_by_learned_cost,
    knock=knock_by_learned_gain,
    offer=offer_by_match_value,
    answer=accept_by_match_value,
)
