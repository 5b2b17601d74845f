"""How a match stands, in words and as numbers, whatever its goal counts; and how it stands once a watched deal is entered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simgin.core import match

OVER = {match.DRAWN: "The match is drawn", match.UNFINISHED: "The match is broken off unfinished"}


def words(state: Any, row: Mapping[str, Any], seat: int) -> str:
    """What a seat has of what its goal asks for. state: the engine's record; row: the variant's parameters."""
    points, deals = (
        f"score {state.points[seat]}",
        f"{state.deals_won[seat]} of {row['deals_target']} won deals",
    )
    goal = row["goal"]
    if goal == "race":
        return f"{points} of {row['points_target']}" if seat == row["race_points_seat"] else deals
    return {
        "columns": f"columns {', '.join(_columns(state, row, seat))}",
        "games": f"{state.games[seat]} of {row['games_target']} games, {points}",
        "twofold": f"{points} of {row['points_target']}, {deals}",
        "deals": deals,
        "total": f"total {state.points[seat]}",
    }.get(goal, points)


def _columns(state: Any, row: Mapping[str, Any], seat: int) -> list[str]:
    """The points of a seat in every column, with how it ended where it is closed."""
    if row["goal"] != "columns":
        return []
    ends = {-1: "", seat: " (won)", 1 - seat: " (lost)"}
    return [
        f"{state.column_points[seat, c]}{ends[int(state.column_winner[c])]}"
        for c in range(row["columns"])
    ]


def numbers(state: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """The same by seat: points, won deals, won games, and points by column (none unless the goal is columns)."""
    n = row["columns"] if row["goal"] == "columns" else 0
    counts = {
        name: [int(x) for x in state[field]]
        for name, field in (("points", "points"), ("won_deals", "deals_won"), ("games", "games"))
    }
    return counts | {
        "columns": [[int(x) for x in state.column_points[seat, :n]] for seat in range(2)]
        if n
        else None
    }


def entered(state: Any, own_rules: Any) -> tuple[Any, int]:
    """(a copy of the state in which its deal has been entered in the match, the outcome as `simgin.core.match.enter` tells it)."""
    after = state.copy()
    return after, int(match.enter(after, own_rules, int(state.deal) + 1))
