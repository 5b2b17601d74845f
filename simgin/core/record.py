"""The record of one deal, which `--record` keeps and outcome distributions are counted from.

Sides are those of the strategies: 0 is A, 1 is B (in one-player games the joker or the clock), -1
is neither.
"""

import numpy as np

from simgin.core.jit import jit
from simgin.core.scoring import KIND_JOKER

_FIELDS = (
    # The deal: its pair (or single deal, or match), the half, the deal's number in its match.
    ("unit", "half", "deal")
    # Who deals; the index of the ending in `sums.KINDS`; who won; who ended the deal.
    + ("dealer", "kind", "winner", "knocker")
    # Points of both sides; turns of both together.
    + ("points_a", "points_b", "turns")
    # 0: the nondealer took the first upcard, 1: the dealer, 2: neither, -1: there was none.
    + ("upcard_to",)
    # At a showdown: the knocker's count, the defender's after and before laying off, and the
    # number of cards laid off.
    + ("knock_count", "defender_count", "defender_before", "laid_off")
    # Deadwood as dealt; upcards and discards taken; draws of both kinds (`draws`).
    + ("dealt_a", "dealt_b", "takes_a", "takes_b", "draws_a", "draws_b")
    # The score's multiplier, the number on the die and its owner at the end of the deal, and the
    # won deals or games that its refusal brought.
    + ("multiplier", "stake", "owner", "pays")
    # The match before this deal: points, deals won and games won by both sides.
    + ("score_a", "score_b", "deals_a", "deals_b", "games_a", "games_b")
    # The match after this deal: the winner, -1 undecided, -2 drawn, -3 broken off. A single deal
    # counts as a match.
    + ("outcome",)
)
DEAL = np.dtype((np.record, [(name, np.int64) for name in _FIELDS]))


@jit
def side(seat, a):
    """The side at a seat, or -1; a: seat of strategy A."""
    return seat ^ a if seat >= 0 else -1


@jit
def draws(state, seat):
    """The draws of a seat in the deal just played: from the pile, and from the stock or deck.

    The joker is drawn, too, unless it was dealt. A card dealt before the first turn is not.
    """
    met_joker = state.kind == KIND_JOKER and state.winner != seat and state.above == 0
    return state.takes[seat] + state.draws[seat] + met_joker


@jit
def write_record(state, record, a):
    """Write the deal just played to a DEAL record, before it is entered in the match.

    All fields but the outcome.
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
