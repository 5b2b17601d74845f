"""Solitaire strategy that evaluates every possible next draw with the table of `solo-dp`.

The table looks one draw ahead, because it sums the number of cards that each live card would save.
The search adds the next draw, so the strategy looks two draws ahead. After each card that makes a
meld, the search makes the best discard and reads the table value. Only the `width` discards with
the highest table values are searched. A larger width does not win more deals. After a draw, only
unmatched cards are discarded. A drawn card that does not make a meld is discarded. If deadwood
counts, it can instead replace the least valuable card. The strategy ends the deal like `solo-dp`.

Source: Developed for simgin. The one-step search with a learned value follows Tesauro and Galperin,
"On-line Policy Improvement using Monte-Carlo Search", 1996, but evaluates all cards.
"""

import numpy as np
from simgin_strategies.ahead import count_min_unmatched, is_last_discard
from simgin_strategies.solo_dp import (
    CARDS_PER_TIME_STEP,
    N_TIME_STEPS,
    PENALTY_SCORING_INDEX,
    WIN_SCORING_INDEX,
    find_scoring_index,
    look_up_value,
    stop_by_table_value,
)
from simgin_strategies.stop import compute_stopping_value

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import best_discard, deadwood, highest_value_cards, lowest_bit, outs, popcount

N_PARAMETERS = 1  # number of parameters; the values of solo_dp.npy come after the parameters
MAX_HAND_SIZE = 11
LOWER_THAN_ANY_VALUE = -1e18  # lower than any value


@discard(
    name="two-draws",
    width=param(4, 1, 11, "number of discards to search, the best ones by the table"),
    weights="solo_dp.npy",
)
def discard_by_two_draws(view, rules, params):
    """Keep the ten cards with the best table value after the next draw."""
    if is_last_discard(view, rules):
        return best_discard(view.hand, view.legal, rules)
    cards, values = find_best_discards(view, int(params[0]), rules, params[N_PARAMETERS:])
    return cards[values.argmax()]


@helper
def find_best_discards(view, n_discards, rules, table):
    """Return the best discards according to the table, with their mean values after a draw.

    The arrays, int64 and float64, are in descending order of the table values.
    """
    draws_left = count_draws_left(view, rules)
    cards, table_values = (
        np.empty(MAX_HAND_SIZE, np.int64),
        np.full(MAX_HAND_SIZE, LOWER_THAN_ANY_VALUE),
    )
    n = 0
    legal = view.legal
    while legal:
        cards[n] = lowest_bit(highest_value_cards(legal, rules)[0])
        legal &= ~(1 << cards[n])
        table_values[n] = evaluate_by_table(
            view.hand & ~(1 << cards[n]), view.unseen, draws_left, rules, table
        )
        n += 1
    n = min(n, n_discards)
    best_cards, values = np.empty(n, np.int64), np.empty(n)
    for i in range(n):
        best_index = table_values.argmax()
        table_values[best_index] = LOWER_THAN_ANY_VALUE
        best_cards[i] = cards[best_index]
        values[i] = evaluate_by_next_draw(
            view.hand & ~(1 << best_cards[i]), view.unseen, draws_left, rules, table
        )
    return best_cards, values


@helper
def count_draws_left(view, rules):
    """Return the number of remaining draws of the deal, including the draw of the joker.

    In a two-player game, the function returns the number of cards in the stock.
    """
    if rules.max_draws >= 0:
        return rules.max_draws - view.own_turn
    return view.deck_left if view.deck_left >= 1 else view.stock


@helper
def evaluate_by_table(ten_cards, unseen, draws_left, rules, table):
    """Return the value of ten cards according to the learned table.

    The value is exact if there is no further draw or if only the joker is left.
    """
    has_draw_limit = rules.max_draws >= 0
    if draws_left < 1 or (draws_left == 1 and not has_draw_limit):
        return compute_final_value(ten_cards, rules)
    time_left = draws_left - 1 if has_draw_limit else (draws_left - 1) // CARDS_PER_TIME_STEP
    return look_up_value(ten_cards, unseen, min(time_left, N_TIME_STEPS - 1), rules, table)


@helper
def evaluate_by_next_draw(ten_cards, unseen, draws_left, rules, table):
    """Return the mean value of ten cards over the next draw, which can be the joker."""
    live_outs = outs(ten_cards, rules) & unseen
    other_cards = unseen & ~live_outs
    unchanged_value = evaluate_by_table(ten_cards, unseen, draws_left - 1, rules, table)
    total = unchanged_value * popcount(other_cards)
    if find_scoring_index(rules) != WIN_SCORING_INDEX:
        best_nine = _find_best_nine_cards(ten_cards, unseen, draws_left - 1, rules, table)
        while other_cards:
            card = other_cards & -other_cards
            other_cards ^= card
            swapped_value = evaluate_by_table(
                best_nine | card, unseen ^ card, draws_left - 1, rules, table
            )
            total += max(0.0, swapped_value - unchanged_value)
    while live_outs:
        card = live_outs & -live_outs
        live_outs ^= card
        total += _evaluate_with_meld(ten_cards | card, unseen ^ card, draws_left - 1, rules, table)
    mean = total / max(1, popcount(unseen))
    if rules.max_draws >= 0:
        return mean
    return mean + (compute_final_value(ten_cards, rules) - mean) / max(1, draws_left)


@helper
def _find_best_nine_cards(ten_cards, unseen, draws_left, rules, table):
    """Return the nine of ten cards that have the highest table value after a discard."""
    best_nine, best_value = ten_cards, LOWER_THAN_ANY_VALUE
    n_unmatched = count_min_unmatched(ten_cards, rules)
    cards = ten_cards
    while cards:
        card = cards & -cards
        cards ^= card
        if count_min_unmatched(ten_cards ^ card, rules) < n_unmatched:
            value = evaluate_by_table(ten_cards ^ card, unseen, draws_left, rules, table)
            if value > best_value:
                best_nine, best_value = ten_cards ^ card, value
    return best_nine


@helper
def _evaluate_with_meld(eleven_cards, unseen, draws_left, rules, table):
    """Return the value of eleven cards that contain a new meld.

    The value is the value of gin, or of the best ten cards after discarding an unmatched card.
    """
    n_unmatched = count_min_unmatched(eleven_cards, rules)
    if n_unmatched <= 1:
        return compute_gin_value(draws_left, rules)
    best_value = LOWER_THAN_ANY_VALUE
    cards = eleven_cards
    while cards:
        card = cards & -cards
        cards ^= card
        if count_min_unmatched(eleven_cards ^ card, rules) < n_unmatched:
            best_value = max(
                best_value, evaluate_by_table(eleven_cards ^ card, unseen, draws_left, rules, table)
            )
    return best_value


@helper
def compute_gin_value(draws_left, rules):
    """Return the value of making gin under the scoring rules."""
    scoring = find_scoring_index(rules)
    if scoring == WIN_SCORING_INDEX:
        return 1.0
    return (
        -float(rules.penalty_gin)
        if scoring == PENALTY_SCORING_INDEX
        else compute_stopping_value(0, draws_left, rules)
    )


@helper
def compute_final_value(ten_cards, rules):
    """Return the value of ten cards when the joker or the last draw ends the deal."""
    return (
        0.0
        if find_scoring_index(rules) == WIN_SCORING_INDEX
        else -float(deadwood(ten_cards, rules))
    )


SOLO_TWO_DRAWS = Strategy(
    "solo-two-draws",
    discard=discard_by_two_draws,
    knock=stop_by_table_value,
    about="Solitaire: looks two draws ahead, with the table of `solo-dp`.",
)
