"""GA-conv: discards the card with the fewest related cards in hand, regardless of deadwood.

Cards are related if they have the same rank, or the same suit and are at most two ranks apart. The
authors treat the hand as a 4 x 13 matrix and count related cards by a convolution. Melds have no
further value. The authors found the weights by a genetic algorithm but did not publish them. The
default weights were the best in a small search with games against Simple. All default weights are
equal, so most ties are broken in favour of the highest card. The rules for taking and knocking were
not published either. The strategy uses gold's rules, but it never takes back its own discard.
Otherwise, two such players could exchange the same cards forever.

Source: Nagai, Shrivastava, Ta, Bogaerts and Byers, "A Highly-Parameterized Ensemble to Play Gin
Rummy", EAAI-21, 2021.
"""

from simgin_strategies.knock import knock_with_limit

from simgin.strategy import Strategy, discard, helper, param, take
from simgin.toolkit import (
    cards_of_rank,
    first_discards,
    lowers_deadwood,
    lowest_cost_card,
    popcount,
    suit_lane,
    take_if,
)


@take(name="lower-new")
def take_new_card_to_lower_deadwood(view, rules, params):
    """Take a card that lowers the deadwood, unless the player has already discarded that card."""
    discarded = first_discards(view, view.seat, view.turns)
    return take_if(
        not discarded >> view.taken_offer & 1 and lowers_deadwood(view, rules), view.legal
    )


@helper
def _count_cards_at_distance(hand, card, step):
    """Return the number of cards (0 to 2) that are `step` ranks from a card in its suit."""
    suit = suit_lane(hand, card // 13) << 2  # The lane has two zero bits below the ace.
    position = card % 13 + 2
    return (suit >> (position - step) & 1) + (suit >> (position + step) & 1)


@discard(
    name="conv",
    w1=param(1.0, -10.0, 10.0, "weight of a card in hand of the same rank"),
    w2=param(1.0, -10.0, 10.0, "weight of a card in hand one rank away in the suit"),
    w3=param(1.0, -10.0, 10.0, "weight of a card in hand two ranks away in the suit"),
)
def discard_least_related_card(view, rules, params):
    """Discard the card with the smallest weighted number of related cards; break ties by rank."""
    return lowest_cost_card(view, rules, params, view.legal, _count_related_cards, 0)


@helper
def _count_related_cards(view, rules, params, card, context):
    """Return the weighted number of cards in the hand that are related to a card."""
    weighted_sum = params[0] * (popcount(view.hand & cards_of_rank(card % 13)) - 1)
    weighted_sum += params[1] * _count_cards_at_distance(view.hand, card, 1) + params[
        2
    ] * _count_cards_at_distance(view.hand, card, 2)
    return weighted_sum


GA_CONV = Strategy(
    "ga-conv",
    take=take_new_card_to_lower_deadwood,
    discard=discard_least_related_card,
    knock=knock_with_limit,
)
