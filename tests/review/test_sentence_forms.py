"""Every form of a review's sentences: of all metrics, with numbers of either sign."""

import itertools
import math
from types import SimpleNamespace

from simgin.review import review_sentences
from simgin.review.review import Change
from simgin.review.rule_metrics import RULE_METRICS
from simgin.review.solo_metrics import SOLO_METRICS
from simgin.stats.quantity import Quantity
from support.plain_sentences import faults

WORDED = [metric for metric in (*RULE_METRICS, *SOLO_METRICS) if metric.state]
CHOICES = ("best_k", "chain")  # whole numbers without an error
NAMES = ("standard", "oklahoma")


def number(metric, value):
    if metric.key in CHOICES:
        return Quantity.with_span(value, (value, value), 1000)
    return Quantity.with_error(value, metric.notable / 20, 1000)


def reviewed(metric, base, own):
    """A review of one metric, standing for the numbers that were measured."""
    difference = number(metric, own) - number(metric, base)
    is_sure = abs(own - base) > metric.notable / 5
    found = SimpleNamespace(
        measurements={
            ("standard", metric.key): number(metric, base),
            ("oklahoma", metric.key): number(metric, own),
        },
        changes={("oklahoma", metric.key): Change(difference, 0.001 if is_sure else 0.5)},
        matches={},
        metric=lambda key: metric,
        is_copy=lambda variant: False,
        request=SimpleNamespace(
            base="standard", others=("oklahoma",), variants=NAMES, alone=metric in SOLO_METRICS
        ),
    )
    return review_sentences.review_sentences(found)


def pairs(metric):
    """Numbers of the base and of a variant, as far as the metric may have them."""
    sizes = (2, 5) if metric.key in CHOICES else (3 * metric.notable, 7 * metric.notable)
    values = [*sizes, 0]
    if metric.below:
        values += [-size for size in sizes]
    return [(float(a), float(b)) for a, b in itertools.product(values, repeat=2) if a != b]


def test_a_change_is_said_with_its_direction_and_a_minus_with_a_word():
    for metric in WORDED:
        for base, own in pairs(metric):
            (said,) = reviewed(metric, base, own)
            assert faults(said) == [], said
            assert said.startswith("Oklahoma Gin ") and " instead of " in said
            rises, falls = metric.does
            assert (rises in said) == (own > base) and (falls in said) == (own < base)
            if metric.below:
                assert "-" not in said.replace("gold-early", "")
                amount = metric.below.amount if own < 0 else metric.amount
                assert amount.partition("{value}")[0] in said.partition(" instead of ")[0]


def test_what_is_not_sure_or_too_small_is_no_change():
    metric = next(metric for metric in WORDED if metric.key not in CHOICES)
    base = 3 * metric.notable
    (said,) = reviewed(metric, base, base + metric.notable / 10)
    assert faults(said) == [], said
    assert f"would have been detected): {metric.title} (" in said
    (said,) = reviewed(metric, base, base + metric.notable / 4)  # sure, but too small for words
    assert said == "Oklahoma Gin against standard: no large change was found."
    unknown = Quantity.with_error(-1.0, math.nan, 10)
    assert review_sentences.state_in_words(metric, unknown) == ""
