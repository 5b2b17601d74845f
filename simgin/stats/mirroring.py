"""What mirroring is worth, and who sweeps: read from the pairs of one cell.

See docs/explanation/statistics.md#what-mirroring-is-worth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import sums
from simgin.stats import metrics, quantity, ratios
from simgin.stats.quantity import Quantity

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("measure", "rho", "luck", "se", "n")
ENOUGH_BATCHES = 5  # with fewer rho has no error, and is not told
MARGIN = {
    metrics.DEAL: ("a_margin", sums.DEAL_SQUARE),
    metrics.MATCH: ("a_match_margin", sums.MATCH_SQUARE),
}


def gain(rows: np.ndarray, unit: str) -> pd.DataFrame:
    """The ratio rho = Var(z) / (Var(x) / 2) of the margin ("points") and of what is won ("share"), with luck = 1 - rho; COLUMNS.

    z is the mean of a pair, x a single result of what was played (unit "deal" or "match"); what nobody won counts one half. rho is 1
    where pairing gains nothing, and n single results are worth n / rho; luck is the share of a single result's variance that belongs
    to the pack. One standard error holds for both, from leaving out each batch in turn. rows: int64 (batches, sums.COLUMNS) of a
    mirrored cell; ValueError for another. n counts single results; NaN under 30 pairs or 5 batches, or where nothing varies.
    """
    import pandas as pd

    total = rows.sum(axis=0, dtype=np.int64)
    singles = int(total[sums.SUM + sums.FACT["deals" if unit == metrics.DEAL else "matches"]])
    if singles != 2 * total[sums.UNITS]:
        raise ValueError(
            "Nothing was played in pairs here, so there is no gain of pairing: take a cell of two different strategies."
        )
    table = []
    for measure, of in (("points", _margins), ("share", _shares)):
        rho = _jackknifed(rows, unit, of)
        table.append((measure, rho.value, 1 - rho.value, rho.se, singles))
    return pd.DataFrame(table, columns=list(COLUMNS))


def luck(rows: np.ndarray, unit: str) -> Quantity:
    """1 - rho of the margin, as `gain` has it; a share of variance, which noise can take below 0."""
    rho = _jackknifed(rows, unit, _margins)
    return rho.scaled(-1, 1)


def _jackknifed(
    rows: np.ndarray, unit: str, rho: Callable[[np.ndarray, str], np.ndarray]
) -> Quantity:
    """The ratio rho of all batches, with its error by the jackknife over batches."""
    total = rows.sum(axis=0, dtype=np.int64)
    n = int(total[sums.SUM + sums.FACT["deals" if unit == metrics.DEAL else "matches"]])
    if total[sums.UNITS] < ratios.ENOUGH_UNITS or len(rows) < ENOUGH_BATCHES:
        return Quantity.told(np.nan, np.nan, n)
    return quantity.of_left_out(float(rho(total[None], unit)[0]), rho(total - rows, unit), n)


def _margins(totals: np.ndarray, unit: str) -> np.ndarray:
    """The ratio rho of the margin for each of several sums of rows (float64 (sums,)); NaN where it never varies."""
    name, square = MARGIN[unit]
    return _rho(
        totals[:, sums.UNITS],
        totals[:, sums.SUM + sums.FACT[name]] / 2,
        totals[:, sums.SQUARE + sums.FACT[name]] / 4,
        totals[:, square].astype(float),
    )


def _shares(totals: np.ndarray, unit: str) -> np.ndarray:
    """The same of what is won: 1, one half or 0."""
    counts, score = (
        totals[:, sums.PAIR_HISTOGRAM : sums.PAIR_HISTOGRAM + sums.PAIR_BINS],
        np.arange(sums.PAIR_BINS) / 4,
    )
    fact = {name: totals[:, sums.SUM + i] for name, i in sums.FACT.items()}
    if unit == metrics.DEAL:
        won, drawn = fact["a_deal_win"], fact["deals"] - fact["decided"]
    else:
        drawn = fact["match_drawn"] + fact["unfinished"]
        won = (fact["a_match_win"] - drawn) / 2
    return _rho(totals[:, sums.UNITS], counts @ score, counts @ score**2, won + drawn / 4)


def _rho(
    pairs: np.ndarray, total: np.ndarray, pair_squares: np.ndarray, single_squares: np.ndarray
) -> np.ndarray:
    """From the sum of z, of z^2 and of x^2 over both halves: both variances are taken about the common mean."""
    mean = total / pairs
    of_pairs = (pair_squares - pairs * mean**2) / (pairs - 1)
    of_singles = (single_squares - 2 * pairs * mean**2) / (2 * pairs - 1)
    return np.asarray(
        np.divide(2 * of_pairs, of_singles, out=np.full(len(pairs), np.nan), where=of_singles > 0)
    )


@dataclass(frozen=True)
class Sweeps:
    """Pairs in which one strategy won both halves, and the chance of so uneven a number if neither is better."""

    a: int
    b: int
    p: float  # two-sided, exact; NaN without sweeps


def sweeps(totals: np.ndarray) -> Sweeps:
    """The exact sign test on sweeps. totals: sum of the batch rows of a mirrored cell, int64 of length sums.COLUMNS."""
    from scipy.stats import binomtest

    a, b = int(totals[sums.PAIR_HISTOGRAM + sums.PAIR_BINS - 1]), int(totals[sums.PAIR_HISTOGRAM])
    return Sweeps(a, b, float(binomtest(a, a + b).pvalue) if a + b else np.nan)
