"""Estimates adjusted for the luck of the deal: control variates by regression over batches.

The control is the deadwood as dealt: the dealer's minus the nondealer's, of mean exactly 0; of a single player his own with a minus,
whose mean is known exactly for the usual melds and card values. An adjusted figure is only ever told beside the raw one.

See docs/explanation/statistics.md#control-variates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import sums
from simgin.stats import differences, metrics, ratios

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "metric",
    "value",
    "se",
    "adjusted",
    "adjusted_se",
    "adjusted_low",
    "adjusted_high",
    "variance_ratio",
    "n",
)
ENOUGH_BATCHES = 30  # with fewer a useless control looks useful too often
CONVINCING = 3.0  # standard errors that the slope must lie from 0
WORTHWHILE = 0.95  # a variance ratio above this is not worth a second figure
HELPED = {2: ("first_player_win",), 1: ("win", "score", "gin")}
USUAL = {"ace_runs": "low", "rainbow": False, "pip_values": "face", "ace_value": 1}
# Mean deadwood of ten cards over all C(52,10) hands, by benchmarks/opening_deadwood.py.
DEALT_TEN = 894_929_816_444 / 15_820_024_220


@dataclass(frozen=True)
class Adjusted:
    """A ratio with its control's share of chance taken out; limits are 95 %."""

    value: float
    se: float
    low: float
    high: float
    variance_ratio: float  # adjusted over raw, both from batches: 1 where the control tells nothing


def mean_dealt(row: Mapping[str, Any]) -> float | None:
    """The exact mean a deal of the column sums.DEALT under the parameters of a variant; None where it is not known."""
    if row["first_turn"] == "discard_first":
        return None  # one hand has eleven cards
    if row["players"] == 2:
        return 0.0
    short = (
        row["joker"] == "before_deal" and row["joker_in_hand"] == "lose"
    )  # the joker may take a card's place
    usual = all(row[name] == value for name, value in USUAL.items())
    return -DEALT_TEN if usual and not short else None  # he sits where the nondealer does


def adjust(rows: np.ndarray, metric: str, mean: float) -> Adjusted | None:
    """A metric (seen by A) adjusted for the deadwood as dealt, whose mean a deal is `mean`. rows: int64 (batches, sums.COLUMNS).

    Regresses what each batch adds to the estimate on its control, and reads the line off at the control's mean; the error is that of
    the line there, with batches - 2 degrees of freedom. None under 30 batches' worth, or where nothing varies.
    """
    fact = sums.FACT[metrics.BY_NAME[metric].own]
    batches = differences.effective(rows) if len(rows) else 0.0
    control = rows[:, sums.DEALT] - mean * rows[:, sums.SUM + sums.FACT["deals"]]
    if batches < ENOUGH_BATCHES or not rows[:, sums.SUM + sums.DENOMINATOR[fact]].any():
        return None
    below = rows[:, sums.SUM + sums.DENOMINATOR[fact]].sum()
    value, moves = rows[:, sums.SUM + fact].sum() / below, differences.influence(rows, fact)
    part = rows[:, sums.UNITS] / rows[:, sums.UNITS].sum()
    centred = control - control.sum() * part
    spread, scatter = float(centred @ centred), float(moves @ moves)
    if spread == 0 or scatter == 0:
        return None
    slope = float(moves @ centred) / spread
    left = scatter - slope**2 * spread
    se = np.sqrt(batches / (batches - 2) * left * (1 + control.sum() ** 2 / (batches * spread)))
    adjusted, half = value - slope * control.sum(), ratios.quantile(batches - 1) * se
    return Adjusted(
        adjusted,
        float(se),
        adjusted - half,
        adjusted + half,
        left / (batches - 2) * (batches - 1) / scatter,
    )


def adjusted(row: Mapping[str, Any], unit: str, rows: np.ndarray) -> pd.DataFrame:
    """The metrics of a cell of deals that its dealt deadwood helps, raw and adjusted (COLUMNS); n deals. row: the variant's.

    Empty for matches, where the control's mean is not known, and where nothing is helped by 5 % of its variance or more.
    """
    import pandas as pd

    mean = mean_dealt(row) if unit == metrics.DEAL else None
    names = HELPED[row["players"]] if mean is not None else ()
    table = [found for name in names if mean is not None and (found := _row(rows, name, mean))]
    return pd.DataFrame(table, columns=list(COLUMNS))


def _convincing(variance_ratio: float, batches: float) -> bool:
    """Whether the regression is more than noise: of few batches a useless control often seems to help, and choosing those would mislead."""
    left = variance_ratio * (batches - 2) / (batches - 1)  # 1 - r^2
    return (batches - 2) * (1 - left) > CONVINCING**2 * left


def _row(rows: np.ndarray, name: str, mean: float) -> tuple[object, ...] | None:
    """One row, if the control is worth it."""
    found, metric, total = (
        adjust(rows, name, mean),
        metrics.BY_NAME[name],
        rows.sum(axis=0, dtype=np.int64),
    )
    if (
        found is None
        or found.variance_ratio > WORTHWHILE
        or not _convincing(found.variance_ratio, differences.effective(rows))
    ):
        return None
    share, always = np.array([metric.share]), np.array([metric.always])
    raw = ratios.ratios(
        int(total[sums.UNITS]),
        ratios.Totals.of(total, [sums.FACT[metric.own]]),
        np.array([metric.scale]),
        share,
        always,
    )
    deals = int(total[sums.SUM + sums.FACT["deals"]])
    own = (found.value, found.se, found.low, found.high, found.variance_ratio)
    return name, float(raw.value[0]), float(raw.se[0]), *own, deals
