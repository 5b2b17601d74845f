"""Champion: balances the prospects of its hand and the risk of discards with trained weights.

Each discard that leaves little more than the least deadwood has a cost: the weighted sum of 64
features of the remaining cards and of the discard (strategies/_champion.py). The weights depend on
the stage of the deal. Champion makes the discard with the lowest cost. It knocks according to a
table by turn and deadwood, corrected for the outs. It takes a card on offer if the same weights
predict a gain.

There are two sets of weights: one for opponents that knock immediately, and one for opponents that
wait for gin. Champion interpolates between them with the probability that the opponent knocks
immediately. This probability depends on the number of deals that the opponent has won in the match,
on the points of these deals, and on the length of the present deal.

training/champion.py trained all weights with rollouts of every option in the same world. It used
the rules of the EAAI challenge, and separately the rules of Gin Rush, Tedesco Gin and Gin Dice.
Under other rules, champion changes the weights for the most similar of these variants by a linear
function of the bonuses, the knock limit and other features of the rules. It uses the die like
`dice-player`.

Source: Developed for simgin. Regression on rollouts of alternative moves from the same position
goes back to Tesauro and Galperin, "On-line Policy Improvement using Monte-Carlo Search", 1996.
"""

import numpy as np
from simgin_strategies._champion import (
    N_FEATURES,
    N_STAGES,
    find_context,
    find_stage,
    write_discard_costs,
    write_hand_costs,
)
from simgin_strategies._champion_rules import (
    N_RULE_FEATURES,
    TRAINED_FEATURES,
    rule_features,
    variant_features,
)
from simgin_strategies.stake import by_value, by_value_answer

from simgin.core.jit import force_inline
from simgin.core.policy_types import params_at
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
N_BLENDS = 9
# Shape of the table that gives the probability that the opponent knocks immediately
N_WON, N_MEANS, N_TURNS = 5, 16, 16
MAX_COST = 1e9
# Maximum extra deadwood of a candidate discard
MARGIN, LONE_MARGIN = 6, 10  # LONE_MARGIN applies to cards without a partner
N_KNOCK_COUNTS, KNOCK_TURNS, N_KNOCK_FEATURES = 11, 16, 5
N_TAKE_FEATURES = 7
# Offsets in the weights of a blend
KNOCK_OFFSET = N_STAGES * N_FEATURES
KNOCK_FEATURE_OFFSET = KNOCK_OFFSET + KNOCK_TURNS * N_KNOCK_COUNTS
TAKE_OFFSET = KNOCK_FEATURE_OFFSET + N_STAGES * N_KNOCK_FEATURES
BLEND_SIZE = TAKE_OFFSET + N_STAGES * N_TAKE_FEATURES
# Offset of the table that gives the probability that the opponent knocks immediately
OPPONENT_OFFSET = N_BLENDS * BLEND_SIZE
RULES_SIZE = OPPONENT_OFFSET + N_WON * N_MEANS * N_TURNS
# Offsets of the weights for each of the variants used in training
TRAINED_VARIANTS = tuple(TRAINED_FEATURES)
EAAI, RUSH, TEDESCO, DICE, N_WEIGHTS = (i * RULES_SIZE for i in range(5))
N_ODDS = N_WON * N_MEANS + N_TURNS  # number of log odds of the opponent's type


def find_rules_offset(rules):
    """Return the offset of the weights that were trained under the most similar rules."""
    if rules.goal == GOAL_DEALS:
        return DICE
    if rules.rush_premium:
        return RUSH
    return TEDESCO if rules.ace_runs == ACE_ROUND_CORNER and rules.knock_by_upcard else EAAI


rules_offset = helper(find_rules_offset)


def weights_for_rules(weights, deltas, rules):
    """Return the weights of the most similar trained rules, adapted to the given rules.

    Args:
        weights: Weights for the rules of all variants used in training, (N_WEIGHTS,).
        deltas: Contents of champion-rules.npy, (1 + N_RULE_FEATURES, 2 * BLEND_SIZE + N_ODDS): the
            change of both sets of weights and of the log odds of the opponent's type per unit of
            each feature of the rules. The first row is their value under the rules of eaai.
        rules: The rules.
    """
    features, first = rule_features(rules), find_rules_offset(rules)
    trained_features = variant_features(TRAINED_VARIANTS[first // RULES_SIZE])
    # Only for rush does the change also improve play under the rules used in training.
    used = features if first == RUSH else features - trained_features
    if not used.any():
        return weights
    table = deltas.reshape(1 + N_RULE_FEATURES, -1)
    constants, changes = table[0], table[1:]
    change = used @ changes
    patient, hasty = change[: 2 * BLEND_SIZE].reshape(2, BLEND_SIZE)
    share = np.arange(N_BLENDS)[:, None] / (N_BLENDS - 1)
    before, after = (
        immediate_knock_probabilities((constants + one @ changes)[2 * BLEND_SIZE :])
        for one in (trained_features, features)
    )
    adapted_weights = weights.copy()
    blends, levels = np.split(adapted_weights[first : first + RULES_SIZE], [OPPONENT_OFFSET])
    blends += (patient + (hasty - patient) * share).ravel()
    levels += (N_BLENDS - 1) * (after - before).ravel()
    levels[:] = np.rint(levels).clip(0, N_BLENDS - 1)
    return adapted_weights


def immediate_knock_probabilities(log_odds):
    """Return the probabilities that the opponent knocks immediately, (N_WON, N_MEANS, N_TURNS).

    Args:
        log_odds: Log odds by deals won and mean points of these deals, then by own turn, (N_ODDS,).
    """
    cells, turns = np.split(log_odds, [N_WON * N_MEANS])
    return 1 / (1 + np.exp(-(cells.reshape(N_WON, N_MEANS, 1) + turns)))


WEIGHTS = {
    "weights": "champion.npy",
    "rules_weights": "champion-rules.npy",
    "for_rules": weights_for_rules,
}


@helper
def immediate_knock_level(view, rules, params):
    """Return the probability that the opponent knocks immediately, in eighths (0 to 8).

    The probability depends on the number of deals that the opponent won in this match, on their
    mean points, and on the length of the present deal.
    """
    n_won = min(view.other_deals, N_WON - 1)
    mean = 0
    if n_won > 0:
        mean = min(N_MEANS - 1, view.other_points // (3 * view.other_deals))
    turn = min(view.own_turn, N_TURNS) - 1
    table = rules_offset(rules) + OPPONENT_OFFSET
    return int(params[table + (n_won * N_MEANS + mean) * N_TURNS + turn])


@helper
def blend_offset(view, rules, params):
    """Return the offset of the current blend of weights."""
    return rules_offset(rules) + BLEND_SIZE * immediate_knock_level(view, rules, params)


@force_inline
def stage_weights(first, view, params):
    """Return the feature weights of this stage in the blend at offset `first`."""
    return params_at(
        params.ctypes.data + 8 * (first + N_FEATURES * find_stage(view.own_turn)), N_FEATURES
    )


@helper
def current_weights(view, rules, params):
    """Return the feature weights of this stage, (N_FEATURES,) float64."""
    return stage_weights(blend_offset(view, rules, params), view, params)


@force_inline
def write_candidates(legal, view, rules, weights, cards, costs):
    """Write the candidate discards to `cards` and their costs to `costs`; return their number.

    Candidates are legal discards that leave little more than the least deadwood.
    """
    ranks, tens, loose, counts = (
        int_stack_array(),
        int_stack_array(),
        int_stack_array(),
        int_stack_array(),
    )
    melded = cards_in_melds(view.hand, rules)
    by_rank, by_suit = partners_by_rank_and_suit(view.hand & ~melded)
    linked_or_melded = by_rank | by_suit | melded
    plain = view.best & ~melded  # Discarding one of these cards saves the whole value of the card.
    total = (
        view.least + card_value(lowest_bit(plain), rules) if plain else deadwood(view.hand, rules)
    )
    n = 0
    while legal:
        one, card = legal & -legal, lowest_bit(legal)
        legal ^= one
        ten = view.hand ^ one
        deadwood_points, left = total - card_value(card, rules), ten & ~melded
        most = view.least + (MARGIN if one & linked_or_melded else LONE_MARGIN)
        if one & melded:
            left = ten & ~cards_in_melds(ten, rules)
            if total_points(left, rules) > most:
                continue
            deadwood_points = deadwood(ten, rules)
        cards[n], ranks[n], tens[n], loose[n], counts[n] = (
            card,
            card % 13,
            ten,
            left,
            deadwood_points,
        )
        n += deadwood_points <= most
    context = find_context(view)
    write_discard_costs(n, cards, ranks, tens, loose, counts, context, view, rules, weights, costs)
    return n


@helper
def lowest_cost_discard(legal, view, rules, params):
    """Return the legal discard with the lowest cost."""
    cards, costs = int_stack_array(), float_stack_array()
    weights = current_weights(view, rules, params)
    best, least = -1, MAX_COST
    for i in range(write_candidates(legal, view, rules, weights, cards, costs)):
        if costs[i] < least:
            best, least = cards[i], costs[i]
    return best


@discard(name="champion", **WEIGHTS)
def champion_discard(view, rules, params):
    """Make the discard with the lowest cost."""
    return lowest_cost_discard(view.legal, view, rules, params)


@helper
def describe_knock(view, rules):
    """Return the N_KNOCK_FEATURES features of a knock, excluding its turn and its deadwood."""
    ten = view.hand
    if view.ending_card >= 0:
        ten &= ~(1 << view.ending_card)
    loose = ten & ~cards_in_melds(ten, rules)
    n = popcount(loose)
    new = outs(loose, rules) & view.unseen
    fits = outs(ten, rules) & view.unseen & ~new
    few, many = (popcount(new), 0) if n <= 3 else (0, popcount(new))
    alone = popcount(fits) if n <= 1 else 0
    return 1.0 * few, 1.0 * alone, 1.0 * popcount(view.known), 1.0 * many, 1.0 * (n <= 2)


@helper
def knock_gain(view, rules, params):
    """Return the gain from knocking over continuing."""
    x = describe_knock(view, rules)
    first = blend_offset(view, rules, params)
    turn = min(view.own_turn, KNOCK_TURNS) - 1
    gain = params[
        first + KNOCK_OFFSET + turn * N_KNOCK_COUNTS + min(view.ending_count, N_KNOCK_COUNTS - 1)
    ]
    at = first + KNOCK_FEATURE_OFFSET + N_KNOCK_FEATURES * find_stage(view.own_turn)
    for i in range(N_KNOCK_FEATURES):
        gain += x[i] * params[at + i]
    return gain


@knock(name="champion", **WEIGHTS)
def champion_knock(view, rules, params):
    """Knock with gin or on the last discard; otherwise decide by a table and the outs."""
    if is_gin_or_better(view) or view.phase == PHASE_LAST:
        return True
    return knock_gain(view, rules, params) > 0


@helper
def describe_take(view, rules, weights):
    """Return the N_TAKE_FEATURES features of the decision to take the card on offer.

    All features are 0 if the card saves no deadwood.

    Args:
        view: What the player can see.
        rules: Rules of the variant.
        weights: Feature weights of this stage.
    """
    eleven = view.hand | 1 << view.taken_offer
    after, best = best_discards(eleven, view.hand, rules)
    if after >= view.count:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    tens, loose, counts, costs = (
        int_stack_array(),
        int_stack_array(),
        int_stack_array(),
        float_stack_array(),
    )
    tens[0], counts[0] = view.hand, view.count  # The present hand precedes the hands after taking.
    n = 1
    while best:
        tens[n], counts[n] = eleven & ~(best & -best), after
        best &= best - 1
        n += 1
    for i in range(n):
        loose[i] = tens[i] & ~cards_in_melds(tens[i], rules)
    write_hand_costs(n, tens, loose, counts, find_context(view), view, rules, weights, costs)
    least = MAX_COST
    for i in range(1, n):
        least = min(least, costs[i])
    melds = 1.0 * is_in_best_melding(view.hand, view.taken_offer, rules)
    saved, gin, low = 1.0 * (view.count - after), 1.0 * (after == 0), 1.0 * (after <= 10)
    return 1.0, melds, saved, melds * gin, melds * saved, low, costs[0] - least


@helper
def take_gain(view, rules, params):
    """Return the gain from taking the card on offer, or 0 if it does not lower the deadwood."""
    first = blend_offset(view, rules, params)
    x = describe_take(view, rules, stage_weights(first, view, params))
    at = first + TAKE_OFFSET + N_TAKE_FEATURES * find_stage(view.own_turn)
    gain = 0.0
    for i in range(N_TAKE_FEATURES):
        gain += x[i] * params[at + i]
    return gain


@take(name="champion", **WEIGHTS)
def champion_take(view, rules, params):
    """Take a card that lowers the deadwood if the weights predict a gain."""
    return take_if(take_gain(view, rules, params) > 0, view.legal)


CHAMPION = Strategy(
    "champion",
    take=champion_take,
    discard=champion_discard,
    knock=champion_knock,
    offer=by_value,
    answer=by_value_answer,
)
