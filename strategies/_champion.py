"""Features of hands and discards for the strategy `champion`.

training/champion.py learns the weights of these features, and strategies/champion.py applies them.
The cost of an option is the sum of its features times their weights, which depend on the stage of
the deal.
"""

import numpy as np

from simgin.core.bitboard import sum_values_by_bits
from simgin.core.bits import highest_lane_bit
from simgin.core.cards import ACES, LANE_MASK
from simgin.core.jit import force_inline
from simgin.core.rules_record import N_VALUE_PLANES
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
from simgin.toolkit.prospects import count_gin_outs, outs_by_bits
from simgin.toolkit.stack_arrays import int_stack_array

MATCH_VALUE = 180.0  # value of a match in units of cost (a unit is about one point per deal)
STAGE_STARTS = (3, 5, 8, 11)  # turns of the player at which the next stage of the deal begins
N_STAGES = len(STAGE_STARTS) + 1

HAND_FEATURES = (
    ("loose_0", "1 if all cards are in possible melds"),
    ("loose_1", "1 if one card is in no possible meld"),
    ("loose_2", "1 if two cards are in no possible meld, and so on"),
    ("loose_3", ""),
    ("loose_4", ""),
    ("loose_5", ""),
    ("loose_6", ""),
    ("loose_7", ""),
    ("loose_8", ""),
    ("loose_9", ""),
    ("loose_10", ""),
    ("count", "deadwood"),
    ("count_squared", "deadwood squared, divided by 50"),
    ("count_to_4", "1 if the deadwood is at most 4"),
    ("count_to_10", "1 if the deadwood is at most 10"),
    ("count_to_15", "1 if the deadwood is 11 to 15"),
    ("count_to_22", "1 if the deadwood is 16 to 22"),
    ("outs_of_3", "unseen cards that make a new meld, if at most three cards are unmatched"),
    ("outs_of_5", "such unseen cards, if four or five cards are unmatched"),
    ("outs_of_7", "such unseen cards, if six or seven cards are unmatched"),
    ("outs_of_10", "such unseen cards, if eight or more cards are unmatched"),
    ("high_outs", "unseen cards from 10 to K that make a new meld"),
    ("low_outs", "unseen cards from A to 4 that make a new meld"),
    ("fits_of_1", "unseen cards that extend a meld, if at most one card is unmatched"),
    ("fits_of_3", "such unseen cards, if two or three cards are unmatched"),
    ("fits_of_6", "such unseen cards, if four to six cards are unmatched"),
    ("fits_of_10", "such unseen cards, if seven or more cards are unmatched"),
    ("lone", "unmatched cards without a partner"),
    ("lone_points", "points of the unmatched cards without a partner"),
    ("highest_lone", "highest value of an unmatched card without a partner"),
    ("second_lone", "second highest value of an unmatched card without a partner"),
    ("both_ways", "unmatched cards with a partner in rank and a partner in suit"),
    ("low", "unmatched cards from A to 3"),
    ("low_points", "points of the unmatched cards from A to 3"),
    ("wanted", "unmatched cards next to a card that the opponent took"),
    ("contested", "outs to a new meld next to a card that the opponent took"),
    ("spurned", "outs to a new meld next to a card that the opponent shed"),
    ("spurned_fits", "cards that extend a meld and are next to a card that the opponent shed"),
    ("count_taken", "deadwood times the number of known cards of the opponent"),
    ("count_behind", "deadwood times the opponent's points in the match, divided by 100"),
    ("count_ahead", "deadwood times own points in the match, divided by 100"),
    ("gin_draws", "unseen cards that make gin on the next draw"),
    ("knock_draws", "approximate number of unseen cards that make a knock possible"),
)
DISCARD_FEATURES = (
    ("near_loose", "unmatched cards in the hand that are near the discard"),
    ("near_melded", "other cards in the hand that are near the discard"),
    ("meld_known", "melds of the discard with two known cards of the opponent"),
    ("set_half_known", "sets of the discard with a known and an unseen card"),
    ("run_half_known", "runs of the discard with a known and an unseen card"),
    ("set_dead", "1 if a card of its rank is known and none is unseen"),
    ("set_unseen", "sets of the discard with two unseen cards"),
    ("run_unseen", "runs of the discard with two unseen cards"),
    ("set_unseen_high", "such sets if the discard is 10 to K"),
    ("run_unseen_high", "such runs if the discard is 10 to K"),
    ("run_unseen_low", "such runs if the discard is A to 3"),
    ("set_unseen_shed", "such sets if the opponent shed a card of its rank"),
    ("run_unseen_shed", "such runs if the opponent shed a neighbour"),
    ("shed_rank", "cards of the same rank that the opponent shed"),
    ("shed_next", "neighbours in the suit that the opponent shed"),
    ("shed_next_but_one", "cards two ranks away in the suit that the opponent shed"),
    ("rank", "rank of the discard, 0 to 12"),
    ("rank_squared", "rank squared, divided by ten"),
    ("same_rank_last", "1 if it has the rank of the opponent's last discard"),
    ("next_to_last", "1 if it is a neighbour of the opponent's last discard"),
    ("next_but_one_to_last", "1 if it is two ranks from the opponent's last discard, same suit"),
)
FEATURE_NAMES = tuple(name for name, _ in HAND_FEATURES + DISCARD_FEATURES)
N_FEATURES = len(FEATURE_NAMES)
# Indices of the features of a hand and of a discard
LOOSE = 0
COUNT, COUNT_SQUARED, COUNT_TO_4, COUNT_TO_10, COUNT_TO_15, COUNT_TO_22 = range(11, 17)
OUTS, HIGH_OUTS, LOW_OUTS, FITS = 17, 21, 22, 23
LONE, LONE_POINTS, HIGHEST_LONE, SECOND_LONE, BOTH_WAYS, LOW, LOW_POINTS = range(27, 34)
WANTED, CONTESTED, SPURNED, SPURNED_FITS = range(34, 38)
COUNT_TAKEN, COUNT_BEHIND, COUNT_AHEAD, GIN_DRAWS, KNOCK_DRAWS = range(38, 43)
NEAR_LOOSE, NEAR_MELDED = 43, 44
MELD_KNOWN, SET_HALF_KNOWN, RUN_HALF_KNOWN, SET_DEAD = range(45, 49)
SET_UNSEEN, RUN_UNSEEN, SET_UNSEEN_HIGH, RUN_UNSEEN_HIGH, RUN_UNSEEN_LOW = range(49, 54)
SET_UNSEEN_SHED, RUN_UNSEEN_SHED, SHED_RANK, SHED_NEXT, SHED_NEXT_BUT_ONE = range(54, 59)
RANK, RANK_SQUARED, SAME_RANK_LAST = 59, 60, 61

TEN_TO_KING = sum(0b1111 << (13 * suit + 9) for suit in range(4))
ACE_TO_4 = sum(0b1111 << (13 * suit) for suit in range(4))
ACE_TO_3 = sum(0b111 << (13 * suit) for suit in range(4))


@helper
def find_stage(turn):
    """Return the stage of the deal (0 to 4) at a given turn of the player."""
    return (
        0  # In interpreted mode, the sum of two NumPy Booleans is a Boolean.
        + (turn >= STAGE_STARTS[0])
        + (turn >= STAGE_STARTS[1])
        + (turn >= STAGE_STARTS[2])
        + (turn >= STAGE_STARTS[3])
    )


@force_inline
def find_two_highest_values(cards, rules):
    """Return the two highest card values of different ranks, or 0 for each missing rank."""
    ranks = ranks_of(cards)  # Products replace branches that are hard to predict.
    highest = highest_lane_bit(ranks | 1)
    others = ranks & ~(1 << highest)
    second = highest_lane_bit(others | 1)
    return rules.value[0, highest] * (ranks != 0), rules.value[0, second] * (others != 0)


@helper
def count_knock_draws(deadwood_points, highest_value, new_outs, view, rules):
    """Estimate the number of unseen cards that would let the player knock after the next draw.

    The function counts low cards that can replace the highest unmatched card, and outs to a new
    meld.
    """
    deadwood_of_nine = deadwood_points - highest_value
    if deadwood_points <= view.limit or deadwood_of_nine >= view.limit:
        return 0
    low_enough = np.int64(0)
    for r in range(13):
        low_enough |= np.int64(deadwood_of_nine + rules.value[0, r] <= view.limit) << r
    return popcount(view.unseen & (cards_of_ranks(low_enough) | new_outs))


@force_inline
def compute_deadwood_cost(n_unmatched, deadwood_points, view, weights):
    """Return the cost of the deadwood and of the number of unmatched cards of a ten-card hand."""
    cost = weights[LOOSE + n_unmatched] + deadwood_points * weights[COUNT]
    cost += deadwood_points * deadwood_points * 0.02 * weights[COUNT_SQUARED]
    cost += (deadwood_points <= 10) * weights[COUNT_TO_10]
    cost += (deadwood_points <= 4) * weights[COUNT_TO_4]
    cost += (deadwood_points > 10) * (deadwood_points <= 15) * weights[COUNT_TO_15]
    cost += (deadwood_points > 15) * (deadwood_points <= 22) * weights[COUNT_TO_22]
    cost += deadwood_points * popcount(view.known) * weights[COUNT_TAKEN]
    cost += deadwood_points * 0.01 * view.other_points * weights[COUNT_BEHIND]
    return cost + deadwood_points * 0.01 * view.own_points * weights[COUNT_AHEAD]


@force_inline
def compute_outs_cost(n_unmatched, new_meld_outs, other_outs, wanted_cards, spurned_cards, weights):
    """Return the (usually negative) cost of the outs that are still available.

    Args:
        n_unmatched: Number of unmatched cards.
        new_meld_outs: Outs that make a new meld.
        other_outs: Other outs, which extend a meld.
        wanted_cards: Cards next to a card that the opponent took.
        spurned_cards: Cards next to a card that the opponent discarded or declined.
        weights: Weights of the features.
    """
    new_index = OUTS + (n_unmatched >= 4) + (n_unmatched >= 6) + (n_unmatched >= 8)
    other_index = FITS + (n_unmatched >= 2) + (n_unmatched >= 4) + (n_unmatched >= 7)
    cost = popcount(new_meld_outs) * weights[new_index]
    cost += popcount(other_outs) * weights[other_index]
    cost += popcount(new_meld_outs & TEN_TO_KING) * weights[HIGH_OUTS]
    cost += popcount(new_meld_outs & ACE_TO_4) * weights[LOW_OUTS]
    cost += popcount(new_meld_outs & wanted_cards) * weights[CONTESTED]
    cost += popcount(new_meld_outs & spurned_cards) * weights[SPURNED]
    return cost + popcount(other_outs & spurned_cards) * weights[SPURNED_FITS]


@force_inline
def sum_points(cards, rules):
    """Return the total value of a mask of cards, in points, under any rules."""
    aces = popcount(cards & ACES)
    return sum_values_by_bits(cards, rules, 0) + aces * (
        rules.value[0, 0] >> N_VALUE_PLANES << N_VALUE_PLANES
    )


@force_inline
def compute_unmatched_cost(unmatched, wanted_cards, rules, weights):
    """Return the cost of unmatched cards in addition to their points."""
    by_rank, by_suit = partners_by_rank_and_suit(unmatched)
    lone, low = unmatched & ~(by_rank | by_suit), unmatched & ACE_TO_3
    highest, second = find_two_highest_values(lone, rules)
    cost = popcount(lone) * weights[LONE] + sum_points(lone, rules) * weights[LONE_POINTS]
    cost += highest * weights[HIGHEST_LONE] + second * weights[SECOND_LONE]
    cost += popcount(by_rank & by_suit) * weights[BOTH_WAYS]
    cost += popcount(low) * weights[LOW] + sum_points(low, rules) * weights[LOW_POINTS]
    return cost + popcount(unmatched & wanted_cards) * weights[WANTED]


@force_inline
def write_outs(n_hands, hands, unmatched, unseen, rules, new_meld_outs, other_outs):
    """Write the live outs of several hands, separating outs for a new meld from other outs."""
    if not rules.by_planes[0]:
        for i in range(n_hands):
            new_meld_outs[i] = outs(unmatched[i], rules) & unseen
            other_outs[i] = outs(hands[i], rules) & unseen & ~new_meld_outs[i]
        return
    for i in range(n_hands + 3 & ~3):
        new_meld_outs[i] = outs_by_bits(unmatched[i]) & unseen
        other_outs[i] = outs_by_bits(hands[i]) & unseen & ~new_meld_outs[i]


@force_inline
def write_hand_costs(n_hands, hands, unmatched, counts, context, view, rules, weights, costs):
    """Write the costs (features times weights) of several ten-card hands to `costs`.

    All arrays are stack arrays (see simgin.toolkit.stack_arrays).

    Args:
        n_hands: Number of hands.
        hands: Ten-card hands as 52-bit masks.
        unmatched: Cards in no possible meld, for each hand.
        counts: Deadwood of each hand.
        context: Result of `find_context`.
        view: View of the player.
        rules: Rules of the variant.
        weights: Weights of the features.
        costs: Output array for the costs.
    """
    wanted_cards, spurned_cards, _ = context
    new_melds, other = int_stack_array(), int_stack_array()
    write_outs(n_hands, hands, unmatched, view.unseen, rules, new_melds, other)
    for i in range(n_hands + 3 & ~3):
        size = popcount(unmatched[i])
        cost = compute_deadwood_cost(size, counts[i], view, weights)
        cost += compute_outs_cost(
            size, new_melds[i], other[i], wanted_cards, spurned_cards, weights
        )
        costs[i] = cost + compute_unmatched_cost(unmatched[i], wanted_cards, rules, weights)
    for i in range(n_hands):
        if counts[i] == 0:
            costs[i] += popcount(new_melds[i] | other[i]) * weights[GIN_DRAWS]
        elif popcount(unmatched[i]) <= 3:
            gin = count_gin_outs(hands[i], unmatched[i], new_melds[i], other[i], rules)
            costs[i] += gin * weights[GIN_DRAWS]
        highest_value = find_two_highest_values(unmatched[i], rules)[0]
        costs[i] += (
            count_knock_draws(counts[i], highest_value, new_melds[i], view, rules)
            * weights[KNOCK_DRAWS]
        )


@force_inline
def compute_unseen_cost(rank, sets, runs, weights):
    """Return the cost of the melds that a discard of a rank can make with two unseen cards."""
    high, low = np.int64(rank >= 9), np.int64(rank <= 2)
    cost = sets * weights[SET_UNSEEN] + runs * weights[RUN_UNSEEN]
    cost += high * sets * weights[SET_UNSEEN_HIGH] + high * runs * weights[RUN_UNSEEN_HIGH]
    return cost + low * runs * weights[RUN_UNSEEN_LOW]


@force_inline
def compute_known_cost(n_known, known_bits, unseen, window, runs, weights):
    """Return the cost of the melds that a discard can make with the opponent's known cards.

    Args:
        n_known: Number of known cards of the opponent with the same rank.
        known_bits: Known cards of the opponent near the discard in its suit, in the format of
            `count_run_pairs`.
        unseen: Number of unseen cards of the same rank.
        window: Unseen cards near the discard in its suit.
        runs: Number of possible runs with unseen cards.
        weights: Weights of the features.
    """
    known_runs, one_known = count_run_pairs(known_bits), np.int64(n_known == 1)
    cost = (known_runs + (n_known >= 2)) * weights[MELD_KNOWN]
    cost += (
        one_known * unseen * weights[SET_HALF_KNOWN] + one_known * (unseen == 0) * weights[SET_DEAD]
    )
    return (
        cost + (count_run_pairs(known_bits | window) - known_runs - runs) * weights[RUN_HALF_KNOWN]
    )


@force_inline
def compute_shed_cost(n_shed, shed_bits, sets, runs, weights):
    """Return the part of a discard's cost due to cards that the opponent discarded or declined.

    Args:
        n_shed: Number of cards of the same rank that the opponent discarded or declined.
        shed_bits: Cards near the discard in its suit that the opponent discarded or declined.
        sets: Number of possible sets with unseen cards.
        runs: Number of possible runs with unseen cards.
        weights: Weights of the features.
    """
    n_adjacent = popcount(shed_bits & 0b01010)
    cost = sets * (n_shed > 0) * weights[SET_UNSEEN_SHED]
    cost += runs * (n_adjacent > 0) * weights[RUN_UNSEEN_SHED]
    cost += n_shed * weights[SHED_RANK] + n_adjacent * weights[SHED_NEXT]
    return cost + popcount(shed_bits & 0b10001) * weights[SHED_NEXT_BUT_ONE]


@force_inline
def compute_giveaway_cost(card, rank, ten_cards, unmatched, last, near_last, view, weights):
    """Return the cost of helping the opponent with a discard.

    Args:
        card: The discard.
        rank: Rank of the discard, 0 to 12.
        ten_cards: The ten remaining cards.
        unmatched: Remaining cards in no possible meld.
        last: The opponent's last discard, or -1 if it was taken.
        near_last: Cards near the opponent's last discard.
        view: View of the player.
        weights: Weights of the features.
    """
    ace = card - rank
    peers, suit = cards_of_rank(rank), LANE_MASK << ace
    nearby = ten_cards & (peers | 0b11111 << card >> 2 & suit) & ~card_mask(card)
    n_unseen = popcount(view.unseen & peers)
    window = (view.unseen & suit) >> ace << 2 >> rank
    sets, runs = n_unseen * (n_unseen - 1) // 2, count_run_pairs(window)
    cost = popcount(nearby & unmatched) * weights[NEAR_LOOSE]
    cost += popcount(nearby & ~unmatched) * weights[NEAR_MELDED]
    cost += rank * weights[RANK] + rank * rank * 0.1 * weights[RANK_SQUARED]
    cost += compute_unseen_cost(rank, sets, runs, weights)
    n_known, known_bits = (popcount(view.known & peers), (view.known & suit) >> ace << 2 >> rank)
    cost += compute_known_cost(n_known, known_bits, n_unseen, window, runs, weights)
    n_shed, shed_bits = (popcount(view.shed & peers), (view.shed & suit) >> ace << 2 >> rank)
    cost += compute_shed_cost(n_shed, shed_bits, sets, runs, weights)
    is_near = np.int64(near_last & card_mask(card) != 0)
    return cost + is_near * weights[SAME_RANK_LAST + min(2, abs(rank - last % 13))]


@helper
def find_context(view):
    """Return cards that touch known cards, cards that touch shed cards, and the declined card."""
    return touching_cards(view.known), touching_cards(view.shed), declined_card(view)


@force_inline
def add_giveaway_costs(n_discards, cards, ranks, hands, unmatched, context, view, weights, costs):
    """Add the cost of helping the opponent to the costs of several discards.

    Args:
        n_discards: Number of discards.
        cards: Discards, as a stack array.
        ranks: Ranks of the discards, as a stack array.
        hands: Ten remaining cards for each discard, as a stack array.
        unmatched: Unmatched cards in each hand, as a stack array.
        context: Result of `find_context`.
        view: View of the player.
        weights: Weights of the features.
        costs: Stack array to which the costs are added.
    """
    last = context[2]
    near_last = neighbours(last) if last >= 0 else 0
    for i in range(n_discards + 3 & ~3):
        card, rank, ten_cards = cards[i], ranks[i], hands[i]
        costs[i] += compute_giveaway_cost(
            card, rank, ten_cards, unmatched[i], last, near_last, view, weights
        )


@force_inline
def write_discard_costs(
    n_discards, cards, ranks, hands, unmatched, counts, context, view, rules, weights, costs
):
    """Write the costs (features times weights) of several discards to `costs`.

    The arguments are the same as for `write_hand_costs` and `add_giveaway_costs`.
    """
    write_hand_costs(n_discards, hands, unmatched, counts, context, view, rules, weights, costs)
    add_giveaway_costs(n_discards, cards, ranks, hands, unmatched, context, view, weights, costs)
