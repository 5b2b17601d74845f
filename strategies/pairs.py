"""Rules of thumb about pairs and partial runs.

Which two cards are worth holding in hope of a third.

Gold sees no difference between a king with a partner and a king without. These rules put a price
(see simgin/toolkit/prices.py) on the loose cards that could become a meld, by how likely that is;
`middle` does so by the rank alone.

Source: rubl.com (inside-pairs, middle); about.com (dead-pairs-first); Larkin, Collicott and
Hiebel, "Tonic", EAAI-21 (break-pairs: holding pairs too long hurt). The web pages as reported, not
seen anew; the numbers of melds are counted.
"""

from simgin.strategy import discard, helper, param
from simgin.toolkit import (
    live_completers,
    loose,
    lowest,
    partners,
    priced,
    priced_each,
    three_card_melds,
    worth_holding,
)


@discard(
    weight=param(2.0, 0.0, 20.0, "price of a card for each whole pair that it is in"),
    inside=param(0.5, 0.0, 1.0, "what an inside pair counts for, like 4S 6S"),
)
def inside_pairs(view, rules, params):
    """Hold pairs; two of a suit with one rank between them count half (rubl.com)."""
    return priced_each(view, rules, params, _pair_price, loose(view.hand, rules))


@helper
def _pair_price(view, rules, params, card, cards):
    if not cards >> card & 1:
        return 0.0
    whole, inside = 0, 0
    others = cards & partners(card, rules)
    while others:
        other = lowest(others)
        others &= others - 1
        gap = abs(card % 13 - other % 13)
        if gap in (0, 1, 12):
            whole += 1
        else:
            inside += 1
    return params[0] * (whole + params[1] * inside)


@discard(bonus=param(0.5, 0.0, 99.0, "points by which dead pairs go before other cards"))
def dead_pairs_first(view, rules, params):
    """Throw dead pairs and partial runs first, those that no unseen card can complete.

    About.com.
    """
    cards = loose(view.hand, rules)
    dead, rest = 0, cards
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if live_completers(card, cards, view.unseen, rules) == 0:
            dead |= 1 << card
    return priced(view, rules, ~dead, params[0])


@discard(
    live=param(2, 1, 4, "live completers that make a pair worth holding"),
    until=param(6, 1, 500, "own turn on which all pairs are broken"),
    cost=param(3.0, 0.0, 99.0, "price of a card in a pair worth holding"),
)
def break_pairs(view, rules, params):
    """Hold a pair early and while two unseen cards complete it; break it after that (Tonic)."""
    if view.own_turn >= params[1]:
        return priced(view, rules, 0, 0.0)
    return priced(
        view,
        rules,
        worth_holding(loose(view.hand, rules), view.unseen, params[0], rules),
        params[2],
    )


@discard(
    weight=param(
        0.25,
        0.0,
        20.0,
        "price of a loose card for each three-card meld its rank lies in, beyond four",
    ),
    seven=param(0.25, 0.0, 20.0, "further price of a loose seven"),
)
def middle(view, rules, params):
    """Hold the middle cards, which lie in most melds, and a seven longest (rubl.com)."""
    return priced_each(view, rules, params, _middle_price, loose(view.hand, rules))


@helper
def _middle_price(view, rules, params, card, cards):
    if not cards >> card & 1:
        return 0.0
    return middle_price(card, params[0], params[1])


@helper
def middle_price(card, weight, seven):
    """What a rank is worth by the number of three-card melds through it."""
    return weight * (three_card_melds(card) - 4) + (seven if card % 13 == 6 else 0.0)
