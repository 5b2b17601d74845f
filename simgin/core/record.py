"""Record of a deal, which `--record` saves and outcome distributions are computed from.

Sides are those of the strategies: 0 is A, 1 is B (in single-player variants the joker or the
clock), -1 is neither.
"""

import numpy as np

from simgin.core.jit import jit
from simgin.core.scoring import KIND_JOKER

_FIELDS = (
    # The deal: unit (pair, single deal or match), game of the pair, number in the match.
    ("unit", "half", "deal")
    # The dealer; index of the ending in `DEAL_ENDINGS`; the winner; the knocker.
    + ("dealer", "kind", "winner", "knocker")
    # Points of both sides; total number of turns.
    + ("points_a", "points_b", "turns")
    # 0: the nondealer took the first upcard, 1: the dealer, 2: neither, -1: there was none.
    + ("upcard_to",)
    # At a showdown: deadwood of the knocker, of the defender after and before laying off, and the
    # number of cards laid off.
    + ("knock_count", "defender_count", "defender_before", "laid_off")
    # Deadwood as dealt; upcards and discards taken; cards drawn in total (`count_draws`).
    + ("dealt_a", "dealt_b", "takes_a", "takes_b", "draws_a", "draws_b")
    # The multiplier of the score, the number on the die and its owner at the end of the deal, and
    # the deals or games won by its refusal.
    + ("multiplier", "stake", "owner", "pays")
    # The match before this deal: points, deals won and games won by both sides.
    + ("score_a", "score_b", "deals_a", "deals_b", "games_a", "games_b")
    # The match after this deal: the winner, -1 undecided, -2 drawn, -3 unfinished. A single deal
    # counts as a match.
    + ("outcome",)
)
DEAL = np.dtype((np.record, [(name, np.int64) for name in _FIELDS]))


@jit
def side(seat, a):
    """Return the side that sits at a seat, or -1; `seat_a` is the seat of strategy A."""
    return seat ^ a if seat >= 0 else -1


@jit
def draws(state, seat):
    """Return the number of cards that a seat drew in the deal just played.

    This includes the pile, the stock or deck, and a joker that was drawn. It excludes cards dealt
    before the first turn.
    """
    met_joker = state.kind == KIND_JOKER and state.winner != seat and state.above == 0
    return state.takes[seat] + state.draws[seat] + met_joker


@jit
def write_record(state, record, a):
    """Write the deal just played to a DEAL_RECORD, before it is added to the match.

    All fields except `outcome` are written.
    """
    b = 1 - a
    record.unit = state.unit
    record.half = state.half
    record.deal = state.deal
    record.dealer = side(state.dealer, a)
    record.kind = state.kind
    record.winner = side(state.winner, a)
    record.knocker = side(state.stopper, a)
    record.points_a = state.score[a]
    record.points_b = state.score[b]
    record.turns = state.turns
    record.upcard_to = state.upcard_to
    record.knock_count = state.stopper_count
    record.defender_count = state.other_count
    record.defender_before = state.defender_before
    record.laid_off = state.laid_off
    record.dealt_a = state.dealt_count[a]
    record.dealt_b = state.dealt_count[b]
    record.takes_a = state.takes[a]
    record.takes_b = state.takes[b]
    record.draws_a = draws(state, a)
    record.draws_b = draws(state, b)
    record.multiplier = state.multiplier
    record.stake = state.stake
    record.owner = side(state.owner, a)
    record.pays = state.pays
    record.score_a = state.points[a]
    record.score_b = state.points[b]
    record.deals_a = state.deals_won[a]
    record.deals_b = state.deals_won[b]
    record.games_a = state.games[a]
    record.games_b = state.games[b]
