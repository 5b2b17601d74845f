"""Every metric is defined by existing facts, of both sides, over the right denominator."""

import pytest

from simgin.core import sums
from simgin.stats import metrics


@pytest.mark.parametrize("metric", metrics.METRICS, ids=lambda metric: metric.name)
def test_a_metric_has_facts_of_both_sides_and_a_meaning_with_its_range(metric):
    assert ("(0 to 1)" in metric.meaning) == metric.share == ("per " not in metric.meaning)
    swapped = {"a_": "b_", "b_": "a_"}.get(metric.own[:2], metric.own[:2]) + metric.own[2:]
    assert metric.other == (metric.own if metric.zero_sum or 2 not in metric.players else swapped)
    assert metric.own in sums.FACT
    assert metric.other in sums.FACT
    own, other = (
        sums.FACTS[sums.DENOMINATOR[sums.FACT[fact]]] for fact in (metric.own, metric.other)
    )
    assert own.removeprefix("a_") == other.removeprefix("b_") or {own, other} == {"deals"}


@pytest.mark.parametrize(
    ("name", "denominator"),
    [
        ("knock", "deals"),
        ("margin", "deals"),
        ("points_scored", "decided"),
        ("first_player_win", "decided"),
        ("points_gin", "gin"),
        ("take_rate", "a_draws"),
        ("laid_off", "showdowns"),
        ("tie", "showdowns"),
        ("match_win", "matches"),
        ("deals_per_match", "matches"),
        ("loser_score", "matches_decided"),
        ("settlement", "settled"),
        ("goal_met", "totals"),
    ],
)
def test_a_metric_has_its_denominator(name, denominator):
    assert metrics.BY_NAME[name].denominator == denominator
