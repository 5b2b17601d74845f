"""Rules of thumb about high and low cards: which points to shed and which cards to hold.

Advisers agree that high cards are costly and differ on when to discard them. A rule names some
cards, and these or all others get a cost (see simgin/toolkit/penalties.py). The size of the cost is
this project's reading: the sources state preferences without numbers.

Source: about.com and Hoyle's tradition (high-first); onlinerummy.co.uk (high-late); rubl.com
(many-high, triangle, keep-low-late); Heisenbot (Eicholtz et al., EAAI-21) and Mishra and Aggarwal,
EAAI-21 (keep-low). The web pages are cited from reports and were not read again.
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
def _high_cards():
    """Return the mask of tens and face cards."""
    return cards_of_ranks(0b1111 << 9)


@discard(cost=param(10.0, 0.0, 99.0, "price of each card with a partner or in a meld"))
def high_first(view, rules, params):
    """Discard high cards first: the highest unmatched card without a partner (about.com)."""
    cards = unmatched_cards(view.hand, rules)
    return discard_with_penalty(view, rules, ~cards | cards_with_partner(cards, rules), params[0])


@discard(
    until=param(4, 0, 500, "first own turn on which high cards have no price"),
    cost=param(10.0, 0.0, 99.0, "their price before that turn"),
)
def high_late(view, rules, params):
    """Keep tens and face cards while opponents still collect them (onlinerummy.co.uk)."""
    return discard_with_penalty(
        view, rules, _high_cards() if view.own_turn < params[0] else 0, params[1]
    )


@discard(
    many=param(4, 1, 11, "number of unmatched high cards that is too many"),
    hold=param(3.0, 0.0, 99.0, "with fewer, the price of an unmatched card with a partner"),
)
def many_high(view, rules, params):
    """Discard tens and face cards first if four are unmatched; else hold pairs (rubl.com)."""
    cards = unmatched_cards(view.hand, rules)
    held = cards_with_partner(cards, rules) if popcount(cards & _high_cards()) < params[0] else 0
    return discard_with_penalty(view, rules, held, params[1])


@discard(
    until=param(6, 0, 500, "own turn on which it is broken up"),
    cost=param(3.0, 0.0, 99.0, "price of its cards before that turn"),
)
def triangle(view, rules, params):
    """Keep one high triangle, like KS KH QS, for the first turns (rubl.com)."""
    kept = (
        _triangle(unmatched_cards(view.hand, rules) & _high_cards())
        if view.own_turn < params[0]
        else 0
    )
    return discard_with_penalty(view, rules, kept, params[1])


@helper
def _triangle(cards):
    """Return a corner, another card of its rank and a neighbour in its suit; 0 if none.

    Of several, the one with the highest corner, then with the lowest card numbers.
    """
    for r in range(12, 8, -1):
        corners = cards & cards_of_rank(r)
        while corners:
            corner = corners & -corners
            corners ^= corner
            mates, neighbours = (
                cards & cards_of_rank(r) & ~corner,
                cards & touching_cards(corner) & ~cards_of_rank(r),
            )
            if mates and neighbours:
                return corner | mates & -mates | neighbours & -neighbours
    return 0


@discard(
    rank=param(2, 1, 13, "highest rank that is kept, ace 1"),
    cost=param(1.5, 0.0, 99.0, "price of those cards if unmatched"),
)
def keep_low(view, rules, params):
    """Keep aces and twos even without prospects (Heisenbot, Mishra and Aggarwal)."""
    return discard_with_penalty(
        view, rules, unmatched_cards(view.hand, rules) & _ranks_to(params[0]), params[1]
    )


@helper
def _ranks_to(rank):
    """Return all cards from the ace up to a rank (ace 1)."""
    return cards_of_ranks((1 << int(rank)) - 1)


@discard(
    rank=param(5, 1, 13, "highest rank that is kept, ace 1"),
    turn=param(8, 1, 500, "own turn from which the opponent counts as near gin"),
    taken=param(3, 1, 11, "number of his known cards with which he does so earlier"),
    cost=param(1.5, 0.0, 99.0, "price of low cards that could be laid off on what he holds"),
)
def keep_low_late(view, rules, params):
    """Keep low cards that fit what the opponent took, once it seems near gin (rubl.com)."""
    if view.own_turn < params[1] and popcount(view.known) < params[2]:
        return discard_with_penalty(view, rules, 0, 0.0)
    return discard_with_penalty(
        view, rules, _ranks_to(params[0]) & touching_cards(view.known), params[3]
    )
