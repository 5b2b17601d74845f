"""Batch rows: their totals, how far each batch moves an estimate, whether all are alike.

Cells of one seed share their packs, batch by batch. So what is computed from several cells gets its
error from their batches' joint moves, which knows of the packs in common (delta method,
docs/explanation/statistics.md#differences-between-matchups). Rows are int64 of shape
(batches, sums.COLUMNS).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from simgin.core import sums
from simgin.core.cell import Cell
from simgin.stats.estimate import metric_sums
from simgin.stats.metrics import BY_NAME, COUNTS, METRICS

ENOUGH_BATCHES = 5  # with fewer an error from batches is undefined: a dash
PAIRS = slice(sums.PAIR_HISTOGRAM, sums.PAIR_HISTOGRAM + sums.PAIR_BINS)
SCORES = np.arange(sums.PAIR_BINS) / 4  # what A wins of a pair, by bin


def total(rows: np.ndarray) -> np.ndarray:
    """The exact sum of batch rows, column by column: int64 of length sums.COLUMNS."""
    return np.asarray(rows.sum(axis=0, dtype=np.int64))


def fact_sums(rows: np.ndarray, fact: int) -> np.ndarray:
    """What a fact adds up to in each batch: int64 (batches,)."""
    return np.asarray(rows[:, sums.SUM + fact])


def denominator_sums(rows: np.ndarray, fact: int) -> np.ndarray:
    """What the denominator of a fact adds up to in each batch: int64 (batches,)."""
    return fact_sums(rows, sums.DENOMINATOR[fact])


def unit_counts(rows: np.ndarray) -> np.ndarray:
    """The number of units in each batch: int64 (batches,)."""
    return np.asarray(rows[:, sums.UNITS])


def count_played(rows: np.ndarray, unit: str) -> int:
    """How many deals or matches the rows hold; unit: "deal" or "match"."""
    return int(fact_sums(rows, sums.FACT[COUNTS[unit]]).sum())


def effective(rows: np.ndarray) -> float:
    """How many batches of equal size these are worth: (sum u)^2 / sum u^2.

    One that was cut short counts for less than one.
    """
    units = unit_counts(rows).astype(float)
    return float(units.sum() ** 2 / (units @ units))


def influence(rows: np.ndarray, fact: int, scale: int = 1) -> np.ndarray:
    """How far each batch moves the ratio of a fact to its denominator.

    (N_b - r D_b) / D: float64 (batches,), of sum 0.
    """
    n = fact_sums(rows, fact) / scale
    d = denominator_sums(rows, fact)
    whole = d.sum()
    return np.asarray((n - n.sum() / whole * d) / whole)


def standard_error(moves: np.ndarray, batches: float) -> float:
    """The standard error of what `batches` batches move so far.

    A batch of u of U units has its moves' variance in proportion to u (1 - u / U), so the sum of
    squares is short by one part in the effective number of batches.
    """
    squares = moves**2
    return float(np.sqrt(batches / (batches - 1) * squares.sum()))


def allow_for_unseen(se: float, freedom: float, unseen: float) -> tuple[float, float]:
    """The error of a difference of shares and its degrees of freedom, with what was not seen.

    Two shares that seldom differ may happen to agree in every batch, or to differ in one, and the
    batches alone would then call the difference exact. `unseen` is the variance of one case more on
    either side (Agresti and Caffo, American Statistician 2000; for pairs Bonett and Price, Journal
    of Educational and Behavioral Statistics 2012). Being no estimate, it adds degrees of freedom:
    in proportion, which is fewer than Satterthwaite's and covers better
    (docs/explanation/decisions/0021-rare-differences-and-circles.md). Cells that are equal in every
    batch stay without error.
    """
    if not se > 0:
        return se, freedom
    variance = se**2
    whole = variance + unseen
    # In brackets, so that with nothing unseen the freedom stays what it is: at 100 batches
    # a rounding error below would take Student's quantile instead of 1.96
    return float(np.sqrt(whole)), freedom * (whole / variance)


@dataclass(frozen=True, eq=False)
class Played:
    """What came of a cell, seen by A or, `as_b`, by B."""

    cell: Cell
    rows: np.ndarray  # int64 (batches, sums.COLUMNS), from unit 0 on
    # Half-width of intervals in standard errors where results might have stopped the run
    # (`simgin.runs.stopping`)
    multiplier: float | None = None
    as_b: bool = False

    @property
    def strategy(self) -> str:
        """The strategy that sees the cell so."""
        return self.cell.b if self.as_b else self.cell.a

    @property
    def opponent(self) -> str:
        """The other one; empty for one player."""
        return self.cell.a if self.as_b else self.cell.b

    def reversed(self) -> Played:
        """The same cell, seen by the opponent."""
        return replace(self, as_b=not self.as_b)

    @property
    def is_identical(self) -> bool:
        """Whether both play identically: every pair of mirrored deals ended level in everything."""
        if not self.cell.mirrored:
            return False
        total = self.rows.sum(axis=0)
        if total[sums.SQUARE + sums.FACT["a_margin"]] != 0:
            return False
        return all(
            metric_sums(total, metric) == metric_sums(total, metric, as_b=True)
            for metric in METRICS
        )


# Homogeneity. A batch is a pure function of its units, so one that stands out is played again and
# must repeat; nothing is ever dropped (docs/explanation/statistics.md#homogeneity).


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
    labels, group = np.unique(
        np.arange(len(rows)) if groups is None else groups, return_inverse=True
    )
    merged = np.zeros((len(labels), sums.COLUMNS), np.int64)
    np.add.at(merged, group, rows)
    is_held = unit_counts(merged) > 0
    labels, merged = labels[is_held], merged[is_held]
    units, df = unit_counts(merged), len(merged) - 1
    ratio = metric_sums(total(merged), BY_NAME[metric])
    if df < 1 or not ratio.scatter > 0:
        return Homogeneity(np.nan, max(df, 0), np.nan, np.nan, -1)
    fact, d = BY_NAME[metric].fact(), ratio.denominator
    residual = fact_sums(merged, fact) - ratio.numerator / d * denominator_sums(merged, fact)
    variances = units * (ratio.scatter / (d * d * (int(units.sum()) - 1)))
    statistic = float((residual**2 / variances).sum())
    standard = residual / np.sqrt(variances * (1 - units / units.sum()))
    where = int(np.abs(standard).argmax())
    p = chi_square_tail(statistic, df)
    return Homogeneity(statistic, df, p, float(standard[where]), int(labels[where]))


def chi_square_tail(statistic: float, df: int) -> float:
    """How likely a chi-square of `df` degrees of freedom, 1 or more, is at least so large.

    The finite sum of Abramowitz and Stegun 26.4.4 and 26.4.5.
    """
    half = statistic / 2
    if not half > 0:
        return 1.0
    start = math.erfc(math.sqrt(half)) if df % 2 else 0.0
    orders = (k + df % 2 / 2 for k in range(df // 2))
    return start + sum(
        math.exp(order * math.log(half) - half - math.lgamma(order + 1)) for order in orders
    )
