"""Differences of metrics between two matchups, with significance tests and power.

Matchups with the same seed play the same deals in the same order. The standard error of a
difference is therefore computed from paired differences of batches. This error is often several
times smaller than the error with independent runs
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

Comparison = tuple[BatchRows, BatchRows]  # batch rows of a matchup and of its baseline


def compute_differences(comparisons: Sequence[Comparison], metric_names: Sequence[str]) -> Frame:
    """Compute the difference from the baseline for every comparison and every metric.

    Args:
        comparisons: Matchups with their baselines.
        metric_names: Names of the metrics.

    Returns:
        Rows of the output `differences` (rows.toml), with NaN for undefined values. `n` is the
        number of units in the smaller matchup. Matchups with a stopping rule have wider intervals
        and no `p`. `p_holm` is the p-value with Holm's correction for all rows.
    """
    selected_metrics = [metrics.METRICS_BY_NAME[name] for name in metric_names]
    rows = [
        row
        for compared, base in comparisons
        for row in _comparison_rows(compared, base, selected_metrics)
    ]
    return add_adjusted_p_values(build_frame("differences", rows))


def add_adjusted_p_values(frame: Frame) -> Frame:
    """Return differences with a column `p_holm` of p-values after Holm's correction."""
    return frame.assign(p_holm=adjust_p_values(frame["p"].to_numpy(dtype=float)))


def adjust_p_values(p: np.ndarray) -> np.ndarray:
    """Return p-values after Holm's correction, in the order of the input.

    Args:
        p: p-values of one family. NaN values are ignored and stay NaN.
    """
    tested_indices = np.flatnonzero(~np.isnan(p))
    order = tested_indices[np.argsort(p[tested_indices], kind="stable")]
    steps = np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1))
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum(1, steps)
    return adjusted


def align_batches(compared: BatchRows, baseline: BatchRows) -> Comparison | None:
    """Return both matchups restricted to batches of equal size, or None if there are none."""
    matchup = compared.matchup
    base_matchup = baseline.matchup
    if matchup.seed != base_matchup.seed or matchup.unit != base_matchup.unit:
        return None
    common = min(len(compared.rows), len(baseline.rows))
    rows = compared.rows[:common]
    base_rows = baseline.rows[:common]
    is_same = batches.unit_counts(rows) == batches.unit_counts(base_rows)
    if not is_same.any():
        return None
    return replace(compared, rows=rows[is_same]), replace(baseline, rows=base_rows[is_same])


def _comparison_rows(
    compared: BatchRows, baseline: BatchRows, selected_metrics: Sequence[Metric]
) -> list[dict[str, object]]:
    """Return the rows of one comparison before Holm's correction."""
    shared = align_batches(compared, baseline)
    pair = shared or (compared, baseline)
    is_paired = shared is not None
    rows: list[dict[str, object]] = []
    for metric in selected_metrics:
        difference = _estimate_difference(pair, metric, paired=is_paired)
        counts = [batches.count_played(side.rows, metric.unit) for side in pair]
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
            "p_holm": np.nan,  # The value depends on all rows, so it is computed later.
            **_test_statistics(difference, [side.multiplier for side in pair if side.multiplier]),
            "n": min(counts),
            "paired": is_paired,
            "kind": "difference",
        }
        rows.append(row)
    return rows


def _estimate_difference(pair: Comparison, metric: Metric, *, paired: bool) -> Estimate:
    """Estimate the difference of a metric between two matchups.

    `n` is the number of units or batches for the t quantile.
    """
    totals = ((batches.sum_rows(side.rows), side.as_b) for side in pair)
    compared_estimate, base_estimate = (
        estimate_metric(total, metric, as_b) for total, as_b in totals
    )
    influences, base_influences = (
        paired_estimate.compute_ratio(side.rows, metric, side.as_b) for side in pair
    )
    if paired:
        se, support = _paired_standard_error(pair, metric, influences - base_influences)
    else:
        se, support = _independent_standard_error(compared_estimate, base_estimate)
    difference = compared_estimate.value - base_estimate.value
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
    """Return the standard error of a paired difference and the effective number of batches.

    If there are too few batches, the standard error is NaN. The standard error is also NaN if too
    few batches have a numerator other than 0. For a proportion, one such batch is sufficient.
    """
    effective = batches.effective_batches(pair[0].rows)
    has_any = np.zeros(len(pair[0].rows), bool)
    for side in pair:
        has_any |= batches.fact_sums(side.rows, metric.fact_index(side.as_b)) != 0
    filled = 1 if metric.is_proportion else MIN_BATCHES
    if effective < MIN_BATCHES or has_any.sum() < filled or not len(difference.influences):
        return np.nan, effective
    return batches.standard_error(difference.influences, effective), effective


def _independent_standard_error(compared: Estimate, baseline: Estimate) -> tuple[float, float]:
    """Return the standard error of an unpaired difference and the effective number of units.

    The degrees of freedom follow Welch and Satterthwaite.
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
    """Return the confidence bounds, the p-value and the detectable size of a difference.

    All values are NaN if the standard error is not positive.

    Args:
        difference: Estimated difference.
        multipliers: Half-widths in standard errors of the matchups with a stopping rule. The
            largest half-width is used.
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


# An interval is within the margin, beyond the margin, significant on both sides, or inconclusive.
EQUIVALENT, BEYOND_MARGIN, SIGNIFICANT, INCONCLUSIVE = "same", "beyond", "apart", "open"
# Metrics to which a margin in % applies
PERCENT_METRICS = ("deal_win", "match_win", "win", "goal_met")
POINT_METRICS = ("margin", "score")  # metrics to which a margin in points per deal applies


def classify_difference(low: float, high: float, margin: float) -> str:
    """Classify a difference by comparing its 95 % interval with a margin.

    Undefined intervals are INCONCLUSIVE.
    """
    if -margin < low and high < margin:
        return EQUIVALENT
    if low > margin or high < -margin:
        return BEYOND_MARGIN
    return SIGNIFICANT if low > 0 or high < 0 else INCONCLUSIVE


def add_verdicts(frame: Frame, margin: str | float) -> Frame:
    """Add the columns `margin` and `verdict` to a DataFrame of differences.

    Args:
        frame: Differences with the columns low, high, se and metric. Differences with a standard
            error of 0 are treated as 0.
        margin: Margin in percentage points of deals or matches won, such as "1%", or in points per
            deal. For other metrics, both columns are empty.
    """
    width = parse_margin(margin)
    is_relevant = frame["metric"].isin(
        PERCENT_METRICS if isinstance(margin, str) else POINT_METRICS
    )
    is_equal = frame["se"] == 0
    limits = zip(
        frame["low"].mask(is_equal, 0), frame["high"].mask(is_equal, 0), is_relevant, strict=True
    )
    verdicts: list[Any] = [
        classify_difference(low, high, width) if has_margin else None
        for low, high, has_margin in limits
    ]
    margins: list[Any] = [width if has_margin else None for has_margin in is_relevant]
    return build_frame("differences", frame.assign(margin=margins, verdict=verdicts))


def parse_margin(margin: str | float) -> float:
    """Convert a margin in % to a proportion from 0 to 1, or a margin in points to a number."""
    return float(str(margin).removesuffix("%")) / (100 if isinstance(margin, str) else 1)


def compute_pair_verdict(
    total: np.ndarray, unit: str, margin: str | float, multiplier: float | None = None
) -> tuple[str, str]:
    """Return the metric and the equivalence verdict for two strategies in mirrored pairs.

    Args:
        total: Sum of the batch rows.
        unit: "deal" or "match".
        margin: A margin in % is compared with the win rate of A in pairs minus one half. Draws
            count as half a win. Any other margin is compared with the points per deal.
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


def format_verdict(subject: str, verdict: str, margin: float, metric: str) -> str:
    """Return a sentence that states whether two strategies or rule sets are equivalent.

    Args:
        subject: Plural subject of the sentence, such as "gold and simple".
        verdict: Result of `classify_difference`.
        margin: Result of `parse_margin`.
        metric: Name of the metric.
    """
    definition = METRICS_BY_NAME[metric]
    size = f"{definition.display_factor * margin:g}"
    point = "point" if size == "1" else "points"
    margin_text = (
        f"{size} percentage {point}" if definition.is_proportion else f"{size} {point} per deal"
    )
    sentences = {
        EQUIVALENT: f"{subject} are equivalent within {margin_text}",
        BEYOND_MARGIN: f"{subject} differ by more than {margin_text}",
        SIGNIFICANT: f"{subject} differ significantly, but possibly by less than {margin_text}",
        INCONCLUSIVE: f"{subject} may be equivalent within {margin_text}, but the sample is too "
        "small to decide",
    }
    return f"{sentences[verdict]} ({definition.title})."


def describe_verdicts(frame: Frame) -> Iterator[str]:
    """Yield a sentence for each equivalence verdict in a DataFrame from `add_verdicts`."""
    for _, row in frame[frame["verdict"].notna()].iterrows():
        strategies, rules = (
            " and ".join(dict.fromkeys((row[name], row[f"base_{name}"])))
            for name in ("strategy", "variant")
        )
        opponent_text = f" against {row['opponent']}" if row["opponent"] else ""
        subject = f"The results of {strategies}{opponent_text} in {rules}"
        yield format_verdict(subject, row["verdict"], row["margin"], row["metric"])
