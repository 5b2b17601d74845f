"""What is known of the opponent, in cheap forms: his likely cards, his wants, his deadwood.

P (`view.known`) are the cards he took and holds, D (`view.shed`) those he discarded or declined, U
(`view.unseen`) those that may be in his hand or in the stock. simgin.toolkit.beliefs has the
probability of each card by what he did.
"""

from simgin.core.bits import lowest, popcount
from simgin.core.cards import PACK, of_rank
from simgin.core.jit import jit
from simgin.core.planes import ranks_of
from simgin.toolkit.hand import of_ranks

# Mean least deadwood of the opponent's ten cards by the number of his turns (0: as dealt), if none
# of them ended the deal; 3,000 deals of gold-early against itself, printed by training/beliefs.py.
COUNTS = (
    (56.4, 47.4, 40.5, 35.3, 31.3, 27.6, 22.4, 18.0, 14.5, 11.7)
    + (9.4, 7.6, 6.4, 5.3, 4.6, 3.9, 3.4, 3.0, 2.6, 2.1)
)  # fmt: skip


@jit
def near(card):
    """Cards of the same rank, and of the same suit within two ranks, without the card itself.

    Sequences do not go round the corner.
    """
    r = card % 13
    span = (0b11111 << r >> 2) & 0x1FFF
    return (of_rank(r) | span << (13 * (card // 13))) & ~(1 << card)


@jit
def near_any(cards):
    """The cards near at least one of some cards."""
    found = 0
    while cards:
        found |= near(lowest(cards))
        cards &= cards - 1
    return found


@jit
def touching(cards):
    """Cards of the same rank as one of `cards`, themselves included, or next to one in its suit.

    Sequences do not go round the corner.
    """
    return of_ranks(ranks_of(cards)) | (cards << 1 & ~of_rank(0) | cards >> 1 & ~of_rank(12)) & PACK


@jit
def thrown(view, seat, most):
    """The first discards of a seat in this deal, at most `most` of them."""
    cards = 0
    for i in range(view.turns):
        if most <= 0:
            break
        if view.history[i, 0] == seat and view.history[i, 3] >= 0:
            cards |= 1 << int(view.history[i, 3])
            most -= 1
    return cards


@jit
def last_thrown(view):
    """The opponent's last discard; -1 before the first."""
    for i in range(view.turns - 1, -1, -1):
        if view.history[i, 0] != view.seat:
            return int(view.history[i, 3])
    return -1


@jit
def left_lying(view):
    """The opponent's last discard, or the first upcard, if it was not taken; -1 if it was."""
    if view.taken >= 0:
        return -1
    return int(view.history[view.turns - 1, 3]) if view.turns > 0 else view.upcard


@jit
def chance_held(view):
    """The probability that the opponent holds a given unseen card, if all are equally likely.

    The number of his unknown cards over the number of unseen ones.
    """
    unseen = popcount(view.unseen)
    if unseen == 0 or view.deck_left >= 0:  # one player: nobody holds them
        return 0.0
    return max(0, 10 - popcount(view.known)) / unseen


@jit
def believe_alike(view, chances):
    """Write the probability that the opponent holds each card to `chances`, float64[52].

    All unseen cards are taken as equally likely.
    """
    alike = chance_held(view)
    for card in range(52):
        chances[card] = alike if view.unseen >> card & 1 else 1.0 if view.known >> card & 1 else 0.0


@jit
def danger(card, view, p, u, d):
    """How much a discard may help the opponent, by the cards near it.

    The sum of p for each in P, u for each in U and -d for each in D (jdh8/gin-rummy-engine: 2, 1,
    2).
    """
    around = near(card)
    return (
        p * popcount(around & view.known)
        + u * popcount(around & view.unseen)
        - d * popcount(around & view.shed)
    )


@jit
def expected_count(turns):
    """The mean least deadwood of an opponent after a number of turns."""
    return COUNTS[min(turns, len(COUNTS) - 1)]
