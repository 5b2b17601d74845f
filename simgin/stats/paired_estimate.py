"""Estimates that store the influence of each batch, which allows paired differences.

Means over matchups, differences between variants and other derived estimates are computed from
them. The standard errors are computed from the joint influences of the batches (see
`simgin.stats.batches`). If an estimate is not a ratio of sums, its influences are computed with the
jackknife.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simgin.stats import batches
from simgin.stats.batches import MIN_BATCHES
from simgin.stats.estimate import ALPHA, compute_critical_value, compute_proportion_interval
from simgin.stats.metrics import Metric

NO_INFLUENCES = np.zeros(0)


@dataclass(frozen=True, eq=False)
class PairedEstimate:
    """Estimate that supports paired differences, because it stores the influence of each batch.

    Attributes:
        value: Estimated value.
        n: Number of deals or matches.
        influences: Influence of each batch on the value, (n_batches,) float64. If the standard
            error has another source, this array is empty.
        effective_batches: Effective number of equal-sized batches.
        is_proportion: True if the value is a proportion from 0 to 1.
        known_se: Standard error if it is not computed from batches.
        event_size: Change in the value due to one event, or 0 if the value is not a proportion.
        unseen_variance: Variance due to unobserved events in a difference of proportions.
        unit_se: Standard error from the squared results of single units, or NaN if the squares are
            unknown. If there are few batches, this standard error is more precise.
        error_rate: Probability that the confidence interval does not cover the true value.
    """

    value: float
    n: int
    influences: np.ndarray
    effective_batches: float
    is_proportion: bool = False
    known_se: float = np.nan
    event_size: float = 0.0
    unseen_variance: float = 0.0
    unit_se: float = np.nan
    error_rate: float = ALPHA

    @classmethod
    def from_known_se(
        cls, value: float, se: float, n: int, is_proportion: bool = False
    ) -> PairedEstimate:
        """Return an estimate with a known standard error, which is not computed from batches."""
        return cls(value, n, NO_INFLUENCES, np.inf, is_proportion, se)

    @property
    def se(self) -> float:
        """Standard error of the estimate, or NaN if there are too few batches."""
        return self._se_and_df[0]

    @property
    def df(self) -> float:
        """Degrees of freedom of the standard error."""
        return self._se_and_df[1]

    @property
    def _se_and_df(self) -> tuple[float, float]:
        """Standard error of the estimate and its degrees of freedom."""
        df = self.effective_batches - 1
        if not len(self.influences):
            se = self.known_se
        elif self.effective_batches < MIN_BATCHES:
            se = np.nan
        else:
            se = batches.compute_standard_error(self.influences, self.effective_batches)
        return batches.add_continuity_correction(se, df, self.unseen_variance)

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds of the confidence interval, which is a 95 % interval by default.

        For a proportion, the interval is Wilson's, with the number of trials that corresponds to
        the standard error.
        """
        se = self.se
        z = compute_critical_value(self.df + 1, self.error_rate)
        if np.isnan(self.value + se):
            return np.nan, np.nan
        if self.is_proportion:
            return compute_proportion_interval(self.value, se, self.n, z)
        return self.value - z * se, self.value + z * se

    @property
    def p(self) -> float:
        """Two-sided p-value for the null hypothesis that the value is 0.

        The test uses Student's t. If there is no standard error, the p-value is NaN.
        """
        from scipy.special import stdtr

        se = self.se
        if not se > 0:
            return np.nan
        return 2 * float(stdtr(self.df, -(abs(self.value) / se)))

    def __add__(self, other: PairedEstimate) -> PairedEstimate:
        """Return the sum of two estimates, paired if both have the same batches."""
        n = min(self.n, other.n)
        value = self.value + other.value
        n_effective = min(self.effective_batches, other.effective_batches)
        event_size = max(self.event_size, other.event_size)
        total = PairedEstimate(value, n, NO_INFLUENCES, n_effective, event_size=event_size)
        if len(self.influences) and len(self.influences) == len(other.influences):
            influences = self.influences + other.influences
            unseen_variance = self.unseen_variance + other.unseen_variance
            return replace(total, influences=influences, unseen_variance=unseen_variance)
        return replace(total, known_se=float(np.hypot(self.se, other.se)))

    def __sub__(self, other: PairedEstimate) -> PairedEstimate:
        """Return the difference between two estimates, paired if both have the same batches.

        A difference of proportions is corrected for unobserved events.
        """
        difference = self + other.rescale(-1)
        if not (self.event_size and other.event_size):
            return difference
        unseen_variance = self.event_size**2 + other.event_size**2
        return replace(difference, unseen_variance=difference.unseen_variance + unseen_variance)

    def rescale(self, factor: float, shift: float = 0.0) -> PairedEstimate:
        """Return the estimate of the linear function factor * value + shift.

        The result is no longer treated as a proportion.
        """
        return PairedEstimate(
            factor * self.value + shift,
            self.n,
            factor * self.influences,
            self.effective_batches,
            known_se=abs(factor) * self.known_se,
            event_size=abs(factor) * self.event_size,
            unseen_variance=factor**2 * self.unseen_variance,
            unit_se=abs(factor) * self.unit_se,
        )


def estimate_metric_by_batch(
    rows: np.ndarray, metric: Metric, as_b: bool = False
) -> PairedEstimate:
    """Estimate a metric of a matchup and store the influence of each batch.

    Args:
        rows: Batch rows, (n_batches, batch_columns.N_COLUMNS) int64.
        metric: Metric to estimate.
        as_b: True to take the perspective of B.

    Returns:
        The estimate, whose value is NaN if the denominator is 0.
    """
    n = batches.count_games(rows, metric.unit)
    index = metric.find_numerator_index(as_b)
    denominator = int(batches.extract_denominator_sums(rows, index).sum())
    if not denominator:
        return PairedEstimate.from_known_se(np.nan, np.nan, n, metric.is_proportion)
    sign = metric.get_sign(as_b)
    value = float(
        sign * batches.extract_statistic_sums(rows, index).sum() / metric.scale / denominator
    )
    influences = sign * batches.compute_influences(rows, index, metric.scale)
    size = 1 / denominator if metric.is_proportion else 0.0
    n_effective = batches.count_effective_batches(rows)
    return PairedEstimate(value, n, influences, n_effective, metric.is_proportion, event_size=size)


def estimate_pairwise_metric(
    matchups: Mapping[Any, np.ndarray], a: object, b: object, metric: Metric
) -> PairedEstimate:
    """Estimate a metric of strategy `a` against strategy `b`.

    The key of the matchup can be (a, b) or (b, a).
    """
    if (a, b) in matchups:
        return estimate_metric_by_batch(matchups[a, b], metric)
    return estimate_metric_by_batch(matchups[b, a], metric, as_b=True)


def estimate_rate(
    event_counts: np.ndarray, case_counts: np.ndarray, *, is_proportion: bool = True
) -> PairedEstimate:
    """Estimate the number of events per case.

    Args:
        event_counts: Number of events in each batch, (n_batches,) int64.
        case_counts: Number of cases in each batch, (n_batches,) int64.
        is_proportion: True if the rate is a proportion.
    """
    n = int(case_counts.sum())
    value = float(event_counts.sum() / n)
    influences = (event_counts - value * case_counts) / n
    n_effective = float(n**2 / (case_counts.astype(float) @ case_counts))
    event_size = 1 / n if is_proportion else 0.0
    return PairedEstimate(value, n, influences, n_effective, is_proportion, event_size=event_size)


def make_jackknife_estimate(
    value: float, leave_one_out_values: np.ndarray, n: int
) -> PairedEstimate:
    """Return an estimate whose influences are computed with the jackknife (Efron 1982, 3.1).

    Args:
        value: Estimated value.
        leave_one_out_values: Estimates that omit one batch each, (n_batches,) float64.
        n: Number of deals or matches.
    """
    n_batches = len(leave_one_out_values)
    influences = (n_batches - 1) / n_batches * (leave_one_out_values.mean() - leave_one_out_values)
    return PairedEstimate(value, n, influences, n_batches)


def average_estimates(estimates: Sequence[PairedEstimate]) -> PairedEstimate:
    """Return the unweighted mean of several estimates that are based on the same deals.

    If one of the estimates is NaN, the mean is NaN.
    """
    n = sum(estimate.n for estimate in estimates)
    value = float(np.mean([estimate.value for estimate in estimates]))
    is_proportion = estimates[0].is_proportion
    influences = [estimate.influences for estimate in estimates]
    if len({len(array) for array in influences}) == 1 and len(influences[0]):
        n_effective = min(estimate.effective_batches for estimate in estimates)
        # The smallest possible change in the mean is due to one event in a single estimate.
        size = float(np.mean([estimate.event_size for estimate in estimates])) / len(estimates)
        return PairedEstimate(
            value, n, np.mean(influences, axis=0), n_effective, is_proportion, event_size=size
        )
    se = float(np.sqrt(sum(estimate.se**2 for estimate in estimates)) / len(estimates))
    return PairedEstimate.from_known_se(value, se, n, is_proportion)
