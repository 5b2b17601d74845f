"""The league: how everyone of a round robin does against everyone else, in matches, deals and points side by side.

One number cannot rank players of gin (docs/explanation/statistics.md#traps): who wins most deals need not win most matches, and who beats whom
goes round in circles. So the standings show all three beside the rating, and the cross-table stands beside the standings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import sums
from simgin.stats import metrics, ratios
from simgin.stats.differences import ENOUGH_BATCHES, Side, effective, influence

if TYPE_CHECKING:
    import pandas as pd

MEASURES = {"deal": ("deal_win", "margin"), "match": ("match_win", "deal_win", "margin")}
COLUMNS = (
    "place",
    "strategy",
    "elo",
    "elo_low",
    "elo_high",
    *(f"{m}{end}" for m in MEASURES["match"] for end in ("", "_low", "_high")),
    "n",
)


def standings(sides: Sequence[Side], ratings: pd.DataFrame) -> pd.DataFrame:
    """Everyone's mean over his opponents of matches won, deals won and points per deal, with 95 % limits (COLUMNS), best rating first.

    sides: every cell seen from both its sides, all of one size and seed. The mean gives every opponent the same weight; its error is
    taken over batches, jointly for all cells, since they share their packs. ratings: as of `simgin.stats.ratings.ratings`, of the same cells.
    """
    import pandas as pd

    rows = [
        {
            "place": place,
            "strategy": rated["strategy"],
            "elo": rated["elo"],
            "elo_low": rated["low"],
            "elo_high": rated["high"],
        }
        | _means([side for side in sides if side.strategy == rated["strategy"]])
        for place, (_, rated) in enumerate(ratings.iterrows(), start=1)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _means(sides: Sequence[Side]) -> dict[str, float]:
    """What one strategy made of all its opponents: of each measure the mean and its limits, and how many deals or matches it played."""
    found: dict[str, float] = {}
    for name in MEASURES[sides[0].unit]:
        value, half = _mean(sides, name)
        found |= {name: value, f"{name}_low": value - half, f"{name}_high": value + half}
    counted = sums.SUM + sums.FACT["deals" if sides[0].unit == metrics.DEAL else "matches"]
    return found | {"n": sum(int(side.rows[:, counted].sum()) for side in sides)}


def _mean(sides: Sequence[Side], name: str) -> tuple[float, float]:
    """The mean of a metric over cells with the half-width of its interval; NaN where batches are too few."""
    metric = metrics.BY_NAME[name]
    values = [
        side.sign(metric) * _ratio(side.rows, side.numerator(metric), metric.scale)
        for side in sides
    ]
    batches = effective(sides[0].rows)
    if batches < ENOUGH_BATCHES:
        return float(np.mean(values)), np.nan
    moved = np.mean(
        [
            side.sign(metric) * influence(side.rows, side.numerator(metric), metric.scale)
            for side in sides
        ],
        axis=0,
    )
    se = np.sqrt(batches / (batches - 1) * (moved**2).sum())
    widest = max(side.multiplier or ratios.Z95 for side in sides) / ratios.Z95
    return float(np.mean(values)), float(ratios.quantile(batches) * se * widest)


def _ratio(rows: np.ndarray, numerator: int, scale: int) -> float:
    return float(
        rows[:, sums.SUM + numerator].sum()
        / scale
        / rows[:, sums.SUM + sums.DENOMINATOR[numerator]].sum()
    )
