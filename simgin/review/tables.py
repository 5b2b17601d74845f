"""The tables of a review: metrics, differences from the base, and both to sort and filter."""

from __future__ import annotations

import numpy as np

from simgin.report import numbers
from simgin.report.sheet import Sheet
from simgin.review.knocking import SURE
from simgin.review.review import Review
from simgin.review.rule_metrics import ONLY_DEEP, RuleMetric
from simgin.review.sentences import is_something, quantity_of, value_with_error
from simgin.stats.quantity import Quantity


def metrics_sheet(review: Review) -> Sheet:
    """A row for every metric, a column for every variant, the base first."""
    names = review.request.variants
    rows = []
    for metric in _shown(review):
        cells = [value_with_error(metric, review.measurements[name, metric.key]) for name in names]
        rows.append((metric.heading, *cells))
    return Sheet("Metrics", ("metric", *names), rows, _note(review))


def differences_sheet(review: Review) -> Sheet:
    """The same for the differences from the base; no rows where there is none."""
    names = review.request.others
    rows = []
    for metric in _shown(review):
        cells = [_difference(review, name, metric) for name in names]
        if any(cells):
            rows.append((metric.heading, *cells))
    tested = sum(not np.isnan(change.p_holm) for change in review.changes.values())
    note = (
        f"Paired on the same packs. *: p < {SURE} after Holm's adjustment for {tested} "
        "comparisons. none: identical in every deal."
    )
    title = f"Difference from {review.request.base}"
    return Sheet(title, ("metric", *names), rows, note)


def all_metrics_sheet(review: Review) -> Sheet:
    """A row for every metric of every variant, to sort and filter."""
    has_base = review.request.base is not None
    rows = []
    for metric in _shown(review):
        for name in review.request.variants:
            number = review.measurements[name, metric.key]
            difference = (_difference(review, name, metric),) if has_base else ()
            n = f"{number.n:,}" if isinstance(number, Quantity) else ""
            value = value_with_error(metric, number)
            rows.append((metric.heading, name, value, *difference, n))
    difference = (f"difference from {review.request.base}",) if has_base else ()
    headings = ("metric", "variant", "value", *difference, "n")
    return Sheet("All metrics", headings, rows, _note(review))


def _shown(review: Review) -> list[RuleMetric]:
    """The metrics that are not nothing everywhere: endings that never came, what was left out."""
    shown = []
    for metric in review.request.metrics:
        numbers_of = [review.measurements[name, metric.key] for name in review.request.variants]
        if any(is_something(metric, number) for number in numbers_of):
            shown.append(metric)
    return shown


def _difference(review: Review, variant: str, metric: RuleMetric) -> str:
    if (variant, metric.key) not in review.changes:
        return ""
    change = review.changes[variant, metric.key]
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
    sentences = [f"{who}. ± and brackets are 95 % intervals."]
    reasons: dict[str, list[str]] = {}
    for (variant, key), number in review.measurements.items():
        if isinstance(number, str) and number != ONLY_DEEP:
            reasons.setdefault(f"{variant}: {number}", []).append(review.metric(key).title)
    for reason, titles in reasons.items():
        sentences.append(f"{numbers.DASH} in {reason} ({', '.join(titles)}).")
    left_out = []
    for metric in request.metrics:
        numbers_of = [review.measurements[name, metric.key] for name in request.variants]
        if all(number == ONLY_DEEP for number in numbers_of):
            left_out.append(metric.title)
    if left_out:
        sentences.append(f"Only {ONLY_DEEP}: {', '.join(left_out)}.")
    return " ".join(sentences)
