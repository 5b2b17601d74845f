"""Scorecard of a review: the metrics of a rule set, and the sizes of effects.

Each value belongs to one player type. The scorecard of a rule set shows the values of the strong
player. Effect sizes classify differences by the number of evenings that players need to notice them
(see `ScorecardRow.effect_bounds`): one evening under each rule set for *much*, and ten evenings for
*a little*.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simgin.core import batch_columns
from simgin.review import match_course
from simgin.review.review_request import ReviewError
from simgin.stats import batches, metrics, paired_estimate
from simgin.stats.estimate import ALPHA, RatioSums, estimate_metric, estimate_ratio
from simgin.stats.paired_estimate import PairedEstimate
from simgin.text.messages import did_you_mean, format_value

# Number of matches per evening, and number of evenings for a small effect
MATCHES_PER_EVENING, EVENINGS = 5, 10
TENFOLD = 10  # factor above which even a small change of a percentage counts as "much"
PERCENT_SIGN = " %"  # unit of percentages
NO_KNOCK = "only gin ends a deal"
NO_SCORE = "the match has no single score"
# Effect sizes
SAME, LITTLE, MUCH, UNCLEAR = "same", "a little", "much", "inconclusive"

Measurement = PairedEstimate | str  # A string states the reason for a missing value.


@dataclass(frozen=True, eq=False)
class MatchupStats:
    """Statistics of one player under a variant, against itself or in solitaire games.

    Attributes:
        rows: Batch rows, (n_batches, batch_columns.N_COLUMNS) int64.
        match_course: Counts of `simgin.review.match_course.count_matches`, or an empty mapping.
    """

    rows: np.ndarray
    match_course: Mapping[str, np.ndarray]

    def metric(self, name: str) -> PairedEstimate:
        """Estimate a metric from all matches."""
        own = paired_estimate.compute_ratio(self.rows, metrics.METRICS_BY_NAME[name])
        return replace(own, unit_se=estimate_metric(self._total, metrics.METRICS_BY_NAME[name]).se)

    def per_unit(self, unit: str, *facts: str, share: bool = False) -> PairedEstimate:
        """Return the sum of several facts per unit of analysis, such as turns per match."""
        columns = [batch_columns.COL_SUM + batch_columns.FACT_INDEX[fact] for fact in facts]
        counts = self.rows[:, columns].sum(axis=1)
        denominator = self.rows[:, batch_columns.COL_SUM + batch_columns.FACT_INDEX[unit]]
        own = paired_estimate.compute_rate(counts, denominator, is_proportion=share)
        unit_se = self._unit_se([self._ratio_sums(fact, unit) for fact in facts])
        # As for other metrics, the number of effective batches depends on the number of units.
        return replace(own, effective_batches=batches.effective_batches(self.rows), unit_se=unit_se)

    @property
    def n_matches(self) -> int:
        """Number of matches played."""
        return int(self._total[batch_columns.COL_SUM + batch_columns.FACT_INDEX["matches"]])

    @property
    def _total(self) -> np.ndarray:
        return batches.sum_rows(self.rows)

    def _ratio_sums(self, fact: str, unit: str) -> RatioSums:
        """Return the sums of a fact and of its denominator if each unit is one match."""
        total, numerator_index, denominator_index = (
            self._total,
            batch_columns.FACT_INDEX[fact],
            batch_columns.FACT_INDEX[unit],
        )
        cross = batch_columns.COL_SUM if unit == "matches" else batch_columns.COL_CROSS
        return RatioSums(
            numerator=int(total[batch_columns.COL_SUM + numerator_index]),
            numerator_square=int(total[batch_columns.COL_SQUARE + numerator_index]),
            denominator=int(total[batch_columns.COL_SUM + denominator_index]),
            denominator_square=int(total[batch_columns.COL_SQUARE + denominator_index]),
            cross=int(total[cross + numerator_index]),
            is_in_every_unit=True,
        )

    def _unit_se(self, ratios: Sequence[RatioSums]) -> float:
        """Return the standard error of a sum of ratios, computed over single matches.

        Every deal has only one ending, so the covariance of two endings is minus the product of
        their proportions per deal.
        """
        units = int(self._total[batch_columns.COL_UNITS])
        estimates = [estimate_ratio(units, ratio) for ratio in ratios]
        values = np.array([estimate.value for estimate in estimates])
        covariance = (values.sum() ** 2 - values @ values) / ratios[0].denominator
        return float(np.sqrt(sum(estimate.se**2 for estimate in estimates) - covariance))


@dataclass(frozen=True)
class ScorecardRow:
    """Row of the scorecard.

    Attributes:
        key: Name of the metric in output files.
        title: Name shown to users.
        measure: Function that computes the value.
        digits: Number of decimals.
        unit: Unit printed after a value.
        more: Word for a higher value, such as "longer".
        less: Word for a lower value, such as "shorter".
        factor: Factor by which values are multiplied for display, 100 for percentages.
        fixed_bounds: Minimum differences that are called "a little" and "much", or None to derive
            them from the standard deviation of a match.
        goal_names: Names that goals can use, in addition to the title.
        meaning: Explanation, for rows that need more than a title.
        is_training_independent: True if training the player for the rules would hardly change the
            value.
    """

    key: str
    title: str
    measure: Callable[[MatchupStats], Measurement]
    digits: int = 0
    unit: str = ""
    more: str = "more"
    less: str = "less"
    factor: float = 1
    fixed_bounds: tuple[float, float] | None = None
    goal_names: tuple[str, ...] = ()
    meaning: str = ""
    is_training_independent: bool = False

    def effect_bounds(self, baseline: PairedEstimate, n_matches: int) -> tuple[float, float]:
        """Return the minimum differences that are called "a little" and "much".

        The bound for "much" is the standard error of the difference between rule sets with
        MATCHES_PER_EVENING matches each, estimated from the baseline. The bound for "a little" uses
        EVENINGS times as many matches. If the true difference is one standard error, its sign is
        observed correctly with probability 5/6.

        Args:
            baseline: Value under the baseline.
            n_matches: Number of matches from which `baseline` was computed.
        """
        if self.fixed_bounds is not None:
            return self.fixed_bounds
        se = baseline.se if np.isnan(baseline.unit_se) else baseline.unit_se
        per_match = se * np.sqrt(n_matches)
        much = float(per_match * np.sqrt(2 / MATCHES_PER_EVENING))
        return much / np.sqrt(EVENINGS), much

    def format_value(self, value: float) -> str:
        """Return a value with its unit."""
        return f"{value * self.factor:.{self.digits}f}{self.unit}"

    def format_change(self, change: float) -> str:
        """Format the difference between two values with a sign and no unit."""
        rounded = round(change * self.factor, self.digits)
        return f"{rounded:+.{self.digits}f}" if rounded else "0"

    def format_interval(self, number: PairedEstimate) -> str:
        """Return the half-width of the confidence interval, without a unit."""
        half_width, digits = self._half_width(number)
        return f"± {half_width:.{digits}f}"

    def format_difference(self, difference: PairedEstimate) -> str:
        """Return a difference and the half-width of its interval, with the unit of percentages."""
        half_width, digits = self._half_width(difference)
        change = replace(self, digits=digits).format_change(difference.value)
        unit = " points" if self.unit == PERCENT_SIGN else ""
        return f"{change} ± {half_width:.{digits}f}{unit}"

    def _half_width(self, number: PairedEstimate) -> tuple[float, int]:
        """Return the half-width of the confidence interval and its number of decimals."""
        low, high = (limit * self.factor for limit in number.interval)
        half_width = (high - low) / 2
        return half_width, max(self.digits, 1 if half_width >= 0.05 else 2)


def effect_size(difference: PairedEstimate, bounds: tuple[float, float]) -> str:
    """Return the effect size of a difference: SAME, LITTLE, MUCH or UNCLEAR.

    The result is SAME if the whole interval is within the bound for LITTLE. If the interval
    includes both SAME and a larger effect, the result is UNCLEAR. If the interval includes LITTLE
    and MUCH, the result is LITTLE.
    """
    little, much = bounds
    low, high = difference.interval
    if np.isnan(low + high + little):
        return UNCLEAR
    if -little <= low and high <= little:
        return SAME
    smallest = max(low, -high)
    if smallest >= much:
        return MUCH
    return LITTLE if smallest >= little else UNCLEAR


def effect_size_range(size: str, bounds: tuple[float, float], interval: tuple[float, float]) -> str:
    """Return an effect size, or the sizes that an unclear interval with one direction includes.

    The direction is the sign of the difference. The result is UNCLEAR if the interval includes
    effects in both directions, or if there is no interval.

    Args:
        size: Effect size (see `effect_size`).
        bounds: Minimum differences that are called "a little" and "much".
        interval: Confidence interval of the difference.
    """
    little, much = bounds
    low, high = interval
    if size != UNCLEAR or not max(low, -high) >= -little:
        return size
    return f"at most {LITTLE}" if max(high, -low) < much else f"{SAME} to {MUCH}"


def is_tenfold(
    value: PairedEstimate, reference: PairedEstimate, row: ScorecardRow, error_rate: float = ALPHA
) -> bool:
    """Return True if a percentage differs significantly by a factor of ten or more."""
    if row.unit != PERCENT_SIGN:
        return False
    growth, decline = (
        replace(difference, error_rate=error_rate)
        for difference in (value - reference.rescale(TENFOLD), value.rescale(TENFOLD) - reference)
    )
    return growth.interval[0] >= 0 or decline.interval[1] <= 0


# Measures


def _ending_rate(*endings: str) -> Callable[[MatchupStats], Measurement]:
    return lambda played: played.per_unit("deals", *endings, share=True)


def _metric_of(metric: str) -> Callable[[MatchupStats], Measurement]:
    return lambda played: played.metric(metric)


def _match_turns(played: MatchupStats) -> PairedEstimate:
    return played.per_unit("matches", "turns")


def _draws(played: MatchupStats) -> PairedEstimate:
    return played.per_unit("deals", "a_draws")


def _median_knock(axis: int) -> Callable[[MatchupStats], Measurement]:
    """Return a function that computes the median turn (axis 1) or deadwood (axis 2) of knocks."""
    squares = {1: "turn_squares", 2: "deadwood_squares"}[axis]

    def measure(played: MatchupStats) -> Measurement:
        if "knocks" not in played.match_course:
            return "its matches were not recorded"
        knocks = played.match_course["knocks"].sum(axis=3 - axis)
        return (
            match_course.grouped_median(knocks, played.match_course[squares])
            if knocks.any()
            else NO_KNOCK
        )

    return measure


def _comeback_rate(played: MatchupStats) -> Measurement:
    if "leads" not in played.match_course:
        return NO_SCORE
    matches, comebacks = played.match_course["leads"].T
    return _with_binomial_se(paired_estimate.compute_rate(comebacks, matches, is_proportion=True))


def _with_binomial_se(share: PairedEstimate) -> PairedEstimate:
    """Return a proportion of matches with its binomial standard error."""
    return replace(share, unit_se=float(np.sqrt(share.value * (1 - share.value) / share.n)))


def _shutout_rate(played: MatchupStats) -> Measurement:
    return played.metric("loser_zero") if "leads" in played.match_course else NO_SCORE


# differences that players notice over years but not in one evening
_PROPORTION_BOUNDS = (0.01, 0.03)
SKILL_BOUNDS = (0.02, 0.06)
_LENGTH_WORDS: dict[str, Any] = {"more": "longer", "less": "shorter"}
_PERCENT_FORMAT: dict[str, Any] = {"unit": PERCENT_SIGN, "factor": 100}
TURNS_ROW = ScorecardRow(
    "turns_per_match",
    "Turns per match",
    _match_turns,
    **_LENGTH_WORDS,
    goal_names=("turns per match",),
)
GIN_ROW = ScorecardRow(
    *("gin", "Deals ending in gin", _ending_rate("gin", "big_gin", "shot")),
    **_PERCENT_FORMAT,
    goal_names=("gin",),
    meaning="percentage of all deals",
)
DEALS_ROW = ScorecardRow(
    *("deals_per_match", "Deals per match", _metric_of("deals_per_match"), 1),
    less="fewer",
    goal_names=("deals per match",),
)


def minutes_row(seconds_per_turn: float) -> ScorecardRow:
    """Return the scorecard row for the duration of a match in minutes."""
    return ScorecardRow(
        "minutes",
        "Minutes per match",
        lambda played: _match_turns(played).rescale(seconds_per_turn / 60),
        **_LENGTH_WORDS,
        goal_names=("minutes", "minutes per match"),
        meaning=f"duration of a match at {seconds_per_turn:g} s per turn",
    )


TWO_PLAYER_ROWS = (
    TURNS_ROW,
    DEALS_ROW,
    ScorecardRow(
        "turns",
        "Turns per deal",
        _metric_of("turns"),
        1,
        **_LENGTH_WORDS,
        goal_names=("turns per deal",),
    ),
    GIN_ROW,
    ScorecardRow(
        *("knock_turn", "Median turn of knocks", _median_knock(1), 1),
        more="later",
        less="earlier",
        goal_names=("knock turn",),
        meaning="median number of turns that the knocker has taken",
    ),
    ScorecardRow(
        *("knock_deadwood", "Median deadwood of knocks", _median_knock(2), 1),
        goal_names=("knock deadwood",),
    ),
    ScorecardRow(
        *("dead", "Dead hands", _ending_rate("void", "stalled"), 1),
        less="fewer",
        **_PERCENT_FORMAT,
        goal_names=("dead hands",),
        meaning="percentage of all deals",
    ),
    ScorecardRow(
        *("seat", "Deals won by nondealer", _metric_of("first_player_win"), 1),
        **_PERCENT_FORMAT,
        fixed_bounds=_PROPORTION_BOUNDS,
        goal_names=("nondealer", "seats"),
        meaning="percentage of the deals with a winner",
    ),
    ScorecardRow(
        *("comebacks", "Comebacks", _comeback_rate),
        **_PERCENT_FORMAT,
        goal_names=("comebacks",),
        meaning="percentage of all matches that are won by the side that was behind when its "
        "opponent first reached half of the target",
        is_training_independent=True,
    ),
    ScorecardRow(
        *("shut_out", "Shut-outs", _shutout_rate),
        less="fewer",
        **_PERCENT_FORMAT,
        goal_names=("shut-outs", "shutouts"),
        meaning="percentage of the matches with a winner in which the loser scores nothing",
    ),
)
SOLO_ROWS = (
    ScorecardRow(
        "win",
        "Deals won",
        _metric_of("win"),
        1,
        **_PERCENT_FORMAT,
        fixed_bounds=_PROPORTION_BOUNDS,
        goal_names=("deals won",),
    ),
    ScorecardRow("score", "Score per deal", _metric_of("score"), 1, goal_names=("score",)),
    ScorecardRow(
        *("match_win", "Matches won", _metric_of("match_win"), 1),
        **_PERCENT_FORMAT,
        fixed_bounds=_PROPORTION_BOUNDS,
        goal_names=("matches won",),
    ),
    GIN_ROW,
    ScorecardRow(
        *("draws", "Draws per deal", _draws, 1),
        **_LENGTH_WORDS,
        goal_names=("draws per deal",),
        meaning="number of draws per deal, including the draw of the joker",
    ),
    DEALS_ROW,
)
# Titles and meanings of the rows that compare players
GIN_VS_KNOCK_TITLE = "Playing for gin v knocking"
MATCHUP_MEANINGS = {
    GIN_VS_KNOCK_TITLE: "percentage of matches won by the player who plays for gin against "
    "the player who knocks immediately",
    "Skill: strong v weaker players": "percentage of matches that the strong player wins against "
    "each weaker player type",
}
SOLO_MEANINGS = {
    "Skill (matches won): strong v naive player": "difference between the strong player and the "
    "naive player, in percentage points"
}


def scorecard_rows(
    params: Mapping[str, object], seconds_per_turn: float
) -> tuple[ScorecardRow, ...]:
    """Return the scorecard rows for a variant with the given parameters."""
    if params["players"] == 2:
        first, *others = TWO_PLAYER_ROWS
        return (first, minutes_row(seconds_per_turn), *others)
    left_out = set()
    if params["deal_scoring"] == "penalty":
        left_out |= {"win"}
    if params["goal"] == "single":
        left_out |= {"match_win", "deals_per_match"}
    return tuple(row for row in SOLO_ROWS if row.key not in left_out)


def skill_title(is_solo: bool) -> str:
    """Return the title of the skill row, the last title in MATCHUP_MEANINGS or SOLO_MEANINGS."""
    return list(SOLO_MEANINGS if is_solo else MATCHUP_MEANINGS)[-1]


# Goals


MET, MISSED, UNDECIDED = "met", "missed", "undecided"
_NUMBER_PATTERN = r"[-+]?\d+(?:\.\d+)?"
_GOAL_PATTERN = re.compile(
    rf"(?P<name>[a-z][a-z \-]*?)\s*"
    rf"(?:(?P<low>{_NUMBER_PATTERN})\s*\.\.\s*(?P<high>{_NUMBER_PATTERN})"
    rf"|(?:<=?|at most|under)\s*(?P<most>{_NUMBER_PATTERN})"
    rf"|(?:>=?|at least|over)\s*(?P<least>{_NUMBER_PATTERN}))"
    rf"\s*%?"
)


@dataclass(frozen=True)
class DesignGoal:
    """Row of the scorecard, with lower and upper limits for its displayed value."""

    row: ScorecardRow
    low: float
    high: float
    text: str

    def evaluate(self, value: object) -> str:
        """Return MET, MISSED or UNDECIDED, depending on the confidence interval of a value."""
        if not isinstance(value, PairedEstimate):
            return UNDECIDED
        low, high = (limit * self.row.factor for limit in value.interval)
        if math.isnan(low + high):
            return UNDECIDED
        if self.low <= low and high <= self.high:
            return MET
        return MISSED if high < self.low or low > self.high else UNDECIDED


def parse_goals(texts: Sequence[str], rows: Sequence[ScorecardRow]) -> list[DesignGoal]:
    """Parse design goals. Each string can contain several goals separated by commas.

    Raises:
        ReviewError: If a goal is not valid.
    """
    parts = [part.strip() for text in texts for part in text.split(",")]
    return [_parse_goal(part, rows) for part in parts if part]


def _parse_goal(text: str, rows: Sequence[ScorecardRow]) -> DesignGoal:
    match = _GOAL_PATTERN.fullmatch(" ".join(text.lower().split()))
    if not match:
        raise ReviewError(
            f"{format_value(text)} is not a valid goal. Use a goal such as `turns per match "
            "100..140`, `gin 40..50 %` or `dead hands < 5 %`."
        )
    names = {
        name: row
        for row in rows
        for name in (row.key.replace("_", " "), row.title.lower(), *row.goal_names)
    }
    name = " ".join(match["name"].split())
    if name not in names:
        near = did_you_mean(name, names)
        known = ", ".join(row.goal_names[0] if row.goal_names else row.key for row in rows)
        valid = f" Valid names: {known}." if near == "." else ""
        raise ReviewError(f"the scorecard has no row {format_value(name)}{near}{valid}")
    low = match["low"] or match["least"] or "-inf"
    high = match["high"] or match["most"] or "inf"
    if float(low) > float(high):
        raise ReviewError(
            f"in the goal {format_value(text)}, the lower limit is greater than the upper limit. "
            "Swap the limits."
        )
    return DesignGoal(names[name], float(low), float(high), text)
