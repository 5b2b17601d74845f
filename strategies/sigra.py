"""SIGRA: keeps cards that can form new melds or that the opponent wants, and waits for gin.

The cost of a hand ("myopic meld distance") is its deadwood, minus the part that the next card is
expected to meld, minus the value that it withholds from the opponent. The cost of a hand determines
both takes and discards. If the published idea is ambiguous, the strategy follows the code of the
repository. A card counts once for each new meld that an unseen card would complete. Sets are
excluded only for a card that the opponent has discarded. The withheld value treats the card itself
as a card that the opponent would have to draw. The parameter `hold` therefore has almost no effect
(the value 30 would give it the full weight). Runs follow the standard game, with low aces. Rainbows
are ignored.

Source: Goldman et al., cudy789/gin-rummy-SIGRA, 2021.
"""

import numpy as np
from simgin_strategies.knock import knock_with_limit

from simgin.core.bitboard import find_run_outs
from simgin.core.bits import find_highest_rank
from simgin.core.cards import ranks_held_twice
from simgin.core.deadwood import find_run_cards
from simgin.strategy import Strategy, discard, helper, param, take
from simgin.toolkit import (
    cards_in_melds,
    cards_of_rank,
    deadwood,
    highest_value_cards,
    leftover_cards,
    lowest_bit,
    popcount,
    ranks_of,
    suit_lane,
    take_if,
    total_points,
)
from simgin.toolkit.prospects import same_rank_or_suit

EXPECTED_MELD_WEIGHT = param(
    0.85, 0.0, 10.0, "weight of the points that the next card is expected to meld"
)
WITHHELD_WEIGHT = param(1.0, 0.0, 100.0, "weight of the points withheld from the opponent")


@take(name="mmd", reach=EXPECTED_MELD_WEIGHT, hold=WITHHELD_WEIGHT)
def take_by_meld_distance(view, rules, params):
    """Take the card if the resulting hand is better than the mean hand after a draw (SIGRA)."""
    return take_if(
        _is_better_than_draw(view, _allocate_scratch(view, rules), rules, params), view.legal
    )


@helper
def _is_better_than_draw(view, scratch, rules, params):
    """Return True if the best hand with the card on offer beats the mean hand after a draw."""
    current_cost = _compute_hand_cost(view, view.hand, scratch, rules, params)
    cost_if_taken = _find_lowest_cost_with_card(
        view, 1 << view.taken_offer, current_cost, scratch, rules, params
    )
    n = popcount(view.unseen)
    # The value is an upper bound, because a drawn card can be discarded.
    total_cost_if_drawn = current_cost * n
    unseen = view.unseen
    while unseen and cost_if_taken * n < total_cost_if_drawn:
        total_cost_if_drawn += (
            _find_lowest_cost_with_card(
                view, unseen & -unseen, current_cost, scratch, rules, params
            )
            - current_cost
        )
        unseen &= unseen - 1
    return cost_if_taken * n < total_cost_if_drawn


@discard(name="mmd", reach=EXPECTED_MELD_WEIGHT, hold=WITHHELD_WEIGHT)
def discard_by_meld_distance(view, rules, params):
    """Keep low deadwood, possible melds and the cards that the opponent might want (SIGRA)."""
    return _find_best_discard(
        view, view.hand, view.legal, 1e9, _allocate_scratch(view, rules), rules, params
    )[0]


@helper
def _allocate_scratch(view, rules):
    """Return arrays for temporary results, with one number per card.

    Two arrays contain the value that each card withholds from the opponent, for the hand and for
    eleven cards. The value of other cards is 0. Two further arrays contain the results of
    `_write_prospects` for eleven and ten cards.
    """
    withheld = np.zeros(52)
    if view.known:
        _write_withheld_values(view, view.hand, view.hand, withheld, withheld, rules)
    return withheld, np.empty(52), np.empty(52, np.int64), np.empty(52, np.int64)


@helper
def _find_lowest_cost_with_card(view, card, max_cost, scratch, rules, params):
    """Return the lowest cost of ten cards from a hand and one additional card.

    The result is at most `max_cost`.
    """
    withheld, withheld_eleven, prospects, ten_prospects = scratch
    eleven_cards = view.hand | card
    related = same_rank_or_suit(card)
    if view.known & related:  # The opponent does not hold the drawn card.
        _write_withheld_values(view, eleven_cards, related, withheld, withheld_eleven, rules)
        withheld = withheld_eleven
    scratch = withheld, withheld_eleven, prospects, ten_prospects
    return _find_best_discard(view, eleven_cards, view.hand, max_cost, scratch, rules, params)[1]


@helper
def _sum_card_values(card_values, cards):
    """Return the sum of the array elements of the given cards, added in ascending card order."""
    total = 0
    while cards:
        total += card_values[lowest_bit(cards)]
        cards &= cards - 1
    return total


@helper
def _find_best_discard(view, eleven_cards, legal, max_cost, scratch, rules, params):
    """Return the discard that leaves the best hand, and the cost of the remaining hand.

    Ties are broken by the highest card, then by the lowest number. Only hands that cost less than
    `max_cost` matter. The prospects of ten cards are at most the prospects of the same cards among
    the eleven. The upper bound excludes most discards without evaluating the hand.
    """
    n = max(1, popcount(view.unseen))
    withheld, _, prospects, _ = scratch
    _write_prospects(eleven_cards, view.unseen, prospects, rules)
    in_melds = cards_in_melds(eleven_cards, rules)
    unmatched = _select_unmatched_cards(eleven_cards, rules)
    unmatched_points, unmatched_prospects = (
        total_points(unmatched, rules),
        _sum_card_values(prospects, unmatched),
    )
    total_prospects = unmatched_prospects + _sum_card_values(prospects, eleven_cards & ~unmatched)
    max_withheld = params[1] * _sum_card_values(withheld, eleven_cards) / n if view.known else 0.0
    best_card = -1
    while legal:
        highest, value = highest_value_cards(legal, rules)
        legal &= ~highest
        while highest:
            card = lowest_bit(highest)
            highest &= highest - 1
            ten_cards = eleven_cards & ~(1 << card)
            if in_melds >> card & 1:
                bound = (
                    deadwood(ten_cards, rules)
                    - params[0] * (total_prospects - prospects[card]) / n
                    - max_withheld
                )
            else:
                bound = (
                    unmatched_points
                    - value
                    - params[0] * (unmatched_prospects - prospects[card]) / n
                    - max_withheld
                )
            if bound < max_cost:
                cost = _compute_hand_cost(view, ten_cards, scratch, rules, params)
                if cost < max_cost:
                    best_card, max_cost = card, cost
    return best_card, max_cost


@helper
def _compute_hand_cost(view, ten_cards, scratch, rules, params):
    """Return the cost of a hand: deadwood minus the values of expected melds and withheld cards."""
    withheld, _, _, prospects = scratch
    n = max(1, popcount(view.unseen))
    unmatched = _select_unmatched_cards(ten_cards, rules)
    _write_prospects(ten_cards, view.unseen, prospects, rules)
    cost = total_points(unmatched, rules) - params[0] * _sum_card_values(prospects, unmatched) / n
    if view.known:
        cost -= params[1] * _sum_card_values(withheld, ten_cards) / n
    return cost


@helper
def _select_unmatched_cards(hand, rules):
    """Return the unmatched cards of a best melding, preferring runs to sets.

    If there is a choice, cards outside runs remain unmatched.
    """
    return leftover_cards(hand, ~find_run_cards(hand, rules), rules)


@helper
def _write_prospects(hand, unseen, prospects, rules):
    """Write each card's points times the number of melds that unseen cards would complete."""
    remaining_cards = hand
    while remaining_cards:
        prospects[lowest_bit(remaining_cards)] = 0
        remaining_cards &= remaining_cards - 1
    missing_cards = unseen & ~hand
    gap_cards = missing_cards & find_run_outs(hand)
    while gap_cards:
        _add_run_prospects(hand, lowest_bit(gap_cards), prospects, rules)
        gap_cards &= gap_cards - 1
    ranks = ranks_held_twice(hand) & ranks_of(missing_cards)
    while ranks:
        _add_set_prospects(hand, missing_cards, lowest_bit(ranks), prospects, rules)
        ranks &= ranks - 1


@helper
def _add_run_prospects(hand, gap_card, prospects, rules):
    """Add the points of the runs that one missing card would complete to each card in the hand."""
    lane, rank = suit_lane(hand, gap_card // 13), gap_card % 13
    n_below = rank - 1 - find_highest_rank(~lane & (1 << rank) - 1)
    n_above = lowest_bit(~(lane >> rank + 1))
    for i in range(1, n_below + 1):
        runs = (n_below - i + 1) * (n_above + 1) - (i == 1)
        prospects[gap_card - i] += runs * rules.value[0, rank - i]
    for i in range(1, n_above + 1):
        runs = (n_above - i + 1) * (n_below + 1) - (i == 1)
        prospects[gap_card + i] += runs * rules.value[0, rank + i]


@helper
def _add_set_prospects(hand, missing_cards, rank, prospects, rules):
    """Add the points of the sets that missing cards would complete to each card of a rank.

    Two cards form one set with the missing card. Three cards form three sets.
    """
    held_cards = hand & cards_of_rank(rank)
    sets = popcount(missing_cards & cards_of_rank(rank)) * (1 if popcount(held_cards) == 2 else 3)
    while held_cards:
        prospects[lowest_bit(held_cards)] += sets * rules.value[0, rank]
        held_cards &= held_cards - 1


@helper
def _write_withheld_values(view, hand, changed_cards, values_before, withheld, rules):
    """Write, for each card, the value in points of withholding it from the opponent.

    Values of cards that are not in `changed_cards` are copied from `values_before`.
    """
    held_probability = 1.0 / max(1, popcount(view.unseen))
    remaining_cards = hand
    while remaining_cards:
        card = lowest_bit(remaining_cards)
        remaining_cards &= remaining_cards - 1
        if changed_cards >> card & 1:
            withheld[card] = _compute_withheld_value(view, hand, card, held_probability, rules)
        else:
            withheld[card] = values_before[card]


@helper
def _compute_withheld_value(view, hand, card, held_probability, rules):
    """Return the value, in points, of withholding a card from the opponent.

    The value is the product of the card's points and the expected number of melds that the opponent
    could make with the card and at least one card from the pile.
    """
    opponent_known, usable_cards = view.known, view.known | view.unseen & ~hand
    melds = _count_opponent_runs(
        suit_lane(opponent_known, card // 13),
        suit_lane(usable_cards, card // 13),
        card % 13,
        held_probability,
    )
    if not view.shed >> card & 1:
        melds += _count_opponent_sets(
            opponent_known & cards_of_rank(card % 13),
            usable_cards & cards_of_rank(card % 13),
            held_probability,
        )
    return melds * rules.value[0, card % 13]


@helper
def _count_opponent_sets(opponent_known, usable_cards, held_probability):
    """Return the expected number of sets that the opponent could make with a card.

    At least one card of each set is a known card of the opponent.
    """
    n_known, n_others = popcount(opponent_known), popcount(usable_cards & ~opponent_known)
    if n_known == 0:
        return 0.0
    set_of_three = n_known * (n_known - 1) / 2 + n_known * n_others * held_probability
    return set_of_three + held_probability**n_others if n_known + n_others == 3 else set_of_three


@helper
def _count_opponent_runs(opponent_known, usable_ranks, rank, held_probability):
    """Return the expected number of runs that the opponent could make with a given card."""
    total = 0.0
    if opponent_known == 0:
        return total
    low, down_probability, has_known_below = rank, 1.0, False
    while True:
        high, up_probability, has_known = rank, down_probability, has_known_below
        while True:
            if high - low >= 2 and has_known:
                total += up_probability
            high += 1
            if high > 12 or not usable_ranks >> high & 1:
                break
            if opponent_known >> high & 1:
                has_known = True
            else:
                up_probability *= held_probability
        low -= 1
        if low < 0 or not usable_ranks >> low & 1:
            break
        if opponent_known >> low & 1:
            has_known_below = True
        else:
            down_probability *= held_probability
    return total


SIGRA = Strategy(
    "sigra",
    take=take_by_meld_distance,
    discard=discard_by_meld_distance,
    knock=knock_with_limit(k=0),
)
