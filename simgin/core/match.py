"""A match: who deals, what the score is, and when it is over (RULES.md 4.1 and 7). So far the goals `points` and `single`."""

from simgin.core import rng
from simgin.core.jit import jit
from simgin.core.rules import ALTERNATE, GOAL_SINGLE, LOSER_DEALS, LOT, OTHER

UNDECIDED, DRAWN, UNFINISHED = -1, -2, -3  # outcomes beside the winning seat


@jit
def first_dealer(seed, unit, rules):
    """Seat that deals first: the one named, or by lot."""
    if rules.first_dealer != LOT:
        return rules.first_dealer - 1
    return rng.words(seed, unit, 0, 0, rng.FIRST_DEALER)[0] & 1


@jit
def start_match(state, rules):
    """Scores before the first deal."""
    for seat in range(2):
        state.points[seat] = rules.start_points[seat]
        state.deals_won[seat] = 0


@jit
def next_dealer(dealer, winner, rules):
    """Seat that deals after a deal; winner: its seat, or -1 for a deal without one."""
    if winner < 0:
        return 1 - dealer if rules.void_dealer == OTHER else dealer
    if rules.next_dealer == ALTERNATE:
        return 1 - dealer
    return 1 - winner if rules.next_dealer == LOSER_DEALS else winner


@jit
def enter(state, rules, deals):
    """Enter the result of the deal in the match and tell how it stands: the winning seat, UNDECIDED, DRAWN or UNFINISHED.

    deals: number of deals played, this one included.
    """
    for seat in range(2):
        state.points[seat] += state.score[seat]
    if state.winner >= 0:
        state.deals_won[state.winner] += 1
    if rules.goal == GOAL_SINGLE:
        return state.winner if state.winner >= 0 else DRAWN
    for seat in range(2):
        if state.points[seat] >= rules.points_target:
            return seat
    return UNFINISHED if deals >= rules.max_deals else UNDECIDED
