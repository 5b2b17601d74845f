"""Rules of thumb about taking the card on offer for more than what it saves at once: prospects, the first upcard, denial.

Each of them takes what `lower` takes (the best ten of the eleven cards count less than the ten held) and something besides.

Source: rummytalk and skillgames.zone (speculate); tyskwo.com 2016 (upcard); Jacoby 1959, by its list of contents (deny). None of them seen
anew. A *two-way* partial meld is this project's reading: the card and a loose card, with two unseen cards either of which completes them.
"""

from simgin_strategies.price import completers, kin, loose_cards, melds_through

from simgin.strategy import UPCARD, helper, param, take
from simgin.toolkit import count_after, lowest, popcount, take_if


@take(
    until=param(3, 0, 500, "last own turn on which to speculate"),
    count=param(50, 0, 200, "deadwood from which to speculate later, too"),
    partials=param(2, 1, 10, "new two-way partial melds that the card must make"),
)
def speculate(view, rules, params):
    """If it lowers the count, or early if it begins two two-way partial melds (rummytalk, skillgames.zone)."""
    if count_after(view.hand, view.taken_offer, rules) < view.count:
        return take_if(True, view.legal)
    hopeful = view.own_turn <= params[0] or view.count >= params[1]
    return take_if(hopeful and _two_ways(view.hand, view.taken_offer, view.unseen, rules) >= params[2], view.legal)


@helper
def _two_ways(hand, card, unseen, rules):
    """How many loose cards of the hand have at least two live completers with the card."""
    n = 0
    others = loose_cards(hand, rules) & kin(card, rules)
    while others:
        n += popcount(completers(card, lowest(others), rules) & unseen) >= 2
        others &= others - 1
    return n


@take
def upcard(view, rules, params):
    """The first player always takes the first upcard; otherwise if it lowers the count (tyskwo.com)."""
    first = view.phase == UPCARD and view.seat != view.dealer
    return take_if(first or count_after(view.hand, view.taken_offer, rules) < view.count, view.legal)


@take(
    held=param(2, 1, 2, "cards of the meld that the opponent is known to hold; the others may be unseen"),
    cost=param(3, 0, 99, "points that the count may rise by"),
)
def deny(view, rules, params):
    """If it lowers the count, or to deny the opponent a meld with the cards he took, at a small cost (Jacoby)."""
    rise = count_after(view.hand, view.taken_offer, rules) - view.count
    return take_if(rise < 0 or (rise <= params[1] and _denies(view, params[0], rules)), view.legal)


@helper
def _denies(view, held, rules):
    """Whether the card would complete a meld of the opponent's with one or two cards known to be his, the other perhaps unseen."""
    if held == 2:
        return melds_through(view.taken_offer, view.known, rules) > 0
    mates = view.known | view.unseen
    return melds_through(view.taken_offer, mates, rules) > melds_through(view.taken_offer, view.unseen, rules)
