"""GinRummy-and-Tonic: minimises the deadwood expected eight turns ahead, and waits for gin.

The cost of a discard consists of the expected deadwood and of the help to the opponent. Deadwood
after one draw is the mean over the most favourable 58.8 % of the unseen cards (`share`). Deadwood
after two draws is the mean over the most favourable 58.8 % of the pairs of unseen cards. The line
through both values is extrapolated to the eighth turn, but not below 0. The original is meant to
weight all turns by the probability that the deal ends on them. However, the original divides
integers, so only the eighth turn has any weight. After two draws, it discards only one card, so the
second value is the deadwood of eleven cards. Both errors are reproduced, because they affect how
the original plays. If two candidates have the same rank or are adjacent in a suit, only the better
candidate after one draw is examined further.

The help to the opponent comes from a table. The table contains the mean decrease of the opponent's
deadwood by rank, by the number of other cards of the rank that the opponent has or might have, and
by the location of the four nearest cards in the suit. The original table was learned from 14
million cards. The table of this strategy was learned from deals between built-in strategies
(training/improvement.py). The original also distinguishes the player's cards from dead cards, and
mistakes an unseen card two ranks above for a neighbour.

The original also has a table for knocks with deadwood above 0. This table is omitted, because
nearly all its entries are 0 and the other entries appear to be noise
(docs/reference/strategies/bots.md).

Source: GinRummyAndTonic_Player of Goldstein, Astudillo Guerra, Haigh, Cruz Ulloa and Blum,
bendstein/Gin-Rummy, 2020.
"""

import numpy as np
from simgin_strategies.knock import knock_with_limit
from simgin_strategies.take import take_for_best_melding_if_lower

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import (
    cards_of_rank,
    deadwood,
    lowest_bit,
    mean_of_smallest,
    popcount,
    tally_deadwood_after_draws,
    touching_cards,
    unmatched_cards,
)

N_DEADWOOD_VALUES = 300  # larger than the deadwood of eleven cards, even if an ace counts 99 points
# The axes of improvement.npy are the rank, the numbers of other cards of the rank that are known
# and unseen, and the states of the four nearest cards in the suit (gone, unseen or known).
N_RANKS, N_SAME_RANK_COMBINATIONS, N_NEIGHBOUR_COMBINATIONS = 13, 10, 3**4
(
    MAX_CANDIDATES_INDEX,
    MAX_EXTRA_DEADWOOD_INDEX,
    BEST_DRAW_PROPORTION_INDEX,
    TURNS_AHEAD_INDEX,
    OPPONENT_HELP_WEIGHT_INDEX,
    IMPROVEMENT_TABLE_OFFSET,
) = range(6)


@discard(
    name="ginrummy-and-tonic",
    most=param(6, 1, 11, "maximum number of candidates"),
    margin=param(8, 0, 99, "maximum extra deadwood of a candidate"),
    share=param(0.588, 0.01, 1.0, "proportion of the best next cards or pairs to average"),
    turns=param(8, 2, 50, "number of turns to look ahead"),
    opponent=param(1.0, 0.0, 20.0, "weight of the help to the opponent"),
    weights="improvement.npy",
)
def discard_by_expected_deadwood(view, rules, params):
    """Minimise the deadwood expected eight turns ahead plus the help to the opponent."""
    cards = _select_candidates(view, rules, params)
    if cards & (cards - 1) == 0:
        return lowest_bit(cards)
    tally = np.zeros(N_DEADWOOD_VALUES, np.int64)
    opponent_help_values, deadwood_after_one_draw = np.zeros(52), np.zeros(52)
    remaining_cards = cards
    while remaining_cards:
        card = lowest_bit(remaining_cards)
        remaining_cards &= remaining_cards - 1
        index = find_improvement_index(card, view.known, view.unseen)
        opponent_help_values[card] = (
            params[OPPONENT_HELP_WEIGHT_INDEX] * params[IMPROVEMENT_TABLE_OFFSET + index]
        )
        ten_cards = view.hand & ~(1 << card)
        deadwood_after_one_draw[card] = compute_next_deadwood(
            ten_cards, view.unseen, params[BEST_DRAW_PROPORTION_INDEX], tally, rules
        )
    best_card, min_score = -1, 1e18
    while cards:
        card = _find_lowest_cost_discard(cards, opponent_help_values, deadwood_after_one_draw)
        cards &= ~touching_cards(1 << card)
        ten_cards = view.hand & ~(1 << card)
        second = _compute_deadwood_after_two_draws(
            ten_cards, view.unseen, params[BEST_DRAW_PROPORTION_INDEX], tally, rules
        )
        projected = deadwood_after_one_draw[card] + (params[TURNS_AHEAD_INDEX] - 2) * (
            second - deadwood_after_one_draw[card]
        )
        score = opponent_help_values[card] + max(0.0, projected)
        if score < min_score:
            best_card, min_score = card, score
    return best_card


@helper
def _select_candidates(view, rules, params):
    """Return the discards to compare, which are unmatched and leave nearly the least deadwood.

    If a discard makes gin, it is the only candidate.
    """
    least, cards = view.least, view.best
    if least == 0:
        return cards & -cards
    candidates, n_wanted, deadwood_points = 0, params[MAX_CANDIDATES_INDEX], least
    while n_wanted > 0 and deadwood_points <= least + params[MAX_EXTRA_DEADWOOD_INDEX]:
        untested_cards = view.legal
        while untested_cards and n_wanted > 0:
            mask = untested_cards & -untested_cards
            untested_cards ^= mask
            if deadwood(view.hand & ~mask, rules) == deadwood_points:
                candidates |= mask
                n_wanted -= 1
        deadwood_points += 1
    unmatched_candidates = candidates & unmatched_cards(view.hand, rules)
    return unmatched_candidates if unmatched_candidates else cards & -cards


@helper
def _find_lowest_cost_discard(cards, opponent_help_values, deadwood_after_one_draw):
    """Return the discard that minimises the help to the opponent plus the later deadwood."""
    best = lowest_bit(cards)
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        if (
            opponent_help_values[card] + deadwood_after_one_draw[card]
            < opponent_help_values[best] + deadwood_after_one_draw[best]
        ):
            best = card
    return best


@helper
def compute_next_deadwood(ten_cards, unseen, proportion, tally, rules):
    """Return the mean deadwood after a draw and a discard, over the best draws."""
    tally[:] = 0
    n = tally_deadwood_after_draws(ten_cards, unseen, rules, tally)
    return mean_of_smallest(tally, max(1.0, proportion * n))


@helper
def _compute_deadwood_after_two_draws(ten_cards, unseen, proportion, tally, rules):
    """Return the mean deadwood after two draws and a discard, over the best pairs of draws."""
    tally[:] = 0
    pairs = 0
    while unseen:
        first_draw = unseen & -unseen
        unseen ^= first_draw
        pairs += tally_deadwood_after_draws(ten_cards | first_draw, unseen, rules, tally)
    return mean_of_smallest(tally, max(1.0, proportion * pairs))


@helper
def find_improvement_index(card, known_cards, unseen):
    """Return a card's index in the improvement table, given the known and unseen cards."""
    same_rank, card_suit = cards_of_rank(card % 13), card // 13
    n_known, n_unseen = popcount(known_cards & same_rank), popcount(unseen & same_rank)
    mate_index = 4 * n_known - n_known * (n_known - 1) // 2 + n_unseen
    neighbour_index = 0
    for step in (-2, -1, 1, 2):
        neighbour = card + step
        state = 0
        if 0 <= neighbour < 52 and neighbour // 13 == card_suit:
            state = 2 * (known_cards >> neighbour & 1) + (unseen >> neighbour & 1)
        neighbour_index = 3 * neighbour_index + state
    return (
        card % 13 * N_SAME_RANK_COMBINATIONS + mate_index
    ) * N_NEIGHBOUR_COMBINATIONS + neighbour_index


GINRUMMY_AND_TONIC = Strategy(
    "ginrummy-and-tonic",
    take=take_for_best_melding_if_lower,
    discard=discard_by_expected_deadwood,
    knock=knock_with_limit(k=0),
    ending="same",
)
