"""The tables of a review: metrics, differences from the base, and both to sort and filter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simgin.report import numbers
from simgin.report.screen import INTERVALS
from simgin.report.sheet import Sheet
from simgin.report.wrapping import fold
from simgin.review.knocking import SURE
from simgin.review.review import Review
from simgin.review.review_sentences import PORTRAIT, SOLO_PORTRAIT, cell, is_something, quantity_of
from simgin.review.rule_metrics import ONLY_DEEP, RuleMetric
from simgin.review.variant_matches import Measurement
from simgin.stats.quantity import Quantity

TERMINAL = 80  # characters
LEAST_WIDTH, GAP = 10, 3  # of a column, and between two


def metrics_sheet(review: Review) -> Sheet:
    """A row for every metric, a column for every variant, the base first."""
    names = review.request.variants
    rows = [
        (metric.heading, *[cell(review, name, metric) for name in names])
        for metric in _shown(review)
    ]
    return Sheet("Metrics", ("metric", *names), rows, _note(review))


def differences_sheet(review: Review) -> Sheet:
    """The same for the differences from the base; no rows where there is none."""
    names = review.request.others
    rows = []
    for metric in _shown(review):
        cells = [_difference(review, name, metric) for name in names]
        if any(cells):
            rows.append((metric.heading, *cells))
    p_values = [change.p_holm for change in review.changes.values()]
    tested = int(np.count_nonzero(~np.isnan(p_values)))
    note = (
        f"Paired on the same packs. *: p < {SURE} after Holm's adjustment for {tested} "
        "comparisons. none: identical in every deal."
    )
    return Sheet(f"Difference from {review.request.base}", ("metric", *names), rows, note)


def portrait_sheet(review: Review) -> Sheet:
    """A row for every variant with the metrics that describe it best, narrow enough for a terminal.

    Headings are folded to the width of their cells, and metrics without room are left out.
    """
    request = review.request
    columns = [("variant", *request.variants)]
    room = TERMINAL - _column_width(columns[0])
    keys = SOLO_PORTRAIT if request.alone else PORTRAIT
    for metric in [metric for metric in _shown(review) if metric.key in keys]:
        column = _portrait_column(review, metric)
        width = GAP + _column_width(column)
        if width <= room:
            room -= width
            columns.append(column)
    headings, *rows = zip(*columns, strict=True)
    who, is_read, _ = _note(review).partition(INTERVALS)
    note = who + is_read
    if request.others:
        note += f" *: differs from {request.base}, p < {SURE}."
    return Sheet("At a glance", headings, rows, note)


def _portrait_column(review: Review, metric: RuleMetric) -> tuple[str, ...]:
    """The heading of a metric, and its value with a star where it differs from the base's."""
    cells = [
        cell(review, variant, metric) + (" *" if _is_other(review, variant, metric) else "")
        for variant in review.request.variants
    ]
    return ("\n".join(fold(metric.heading, max(max(map(len, cells)), LEAST_WIDTH))), *cells)


def _is_other(review: Review, variant: str, metric: RuleMetric) -> bool:
    """Whether a metric surely differs from the base's."""
    change = review.changes.get((variant, metric.key))
    return change is not None and change.p_holm < SURE


def _column_width(column: Sequence[str]) -> int:
    return max(map(len, "\n".join(column).split("\n")))


def all_metrics_sheet(review: Review) -> Sheet:
    """A row for every metric of every variant, to sort and filter."""
    base = review.request.base
    headings = ["metric", "variant", "value", "n"]
    if base is not None:
        headings.insert(-1, f"difference from {base}")
    rows = [
        _metric_row(review, name, metric)
        for metric in _shown(review)
        for name in review.request.variants
    ]
    return Sheet("All metrics", tuple(headings), rows, _note(review))


def _metric_row(review: Review, variant: str, metric: RuleMetric) -> tuple[str, ...]:
    """Heading, variant, value, difference if there is a base, and n."""
    number = review.measurements[variant, metric.key]
    value = cell(review, variant, metric)
    n = f"{number.n:,}" if isinstance(number, Quantity) else ""
    if review.request.base is None:
        return metric.heading, variant, value, n
    return metric.heading, variant, value, _difference(review, variant, metric), n


def _shown(review: Review) -> list[RuleMetric]:
    """The metrics that are not nothing everywhere: endings that never came, what was left out."""
    return [
        metric
        for metric in review.request.metrics
        if any(is_something(metric, number) for number in _numbers_of(review, metric))
    ]


def _numbers_of(review: Review, metric: RuleMetric) -> list[Measurement]:
    """A metric of every variant."""
    return [review.measurements[name, metric.key] for name in review.request.variants]


def _difference(review: Review, variant: str, metric: RuleMetric) -> str:
    change = review.changes.get((variant, metric.key))
    if change is None:
        return ""
    if change.is_none:
        return "none"
    by = change.difference
    if quantity_of(review, variant, metric).span is not None:
        return f"{by.value:+g}" if by.value else "0"
    star = " *" if change.p_holm < SURE else ""
    return numbers.estimate(by.value, *by.limits, metric.factor) + star


def _note(review: Review) -> str:
    """How to read the cells, and why some are dashes."""
    request = review.request
    who = "The best player"
    if not request.alone:
        who = f"Means over {', '.join(request.field)}, each against itself"
    sentences = [f"{who}. {INTERVALS}"]
    for reason, titles in _reasons(review).items():
        sentences.append(f"{numbers.DASH} in {reason} ({', '.join(titles)}).")
    left_out = [
        metric.title
        for metric in request.metrics
        if all(number == ONLY_DEEP for number in _numbers_of(review, metric))
    ]
    if left_out:
        sentences.append(f"Only {ONLY_DEEP}: {', '.join(left_out)}.")
    return " ".join(sentences)


def _reasons(review: Review) -> dict[str, list[str]]:
    """The titles of metrics without a number, by variant and reason."""
    reasons: dict[str, list[str]] = {}
    for (variant, key), number in review.measurements.items():
        if isinstance(number, str) and number != ONLY_DEEP:
            metric = review.metric(key)
            reasons.setdefault(f"{variant}: {number}", []).append(metric.title)
    return reasons
