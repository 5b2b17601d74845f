"""Rules of thumb about safe and dangerous discards.

Each rule considers the cards that the opponent took (`view.known`) and the cards that the opponent
discarded or declined (`view.shed`), and puts a penalty on some cards (see
simgin/toolkit/penalties.py). The cards near a card have the same rank, or the same suit within two
ranks. Live melds are the three-card melds that the opponent could still make.

Source: about.com, pokerplayer365, jdh8/gin-rummy-engine and MARJJ (safe-neighbour); skillgames.zone
(its `ignore_first`, growing-safety, lay-off-late, wild); onlinerummy.co.uk (bait-shy); a page of
rules (suit-order); about.com (starve); Dreyfus at remarkablemedicine.com (live-melds); rubl.com
(wild); several (bait). The web pages are cited from secondary sources. The parameters are this
project's unless stated otherwise.
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
    name="safe-neighbour",
    cost=param(0.5, 0.0, 99.0, "penalty on a card that is not near a card the opponent shed"),
    ignore_first=param(0, 0, 100, "number of the opponent's first discards to ignore"),
)
def discard_near_shed_cards(view, rules, params):
    """Discard cards near cards that the opponent discarded or declined (about.com)."""
    return discard_with_penalty(
        view,
        rules,
        ~neighbours_of_any(view.shed & ~first_discards(view, 1 - view.seat, params[1])),
        params[0],
    )


@discard(name="bait-shy", cost=param(0.5, 0.0, 99.0, "penalty on a card of that suit or rank"))
def avoid_bait(view, rules, params):
    """Avoid the suit and the rank of the last discard, which can be bait (onlinerummy.co.uk)."""
    bait = last_opponent_discard(view)
    return discard_with_penalty(
        view,
        rules,
        0 if bait < 0 else cards_of_rank(bait % 13) | 0x1FFF << (13 * (bait // 13)),
        params[0],
    )


@discard(
    name="suit-order",
    neighbour=param(0.5, 0.0, 99.0, "bonus for a card of the adjacent rank in another suit"),
    same=param(0.25, 0.0, 99.0, "bonus for a card of the same rank"),
)
def discard_by_suit_order(view, rules, params):
    """After the opponent discards 6D, discard a 5 or 7 of another suit, or another 6.

    The advice is from a web page with rules.
    """
    return discard_with_card_penalties(
        view, rules, params, _compute_suit_order_cost, last_opponent_discard(view)
    )


@helper
def _compute_suit_order_cost(view, rules, params, card, last_discard):
    """Return the cost of discarding a card, given the opponent's last discard."""
    if last_discard < 0:
        return 0.0
    if card % 13 == last_discard % 13:
        return -params[1]
    if abs(card % 13 - last_discard % 13) == 1 and card // 13 != last_discard // 13:
        return -params[0]
    return 0.0


@discard(
    name="starve",
    cost=param(1.5, 0.0, 99.0, "penalty on cards near known cards; 10 nearly forbids them"),
)
def hold_cards_near_known_cards(view, rules, params):
    """Hold the cards that are near a card that the opponent took (about.com)."""
    return discard_with_penalty(view, rules, neighbours_of_any(view.known), params[0])


@discard(
    name="live-melds",
    weight=param(0.1, 0.0, 20.0, "penalty per three-card meld that the opponent could make"),
    early=param(4, 0, 500, "number of the opponent's first discards that rule out nearby melds"),
)
def discard_card_in_fewest_live_melds(view, rules, params):
    """Discard the card that is part of the fewest melds open to the opponent (Dreyfus)."""
    return discard_with_card_penalties(
        view, rules, params, _compute_live_meld_cost, find_opponent_meld_cards(view, params[1])
    )


@helper
def _compute_live_meld_cost(view, rules, params, card, meldable_cards):
    """Return the cost of discarding a card, including a penalty for live melds."""
    return params[0] * count_possible_melds(card, meldable_cards, rules)


@helper
def find_opponent_meld_cards(view, n_early_discards):
    """Return the cards that the opponent could use to make melds.

    The result contains the known cards of the opponent, and unseen cards that are not next to an
    early discard of the opponent.
    """
    early_discards = first_discards(view, 1 - view.seat, n_early_discards)
    return view.unseen & ~touching_cards(early_discards) | view.known


@discard(
    name="growing-safety",
    base=param(0.0, 0.0, 20.0, "penalty per live meld at the start, without deadwood"),
    turn=param(0.02, 0.0, 20.0, "increase of that penalty per own turn"),
    count=param(0.005, 0.0, 20.0, "increase of that penalty per point of own deadwood"),
)
def discard_more_safely_later(view, rules, params):
    """Discard more safely late in the deal and with high deadwood (skillgames.zone)."""
    return discard_with_card_penalties(
        view, rules, params, _compute_growing_safety_cost, view.unseen | view.known
    )


@helper
def _compute_growing_safety_cost(view, rules, params, card, meldable_cards):
    """Return the cost of a discard, given its live melds, the turn and the deadwood."""
    weight = params[0] + params[1] * view.own_turn + params[2] * view.count
    return weight * count_possible_melds(card, meldable_cards, rules)


@discard(
    name="lay-off-late",
    turn=param(6, 1, 500, "first own turn of the late stage"),
    cost=param(0.5, 0.0, 99.0, "penalty on a card that could meld with two unseen cards"),
)
def discard_lay_off_cards_late(view, rules, params):
    """Late in the deal, discard cards that can be laid off but not melded (skillgames.zone)."""
    if view.own_turn < params[0]:
        return discard_with_penalty(view, rules, 0, 0.0)
    return discard_with_card_penalties(view, rules, params, _compute_new_meld_cost, view.unseen)


@helper
def _compute_new_meld_cost(view, rules, params, card, unseen):
    """Return the cost of a discard that the opponent could meld with two unseen cards."""
    return params[1] if count_possible_melds(card, unseen, rules) else 0.0


@discard(
    name="wild",
    turn=param(5, 1, 500, "first own turn on which wild cards have a penalty"),
    cost=param(5.5, 0.0, 99.0, "penalty; 5.5 avoids wild cards at a cost of up to 5 points"),
)
def hold_wild_cards(view, rules, params):
    """From turn 5 on, hold cards that have no seen card near them (rubl.com, skillgames.zone)."""
    seen_cards = ALL_CARDS & ~view.unseen
    held_cards = 0 if view.own_turn < params[0] else _select_distant_cards(view.hand, seen_cards)
    return discard_with_penalty(view, rules, held_cards, params[1])


@helper
def _select_distant_cards(hand, seen_cards):
    """Return the cards in a hand that have no seen card near them.

    Cards in the hand count as seen.
    """
    cards, untested_cards = 0, hand
    while untested_cards:
        card = lowest_bit(untested_cards)
        untested_cards &= untested_cards - 1
        if neighbours(card) & seen_cards == 0:
            cards |= 1 << card
    return cards


@discard(
    name="bait",
    noise=True,
    e=param(1.0, 0.0, 1.0, "probability of baiting if possible"),
    until=param(4, 0, 500, "last own turn with baiting"),
    cost=param(5, 0, 99, "maximum cost in deadwood"),
)
def discard_bait(view, rules, params):
    """Early in the deal, discard bait, so that the opponent discards a nearby useful card."""
    least_deadwood, cards = view.least, view.best
    if view.own_turn <= params[1] and bernoulli(params[0], view.noise):
        bait_discards = _select_bait_cards(view.hand, view.legal, view.unseen, rules)
        least_with_bait, best_baits = best_discards(view.hand, bait_discards, rules)
        if least_with_bait <= least_deadwood + params[2]:
            cards = best_baits
    return lowest_bit(highest_value_cards(cards, rules)[0])


@helper
def _select_bait_cards(hand, legal, unseen, rules):
    """Return the discards near an unseen card that would make a meld with the remaining hand."""
    bait_discards = 0
    while legal:
        card = lowest_bit(legal)
        legal &= legal - 1
        wanted_cards = neighbours(card) & unseen
        while wanted_cards:
            if makes_meld(hand & ~(1 << card), lowest_bit(wanted_cards), rules):
                bait_discards |= 1 << card
                break
            wanted_cards &= wanted_cards - 1
    return bait_discards
