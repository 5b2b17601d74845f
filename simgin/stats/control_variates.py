"""Estimates adjusted for the luck of the deal: control variates by regression over batches.

The control is the deadwood as dealt: the dealer's minus the nondealer's, of mean exactly 0; for a
single player minus their own, whose mean is known exactly for the usual melds and card values. An
adjusted figure is only ever shown beside the raw one
(docs/explanation/statistics.md#control-variates).

`anchored_mean` does the same with any control whose mean was measured elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import sums
from simgin.stats import batches, metrics
from simgin.stats.estimate import Estimate, around, estimate_metric
from simgin.stats.table import frame_of

if TYPE_CHECKING:
    import pandas as pd

ADJUSTED_COLUMNS = (
    *("metric", "value", "se"),
    *("adjusted", "adjusted_se", "adjusted_low", "adjusted_high", "variance_ratio", "n"),
)
ENOUGH_BATCHES = 30  # with fewer a useless control looks useful too often
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
    if count < ENOUGH_BATCHES or not below:
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


def adjusted(params: Mapping[str, Any], unit: str, rows: np.ndarray) -> pd.DataFrame:
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
