"""An estimate with its standard error, and the intervals and thresholds that go with one.

The formulas are in docs/explanation/statistics.md. Of ratios of sums everything that could cancel
is computed in Python integers and turned into a float once, at the end: an estimate depends neither
on the order in which batches were added, nor on how large the sums have grown. A unit is a mirrored
pair, or a single deal or match.
"""

import math
import sys
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from simgin.core import sums
from simgin.stats.metrics import Metric

Z95 = 1.96
ENOUGH_UNITS = 30  # with fewer an estimate is undefined: a dash, never a bare number
NORMAL_FROM = 100  # units; with fewer the quantile is Student's
LEAST_UNITS = 1.5  # with fewer Student's quantile runs to thousands
SERIES = 1000  # terms, of which the last is below 1e-17 of the sum
NEAR = 1e-9  # a step of Newton's method, which squares what is left of the error
ALPHA = 0.05  # of a confidence sequence, and of either error of a sequential test
# Units before the first look: with an estimated variance the normal mixture is asymptotic
LOOK_FROM = 200
POWER_80 = 2.8  # 1.96 + 0.84: two-sided 5 % test, 80 % power


@dataclass(frozen=True)
class Estimate:
    """A number and its standard error; both NaN where too little was played.

    n: units that it rests on, or their effective number. low, high: 95 % limits, NaN where there is
    no estimate or nobody needs an interval.
    """

    value: float
    se: float
    n: float = 0
    low: float = math.nan
    high: float = math.nan

    @property
    def limits(self) -> tuple[float, float]:
        """The 95 % limits."""
        return self.low, self.high

    @property
    def with_limits(self) -> tuple[float, float, float, float]:
        """The value, its error and its limits, as rows of frames have them."""
        return self.value, self.se, self.low, self.high


def undefined(n: int) -> Estimate:
    """The estimate of too few units."""
    return Estimate(math.nan, math.nan, n)


def around(
    value: float,
    se: float,
    n: float,
    units: float,
    *,
    least: float = -math.inf,
    most: float = math.inf,
) -> Estimate:
    """An estimate with 95 % limits by Student's t of so many units, within what is possible."""
    half = quantile(units) * se
    # In this order a limit that is NaN stays so
    return Estimate(value, se, n, max(value - half, least), min(value + half, most))


def mean_of(values: np.ndarray) -> Estimate:
    """The mean of independent values, float64 (n,), with 95 % limits; n at least 2."""
    n = len(values)
    return around(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(n), n, n)


@lru_cache
def quantile(units: float) -> float:
    """Half-width of a 95 % interval in standard errors; NaN for fewer than one and a half units.

    Student's t with units - 1 degrees of freedom below 100 units, else 1.96. By Newton's method:
    both tails together are 2 t f(t) / freedom times a series of positive terms (DLMF 8.17.8), and
    their logarithm is concave in log t, so that no start goes wrong.
    """
    if units >= NORMAL_FROM:
        return Z95
    if not units >= LEAST_UNITS:
        return math.nan
    freedom = units - 1
    below = math.gamma(freedom / 2) * math.sqrt(math.pi * freedom)
    density_at_0 = math.gamma((freedom + 1) / 2) / below
    even = np.arange(0, 2 * SERIES, 2)
    ratios = (freedom + 1 + even) / (freedom + 2 + even)
    t, step = Z95, 1.0
    while abs(step) > NEAR:
        squares = t * t / freedom
        density = density_at_0 * math.exp(-(freedom + 1) / 2 * math.log1p(squares))
        series = 1 + float(np.cumprod(ratios / (1 + squares)).sum())
        tails = 2 * t * density * series / freedom
        step = math.log(tails / 0.05) * series / freedom
        t *= math.exp(step)
    return t


def wilson(share: float, trials: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval for an observed share 0..1 of `trials` independent trials (above 0)."""
    shrink = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / shrink
    variance = share * (1 - share) / trials + z * z / (4 * trials * trials)
    half = z / shrink * math.sqrt(variance)
    low = 0.0 if share == 0 else max(0.0, centre - half)
    high = 1.0 if share == 1 else min(1.0, centre + half)
    return float(low), float(high)


def share_limits(share: float, se: float, n: float, z: float = Z95) -> tuple[float, float]:
    """95 % limits of a share: Wilson's, for as many trials as its standard error is worth.

    For `n` trials where the error is 0 because all of them came out alike.
    """
    trials = share * (1 - share) / se**2 if se > 0 else n
    return wilson(share, trials, z)


def two_sided(value: float, se: float, units: float) -> float:
    """p of a value against 0: Student's below 100 units, else normal; NaN without an error."""
    from scipy.special import stdtr

    if not se > 0:
        return math.nan
    freedom = units - 1 if units < NORMAL_FROM else math.inf
    return 2 * float(stdtr(freedom, -abs(value) / se))


def smallest_detectable_difference(se: float) -> float:
    """The true difference that a two-sided 5 % test finds in four runs of five.

    To be stated beside every "no difference": 2.8 standard errors.
    """
    return POWER_80 * se


def units_to_see(difference: float, deviation: float) -> int:
    """Units that a two-sided 5 % test needs to find a true difference in four runs of five.

    deviation: the standard deviation of one unit (of a pair's mean, where packs are mirrored).
    """
    return math.ceil((POWER_80 * deviation / difference) ** 2)


# Confidence sequences: a plain 95 % interval holds at one sample size that was fixed beforehand.
# These hold at every size, so a run may stop when it likes what it sees (`simgin.runs.stopping`,
# docs/explanation/statistics.md#looking-more-than-once).


def sequence_width(units: float, planned: float, alpha: float = ALPHA) -> float:
    """Half-width of the normal-mixture confidence sequence in standard errors, after `units` units.

    units: more than 0. planned: the number of units at which the sequence is tightest, 1.55 times
    the plain interval; it must be fixed before data are seen. From Robbins, and Howard, Ramdas,
    McAuliffe, Sekhon, Annals of Statistics 2021:
    |mean - m| <= sqrt((V + r) log((V + r) / (r a^2))) / n with V = n s^2;
    here in units of s / sqrt(n), for a = alpha and
    r = planned s^2 / (2 log(1 / a) + log(1 + 2 log(1 / a))).
    """
    wide = 2 * math.log(1 / alpha)
    tightest = wide + math.log(1 + wide)
    ratio = units / planned * tightest  # V / r
    return math.sqrt((1 + 1 / ratio) * math.log((1 + ratio) / alpha**2))


def planned_units(half_width: float, sd: float) -> int:
    """The units at which a mean is known to within half_width (more than 0): at least 200.

    sd: the standard deviation per unit.
    """
    return max(LOOK_FROM, math.ceil((sequence_width(1, 1) * sd / half_width) ** 2))


def beta_binomial(successes: float, failures: float) -> tuple[float, float]:
    """The confidence sequence for the chance of independent yes-or-no results.

    It holds those p that the mixture over Beta(1/2, 1/2) does not refute, at every number of
    results (Robbins): log B(1/2 + s, 1/2 + f) - log B(1/2, 1/2) - s log p - f log(1 - p) <
    log(1 / ALPHA).
    The two halves of a mirrored pair are not independent: for them take `sequence_width`.
    """
    return _lower_end(successes, failures), 1 - _lower_end(failures, successes)


def _lower_end(successes: float, failures: float) -> float:
    """The lower end, which lies between nothing and the observed share."""
    from scipy.optimize import brentq

    if not successes:
        return 0.0
    mixture = _log_beta(0.5 + successes, 0.5 + failures) - _log_beta(0.5, 0.5) + math.log(ALPHA)

    def surprise(p: float) -> float:
        by_successes = mixture - successes * math.log(p)
        if not failures:
            return by_successes
        return by_successes - failures * math.log1p(-p)

    root = brentq(surprise, sys.float_info.min, successes / (successes + failures), xtol=1e-15)
    return float(root)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


# Ratios of exact integer sums, with errors clustered by unit


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
        return beta_binomial(successes, trials - successes)
    return wilson(estimate.value, trials)


def _is_binary(ratio: RatioSums) -> bool:
    """Whether every unit is one trial, with a result of all or nothing."""
    is_one_trial = ratio.denominator_square == ratio.denominator
    return is_one_trial and ratio.numerator_square == ratio.scale * ratio.numerator
