"""Control variates against scipy's regression, and on the real engine."""

import numpy as np
import pytest
from scipy import stats

from simgin.core import sums
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.stats import control_variates, table
from support import toy_deals as toy

BAG = toy.units(np.random.default_rng(1), 200)


def test_adjustment_agrees_with_scipys_regression():
    """With equal batches the adjusted value is the regression line at the control's mean."""
    rows, mean = toy.rows(np.random.default_rng(2), BAG, 50, 200), 0.3
    y, x = rows[:, sums.SUM + sums.FACT["gin"]] / 400, rows[:, sums.DEALT] / 400
    line = stats.linregress(x - mean, y)
    found, variance_ratio = control_variates.adjust(rows, "gin", mean)
    assert found.value == pytest.approx(line.intercept)
    assert found.se == pytest.approx(line.intercept_stderr)
    half = stats.t.ppf(0.975, 48) * line.intercept_stderr
    assert (found.low, found.high) == pytest.approx((line.intercept - half, line.intercept + half))
    assert variance_ratio == pytest.approx((1 - line.rvalue**2) * 49 / 48)


@pytest.mark.parametrize(
    ("text", "mean"),
    [
        ("standard", 0),
        ("oklahoma", 0),
        ("dice", 0),
        ("standard+first_turn=discard_first", None),
        ("solitaire-gin", -894_929_816_444 / 15_820_024_220),
        ("solitaire-gin+joker_in_hand=lose", None),
        ("gin-solitaire", None),
        ("solitary-gin", None),
    ],
)
def test_the_mean_of_the_control_is_known_where_it_is_exact(text, mean):
    assert control_variates.mean_dealt(variants.find(text).row) == mean


@pytest.mark.parametrize(
    ("a", "b", "variant"),
    [
        ("gold", "gold", "standard"),
        ("gold", "simple", "standard"),
        ("simple", "gold", "oklahoma"),
        ("simple", "gold", "straight"),
        ("gold", None, "solitaire-gin"),
        ("gold", None, "solitaire-gin-knock"),
    ],
)
def test_the_known_mean_is_what_the_engine_deals(a, b, variant):
    """Within 5 standard errors, which gives a false alarm once in 300,000 runs of each."""
    matchup = parse_matchup(a, b, variant, 5, "deal")
    rows = kernel.play(matchup, 0, 60_000)
    deals = rows[:, sums.SUM + sums.FACT["deals"]]
    per_deal = rows[:, sums.DEALT] / deals
    assert abs(
        per_deal.mean() - control_variates.mean_dealt(matchup.variant.row)
    ) < 5 * per_deal.std(ddof=1) / np.sqrt(len(rows))


def test_adjusted_estimates_stand_beside_raw_estimates():
    matchup = parse_matchup("gold", None, "solitaire-gin", 5, "deal")
    rows = kernel.play(matchup, 0, 60_000)
    frame = control_variates.adjusted(matchup.variant.row, matchup.unit, rows)
    assert tuple(frame.columns) == control_variates.ADJUSTED_COLUMNS
    assert set(frame["metric"]) <= {"win", "score", "gin"}
    assert (frame["variance_ratio"] < control_variates.WORTHWHILE).all()
    raw = table.tidy("solitaire-gin", "gold", "", "deal", rows.sum(axis=0)).set_index("metric")
    for row in frame.itertuples():
        assert (row.value, row.se, row.n) == pytest.approx(
            tuple(raw.loc[row.metric, ["value", "se", "n"]])
        )
        assert abs(row.adjusted - row.value) < 4 * row.se


@pytest.mark.parametrize(
    ("a", "b", "variant", "unit"),
    [
        pytest.param("gold", "simple", "standard", "match", id="matches"),
        pytest.param("gold", None, "solitary-gin", "deal", id="mean not known"),
        pytest.param("gold", "simple", "standard", "deal", id="too few batches"),
    ],
)
def test_without_a_known_mean_or_enough_batches_nothing_is_adjusted(a, b, variant, unit):
    matchup = parse_matchup(a, b, variant, 5, unit)
    assert control_variates.adjusted(
        matchup.variant.row, matchup.unit, kernel.play(matchup, 0, 300)
    ).empty
