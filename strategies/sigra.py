"""SIGRA: keeps hands close to new melds, withholds cards the opponent wants, and waits for gin.

The cost of a hand ("myopic meld distance") is its deadwood, minus the part that the next card is
expected to meld, minus the value that it withholds from the opponent. This cost determines both
takes and discards. Where the published idea is ambiguous, the strategy follows the code of the
repository. A card counts once for each new meld that an unseen card would complete. Sets are
excluded only for a card that the opponent has discarded. The withheld value treats the card itself
as a card that the opponent would have to draw. The parameter `hold` therefore has almost no weight
(30 would give the idea its full weight). Runs follow the standard game, with low aces. Rainbows are
ignored.

Source: Goldman et al., cudy789/gin-rummy-SIGRA, 2021.
"""

import numpy as np
from simgin_strategies.knock import at

from simgin.core.bitboard import run_outs
from simgin.core.bits import highest_lane_bit
from simgin.core.cards import LANE_MASK, ranks_held_twice
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

REACH = param(0.85, 0.0, 10.0, "weight of the points that the next card is expected to meld")
HOLD = param(1.0, 0.0, 100.0, "weight of the points withheld from the opponent")


@take(reach=REACH, hold=HOLD)
def mmd(view, rules, params):
    """Take the card if the resulting hand is better than the mean hand after a draw (SIGRA)."""
    return take_if(_is_wanted(view, _make_scratch(view, rules), rules, params), view.legal)


@helper
def _is_wanted(view, scratch, rules, params):
    """Return True if the best hand with the card on offer beats the mean hand after a draw."""
    current_cost = _hand_cost(view, view.hand, scratch, rules, params)
    cost_if_taken = _best_cost_with(
        view, 1 << view.taken_offer, current_cost, scratch, rules, params
    )
    n = popcount(view.unseen)
    # The value is an upper bound, because a drawn card can be discarded.
    total_cost_if_drawn = current_cost * n
    unseen = view.unseen
    while unseen and cost_if_taken * n < total_cost_if_drawn:
        total_cost_if_drawn += (
            _best_cost_with(view, unseen & -unseen, current_cost, scratch, rules, params)
            - current_cost
        )
        unseen &= unseen - 1
    return cost_if_taken * n < total_cost_if_drawn


@discard(name="mmd", reach=REACH, hold=HOLD)
def throw(view, rules, params):
    """Keep low deadwood, possible melds and the cards that the opponent might want (SIGRA)."""
    return _best_discard(
        view, view.hand, view.legal, 1e9, _make_scratch(view, rules), rules, params
    )[0]


@helper
def _make_scratch(view, rules):
    """Return scratch arrays with a number for each card.

    Two arrays contain the value that each card withholds from the opponent, for the hand and for
    eleven cards. The value of other cards is 0. Two further arrays contain the results of
    `_write_prospects` for eleven and ten cards.
    """
    held = np.zeros(52)
    if view.known:
        _write_withheld(view, view.hand, view.hand, held, held, rules)
    return held, np.empty(52), np.empty(52, np.int64), np.empty(52, np.int64)


@helper
def _best_cost_with(view, card, least, scratch, rules, params):
    """Return the cost of the best hand with an additional card.

    The result is at most `least`.
    """
    held, held_eleven, prospects, ten_prospects = scratch
    eleven_cards = view.hand | card
    related = _related_cards(card)
    if view.known & related:  # The opponent does not hold the drawn card.
        _write_withheld(view, eleven_cards, related, held, held_eleven, rules)
        held = held_eleven
    scratch = held, held_eleven, prospects, ten_prospects
    return _best_discard(view, eleven_cards, view.hand, least, scratch, rules, params)[1]


@helper
def _related_cards(mask):
    """Return the cards that share the rank or the suit of a card.

    Only these cards can be melded with it.
    """
    card = lowest_bit(mask)
    return cards_of_rank(card % 13) | LANE_MASK << 13 * (card // 13)


@helper
def _sum_over(numbers, cards):
    """Return the sum of an array over some cards, added in ascending card order."""
    total = 0
    while cards:
        total += numbers[lowest_bit(cards)]
        cards &= cards - 1
    return total


@helper
def _best_discard(view, eleven_cards, legal, least, scratch, rules, params):
    """Return the discard that leaves the best hand, and the cost of that hand.

    Ties are broken by the highest card, then by the lowest number. Only hands that cost less than
    `least` matter. The prospects of ten cards are at most the prospects of the same cards among the
    eleven. This bound excludes most discards without evaluating the hand.
    """
    n = max(1, popcount(view.unseen))
    held, _, prospects, _ = scratch
    _write_prospects(eleven_cards, view.unseen, prospects, rules)
    in_melds = cards_in_melds(eleven_cards, rules)
    unmatched = _unmatched_cards(eleven_cards, rules)
    unmatched_points, unmatched_prospects = (
        total_points(unmatched, rules),
        _sum_over(prospects, unmatched),
    )
    total_prospects = unmatched_prospects + _sum_over(prospects, eleven_cards & ~unmatched)
    max_withheld = params[1] * _sum_over(held, eleven_cards) / n if view.known else 0.0
    best = -1
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
            if bound < least:
                cost = _hand_cost(view, ten_cards, scratch, rules, params)
                if cost < least:
                    best, least = card, cost
    return best, least


@helper
def _hand_cost(view, ten_cards, scratch, rules, params):
    """Return the deadwood minus the expected melds and the value withheld from the opponent."""
    held, _, _, prospects = scratch
    n = max(1, popcount(view.unseen))
    unmatched = _unmatched_cards(ten_cards, rules)
    _write_prospects(ten_cards, view.unseen, prospects, rules)
    cost = total_points(unmatched, rules) - params[0] * _sum_over(prospects, unmatched) / n
    if view.known:
        cost -= params[1] * _sum_over(held, ten_cards) / n
    return cost


@helper
def _unmatched_cards(hand, rules):
    """Return the unmatched cards of a best melding that prefers runs to sets.

    If there is a choice, cards outside runs remain unmatched.
    """
    return leftover_cards(hand, ~find_run_cards(hand, rules), rules)


@helper
def _write_prospects(hand, unseen, prospects, rules):
    """Write the points of each card times the number of its melds with an unseen card."""
    rest = hand
    while rest:
        prospects[lowest_bit(rest)] = 0
        rest &= rest - 1
    missing = unseen & ~hand
    gaps = missing & run_outs(hand)
    while gaps:
        _add_runs(hand, lowest_bit(gaps), prospects, rules)
        gaps &= gaps - 1
    ranks = ranks_held_twice(hand) & ranks_of(missing)
    while ranks:
        _add_sets(hand, missing, lowest_bit(ranks), prospects, rules)
        ranks &= ranks - 1


@helper
def _add_runs(hand, gap, prospects, rules):
    """Count the runs that a missing card completes for each card of the hand."""
    lane, r = suit_lane(hand, gap // 13), gap % 13
    below = r - 1 - highest_lane_bit(~lane & (1 << r) - 1)
    above = lowest_bit(~(lane >> r + 1))
    for i in range(1, below + 1):
        runs = (below - i + 1) * (above + 1) - (i == 1)
        prospects[gap - i] += runs * rules.value[0, r - i]
    for i in range(1, above + 1):
        runs = (above - i + 1) * (below + 1) - (i == 1)
        prospects[gap + i] += runs * rules.value[0, r + i]


@helper
def _add_sets(hand, missing, r, prospects, rules):
    """Count the sets that a missing card completes for each card of the same rank.

    Two cards form one set with the missing card. Three cards form three sets.
    """
    held = hand & cards_of_rank(r)
    sets = popcount(missing & cards_of_rank(r)) * (1 if popcount(held) == 2 else 3)
    while held:
        prospects[lowest_bit(held)] += sets * rules.value[0, r]
        held &= held - 1


@helper
def _write_withheld(view, hand, changed_cards, before, held, rules):
    """Write the value of withholding each card from the opponent, in points.

    Values of cards that are not in `changed_cards` are copied from `before`.
    """
    chance = 1.0 / max(1, popcount(view.unseen))
    rest = hand
    while rest:
        card = lowest_bit(rest)
        rest &= rest - 1
        if changed_cards >> card & 1:
            held[card] = _withheld_value(view, hand, card, chance, rules)
        else:
            held[card] = before[card]


@helper
def _withheld_value(view, hand, card, chance, rules):
    """Return the value in points of withholding a card from the opponent.

    The value is the product of the card's points and the expected number of melds that the opponent
    could make with the card and at least one card from the pile.
    """
    opponent_known, usable = view.known, view.known | view.unseen & ~hand
    melds = _opponent_runs(
        suit_lane(opponent_known, card // 13), suit_lane(usable, card // 13), card % 13, chance
    )
    if not view.shed >> card & 1:
        melds += _opponent_sets(
            opponent_known & cards_of_rank(card % 13), usable & cards_of_rank(card % 13), chance
        )
    return melds * rules.value[0, card % 13]


@helper
def _opponent_sets(opponent_known, usable, chance):
    """Return the expected number of sets that the opponent could make with a card.

    At least one card of each set is a known card of the opponent.
    """
    known, n_others = popcount(opponent_known), popcount(usable & ~opponent_known)
    if known == 0:
        return 0.0
    set_of_three = known * (known - 1) / 2 + known * n_others * chance
    return set_of_three + chance**n_others if known + n_others == 3 else set_of_three


@helper
def _opponent_runs(opponent_known, usable, r, chance):
    """Return the expected number of runs that the opponent could make with rank r in a suit."""
    total = 0.0
    if opponent_known == 0:
        return total
    low, down, down_known = r, 1.0, False
    while True:
        high, up, known = r, down, down_known
        while True:
            if high - low >= 2 and known:
                total += up
            high += 1
            if high > 12 or not usable >> high & 1:
                break
            if opponent_known >> high & 1:
                known = True
            else:
                up *= chance
        low -= 1
        if low < 0 or not usable >> low & 1:
            break
        if opponent_known >> low & 1:
            down_known = True
        else:
            down *= chance
    return total


SIGRA = Strategy("sigra", take=mmd, discard=throw, knock=at(k=0))
