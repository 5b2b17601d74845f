"""Your own hand as it is: what a card adds to it, what it leaves over, what fits its melds."""

from simgin.core.bits import lowest, popcount
from simgin.core.cards import lane, of_rank
from simgin.core.deadwood import best_discards, deadwood, deadwood_with, dearest, meldable
from simgin.core.jit import jit
from simgin.core.meldings import extension
from simgin.core.meldings import points as points_of
from simgin.core.planes import cards_in_runs, cards_in_sets


@jit
def value(card, rules):
    """Deadwood value of a card."""
    return rules.value[0, card % 13]


@jit
def points(cards, rules):
    """Total value of some cards, melded or not."""
    return points_of(cards, rules, 0)


@jit
def of_ranks(ranks):
    """All cards of some ranks (thirteen bits)."""
    return ranks | ranks << 13 | ranks << 26 | ranks << 39


@jit
def highest(cards):
    """The card of highest rank, king first; ties: the lowest number. -1 for no cards."""
    for r in range(12, -1, -1):
        if cards & of_rank(r):
            return lowest(cards & of_rank(r))
    return -1


@jit
def best_discard(hand, legal, rules):
    """The discard that leaves least deadwood; ties: the most valuable, then the lowest number."""
    cards = best_discards(hand, legal, rules)[1]
    return lowest(dearest(cards, rules)[0])


@jit
def count_after(hand, card, rules):
    """Least deadwood after taking `card` into a hand of ten and discarding another card."""
    return best_discards(hand | 1 << card, hand, rules)[0]


@jit
def lowers(view, rules):
    """Whether the card on offer would lower the deadwood."""
    return count_after(view.hand, view.taken_offer, rules) < view.count


@jit
def discards_leaving(hand, legal, most, rules):
    """The legal discards that leave at most `most` deadwood."""
    cards = 0
    while legal:
        one = legal & -legal
        legal ^= one
        if deadwood(hand & ~one, rules) <= most:
            cards |= one
    return cards


@jit
def makes_meld(hand, card, rules):
    """Whether some meld made of the hand and the card contains the card.

    The deadwood need not fall.
    """
    return meldable(hand | 1 << card, rules) >> card & 1 != 0


@jit
def in_best_melding(hand, card, rules):
    """Whether some least-deadwood melding of the hand and the card has the card in a meld."""
    if not makes_meld(hand, card, rules):
        return False
    eleven = hand | 1 << card
    if rules.by_planes[0] and cards_in_runs(eleven) & cards_in_sets(eleven) == 0:
        return True  # nothing is in conflict, so all melds are made
    return deadwood_with(eleven, card, rules) == deadwood(eleven, rules)


@jit
def deadwood_of_melding(hand, melds, rules):
    """Deadwood that a row of `view.meldings` leaves of the hand."""
    return points(hand & ~(melds[0] | melds[1] | melds[2]), rules)


@jit
def live_extensions(melds, cards, rules):
    """How many of some cards (mask) could be laid off directly on a row of `view.meldings`."""
    out = 0
    for k in range(3):
        if melds[k]:
            out |= extension(melds[k], rules)
    return popcount(out & cards)


@jit
def loose(hand, rules):
    """The cards of up to eleven that some least-deadwood melding leaves over.

    Discarding one of them saves its whole value.
    """
    whole = deadwood(hand, rules)
    found = hand & ~meldable(hand, rules)
    rest = hand & ~found
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if deadwood(hand & ~(1 << card), rules) == whole - rules.value[0, card % 13]:
            found |= 1 << card
    return found


@jit
def left_over(hand, first, rules):
    """The cards that one least-deadwood melding of up to eleven leaves over.

    Cards in `first` are preferred where either could be left over.
    """
    plain = hand & ~meldable(hand, rules)
    left = deadwood(hand, rules) - points(plain, rules)
    if left == 0:
        return plain
    kept, left = _spare(hand & ~plain, left, first, rules)
    return hand & ~_spare(kept, left, ~first, rules)[0]


@jit
def _spare(hand, left, cards, rules):
    """(hand, deadwood) after discarding, in turn, those of `cards` that save their whole value."""
    cards &= hand
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if deadwood(hand & ~(1 << card), rules) == left - rules.value[0, card % 13]:
            hand &= ~(1 << card)
            left -= rules.value[0, card % 13]
    return hand, left


@jit
def extensions(hand, rules):
    """Cards outside a hand that could be laid off directly on some meld made of its cards."""
    out = 0
    for r in range(13):
        rank = hand & of_rank(r)
        if popcount(rank) == 3:
            out |= of_rank(r) & ~rank
    for s in range(4):
        own = lane(hand, s)
        if rules.lane[0, own] & 0x1FFF:
            for i in range(rules.n_runs):
                if rules.runs[i] & ~own == 0:
                    out |= extension(rules.runs[i] << (13 * s), rules)
    return out & ~hand
