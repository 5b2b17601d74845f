"""How a match stands, in words and as numbers, and how it stands after a watched deal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simgin.core import match
from simgin.rules.goals import goal_of
from simgin.rules.parameters import parameters

OVER = {match.DRAWN: "The match is drawn", match.UNFINISHED: "The match is broken off unfinished"}


def describe(state: Any, params: Mapping[str, Any], seat: int) -> str:
    """What a seat has of what it plays for, from the engine's record and the parameters."""
    side = goal_of(params).side_at(params, seat)
    return side.standing.format(
        score=state.points[seat],
        deals=state.deals_won[seat],
        games=state.games[seat],
        by_column=", ".join(_columns(state, params, seat)),
        **params,
    )


def _columns(state: Any, params: Mapping[str, Any], seat: int) -> list[str]:
    """The points of a seat in every column, with the result of a closed one."""
    results = {-1: "", seat: " (won)", 1 - seat: " (lost)"}
    columns = []
    for column in range(number_of_columns(params)):
        result = results[int(state.column_winner[column])]
        columns.append(f"{state.column_points[seat, column]}{result}")
    return columns


def number_of_columns(params: Mapping[str, Any]) -> int:
    """The columns that are played at once; 0 if the goal is another."""
    columns = parameters()["columns"]
    return int(params["columns"]) if columns.acts(params) else 0


def numbers(state: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """The standing by seat: points, won deals, won games, and points by column (None without)."""
    n = number_of_columns(params)
    columns = None
    if n:
        columns = [[int(points) for points in state.column_points[seat, :n]] for seat in (0, 1)]
    return {
        "points": [int(points) for points in state.points],
        "won_deals": [int(deals) for deals in state.deals_won],
        "games": [int(games) for games in state.games],
        "columns": columns,
    }


def enter_deal(state: Any, rules: Any) -> tuple[Any, int]:
    """(a copy of the state with its deal entered in the match, outcome); see `core.match.enter`."""
    after = state.copy()
    return after, int(match.enter(after, rules, int(state.deal) + 1))
