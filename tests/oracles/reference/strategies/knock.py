"""Reference knock policies, which return the acceptable actions: 0 continue, 1 end the deal.

The engine proposes only legal endings, so "within the limit" is always true.
"""

from fractions import Fraction

from .player_view import PlayerView


def knock_if(view: PlayerView, is_wanted: bool) -> set[int]:
    """End the deal if the strategy wants to knock or has gin, big gin or a shot."""
    return {int(is_wanted or view.ending_count == 0 or view.ending > 1)}


def never(view: PlayerView) -> set[int]:
    """Never end the deal."""
    return {0}


def random(view: PlayerView, p_end: float = 0.5) -> set[int]:
    """End the deal with probability p_end."""
    return {0, 1} if 0 < p_end < 1 else {int(p_end == 1)}


def at(view: PlayerView, k: float = 10) -> set[int]:
    """End the deal if the deadwood is at most k."""
    return knock_if(view, view.ending_count <= k)


def early(view: PlayerView, k: float = 5) -> set[int]:
    """End the deal only in the player's first k turns."""
    return knock_if(view, view.turn <= k)


def schedule(
    view: PlayerView,
    early: float = 10,
    middle: float = 6,
    late: float = 3,
    first: float = 5,
    second: float = 8,
) -> set[int]:
    """End the deal if the deadwood is at most a limit that depends on the turn."""
    limit = early if view.turn <= first else middle if view.turn <= second else late
    return knock_if(view, view.ending_count <= limit)


def lead(view: PlayerView, a: float = 4, b: float = 40) -> set[int]:
    """End the deal if the deadwood is at most a limit that depends on the score."""
    lead = view.own_points - view.other_points
    leader = max(view.own_points, view.other_points)
    bound = Fraction(a) + Fraction(b) * Fraction(lead, view.target - leader)
    return knock_if(view, view.ending_count <= min(max(bound, 0), view.limit))


def count(view: PlayerView) -> set[int]:
    """Knock immediately, unless the opponent could win the match by an undercut."""
    return knock_if(view, view.ending_count <= view.target - view.other_points - 1)


def at_wall(view: PlayerView, k: float = 0) -> set[int]:
    """Knock like `at`, or if the stock is about to run out (rules.md 4.5)."""
    at_end = view.params["stock_end"] in ("after_discard", "opponent_may_take")
    last = at_end and view.stock <= view.params["stock_reserve"]
    return knock_if(view, view.ending_count <= k or last)


def belief(view: PlayerView, own: float = 6, opp: float = 18) -> set[int]:
    """Knock with at most `own` deadwood, or if the opponent's is estimated above `opp`."""
    if view.ending_count <= own or view.ending_count == 0 or view.ending > 1:
        return {1}
    # The mean of ten cards is never as high as 99
    return {1} if opp <= 0 else {0} if opp >= 99 else {0, 1}
