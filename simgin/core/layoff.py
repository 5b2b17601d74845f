"""Deadwood of the defender, who optimises melds and lay-offs jointly (rules.md 3.7).

For each meld shown, the module lists all combinations of cards that the defender can lay off on it.
A set of three can be extended by the fourth card, and a run by a chain of cards at each end. The
module tries all disjoint combinations, melds the remaining cards, and returns the minimum deadwood.
"""

from simgin.core.bitboard import HUGE_DEADWOOD, ranks_of
from simgin.core.bits import lowest_bit, popcount
from simgin.core.cards import cards_of_rank
from simgin.core.deadwood import compute_deadwood_for_role
from simgin.core.jit import jit
from simgin.core.meldings import (
    MELD_RAINBOW,
    MELD_SET,
    classify_meld,
    find_meld_extensions,
    find_sequence_start,
)

# Maximum number of combinations of lay-offs on one meld. A player can extend a run at both ends by
# up to ten cards in total. If every card fits only one end, there are at most 6 * 6 combinations.
# In a round-the-corner run, every card can fit both ends, which gives 66 combinations.
MAX_LAYOFF_OPTIONS = 66


@jit
def _write_run_extensions(start_rank, rank_step, max_cards, suit_offset, hand, extension_masks):
    """Write masks of the cards that extend a run at one end, and return the number of cards.

    The masks contain 0, 1, 2, ... cards. The first card has the rank `start_rank`, and the ranks
    change by `rank_step`. There are at most `max_cards` cards.
    """
    cards = 0
    n_cards = 0
    rank = start_rank
    extension_masks[0] = 0
    while n_cards < max_cards and hand >> (suit_offset + rank) & 1:
        cards |= 1 << (suit_offset + rank)
        n_cards += 1
        extension_masks[n_cards] = cards
        rank = (rank + rank_step + 13) % 13
    return n_cards


@jit
def _write_run_options(meld, hand, rules, masks_below, masks_above, options):
    """Write all combinations of the defender's cards that can be laid off on a run.

    Returns the number of combinations.
    """
    ranks = ranks_of(meld)
    run_length = popcount(ranks)
    suit_offset = 13 * (lowest_bit(meld) // 13)
    first_rank = 0 if run_length == 13 else find_sequence_start(ranks)
    if rules.ace_runs == 2:
        max_below = max_above = (
            13 - run_length
        )  # Round-the-corner runs are limited only by the size of the suit.
    else:
        max_below = first_rank
        max_above = (12 if rules.ace_runs == 0 else 13) - (first_rank + run_length - 1)
    n_below = _write_run_extensions(
        (first_rank + 12) % 13, -1, max_below, suit_offset, hand, masks_below
    )
    n_above = _write_run_extensions(
        (first_rank + run_length) % 13, 1, max_above, suit_offset, hand, masks_above
    )
    n_options = 0
    for i in range(n_below + 1):
        for j in range(n_above + 1):
            if masks_below[i] & masks_above[j] == 0:
                options[n_options] = masks_below[i] | masks_above[j]
                n_options += 1
    return n_options


@jit
def _write_layoff_options(meld, hand, rules, scratch, options):
    """Write all combinations of cards that can be laid off on a meld, and return their number.

    The first combination is empty.
    """
    meld_type = classify_meld(meld) if meld else MELD_RAINBOW
    options[0] = 0
    if meld_type == MELD_RAINBOW:  # A rainbow cannot be extended.
        return 1
    if meld_type == MELD_SET:
        options[1] = cards_of_rank(lowest_bit(ranks_of(meld))) & ~meld & hand
        return 2 if options[1] else 1
    return _write_run_options(meld, hand, rules, scratch[0], scratch[1], options)


@jit
def lay_off(hand, melds, rules, options, scratch):
    """Return the defender's deadwood and the mask of the cards laid off.

    `melds` contains the three melds shown, with 0 for each missing meld. Ties are broken by the
    smallest number of cards laid off, then by the order of the combinations. `options`, (3,
    MAX_LAYOFF_OPTIONS) int64, and `scratch`, (2, 16) int64, are work space.
    """
    fitting_cards = (
        find_meld_extensions(melds[0], rules)
        | find_meld_extensions(melds[1], rules)
        | find_meld_extensions(melds[2], rules)
    )
    if hand & fitting_cards == 0:
        # No card can be laid off. This is the case for about half of all knocks.
        return compute_deadwood_for_role(hand, rules, 1), 0
    n_first_options = _write_layoff_options(melds[0], hand, rules, scratch, options[0])
    n_second_options = _write_layoff_options(melds[1], hand, rules, scratch, options[1])
    n_third_options = _write_layoff_options(melds[2], hand, rules, scratch, options[2])
    least_deadwood = HUGE_DEADWOOD
    best_laid_off = 0
    for i in range(n_first_options):
        first_cards = options[0, i]
        for j in range(n_second_options):
            second_cards = options[1, j]
            if first_cards & second_cards:
                continue
            for k in range(n_third_options):
                third_cards = options[2, k]
                if (first_cards | second_cards) & third_cards:
                    continue
                laid_off = first_cards | second_cards | third_cards
                deadwood_points = compute_deadwood_for_role(hand & ~laid_off, rules, 1)
                if deadwood_points < least_deadwood or (
                    deadwood_points == least_deadwood
                    and popcount(laid_off) < popcount(best_laid_off)
                ):
                    least_deadwood = deadwood_points
                    best_laid_off = laid_off
    return least_deadwood, best_laid_off
