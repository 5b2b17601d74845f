"""Computations on batch rows: sums, influences of batches on estimates, and homogeneity tests.

Matchups with the same seed play the same deals, batch by batch. If a quantity combines several
matchups, its standard error is therefore computed from the joint influences of their batches. The
joint influences include the covariance due to shared deals (delta method,
docs/explanation/statistics.md#differences-between-matchups). Batch rows are an int64 array of shape
(n_batches, batch_columns.N_COLUMNS).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from simgin.core.batch_columns import (
    DENOMINATOR_INDICES,
    N_WIN_RATE_BINS,
    SQUARES_START,
    STATISTIC_INDEX,
    SUMS_START,
    UNITS_COLUMN,
    WIN_RATE_HISTOGRAM_START,
)
from simgin.core.matchup_key import MatchupKey
from simgin.stats.estimate import compute_ratio_sums
from simgin.stats.metrics import METRICS, METRICS_BY_NAME, UNIT_COUNT_STATISTICS

MIN_BATCHES = 5  # minimum number of batches for a standard error
PAIR_HISTOGRAM_COLUMNS = slice(WIN_RATE_HISTOGRAM_START, WIN_RATE_HISTOGRAM_START + N_WIN_RATE_BINS)
# win rate of A in a mirrored pair, for each bin
PAIR_WIN_RATES = np.arange(N_WIN_RATE_BINS) / 4


def sum_rows(rows: np.ndarray) -> np.ndarray:
    """Return the exact sum of each column of the batch rows."""
    return np.asarray(rows.sum(axis=0, dtype=np.int64))


def extract_statistic_sums(rows: np.ndarray, statistic_index: int) -> np.ndarray:
    """Return the sum of a recorded quantity in each batch."""
    return np.asarray(rows[:, SUMS_START + statistic_index])


def extract_denominator_sums(rows: np.ndarray, statistic_index: int) -> np.ndarray:
    """Return the sum of the denominator of a recorded quantity in each batch."""
    return extract_statistic_sums(rows, DENOMINATOR_INDICES[statistic_index])


def extract_unit_counts(rows: np.ndarray) -> np.ndarray:
    """Return the number of units in each batch."""
    return np.asarray(rows[:, UNITS_COLUMN])


def count_games(rows: np.ndarray, unit: str) -> int:
    """Count the deals or matches in the batch rows.

    Args:
        rows: Batch rows.
        unit: "deal" or "match".
    """
    return int(extract_statistic_sums(rows, STATISTIC_INDEX[UNIT_COUNT_STATISTICS[unit]]).sum())


def count_effective_batches(rows: np.ndarray) -> float:
    """Return the effective number of equal-sized batches, (sum u)^2 / sum u^2 for batch sizes u.

    An incomplete batch counts as less than one batch.
    """
    units = extract_unit_counts(rows).astype(float)
    return float(units.sum() ** 2 / (units @ units))


def compute_influences(rows: np.ndarray, statistic_index: int, scale: int = 1) -> np.ndarray:
    """Return the influence of each batch on the ratio of a recorded quantity to its denominator.

    Args:
        rows: Batch rows.
        statistic_index: Index of the numerator.
        scale: Integer factor by which the numerator is multiplied.

    Returns:
        Influences (N_b - r D_b) / D, (n_batches,) float64. The influences add up to 0.
    """
    numerators = extract_statistic_sums(rows, statistic_index) / scale
    denominators = extract_denominator_sums(rows, statistic_index)
    denominator = denominators.sum()
    return np.asarray((numerators - numerators.sum() / denominator * denominators) / denominator)


def compute_standard_error(influences: np.ndarray, n_batches: float) -> float:
    """Compute the standard error of an estimate from the influences of the batches.

    For a batch with u of the U units, the variance of the influence is proportional to u (1 - u /
    U). The sum of squares is therefore too small by the factor 1 - 1 / batches.

    Args:
        influences: Influence of each batch.
        n_batches: Effective number of batches.
    """
    squared_influences = influences**2
    return float(np.sqrt(n_batches / (n_batches - 1) * squared_influences.sum()))


def add_continuity_correction(se: float, df: float, unseen_variance: float) -> tuple[float, float]:
    """Correct the standard error of a difference of proportions for unobserved events.

    If a rare event occurs equally often in all batches or in all batches except one, the difference
    looks exact. The correction is the variance of one additional event on each side (Agresti and
    Caffo, American Statistician 2000; for pairs, Bonett and Price, Journal of Educational and
    Behavioral Statistics 2012). The added variance is known exactly, so the degrees of freedom
    increase in proportion. The corrected degrees of freedom are fewer than Satterthwaite's and give
    better coverage (docs/explanation/decisions/0007-metrics.md). If both matchups have equal
    results in every batch, the standard error remains 0.

    Args:
        se: Standard error computed from the batches.
        df: Degrees of freedom.
        unseen_variance: Variance of one additional event on each side.

    Returns:
        The corrected standard error and degrees of freedom.
    """
    if not se > 0:
        return se, df
    variance = se**2
    corrected_variance = variance + unseen_variance
    # The parentheses make the degrees of freedom exact if `unseen_variance` is 0. With 100 batches,
    # a rounding error would select Student's t instead of 1.96.
    return float(np.sqrt(corrected_variance)), df * (corrected_variance / variance)


@dataclass(frozen=True, eq=False)
class BatchRows:
    """Batch rows of a matchup, seen from the perspective of A or B.

    Attributes:
        matchup: Key of the matchup.
        rows: Batch rows, (n_batches, batch_columns.N_COLUMNS) int64, starting at unit 0.
        critical_value: Half-width of intervals in standard errors for a run with a stopping rule
            (see `simgin.runs.stopping`), or None for a run of fixed size.
        as_b: True if the rows are seen from the perspective of B.
    """

    matchup: MatchupKey
    rows: np.ndarray
    critical_value: float | None = None
    as_b: bool = False

    @property
    def strategy(self) -> str:
        """Name of the strategy from whose perspective the rows are evaluated."""
        return self.matchup.b if self.as_b else self.matchup.a

    @property
    def opponent(self) -> str:
        """Name of the opposing strategy, or "" in a solitaire game."""
        return self.matchup.a if self.as_b else self.matchup.b

    def swap_sides(self) -> BatchRows:
        """Return the same batch rows from the perspective of the opponent."""
        return replace(self, as_b=not self.as_b)

    @property
    def has_identical_players(self) -> bool:
        """True if both strategies play identically, so that the games of each pair cancel out."""
        if not self.matchup.is_mirrored:
            return False
        total = self.rows.sum(axis=0)
        if total[SQUARES_START + STATISTIC_INDEX["a_margin"]] != 0:
            return False
        return all(
            compute_ratio_sums(total, metric) == compute_ratio_sums(total, metric, as_b=True)
            for metric in METRICS
        )


# Homogeneity of batches
#
# A batch depends only on its units, so replaying an outlier must give the same result. simgin never
# drops a batch (docs/explanation/statistics.md#homogeneity).


@dataclass(frozen=True)
class HomogeneityTest:
    """Chi-square test of whether a proportion is the same in all batches or groups of batches.

    If there are fewer than two groups or the variance is 0, the statistic, the p-value and the
    largest residual are NaN.

    Attributes:
        statistic: Chi-square statistic.
        df: Degrees of freedom of the statistic.
        p: p-value of the test.
        largest_residual: Standardised residual with the largest absolute value.
        largest_group: Batch number or group label of the largest residual, or -1 if it is
            undefined.
    """

    statistic: float
    df: int
    p: float
    largest_residual: float
    largest_group: int


def list_homogeneity_columns(metric: str) -> list[int]:
    """Return the column indices of the units, the numerator and the denominator of a metric."""
    index = METRICS_BY_NAME[metric].find_numerator_index()
    return [UNITS_COLUMN, SUMS_START + index, SUMS_START + DENOMINATOR_INDICES[index]]


def run_homogeneity_test(
    columns: np.ndarray,
    total: np.ndarray,
    metric: str,
    groups: Sequence[int] | np.ndarray | None = None,
) -> HomogeneityTest:
    """Test whether a metric of strategy A is the same in all batches or groups of batches.

    Args:
        columns: `list_homogeneity_columns` of the batch rows, (n_batches, 3) int64.
        total: Sum of the batch rows, (batch_columns.N_COLUMNS,) int64, from which the variance of a
            unit is estimated.
        metric: Name of the metric.
        groups: Labels of the batches, such as worker names. If labels are given, the test compares
            groups of batches instead of single batches.
    """
    groups = np.arange(len(columns)) if groups is None else groups
    labels, group_index = np.unique(groups, return_inverse=True)
    group_sums = np.zeros((len(labels), columns.shape[1]), np.int64)
    np.add.at(group_sums, group_index, columns)
    units, numerators, denominators = group_sums.T
    sums, df = compute_ratio_sums(total, METRICS_BY_NAME[metric]), len(labels) - 1
    if df < 1 or not sums.residual_squares > 0:
        return HomogeneityTest(np.nan, max(df, 0), np.nan, np.nan, -1)
    total_denominator = sums.denominator
    residuals = numerators - sums.numerator / total_denominator * denominators
    variances = units * (
        sums.residual_squares / (total_denominator * total_denominator * (int(units.sum()) - 1))
    )
    statistic = float((residuals**2 / variances).sum())
    standard_residuals = residuals / np.sqrt(variances * (1 - units / units.sum()))
    index = int(np.abs(standard_residuals).argmax())  # index of the largest residual
    p = compute_chi_square_p_value(statistic, df)
    return HomogeneityTest(statistic, df, p, float(standard_residuals[index]), int(labels[index]))


def compute_chi_square_p_value(statistic: float, df: int) -> float:
    """Return the probability that a chi-square variable is at least as large as a statistic.

    The probability is a finite sum (Abramowitz and Stegun, 26.4.4 and 26.4.5).

    Args:
        statistic: Value of the statistic.
        df: Degrees of freedom, at least 1.
    """
    half_statistic = statistic / 2
    if not half_statistic > 0:
        return 1.0
    first_term = math.erfc(math.sqrt(half_statistic)) if df % 2 else 0.0
    exponents = (k + df % 2 / 2 for k in range(df // 2))
    return first_term + sum(
        math.exp(exponent * math.log(half_statistic) - half_statistic - math.lgamma(exponent + 1))
        for exponent in exponents
    )
