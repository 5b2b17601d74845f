"""Rules of thumb about pairs and partial runs: which two cards to hold in hope of a third.

Gold does not distinguish a king with a partner from a king without one. These rules put a cost (see
simgin/toolkit/penalties.py) on the unmatched cards that could become a meld, by how likely that is;
`middle` depends only on the rank.

Source: rubl.com (inside-pairs, middle); about.com (dead-pairs-first); Larkin, Collicott and Hiebel,
"Tonic", EAAI-21 (break-pairs: holding pairs too long hurt). The web pages are cited from reports
and were not read again; the numbers of melds are counted.
"""

from simgin.strategy import discard, helper, param
from simgin.toolkit import (
    cards_worth_holding,
    count_live_completers,
    count_three_card_melds,
    discard_with_card_penalties,
    discard_with_penalty,
    lowest_bit,
    partners,
    unmatched_cards,
)


@discard(
    weight=param(2.0, 0.0, 20.0, "price of a card for each of its pairs"),
    inside=param(0.5, 0.0, 1.0, "share of a pair that an inside pair, like 4S 6S, counts"),
)
def inside_pairs(view, rules, params):
    """Hold pairs; an inside pair, like 4S 6S, counts half (rubl.com)."""
    return discard_with_card_penalties(
        view, rules, params, _pair_cost, unmatched_cards(view.hand, rules)
    )


@helper
def _pair_cost(view, rules, params, card, cards):
    """Return the cost of a card by its pairs."""
    if not cards >> card & 1:
        return 0.0
    whole, inside = 0, 0
    others = cards & partners(card, rules)
    while others:
        other = lowest_bit(others)
        others &= others - 1
        gap = abs(card % 13 - other % 13)
        if gap in (0, 1, 12):
            whole += 1
        else:
            inside += 1
    return params[0] * (whole + params[1] * inside)


@discard(bonus=param(0.5, 0.0, 99.0, "price of every card that is not in a dead pair"))
def dead_pairs_first(view, rules, params):
    """Discard pairs and partial runs that no unseen card can complete first (about.com)."""
    cards = unmatched_cards(view.hand, rules)
    dead, rest = 0, cards
    while rest:
        card = lowest_bit(rest)
        rest &= rest - 1
        if count_live_completers(card, cards, view.unseen, rules) == 0:
            dead |= 1 << card
    return discard_with_penalty(view, rules, ~dead, params[0])


@discard(
    live=param(2, 1, 4, "live completers that make a pair worth holding"),
    until=param(6, 1, 500, "own turn from which all pairs may be broken"),
    cost=param(3.0, 0.0, 99.0, "price of a card in a pair worth holding"),
)
def break_pairs(view, rules, params):
    """Hold pairs with two live completers in the early turns; break all pairs later (Tonic)."""
    if view.own_turn >= params[1]:
        return discard_with_penalty(view, rules, 0, 0.0)
    return discard_with_penalty(
        view,
        rules,
        cards_worth_holding(unmatched_cards(view.hand, rules), view.unseen, params[0], rules),
        params[2],
    )


@discard(
    weight=param(0.25, 0.0, 20.0, "price for each three-card meld of its rank, beyond four"),
    seven=param(0.25, 0.0, 20.0, "extra price of an unmatched seven"),
)
def middle(view, rules, params):
    """Hold middle cards, which are in most melds, and a seven longest (rubl.com)."""
    return discard_with_card_penalties(
        view, rules, params, _unmatched_middle_cost, unmatched_cards(view.hand, rules)
    )


@helper
def _unmatched_middle_cost(view, rules, params, card, cards):
    """Return the cost of an unmatched card by its rank."""
    if not cards >> card & 1:
        return 0.0
    return middle_cost(card, params[0], params[1])


@helper
def middle_cost(card, weight, seven):
    """Return the cost of a rank by the number of three-card melds through it."""
    return weight * (count_three_card_melds(card) - 4) + (seven if card % 13 == 6 else 0.0)
