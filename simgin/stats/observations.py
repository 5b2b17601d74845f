"""Estimates from single observations, clustered by unit: a mirrored pair, or a deal or match of its own.

`simgin.stats.ratios` has the same from exact sums of batches; here every observation is at hand.

See docs/explanation/statistics.md#units-and-pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simgin.stats.ratios import ENOUGH_UNITS, Z95, quantile, wilson


class Ratio(NamedTuple):
    """A ratio, its standard error, and the units behind it; value and error are NaN below 30 units."""

    value: float
    se: float
    units: int


def ratio(numerator: ArrayLike, denominator: ArrayLike, unit: np.ndarray) -> Ratio:
    """Sum over sum of observations, with the error of the delta method over units; `denominator` may be one number for all."""
    x, d = np.asarray(numerator, float), np.broadcast_to(np.asarray(denominator, float), unit.shape)
    labels, place = np.unique(unit, return_inverse=True)
    n, total = len(labels), d.sum()
    if n < ENOUGH_UNITS or total <= 0:
        return Ratio(np.nan, np.nan, n)
    value = x.sum() / total
    residual = np.bincount(place, x - value * d)
    return Ratio(float(value), float(np.sqrt(n / (n - 1) * (residual**2).sum()) / total), n)


def mean(x: ArrayLike, unit: np.ndarray) -> Ratio:
    """The mean of observations."""
    return ratio(x, 1, unit)


def by_cell(
    x: np.ndarray, unit: np.ndarray, cell: np.ndarray, cells: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """In each of so many cells the mean of x, its standard error and the number of observations; NaN in cells of fewer than 30 units."""
    n = np.bincount(cell, minlength=cells)
    keys, place = np.unique(cell * (unit.max(initial=0) + 1) + unit, return_inverse=True)
    own = keys // (unit.max(initial=0) + 1)
    units = np.bincount(own, minlength=cells)
    enough = units >= ENOUGH_UNITS
    value = np.where(enough, np.bincount(cell, x, minlength=cells) / np.maximum(n, 1), np.nan)
    residual = np.bincount(place, x - value[cell], minlength=len(keys))
    square = np.bincount(own, residual**2, minlength=cells)
    return value, np.sqrt(units / np.maximum(units - 1, 1) * square) / np.maximum(n, 1), n


def limits(value: float, se: float, units: int) -> tuple[float, float]:
    """95 % limits of a mean by Student's t or the normal quantile."""
    half = quantile(units) * se if units >= ENOUGH_UNITS else np.nan
    return value - half, value + half


def share_limits(value: float, se: float, n: int) -> tuple[float, float]:
    """95 % limits of a share: Wilson's for as many trials as its error is worth, of n where all went alike."""
    return wilson(value, value * (1 - value) / se**2 if se > 0 else n)


def median_limits(x: np.ndarray, unit: np.ndarray) -> tuple[float, float]:
    """95 % limits of the median of x: order statistics, at the ranks of a sign test whose error is clustered by unit.

    Woodruff, Journal of the American Statistical Association 1952. x comes from at least 30 units.
    """
    side = np.sign(x - np.median(x))
    alone = mean(side, np.arange(len(x))).se
    effect = mean(side, unit).se / alone if alone > 0 else 1.0
    return quantile_limits(x, 0.5, effect * 0.5 / np.sqrt(len(x)))


def quantile_limits(x: np.ndarray, q: float, se: float) -> tuple[float, float]:
    """The order statistics of x around the ranks q +- 1.96 se, se being the error of the share of x below its q-quantile."""
    ranked, n = np.sort(x), len(x)
    low, high = int(np.floor(n * (q - Z95 * se))) - 1, int(np.ceil(n * (q + Z95 * se)))
    return float(ranked[max(low, 0)]), float(ranked[min(high, n - 1)])
