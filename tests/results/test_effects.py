"""Tests of the effects of changes to strategies, which are recomputed from batches."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import simgin
from simgin.core import batch_columns
from simgin.core.matchup_key import MatchupKey
from simgin.results import run_report
from simgin.results.run_results import compute_strategy_effect
from simgin.runs.plan import FieldChange
from simgin.stats.batches import BatchRows
from support import toy_deals as toy

CHANGE_AGAINST_SIMPLE = FieldChange("knock=early", "gold+knock=early", "gold", "simple")
SELF_PLAY_CHANGE = FieldChange("knock=early", "gold+knock=early", "gold", "gold")


def make_batches(strategy, opponent, win_rate, *, is_b=False, unit="deal"):
    """Return twenty batches in which `strategy` wins deals with a given probability."""
    units = toy.draw_units(
        np.random.default_rng(1), 150, win_probability=win_rate, is_match=unit == "match"
    )
    rows = toy.draw_rows(np.random.default_rng(5), units, 20, 200)
    if not is_b:
        return BatchRows(MatchupKey("eaai", strategy, opponent, 1, unit), rows)
    return BatchRows(
        MatchupKey("eaai", opponent, strategy, 1, unit), toy.swap_strategies(rows), as_b=True
    )


def select_statistic(batch_rows, name):
    return batch_rows.rows[
        :, batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX[name]
    ].astype(float)


def test_effect_against_another_opponent_is_a_paired_difference():
    changed = make_batches("gold+knock=early", "simple", 0.55)
    baseline = make_batches("gold", "simple", 0.5)
    row = compute_strategy_effect(CHANGE_AGAINST_SIMPLE, changed, baseline).iloc[0]
    differences = (
        select_statistic(changed, "a_margin") - select_statistic(baseline, "a_margin")
    ) / select_statistic(baseline, "deals")
    expected = stats.ttest_1samp(differences, 0)
    assert row["value"] == pytest.approx(differences.mean())
    assert row["p"] == pytest.approx(expected.pvalue)
    assert (row["low"], row["high"]) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    names = ["change", "field", "base_strategy", "opponent", "n"]
    assert [*row[names]] == ["knock=early", "gold v simple", "gold", "simple", 8000]


def test_effect_against_itself_is_the_difference_from_an_even_result():
    """Use gold against itself as baseline, with margin 0 and half of the matches won."""
    changed = make_batches("gold+knock=early", "gold", 0.55, unit="match")
    points, matches = (
        row for _, row in compute_strategy_effect(SELF_PLAY_CHANGE, changed, None).iterrows()
    )
    deals = select_statistic(changed, "deals").sum()
    won = select_statistic(changed, "a_match_win").sum() / 2  # in half matches
    played_matches = select_statistic(changed, "matches").sum()
    assert points["value"] == pytest.approx(select_statistic(changed, "a_margin").sum() / deals)
    assert matches["value"] == pytest.approx(won / played_matches - 0.5)
    for row, metric in ((points, "margin"), (matches, "match_win")):
        assert (row["metric"], row["base_strategy"]) == (metric, "gold")
        assert row["low"] < row["value"] < row["high"]
        assert row["p"] == pytest.approx(2 * stats.norm.sf(abs(row["value"]) / row["se"]))


def test_effect_does_not_depend_on_the_seat():
    as_a = compute_strategy_effect(
        SELF_PLAY_CHANGE, make_batches("gold+knock=early", "gold", 0.55), None
    )
    as_b = compute_strategy_effect(
        SELF_PLAY_CHANGE, make_batches("gold+knock=early", "gold", 0.55, is_b=True), None
    )
    columns = ["value", "se", "low", "high", "p"]
    assert as_b[columns].to_numpy(float) == pytest.approx(as_a[columns].to_numpy(float))
    assert list(as_b["strategy"]) == ["gold+knock=early"]


def test_alternative_text_of_differences_has_the_units_of_the_axes():
    names = {"variant": "standard", "opponent": "simple", "base_variant": "standard"}
    rows = [
        {**names, "strategy": "gold", "metric": metric, "value": value}
        for metric, value in (("match_win", -0.064), ("margin", 2.5))
    ]
    frame = pd.DataFrame(rows).assign(base_strategy="stubborn", base_opponent="simple")
    assert run_report._describe_differences(frame) == (
        "Matches won % difference: -6.4 (gold - stubborn (standard, v simple)). "
        "Points/deal difference: 2.5 (gold - stubborn (standard, v simple))."
    )


def test_baseline_with_swapped_sides_is_seen_from_the_compared_strategy(tmp_path):
    """Define the baseline of a sweep also as a panel matchup, with the sides swapped."""
    path = tmp_path / "both.toml"
    path.write_text(
        """
        question = "Which knock limit?"
        deals = "10k"
        panel.strategies = ["gold"]
        [sweep]
        strategy = "simple+knock=at:k={k}"
        against = "gold"
        grid.k = [10, 5, 0]
        """
    )
    results = simgin.run(path)
    values = results.frame.set_index(["strategy", "opponent", "metric"])["value"]
    assert len(results.differences) == 4
    for row in results.differences.itertuples():
        assert (row.opponent, row.base_strategy, row.base_opponent) == ("gold", "simple", "gold")
        expected = values[row.strategy, "gold", row.metric] - values["simple", "gold", row.metric]
        assert row.value == pytest.approx(expected, abs=1e-12)
