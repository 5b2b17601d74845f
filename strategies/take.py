"""Elementary take policies: when to take the card on offer."""

from simgin.core.rules import BAN_DRAWN
from simgin.strategy import choice, helper, param, take
from simgin.toolkit import (
    best_discards,
    chance,
    count_after,
    hits,
    in_best_melding,
    lowest,
    makes_meld,
    popcount,
    take_if,
)


@take
def never(view, rules, params):
    """Never: pass, or draw from the stock."""
    return take_if(False, view.legal)


@take(noise=True, p=param(0.5, 0.0, 1.0, "chance of taking"))
def random(view, rules, params):
    """With probability p."""
    return take_if(chance(params[0], view.noise), view.legal)


@take
def meld_any(view, rules, params):
    """If some meld of the hand with the card contains the card, though it need not lower the deadwood (EAAI's Simple)."""
    return take_if(makes_meld(view.hand, view.taken_offer, rules), view.legal)


@take
def meld_best(view, rules, params):
    """If some least-deadwood melding of the eleven cards has the card in a meld."""
    return take_if(in_best_melding(view.hand, view.taken_offer, rules), view.legal)


@take
def lower(view, rules, params):
    """If the best ten of the eleven cards have strictly less deadwood than the ten held (Gold, jdh8)."""
    return take_if(count_after(view.hand, view.taken_offer, rules) < view.count, view.legal)


@take
def meld_best_lower(view, rules, params):
    """If the card lies in a meld of the best melding and lowers the deadwood."""
    wanted = count_after(view.hand, view.taken_offer, rules) < view.count
    return take_if(wanted and in_best_melding(view.hand, view.taken_offer, rules), view.legal)


@take
def knock_or_meld(view, rules, params):
    """If it allows a knock at once, or the card lies in a meld of the best melding (OpenSpiel's simple bot)."""
    knocks = count_after(view.hand, view.taken_offer, rules) <= view.limit
    return take_if(knocks or in_best_melding(view.hand, view.taken_offer, rules), view.legal)


@take(by=choice("deadwood", "hits", about="value of a hand: least deadwood, or most cards that would make a meld"))
def value(view, rules, params):
    """If the best hand after taking is worth more than the mean of the best hands after drawing each unseen card."""
    by_hits = params[0] == 1
    taken = _worth(view.hand, view.taken_offer, view.hand, view.unseen, by_hits, rules)
    total = 0
    rest = view.unseen
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        legal = view.hand if rules.discard_ban == BAN_DRAWN else view.hand | 1 << card
        total += _worth(view.hand, card, legal, view.unseen, by_hits, rules)
    return take_if(taken * popcount(view.unseen) > total, view.legal)


@helper
def _worth(hand, card, legal, unseen, by_hits, rules):
    """Worth of the best ten cards of a hand and one more; the card is no longer unseen."""
    eleven = hand | 1 << card
    if not by_hits:
        return -best_discards(eleven, legal, rules)[0]
    most = 0
    while legal:
        most = max(most, hits(eleven & ~(legal & -legal), unseen & ~(1 << card), rules))
        legal &= legal - 1
    return most
