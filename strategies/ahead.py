"""Look one draw ahead, and keep the ten cards with the best prospects over all unseen cards.

The reference values for solitaire games in the rule book come from strategies that look ahead in
this way with perfect memory, so discarded cards are no longer unseen. The parameter `aim` selects
the criterion. Most cards do not make a meld, so the deadwood after drawing them is known without a
search. The deadwood then equals the deadwood of the ten cards, or of the best nine cards and the
new card. Only the remaining cards, about a hundred per discard, are evaluated. The last discard
minimises deadwood.

Source: This project (solo-lookahead, docs/reference/strategies/solo.md); the criterion `few`
follows Ahmed et al., "A Heuristic Evaluation Function for Hand Strength Estimation in Gin Rummy"
(MARJJ), EAAI-21, 2021.
"""

import numpy as np

from simgin.core.rules_record import ACE_HIGH_OR_LOW
from simgin.strategy import choice, discard, helper, param
from simgin.toolkit import (
    best_discard,
    deadwood,
    deadwood_after_draws,
    highest_value_cards,
    lowest_bit,
    outs,
    popcount,
    suit_lane,
    sum_of_smallest,
)

AIM_DEADWOOD, AIM_GIN, AIM_BEST_DRAWS, AIM_UNMATCHED = 0, 1, 2, 3
MAX_UNSEEN_CARDS = 52


@discard(
    name="ahead",
    aim=choice(
        "deadwood",
        "gin",
        "few",
        "loose",
        about="mean deadwood, cards that make gin, mean of the few best, or unmatched cards",
    ),
    few=param(7, 1, 42, "number of best draws for aim=few"),
)
def discard_by_next_draw(view, rules, params):
    """Keep the ten cards with the best prospects for the next draw."""
    if is_last_discard(view, rules):
        return best_discard(view.hand, view.legal, rules)
    deadwood_values = np.empty(MAX_UNSEEN_CARDS, np.int64)
    best_card, min_cost = -1, 1 << 60
    legal = view.legal
    while legal:
        card = lowest_bit(highest_value_cards(legal, rules)[0])
        legal &= ~(1 << card)
        cost = compute_hand_cost(
            view.hand & ~(1 << card), view.unseen, params[0], params[1], rules, deadwood_values
        )
        if cost < min_cost:
            best_card, min_cost = card, cost
    return best_card


@helper
def is_last_discard(view, rules):
    """Return True if this is the last discard of a solitaire game."""
    return view.deck_left == 1 if rules.max_draws < 0 else view.own_turn >= rules.max_draws


@helper
def compute_hand_cost(ten_cards, unseen, aim, n_best_draws, rules, deadwood_values):
    """Return the cost of ten cards, which depends on the aim of the policy.

    A lower cost is better.

    Args:
        ten_cards: Ten cards as a 52-bit mask.
        unseen: Unseen cards as a 52-bit mask.
        aim: Index of the aim, such as AIM_BEST_DRAWS.
        n_best_draws: Number of draws that count as the best draws if the aim is AIM_BEST_DRAWS.
        rules: Rules of the variant.
        deadwood_values: Scratch space with one number per card.
    """
    if aim == AIM_UNMATCHED:
        return _sum_min_unmatched(ten_cards, unseen, rules)
    n = deadwood_after_draws(ten_cards, unseen, rules, deadwood_values)
    if aim == AIM_BEST_DRAWS:
        return sum_of_smallest(deadwood_values, n, int(n_best_draws))
    total, gins = 0, 0
    for i in range(n):
        total += deadwood_values[i]
        gins += deadwood_values[i] == 0
    return total - (gins << 20) if aim == AIM_GIN else total


@helper
def _sum_min_unmatched(ten_cards, unseen, rules):
    """Return the sum over all draws of the smallest number of unmatched cards.

    Ties are broken by deadwood.
    """
    n_unmatched = count_min_unmatched(ten_cards, rules)
    live_outs = outs(ten_cards, rules) & unseen
    total = n_unmatched * popcount(unseen & ~live_outs)
    while live_outs:
        total += max(0, count_min_unmatched(ten_cards | live_outs & -live_outs, rules) - 1)
        live_outs &= live_outs - 1
    return total << 10 | deadwood(ten_cards, rules)


@helper
def count_min_unmatched(hand, rules):
    """Return the smallest possible number of unmatched cards in a hand, regardless of card values.

    The hand has up to eleven cards. Rainbows are ignored.
    """
    spades, hearts, diamonds, clubs = (
        suit_lane(hand, 0),
        suit_lane(hand, 1),
        suit_lane(hand, 2),
        suit_lane(hand, 3),
    )
    set_ranks = spades & hearts & (diamonds | clubs) | diamonds & clubs & (spades | hearts)
    if set_ranks == 0:
        return _count_cards_outside_runs(spades, hearts, diamonds, clubs, rules)
    runs = (
        rules.lane[0, spades]
        | rules.lane[0, hearts]
        | rules.lane[0, diamonds]
        | rules.lane[0, clubs]
    )
    free_ranks = set_ranks & ~int(runs)
    spades, hearts, diamonds, clubs = (
        spades & ~free_ranks,
        hearts & ~free_ranks,
        diamonds & ~free_ranks,
        clubs & ~free_ranks,
    )
    return _count_min_unmatched_with_sets(
        spades, hearts, diamonds, clubs, set_ranks & ~free_ranks, rules
    )


@helper
def _count_min_unmatched_with_sets(spades, hearts, diamonds, clubs, ranks, rules):
    """Return the smallest number of unmatched cards if each of `ranks` can form a set.

    A rank can form a set of all its cards, a set of three of its four cards, or no set.
    """
    if ranks == 0:
        return _count_cards_outside_runs(spades, hearts, diamonds, clubs, rules)
    rank = ranks & -ranks
    other_ranks = ranks ^ rank
    s0, h0, d0, c0 = (spades & ~rank, hearts & ~rank, diamonds & ~rank, clubs & ~rank)
    min_unmatched = min(
        _count_min_unmatched_with_sets(spades, hearts, diamonds, clubs, other_ranks, rules),
        _count_min_unmatched_with_sets(s0, h0, d0, c0, other_ranks, rules),
    )
    if spades & hearts & diamonds & clubs & rank:
        min_unmatched = min(
            min_unmatched,
            _count_min_unmatched_with_sets(spades, h0, d0, c0, other_ranks, rules),
            _count_min_unmatched_with_sets(s0, hearts, d0, c0, other_ranks, rules),
        )
        min_unmatched = min(
            min_unmatched,
            _count_min_unmatched_with_sets(s0, h0, diamonds, c0, other_ranks, rules),
            _count_min_unmatched_with_sets(s0, h0, d0, clubs, other_ranks, rules),
        )
    return min_unmatched


@helper
def _count_cards_outside_runs(spades, hearts, diamonds, clubs, rules):
    """Return the number of cards that are not in a run of their suit."""
    return (
        _count_cards_outside_suit_runs(spades, rules)
        + _count_cards_outside_suit_runs(hearts, rules)
        + _count_cards_outside_suit_runs(diamonds, rules)
        + _count_cards_outside_suit_runs(clubs, rules)
    )


@helper
def _count_cards_outside_suit_runs(suit_cards, rules):
    """Return the number of cards of one suit that remain after melding its runs.

    The result counts the cards outside all runs, and two more cards if A-2-3 and Q-K-A need the
    same ace.
    """
    has_both_ends = (
        rules.ace_runs == ACE_HIGH_OR_LOW and suit_cards & 0b1110000001111 == 0b1100000000111
    )
    return popcount(suit_cards & ~int(rules.lane[0, suit_cards])) + 2 * has_both_ends
