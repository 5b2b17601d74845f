"""The value of stopping a one-player deal with a joker, by trying every place of the joker.

The policy is described in docs/reference/strategies/solo.md.
"""

from fractions import Fraction

from ..points import deal_points


def stopping_value(row: dict, count: int, left: int) -> Fraction:
    """Mean points of ending the deal with a deadwood, the player's less the joker's.

    `left` cards are in the deck, the joker among them.
    """
    how = "gin" if count == 0 else "knock"
    extra = 1 if row["count_joker"] else 0
    scores = [deal_points(row, how, count, above + extra) for above in range(left)]
    return Fraction(sum(score.stopper - score.other for score in scores), left)
