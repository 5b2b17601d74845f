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

from simgin.core.bits import popcount
from simgin.core.cards import LANE, PACK, RANK_ACES, ranks_held_thrice
from simgin.core.jit import inlined, jit

NOT_KINGS = PACK & ~(RANK_ACES << 12)
MANY = 1 << 20  # more than any deadwood


@inlined
def ranks_among(cards):
    """The ranks of some cards, as 13 bits."""
    two_suits = cards | cards >> 26
    return (two_suits | two_suits >> 13) & LANE


@inlined
def cards_in_runs(hand):
    """The cards of a hand that lie in a run."""
    two = hand & hand >> 1 & NOT_KINGS  # cards whose upper neighbour is held as well
    three = two & two >> 1
    return three | three << 1 | three << 2


@inlined
def cards_in_sets(hand):
    """The cards of a hand whose rank is held at least three times."""
    ranks = ranks_held_thrice(hand, hand >> 13, hand >> 26, hand >> 39)
    return hand & (ranks & LANE) * RANK_ACES


@inlined
def points_in(cards, rules, side):
    """Total value of some cards."""
    ones = popcount(cards & rules.planes[side, 0])
    twos = popcount(cards & rules.planes[side, 1])
    fours = popcount(cards & rules.planes[side, 2])
    eights = popcount(cards & rules.planes[side, 3])
    return ones + 2 * twos + 4 * fours + 8 * eights


@jit
def count_ways(hand, conflicts):
    """How many ways settle the conflicts of a hand: two for three cards of a rank, six for four."""
    held_by_all = hand & hand >> 13 & hand >> 26 & hand >> 39
    fours = conflicts & held_by_all
    ways = 1 << popcount(conflicts)
    while fours:
        ways *= 3
        fours &= fours - 1
    return ways


@jit
def sets_of_way(hand, conflicts, way):
    """The cards of conflicting ranks that a way, 0..count_ways - 1, melds as sets."""
    sets = 0
    while conflicts:
        one = conflicts & -conflicts
        conflicts ^= one
        rank = one * RANK_ACES
        if rank & ~hand:
            sets |= hand & rank if way & 1 else 0
            way >>= 1
            continue
        choice = way % 6
        way //= 6
        if choice == 1:
            sets |= rank
        elif choice > 1:  # without the card of one suit
            sets |= rank ^ one << (13 * (choice - 2))
    return sets


@jit
def least_of_ways(hand, runs, sets, rules, side):
    """Least points that a hand with conflicts leaves over; runs, sets: its cards in either."""
    conflicts = ranks_among(runs & sets)
    hand &= ~sets | conflicts * RANK_ACES  # without the sets in no conflict
    best = MANY
    for way in range(count_ways(hand, conflicts)):
        rest = hand & ~sets_of_way(hand, conflicts, way)
        loose = rest & ~cards_in_runs(rest)
        best = min(best, points_in(loose, rules, side))
    return best
