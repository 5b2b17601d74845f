"""The scorecard: the metrics of a rule set that a review measures, and effect sizes.

Each value belongs to one player type; the value of the game is that of the strong player. Effect
sizes depend on what players would notice (`ScorecardRow.effect_bounds`): *much* is a difference
that one evening under each rule set would show, and *a little* one that ten evenings would.
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

EVENING, EVENINGS = 5, 10  # matches per evening, and evenings that show "a little"
TENFOLD = 10  # factor from which a small change of a percentage is "much"
PERCENT = " %"  # unit of percentages
NO_KNOCK = "only gin ends a deal"
NO_SCORE = "there is no single score to lead by"
# Effect sizes
SAME, LITTLE, MUCH, UNCLEAR = "same", "a little", "much", "too close to call"

Measurement = Quantity | str  # or the reason for a missing value


@dataclass(frozen=True, eq=False)
class Played:
    """Statistics of a player against itself, or in solitaire games, under a variant.

    Attributes:
        rows: Batch rows, (n_batches, sums.N_COLUMNS) int64.
        course: Counts of `simgin.review.match_course.count_matches`; empty if they were not taken.
    """

    rows: np.ndarray
    course: Mapping[str, np.ndarray]

    def ratio(self, metric: str) -> Quantity:
        """Return a metric over all matches."""
        own = quantity.ratio(self.rows, metrics.BY_NAME[metric])
        return replace(own, unit_se=estimate_metric(self._total, metrics.BY_NAME[metric]).se)

    def per(self, unit: str, *facts: str, share: bool = False) -> Quantity:
        """Return the sum of some facts per unit, such as turns per match."""
        columns = [sums.SUM + sums.FACT[fact] for fact in facts]
        counts = self.rows[:, columns].sum(axis=1)
        below = self.rows[:, sums.SUM + sums.FACT[unit]]
        own = quantity.per_case(counts, below, share=share)
        unit_se = self._unit_se([self._ratio(fact, unit) for fact in facts])
        # Effective batches count units, as of any metric
        return replace(own, batches=batches.effective(self.rows), unit_se=unit_se)

    @property
    def matches(self) -> int:
        """The number of matches."""
        return int(self._total[sums.SUM + sums.FACT["matches"]])

    @property
    def _total(self) -> np.ndarray:
        return batches.total(self.rows)

    def _ratio(self, fact: str, unit: str) -> RatioSums:
        """Return the sums of a fact per deal or match, where each unit is one match."""
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
        """Return the standard error of a sum of ratios over single matches.

        A deal ends in one way only, so two endings have a covariance of minus the product of their
        proportions per deal.
        """
        units = int(self._total[sums.UNITS])
        found = [estimate_ratio(units, ratio) for ratio in ratios]
        values = np.array([own.value for own in found])
        both = (values.sum() ** 2 - values @ values) / ratios[0].denominator
        return float(np.sqrt(sum(own.se**2 for own in found) - both))


@dataclass(frozen=True)
class Row:
    """A row of the scorecard.

    Attributes:
        key: Name in files.
        title: Displayed name.
        measure: Function that computes the value.
        digits: Decimals.
        unit: Unit printed after a value.
        more: Word for a higher value, such as "longer".
        less: Word for a lower value.
        factor: Multiplier for display (100 for %).
        fixed: Fixed bounds of effect sizes, if they do not depend on evenings.
        names: Names in goals.
        meaning: Explanation if the title is not sufficient.
        steady: True if training the player for the rules hardly changes the value.
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
        """Return the bounds of effects from which a difference is "a little" and "much".

        A difference reaches a bound if that number of matches under each rule set would show it in
        five of six cases: the standard error of the difference, estimated from the baseline, equals
        the difference.

        Args:
            base: Value under the baseline.
            matches: Number of matches that `base` was computed from.
        """
        if self.fixed is not None:
            return self.fixed
        se = base.se if np.isnan(base.unit_se) else base.unit_se
        per_match = se * np.sqrt(matches)
        much = float(per_match * np.sqrt(2 / EVENING))
        return much / np.sqrt(EVENINGS), much

    def text(self, value: float) -> str:
        """Return a value with its unit."""
        return f"{value * self.factor:.{self.digits}f}{self.unit}"

    def light(self, number: Quantity) -> str:
        """Return the half-width of the interval, without a unit."""
        low, high = (limit * self.factor for limit in number.limits)
        half = (high - low) / 2
        return f"± {half:.{max(self.digits, 1 if half >= 0.05 else 2)}f}"


def size(difference: Quantity, bounds: tuple[float, float]) -> str:
    """Return the effect size of a difference: SAME, LITTLE, MUCH or UNCLEAR.

    SAME requires the whole interval within the first bound. If the interval allows two sizes, the
    smaller one is returned; if it allows SAME and another size, the result is UNCLEAR.
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
    """Return True if a percentage differs by a factor of ten, for the whole interval."""
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
    """Return a measure of the median knock, by own turn (axis 1) or deadwood (axis 2)."""
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
    """Return a proportion of at most one case per match with the binomial standard error."""
    return replace(share, unit_se=float(np.sqrt(share.value * (1 - share.value) / share.n)))


def _shut_outs(played: Played) -> Measurement:
    return played.ratio("loser_zero") if "leads" in played.course else NO_SCORE


_LONG_RUN = (0.01, 0.03)  # proportions that matter over years
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
    """Return the row for the duration of a match in minutes."""
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
# Rows of one player against another, and of two players in solitaire games
AGAINST = {
    "Gin v knock": "matches that playing for gin wins from knocking at once",
    "Skill": "matches that the strong player wins from each weaker kind",
}
ALONE = {
    "Skill, matches won": "percentage points that the strong player wins more than the naive one"
}


def rows_of(params: Mapping[str, object], seconds_per_turn: float) -> tuple[Row, ...]:
    """Return the rows for a variant with these parameters."""
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
    """Return the title of the skill row: the last one of MATCHUP_MEANINGS or SOLO_MEANINGS."""
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
    """A row of the scorecard and the bounds that its displayed value must satisfy."""

    row: Row
    low: float
    high: float
    text: str

    def verdict(self, number: object) -> str:
        """Return MET, MISSED or UNDECIDED for a value."""
        if not isinstance(number, Quantity):
            return UNDECIDED
        low, high = (limit * self.row.factor for limit in number.limits)
        if math.isnan(low + high):
            return UNDECIDED
        if self.low <= low and high <= self.high:
            return MET
        return MISSED if high < self.low or low > self.high else UNDECIDED


def read_goals(texts: Sequence[str], rows: Sequence[Row]) -> list[Goal]:
    """Return the goals in strings, which can contain several separated by commas.

    Raises:
        ReviewError: A goal is not valid.
    """
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
