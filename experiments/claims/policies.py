"""Policies for testing claims about the rules (docs/reference/rules.md 14)."""

from simgin.strategy import PHASE_BLIND, knock, offer, param, take
from simgin.toolkit import count_outs, is_in_best_melding, lowers_deadwood, take_if

ACES = 1 | 1 << 13 | 1 << 26 | 1 << 39


@take(name="melded-aces")
def take_aces_only_for_melds(view, rules, params):
    """Take a card that lowers the deadwood, but an ace only for a meld (H12)."""
    is_useful = lowers_deadwood(view, rules)
    if ACES >> view.taken_offer & 1:
        is_useful = is_useful and is_in_best_melding(view.hand, view.taken_offer, rules)
    return take_if(is_useful, view.legal)


@knock(
    name="for-big-gin",
    k=param(5, 0, 500, "number of own turns in which to make any legal knock"),
    outs=param(1, 0, 52, "unseen cards that must meld with a gin hand for it to be declined"),
)
def decline_gin_for_big_gin(view, rules, params):
    """Knock in early turns, but decline gin if enough unseen cards would make big gin (H18)."""
    if view.ending_count > 0:
        return view.own_turn <= params[0]
    if view.ending != 1:
        return True
    ten = view.hand & ~(1 << view.ending_card)
    return count_outs(ten, view.unseen, rules) < params[1]


@offer(name="level")
def offer_if_match_is_level(view, rules, params):
    """Raise the die before the deal if both players have won equally many deals (H10)."""
    is_level = view.phase == PHASE_BLIND and view.own_deals == view.other_deals
    return view.stake + 1 if is_level else 0
