"""Cards as integers and hands as 52-bit masks.

Card = 13 * suit + rank, with suits S H D C = 0..3 and ranks A 2 .. K = 0..12. A hand is an int64
with bit `card` set for each card. A *lane* is the thirteen bits of one suit.
"""

from simgin.core.jit import inlined, jit

RANKS = 13
CARDS = 52
LANE = 0x1FFF  # all thirteen cards of a suit
PACK = (1 << 52) - 1
# The four aces; shifted left by r, the four cards of rank r
RANK_ACES = 1 | 1 << 13 | 1 << 26 | 1 << 39


@jit
def bit(card):
    """The mask of one card."""
    return 1 << card


@jit
def rank(card):
    """0..12 for A..K."""
    return card % 13


@jit
def suit(card):
    """0..3 for S H D C."""
    return card // 13


@jit
def lane(hand, s):
    """The thirteen bits of suit s."""
    return (hand >> (13 * s)) & 0x1FFF


@jit
def of_rank(r):
    """The mask of the four cards of rank r."""
    return (1 | 1 << 13 | 1 << 26 | 1 << 39) << r


@jit
def ranks_held_thrice(s, h, d, c):
    """Ranks (13 bits) that at least three of the four lanes hold."""
    return (s & h & (d | c)) | (d & c & (s | h))


@inlined
def ranks_held_twice(hand):
    """Ranks (13 bits) of which a hand has at least two cards."""
    s, h, d, c = lane(hand, 0), lane(hand, 1), lane(hand, 2), lane(hand, 3)
    return s & h | d & c | (s | h) & (d | c)
