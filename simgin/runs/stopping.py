"""Stopping rules, which stop a run at a target precision or by a sequential test.

A rule examines the results after every batch. The `multiplier` of the rule widens all intervals of
the run so that they are valid at any stopping time. simgin does not print ordinary intervals after
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
from simgin.text.messages import SimginError

# Standard deviations assumed in plans, for the mean of a mirrored pair (True) and for a single deal
# or match (False). They are rounded up from the values of gold and simple in the built-in variants.
# A wrong value makes intervals wider but not invalid. If the planned number of units is wrong by a
# factor of 4, the multiplier is 1.67 instead of 1.55.
NOMINAL_PROPORTION_SD = {True: 0.35, False: 0.5}
NOMINAL_SD = {
    "deal_win": {True: 0.3, False: 0.5},
    "margin": {True: 12.0, False: 24.0},
    "score": {True: 24.0, False: 24.0},
    "match_margin": {True: 60.0, False: 65.0},
}


MIN_PAIRS = 100  # number of pairs before the first evaluation of a sequential test
EMPTY_COUNT = 1e-3  # count of an empty category, which makes the probability positive
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # possible pair scores, the bins of COL_PAIR_HISTOGRAM

COMPLETE = "complete"
# Descriptions of the estimated quantities, by metric
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
    """Number of units that a matchup has played, and the reason why it stopped."""

    units: int
    stopped: str = COMPLETE
    # Half-width of the intervals in standard errors, or None if no stopping rule was used
    multiplier: float | None = None


@dataclass(frozen=True)
class PrecisionRule:
    """Stopping rule that applies when a metric's 95 % confidence sequence is narrow enough."""

    metric: str  # metric of strategy A
    half_width: float
    planned_units: int  # number of units at which the confidence sequence is narrowest

    @property
    def text(self) -> str:
        """Description of the stopping rule."""
        subject = METRIC_SUBJECTS[self.metric]
        width = self._format_width(self.half_width)
        return f"stop when {subject} is known to within ± {width} (95 % confidence sequence)"

    def _format_width(self, width: float) -> str:
        """Format a half-width as text that includes the unit."""
        metric = metrics.METRICS_BY_NAME[self.metric]
        return f"{metric.display_factor * width:.6g} {'percentage ' * metric.is_proportion}points"

    def multiplier(self, units: int) -> float:
        """Return the half-width of each interval of the run, in standard errors."""
        return estimate.confidence_sequence_width(units, self.planned_units)

    def check_totals(self, totals: np.ndarray) -> str | None:
        """Return a sentence that states the precision reached, or None to continue.

        Args:
            totals: Exact sum of all batch rows so far, `(N_COLUMNS,) int64`.
        """
        units = int(totals[batch_columns.COL_UNITS])
        metric = metrics.METRICS_BY_NAME[self.metric]
        if units < estimate.MIN_UNITS_FIRST_LOOK:
            return None
        interval = estimate_metric(totals, metric, multiplier=self.multiplier(units))
        half_width = (interval.high - interval.low) / 2
        if not half_width <= self.half_width:  # This also covers NaN.
            return None
        reached_text = self._format_width(float(f"{half_width:.3g}"))
        target_text = self._format_width(self.half_width)
        subject = METRIC_SUBJECTS[self.metric]
        return f"{subject} is known to within ± {reached_text} (target: ± {target_text})."


@dataclass(frozen=True)
class SequentialTest:
    """Stopping rule that applies when a sequential test of pairs accepts a hypothesis.

    `elo0` (H0) and `elo1` (H1) are hypotheses about the strength of strategy A. They are Elo
    differences, computed from A's mean pair score.
    """

    elo0: float
    elo1: float

    @property
    def text(self) -> str:
        """Description of the stopping rule."""
        return (
            f"sequential test of Elo {self.elo0:g} (H0) against {self.elo1:g} (H1), "
            f"alpha {estimate.ALPHA:g}, beta {estimate.ALPHA:g}"
        )

    @property
    def planned_units(self) -> int:
        """Expected number of pairs if the true strength is midway between the hypotheses.

        The number is the product of the bounds of the test, divided by the square of the drift.
        """
        low, high = compute_sprt_bounds()
        score_difference = elo_to_score(self.elo1) - elo_to_score(self.elo0)
        pairs = math.ceil(-low * high * (NOMINAL_PROPORTION_SD[True] / score_difference) ** 2)
        return max(estimate.MIN_UNITS_FIRST_LOOK, pairs)

    def multiplier(self, units: int) -> float:
        """Return the half-width of each interval of the run, in standard errors."""
        return estimate.confidence_sequence_width(units, self.planned_units)

    def llr(self, totals: np.ndarray) -> float:
        """Return the log likelihood ratio of hypothesis H1 to hypothesis H0.

        Args:
            totals: Exact sum of the batch rows so far, `(N_COLUMNS,) int64`. Only the histogram
                of pair scores is used.
        """
        first_column = batch_columns.COL_PAIR_HISTOGRAM
        counts = totals[first_column : first_column + batch_columns.PAIR_BINS]
        return compute_multinomial_llr(
            counts.tolist(), elo_to_score(self.elo0), elo_to_score(self.elo1)
        )

    @property
    def _h1_conclusion(self) -> str:
        """Conclusion if H1 is accepted, because strengths up to `elo0` are unlikely."""
        if self.elo0 < 0:
            return f"A is less than {-self.elo0:g} Elo weaker and may be stronger"
        return f"A is more than {self.elo0:g} Elo stronger" if self.elo0 else "A is stronger"

    @property
    def _h0_conclusion(self) -> str:
        """Conclusion if H0 is accepted, because strengths of `elo1` or more are unlikely."""
        if self.elo1 > 0:
            return f"A is less than {self.elo1:g} Elo stronger and may be weaker"
        return f"A is more than {-self.elo1:g} Elo weaker" if self.elo1 else "A is weaker"

    def check_totals(self, totals: np.ndarray) -> str | None:
        """Return the conclusion if the test accepts a hypothesis, or None to continue.

        Args:
            totals: Exact sum of all batch rows so far, `(N_COLUMNS,) int64`.
        """
        pairs = int(totals[batch_columns.COL_UNITS])
        if pairs < MIN_PAIRS:
            return None
        low, high = compute_sprt_bounds()
        llr = self.llr(totals)
        if low < llr < high:
            return None
        verdict = self._h0_conclusion if llr <= low else self._h1_conclusion
        return (
            f"{verdict} (log likelihood ratio {llr:.2f} after {pairs:,} pairs). The "
            "estimated win rate "
            "is biased by the stopping rule."
        )


StoppingRule = PrecisionRule | SequentialTest


class StoppingError(SimginError):
    """Exception for a stopping rule that a matchup does not support."""


def make_precision_rule(half_width: str | float, matchup: Matchup) -> PrecisionRule:
    """Return a rule that stops at a given half-width of the 95 % interval.

    Args:
        half_width: A string such as `0.1%` for the percentage of deals or matches won, or a number
            of points per deal or match, as read by `simgin.text.amounts`.
        matchup: Matchup to play.
    """
    percent = isinstance(half_width, str)
    metric = _choose_metric(matchup, percent=percent)
    width = float(str(half_width).removesuffix("%")) / (100 if percent else 1)
    deviation = NOMINAL_SD.get(metric, NOMINAL_PROPORTION_SD)[matchup.is_mirrored]
    return PrecisionRule(metric, width, estimate.planned_sample_size(width, deviation))


def make_sequential_test(elo0: float, elo1: float, matchup: Matchup) -> SequentialTest:
    """Return a sequential test of two hypotheses about the Elo difference.

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


def _choose_metric(matchup: Matchup, *, percent: bool) -> str:
    """Return the metric to which a half-width in percent or in points applies."""
    if matchup.unit == metrics.DEAL:
        rate, points = metrics.headline_metrics(metrics.DEAL, len(matchup.players))
        return rate if percent else points
    if not percent:
        return "match_margin"
    return "goal_met" if matchup.variant.goal.total else "match_win"


# The sequential test


def elo_to_score(elo: float) -> float:
    """Return the expected score (0 to 1) of a player who is `elo` points stronger.

    Returns:
        Expected score, 1 / (1 + 10^(-elo / 400)), between 0 and 1.
    """
    return float(1 / (1 + 10 ** (-elo / 400)))


def compute_sprt_bounds() -> tuple[float, float]:
    """Return Wald's bounds on the log likelihood ratio.

    H0 is accepted at or below the lower bound, and H1 at or above the upper bound. With both error
    probabilities at most ALPHA = 0.05, the bounds are -2.944 and 2.944.
    """
    high = math.log((1 - estimate.ALPHA) / estimate.ALPHA)
    return -high, high


def compute_multinomial_llr(counts: Sequence[int], m0: float, m1: float) -> float:
    """Compute the log likelihood ratio of the mean score m1 to the mean score m0.

    Each hypothesis is represented by the most likely distribution with its mean (the generalised
    sequential probability ratio test in multinomial form).

    Args:
        counts: Number of pairs with the score 0, 1/4, 1/2, 3/4 and 1.
        m0: Mean score under H0, between 0 and 1.
        m1: Mean score under H1, between 0 and 1.
    """
    filled = [max(float(count), EMPTY_COUNT) for count in counts]
    multiplier0 = _solve_lagrange_multiplier(filled, m0)
    multiplier1 = _solve_lagrange_multiplier(filled, m1)
    return sum(
        n * (math.log(1 + multiplier0 * (score - m0)) - math.log(1 + multiplier1 * (score - m1)))
        for n, score in zip(filled, PAIR_SCORES, strict=True)
    )


def _solve_lagrange_multiplier(counts: list[float], mean: float) -> float:
    """Return the Lagrange multiplier of the most likely distribution with a given mean.

    The distribution is p_j = n_j / N / (1 + L (a_j - mean)).
    """
    from scipy.optimize import brentq

    n_pairs = sum(counts)
    terms = [(n, score - mean) for n, score in zip(counts, PAIR_SCORES, strict=True)]
    # No probability exceeds 1.
    lower_bounds = [(n / n_pairs - 1) / d for n, d in terms if d > 0]
    upper_bounds = [(n / n_pairs - 1) / d for n, d in terms if d < 0]

    def balance(multiplier: float) -> float:
        return sum(n * d / (1 + multiplier * d) for n, d in terms)

    return float(brentq(balance, max(lower_bounds), min(upper_bounds)))
