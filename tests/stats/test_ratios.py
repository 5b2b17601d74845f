"""Compare ratios with brute force and known values; test homogeneity over batches."""

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


def estimate(numerator, denominator, *, share=False, scale=1, always=True):
    """Estimate a ratio from its units."""
    n, d = (np.array([int(x) for x in part], dtype=object) for part in (numerator, denominator))
    five = (n.sum(), (n * n).sum(), d.sum(), (d * d).sum(), (n * d).sum())
    return estimate_ratio(len(n), RatioSums(*five, scale, share, always))


def slow_se(numerator, denominator):
    """Compute the standard error by the delta method, written out over units."""
    n, d = np.asarray(numerator, float), np.asarray(denominator, float)
    residual = n - n.sum() / d.sum() * d
    return np.sqrt(len(n) / (len(n) - 1) * (residual**2).sum()) / d.sum()


def test_the_error_of_a_ratio_is_the_delta_method_over_units():
    rng = np.random.default_rng(1)
    d = rng.integers(1, 20, 500)
    n = rng.integers(-30, 60, 500) * d // 7
    found = estimate(n, d)
    assert found.value == pytest.approx(n.sum() / d.sum(), rel=1e-14)
    assert found.se == pytest.approx(slow_se(n, d), rel=1e-12)
    assert found.low == pytest.approx(found.value - 1.96 * found.se)
    assert found.high == pytest.approx(found.value + 1.96 * found.se)


def test_a_tiny_scatter_on_a_huge_mean_keeps_its_digits():
    """Float sums of squares would lose the variance."""
    wobble = np.random.default_rng(3).integers(0, 2, 2000)
    n = 10**12 + wobble
    se = slow_se(wobble, np.ones(2000))
    assert estimate(n.tolist(), [1] * 2000).se == pytest.approx(se, rel=1e-9)


@pytest.mark.parametrize(
    ("units", "value", "of", "more"),
    [(29, 1, 2, 0), (50, 0, 0, 0), (1, 47, 1, 999), (29, 40, 1, 999)],
)
def test_an_estimate_needs_thirty_informative_units(units, value, of, more):
    zeros = [0] * more
    found = estimate([value] * units + zeros, [of] * units + zeros, always=False)
    assert np.isnan([found.value, found.se, found.low, found.high]).all()
    assert estimate([1, 2] * 15 + zeros, [1] * 30 + zeros, always=False).value == 1.5


def test_below_a_hundred_units_the_quantile_is_students_t():
    """Check values below one degree of freedom, and closed forms."""
    units = np.concatenate([np.arange(2, 100), np.linspace(1.5, 99.99, 500)])
    found = [compute_critical_value(number) for number in units]
    assert found == pytest.approx(special.stdtrit(units - 1, 0.975), rel=1e-13, abs=0)
    assert compute_critical_value(2) == pytest.approx(math.tan(0.475 * math.pi), rel=1e-14)
    assert compute_critical_value(3) == pytest.approx(0.95 / math.sqrt(0.04875), rel=1e-14)
    assert compute_critical_value(100) == compute_critical_value(math.inf) == 1.96
    assert np.isnan([compute_critical_value(units) for units in (1.4, 1, 0, math.nan)]).all()


@pytest.mark.parametrize("unseen", [0.0, 1e-30, 1e-9])
def test_unobserved_events_do_not_reduce_the_degrees_of_freedom(unseen):
    """A hundred batches use 1.96."""
    for se in np.random.default_rng(2).random(500):
        whole, freedom = add_continuity_correction(se, 99.0, unseen)
        assert freedom >= 99 and compute_critical_value(freedom + 1) == 1.96
        assert whole == pytest.approx(math.hypot(se, math.sqrt(unseen)), rel=1e-12)


@pytest.mark.parametrize(
    ("successes", "trials"),
    [(0, 30), (1, 30), (15, 30), (30, 30), (0, 100_000), (3, 100_000), (52_000, 100_000)],
)
def test_the_wilson_interval_agrees_with_scipy(successes, trials):
    expected = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    limits = pytest.approx((expected.low, expected.high), rel=1e-4, abs=1e-12)
    assert compute_wilson_interval(successes / trials, trials) == limits


def test_a_share_of_single_results_takes_the_wilson_interval():
    found = estimate([1] * 12 + [0] * 88, [1] * 100, share=True)
    assert (found.low, found.high) == compute_wilson_interval(0.12, 100)


def test_drawn_matches_shrink_the_effective_number_of_trials():
    halves = [2] * 40 + [1] * 20 + [0] * 40  # matches in halves: won, drawn, lost
    found = estimate(halves, [1] * 100, share=True, scale=2)
    assert found.value == 0.5
    trials = 0.25 / slow_se(halves, np.full(100, 2)) ** 2
    assert (found.low, found.high) == pytest.approx(compute_wilson_interval(0.5, trials))


@pytest.mark.parametrize(
    ("wins", "share", "trials"),
    [
        ([0] * 500, 0, 500),
        ([2] * 500, 1, 500),
        ([1] * 500, 0.5, 500),
        ([1] + [0] * 4999, 1e-4, 10_000),
    ],
    ids=["none", "all", "one half of every pair", "rare"],
)
def test_a_share_of_pairs_has_an_interval_even_if_it_never_varied(wins, share, trials):
    found = estimate(wins, [2] * len(wins), share=True)
    assert (found.low, found.high) == pytest.approx(
        compute_wilson_interval(share, trials), rel=1e-3
    )


# Homogeneity


def make_single_deal_rows(won, n):
    """Return batch rows of n single deals each, of which `won` were won."""
    rows = np.zeros((len(won), batch_columns.N_COLUMNS), np.int64)
    win, deals = batch_columns.STATISTIC_INDEX["a_deal_win"], batch_columns.STATISTIC_INDEX["deals"]
    rows[:, batch_columns.COL_UNITS] = n
    for block in (batch_columns.COL_SUM, batch_columns.COL_SQUARE, batch_columns.COL_CROSS):
        rows[:, block + win], rows[:, block + deals] = won, n
    return rows


def homogeneity_of_wins(rows):
    columns = rows[:, list_homogeneity_columns("deal_win")]
    return run_homogeneity_test(columns, rows.sum(axis=0), "deal_win")


def test_single_results_give_pearsons_chi_square():
    """They agree up to a factor (n - 1) / n in the variance."""
    won, n = np.array([480, 520, 530, 505, 470]), np.array([1000, 1000, 1000, 1000, 900])
    expected = stats.chi2_contingency(np.array([won, n - won]), correction=False)
    found = homogeneity_of_wins(make_single_deal_rows(won, n))
    assert found.statistic == pytest.approx(expected.statistic * (n.sum() - 1) / n.sum())
    assert (found.df, found.p) == (4, pytest.approx(expected.pvalue, rel=1e-3))
    p = won.sum() / n.sum()
    residual = (won - n * p) / np.sqrt(n * p * (1 - p) * (1 - n / n.sum()))
    assert found.largest_group == np.abs(residual).argmax()
    assert found.largest_residual == pytest.approx(residual[found.largest_group], rel=1e-3)


def test_the_tail_of_chi_square_agrees_with_scipy():
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
    found = homogeneity_of_wins(rows)
    assert (
        np.isnan([found.statistic, found.p, found.largest_residual]).all()
        and found.largest_group == -1
    )
