"""Features of hands and discards for the strategy `champion`.

training/champion.py learns the weights of these features, and strategies/champion.py applies them.
The cost of an option is the sum of its features times their weights, which depend on the stage of
the deal.
"""

from collections import namedtuple

import numpy as np

from simgin.core.bitboard import sum_card_values_bitwise
from simgin.core.bits import find_highest_rank
from simgin.core.cards import ACES, ALL_RANKS
from simgin.core.jit import force_inline
from simgin.core.rules_record import N_VALUE_BITS
from simgin.strategy import helper
from simgin.toolkit import (
    card_mask,
    cards_of_rank,
    cards_of_ranks,
    count_run_pairs,
    declined_card,
    neighbours,
    outs,
    partners_by_rank_and_suit,
    popcount,
    ranks_of,
    touching_cards,
)
from simgin.toolkit.prospects import count_gin_outs, find_outs_bitwise
from simgin.toolkit.stack_arrays import int_stack_array

MATCH_VALUE_IN_POINTS = (
    180.0  # value of a match in units of cost (a unit is about one point per deal)
)
STAGE_START_TURNS = (3, 5, 8, 11)  # turns of the player at which the next stage of the deal begins
N_STAGES = len(STAGE_START_TURNS) + 1

HAND_FEATURES = (
    ("unmatched_0", "1 if all cards are in possible melds"),
    ("unmatched_1", "1 if one card is in no possible meld"),
    ("unmatched_2", "1 if two cards are in no possible meld, and so on"),
    ("unmatched_3", ""),
    ("unmatched_4", ""),
    ("unmatched_5", ""),
    ("unmatched_6", ""),
    ("unmatched_7", ""),
    ("unmatched_8", ""),
    ("unmatched_9", ""),
    ("unmatched_10", ""),
    ("deadwood", "deadwood"),
    ("deadwood_squared", "deadwood squared, divided by 50"),
    ("deadwood_to_4", "1 if the deadwood is at most 4"),
    ("deadwood_to_10", "1 if the deadwood is at most 10"),
    ("deadwood_to_15", "1 if the deadwood is 11 to 15"),
    ("deadwood_to_22", "1 if the deadwood is 16 to 22"),
    ("outs_if_up_to_3", "unseen cards that make a new meld, if at most three cards are unmatched"),
    ("outs_if_4_to_5", "such unseen cards, if four or five cards are unmatched"),
    ("outs_if_6_to_7", "such unseen cards, if six or seven cards are unmatched"),
    ("outs_if_8_or_more", "such unseen cards, if eight or more cards are unmatched"),
    ("high_outs", "unseen cards from 10 to K that make a new meld"),
    ("low_outs", "unseen cards from A to 4 that make a new meld"),
    ("extensions_if_up_to_1", "unseen cards that extend a meld, if at most one card is unmatched"),
    ("extensions_if_2_to_3", "such unseen cards, if two or three cards are unmatched"),
    ("extensions_if_4_to_6", "such unseen cards, if four to six cards are unmatched"),
    ("extensions_if_7_or_more", "such unseen cards, if seven or more cards are unmatched"),
    ("unpaired", "unmatched cards without a partner"),
    ("unpaired_points", "points of the unmatched cards without a partner"),
    ("highest_unpaired", "highest value of an unmatched card without a partner"),
    ("second_unpaired", "second highest value of an unmatched card without a partner"),
    ("rank_and_suit_partners", "unmatched cards with a partner in rank and a partner in suit"),
    ("low_unmatched", "unmatched cards from A to 3"),
    ("low_unmatched_points", "points of the unmatched cards from A to 3"),
    ("unmatched_near_taken", "unmatched cards next to a card that the opponent took"),
    ("outs_near_taken", "outs to a new meld next to a card that the opponent took"),
    ("outs_near_shed", "outs to a new meld next to a card that the opponent shed"),
    (
        "extensions_near_shed",
        "cards that extend a meld and are next to a card that the opponent shed",
    ),
    ("deadwood_times_known", "deadwood times the number of known cards of the opponent"),
    (
        "deadwood_times_opponent_score",
        "deadwood times the opponent's points in the match, divided by 100",
    ),
    ("deadwood_times_own_score", "deadwood times own points in the match, divided by 100"),
    ("gin_draws", "unseen cards that make gin on the next draw"),
    ("knock_draws", "approximate number of unseen cards that make a knock possible"),
)
DISCARD_FEATURES = (
    ("nearby_unmatched", "unmatched cards in the hand that are near the discard"),
    ("nearby_matched", "other cards in the hand that are near the discard"),
    ("melds_with_two_known", "melds of the discard with two known cards of the opponent"),
    ("sets_with_one_known", "sets of the discard with a known and an unseen card"),
    ("runs_with_one_known", "runs of the discard with a known and an unseen card"),
    ("dead_set", "1 if a card of its rank is known and none is unseen"),
    ("unseen_sets", "sets of the discard with two unseen cards"),
    ("unseen_runs", "runs of the discard with two unseen cards"),
    ("unseen_sets_high", "such sets if the discard is 10 to K"),
    ("unseen_runs_high", "such runs if the discard is 10 to K"),
    ("unseen_runs_low", "such runs if the discard is A to 3"),
    ("unseen_sets_shed", "such sets if the opponent shed a card of its rank"),
    ("unseen_runs_shed", "such runs if the opponent shed a neighbour"),
    ("shed_same_rank", "cards of the same rank that the opponent shed"),
    ("shed_neighbours", "neighbours in the suit that the opponent shed"),
    ("shed_two_ranks_away", "cards two ranks away in the suit that the opponent shed"),
    ("rank", "rank of the discard, 0 to 12"),
    ("rank_squared", "rank squared, divided by ten"),
    ("same_rank_as_last", "1 if it has the rank of the opponent's last discard"),
    ("neighbour_of_last", "1 if it is a neighbour of the opponent's last discard"),
    ("two_ranks_from_last", "1 if it is two ranks from the opponent's last discard, same suit"),
)
FEATURE_NAMES = tuple(name for name, _ in HAND_FEATURES + DISCARD_FEATURES)
N_FEATURES = len(FEATURE_NAMES)
# Index of each feature in the weights of a stage, by name
FeatureIndices = namedtuple("FeatureIndices", FEATURE_NAMES)
FEATURES = FeatureIndices(*range(N_FEATURES))

TENS_TO_KINGS = sum(0b1111 << (13 * suit + 9) for suit in range(4))
ACES_TO_FOURS = sum(0b1111 << (13 * suit) for suit in range(4))
ACES_TO_THREES = sum(0b111 << (13 * suit) for suit in range(4))


@helper
def find_stage(turn):
    """Return the stage of the deal (0 to 4) at a given turn of the player."""
    return (
        0  # In interpreted mode, the sum of two NumPy Booleans is a Boolean.
        + (turn >= STAGE_START_TURNS[0])
        + (turn >= STAGE_START_TURNS[1])
        + (turn >= STAGE_START_TURNS[2])
        + (turn >= STAGE_START_TURNS[3])
    )


@force_inline
def find_two_highest_values(cards, rules):
    """Return the two highest card values of different ranks, or 0 for each missing rank."""
    ranks = ranks_of(cards)  # Products replace branches that are hard to predict.
    highest = find_highest_rank(ranks | 1)
    other_ranks = ranks & ~(1 << highest)
    second = find_highest_rank(other_ranks | 1)
    return rules.value[0, highest] * (ranks != 0), rules.value[0, second] * (other_ranks != 0)


@helper
def count_knock_draws(deadwood_points, highest_value, new_outs, view, rules):
    """Estimate the number of unseen cards that would let the player knock after the next draw.

    The function counts low cards that can replace the highest unmatched card, and outs to a new
    meld.
    """
    deadwood_of_nine = deadwood_points - highest_value
    if deadwood_points <= view.limit or deadwood_of_nine >= view.limit:
        return 0
    low_ranks = np.int64(0)
    for r in range(13):
        low_ranks |= np.int64(deadwood_of_nine + rules.value[0, r] <= view.limit) << r
    return popcount(view.unseen & (cards_of_ranks(low_ranks) | new_outs))


@force_inline
def compute_deadwood_cost(n_unmatched, deadwood_points, view, weights):
    """Return the cost of the deadwood and of the number of unmatched cards of a ten-card hand."""
    cost = (
        weights[FEATURES.unmatched_0 + n_unmatched] + deadwood_points * weights[FEATURES.deadwood]
    )
    cost += deadwood_points * deadwood_points * 0.02 * weights[FEATURES.deadwood_squared]
    cost += (deadwood_points <= 10) * weights[FEATURES.deadwood_to_10]
    cost += (deadwood_points <= 4) * weights[FEATURES.deadwood_to_4]
    cost += (deadwood_points > 10) * (deadwood_points <= 15) * weights[FEATURES.deadwood_to_15]
    cost += (deadwood_points > 15) * (deadwood_points <= 22) * weights[FEATURES.deadwood_to_22]
    cost += deadwood_points * popcount(view.known) * weights[FEATURES.deadwood_times_known]
    cost += (
        deadwood_points * 0.01 * view.other_points * weights[FEATURES.deadwood_times_opponent_score]
    )
    return (
        cost + deadwood_points * 0.01 * view.own_points * weights[FEATURES.deadwood_times_own_score]
    )


@force_inline
def compute_outs_cost(
    n_unmatched, new_meld_outs, other_outs, cards_near_taken, cards_near_shed, weights
):
    """Return the (usually negative) cost of the outs that are still available.

    Args:
        n_unmatched: Number of unmatched cards.
        new_meld_outs: Outs that make a new meld.
        other_outs: Other outs, which extend a meld.
        cards_near_taken: Cards next to a card that the opponent took.
        cards_near_shed: Cards next to a card that the opponent discarded or declined.
        weights: Weights of the features.
    """
    new_index = (
        FEATURES.outs_if_up_to_3 + (n_unmatched >= 4) + (n_unmatched >= 6) + (n_unmatched >= 8)
    )
    other_index = (
        FEATURES.extensions_if_up_to_1
        + (n_unmatched >= 2)
        + (n_unmatched >= 4)
        + (n_unmatched >= 7)
    )
    cost = popcount(new_meld_outs) * weights[new_index]
    cost += popcount(other_outs) * weights[other_index]
    cost += popcount(new_meld_outs & TENS_TO_KINGS) * weights[FEATURES.high_outs]
    cost += popcount(new_meld_outs & ACES_TO_FOURS) * weights[FEATURES.low_outs]
    cost += popcount(new_meld_outs & cards_near_taken) * weights[FEATURES.outs_near_taken]
    cost += popcount(new_meld_outs & cards_near_shed) * weights[FEATURES.outs_near_shed]
    return cost + popcount(other_outs & cards_near_shed) * weights[FEATURES.extensions_near_shed]


@force_inline
def sum_points(cards, rules):
    """Return the total points of the cards in a mask, under any rules."""
    aces = popcount(cards & ACES)
    return sum_card_values_bitwise(cards, rules, 0) + aces * (
        rules.value[0, 0] >> N_VALUE_BITS << N_VALUE_BITS
    )


@force_inline
def compute_unmatched_cost(unmatched, cards_near_taken, rules, weights):
    """Return the part of a hand's cost that depends on which cards are unmatched."""
    by_rank, by_suit = partners_by_rank_and_suit(unmatched)
    unpaired, low = unmatched & ~(by_rank | by_suit), unmatched & ACES_TO_THREES
    highest, second = find_two_highest_values(unpaired, rules)
    cost = (
        popcount(unpaired) * weights[FEATURES.unpaired]
        + sum_points(unpaired, rules) * weights[FEATURES.unpaired_points]
    )
    cost += (
        highest * weights[FEATURES.highest_unpaired] + second * weights[FEATURES.second_unpaired]
    )
    cost += popcount(by_rank & by_suit) * weights[FEATURES.rank_and_suit_partners]
    cost += (
        popcount(low) * weights[FEATURES.low_unmatched]
        + sum_points(low, rules) * weights[FEATURES.low_unmatched_points]
    )
    return cost + popcount(unmatched & cards_near_taken) * weights[FEATURES.unmatched_near_taken]


@force_inline
def write_outs(n_hands, hands, unmatched, unseen, rules, new_meld_outs, other_outs):
    """Write the live outs of several hands: outs to a new meld, and other outs."""
    if not rules.by_planes[0]:
        for i in range(n_hands):
            new_meld_outs[i] = outs(unmatched[i], rules) & unseen
            other_outs[i] = outs(hands[i], rules) & unseen & ~new_meld_outs[i]
        return
    for i in range(n_hands + 3 & ~3):
        new_meld_outs[i] = find_outs_bitwise(unmatched[i]) & unseen
        other_outs[i] = find_outs_bitwise(hands[i]) & unseen & ~new_meld_outs[i]


@force_inline
def write_hand_costs(
    n_hands, hands, unmatched, deadwood_values, signals, view, rules, weights, costs
):
    """Write the costs (features times weights) of several ten-card hands to `costs`.

    All arrays are stack arrays (see simgin.toolkit.stack_arrays).

    Args:
        n_hands: Number of hands.
        hands: Ten-card hands as 52-bit masks.
        unmatched: Cards in no possible meld, for each hand.
        deadwood_values: Deadwood of each hand.
        signals: Result of `find_opponent_signals`.
        view: View of the player.
        rules: Rules of the variant.
        weights: Weights of the features.
        costs: Output array for the costs.
    """
    cards_near_taken, cards_near_shed, _ = signals
    new_melds, other = int_stack_array(), int_stack_array()
    write_outs(n_hands, hands, unmatched, view.unseen, rules, new_melds, other)
    for i in range(n_hands + 3 & ~3):
        size = popcount(unmatched[i])
        cost = compute_deadwood_cost(size, deadwood_values[i], view, weights)
        cost += compute_outs_cost(
            size, new_melds[i], other[i], cards_near_taken, cards_near_shed, weights
        )
        costs[i] = cost + compute_unmatched_cost(unmatched[i], cards_near_taken, rules, weights)
    for i in range(n_hands):
        if deadwood_values[i] == 0:
            costs[i] += popcount(new_melds[i] | other[i]) * weights[FEATURES.gin_draws]
        elif popcount(unmatched[i]) <= 3:
            gin = count_gin_outs(hands[i], unmatched[i], new_melds[i], other[i], rules)
            costs[i] += gin * weights[FEATURES.gin_draws]
        highest_value = find_two_highest_values(unmatched[i], rules)[0]
        costs[i] += (
            count_knock_draws(deadwood_values[i], highest_value, new_melds[i], view, rules)
            * weights[FEATURES.knock_draws]
        )


@force_inline
def compute_unseen_melds_cost(rank, sets, runs, weights):
    """Return the cost of the risk that the opponent melds a discard with two unseen cards."""
    high, low = np.int64(rank >= 9), np.int64(rank <= 2)
    cost = sets * weights[FEATURES.unseen_sets] + runs * weights[FEATURES.unseen_runs]
    cost += (
        high * sets * weights[FEATURES.unseen_sets_high]
        + high * runs * weights[FEATURES.unseen_runs_high]
    )
    return cost + low * runs * weights[FEATURES.unseen_runs_low]


@force_inline
def compute_known_melds_cost(n_known, known_bits, n_unseen, unseen_bits, runs, weights):
    """Return the cost of the risk that the opponent melds a discard with its known cards.

    Args:
        n_known: Number of known cards of the opponent with the same rank.
        known_bits: Known cards of the opponent near the discard in its suit, in the format of
            `count_run_pairs`.
        n_unseen: Number of unseen cards of the same rank.
        unseen_bits: Unseen cards near the discard in its suit.
        runs: Number of possible runs with unseen cards.
        weights: Weights of the features.
    """
    known_runs, one_known = count_run_pairs(known_bits), np.int64(n_known == 1)
    cost = (known_runs + (n_known >= 2)) * weights[FEATURES.melds_with_two_known]
    cost += (
        one_known * n_unseen * weights[FEATURES.sets_with_one_known]
        + one_known * (n_unseen == 0) * weights[FEATURES.dead_set]
    )
    return (
        cost
        + (count_run_pairs(known_bits | unseen_bits) - known_runs - runs)
        * weights[FEATURES.runs_with_one_known]
    )


@force_inline
def compute_shed_cards_cost(n_shed, shed_bits, sets, runs, weights):
    """Return the change in a discard's cost due to cards that the opponent has shed.

    Args:
        n_shed: Number of cards of the same rank that the opponent discarded or declined.
        shed_bits: Cards near the discard in its suit that the opponent discarded or declined.
        sets: Number of possible sets with unseen cards.
        runs: Number of possible runs with unseen cards.
        weights: Weights of the features.
    """
    n_adjacent = popcount(shed_bits & 0b01010)
    cost = sets * (n_shed > 0) * weights[FEATURES.unseen_sets_shed]
    cost += runs * (n_adjacent > 0) * weights[FEATURES.unseen_runs_shed]
    cost += (
        n_shed * weights[FEATURES.shed_same_rank] + n_adjacent * weights[FEATURES.shed_neighbours]
    )
    return cost + popcount(shed_bits & 0b10001) * weights[FEATURES.shed_two_ranks_away]


@force_inline
def compute_opponent_help_cost(
    card, rank, ten_cards, unmatched, last_discard, cards_near_last_discard, view, weights
):
    """Return the cost of helping the opponent with a discard.

    Args:
        card: The discard.
        rank: Rank of the discard, 0 to 12.
        ten_cards: The ten remaining cards.
        unmatched: Remaining cards in no possible meld.
        last_discard: The opponent's last discard, or -1 if it was taken.
        cards_near_last_discard: Cards near the opponent's last discard.
        view: View of the player.
        weights: Weights of the features.
    """
    ace = card - rank
    same_rank, suit = cards_of_rank(rank), ALL_RANKS << ace
    nearby = ten_cards & (same_rank | 0b11111 << card >> 2 & suit) & ~card_mask(card)
    n_unseen = popcount(view.unseen & same_rank)
    window = (view.unseen & suit) >> ace << 2 >> rank
    sets, runs = n_unseen * (n_unseen - 1) // 2, count_run_pairs(window)
    cost = popcount(nearby & unmatched) * weights[FEATURES.nearby_unmatched]
    cost += popcount(nearby & ~unmatched) * weights[FEATURES.nearby_matched]
    cost += rank * weights[FEATURES.rank] + rank * rank * 0.1 * weights[FEATURES.rank_squared]
    cost += compute_unseen_melds_cost(rank, sets, runs, weights)
    n_known, known_bits = (
        popcount(view.known & same_rank),
        (view.known & suit) >> ace << 2 >> rank,
    )
    cost += compute_known_melds_cost(n_known, known_bits, n_unseen, window, runs, weights)
    n_shed, shed_bits = (popcount(view.shed & same_rank), (view.shed & suit) >> ace << 2 >> rank)
    cost += compute_shed_cards_cost(n_shed, shed_bits, sets, runs, weights)
    is_near = np.int64(cards_near_last_discard & card_mask(card) != 0)
    return (
        cost + is_near * weights[FEATURES.same_rank_as_last + min(2, abs(rank - last_discard % 13))]
    )


@helper
def find_opponent_signals(view):
    """Return the cards near the opponent's known and shed cards, and the card just declined."""
    return touching_cards(view.known), touching_cards(view.shed), declined_card(view)


@force_inline
def add_opponent_help_costs(
    n_discards, cards, ranks, hands, unmatched, signals, view, weights, costs
):
    """Add the cost of helping the opponent to the costs of several discards.

    Args:
        n_discards: Number of discards.
        cards: Discards, as a stack array.
        ranks: Ranks of the discards, as a stack array.
        hands: Ten remaining cards for each discard, as a stack array.
        unmatched: Unmatched cards in each hand, as a stack array.
        signals: Result of `find_opponent_signals`.
        view: View of the player.
        weights: Weights of the features.
        costs: Stack array to which the costs are added.
    """
    last_discard = signals[2]
    cards_near_last_discard = neighbours(last_discard) if last_discard >= 0 else 0
    for i in range(n_discards + 3 & ~3):
        card, rank, ten_cards = cards[i], ranks[i], hands[i]
        costs[i] += compute_opponent_help_cost(
            card,
            rank,
            ten_cards,
            unmatched[i],
            last_discard,
            cards_near_last_discard,
            view,
            weights,
        )


@force_inline
def write_discard_costs(
    n_discards,
    cards,
    ranks,
    hands,
    unmatched,
    deadwood_values,
    signals,
    view,
    rules,
    weights,
    costs,
):
    """Write the costs (features times weights) of several discards to `costs`.

    The arguments are the same as for `write_hand_costs` and `add_opponent_help_costs`.
    """
    write_hand_costs(
        n_discards, hands, unmatched, deadwood_values, signals, view, rules, weights, costs
    )
    add_opponent_help_costs(
        n_discards, cards, ranks, hands, unmatched, signals, view, weights, costs
    )
