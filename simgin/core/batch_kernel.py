"""Kernel that plays deals or matches and adds their results to batch rows.

Nearly all CPU time is spent in this kernel. `simgin.core.batch_columns` lists the columns of a row.
"""

import numpy as np

from simgin.core.batch_columns import (
    DEADWOOD_DIFFERENCE_COLUMN,
    DEADWOOD_HISTOGRAM_START,
    DEAL_RESULTS,
    DENOMINATOR_INDICES,
    N_COLUMNS,
    N_DEADWOOD_BINS,
    N_STATISTICS,
    N_TURNS_BINS,
    PLAYER_STATISTICS,
    PRODUCTS_START,
    SCORING_RESULTS,
    SQUARED_DEAL_MARGIN_COLUMN,
    SQUARED_MATCH_MARGIN_COLUMN,
    SQUARES_START,
    STATISTIC_INDEX,
    SUMS_START,
    TURNS_HISTOGRAM_START,
    UNITS_COLUMN,
    WIN_RATE_HISTOGRAM_START,
)
from simgin.core.deal import play_deal
from simgin.core.deal_record import count_draws, get_side_of_seat, write_deal_record
from simgin.core.jit import jit
from simgin.core.match import (
    MATCH_DRAWN,
    MATCH_UNDECIDED,
    MATCH_UNFINISHED,
    apply_deal_result,
    choose_first_dealer,
    choose_next_dealer,
    compute_final_score,
    compute_settlement,
    has_settlement,
    start_match,
)
from simgin.core.query import clear_history
from simgin.core.rules_record import FIRST_DEALER_RANDOM, GOAL_TOTAL
from simgin.core.scoring import RESULT_EVEN, RESULT_KNOCK, RESULT_REFUSED, RESULT_UNDERCUT
from simgin.core.shuffle import start_shuffle, swap_hands_for_dealer
from simgin.core.solo_deal import choose_joker_position, play_deal_solo
from simgin.core.turn_steps import clear_deal

# numba would copy a tuple at each access, so the denominators are an array.
DENOMINATOR_INDEX_ARRAY = np.array(DENOMINATOR_INDICES, np.uint32)
DEALS_STAT_INDEX, DECIDED_DEALS_STAT_INDEX, SHOWDOWNS_STAT_INDEX, FIRST_RESULT_STAT_INDEX = (
    STATISTIC_INDEX["deals"],
    STATISTIC_INDEX["decided"],
    STATISTIC_INDEX["showdowns"],
    STATISTIC_INDEX[DEAL_RESULTS[0]],
)
FIRST_RESULT_POINTS_STAT_INDEX, POINTS_SCORED_STAT_INDEX, TURNS_STAT_INDEX = (
    STATISTIC_INDEX["points_knock"],
    STATISTIC_INDEX["points_scored"],
    STATISTIC_INDEX["turns"],
)
FIRST_PLAYER_WINS_STAT_INDEX, UPCARD_TAKER_STAT_INDEX = (
    STATISTIC_INDEX["first_player_win"],
    STATISTIC_INDEX["upcard_first"],
)
KNOCKER_DEADWOOD_STAT_INDEX, DEFENDER_DEADWOOD_STAT_INDEX = (
    STATISTIC_INDEX["knock_count"],
    STATISTIC_INDEX["defender_count"],
)
DEADWOOD_BEFORE_LAYOFF_STAT_INDEX = STATISTIC_INDEX["defender_before"]
LAID_OFF_CARDS_STAT_INDEX, DEALS_WITH_LAYOFF_STAT_INDEX, TIES_STAT_INDEX = (
    STATISTIC_INDEX["laid_off"],
    STATISTIC_INDEX["laid_off_any"],
    STATISTIC_INDEX["tie"],
)
FIRST_STAT_INDEX_OF_A, FIRST_STAT_INDEX_OF_B = (
    STATISTIC_INDEX["a_won_knock"],
    STATISTIC_INDEX["b_won_knock"],
)
N_SCORING_RESULTS, PLAYER_REFUSAL_WINS_INDEX = (
    len(SCORING_RESULTS),
    PLAYER_STATISTICS.index("won_refused"),
)
PLAYER_WINS_INDEX, PLAYER_POINTS_INDEX = (
    PLAYER_STATISTICS.index("deal_win"),
    PLAYER_STATISTICS.index("points"),
)
PLAYER_TAKES_INDEX, PLAYER_DRAWS_INDEX = (
    PLAYER_STATISTICS.index("takes"),
    PLAYER_STATISTICS.index("draws"),
)
DEAL_MARGIN_STAT_INDEX = STATISTIC_INDEX["a_margin"]
MATCHES_STAT_INDEX, DECIDED_MATCHES_STAT_INDEX, MATCH_WINS_STAT_INDEX = (
    STATISTIC_INDEX["matches"],
    STATISTIC_INDEX["matches_decided"],
    STATISTIC_INDEX["a_match_win"],
)
DRAWN_MATCHES_STAT_INDEX, UNFINISHED_MATCHES_STAT_INDEX = (
    STATISTIC_INDEX["match_drawn"],
    STATISTIC_INDEX["unfinished"],
)
MATCH_MARGIN_STAT_INDEX = STATISTIC_INDEX["a_match_margin"]
WINNER_SCORE_STAT_INDEX, LOSER_SCORE_STAT_INDEX = (
    STATISTIC_INDEX["winner_score"],
    STATISTIC_INDEX["loser_score"],
)
ZERO_LOSER_SCORES_STAT_INDEX = STATISTIC_INDEX["loser_zero"]
SETTLED_MATCHES_STAT_INDEX, SETTLEMENT_STAT_INDEX = (
    STATISTIC_INDEX["settled"],
    STATISTIC_INDEX["a_settlement"],
)
TOTAL_GOAL_MATCHES_STAT_INDEX, TOTAL_GOALS_MET_STAT_INDEX = (
    STATISTIC_INDEX["totals"],
    STATISTIC_INDEX["goal_met"],
)
# Indices of the statistics with a denominator other than the number of deals. The first
# N_NOT_PER_DEAL_NON_MATCH_STATS refer to deals, and the remaining ones refer to matches.
NOT_PER_DEAL_STAT_INDICES = np.array(
    [
        index
        for index, denominator in enumerate(DENOMINATOR_INDICES)
        if denominator != DEALS_STAT_INDEX
    ],
    np.uint32,
)
N_NOT_PER_DEAL_NON_MATCH_STATS = int((NOT_PER_DEAL_STAT_INDICES < MATCHES_STAT_INDEX).sum())


@jit
def _add_player_statistics(state, seat, first_index):
    """Add the result of a deal for one player to the statistics of the unit of analysis."""
    if state.winner == seat:
        if state.kind < N_SCORING_RESULTS:
            state.statistics[first_index + state.kind] += 1
        elif state.kind == RESULT_REFUSED:
            state.statistics[first_index + PLAYER_REFUSAL_WINS_INDEX] += 1
        state.statistics[first_index + PLAYER_WINS_INDEX] += 1
    state.statistics[first_index + PLAYER_POINTS_INDEX] += state.score[seat]
    state.statistics[first_index + PLAYER_TAKES_INDEX] += state.takes[seat]
    state.statistics[first_index + PLAYER_DRAWS_INDEX] += count_draws(state, seat)


@jit
def _add_showdown_statistics(state):
    """Add the showdown of a deal that ended with a knock to the statistics of the unit."""
    state.statistics[SHOWDOWNS_STAT_INDEX] += 1
    state.statistics[KNOCKER_DEADWOOD_STAT_INDEX] += state.knocker_deadwood
    state.statistics[DEFENDER_DEADWOOD_STAT_INDEX] += state.defender_deadwood
    state.statistics[DEADWOOD_BEFORE_LAYOFF_STAT_INDEX] += state.defender_before
    state.statistics[LAID_OFF_CARDS_STAT_INDEX] += state.laid_off
    state.statistics[DEALS_WITH_LAYOFF_STAT_INDEX] += state.laid_off > 0
    state.statistics[TIES_STAT_INDEX] += state.knocker_deadwood == state.defender_deadwood
    state.row[DEADWOOD_HISTOGRAM_START + min(state.knocker_deadwood, N_DEADWOOD_BINS - 1)] += 1


@jit
def add_deal_statistics(state, seat_a):
    """Add a deal to the statistics of its unit of analysis.

    `seat_a` is the seat of strategy A.
    """
    state.statistics[DEALS_STAT_INDEX] += 1
    state.statistics[FIRST_RESULT_STAT_INDEX + state.kind] += 1
    state.statistics[TURNS_STAT_INDEX] += state.turns
    state.row[TURNS_HISTOGRAM_START + min(state.turns, N_TURNS_BINS - 1)] += 1
    if state.upcard_to >= 0:
        state.statistics[UPCARD_TAKER_STAT_INDEX + state.upcard_to] += 1
    points = state.score[0] + state.score[1]
    if state.winner >= 0:
        state.statistics[DECIDED_DEALS_STAT_INDEX] += 1
        state.statistics[FIRST_PLAYER_WINS_STAT_INDEX] += state.winner != state.dealer
        state.statistics[POINTS_SCORED_STAT_INDEX] += points
    if state.kind < N_SCORING_RESULTS:
        state.statistics[FIRST_RESULT_POINTS_STAT_INDEX + state.kind] += points
    if state.kind in (RESULT_KNOCK, RESULT_UNDERCUT, RESULT_EVEN):
        _add_showdown_statistics(state)
    _add_player_statistics(state, seat_a, FIRST_STAT_INDEX_OF_A)
    _add_player_statistics(state, 1 - seat_a, FIRST_STAT_INDEX_OF_B)
    margin = state.score[seat_a] - state.score[1 - seat_a]
    state.statistics[DEAL_MARGIN_STAT_INDEX] += margin
    state.row[SQUARED_DEAL_MARGIN_COLUMN] += margin * margin
    state.row[DEADWOOD_DIFFERENCE_COLUMN] += (
        state.dealt_deadwood[state.dealer] - state.dealt_deadwood[1 - state.dealer]
    )


@jit
def _add_match_statistics(state, rules, outcome, seat_a):
    """Add a finished match to the statistics of its unit of analysis.

    `outcome` is the return value of `apply_deal_result`, and `seat_a` is the seat of strategy A.
    """
    score_a, score_b = (
        compute_final_score(state, rules, seat_a),
        compute_final_score(state, rules, 1 - seat_a),
    )
    state.statistics[MATCHES_STAT_INDEX] += 1
    state.statistics[MATCH_MARGIN_STAT_INDEX] += score_a - score_b
    state.row[SQUARED_MATCH_MARGIN_COLUMN] += (score_a - score_b) * (score_a - score_b)
    if has_settlement(rules, outcome):
        payment = compute_settlement(state, rules, outcome)
        state.statistics[SETTLED_MATCHES_STAT_INDEX] += 1
        state.statistics[SETTLEMENT_STAT_INDEX] += payment if seat_a == 0 else -payment
    if rules.goal == GOAL_TOTAL and outcome != MATCH_UNFINISHED:
        state.statistics[TOTAL_GOAL_MATCHES_STAT_INDEX] += 1
        state.statistics[TOTAL_GOALS_MET_STAT_INDEX] += outcome == seat_a
    if outcome < 0:
        state.statistics[MATCH_WINS_STAT_INDEX] += 1
        state.statistics[MATCH_WINS_STAT_INDEX + 1] += 1
        state.statistics[DRAWN_MATCHES_STAT_INDEX] += outcome == MATCH_DRAWN
        state.statistics[UNFINISHED_MATCHES_STAT_INDEX] += outcome == MATCH_UNFINISHED
        return
    a_has_won = outcome == seat_a
    state.statistics[MATCH_WINS_STAT_INDEX + (not a_has_won)] += 2
    if rules.goal == GOAL_TOTAL:
        return  # Only solitaire matches have a target total, so the opponent has no score.
    state.statistics[DECIDED_MATCHES_STAT_INDEX] += 1
    state.statistics[WINNER_SCORE_STAT_INDEX] += score_a if a_has_won else score_b
    state.statistics[LOSER_SCORE_STAT_INDEX] += score_b if a_has_won else score_a
    state.statistics[ZERO_LOSER_SCORES_STAT_INDEX] += (score_b if a_has_won else score_a) == 0


@jit
def _find_win_rate_bin(state):
    """Return the histogram bin (0 to 4) of strategy A's match win rate in the unit.

    If the unit has no matches, the win rate in its deals is used.
    """
    n_games, half_wins = (
        state.statistics[MATCHES_STAT_INDEX],
        state.statistics[MATCH_WINS_STAT_INDEX],
    )
    if n_games == 0:
        n_games, half_wins = (
            state.statistics[DEALS_STAT_INDEX],
            state.statistics[DEALS_STAT_INDEX]
            + state.statistics[FIRST_STAT_INDEX_OF_A + PLAYER_WINS_INDEX]
            - state.statistics[FIRST_STAT_INDEX_OF_B + PLAYER_WINS_INDEX],
        )
    return half_wins if n_games == 2 else 2 * half_wins


@jit
def add_unit_to_batch_row(state):
    """Add the statistics of a unit, their squares and their cross products to a batch row.

    The statistics are then reset.
    """
    state.row[UNITS_COLUMN] += 1
    state.row[WIN_RATE_HISTOGRAM_START + _find_win_rate_bin(state)] += 1
    n_deals = state.statistics[DEALS_STAT_INDEX]
    for i in range(N_STATISTICS):  # The loops are separate so that LLVM can vectorise each loop.
        state.row[SUMS_START + i] += state.statistics[i]
    for i in range(N_STATISTICS):
        state.row[SQUARES_START + i] += state.statistics[i] * state.statistics[i]
    # The last loop adjusts the statistics whose denominator is not the number of deals.
    for i in range(N_STATISTICS):
        state.row[PRODUCTS_START + i] += state.statistics[i] * n_deals
    n_adjusted = (
        len(NOT_PER_DEAL_STAT_INDICES)
        if state.statistics[MATCHES_STAT_INDEX]
        else N_NOT_PER_DEAL_NON_MATCH_STATS
    )
    for position in range(n_adjusted):
        i = NOT_PER_DEAL_STAT_INDICES[position]
        state.row[PRODUCTS_START + i] += state.statistics[i] * (
            state.statistics[DENOMINATOR_INDEX_ARRAY[i]] - n_deals
        )
    for i in range(N_STATISTICS):
        state.statistics[i] = 0


@jit
def _finish_deal(state, rules, records, seat_a, play_matches):
    """Add a finished deal to the unit and the match, and to the records if there are any.

    Returns the outcome of the match after the deal (see `apply_deal_result`). For a single deal
    without a record, the outcome is not needed, and the function returns MATCH_UNDECIDED.
    """
    add_deal_statistics(state, seat_a)
    if not len(records):
        return apply_deal_result(state, rules, state.deal + 1) if play_matches else MATCH_UNDECIDED
    record = records[state.n_recorded]
    state.n_recorded += 1
    write_deal_record(state, record, seat_a)
    outcome = apply_deal_result(state, rules, state.deal + 1)
    record.outcome = get_side_of_seat(outcome, seat_a) if outcome >= 0 else outcome
    return outcome


@jit
def start_mirrored_game(state, rules, seat_a, play_matches):
    """Start a game of a unit with strategy A in seat `seat_a`.

    The function resets the scores and chooses the first dealer.

    If the rules name a first dealer, that seat deals first. Otherwise, the first dealer of a match
    is random, and the dealer of single deals alternates between units.
    """
    state.half = seat_a
    start_match(state, rules)
    state.deal = 0
    state.n_logged = 0  # The log can contain decisions of an earlier deal.
    if state.has_given_cards:
        return
    state.dealer = (
        choose_first_dealer(state.seed, state.unit, rules)
        if play_matches or rules.first_dealer != FIRST_DEALER_RANDOM
        else state.unit & 1
    )


def play_units(
    state, rules, view0, view1, rows, records, first_unit, n_units, units_per_row, play_matches,
    is_mirrored,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Play consecutive units of analysis and add them to batch rows.

    A unit is a mirrored pair of games or a single game. A game is a match if `play_matches` is
    true, and a deal otherwise. If `is_mirrored` is true, every unit consists of two games with the
    same cards and the same first dealer: strategy A sits in seat 0 in the first game and in seat 1
    in the second.

    Unit numbers begin at `first_unit`. Unit i of the call is added to row i // units_per_row. If
    the state traces a deal of the first unit, the kernel logs the deal, stores the result of the
    deal in the state and returns.

    Array arguments:
        rows: (n_batches, N_COLUMNS) int64, overwritten.
        records: (n_deals,) DEAL_RECORD_DTYPE in order of play. An empty array disables recording.
            `state.n_recorded` counts the records written.
    """
    for unit_index in range(n_units):
        state.unit = first_unit + unit_index
        seat_a = 0
        start_mirrored_game(state, rules, seat_a, play_matches)
        while seat_a < 2:
            state.log_mode = seat_a == state.log_half and state.deal == state.log_deal
            # The second deal of a mirrored pair reuses the shuffle of the first deal.
            if not state.has_given_cards and (seat_a == 0 or play_matches):
                start_shuffle(state)
                swap_hands_for_dealer(state)
            clear_history(view0, state.turns)
            clear_history(view1, state.turns)
            clear_deal(state, rules, state.dealer)
            nondealer_view, dealer_view = (view1, view0) if state.dealer == 0 else (view0, view1)
            if state.dealer != seat_a:  # A is the nondealer and plays first.
                nondealer_take, nondealer_discard, nondealer_knock = take_a, discard_a, knock_a
                dealer_take, dealer_discard, dealer_knock = take_b, discard_b, knock_b
            else:
                nondealer_take, nondealer_discard, nondealer_knock = take_b, discard_b, knock_b
                dealer_take, dealer_discard, dealer_knock = take_a, discard_a, knock_a
            play_deal(
                state, rules, nondealer_view, dealer_view, nondealer_take, nondealer_discard,
                nondealer_knock, dealer_take, dealer_discard, dealer_knock, offer_a, answer_a,
                show_a, offer_b, answer_b, show_b,
            )  # fmt: skip
            if state.log_mode:
                return
            outcome = _finish_deal(state, rules, records, seat_a, play_matches)
            if play_matches and outcome == MATCH_UNDECIDED:
                state.dealer = choose_next_dealer(state.dealer, state.winner, rules)
                state.deal += 1
                continue
            if play_matches:
                _add_match_statistics(state, rules, outcome, seat_a)
            if seat_a == state.log_half:
                return  # The match ended before the deal to be traced.
            seat_a += 1 if is_mirrored else 2
            if seat_a < 2:
                start_mirrored_game(state, rules, seat_a, play_matches)
        _finish_unit(state, rows, unit_index, n_units, units_per_row)


def play_units_solo(
    state, rules, view, rows, records, first_unit, n_units, units_per_row, play_matches, discard,
    knock,
):  # fmt: skip
    """Play consecutive units of a single-player variant and add them to batch rows."""
    for unit_index in range(n_units):
        state.unit = first_unit + unit_index
        state.deal = 0
        state.half = 0
        state.n_logged = 0
        start_match(state, rules)
        while True:
            state.log_mode = state.log_half == 0 and state.deal == state.log_deal
            if not state.has_given_cards:
                start_shuffle(state)
                state.joker = choose_joker_position(state.seed, state.unit, state.deal, rules)
            clear_history(view, state.turns)
            play_deal_solo(state, rules, view, discard, knock)
            if state.log_mode:
                return
            outcome = _finish_deal(state, rules, records, 0, play_matches)
            if not play_matches or outcome != MATCH_UNDECIDED:
                break
            state.deal += 1
        if play_matches:
            _add_match_statistics(state, rules, outcome, 0)
        if state.log_half == 0:
            return  # The match ended before the deal to be traced.
        _finish_unit(state, rows, unit_index, n_units, units_per_row)


@jit
def _finish_unit(state, rows, unit_index, n_units, units_per_row):
    """Add a unit to the current batch row, and save the row if the batch is complete."""
    add_unit_to_batch_row(state)
    if (unit_index + 1) % units_per_row == 0 or unit_index + 1 == n_units:
        for column in range(N_COLUMNS):
            rows[unit_index // units_per_row, column] = state.row[column]
            state.row[column] = 0
