"""Rules of thumb about which high and low cards to discard or hold.

Advisers agree that high cards are costly, but differ on when to discard them. Each rule selects
some cards and puts a penalty on these cards or on all other cards (see
simgin/toolkit/penalties.py). The penalties are this project's choice, because the sources do not
state numbers.

Source: about.com and Hoyle's tradition (high-first); onlinerummy.co.uk (high-late); rubl.com
(many-high, triangle, keep-low-late); Heisenbot (Eicholtz et al., EAAI-21) and Mishra and Aggarwal,
EAAI-21 (keep-low). The web pages are cited from secondary sources.
"""

from simgin.strategy import discard, helper, param
from simgin.toolkit import (
    cards_of_rank,
    cards_of_ranks,
    cards_with_partner,
    discard_with_penalty,
    popcount,
    touching_cards,
    unmatched_cards,
)


@helper
def _select_high_cards():
    """Return the mask of all tens and face cards."""
    return cards_of_ranks(0b1111 << 9)


@discard(
    name="high-first",
    cost=param(10.0, 0.0, 99.0, "penalty on each card with a partner or in a meld"),
)
def discard_high_cards_first(view, rules, params):
    """Discard unmatched cards without a partner first, starting with the highest (about.com)."""
    cards = unmatched_cards(view.hand, rules)
    return discard_with_penalty(view, rules, ~cards | cards_with_partner(cards, rules), params[0])


@discard(
    name="high-late",
    until=param(4, 0, 500, "first own turn on which high cards have no penalty"),
    cost=param(10.0, 0.0, 99.0, "penalty on high cards before that turn"),
)
def hold_high_cards_early(view, rules, params):
    """Hold tens and face cards while the opponent still collects them (onlinerummy.co.uk)."""
    return discard_with_penalty(
        view, rules, _select_high_cards() if view.own_turn < params[0] else 0, params[1]
    )


@discard(
    name="many-high",
    many=param(4, 1, 11, "minimum number of unmatched high cards to discard them first"),
    hold=param(3.0, 0.0, 99.0, "otherwise, penalty on an unmatched card with a partner"),
)
def discard_high_cards_if_many(view, rules, params):
    """Discard tens and face cards if four or more are unmatched; otherwise, hold pairs."""
    cards = unmatched_cards(view.hand, rules)
    held_cards = (
        cards_with_partner(cards, rules)
        if popcount(cards & _select_high_cards()) < params[0]
        else 0
    )
    return discard_with_penalty(view, rules, held_cards, params[1])


@discard(
    name="triangle",
    until=param(6, 0, 500, "first own turn on which the triangle may be broken up"),
    cost=param(3.0, 0.0, 99.0, "penalty on its cards before that turn"),
)
def hold_high_triangle(view, rules, params):
    """Hold one high triangle, such as KS KH QS, in the first turns of the deal (rubl.com)."""
    triangle_cards = (
        _find_triangle(unmatched_cards(view.hand, rules) & _select_high_cards())
        if view.own_turn < params[0]
        else 0
    )
    return discard_with_penalty(view, rules, triangle_cards, params[1])


@helper
def _find_triangle(cards):
    """Find a high triangle: a card, another card of its rank, and a neighbour in its suit.

    Ties are broken by the highest first card, then by the lowest card numbers.
    """
    for rank in range(12, 8, -1):
        corners = cards & cards_of_rank(rank)
        while corners:
            corner_card = corners & -corners
            corners ^= corner_card
            same_rank, neighbours = (
                cards & cards_of_rank(rank) & ~corner_card,
                cards & touching_cards(corner_card) & ~cards_of_rank(rank),
            )
            if same_rank and neighbours:
                return corner_card | same_rank & -same_rank | neighbours & -neighbours
    return 0


@discard(
    name="keep-low",
    rank=param(2, 1, 13, "highest rank to keep (ace = 1)"),
    cost=param(1.5, 0.0, 99.0, "penalty on such unmatched cards"),
)
def hold_low_cards(view, rules, params):
    """Hold aces and twos even if they cannot soon form a meld (Heisenbot, Mishra and Aggarwal)."""
    return discard_with_penalty(
        view,
        rules,
        unmatched_cards(view.hand, rules) & _select_cards_up_to_rank(params[0]),
        params[1],
    )


@helper
def _select_cards_up_to_rank(rank):
    """Return the mask of all cards from the ace up to a given rank.

    Ranks are counted from 1 for the ace.
    """
    return cards_of_ranks((1 << int(rank)) - 1)


@discard(
    name="keep-low-late",
    rank=param(5, 1, 13, "highest rank to keep (ace = 1)"),
    turn=param(8, 1, 500, "first own turn on which the opponent is assumed to be near gin"),
    taken=param(3, 1, 11, "number of known cards with which the opponent is near gin earlier"),
    cost=param(1.5, 0.0, 99.0, "penalty on low cards that could be laid off on the known cards"),
)
def hold_low_cards_late(view, rules, params):
    """Hold low cards next to cards that the opponent took if the opponent seems close to gin."""
    if view.own_turn < params[1] and popcount(view.known) < params[2]:
        return discard_with_penalty(view, rules, 0, 0.0)
    return discard_with_penalty(
        view, rules, _select_cards_up_to_rank(params[0]) & touching_cards(view.known), params[3]
    )
