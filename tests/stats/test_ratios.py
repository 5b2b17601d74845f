"""Compare ratios with slow computations and known values, and test homogeneity."""

import math

import numpy as np
import pytest
from scipy import special, stats

from simgin.core import batch_columns
from simgin.stats.batches import (
    add_continuity_correction,
    compute_chi_square_p_value,
    list_homogeneity_columns,
    run_homogeneity_test,
)
from simgin.stats.estimate import (
    RatioSums,
    compute_critical_value,
    compute_wilson_interval,
    estimate_ratio,
)


def estimate_from_units(
    numerator, denominator, *, is_proportion=False, scale=1, is_in_every_unit=True
):
    """Estimate a ratio from the numerators and denominators of single units."""
    n, d = (np.array([int(x) for x in part], dtype=object) for part in (numerator, denominator))
    sums = (n.sum(), (n * n).sum(), d.sum(), (d * d).sum(), (n * d).sum())
    return estimate_ratio(len(n), RatioSums(*sums, scale, is_proportion, is_in_every_unit))


def compute_se_slowly(numerator, denominator):
    """Compute the standard error of a ratio by the delta method over units."""
    n, d = np.asarray(numerator, float), np.asarray(denominator, float)
    residual = n - n.sum() / d.sum() * d
    return np.sqrt(len(n) / (len(n) - 1) * (residual**2).sum()) / d.sum()


def test_error_of_a_ratio_follows_the_delta_method():
    rng = np.random.default_rng(1)
    d = rng.integers(1, 20, 500)
    n = rng.integers(-30, 60, 500) * d // 7
    estimate = estimate_from_units(n, d)
    assert estimate.value == pytest.approx(n.sum() / d.sum(), rel=1e-14)
    assert estimate.se == pytest.approx(compute_se_slowly(n, d), rel=1e-12)
    assert estimate.low == pytest.approx(estimate.value - 1.96 * estimate.se)
    assert estimate.high == pytest.approx(estimate.value + 1.96 * estimate.se)


def test_small_variance_with_a_huge_mean_is_exact():
    """Use sums of squares that are too large to be exact in floating point."""
    deviations = np.random.default_rng(3).integers(0, 2, 2000)
    n = 10**12 + deviations
    se = compute_se_slowly(deviations, np.ones(2000))
    assert estimate_from_units(n.tolist(), [1] * 2000).se == pytest.approx(se, rel=1e-9)


@pytest.mark.parametrize(
    ("n_units", "value", "denominator", "n_zeros"),
    [(29, 1, 2, 0), (50, 0, 0, 0), (1, 47, 1, 999), (29, 40, 1, 999)],
)
def test_estimate_requires_thirty_informative_units(n_units, value, denominator, n_zeros):
    zeros = [0] * n_zeros
    estimate = estimate_from_units(
        [value] * n_units + zeros, [denominator] * n_units + zeros, is_in_every_unit=False
    )
    assert np.isnan([estimate.value, estimate.se, estimate.low, estimate.high]).all()
    assert (
        estimate_from_units([1, 2] * 15 + zeros, [1] * 30 + zeros, is_in_every_unit=False).value
        == 1.5
    )


def test_critical_value_below_100_units_is_students_t():
    """Compare with SciPy, and with closed forms for one and two degrees of freedom."""
    units = np.concatenate([np.arange(2, 100), np.linspace(1.5, 99.99, 500)])
    values = [compute_critical_value(n_units) for n_units in units]
    assert values == pytest.approx(special.stdtrit(units - 1, 0.975), rel=1e-13, abs=0)
    assert compute_critical_value(2) == pytest.approx(math.tan(0.475 * math.pi), rel=1e-14)
    assert compute_critical_value(3) == pytest.approx(0.95 / math.sqrt(0.04875), rel=1e-14)
    assert compute_critical_value(100) == compute_critical_value(math.inf) == 1.96
    assert np.isnan([compute_critical_value(units) for units in (1.4, 1, 0, math.nan)]).all()


@pytest.mark.parametrize("unseen_variance", [0.0, 1e-30, 1e-9])
def test_unobserved_events_do_not_reduce_the_degrees_of_freedom(unseen_variance):
    """Expect the critical value 1.96 for a hundred batches, with and without a correction."""
    for se in np.random.default_rng(2).random(500):
        corrected, df = add_continuity_correction(se, 99.0, unseen_variance)
        assert df >= 99 and compute_critical_value(df + 1) == 1.96
        assert corrected == pytest.approx(math.hypot(se, math.sqrt(unseen_variance)), rel=1e-12)


@pytest.mark.parametrize(
    ("successes", "trials"),
    [(0, 30), (1, 30), (15, 30), (30, 30), (0, 100_000), (3, 100_000), (52_000, 100_000)],
)
def test_wilson_interval_agrees_with_scipy(successes, trials):
    expected = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    bounds = pytest.approx((expected.low, expected.high), rel=1e-4, abs=1e-12)
    assert compute_wilson_interval(successes / trials, trials) == bounds


def test_proportion_of_single_results_has_a_wilson_interval():
    estimate = estimate_from_units([1] * 12 + [0] * 88, [1] * 100, is_proportion=True)
    assert (estimate.low, estimate.high) == compute_wilson_interval(0.12, 100)


def test_drawn_matches_change_the_effective_number_of_trials():
    halves = [2] * 40 + [1] * 20 + [0] * 40  # matches in halves: won, drawn, lost
    estimate = estimate_from_units(halves, [1] * 100, is_proportion=True, scale=2)
    assert estimate.value == 0.5
    trials = 0.25 / compute_se_slowly(halves, np.full(100, 2)) ** 2
    assert (estimate.low, estimate.high) == pytest.approx(compute_wilson_interval(0.5, trials))


@pytest.mark.parametrize(
    ("wins", "proportion", "trials"),
    [
        ([0] * 500, 0, 500),
        ([2] * 500, 1, 500),
        ([1] * 500, 0.5, 500),
        ([1] + [0] * 4999, 1e-4, 10_000),
    ],
    ids=["none", "all", "one half of every pair", "rare"],
)
def test_constant_proportion_of_pairs_has_an_interval(wins, proportion, trials):
    estimate = estimate_from_units(wins, [2] * len(wins), is_proportion=True)
    assert (estimate.low, estimate.high) == pytest.approx(
        compute_wilson_interval(proportion, trials), rel=1e-3
    )


# Homogeneity


def make_single_deal_rows(wins, n):
    """Return batch rows of n single deals each, of which `wins` were won."""
    rows = np.zeros((len(wins), batch_columns.N_COLUMNS), np.int64)
    win, deals = (
        batch_columns.STATISTIC_INDEX["a_deal_win"],
        batch_columns.STATISTIC_INDEX["deals"],
    )
    rows[:, batch_columns.UNITS_COLUMN] = n
    for block in (
        batch_columns.SUMS_START,
        batch_columns.SQUARES_START,
        batch_columns.PRODUCTS_START,
    ):
        rows[:, block + win], rows[:, block + deals] = wins, n
    return rows


def compute_win_homogeneity(rows):
    columns = rows[:, list_homogeneity_columns("deal_win")]
    return run_homogeneity_test(columns, rows.sum(axis=0), "deal_win")


def test_homogeneity_of_single_results_is_pearsons_chi_square():
    """Compare with SciPy, except for a factor (n - 1) / n in the variance."""
    wins, n = np.array([480, 520, 530, 505, 470]), np.array([1000, 1000, 1000, 1000, 900])
    expected = stats.chi2_contingency(np.array([wins, n - wins]), correction=False)
    homogeneity = compute_win_homogeneity(make_single_deal_rows(wins, n))
    assert homogeneity.statistic == pytest.approx(expected.statistic * (n.sum() - 1) / n.sum())
    assert (homogeneity.df, homogeneity.p) == (4, pytest.approx(expected.pvalue, rel=1e-3))
    p = wins.sum() / n.sum()
    residual = (wins - n * p) / np.sqrt(n * p * (1 - p) * (1 - n / n.sum()))
    assert homogeneity.largest_group == np.abs(residual).argmax()
    assert homogeneity.largest_residual == pytest.approx(
        residual[homogeneity.largest_group], rel=1e-3
    )


def test_chi_square_tail_agrees_with_scipy():
    for df in (1, 2, 3, 4, 9, 50, 199, 2000):
        for statistic in (0.0, 1e-3, df / 2, df, df + 3 * math.sqrt(2 * df), 10 * df):
            expected = special.chdtrc(df, statistic)
            assert compute_chi_square_p_value(statistic, df) == pytest.approx(
                expected, rel=1e-10, abs=1e-300
            )


@pytest.mark.parametrize(
    "rows",
    [
        make_single_deal_rows([50], 100),
        make_single_deal_rows([100, 100], 100),
        make_single_deal_rows([0, 0], [0, 0]),
    ],
    ids=["one", "sure", "empty"],
)
def test_homogeneity_is_undefined_without_variation(rows):
    homogeneity = compute_win_homogeneity(rows)
    assert (
        np.isnan([homogeneity.statistic, homogeneity.p, homogeneity.largest_residual]).all()
        and homogeneity.largest_group == -1
    )
