"""Estimates from single observations, with errors clustered by unit.

A unit is a mirrored pair, or a deal or match of its own
(docs/explanation/statistics.md#units-and-pairs). `simgin.stats.ratios` computes the same from the
exact sums of batches; here every observation is at hand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from simgin.stats.estimate import ENOUGH_UNITS, Z95, Estimate, quantile, undefined


def ratio(numerator: ArrayLike, denominator: ArrayLike, unit: np.ndarray) -> Estimate:
    """Sum over sum of observations, with the error of the delta method over units.

    `denominator` may be one number for all. Undefined below 30 units.
    """
    x = np.asarray(numerator, float)
    each = np.asarray(denominator, float)
    d = np.broadcast_to(each, unit.shape)
    labels, place = np.unique(unit, return_inverse=True)
    n = len(labels)
    total = d.sum()
    if n < ENOUGH_UNITS or total <= 0:
        return undefined(n)
    value = x.sum() / total
    unexplained = x - value * d
    residual = np.bincount(place, unexplained)
    squares = residual**2
    correction = n / (n - 1)
    variance = correction * squares.sum()
    se = float(np.sqrt(variance) / total)
    low, high = limits(float(value), se, n)
    return Estimate(float(value), se, n, low, high)


def mean(x: ArrayLike, unit: np.ndarray) -> Estimate:
    """The mean of observations."""
    return ratio(x, 1, unit)


def by_cell(
    x: np.ndarray, unit: np.ndarray, cell: np.ndarray, cells: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The mean of x in each of `cells` cells, its standard error and the number of observations.

    NaN in cells of fewer than 30 units. cell: of every observation, from 0.
    """
    n = np.bincount(cell, minlength=cells)
    filled = np.maximum(n, 1)
    units = unit.max(initial=0) + 1
    key = cell * units + unit
    keys, place = np.unique(key, return_inverse=True)
    own = keys // units
    counts = np.bincount(own, minlength=cells)
    totals = np.bincount(cell, x, minlength=cells)
    means = totals / filled
    is_enough = counts >= ENOUGH_UNITS
    value = np.where(is_enough, means, np.nan)
    deviation = x - value[cell]
    residual = np.bincount(place, deviation, minlength=len(keys))
    squares = residual**2
    scatter = np.bincount(own, squares, minlength=cells)
    freedom = np.maximum(counts - 1, 1)
    correction = counts / freedom
    variance = correction * scatter
    se = np.sqrt(variance) / filled
    return value, se, n


def limits(value: float, se: float, units: int) -> tuple[float, float]:
    """95 % limits of a mean by Student's t or the normal quantile."""
    half = np.nan
    if units >= ENOUGH_UNITS:
        half = quantile(units) * se
    low = value - half
    high = value + half
    return low, high


def median_limits(x: np.ndarray, unit: np.ndarray) -> tuple[float, float]:
    """95 % limits of the median of x, which comes from at least 30 units.

    They are order statistics, at the ranks of a sign test whose error is clustered by unit
    (Woodruff, Journal of the American Statistical Association 1952).
    """
    n = len(x)
    median = np.median(x)
    side = np.sign(x - median)
    alone = np.arange(n)
    unclustered = mean(side, alone).se
    effect = 1.0
    if unclustered > 0:
        clustered = mean(side, unit).se
        effect = clustered / unclustered
    se = effect * 0.5 / np.sqrt(n)
    return quantile_limits(x, 0.5, se)


def quantile_limits(x: np.ndarray, q: float, se: float) -> tuple[float, float]:
    """The order statistics of x around the ranks q ± 1.96 se.

    se: the standard error of the share of x below its q-quantile.
    """
    ranked = np.sort(x)
    n = len(x)
    half = Z95 * se
    low_rank = n * (q - half)
    high_rank = n * (q + half)
    low = int(np.floor(low_rank)) - 1
    high = int(np.ceil(high_rank))
    low = max(low, 0)
    high = min(high, n - 1)
    lowest = float(ranked[low])
    highest = float(ranked[high])
    return lowest, highest
