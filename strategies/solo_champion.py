"""Solitaire strategy that corrects the search of `solo-two-draws` for what it overlooks.

The search evaluates ten cards by the next two draws. The rest of the deal depends on more than the
table contains: on live pairs, on cards that save two unmatched cards at the same time, on cards
without a partner. Fourteen features of the cards kept, each times a weight, are added to the value.
The weights depend on the number of unmatched cards and fall with the time left.

training/solo_champion.py learned them from discards after which the same decks were rolled out,
separately for each game. They are zero if no gain was shown; there this strategy is
`solo-two-draws`. It ends the deal in the same way.

Source: This project; correcting a value by play-outs of alternatives from the same position goes
back to G. Tesauro and G. Galperin, "On-line Policy Improvement using Monte-Carlo Search", 1996.
"""

import numpy as np
from simgin_strategies.ahead import is_last_discard, min_unmatched
from simgin_strategies.solo_dp import (
    N_SCORINGS,
    N_TIMES,
    N_UNMATCHED,
    PENALTIES,
    PLANE_SIZE,
    POINTS,
    dp_stop,
    scoring_index,
)
from simgin_strategies.solo_two_draws import N_PARAMS, count_draws_left, search_discards

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

FEATURES = (
    ("one", "always one"),
    ("save_one", "live cards that save one unmatched card"),
    ("save_two", "live cards that save two"),
    ("save_three", "live cards that save three or more"),
    ("live_pairs", "melds that cards outside of all possible melds make with two live cards"),
    ("lone", "cards without a partner, of those outside of all possible melds"),
    ("count", "deadwood"),
    ("one_one", "save_one, squared"),
    ("one_three", "save_one times save_three"),
    ("three_three", "save_three, squared"),
    ("one_two", "save_one times save_two"),
    ("lone_pairs", "melds that cards without a partner make with two live cards"),
    ("count_count", "deadwood, squared"),
    ("both_ways", "cards outside of all possible melds with a partner in rank and one in suit"),
)
N_HAND_FEATURES = len(FEATURES)
N_CLASSES = 8  # numbers of unmatched cards: 0..6, then seven or more
FALLING_OFFSET = (
    N_HAND_FEATURES * N_CLASSES
)  # offset of the weights that are multiplied by the proportion of time left
N_WEIGHTS = 2 * FALLING_OFFSET + 1  # the last is the weight of the search's value, in addition to 1
TABLE_SIZE = (
    N_SCORINGS * N_TIMES * N_UNMATCHED * PLANE_SIZE
)  # size of solo_dp.npy, with which the file begins
DECK_SIZE = 42  # cards to draw in the joker games, without the joker


@helper
def correction_offset(rules):
    """Return the offset of the correction that was learned under the most similar rules."""
    kind = 0
    if scoring_index(rules) == PENALTIES:
        kind = 4
    elif scoring_index(rules) == POINTS:
        kind = 1
        if rules.gin_bonus > 0:
            kind = 3 if rules.big_gin else 2
    return TABLE_SIZE + kind * N_WEIGHTS


@discard(
    name="solo-champion",
    width=param(4, 1, 11, "number of discards searched, those that the table likes best"),
    weights="solo-champion.npy",
)
def champion_solo(view, rules, params):
    """Keep the ten cards with the best next draw, corrected by the features of these cards."""
    if is_last_discard(view, rules):
        return best_discard(view.hand, view.legal, rules)
    table, left = params[N_PARAMS : N_PARAMS + TABLE_SIZE], count_draws_left(view, rules)
    cards, values = search_discards(view, int(params[0]), rules, table)
    first = N_PARAMS + correction_offset(rules)
    weights, x = params[first : first + N_WEIGHTS], np.zeros(np.int64(N_WEIGHTS))
    for k in range(len(cards)):
        write_features(view.hand & ~(1 << cards[k]), view.unseen, left, values[k], rules, x)
        values[k] += (x * weights).sum()
    return cards[values.argmax()]


@helper
def write_features(ten, unseen, left, search_value, rules, x):
    """Write the features of ten cards to x, (N_WEIGHTS,) float64, at their class's offset.

    Args:
        ten: The ten cards.
        unseen: The unseen cards.
        left: Draws left, or cards in the deck including the joker.
        search_value: Value of the cards according to the search.
        rules: The rules.
        x: Output.
    """
    x[:] = 0.0
    now = min_unmatched(ten, rules)
    one, two, three = count_saving_cards(ten, unseen, now, rules)
    loose = ten & ~cards_in_melds(ten, rules)
    by_rank, by_suit = partners_by_rank_and_suit(loose)
    lone = loose & ~(by_rank | by_suit)
    count = deadwood(ten, rules)
    at = min(now, N_CLASSES - 1) * N_HAND_FEATURES
    x[at : at + 4] = 1.0, 0.1 * one, 0.1 * two, 0.1 * three
    x[at + 4] = 0.05 * count_live_pairs(loose, unseen)
    x[at + 5] = 0.3 * popcount(lone)
    x[at + 6] = 0.02 * count
    x[at + 7] = 0.02 * one * one
    x[at + 8] = 0.02 * one * three
    x[at + 9] = 0.02 * three * three
    x[at + 10] = 0.02 * two * one
    x[at + 11] = 0.02 * count_live_pairs(lone, unseen)
    x[at + 12] = 0.0003 * count * count
    x[at + 13] = 0.3 * popcount(by_rank & by_suit)
    share = left / (rules.max_draws if rules.max_draws >= 0 else DECK_SIZE + 1)
    for i in range(at, at + N_HAND_FEATURES):
        x[FALLING_OFFSET + i] = share * x[i]
    x[N_WEIGHTS - 1] = search_value


@helper
def count_saving_cards(ten, unseen, now, rules):
    """Return how many live cards save one, two, and three or more of `now` unmatched cards."""
    one, two, three = 0.0, 0.0, 0.0
    fit = outs(ten, rules) & unseen
    while fit:
        saved = now - max(0, min_unmatched(ten | fit & -fit, rules) - 1)
        fit &= fit - 1
        one += saved == 1
        two += saved == 2
        three += saved >= 3
    return one, two, three


@helper
def count_live_pairs(loose, unseen):
    """Return the number of melds that some cards make with two live cards each."""
    total = 0
    while loose:
        card = lowest_bit(loose)
        loose &= loose - 1
        r = card % 13
        same = popcount(unseen & cards_of_rank(r))
        window = suit_lane(unseen, card // 13) << 2 >> r
        total += same * (same - 1) // 2 + count_run_pairs(window)
    return total


SOLO_CHAMPION = Strategy(
    "solo-champion",
    discard=champion_solo,
    knock=dp_stop,
    about="One player: the search of `solo-two-draws`, corrected by what deals came to after it.",
)
