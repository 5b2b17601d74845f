"""An estimate with its standard error, and the intervals and thresholds that go with one.

The formulas are in docs/explanation/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

Z95 = 1.96
ENOUGH_UNITS = 30  # with fewer an estimate is undefined: a dash, never a bare number
NORMAL_FROM = 100  # units; with fewer the quantile is Student's
LEAST_UNITS = 1.5  # with fewer Student's quantile runs to thousands
SERIES = 1000  # terms, of which the last is below 1e-17 of the sum
NEAR = 1e-9  # a step of Newton's method, which squares what is left of the error
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
    se = float(values.std(ddof=1)) / math.sqrt(n)
    return around(float(values.mean()), se, n, n)


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
