"""Variance reduction on the same deals: control variates and mirrored pairs.

Luck-adjusted estimates are regressions over batches. The control variate is the dealt deadwood:
that of the dealer minus that of the nondealer, which has mean exactly 0. In a solitaire game it is
minus the deadwood of the player, whose mean is known exactly for the usual melds and card values.
An adjusted estimate is always shown next to the raw one
(docs/explanation/statistics.md#control-variates). `control_variate_mean` does the same with any
control variate whose mean was measured elsewhere.

The efficiency of pairing and the number of double wins are measured from the pairs of a matchup
(docs/explanation/statistics.md#what-mirroring-is-worth).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simgin.core import sums
from simgin.stats import batches, metrics, quantity
from simgin.stats.batches import ENOUGH_BATCHES, PAIRS, SCORES
from simgin.stats.estimate import ENOUGH_UNITS, Z95, Estimate, around, estimate_metric
from simgin.stats.quantity import Quantity
from simgin.stats.table import Frame, frame_of

ADJUSTED_COLUMNS = (
    *("metric", "value", "se"),
    *("adjusted", "adjusted_se", "adjusted_low", "adjusted_high", "variance_ratio", "n"),
)
ENOUGH_TO_REGRESS = 30  # with fewer batches, a useless control variate looks useful too often
CONVINCING = 3.0  # standard errors between the slope and 0
WORTHWHILE = 0.95  # an adjustment with a higher variance ratio is not shown
# Metrics that the control variate improves, by number of players
HELPED = {2: ("first_player_win",), 1: ("win", "score", "gin")}
USUAL = {"ace_runs": "low", "rainbow": False, "pip_values": "face", "ace_value": 1}
# Mean deadwood of ten cards over all C(52,10) hands, by tests/oracles/test_opening_deadwood.py
DEALT_TEN = 894_929_816_444 / 15_820_024_220


def mean_dealt(params: Mapping[str, Any]) -> float | None:
    """Return the exact mean of the column sums.DEALT per deal; None if it is unknown.

    Args:
        params: Parameters of the variant.
    """
    if params["first_turn"] == "discard_first":
        return None  # one player is dealt eleven cards
    if params["players"] == 2:
        return 0.0
    # The joker may replace a card before the deal.
    if params["joker"] == "before_deal" and params["joker_in_hand"] == "lose":
        return None
    if any(params[name] != value for name, value in USUAL.items()):
        return None
    return -DEALT_TEN  # the player is the nondealer


def adjust(rows: np.ndarray, metric: str, mean: float) -> tuple[Estimate, float] | None:
    """Return a metric of A adjusted for the dealt deadwood, and the ratio of variances.

    The influence of each batch is regressed on its control variate, and the line is evaluated at
    the known mean. The standard error is that of the line there, with batches - 2 degrees of
    freedom.

    Args:
        rows: Batch rows, (n_batches, sums.COLUMNS) int64.
        metric: Name of the metric.
        mean: Mean of the dealt deadwood per deal.

    Returns:
        The adjusted estimate, and its variance divided by that of the raw estimate, both from
        batches: 1 if the control variate explains nothing. None with fewer than 30 effective
        batches or without variance.
    """
    fact = metrics.BY_NAME[metric].fact()
    below = batches.denominator_sums(rows, fact).sum()
    count = batches.effective(rows) if len(rows) else 0.0
    if count < ENOUGH_TO_REGRESS or not below:
        return None
    value = batches.fact_sums(rows, fact).sum() / below
    moves = batches.influence(rows, fact)
    deals = batches.fact_sums(rows, sums.FACT["deals"])
    excess = rows[:, sums.DEALT] - mean * deals  # excess dealt deadwood of each batch
    off = excess.sum()
    units = batches.unit_counts(rows)
    centred = excess - off * (units / units.sum())
    spread = float(centred @ centred)
    scatter = float(moves @ moves)
    if spread == 0 or scatter == 0:
        return None
    slope = float(moves @ centred) / spread
    left = scatter - slope**2 * spread
    leverage = 1 + off**2 / (count * spread)
    se = float(np.sqrt(count / (count - 2) * left * leverage))
    estimate = around(value - slope * off, se, int(count), count - 1)
    return estimate, left / (count - 2) * (count - 1) / scatter


def anchored_mean(values: np.ndarray, control: np.ndarray, known: Estimate) -> Estimate:
    """Return the mean of values, adjusted to the known mean of their control variate.

    The standard error includes those of the regression line and of the known mean. The estimate is
    linear in the values: that of a sum is the sum of the estimates.

    Args:
        values: Values of independent units, (n_units,) float64.
        control: Control variate of the units, (n_units,) float64.
        known: Mean of the control variate, with its standard error.
    """
    units = len(values)
    away = control - control.mean()
    spread = float(away @ away)
    slope = float(values @ away) / spread if spread else 0.0
    off = float(control.mean()) - known.value
    left = values - values.mean() - slope * away
    variance = float(left @ left) / (units - 2)
    leverage = 1 + units * off**2 / spread if spread else 1.0
    error = np.sqrt(variance / units * leverage + (slope * known.se) ** 2)
    return around(float(values.mean()) - slope * off, float(error), units, units - 1)


def adjusted(params: Mapping[str, Any], unit: str, rows: np.ndarray) -> Frame:
    """Return the adjusted metrics of a matchup, with the number of deals as `n`.

    Args:
        params: Parameters of the variant.
        unit: "deal" or "match".
        rows: Batch rows, (n_batches, sums.COLUMNS) int64.

    Returns:
        A frame with ADJUSTED_COLUMNS. It is empty for matches, for which the mean of the control
        variate is unknown, and if no variance falls by at least 5 %.
    """
    mean = mean_dealt(params) if unit == metrics.DEAL else None
    helped = () if mean is None else HELPED[params["players"]]
    table = filter(None, (_row(rows, name, mean or 0.0) for name in helped))
    return frame_of(list(table), ADJUSTED_COLUMNS)


def _row(rows: np.ndarray, name: str, mean: float) -> dict[str, object] | None:
    """Return the row of a metric; None if the adjustment is not worthwhile."""
    adjustment = adjust(rows, name, mean)
    if adjustment is None:
        return None
    estimate, variance_ratio = adjustment
    is_convincing = _is_convincing(variance_ratio, batches.effective(rows))
    if variance_ratio > WORTHWHILE or not is_convincing:
        return None
    raw = estimate_metric(batches.total(rows), metrics.BY_NAME[name])
    return {
        "metric": name,
        "value": raw.value,
        "se": raw.se,
        "adjusted": estimate.value,
        "adjusted_se": estimate.se,
        "adjusted_low": estimate.low,
        "adjusted_high": estimate.high,
        "variance_ratio": variance_ratio,
        "n": batches.count_played(rows, metrics.DEAL),
    }


def _is_convincing(variance_ratio: float, count: float) -> bool:
    """Return True if the regression is significant.

    With few batches, a useless control variate often seems to help, and selecting those would bias
    the results.
    """
    freedom = count - 2
    left = variance_ratio * freedom / (count - 1)  # 1 - r^2
    return freedom * (1 - left) > CONVINCING**2 * left


# Efficiency of pairing


MIRRORING_COLUMNS = (
    *("measure", "rho", "luck", "se", "n"),
    *("rho_low", "rho_high", "luck_low", "luck_high"),
)
# Fact and column of squares of the margin per deal or match
MARGIN = {
    metrics.DEAL: ("a_margin", sums.DEAL_SQUARE),
    metrics.MATCH: ("a_match_margin", sums.MATCH_SQUARE),
}

Rho = Callable[[np.ndarray, str], np.ndarray]  # sums of rows, unit -> (n_sums,) rho


def mirroring_gain(rows: np.ndarray, unit: str, multiplier: float | None = None) -> Frame:
    """Return the efficiency of pairing for the margin ("points") and for wins ("share").

    rho = Var(z) / (Var(x) / 2), in which z is the mean of a pair and x a single result; a draw
    counts as half a win. rho is 1 if pairing gains nothing, and n single results are worth n / rho.
    luck = 1 - rho is the proportion of the variance of a single result that is due to the deal.
    Both have the same standard error, from the jackknife over batches, and Student's t intervals.

    Args:
        rows: Batch rows of a mirrored matchup, (n_batches, sums.COLUMNS) int64.
        unit: "deal" or "match".
        multiplier: Half-width of intervals in standard errors for a run with a stopping rule.

    Returns:
        A frame with PAIRING_COLUMNS; `n` counts single results. Values are NaN with fewer than 30
        pairs or 5 batches, or without variance.
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
    """Return the 95 % confidence bounds, which are wider for a run with a stopping rule."""
    low, high = rho.limits
    if multiplier is None:
        return low, high
    half = multiplier / Z95 * (high - low) / 2
    return rho.value - half, rho.value + half


def _jackknifed(rows: np.ndarray, unit: str, rho: Rho) -> Quantity:
    """Return rho of all batches with its standard error from the jackknife over batches."""
    total = batches.total(rows)
    n = batches.count_played(rows, unit)
    if total[sums.UNITS] < ENOUGH_UNITS or len(rows) < ENOUGH_BATCHES:
        return Quantity.with_error(np.nan, np.nan, n)
    (whole,) = rho(total[None], unit)
    return quantity.from_left_out(float(whole), rho(total - rows, unit), n)


def _margin_rho(totals: np.ndarray, unit: str) -> np.ndarray:
    """Return rho of the margin for each sum of rows; NaN if the margin never varies."""
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
    """Return rho of wins, which count as 1, one half or 0, for each sum of rows."""
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
    """Return rho from sums over pairs and over single results, with variances about one mean.

    Args:
        pairs: Number of pairs, (n_sums,) int64.
        total: Sum of the pair means z.
        pair_squares: Sum of z^2.
        single_squares: Sum of x^2 over both games of the pairs.
    """
    mean = total / pairs
    singles = 2 * pairs
    pair_variance = (pair_squares - pairs * mean**2) / (pairs - 1)
    single_variance = (single_squares - singles * mean**2) / (singles - 1)
    rho = np.full(len(pairs), np.nan)
    np.divide(2 * pair_variance, single_variance, out=rho, where=single_variance > 0)
    return rho


@dataclass(frozen=True)
class Sweeps:
    """Pairs in which one strategy won both mirrored games.

    Attributes:
        a: Number of pairs of A.
        b: Number of pairs of B.
        p: Two-sided p-value of the exact sign test; NaN without such pairs.
    """

    a: int
    b: int
    p: float


def sweeps(totals: np.ndarray) -> Sweeps:
    """Return the double wins of both strategies with the exact sign test.

    Args:
        totals: Sum of the batch rows of a mirrored matchup, (sums.COLUMNS,) int64.
    """
    from scipy.stats import binomtest

    counts = totals[PAIRS]
    a = int(counts[-1])
    b = int(counts[0])
    swept = a + b
    if not swept:
        return Sweeps(a, b, np.nan)
    return Sweeps(a, b, float(binomtest(a, swept).pvalue))
