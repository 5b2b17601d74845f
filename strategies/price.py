"""What the rules of thumb about discards share: cards that bear a price in points, traded against deadwood, and the words for them.

An adviser says which cards to part with and which to hold, hardly ever at what cost. Here every such rule is gold's discard with a
price on some cards: thrown is the card for which deadwood left behind plus price is least; ties: the dearest, then the lowest card
number. A price below one point only decides ties; one of ten or more is a command, as no card counts more.

Words: a card is *loose* if some least-deadwood melding leaves it over. Two loose cards are *partners* if one more card could make a
meld of them (same rank, or of a suit and at most two ranks apart); such a card is a *completer*, *live* while it is unseen.
"""

from simgin.strategy import helper
from simgin.toolkit import best_discards, deadwood, dearest, lane, lowest, meldable, of_rank, popcount


@helper
def priced(view, rules, dear, price):
    """The best discard where the cards in the mask `dear` bear a price."""
    count, cards = best_discards(view.hand, view.legal & ~dear, rules)
    others, more = best_discards(view.hand, view.legal & dear, rules)
    if others + price < count:
        cards = more
    elif others + price == count:
        cards |= more
    return lowest(dearest(cards, rules)[0])


@helper
def least(view, rules, params, price, cards):
    """The best discard where each card bears a `price(view, rules, params, card, cards)`; the mask is the policy's own."""
    whole, in_melds = deadwood(view.hand, rules), meldable(view.hand, rules)
    best, cost = -1, 1e18
    rest = view.legal
    while rest:
        card = lowest(dearest(rest, rules)[0])
        rest &= ~(1 << card)
        left = deadwood(view.hand & ~(1 << card), rules) if in_melds >> card & 1 else whole - rules.value[0, card % 13]
        total = left + price(view, rules, params, card, cards)
        if total < cost:
            best, cost = card, total
    return best


@helper
def loose_cards(hand, rules):
    """The cards of a hand that are loose, each for itself."""
    whole, in_melds = deadwood(hand, rules), meldable(hand, rules)
    cards = hand & ~in_melds
    while in_melds:
        card = lowest(in_melds)
        in_melds &= in_melds - 1
        if deadwood(hand & ~(1 << card), rules) == whole - rules.value[0, card % 13]:
            cards |= 1 << card
    return cards


@helper
def kin(card, rules):
    """The cards that can be partners of a card: its rank, and its suit within two ranks, as far as runs go there."""
    through, ranks = 1 << (card % 13), 0
    for i in range(11 + rules.ace_runs):  # the runs of three cards: A23 to JQK, then QKA, then KA2
        if rules.runs[i] & through:
            ranks |= rules.runs[i]
    return (of_rank(card % 13) | ranks << (13 * (card // 13))) & ~(1 << card)


@helper
def completers(one, other, rules):
    """The cards each of which makes a three-card set or run with two cards; none if the two cannot be partners."""
    if one % 13 == other % 13:
        return of_rank(one % 13) & ~(1 << one) & ~(1 << other)
    if one // 13 != other // 13:
        return 0
    two, ranks = 1 << (one % 13) | 1 << (other % 13), 0
    for i in range(11 + rules.ace_runs):
        if two & ~rules.runs[i] == 0:
            ranks |= rules.runs[i] & ~two
    return ranks << (13 * (one // 13))


@helper
def melds_through(card, others, rules):
    """How many three-card sets and runs a card could make with two of some other cards (mask)."""
    same = popcount(of_rank(card % 13) & others & ~(1 << card))
    own, through, melds = lane(others, card // 13), 1 << (card % 13), same * (same - 1) // 2
    for i in range(11 + rules.ace_runs):
        if rules.runs[i] & through and rules.runs[i] & ~(own | through) == 0:
            melds += 1
    return melds


@helper
def chances(card, cards, unseen, rules):
    """How many live completers the best of a card's pairs with some others (mask) has; -1 if it has no partner among them."""
    best = -1
    others = cards & kin(card, rules)
    while others:
        other = lowest(others)
        others &= others - 1
        best = max(best, popcount(completers(card, other, rules) & unseen))
    return best
