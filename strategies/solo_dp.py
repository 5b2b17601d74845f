"""Solitaire strategy that keeps the ten cards with the highest value in a learned table.

The strategy is the benchmark for looking ahead. The table was trained in self-play. The table
contains the value of ten cards by number of draws left and by three features. The features are the
number of unmatched cards, the number of unmatched cards that live cards would save (summed as in
`ahead:aim=loose`), and the deadwood. For each number of draws left and each number of unmatched
cards, the value is linear in the other two features. (A table with all four dimensions played
badly.) There is one table for each type of scoring: deals won (in which deadwood does not count),
points against the joker, and penalties. training/solo.py trains the tables by fitted iteration. The
strategy assumes the bonuses of the standard variants and ignores changes to them.

Source: Developed for simgin. The fitted value iteration follows Ernst, Geurts and Wehenkel,
"Tree-Based Batch Mode Reinforcement Learning", 2005.
"""

from simgin_strategies.ahead import count_min_unmatched, is_last_discard
from simgin_strategies.stop import compute_stopping_value

from simgin.core.rules_record import SCORING_PENALTY, SCORING_WINLOSS
from simgin.strategy import Strategy, discard, helper, knock
from simgin.toolkit import best_discard, deadwood, highest_value_cards, lowest_bit, outs

# Shape of solo_dp.npy. The last axis contains an intercept, a slope by the number of cards saved
# and a slope by deadwood.
N_SCORING_TYPES, N_TIME_STEPS, N_UNMATCHED_COUNTS, N_LINEAR_COEFFICIENTS = 3, 15, 11, 3
WIN_SCORING_INDEX, POINTS_SCORING_INDEX, PENALTY_SCORING_INDEX = 0, 1, 2
CARDS_PER_TIME_STEP = 3  # number of cards per time step in a deck with the joker


@discard(name="dp", weights="solo_dp.npy")
def discard_by_table_value(view, rules, params):
    """Keep the ten cards with the highest value in the learned table."""
    if is_last_discard(view, rules):
        return best_discard(view.hand, view.legal, rules)
    time_index = find_time_index(view, rules)
    best_card, best_value = -1, -1e18
    legal = view.legal
    while legal:
        card = lowest_bit(highest_value_cards(legal, rules)[0])
        legal &= ~(1 << card)
        value = look_up_value(view.hand & ~(1 << card), view.unseen, time_index, rules, params)
        if value > best_value:
            best_card, best_value = card, value
    return best_card


@knock(name="dp", weights="solo_dp.npy")
def stop_by_table_value(view, rules, params):
    """End the deal if the value of stopping is at least the table's value of continuing."""
    if view.ending_count == 0 or view.ending >= 2:
        return True
    if view.deck_left < 1:
        return False
    return compute_stopping_value(view.ending_count, view.deck_left, rules) >= look_up_value(
        view.hand, view.unseen, find_time_index(view, rules), rules, params
    )


@helper
def find_time_index(view, rules):
    """Return the index of the remaining time in the table, which counts the draws left.

    With a joker, the index is the number of cards left in the deck, divided by three. In a
    two-player game, it is the number of cards in the stock.
    """
    if rules.max_draws >= 0:
        return max(0, min(N_TIME_STEPS, rules.max_draws - view.own_turn) - 1)
    draws_left = view.deck_left if view.deck_left >= 1 else view.stock
    return max(0, min(N_TIME_STEPS - 1, (draws_left - 1) // CARDS_PER_TIME_STEP))


@helper
def look_up_value(ten_cards, unseen, time_index, rules, table):
    """Look up the value of ten cards in the learned table."""
    n_unmatched, n_saved = compute_hand_features(ten_cards, unseen, rules)
    plane = (
        (find_scoring_index(rules) * N_TIME_STEPS + time_index) * N_UNMATCHED_COUNTS + n_unmatched
    ) * N_LINEAR_COEFFICIENTS
    return table[plane] + table[plane + 1] * n_saved + table[plane + 2] * deadwood(ten_cards, rules)


@helper
def find_scoring_index(rules):
    """Return the index of the scoring type, which selects a part of the table."""
    return (
        WIN_SCORING_INDEX
        if rules.deal_scoring == SCORING_WINLOSS
        else PENALTY_SCORING_INDEX
        if rules.deal_scoring == SCORING_PENALTY
        else POINTS_SCORING_INDEX
    )


@helper
def compute_hand_features(ten_cards, unseen, rules):
    """Return the number of unmatched cards, and the sum of its decreases over all next draws."""
    n_unmatched = count_min_unmatched(ten_cards, rules)
    live_outs = outs(ten_cards, rules) & unseen
    n_saved = 0
    while live_outs:
        n_saved += n_unmatched - max(
            0, count_min_unmatched(ten_cards | live_outs & -live_outs, rules) - 1
        )
        live_outs &= live_outs - 1
    return n_unmatched, n_saved


SOLO_DP = Strategy(
    "solo-dp",
    discard=discard_by_table_value,
    knock=stop_by_table_value,
    about="Solitaire: keeps the cards with the highest value in a table trained in self-play.",
)
