"""Goals: what a designer wants of a game, like `turns per match 100..140, gin 40..50 %`.

Goals are about matches between strong players. A goal is *met* where the whole interval lies within
it, *missed* where it lies outside, and else *undecided*.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from simgin.review.review_request import ReviewError
from simgin.review.scorecard import Row
from simgin.stats.quantity import Quantity
from simgin.text.messages import did_you_mean, shown

MET, MISSED, UNDECIDED = "met", "missed", "undecided"
_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_GOAL = re.compile(
    rf"(?P<name>[a-z][a-z \-]*?)\s*"
    rf"(?:(?P<low>{_NUMBER})\s*\.\.\s*(?P<high>{_NUMBER})"
    rf"|(?:<=?|at most|under)\s*(?P<most>{_NUMBER})|(?:>=?|at least|over)\s*(?P<least>{_NUMBER}))"
    rf"\s*%?"
)


@dataclass(frozen=True)
class Goal:
    """A row of the scorecard and the limits within which it shall be, as they are shown."""

    row: Row
    low: float
    high: float
    text: str

    def verdict(self, number: object) -> str:
        """MET, MISSED or UNDECIDED."""
        if not isinstance(number, Quantity):
            return UNDECIDED
        low, high = (limit * self.row.factor for limit in number.limits)
        if math.isnan(low + high):
            return UNDECIDED
        if self.low <= low and high <= self.high:
            return MET
        return MISSED if high < self.low or low > self.high else UNDECIDED


def read_goals(texts: Sequence[str], rows: Sequence[Row]) -> list[Goal]:
    """The goals that texts name, several in one with commas. Raises ReviewError."""
    parts = [part.strip() for text in texts for part in text.split(",")]
    return [_goal(part, rows) for part in parts if part]


def _goal(text: str, rows: Sequence[Row]) -> Goal:
    found = _GOAL.fullmatch(text.lower())
    if not found:
        raise ReviewError(
            f"{shown(text)} is no goal; write one like `turns per match 100..140`, "
            "`gin 40..50 %` or `dead hands < 5 %`."
        )
    names = {name: row for row in rows for name in (row.key.replace("_", " "), *row.names)}
    name = " ".join(found["name"].split())
    if name not in names:
        near = did_you_mean(name, names)
        known = ", ".join(row.names[0] if row.names else row.key for row in rows)
        remedy = f" Goals may be about {known}." if near == "." else ""
        raise ReviewError(f"no row of the scorecard is called {shown(name)}{near}{remedy}")
    low = found["low"] or found["least"] or "-inf"
    high = found["high"] or found["most"] or "inf"
    if float(low) > float(high):
        raise ReviewError(f"{shown(text)} has its limits the wrong way round.")
    return Goal(names[name], float(low), float(high), text)
