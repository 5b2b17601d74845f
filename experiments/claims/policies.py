"""Policies that claims of docs/reference/rules.md 14 are about, and no strategy has."""

from simgin.strategy import PHASE_BLIND, knock, offer, param, take
from simgin.toolkit import count_outs, is_in_best_melding, lowers_deadwood, take_if

ACES = 1 | 1 << 13 | 1 << 26 | 1 << 39


@take
def melded_aces(view, rules, params):
    """Take what lowers the deadwood, but an ace only for a meld (H12)."""
    good = lowers_deadwood(view, rules)
    if ACES >> view.taken_offer & 1:
        good = good and is_in_best_melding(view.hand, view.taken_offer, rules)
    return take_if(good, view.legal)


@knock(
    k=param(5, 0, 500, "number of own turns in which to make any legal knock"),
    outs=param(1, 0, 52, "unseen cards that must meld with a gin hand for it to be declined"),
)
def for_big_gin(view, rules, params):
    """Knock early, later gin; decline gin while enough cards may make it big gin (H18)."""
    if view.ending_count > 0:
        return view.own_turn <= params[0]
    if view.ending != 1:
        return True
    ten = view.hand & ~(1 << view.ending_card)
    return count_outs(ten, view.unseen, rules) < params[1]


@offer
def level(view, rules, params):
    """Offer one more than the die shows, blind, if both have won as many deals (H10)."""
    is_level = view.phase == PHASE_BLIND and view.own_deals == view.other_deals
    return view.stake + 1 if is_level else 0
