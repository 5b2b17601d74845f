"""Stopping rules, which stop a run at a target precision or with a sequential test.

A rule examines the results after every batch. The multiplier of the rule widens all intervals of
the run, so that they are valid at any stopping time. simgin never prints ordinary intervals after
optional stopping (docs/explanation/statistics.md#optional-stopping).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import batch_columns
from simgin.play.matchup import Matchup
from simgin.stats import estimate, metrics
from simgin.stats.estimate import estimate_metric
from simgin.text.amounts import UNIT_PLURALS
from simgin.text.messages import SimginError

# Standard deviations that are assumed in plans, for the mean of a mirrored pair (True) and for a
# single deal or match (False). They are rounded up from the standard deviations for gold and simple
# in the built-in variants. A wrong standard deviation makes intervals wider but not invalid. If the
# planned number of units is wrong by a factor of 4, the multiplier is 1.67 instead of 1.55.
NOMINAL_PROPORTION_SD = {True: 0.35, False: 0.5}
NOMINAL_SD_BY_METRIC = {
    "deal_win": {True: 0.3, False: 0.5},
    "margin": {True: 12.0, False: 24.0},
    "score": {True: 24.0, False: 24.0},
    "match_margin": {True: 60.0, False: 65.0},
}


MIN_PAIRS = 100  # number of pairs before the first evaluation of a sequential test
# count that is assumed for an empty category, so that its probability is positive
MIN_CATEGORY_COUNT = 1e-3
# possible pair scores, which are the bins of WIN_RATE_HISTOGRAM_START
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)

COMPLETE_TEXT = "complete"
UNREACHED_SUFFIX = ": not reached"  # follows the text of a stopping rule
SEQUENTIAL_TEST_NAME = "sequential test"  # start of the description of a sequential test
CONCLUSION_PREFIX = "A is "  # start of every conclusion of a sequential test
# subjects of sentences about each metric
METRIC_SUBJECTS = {
    "deal_win": "the percentage of deals won",
    "win": "the percentage of deals won",
    "match_win": "the percentage of matches won",
    "goal_met": "the percentage of matches in which the goal is met",
    "margin": "the mean number of points per deal",
    "score": "the mean score per deal",
    "match_margin": "the mean margin per match",
}


@dataclass(frozen=True)
class StopResult:
    """Number of units played in a matchup, and the reason for stopping."""

    units: int
    reason: str = COMPLETE_TEXT
    # half-width of the intervals in standard errors, or None if there is no stopping rule
    interval_multiplier: float | None = None


@dataclass(frozen=True)
class PrecisionRule:
    """Stopping rule that ends a run when the 95 % confidence sequence is narrow enough."""

    metric: str  # metric of strategy A
    half_width: float
    planned_units: int  # number of units at which the confidence sequence is narrowest
    limit_text: str = ""  # maximum size, such as " for at most 2,000 deals", if it sets the plan

    @property
    def text(self) -> str:
        """Description of the stopping rule."""
        subject = METRIC_SUBJECTS[self.metric]
        width = self._format_width(self.half_width)
        sequence_text = f"95 % confidence sequence{self.limit_text}"
        return f"stop when {subject} is known to within ± {width} ({sequence_text})"

    def _format_width(self, width: float) -> str:
        """Format the half-width of an interval with its unit."""
        metric = metrics.METRICS_BY_NAME[self.metric]
        return f"{metric.display_factor * width:.6g} {'percentage ' * metric.is_proportion}points"

    def compute_multiplier(self, units: int) -> float:
        """Return the half-width of all intervals of the run, in standard errors."""
        return estimate.compute_confidence_sequence_width(units, self.planned_units)

    def check_totals(self, totals: np.ndarray) -> str | None:
        """Return a sentence about the precision if it is sufficient, or None to continue.

        Args:
            totals: Exact sum of all batch rows so far, `(N_COLUMNS,) int64`.
        """
        units = int(totals[batch_columns.UNITS_COLUMN])
        definition = metrics.METRICS_BY_NAME[self.metric]
        if units < estimate.MIN_UNITS_BEFORE_FIRST_LOOK:
            return None
        metric_estimate = estimate_metric(
            totals, definition, critical_value=self.compute_multiplier(units)
        )
        half_width = (metric_estimate.high - metric_estimate.low) / 2
        if not half_width <= self.half_width:  # The condition is also True for NaN.
            return None
        reached_text = self._format_width(float(f"{half_width:.3g}"))
        target_text = self._format_width(self.half_width)
        subject = METRIC_SUBJECTS[self.metric]
        return f"{subject} is known to within ± {reached_text} (target: ± {target_text})."


@dataclass(frozen=True)
class SequentialTest:
    """Stopping rule that ends a run when a sequential test of pairs accepts a hypothesis.

    `elo0` (H0) and `elo1` (H1) are hypotheses about the strength of strategy A. Both hypotheses are
    Elo differences, which are computed from the mean pair score of A.
    """

    elo0: float
    elo1: float

    @property
    def text(self) -> str:
        """Description of the stopping rule."""
        return (
            f"{SEQUENTIAL_TEST_NAME} of Elo {self.elo0:g} (H0) against {self.elo1:g} (H1), "
            f"alpha {estimate.ALPHA:g}, beta {estimate.ALPHA:g}"
        )

    @property
    def planned_units(self) -> int:
        """Expected number of pairs if the strength is midway between the hypotheses.

        The expected number is the product of the bounds of the test, divided by the squared drift.
        """
        lower_bound, upper_bound = compute_sprt_bounds()
        score_difference = elo_to_score(self.elo1) - elo_to_score(self.elo0)
        n_pairs = math.ceil(
            -lower_bound * upper_bound * (NOMINAL_PROPORTION_SD[True] / score_difference) ** 2
        )
        return max(estimate.MIN_UNITS_BEFORE_FIRST_LOOK, n_pairs)

    def compute_multiplier(self, units: int) -> float:
        """Return the half-width of all intervals of the run, in standard errors."""
        return estimate.compute_confidence_sequence_width(units, self.planned_units)

    def compute_llr(self, totals: np.ndarray) -> float:
        """Compute the log-likelihood ratio of H1 to H0.

        Args:
            totals: Exact sum of the batch rows so far, `(N_COLUMNS,) int64`. Only the histogram of
                pair scores is used.
        """
        first_column = batch_columns.WIN_RATE_HISTOGRAM_START
        counts = totals[first_column : first_column + batch_columns.N_WIN_RATE_BINS]
        return compute_multinomial_llr(
            counts.tolist(), elo_to_score(self.elo0), elo_to_score(self.elo1)
        )

    @property
    def _h1_conclusion(self) -> str:
        """Conclusion if the test accepts H1, so that an Elo difference of `elo0` is unlikely."""
        if self.elo0 < 0:
            return f"{CONCLUSION_PREFIX}either stronger, or weaker by less than {-self.elo0:g} Elo"
        return (
            f"{CONCLUSION_PREFIX}more than {self.elo0:g} Elo stronger"
            if self.elo0
            else f"{CONCLUSION_PREFIX}stronger"
        )

    @property
    def _h0_conclusion(self) -> str:
        """Conclusion if the test accepts H0, so that an Elo difference of `elo1` is unlikely."""
        if self.elo1 > 0:
            return f"{CONCLUSION_PREFIX}either weaker, or stronger by less than {self.elo1:g} Elo"
        return (
            f"{CONCLUSION_PREFIX}more than {-self.elo1:g} Elo weaker"
            if self.elo1
            else f"{CONCLUSION_PREFIX}weaker"
        )

    def check_totals(self, totals: np.ndarray) -> str | None:
        """Return the conclusion if the test accepts a hypothesis, or None to continue.

        Args:
            totals: Exact sum of all batch rows so far, `(N_COLUMNS,) int64`.
        """
        n_pairs = int(totals[batch_columns.UNITS_COLUMN])
        if n_pairs < MIN_PAIRS:
            return None
        lower_bound, upper_bound = compute_sprt_bounds()
        llr = self.compute_llr(totals)
        if lower_bound < llr < upper_bound:
            return None
        verdict = self._h0_conclusion if llr <= lower_bound else self._h1_conclusion
        return (
            f"{verdict} (log likelihood ratio {llr:.2f} after {n_pairs:,} pairs). The estimated "
            "win rate is biased by the stopping rule."
        )


StoppingRule = PrecisionRule | SequentialTest


class StoppingError(SimginError):
    """Exception for a stopping rule that is not valid for a matchup."""


def make_precision_rule(half_width: str | float, matchup: Matchup, max_games: int) -> PrecisionRule:
    """Return a rule that stops a run when its intervals have a given half-width.

    If the maximum size is too small for the half-width, the confidence sequence is narrowest at the
    maximum. The rule then depends on the maximum, so `text`, which is part of the identity of the
    run, contains it.

    Args:
        half_width: String such as `0.1%` for the percentage of deals or matches won, or number of
            points per deal or match, as returned by `simgin.text.amounts`.
        matchup: Matchup to play.
        max_games: Maximum number of deals or matches.
    """
    is_percent = isinstance(half_width, str)
    metric = _choose_metric(matchup, is_percent=is_percent)
    width = float(str(half_width).removesuffix("%")) / (100 if is_percent else 1)
    sd = NOMINAL_SD_BY_METRIC.get(metric, NOMINAL_PROPORTION_SD)[matchup.is_mirrored]
    planned_units = estimate.compute_planned_sample_size(width, sd)
    max_units = max(estimate.MIN_UNITS_BEFORE_FIRST_LOOK, matchup.key.count_units(max_games))
    if planned_units <= max_units:
        return PrecisionRule(metric, width, planned_units)
    limit_text = f" for at most {max_games:,} {UNIT_PLURALS[matchup.unit]}"
    return PrecisionRule(metric, width, max_units, limit_text)


def make_sequential_test(elo0: float, elo1: float, matchup: Matchup) -> SequentialTest:
    """Return a sequential test of two hypotheses about an Elo difference.

    Args:
        elo0: Elo difference under H0.
        elo1: Elo difference under H1.
        matchup: Matchup to play.

    Raises:
        StoppingError: If the matchup is not played in pairs.
    """
    if not matchup.is_mirrored:
        raise StoppingError(
            f"`sprt` cannot test {matchup.title} because `sprt` requires two different strategies. "
            "Specify two strategies in a two-player variant."
        )
    return SequentialTest(elo0, elo1)


def _choose_metric(matchup: Matchup, *, is_percent: bool) -> str:
    """Return the metric for a target half-width in percent or in points."""
    if matchup.unit == metrics.DEAL:
        rate_metric, points_metric = metrics.select_headline_metrics(
            metrics.DEAL, len(matchup.players)
        )
        return rate_metric if is_percent else points_metric
    if not is_percent:
        return "match_margin"
    return "goal_met" if matchup.variant.goal.low_total_wins else "match_win"


# The sequential test


def elo_to_score(elo: float) -> float:
    """Return the expected score (0 to 1) of a player with an Elo lead of `elo` points.

    Returns:
        Expected score, 1 / (1 + 10^(-elo / 400)), between 0 and 1.
    """
    return float(1 / (1 + 10 ** (-elo / 400)))


def compute_sprt_bounds() -> tuple[float, float]:
    """Return Wald's lower and upper bound for the log-likelihood ratio.

    H0 is accepted at or below the lower bound, and H1 at or above the upper bound. If both error
    probabilities are at most ALPHA = 0.05, the bounds are -2.944 and 2.944.
    """
    upper_bound = math.log((1 - estimate.ALPHA) / estimate.ALPHA)
    return -upper_bound, upper_bound


def compute_multinomial_llr(counts: Sequence[int], mean0: float, mean1: float) -> float:
    """Compute the log-likelihood ratio of two hypotheses about the mean pair score.

    Each hypothesis is represented by the most likely distribution with the hypothesised mean
    (multinomial form of the generalised sequential probability ratio test).

    Args:
        counts: Numbers of pairs with a score of 0, 1/4, 1/2, 3/4 and 1, in this order.
        mean0: Mean score under H0, between 0 and 1.
        mean1: Mean score under H1, between 0 and 1.
    """
    positive_counts = [max(float(count), MIN_CATEGORY_COUNT) for count in counts]
    h0_multiplier = _solve_lagrange_multiplier(positive_counts, mean0)
    h1_multiplier = _solve_lagrange_multiplier(positive_counts, mean1)
    return sum(
        n
        * (
            math.log(1 + h0_multiplier * (score - mean0))
            - math.log(1 + h1_multiplier * (score - mean1))
        )
        for n, score in zip(positive_counts, PAIR_SCORES, strict=True)
    )


def _solve_lagrange_multiplier(counts: list[float], mean: float) -> float:
    """Return the Lagrange multiplier of the most likely distribution with mean `mean`.

    The distribution is p_j = n_j / N / (1 + L (a_j - mean)).
    """
    n_pairs = sum(counts)
    deviations = [(count, score - mean) for count, score in zip(counts, PAIR_SCORES, strict=True)]
    # Between the bounds, no probability exceeds 1.
    lower_bound = max(
        (count / n_pairs - 1) / deviation for count, deviation in deviations if deviation > 0
    )
    upper_bound = min(
        (count / n_pairs - 1) / deviation for count, deviation in deviations if deviation < 0
    )
    # The sum decreases with the multiplier. scipy's root finders take 0.3 s to import.
    while lower_bound < (multiplier := (lower_bound + upper_bound) / 2) < upper_bound:
        if (
            sum(count * deviation / (1 + multiplier * deviation) for count, deviation in deviations)
            > 0
        ):
            lower_bound = multiplier
        else:
            upper_bound = multiplier
    return multiplier
