"""The table of metrics is complete and in order, and every metric is defined by existing facts."""

import pytest

from simgin.core import sums
from simgin.stats import metrics

DEAL = """
    knock gin big_gin shot undercut even void stalled joker limit refused won_knock won_gin
    won_big_gin won_shot won_undercut won_refused lost_knock lost_gin lost_big_gin lost_shot
    lost_undercut lost_refused deal_win deal_loss points points_against margin points_scored
    points_knock points_gin points_big_gin points_shot points_undercut turns take_rate
    first_player_win upcard_first upcard_second upcard_none knock_count defender_count
    defender_before laid_off laid_off_any tie
""".split()
MATCH = """
    match_win match_drawn unfinished deals_per_match match_margin settlement winner_score
    loser_score loser_zero
""".split()
TWO_ONLY = """
    lost_knock lost_gin lost_big_gin lost_shot lost_undercut lost_refused take_rate
    first_player_win upcard_first upcard_second upcard_none defender_before laid_off
    laid_off_any
""".split()


def test_the_metrics_of_a_unit_have_their_names_and_order():
    assert [metric.name for metric in metrics.unit_metrics("deal")] == DEAL
    assert [metric.name for metric in metrics.unit_metrics("match")] == MATCH
    alone = [name for name in DEAL if name not in TWO_ONLY]
    at = alone.index("turns")
    assert [metric.name for metric in metrics.unit_metrics("deal", 1)] == [
        *alone[:at],
        "win",
        "score",
        *alone[at:],
    ]
    assert [metric.name for metric in metrics.unit_metrics("match", 1)] == [*MATCH, "goal_met"]
    assert list(metrics.BY_NAME) == [metric.name for metric in metrics.METRICS]
    assert len(metrics.BY_NAME) == len(DEAL + MATCH) + 3


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
