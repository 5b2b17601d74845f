"""Matches: the dealer, the score and the end of the match (rules.md 4.1 and 7)."""

from simgin.core import rng
from simgin.core.jit import jit
from simgin.core.rules import (
    ABSOLUTE,
    ALTERNATE,
    DOUBLE_ALL,
    DOUBLE_POINTS,
    FLAT_100,
    GOAL_COLUMNS,
    GOAL_DEALS,
    GOAL_GAMES,
    GOAL_POINTS,
    GOAL_RACE,
    GOAL_SINGLE,
    GOAL_TOTAL,
    GOAL_TWOFOLD,
    LOSER_DEALS,
    LOT,
    OTHER,
)
from simgin.core.scoring import KIND_BIG_GIN, KIND_GIN, KIND_REFUSED, KIND_SHOT, KIND_UNDERCUT

UNDECIDED, DRAWN, UNFINISHED = -1, -2, -3  # outcomes other than the winning seat


@jit
def first_dealer(seed, unit, rules):
    """Return the seat that deals first: the seat that the rules name, or a random one."""
    if rules.first_dealer != LOT:
        return rules.first_dealer - 1
    return rng.words(seed, unit, 0, 0, rng.FIRST_DEALER)[0] & 1


@jit
def next_dealer(dealer, winner, rules):
    """Return the seat that deals next; `winner` is the winner of the last deal, -1 for none."""
    if winner < 0:
        return 1 - dealer if rules.void_dealer == OTHER else dealer
    if rules.next_dealer == ALTERNATE:
        return 1 - dealer
    return 1 - winner if rules.next_dealer == LOSER_DEALS else winner


@jit
def start_match(state, rules):
    """Set the scores before the first deal.

    With the goals `columns` and `total`, `start_points` has no effect (rules.md 7).
    """
    counts = rules.goal != GOAL_COLUMNS and rules.goal != GOAL_TOTAL
    for seat in range(2):
        state.points[seat] = rules.start_points[seat] if counts else 0
        state.deals_won[seat] = 0
        state.games[seat] = 0
        state.opened[seat] = 0
    if rules.goal == GOAL_COLUMNS:
        for c in range(rules.columns):
            state.column_winner[c] = -1
            for seat in range(2):
                state.column_points[seat, c] = 0
                state.column_wins[seat, c] = 0
    reset_die(state)


@jit
def reset_die(state):
    """Set the die to 1, with no owner."""
    state.stake = 1
    state.owner = -1


@jit
def target(rules, seat):
    """Return what a seat needs to win the match: points, deals or games; or the total allowed."""
    if rules.goal == GOAL_DEALS or (rules.goal == GOAL_RACE and seat != rules.race_points_seat):
        return rules.deals_target
    if rules.goal == GOAL_GAMES:
        return rules.games_target
    return rules.total_goal if rules.goal == GOAL_TOTAL else rules.points_target


@jit
def enter(state, rules, deals):
    """Add the result of a deal to the match and return the outcome of the match.

    The outcome is the winning seat, UNDECIDED, DRAWN or UNFINISHED. `n_deals` is the number of
    deals played, including this one.
    """
    for seat in range(2):
        state.points[seat] += state.score[seat]
    if state.winner >= 0:
        state.deals_won[state.winner] += _deals_counted(state, rules)
        if rules.goal == GOAL_COLUMNS:
            _enter_columns(state, rules)
        elif rules.goal == GOAL_GAMES:
            _enter_game(state, rules)
    outcome = _decided(state, rules, deals)
    return UNFINISHED if outcome == UNDECIDED and deals >= rules.max_deals else outcome


@jit
def _deals_counted(state, rules):
    """Return the number of won deals that the deal counts for its winner (rules.md 7 and 8.5).

    It is 1 unless the goal of the match depends on won deals.
    """
    if rules.goal != GOAL_RACE and rules.goal != GOAL_TWOFOLD and rules.goal != GOAL_DEALS:
        return 1
    if state.kind == KIND_REFUSED:
        return state.pays
    if state.kind in (KIND_GIN, KIND_BIG_GIN, KIND_SHOT):
        return state.stake * rules.deal_count_gin
    return state.stake * (rules.deal_count_undercut if state.kind == KIND_UNDERCUT else 1)


@jit
def _enter_columns(state, rules):
    """Add a won deal to the columns open to its winner (Hollywood scoring, rules.md 7)."""
    seat = state.winner
    first = state.opened[seat]
    if rules.column_entry == ABSOLUTE:
        state.opened[seat] = min(first + 1, rules.columns)
    else:
        for c in range(rules.columns - 1, first - 1, -1):
            if state.column_winner[c] < 0:
                state.opened[seat] = c + 1
    for c in range(state.opened[seat]):
        if state.column_winner[c] < 0:
            state.column_points[seat, c] += state.score[seat]
            state.column_wins[seat, c] += 1
            if state.column_points[seat, c] >= rules.points_target:
                state.column_winner[c] = seat


@jit
def _enter_game(state, rules):
    """End the game if the deal won it, by points or by a refused die (rules.md 7 and 8)."""
    seat = state.winner
    if state.kind == KIND_REFUSED:
        state.games[seat] += state.pays
    elif state.points[seat] >= rules.points_target:
        row = 0  # row of the table of games by the loser's points
        while state.points[1 - seat] > rules.game_table[row, 0]:
            row += 1
        state.games[seat] += state.stake * rules.game_table[row, 1]
    else:
        return
    state.points[0] = state.points[1] = 0
    reset_die(state)


@jit
def _decided(state, rules, deals):
    """Return the winning seat, DRAWN or UNDECIDED."""
    goal = rules.goal
    if goal == GOAL_SINGLE:
        return state.winner if state.winner >= 0 else DRAWN
    if goal == GOAL_COLUMNS:
        return _decided_columns(state, rules)
    if goal == GOAL_TOTAL:
        if deals < rules.deals_in_match:
            return UNDECIDED
        return 0 if state.points[0] <= rules.total_goal else 1
    for seat in range(2):
        if _reached(state, rules, seat):
            return seat
    return UNDECIDED


@jit
def _reached(state, rules, seat):
    """Return True if a seat has reached its goal: points, won deals, both, or won games."""
    points = state.points[seat] >= rules.points_target
    deals = state.deals_won[seat] >= rules.deals_target
    if rules.goal == GOAL_POINTS:
        return points
    if rules.goal == GOAL_TWOFOLD:
        return points and deals
    if rules.goal == GOAL_RACE:
        return points if seat == rules.race_points_seat else deals
    return deals if rules.goal == GOAL_DEALS else state.games[seat] >= rules.games_target


@jit
def _decided_columns(state, rules):
    """Return the winner if all columns are closed, otherwise UNDECIDED.

    The winner is the side with the greater sum of settlements, then the side with more columns. If
    both are equal, the match is drawn.
    """
    balance = 0
    for c in range(rules.columns):
        if state.column_winner[c] < 0:
            return UNDECIDED
        balance += 1 if state.column_winner[c] == 0 else -1
    total = settlement(state, rules, UNDECIDED)
    if total:
        return 0 if total > 0 else 1
    return DRAWN if balance == 0 else 0 if balance > 0 else 1


@jit
def settled(rules, outcome):
    """Return True if a match has a settlement: finished, with goal `points` or `columns`."""
    return outcome != UNFINISHED and (rules.goal == GOAL_POINTS or rules.goal == GOAL_COLUMNS)


@jit
def settlement(state, rules, outcome):
    """Return the points that seat 0 receives from seat 1 at the end of a match (rules.md 7).

    `outcome` is the winner, which matters only for a match to points.
    """
    if rules.goal != GOAL_COLUMNS:
        paid = _paid(
            rules,
            state.points[outcome],
            state.points[1 - outcome],
            state.deals_won[outcome],
            state.deals_won[1 - outcome],
        )
        return paid if outcome == 0 else -paid
    total = 0
    for c in range(rules.columns):
        total += column_settlement(state, rules, c)
    return total


@jit
def column_settlement(state, rules, c):
    """Return the points that seat 0 receives for a closed column."""
    w = state.column_winner[c]
    paid = _paid(
        rules,
        state.column_points[w, c],
        state.column_points[1 - w, c],
        state.column_wins[w, c],
        state.column_wins[1 - w, c],
    )
    return paid if w == 0 else -paid


@jit
def _paid(rules, won, lost, deals_won, deals_lost):
    """Return the points that the winner of a game or column receives.

    A loser without a won deal is shut out.
    """
    paid = won - lost + rules.game_bonus + rules.box_bonus * (deals_won - deals_lost)
    if deals_lost == 0:
        if rules.shutout == DOUBLE_POINTS:
            paid += won
        elif rules.shutout == DOUBLE_ALL:
            paid *= 2
        elif rules.shutout == FLAT_100:
            paid += 100
    return paid


@jit
def final_score(state, rules, seat):
    """Return the score of a seat at the end of a match: won games, won deals or points.

    The points of all columns are added.
    """
    if rules.goal == GOAL_GAMES:
        return state.games[seat]
    if rules.goal == GOAL_DEALS:
        return state.deals_won[seat]
    if rules.goal != GOAL_COLUMNS:
        return state.points[seat]
    total = 0
    for c in range(rules.columns):
        total += state.column_points[seat, c]
    return total
