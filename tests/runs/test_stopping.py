"""Tests of stopping rules: input, reports and errors."""

import numpy as np
import pytest

from simgin.core import batch_columns
from simgin.play.matchup import parse_matchup
from simgin.runs.stopping import (
    METRIC_SUBJECTS,
    PrecisionRule,
    SequentialTest,
    make_precision_rule,
    make_sequential_test,
)
from simgin.stats import estimate, metrics
from simgin.text import amounts
from support import toy_deals as toy


def make_matchup(a="gold", b="simple", variant="standard", unit="deal"):
    return parse_matchup(a, b, variant, 1, unit)


PENALTY_OPTIONS, SOLO_OPTIONS = (
    {"b": None, "variant": "solitary-gin"},
    {"b": None, "variant": "solitaire-gin"},
)


@pytest.mark.parametrize(
    ("options", "text", "metric", "half_width"),
    [
        ({}, "0.1%", "deal_win", 0.001),
        ({}, 0.05, "margin", 0.05),
        ({"unit": "match"}, " 2 %", "match_win", 0.02),
        ({"unit": "match"}, "1", "match_margin", 1),
        (SOLO_OPTIONS, "1%", "win", 0.01),
        (SOLO_OPTIONS, "1", "score", 1),
        (PENALTY_OPTIONS | {"unit": "match"}, "1%", "goal_met", 0.01),
        (PENALTY_OPTIONS, "1%", "win", 0.01),
        ({"b": None, "variant": "gin-solitaire", "unit": "match"}, "1%", "match_win", 0.01),
    ],
)
def test_percent_sign_in_a_half_width_selects_the_metric(options, text, metric, half_width):
    players = make_matchup(**options)
    rule = make_precision_rule(amounts.parse_half_width(text), players, 10**7)
    assert (rule.metric, rule.half_width) == (metric, pytest.approx(half_width))
    assert METRIC_SUBJECTS[metric] in rule.text
    assert len(players.players) in metrics.METRICS_BY_NAME[metric].player_counts


@pytest.mark.parametrize("options", [{"b": "gold"}, SOLO_OPTIONS])
def test_sequential_test_requires_different_strategies(options):
    with pytest.raises(ValueError, match="requires two different strategies"):
        make_sequential_test(0, 5, make_matchup(**options))


def draw_toy_rows(n_batches, batch_size):
    """Return batch rows of toy deals."""
    units = toy.draw_units(np.random.default_rng(30), 300)
    return toy.draw_rows(np.random.default_rng(31), units, n_batches, batch_size)


def test_precision_rule_stops_at_the_first_narrow_interval():
    rows = draw_toy_rows(60, 100).cumsum(axis=0)
    rule = PrecisionRule("deal_win", 0.02, 4000)
    decisions = [rule.check_totals(row) for row in rows]
    half_widths = []
    for row in rows:
        z = rule.compute_multiplier(int(row[0]))
        frame = toy.make_tidy_rows("standard", "gold", "simple", "deal", row, z).set_index("metric")
        half_widths.append(float((frame["high"] - frame["low"])["deal_win"].iloc[0] / 2))
    narrow = [
        half_width <= 0.02 and row[0] >= 200
        for half_width, row in zip(half_widths, rows, strict=True)
    ]
    assert [decision is not None for decision in decisions] == narrow
    assert 0 < narrow.index(True) < 59
    expected = f"to within ± {100 * half_widths[narrow.index(True)]:.3g} percentage points (target"
    assert expected in decisions[narrow.index(True)]


def test_no_rule_stops_before_200_units_or_100_pairs():
    row = draw_toy_rows(1, 99)[0]
    assert PrecisionRule("deal_win", 0.4, 200).check_totals(draw_toy_rows(1, 199)[0]) is None
    assert SequentialTest(-500, -490).check_totals(row * 2) is not None
    assert SequentialTest(-500, -490).check_totals(row) is None
    row_without_matches = np.where(
        np.arange(batch_columns.N_COLUMNS)
        == batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX["deals"],
        row,
        0,
    )
    row_without_matches[0] = 10_000
    assert PrecisionRule("match_win", 0.4, 200).check_totals(row_without_matches) is None


def test_sequential_test_reports_its_conclusion():
    row = np.zeros(batch_columns.N_COLUMNS, np.int64)
    row[0] = 1000
    row[batch_columns.WIN_RATE_HISTOGRAM_START : batch_columns.WIN_RATE_HISTOGRAM_START + 5] = (
        200,
        0,
        600,
        0,
        200,
    )
    rule = SequentialTest(0, 100)
    assert rule.check_totals(row).startswith(
        "A is either weaker, or stronger by less than 100 Elo ("
    )
    row[batch_columns.WIN_RATE_HISTOGRAM_START + 4] += 400
    row[0] += 400
    assert rule.check_totals(row).startswith("A is stronger (")
    assert SequentialTest(0, 1).check_totals(row * 0 + row // 10) is None


def test_planned_units_follow_from_the_target_precision():
    for opponent, sd in (("simple", 0.3), ("gold", 0.5)):
        rule = make_precision_rule("0.1%", make_matchup(b=opponent), 10**7)
        assert rule.planned_units == estimate.compute_planned_sample_size(0.001, sd)
    assert SequentialTest(0, 5).planned_units == pytest.approx(
        2.944**2 * (0.35 / 0.0071948) ** 2, rel=1e-3
    )


@pytest.mark.parametrize(
    ("opponent", "max_games", "planned_units"),
    [("simple", 5000, 2500), ("gold", 5000, 5000), ("simple", 50, 200)],
)
def test_confidence_sequence_is_narrowest_at_a_maximum_that_is_too_small(
    opponent, max_games, planned_units
):
    rule = make_precision_rule("0.1%", make_matchup(b=opponent), max_games)
    assert rule.planned_units == planned_units
    assert f"(95 % confidence sequence for at most {max_games:,} deals)" in rule.text


def test_every_interval_of_a_stopped_run_is_widened():
    row = draw_toy_rows(10, 1000).sum(axis=0)
    plain, wide = (
        toy.make_tidy_rows("standard", "gold", "simple", "deal", row, z) for z in (None, 3.0)
    )
    share = plain["metric"].map(lambda name: metrics.METRICS_BY_NAME[name].is_proportion)
    ratio = ((wide["high"] - wide["low"]) / (plain["high"] - plain["low"]))[plain["se"].gt(0)]
    assert ratio[~share].to_numpy() == pytest.approx(3 / 1.96)
    # Wilson's interval with z = 3
    assert ratio[share].to_numpy() == pytest.approx(3 / 1.96, rel=0.01)
    assert share[ratio.index].sum() > 10 < (~share)[ratio.index].sum()
    assert plain["value"].equals(wide["value"])


def test_proportion_of_single_results_has_a_beta_binomial_interval():
    facts = toy.draw_statistics(np.random.default_rng(8), 5000, n_halves=1)
    won = int(toy.get_statistic(facts, "a_deal_win").sum())
    frame = toy.make_tidy_rows(
        "standard", "gold", "gold", "deal", toy.make_batch_row(facts), 3.0
    ).set_index("metric")
    interval = tuple(frame.loc["deal_win", ["low", "high"]])
    assert interval == pytest.approx(estimate.compute_beta_binomial_interval(won, 5000 - won))
