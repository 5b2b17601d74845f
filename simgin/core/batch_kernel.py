"""Kernel that plays deals or matches and adds their results to batch rows.

Nearly all CPU time is spent in this kernel. `simgin.core.batch_columns` lists the columns of a row.
"""

import numpy as np

from simgin.core.batch_columns import (
    COL_CROSS,
    COL_DEADWOOD_HISTOGRAM,
    COL_DEAL_SQUARE,
    COL_DEALT_DIFFERENCE,
    COL_MATCH_SQUARE,
    COL_PAIR_HISTOGRAM,
    COL_SQUARE,
    COL_SUM,
    COL_TURNS_HISTOGRAM,
    COL_UNITS,
    DEADWOOD_BINS,
    DEAL_RESULTS,
    DENOMINATOR_INDEX,
    FACT_INDEX,
    N_COLUMNS,
    N_FACTS,
    SCORED_RESULTS,
    SIDE_FACTS,
    TURNS_BINS,
)
from simgin.core.deal import play_deal
from simgin.core.deal_record import count_draws, side_of_seat, write_deal_record
from simgin.core.jit import jit
from simgin.core.match import (
    DRAWN,
    UNDECIDED,
    UNFINISHED,
    apply_deal_result,
    compute_settlement,
    final_score,
    first_dealer,
    has_settlement,
    next_dealer,
    start_match,
)
from simgin.core.query import clear_history
from simgin.core.rules_record import FIRST_DEALER_RANDOM, GOAL_TOTAL
from simgin.core.scoring import RESULT_EVEN, RESULT_KNOCK, RESULT_REFUSED, RESULT_UNDERCUT
from simgin.core.shuffle import start_shuffle, swap_hands_for_dealer
from simgin.core.solo_deal import joker_position, play_deal_solo
from simgin.core.turn_steps import clear_deal

# numba would copy a tuple at each access, so the denominators are an array.
DENOMINATORS = np.array(DENOMINATOR_INDEX, np.uint32)
FACT_DEALS, FACT_DECIDED, FACT_SHOWDOWNS, FACT_FIRST_ENDING = (
    FACT_INDEX["deals"],
    FACT_INDEX["decided"],
    FACT_INDEX["showdowns"],
    FACT_INDEX[DEAL_RESULTS[0]],
)
FACT_FIRST_RESULT_POINTS, FACT_POINTS_SCORED, FACT_TURNS = (
    FACT_INDEX["points_knock"],
    FACT_INDEX["points_scored"],
    FACT_INDEX["turns"],
)
FACT_FIRST_PLAYER_WIN, FACT_FIRST_UPCARD = (
    FACT_INDEX["first_player_win"],
    FACT_INDEX["upcard_first"],
)
FACT_KNOCK_COUNT, FACT_DEFENDER_COUNT = FACT_INDEX["knock_count"], FACT_INDEX["defender_count"]
FACT_DEFENDER_BEFORE = FACT_INDEX["defender_before"]
FACT_LAID_OFF, FACT_LAID_OFF_ANY, FACT_TIE = (
    FACT_INDEX["laid_off"],
    FACT_INDEX["laid_off_any"],
    FACT_INDEX["tie"],
)
FACTS_OF_A, FACTS_OF_B = FACT_INDEX["a_won_knock"], FACT_INDEX["b_won_knock"]
N_SCORED_RESULTS, SIDE_WON_REFUSED = len(SCORED_RESULTS), SIDE_FACTS.index("won_refused")
SIDE_WON_DEAL, SIDE_POINTS = SIDE_FACTS.index("deal_win"), SIDE_FACTS.index("points")
SIDE_TAKES, SIDE_DRAWS = SIDE_FACTS.index("takes"), SIDE_FACTS.index("draws")
FACT_A_MARGIN = FACT_INDEX["a_margin"]
FACT_MATCHES, FACT_MATCHES_DECIDED, FACT_MATCH_WIN = (
    FACT_INDEX["matches"],
    FACT_INDEX["matches_decided"],
    FACT_INDEX["a_match_win"],
)
FACT_MATCH_DRAWN, FACT_MATCH_UNFINISHED = FACT_INDEX["match_drawn"], FACT_INDEX["unfinished"]
FACT_MATCH_MARGIN = FACT_INDEX["a_match_margin"]
FACT_WINNER_SCORE, FACT_LOSER_SCORE = FACT_INDEX["winner_score"], FACT_INDEX["loser_score"]
FACT_LOSER_ZERO = FACT_INDEX["loser_zero"]
FACT_SETTLED, FACT_SETTLEMENT = FACT_INDEX["settled"], FACT_INDEX["a_settlement"]
FACT_TOTALS, FACT_GOAL_MET = FACT_INDEX["totals"], FACT_INDEX["goal_met"]
# Facts with a denominator other than the number of deals. The first N_OTHER_DEAL_FACTS facts refer
# to deals, and the remaining facts refer to matches.
OTHER_DENOMINATOR_FACTS = np.array(
    [fact for fact, denominator in enumerate(DENOMINATOR_INDEX) if denominator != FACT_DEALS],
    np.uint32,
)
N_OTHER_DEAL_FACTS = int((OTHER_DENOMINATOR_FACTS < FACT_MATCHES).sum())


@jit
def _add_side_facts(state, seat, offset):
    """Add one side's results in a deal to the statistics of the unit of analysis."""
    if state.winner == seat:
        if state.kind < N_SCORED_RESULTS:
            state.facts[offset + state.kind] += 1
        elif state.kind == RESULT_REFUSED:
            state.facts[offset + SIDE_WON_REFUSED] += 1
        state.facts[offset + SIDE_WON_DEAL] += 1
    state.facts[offset + SIDE_POINTS] += state.score[seat]
    state.facts[offset + SIDE_TAKES] += state.takes[seat]
    state.facts[offset + SIDE_DRAWS] += count_draws(state, seat)


@jit
def _add_showdown_facts(state):
    """Add the showdown of a deal that ended with a knock to the statistics of the unit."""
    state.facts[FACT_SHOWDOWNS] += 1
    state.facts[FACT_KNOCK_COUNT] += state.stopper_count
    state.facts[FACT_DEFENDER_COUNT] += state.other_count
    state.facts[FACT_DEFENDER_BEFORE] += state.defender_before
    state.facts[FACT_LAID_OFF] += state.laid_off
    state.facts[FACT_LAID_OFF_ANY] += state.laid_off > 0
    state.facts[FACT_TIE] += state.stopper_count == state.other_count
    state.row[COL_DEADWOOD_HISTOGRAM + min(state.stopper_count, DEADWOOD_BINS - 1)] += 1


@jit
def add_deal_facts(state, seat_a):
    """Add a deal to the statistics of its unit of analysis.

    `seat_a` is the seat of strategy A.
    """
    state.facts[FACT_DEALS] += 1
    state.facts[FACT_FIRST_ENDING + state.kind] += 1
    state.facts[FACT_TURNS] += state.turns
    state.row[COL_TURNS_HISTOGRAM + min(state.turns, TURNS_BINS - 1)] += 1
    if state.upcard_to >= 0:
        state.facts[FACT_FIRST_UPCARD + state.upcard_to] += 1
    points = state.score[0] + state.score[1]
    if state.winner >= 0:
        state.facts[FACT_DECIDED] += 1
        state.facts[FACT_FIRST_PLAYER_WIN] += state.winner != state.dealer
        state.facts[FACT_POINTS_SCORED] += points
    if state.kind < N_SCORED_RESULTS:
        state.facts[FACT_FIRST_RESULT_POINTS + state.kind] += points
    if state.kind in (RESULT_KNOCK, RESULT_UNDERCUT, RESULT_EVEN):
        _add_showdown_facts(state)
    _add_side_facts(state, seat_a, FACTS_OF_A)
    _add_side_facts(state, 1 - seat_a, FACTS_OF_B)
    margin = state.score[seat_a] - state.score[1 - seat_a]
    state.facts[FACT_A_MARGIN] += margin
    state.row[COL_DEAL_SQUARE] += margin * margin
    state.row[COL_DEALT_DIFFERENCE] += (
        state.dealt_count[state.dealer] - state.dealt_count[1 - state.dealer]
    )


@jit
def _add_match_facts(state, rules, outcome, seat_a):
    """Add a finished match to the statistics of its unit of analysis.

    `outcome` is the return value of `apply_deal_result`, and `seat_a` is the seat of strategy A.
    """
    score_a, score_b = final_score(state, rules, seat_a), final_score(state, rules, 1 - seat_a)
    state.facts[FACT_MATCHES] += 1
    state.facts[FACT_MATCH_MARGIN] += score_a - score_b
    state.row[COL_MATCH_SQUARE] += (score_a - score_b) * (score_a - score_b)
    if has_settlement(rules, outcome):
        payment = compute_settlement(state, rules, outcome)
        state.facts[FACT_SETTLED] += 1
        state.facts[FACT_SETTLEMENT] += payment if seat_a == 0 else -payment
    if rules.goal == GOAL_TOTAL and outcome != UNFINISHED:
        state.facts[FACT_TOTALS] += 1
        state.facts[FACT_GOAL_MET] += outcome == seat_a
    if outcome < 0:
        state.facts[FACT_MATCH_WIN] += 1
        state.facts[FACT_MATCH_WIN + 1] += 1
        state.facts[FACT_MATCH_DRAWN] += outcome == DRAWN
        state.facts[FACT_MATCH_UNFINISHED] += outcome == UNFINISHED
        return
    a_has_won = outcome == seat_a
    state.facts[FACT_MATCH_WIN + (not a_has_won)] += 2
    if rules.goal == GOAL_TOTAL:
        return  # Only solitaire matches have a target total, so the opponent has no score.
    state.facts[FACT_MATCHES_DECIDED] += 1
    state.facts[FACT_WINNER_SCORE] += score_a if a_has_won else score_b
    state.facts[FACT_LOSER_SCORE] += score_b if a_has_won else score_a
    state.facts[FACT_LOSER_ZERO] += (score_b if a_has_won else score_a) == 0


@jit
def _count_quarter_wins(state):
    """Return four times the proportion of the unit's matches that strategy A has won.

    If the unit has no matches, the win rate in its deals is used.
    """
    n_games, half_wins = state.facts[FACT_MATCHES], state.facts[FACT_MATCH_WIN]
    if n_games == 0:
        n_games, half_wins = (
            state.facts[FACT_DEALS],
            state.facts[FACT_DEALS]
            + state.facts[FACTS_OF_A + SIDE_WON_DEAL]
            - state.facts[FACTS_OF_B + SIDE_WON_DEAL],
        )
    return half_wins if n_games == 2 else 2 * half_wins


@jit
def add_unit_to_row(state):
    """Add the statistics of a unit, their squares and their cross products to a batch row.

    The facts are then reset.
    """
    state.row[COL_UNITS] += 1
    state.row[COL_PAIR_HISTOGRAM + _count_quarter_wins(state)] += 1
    deals = state.facts[FACT_DEALS]
    for i in range(N_FACTS):  # The loops are separate so that LLVM can vectorise each loop.
        state.row[COL_SUM + i] += state.facts[i]
    for i in range(N_FACTS):
        state.row[COL_SQUARE + i] += state.facts[i] * state.facts[i]
    # The last loop adjusts the facts whose denominator is not the number of deals.
    for i in range(N_FACTS):
        state.row[COL_CROSS + i] += state.facts[i] * deals
    n_others = len(OTHER_DENOMINATOR_FACTS) if state.facts[FACT_MATCHES] else N_OTHER_DEAL_FACTS
    for k in range(n_others):
        i = OTHER_DENOMINATOR_FACTS[k]
        state.row[COL_CROSS + i] += state.facts[i] * (state.facts[DENOMINATORS[i]] - deals)
    for i in range(N_FACTS):
        state.facts[i] = 0


@jit
def _apply_deal(state, rules, records, seat_a, play_matches):
    """Add the result of a deal to the unit and the match, and record the deal if requested.

    Returns the outcome of the match after the deal (see `apply_deal_result`). For a single deal
    without a record, the outcome is not needed, and the function returns UNDECIDED.
    """
    add_deal_facts(state, seat_a)
    if not len(records):
        return apply_deal_result(state, rules, state.deal + 1) if play_matches else UNDECIDED
    record = records[state.recorded]
    state.recorded += 1
    write_deal_record(state, record, seat_a)
    outcome = apply_deal_result(state, rules, state.deal + 1)
    record.outcome = side_of_seat(outcome, seat_a) if outcome >= 0 else outcome
    return outcome


@jit
def start_mirrored_game(state, rules, seat_a, play_matches):
    """Start a game with strategy A at `seat_a`.

    The function resets the scores and chooses the first dealer.

    If the rules name a first dealer, that seat deals first. Otherwise, the first dealer of a match
    is random, and the dealer of single deals alternates between units.
    """
    state.half = seat_a
    start_match(state, rules)
    state.deal = 0
    state.logged = 0  # The log can contain decisions of an earlier deal.
    if state.given:
        return
    state.dealer = (
        first_dealer(state.seed, state.unit, rules)
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
        records: (n_deals,) DEAL_RECORD in order of play. An empty array disables recording.
            `state.recorded` counts the records written.
    """
    for i in range(n_units):
        state.unit = first_unit + i
        seat_a = 0
        start_mirrored_game(state, rules, seat_a, play_matches)
        while seat_a < 2:
            state.watched = seat_a == state.watch_half and state.deal == state.watch_deal
            # The second deal of a mirrored pair reuses the shuffle of the first deal.
            if not state.given and (seat_a == 0 or play_matches):
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
            if state.watched:
                return
            outcome = _apply_deal(state, rules, records, seat_a, play_matches)
            if play_matches and outcome == UNDECIDED:
                state.dealer = next_dealer(state.dealer, state.winner, rules)
                state.deal += 1
                continue
            if play_matches:
                _add_match_facts(state, rules, outcome, seat_a)
            if seat_a == state.watch_half:
                return  # The match ended before the deal to be traced.
            seat_a += 1 if is_mirrored else 2
            if seat_a < 2:
                start_mirrored_game(state, rules, seat_a, play_matches)
        _finish_unit(state, rows, i, n_units, units_per_row)


def play_units_solo(
    state,
    rules,
    view,
    rows,
    records,
    first_unit,
    n_units,
    units_per_row,
    play_matches,
    discard,
    knock,
):
    """Play consecutive units of a single-player variant and add them to batch rows."""
    for i in range(n_units):
        state.unit = first_unit + i
        state.deal = 0
        state.half = 0
        state.logged = 0
        start_match(state, rules)
        while True:
            state.watched = state.watch_half == 0 and state.deal == state.watch_deal
            if not state.given:
                start_shuffle(state)
                state.joker = joker_position(state.seed, state.unit, state.deal, rules)
            clear_history(view, state.turns)
            play_deal_solo(state, rules, view, discard, knock)
            if state.watched:
                return
            outcome = _apply_deal(state, rules, records, 0, play_matches)
            if not play_matches or outcome != UNDECIDED:
                break
            state.deal += 1
        if play_matches:
            _add_match_facts(state, rules, outcome, 0)
        if state.watch_half == 0:
            return  # The match ended before the deal to be traced.
        _finish_unit(state, rows, i, n_units, units_per_row)


@jit
def _finish_unit(state, rows, index, n_units, units_per_row):
    """Add a unit to the current batch row, and save the row if the batch is complete."""
    add_unit_to_row(state)
    if (index + 1) % units_per_row == 0 or index + 1 == n_units:
        for k in range(N_COLUMNS):
            rows[index // units_per_row, k] = state.row[k]
            state.row[k] = 0
