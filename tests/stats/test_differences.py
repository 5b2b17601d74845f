"""Compare differences with slow computations over batches."""

import numpy as np
import pandas as pd
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
    describe_equivalence_verdicts,
)
from simgin.stats.estimate import compute_required_sample_size, estimate_metric
from simgin.stats.metrics import METRICS_BY_NAME, select_metrics
from support import toy_deals as toy

POPULATIONS = [
    toy.draw_units(np.random.default_rng(1), 150, win_probability=win) for win in (0.55, 0.5)
]


def draw_rows(population, n_batches=20, seed=5, n_units=200):
    return toy.draw_rows(np.random.default_rng(seed), POPULATIONS[population], n_batches, n_units)


def make_rows(rows, *, strategy="gold", opponent="simple", seed=1, unit="deal", **options):
    return BatchRows(MatchupKey("standard", strategy, opponent, seed, unit), rows, **options)


def compute_single_difference(compared, baseline, metric="margin"):
    return compute_differences([(compared, baseline)], [metric]).iloc[0]


def select_statistic(rows, name):
    return rows[:, batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX[name]].astype(float)


def test_paired_difference_is_the_mean_of_batch_differences():
    a, b = draw_rows(0), draw_rows(1)
    difference = compute_single_difference(make_rows(a), make_rows(b))
    batch_differences = (
        select_statistic(a, "a_margin") - select_statistic(b, "a_margin")
    ) / select_statistic(a, "deals")
    expected = stats.ttest_1samp(batch_differences, 0)
    assert difference["value"] == pytest.approx(batch_differences.mean())
    assert difference["se"] == pytest.approx(batch_differences.std(ddof=1) / np.sqrt(20))
    assert difference["p"] == pytest.approx(expected.pvalue)
    assert (difference["low"], difference["high"]) == pytest.approx(
        tuple(expected.confidence_interval(0.95))
    )
    assert (difference["n"], difference["paired"]) == (8000, True)
    assert difference["detectable"] == pytest.approx(2.8 * difference["se"])


def test_error_of_a_paired_ratio_follows_the_delta_method():
    a, b = draw_rows(0), draw_rows(1)
    difference = compute_single_difference(make_rows(a), make_rows(b), "first_player_win")
    influences = []
    for cell in (a, b):
        numerators, denominators = (
            select_statistic(cell, "first_player_win"),
            select_statistic(cell, "decided"),
        )
        influences.append(
            (numerators - numerators.sum() / denominators.sum() * denominators)
            / denominators.mean()
        )
    observed_variance = np.var(influences[0] - influences[1], ddof=1) / 20
    unseen_variance = sum(select_statistic(cell, "decided").sum() ** -2 for cell in (a, b))
    assert difference["se"] == pytest.approx(np.sqrt(observed_variance + unseen_variance), rel=1e-9)


def test_unpaired_errors_add_in_quadrature():
    cells = draw_rows(0), draw_rows(1, seed=6)
    difference = compute_single_difference(make_rows(cells[0]), make_rows(cells[1], seed=2))
    errors = [estimate_metric(cell.sum(axis=0), METRICS_BY_NAME["margin"]).se for cell in cells]
    assert difference["se"] == pytest.approx(np.hypot(*errors))
    assert difference["high"] - difference["value"] == pytest.approx(1.96 * difference["se"])


def test_small_samples_agree_with_welchs_test():
    units = [
        toy.draw_units(np.random.default_rng(seed), n, n_halves=1) for seed, n in ((1, 40), (2, 60))
    ]
    cells = [unit.sum(axis=0)[None] for unit in units]
    difference = compute_single_difference(make_rows(cells[0]), make_rows(cells[1], seed=2))
    margins = [select_statistic(unit, "a_margin") for unit in units]
    assert difference["p"] == pytest.approx(stats.ttest_ind(*margins, equal_var=False).pvalue)


def test_only_common_full_batches_are_compared():
    a, b = draw_rows(0, 12), draw_rows(1, 20)
    a[-1] = draw_rows(0, 1, n_units=90)[0]  # cut short
    difference, expected = (
        compute_single_difference(make_rows(a), make_rows(b)),
        compute_single_difference(make_rows(a[:11]), make_rows(b[:11])),
    )
    assert difference.equals(expected)
    assert difference["n"] == 2 * 11 * 200


def test_short_batch_is_weighted_by_its_units():
    a, b = (
        np.vstack([draw_rows(population, 5), draw_rows(population, 1, n_units=1)])
        for population in (0, 1)
    )
    assert batches.count_effective_batches(a) == pytest.approx(1001**2 / (5 * 200**2 + 1))
    with_short_batch, without_short_batch = (
        compute_single_difference(make_rows(a), make_rows(b)),
        compute_single_difference(make_rows(a[:5]), make_rows(b[:5])),
    )
    assert with_short_batch["se"] == pytest.approx(without_short_batch["se"], rel=0.02)
    assert with_short_batch["high"] - with_short_batch["low"] == pytest.approx(
        without_short_batch["high"] - without_short_batch["low"], rel=0.02
    )


def test_difference_for_b_has_the_opposite_sign():
    a, b = draw_rows(0), draw_rows(1)
    as_a = compute_single_difference(make_rows(a), make_rows(b))
    as_b = compute_single_difference(make_rows(a, as_b=True), make_rows(b, as_b=True))
    assert as_b["value"] == pytest.approx(-as_a["value"])
    assert as_b["se"] == pytest.approx(as_a["se"])
    win_difference = compute_single_difference(
        make_rows(a, as_b=True), make_rows(b, as_b=True), "deal_win"
    )
    swapped_difference = compute_single_difference(
        make_rows(toy.swap_strategies(a)), make_rows(toy.swap_strategies(b)), "deal_win"
    )
    assert swapped_difference["value"] == pytest.approx(win_difference["value"])


@pytest.mark.parametrize("as_b", [False, True])
def test_paired_estimate_has_the_value_of_the_exact_sums(as_b):
    """Check every metric, from the perspectives of A and B."""
    batch_rows = draw_rows(0)
    for metric in select_metrics("deal"):
        estimate = paired_estimate.estimate_metric_by_batch(batch_rows, metric, as_b)
        exact = estimate_metric(batch_rows.sum(axis=0), metric, as_b)
        assert estimate.value == pytest.approx(exact.value, nan_ok=True), metric.name


def make_rarely_different_rows(n_cases, n_batches=20):
    """Return batch rows of two matchups whose numbers of dead hands differ in `n_cases` batches."""
    batch_rows = np.zeros((n_batches, batch_columns.N_COLUMNS), np.int64)
    batch_rows[
        :,
        [
            batch_columns.UNITS_COLUMN,
            batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX["deals"],
        ],
    ] = 1000
    batch_rows[:, batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX["void"]] = 7
    changed_rows = batch_rows.copy()
    changed_rows[:n_cases, batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX["void"]] += 1
    return make_rows(changed_rows), make_rows(batch_rows)


def test_jackknife_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(4).normal(size=20)
    error, left_out = values.std(ddof=1) / np.sqrt(20), (values.sum() - values) / 19
    assert paired_estimate.make_jackknife_estimate(0, left_out, 20).se == pytest.approx(error)
    assert compute_jackknife_se(left_out) == pytest.approx(error)


@pytest.mark.parametrize("n_cases", [1, 5, 6, 7, 12])
def test_rare_difference_is_as_significant_as_in_the_sign_test(n_cases):
    difference = compute_single_difference(*make_rarely_different_rows(n_cases, 400), "void")
    exact = stats.binomtest(n_cases, n_cases).pvalue
    assert difference["p"] == pytest.approx(exact, rel=0.5, abs=0.005)
    assert (difference["p"] < 0.05) == (exact < 0.05)


def test_interval_of_a_rare_difference_includes_unobserved_cases():
    """Expect an upper bound about 3.5 events above the estimate, in runs and in reviews."""
    difference = compute_single_difference(*make_rarely_different_rows(1), "void")
    per_case = 1 / 20_000
    assert difference["value"] == pytest.approx(per_case)
    assert (difference["high"] - difference["value"]) / per_case == pytest.approx(3.5, abs=0.2)
    a, b = (
        paired_estimate.estimate_metric_by_batch(batch_rows.rows, METRICS_BY_NAME["void"])
        for batch_rows in make_rarely_different_rows(1)
    )
    assert (a - b).interval == pytest.approx((difference["low"], difference["high"]))
    assert (a - b).p == pytest.approx(difference["p"])
    assert (
        a.interval
        == paired_estimate.estimate_metric_by_batch(
            make_rarely_different_rows(1)[0].rows, METRICS_BY_NAME["void"]
        ).interval
    )


@pytest.mark.parametrize(
    ("row_pair", "metric"),
    [
        ((draw_rows(0, 4), draw_rows(1, 4)), "margin"),
        ((draw_rows(0), draw_rows(1)), "big_gin"),
        ((draw_rows(0), draw_rows(1)), "match_win"),
        ((draw_rows(0), draw_rows(0)), "margin"),
    ],
    ids=["four batches", "never seen", "no matches", "the same cell"],
)
def test_difference_without_data_is_undefined(row_pair, metric):
    difference = compute_single_difference(make_rows(row_pair[0]), make_rows(row_pair[1]), metric)
    assert np.isnan(difference[["low", "high", "p", "p_holm", "detectable"]].astype(float)).all()


def test_difference_of_a_stopped_run_has_a_wider_interval():
    a, b = draw_rows(0), draw_rows(1)
    usual_difference, stopped = (
        compute_single_difference(make_rows(a), make_rows(b)),
        compute_single_difference(make_rows(a, critical_value=3.0), make_rows(b)),
    )
    half_width, usual_half_width = (
        difference["high"] - difference["value"] for difference in (stopped, usual_difference)
    )
    assert half_width == pytest.approx(3 / 1.96 * usual_half_width)
    assert np.isnan(stopped["p"])


def test_holms_adjustment_follows_its_definition():
    """Expect the smallest level at which Holm's procedure rejects each hypothesis."""
    adjusted = contrast.adjust_p_values(np.array([0.01, np.nan, 0.04, 0.03, 0.005, 0.6, 0.7]))
    assert adjusted[[4, 0, 3, 2, 5, 6]] == pytest.approx([0.03, 0.05, 0.12, 0.12, 1, 1])
    assert np.isnan(adjusted[1])
    assert contrast.adjust_p_values(np.full(3, np.nan)).shape == (3,)


def test_comparisons_with_the_best_of_ten_rarely_find_a_difference_that_does_not_exist():
    """Give ten strategies equal means. If nine tests were counted, 13 % of sets would fail."""
    values = np.random.default_rng(3).normal(size=(4_000, 10))
    distances = values.max(axis=1, keepdims=True) - np.sort(values, axis=1)[:, :-1]
    p_values = 2 * stats.norm.sf(distances / np.sqrt(2))
    n_alarms, n_uncorrected_alarms = (
        sum(contrast.adjust_p_values(p, n_tests).min() < 0.05 for p in p_values)
        for n_tests in (45, 9)
    )
    assert stats.binomtest(n_alarms, 4_000, 0.05, "greater").pvalue > 1e-4
    assert stats.binomtest(n_uncorrected_alarms, 4_000, 0.05, "greater").pvalue < 1e-4


def test_differences_of_a_frame_are_adjusted_together():
    a, b = draw_rows(0), make_rows(draw_rows(1))
    frame = compute_differences(
        [(make_rows(a), b), (make_rows(a, strategy="x"), b)], ["margin", "turns"]
    )
    assert len(frame) == 4 and set(frame["kind"]) == {"difference"}
    adjusted = contrast.adjust_p_values(frame["p"].to_numpy())
    assert frame["p_holm"].to_numpy() == pytest.approx(adjusted, nan_ok=True)
    assert compute_differences([], ["margin"]).empty


@pytest.fixture(scope="module")
def repeated_differences():
    """Compute the difference in the proportion of deals won for each of 250 runs."""
    rng = np.random.default_rng(8)
    runs = [
        [make_rows(toy.draw_rows(rng, population, 60, 400)) for population in POPULATIONS]
        for _ in range(250)
    ]
    return compute_differences(runs, ["deal_win"])


@pytest.mark.parametrize(
    ("distance", "min_rate", "max_rate"), [(0.0, 0, 0.04), (0.01, 0, 0.005), (-0.02, 0.97, 1)]
)
def test_equivalence_test_has_nominal_error_rate(
    repeated_differences, distance, min_rate, max_rate
):
    """Use a true difference at the margin, 4 SE beyond it, or 8 SE below it."""
    true_difference = toy.compute_true_value(POPULATIONS[0], "a_deal_win") - toy.compute_true_value(
        POPULATIONS[1], "a_deal_win"
    )
    margin = f"{100 * (abs(true_difference) - distance):.12g}%"
    verdicts = add_equivalence_verdicts(repeated_differences, margin)["verdict"]
    assert min_rate <= (verdicts == contrast.EQUIVALENT).mean() <= max_rate


def test_percentage_margin_applies_only_to_proportions():
    frame = compute_differences(
        [(make_rows(draw_rows(0)), make_rows(draw_rows(1)))], ["deal_win", "margin"]
    )
    assert add_equivalence_verdicts(frame, "1%")["verdict"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("bounds", "expected"),
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
def test_difference_is_classified_by_its_interval(bounds, expected):
    assert classify_difference(*bounds, 1) == expected


@pytest.mark.parametrize(
    ("bounds", "sentence"),
    [
        (
            (-0.5, 0.9),
            "The results of late and early against simple in standard are equivalent: their "
            "difference is within 1 point per deal of 0 (points/deal).",
        ),
        ((0.1, 1.5), "differ significantly, but their difference may be within 1 point"),
        ((1.1, 2), "differ: their difference is not within 1 point per deal of 0"),
        ((-2, 2), "may be equivalent, but the sample is too small to decide whether their"),
    ],
)
def test_equivalence_of_two_runs_is_described(bounds, sentence):
    row = dict(zip(("low", "high"), bounds, strict=True), se=0.1, metric="margin")
    names = {"strategy": "late", "base_strategy": "early", "opponent": "simple"}
    names |= {"base_opponent": "simple", "variant": "standard", "base_variant": "standard"}
    frame = add_equivalence_verdicts(pd.DataFrame([{**names, **row}]), 1)
    (line,) = describe_equivalence_verdicts(frame)
    assert sentence in line


def test_identical_results_are_equivalent_within_any_margin():
    frame = add_equivalence_verdicts(
        compute_differences([(make_rows(draw_rows(0)), make_rows(draw_rows(0)))], ["margin"]), 0.001
    )
    assert frame["verdict"][0] == contrast.EQUIVALENT and frame["margin"][0] == 0.001


def test_required_sample_size_has_80_percent_power():
    rng = np.random.default_rng(3)
    n = compute_required_sample_size(0.5, sd=2.0)
    means = 0.5 + 2.0 / np.sqrt(n) * rng.standard_normal(10_000)
    assert n == 126
    assert np.mean(means > 1.96 * 2.0 / np.sqrt(n)) == pytest.approx(0.8, abs=0.02)
