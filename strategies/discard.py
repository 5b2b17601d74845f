"""Elementary discard policies, each of which uses a single idea."""

from simgin.strategy import choice, discard, flag, helper
from simgin.toolkit import (
    ALL_CARDS,
    cards_of_rank,
    count_outs,
    count_three_card_melds,
    deadwood,
    highest_value_cards,
    lowest_bit,
    lowest_cost_card,
    pick_random,
    unmatched_cards,
)


@discard(name="uniform", noise=True)
def discard_at_random(view, rules, params):
    """Discard a legal card, chosen uniformly at random."""
    return pick_random(view.legal, view.noise)


@discard(
    name="low",
    noise=True,
    tie=choice(
        "high",
        "random",
        "middle",
        about="highest card, random card, or card whose rank is in the fewest melds",
    ),
)
def discard_for_least_deadwood(view, rules, params):
    """Minimise the deadwood, and break ties according to `tie`."""
    cards = view.best
    if params[0] == 1:
        return pick_random(cards, view.noise)
    if params[0] == 2:
        return lowest_bit(highest_value_cards(_select_cards_in_fewest_melds(cards), rules)[0])
    return lowest_bit(highest_value_cards(cards, rules)[0])


@helper
def _select_cards_in_fewest_melds(cards):
    """Return the cards of the rank that is part of the fewest three-card melds."""
    min_melds, fewest_cards = 99, 0
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        melds = count_three_card_melds(card)
        if melds <= min_melds:
            fewest_cards = (fewest_cards if melds == min_melds else 0) | 1 << card
            min_melds = melds
    return fewest_cards


@discard(name="loose-high")
def discard_highest_unmatched_card(view, rules, params):
    """Discard the highest unmatched card, even if another discard leaves less deadwood."""
    options = unmatched_cards(view.hand, rules) & view.legal
    return lowest_bit(highest_value_cards(options if options else view.legal, rules)[0])


@discard(
    name="hits",
    keep_pairs=flag(False, "keep neighbours in a suit together if there is another discard"),
)
def discard_for_most_hits(view, rules, params):
    """Maximise the number of unseen cards that would complete a meld (Truong and Neller).

    Ties are broken by least deadwood.
    """
    legal = view.legal
    if params[0] and legal & ~_select_neighbours(view.hand):
        legal &= ~_select_neighbours(view.hand)
    return lowest_cost_card(view, rules, params, legal, _compute_hits_cost, 0)


@helper
def _compute_hits_cost(view, rules, params, card, context):
    """Return a cost that ranks discards by the remaining outs, and then by deadwood."""
    ten_cards = view.hand & ~(1 << card)
    return deadwood(ten_cards, rules) - 1000 * count_outs(ten_cards, view.unseen, rules)


@helper
def _select_neighbours(hand):
    """Return the cards in a hand that are adjacent to another card of the same suit in the hand."""
    not_kings = ALL_CARDS & ~cards_of_rank(12)
    with_lower = (hand & not_kings) << 1 & hand
    with_upper = hand >> 1 & not_kings & hand
    return with_lower | with_upper
