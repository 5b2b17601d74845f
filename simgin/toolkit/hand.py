"""Values, deadwood, melds and extension cards of the player's hand."""

from simgin.core.bitboard import cards_in_runs, cards_in_sets
from simgin.core.bits import lowest_bit, popcount
from simgin.core.cards import cards_of_rank, suit_lane
from simgin.core.deadwood import (
    best_discards,
    cards_in_melds,
    deadwood,
    deadwood_with_melded,
    highest_value_cards,
)
from simgin.core.jit import jit
from simgin.core.meldings import find_meld_extensions
from simgin.core.meldings import sum_card_values as points_of


@jit
def card_value(card, rules):
    """Return the deadwood value of a card, in points.

    Args:
        card: Card, 0 to 51.
        rules: Rules of the variant.

    Example:
        Compare the deadwood of the hand with the value of the card on offer::

            view.count > card_value(view.taken_offer, rules)
    """
    return rules.value[0, card % 13]


@jit
def total_points(cards, rules):
    """Return the total value of a set of cards, in points.

    The total includes melded cards.

    Args:
        cards: Cards as a 52-bit mask.
        rules: Rules of the variant.

    Example:
        Compute the points of the cards that cannot be melded::

            total_points(view.hand & ~cards_in_melds(view.hand, rules), rules)
    """
    return points_of(cards, rules, 0)


@jit
def cards_of_ranks(ranks):
    """Return all cards that have one of the given ranks.

    Args:
        ranks: Ranks as thirteen bits, with the ace as the lowest bit.

    Returns:
        Cards as a 52-bit mask.

    Example:
        Select the cards in the hand from ten to king::

            view.hand & cards_of_ranks(0b1111 << 9)
    """
    return ranks | ranks << 13 | ranks << 26 | ranks << 39


@jit
def highest_card(cards):
    """Return the card with the highest rank.

    Ties are broken by the lowest card number.

    Args:
        cards: Cards as a 52-bit mask.

    Returns:
        A card, 0 to 51, or -1 if there are no cards.

    Example:
        Discard the legal card with the highest rank::

            highest_card(view.legal)
    """
    for rank in range(12, -1, -1):
        if cards & cards_of_rank(rank):
            return lowest_bit(cards & cards_of_rank(rank))
    return -1


@jit
def best_discard(hand, legal, rules):
    """Return the discard that leaves the least deadwood.

    Ties are broken by the highest value, then by the lowest card number.

    Args:
        hand: Up to eleven cards as a 52-bit mask.
        legal: Legal discards as a 52-bit mask, at least one of which is in the hand.
        rules: Rules of the variant.

    Returns:
        A card, 0 to 51.

    Example:
        Minimise the deadwood, but keep the kings if possible::

            best_discard(view.hand, view.legal & ~cards_of_rank(12) or view.legal, rules)
    """
    cards = best_discards(hand, legal, rules)[1]
    return lowest_bit(highest_value_cards(cards, rules)[0])


@jit
def deadwood_after_taking(hand, card, rules):
    """Return the least deadwood after taking a card and discarding another card.

    Args:
        hand: Ten cards as a 52-bit mask.
        card: Card taken, 0 to 51.
        rules: Rules of the variant.

    Returns:
        Deadwood in points.

    Example:
        Take the card on offer if it saves at least 3 points::

            take_if(
                deadwood_after_taking(view.hand, view.taken_offer, rules) <= view.count - 3,
                view.legal
            )
    """
    return best_discards(hand | 1 << card, hand, rules)[0]


@jit
def lowers_deadwood(view, rules):
    """Return True if taking the card on offer would lower the deadwood.

    Args:
        view: View of the player, in a take policy.
        rules: Rules of the variant.

    Example:
        Take the card on offer if it lowers the deadwood::

            take_if(lowers_deadwood(view, rules), view.legal)
    """
    return deadwood_after_taking(view.hand, view.taken_offer, rules) < view.count


@jit
def discards_leaving(hand, legal, max_deadwood, rules):
    """Return the legal discards that leave at most a given amount of deadwood.

    Args:
        hand: Up to eleven cards as a 52-bit mask.
        legal: Legal discards as a 52-bit mask.
        max_deadwood: Maximum deadwood, in points.
        rules: Rules of the variant.

    Returns:
        Mask of the discards.

    Example:
        Select the discards that allow a knock::

            discards_leaving(view.hand, view.legal, view.limit, rules)
    """
    cards = 0
    while legal:
        mask = legal & -legal
        legal ^= mask
        if deadwood(hand & ~mask, rules) <= max_deadwood:
            cards |= mask
    return cards


@jit
def makes_meld(hand, card, rules):
    """Return True if a card makes a meld with cards in the hand.

    The meld need not lower the deadwood.

    Args:
        hand: Up to ten cards as a 52-bit mask.
        card: Card, 0 to 51.
        rules: Rules of the variant.

    Example:
        Test if the card on offer makes a meld::

            makes_meld(view.hand, view.taken_offer, rules)
    """
    return cards_in_melds(hand | 1 << card, rules) >> card & 1 != 0


@jit
def is_in_best_melding(hand, card, rules):
    """Return True if the card would be in a meld of some melding with the least deadwood.

    Args:
        hand: Up to ten cards as a 52-bit mask.
        card: Card, 0 to 51.
        rules: Rules of the variant.

    Example:
        Take the card on offer only if the best melding uses it::

            take_if(is_in_best_melding(view.hand, view.taken_offer, rules), view.legal)
    """
    if not makes_meld(hand, card, rules):
        return False
    eleven_cards = hand | 1 << card
    if rules.by_planes[0] and cards_in_runs(eleven_cards) & cards_in_sets(eleven_cards) == 0:
        return True  # Without conflicts, the best melding contains all melds.
    return deadwood_with_melded(eleven_cards, card, rules) == deadwood(eleven_cards, rules)


@jit
def deadwood_of_melding(hand, melds, rules):
    """Return the deadwood of a hand with a given melding.

    Args:
        hand: Cards as a 52-bit mask.
        melds: Row of `view.meldings`, which contains the masks of three melds (0 if there is no
            meld).
        rules: Rules of the variant.

    Returns:
        Deadwood in points.

    Example:
        Compute the deadwood of the first legal arrangement of melds in a show policy::

            deadwood_of_melding(view.hand, view.meldings[0], rules)
    """
    return total_points(hand & ~(melds[0] | melds[1] | melds[2]), rules)


@jit
def count_extensions(melds, cards, rules):
    """Return the number of cards that could be laid off directly on a melding.

    Args:
        melds: Row of `view.meldings`, which contains the masks of three melds (0 if there is no
            meld).
        cards: Cards to count, as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        Number of cards.

    Example:
        Count the unseen cards that the opponent could lay off on the first arrangement of melds::

            count_extensions(view.meldings[0], view.unseen, rules)
    """
    extensions = 0
    for meld_index in range(3):
        if melds[meld_index]:
            extensions |= find_meld_extensions(melds[meld_index], rules)
    return popcount(extensions & cards)


@jit
def unmatched_cards(hand, rules):
    """Return the cards that are unmatched in some melding with the least deadwood.

    Discarding one of these cards lowers the deadwood by the full value of the card.

    Args:
        hand: Up to eleven cards as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        Cards as a 52-bit mask.

    Example:
        Select the legal discards that are unmatched::

            view.legal & unmatched_cards(view.hand, rules)
    """
    hand_deadwood = deadwood(hand, rules)
    unmatched = hand & ~cards_in_melds(hand, rules)
    untested_cards = hand & ~unmatched
    while untested_cards:
        card = lowest_bit(untested_cards)
        untested_cards &= untested_cards - 1
        if deadwood(hand & ~(1 << card), rules) == hand_deadwood - rules.value[0, card % 13]:
            unmatched |= 1 << card
    return unmatched


@jit
def leftover_cards(hand, preferred, rules):
    """Return the cards that are unmatched in one melding with the least deadwood.

    Args:
        hand: Up to eleven cards as a 52-bit mask.
        preferred: Cards to leave unmatched if there is a choice, as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        Cards as a 52-bit mask. The total value of these cards is the deadwood of the hand.

    Example:
        Find the unmatched cards of a melding, and prefer cards that can be discarded::

            leftover_cards(view.hand, view.legal, rules)
    """
    outside_melds = hand & ~cards_in_melds(hand, rules)
    deadwood_left = deadwood(hand, rules) - total_points(outside_melds, rules)
    if deadwood_left == 0:
        return outside_melds
    remaining, deadwood_left = _remove_unmatched(
        hand & ~outside_melds, deadwood_left, preferred, rules
    )
    return hand & ~_remove_unmatched(remaining, deadwood_left, ~preferred, rules)[0]


@jit
def _remove_unmatched(hand, deadwood_left, cards, rules):
    """Remove cards that a best melding leaves unmatched, and return the hand and its deadwood."""
    cards &= hand
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        if deadwood(hand & ~(1 << card), rules) == deadwood_left - rules.value[0, card % 13]:
            hand &= ~(1 << card)
            deadwood_left -= rules.value[0, card % 13]
    return hand, deadwood_left


@jit
def extension_cards(hand, rules):
    """Return the cards outside a hand that could be laid off on a meld of the hand.

    Args:
        hand: Cards as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        Cards as a 52-bit mask.

    Example:
        Count the unseen cards that would extend a meld of the hand::

            popcount(extension_cards(view.hand, rules) & view.unseen)
    """
    extensions = 0
    for rank in range(13):
        rank_cards = hand & cards_of_rank(rank)
        if popcount(rank_cards) == 3:
            extensions |= cards_of_rank(rank) & ~rank_cards
    for suit in range(4):
        suit_cards = suit_lane(hand, suit)
        if rules.lane[0, suit_cards] & 0x1FFF:
            for run_index in range(rules.n_runs):
                if rules.runs[run_index] & ~suit_cards == 0:
                    extensions |= find_meld_extensions(rules.runs[run_index] << (13 * suit), rules)
    return extensions & ~hand
