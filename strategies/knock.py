"""Elementary knock policies, which accept or decline the proposed ending (`view.ending*`)."""

from simgin.core.rules_record import GOAL_DEALS, GOAL_RACE, GOAL_TOTAL
from simgin.strategy import helper, knock, param
from simgin.toolkit import is_gin_or_better

UNREACHABLE_POINTS = 1 << 20


@knock(name="at", k=param(10, 0, 99, "maximum deadwood for a knock"))
def knock_with_limit(view, rules, params):
    """Knock with at most k points of deadwood (k = 0: wait for gin)."""
    return view.ending_count <= params[0] or view.ending >= 2


@knock(name="never")
def knock_never(view, rules, params):
    """Decline every ending, even gin (for tests)."""
    return False


@knock(name="early", k=param(5, 0, 500, "number of own turns in which every legal knock is made"))
def knock_early(view, rules, params):
    """Make every legal knock in the first k turns, and then wait for gin (MARJJ, Goldstein)."""
    return view.own_turn <= params[0] or is_gin_or_better(view)


@knock(
    name="schedule",
    early=param(10, 0, 99, "maximum deadwood for a knock up to own turn `first`"),
    middle=param(6, 0, 99, "maximum deadwood for a knock after that, up to own turn `second`"),
    late=param(3, 0, 99, "maximum deadwood for a later knock"),
    first=param(5, 0, 500, "last turn of the early stage"),
    second=param(8, 0, 500, "last turn of the middle stage"),
)
def knock_by_schedule(view, rules, params):
    """Knock with a limit that decreases in the course of the deal (Hoyle's tradition)."""
    limit = params[2]
    if view.own_turn <= params[3]:
        limit = params[0]
    elif view.own_turn <= params[4]:
        limit = params[1]
    return view.ending_count <= limit or view.ending >= 2


@helper
def _count_points_needed(rules, seat, points):
    """Return the number of points that a player still needs to win the match or game.

    If points cannot win the match or game, the result is UNREACHABLE_POINTS.
    """
    if rules.points_target < 0 or rules.goal == GOAL_DEALS or rules.goal == GOAL_TOTAL:
        return UNREACHABLE_POINTS
    if rules.goal == GOAL_RACE and seat != rules.race_points_seat:
        return UNREACHABLE_POINTS
    return max(1, rules.points_target - points)


@knock(
    name="lead",
    a=param(4.0, -100.0, 100.0, "maximum deadwood for a knock at level scores"),
    b=param(40.0, -1000.0, 1000.0, "increase of that maximum with the lead"),
)
def knock_by_lead(view, rules, params):
    """Knock with a limit that increases with the player's lead (jdh8's HeuristicBot)."""
    points_ahead = view.own_points - view.other_points
    leader = view.seat if points_ahead >= 0 else 1 - view.seat
    points_left = _count_points_needed(rules, leader, max(view.own_points, view.other_points))
    return view.ending_count <= params[0] + params[
        1
    ] * points_ahead / points_left or is_gin_or_better(view)


@knock(name="count")
def knock_if_match_is_safe(view, rules, params):
    """Knock immediately, unless an undercut could win the match for the opponent."""
    max_safe_points = _count_points_needed(rules, 1 - view.seat, view.other_points) - 1
    return view.ending_count <= max_safe_points or is_gin_or_better(view)


@knock(name="at-wall", k=param(0, 0, 99, "maximum deadwood for a knock before the stock runs out"))
def knock_before_dead_hand(view, rules, params):
    """Knock with at most k points, or with any legal deadwood if a dead hand is imminent."""
    return view.ending_count <= params[0] or view.stock <= rules.stock_reserve or view.ending >= 2
