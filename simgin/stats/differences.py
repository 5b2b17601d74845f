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

from simgin.stats import batches, estimate, metrics, paired_estimate
from simgin.stats.batches import MIN_BATCHES, PAIR_COLUMNS, PAIR_SCORES, BatchRows
from simgin.stats.estimate import Z95, Estimate, estimate_metric
from simgin.stats.metrics import METRICS_BY_NAME, Metric, headline_metrics
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import Frame, build_frame

Comparison = tuple[BatchRows, BatchRows]  # a matchup and its baseline


def compute_differences(comparisons: Sequence[Comparison], metric_names: Sequence[str]) -> Frame:
    """Compute the difference from the baseline for every comparison and metric.

    Args:
        comparisons: Matchups with their baselines.
        metric_names: Names of the metrics.

    Returns:
        Rows of the output `differences` (rows.toml), NaN if undefined. `n` is the number of units
        in the smaller matchup. `p` is undefined for matchups with a stopping rule, whose intervals
        are wider instead. `p_holm` is adjusted over all rows.
    """
    chosen = [metrics.METRICS_BY_NAME[name] for name in metric_names]
    rows = [row for played, base in comparisons for row in _comparison_rows(played, base, chosen)]
    return add_adjusted_p_values(build_frame("differences", rows))


def add_adjusted_p_values(frame: Frame) -> Frame:
    """Return differences whose column `p_holm` has Holm's adjustment over all rows."""
    return frame.assign(p_holm=adjust_p_values(frame["p"].to_numpy(dtype=float)))


def adjust_p_values(p: np.ndarray) -> np.ndarray:
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


def align_batches(compared: BatchRows, baseline: BatchRows) -> Comparison | None:
    """Return both matchups restricted to batches with the same units; None if there are none."""
    matchup = compared.matchup
    other = baseline.matchup
    if matchup.seed != other.seed or matchup.unit != other.unit:
        return None
    common = min(len(compared.rows), len(baseline.rows))
    rows = compared.rows[:common]
    base_rows = baseline.rows[:common]
    is_same = batches.unit_counts(rows) == batches.unit_counts(base_rows)
    if not is_same.any():
        return None
    return replace(compared, rows=rows[is_same]), replace(baseline, rows=base_rows[is_same])


def _comparison_rows(
    compared: BatchRows, baseline: BatchRows, chosen: Sequence[Metric]
) -> list[dict[str, object]]:
    """Return the rows of one comparison, without Holm's adjustment."""
    shared = align_batches(compared, baseline)
    pair = shared or (compared, baseline)
    is_paired = shared is not None
    rows: list[dict[str, object]] = []
    for metric in chosen:
        difference = _estimate_difference(pair, metric, paired=is_paired)
        counts = [batches.count_played(cell.rows, metric.unit) for cell in pair]
        row: dict[str, object] = {
            "variant": compared.matchup.variant,
            "strategy": compared.strategy,
            "opponent": compared.opponent,
            "base_variant": baseline.matchup.variant,
            "base_strategy": baseline.strategy,
            "base_opponent": baseline.opponent,
            "unit": metric.unit,
            "metric": metric.name,
            "value": difference.value,
            "se": difference.se,
            "p_holm": np.nan,  # needs all rows
            **_test_statistics(difference, [cell.multiplier for cell in pair if cell.multiplier]),
            "n": min(counts),
            "paired": is_paired,
            "kind": "difference",
        }
        rows.append(row)
    return rows


def _estimate_difference(pair: Comparison, metric: Metric, *, paired: bool) -> Estimate:
    """Return a difference, with the number of units or batches for its t quantile as `n`."""
    totals = ((batches.sum_rows(cell.rows), cell.as_b) for cell in pair)
    played, base = (estimate_metric(total, metric, as_b) for total, as_b in totals)
    influences, base_influences = (
        paired_estimate.compute_ratio(cell.rows, metric, cell.as_b) for cell in pair
    )
    if paired:
        se, support = _paired_standard_error(pair, metric, influences - base_influences)
    else:
        se, support = _independent_standard_error(played, base)
    difference = played.value - base.value
    if np.isnan(difference) or np.isnan(se):
        return Estimate(np.nan, np.nan, support)
    if metric.is_proportion:
        unseen = influences.event_size**2 + base_influences.event_size**2
        se, df = batches.add_continuity_correction(se, support - 1, unseen)
        support = df + 1
    return Estimate(difference, se, support)


def _paired_standard_error(
    pair: Comparison, metric: Metric, difference: PairedEstimate
) -> tuple[float, float]:
    """Return the standard error of a difference from paired batches, and the effective number.

    The standard error is NaN with too few batches, or with too few batches in which the numerator
    is not 0. For a proportion, one such batch is enough.
    """
    effective = batches.effective_batches(pair[0].rows)
    has_any = np.zeros(len(pair[0].rows), bool)
    for cell in pair:
        has_any |= batches.fact_sums(cell.rows, metric.fact_index(cell.as_b)) != 0
    filled = 1 if metric.is_proportion else MIN_BATCHES
    if effective < MIN_BATCHES or has_any.sum() < filled or not len(difference.influences):
        return np.nan, effective
    return batches.standard_error(difference.influences, effective), effective


def _independent_standard_error(compared: Estimate, baseline: Estimate) -> tuple[float, float]:
    """Return the standard error of a difference of independent runs.

    The second value is the number of units for the t quantile. The degrees of freedom are those of
    Welch and Satterthwaite.
    """
    parts = np.array([compared.se**2, baseline.se**2])
    df = np.array([max(compared.n - 1, 1), max(baseline.n - 1, 1)])
    variance = parts.sum()
    se = float(np.sqrt(variance))
    if not variance > 0:
        return se, float(df.min()) + 1
    terms = parts**2 / df
    return se, float(variance**2 / terms.sum()) + 1


def _test_statistics(difference: Estimate, multipliers: Sequence[float]) -> dict[str, float]:
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
    half_width = estimate.critical_value(difference.n) * se
    p = estimate.two_sided_p_value(difference.value, se, difference.n)
    if multipliers:
        half_width *= max(multipliers) / Z95
        p = np.nan
    return {
        "low": difference.value - half_width,
        "high": difference.value + half_width,
        "p": p,
        "detectable": estimate.smallest_detectable_difference(se),
    }


# Equivalence


# Within the margin, beyond the margin, significant but on either side of it, or inconclusive
SAME, BEYOND, APART, OPEN = "same", "beyond", "apart", "open"
# Metrics of a margin in percentage points
PERCENT_METRICS = ("deal_win", "match_win", "win", "goal_met")
POINT_METRICS = ("margin", "score")  # metrics of a margin in points per deal


def classify_difference(low: float, high: float, margin: float) -> str:
    """Classify the 95 % interval of a difference by a margin; OPEN if it is undefined."""
    if -margin < low and high < margin:
        return SAME
    if low > margin or high < -margin:
        return BEYOND
    return APART if low > 0 or high < 0 else OPEN


def add_verdicts(frame: Frame, margin: str | float) -> Frame:
    """Return a frame of differences with the columns `margin` and `verdict`.

    Args:
        frame: Differences with the columns low, high, se and metric. A difference with a standard
            error of 0 counts as 0.
        margin: As in `simgin.text.amounts.parse_half_width`: "1%" of deals or matches won, or
            points per deal. Both columns are empty for other metrics.
    """
    width = parse_margin(margin)
    chosen = frame["metric"].isin(PERCENT_METRICS if isinstance(margin, str) else POINT_METRICS)
    alike = frame["se"] == 0
    limits = zip(frame["low"].mask(alike, 0), frame["high"].mask(alike, 0), chosen, strict=True)
    found: list[Any] = [
        classify_difference(low, high, width) if has_margin else None
        for low, high, has_margin in limits
    ]
    margins: list[Any] = [width if has_margin else None for has_margin in chosen]
    return build_frame("differences", frame.assign(margin=margins, verdict=found))


def parse_margin(margin: str | float) -> float:
    """Return a margin or difference as a number: a proportion from 0 to 1, or points."""
    return float(str(margin).removesuffix("%")) / (100 if isinstance(margin, str) else 1)


def compute_pair_verdict(
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
    counts = total[PAIR_COLUMNS]
    n = int(counts.sum())
    metric = headline_metrics(unit, 2)[0] if isinstance(margin, str) else "margin"
    pair_estimate = estimate_metric(total, METRICS_BY_NAME[metric])
    if isinstance(margin, str):
        mean = float(counts @ PAIR_SCORES) / n
        variance = float(counts @ (PAIR_SCORES - mean) ** 2) / (n - 1)
        pair_estimate = Estimate(mean - 1 / 2, math.sqrt(variance / n), n)
    half_width = pair_estimate.se * (
        estimate.critical_value(n) if multiplier is None else multiplier
    )
    return metric, classify_difference(
        pair_estimate.value - half_width, pair_estimate.value + half_width, parse_margin(margin)
    )


def format_verdict(verdict: str, margin: float, metric: str) -> str:
    """Return a verdict on two strategies or rule sets as text."""
    known = METRICS_BY_NAME[metric]
    size = f"{known.display_factor * margin:g}"
    point = "point" if size == "1" else "points"
    near = f"{size} percentage {point}" if known.is_proportion else f"{size} {point} a deal"
    words = {
        SAME: f"the same within {near}",
        BEYOND: f"further apart than {near}",
        APART: f"not the same; too little was played to say whether by more than {near}",
        OPEN: f"too close to call: too little was played to say that they are within {near}",
    }
    return words[verdict]


def describe_verdicts(frame: Frame) -> Iterator[str]:
    """Yield a sentence for each verdict in a frame of `add_verdicts`."""
    for _, row in frame[frame["verdict"].notna()].iterrows():
        pairs = [(row[name], row[f"base_{name}"]) for name in ("variant", "strategy")]
        what = " ".join(f"{a} and {b}" if a != b else a for a, b in pairs)
        against = f" v {row['opponent']}" if row["opponent"] else ""
        told = format_verdict(row["verdict"], row["margin"], row["metric"])
        yield f"{what}{against}, {METRICS_BY_NAME[row['metric']].title}: {told}."
