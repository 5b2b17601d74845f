"""Differences of metrics between two cells, with tests and what the tests can find.

All cells of one seed share their packs: unit u of one has the pack of unit u of the other. So the
difference of two ratios has the error of its paired batch differences, which is often several times
smaller than that of two independent runs
(docs/explanation/statistics.md#differences-between-matchups).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simgin.stats import batches, metrics
from simgin.stats.batches import ENOUGH_BATCHES
from simgin.stats.estimate import (
    NORMAL_FROM,
    Z95,
    Estimate,
    quantile,
    smallest_detectable_difference,
)
from simgin.stats.metrics import Metric
from simgin.stats.played import Played
from simgin.stats.ratios import estimate_metric

if TYPE_CHECKING:
    import pandas as pd

NAMES = (
    "variant",
    "strategy",
    "opponent",
    "base_variant",
    "base_strategy",
    "base_opponent",
    "unit",
    "metric",
)
DIFFERENCE_COLUMNS = (
    *NAMES,
    "difference",
    "se",
    "low",
    "high",
    "p",
    "p_holm",
    "detectable",
    "n",
    "paired",
)

Comparison = tuple[Played, Played]  # a cell and its base


class _Test(NamedTuple):
    """95 % limits, two-sided p, and the difference that the test finds in four runs of five."""

    low: float = np.nan
    high: float = np.nan
    p: float = np.nan
    detectable: float = np.nan


def differences(comparisons: Sequence[Comparison], names: Sequence[str]) -> pd.DataFrame:
    """Cell minus base for every comparison and metric: DIFFERENCE_COLUMNS, NaN where undefined.

    `unit` and `n` say what the metric is per, and how many of them the smaller cell has. p is
    two-sided, for sizes fixed beforehand: undefined where a cell ran under a stopping rule, whose
    intervals are widened instead. p_holm is adjusted for the whole frame, one family. `detectable`
    is the true difference that a test finds in four runs of five.
    """
    import pandas as pd

    chosen = [metrics.BY_NAME[name] for name in names]
    rows: list[dict[str, object]] = []
    for played, base in comparisons:
        rows += _compare(played, base, chosen)
    columns = [name for name in DIFFERENCE_COLUMNS if name != "p_holm"]
    frame = pd.DataFrame(rows, columns=columns)
    p = frame["p"].to_numpy(dtype=float)
    frame = frame.assign(p_holm=holm(p))
    return frame[list(DIFFERENCE_COLUMNS)]


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's adjusted p values of a family, in the order given; NaN stays NaN, uncounted."""
    is_tested = ~np.isnan(p)
    tested = np.flatnonzero(is_tested)
    ranks = np.argsort(p[tested], kind="stable")
    order = tested[ranks]
    factors = np.arange(len(order), 0, -1)
    multiplied = p[order] * factors
    steps = np.maximum.accumulate(multiplied)
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum(1, steps)
    return adjusted


def share_packs(played: Played, base: Played) -> Comparison | None:
    """Both cells cut to the batches that hold the same units; None if there are none."""
    cell = played.cell
    other = base.cell
    if cell.seed != other.seed or cell.unit != other.unit:
        return None
    common = min(len(played.rows), len(base.rows))
    rows = played.rows[:common]
    base_rows = base.rows[:common]
    is_same = batches.unit_counts(rows) == batches.unit_counts(base_rows)
    if not is_same.any():
        return None
    cut = replace(played, rows=rows[is_same])
    base_cut = replace(base, rows=base_rows[is_same])
    return cut, base_cut


def _compare(played: Played, base: Played, chosen: Sequence[Metric]) -> list[dict[str, object]]:
    """The rows of one comparison, without Holm's column."""
    shared = share_packs(played, base)
    cells = shared or (played, base)
    is_paired = shared is not None
    rows: list[dict[str, object]] = []
    for metric in chosen:
        difference, se, support = _difference(cells, metric, paired=is_paired)
        test = _test(difference, se, support, _multiplier(cells))
        counts = [batches.count_played(cell.rows, metric.unit) for cell in cells]
        row: dict[str, object] = {
            "variant": played.cell.variant,
            "strategy": played.strategy,
            "opponent": played.opponent,
            "base_variant": base.cell.variant,
            "base_strategy": base.strategy,
            "base_opponent": base.opponent,
            "unit": metric.unit,
            "metric": metric.name,
            "difference": difference,
            "se": se,
            **test._asdict(),
            "n": min(counts),
            "paired": is_paired,
        }
        rows.append(row)
    return rows


def _difference(cells: Comparison, metric: Metric, *, paired: bool) -> tuple[float, float, float]:
    """A difference, its standard error, and the units (or batches) that its t quantile goes by."""
    played, base = cells
    estimate = _estimate(played, metric)
    base_estimate = _estimate(base, metric)
    if paired:
        se, support = _paired_error(cells, metric)
    else:
        se, support = _separate_error(estimate, base_estimate)
    difference = estimate.value - base_estimate.value
    if np.isnan(difference) or np.isnan(se):
        return np.nan, np.nan, support
    if metric.share:
        unseen = sum(_case(cell, metric) ** 2 for cell in cells)
        se, freedom = batches.allow_for_unseen(se, support - 1, unseen)
        support = freedom + 1
    return difference, se, support


def _case(played: Played, metric: Metric) -> float:
    """How far a single case more would move a share."""
    fact = metric.fact(played.as_b)
    denominators = batches.denominator_sums(played.rows, fact)
    return 1 / float(denominators.sum())


def _estimate(played: Played, metric: Metric) -> Estimate:
    total = batches.total(played.rows)
    return estimate_metric(total, metric, played.as_b)


def _paired_error(cells: Comparison, metric: Metric) -> tuple[float, float]:
    """The standard error of the difference from the batches, and their effective number.

    NaN for too few batches, and where few hold anything to compare; a share takes a single case.
    """
    played, base = cells
    effective = batches.effective(played.rows)
    has_any = np.zeros(len(played.rows), bool)
    for cell in cells:
        fact = metric.fact(cell.as_b)
        numerators = batches.fact_sums(cell.rows, fact)
        denominators = batches.denominator_sums(cell.rows, fact)
        has_any |= numerators != 0
        if not denominators.any():
            return np.nan, effective
    filled = 1 if metric.share else ENOUGH_BATCHES
    if effective < ENOUGH_BATCHES or has_any.sum() < filled:
        return np.nan, effective
    moves = played.moves(metric) - base.moves(metric)
    se = batches.standard_error(moves, effective)
    return se, effective


def _separate_error(estimate: Estimate, base: Estimate) -> tuple[float, float]:
    """The standard error of the difference of independent runs, and the units of its t quantile.

    The degrees of freedom are those of Welch and Satterthwaite.
    """
    parts = np.array([estimate.se**2, base.se**2])
    freedom = np.array([max(estimate.n - 1, 1), max(base.n - 1, 1)])
    variance = parts.sum()
    se = float(np.sqrt(variance))
    if not variance > 0:
        return se, float(freedom.min()) + 1
    terms = parts**2 / freedom
    pooled = variance**2 / terms.sum()
    return se, float(pooled) + 1


def _multiplier(cells: Comparison) -> float | None:
    """The wider multiplier of the two, if results might have stopped either cell."""
    multipliers = []
    for cell in cells:
        if cell.multiplier is not None:
            multipliers.append(cell.multiplier)
    return max(multipliers, default=None)


def _test(difference: float, se: float, support: float, multiplier: float | None) -> _Test:
    """Student's t below 100 units or batches, else normal; NaN for a difference without error."""
    if not se > 0:
        return _Test()
    if multiplier is None:
        half = quantile(support) * se
        p = _two_sided(difference / se, support)
    else:
        half = quantile(support) * se * (multiplier / Z95)
        p = np.nan
    return _Test(difference - half, difference + half, p, smallest_detectable_difference(se))


def _two_sided(t: float, support: float) -> float:
    from scipy.special import stdtr

    freedom = support - 1 if support < NORMAL_FROM else np.inf
    return 2 * float(stdtr(freedom, -abs(t)))
