"""Least deadwood of a hand, and the discards that minimise it (rules.md 3.2).

Without rainbows and high aces, bit operations find the runs of all suits together
(`simgin.core.bitboard`). A run with a high ace requires both the ace and the king of a suit. For
such hands and for rules with rainbows, the module uses a lookup table. The entry of a lane contains
the cards that are in runs, and the points left by the best runs. Sets and their conflicts with runs
are treated in the same way for all rules.
"""

import numpy as np

from simgin.core.bitboard import (
    HUGE_DEADWOOD,
    cards_in_runs,
    cards_in_sets,
    find_deadwood_with_conflicts,
    find_meld_conflicts,
    find_unmatched_after_sets,
    get_next_conflict_resolution,
    highest_value_cards_bitwise,
    ranks_of,
    sum_card_values_bitwise,
)
from simgin.core.bits import find_highest_rank, lowest_bit
from simgin.core.cards import ACES, ALL_RANKS, cards_of_rank, suit_lane
from simgin.core.jit import force_inline, jit


@jit
def _compute_deadwood_after_runs(hand, rules, role):
    """Return the deadwood, in points, that remains if the player melds only runs."""
    points = 0
    for suit in range(4):
        points += np.int64(rules.lane[role, suit_lane(hand, suit)]) >> 16
    return points


@jit
def _look_up_run_cards(hand, rules):
    """Return the cards in a hand that are in a run, using the lookup table of the rules."""
    run_cards = 0
    for suit in range(4):
        run_ranks = np.int64(rules.lane[0, suit_lane(hand, suit)]) & ALL_RANKS
        run_cards |= run_ranks << 13 * suit
    return run_cards


@force_inline
def find_run_cards(hand, rules):
    """Return the cards in a hand that are in a run."""
    if rules.by_planes[0]:
        return cards_in_runs(hand)
    return _look_up_run_cards(hand, rules)


@jit
def _compute_deadwood_from_table(hand, rules, role):
    """Return the least deadwood of a hand without rainbows, using a lookup table of runs."""
    sets = cards_in_sets(hand)
    conflicting_ranks, spare_cards = find_meld_conflicts(
        hand, _look_up_run_cards(hand, rules), sets
    )
    hand &= ~sets | conflicting_ranks * ACES
    least_deadwood = HUGE_DEADWOOD
    set_ranks, left_to_runs = 0, 0
    while True:
        melded = set_ranks * ACES & ~left_to_runs
        least_deadwood = min(
            least_deadwood, _compute_deadwood_after_runs(hand & ~melded, rules, role)
        )
        set_ranks, left_to_runs = get_next_conflict_resolution(
            conflicting_ranks, spare_cards, set_ranks, left_to_runs
        )
        if set_ranks == 0:
            return least_deadwood


@jit
def _compute_deadwood_with_rainbows(hand, rules, role):
    """Return the least deadwood if runs, sets and rainbows can be melded.

    The search considers no rainbow, each single rainbow, and each disjoint pair of rainbows. Three
    rainbows would need twelve cards.
    """
    least_deadwood = _compute_deadwood_from_table(hand, rules, role)
    for i in range(rules.n_rainbows):
        first_rainbow = rules.rainbows[i]
        if first_rainbow & ~hand:
            continue
        remaining_cards = hand ^ first_rainbow
        least_deadwood = min(
            least_deadwood, _compute_deadwood_from_table(remaining_cards, rules, role)
        )
        for j in range(i + 1, rules.n_rainbows):
            second_rainbow = rules.rainbows[j]
            if second_rainbow & ~remaining_cards == 0:
                least_deadwood = min(
                    least_deadwood,
                    _compute_deadwood_from_table(remaining_cards ^ second_rainbow, rules, role),
                )
    return least_deadwood


@force_inline
def can_meld_bitwise(hand, rules, role):
    """Return True if bit operations find all melds of a hand, so that it needs no lookup table.

    The hand must not contain the ace and the king of the same suit, so that no ace can be high.
    """
    return rules.by_planes_apart[role] and hand & hand >> 12 & ACES == 0


@force_inline
def _compute_deadwood_bitwise(hand, rules, role):
    """Compute the least deadwood with bit operations (see `compute_deadwood_for_role`)."""
    runs, sets = cards_in_runs(hand), cards_in_sets(hand)
    if runs & sets:
        return find_deadwood_with_conflicts(hand, runs, sets, rules, role)
    return sum_card_values_bitwise(hand & ~(runs | sets), rules, role)


@jit
def _compute_deadwood_general(hand, rules, role):
    """Compute the least deadwood under any rules (see `compute_deadwood_for_role`)."""
    if can_meld_bitwise(hand, rules, role):
        return _compute_deadwood_bitwise(hand, rules, role)
    if rules.n_rainbows:
        return _compute_deadwood_with_rainbows(hand, rules, role)
    return _compute_deadwood_from_table(hand, rules, role)


@force_inline
def compute_deadwood_for_role(hand, rules, role):
    """Return the least deadwood of up to eleven cards, using the card values of `role`.

    The deadwood is in points. `role` is KNOCKER or DEFENDER, whose card values can differ.
    """
    if not rules.by_planes[role]:
        return _compute_deadwood_general(hand, rules, role)
    return _compute_deadwood_bitwise(hand, rules, role)


@jit
def compute_deadwood_batch(hands, rules, role, out):
    """Write the least deadwood of each hand of an int64 array to `out`."""
    for i in range(hands.shape[0]):
        out[i] = compute_deadwood_for_role(hands[i], rules, role)


@jit
def deadwood(hand, rules):
    """Return the least deadwood of up to eleven cards, using the knocker's card values.

    Args:
        hand: Cards as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        Deadwood in points.

    Example:
        Compute the deadwood after discarding a card::

            deadwood(view.hand & ~card_mask(card), rules)
    """
    return compute_deadwood_for_role(hand, rules, 0)


@force_inline
def cards_in_melds(hand, rules):
    """Return the cards in a hand that belong to at least one meld in the hand.

    Args:
        hand: Cards as a 52-bit mask.
        rules: Rules of the variant.

    Example:
        Select the legal discards that are not in any meld::

            view.legal & ~cards_in_melds(view.hand, rules)
    """
    if rules.by_planes[0]:
        return cards_in_runs(hand) | cards_in_sets(hand)
    return _find_cards_in_melds_general(hand, rules)


@jit
def _find_cards_in_melds_general(hand, rules):
    """Return the cards of a hand that belong to at least one meld, under any rules."""
    if can_meld_bitwise(hand, rules, 0):
        return cards_in_runs(hand) | cards_in_sets(hand)
    cards = _look_up_run_cards(hand, rules) | cards_in_sets(hand)
    for i in range(rules.n_rainbows):
        if rules.rainbows[i] & ~hand == 0:
            cards |= rules.rainbows[i]
    return cards


@force_inline
def highest_value_cards(cards, rules):
    """Return the mask of the cards with the highest value, and that value in points.

    Card values never decrease from 2 to K. The ace is compared separately.

    Args:
        cards: Cards as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        The mask of the highest-value cards and the value of each card in points, or (0, -1) if
        there are no cards.

    Example:
        Discard the legal card with the highest value::

            lowest_bit(highest_value_cards(view.legal, rules)[0])
    """
    if cards == 0:
        return 0, -1
    ranks = ranks_of(cards)
    highest_rank = find_highest_rank(ranks | 1)  # Bit 0 tells LLVM that the argument is not 0.
    if rules.value[0, 0] > rules.value[0, highest_rank] and ranks & 1:
        highest_rank = 0
    return cards & rules.peers[0, highest_rank] * ACES, rules.value[0, highest_rank]


@force_inline
def best_discards(hand, legal, rules):
    """Return the least deadwood after a legal discard, and the mask of the discards that leave it.

    Prefer `view.least` and `view.best`, which the engine computes once per turn.

    Args:
        hand: Up to eleven cards as a 52-bit mask.
        legal: Legal discards as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        Deadwood in points and the mask of discards, or (1 << 20, 0) if no card in the hand is
        legal.

    Example:
        Compute the deadwood after the best discard other than the card drawn::

            best_discards(view.hand, view.legal & ~card_mask(view.drawn), rules)[0]
    """
    if rules.by_planes[0]:
        runs, sets = cards_in_runs(hand), cards_in_sets(hand)
        unmatched = hand & ~(runs | sets)
        if runs & sets == 0 and unmatched & legal:
            return _find_best_unmatched_discards(unmatched, legal, rules)
    return _find_best_discards_general(hand, legal, rules)


@force_inline
def _find_best_unmatched_discards(unmatched, legal, rules):
    """Find the best discards if no card is in two melds and an unmatched card is legal."""
    cards, value = highest_value_cards_bitwise(unmatched & legal, rules)
    return sum_card_values_bitwise(unmatched, rules, 0) - value, cards


@jit
def _find_best_discards_general(hand, legal, rules):
    """Find the best discards if sets and runs share cards or if no unmatched card is legal."""
    if rules.by_planes[0] or can_meld_bitwise(hand, rules, 0):
        runs, sets = cards_in_runs(hand), cards_in_sets(hand)
        unmatched = hand & ~(runs | sets)
        if runs & sets == 0 and unmatched & legal:
            return _find_best_unmatched_discards(unmatched, legal, rules)
        best, cards = _find_discards_with_conflicts(hand, legal, runs, sets, rules)
        if best < HUGE_DEADWOOD:
            return best, cards
    return _find_best_discards_by_search(hand, legal, rules)


@force_inline
def _find_discards_with_conflicts(hand, legal, run_cards, set_cards, rules):
    """Find the best discards from a hand in which sets and runs share cards.

    The best discard for a resolution is its highest unmatched card, because discarding a melded
    card costs more than it saves. If a resolution has no legal unmatched card, this argument does
    not apply, and the function returns (HUGE_DEADWOOD, 0).
    """
    conflicting_ranks, spare_cards = find_meld_conflicts(hand, run_cards, set_cards)
    hand &= ~set_cards | conflicting_ranks * ACES
    least_deadwood, best_cards = HUGE_DEADWOOD, 0
    set_ranks, left_to_runs = 0, 0
    while True:
        unmatched = find_unmatched_after_sets(hand & set_ranks * ACES & ~left_to_runs, hand)
        cards, value = highest_value_cards_bitwise(unmatched & legal, rules)
        if cards == 0:
            return HUGE_DEADWOOD, 0
        deadwood_left = sum_card_values_bitwise(unmatched, rules, 0) - value
        if deadwood_left < least_deadwood:
            least_deadwood, best_cards = deadwood_left, cards
        elif deadwood_left == least_deadwood:
            best_cards |= cards
        set_ranks, left_to_runs = get_next_conflict_resolution(
            conflicting_ranks, spare_cards, set_ranks, left_to_runs
        )
        if set_ranks == 0:
            return least_deadwood, best_cards


@jit
def _find_best_discards_by_search(hand, legal, rules):
    """Find the best discards under any rules by testing each discard that could be the best.

    If a card is not in any meld, discarding it leaves exactly deadwood(hand) - value. Only the
    highest-value cards outside melds can be the best discards. If a card is in a meld, discarding
    it leaves at least deadwood(hand) - value, and at least the points of all cards outside melds.
    The exact deadwood is computed only if both bounds allow an improvement, which is rare.
    """
    hand_deadwood = deadwood(hand, rules)
    in_melds = cards_in_melds(hand, rules)
    best_cards, value = highest_value_cards(legal & ~in_melds, rules)
    least_deadwood = hand_deadwood - value if best_cards else HUGE_DEADWOOD
    untested_cards = legal & in_melds
    if (
        untested_cards == 0
        or _compute_deadwood_after_runs(hand & ~in_melds, rules, 0) > least_deadwood
    ):
        return least_deadwood, best_cards  # No card in a meld is a better discard.
    while untested_cards:
        card = lowest_bit(untested_cards)
        untested_cards &= untested_cards - 1
        if rules.value[0, card % 13] >= value:
            deadwood_left = deadwood(hand & ~(1 << card), rules)
            if deadwood_left < least_deadwood:
                least_deadwood = deadwood_left
                best_cards = 1 << card
            elif deadwood_left == least_deadwood:
                best_cards |= 1 << card
    return least_deadwood, best_cards


@jit
def deadwood_with_melded(hand, card, rules):
    """Return the least deadwood, in points, of all meldings that include a given card.

    Args:
        hand: Up to eleven cards, including `card`, as a 52-bit mask.
        card: Card that must be in a meld, 0 to 51.
        rules: Rules of the variant.

    Returns:
        Deadwood in points, or 1 << 20 if the card cannot be melded.

    Example:
        Compute the deadwood if the card taken must be melded::

            deadwood_with_melded(view.hand, view.taken, rules)
    """
    least_deadwood = HUGE_DEADWOOD
    suit = card // 13
    rank_bit = 1 << (card % 13)
    suit_cards = suit_lane(hand, suit)
    for i in range(rules.n_runs):
        run = rules.runs[i]
        if run & rank_bit and run & ~suit_cards == 0:
            least_deadwood = min(least_deadwood, deadwood(hand & ~(run << (13 * suit)), rules))
    rank_cards = hand & cards_of_rank(card % 13)
    other_cards = rank_cards & ~(1 << card)
    while other_cards:  # The sets of three cards precede the set of four cards.
        omitted = other_cards & -other_cards
        other_cards ^= omitted
        least_deadwood = min(
            least_deadwood, _compute_deadwood_after_set(hand, rank_cards & ~omitted, rules)
        )
    least_deadwood = min(least_deadwood, _compute_deadwood_after_set(hand, rank_cards, rules))
    for i in range(rules.n_rainbows):
        rainbow = rules.rainbows[i]
        if rainbow >> card & 1 and rainbow & ~hand == 0:
            least_deadwood = min(least_deadwood, deadwood(hand & ~rainbow, rules))
    return least_deadwood


@jit
def _compute_deadwood_after_set(hand, set_cards, rules):
    """Return the deadwood that remains if the given cards of one rank form a set.

    Returns HUGE_DEADWOOD if there are fewer than three cards.
    """
    three_or_more = set_cards & (set_cards - 1)
    if three_or_more & (three_or_more - 1) == 0:
        return HUGE_DEADWOOD
    return deadwood(hand & ~set_cards, rules)
