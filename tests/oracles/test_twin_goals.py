"""The twin's matches: edge cases of every goal of rules.md 7, and who deals."""

import pytest

from oracles import twin
from support.worked_examples import ROWS, STANDARD


def won(side, points=10, kind="knock", stake=1):
    return twin.Result(
        kind, winner=side, points=[points if seat == side else 0 for seat in (0, 1)], stake=stake
    )


VOID = twin.Result("void")


def match_of(row, *results):
    match = twin.Match(row, 0 if row["players"] == 2 else None)
    for result in results:
        match.enter(result)
    return match


def outcome(match):
    return match.over, match.unfinished, match.winner


# Who deals


def test_the_next_dealer_follows_the_variant():
    for rule, dealer in (("winner", 1), ("loser", 0), ("alternate", 1)):
        assert match_of({**STANDARD, "next_dealer": rule}, won(1)).dealer == dealer
    for rule, dealer in (("same", 0), ("other", 1)):
        row = {**STANDARD, "next_dealer": "alternate", "void_dealer": rule}
        assert match_of(row, VOID).dealer == dealer
        assert match_of(row, twin.Result("even")).dealer == dealer
        assert match_of(row, twin.Result("gin")).dealer == dealer  # cancelled by lay-offs
    assert match_of(ROWS["dice"], won(1, 0, "refused")).dealer == 1
    assert match_of(ROWS["gin-solitaire"], won(1)).dealer is None


def test_the_first_dealer_follows_the_variant():
    for name, dealer in (("standard", None), ("solitary-gin", 0)):
        with pytest.raises(ValueError):
            twin.Match(ROWS[name], dealer)


# How matches end


def test_matches_end_by_their_goal():
    match = match_of({**STANDARD, "max_deals": 2, "start_points": [90, 0]}, VOID, VOID)
    assert (outcome(match), match.points) == ((True, True, None), [90, 0])
    with pytest.raises(ValueError):
        match.enter(VOID)
    assert outcome(match_of({**STANDARD, "goal": "single"}, VOID)) == (True, False, None)
    assert outcome(match_of({**STANDARD, "max_deals": 2}, VOID, won(1, 100))) == (True, False, 1)
    match = match_of(ROWS["tournament"], won(1, 104, "gin"))
    assert (match.winner, match.settlement) == (1, 208 + 100 + 25)


def test_a_redeal_does_not_count():
    match = match_of(
        {**ROWS["solitaire-gin-knock"], "max_deals": 2},
        twin.Result("redeal"),
        won(1, 30, "joker"),
        twin.Result("redeal"),
    )
    assert (match.deals, match.over, match.points, match.won) == (1, False, [0, 30], [0, 1])


def test_points_are_settled_with_bonuses():
    base = {**STANDARD, "game_bonus": 100, "box_bonus": 20}
    for shutout, expected in (
        ("none", 104 + 100 + 20),
        ("double_points", 208 + 100 + 20),
        ("double_all", 2 * (104 + 100 + 20)),
    ):
        assert match_of({**base, "shutout": shutout}, won(0, 104)).settlement == expected
    # A side that won a deal is not shut out, even if the deal had no points; boxes count against
    # the winner of the match.
    match = match_of({**base, "shutout": "double_all"}, won(1, 0), won(1, 9), won(0, 105))
    assert match.settlement == 105 - 9 + 100 - 20
    assert (
        match_of(
            {**STANDARD, "box_bonus": 90, "start_points": [30, 0]}, won(1, 1), won(1, 1), won(0, 70)
        ).settlement
        == 98 - 90
    )
    assert match_of(base, won(0, 99)).settlement is None


def test_start_points_count_for_points_and_games():
    start = {"start_points": [60, 20]}
    assert match_of({**STANDARD, **start}, won(0, 40)).winner == 0
    assert match_of({**STANDARD, **start, "goal": "single"}).points == [60, 20]
    assert match_of({**ROWS["hollywood"], **start}, won(0, 99)).goal.closed_by == [None] * 3
    race = match_of({**ROWS["race"], **start}, won(1, 110), won(0, 61))
    assert (race.winner, race.points) == (0, [121, 130])
    assert match_of({**ROWS["twofold"], **start}, *[won(0, 10)] * 7).winner == 0
    assert (
        match_of(
            {**ROWS["solitary-gin"], **start}, *[twin.Result("limit", points=[6, 0])] * 5
        ).winner
        == 0
    )
    pro = match_of({**ROWS["pro"], **start}, won(0, 61))
    assert (pro.goal.games, pro.points) == (
        [4, 0],
        [0, 0],
    )  # 20 points: four games; the next game begins at zero


# The goals


def test_columns_may_close_together_and_be_drawn():
    row = {**ROWS["hollywood"], "columns": 2}
    match = match_of(row, won(0, 60), won(1, 60), won(1, 10), won(0, 40), won(1, 50))
    # 100 : 70 and, with the second wins, 40 : 60
    assert (match.goal.columns, match.goal.closed_by, match.over) == (
        [[100, 70], [40, 60]],
        [0, None],
        False,
    )
    match.enter(won(1, 40))
    assert (match.goal.settlements(), outcome(match), match.settlement) == (
        [30, -60],
        (True, False, 1),
        30,
    )
    drawn = match_of(row, won(0, 100), won(1, 100))
    assert (drawn.goal.columns, outcome(drawn), drawn.settlement) == (
        [[100, 0], [0, 100]],
        (True, False, None),
        None,
    )
    assert match_of(row, won(0, 10), won(0, 100)).goal.columns == [
        [110, 0],
        [100, 0],
    ]  # both close with one deal


def test_a_won_deal_without_points_opens_a_column():
    match = match_of(ROWS["hollywood"], won(0, 0), won(0, 5))
    assert (match.goal.columns, match.goal.boxes) == (
        [[5, 0], [5, 0], [0, 0]],
        [[2, 0], [1, 0], [0, 0]],
    )


def test_absolute_entries_for_closed_columns_are_lost():
    row = {**ROWS["hollywood"], "columns": 2, "column_entry": "absolute"}
    match = match_of(row, won(0, 100), won(1, 30), won(1, 40))
    assert match.goal.columns == [[100, 0], [0, 40]]
    match = match_of({**row, "column_entry": "next_open"}, won(0, 100), won(1, 30), won(1, 40))
    assert match.goal.columns == [[100, 0], [0, 70]]


def test_gin_shot_and_undercut_count_double_where_the_variant_says_so():
    row = {**ROWS["dice"], "deals_target": 21, "deal_count_gin": 2}
    match = match_of(
        row,
        won(0, 0, "gin", 3),
        won(0, 0, "refused", 2),
        won(1, 0, "undercut", 4),
        won(1, 0, "shot", 1),
        VOID,
    )
    assert (match.goal.tally, match.won) == ([8, 6], [2, 2])
    twofold = match_of(
        ROWS["twofold"], won(1, 30, "big_gin"), won(1, 30, "undercut"), won(0, 30, "even")
    )
    assert twofold.goal.tally[1] == 4


def test_the_seat_that_plays_a_race_for_points():
    seven = [won(1, 18)] * 7
    assert match_of({**ROWS["race"], "race_points_seat": 1}, *seven).winner == 1  # 126 points
    assert (
        match_of({**ROWS["race"], "race_points_seat": 0}, *seven[:6], won(1, 18)).winner == 1
    )  # seven deals
    assert match_of({**ROWS["race"], "race_points_seat": 1}, *[won(1, 10)] * 7).winner is None
    assert match_of({**ROWS["race"], "race_points_seat": 0}, *[won(1, 150)] * 6).winner is None


def test_games_are_paid_by_table_and_stake():
    match = match_of(ROWS["dice-pro"], won(1, 91), won(0, 121, stake=3))
    assert (match.goal.games, match.goal.played, match.points, match.over) == (
        [3, 0],
        1,
        [0, 0],
        False,
    )
    match.enter(won(1, 50))
    match.enter(won(0, 0, "refused", 4))  # it ends the game, whatever the points are
    assert (match.goal.games, match.goal.played, match.winner) == ([7, 0], 2, 0)


def test_a_total_never_reached_is_unfinished():
    match = match_of(
        {**ROWS["solitary-gin"], "max_deals": 2}, *[twin.Result("limit", points=[9, 0])] * 2
    )
    assert (outcome(match), match.points) == ((True, True, None), [18, 0])
