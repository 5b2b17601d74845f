"""Dealer, score and end of a match (rules.md 4.1 and 7)."""

from simgin.core import rng
from simgin.core.jit import jit
from simgin.core.rules_record import (
    COLUMN_ABSOLUTE,
    FIRST_DEALER_RANDOM,
    GOAL_COLUMNS,
    GOAL_DEALS,
    GOAL_GAMES,
    GOAL_POINTS,
    GOAL_RACE,
    GOAL_SINGLE,
    GOAL_TOTAL,
    GOAL_TWOFOLD,
    NEXT_DEALER_ALTERNATE,
    NEXT_DEALER_LOSER,
    SHUTOUT_DOUBLE_ALL,
    SHUTOUT_DOUBLE_POINTS,
    SHUTOUT_FLAT_100,
    VOID_DEALER_OTHER,
)
from simgin.core.scoring import (
    RESULT_BIG_GIN,
    RESULT_GIN,
    RESULT_REFUSED,
    RESULT_SHOT,
    RESULT_UNDERCUT,
)

MATCH_UNDECIDED, MATCH_DRAWN, MATCH_UNFINISHED = -1, -2, -3  # outcomes without a winning seat


@jit
def choose_first_dealer(seed, unit, rules):
    """Return the seat that deals first, according to the rules or at random."""
    if rules.first_dealer != FIRST_DEALER_RANDOM:
        return rules.first_dealer - 1
    return rng.generate_random_words(seed, unit, 0, 0, rng.DOMAIN_FIRST_DEALER)[0] & 1


@jit
def choose_next_dealer(dealer, winner, rules):
    """Return the seat that deals next, given the dealer and the winner of the last deal.

    `winner` is the seat that won the last deal, or -1 if neither seat won.
    """
    if winner < 0:
        return 1 - dealer if rules.void_dealer == VOID_DEALER_OTHER else dealer
    if rules.next_dealer == NEXT_DEALER_ALTERNATE:
        return 1 - dealer
    return 1 - winner if rules.next_dealer == NEXT_DEALER_LOSER else winner


@jit
def start_match(state, rules):
    """Set the starting scores of a match before its first deal.

    With the goals `columns` and `total`, `start_points` has no effect (rules.md 7).
    """
    uses_start_points = rules.goal != GOAL_COLUMNS and rules.goal != GOAL_TOTAL
    for seat in range(2):
        state.points[seat] = rules.start_points[seat] if uses_start_points else 0
        state.deals_won[seat] = 0
        state.games[seat] = 0
        state.opened[seat] = 0
    if rules.goal == GOAL_COLUMNS:
        for column in range(rules.columns):
            state.column_winner[column] = -1
            for seat in range(2):
                state.column_points[seat, column] = 0
                state.column_wins[seat, column] = 0
    reset_die(state)


@jit
def reset_die(state):
    """Set the die to 1 and remove its owner."""
    state.stake = 1
    state.owner = -1


@jit
def get_match_target(rules, seat):
    """Return the number of points, won deals or won games that a seat needs to win.

    For the goal `total`, the function returns the maximum total.
    """
    if rules.goal == GOAL_DEALS or (rules.goal == GOAL_RACE and seat != rules.race_points_seat):
        return rules.deals_target
    if rules.goal == GOAL_GAMES:
        return rules.games_target
    return rules.total_goal if rules.goal == GOAL_TOTAL else rules.points_target


@jit
def apply_deal_result(state, rules, n_deals):
    """Add the result of a deal to the match and return the outcome of the match.

    The outcome is the winning seat, MATCH_UNDECIDED, MATCH_DRAWN or MATCH_UNFINISHED. `n_deals` is
    the number of deals played so far, including the current deal.
    """
    for seat in range(2):
        state.points[seat] += state.score[seat]
    if state.winner >= 0:
        state.deals_won[state.winner] += _count_won_deals(state, rules)
        if rules.goal == GOAL_COLUMNS:
            _add_deal_to_columns(state, rules)
        elif rules.goal == GOAL_GAMES:
            _end_game_if_decided(state, rules)
    outcome = _find_match_outcome(state, rules, n_deals)
    return (
        MATCH_UNFINISHED if outcome == MATCH_UNDECIDED and n_deals >= rules.max_deals else outcome
    )


@jit
def _count_won_deals(state, rules):
    """Return the number of won deals that a deal counts as (rules.md 7 and 8.5).

    The number is 1 unless the goal of the match depends on won deals.
    """
    if rules.goal != GOAL_RACE and rules.goal != GOAL_TWOFOLD and rules.goal != GOAL_DEALS:
        return 1
    if state.kind == RESULT_REFUSED:
        return state.pays
    if state.kind in (RESULT_GIN, RESULT_BIG_GIN, RESULT_SHOT):
        return state.stake * rules.deal_count_gin
    return state.stake * (rules.deal_count_undercut if state.kind == RESULT_UNDERCUT else 1)


@jit
def _add_deal_to_columns(state, rules):
    """Add a won deal to the open columns of its winner (Hollywood scoring, rules.md 7)."""
    seat = state.winner
    n_open = state.opened[seat]
    if rules.column_entry == COLUMN_ABSOLUTE:
        state.opened[seat] = min(n_open + 1, rules.columns)
    else:
        for column in range(rules.columns - 1, n_open - 1, -1):
            if state.column_winner[column] < 0:
                state.opened[seat] = column + 1
    for column in range(state.opened[seat]):
        if state.column_winner[column] < 0:
            state.column_points[seat, column] += state.score[seat]
            state.column_wins[seat, column] += 1
            if state.column_points[seat, column] >= rules.points_target:
                state.column_winner[column] = seat


@jit
def _end_game_if_decided(state, rules):
    """End the current game of a match if a deal or a refused die decides it (rules.md 7 and 8)."""
    seat = state.winner
    if state.kind == RESULT_REFUSED:
        state.games[seat] += state.pays
    elif state.points[seat] >= rules.points_target:
        row = 0  # row of the game table for the loser's points
        while state.points[1 - seat] > rules.game_table[row, 0]:
            row += 1
        state.games[seat] += state.stake * rules.game_table[row, 1]
    else:
        return
    state.points[0] = state.points[1] = 0
    reset_die(state)


@jit
def _find_match_outcome(state, rules, n_deals):
    """Return the seat that has won the match, or MATCH_DRAWN or MATCH_UNDECIDED."""
    goal = rules.goal
    if goal == GOAL_SINGLE:
        return state.winner if state.winner >= 0 else MATCH_DRAWN
    if goal == GOAL_COLUMNS:
        return _find_columns_outcome(state, rules)
    if goal == GOAL_TOTAL:
        if n_deals < rules.deals_in_match:
            return MATCH_UNDECIDED
        return 0 if state.points[0] <= rules.total_goal else 1
    for seat in range(2):
        if _has_reached_goal(state, rules, seat):
            return seat
    return MATCH_UNDECIDED


@jit
def _has_reached_goal(state, rules, seat):
    """Return True if a seat has reached its target number of points, won deals or won games."""
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
def _find_columns_outcome(state, rules):
    """Return the winning seat or MATCH_DRAWN if all columns are closed, otherwise MATCH_UNDECIDED.

    The side with the larger sum of settlements wins. If the sums are equal, the side that won more
    columns wins. If these numbers are also equal, the match is drawn.
    """
    columns_ahead = 0
    for column in range(rules.columns):
        if state.column_winner[column] < 0:
            return MATCH_UNDECIDED
        columns_ahead += 1 if state.column_winner[column] == 0 else -1
    total = compute_settlement(state, rules, MATCH_UNDECIDED)
    if total:
        return 0 if total > 0 else 1
    return MATCH_DRAWN if columns_ahead == 0 else 0 if columns_ahead > 0 else 1


@jit
def has_settlement(rules, outcome):
    """Return True if the loser of a match pays the winner a settlement.

    Finished matches with the goals `points` and `columns` have a settlement.
    """
    return outcome != MATCH_UNFINISHED and (rules.goal == GOAL_POINTS or rules.goal == GOAL_COLUMNS)


@jit
def compute_settlement(state, rules, outcome):
    """Return the points that seat 0 receives from seat 1 at the end of a match (rules.md 7).

    `outcome` is the winner, which is used only for the goal `points`.
    """
    if rules.goal != GOAL_COLUMNS:
        payment = _compute_payment(
            rules,
            state.points[outcome],
            state.points[1 - outcome],
            state.deals_won[outcome],
            state.deals_won[1 - outcome],
        )
        return payment if outcome == 0 else -payment
    total = 0
    for column in range(rules.columns):
        total += compute_column_settlement(state, rules, column)
    return total


@jit
def compute_column_settlement(state, rules, column):
    """Return the points that seat 0 receives for a closed column."""
    winner = state.column_winner[column]
    payment = _compute_payment(
        rules,
        state.column_points[winner, column],
        state.column_points[1 - winner, column],
        state.column_wins[winner, column],
        state.column_wins[1 - winner, column],
    )
    return payment if winner == 0 else -payment


@jit
def _compute_payment(rules, winner_points, loser_points, winner_deals, loser_deals):
    """Return the points that the winner of a game or a column receives.

    A loser who won no deal is shut out.
    """
    payment = (
        winner_points
        - loser_points
        + rules.game_bonus
        + rules.box_bonus * (winner_deals - loser_deals)
    )
    if loser_deals == 0:
        if rules.shutout == SHUTOUT_DOUBLE_POINTS:
            payment += winner_points
        elif rules.shutout == SHUTOUT_DOUBLE_ALL:
            payment *= 2
        elif rules.shutout == SHUTOUT_FLAT_100:
            payment += 100
    return payment


@jit
def compute_final_score(state, rules, seat):
    """Return the final score of a seat, in the unit of the match goal.

    With the goal `columns`, the score is the sum of the points in all columns.
    """
    if rules.goal == GOAL_GAMES:
        return state.games[seat]
    if rules.goal == GOAL_DEALS:
        return state.deals_won[seat]
    if rules.goal != GOAL_COLUMNS:
        return state.points[seat]
    total = 0
    for column in range(rules.columns):
        total += state.column_points[seat, column]
    return total
