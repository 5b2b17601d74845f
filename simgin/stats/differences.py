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
from simgin.stats.batches import MIN_BATCHES, PAIR_HISTOGRAM_COLUMNS, PAIR_WIN_RATES, BatchRows
from simgin.stats.estimate import Z95, Estimate, estimate_metric
from simgin.stats.metrics import METRICS_BY_NAME, Metric, select_headline_metrics
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import Frame, build_output_frame

BatchRowsPair = tuple[BatchRows, BatchRows]  # batch rows of a matchup and of its baseline


def compute_differences(comparisons: Sequence[BatchRowsPair], metric_names: Sequence[str]) -> Frame:
    """Compute the difference from the baseline for each pair of matchups and each metric.

    Args:
        comparisons: Matchups with their baselines.
        metric_names: Names of the metrics.

    Returns:
        Rows of the output `differences` (rows.toml). Undefined values are NaN. `n` is the number of
        units in the smaller matchup. If a matchup has a stopping rule, its interval is wider and
        `p` is undefined. `p_holm` is the p-value after Holm's correction for all rows.
    """
    selected_metrics = [metrics.METRICS_BY_NAME[name] for name in metric_names]
    rows = [
        row for pair in comparisons for row in _compute_comparison_rows(*pair, selected_metrics)
    ]
    return add_adjusted_p_values(build_output_frame("differences", rows))


def add_adjusted_p_values(frame: Frame) -> Frame:
    """Add the column `p_holm`, which contains the p-values after Holm's correction."""
    return frame.assign(p_holm=adjust_p_values(frame["p"].to_numpy(dtype=float)))


def adjust_p_values(p_values: np.ndarray, n_tests: int | None = None) -> np.ndarray:
    """Return p-values after Holm's correction, in the order of the input.

    Args:
        p_values: p-values of one family of tests. NaN values are ignored and stay NaN.
        n_tests: Number of tests in the family, if `p_values` contains only some of them.
    """
    tested_indices = np.flatnonzero(~np.isnan(p_values))
    sorted_indices = tested_indices[np.argsort(p_values[tested_indices], kind="stable")]
    factors = (n_tests or len(sorted_indices)) - np.arange(len(sorted_indices))
    scaled_p_values = p_values[sorted_indices] * factors
    adjusted_p_values = np.full(len(p_values), np.nan)
    adjusted_p_values[sorted_indices] = np.minimum(1, np.maximum.accumulate(scaled_p_values))
    return adjusted_p_values


def align_batches(compared: BatchRows, baseline: BatchRows) -> BatchRowsPair | None:
    """Return the batches that have equal sizes in both matchups, or None if there are none."""
    matchup = compared.matchup
    base_matchup = baseline.matchup
    if matchup.seed != base_matchup.seed or matchup.unit != base_matchup.unit:
        return None
    n_common = min(len(compared.rows), len(baseline.rows))
    rows = compared.rows[:n_common]
    base_rows = baseline.rows[:n_common]
    has_equal_size = batches.extract_unit_counts(rows) == batches.extract_unit_counts(base_rows)
    if not has_equal_size.any():
        return None
    rows, base_rows = rows[has_equal_size], base_rows[has_equal_size]
    return replace(compared, rows=rows), replace(baseline, rows=base_rows)


def _compute_comparison_rows(
    compared: BatchRows, baseline: BatchRows, selected_metrics: Sequence[Metric]
) -> list[dict[str, object]]:
    """Return the differences of one pair of matchups before Holm's correction."""
    aligned_pair = align_batches(compared, baseline)
    pair = aligned_pair or (compared, baseline)
    is_paired = aligned_pair is not None
    values = [batch_rows.critical_value for batch_rows in pair if batch_rows.critical_value]
    rows: list[dict[str, object]] = []
    for metric in selected_metrics:
        difference = _estimate_difference(pair, metric, is_paired=is_paired)
        sample_sizes = [batches.count_games(batch_rows.rows, metric.unit) for batch_rows in pair]
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
            "p_holm": np.nan,  # Holm's correction depends on all rows, so it is applied later.
            **_compute_test_statistics(difference, values),
            "n": min(sample_sizes),
            "paired": is_paired,
            "kind": "difference",
        }
        rows.append(row)
    return rows


def _estimate_difference(pair: BatchRowsPair, metric: Metric, *, is_paired: bool) -> Estimate:
    """Estimate the difference of a metric between two matchups.

    `n` is the number of units or batches that determines the quantile of Student's t.
    """
    compared_estimate, base_estimate = (
        estimate_metric(batches.sum_rows(side.rows), metric, side.as_b) for side in pair
    )
    influences, base_influences = (
        paired_estimate.estimate_metric_by_batch(side.rows, metric, side.as_b) for side in pair
    )
    if is_paired:
        se, sample_size = _compute_paired_standard_error(pair, metric, influences - base_influences)
    else:
        se, sample_size = _compute_unpaired_standard_error(compared_estimate, base_estimate)
    difference = compared_estimate.value - base_estimate.value
    if np.isnan(difference) or np.isnan(se):
        return Estimate(np.nan, np.nan, sample_size)
    if metric.is_proportion:
        unseen_variance = influences.event_size**2 + base_influences.event_size**2
        se, df = batches.add_continuity_correction(se, sample_size - 1, unseen_variance)
        sample_size = df + 1
    return Estimate(difference, se, sample_size)


def _compute_paired_standard_error(
    pair: BatchRowsPair, metric: Metric, difference: PairedEstimate
) -> tuple[float, float]:
    """Return the standard error of a paired difference and the effective number of batches.

    If there are too few batches, the standard error is NaN. The standard error is also NaN if too
    few batches have a numerator other than 0. For a proportion, one batch with a numerator other
    than 0 is sufficient.
    """
    n_batches = batches.count_effective_batches(pair[0].rows)
    is_nonzero = np.zeros(len(pair[0].rows), bool)
    for rows in pair:
        is_nonzero |= (
            batches.extract_statistic_sums(rows.rows, metric.find_numerator_index(rows.as_b)) != 0
        )
    min_nonzero = 1 if metric.is_proportion else MIN_BATCHES
    if n_batches < MIN_BATCHES or is_nonzero.sum() < min_nonzero or not len(difference.influences):
        return np.nan, n_batches
    return batches.compute_standard_error(difference.influences, n_batches), n_batches


def _compute_unpaired_standard_error(compared: Estimate, baseline: Estimate) -> tuple[float, float]:
    """Return the standard error of an unpaired difference and the effective number of units.

    The degrees of freedom are computed with the Welch-Satterthwaite equation.
    """
    variances = np.array([compared.se**2, baseline.se**2])
    df = np.array([max(compared.n - 1, 1), max(baseline.n - 1, 1)])
    variance = variances.sum()
    combined_df = variance**2 / (variances**2 / df).sum() if variance > 0 else df.min()
    return float(np.sqrt(variance)), float(combined_df) + 1


def _compute_test_statistics(difference: Estimate, values: Sequence[float]) -> dict[str, float]:
    """Return the bounds, the p-value and the smallest detectable difference of an estimate.

    All values are NaN if the standard error is not positive.

    Args:
        difference: Estimated difference.
        values: Interval half-widths of the matchups with a stopping rule, in standard
            errors. The largest half-width is used.
    """
    se = difference.se
    if not se > 0:
        return dict.fromkeys(("low", "high", "p", "detectable"), np.nan)
    half_width = estimate.compute_critical_value(difference.n) * se
    p = estimate.compute_two_sided_p_value(difference.value, se, difference.n)
    if values:
        half_width *= max(values) / Z95
        p = np.nan
    return {
        "low": difference.value - half_width,
        "high": difference.value + half_width,
        "p": p,
        "detectable": estimate.compute_detectable_difference(se),
    }


# Equivalence


# An interval is within the margin, beyond the margin, on one side of 0, or inconclusive.
EQUIVALENT, BEYOND_MARGIN, SIGNIFICANT, INCONCLUSIVE = "same", "beyond", "apart", "open"
# Metrics for which the margin is a percentage
PERCENT_METRICS = ("deal_win", "match_win", "win", "goal_met")
POINT_METRICS = ("margin", "score")  # metrics for which the margin is in points per deal


def classify_difference(low: float, high: float, margin: float) -> str:
    """Classify a difference by comparing its 95 % interval with a margin.

    If a bound is undefined, the result is INCONCLUSIVE.
    """
    if -margin < low and high < margin:
        return EQUIVALENT
    if low > margin or high < -margin:
        return BEYOND_MARGIN
    return SIGNIFICANT if low > 0 or high < 0 else INCONCLUSIVE


def add_equivalence_verdicts(frame: Frame, margin: str | float) -> Frame:
    """Add the columns `margin` and `verdict` to a DataFrame of differences.

    Args:
        frame: Differences with the columns `low`, `high`, `se` and `metric`. If the standard error
            is 0, the difference is treated as 0.
        margin: Margin in percentage points of deals or matches won, such as "1%", or in points per
            deal. For metrics in other units, both columns are empty.
    """
    margin_value = parse_margin(margin)
    margin_metrics = PERCENT_METRICS if isinstance(margin, str) else POINT_METRICS
    margin_applies = frame["metric"].isin(margin_metrics)
    lows, highs = (frame[name].mask(frame["se"] == 0, 0) for name in ("low", "high"))
    verdicts: list[Any] = [
        classify_difference(low, high, margin_value) if has_margin else None
        for low, high, has_margin in zip(lows, highs, margin_applies, strict=True)
    ]
    margins: list[Any] = [margin_value if has_margin else None for has_margin in margin_applies]
    return build_output_frame("differences", frame.assign(margin=margins, verdict=verdicts))


def parse_margin(margin: str | float) -> float:
    """Convert a margin in % to a proportion from 0 to 1, or a margin in points to a number."""
    return float(str(margin).removesuffix("%")) / (100 if isinstance(margin, str) else 1)


def compute_equivalence_verdict(
    row_sums: np.ndarray, unit: str, margin: str | float, critical_value: float | None = None
) -> tuple[str, str]:
    """Return the metric and the equivalence verdict for two strategies in mirrored pairs.

    Args:
        row_sums: Sum of the batch rows.
        unit: "deal" or "match".
        margin: A margin in % is compared with A's win rate in mirrored pairs minus 50 %. Draws
            count as half a win. A margin in points is compared with the points per deal.
        critical_value: Half-width of the interval in standard errors, if the run had a stopping
            rule.
    """
    pair_counts = row_sums[PAIR_HISTOGRAM_COLUMNS]
    n_pairs = int(pair_counts.sum())
    metric = select_headline_metrics(unit, 2)[0] if isinstance(margin, str) else "margin"
    pair_estimate = estimate_metric(row_sums, METRICS_BY_NAME[metric])
    if isinstance(margin, str):
        mean = float(pair_counts @ PAIR_WIN_RATES) / n_pairs
        variance = float(pair_counts @ (PAIR_WIN_RATES - mean) ** 2) / (n_pairs - 1)
        pair_estimate = Estimate(mean - 1 / 2, math.sqrt(variance / n_pairs), n_pairs)
    half_width_in_se = (
        estimate.compute_critical_value(n_pairs) if critical_value is None else critical_value
    )
    value, half_width = pair_estimate.value, pair_estimate.se * half_width_in_se
    bounds = value - half_width, value + half_width
    return metric, classify_difference(*bounds, parse_margin(margin))


def format_equivalence_verdict(
    subject: str, comparison: tuple[str, str], verdict: str, margin: float, metric: str
) -> str:
    """Return a sentence that states whether two strategies or rule sets are equivalent.

    Args:
        subject: Plural subject of the sentence, such as "gold and simple".
        comparison: Tested value and its reference, such as "the win rate of gold" and "50 %".
        verdict: Verdict returned by `classify_difference`.
        margin: Margin returned by `parse_margin`.
        metric: Name of the metric.
    """
    definition = METRICS_BY_NAME[metric]
    margin_number = f"{definition.display_factor * margin:g}"
    unit_name = "point" if margin_number == "1" else "points"
    unit_name = f"percentage {unit_name}" if definition.is_proportion else f"{unit_name} per deal"
    value, reference = comparison
    within_margin = f"within {margin_number} {unit_name} of {reference}"
    sentences = {
        EQUIVALENT: f"{subject} are equivalent: {value} is {within_margin}",
        BEYOND_MARGIN: f"{subject} differ: {value} is not {within_margin}",
        SIGNIFICANT: f"{subject} differ significantly, but {value} may be {within_margin}",
        INCONCLUSIVE: f"{subject} may be equivalent, but the sample is too small to decide whether "
        f"{value} is {within_margin}",
    }
    return f"{sentences[verdict]} ({definition.title.removesuffix(' %')})."


def describe_equivalence_verdicts(frame: Frame) -> Iterator[str]:
    """Yield a sentence for each verdict in a DataFrame from `add_equivalence_verdicts`."""
    for _, row in frame[frame["verdict"].notna()].iterrows():
        strategies, rules = (
            " and ".join(dict.fromkeys((row[name], row[f"base_{name}"])))
            for name in ("strategy", "variant")
        )
        opponents = " and ".join(dict.fromkeys((row["opponent"], row["base_opponent"])))
        opponent_text = f" against {opponents}" if opponents else ""
        subject = f"The results of {strategies}{opponent_text} in {rules}"
        comparison = "their difference", "0"
        yield format_equivalence_verdict(
            subject, comparison, row["verdict"], row["margin"], row["metric"]
        )
