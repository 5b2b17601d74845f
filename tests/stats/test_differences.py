"""Compare differences with brute force over batches, and Holm with its definition."""

import numpy as np
import pytest
from scipy import stats

from simgin.core import batch_columns
from simgin.core.matchup_key import MatchupKey
from simgin.match_value.outcomes import compute_jackknife_se
from simgin.stats import batches, paired_estimate
from simgin.stats import differences as contrast
from simgin.stats.batches import BatchRows
from simgin.stats.differences import (
    add_equivalence_verdicts,
    classify_difference,
    compute_differences,
)
from simgin.stats.estimate import compute_required_sample_size, estimate_metric
from simgin.stats.metrics import METRICS_BY_NAME, select_metrics
from support import toy_deals as toy

POPULATIONS = [toy.draw_units(np.random.default_rng(1), 150, win=win) for win in (0.55, 0.5)]


def rows(which, batches=20, seed=5, units=200):
    return toy.draw_rows(np.random.default_rng(seed), POPULATIONS[which], batches, units)


def side(cell, *, strategy="gold", opponent="simple", seed=1, unit="deal", **how):
    return BatchRows(MatchupKey("standard", strategy, opponent, seed, unit), cell, **how)


def one(side_a, side_b, metric="margin"):
    return compute_differences([(side_a, side_b)], [metric]).iloc[0]


def fact(cell, name):
    return cell[:, batch_columns.COL_SUM + batch_columns.STATISTIC_INDEX[name]].astype(float)


def test_a_paired_difference_of_equal_batches_is_the_mean_of_batch_differences():
    a, b = rows(0), rows(1)
    found = one(side(a), side(b))
    d = (fact(a, "a_margin") - fact(b, "a_margin")) / fact(a, "deals")
    expected = stats.ttest_1samp(d, 0)
    assert found["value"] == pytest.approx(d.mean())
    assert found["se"] == pytest.approx(d.std(ddof=1) / np.sqrt(20))
    assert found["p"] == pytest.approx(expected.pvalue)
    assert (found["low"], found["high"]) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert (found["n"], found["paired"]) == (8000, True)
    assert found["detectable"] == pytest.approx(2.8 * found["se"])


def test_the_error_of_a_ratio_is_the_delta_method_over_batches():
    a, b = rows(0), rows(1)
    found = one(side(a), side(b), "first_player_win")
    parts = []
    for cell in (a, b):
        n, d = fact(cell, "first_player_win"), fact(cell, "decided")
        parts.append((n - n.sum() / d.sum() * d) / d.mean())
    seen = np.var(parts[0] - parts[1], ddof=1) / 20
    unseen = sum(fact(cell, "decided").sum() ** -2 for cell in (a, b))
    assert found["se"] == pytest.approx(np.sqrt(seen + unseen), rel=1e-9)


def test_without_common_packs_errors_add_in_quadrature():
    cells = rows(0), rows(1, seed=6)
    found = one(side(cells[0]), side(cells[1], seed=2))
    errors = [estimate_metric(cell.sum(axis=0), METRICS_BY_NAME["margin"]).se for cell in cells]
    assert found["se"] == pytest.approx(np.hypot(*errors))
    assert found["high"] - found["value"] == pytest.approx(1.96 * found["se"])


def test_a_few_single_results_take_welchs_t():
    """Single results of known variances agree with scipy's Welch test."""
    units = [toy.draw_units(np.random.default_rng(k), n, halves=1) for k, n in ((1, 40), (2, 60))]
    cells = [unit.sum(axis=0)[None] for unit in units]
    found = one(side(cells[0]), side(cells[1], seed=2))
    margins = [fact(unit, "a_margin") for unit in units]
    assert found["p"] == pytest.approx(stats.ttest_ind(*margins, equal_var=False).pvalue)


def test_cells_are_cut_to_their_common_batches_of_equal_size():
    a, b = rows(0, 12), rows(1, 20)
    a[-1] = rows(0, 1, units=90)[0]  # cut short
    found, expected = one(side(a), side(b)), one(side(a[:11]), side(b[:11]))
    assert found.equals(expected)
    assert found["n"] == 2 * 11 * 200


def test_a_batch_cut_short_in_both_counts_for_its_units():
    a, b = (np.vstack([rows(k, 5), rows(k, 1, units=1)]) for k in (0, 1))
    assert batches.count_effective_batches(a) == pytest.approx(1001**2 / (5 * 200**2 + 1))
    found, without = one(side(a), side(b)), one(side(a[:5]), side(b[:5]))
    assert found["se"] == pytest.approx(without["se"], rel=0.02)
    assert found["high"] - found["low"] == pytest.approx(without["high"] - without["low"], rel=0.02)


def test_a_difference_seen_from_the_other_side_changes_its_sign():
    a, b = rows(0), rows(1)
    own = one(side(a), side(b))
    other = one(side(a, as_b=True), side(b, as_b=True))
    assert other["value"] == pytest.approx(-own["value"])
    assert other["se"] == pytest.approx(own["se"])
    seen = one(side(a, as_b=True), side(b, as_b=True), "deal_win")
    twin = one(side(toy.swap_sides(a)), side(toy.swap_sides(b)), "deal_win")
    assert twin["value"] == pytest.approx(seen["value"])


@pytest.mark.parametrize("as_b", [False, True])
def test_a_quantity_is_the_estimate_from_the_exact_sums(as_b):
    """B's proportion of taken discards uses B's own draws."""
    cell = rows(0)
    for metric in select_metrics("deal"):
        found = paired_estimate.estimate_metric_by_batch(cell, metric, as_b)
        exact = estimate_metric(cell.sum(axis=0), metric, as_b)
        assert found.value == pytest.approx(exact.value, nan_ok=True), metric.name


def differing_in(cases, batches=20):
    """Return two cells of 1,000 deals per batch that differ in some drawn deals."""
    cell = np.zeros((batches, batch_columns.N_COLUMNS), np.int64)
    cell[
        :, [batch_columns.COL_UNITS, batch_columns.COL_SUM + batch_columns.STATISTIC_INDEX["deals"]]
    ] = 1000
    cell[:, batch_columns.COL_SUM + batch_columns.STATISTIC_INDEX["void"]] = 7
    other = cell.copy()
    other[:cases, batch_columns.COL_SUM + batch_columns.STATISTIC_INDEX["void"]] += 1
    return side(other), side(cell)


def test_the_jackknife_of_a_mean_is_its_usual_error():
    values = np.random.default_rng(4).normal(size=20)
    error, left_out = values.std(ddof=1) / np.sqrt(20), (values.sum() - values) / 19
    assert paired_estimate.make_jackknife_estimate(0, left_out, 20).se == pytest.approx(error)
    assert compute_jackknife_se(left_out) == pytest.approx(error)


@pytest.mark.parametrize("cases", [1, 5, 6, 7, 12])
def test_few_cases_on_one_side_are_as_significant_as_in_the_exact_sign_test(cases):
    found = one(*differing_in(cases, 400), "void")
    exact = stats.binomtest(cases, cases).pvalue
    assert found["p"] == pytest.approx(exact, rel=0.5, abs=0.005)
    assert (found["p"] < 0.05) == (exact < 0.05)


def test_the_interval_of_a_rare_difference_reaches_beyond_what_was_seen():
    """The correction is about three cases, and reviews agree."""
    found = one(*differing_in(1), "void")
    per_case = 1 / 20_000
    assert found["value"] == pytest.approx(per_case)
    assert (found["high"] - found["value"]) / per_case == pytest.approx(3.5, abs=0.2)
    a, b = (
        paired_estimate.estimate_metric_by_batch(played.rows, METRICS_BY_NAME["void"])
        for played in differing_in(1)
    )
    assert (a - b).interval == pytest.approx((found["low"], found["high"]))
    assert (a - b).p == pytest.approx(found["p"])
    assert (
        a.interval
        == paired_estimate.estimate_metric_by_batch(
            differing_in(1)[0].rows, METRICS_BY_NAME["void"]
        ).interval
    )


@pytest.mark.parametrize(
    ("cells", "metric"),
    [
        ((rows(0, 4), rows(1, 4)), "margin"),
        ((rows(0), rows(1)), "big_gin"),
        ((rows(0), rows(1)), "match_win"),
        ((rows(0), rows(0)), "margin"),
    ],
    ids=["four batches", "never seen", "no matches", "the same cell"],
)
def test_a_difference_without_data_is_undefined(cells, metric):
    found = one(side(cells[0]), side(cells[1]), metric)
    assert np.isnan(found[["low", "high", "p", "p_holm", "detectable"]].astype(float)).all()


def test_a_stopped_run_has_wider_intervals_and_no_p_value():
    a, b = rows(0), rows(1)
    plain, stopped = one(side(a), side(b)), one(side(a, multiplier=3.0), side(b))
    half, usual = (found["high"] - found["value"] for found in (stopped, plain))
    assert half == pytest.approx(3 / 1.96 * usual)
    assert np.isnan(stopped["p"])


def test_holms_adjustment_follows_its_definition():
    """Reject while p_i <= alpha / (k - i + 1); an adjusted p is the least alpha that rejects."""
    adjusted = contrast.adjust_p_values(np.array([0.01, np.nan, 0.04, 0.03, 0.005, 0.6, 0.7]))
    assert adjusted[[4, 0, 3, 2, 5, 6]] == pytest.approx([0.03, 0.05, 0.12, 0.12, 1, 1])
    assert np.isnan(adjusted[1])
    assert contrast.adjust_p_values(np.full(3, np.nan)).shape == (3,)


def test_all_differences_of_a_frame_are_one_holm_family():
    a, b = rows(0), side(rows(1))
    frame = compute_differences([(side(a), b), (side(a, strategy="x"), b)], ["margin", "turns"])
    assert len(frame) == 4 and set(frame["kind"]) == {"difference"}
    adjusted = contrast.adjust_p_values(frame["p"].to_numpy())
    assert frame["p_holm"].to_numpy() == pytest.approx(adjusted, nan_ok=True)
    assert compute_differences([], ["margin"]).empty


@pytest.fixture(scope="module")
def repeated_differences():
    """Compute a difference in the proportion of deals won in 250 runs."""
    rng = np.random.default_rng(8)
    runs = [[side(toy.draw_rows(rng, bag, 60, 400)) for bag in POPULATIONS] for _ in range(250)]
    return compute_differences(runs, ["deal_win"])


@pytest.mark.parametrize(
    ("beyond", "least", "most"), [(0.0, 0, 0.04), (0.01, 0, 0.005), (-0.02, 0.97, 1)]
)
def test_equivalence_at_the_margin_has_an_error_rate_of_one_in_forty(
    repeated_differences, beyond, least, most
):
    """The true value equals the margin, exceeds it by 4 SE, or is 8 SE below."""
    true = toy.true_value(POPULATIONS[0], "a_deal_win") - toy.true_value(
        POPULATIONS[1], "a_deal_win"
    )
    margin = f"{100 * (abs(true) - beyond):.12g}%"
    verdicts = add_equivalence_verdicts(repeated_differences, margin)["verdict"]
    assert least <= (verdicts == contrast.EQUIVALENT).mean() <= most


def test_a_margin_in_percent_is_that_of_proportions():
    frame = compute_differences([(side(rows(0)), side(rows(1)))], ["deal_win", "margin"])
    assert add_equivalence_verdicts(frame, "1%")["verdict"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("limits", "found"),
    [
        ((-0.9, 0.9), contrast.EQUIVALENT),
        ((0.1, 0.9), contrast.EQUIVALENT),
        ((-0.9, 1), contrast.INCONCLUSIVE),
        ((-2, 2), contrast.INCONCLUSIVE),
        ((np.nan, np.nan), contrast.INCONCLUSIVE),
        ((0.1, 1.5), contrast.SIGNIFICANT),
        ((-3, -2), contrast.BEYOND_MARGIN),
        ((1.1, 2), contrast.BEYOND_MARGIN),
    ],
)
def test_a_verdict_of_limits_about_a_margin_of_one(limits, found):
    assert classify_difference(*limits, 1) == found


def test_identical_results_are_equivalent_within_any_margin():
    found = add_equivalence_verdicts(
        compute_differences([(side(rows(0)), side(rows(0)))], ["margin"]), 0.001
    )
    assert found["verdict"][0] == contrast.EQUIVALENT and found["margin"][0] == 0.001


def test_the_required_size_has_80_percent_power():
    rng = np.random.default_rng(3)
    n = compute_required_sample_size(0.5, sd=2.0)
    means = 0.5 + 2.0 / np.sqrt(n) * rng.standard_normal(10_000)
    assert n == 126
    assert np.mean(means > 1.96 * 2.0 / np.sqrt(n)) == pytest.approx(0.8, abs=0.02)
