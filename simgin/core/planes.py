"""Runs and sets of all four suits at once, by bit operations on a hand of 52 bits.

For rules with low aces and no rainbows (`rules.by_planes`). A hand shifted by one place shows each
card its neighbour, and shifted by thirteen its fellow in the next suit, so a few operations find
all runs and sets, as a chess program finds moves on its bit boards. Card values are kept as
*planes*: plane b holds the cards whose value has bit b, so four counts of bits give the points.

A rank is a *conflict* if it is held at least three times and one of its cards lies in a run too.
A *way* settles every conflict: the rank is no set, a whole set, or three of its four cards. The
remaining cards then form runs as long as they can be. All other sets are taken whole, which is
always best, since their cards have no other use. So the best of the ways is the best of all
meldings.
"""

from simgin.core.bits import lowest, popcount
from simgin.core.cards import LANE, PACK, RANK_ACES, lane, ranks_held_thrice
from simgin.core.jit import inlined, jit
from simgin.core.rules import PLANES

NOT_ACES = PACK & ~RANK_ACES
NOT_KINGS = PACK & ~(RANK_ACES << 12)
MANY = 1 << 20  # more than any deadwood


@inlined
def ranks_of(cards):
    """The ranks of some cards, as thirteen bits."""
    two_suits = cards | cards >> 26
    return (two_suits | two_suits >> 13) & LANE


@inlined
def cards_in_runs(hand):
    """The cards of a hand that lie in a run."""
    two = hand & hand >> 1 & NOT_KINGS  # cards whose upper neighbour is held as well
    three = two & two >> 1
    return three | three << 1 | three << 2


@inlined
def run_outs(hand):
    """The cards that would lie in a run with cards of a hand; some may be in it already."""
    above = hand << 1 & NOT_ACES
    below = hand >> 1 & NOT_KINGS
    both_above = above & above << 1 & NOT_ACES
    both_below = below & below >> 1 & NOT_KINGS
    return both_above | above & below | both_below


@inlined
def cards_in_sets(hand):
    """The cards of a hand whose rank is held at least three times."""
    ranks = ranks_held_thrice(hand, hand >> 13, hand >> 26, hand >> 39)
    return hand & (ranks & LANE) * RANK_ACES


@inlined
def points_in(cards, rules, side):
    """Total value of some cards."""
    points = 0
    for bit in range(PLANES):
        held = cards & rules.planes[side, bit]
        points += popcount(held) << bit
    return points


@inlined
def loose_without(sets, hand):
    """The cards that a hand leaves over with these sets and the longest runs of the rest."""
    rest = hand & ~sets
    return rest & ~cards_in_runs(rest)


@inlined
def conflicts_in(hand, runs, sets):
    """(conflicting ranks, cards that a set of four may spare for a run) of a hand."""
    conflicts = ranks_of(runs & sets)
    held_by_all = hand & hand >> 13 & hand >> 26 & hand >> 39
    fours = conflicts & held_by_all
    return conflicts, runs & fours * RANK_ACES


@inlined
def next_way(conflicts, spare, ranks, spared):
    """The way that follows one; (0, 0), the first, after the last.

    A way melds `ranks`, some of the conflicting ones, as sets without the cards in `spared`: none
    or one from a set of four. The masks count through the subsets, as (x - mask) & mask does.
    """
    here = spare & ranks * RANK_ACES
    spared = (spared - here) & here
    while popcount(ranks_of(spared)) < popcount(spared):
        spared = (spared - here) & here
    if spared == 0:
        ranks = (ranks - conflicts) & conflicts
    return ranks, spared


@jit
def least_of_ways(hand, runs, sets, rules, side):
    """Least points that a hand with conflicts leaves over; runs, sets: its cards in either."""
    conflicts, spare = conflicts_in(hand, runs, sets)
    hand &= ~sets | conflicts * RANK_ACES  # without the sets in no conflict
    best = MANY
    ranks, spared = 0, 0
    while True:
        melded = hand & ranks * RANK_ACES & ~spared
        best = min(best, points_in(loose_without(melded, hand), rules, side))
        ranks, spared = next_way(conflicts, spare, ranks, spared)
        if ranks == 0:
            return best


@inlined
def one_left(hand):
    """Whether some melding of a hand leaves over one card or none."""
    runs, sets = cards_in_runs(hand), cards_in_sets(hand)
    loose = hand & ~(runs | sets)
    if loose & (loose - 1):
        return False
    return runs & sets == 0 or _one_left_of_ways(hand, runs, sets)


@jit
def _one_left_of_ways(hand, runs, sets):
    """`one_left` for a hand with conflicts; runs, sets: its cards in either."""
    conflicts, spare = conflicts_in(hand, runs, sets)
    hand &= ~sets | conflicts * RANK_ACES
    ranks, spared = 0, 0
    while True:
        loose = loose_without(hand & ranks * RANK_ACES & ~spared, hand)
        if loose & (loose - 1) == 0:
            return True
        ranks, spared = next_way(conflicts, spare, ranks, spared)
        if ranks == 0:
            return False


@jit
def write_melds(runs, sets, melds):
    """Write melds of some cards in runs, as long as they can be, and of whole sets to melds[0..2].

    0 for no meld.
    """
    melds[0] = melds[1] = melds[2] = 0
    n = 0
    while runs:
        suit = lowest(runs) // 13
        rest = lane(runs, suit)
        run = rest & ~(rest + (rest & -rest))  # the lowest stretch without a gap
        melds[n] = run << 13 * suit
        runs ^= melds[n]
        n += 1
    ranks = ranks_of(sets)
    while ranks:
        melds[n] = sets & (ranks & -ranks) * RANK_ACES
        ranks &= ranks - 1
        n += 1


@inlined
def extension_by_planes(meld):
    """The cards that can be laid off directly on a meld."""
    first = meld & -meld
    if meld & meld >> 1 == 0:  # a set
        return ranks_of(meld) * RANK_ACES & ~meld
    before = (first & ~RANK_ACES) >> 1
    after = (meld + first) & ~RANK_ACES & PACK
    return before | after
