"""Elementary take policies, which take or decline the card on offer."""

from simgin.core.rules_record import DISCARD_BAN_DRAWN
from simgin.strategy import choice, helper, param, take
from simgin.toolkit import (
    bernoulli,
    best_discards,
    count_outs,
    deadwood_after_taking,
    is_in_best_melding,
    lowers_deadwood,
    lowest_bit,
    makes_meld,
    popcount,
    take_if,
)


@take(name="never")
def take_never(view, rules, params):
    """Decline every card on offer, and pass or draw from the stock."""
    return take_if(False, view.legal)


@take(name="random", noise=True, p=param(0.5, 0.0, 1.0, "probability of taking the card"))
def take_at_random(view, rules, params):
    """Take the card on offer with probability p."""
    return take_if(bernoulli(params[0], view.noise), view.legal)


@take(name="meld-any")
def take_for_any_meld(view, rules, params):
    """Take any card that makes a meld, even if the deadwood does not decrease (EAAI's Simple)."""
    return take_if(makes_meld(view.hand, view.taken_offer, rules), view.legal)


@take(name="meld-best")
def take_for_best_melding(view, rules, params):
    """Take a card only if a best melding uses it (rubl.com, about.com)."""
    return take_if(is_in_best_melding(view.hand, view.taken_offer, rules), view.legal)


@take(name="lower")
def take_to_lower_deadwood(view, rules, params):
    """Take a card only if it lowers the deadwood (Gold, jdh8)."""
    return take_if(lowers_deadwood(view, rules), view.legal)


@take(name="meld-best-lower")
def take_for_best_melding_if_lower(view, rules, params):
    """Take a card only if a best melding uses it and the deadwood decreases (MARJJ)."""
    return take_if(
        lowers_deadwood(view, rules) and is_in_best_melding(view.hand, view.taken_offer, rules),
        view.legal,
    )


@take(name="knock-or-meld")
def take_to_knock_or_meld(view, rules, params):
    """Take a card if it allows a knock or if a best melding uses it (OpenSpiel's simple bot)."""
    allows_knock = deadwood_after_taking(view.hand, view.taken_offer, rules) <= view.limit
    return take_if(
        allows_knock or is_in_best_melding(view.hand, view.taken_offer, rules), view.legal
    )


@take(
    name="value",
    by=choice("deadwood", "hits", about="value of a hand: least deadwood, or most hits"),
)
def take_if_better_than_draw(view, rules, params):
    """Take the card on offer if the best hand with it is better than the mean hand after a draw."""
    counts_hits = params[0] == 1
    value_if_taken = _evaluate_hand(
        view.hand, view.taken_offer, view.hand, view.unseen, counts_hits, rules
    )
    total = 0
    remaining_cards = view.unseen
    while remaining_cards:
        card = lowest_bit(remaining_cards)
        remaining_cards &= remaining_cards - 1
        legal = view.hand if rules.discard_ban == DISCARD_BAN_DRAWN else view.hand | 1 << card
        total += _evaluate_hand(view.hand, card, legal, view.unseen, counts_hits, rules)
    return take_if(value_if_taken * popcount(view.unseen) > total, view.legal)


@helper
def _evaluate_hand(hand, card, legal, unseen, counts_hits, rules):
    """Return the highest value of a hand after adding a card and making the best discard."""
    eleven_cards = hand | 1 << card
    if not counts_hits:
        return -best_discards(eleven_cards, legal, rules)[0]
    best_value = 0
    while legal:
        best_value = max(
            best_value, count_outs(eleven_cards & ~(legal & -legal), unseen & ~(1 << card), rules)
        )
        legal &= legal - 1
    return best_value
