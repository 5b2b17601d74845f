"""Features of the rules, and weights of `champion` that depend on the rules.

training/champion.py trains weights for the rules of EAAI and of three other variants. Under other
rules, champion adds a linear function of the features below to the weights for the most similar of
these variants (training/champion_rules.py). All features are 0 under the rules of `eaai` and
`standard`, so the weights do not change under these rules.
"""

from functools import lru_cache
from itertools import pairwise, product
from types import SimpleNamespace

import numpy as np

from simgin.core.rules_record import (
    ACE_HIGH_OR_LOW,
    ACE_ROUND_CORNER,
    DIE_OFF,
    DISCARD_BAN_DRAWN,
    DISCARD_BAN_NONE,
    FIRST_TURN_DISCARD,
    FIRST_TURN_FREE,
    FIRST_TURN_UPCARD_STOCK_OR_PASS,
    FIRST_TURN_UPCARD_STOCK_OR_PASS_DEAD,
    GOAL_DEALS,
    GOAL_POINTS,
    RULE_PARAMETERS,
    STOCK_END_AT_DRAW,
    STOCK_END_NONE,
    STOCK_END_OPPONENT_MAY_TAKE,
    TAKE_TO_KNOCK_MELDED,
    TIE_EVEN,
    TIE_KNOCK,
)

# Values of the parameters under the rules of eaai (the gin and the undercut bonus are equal)
EAAI_GIN_OR_UNDERCUT_BONUS, EAAI_KNOCK_LIMIT, EAAI_BIG_GIN_BONUS = 25, 10, 31
EAAI_STOCK_RESERVE, EAAI_POINTS_TARGET = 2, 100
BONUS_RAMP_BOUNDS = (0, 10, 25, 50, 100)
KNOCK_LIMIT_RAMP_BOUNDS = (0, 1, 4, 7, 10, 15, 25)
ACE_VALUE_KNOTS = (1, 5, 15)
TURN_LIMIT_RAMP_BOUNDS = (12, 16, 20, 30)
N_COMMON_FEATURES, N_RULE_PRODUCT_FEATURES = 124, 72
N_RARE_FEATURES, N_TURN_LIMIT_FEATURES, N_INTERACTION_FEATURES = 10, 18, 60
N_COMBINATION_FEATURES = 138
N_DEAL_COUNT_FEATURES = 23  # interaction features of matches that count deals
COMMON_FEATURES = slice(N_COMMON_FEATURES)
RARE_FEATURES = slice(N_COMMON_FEATURES, N_COMMON_FEATURES + N_RARE_FEATURES)
TURN_LIMIT_FEATURES = slice(RARE_FEATURES.stop, RARE_FEATURES.stop + N_TURN_LIMIT_FEATURES)
INTERACTION_FEATURES = slice(
    TURN_LIMIT_FEATURES.stop, TURN_LIMIT_FEATURES.stop + N_INTERACTION_FEATURES
)
DEAL_COUNT_FEATURES = slice(
    INTERACTION_FEATURES.stop - N_DEAL_COUNT_FEATURES, INTERACTION_FEATURES.stop
)
COMBINATION_FEATURES = slice(
    INTERACTION_FEATURES.stop, INTERACTION_FEATURES.stop + N_COMBINATION_FEATURES
)
RULE_FEATURE_GROUPS = (
    COMMON_FEATURES,
    RARE_FEATURES,
    TURN_LIMIT_FEATURES,
    INTERACTION_FEATURES,
    COMBINATION_FEATURES,
)
N_RULE_FEATURES = COMBINATION_FEATURES.stop
COUNTS_DEALS_INDEX = 48  # index of the first feature of matches that count deals
HIGH_UNDERCUT_INDEX = 2  # index of the ramp of undercut bonuses from 25 to 50
# A small scale strengthens the ridge penalty on products.
RULE_PRODUCT_SCALE = 0.4
# For each variant with its own champion weights, the indices of the features that are 1
ACTIVE_FEATURES_BY_TRAINED_VARIANT = {
    "eaai": (),
    "rush": (43,),
    "tedesco": (14, 23, 36, 37, 41, 45),
    "dice": (COUNTS_DEALS_INDEX,),
}


def compute_ramp(parameter_value, low, high, eaai_value):
    """Return how far a value is from its value in eaai, as a proportion of a range."""
    return (min(max(parameter_value, low), high) - min(max(eaai_value, low), high)) / (high - low)


def compute_ramps(value, bounds, eaai_value):
    """Return a ramp for each pair of adjacent bounds, for piecewise linear functions."""
    return [compute_ramp(value, *pair, eaai_value) for pair in pairwise(bounds)]


def compute_bonus_ramps(rules):
    """Return the ramp features of the undercut bonus, of the gin bonus and of the knock limit."""
    is_paid = rules.goal != GOAL_DEALS
    has_knocks = bool(rules.knock_by_upcard or rules.knock_limit > 0)
    undercut = rules.undercut_bonus if is_paid and has_knocks else EAAI_GIN_OR_UNDERCUT_BONUS
    gin = rules.gin_bonus if is_paid else EAAI_GIN_OR_UNDERCUT_BONUS
    limit = EAAI_KNOCK_LIMIT if rules.knock_by_upcard else rules.knock_limit
    return (
        compute_ramps(undercut, BONUS_RAMP_BOUNDS, EAAI_GIN_OR_UNDERCUT_BONUS),
        compute_ramps(gin, BONUS_RAMP_BOUNDS, EAAI_GIN_OR_UNDERCUT_BONUS),
        [*compute_ramps(limit, KNOCK_LIMIT_RAMP_BOUNDS, EAAI_KNOCK_LIMIT), rules.knock_by_upcard],
    )


def encode_bonuses(rules):
    """Return the rule features of bonuses and knock limits."""
    undercuts, gins, limits = compute_bonus_ramps(rules)
    has_knocks = bool(rules.knock_by_upcard or rules.knock_limit > 0)
    return [
        *undercuts,
        *gins,
        *limits,
        rules.knock_by_upcard and rules.upcard_ace_limit == 1,
        has_knocks and rules.undercut_on_tie == TIE_EVEN,
        has_knocks and rules.undercut_on_tie == TIE_KNOCK,
        rules.big_gin,
        rules.big_gin
        * compute_ramp(rules.big_gin_bonus, EAAI_BIG_GIN_BONUS, 100, EAAI_BIG_GIN_BONUS),
    ]


def encode_products(rules):
    """Return the interaction features: scaled products of the ramps of different parameters."""
    undercuts, gins, limits = compute_bonus_ramps(rules)
    pairs = [*product(undercuts, gins), *product([*undercuts, *gins], limits)]
    return [RULE_PRODUCT_SCALE * x * y for x, y in pairs]


def encode_play_rules(rules):
    """Return the rule features of turns, melds and card values."""
    return [
        rules.layoff == 0,
        rules.layoff and rules.layoff_on_gin == 1,
        rules.take_discard == 0,
        rules.take_discard and rules.take_to_knock == TAKE_TO_KNOCK_MELDED,
        rules.discard_ban == DISCARD_BAN_DRAWN,
        rules.discard_ban == DISCARD_BAN_NONE,
        rules.first_turn == FIRST_TURN_UPCARD_STOCK_OR_PASS,
        rules.first_turn == FIRST_TURN_UPCARD_STOCK_OR_PASS_DEAD,
        rules.first_turn == FIRST_TURN_FREE,
        rules.first_turn == FIRST_TURN_DISCARD,
        rules.stock_end == STOCK_END_AT_DRAW,
        rules.stock_end == STOCK_END_OPPONENT_MAY_TAKE,
        rules.stock_end == STOCK_END_NONE,
        rules.stock_end != STOCK_END_NONE
        and compute_ramp(rules.stock_reserve, 0, 10, EAAI_STOCK_RESERVE),
        compute_ramp(40 - rules.max_turns, 0, 30, 0),
        rules.ace_runs == ACE_HIGH_OR_LOW,
        rules.ace_runs == ACE_ROUND_CORNER,
        rules.ace_runs == ACE_ROUND_CORNER and rules.knock_by_upcard,
        rules.rainbow,
        rules.pip_values,
        compute_ramp(rules.ace_value, 1, 15, 1),
        compute_ramp(rules.defender_ace_value, 1, 15, 1),
        rules.shot,
    ]


def encode_score_rules(rules):
    """Return the rule features of premiums, multipliers and the match goal."""
    counts_deals = rules.goal == GOAL_DEALS
    target = rules.points_target if rules.goal == GOAL_POINTS else EAAI_POINTS_TARGET
    return [
        rules.rush_premium,
        rules.rush_premium and rules.rush_on_gin == 0,
        rules.spade_multiplier == 2,
        compute_ramp(np.log2(target / EAAI_POINTS_TARGET), -1.5, 0, 0),
        compute_ramp(np.log2(target / EAAI_POINTS_TARGET), 0, 2.5, 0),
        counts_deals,
        counts_deals and rules.die == DIE_OFF,
        counts_deals and rules.deal_count_gin == 2,
        counts_deals and rules.deal_count_undercut == 2,
    ]


def encode_rare_rules(rules):
    """Return the features of rules that few rule sets contain.

    These are the knock limit in matches that count deals, and the values of aces, unless runs can
    go round the corner.
    """
    limits = compute_bonus_ramps(rules)[2][:-1]
    values = [
        *compute_ramps(rules.ace_value, ACE_VALUE_KNOTS, 1),
        *compute_ramps(rules.defender_ace_value, ACE_VALUE_KNOTS, 1),
    ]
    return [
        *((rules.goal == GOAL_DEALS) * limit for limit in limits),
        *((rules.ace_runs != ACE_ROUND_CORNER) * value for value in values),
    ]


def encode_turn_limit(rules):
    """Return the features of limits below 30 turns, and their products with bonuses and knocks."""
    low, *_, high = TURN_LIMIT_RAMP_BOUNDS
    ramp = compute_ramp(rules.max_turns, low, high, high)
    undercuts, gins, limits = compute_bonus_ramps(rules)
    return [
        *compute_ramps(rules.max_turns, TURN_LIMIT_RAMP_BOUNDS, high),
        *(RULE_PRODUCT_SCALE * ramp * x for x in (*undercuts, *gins, *limits)),
    ]


def encode_interactions(rules):
    """Return the products of three uncommon rules with other rules.

    The uncommon rules are card values of 5 and 10, runs round the corner if the upcard does not
    limit knocks, and matches that count deals, unless a die is rolled.
    """
    undercuts, gins, limits = compute_bonus_ramps(rules)
    counts_deals = rules.goal == GOAL_DEALS and rules.die == DIE_OFF
    has_corner_runs = rules.ace_runs == ACE_ROUND_CORNER and not rules.knock_by_upcard
    other_rules = [1 / RULE_PRODUCT_SCALE, rules.layoff == 0, *limits]
    points_rules = [*undercuts, *gins, rules.shot]
    deal_counts = rules.deal_count_gin == 2, rules.deal_count_undercut == 2
    pairs = [
        *product([rules.pip_values], [*other_rules, *points_rules, counts_deals]),
        *product([has_corner_runs], [*other_rules[:-1], *points_rules, counts_deals]),
        *product([counts_deals], [*other_rules, *(x * y for x, y in product(deal_counts, limits))]),
    ]
    return [RULE_PRODUCT_SCALE * x * y for x, y in pairs]


def encode_combinations(rules):
    """Return the products of less frequent rules with bonuses and with the knock limit.

    Four of these rules have a product with every ramp. The products of the other rules have coarse
    ramps, because their effects are small compared with the noise of the training. All products are
    0 if runs can go round the corner or if the match counts deals.
    """
    if rules.ace_runs == ACE_ROUND_CORNER or rules.goal == GOAL_DEALS:
        return [0.0] * N_COMBINATION_FEATURES
    undercuts, gins, (*limits, knock_by_upcard) = compute_bonus_ramps(rules)
    coarse_ramps = [
        *(sum(ramps) for ramps in (undercuts[:2], undercuts[2:], gins[:2], gins[2:])),
        sum(limits[:4]) / 2,
        knock_by_upcard,
    ]
    target = rules.points_target if rules.goal == GOAL_POINTS else EAAI_POINTS_TARGET
    influential_rules = [
        rules.rush_premium,
        rules.undercut_on_tie == TIE_KNOCK,
        compute_ramp(rules.defender_ace_value, 1, 15, 1),
        compute_ramp(np.log2(target / EAAI_POINTS_TARGET), 0, 2.5, 0),
    ]
    other_rules = [
        rules.undercut_on_tie == TIE_EVEN,
        rules.layoff == 0,
        rules.layoff and rules.layoff_on_gin == 1,
        rules.discard_ban == DISCARD_BAN_DRAWN,
        rules.discard_ban == DISCARD_BAN_NONE,
        rules.first_turn == FIRST_TURN_DISCARD,
        rules.shot,
        rules.spade_multiplier == 2,
        compute_ramp(rules.ace_value, 1, 15, 1),
    ]
    pairs = [
        *product([*influential_rules, *other_rules], coarse_ramps),
        *product(influential_rules, [*undercuts, *gins, *limits, knock_by_upcard]),
    ]
    return [RULE_PRODUCT_SCALE * x * y for x, y in pairs]


def compute_rule_features(rules):
    """Return the features of the rules, (N_RULE_FEATURES,) float64, which are all 0 for eaai."""
    return _compute_features_from_values(rules.item()[: len(RULE_PARAMETERS)])


@lru_cache(maxsize=64)
def _compute_features_from_values(values):
    """Compute the rule features from the values of all rule parameters, as a read-only array."""
    rules = SimpleNamespace(**dict(zip(RULE_PARAMETERS, values, strict=True)))
    features = np.array(
        [
            *encode_bonuses(rules),
            *encode_play_rules(rules),
            *encode_score_rules(rules),
            *encode_products(rules),
            *encode_rare_rules(rules),
            *encode_turn_limit(rules),
            *encode_interactions(rules),
            *encode_combinations(rules),
        ],
        np.float64,
    )
    features.flags.writeable = False
    return features


def compute_variant_features(name):
    """Return the rule features of a variant used in training, (N_RULE_FEATURES,) float64."""
    features = np.zeros(N_RULE_FEATURES)
    features[list(ACTIVE_FEATURES_BY_TRAINED_VARIANT[name])] = 1
    return features
