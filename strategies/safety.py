"""Rules of thumb about safe and dangerous discards: what the opponent wants and may believe.

Each rule considers the cards that the opponent took (`view.known`) and those that the opponent
discarded or declined (`view.shed`), and puts a cost on cards (see simgin/toolkit/penalties.py).
Near a card are its rank and its suit within two ranks; live melds are the three-card melds that the
opponent could still make.

Source: about.com, pokerplayer365, jdh8/gin-rummy-engine and MARJJ (safe-neighbour); skillgames.zone
(its `ignore_first`, growing-safety, lay-off-late, wild); onlinerummy.co.uk (bait-shy); a page of
rules (suit-order); about.com (starve); Dreyfus at remarkablemedicine.com (live-melds); rubl.com
(wild); several (bait). The web pages are cited from reports and were not read again; every number
is this project's unless stated otherwise.
"""

from simgin.strategy import discard, helper, param
from simgin.toolkit import (
    ALL_CARDS,
    bernoulli,
    best_discards,
    cards_of_rank,
    count_possible_melds,
    discard_with_card_penalties,
    discard_with_penalty,
    first_discards,
    highest_value_cards,
    last_opponent_discard,
    lowest_bit,
    makes_meld,
    neighbours,
    neighbours_of_any,
    touching_cards,
)


@discard(
    cost=param(0.5, 0.0, 99.0, "price of a card near nothing that he discarded or declined"),
    ignore_first=param(0, 0, 100, "number of his first discards that are ignored"),
)
def safe_neighbour(view, rules, params):
    """Discard near what the opponent discarded or declined (about.com, pokerplayer365)."""
    return discard_with_penalty(
        view,
        rules,
        ~neighbours_of_any(view.shed & ~first_discards(view, 1 - view.seat, params[1])),
        params[0],
    )


@discard(cost=param(0.5, 0.0, 99.0, "price of a card of that suit or rank"))
def bait_shy(view, rules, params):
    """Avoid suit and rank of the last discard, which may be bait (onlinerummy.co.uk)."""
    bait = last_opponent_discard(view)
    return discard_with_penalty(
        view,
        rules,
        0 if bait < 0 else cards_of_rank(bait % 13) | 0x1FFF << (13 * (bait // 13)),
        params[0],
    )


@discard(
    neighbour=param(0.5, 0.0, 99.0, "points in favour of a card next in rank, in another suit"),
    same=param(0.25, 0.0, 99.0, "points in favour of a card of the same rank"),
)
def suit_order(view, rules, params):
    """Discard a 5 or 7 of another suit after the opponent's 6D, otherwise another 6.

    The advice is from a page of rules.
    """
    return discard_with_card_penalties(
        view, rules, params, _suit_order_cost, last_opponent_discard(view)
    )


@helper
def _suit_order_cost(view, rules, params, card, last):
    """Return the cost of a card by the opponent's last discard."""
    if last < 0:
        return 0.0
    if card % 13 == last % 13:
        return -params[1]
    if abs(card % 13 - last % 13) == 1 and card // 13 != last // 13:
        return -params[0]
    return 0.0


@discard(cost=param(1.5, 0.0, 99.0, "price of a card near one he took; 10 all but forbids it"))
def starve(view, rules, params):
    """Never discard near a card that the opponent took (about.com)."""
    return discard_with_penalty(view, rules, neighbours_of_any(view.known), params[0])


@discard(
    weight=param(0.1, 0.0, 20.0, "price for each three-card meld he could make with the card"),
    early=param(4, 0, 500, "number of his first discards that rule out melds near them"),
)
def live_melds(view, rules, params):
    """Discard the card that fits the fewest melds still open to the opponent (Dreyfus)."""
    return discard_with_card_penalties(
        view, rules, params, _live_meld_cost, meldable_by_opponent(view, params[1])
    )


@helper
def _live_meld_cost(view, rules, params, card, others):
    """Return the cost of a card by the opponent's live melds."""
    return params[0] * count_possible_melds(card, others, rules)


@helper
def meldable_by_opponent(view, early):
    """Return the cards that the opponent may meld with.

    These are the known cards of the opponent, and unseen cards that touch none of the opponent's
    early discards.
    """
    return view.unseen & ~touching_cards(first_discards(view, 1 - view.seat, early)) | view.known


@discard(
    base=param(0.0, 0.0, 20.0, "price of each live meld at the start, without deadwood"),
    turn=param(0.02, 0.0, 20.0, "rise of that price with each own turn"),
    count=param(0.005, 0.0, 20.0, "rise of that price with each point of own deadwood"),
)
def growing_safety(view, rules, params):
    """Play safer the longer the deal lasts and the more deadwood you hold (skillgames.zone)."""
    return discard_with_card_penalties(view, rules, params, _growing_cost, view.unseen | view.known)


@helper
def _growing_cost(view, rules, params, card, others):
    """Return the cost of a card by live melds, turn and own deadwood."""
    weight = params[0] + params[1] * view.own_turn + params[2] * view.count
    return weight * count_possible_melds(card, others, rules)


@discard(
    turn=param(6, 1, 500, "own turn from which it is late"),
    cost=param(0.5, 0.0, 99.0, "price of a card that could meld with two unseen cards"),
)
def lay_off_late(view, rules, params):
    """Prefer, late, discards that can only be laid off to new melds (skillgames.zone)."""
    if view.own_turn < params[0]:
        return discard_with_penalty(view, rules, 0, 0.0)
    return discard_with_card_penalties(view, rules, params, _new_meld_cost, view.unseen)


@helper
def _new_meld_cost(view, rules, params, card, unseen):
    """Return the cost of a card that could meld with two unseen cards."""
    return params[1] if count_possible_melds(card, unseen, rules) else 0.0


@discard(
    turn=param(5, 1, 500, "own turn from which wild cards bear a price"),
    cost=param(5.5, 0.0, 99.0, "price; 5.5 forbids them if another discard costs up to 5 more"),
)
def wild(view, rules, params):
    """Keep cards near which no card was seen, from turn 5 on (rubl.com, skillgames.zone)."""
    seen = ALL_CARDS & ~view.unseen
    dear = 0 if view.own_turn < params[0] else _cards_near_nothing_seen(view.hand, seen)
    return discard_with_penalty(view, rules, dear, params[1])


@helper
def _cards_near_nothing_seen(hand, seen):
    """Return the cards of the hand near which no other card was seen; own cards count as seen."""
    cards, rest = 0, hand
    while rest:
        card = lowest_bit(rest)
        rest &= rest - 1
        if neighbours(card) & seen == 0:
            cards |= 1 << card
    return cards


@discard(
    noise=True,
    e=param(1.0, 0.0, 1.0, "probability of baiting where it is possible"),
    until=param(4, 0, 500, "last own turn on which to bait"),
    cost=param(5, 0, 99, "most deadwood to give up for it"),
)
def bait(view, rules, params):
    """Discard near a wanted card early, so that it looks safe to discard (several advisers)."""
    count, cards = view.least, view.best
    if view.own_turn <= params[1] and bernoulli(params[0], view.noise):
        baiting = _bait_cards(view.hand, view.legal, view.unseen, rules)
        left, baits = best_discards(view.hand, baiting, rules)
        if left <= count + params[2]:
            cards = baits
    return lowest_bit(highest_value_cards(cards, rules)[0])


@helper
def _bait_cards(hand, legal, unseen, rules):
    """Return the discards near an unseen card that would meld with the cards kept."""
    baits = 0
    while legal:
        card = lowest_bit(legal)
        legal &= legal - 1
        wanted = neighbours(card) & unseen
        while wanted:
            if makes_meld(hand & ~(1 << card), lowest_bit(wanted), rules):
                baits |= 1 << card
                break
            wanted &= wanted - 1
    return baits
