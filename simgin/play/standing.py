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
    goal = goal_of(params)
    side = goal.side_at(params, seat)
    columns = _columns(state, params, seat)
    return side.standing.format(
        score=state.points[seat],
        deals=state.deals_won[seat],
        games=state.games[seat],
        by_column=", ".join(columns),
        **params,
    )


def _columns(state: Any, params: Mapping[str, Any], seat: int) -> list[str]:
    """The points of a seat in every column, with the result of a closed one."""
    results = {-1: "", seat: " (won)", 1 - seat: " (lost)"}
    columns = []
    for column in range(number_of_columns(params)):
        points = state.column_points[seat, column]
        winner = int(state.column_winner[column])
        columns.append(f"{points}{results[winner]}")
    return columns


def number_of_columns(params: Mapping[str, Any]) -> int:
    """The columns that are played at once; 0 if the goal is another."""
    columns = parameters()["columns"]
    if columns.acts(params):
        return int(params["columns"])
    return 0


def numbers(state: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """The standing by seat: points, won deals, won games, and points by column (None without)."""
    n = number_of_columns(params)
    columns = state.column_points[:2, :n].tolist() if n else None
    return {
        "points": state.points.tolist(),
        "won_deals": state.deals_won.tolist(),
        "games": state.games.tolist(),
        "columns": columns,
    }


def enter_deal(state: Any, rules: Any) -> tuple[Any, int]:
    """(a copy of the state with its deal entered in the match, outcome); see `core.match.enter`."""
    after = state.copy()
    deals = int(state.deal) + 1
    outcome = match.enter(after, rules, deals)
    return after, int(outcome)
