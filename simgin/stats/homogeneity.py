"""Homogeneity of a share over batches and over workers: chi-square with errors clustered by unit.

A batch is a pure function of its units, so one that stands out is played again and must repeat;
nothing is ever dropped (docs/explanation/statistics.md#homogeneity).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.stats import batches
from simgin.stats.metrics import BY_NAME, Metric
from simgin.stats.ratios import metric_sums


@dataclass(frozen=True)
class Homogeneity:
    """Chi-square of a share over batches, or over groups of them.

    NaN where there are fewer than two to compare, or nothing varies.
    """

    statistic: float
    df: int
    p: float
    largest: float  # the standardised residual farthest from 0
    where: int  # the number of its batch, or its group's label; -1 where there is none


def homogeneity(
    rows: np.ndarray, metric: str, groups: Sequence[int] | np.ndarray | None = None
) -> Homogeneity:
    """Chi-square of a metric, seen by A, over the batches of rows (int64 (batches, sums.COLUMNS)).

    `groups` labels each batch, say by its worker, and compares the groups instead. The variance is
    that of the units of all batches.
    """
    from scipy.special import chdtrc

    if groups is None:
        groups = np.arange(len(rows))
    labels, merged = _merged(rows, np.asarray(groups))
    residual, variance = _residuals(merged, BY_NAME[metric])
    df = len(merged) - 1
    if df < 1 or not variance > 0:
        return Homogeneity(np.nan, max(df, 0), np.nan, np.nan, -1)
    units = batches.unit_counts(merged)
    variances = units * variance
    statistic = float((residual**2 / variances).sum())
    standard = residual / np.sqrt(variances * (1 - units / units.sum()))
    farthest = int(np.abs(standard).argmax())
    return Homogeneity(
        statistic,
        df,
        p=float(chdtrc(df, statistic)),
        largest=float(standard[farthest]),
        where=int(labels[farthest]),
    )


def _merged(rows: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labels of the groups that hold units, and the sums of their rows."""
    labels, group = np.unique(groups, return_inverse=True)
    merged = np.zeros((len(labels), sums.COLUMNS), np.int64)
    np.add.at(merged, group, rows)
    is_held = batches.unit_counts(merged) > 0
    return labels[is_held], merged[is_held]


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
