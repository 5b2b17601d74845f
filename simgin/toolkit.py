"""Fast helpers for the authors of strategies, to be called inside a policy. Cards are 0..51 (13 * suit + rank), sets of cards 52-bit masks.

From the core: `deadwood(cards, rules)` of up to eleven cards; `best_discards(hand, legal, rules)` -> (count, mask of all discards that
reach it); `deadwood_with(cards, card, rules)` the least deadwood with that card melded; `meldable(cards, rules)` the cards that lie in a
meld; `dearest(cards, rules)` -> (the dearest of them, their value); `popcount`, `lowest`, `nth` on masks; `rank`, `suit`, `of_rank`.
"""

from simgin.core.bits import lowest, nth, popcount
from simgin.core.cards import PACK, bit, lane, of_rank, rank, suit
from simgin.core.deadwood import best_discards, deadwood, deadwood_with, dearest, meldable
from simgin.core.jit import jit
from simgin.core.meldings import extension, points

__all__ = [
    "PACK", "best_discard", "best_discards", "bit", "chance", "count_after", "deadwood", "deadwood_of_melding", "deadwood_with", "dearest",
    "hits", "in_best_melding", "lane", "live_extensions", "lowest", "makes_meld", "meldable", "near", "nth", "of_rank", "pick", "popcount",
    "rank", "suit", "take_if", "three_card_melds", "value",
]  # fmt: skip


@jit
def take_if(wanted, legal):
    """The answer of a take policy: take, or else pass where that is a choice, or else the stock."""
    if wanted:
        return 1
    return 2 if legal & 4 else 0


@jit
def value(card, rules):
    """Deadwood value of a card."""
    return rules.value[0, card % 13]


@jit
def pick(cards, noise):
    """One of some cards (mask, not empty) at random, by `view.noise`."""
    if cards & (cards - 1) == 0:
        return lowest(cards)
    return nth(cards, (noise * popcount(cards)) >> 53)


@jit
def chance(p, noise):
    """Whether a bet with chance p comes off, by `view.noise`."""
    return noise < p * 9007199254740992.0


@jit
def best_discard(hand, legal, rules):
    """The discard that leaves least deadwood; of several the dearest, then the lowest card number."""
    cards = best_discards(hand, legal, rules)[1]
    return lowest(dearest(cards, rules)[0])


@jit
def count_after(hand, card, rules):
    """Deadwood of the best ten cards after taking `card` into a hand of ten and discarding another."""
    return best_discards(hand | 1 << card, hand, rules)[0]


@jit
def makes_meld(hand, card, rules):
    """Whether some meld made of the hand and the card contains the card. It need not lower the deadwood."""
    if popcount(hand & of_rank(card % 13)) >= 2:
        return True
    s = card // 13
    one = 1 << (card % 13)
    if rules.lane[0, lane(hand, s) | one] & one:
        return True
    return rules.n_rainbows > 0 and makes_rainbow(hand, card, rules)


@jit
def makes_rainbow(hand, card, rules):
    """Whether some rainbow made of the hand and the card contains the card."""
    for i in range(rules.n_rainbows):
        if rules.rainbows[i] >> card & 1 and rules.rainbows[i] & ~(hand | 1 << card) == 0:
            return True
    return False


@jit
def in_best_melding(hand, card, rules):
    """Whether some least-deadwood melding of the hand with the card has the card in a meld."""
    eleven = hand | 1 << card
    return makes_meld(hand, card, rules) and deadwood_with(eleven, card, rules) == deadwood(eleven, rules)


@jit
def deadwood_of_melding(hand, melds, rules):
    """What a row of `view.meldings` leaves over of the hand, in points."""
    return points(hand & ~(melds[0] | melds[1] | melds[2]), rules, 0)


@jit
def live_extensions(melds, cards, rules):
    """How many of some cards (mask) could be laid off directly on a row of `view.meldings`."""
    out = 0
    for k in range(3):
        if melds[k]:
            out |= extension(melds[k], rules)
    return popcount(out & cards)


@jit
def hits(hand, cards, rules):
    """How many of some cards (mask) would lie in a meld if each were added to the hand."""
    n = 0
    while cards:
        n += makes_meld(hand, lowest(cards), rules)
        cards &= cards - 1
    return n


@jit
def near(card):
    """The cards of the same rank and those of the same suit within two ranks, without the card itself (no round the corner)."""
    r = card % 13
    span = (0b11111 << r >> 2) & 0x1FFF
    return (of_rank(r) | span << (13 * (card // 13))) & ~(1 << card)


@jit
def three_card_melds(card):
    """Three-card melds through a rank, ace low: A and K 4, 2 and Q 5, the others 6 (REFERENCE.md 1.1)."""
    edge = min(card % 13, 12 - card % 13)
    return 4 + min(edge, 2)
