"""The scorecard: what a review measures of a rule set, a record a row, and its words of size.

Every figure is that of one kind of player; the game's own is that of the strong player. How much a
difference is goes by what players would notice (`Row.bounds`): *much* is what an evening under each
rule set would show, *a little* what ten evenings would.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simgin.core import sums
from simgin.review import course
from simgin.review.review_request import ReviewError
from simgin.stats import batches, metrics, quantity
from simgin.stats.estimate import RatioSums, estimate_metric, estimate_ratio
from simgin.stats.quantity import Quantity
from simgin.text.messages import did_you_mean, shown

EVENING, EVENINGS = 5, 10  # matches of an evening, and how many evenings show a little
TENFOLD = 10  # by what factor a percentage rises or falls that is much, if it is a little
PERCENT = " %"  # unit of a share
NO_KNOCK = "only gin ends a deal"
NO_SCORE = "there is no single score to lead by"
# Words of size
SAME, LITTLE, MUCH, UNCLEAR = "same", "a little", "much", "too close to call"

Measurement = Quantity | str  # or the reason why there is no number


@dataclass(frozen=True, eq=False)
class Played:
    """What was played under a variant between two of one player, or by one alone.

    rows: batch rows, int64 (batches, sums.COLUMNS). course: see `simgin.review.course.follow`;
    empty for players whose matches were not followed.
    """

    rows: np.ndarray
    course: Mapping[str, np.ndarray]

    def ratio(self, metric: str) -> Quantity:
        """A metric of all matches."""
        own = quantity.ratio(self.rows, metrics.BY_NAME[metric])
        return replace(own, unit_se=estimate_metric(self._total, metrics.BY_NAME[metric]).se)

    def per(self, unit: str, *facts: str, share: bool = False) -> Quantity:
        """The sum of some facts for each of another, such as turns for each of the matches."""
        columns = [sums.SUM + sums.FACT[fact] for fact in facts]
        counts = self.rows[:, columns].sum(axis=1)
        below = self.rows[:, sums.SUM + sums.FACT[unit]]
        own = quantity.per_case(counts, below, share=share)
        unit_se = self._unit_se([self._ratio(fact, unit) for fact in facts])
        # Effective batches count units, as of any metric
        return replace(own, batches=batches.effective(self.rows), unit_se=unit_se)

    @property
    def matches(self) -> int:
        """How many matches were played."""
        return int(self._total[sums.SUM + sums.FACT["matches"]])

    @property
    def _total(self) -> np.ndarray:
        return batches.total(self.rows)

    def _ratio(self, fact: str, unit: str) -> RatioSums:
        """The sums of a fact per deal or per match. A unit is one match."""
        total, at, below = self._total, sums.FACT[fact], sums.FACT[unit]
        cross = sums.SUM if unit == "matches" else sums.CROSS
        return RatioSums(
            numerator=int(total[sums.SUM + at]),
            numerator_square=int(total[sums.SQUARE + at]),
            denominator=int(total[sums.SUM + below]),
            denominator_square=int(total[sums.SQUARE + below]),
            cross=int(total[cross + at]),
            always=True,
        )

    def _unit_se(self, ratios: Sequence[RatioSums]) -> float:
        """The standard error of a sum of ratios over single matches.

        A deal ends in one way only, so that two ways have a covariance of minus the product of
        their shares in a deal.
        """
        units = int(self._total[sums.UNITS])
        found = [estimate_ratio(units, ratio) for ratio in ratios]
        values = np.array([own.value for own in found])
        both = (values.sum() ** 2 - values @ values) / ratios[0].denominator
        return float(np.sqrt(sum(own.se**2 for own in found) - both))


@dataclass(frozen=True)
class Row:
    """A row of the scorecard.

    key: its name in files. title: for people. unit: written behind a value. more, less: how a
    higher and a lower value are put (`a little longer`). measure: its number. fixed: bounds of
    words of size, where they do not go by what an evening shows. factor: what values are shown
    times. names: what goals call it. meaning: what the title does not say. steady: whether it is
    much the same with a player who was trained for the rules.
    """

    key: str
    title: str
    measure: Callable[[Played], Measurement]
    digits: int = 0
    unit: str = ""
    more: str = "more"
    less: str = "less"
    factor: float = 1
    fixed: tuple[float, float] | None = None
    names: tuple[str, ...] = ()
    meaning: str = ""
    steady: bool = False

    def bounds(self, base: Quantity, matches: int) -> tuple[float, float]:
        """From where a difference is a little, and from where it is much.

        One that as many matches under each rule set would show in five cases of six: the standard
        error of the difference of so many, from that of the base, is as large as the difference.
        """
        if self.fixed is not None:
            return self.fixed
        se = base.se if np.isnan(base.unit_se) else base.unit_se
        per_match = se * np.sqrt(matches)
        much = float(per_match * np.sqrt(2 / EVENING))
        return much / np.sqrt(EVENINGS), much

    def text(self, value: float) -> str:
        """A value as people read it."""
        return f"{value * self.factor:.{self.digits}f}{self.unit}"

    def light(self, number: Quantity) -> str:
        """The interval of a value, without its unit, with the digits that it needs."""
        low, high = (limit * self.factor for limit in number.limits)
        half = (high - low) / 2
        return f"± {half:.{max(self.digits, 1 if half >= 0.05 else 2)}f}"


def size(difference: Quantity, bounds: tuple[float, float]) -> str:
    """How much a difference is: SAME, LITTLE, MUCH or UNCLEAR.

    SAME needs the whole interval within the first bound. Of two words that the interval allows,
    the smaller one is used; where it allows SAME and another, it is UNCLEAR.
    """
    little, much = bounds
    low, high = difference.limits
    if np.isnan(low + high + little):
        return UNCLEAR
    if -little <= low and high <= little:
        return SAME
    least = max(low, -high)
    if least >= much:
        return MUCH
    return LITTLE if least >= little else UNCLEAR


def is_tenfold(own: Quantity, other: Quantity, row: Row) -> bool:
    """Return True if a percentage is ten times another or a tenth of it, by the whole interval."""
    if row.unit != PERCENT:
        return False
    rise, fall = own - other.scaled(TENFOLD), own.scaled(TENFOLD) - other
    return rise.limits[0] >= 0 or fall.limits[1] <= 0


# Measures


def _share(*kinds: str) -> Callable[[Played], Measurement]:
    return lambda played: played.per("deals", *kinds, share=True)


def _ratio(metric: str) -> Callable[[Played], Measurement]:
    return lambda played: played.ratio(metric)


def _match_turns(played: Played) -> Quantity:
    return played.per("matches", "turns")


def _draws(played: Played) -> Quantity:
    return played.per("deals", "a_draws")


def _knocks(axis: int) -> Callable[[Played], Measurement]:
    """The median of knocks, by own turn (1) or by deadwood (2)."""
    squares = {1: "turn_squares", 2: "deadwood_squares"}[axis]

    def measure(played: Played) -> Measurement:
        if "knocks" not in played.course:
            return "its matches were not followed"
        knocks = played.course["knocks"].sum(axis=3 - axis)
        return course.median(knocks, played.course[squares]) if knocks.any() else NO_KNOCK

    return measure


def _comebacks(played: Played) -> Measurement:
    if "leads" not in played.course:
        return NO_SCORE
    matches, comebacks = played.course["leads"].T
    return _of_yes_or_no(quantity.per_case(comebacks, matches, share=True))


def _of_yes_or_no(share: Quantity) -> Quantity:
    """A share of cases, at most one in a match, with the error of as many single ones."""
    return replace(share, unit_se=float(np.sqrt(share.value * (1 - share.value) / share.n)))


def _shut_outs(played: Played) -> Measurement:
    return played.ratio("loser_zero") if "leads" in played.course else NO_SCORE


_LONG_RUN = (0.01, 0.03)  # shares that add up over years, though no evening shows them
SKILL_BOUNDS = (0.02, 0.06)
_LONGER: dict[str, Any] = {"more": "longer", "less": "shorter"}
_PERCENT: dict[str, Any] = {"unit": PERCENT, "factor": 100}
TURNS = Row("turns_per_match", "Turns a match", _match_turns, **_LONGER, names=("turns per match",))
GIN = Row(
    *("gin", "Ended by gin", _share("gin", "big_gin", "shot")),
    **_PERCENT,
    names=("gin",),
    meaning="of all deals",
)
DEALS = Row(
    *("deals_per_match", "Deals a match", _ratio("deals_per_match"), 1),
    less="fewer",
    names=("deals per match",),
)


def minutes(seconds_per_turn: float) -> Row:
    """How long a match takes by the clock."""
    return Row(
        "minutes",
        f"Minutes at {seconds_per_turn:g} s",
        lambda played: _match_turns(played).scaled(seconds_per_turn / 60),
        **_LONGER,
        names=("minutes", "minutes per match"),
        meaning="a match whose turns take so many seconds each",
    )


ROWS_OF_TWO = (
    TURNS,
    DEALS,
    Row("turns", "Turns a deal", _ratio("turns"), 1, **_LONGER, names=("turns per deal",)),
    GIN,
    Row(
        *("knock_turn", "Knock: own turn", _knocks(1), 1),
        more="later",
        less="earlier",
        names=("knock turn",),
        meaning="the median own turn of the strong player's knocks",
    ),
    Row(
        *("knock_deadwood", "Knock: deadwood", _knocks(2), 1),
        names=("knock deadwood",),
        meaning="the median deadwood of the strong player's knocks",
    ),
    Row(
        *("dead", "Dead hands", _share("void", "stalled"), 1),
        less="fewer",
        **_PERCENT,
        names=("dead hands",),
        meaning="of all deals",
    ),
    Row(
        *("seat", "Nondealer wins", _ratio("first_player_win"), 1),
        **_PERCENT,
        fixed=_LONG_RUN,
        names=("nondealer", "seats"),
        meaning="of the deals that either player wins",
    ),
    Row(
        *("comebacks", "Comebacks", _comebacks),
        **_PERCENT,
        names=("comebacks",),
        meaning="of all matches, those that the side wins that was behind when the other first "
        "had half of the target",
        steady=True,
    ),
    Row(
        *("shut_out", "Shut-outs", _shut_outs),
        less="fewer",
        **_PERCENT,
        names=("shut-outs", "shutouts"),
        meaning="of the matches that either side wins, those whose loser has nothing",
    ),
)
ROWS_OF_ONE = (
    Row("win", "Deals won", _ratio("win"), 1, **_PERCENT, fixed=_LONG_RUN, names=("deals won",)),
    Row("score", "Score a deal", _ratio("score"), 1, names=("score",)),
    Row(
        *("match_win", "Matches won", _ratio("match_win"), 1),
        **_PERCENT,
        fixed=_LONG_RUN,
        names=("matches won",),
    ),
    GIN,
    Row(
        *("draws", "Draws a deal", _draws, 1),
        **_LONGER,
        names=("draws per deal",),
        meaning="that of the joker included",
    ),
    DEALS,
)
# Rows of one player against another, and of one beside another that plays alone
AGAINST = {
    "Gin v knock": "matches that playing for gin wins from knocking at once",
    "Skill": "matches that the strong player wins from each weaker kind",
}
ALONE = {
    "Skill, matches won": "percentage points that the strong player wins more than the naive one"
}


def rows_of(params: Mapping[str, object], seconds_per_turn: float) -> tuple[Row, ...]:
    """The rows for rules like these."""
    if params["players"] == 2:
        first, *others = ROWS_OF_TWO
        return (first, minutes(seconds_per_turn), *others)
    left_out = set()
    if params["deal_scoring"] == "penalty":
        left_out |= {"win"}
    if params["goal"] == "single":
        left_out |= {"match_win", "deals_per_match"}
    return tuple(row for row in ROWS_OF_ONE if row.key not in left_out)


def skill_title(alone: bool) -> str:
    """What the row of skill is called: the last one of AGAINST, or of ALONE."""
    return list(ALONE if alone else AGAINST)[-1]


# Goals


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
    found = _GOAL.fullmatch(" ".join(text.lower().split()))
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
