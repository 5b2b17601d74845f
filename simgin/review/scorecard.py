"""Scorecard of a review: the metrics of a rule set and effect sizes.

Each value applies to one player type. The scorecard of a rule set shows the values for the strong
player. Effect sizes classify differences by the number of evenings after which players would notice
them: one evening under each rule set for *much*, and ten evenings for *a little* (see
`ScorecardRow.compute_effect_bounds`).
"""

import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import batch_columns
from simgin.review import match_course
from simgin.review.review_request import ReviewError
from simgin.stats import batches, metrics, paired_estimate
from simgin.stats.estimate import ALPHA, RatioSums, estimate_metric, estimate_ratio
from simgin.stats.paired_estimate import PairedEstimate
from simgin.text.messages import format_value, suggest_spelling

# number of matches per evening, and number of evenings for a small effect
MATCHES_PER_EVENING, EVENINGS_FOR_SMALL_EFFECT = 5, 10
LARGE_CHANGE_FACTOR = 10  # factor above which even a small change in a percentage is "much"
PERCENT_SIGN = " %"  # unit of percentages
NO_KNOCK_REASON = "only gin ends a deal"
NO_SCORE_REASON = "the match has no single score"
NOT_RECORDED_REASON = "its matches were not recorded"
STALLED_ROW_KEY = "stalled"  # key of the row with the deals that simgin stops at the turn limit
# Effect sizes
NO_EFFECT, SMALL_EFFECT, LARGE_EFFECT, UNCLEAR_EFFECT = "same", "a little", "much", "inconclusive"

Measurement = PairedEstimate | str  # a string states the reason for a missing value


@dataclass(frozen=True, eq=False)
class MatchupStats:
    """Statistics of a player under a variant, against itself or in a solitaire game.

    Attributes:
        batch_rows: Batch rows, (n_batches, batch_columns.N_COLUMNS) int64.
        event_counts: Counts from `simgin.review.match_course.count_match_events`, or an empty
            mapping.
    """

    batch_rows: np.ndarray
    event_counts: Mapping[str, np.ndarray]

    def estimate_metric(self, metric_name: str) -> PairedEstimate:
        """Estimate a metric over all matches."""
        metric = metrics.METRICS_BY_NAME[metric_name]
        ratio = paired_estimate.estimate_metric_by_batch(self.batch_rows, metric)
        return replace(ratio, unit_se=estimate_metric(self._column_sums, metric).se)

    def estimate_per_unit(
        self, unit: str, *statistic_names: str, is_proportion: bool = False
    ) -> PairedEstimate:
        """Estimate the sum of statistics per unit, such as turns per match."""
        columns = [
            batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX[statistic]
            for statistic in statistic_names
        ]
        counts = self.batch_rows[:, columns].sum(axis=1)
        denominator = self.batch_rows[
            :, batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX[unit]
        ]
        rate = paired_estimate.estimate_rate(counts, denominator, is_proportion=is_proportion)
        unit_se = self._compute_se_of_ratio_sum(
            [self._make_ratio_sums(statistic, unit) for statistic in statistic_names]
        )
        # The effective number of batches depends on the number of units, as for other metrics.
        n_effective = batches.count_effective_batches(self.batch_rows)
        return replace(rate, effective_batches=n_effective, unit_se=unit_se)

    @property
    def n_matches(self) -> int:
        """Number of matches played."""
        return int(
            self._column_sums[batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX["matches"]]
        )

    @property
    def _column_sums(self) -> np.ndarray:
        """Sums of the columns of all batch rows."""
        return batches.sum_rows(self.batch_rows)

    def _make_ratio_sums(self, statistic: str, unit: str) -> RatioSums:
        """Return the sums that determine the ratio of a statistic to its unit."""
        total = self._column_sums
        numerator_index, index = (batch_columns.STATISTIC_INDEX[x] for x in (statistic, unit))
        column = batch_columns.SUMS_START if unit == "matches" else batch_columns.PRODUCTS_START
        return RatioSums(
            numerator=int(total[batch_columns.SUMS_START + numerator_index]),
            numerator_square_sum=int(total[batch_columns.SQUARES_START + numerator_index]),
            denominator=int(total[batch_columns.SUMS_START + index]),
            denominator_square_sum=int(total[batch_columns.SQUARES_START + index]),
            product_sum=int(total[column + numerator_index]),
            has_positive_denominators=True,
        )

    def _compute_se_of_ratio_sum(self, ratios: Sequence[RatioSums]) -> float:
        """Return the standard error of a sum of ratios, with matches as observations.

        Every deal has only one ending, so the covariance of two endings is minus the product of
        their proportions of deals.
        """
        n_units = int(self._column_sums[batch_columns.UNITS_COLUMN])
        estimates = [estimate_ratio(n_units, ratio) for ratio in ratios]
        values = np.array([estimate.value for estimate in estimates])
        covariance = (values.sum() ** 2 - values @ values) / ratios[0].denominator
        return float(np.sqrt(sum(estimate.se**2 for estimate in estimates) - covariance))


@dataclass(frozen=True)
class ScorecardRow:
    """Row of the scorecard, with its metric, number format and effect sizes.

    Attributes:
        key: Name of the metric in output files.
        title: Title shown to users.
        measure: Function that computes the value.
        digits: Number of decimals.
        unit: Unit that is printed after a value.
        more_word: Word for a higher value, such as "longer".
        less_word: Word for a lower value, such as "shorter".
        display_factor: Factor that converts values to displayed values: 100 for percentages.
        fixed_effect_bounds: Minimum absolute differences for "a little" and "much". If None, they
            are derived from the standard deviation of a match.
        goal_names: Names that can be used in goals in addition to the title.
        meaning: Explanation of the row, or empty if the title is sufficient.
        is_training_independent: True if training the player for the rules would hardly change the
            value.
    """

    key: str
    title: str
    measure: Callable[[MatchupStats], Measurement]
    digits: int = 0
    unit: str = ""
    more_word: str = "more"
    less_word: str = "less"
    display_factor: float = 1
    fixed_effect_bounds: tuple[float, float] | None = None
    goal_names: tuple[str, ...] = ()
    meaning: str = ""
    is_training_independent: bool = False

    def compute_effect_bounds(
        self, baseline: PairedEstimate, n_matches: int
    ) -> tuple[float, float]:
        """Return the minimum absolute differences for "a little" and for "much".

        The bound for "much" is the standard error of the difference between two rule sets with
        MATCHES_PER_EVENING matches each. The standard error is estimated from the baseline. The
        bound for "a little" is the standard error with EVENINGS_FOR_SMALL_EFFECT times as many
        matches. If the true difference is one standard error, the observed difference has the
        correct sign with probability 5/6.

        Args:
            baseline: Estimate under the baseline.
            n_matches: Number of matches on which `baseline` is based.
        """
        if self.fixed_effect_bounds is not None:
            return self.fixed_effect_bounds
        se = baseline.se if np.isnan(baseline.unit_se) else baseline.unit_se
        sd_per_match = se * np.sqrt(n_matches)
        much_bound = float(sd_per_match * np.sqrt(2 / MATCHES_PER_EVENING))
        return much_bound / np.sqrt(EVENINGS_FOR_SMALL_EFFECT), much_bound

    def format_value(self, value: float) -> str:
        """Format a value with its unit."""
        return f"{value * self.display_factor:.{self.digits}f}{self.unit}"

    def format_change(self, change: float) -> str:
        """Format a difference between two values, with a sign and without a unit."""
        rounded_change = round(change * self.display_factor, self.digits)
        return f"{rounded_change:+.{self.digits}f}" if rounded_change else "0"

    def format_half_width(self, estimate: PairedEstimate) -> str:
        """Format the half-width of a confidence interval, without a unit."""
        half_width, digits = self._compute_half_width(estimate)
        return f"± {half_width:.{digits}f}"

    def format_difference(self, difference: PairedEstimate) -> str:
        """Format a difference with the half-width of its interval, and a unit for percentages."""
        half_width, digits = self._compute_half_width(difference)
        change = replace(self, digits=digits).format_change(difference.value)
        unit = " percentage points" if self.unit == PERCENT_SIGN else ""
        return f"{change} ± {half_width:.{digits}f}{unit}"

    def _compute_half_width(self, estimate: PairedEstimate) -> tuple[float, int]:
        """Return the half-width of a confidence interval and its number of decimals."""
        low, high = (bound * self.display_factor for bound in estimate.interval)
        half_width = (high - low) / 2
        return half_width, max(self.digits, 1 if half_width >= 0.05 else 2)


def classify_effect_size(difference: PairedEstimate, bounds: tuple[float, float]) -> str:
    """Return the effect size of a difference: NO_, SMALL_, LARGE_ or UNCLEAR_EFFECT.

    If the whole interval is within the bounds for SMALL_EFFECT, the result is NO_EFFECT. If the
    interval includes both NO_EFFECT and a larger effect, the result is UNCLEAR_EFFECT. If the
    interval includes SMALL_EFFECT and LARGE_EFFECT, the result is SMALL_EFFECT.
    """
    little_bound, much_bound = bounds
    low, high = difference.interval
    if np.isnan(low + high + little_bound):
        return UNCLEAR_EFFECT
    if -little_bound <= low and high <= little_bound:
        return NO_EFFECT
    min_effect = max(low, -high)
    if min_effect >= much_bound:
        return LARGE_EFFECT
    return SMALL_EFFECT if min_effect >= little_bound else UNCLEAR_EFFECT


def format_effect_size(
    size: str, bounds: tuple[float, float], interval: tuple[float, float]
) -> str:
    """Format an effect size, or the range of possible sizes if it is unclear.

    The direction of an effect is the sign of the difference. If the interval includes effects in
    both directions or does not exist, the result is UNCLEAR_EFFECT.

    Args:
        size: Effect size returned by `classify_effect_size`.
        bounds: Minimum absolute differences for "a little" and "much".
        interval: Confidence interval of the difference.
    """
    little_bound, much_bound = bounds
    low, high = interval
    if size != UNCLEAR_EFFECT or not max(low, -high) >= -little_bound:
        return size
    return (
        f"at most {SMALL_EFFECT}"
        if max(high, -low) < much_bound
        else f"{NO_EFFECT} to {LARGE_EFFECT}"
    )


def is_tenfold_change(
    value: PairedEstimate, reference: PairedEstimate, row: ScorecardRow, error_rate: float = ALPHA
) -> bool:
    """Return True if a percentage changes significantly by a factor of ten or more."""
    if row.unit != PERCENT_SIGN:
        return False
    increase = replace(value - reference.rescale(LARGE_CHANGE_FACTOR), error_rate=error_rate)
    decrease = replace(value.rescale(LARGE_CHANGE_FACTOR) - reference, error_rate=error_rate)
    return increase.interval[0] >= 0 or decrease.interval[1] <= 0


# Functions that compute scorecard values


def _make_ending_rate_estimator(*endings: str) -> Callable[[MatchupStats], Measurement]:
    """Return a function that estimates the proportion of deals with certain endings."""
    return lambda stats: stats.estimate_per_unit("deals", *endings, is_proportion=True)


def _make_metric_estimator(metric: str) -> Callable[[MatchupStats], Measurement]:
    """Return a function that estimates a metric of a player."""
    return lambda stats: stats.estimate_metric(metric)


def _estimate_turns_per_match(stats: MatchupStats) -> PairedEstimate:
    """Estimate the number of turns per match."""
    return stats.estimate_per_unit("matches", "turns")


def _make_knock_median_estimator(axis: int) -> Callable[[MatchupStats], Measurement]:
    """Return a function that estimates the median turn (1) or deadwood (2) of knocks."""
    squares_key = {1: "turn_squares", 2: "deadwood_squares"}[axis]

    def estimate_median(stats: MatchupStats) -> Measurement:
        if "knocks" not in stats.event_counts:
            return NOT_RECORDED_REASON
        knocks = stats.event_counts["knocks"].sum(axis=3 - axis)
        if not knocks.any():
            return NO_KNOCK_REASON
        return match_course.estimate_grouped_median(knocks, stats.event_counts[squares_key])

    return estimate_median


def _estimate_comeback_rate(stats: MatchupStats) -> Measurement:
    """Estimate the proportion of matches that end with a comeback."""
    if "leads" not in stats.event_counts:
        return _explain_missing_score(stats)
    matches, comebacks = stats.event_counts["leads"].T
    rate = paired_estimate.estimate_rate(comebacks, matches)
    return replace(rate, unit_se=float(np.sqrt(rate.value * (1 - rate.value) / rate.n)))


def _estimate_shutout_rate(stats: MatchupStats) -> Measurement:
    """Estimate the proportion of decided matches in which the loser scores no points."""
    if "leads" not in stats.event_counts:
        return _explain_missing_score(stats)
    return stats.estimate_metric("loser_zero")


def _explain_missing_score(stats: MatchupStats) -> str:
    """Return the reason why matches have no scores."""
    return NO_SCORE_REASON if stats.event_counts else NOT_RECORDED_REASON


# differences that players notice over years but not in one evening
PROPORTION_EFFECT_BOUNDS = (0.01, 0.03)
SKILL_EFFECT_BOUNDS = (0.02, 0.06)


def estimate_knock_rate(stats: MatchupStats) -> PairedEstimate:
    """Estimate the proportion of deals that end with a knock."""
    return stats.estimate_per_unit("deals", "knock", "undercut", "even", is_proportion=True)


def make_minutes_row(seconds_per_turn: float) -> ScorecardRow:
    """Return the scorecard row for the duration of a match in minutes."""
    return ScorecardRow(
        "minutes",
        "Minutes per match",
        lambda stats: _estimate_turns_per_match(stats).rescale(seconds_per_turn / 60),
        more_word="longer",
        less_word="shorter",
        goal_names=("minutes", "minutes per match"),
        meaning=f"duration of a match at {seconds_per_turn:g} s per turn",
    )


_MEASURES: dict[str, Callable[[MatchupStats], Measurement]] = {
    "turns_per_match": _estimate_turns_per_match,
    "deals_per_match": _make_metric_estimator("deals_per_match"),
    "turns": _make_metric_estimator("turns"),
    "gin": _make_ending_rate_estimator("gin", "big_gin", "shot"),
    "knock_turn": _make_knock_median_estimator(1),
    "knock_deadwood": _make_knock_median_estimator(2),
    "dead": _make_ending_rate_estimator("void"),
    STALLED_ROW_KEY: _make_ending_rate_estimator("stalled"),
    "seat": _make_metric_estimator("first_player_win"),
    "comebacks": _estimate_comeback_rate,
    "shut_out": _estimate_shutout_rate,
    "win": _make_metric_estimator("win"),
    "score": _make_metric_estimator("score"),
    "match_win": _make_metric_estimator("match_win"),
    "draws": lambda stats: stats.estimate_per_unit("deals", "a_draws"),
}


def _make_row(key: str, table: dict[str, Any]) -> ScorecardRow:
    """Return the row that a table of scorecard.toml describes."""
    if table.pop("is_percentage", False):
        table |= {"unit": PERCENT_SIGN, "display_factor": 100}
    if table.pop("has_proportion_bounds", False):
        table["fixed_effect_bounds"] = PROPORTION_EFFECT_BOUNDS
    goal_names = tuple(table.pop("goal_names"))
    return ScorecardRow(key, measure=_MEASURES[key], goal_names=goal_names, **table)


_TABLES = tomllib.loads(Path(__file__).with_name("scorecard.toml").read_text(encoding="utf-8"))
_ROWS = {key: _make_row(key, table) for key, table in _TABLES["rows"].items()}
TWO_PLAYER_ROWS = tuple(_ROWS[key] for key in _TABLES["two_player"])
SOLO_ROWS = tuple(_ROWS[key] for key in _TABLES["solo"])
TURNS_ROW, GIN_ROW = _ROWS["turns_per_match"], _ROWS["gin"]
# titles and meanings of the rows that compare players
GIN_VS_KNOCK_TITLE = "Playing for gin v knocking"
COMPARISON_MEANINGS = {
    GIN_VS_KNOCK_TITLE: "percentage of matches won by the player who plays for gin against "
    "the player who knocks immediately",
    "Skill: strong v weaker players": "percentage of matches that the strong player wins against "
    "each weaker player type",
}
SOLO_COMPARISON_MEANINGS = {
    "Skill (matches won): strong v naive player": "difference between the strong player and the "
    "naive player, in percentage points"
}


def list_scorecard_rows(
    params: Mapping[str, object], seconds_per_turn: float
) -> tuple[ScorecardRow, ...]:
    """Return the scorecard rows for a variant with the rule parameters `params`."""
    if params["players"] == 2:
        first_row, *other_rows = TWO_PLAYER_ROWS
        return (first_row, make_minutes_row(seconds_per_turn), *other_rows)
    excluded_keys = set()
    if params["deal_scoring"] == "penalty":
        excluded_keys |= {"win"}
    if params["goal"] == "single":
        excluded_keys |= {"match_win", "deals_per_match"}
    return tuple(row for row in SOLO_ROWS if row.key not in excluded_keys)


def choose_skill_title(is_solo: bool) -> str:
    """Return the title of the scorecard row about skill."""
    return list(SOLO_COMPARISON_MEANINGS if is_solo else COMPARISON_MEANINGS)[-1]


# Goals


GOAL_MET, GOAL_MISSED, GOAL_UNDECIDED = "met", "missed", "undecided"
_NUMBER_PATTERN = r"[-+]?\d+(?:\.\d+)?"
_GOAL_PATTERN = re.compile(
    rf"(?P<name>[a-z][a-z \-]*?)\s*"
    rf"(?:(?P<low>{_NUMBER_PATTERN})\s*\.\.\s*(?P<high>{_NUMBER_PATTERN})"
    rf"|(?:<=?|at most|under)\s*(?P<most>{_NUMBER_PATTERN})"
    rf"|(?:>=?|at least|over)\s*(?P<least>{_NUMBER_PATTERN}))"
    rf"\s*(?P<percent>%?)"
)


@dataclass(frozen=True)
class DesignGoal:
    """Limits that the user sets for a value in the scorecard."""

    row: ScorecardRow
    min_value: float
    max_value: float
    text: str

    def evaluate(self, value: object) -> str:
        """Return GOAL_MET, GOAL_MISSED or GOAL_UNDECIDED for an estimate."""
        if not isinstance(value, PairedEstimate):
            return GOAL_UNDECIDED
        low, high = (bound * self.row.display_factor for bound in value.interval)
        if math.isnan(low + high):
            return GOAL_UNDECIDED
        if self.min_value <= low and high <= self.max_value:
            return GOAL_MET
        return GOAL_MISSED if high < self.min_value or low > self.max_value else GOAL_UNDECIDED


def parse_goals(goal_lists: Sequence[str], rows: Sequence[ScorecardRow]) -> list[DesignGoal]:
    """Parse strings that contain one or more design goals, separated by commas.

    Raises:
        ReviewError: If a goal is not valid.
    """
    goal_texts = [goal_text.strip() for text in goal_lists for goal_text in text.split(",")]
    return [_parse_goal(goal_text, rows) for goal_text in goal_texts if goal_text]


def _parse_goal(goal_text: str, rows: Sequence[ScorecardRow]) -> DesignGoal:
    """Parse a design goal, such as `gin 40..50 %`."""
    match = _GOAL_PATTERN.fullmatch(" ".join(goal_text.lower().split()))
    if not match:
        raise ReviewError(
            f"{format_value(goal_text)} is not a valid goal. Use a goal such as `turns per match "
            "100..140`, `gin 40..50 %` or `dead hands < 5 %`."
        )
    row_by_name = {name: row for row in rows for name in (row.title.lower(), *row.goal_names)}
    name = " ".join(match["name"].split())
    if name not in row_by_name:
        suggestion = suggest_spelling(name, row_by_name)
        known_names_text = ", ".join((*row.goal_names, row.title.lower())[0] for row in rows)
        valid_names = f" Valid names: {known_names_text}." if suggestion == "." else ""
        raise ReviewError(f"the scorecard has no row {format_value(name)}{suggestion}{valid_names}")
    low = match["low"] or match["least"] or "-inf"
    high = match["high"] or match["most"] or "inf"
    if float(low) > float(high):
        raise ReviewError(
            f"in the goal {format_value(goal_text)}, the lower limit is greater than the upper "
            "limit. Swap the limits."
        )
    goal = DesignGoal(row_by_name[name], float(low), float(high), goal_text)
    _check_goal_unit(goal, bool(match["percent"]))
    return goal


def _check_goal_unit(goal: DesignGoal, has_percent_sign: bool) -> None:
    """Raise ReviewError if the limits of a goal do not fit the unit of its row."""
    is_percentage = goal.row.unit == PERCENT_SIGN
    if has_percent_sign and not is_percentage:
        raise ReviewError(
            f"the goal {format_value(goal.text)} has a % sign, but the row {goal.row.title} is not "
            "a percentage. Omit the % sign."
        )
    if is_percentage and (goal.min_value > 100 or goal.max_value < 0):
        raise ReviewError(
            f"the goal {format_value(goal.text)} cannot be met, because percentages are between 0 "
            "and 100."
        )
    limits = goal.min_value, goal.max_value
    if is_percentage and not has_percent_sign and any(0 < limit < 1 for limit in limits):
        raise ReviewError(
            f"the goal {format_value(goal.text)} could mean proportions or percentages. Write "
            "percentages with a % sign."
        )
