"""Rules of thumb about taking cards that do not lower the deadwood immediately.

Like `lower`, each policy takes the cards that lower the deadwood. Depending on the policy, it also
takes cards with prospects, the first upcard, or cards that the opponent needs.

Source: rummytalk and skillgames.zone (speculate); tyskwo.com 2016 (upcard); Jacoby 1959, by its
table of contents (deny). All are cited from secondary sources. A *two-way* partial meld is this
project's interpretation: the card and an unmatched card that either of two unseen cards would
complete.
"""

from simgin.strategy import PHASE_UPCARD, helper, param, take
from simgin.toolkit import (
    completers,
    count_possible_melds,
    deadwood_after_taking,
    lowers_deadwood,
    lowest_bit,
    partners,
    popcount,
    take_if,
    unmatched_cards,
)


@take(
    name="speculate",
    until=param(3, 0, 500, "last own turn on which to speculate"),
    count=param(50, 0, 200, "minimum deadwood to speculate on later turns"),
    partials=param(2, 1, 10, "minimum number of new two-way partial melds"),
)
def take_to_speculate(view, rules, params):
    """Also take cards that start two partial melds with two outs each (rummytalk, skillgames.zone).

    The policy takes such cards only in early turns or with high deadwood.
    """
    if lowers_deadwood(view, rules):
        return take_if(True, view.legal)
    is_speculating = view.own_turn <= params[0] or view.count >= params[1]
    return take_if(
        is_speculating
        and _count_new_partial_melds(view.hand, view.taken_offer, view.unseen, rules) >= params[2],
        view.legal,
    )


@helper
def _count_new_partial_melds(hand, card, unseen, rules):
    """Return the number of partial melds with two outs that a card forms with unmatched cards."""
    n = 0
    partner_cards = unmatched_cards(hand, rules) & partners(card, rules)
    while partner_cards:
        n += popcount(completers(card, lowest_bit(partner_cards), rules) & unseen) >= 2
        partner_cards &= partner_cards - 1
    return n


@take(name="upcard")
def take_first_upcard(view, rules, params):
    """Also take the first upcard as the nondealer, whatever the card is (tyskwo.com)."""
    is_first_offer = view.phase == PHASE_UPCARD and view.seat != view.dealer
    return take_if(is_first_offer or lowers_deadwood(view, rules), view.legal)


@take(
    name="deny",
    held=param(2, 1, 2, "minimum number of known cards of the opponent in the meld"),
    cost=param(3, 0, 99, "maximum increase of deadwood"),
)
def take_to_deny_meld(view, rules, params):
    """Also take cards that would complete the opponent's meld if the cost is small (Jacoby)."""
    deadwood_increase = deadwood_after_taking(view.hand, view.taken_offer, rules) - view.count
    return take_if(
        deadwood_increase < 0
        or (deadwood_increase <= params[1] and _prevents_opponent_meld(view, params[0], rules)),
        view.legal,
    )


@helper
def _prevents_opponent_meld(view, min_known, rules):
    """Return True if taking the card on offer could prevent a meld of the opponent.

    One or two cards of the meld are known cards of the opponent. At most one card is unseen.
    """
    if min_known == 2:
        return count_possible_melds(view.taken_offer, view.known, rules) > 0
    possible_cards = view.known | view.unseen
    return count_possible_melds(view.taken_offer, possible_cards, rules) > count_possible_melds(
        view.taken_offer, view.unseen, rules
    )
