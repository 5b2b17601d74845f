"""MARJJ: takes useful cards, minimises the expected deadwood, and waits for gin.

MARJJ takes a card if the card is in a best arrangement of melds and lowers the deadwood. The
strategy follows the public file v5 of the player that reportedly won the EAAI-21 gin rummy
challenge. The cost of a discard is the sum of the remaining deadwood, a look-ahead term and the use
of the card to the opponent. The look-ahead term is the mean of the few lowest deadwood values after
the next draw, with a weight that decreases from turn to turn. `marjj-paper` has the parameters that
the authors' paper reportedly uses.

The strategy reproduces three errors in the file. Two cards on the same side of a discard do not
count as a run. A queen is treated as if no king were available. `one_gone` is added instead of
subtracted if no other card of the rank is gone. Two errors are corrected: A card that the opponent
took and discarded again is no longer considered the opponent's, and a first upcard that the
opponent took cannot be drawn. The engine chooses which melds to show.

Source: Ahmed et al., aqibahm/MARJJ, file MARJJ_v5-1.java, 2021. A secondary source reports the
parameters of the paper.
"""

import numpy as np
from simgin_strategies.knock import knock_early
from simgin_strategies.take import take_for_best_melding_if_lower

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import (
    card_value,
    cards_of_rank,
    deadwood,
    discards_leaving,
    highest_value_cards,
    lowest_bit,
    mean_of_smallest,
    pick_random,
    popcount,
    tally_deadwood_after_draws,
    unmatched_cards,
)

# Indices of the parameters
(
    MAX_POINTS_BELOW_HIGHEST_INDEX,
    NEXT_DEADWOOD_WEIGHT_INDEX,
    WEIGHT_DECAY_INDEX,
    N_AVERAGED_VALUES_INDEX,
    NO_RANK_CARD_GONE_COST_INDEX,
) = range(5)
(
    NO_RUN_COST_INDEX,
    NEIGHBOUR_GONE_COST_INDEX,
    TWO_RANKS_AWAY_GONE_COST_INDEX,
    RUN_COST_INDEX,
    KNOWN_NEIGHBOUR_COST_INDEX,
    KNOWN_TWO_RANKS_AWAY_COST_INDEX,
) = range(5, 11)
NO_SET_COST_INDEX, ONE_RANK_CARD_GONE_COST_INDEX, SET_COST_INDEX = range(11, 14)
N_DEADWOOD_VALUES = 300  # larger than the deadwood of ten cards, even if an ace counts 99 points


@discard(
    name="marjj",
    noise=True,
    window=param(5, 0, 99, "maximum points below the highest unmatched card"),
    weight=param(18.0, 0.0, 1000.0, "weight of the next deadwood on the first turn"),
    decay=param(0.9, 0.0, 1.0, "factor on that weight per turn"),
    best=param(7, 1, 52, "number of lowest deadwood values to average"),
    one_gone=param(4.0, -100.0, 100.0, "cost if no other card of the rank is gone"),
    no_run=param(-10.0, -100.0, 100.0, "cost if the opponent cannot make a run with the card"),
    next_gone=param(-5.0, -100.0, 100.0, "otherwise, cost per neighbour in the suit that is gone"),
    far_gone=param(-3.0, -100.0, 100.0, "otherwise, cost per card two ranks away that is gone"),
    run=param(20.0, -100.0, 100.0, "cost if the card makes a run with known cards"),
    next=param(5.0, -100.0, 100.0, "otherwise, cost per known neighbour"),
    far=param(3.0, -100.0, 100.0, "otherwise, cost per known card two ranks away"),
    no_set=param(-10.0, -100.0, 100.0, "cost if two or more other cards of the rank are gone"),
    two_gone=param(-4.0, -100.0, 100.0, "cost if one other card of the rank is gone"),
    set=param(20.0, -100.0, 100.0, "cost if two other cards of the rank are known"),
)
def discard_like_marjj(view, rules, params):
    """Discard a high unmatched card, chosen by deadwood and by its use to the opponent."""
    remaining_cards = _select_candidates(view, rules, params)
    if remaining_cards & (remaining_cards - 1) == 0:
        return lowest_bit(remaining_cards)
    tally = np.zeros(N_DEADWOOD_VALUES, np.int64)
    min_score, cards = 1e9, 0
    while remaining_cards:
        card = lowest_bit(remaining_cards)
        remaining_cards &= remaining_cards - 1
        ten_cards = view.hand & ~(1 << card)
        deadwood_points = deadwood(ten_cards, rules)
        if deadwood_points == 0:
            return card
        tally[: deadwood_points + 1] = 0  # A draw never increases the deadwood.
        score = deadwood_points + params[NEXT_DEADWOOD_WEIGHT_INDEX] * _compute_mean_next_deadwood(
            ten_cards, view.unseen, int(params[N_AVERAGED_VALUES_INDEX]), tally, rules
        ) * _compute_power(params[WEIGHT_DECAY_INDEX], view.own_turn - 1)
        score += _score_use_to_opponent(card, view.known, ~(view.unseen | view.known), params)
        if score < min_score:
            min_score, cards = score, 0
        if score == min_score:
            cards |= 1 << card
    return pick_random(cards, view.noise)


@helper
def _compute_power(base, exponent):
    """Return the power of a base with an integer exponent by repeated squaring, as numba does.

    Python's operator `**` rounds differently.
    """
    power = 1.0
    while exponent:
        if exponent & 1:
            power *= base
        exponent >>= 1
        base *= base
    return power


@helper
def _select_candidates(view, rules, params):
    """Return the unmatched cards that are worth almost as much as the highest one.

    If there are none, the function returns the discards that are nearly the best.
    """
    options = unmatched_cards(view.hand, rules) & view.legal
    if options:
        return _select_cards_by_value(
            highest_value_cards(options, rules)[1] - params[MAX_POINTS_BELOW_HIGHEST_INDEX],
            options,
            rules,
        )
    return discards_leaving(
        view.hand, view.legal, view.least + params[MAX_POINTS_BELOW_HIGHEST_INDEX], rules
    )


@helper
def _select_cards_by_value(min_value, cards, rules):
    """Select the cards that have a value of at least `min_value`."""
    result, untested_cards = 0, cards
    while untested_cards:
        card = lowest_bit(untested_cards)
        untested_cards &= untested_cards - 1
        if card_value(card, rules) >= min_value:
            result |= 1 << card
    return result


@helper
def _compute_mean_next_deadwood(ten_cards, unseen, n_averaged, tally, rules):
    """Return the mean of the few lowest deadwood values after the next draw and discard.

    Args:
        ten_cards: Ten cards as a 52-bit mask.
        unseen: Unseen cards as a 52-bit mask.
        n_averaged: Number of lowest values to average.
        tally: Scratch space with one zero per possible deadwood value.
        rules: Rules of the variant.
    """
    n = tally_deadwood_after_draws(ten_cards, unseen, rules, tally)
    return mean_of_smallest(tally, float(max(1, min(n, n_averaged))))


@helper
def _score_use_to_opponent(card, known_cards, unavailable_cards, params):
    """Return a score of a card's use to the opponent, from the known and the dead cards nearby."""
    suit_start, rank = 13 * (card // 13), card % 13
    score = _score_run_neighbours(
        _add_bits_beyond_edge(
            _find_neighbour_bits(unavailable_cards >> suit_start & 0x1FFF, rank), rank
        ),
        params[NO_RUN_COST_INDEX],
        params[NEIGHBOUR_GONE_COST_INDEX],
        params[TWO_RANKS_AWAY_GONE_COST_INDEX],
    )
    score += _score_run_neighbours(
        _find_neighbour_bits(known_cards >> suit_start & 0x1FFF, rank),
        params[RUN_COST_INDEX],
        params[KNOWN_NEIGHBOUR_COST_INDEX],
        params[KNOWN_TWO_RANKS_AWAY_COST_INDEX],
    )
    same_rank = cards_of_rank(rank) & ~(1 << card)
    n_gone_in_rank = popcount(unavailable_cards & same_rank)
    if n_gone_in_rank:
        score += (
            params[ONE_RANK_CARD_GONE_COST_INDEX]
            if n_gone_in_rank == 1
            else params[NO_SET_COST_INDEX]
        )
    if popcount(known_cards & same_rank) >= 2:
        score += params[SET_COST_INDEX]
    elif n_gone_in_rank == 0:
        score += params[NO_RANK_CARD_GONE_COST_INDEX]
    return score


@helper
def _find_neighbour_bits(suit_cards, rank):
    """Return the cards near a rank in a suit as bits 0 and 1 (below) and bits 3 and 4 (above)."""
    return (suit_cards << 2 >> rank) & 0b11011


@helper
def _add_bits_beyond_edge(neighbours, rank):
    """Set the bits beyond the ace and the king in the neighbour bits of a rank.

    For a queen, the bit of the king is also set, as in the file.
    """
    edge_below = (0b00011, 0b00001)[rank] if rank <= 1 else 0
    return neighbours | edge_below | (0b01000 if rank >= 11 else 0)


@helper
def _score_run_neighbours(neighbours, run_score, neighbour_score, two_ranks_away_score):
    """Return `run_score` if the neighbours complete a run, otherwise the sum of their scores.

    The cards complete a run if they include a neighbour and at least one card on the other side of
    the rank. The sum adds `neighbour_score` for each neighbour and `two_ranks_away_score` for each
    card two ranks away.
    """
    if (neighbours & 0b01000 and neighbours & 0b00011) or (
        neighbours & 0b00010 and neighbours & 0b11000
    ):
        return run_score
    return neighbour_score * popcount(neighbours & 0b01010) + two_ranks_away_score * popcount(
        neighbours & 0b10001
    )


MARJJ = Strategy(
    "marjj",
    take=take_for_best_melding_if_lower,
    discard=discard_like_marjj,
    knock=knock_early(k=3),
    ending="same",
)
MARJJ_EARLY = Strategy(
    "marjj-early",
    take=take_for_best_melding_if_lower,
    discard=discard_like_marjj,
    knock=knock_early(k=5),
    ending="same",
    about="Plays like MARJJ, but can knock in its first five turns instead of its first three.",
)
MARJJ_PAPER = Strategy(
    "marjj-paper",
    take=take_for_best_melding_if_lower,
    discard=discard_like_marjj(weight=20, best=6),
    knock=knock_early(k=3),
    ending="same",
    about="Plays like MARJJ, with the parameters that the paper reportedly uses.",
)
