"""Variance reduction with control variates and mirrored pairs, which needs no additional deals.

Luck-adjusted estimates are computed by regression over batches. The control variate is the
difference in dealt deadwood between the dealer and the nondealer, which has a mean of exactly 0. In
solitaire games, the control variate is the negative deadwood of the dealt hand. For the usual melds
and card values, the exact mean deadwood is known. Adjusted estimates are always shown together with
the raw estimates (docs/explanation/statistics.md#control-variates).
`estimate_mean_with_control_variate` supports any control variate whose mean was measured.

The module also computes the efficiency of pairing and the number of double wins
(docs/explanation/statistics.md#efficiency-of-mirrored-pairs).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simgin.core import batch_columns
from simgin.stats import batches, metrics, paired_estimate
from simgin.stats.batches import MIN_BATCHES, PAIR_HISTOGRAM_COLUMNS, PAIR_WIN_RATES
from simgin.stats.estimate import (
    MIN_UNITS_FOR_ESTIMATE,
    Z95,
    Estimate,
    estimate_metric,
    make_estimate_with_t_interval,
)
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import Frame, make_frame

ADJUSTED_COLUMNS = (
    *("metric", "value", "se"),
    *("adjusted", "adjusted_se", "adjusted_low", "adjusted_high", "variance_ratio", "n"),
)
# Minimum number of batches. With fewer batches, useless control variates often appear to be useful.
MIN_BATCHES_FOR_REGRESSION = 30
MIN_SLOPE_T_STATISTIC = 3.0  # minimum absolute slope of the regression, in standard errors
MAX_VARIANCE_RATIO = 0.95  # maximum variance ratio for which an adjusted estimate is shown
# metrics that the control variate can make more precise, by number of players
ADJUSTABLE_METRICS = {2: ("first_player_win",), 1: ("win", "score", "gin")}
PARAMS_WITH_KNOWN_MEAN_DEADWOOD = {
    "ace_runs": "low",
    "rainbow": False,
    "pip_values": "face",
    "ace_value": 1,
}
# Mean deadwood of ten cards over all C(52,10) hands (tests/oracles/test_opening_deadwood.py)
MEAN_DEADWOOD_OF_TEN_CARDS = 894_929_816_444 / 15_820_024_220


def find_mean_dealt_deadwood(params: Mapping[str, Any]) -> float | None:
    """Return the exact mean of the dealt deadwood per deal, or None if it is unknown.

    Args:
        params: Parameters of the variant.
    """
    if params["first_turn"] == "discard_first":
        return None  # If one player is dealt eleven cards, the mean is unknown.
    if params["players"] == 2:
        return 0.0
    # The joker can replace a card, so the mean is unknown.
    if params["joker"] == "before_deal" and params["joker_in_hand"] == "lose":
        return None
    if any(params[name] != value for name, value in PARAMS_WITH_KNOWN_MEAN_DEADWOOD.items()):
        return None
    return -MEAN_DEADWOOD_OF_TEN_CARDS  # In a solitaire game, the player counts as the nondealer.


def adjust_metric(
    rows: np.ndarray, metric: str, control_mean: float
) -> tuple[Estimate, float] | None:
    """Adjust a metric of A for the dealt deadwood, and compute the variance ratio.

    The influence of each batch is regressed on the control variate of the batch. The regression
    line is evaluated at the known mean. Its standard error at the known mean has n_batches - 2
    degrees of freedom.

    Args:
        rows: Batch rows, (n_batches, batch_columns.N_COLUMNS) int64.
        metric: Name of the metric.
        control_mean: Known mean of the control variate per deal.

    Returns:
        The adjusted estimate, and the ratio of its variance to the variance of the raw estimate. If
        the control variate has no effect, the variance ratio is 1. If there are fewer than 30
        effective batches or the variance is 0, the function returns None.
    """
    statistic_index = metrics.METRICS_BY_NAME[metric].find_numerator_index()
    denominator = batches.extract_denominator_sums(rows, statistic_index).sum()
    n_batches = batches.count_effective_batches(rows) if len(rows) else 0.0
    if n_batches < MIN_BATCHES_FOR_REGRESSION or not denominator:
        return None
    value = batches.extract_statistic_sums(rows, statistic_index).sum() / denominator
    influences = batches.compute_influences(rows, statistic_index)
    n_deals = batches.extract_statistic_sums(rows, batch_columns.STATISTIC_INDEX["deals"])
    # control variate of each batch minus the mean of the control variate
    centred_control = rows[:, batch_columns.DEADWOOD_DIFFERENCE_COLUMN] - control_mean * n_deals
    total_offset = centred_control.sum()
    units = batches.extract_unit_counts(rows)
    residual_control = centred_control - total_offset * (units / units.sum())
    control_variance = float(residual_control @ residual_control)
    influence_variance = float(influences @ influences)
    if control_variance == 0 or influence_variance == 0:
        return None
    slope = float(influences @ residual_control) / control_variance
    residual_variance = influence_variance - slope**2 * control_variance
    variance_factor = 1 + total_offset**2 / (n_batches * control_variance)
    se = float(np.sqrt(n_batches / (n_batches - 2) * residual_variance * variance_factor))
    estimate = make_estimate_with_t_interval(
        value - slope * total_offset, se, int(n_batches), n_batches - 1
    )
    return estimate, residual_variance / (n_batches - 2) * (n_batches - 1) / influence_variance


def estimate_mean_with_control_variate(
    values: np.ndarray, control: np.ndarray, control_mean: Estimate
) -> Estimate:
    """Return the mean of values after adjustment by a control variate with a known mean.

    The standard error accounts for the errors of the regression line and of the known mean. The
    estimate is linear in the values, so the estimate of a sum is the sum of the estimates.

    Args:
        values: Values of independent units, (n_units,) float64.
        control: Control variate of each unit, (n_units,) float64.
        control_mean: Mean of the control variate, with its standard error.
    """
    n_units = len(values)
    deviations = control - control.mean()
    squared_deviations = float(deviations @ deviations)
    slope = float(values @ deviations) / squared_deviations if squared_deviations else 0.0
    offset = float(control.mean()) - control_mean.value
    residuals = values - values.mean() - slope * deviations
    variance = float(residuals @ residuals) / (n_units - 2)
    variance_factor = 1 + n_units * offset**2 / squared_deviations if squared_deviations else 1.0
    error = np.sqrt(variance / n_units * variance_factor + (slope * control_mean.se) ** 2)
    adjusted_mean = float(values.mean()) - slope * offset
    return make_estimate_with_t_interval(adjusted_mean, float(error), n_units, n_units - 1)


def compute_adjusted_metrics(params: Mapping[str, Any], unit: str, rows: np.ndarray) -> Frame:
    """Return the luck-adjusted metrics of a matchup, with the number of deals as `n`.

    Args:
        params: Parameters of the variant.
        unit: "deal" or "match".
        rows: Batch rows, (n_batches, batch_columns.N_COLUMNS) int64.

    Returns:
        DataFrame with ADJUSTED_COLUMNS. For matches, the DataFrame is empty because the mean of the
        control variate is unknown. The DataFrame is also empty if no metric's variance is reduced
        by at least 5 %.
    """
    control_mean = find_mean_dealt_deadwood(params) if unit == metrics.DEAL else None
    adjustable_metrics = () if control_mean is None else ADJUSTABLE_METRICS[params["players"]]
    adjusted_rows = filter(
        None, (_make_adjusted_row(rows, name, control_mean or 0.0) for name in adjustable_metrics)
    )
    return make_frame(list(adjusted_rows), ADJUSTED_COLUMNS)


def _make_adjusted_row(
    rows: np.ndarray, name: str, control_mean: float
) -> dict[str, object] | None:
    """Return the adjusted row of a metric, or None if the variance reduction is too small."""
    adjustment = adjust_metric(rows, name, control_mean)
    if adjustment is None:
        return None
    estimate, ratio = adjustment
    is_significant = _is_regression_significant(ratio, batches.count_effective_batches(rows))
    if ratio > MAX_VARIANCE_RATIO or not is_significant:
        return None
    unadjusted_estimate = estimate_metric(batches.sum_rows(rows), metrics.METRICS_BY_NAME[name])
    return {
        "metric": name,
        "value": unadjusted_estimate.value,
        "se": unadjusted_estimate.se,
        "adjusted": estimate.value,
        "adjusted_se": estimate.se,
        "adjusted_low": estimate.low,
        "adjusted_high": estimate.high,
        "variance_ratio": ratio,
        "n": batches.count_games(rows, metrics.DEAL),
    }


def _is_regression_significant(variance_ratio: float, n_batches: float) -> bool:
    """Return True if the regression on the control variate is significant.

    If there are few batches, useless control variates often appear to be useful. Selecting useless
    control variates would bias the results.
    """
    df = n_batches - 2
    # unexplained proportion of the variance, 1 - r^2
    unexplained_proportion = variance_ratio * df / (n_batches - 1)
    return df * (1 - unexplained_proportion) > MIN_SLOPE_T_STATISTIC**2 * unexplained_proportion


# Efficiency of pairing


PAIRING_ESTIMATE_COLUMNS = ("rho", "luck")
PAIRING_COLUMNS = (
    *("measure", "rho", "luck", "se", "n"),
    *("rho_low", "rho_high", "luck_low", "luck_high"),
)
# For each unit, the statistic that records the margin, and the column with the squared margins
MARGIN_COLUMNS = {
    metrics.DEAL: ("a_margin", batch_columns.SQUARED_DEAL_MARGIN_COLUMN),
    metrics.MATCH: ("a_match_margin", batch_columns.SQUARED_MATCH_MARGIN_COLUMN),
}

# function that computes rho, (n_sums,), from sums of rows and a unit
RhoFunction = Callable[[np.ndarray, str], np.ndarray]


def compute_pairing_efficiency(
    rows: np.ndarray, unit: str, critical_value: float | None = None
) -> Frame:
    """Return the efficiency of mirrored pairs for the margin and for wins.

    The rows are named "points" and "share".

    The efficiency is rho = Var(z) / (Var(x) / 2), where z is the mean of a pair, and x is a single
    result. A draw counts as half a win. If pairing has no effect, rho is 1. With mirrored pairs, n
    single results are equivalent to n / rho unpaired results. The proportion of the variance of a
    single result that is due to the deal is luck = 1 - rho. Both rho and luck have the same
    standard error, which is computed with the jackknife over batches. Their intervals are based on
    Student's t.

    Args:
        rows: Batch rows of a mirrored matchup, (n_batches, batch_columns.N_COLUMNS) int64.
        unit: "deal" or "match".
        critical_value: Half-width of intervals in standard errors for a run with a stopping rule.

    Returns:
        DataFrame with PAIRING_COLUMNS. `n` is the number of single results. If there are fewer than
        30 pairs or 5 batches or if the variance is 0, the values are NaN.
    """
    n_results = batches.count_games(rows, unit)
    efficiency_rows = []
    for name, rho_function in (("points", _compute_margin_rho), ("share", _compute_win_rho)):
        rho = _estimate_rho(rows, unit, rho_function)
        low, high = _compute_rho_interval(rho, critical_value)
        row = (name, rho.value, 1 - rho.value, rho.se, n_results, low, high, 1 - high, 1 - low)
        efficiency_rows.append(row)
    return make_frame(efficiency_rows, PAIRING_COLUMNS)


def _compute_rho_interval(rho: PairedEstimate, critical_value: float | None) -> tuple[float, float]:
    """Return the bounds of the 95 % confidence interval for the variance ratio rho.

    For runs with a stopping rule, the bounds are wider.
    """
    low, high = rho.interval
    if critical_value is None:
        return low, high
    half_width = critical_value / Z95 * (high - low) / 2
    return rho.value - half_width, rho.value + half_width


def _estimate_rho(rows: np.ndarray, unit: str, rho_function: RhoFunction) -> PairedEstimate:
    """Estimate the variance ratio rho over all batches, with a jackknife standard error."""
    total = batches.sum_rows(rows)
    n_results = batches.count_games(rows, unit)
    if total[batch_columns.UNITS_COLUMN] < MIN_UNITS_FOR_ESTIMATE or len(rows) < MIN_BATCHES:
        return PairedEstimate.from_known_se(np.nan, np.nan, n_results)
    (full_rho,) = rho_function(total[None], unit)
    return paired_estimate.make_jackknife_estimate(
        float(full_rho), rho_function(total - rows, unit), n_results
    )


def _compute_margin_rho(totals: np.ndarray, unit: str) -> np.ndarray:
    """Return rho, the variance ratio of paired to single margins, for each row of sums."""
    name, square_column = MARGIN_COLUMNS[unit]
    statistic_index = batch_columns.STATISTIC_INDEX[name]
    margins = batches.extract_statistic_sums(totals, statistic_index)
    squares = totals[:, batch_columns.SQUARES_START + statistic_index]
    single_squares = totals[:, square_column]
    return _compute_rho(
        n_pairs=batches.extract_unit_counts(totals),
        pair_mean_sum=margins / 2,
        pair_squares=squares / 4,
        single_squares=single_squares.astype(float),
    )


def _compute_win_rho(totals: np.ndarray, unit: str) -> np.ndarray:
    """Return rho, the variance ratio of paired to single wins, for each row of sums.

    A win counts as 1, a draw as one half, and a loss as 0.
    """
    pair_counts = totals[:, PAIR_HISTOGRAM_COLUMNS]
    if unit == metrics.DEAL:
        n_won = _extract_statistic_sums(totals, "a_deal_win")
        n_drawn = _extract_statistic_sums(totals, "deals") - _extract_statistic_sums(
            totals, "decided"
        )
    else:
        n_drawn = _extract_statistic_sums(totals, "match_drawn") + _extract_statistic_sums(
            totals, "unfinished"
        )
        n_won = (_extract_statistic_sums(totals, "a_match_win") - n_drawn) / 2
    return _compute_rho(
        n_pairs=batches.extract_unit_counts(totals),
        pair_mean_sum=pair_counts @ PAIR_WIN_RATES,
        pair_squares=pair_counts @ PAIR_WIN_RATES**2,
        single_squares=n_won + n_drawn / 4,
    )


def _extract_statistic_sums(totals: np.ndarray, name: str) -> np.ndarray:
    """Return the value of a statistic, given by name, in each row of sums."""
    return batches.extract_statistic_sums(totals, batch_columns.STATISTIC_INDEX[name])


def _compute_rho(
    n_pairs: np.ndarray,
    pair_mean_sum: np.ndarray,
    pair_squares: np.ndarray,
    single_squares: np.ndarray,
) -> np.ndarray:
    """Compute rho, the variance of pair means relative to unpaired results, from sums.

    Args:
        n_pairs: Number of pairs, (n_sums,) int64.
        pair_mean_sum: Sum of the pair means z over all pairs.
        pair_squares: Sum of z^2 over all pairs.
        single_squares: Sum of x^2 over both games of all pairs.
    """
    mean = pair_mean_sum / n_pairs
    n_results = 2 * n_pairs
    pair_variance = (pair_squares - n_pairs * mean**2) / (n_pairs - 1)
    single_variance = (single_squares - n_results * mean**2) / (n_results - 1)
    rho = np.full(len(n_pairs), np.nan)
    np.divide(2 * pair_variance, single_variance, out=rho, where=single_variance > 0)
    return rho


@dataclass(frozen=True)
class DoubleWins:
    """Numbers of mirrored pairs in which one strategy won both games.

    Attributes:
        a: Number of pairs in which A won both games.
        b: Number of pairs in which B won both games.
        p: Two-sided p-value of the exact sign test, or NaN if there are no such pairs.
    """

    a: int
    b: int
    p: float


def count_double_wins(totals: np.ndarray) -> DoubleWins:
    """Count the double wins of both strategies and apply an exact sign test.

    Args:
        totals: Sum of the batch rows of a mirrored matchup, (batch_columns.N_COLUMNS,) int64.
    """
    from scipy.stats import binomtest

    pair_counts = totals[PAIR_HISTOGRAM_COLUMNS]
    n_double_wins_a = int(pair_counts[-1])
    n_double_wins_b = int(pair_counts[0])
    n_pairs = n_double_wins_a + n_double_wins_b
    if not n_pairs:
        return DoubleWins(n_double_wins_a, n_double_wins_b, np.nan)
    return DoubleWins(
        n_double_wins_a, n_double_wins_b, float(binomtest(n_double_wins_a, n_pairs).pvalue)
    )
