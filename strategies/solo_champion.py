"""Solitaire strategy that corrects the evaluation of `solo-two-draws` with trained weights.

The search evaluates ten cards by the next two draws. The rest of the deal also depends on features
that are not in its table, such as live pairs, cards that save two unmatched cards, and cards
without a partner. The correction is a weighted sum of fourteen features of the remaining cards. The
weights depend on the number of unmatched cards, and they decrease as the stock runs out.

training/solo_champion.py trained the weights separately for each game, from rollouts of several
discards with the same decks. If training showed no gain, the weights are zero, and the strategy
plays like `solo-two-draws`. `solo-champion` and `solo-two-draws` end deals in the same way.

Source: Developed for simgin. The correction of values with rollouts of alternative actions follows
Tesauro and Galperin, "On-line Policy Improvement using Monte-Carlo Search", 1996.
"""

import numpy as np
from simgin_strategies.ahead import count_min_unmatched, is_last_discard
from simgin_strategies.solo_dp import (
    N_LINEAR_COEFFICIENTS,
    N_SCORING_TYPES,
    N_TIME_STEPS,
    N_UNMATCHED_COUNTS,
    PENALTY_SCORING_INDEX,
    POINTS_SCORING_INDEX,
    find_scoring_index,
    stop_by_table_value,
)
from simgin_strategies.solo_two_draws import N_PARAMETERS, count_draws_left, find_best_discards

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import (
    best_discard,
    cards_in_melds,
    cards_of_rank,
    count_run_pairs,
    deadwood,
    lowest_bit,
    outs,
    partners_by_rank_and_suit,
    popcount,
    suit_lane,
)

HAND_FEATURES = (
    ("constant", "constant 1"),
    ("saves_one", "live cards that save one unmatched card"),
    ("saves_two", "live cards that save two unmatched cards"),
    ("saves_three", "live cards that save three or more unmatched cards"),
    ("live_pairs", "melds of two live cards and a card in no possible meld"),
    ("unpaired", "cards in no possible meld and without a partner"),
    ("deadwood", "deadwood"),
    ("saves_one_squared", "save_one squared"),
    ("saves_one_times_three", "save_one times save_three"),
    ("saves_three_squared", "save_three squared"),
    ("saves_one_times_two", "save_one times save_two"),
    ("unpaired_live_pairs", "melds of two live cards and a card without a partner"),
    ("deadwood_squared", "deadwood squared"),
    ("rank_and_suit_partners", "cards in no possible meld with a partner in rank and one in suit"),
)
N_HAND_FEATURES = len(HAND_FEATURES)
N_UNMATCHED_GROUPS = 8  # number of classes, by number of unmatched cards (0 to 6, and 7 or more)
# Offset of the weights that are multiplied by the proportion of time that is left
TIME_LEFT_WEIGHTS_OFFSET = N_HAND_FEATURES * N_UNMATCHED_GROUPS
N_WEIGHTS = (
    2 * TIME_LEFT_WEIGHTS_OFFSET + 1
)  # The weight of the search value is 1 plus the last weight.
# Size of solo_dp.npy, whose values precede the other weights
DP_TABLE_SIZE = N_SCORING_TYPES * N_TIME_STEPS * N_UNMATCHED_COUNTS * N_LINEAR_COEFFICIENTS
JOKER_DECK_SIZE = 42  # number of cards in the deck of joker games, without the joker


@helper
def find_correction_offset(rules):
    """Return the offset of the correction weights trained under the most similar rules."""
    kind = 0
    if find_scoring_index(rules) == PENALTY_SCORING_INDEX:
        kind = 4
    elif find_scoring_index(rules) == POINTS_SCORING_INDEX:
        kind = 1
        if rules.gin_bonus > 0:
            kind = 3 if rules.big_gin else 2
    return DP_TABLE_SIZE + kind * N_WEIGHTS


@discard(
    name="solo-champion",
    width=param(4, 1, 11, "number of discards to search, the best ones by the table"),
    weights="solo-champion.npy",
)
def discard_by_corrected_value(view, rules, params):
    """Keep the cards that maximise the tabulated value after the next draw, plus a correction."""
    if is_last_discard(view, rules):
        return best_discard(view.hand, view.legal, rules)
    table, draws_left = (
        params[N_PARAMETERS : N_PARAMETERS + DP_TABLE_SIZE],
        count_draws_left(view, rules),
    )
    cards, values = find_best_discards(view, int(params[0]), rules, table)
    first = N_PARAMETERS + find_correction_offset(rules)
    weights, features = (params[first : first + N_WEIGHTS], np.zeros(np.int64(N_WEIGHTS)))
    for i in range(len(cards)):
        write_features(
            view.hand & ~(1 << cards[i]), view.unseen, draws_left, values[i], rules, features
        )
        values[i] += (features * weights).sum()
    return cards[values.argmax()]


@helper
def write_features(ten_cards, unseen, draws_left, value_by_search, rules, features):
    """Write the features of ten cards, at an offset for the number of unmatched cards.

    Args:
        ten_cards: Ten cards as a 52-bit mask.
        unseen: Unseen cards as a 52-bit mask.
        draws_left: Number of draws left, or of cards left in the deck including the joker.
        value_by_search: Value of the cards according to the search.
        rules: Rules of the variant.
        features: Output, (N_WEIGHTS,) float64.
    """
    features[:] = 0.0
    n_unmatched = count_min_unmatched(ten_cards, rules)
    saves_one, saves_two, saves_three = count_saving_cards(ten_cards, unseen, n_unmatched, rules)
    unmatched = ten_cards & ~cards_in_melds(ten_cards, rules)
    by_rank, by_suit = partners_by_rank_and_suit(unmatched)
    lone_cards = unmatched & ~(by_rank | by_suit)
    deadwood_points = deadwood(ten_cards, rules)
    first = min(n_unmatched, N_UNMATCHED_GROUPS - 1) * N_HAND_FEATURES
    features[first : first + 4] = (1.0, 0.1 * saves_one, 0.1 * saves_two, 0.1 * saves_three)
    features[first + 4] = 0.05 * count_live_pairs(unmatched, unseen)
    features[first + 5] = 0.3 * popcount(lone_cards)
    features[first + 6] = 0.02 * deadwood_points
    features[first + 7] = 0.02 * saves_one * saves_one
    features[first + 8] = 0.02 * saves_one * saves_three
    features[first + 9] = 0.02 * saves_three * saves_three
    features[first + 10] = 0.02 * saves_two * saves_one
    features[first + 11] = 0.02 * count_live_pairs(lone_cards, unseen)
    features[first + 12] = 0.0003 * deadwood_points * deadwood_points
    features[first + 13] = 0.3 * popcount(by_rank & by_suit)
    time_left = draws_left / (rules.max_draws if rules.max_draws >= 0 else JOKER_DECK_SIZE + 1)
    for i in range(first, first + N_HAND_FEATURES):
        features[TIME_LEFT_WEIGHTS_OFFSET + i] = time_left * features[i]
    features[N_WEIGHTS - 1] = value_by_search


@helper
def count_saving_cards(ten_cards, unseen, n_unmatched, rules):
    """Count the live cards that would match one, two, and three or more unmatched cards."""
    saves_one, saves_two, saves_three = 0.0, 0.0, 0.0
    live_outs = outs(ten_cards, rules) & unseen
    while live_outs:
        n_saved = n_unmatched - max(
            0, count_min_unmatched(ten_cards | live_outs & -live_outs, rules) - 1
        )
        live_outs &= live_outs - 1
        saves_one += n_saved == 1
        saves_two += n_saved == 2
        saves_three += n_saved >= 3
    return saves_one, saves_two, saves_three


@helper
def count_live_pairs(unmatched, unseen):
    """Return the number of melds that contain an unmatched card and two live cards."""
    total = 0
    while unmatched:
        card = lowest_bit(unmatched)
        unmatched &= unmatched - 1
        rank = card % 13
        n_same_rank = popcount(unseen & cards_of_rank(rank))
        window = suit_lane(unseen, card // 13) << 2 >> rank
        total += n_same_rank * (n_same_rank - 1) // 2 + count_run_pairs(window)
    return total


SOLO_CHAMPION = Strategy(
    "solo-champion",
    discard=discard_by_corrected_value,
    knock=stop_by_table_value,
    about="Solitaire: searches like `solo-two-draws`, and corrects values with trained weights.",
)
