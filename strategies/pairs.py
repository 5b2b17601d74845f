"""Rules of thumb about which pairs and partial runs to hold for a possible meld.

Gold does not distinguish a king with a partner from a king without a partner. These rules put a
penalty (see simgin/toolkit/penalties.py) on unmatched cards according to how likely they are to
become part of a meld. The penalty of `middle` depends only on the rank.

Source: rubl.com (inside-pairs, middle); about.com (dead-pairs-first); Larkin, Collicott and Hiebel,
"Tonic", EAAI-21 (break-pairs: holding pairs too long hurts). The web pages are cited from secondary
sources. The numbers of melds are exact.
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
    name="inside-pairs",
    weight=param(2.0, 0.0, 20.0, "penalty on a card per pair that it is in"),
    inside=param(0.5, 0.0, 1.0, "weight of an inside pair, such as 4S 6S, relative to a pair"),
)
def hold_pairs_and_inside_pairs(view, rules, params):
    """Hold pairs, and count an inside pair, such as 4S 6S, as half a pair (rubl.com)."""
    return discard_with_card_penalties(
        view, rules, params, _compute_pair_cost, unmatched_cards(view.hand, rules)
    )


@helper
def _compute_pair_cost(view, rules, params, card, unmatched):
    """Return the cost of discarding a card, which is the penalty for its pairs."""
    if not unmatched >> card & 1:
        return 0.0
    n_pairs, n_inside = 0, 0
    partner_cards = unmatched & partners(card, rules)
    while partner_cards:
        partner = lowest_bit(partner_cards)
        partner_cards &= partner_cards - 1
        rank_distance = abs(card % 13 - partner % 13)
        if rank_distance in (0, 1, 12):
            n_pairs += 1
        else:
            n_inside += 1
    return params[0] * (n_pairs + params[1] * n_inside)


@discard(
    name="dead-pairs-first",
    bonus=param(0.5, 0.0, 99.0, "penalty on each card that is not in a dead pair"),
)
def discard_dead_pairs_first(view, rules, params):
    """Discard pairs and partial runs first if no unseen card can complete them (about.com)."""
    cards = unmatched_cards(view.hand, rules)
    dead_cards, remaining_cards = 0, cards
    while remaining_cards:
        card = lowest_bit(remaining_cards)
        remaining_cards &= remaining_cards - 1
        if count_live_completers(card, cards, view.unseen, rules) == 0:
            dead_cards |= 1 << card
    return discard_with_penalty(view, rules, ~dead_cards, params[0])


@discard(
    name="break-pairs",
    live=param(2, 1, 4, "minimum number of live completers of a pair to hold"),
    until=param(6, 1, 500, "first own turn on which all pairs may be broken"),
    cost=param(3.0, 0.0, 99.0, "penalty on a card in a pair to hold"),
)
def hold_live_pairs_early(view, rules, params):
    """Early in the deal, hold pairs that two live cards can complete (Tonic)."""
    if view.own_turn >= params[1]:
        return discard_with_penalty(view, rules, 0, 0.0)
    return discard_with_penalty(
        view,
        rules,
        cards_worth_holding(unmatched_cards(view.hand, rules), view.unseen, params[0], rules),
        params[2],
    )


@discard(
    name="middle",
    weight=param(0.25, 0.0, 20.0, "penalty per three-card meld of the rank, beyond four"),
    seven=param(0.25, 0.0, 20.0, "additional penalty on an unmatched seven"),
)
def hold_middle_ranks(view, rules, params):
    """Hold middle ranks, which fit into the most melds, and hold sevens the longest (rubl.com)."""
    return discard_with_card_penalties(
        view, rules, params, _compute_rank_cost, unmatched_cards(view.hand, rules)
    )


@helper
def _compute_rank_cost(view, rules, params, card, unmatched):
    """Return the cost of discarding an unmatched card, including the penalty on its rank."""
    if not unmatched >> card & 1:
        return 0.0
    return compute_rank_penalty(card, params[0], params[1])


@helper
def compute_rank_penalty(card, weight, seven_weight):
    """Return the penalty on a rank, which depends on the number of its three-card melds."""
    return weight * (count_three_card_melds(card) - 4) + (seven_weight if card % 13 == 6 else 0.0)
