"""Elementary discard policies: which card to throw."""

from simgin.strategy import choice, discard, flag, helper
from simgin.toolkit import (
    PACK,
    best_discards,
    deadwood,
    dearest,
    hits,
    lowest,
    of_rank,
    pick,
    three_card_melds,
)


@discard(noise=True)
def uniform(view, rules, params):
    """Any legal card, equal chances."""
    return pick(view.legal, view.noise)


@discard(noise=True, tie=choice("high", "random", "middle", about="dearest card, at random, or the rank in fewest melds"))
def low(view, rules, params):
    """The card that leaves least deadwood; ties by `tie`."""
    cards = best_discards(view.hand, view.legal, rules)[1]
    if params[0] == 1:
        return pick(cards, view.noise)
    if params[0] == 2:
        return lowest(dearest(_fewest_melds(cards), rules)[0])
    return lowest(dearest(cards, rules)[0])


@helper
def _fewest_melds(cards):
    """Those of some cards whose rank lies in fewest three-card melds."""
    best, kept = 99, 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        melds = three_card_melds(card)
        if melds <= best:
            kept = (kept if melds == best else 0) | 1 << card
            best = melds
    return kept


@discard
def loose_high(view, rules, params):
    """The dearest loose card of the best melding of all eleven cards, which is not always the best discard (OpenSpiel's bot)."""
    whole = deadwood(view.hand, rules)
    best, value = -1, -1
    rest = view.legal
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        loose = deadwood(view.hand & ~(1 << card), rules) == whole - rules.value[0, card % 13]
        if loose and rules.value[0, card % 13] > value:
            best, value = card, rules.value[0, card % 13]
    return best if best >= 0 else lowest(dearest(view.legal, rules)[0])


@discard(name="hits", keep_pairs=flag(False, "never break up two neighbours of a suit while another discard exists"))
def most_hits(view, rules, params):
    """Keep the ten cards that most unseen cards would give a meld; then least deadwood, then the dearest (Truong and Neller)."""
    legal = view.legal
    if params[0] and legal & ~_neighbours(view.hand):
        legal &= ~_neighbours(view.hand)
    best, best_hits, best_count = -1, -1, 0
    while legal:
        card = lowest(dearest(legal, rules)[0])
        legal &= ~(1 << card)
        ten = view.hand & ~(1 << card)
        n, count = hits(ten, view.unseen, rules), deadwood(ten, rules)
        if n > best_hits or (n == best_hits and count < best_count):
            best, best_hits, best_count = card, n, count
    return best


@helper
def _neighbours(hand):
    """The cards of a hand with a neighbour of their suit in it."""
    not_kings = PACK & ~of_rank(12)
    up = (hand & not_kings) << 1 & hand
    down = hand >> 1 & not_kings & hand
    return up | down
