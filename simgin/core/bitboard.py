"""Bit operations that find the runs and sets of a hand in all suits at the same time.

The operations apply to rules with low aces and without rainbows (`rules.by_planes`). A shift by one
position aligns each card with its neighbour. A shift by thirteen positions aligns each card with
the card of the same rank in the next suit. A few operations therefore find all runs and sets, as in
the bitboards of a chess program. Card values are stored as *planes*. Plane b contains the cards
that have bit b set in their value. Four popcounts therefore give the points of a hand.

A rank is a *conflict* if the hand contains at least three of its cards and one of these cards is in
a run. A *conflict resolution* decides for each conflict whether the rank forms no set, a set of all
its cards, or a set of three of its four cards. The remaining cards then form runs that are as long
as possible. All other sets are melded with all their cards. Melding these sets is optimal, because
their cards have no other use. The best conflict resolution therefore gives the best melding.
"""

from simgin.core.bits import lowest_bit, popcount
from simgin.core.cards import ACES, ALL_CARDS, ALL_RANKS, ranks_held_three_times, suit_lane
from simgin.core.jit import force_inline, jit
from simgin.core.rules_record import N_VALUE_BITS

NOT_ACES = ALL_CARDS & ~ACES
NOT_KINGS = ALL_CARDS & ~(ACES << 12)
HUGE_DEADWOOD = 1 << 20  # number of points that exceeds any deadwood


@force_inline
def ranks_of(cards):
    """Return the ranks that occur in a set of cards, as thirteen bits.

    Args:
        cards: Cards as a 52-bit mask.

    Example:
        Test if the hand has an ace::

            ranks_of(view.hand) & 1 != 0
    """
    two_suits = cards | cards >> 26
    return (two_suits | two_suits >> 13) & ALL_RANKS


@force_inline
def cards_in_runs(hand):
    """Return the cards in a hand that are in a run."""
    run_pairs = hand & hand >> 1 & NOT_KINGS  # cards whose higher neighbour is in the hand
    run_triples = run_pairs & run_pairs >> 1
    return run_triples | run_triples << 1 | run_triples << 2


@force_inline
def find_run_outs(hand):
    """Return the cards that would form a run with cards in the hand.

    The result can include cards in the hand.
    """
    cards_above = hand << 1 & NOT_ACES
    cards_below = hand >> 1 & NOT_KINGS
    pairs_above = cards_above & cards_above << 1 & NOT_ACES
    pairs_below = cards_below & cards_below >> 1 & NOT_KINGS
    return pairs_above | cards_above & cards_below | pairs_below


@force_inline
def cards_in_sets(hand):
    """Return the cards in a hand whose rank occurs at least three times in the hand."""
    ranks = ranks_held_three_times(hand, hand >> 13, hand >> 26, hand >> 39)
    return hand & (ranks & ALL_RANKS) * ACES


@force_inline
def sum_card_values_bitwise(cards, rules, role):
    """Return the total value of a set of cards in points, using bit operations."""
    points = 0
    for bit in range(N_VALUE_BITS):
        plane_cards = cards & rules.planes[role, bit]
        points += popcount(plane_cards) << bit
    return points


@force_inline
def highest_value_cards_bitwise(cards, rules):
    """Return the mask of the cards with the highest value, and that value in points.

    If there are no cards, the result is (0, 0).
    """
    value = 0
    for bit in range(N_VALUE_BITS - 1, -1, -1):
        plane_cards = cards & rules.planes[0, bit]
        if plane_cards:
            cards = plane_cards
            value |= 1 << bit
    return cards, value


@force_inline
def find_unmatched_after_sets(set_cards, hand):
    """Return the cards that are unmatched after melding the given sets and the longest runs."""
    remaining_cards = hand & ~set_cards
    return remaining_cards & ~cards_in_runs(remaining_cards)


@force_inline
def find_meld_conflicts(hand, run_cards, set_cards):
    """Return the ranks that are in a set and a run, and the cards that sets of four can spare."""
    conflicts = ranks_of(run_cards & set_cards)
    in_all_suits = hand & hand >> 13 & hand >> 26 & hand >> 39
    four_card_sets = conflicts & in_all_suits
    return conflicts, run_cards & four_card_sets * ACES


@force_inline
def get_next_conflict_resolution(conflicting_ranks, spare_cards, set_ranks, run_cards):
    """Return the next way to divide the cards of conflicting ranks between sets and runs.

    The first resolution, (0, 0), follows the last resolution.

    A resolution melds `set_ranks`, a subset of the conflicting ranks, as sets. The resolution
    leaves the cards `run_cards` to runs, at most one card from each set of four. Repeated calls
    enumerate all subsets of the masks, with the operation (x - mask) & mask.
    """
    available_cards = spare_cards & set_ranks * ACES
    run_cards = (run_cards - available_cards) & available_cards
    while popcount(ranks_of(run_cards)) < popcount(run_cards):
        run_cards = (run_cards - available_cards) & available_cards
    if run_cards == 0:
        set_ranks = (set_ranks - conflicting_ranks) & conflicting_ranks
    return set_ranks, run_cards


@jit
def find_deadwood_with_conflicts(hand, run_cards, set_cards, rules, role):
    """Return the least deadwood, in points, of a hand in which sets and runs share cards.

    `run_cards` and `set_cards` contain the cards in the hand that are in runs and in sets.
    """
    conflicting_ranks, spare_cards = find_meld_conflicts(hand, run_cards, set_cards)
    hand &= ~set_cards | conflicting_ranks * ACES  # Remove the sets that share no card with a run.
    least_deadwood = HUGE_DEADWOOD
    set_ranks, left_to_runs = 0, 0
    while True:
        melded = hand & set_ranks * ACES & ~left_to_runs
        least_deadwood = min(
            least_deadwood,
            sum_card_values_bitwise(find_unmatched_after_sets(melded, hand), rules, role),
        )
        set_ranks, left_to_runs = get_next_conflict_resolution(
            conflicting_ranks, spare_cards, set_ranks, left_to_runs
        )
        if set_ranks == 0:
            return least_deadwood


@force_inline
def can_meld_all_but_one(hand):
    """Return True if some melding of the hand leaves at most one card unmatched."""
    runs, sets = cards_in_runs(hand), cards_in_sets(hand)
    unmatched = hand & ~(runs | sets)
    if unmatched & (unmatched - 1):
        return False
    return runs & sets == 0 or _can_meld_with_conflicts(hand, runs, sets)


@jit
def _can_meld_with_conflicts(hand, run_cards, set_cards):
    """Return True if at most one card is unmatched in a hand in which sets and runs share cards."""
    conflicting_ranks, spare_cards = find_meld_conflicts(hand, run_cards, set_cards)
    hand &= ~set_cards | conflicting_ranks * ACES
    set_ranks, left_to_runs = 0, 0
    while True:
        unmatched = find_unmatched_after_sets(hand & set_ranks * ACES & ~left_to_runs, hand)
        if unmatched & (unmatched - 1) == 0:
            return True
        set_ranks, left_to_runs = get_next_conflict_resolution(
            conflicting_ranks, spare_cards, set_ranks, left_to_runs
        )
        if set_ranks == 0:
            return False


@jit
def write_melds(run_cards, set_cards, melds):
    """Write the melds that the given run cards and set cards form to `melds`.

    `melds` has three entries. Entries without a meld are 0.
    """
    melds[0] = melds[1] = melds[2] = 0
    n_melds = 0
    while run_cards:
        suit = lowest_bit(run_cards) // 13
        remaining_ranks = suit_lane(run_cards, suit)
        run = remaining_ranks & ~(
            remaining_ranks + (remaining_ranks & -remaining_ranks)
        )  # lowest consecutive ranks
        melds[n_melds] = run << 13 * suit
        run_cards ^= melds[n_melds]
        n_melds += 1
    ranks = ranks_of(set_cards)
    while ranks:
        melds[n_melds] = set_cards & (ranks & -ranks) * ACES
        ranks &= ranks - 1
        n_melds += 1


@force_inline
def find_meld_extensions_bitwise(meld):
    """Return the cards that can be laid off directly on a meld."""
    lowest_card = meld & -meld
    if meld & meld >> 1 == 0:  # a set
        return ranks_of(meld) * ACES & ~meld
    card_before = (lowest_card & ~ACES) >> 1
    card_after = (meld + lowest_card) & ~ACES & ALL_CARDS
    return card_before | card_after
