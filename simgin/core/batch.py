"""Kernel that plays deals or matches and adds them up in batch rows.

Nearly all CPU time is spent in this kernel. `simgin.core.batch_columns` lists the columns of a row.
"""

import numpy as np

from simgin.core.ask import forget
from simgin.core.deal import play_deal
from simgin.core.jit import jit
from simgin.core.match import (
    DRAWN,
    UNDECIDED,
    UNFINISHED,
    enter,
    final_score,
    first_dealer,
    next_dealer,
    settled,
    settlement,
    start_match,
)
from simgin.core.pack import give_to_seats, new_pack
from simgin.core.record import draws, side, write_record
from simgin.core.rules import GOAL_TOTAL, LOT
from simgin.core.scoring import KIND_EVEN, KIND_KNOCK, KIND_REFUSED, KIND_UNDERCUT
from simgin.core.solo import joker_place, play_solo
from simgin.core.sums import (
    COLUMNS,
    COUNT_BINS,
    COUNT_HISTOGRAM,
    CROSS,
    DEAL_SQUARE,
    DEALT,
    DENOMINATOR,
    FACT,
    KINDS,
    MATCH_SQUARE,
    N_FACTS,
    PAIR_HISTOGRAM,
    SCORED_KINDS,
    SIDE_FACTS,
    SQUARE,
    SUM,
    TURNS_BINS,
    TURNS_HISTOGRAM,
    UNITS,
)
from simgin.core.turn import clear_deal

DENOMINATORS = np.array(DENOMINATOR, np.uint32)  # numba would copy a tuple for every unit
DEALS, DECIDED, SHOWDOWNS, KIND = FACT["deals"], FACT["decided"], FACT["showdowns"], FACT[KINDS[0]]
POINTS_KIND, POINTS_SCORED, TURNS = FACT["points_knock"], FACT["points_scored"], FACT["turns"]
FIRST_PLAYER_WIN, UPCARD = FACT["first_player_win"], FACT["upcard_first"]
KNOCK_COUNT, DEFENDER_COUNT = FACT["knock_count"], FACT["defender_count"]
DEFENDER_BEFORE = FACT["defender_before"]
LAID_OFF, LAID_OFF_ANY, TIE = FACT["laid_off"], FACT["laid_off_any"], FACT["tie"]
SIDE, OTHER_SIDE = FACT["a_won_knock"], FACT["b_won_knock"]
N_SCORED, WON_REFUSED = len(SCORED_KINDS), SIDE_FACTS.index("won_refused")
WON_DEAL, POINTS = SIDE_FACTS.index("deal_win"), SIDE_FACTS.index("points")
TAKES, DRAWS = SIDE_FACTS.index("takes"), SIDE_FACTS.index("draws")
A_MARGIN = FACT["a_margin"]
MATCHES, MATCHES_DECIDED, MATCH_WIN = FACT["matches"], FACT["matches_decided"], FACT["a_match_win"]
MATCH_DRAWN, MATCH_UNFINISHED = FACT["match_drawn"], FACT["unfinished"]
MATCH_MARGIN = FACT["a_match_margin"]
WINNER_SCORE, LOSER_SCORE = FACT["winner_score"], FACT["loser_score"]
LOSER_ZERO = FACT["loser_zero"]
SETTLED, SETTLEMENT = FACT["settled"], FACT["a_settlement"]
TOTALS, GOAL_MET = FACT["totals"], FACT["goal_met"]
# Facts whose denominator is not the number of deals. The first N_OTHER_DEAL_FACTS of
# them are facts of deals, the others facts of matches.
NOT_BY_DEALS = np.array([i for i, d in enumerate(DENOMINATOR) if d != DEALS], np.uint32)
OF_DEALS = int((NOT_BY_DEALS < MATCHES).sum())


@jit
def _add_side(state, seat, base):
    """Add a deal to the facts of the strategy at `seat`, which begin at index `offset`."""
    if state.winner == seat:
        if state.kind < N_SCORED:
            state.facts[base + state.kind] += 1
        elif state.kind == KIND_REFUSED:
            state.facts[base + WON_REFUSED] += 1
        state.facts[base + WON_DEAL] += 1
    state.facts[base + POINTS] += state.score[seat]
    state.facts[base + TAKES] += state.takes[seat]
    state.facts[base + DRAWS] += draws(state, seat)


@jit
def _add_showdown(state):
    """Add the counts of a deal that ended with a knock."""
    state.facts[SHOWDOWNS] += 1
    state.facts[KNOCK_COUNT] += state.stopper_count
    state.facts[DEFENDER_COUNT] += state.other_count
    state.facts[DEFENDER_BEFORE] += state.defender_before
    state.facts[LAID_OFF] += state.laid_off
    state.facts[LAID_OFF_ANY] += state.laid_off > 0
    state.facts[TIE] += state.stopper_count == state.other_count
    state.row[COUNT_HISTOGRAM + min(state.stopper_count, COUNT_BINS - 1)] += 1


@jit
def add_deal(state, a):
    """Add a deal to the facts of its unit; `seat_a` is the seat of strategy A."""
    state.facts[DEALS] += 1
    state.facts[KIND + state.kind] += 1
    state.facts[TURNS] += state.turns
    state.row[TURNS_HISTOGRAM + min(state.turns, TURNS_BINS - 1)] += 1
    if state.upcard_to >= 0:
        state.facts[UPCARD + state.upcard_to] += 1
    points = state.score[0] + state.score[1]
    if state.winner >= 0:
        state.facts[DECIDED] += 1
        state.facts[FIRST_PLAYER_WIN] += state.winner != state.dealer
        state.facts[POINTS_SCORED] += points
    if state.kind < N_SCORED:
        state.facts[POINTS_KIND + state.kind] += points
    if state.kind in (KIND_KNOCK, KIND_UNDERCUT, KIND_EVEN):
        _add_showdown(state)
    _add_side(state, a, SIDE)
    _add_side(state, 1 - a, OTHER_SIDE)
    margin = state.score[a] - state.score[1 - a]
    state.facts[A_MARGIN] += margin
    state.row[DEAL_SQUARE] += margin * margin
    state.row[DEALT] += state.dealt_count[state.dealer] - state.dealt_count[1 - state.dealer]


@jit
def _add_match(state, rules, outcome, a):
    """Add a finished match to the facts of its unit.

    `outcome` is the return value of `apply_deal_result`, `seat_a` the seat of strategy A.
    """
    own, other = final_score(state, rules, a), final_score(state, rules, 1 - a)
    state.facts[MATCHES] += 1
    state.facts[MATCH_MARGIN] += own - other
    state.row[MATCH_SQUARE] += (own - other) * (own - other)
    if settled(rules, outcome):
        paid = settlement(state, rules, outcome)
        state.facts[SETTLED] += 1
        state.facts[SETTLEMENT] += paid if a == 0 else -paid
    if rules.goal == GOAL_TOTAL and outcome != UNFINISHED:
        state.facts[TOTALS] += 1
        state.facts[GOAL_MET] += outcome == a
    if outcome < 0:
        state.facts[MATCH_WIN] += 1
        state.facts[MATCH_WIN + 1] += 1
        state.facts[MATCH_DRAWN] += outcome == DRAWN
        state.facts[MATCH_UNFINISHED] += outcome == UNFINISHED
        return
    won = outcome == a
    state.facts[MATCH_WIN + (not won)] += 2
    if rules.goal == GOAL_TOTAL:
        return  # with this goal, only one player has a score
    state.facts[MATCHES_DECIDED] += 1
    state.facts[WINNER_SCORE] += own if won else other
    state.facts[LOSER_SCORE] += other if won else own
    state.facts[LOSER_ZERO] += (other if won else own) == 0


@jit
def _quarters(state):
    """Return A's wins in a unit, in quarters of its matches (or deals if it has none)."""
    halves, won = state.facts[MATCHES], state.facts[MATCH_WIN]
    if halves == 0:
        halves, won = (
            state.facts[DEALS],
            state.facts[DEALS] + state.facts[SIDE + WON_DEAL] - state.facts[OTHER_SIDE + WON_DEAL],
        )
    return won if halves == 2 else 2 * won


@jit
def add_unit(state):
    """Add a unit's facts, their squares and cross products to its batch row.

    Clears the facts afterwards.
    """
    state.row[UNITS] += 1
    state.row[PAIR_HISTOGRAM + _quarters(state)] += 1
    deals = state.facts[DEALS]
    for i in range(N_FACTS):  # separate loops, because LLVM can vectorise each of them
        state.row[SUM + i] += state.facts[i]
    for i in range(N_FACTS):
        state.row[SQUARE + i] += state.facts[i] * state.facts[i]
    for i in range(N_FACTS):  # right for facts divided by the deals; the loop below fixes the rest
        state.row[CROSS + i] += state.facts[i] * deals
    others = len(NOT_BY_DEALS) if state.facts[MATCHES] else OF_DEALS
    for k in range(others):
        i = NOT_BY_DEALS[k]
        state.row[CROSS + i] += state.facts[i] * (state.facts[DENOMINATORS[i]] - deals)
    for i in range(N_FACTS):
        state.facts[i] = 0


@jit
def _add_and_enter(state, rules, records, a):
    """Add a deal to its unit and its match, and write its record if there are records.

    Returns the outcome of the match after the deal (see `apply_deal_result`).
    """
    add_deal(state, a)
    if not len(records):
        return enter(state, rules, state.deal + 1)
    record = records[state.recorded]
    state.recorded += 1
    write_record(state, record, a)
    outcome = enter(state, rules, state.deal + 1)
    record.outcome = side(outcome, a) if outcome >= 0 else outcome
    return outcome


@jit
def begin_half(state, rules, half, matches):
    """Start a game: seat strategy A at `seat_a`, reset the scores and choose the first dealer.

    If the rules name a first dealer, that seat deals first. Otherwise, the first dealer of a match
    is drawn at random, and single deals alternate with the number of the unit.
    """
    state.half = half
    start_match(state, rules)
    state.deal = 0
    state.logged = 0  # the same state can trace several runs
    if state.given:
        return
    state.dealer = (
        first_dealer(state.seed, state.unit, rules)
        if matches or rules.first_dealer != LOT
        else state.unit & 1
    )


def play_units(
    state, rules, view0, view1, rows, records,
    first, units, per_row, matches, mirrored,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Play consecutive units of analysis and add them to batch rows.

    A unit is a mirrored pair of games or a single game. A game is a match if `play_matches` is
    true, otherwise a deal. If `mirrored` is true, every unit consists of two games with the same
    cards and the same first dealer: strategy A sits at seat 0 in the first game and at seat 1 in
    the second.

    Unit numbers begin at `first_unit`; unit i of the call is added to row i // units_per_row. If
    the state traces a deal of the first unit, the kernel logs that deal and returns with its result
    in the state.

    Array arguments:
        rows: (n_batches, N_COLUMNS) int64, overwritten.
        records: (n_deals,) DEAL_RECORD in order of play, or (0,) to record nothing.
            `state.recorded` counts the records written.
    """
    for i in range(units):
        state.unit = first + i
        half = 0
        begin_half(state, rules, half, matches)
        while half < 2:
            state.watched = half == state.watch_half and state.deal == state.watch_deal
            if not state.given and (half == 0 or matches):  # else same cards again
                new_pack(state)
                give_to_seats(state)
            forget(view0, state.turns)
            forget(view1, state.turns)
            clear_deal(state, rules, state.dealer)
            view1st, view2nd = (view1, view0) if state.dealer == 0 else (view0, view1)
            if state.dealer != half:  # A is the nondealer, who plays first
                take1, discard1, knock1 = take_a, discard_a, knock_a
                take2, discard2, knock2 = take_b, discard_b, knock_b
            else:
                take1, discard1, knock1 = take_b, discard_b, knock_b
                take2, discard2, knock2 = take_a, discard_a, knock_a
            play_deal(
                state, rules, view1st, view2nd, take1, discard1, knock1, take2, discard2, knock2,
                offer_a, answer_a, show_a, offer_b, answer_b, show_b,
            )  # fmt: skip
            if state.watched:
                return
            outcome = _add_and_enter(state, rules, records, half)
            if matches and outcome == UNDECIDED:
                state.dealer = next_dealer(state.dealer, state.winner, rules)
                state.deal += 1
                continue
            if matches:
                _add_match(state, rules, outcome, half)
            if half == state.watch_half:
                return  # the match ended before the deal to be traced
            half += 1 if mirrored else 2
            if half < 2:
                begin_half(state, rules, half, matches)
        _close_unit(state, rows, i, units, per_row)


def play_solo_units(
    state, rules, view, rows, records, first, units, per_row, matches, discard, knock
):
    """Play consecutive units of a single-player variant, without mirroring; see `play_units`."""
    for i in range(units):
        state.unit = first + i
        state.deal = 0
        state.half = 0
        state.logged = 0
        start_match(state, rules)
        while True:
            state.watched = state.watch_half == 0 and state.deal == state.watch_deal
            if not state.given:
                new_pack(state)
                state.joker = joker_place(state.seed, state.unit, state.deal, rules)
            forget(view, state.turns)
            play_solo(state, rules, view, discard, knock)
            if state.watched:
                return
            outcome = _add_and_enter(state, rules, records, 0)
            if not matches or outcome != UNDECIDED:
                break
            state.deal += 1
        if matches:
            _add_match(state, rules, outcome, 0)
        if state.watch_half == 0:
            return  # the match ended before the deal to be traced
        _close_unit(state, rows, i, units, per_row)


@jit
def _close_unit(state, rows, i, units, per_row):
    """Add a unit to its batch, and write the batch if it is complete."""
    add_unit(state)
    if (i + 1) % per_row == 0 or i + 1 == units:
        for k in range(COLUMNS):
            rows[i // per_row, k] = state.row[k]
            state.row[k] = 0
