"""Rules of thumb about taking the card on offer for more than what it saves at once.

Prospects, the first upcard, denial.

Each of them takes what `lower` takes (the best ten of the eleven cards count less than the ten
held) and something besides.

Source: rummytalk and skillgames.zone (speculate); tyskwo.com 2016 (upcard); Jacoby 1959, by its
list of contents (deny). None of them seen anew. A *two-way* partial meld is this project's
reading: the card and a loose card, with two unseen cards either of which completes them.
"""

from simgin.strategy import UPCARD, helper, param, take
from simgin.toolkit import (
    completers,
    count_after,
    loose,
    lowers,
    lowest,
    melds_through,
    partners,
    popcount,
    take_if,
)


@take(
    until=param(3, 0, 500, "last own turn on which to speculate"),
    count=param(50, 0, 200, "deadwood from which to speculate later, too"),
    partials=param(2, 1, 10, "new two-way partial melds that the card must make"),
)
def speculate(view, rules, params):
    """Take what lowers the count, and early also what begins two two-way partial melds.

    Rummytalk, skillgames.zone.
    """
    if lowers(view, rules):
        return take_if(True, view.legal)
    hopeful = view.own_turn <= params[0] or view.count >= params[1]
    return take_if(
        hopeful and _two_ways(view.hand, view.taken_offer, view.unseen, rules) >= params[2],
        view.legal,
    )


@helper
def _two_ways(hand, card, unseen, rules):
    """How many loose cards of the hand have at least two live completers with the card."""
    n = 0
    others = loose(hand, rules) & partners(card, rules)
    while others:
        n += popcount(completers(card, lowest(others), rules) & unseen) >= 2
        others &= others - 1
    return n


@take
def upcard(view, rules, params):
    """Always take the first upcard if you are asked first.

    Otherwise what lowers the count (tyskwo.com).
    """
    first = view.phase == UPCARD and view.seat != view.dealer
    return take_if(first or lowers(view, rules), view.legal)


@take(
    held=param(
        2, 1, 2, "cards of the meld that the opponent is known to hold; the others may be unseen"
    ),
    cost=param(3, 0, 99, "points that the count may rise by"),
)
def deny(view, rules, params):
    """Take what lowers the count and, at small cost, what would complete a meld of the opponent's.

    Advice of Jacoby.
    """
    rise = count_after(view.hand, view.taken_offer, rules) - view.count
    return take_if(rise < 0 or (rise <= params[1] and _denies(view, params[0], rules)), view.legal)


@helper
def _denies(view, held, rules):
    """Whether the card would complete a meld of the opponent's through cards known to be his.

    One or two of them are known; the other may be unseen.
    """
    if held == 2:
        return melds_through(view.taken_offer, view.known, rules) > 0
    mates = view.known | view.unseen
    return melds_through(view.taken_offer, mates, rules) > melds_through(
        view.taken_offer, view.unseen, rules
    )
