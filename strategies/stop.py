"""Knock policies for solitaire games with a joker in the deck.

With m cards left in the deck including the joker, the number of cards above the joker is uniform,
and the next card is the joker with probability 1/m. The value of stopping with deadwood K is the
mean number of cards above the joker, minus K, minus the undercut bonus times the probability that
there are fewer than K cards. The value of gin is that mean plus the gin bonus. `stop-dp` compares
this with the value of continuing, by backward induction over m. The transitions of the deadwood
from turn to turn were estimated from self-play of `ahead:aim=gin` (training/solo.py) and are in
stop.npy. The policy uses only the deadwood of the hand, so the values of continuing vary too little
between hands.

All of these policies end the deal with gin and big gin, because continuing is never better. In
two-player games, which have no joker, they wait for gin.

Source: This project, from docs/reference/rules.md 6.
"""

import numpy as np

from simgin.core.rules_record import TIE_UNDERCUT
from simgin.strategy import helper, knock, param

N_DEADWOOD_BANDS = (
    17  # number of states: deadwood of 0 to 10 points, and six bands of higher deadwood
)
MAX_CARDS_LEFT = 43  # number of cards in the deck, including the joker


@knock(
    name="stop-by",
    m1=param(9, 1, 99, "minimum cards left in the deck to knock with deadwood 1"),
    m2=param(13, 1, 99, "minimum cards left in the deck to knock with deadwood 2"),
    m3=param(17, 1, 99, "minimum cards left in the deck to knock with deadwood 3"),
    m4=param(20, 1, 99, "minimum cards left in the deck to knock with deadwood 4"),
    m5=param(23, 1, 99, "minimum cards left in the deck to knock with deadwood 5"),
    m6=param(25, 1, 99, "minimum cards left in the deck to knock with deadwood 6"),
    m7=param(28, 1, 99, "minimum cards left in the deck to knock with deadwood 7"),
    m8=param(31, 1, 99, "minimum cards left in the deck to knock with deadwood 8"),
    m9=param(33, 1, 99, "minimum cards left in the deck to knock with deadwood 9"),
    m10=param(36, 1, 99, "minimum cards left in the deck to knock with deadwood 10 or more"),
)
def stop_by_cards_left(view, rules, params):
    """Knock if enough cards are left in the deck for the given deadwood.

    With the defaults, the value of the knock is not negative.
    """
    if view.ending_count == 0 or view.ending >= 2:
        return True
    return view.deck_left >= params[min(view.ending_count, 10) - 1]


@knock(name="stop-dp", weights="stop.npy")
def stop_by_backward_induction(view, rules, params):
    """Stop unless backward induction over the remaining deck predicts a gain from continuing."""
    if view.ending_count == 0 or view.ending >= 2:
        return True
    if view.deck_left < 1 or view.deck_left > MAX_CARDS_LEFT:
        return False
    return compute_stopping_value(
        view.ending_count, view.deck_left, rules
    ) >= _compute_continuing_value(view.ending_count, view.deck_left, view.limit, rules, params)


@helper
def compute_stopping_value(deadwood_points, cards_left, rules):
    """Return the expected score difference to the joker if the player ends the deal now.

    Args:
        deadwood_points: Deadwood in points.
        cards_left: Number of cards left in the deck, including the joker.
        rules: Rules of the variant.
    """
    mean_above_joker = (cards_left - 1) / 2 + rules.count_joker
    if deadwood_points == 0:
        return mean_above_joker + rules.gin_bonus
    tie = rules.undercut_on_tie == TIE_UNDERCUT
    n_losing = min(cards_left, max(0, deadwood_points - rules.count_joker + tie))
    return mean_above_joker - deadwood_points - rules.undercut_bonus * n_losing / cards_left


@helper
def _compute_continuing_value(deadwood_points, cards_left, knock_limit, rules, table):
    """Return the value, in points, of continuing with a given deadwood.

    Either the joker ends the deal, or play continues optimally according to the table.
    """
    values = np.empty(N_DEADWOOD_BANDS)
    after = np.empty(N_DEADWOOD_BANDS)
    for i in range(N_DEADWOOD_BANDS):
        after[i] = -table[i]
    for n_left in range(1, cards_left):
        for i in range(N_DEADWOOD_BANDS):
            value = -table[i] / n_left + (1 - 1 / n_left) * _compute_mean_next_value(
                n_left, i, after, table
            )
            values[i] = (
                max(value, compute_stopping_value(i, n_left, rules))
                if i == 0 or (i <= 10 and i <= knock_limit)
                else value
            )
        for i in range(N_DEADWOOD_BANDS):
            after[i] = values[i]
    return -deadwood_points / cards_left + (1 - 1 / cards_left) * _compute_mean_next_value(
        cards_left, find_deadwood_band(deadwood_points), after, table
    )


@helper
def _compute_mean_next_value(cards_left, band_index, values, table):
    """Return the mean value after the next draw, averaged over the deadwood after the draw."""
    row_offset = N_DEADWOOD_BANDS + (cards_left * N_DEADWOOD_BANDS + band_index) * N_DEADWOOD_BANDS
    total = 0.0
    for j in range(N_DEADWOOD_BANDS):
        total += table[row_offset + j] * values[j]
    return total


@helper
def find_deadwood_band(deadwood_points):
    """Return the index of the deadwood band that contains an amount of deadwood.

    The states are 0, ..., 10, 11-13, 14-17, 18-23, 24-31, 32-44 and 45+.
    """
    if deadwood_points <= 10:
        return deadwood_points
    return (
        11
        + (deadwood_points > 13)
        + (deadwood_points > 17)
        + (deadwood_points > 23)
        + (deadwood_points > 31)
        + (deadwood_points > 44)
    )
