"""Knock policies as sets of acceptable actions: 0 continue, 1 end the deal.

The engine proposes only legal endings, so "within the limit" is always true.
"""

from fractions import Fraction

from .seen import Seen


def answer(seen: Seen, ends: bool) -> set[int]:
    """End the deal with gin or more, as all rules except two do."""
    return {int(ends or seen.ending_count == 0 or seen.ending > 1)}


def never(seen: Seen) -> set[int]:
    return {0}


def random(seen: Seen, p_end: float = 0.5) -> set[int]:
    """End the deal with probability p_end."""
    return {0, 1} if 0 < p_end < 1 else {int(p_end == 1)}


def at(seen: Seen, k: float = 10) -> set[int]:
    """End the deal if d <= k."""
    return answer(seen, seen.ending_count <= k)


def early(seen: Seen, k: float = 5) -> set[int]:
    """End the deal if t <= k."""
    return answer(seen, seen.turn <= k)


def schedule(
    seen: Seen,
    early: float = 10,
    middle: float = 6,
    late: float = 3,
    first: float = 5,
    second: float = 8,
) -> set[int]:
    """End the deal if d <= N(t)."""
    limit = early if seen.turn <= first else middle if seen.turn <= second else late
    return answer(seen, seen.ending_count <= limit)


def lead(seen: Seen, a: float = 4, b: float = 40) -> set[int]:
    """End the deal if d <= clamp(a + b * lead / (target - leader's score), 0, limit)."""
    lead = seen.own_points - seen.other_points
    leader = max(seen.own_points, seen.other_points)
    bound = Fraction(a) + Fraction(b) * Fraction(lead, seen.target - leader)
    return answer(seen, seen.ending_count <= min(max(bound, 0), seen.limit))


def count(seen: Seen) -> set[int]:
    """Knock immediately, but never with d above target - opponent's score - 1."""
    return answer(seen, seen.ending_count <= seen.target - seen.other_points - 1)


def at_wall(seen: Seen, k: float = 0) -> set[int]:
    """Knock like `at`, and with any d near the end of the deal (rules.md 4.5)."""
    at_end = seen.row["stock_end"] in ("after_discard", "opponent_may_take")
    last = at_end and seen.stock <= seen.row["stock_reserve"]
    return answer(seen, seen.ending_count <= k or last)


def belief(seen: Seen, own: float = 6, opp: float = 18) -> set[int]:
    """Do not knock with d > own while the opponent's estimated deadwood is at most opp."""
    if seen.ending_count <= own or seen.ending_count == 0 or seen.ending > 1:
        return {1}
    # The mean of ten cards is never as high as 99
    return {1} if opp <= 0 else {0} if opp >= 99 else {0, 1}
