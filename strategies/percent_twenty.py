"""Percent-twenty: keeps the least deadwood, discards safely, and knocks according to a table.

Take: The strategy takes a card that makes a meld and lowers the deadwood, or that lowers the
deadwood by nine. If the opponent is known to hold two cards that make a meld with the card, the
meld must lower the deadwood by three.

Discard: Of the discards with the least deadwood, the strategy chooses the card that meets the most
of the following conditions. The known cards of the opponent do not make a meld with the card. The
opponent discarded a card near it (same rank, or same suit within two ranks). The card is dead: it
can be in no meld of the hand, whichever unseen card is drawn next. Cards up to nine are discarded
before higher cards.

Knock: The strategy knocks with gin. Without gin, it knocks according to a table indexed by
remaining deadwood, number of cards seen (in steps of five), and number of dead cards. The authors
computed the table by counterfactual regret minimisation and published it in their source. The
strategy knocks with a deadwood of six or more if few cards have been seen, and rarely with less
than three.

Differences from the original file: The original also gives a point if the next card is expected to
improve the hand. This point is omitted, because all candidates would get it. The original breaks
ties by suit (here at random), and knocks whenever all unmatched cards could be laid off on known
cards of the opponent. The original also overlooks some sets of the opponent, and two entries of its
table for takes are swapped.

Source: Bowser, Gallucci, Kettell and Overton, PercentTwenty_Player in CTOverton/Agent-TAG,
2020.
"""

from simgin.strategy import Strategy, discard, helper, knock, param, take
from simgin.toolkit import (
    cards_in_melds,
    cards_of_ranks,
    count_live_completers,
    count_possible_melds,
    deadwood_after_taking,
    first_discards,
    is_gin_or_better,
    lowest_bit,
    makes_meld,
    neighbours,
    pick_random,
    popcount,
    take_if,
)

RANKS_UP_TO_NINE = 0b0000111111111
MAX_DISCARDS = 1000  # larger than the number of discards in a deal

# KNOCK_TABLE[deadwood - 1][cards seen // 5 - 2] contains, as bits, the numbers of dead cards with
# which the player knocks.
KNOCK_TABLE = (
    (0b0000, 0b0000, 0b0000, 0b0000, 0b0000, 0b0000, 0b0000),
    (0b0001, 0b0000, 0b0000, 0b0000, 0b0100, 0b0000, 0b0000),
    (0b0101, 0b0010, 0b0100, 0b0110, 0b0100, 0b0100, 0b0000),
    (0b0111, 0b0011, 0b0110, 0b0110, 0b1100, 0b0000, 0b0000),
    (0b0111, 0b0111, 0b0110, 0b1100, 0b0010, 0b0000, 0b0000),
    (0b1111, 0b1111, 0b1111, 0b1100, 0b1100, 0b0000, 0b0000),
    (0b1111, 0b1111, 0b1110, 0b1100, 0b0000, 0b0000, 0b0000),
    (0b1111, 0b1111, 0b1110, 0b1100, 0b0000, 0b0000, 0b0000),
    (0b1111, 0b1111, 0b1110, 0b1100, 0b0000, 0b0000, 0b0000),
    (0b1111, 0b1111, 0b1100, 0b1000, 0b0000, 0b0000, 0b0000),
)


@take(
    name="useful",
    meld=param(1, 0, 99, "minimum deadwood saved to take a card that makes a meld"),
    wanted=param(3, 0, 99, "minimum deadwood saved to take a card that the opponent can meld"),
    drop=param(9, 0, 99, "minimum deadwood saved to take any other card"),
)
def take_useful_card(view, rules, params):
    """Take a card that lowers the deadwood by enough, or by less if it makes a meld."""
    card = view.taken_offer
    decrease = view.count - deadwood_after_taking(view.hand, card, rules)
    min_decrease = params[1] if count_possible_melds(card, view.known, rules) else params[0]
    melds = decrease >= min_decrease and makes_meld(view.hand, card, rules)
    return take_if(melds or decrease >= params[2], view.legal)


@discard(name="unwanted", noise=True)
def discard_unwanted_card(view, rules, params):
    """Minimise the deadwood, and break ties in favour of safe, dead and low cards."""
    options = view.best
    opponent_discards = first_discards(view, 1 - view.seat, MAX_DISCARDS)
    dead_cards = _find_dead_cards(view.hand, view.unseen, rules)
    best_score, cards = -1, 0
    while options:
        card = lowest_bit(options)
        options &= options - 1
        points = int(count_possible_melds(card, view.known, rules) == 0)
        points += int(neighbours(card) & opponent_discards != 0)
        points += dead_cards >> card & 1
        if points > best_score:
            best_score, cards = points, 0
        if points == best_score:
            cards |= 1 << card
    low = cards & cards_of_ranks(RANKS_UP_TO_NINE)
    return pick_random(low if low else cards, view.noise)


@helper
def _find_dead_cards(hand, unseen, rules):
    """Return the cards in a hand that are in no meld, whichever unseen card is drawn next."""
    dead_cards = 0
    untested_cards = hand & ~cards_in_melds(hand, rules)
    while untested_cards:
        card = lowest_bit(untested_cards)
        untested_cards &= untested_cards - 1
        if count_live_completers(card, hand, unseen, rules) <= 0:
            dead_cards |= 1 << card
    return dead_cards


@knock(name="by-table")
def knock_by_table(view, rules, params):
    """Knock if a table allows it for the deadwood and the numbers of seen and dead cards."""
    if is_gin_or_better(view):
        return True
    seen_class = (52 - popcount(view.unseen)) // 5
    ten_cards = view.hand & ~(1 << view.ending_card)
    n_dead = popcount(_find_dead_cards(ten_cards, view.unseen, rules))
    if seen_class < 2 or seen_class > 8 or n_dead > 3 or view.ending_count > 10:
        return False
    return KNOCK_TABLE[view.ending_count - 1][seen_class - 2] >> n_dead & 1 == 1


PERCENT_TWENTY = Strategy(
    "percent-twenty",
    take=take_useful_card,
    discard=discard_unwanted_card,
    knock=knock_by_table,
    ending="same",
)
