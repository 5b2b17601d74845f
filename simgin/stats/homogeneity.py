"""Homogeneity of a share over batches: chi-square with errors clustered by unit.

A batch is a pure function of its units, so one that stands out is played again and must repeat;
nothing is ever dropped (docs/explanation/statistics.md#homogeneity).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.stats import batches
from simgin.stats.metrics import BY_NAME, Metric
from simgin.stats.ratios import metric_sums


@dataclass(frozen=True)
class Homogeneity:
    """Chi-square of a share over batches.

    NaN where there are fewer than two to compare, or nothing varies.
    """

    statistic: float
    df: int
    p: float
    largest: float  # the standardised residual farthest from 0
    where: int  # the number of its batch; -1 where there is none


def homogeneity(rows: np.ndarray, metric: str) -> Homogeneity:
    """Chi-square of a metric, seen by A, over the batches of rows (int64 (batches, sums.COLUMNS)).

    The variance is that of the units of all batches.
    """
    from scipy.special import chdtrc

    residual, variance = _residuals(rows, BY_NAME[metric])
    df = len(rows) - 1
    if df < 1 or not variance > 0:
        return Homogeneity(np.nan, max(df, 0), np.nan, np.nan, -1)
    units = batches.unit_counts(rows)
    variances = units * variance
    statistic = float((residual**2 / variances).sum())
    standard = residual / np.sqrt(variances * (1 - units / units.sum()))
    farthest = int(np.abs(standard).argmax())
    return Homogeneity(
        statistic,
        df,
        p=float(chdtrc(df, statistic)),
        largest=float(standard[farthest]),
        where=farthest,
    )


def _residuals(rows: np.ndarray, metric: Metric) -> tuple[np.ndarray, float]:
    """N_b - r D_b of every batch, and the variance of the same of a unit."""
    total = batches.total(rows)
    units = int(total[sums.UNITS])
    ratio = metric_sums(total, metric)
    d = ratio.denominator
    if d == 0 or units < 2:
        return np.zeros(len(rows)), 0.0
    r = ratio.numerator / d
    fact = metric.fact()
    residual = batches.fact_sums(rows, fact) - r * batches.denominator_sums(rows, fact)
    return residual, ratio.scatter / (d * d * (units - 1))
