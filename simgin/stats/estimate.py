"""Estimates with standard errors, confidence intervals and stopping thresholds.

The formulas are documented in docs/explanation/statistics.md. For ratios of sums, all terms that
can cancel are Python integers, which are converted to a float only at the end. The order in which
batches are added therefore does not change an estimate. Estimates are exact up to the final
rounding, even for large sums. A unit is a mirrored pair, or a single deal or match.
"""

import math
import sys
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from simgin.core import batch_columns
from simgin.stats.metrics import Metric

Z95 = 1.96
MIN_UNITS_FOR_ESTIMATE = 30  # minimum number of units for an estimate
# minimum number of units for normal critical values instead of Student's t
MIN_UNITS_FOR_NORMAL_INTERVAL = 100
# minimum number of units for Student's t; with fewer units, its critical values are huge
MIN_UNITS_FOR_T_INTERVAL = 1.5
N_T_SERIES_TERMS = 1000  # number of terms of a series, whose last term is below 1e-17 of the sum
NEWTON_TOLERANCE = 1e-9  # maximum size of the last step of Newton's method
ALPHA = 0.05  # error rate of confidence sequences and of each direction of a sequential test
# Minimum number of units before the first look. With fewer units, a confidence sequence with an
# estimated variance would not be reliable.
MIN_UNITS_BEFORE_FIRST_LOOK = 200
# A two-sided 5 % test detects a difference of 2.8 standard errors with 80 % power. The number is
# the sum of the normal quantiles 1.96 and 0.84.
Z_80_PERCENT_POWER = 2.8


@dataclass(frozen=True)
class Estimate:
    """Estimated value with its standard error and its 95 % confidence interval.

    Attributes:
        value: Estimated value, or NaN if the sample is too small.
        se: Standard error, or NaN if the sample is too small.
        n: Number of units, or the effective number of units.
        low: Lower confidence bound, or NaN if there is no interval.
        high: Upper confidence bound, or NaN if there is no interval.
    """

    value: float
    se: float
    n: float = 0
    low: float = math.nan
    high: float = math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds of the 95 % confidence interval."""
        return self.low, self.high


def make_undefined_estimate(n: int) -> Estimate:
    """Return an undefined estimate for a sample that is too small."""
    return Estimate(math.nan, math.nan, n)


def make_estimate_with_t_interval(
    value: float,
    se: float,
    n: float,
    n_units: float,
    *,
    minimum: float = -math.inf,
    maximum: float = math.inf,
) -> Estimate:
    """Return an estimate with a 95 % interval based on Student's t.

    Args:
        value: Estimated value.
        se: Standard error.
        n: Sample size that is reported.
        n_units: Number of units, which is the degrees of freedom plus one.
        minimum: Smallest possible lower bound.
        maximum: Largest possible upper bound.
    """
    half_width = compute_critical_value(n_units) * se
    # The order of arguments ensures that a NaN bound remains NaN.
    low, high = max(value - half_width, minimum), min(value + half_width, maximum)
    return Estimate(value, se, n, low, high)


def estimate_mean(values: np.ndarray) -> Estimate:
    """Estimate the mean of independent values, with a 95 % interval.

    Args:
        values: Independent values, (n,) float64 with n >= 2.
    """
    n = len(values)
    return make_estimate_with_t_interval(
        float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n), n, n
    )


@lru_cache
def compute_critical_value(n_units: float, error_rate: float = ALPHA) -> float:
    """Return the half-width of a confidence interval in standard errors.

    Below 100 units, the half-width is the quantile of Student's t with `units - 1` degrees of
    freedom. Otherwise, the half-width is the normal quantile, which is 1.96 for a 95 % interval.
    The quantile of Student's t is computed by Newton's method. The probability of both tails is 2 t
    f(t) / df times a series of positive terms (DLMF 8.17.8). The logarithm of this probability is
    concave in log t, so the method converges from any starting value.

    Args:
        n_units: Number of units. If there are fewer than 1.5 units, the result is NaN.
        error_rate: Probability that the interval does not cover the true value.
    """
    if n_units >= MIN_UNITS_FOR_NORMAL_INTERVAL:
        return Z95 if error_rate == ALPHA else NormalDist().inv_cdf(1 - error_rate / 2)
    if not n_units >= MIN_UNITS_FOR_T_INTERVAL:
        return math.nan
    df = n_units - 1
    normaliser = math.gamma(df / 2) * math.sqrt(math.pi * df)
    density_at_0 = math.gamma((df + 1) / 2) / normaliser
    even_integers = np.arange(0, 2 * N_T_SERIES_TERMS, 2)
    term_factors = (df + 1 + even_integers) / (df + 2 + even_integers)
    t, newton_step = Z95, 1.0
    while abs(newton_step) > NEWTON_TOLERANCE:
        scaled_square = t * t / df
        density = density_at_0 * math.exp(-(df + 1) / 2 * math.log1p(scaled_square))
        series = 1 + float(np.cumprod(term_factors / (1 + scaled_square)).sum())
        tail_probability = 2 * t * density * series / df
        newton_step = math.log(tail_probability / error_rate) * series / df
        t *= math.exp(newton_step)
    return t


def compute_wilson_interval(
    proportion: float, trials: float, z: float = Z95
) -> tuple[float, float]:
    """Return Wilson's confidence interval for a proportion.

    Args:
        proportion: Observed proportion, from 0 to 1.
        trials: Number of independent trials, above 0.
        z: Half-width of the interval in standard errors.
    """
    shrinkage = 1 + z * z / trials
    centre = (proportion + z * z / (2 * trials)) / shrinkage
    variance = proportion * (1 - proportion) / trials + z * z / (4 * trials * trials)
    half_width = z / shrinkage * math.sqrt(variance)
    low = 0.0 if proportion == 0 else max(0.0, centre - half_width)
    high = 1.0 if proportion == 1 else min(1.0, centre + half_width)
    return float(low), float(high)


def compute_proportion_interval(
    proportion: float, se: float, n: float, z: float = Z95
) -> tuple[float, float]:
    """Return Wilson's confidence interval for a proportion with a given standard error.

    Args:
        proportion: Observed proportion, from 0 to 1.
        se: Standard error, which determines the effective number of trials.
        n: Number of trials to use if the standard error is 0 because all results are equal.
        z: Half-width of the interval in standard errors.
    """
    trials = proportion * (1 - proportion) / se**2 if se > 0 else n
    return compute_wilson_interval(proportion, trials, z)


def compute_two_sided_p_value(value: float, se: float, n_units: float) -> float:
    """Return the two-sided p-value for the null hypothesis that the true value is 0.

    The test uses Student's t for fewer than 100 units and the normal distribution otherwise. If the
    standard error is not positive, the result is NaN.
    """
    from scipy.special import stdtr

    if not se > 0:
        return math.nan
    df = n_units - 1 if n_units < MIN_UNITS_FOR_NORMAL_INTERVAL else math.inf
    return 2 * float(stdtr(df, -abs(value) / se))


def compute_detectable_difference(se: float) -> float:
    """Return the smallest true difference that a two-sided 5 % test detects with 80 % power.

    The difference is 2.8 standard errors.
    """
    return Z_80_PERCENT_POWER * se


def compute_required_sample_size(difference: float, sd: float) -> int:
    """Return the sample size for which a two-sided 5 % test has 80 % power.

    Args:
        difference: True difference to detect.
        sd: Standard deviation of the results of units. For mirrored deals, the result of a unit is
            the mean of a pair.
    """
    return math.ceil((Z_80_PERCENT_POWER * sd / difference) ** 2)


# Confidence sequences. An ordinary 95 % interval is valid only if the sample size was fixed in
# advance. A confidence sequence is valid at all sample sizes simultaneously, so a run can stop
# depending on its results (`simgin.runs.stopping`,
# docs/explanation/statistics.md#optional-stopping).


def compute_confidence_sequence_width(
    n_units: float, planned_units: float, alpha: float = ALPHA
) -> float:
    """Return the half-width of the normal-mixture confidence sequence, in standard errors.

    The formula is |mean - m| <= sqrt((V + r) log((V + r) / (r a^2))) / n with V = n s^2 (Robbins;
    Howard, Ramdas, McAuliffe and Sekhon, Annals of Statistics 2021). The half-width is in units of
    s / sqrt(n), for a = alpha and r = planned s^2 / (2 log(1 / a) + log(1 + 2 log(1 / a))).

    Args:
        n_units: Number of units so far, above 0.
        planned_units: Number of units at which the sequence is tightest, with 1.55 times the width
            of an ordinary interval. Choose this number before you see any data.
        alpha: Error rate of the sequence.
    """
    log_term = 2 * math.log(1 / alpha)
    ratio_at_optimum = log_term + math.log(1 + log_term)
    variance_ratio = n_units / planned_units * ratio_at_optimum
    return math.sqrt((1 + 1 / variance_ratio) * math.log((1 + variance_ratio) / alpha**2))


def compute_planned_sample_size(half_width: float, sd: float) -> int:
    """Return the number of units at which a confidence sequence has a given half-width.

    The number of units is at least 200.

    Args:
        half_width: Half-width of the confidence sequence, above 0.
        sd: Standard deviation of the results of units.
    """
    planned_size = math.ceil((compute_confidence_sequence_width(1, 1) * sd / half_width) ** 2)
    return max(MIN_UNITS_BEFORE_FIRST_LOOK, planned_size)


def compute_beta_binomial_interval(successes: float, failures: float) -> tuple[float, float]:
    """Return the confidence sequence for the success probability of binary results.

    The sequence contains all p that the mixture over Beta(1/2, 1/2) does not reject for any number
    of independent results (Robbins):
    log B(1/2 + s, 1/2 + f) - log B(1/2, 1/2) - s log p - f log(1 - p) < log(1 / ALPHA).
    The two games of a mirrored pair are not independent. For mirrored pairs, use
    `compute_confidence_sequence_width`.

    Args:
        successes: Number of successes s.
        failures: Number of failures f.
    """
    return _compute_lower_bound(successes, failures), 1 - _compute_lower_bound(failures, successes)


def _compute_lower_bound(successes: float, failures: float) -> float:
    """Return the lower confidence bound of a proportion from the numbers of successes and failures.

    The lower bound is at most the observed proportion.
    """
    from scipy.optimize import brentq

    if not successes:
        return 0.0
    log_mixture = (
        _compute_log_beta(0.5 + successes, 0.5 + failures)
        - _compute_log_beta(0.5, 0.5)
        + math.log(ALPHA)
    )

    def compute_log_likelihood_ratio(p: float) -> float:
        success_term = log_mixture - successes * math.log(p)
        if not failures:
            return success_term
        return success_term - failures * math.log1p(-p)

    rate = successes / (successes + failures)
    return float(brentq(compute_log_likelihood_ratio, sys.float_info.min, rate, xtol=1e-15))


def _compute_log_beta(a: float, b: float) -> float:
    """Return the logarithm of the beta function B(a, b)."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


# Ratios of exact integer sums, with standard errors that are clustered by unit


@dataclass(frozen=True)
class RatioSums:
    """Sums over units that determine a ratio and its standard error.

    Attributes:
        numerator: Sum of N.
        numerator_square_sum: Sum of N * N.
        denominator: Sum of D.
        denominator_square_sum: Sum of D * D.
        product_sum: Sum of N * D.
        scale: Integer factor by which N is multiplied.
        is_proportion: True if the ratio is between 0 and 1.
        has_positive_denominators: True if D is positive in every deal or match, as for the
            numbers of deals and matches.
    """

    numerator: int
    numerator_square_sum: int
    denominator: int
    denominator_square_sum: int
    product_sum: int
    scale: int = 1
    is_proportion: bool = False
    has_positive_denominators: bool = False

    @property
    def residual_squares(self) -> int:
        """Sum over units of the squared residuals N - r D, times (sum D)^2, computed exactly."""
        n = self.numerator
        d = self.denominator
        squared_terms = self.numerator_square_sum * d * d + n * n * self.denominator_square_sum
        return squared_terms - 2 * n * d * self.product_sum


def compute_ratio_sums(total: np.ndarray, metric: Metric, as_b: bool = False) -> RatioSums:
    """Return the sums that determine a metric from the perspective of A or B.

    Args:
        total: Sum of the batch rows, (batch_columns.N_COLUMNS,) int64.
        metric: Definition of the metric.
        as_b: True to take the perspective of B.
    """
    statistic_index = metric.find_numerator_index(as_b)
    denominator_index = batch_columns.DENOMINATOR_INDICES[statistic_index]
    sign = metric.get_sign(as_b)
    return RatioSums(
        numerator=sign * int(total[batch_columns.SUMS_START + statistic_index]),
        numerator_square_sum=int(total[batch_columns.SQUARES_START + statistic_index]),
        denominator=int(total[batch_columns.SUMS_START + denominator_index]),
        denominator_square_sum=int(total[batch_columns.SQUARES_START + denominator_index]),
        product_sum=sign * int(total[batch_columns.PRODUCTS_START + statistic_index]),
        scale=metric.scale,
        is_proportion=metric.is_proportion,
        has_positive_denominators=metric.has_positive_denominators,
    )


def estimate_metric(
    total: np.ndarray, metric: Metric, as_b: bool = False, critical_value: float | None = None
) -> Estimate:
    """Estimate a metric from the perspective of A or B.

    Args:
        total: Sum of the batch rows, (batch_columns.N_COLUMNS,) int64.
        metric: Definition of the metric.
        as_b: True to take the perspective of B.
        critical_value: Half-width of the interval in standard errors (see `estimate_ratio`).
    """
    return estimate_ratio(
        int(total[batch_columns.UNITS_COLUMN]),
        compute_ratio_sums(total, metric, as_b),
        critical_value,
    )


def estimate_ratio(n_units: int, ratio: RatioSums, critical_value: float | None = None) -> Estimate:
    """Estimate a ratio with a 95 % interval and a standard error clustered by unit.

    Args:
        n_units: Number of units.
        ratio: Sums over the units. If fewer than 30 units contribute, the estimate is undefined.
        critical_value: Half-width of the interval in standard errors for a run with a stopping rule
            (see `simgin.runs.stopping`), or None for a run of predetermined size.
    """
    effective_units = _count_effective_units(n_units, ratio)
    if effective_units < MIN_UNITS_FOR_ESTIMATE:
        return make_undefined_estimate(effective_units)
    value = ratio.numerator / (ratio.scale * ratio.denominator)
    # Square root of n / (n - 1) * sum (N - r D)^2 / (sum D)^2, from exact sums
    variance = ratio.residual_squares * n_units / ((n_units - 1) * ratio.denominator**4)
    se = float(np.sqrt(variance)) / ratio.scale
    z = compute_critical_value(effective_units)
    if critical_value is not None:
        z = z * (critical_value / Z95)
    low, high = value - z * se, value + z * se
    if ratio.is_proportion:
        estimate, is_sequential = Estimate(value, se, effective_units), critical_value is not None
        low, high = _compute_clustered_interval(ratio, estimate, z, is_sequential=is_sequential)
    return Estimate(value, se, effective_units, low, high)


def _count_effective_units(n_units: int, ratio: RatioSums) -> int:
    """Return the effective number of units on which an estimated ratio is based.

    If D is positive in every unit, the effective number is the number of units. Otherwise, it is
    Kish's effective number (sum D)^2 / sum D^2. Without this correction, the standard error of a
    single big gin in a million deals would be 0.
    """
    n_effective = min(ratio.denominator**2 // max(ratio.denominator_square_sum, 1), n_units)
    return n_units if ratio.has_positive_denominators and n_effective > 0 else n_effective


def _compute_clustered_interval(
    ratio: RatioSums, estimate: Estimate, z: float, *, is_sequential: bool
) -> tuple[float, float]:
    """Return the confidence bounds of a proportion with a standard error clustered by unit.

    If a run with a stopping rule has independent binary results, the bounds are a beta-binomial
    confidence sequence. Otherwise, the bounds are Wilson's interval with the number of trials that
    corresponds to the standard error. In experiments, normal intervals covered rare proportions (16
    to 50 events) only 93.2 to 94.4 % of the time.

    Args:
        ratio: Sums over the units.
        estimate: Estimated proportion with its standard error.
        z: Half-width of the interval in standard errors.
        is_sequential: True for a run with a stopping rule.
    """
    successes = ratio.numerator / ratio.scale
    trials = ratio.denominator
    if not _is_binary(ratio):
        return compute_proportion_interval(estimate.value, estimate.se, estimate.n, z)
    if is_sequential:
        return compute_beta_binomial_interval(successes, trials - successes)
    return compute_wilson_interval(estimate.value, trials)


def _is_binary(ratio: RatioSums) -> bool:
    """Return True if every unit is a single trial with the result 0 or 1."""
    is_one_trial = ratio.denominator_square_sum == ratio.denominator
    return is_one_trial and ratio.numerator_square_sum == ratio.scale * ratio.numerator
