"""Differences of metrics between two matchups, with significance tests and their power.

Matchups with the same seed play the same deals: unit u has the same deal in both. The standard
error of a difference of two ratios therefore comes from paired differences of batches, and is often
several times smaller than that of two independent runs
(docs/explanation/statistics.md#differences-between-matchups).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simgin.stats import batches, estimate, metrics, quantity
from simgin.stats.batches import ENOUGH_BATCHES, PAIRS, SCORES, Played
from simgin.stats.estimate import Z95, Estimate, estimate_metric
from simgin.stats.metrics import BY_NAME, Metric, headline
from simgin.stats.quantity import Quantity
from simgin.stats.table import Frame, frame_of

DIFFERENCE_COLUMNS = (
    *("variant", "strategy", "opponent", "base_variant", "base_strategy", "base_opponent"),
    *("unit", "metric", "difference", "se", "low", "high", "p", "p_holm"),
    *("detectable", "n", "paired"),
)

Comparison = tuple[Played, Played]  # a matchup and its baseline


def differences(comparisons: Sequence[Comparison], names: Sequence[str]) -> Frame:
    """Compute the difference from the baseline for every comparison and metric.

    Args:
        comparisons: Matchups with their baselines.
        names: Names of the metrics.

    Returns:
        A frame with DIFFERENCE_COLUMNS, NaN if undefined. `unit` is what the metric is per, and `n`
        the number of such units in the smaller matchup. `p` is two-sided and undefined for matchups
        with a stopping rule, whose intervals are wider instead. `p_holm` is adjusted over all rows.
        `detectable` is the true difference that the test detects with 80 % power.
    """
    chosen = [metrics.BY_NAME[name] for name in names]
    rows = [row for played, base in comparisons for row in _compare(played, base, chosen)]
    frame = frame_of(rows, [name for name in DIFFERENCE_COLUMNS if name != "p_holm"])
    frame = frame.assign(p_holm=holm(frame["p"].to_numpy(dtype=float)))
    return frame[list(DIFFERENCE_COLUMNS)]


def holm(p: np.ndarray) -> np.ndarray:
    """Return Holm's adjusted p-values in the given order.

    Args:
        p: p-values of one family. NaN stays NaN and does not count.
    """
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    steps = np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1))
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum(1, steps)
    return adjusted


def share_packs(played: Played, base: Played) -> Comparison | None:
    """Return both matchups restricted to batches with the same units; None if there are none."""
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
    return replace(played, rows=rows[is_same]), replace(base, rows=base_rows[is_same])


def _compare(played: Played, base: Played, chosen: Sequence[Metric]) -> list[dict[str, object]]:
    """Return the rows of one comparison, without Holm's column."""
    shared = share_packs(played, base)
    cells = shared or (played, base)
    is_paired = shared is not None
    rows: list[dict[str, object]] = []
    for metric in chosen:
        difference = _difference(cells, metric, paired=is_paired)
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
            "difference": difference.value,
            "se": difference.se,
            **_test(difference, [cell.multiplier for cell in cells if cell.multiplier]),
            "n": min(counts),
            "paired": is_paired,
        }
        rows.append(row)
    return rows


def _difference(cells: Comparison, metric: Metric, *, paired: bool) -> Estimate:
    """Return a difference, with the number of units or batches for its t quantile as `n`."""
    totals = ((batches.total(cell.rows), cell.as_b) for cell in cells)
    played, base = (estimate_metric(total, metric, as_b) for total, as_b in totals)
    moves, base_moves = (quantity.ratio(cell.rows, metric, cell.as_b) for cell in cells)
    if paired:
        se, support = _paired_error(cells, metric, moves - base_moves)
    else:
        se, support = _separate_error(played, base)
    difference = played.value - base.value
    if np.isnan(difference) or np.isnan(se):
        return Estimate(np.nan, np.nan, support)
    if metric.share:
        unseen = moves.case**2 + base_moves.case**2
        se, freedom = batches.allow_for_unseen(se, support - 1, unseen)
        support = freedom + 1
    return Estimate(difference, se, support)


def _paired_error(cells: Comparison, metric: Metric, difference: Quantity) -> tuple[float, float]:
    """Return the standard error of a difference from paired batches, and the effective number.

    The standard error is NaN with too few batches, or with too few batches in which the numerator
    is not 0. For a proportion, one such batch is enough.
    """
    effective = batches.effective(cells[0].rows)
    has_any = np.zeros(len(cells[0].rows), bool)
    for cell in cells:
        has_any |= batches.fact_sums(cell.rows, metric.fact(cell.as_b)) != 0
    filled = 1 if metric.share else ENOUGH_BATCHES
    if effective < ENOUGH_BATCHES or has_any.sum() < filled or not len(difference.moves):
        return np.nan, effective
    return batches.standard_error(difference.moves, effective), effective


def _separate_error(own: Estimate, base: Estimate) -> tuple[float, float]:
    """Return the standard error of a difference of independent runs.

    The second value is the number of units for the t quantile. The degrees of freedom are those of
    Welch and Satterthwaite.
    """
    parts = np.array([own.se**2, base.se**2])
    freedom = np.array([max(own.n - 1, 1), max(base.n - 1, 1)])
    variance = parts.sum()
    se = float(np.sqrt(variance))
    if not variance > 0:
        return se, float(freedom.min()) + 1
    terms = parts**2 / freedom
    return se, float(variance**2 / terms.sum()) + 1


def _test(difference: Estimate, multipliers: Sequence[float]) -> dict[str, float]:
    """Return the confidence bounds, p and the detectable difference.

    All are NaN if the standard error is not positive.

    Args:
        difference: The estimated difference.
        multipliers: Half-widths in standard errors of the matchups with a stopping rule; the
            largest applies.
    """
    se = difference.se
    if not se > 0:
        return dict.fromkeys(("low", "high", "p", "detectable"), np.nan)
    half = estimate.quantile(difference.n) * se
    p = estimate.two_sided(difference.value, se, difference.n)
    if multipliers:
        half *= max(multipliers) / Z95
        p = np.nan
    return {
        "low": difference.value - half,
        "high": difference.value + half,
        "p": p,
        "detectable": estimate.smallest_detectable_difference(se),
    }


# Equivalence


# Within the margin, beyond the margin, significant but on either side of it, or inconclusive
SAME, BEYOND, APART, OPEN = "same", "beyond", "apart", "open"
SHARES = ("deal_win", "match_win", "win", "goal_met")  # metrics of a margin in percentage points
POINTS = ("margin", "score")  # metrics of a margin in points per deal


def verdict(low: float, high: float, margin: float) -> str:
    """Classify the 95 % interval of a difference by a margin; OPEN if it is undefined."""
    if -margin < low and high < margin:
        return SAME
    if low > margin or high < -margin:
        return BEYOND
    return APART if low > 0 or high < 0 else OPEN


def with_verdicts(frame: Frame, margin: str | float) -> Frame:
    """Return a frame of differences with the columns `margin` and `verdict`.

    Args:
        frame: Differences with the columns low, high, se and metric. A difference with a standard
            error of 0 counts as 0.
        margin: As in `simgin.text.amounts.parse_half_width`: "1%" of deals or matches won, or
            points per deal. Both columns are empty for other metrics.
    """
    width = size(margin)
    chosen = frame["metric"].isin(SHARES if isinstance(margin, str) else POINTS)
    alike = frame["se"] == 0
    limits = zip(frame["low"].mask(alike, 0), frame["high"].mask(alike, 0), chosen, strict=True)
    found: list[Any] = [verdict(low, high, width) if own else None for low, high, own in limits]
    margins: list[Any] = [width if own else None for own in chosen]
    return frame.assign(margin=margins, verdict=found)


def size(margin: str | float) -> float:
    """Return a margin or difference as a number: a proportion from 0 to 1, or points."""
    return float(str(margin).removesuffix("%")) / (100 if isinstance(margin, str) else 1)


def of_pairs(
    total: np.ndarray, unit: str, margin: str | float, multiplier: float | None = None
) -> tuple[str, str]:
    """Return the metric and the verdict on two strategies that played mirrored pairs.

    Args:
        total: Sum of the batch rows.
        unit: "deal" or "match".
        margin: For a margin in percentage points, the win rate of A in pairs minus one half, with
            draws as one half; otherwise the points per deal.
        multiplier: Half-width in standard errors for a run with a stopping rule.
    """
    counts = total[PAIRS]
    n = int(counts.sum())
    metric = headline(unit, 2)[0] if isinstance(margin, str) else "margin"
    found = estimate_metric(total, BY_NAME[metric])
    if isinstance(margin, str):
        mean = float(counts @ SCORES) / n
        variance = float(counts @ (SCORES - mean) ** 2) / (n - 1)
        found = Estimate(mean - 1 / 2, math.sqrt(variance / n), n)
    half = found.se * (estimate.quantile(n) if multiplier is None else multiplier)
    return metric, verdict(found.value - half, found.value + half, size(margin))


def in_words(verdict: str, margin: float, metric: str) -> str:
    """Return a verdict on two strategies or rule sets as text."""
    known = BY_NAME[metric]
    size = f"{known.factor * margin:g}"
    point = "point" if size == "1" else "points"
    near = f"{size} percentage {point}" if known.share else f"{size} {point} a deal"
    words = {
        SAME: f"the same within {near}",
        BEYOND: f"further apart than {near}",
        APART: f"not the same; too little was played to say whether by more than {near}",
        OPEN: f"too close to call: too little was played to say that they are within {near}",
    }
    return words[verdict]


def sentences(frame: Frame) -> Iterator[str]:
    """Yield a sentence for each verdict in a frame of `add_verdicts`."""
    for _, row in frame[frame["verdict"].notna()].iterrows():
        pairs = [(row[name], row[f"base_{name}"]) for name in ("variant", "strategy")]
        what = " ".join(f"{a} and {b}" if a != b else a for a, b in pairs)
        against = f" v {row['opponent']}" if row["opponent"] else ""
        told = in_words(row["verdict"], row["margin"], row["metric"])
        yield f"{what}{against}, {BY_NAME[row['metric']].title}: {told}."
