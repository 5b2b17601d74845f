"""What a review found, in sentences: the greatest changes against the base, or a portrait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simgin.report import numbers
from simgin.review.knocking import SURE
from simgin.review.review import Change, Review
from simgin.review.rule_metrics import RuleMetric
from simgin.review.variant_matches import Measurement, VariantMatches
from simgin.rules import variants
from simgin.stats.estimate import smallest_detectable_difference
from simgin.stats.quantity import Quantity

MOST_CHANGES = 6  # of one variant
PORTRAIT = ("turns", "void", "gin", "seat", "best_k", "luck")  # what describes a variant by itself
SOLO_PORTRAIT = (
    *("win", "win_gap", "penalty", "penalty_gap"),
    *("match_win", "gin", "turns", "joker_share"),
)


def review_sentences(review: Review) -> list[str]:
    """A paragraph for each variant: against the base, or by itself where there is no base."""
    request = review.request
    if request.base is None:
        sentences = [_portrait(review, variant) for variant in request.variants]
    else:
        sentences = [_changes(review, variant) for variant in request.others]
    for variant, matches in review.matches.items():
        for *names, last in matches.identical_players:
            sentences.append(
                f"{variant}: {', '.join(names)} and {last} play identically; "
                "all their deals came out the same."
            )
    for variant, matches in review.matches.items():
        if _is_without_die(review, matches):
            sentences.append(
                f"{variant}: none of these players offers the die, so stakes play no part here."
            )
    return sentences


def name_of(variant: str) -> str:
    """What a sentence calls a variant: its title, or its text if it is composed."""
    if "+" in variant or "#" in variant:
        return variant
    return variants.find(variant).title


def _is_without_die(review: Review, matches: VariantMatches) -> bool:
    """Whether there is a die that nobody uses."""
    if matches.params["die"] == "off":
        return False
    strategies = review.findings.record.identity["strategies"]
    return all(strategies[name]["policies"]["offer"] == "none" for name in matches.field)


# A variant by itself


def _portrait(review: Review, variant: str) -> str:
    keys = SOLO_PORTRAIT if review.request.alone else PORTRAIT
    clauses = [
        state_in_words(review.metric(key), review.measurements[variant, key]) for key in keys
    ]
    return f"{name_of(variant)}: {'; '.join(filter(None, clauses))}."


def state_in_words(metric: RuleMetric, number: Measurement) -> str:
    """A clause about the number of a metric; empty without a number or its error."""
    if isinstance(number, str) or np.isnan(number.limits).any():
        return ""
    state = metric.state
    if metric.below and number.value < 0:
        state = metric.below.state
        number = number.scaled(-1)
    return state.format(value=value_with_error(metric, number))


def value_with_error(metric: RuleMetric, number: Measurement) -> str:
    """A number with its interval; a dash where there is none."""
    if isinstance(number, str):
        return numbers.DASH
    if number.span is None:
        return numbers.estimate(number.value, *number.limits, metric.factor)
    low, high = number.span
    if low < high:
        return f"{number.value:g} ({low:g} to {high:g})"
    return f"{number.value:g}"


def cell(review: Review, variant: str, metric: RuleMetric) -> str:
    """A metric of a variant with its interval; a dash where there is no number."""
    return value_with_error(metric, review.measurements[variant, metric.key])


# Against the base


def _changes(review: Review, variant: str) -> str:
    """The greatest change of every theme, and what did not change."""
    base = review.request.base
    name = name_of(variant)
    if review.is_copy(variant):
        return f"{name} plays exactly like {base}: every deal of every match came out the same."
    changes = _changes_of(review, variant)
    greatest = _greatest(review, variant, changes)
    sentences: list[str] = []
    for metric in greatest[:MOST_CHANGES]:
        subject = "It" if sentences else name
        sentences.append(_change(review, variant, metric, subject))
    if not sentences:
        sentences.append(f"{name} against {base}: no large change was found.")
    return " ".join([*sentences, *_unchanged(review, variant, changes)])


def _changes_of(review: Review, variant: str) -> dict[RuleMetric, Change]:
    """The changes of one variant by their metric."""
    return {
        review.metric(key): change
        for (name, key), change in review.changes.items()
        if name == variant
    }


def _greatest(review: Review, variant: str, changes: dict[RuleMetric, Change]) -> list[RuleMetric]:
    """The metric with the greatest notable change of each theme, the greatest first."""
    notable = [
        metric for metric, change in changes.items() if _is_notable(review, variant, metric, change)
    ]

    def size(metric: RuleMetric) -> float:
        return abs(changes[metric].difference.value) / metric.notable

    by_theme: dict[str, RuleMetric] = {}
    for metric in sorted(notable, key=size, reverse=True):
        by_theme.setdefault(metric.theme, metric)
    return list(by_theme.values())


def _is_notable(review: Review, variant: str, metric: RuleMetric, change: Change) -> bool:
    """Whether a difference is sure, and large enough to report."""
    if not metric.state or abs(change.difference.value) < metric.notable:
        return False
    own = quantity_of(review, variant, metric)
    base = quantity_of(review, review.request.base, metric)
    if own.span is None or base.span is None:
        return bool(change.p_holm < SURE)
    # A choice: sure if what may be best here is never best there
    least, most = own.span
    base_least, base_most = base.span
    return least > base_most or most < base_least


def _change(review: Review, variant: str, metric: RuleMetric, subject: str) -> str:
    """A change: `It makes deals longer: 18.9 turns instead of 16.9 (difference 1.96 ± 0.01)`."""
    own = quantity_of(review, variant, metric)
    base = quantity_of(review, review.request.base, metric)
    change = review.changes[variant, metric.key]
    rises, falls = metric.does
    does = rises if change.difference.value > 0 else falls
    amounts = _amounts(metric, own, base)
    by = _difference(metric, change.difference) if own.span is None else ""
    return f"{subject} {does}: {amounts}{by}."


def _amounts(metric: RuleMetric, own: Quantity, base: Quantity) -> str:
    """`18.9 turns instead of 16.9`, `a loss of 8.2 points per deal instead of a gain of 3.7`."""
    amount, value = _amount(metric, own)
    base_amount, there = _amount(metric, base)
    if amount != base_amount:
        there = base_amount.format(value=there)
    return f"{amount.format(value=value)} instead of {there}"


def _amount(metric: RuleMetric, number: Quantity) -> tuple[str, str]:
    """What a number is called, and the number as it stands there."""
    amount = metric.amount
    if metric.below and number.value < 0:
        amount = metric.below.amount
        number = number.scaled(-1)
    return amount, _plain(metric, number)


def _difference(metric: RuleMetric, difference: Quantity) -> str:
    half = metric.factor * _half(difference)
    value = numbers.number(metric.factor * abs(difference.value), half)
    error = numbers.number(half, half)
    return f" (difference {value} ± {error}{_unit(metric)})"


def _unit(metric: RuleMetric) -> str:
    """The unit of differences, after a space; empty where the title names it."""
    if metric.in_points:
        return " percentage points"
    return f" {metric.unit}" if metric.unit else ""


def _plain(metric: RuleMetric, number: Quantity) -> str:
    """A number as a sentence has it: to the first digit of its error, which the tables give."""
    if number.span is not None:
        return f"{number.value:g}"
    return numbers.number(metric.factor * number.value, 10 * metric.factor * _half(number))


def _unchanged(review: Review, variant: str, changes: dict[RuleMetric, Change]) -> Iterator[str]:
    """What no difference was found in, and what is identical."""
    worded = [(metric, change) for metric, change in changes.items() if metric.state]
    open_questions = [
        f"{metric.title} ({_detectable(metric, change)})"
        for metric, change in worded
        if change.p_holm >= SURE
    ]
    same = [
        metric.title
        for metric, change in worded
        if change.is_none and is_something(metric, review.measurements[variant, metric.key])
    ]
    if open_questions:
        yield (
            "No significant difference (in brackets: the smallest that would have been detected): "
            f"{', '.join(open_questions)}."
        )
    if same:
        yield f"Identical in every deal: {', '.join(same)}."


def _detectable(metric: RuleMetric, change: Change) -> str:
    """What would have been found four times in five."""
    least = metric.factor * smallest_detectable_difference(change.difference.se)
    return f"{numbers.number(least, least)}{_unit(metric)}"


def _half(quantity: Quantity) -> float:
    low, high = quantity.limits
    return (high - low) / 2


def quantity_of(review: Review, variant: str | None, metric: RuleMetric) -> Quantity:
    """A metric of a variant that has a number."""
    number = review.measurements[str(variant), metric.key]
    assert isinstance(number, Quantity), f"{metric.key} has no number"
    return number


def is_something(metric: RuleMetric, number: Measurement) -> bool:
    """Whether a number is worth a line: not an ending that never came."""
    if isinstance(number, str):
        return False
    return number.value != 0 or metric.theme != "endings"


def metrics_in_words(review: Review, keys: Sequence[str]) -> str:
    """Some metrics of every variant, for whoever cannot see the picture."""
    parts = []
    for variant in review.request.variants:
        metrics = map(review.metric, keys)
        values = [f"{metric.heading} {cell(review, variant, metric)}" for metric in metrics]
        parts.append(f"{variant}: {', '.join(values)}")
    return "; ".join(parts) + "."
