"""The goals of a match: what each side plays for, in words and as data (rules.md 7).

A new goal needs its code in `simgin.core.rules`, its branch in `simgin.core.match`, a record here,
its name among the choices of the parameter `goal` in variants.toml, and its clause in rules.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Side:
    """What one side plays for."""

    # How a side stands; in braces: score, deals, games, by_column, and parameters.
    standing: str
    # What a side counts on its way (score, deals) -> the parameter that says how much it needs.
    # With goal = games or columns, this ends a game or a column.
    targets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Goal:
    """What wins a match, for all that is not compiled."""

    name: str  # the value of the parameter `goal`
    won_by: str  # what wins, with parameters in braces
    side: Side
    other: Side | None = None  # the side that is not at race_points_seat, if it has another goal
    solo: bool = False  # also for one player
    one_deal: bool = False  # a match is a single deal
    total: bool = False  # penalties are added up, and a low total wins
    score: str = ""  # what a final score counts, points or deals; empty: no single score
    # How `simgin.value` lays out the states of a match: race, games or total; empty: too many.
    board: str = "race"
    unit: str = ""  # what a refused die is paid in

    def side_at(self, params: Mapping[str, Any], seat: int) -> Side:
        """What the side at a seat plays for."""
        if self.other is None or seat == params["race_points_seat"]:
            return self.side
        return self.other

    @property
    def counts_deals(self) -> bool:
        """Whether won deals decide, so that a deal may count for more than one."""
        return any("deals" in side.targets for side in (self.side, self.other) if side)


_POINTS = {"score": "points_target"}
_DEALS = {"deals": "deals_target"}
_DEALS_STANDING = "{deals} of {deals_target} won deals"

GOALS = {
    goal.name: goal
    for goal in (
        Goal("single", "one deal", Side("score {score}"), solo=True, one_deal=True),
        Goal(
            "points",
            "{points_target} points",
            Side("score {score}", _POINTS),
            solo=True,
            score="points",
        ),
        Goal(
            "columns",
            "{columns} columns of {points_target} points at once",
            Side("columns {by_column}", _POINTS),
            board="",
        ),
        Goal(
            "games",
            "{games_target} won games of {points_target} points, a game counting 1 to 4",
            Side("{games} of {games_target} games, score {score}", _POINTS),
            board="games",
            unit="game",
        ),
        Goal(
            "race",
            "one side {points_target} points, the other {deals_target} won deals",
            Side("score {score} of {points_target}", _POINTS),
            other=Side(_DEALS_STANDING, _DEALS),
        ),
        Goal(
            "twofold",
            "{points_target} points and {deals_target} won deals",
            Side("score {score} of {points_target}, " + _DEALS_STANDING, {**_POINTS, **_DEALS}),
        ),
        Goal(
            "deals",
            "{deals_target} won deals",
            Side(_DEALS_STANDING, _DEALS),
            score="deals",
            unit="won deal",
        ),
        Goal(
            "total",
            "a total of {total_goal} or less after {deals_in_match} deals",
            Side("total {score}"),
            solo=True,
            total=True,
            board="total",
        ),
    )
}


def goal_of(params: Mapping[str, Any]) -> Goal:
    """The goal of a variant's parameters."""
    return GOALS[params["goal"]]
