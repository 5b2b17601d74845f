"""One deal as a row of numbers: what a run writes down of every deal if it is asked to, and what outcome distributions are counted from.

Sides are those of the strategies: 0 is A, 1 is B (of one player's games the joker or the clock), -1 neither.
"""

from simgin.core.jit import jit

FIELDS = (
    # where: pair (or single deal, match), its half, the number of the deal in its match; who deals
    ("unit", "half", "deal", "dealer")
    # how the deal ended: index of `sums.KINDS`, who won, who ended it, points of both sides, turns of both
    + ("kind", "winner", "knocker", "points_a", "points_b", "turns")
    # 0 the nondealer took the first upcard, 1 the dealer, 2 neither, -1 there was none
    + ("upcard_to",)
    # of a showdown: the knocker's count, the defender's after and before laying off, cards laid off
    + ("knock_count", "defender_count", "defender_before", "laid_off")
    # deadwood as dealt; takes, and draws of both kinds
    + ("dealt_a", "dealt_b", "takes_a", "takes_b", "draws_a", "draws_b")
    # what the score was multiplied by, the number on the die and its owner when the deal was over
    + ("multiplier", "stake", "owner")
    # the match before this deal: points, won deals and won games of both sides
    + ("score_a", "score_b", "deals_a", "deals_b", "games_a", "games_b")
    # the match after it: who won it, -1 goes on, -2 drawn, -3 broken off; of single deals as if they were matches
    + ("outcome",)
)
FIELD = {name: i for i, name in enumerate(FIELDS)}
OUTCOME = FIELD["outcome"]


@jit
def side(seat, a):
    """The side that sits at a seat; a: seat of strategy A."""
    return seat ^ a if seat >= 0 else -1


@jit
def write_record(state, row, a):
    """Write the deal just played to row, an int64 vector of len(FIELDS), before it is entered in the match; all but the outcome."""
    b = 1 - a
    row[0], row[1], row[2], row[3] = state.unit, state.half, state.deal, side(state.dealer, a)
    row[4], row[5], row[6] = state.kind, side(state.winner, a), side(state.stopper, a)
    row[7], row[8], row[9], row[10] = state.score[a], state.score[b], state.turns, state.upcard_to
    row[11], row[12], row[13], row[14] = (
        state.stopper_count,
        state.other_count,
        state.defender_before,
        state.laid_off,
    )
    row[15], row[16] = state.dealt_count[a], state.dealt_count[b]
    row[17], row[18] = state.takes[a], state.takes[b]
    row[19], row[20] = state.takes[a] + state.draws[a], state.takes[b] + state.draws[b]
    row[21], row[22], row[23] = state.multiplier, state.stake, side(state.owner, a)
    row[24], row[25] = state.points[a], state.points[b]
    row[26], row[27], row[28], row[29] = (
        state.deals_won[a],
        state.deals_won[b],
        state.games[a],
        state.games[b],
    )
