"""Cards as integers and hands as 52-bit masks.

A card is 13 * suit + rank. The suits S, H, D, C are 0 to 3, and the ranks A, 2, ..., K are 0 to 12.
A hand is an int64 in which bit `card` is set for each card. A *lane* consists of the thirteen bits
of one suit.
"""

from simgin.core.jit import force_inline, jit

N_RANKS = 13
N_CARDS = 52
ALL_RANKS = 0x1FFF  # lane with all thirteen cards
ALL_CARDS = (1 << 52) - 1
# The four aces. A shift to the left by r gives the four cards of rank r.
ACES = 1 | 1 << 13 | 1 << 26 | 1 << 39


@jit
def card_mask(card):
    """Return the bit mask of one card, as an int64.

    Args:
        card: Card, 0 to 51.

    Example:
        Remove the card drawn from the hand::

            view.hand & ~card_mask(view.drawn)
    """
    return 1 << card


@jit
def rank(card):
    """Return the rank of a card, from 0 for aces to 12 for kings.

    Args:
        card: Card, 0 to 51.

    Example:
        Test if the card on offer is a court card::

            rank(view.taken_offer) >= 10
    """
    return card % 13


@jit
def suit(card):
    """Return the suit of a card, from 0 to 3 in the order S, H, D, C.

    Args:
        card: Card, 0 to 51.

    Example:
        Test if two cards have the same suit::

            suit(first) == suit(second)
    """
    return card // 13


@jit
def suit_lane(hand, suit):
    """Return the thirteen bits that mark the ranks of one suit in a hand.

    Args:
        hand: Cards as a 52-bit mask.
        suit: Suit, 0 to 3 for S H D C.

    Example:
        Count the hearts in the hand::

            popcount(suit_lane(view.hand, 1))
    """
    return (hand >> (13 * suit)) & 0x1FFF


@jit
def cards_of_rank(rank):
    """Return the mask of the four cards of a rank.

    Args:
        rank: Rank, 0 to 12 for A to K.

    Example:
        Select the kings in the hand::

            view.hand & cards_of_rank(12)
    """
    return (1 | 1 << 13 | 1 << 26 | 1 << 39) << rank


@jit
def ranks_held_three_times(spades, hearts, diamonds, clubs):
    """Return the ranks (13 bits) that occur in at least three of the four given suits."""
    return (spades & hearts & (diamonds | clubs)) | (diamonds & clubs & (spades | hearts))


@force_inline
def ranks_held_twice(hand):
    """Return the ranks (13 bits) of which a hand contains at least two cards."""
    spades, hearts, diamonds, clubs = (
        suit_lane(hand, 0),
        suit_lane(hand, 1),
        suit_lane(hand, 2),
        suit_lane(hand, 3),
    )
    return spades & hearts | diamonds & clubs | (spades | hearts) & (diamonds | clubs)
