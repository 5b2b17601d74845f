"""The value of stopping (docs/reference/strategies/solo.md), over all positions of the joker."""

from fractions import Fraction

from ..points import deal_points


def stopping_value(row: dict, count: int, left: int) -> Fraction:
    """Return the mean points of player minus joker, with `left` cards in the deck."""
    how = "gin" if count == 0 else "knock"
    extra = 1 if row["count_joker"] else 0
    scores = [deal_points(row, how, count, above + extra) for above in range(left)]
    return Fraction(sum(score.stopper - score.other for score in scores), left)
