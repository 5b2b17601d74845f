"""Runs and sets of all four suits at the same time, by bit operations on a 52-bit hand.

For rules with low aces and without rainbows (`rules.by_planes`). A hand shifted by one position
aligns each card with its neighbour, and shifted by thirteen with the same rank in the next suit. A
few operations therefore find all runs and sets, like the bitboards of a chess program. Card values
are stored as *planes*: plane b holds the cards whose value has bit b, so that four popcounts give
the points.

A rank is a *conflict* if the hand has at least three of its cards and one of them is in a run. A
*conflict resolution* decides each conflict: the rank is not a set, a whole set, or a set of three
of its four cards. The remaining cards then form runs that are as long as possible. All other sets
are melded whole, which is optimal because their cards have no other use. Therefore the best
conflict resolution is the best melding.
"""

from simgin.core.bits import lowest, popcount
from simgin.core.cards import LANE, PACK, RANK_ACES, lane, ranks_held_thrice
from simgin.core.jit import inlined, jit
from simgin.core.rules import PLANES

NOT_ACES = PACK & ~RANK_ACES
NOT_KINGS = PACK & ~(RANK_ACES << 12)
MANY = 1 << 20  # larger than any deadwood


@inlined
def ranks_of(cards):
    """Return the ranks of some cards, as thirteen bits.

    Args:
        cards: Cards as a 52-bit mask.

    Example:
        Test if the hand has an ace::

            ranks_of(view.hand) & 1 != 0
    """
    two_suits = cards | cards >> 26
    return (two_suits | two_suits >> 13) & LANE


@inlined
def cards_in_runs(hand):
    """Return the cards of a hand that are in a run."""
    two = hand & hand >> 1 & NOT_KINGS  # cards whose upper neighbour is in the hand too
    three = two & two >> 1
    return three | three << 1 | three << 2


@inlined
def run_outs(hand):
    """Return the cards that would be in a run with cards of a hand.

    The mask can include cards of the hand.
    """
    above = hand << 1 & NOT_ACES
    below = hand >> 1 & NOT_KINGS
    both_above = above & above << 1 & NOT_ACES
    both_below = below & below >> 1 & NOT_KINGS
    return both_above | above & below | both_below


@inlined
def cards_in_sets(hand):
    """Return the cards of a hand whose rank occurs at least three times."""
    ranks = ranks_held_thrice(hand, hand >> 13, hand >> 26, hand >> 39)
    return hand & (ranks & LANE) * RANK_ACES


@inlined
def points_in(cards, rules, side):
    """Return the total value of some cards."""
    points = 0
    for bit in range(PLANES):
        held = cards & rules.planes[side, bit]
        points += popcount(held) << bit
    return points


@inlined
def loose_without(sets, hand):
    """Return the cards left over by the given sets and the longest runs of the rest."""
    rest = hand & ~sets
    return rest & ~cards_in_runs(rest)


@inlined
def conflicts_in(hand, runs, sets):
    """Return the conflicting ranks, and the cards that a set of four can spare for a run."""
    conflicts = ranks_of(runs & sets)
    held_by_all = hand & hand >> 13 & hand >> 26 & hand >> 39
    fours = conflicts & held_by_all
    return conflicts, runs & fours * RANK_ACES


@inlined
def next_way(conflicts, spare, ranks, spared):
    """Return the next conflict resolution; after the last one, the first, which is (0, 0).

    A resolution melds `ranks`, a subset of the conflicting ranks, as sets without the cards
    `spared`, at most one from each set of four. The masks enumerate all subsets, like (x - mask) &
    mask.
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
    """Return the least deadwood of a hand with conflicts, given its cards in runs and in sets."""
    conflicts, spare = conflicts_in(hand, runs, sets)
    hand &= ~sets | conflicts * RANK_ACES  # without the sets that are not in conflict
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
    """Return True if some melding of a hand leaves over at most one card."""
    runs, sets = cards_in_runs(hand), cards_in_sets(hand)
    loose = hand & ~(runs | sets)
    if loose & (loose - 1):
        return False
    return runs & sets == 0 or _one_left_of_ways(hand, runs, sets)


@jit
def _one_left_of_ways(hand, runs, sets):
    """Return True if some conflict resolution of a hand leaves over at most one card."""
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
    """Write the longest runs of some cards, and whole sets, to melds[0..2]; 0 for no meld."""
    melds[0] = melds[1] = melds[2] = 0
    n = 0
    while runs:
        suit = lowest(runs) // 13
        rest = lane(runs, suit)
        run = rest & ~(rest + (rest & -rest))  # lowest consecutive ranks
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
    """Return the cards that can be laid off directly on a meld."""
    first = meld & -meld
    if meld & meld >> 1 == 0:  # a set
        return ranks_of(meld) * RANK_ACES & ~meld
    before = (first & ~RANK_ACES) >> 1
    after = (meld + first) & ~RANK_ACES & PACK
    return before | after
