"""Ratios from the exact integer sums of batch rows, with errors clustered by unit.

Everything that could cancel is computed in Python integers and turned into a float once, at the
end. So an estimate does not depend on the order in which batches were added, nor on how large the
sums have grown. A unit is a mirrored pair, or a single deal or match
(docs/explanation/statistics.md#units-and-pairs).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.stats import sequential
from simgin.stats.estimate import (
    ENOUGH_UNITS,
    Z95,
    Estimate,
    quantile,
    share_limits,
    undefined,
    wilson,
)
from simgin.stats.metrics import Metric


@dataclass(frozen=True)
class RatioSums:
    """What the units add up to for one ratio, sum N / (scale * sum D).

    share: the ratio lies in 0..1. always: every unit has some of the denominator, as for deals and
    matches, but not for gins.
    """

    numerator: int  # sum of N
    numerator_square: int  # sum of N * N
    denominator: int  # sum of D
    denominator_square: int  # sum of D * D
    cross: int  # sum of N * D
    scale: int = 1
    share: bool = False
    always: bool = False

    @property
    def scatter(self) -> int:
        """The exact (sum D)^2 * sum (N - r D)^2, where r is sum N / sum D."""
        n = self.numerator
        d = self.denominator
        squares = self.numerator_square * d * d + n * n * self.denominator_square
        return squares - 2 * n * d * self.cross


def metric_sums(total: np.ndarray, metric: Metric, as_b: bool = False) -> RatioSums:
    """The sums of a metric, seen by A or by B. total: exact sum of batch rows."""
    fact = metric.fact(as_b)
    below = sums.DENOMINATOR[fact]
    sign = metric.sign(as_b)
    return RatioSums(
        numerator=sign * int(total[sums.SUM + fact]),
        numerator_square=int(total[sums.SQUARE + fact]),
        denominator=int(total[sums.SUM + below]),
        denominator_square=int(total[sums.SQUARE + below]),
        cross=sign * int(total[sums.CROSS + fact]),
        scale=metric.scale,
        share=metric.share,
        always=metric.always,
    )


def estimate_metric(
    total: np.ndarray, metric: Metric, as_b: bool = False, multiplier: float | None = None
) -> Estimate:
    """A metric from the exact sum of batch rows, int64 of length sums.COLUMNS, as A or B sees it.

    multiplier: see `estimate_ratio`.
    """
    return estimate_ratio(int(total[sums.UNITS]), metric_sums(total, metric, as_b), multiplier)


def estimate_ratio(units: int, ratio: RatioSums, multiplier: float | None = None) -> Estimate:
    """A ratio with its error clustered over `units` units, and 95 % limits.

    Undefined where its denominator is empty or comes from fewer than 30 units. multiplier: the
    half-width of the interval in standard errors where the run might have been stopped by its
    results (see `simgin.runs.stopping`); without one the interval is that for a size fixed
    beforehand.
    """
    support = _support(units, ratio)
    if support < ENOUGH_UNITS:
        return undefined(support)
    value = ratio.numerator / (ratio.scale * ratio.denominator)
    # The root of n / (n - 1) * sum (N - r D)^2 / (sum D)^2, from the exact scatter
    se = float(np.sqrt(ratio.scatter * units / ((units - 1) * ratio.denominator**4))) / ratio.scale
    z = quantile(support)
    if multiplier is not None:
        z = z * (multiplier / Z95)
    low, high = value - z * se, value + z * se
    if ratio.share:
        plain = Estimate(value, se, support)
        low, high = _share_limits(ratio, plain, z, is_looked_at=multiplier is not None)
    return Estimate(value, se, support, low, high)


def _support(units: int, ratio: RatioSums) -> int:
    """How many units a ratio rests on.

    All, or Kish's effective number (sum D)^2 / sum D^2 where many units hold no D. Without it one
    big gin in a million deals would have a mean, and an error of zero.
    """
    effective = min(ratio.denominator**2 // max(ratio.denominator_square, 1), units)
    return units if ratio.always and effective > 0 else effective


def _share_limits(
    ratio: RatioSums, estimate: Estimate, z: float, *, is_looked_at: bool
) -> tuple[float, float]:
    """The limits of a share. is_looked_at: results might have stopped the run.

    Independent yes-or-no results have limits of their own; others Wilson's, for as many single
    trials as the error is worth: the normal interval held rare shares (16 to 50 cases) in 93.2 to
    94.4 % of experiments only.
    """
    successes = ratio.numerator / ratio.scale
    trials = ratio.denominator
    if not _is_binary(ratio):
        return share_limits(estimate.value, estimate.se, estimate.n, z)
    if is_looked_at:
        return sequential.beta_binomial(successes, trials - successes)
    return wilson(estimate.value, trials)


def _is_binary(ratio: RatioSums) -> bool:
    """Whether every unit is one trial, with a result of all or nothing."""
    is_one_trial = ratio.denominator_square == ratio.denominator
    return is_one_trial and ratio.numerator_square == ratio.scale * ratio.numerator
