"""When to end the deal and when to draw once more, with the joker somewhere in the deck.

With m cards left in the deck, the joker among them, the number of cards above it is uniform and the
next card is the joker with probability 1/m. Stopping with count K is worth the mean number above
the joker, less K, less the undercut bonus times the probability that there are fewer than K; gin is
worth that number and its bonus. `stop-dp` compares this with the value of going on, by backward
induction over m for the rules in force. How counts change from turn to turn was learned from
self-play of `ahead:aim=gin` (training/solo.py) and is in stop.npy. It describes the hand by its
count alone, so its continuation values are a little too flat.

Every policy here ends the deal with gin and big gin: going on from gin is never better. Against
another player, where there is no deck with a joker, they wait for gin.

Source: This project, from docs/reference/rules.md 6.
"""

import numpy as np

from simgin.core.rules import TIE_UNDERCUT
from simgin.strategy import helper, knock, param

STATES = 17  # counts 0..10, and six bands above
MOST_LEFT = 43  # cards in the deck with the joker


@knock(
    m1=param(9, 1, 99, "fewest cards left in the deck to knock with 1"),
    m2=param(13, 1, 99, "the same with 2"),
    m3=param(17, 1, 99, "the same with 3"),
    m4=param(20, 1, 99, "the same with 4"),
    m5=param(23, 1, 99, "the same with 5"),
    m6=param(25, 1, 99, "the same with 6"),
    m7=param(28, 1, 99, "the same with 7"),
    m8=param(31, 1, 99, "the same with 8"),
    m9=param(33, 1, 99, "the same with 9"),
    m10=param(36, 1, 99, "the same with 10 or more"),
)
def stop_by(view, rules, params):
    """Knock while enough cards are left for the count.

    By default, while the knock is worth at least nothing.
    """
    if view.ending_count == 0 or view.ending >= 2:
        return True
    return view.deck_left >= params[min(view.ending_count, 10) - 1]


@knock(weights="stop.npy")
def stop_dp(view, rules, params):
    """Stop when that is worth at least as much as going on, by backward induction over the deck."""
    if view.ending_count == 0 or view.ending >= 2:
        return True
    if view.deck_left < 1 or view.deck_left > MOST_LEFT:
        return False
    return stop_value(view.ending_count, view.deck_left, rules) >= _going_on(
        view.ending_count, view.deck_left, view.limit, rules, params
    )


@helper
def stop_value(count, left, rules):
    """Mean points, player less joker, of ending the deal with a count and `left` cards in the deck.

    The joker is one of the cards left.
    """
    above = (left - 1) / 2 + rules.count_joker
    if count == 0:
        return above + rules.gin_bonus
    tie = rules.undercut_on_tie == TIE_UNDERCUT
    fewer = min(left, max(0, count - rules.count_joker + tie))
    return above - count - rules.undercut_bonus * fewer / left


@helper
def _going_on(count, left, limit, rules, table):
    """Value of drawing on with a count.

    The joker takes it, or the next count is played as well as the table allows.
    """
    values = np.empty(STATES)
    after = np.empty(STATES)
    for i in range(STATES):
        after[i] = -table[i]
    for m in range(1, left):
        for i in range(STATES):
            value = -table[i] / m + (1 - 1 / m) * _expected(m, i, after, table)
            values[i] = (
                max(value, stop_value(i, m, rules)) if i == 0 or (i <= 10 and i <= limit) else value
            )
        for i in range(STATES):
            after[i] = values[i]
    return -count / left + (1 - 1 / left) * _expected(left, state_of(count), after, table)


@helper
def _expected(left, i, values, table):
    """Mean value of the next count."""
    first = STATES + (left * STATES + i) * STATES
    total = 0.0
    for j in range(STATES):
        total += table[first + j] * values[j]
    return total


@helper
def state_of(count):
    """The state of a count: 0..10 each, then 11-13, 14-17, 18-23, 24-31, 32-44 and more."""
    if count <= 10:
        return count
    return 11 + (count > 13) + (count > 17) + (count > 23) + (count > 31) + (count > 44)
