"""Less variance from the same deals: control variates, and mirrored pairs.

Estimates adjusted for the luck of the deal are made by regression over batches. The control is the
deadwood as dealt: the dealer's minus the nondealer's, of mean exactly 0; for a single player minus
their own, whose mean is known exactly for the usual melds and card values. An adjusted figure is
only ever shown beside the raw one (docs/explanation/statistics.md#control-variates).
`anchored_mean` does the same with any control whose mean was measured elsewhere.

What mirroring is worth, and who sweeps, is measured from the pairs of one cell
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
ENOUGH_TO_REGRESS = 30  # with fewer a useless control looks useful too often
CONVINCING = 3.0  # standard errors that the slope must lie from 0
WORTHWHILE = 0.95  # a variance ratio above this is not worth a second figure
# Metrics that the control helps, by number of players
HELPED = {2: ("first_player_win",), 1: ("win", "score", "gin")}
USUAL = {"ace_runs": "low", "rainbow": False, "pip_values": "face", "ace_value": 1}
# Mean deadwood of ten cards over all C(52,10) hands, by tests/oracles/test_opening_deadwood.py
DEALT_TEN = 894_929_816_444 / 15_820_024_220


def mean_dealt(params: Mapping[str, Any]) -> float | None:
    """The exact mean of the column sums.DEALT per deal, under the parameters of a variant.

    None where it is not known.
    """
    if params["first_turn"] == "discard_first":
        return None  # one hand has eleven cards
    if params["players"] == 2:
        return 0.0
    # Before the deal the joker may take a card's place.
    if params["joker"] == "before_deal" and params["joker_in_hand"] == "lose":
        return None
    if any(params[name] != value for name, value in USUAL.items()):
        return None
    return -DEALT_TEN  # the player sits as nondealer


def adjust(rows: np.ndarray, metric: str, mean: float) -> tuple[Estimate, float] | None:
    """A metric (seen by A) adjusted for the deadwood as dealt, whose mean per deal is `mean`.

    rows: int64 (batches, sums.COLUMNS). Regresses what each batch adds to the estimate on its
    control, and reads the line at the control's mean; the error is that of the line there, with
    batches - 2 degrees of freedom. Beside it stands the ratio of its variance to the raw one's,
    both from batches: 1 where the control explains nothing. None under 30 batches' worth, or where
    nothing varies.
    """
    fact = metrics.BY_NAME[metric].fact()
    below = batches.denominator_sums(rows, fact).sum()
    count = batches.effective(rows) if len(rows) else 0.0
    if count < ENOUGH_TO_REGRESS or not below:
        return None
    value = batches.fact_sums(rows, fact).sum() / below
    moves = batches.influence(rows, fact)
    deals = batches.fact_sums(rows, sums.FACT["deals"])
    excess = rows[:, sums.DEALT] - mean * deals  # of the deadwood as dealt in each batch
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
    """The mean of some values, at the known mean of their control, with 95 % limits.

    values, control: float64 (units,), of independent units. The error counts that of the line, and
    that of the known mean. Sums of values have the sums of their means, as the line is linear.
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
    """The metrics of a cell that its dealt deadwood helps: ADJUSTED_COLUMNS, n deals.

    params: the variant's. Empty for matches, where the control's mean is not known, and where it
    helps no metric by 5 % of its variance or more.
    """
    mean = mean_dealt(params) if unit == metrics.DEAL else None
    helped = () if mean is None else HELPED[params["players"]]
    table = filter(None, (_row(rows, name, mean or 0.0) for name in helped))
    return frame_of(list(table), ADJUSTED_COLUMNS)


def _row(rows: np.ndarray, name: str, mean: float) -> dict[str, object] | None:
    """One row, if the control is worth it."""
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
    """Whether the regression is more than noise.

    With few batches a useless control often seems to help, and choosing those would mislead.
    """
    freedom = count - 2
    left = variance_ratio * freedom / (count - 1)  # 1 - r^2
    return freedom * (1 - left) > CONVINCING**2 * left


# What mirroring is worth


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


def mirroring_gain(rows: np.ndarray, unit: str, multiplier: float | None = None) -> Frame:
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
