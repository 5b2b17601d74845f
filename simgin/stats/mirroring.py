"""What mirroring is worth, and who sweeps: measured from the pairs of one cell.

docs/explanation/statistics.md#what-mirroring-is-worth has the formulas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import sums
from simgin.stats import batches, metrics, quantity
from simgin.stats.batches import ENOUGH_BATCHES, PAIRS, SCORES
from simgin.stats.estimate import ENOUGH_UNITS, Z95
from simgin.stats.quantity import Quantity
from simgin.stats.table import frame_of

if TYPE_CHECKING:
    import pandas as pd

MIRRORING_COLUMNS = (
    *("measure", "rho", "luck", "se", "n"),
    *("rho_low", "rho_high", "luck_low", "luck_high"),
)
# The fact and the column of squares that hold the margin of what was played
MARGIN = {
    metrics.DEAL: ("a_margin", sums.DEAL_SQUARE),
    metrics.MATCH: ("a_match_margin", sums.MATCH_SQUARE),
}

Rho = Callable[[np.ndarray, str], np.ndarray]  # sums of rows (sums, columns), unit -> rho of each


def gain(rows: np.ndarray, unit: str, multiplier: float | None = None) -> pd.DataFrame:
    """rho and luck of the margin ("points") and of wins ("share"): MIRRORING_COLUMNS.

    rho = Var(z) / (Var(x) / 2), where z is the mean of a pair and x a single result of what was
    played (unit "deal" or "match"); what nobody won counts one half. It is 1 where pairing gains
    nothing, and n single results are worth n / rho. luck = 1 - rho is the share of a single
    result's variance that belongs to the pack. One standard error holds for both, from leaving out
    each batch in turn, and the limits are Student's over batches. n counts single results.

    multiplier: the half-width of intervals in standard errors where results might have stopped the
    run. rows: int64 (batches, sums.COLUMNS) of a mirrored cell. NaN under 30 pairs or 5 batches, or
    where nothing varies.
    """
    singles = batches.count_played(rows, unit)
    table = []
    for measure, function in (("points", _margin_rho), ("share", _win_rho)):
        rho = _jackknifed(rows, unit, function)
        low, high = _limits(rho, multiplier)
        row = (measure, rho.value, 1 - rho.value, rho.se, singles, low, high, 1 - high, 1 - low)
        table.append(row)
    return frame_of(table, MIRRORING_COLUMNS)


def _limits(rho: Quantity, multiplier: float | None) -> tuple[float, float]:
    """95 % limits, wider where results might have stopped the run."""
    low, high = rho.limits
    if multiplier is None:
        return low, high
    half = multiplier / Z95 * (high - low) / 2
    return rho.value - half, rho.value + half


def _jackknifed(rows: np.ndarray, unit: str, rho: Rho) -> Quantity:
    """rho of all batches, with its error by the jackknife over batches."""
    total = batches.total(rows)
    n = batches.count_played(rows, unit)
    if total[sums.UNITS] < ENOUGH_UNITS or len(rows) < ENOUGH_BATCHES:
        return Quantity.with_error(np.nan, np.nan, n)
    (whole,) = rho(total[None], unit)
    return quantity.from_left_out(float(whole), rho(total - rows, unit), n)


def _margin_rho(totals: np.ndarray, unit: str) -> np.ndarray:
    """rho of the margin for each of several sums of rows; NaN where it never varies."""
    name, square = MARGIN[unit]
    fact = sums.FACT[name]
    margins = batches.fact_sums(totals, fact)
    squares = totals[:, sums.SQUARE + fact]
    single_squares = totals[:, square]
    return _rho(
        pairs=batches.unit_counts(totals),
        total=margins / 2,
        pair_squares=squares / 4,
        single_squares=single_squares.astype(float),
    )


def _win_rho(totals: np.ndarray, unit: str) -> np.ndarray:
    """The same of what is won: 1, one half or 0."""
    counts = totals[:, PAIRS]
    if unit == metrics.DEAL:
        won = _sums(totals, "a_deal_win")
        drawn = _sums(totals, "deals") - _sums(totals, "decided")
    else:
        drawn = _sums(totals, "match_drawn") + _sums(totals, "unfinished")
        won = (_sums(totals, "a_match_win") - drawn) / 2
    return _rho(
        pairs=batches.unit_counts(totals),
        total=counts @ SCORES,
        pair_squares=counts @ SCORES**2,
        single_squares=won + drawn / 4,
    )


def _sums(totals: np.ndarray, name: str) -> np.ndarray:
    return batches.fact_sums(totals, sums.FACT[name])


def _rho(
    pairs: np.ndarray, total: np.ndarray, pair_squares: np.ndarray, single_squares: np.ndarray
) -> np.ndarray:
    """From the sum of z, of z^2, and of x^2 over both halves; both variances about one mean."""
    mean = total / pairs
    singles = 2 * pairs
    pair_variance = (pair_squares - pairs * mean**2) / (pairs - 1)
    single_variance = (single_squares - singles * mean**2) / (singles - 1)
    rho = np.full(len(pairs), np.nan)
    np.divide(2 * pair_variance, single_variance, out=rho, where=single_variance > 0)
    return rho


@dataclass(frozen=True)
class Sweeps:
    """Pairs in which A or B won both halves, and the chance of such a split by luck alone."""

    a: int
    b: int
    p: float  # two-sided, exact; NaN without sweeps


def sweeps(totals: np.ndarray) -> Sweeps:
    """The exact sign test on sweeps.

    totals: sum of the batch rows of a mirrored cell, int64 of length sums.COLUMNS.
    """
    from scipy.stats import binomtest

    counts = totals[PAIRS]
    a = int(counts[-1])
    b = int(counts[0])
    swept = a + b
    if not swept:
        return Sweeps(a, b, np.nan)
    return Sweeps(a, b, float(binomtest(a, swept).pvalue))
