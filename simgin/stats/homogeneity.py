"""Whether a share is the same in every batch, and with every worker: chi-square with errors clustered by unit.

A batch is a pure function of its units, so one that stands out is played again and must repeat; nothing is ever dropped.

See docs/explanation/statistics.md#homogeneity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.stats import metrics


@dataclass(frozen=True)
class Homogeneity:
    """Chi-square of a share over batches, or over groups of them; NaN where fewer than two are to be compared or nothing varies."""

    statistic: float
    df: int
    p: float
    largest: float  # the standardised residual farthest from 0
    where: int  # the number of its batch, or its group's label; -1 where there is none


def homogeneity(
    rows: np.ndarray, metric: str, groups: Sequence[int] | np.ndarray | None = None
) -> Homogeneity:
    """Chi-square of a metric, seen by A, over the batches of rows (int64 (batches, sums.COLUMNS)).

    `groups` labels each batch, say by its worker, and compares the groups instead. The variance is that of the units of all batches.
    """
    from scipy.special import chdtrc

    labels, group = np.unique(
        np.arange(len(rows)) if groups is None else np.asarray(groups), return_inverse=True
    )
    merged = np.zeros((len(labels), sums.COLUMNS), np.int64)
    np.add.at(merged, group, rows)
    merged, labels = merged[merged[:, sums.UNITS] > 0], labels[merged[:, sums.UNITS] > 0]
    residual, variance = _residuals(merged, sums.FACT[metrics.BY_NAME[metric].own])
    df = len(merged) - 1
    if df < 1 or not variance > 0:
        return Homogeneity(np.nan, max(df, 0), np.nan, np.nan, -1)
    units = merged[:, sums.UNITS]
    statistic = float((residual**2 / (units * variance)).sum())
    standard = residual / np.sqrt(units * variance * (1 - units / units.sum()))
    farthest = int(np.abs(standard).argmax())
    return Homogeneity(
        statistic,
        df,
        float(chdtrc(df, statistic)),
        float(standard[farthest]),
        int(labels[farthest]),
    )


def _residuals(rows: np.ndarray, fact: int) -> tuple[np.ndarray, float]:
    """N_b - r D_b of every batch, and the variance of the same of a unit."""
    total, below = rows.sum(axis=0, dtype=np.int64), sums.DENOMINATOR[fact]
    n, d, units = (int(total[column]) for column in (sums.SUM + fact, sums.SUM + below, sums.UNITS))
    if d == 0 or units < 2:
        return np.zeros(len(rows)), 0.0
    nn, dd, nd = (
        int(total[column])
        for column in (sums.SQUARE + fact, sums.SQUARE + below, sums.CROSS + fact)
    )
    scatter = nn * d * d - 2 * n * d * nd + n * n * dd  # exact: sum (N - r D)^2 times D^2
    return rows[:, sums.SUM + fact] - n / d * rows[:, sums.SUM + below], scatter / (
        d * d * (units - 1)
    )
