"""Estimates from single observations, with errors clustered by unit.

A unit is a mirrored pair, or a deal or match of its own
(docs/explanation/statistics.md#units-and-pairs). `simgin.stats.ratios` computes the same from the
exact sums of batches; here every observation is at hand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from simgin.stats.estimate import ENOUGH_UNITS, Z95, Estimate, around, undefined


def ratio(numerator: ArrayLike, denominator: ArrayLike, unit: np.ndarray) -> Estimate:
    """Sum over sum of observations, with the error of the delta method over units.

    `denominator` may be one number for all. Undefined below 30 units.
    """
    x = np.asarray(numerator, float)
    d = np.broadcast_to(np.asarray(denominator, float), unit.shape)
    labels, place = np.unique(unit, return_inverse=True)
    n = len(labels)
    total = d.sum()
    if n < ENOUGH_UNITS or total <= 0:
        return undefined(n)
    value = x.sum() / total
    squares = np.bincount(place, x - value * d) ** 2
    se = float(np.sqrt(n / (n - 1) * squares.sum()) / total)
    return around(float(value), se, n, n)


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
    keys, place = np.unique(cell * units + unit, return_inverse=True)
    own = keys // units
    counts = np.bincount(own, minlength=cells)
    means = np.bincount(cell, x, minlength=cells) / filled
    value = np.where(counts >= ENOUGH_UNITS, means, np.nan)
    squares = np.bincount(place, x - value[cell], minlength=len(keys)) ** 2
    correction = counts / np.maximum(counts - 1, 1)
    return value, np.sqrt(correction * np.bincount(own, squares, minlength=cells)) / filled, n


def median_limits(x: np.ndarray, unit: np.ndarray) -> tuple[float, float]:
    """95 % limits of the median of x, which comes from at least 30 units.

    They are order statistics, at the ranks of a sign test whose error is clustered by unit
    (Woodruff, Journal of the American Statistical Association 1952).
    """
    n = len(x)
    side = np.sign(x - np.median(x))
    unclustered = mean(side, np.arange(n)).se
    effect = mean(side, unit).se / unclustered if unclustered > 0 else 1.0
    half = Z95 * (effect * 0.5 / np.sqrt(n))
    low = max(int(np.floor(n * (0.5 - half))) - 1, 0)
    high = min(int(np.ceil(n * (0.5 + half))), n - 1)
    ranked = np.sort(x)
    return float(ranked[low]), float(ranked[high])
