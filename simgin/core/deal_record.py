"""Record of a deal, as saved by `--record`.

Outcome distributions are computed from such records.

A side is 0 for strategy A, 1 for strategy B, and -1 for neither. In single-player variants, side 1
is the joker or the clock.
"""

import numpy as np

from simgin.core.jit import jit
from simgin.core.scoring import RESULT_JOKER_WON

_DEAL_RECORD_FIELDS = (
    # Indices of the unit, of the game in a mirrored pair, and of the deal in a match
    ("unit", "half", "deal")
    # `kind` is the index of the result in `DEAL_RESULTS`.
    + ("dealer", "kind", "winner", "knocker")
    + ("points_a", "points_b", "turns")
    # Player who took the first upcard (0 for the nondealer, 1 for the dealer, 2 for neither, -1 if
    # there is no upcard)
    + ("upcard_to",)
    # `defender_count` is the defender's deadwood after lay-offs, and `defender_before` is the
    # deadwood before lay-offs.
    + ("knock_count", "defender_count", "defender_before", "laid_off")
    # `dealt_a` is the deadwood of the hand that was dealt to A. `takes_a` counts the cards that A
    # took from the pile, and `draws_a` is the result of `count_draws`.
    + ("dealt_a", "dealt_b", "takes_a", "takes_b", "draws_a", "draws_b")
    # `stake` is the number on the die at the end of the deal. If a player refused the die, `pays`
    # is the number of deals or games that the opponent won.
    + ("multiplier", "stake", "owner", "pays")
    # Score of the match before this deal
    + ("score_a", "score_b", "deals_a", "deals_b", "games_a", "games_b")
    # Winner of the match after this deal, or -1 (undecided), -2 (drawn) or -3 (unfinished). A
    # single deal counts as a match.
    + ("outcome",)
)
DEAL_RECORD_DTYPE = np.dtype((np.record, [(name, np.int64) for name in _DEAL_RECORD_FIELDS]))


@jit
def get_side_of_seat(seat, seat_a):
    """Return the side of the player at a seat (0 for A, 1 for B), or -1 if `seat` is -1.

    `seat_a` is the seat of strategy A.
    """
    return seat ^ seat_a if seat >= 0 else -1


@jit
def count_draws(state, seat):
    """Return the number of cards that the player at a seat drew in the last deal.

    The number includes cards from the pile, from the stock or deck, and a joker. Cards that were
    dealt before the first turn are not counted.
    """
    drew_joker = state.kind == RESULT_JOKER_WON and state.winner != seat and state.above == 0
    return state.takes[seat] + state.draws[seat] + drew_joker


@jit
def write_deal_record(state, record, seat_a):
    """Write the last deal to a deal record, before the deal is added to the match.

    The function writes all fields except `outcome`.
    """
    seat_b = 1 - seat_a
    record.unit = state.unit
    record.half = state.half
    record.deal = state.deal
    record.dealer = get_side_of_seat(state.dealer, seat_a)
    record.kind = state.kind
    record.winner = get_side_of_seat(state.winner, seat_a)
    record.knocker = get_side_of_seat(state.knocker, seat_a)
    record.points_a = state.score[seat_a]
    record.points_b = state.score[seat_b]
    record.turns = state.turns
    record.upcard_to = state.upcard_to
    record.knock_count = state.knocker_deadwood
    record.defender_count = state.defender_deadwood
    record.defender_before = state.defender_before
    record.laid_off = state.laid_off
    record.dealt_a = state.dealt_deadwood[seat_a]
    record.dealt_b = state.dealt_deadwood[seat_b]
    record.takes_a = state.takes[seat_a]
    record.takes_b = state.takes[seat_b]
    record.draws_a = count_draws(state, seat_a)
    record.draws_b = count_draws(state, seat_b)
    record.multiplier = state.multiplier
    record.stake = state.stake
    record.owner = get_side_of_seat(state.owner, seat_a)
    record.pays = state.pays
    record.score_a = state.points[seat_a]
    record.score_b = state.points[seat_b]
    record.deals_a = state.deals_won[seat_a]
    record.deals_b = state.deals_won[seat_b]
    record.games_a = state.games[seat_a]
    record.games_b = state.games[seat_b]
