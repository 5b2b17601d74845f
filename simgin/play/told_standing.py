"""How a match stands before a deal, read back from the words of `simgin show`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simgin.play.deal import WatchedDeal
from simgin.play.replay import ReplayError
from simgin.rules.variants import Variant

_NUMBERS = ("score", "deals", "games")
_COLUMN = re.compile(r"(-?\d+)( \(won\)| \(lost\))?")


@dataclass(frozen=True)
class Standing:
    """What each seat has of what it plays for; 0 for what decides nothing, and is not told."""

    numbers: Sequence[dict[str, int]]  # score, deals and games by seat
    columns: Sequence[Sequence[int]] = ()  # the points of the columns by seat
    closed: int = 0  # the finished columns, as bits

    @property
    def points(self) -> tuple[int, int]:
        """The scores of both seats."""
        return self._both("score")

    def _both(self, name: str) -> tuple[int, int]:
        first = self.numbers[0].get(name, 0)
        last = self.numbers[-1].get(name, 0)
        return (first, last) if len(self.numbers) == 2 else (first, 0)

    def enter(self, played: WatchedDeal, deal: int) -> None:
        """Write the standing to the views of a deal that was played as a single one."""
        for view in played.state.log[: played.state.logged + 1]:
            seat = int(view["seat"])
            view["deal"] = deal
            for name, of_view in (("score", "points"), ("deals", "deals"), ("games", "games")):
                both = self._both(name)
                view[f"own_{of_view}"] = both[seat]
                view[f"other_{of_view}"] = both[1 - seat]
            if self.columns:
                self._enter_columns(view, seat)

    def _enter_columns(self, view: Any, seat: int) -> None:
        view["closed"] = self.closed
        whose = {seat: "own", 1 - seat: "other"}
        for side, points in enumerate(self.columns):
            name = whose[side]
            view[f"{name}_columns"][: len(points)] = points
            opened = 0
            for place, score in enumerate(points, 1):
                if score:
                    opened = place
            view[f"{name}_opened"] = opened


def read_standing(variant: Variant, told: Sequence[str]) -> Standing:
    """The standing that the words of each seat tell."""
    numbers = []
    columns: list[list[int]] = []
    closed = 0
    for seat, text in enumerate(told):
        match = _pattern(variant, seat).fullmatch(text)
        if match is None:
            raise ReplayError(f"{text!r} tells no standing of a match of {variant.text}.")
        found = match.groupdict()
        numbers.append({name: int(found[name]) for name in _NUMBERS if name in found})
        for place, column in enumerate(_COLUMN.findall(found.get("by_column", ""))):
            points, result = column
            if not place:
                columns.append([])
            columns[-1].append(int(points))
            closed |= bool(result) << place
    return Standing(numbers, columns, closed)


def _pattern(variant: Variant, seat: int) -> re.Pattern[str]:
    """The words of a standing, with a group for each number."""
    side = variant.goal.side_at(variant.row, seat)
    text = re.escape(side.standing).replace(r"\{", "{").replace(r"\}", "}")
    groups = {name: rf"(?P<{name}>-?\d+)" for name in _NUMBERS}
    groups["by_column"] = "(?P<by_column>.+)"
    return re.compile(text.format(**{**variant.row, **groups}))
