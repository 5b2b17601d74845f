"""Differences between two cells: paired batch by batch where they were played on the same packs, with tests and what they can find.

All cells of one seed share their packs: unit u of one has the pack of unit u of the other. The difference of two ratios then has the
error of its paired batch differences (delta method: batch b moves a ratio r by (N_b - r D_b) / D), which is often several times less
than that of two independent runs. See
docs/explanation/statistics.md#differences-between-matchups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import sums
from simgin.stats import metrics, ratios
from simgin.stats.metrics import Metric

if TYPE_CHECKING:
    import pandas as pd

_NAMES = (
    "variant",
    "strategy",
    "opponent",
    "base_variant",
    "base_strategy",
    "base_opponent",
    "unit",
    "metric",
)
COLUMNS = (*_NAMES, "difference", "se", "low", "high", "p", "p_holm", "detectable", "n", "paired")
ENOUGH_BATCHES = 5  # with fewer a paired difference is undefined: a dash


@dataclass(frozen=True, eq=False)
class Side:
    """A cell seen by one of its strategies."""

    variant: str
    strategy: str
    opponent: str  # empty for one player
    unit: str  # what was played: "deal" or "match"
    seed: int
    rows: np.ndarray  # batch rows, int64 (batches, sums.COLUMNS), from unit 0 on
    as_b: bool = False  # whether `strategy` is B of these rows
    # Of the rule of stopping that the run was made under (`simgin.runs.stopping`)
    multiplier: float | None = None

    def numerator(self, metric: Metric) -> int:
        """The fact that a metric counts, seen from this side."""
        return sums.FACT[metric.other if self.as_b else metric.own]

    def sign(self, metric: Metric) -> int:
        """-1 for what this side sees as a negative."""
        return -1 if self.as_b and metric.zero_sum else 1


def differences(comparisons: Sequence[tuple[Side, Side]], names: Sequence[str]) -> pd.DataFrame:
    """Side minus base for every comparison (side, base) and metric, one a row (COLUMNS); undefined ones are NaN.

    `unit` and `n` are what the metric is per and how many of them the smaller cell counts. p is two-sided, for sizes fixed
    beforehand: undefined where a side ran under a rule of stopping, whose intervals are widened instead. p_holm is adjusted for the
    whole frame, one family. `detectable` is the true difference that a test finds in four runs of five.
    """
    import pandas as pd

    chosen = [metrics.BY_NAME[name] for name in names]
    rows = [row for side, base in comparisons for row in _compared(side, base, chosen)]
    frame = pd.DataFrame(rows, columns=[name for name in COLUMNS if name != "p_holm"])
    return frame.assign(p_holm=holm(frame["p"].to_numpy(dtype=float)))[list(COLUMNS)]


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's adjusted p values of a family, in the order given; NaN stays NaN and counts for nothing."""
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)))
    return adjusted


def shared(side: Side, base: Side) -> tuple[np.ndarray, np.ndarray]:
    """The batches of both that hold the same units, in order; none where seeds or units differ."""
    common = (
        min(len(side.rows), len(base.rows))
        if (side.seed, side.unit) == (base.seed, base.unit)
        else 0
    )
    one, other = side.rows[:common], base.rows[:common]
    same = one[:, sums.UNITS] == other[:, sums.UNITS]
    return one[same], other[same]


def _compared(side: Side, base: Side, chosen: Sequence[Metric]) -> list[tuple[object, ...]]:
    """The rows of one comparison, without Holm's column."""
    one, other = shared(side, base)
    paired = len(one) > 0
    cells = (side, one), (base, other)
    if not paired:
        cells = (side, side.rows), (base, base.rows)
    estimates = [_estimates(cell, rows, chosen) for cell, rows in cells]
    names = side.variant, side.strategy, side.opponent, base.variant, base.strategy, base.opponent
    found: list[tuple[object, ...]] = []
    for i, metric in enumerate(chosen):
        difference = float(estimates[0].value[i] - estimates[1].value[i])
        se, units = _paired_error(cells, metric) if paired else _separate_error(estimates, i)
        if np.isnan(difference) or np.isnan(se):
            difference = se = np.nan
        n = min(
            int(
                rows[
                    :, sums.SUM + sums.FACT["deals" if metric.unit == metrics.DEAL else "matches"]
                ].sum()
            )
            for _, rows in cells
        )
        limits = _tested(difference, se, units, _widening(side, base))
        found.append((*names, metric.unit, metric.name, difference, se, *limits, n, paired))
    return found


def _estimates(side: Side, rows: np.ndarray, chosen: Sequence[Metric]) -> ratios.Estimates:
    total = rows.sum(axis=0, dtype=np.int64)
    facts, signs = (
        [reading(metric) for metric in chosen] for reading in (side.numerator, side.sign)
    )
    scale, share, always = (
        np.array([getattr(metric, name) for metric in chosen])
        for name in ("scale", "share", "always")
    )
    return ratios.ratios(
        int(total[sums.UNITS]),
        ratios.Totals.of(total, facts, np.array(signs, dtype=object)),
        scale,
        share,
        always,
    )


def influence(rows: np.ndarray, numerator: int, scale: int = 1) -> np.ndarray:
    """How far each batch moves the ratio of a fact to its denominator: (N_b - r D_b) / D, float64 (batches,), sum 0."""
    n, d = rows[:, sums.SUM + numerator] / scale, rows[:, sums.SUM + sums.DENOMINATOR[numerator]]
    return np.asarray((n - n.sum() / d.sum() * d) / d.sum())


def effective(rows: np.ndarray) -> float:
    """How many batches of equal size these are worth, (sum u)^2 / sum u^2: one cut short counts for less than one."""
    units = rows[:, sums.UNITS].astype(float)
    return float(units.sum() ** 2 / (units @ units))


def _paired_error(cells: Sequence[tuple[Side, np.ndarray]], metric: Metric) -> tuple[float, float]:
    """Standard error of the difference from the batches, and their effective number. NaN where too few hold anything to compare.

    A batch of u of U units has its influence's variance in proportion to u (1 - u / U), so the sum of squares is short by one
    part in the effective number.
    """
    batches = effective(cells[0][1])
    seen = np.logical_or.reduce(
        [rows[:, sums.SUM + side.numerator(metric)] != 0 for side, rows in cells]
    )
    if min(batches, seen.sum()) < ENOUGH_BATCHES or any(
        not _divided(side, rows, metric) for side, rows in cells
    ):
        return np.nan, batches
    one, other = (
        side.sign(metric) * influence(rows, side.numerator(metric), metric.scale)
        for side, rows in cells
    )
    return float(np.sqrt(batches / (batches - 1) * ((one - other) ** 2).sum())), batches


def _divided(side: Side, rows: np.ndarray, metric: Metric) -> bool:
    return bool(rows[:, sums.SUM + sums.DENOMINATOR[side.numerator(metric)]].any())


def _separate_error(estimates: Sequence[ratios.Estimates], i: int) -> tuple[float, float]:
    """Standard error of the difference of independent runs, and the units (Welch, Satterthwaite) that its t distribution goes by."""
    parts = np.array([estimate.se[i] ** 2 for estimate in estimates])
    freedom = np.array([max(int(estimate.support[i]) - 1, 1) for estimate in estimates])
    variance = parts.sum()
    if not variance > 0:
        return float(np.sqrt(variance)), float(freedom.min()) + 1
    return float(np.sqrt(variance)), float(variance**2 / (parts**2 / freedom).sum()) + 1


def _widening(side: Side, base: Side) -> float | None:
    """The multiplier that the difference takes, if either side might have been stopped by its results."""
    return max(
        (cell.multiplier for cell in (side, base) if cell.multiplier is not None), default=None
    )


def _tested(
    difference: float, se: float, units: float, multiplier: float | None
) -> tuple[float, float, float, float]:
    """Low, high, two-sided p and what a test finds: Student's t below 100 units (batches); all NaN for a difference without error."""
    from scipy.special import stdtr

    if not se > 0:
        return np.nan, np.nan, np.nan, np.nan
    half = ratios.quantile(units) * se * (1 if multiplier is None else multiplier / ratios.Z95)
    freedom = units - 1 if units < ratios.NORMAL_FROM else np.inf
    p = 2 * float(stdtr(freedom, -abs(difference) / se)) if multiplier is None else np.nan
    return difference - half, difference + half, p, ratios.smallest_detectable_difference(se)
