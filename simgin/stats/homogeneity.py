"""Homogeneity of a share over batches and over workers: chi-square with errors clustered by unit.

A batch is a pure function of its units, so one that stands out is played again and must repeat;
nothing is ever dropped (docs/explanation/statistics.md#homogeneity).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.stats import metrics


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

    labels, merged = _merged(rows, np.arange(len(rows)) if groups is None else np.asarray(groups))
    fact = metrics.BY_NAME[metric].fact()
    residual, variance = _residuals(merged, fact)
    df = len(merged) - 1
    if df < 1 or not variance > 0:
        return Homogeneity(np.nan, max(df, 0), np.nan, np.nan, -1)
    units = merged[:, sums.UNITS]
    expected = units * variance
    statistic = float((residual**2 / expected).sum())
    p = float(chdtrc(df, statistic))
    standard = residual / np.sqrt(expected * (1 - units / units.sum()))
    farthest = int(np.abs(standard).argmax())
    largest, where = float(standard[farthest]), int(labels[farthest])
    return Homogeneity(statistic, df, p, largest, where)


def _merged(rows: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labels of the groups that hold units, and the sums of their rows."""
    labels, group = np.unique(groups, return_inverse=True)
    merged = np.zeros((len(labels), sums.COLUMNS), np.int64)
    np.add.at(merged, group, rows)
    held = merged[:, sums.UNITS] > 0
    return labels[held], merged[held]


def _residuals(rows: np.ndarray, fact: int) -> tuple[np.ndarray, float]:
    """N_b - r D_b of every batch, and the variance of the same of a unit."""
    below = sums.DENOMINATOR[fact]
    total = [int(column) for column in rows.sum(axis=0, dtype=np.int64)]
    n, d, units = total[sums.SUM + fact], total[sums.SUM + below], total[sums.UNITS]
    if d == 0 or units < 2:
        return np.zeros(len(rows)), 0.0
    nn, dd = total[sums.SQUARE + fact], total[sums.SQUARE + below]
    nd = total[sums.CROSS + fact]
    scatter = nn * d * d - 2 * n * d * nd + n * n * dd  # exact: sum (N - r D)^2 times D^2
    residual = rows[:, sums.SUM + fact] - n / d * rows[:, sums.SUM + below]
    variance = scatter / (d * d * (units - 1))
    return residual, variance
