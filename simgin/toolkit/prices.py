"""Discards by cost: the cheapest card, where a rule of thumb sets a price in points on some cards.

Advice says which cards to part with and which to hold, but hardly ever at what cost. As a policy
such a rule is gold's discard with a price on some cards: the discard is the card with the least sum
of deadwood left behind and price; ties: the highest card, then the lowest number. A price below one
point only breaks ties; one of ten or more is a command, since no card counts more.

Costs and prices that differ from card to card are functions of the author's (`@helper`), called
with (view, rules, params, card, known). `known` is whatever the policy worked out before, for all
cards together: a number, a mask, an array or a tuple of these.
"""

from simgin.core.bits import lowest
from simgin.core.deadwood import best_discards, deadwood, dearest, meldable
from simgin.core.jit import jit, spliced


@jit
def priced(view, rules, dear, price):
    """Best discard where each of the cards in the mask `dear` costs a price in points."""
    count, cards = best_discards(view.hand, view.legal & ~dear, rules)
    others, more = best_discards(view.hand, view.legal & dear, rules)
    if others + price < count:
        cards = more
    elif others + price == count:
        cards |= more
    return lowest(dearest(cards, rules)[0])


@spliced
def priced_each(view, rules, params, price, known):
    """Best discard where each card has a price of its own.

    The price is `price(view, rules, params, card, known)`, in points.
    """
    whole, in_melds = deadwood(view.hand, rules), meldable(view.hand, rules)
    best, least = -1, 1e18
    rest = view.legal
    while rest:
        card = lowest(dearest(rest, rules)[0])
        rest &= ~(1 << card)
        left = (
            deadwood(view.hand & ~(1 << card), rules)
            if in_melds >> card & 1
            else whole - rules.value[0, card % 13]
        )
        cost = left + price(view, rules, params, card, known)
        if cost < least:
            best, least = card, cost
    return best


@spliced
def cheapest(view, rules, params, cards, cost, known):
    """The card of a mask with the least `cost(view, rules, params, card, known)`.

    Ties: the highest card, then the lowest number.
    """
    best, least = -1, 1e18
    while cards:
        card = lowest(dearest(cards, rules)[0])
        cards &= ~(1 << card)
        c = cost(view, rules, params, card, known)
        if c < least:
            best, least = card, c
    return best
