"""Chi-square homogeneity of a share over batches and workers."""

import numpy as np
import pytest
from scipy import stats

from simgin.core import sums
from simgin.stats.homogeneity import homogeneity
from support import toy_deals as toy


def singles(won, n):
    """Batch rows of n single deals each, of which `won` were won."""
    rows = np.zeros((len(won), sums.COLUMNS), np.int64)
    win, deals = sums.FACT["a_deal_win"], sums.FACT["deals"]
    rows[:, sums.UNITS] = n
    for block in (sums.SUM, sums.SQUARE, sums.CROSS):
        rows[:, block + win], rows[:, block + deals] = won, n
    return rows


def test_single_results_give_pearsons_chi_square():
    """Up to a factor (n - 1) / n in the variance."""
    won, n = np.array([480, 520, 530, 505, 470]), np.array([1000, 1000, 1000, 1000, 900])
    expected = stats.chi2_contingency(np.array([won, n - won]), correction=False)
    found = homogeneity(singles(won, n), "deal_win")
    assert found.statistic == pytest.approx(expected.statistic * (n.sum() - 1) / n.sum())
    assert (found.df, found.p) == (4, pytest.approx(expected.pvalue, rel=1e-3))
    p = won.sum() / n.sum()
    residual = (won - n * p) / np.sqrt(n * p * (1 - p) * (1 - n / n.sum()))
    assert found.where == np.abs(residual).argmax()
    assert found.largest == pytest.approx(residual[found.where], rel=1e-3)


def test_a_worker_is_the_sum_of_its_batches():
    rows = toy.rows(np.random.default_rng(2), toy.units(np.random.default_rng(1), 200), 6, 500)
    grouped = homogeneity(rows, "deal_win", [7, 3, 3, 7, 3, 7])
    assert grouped.df == 1
    assert grouped.where in (3, 7)
    merged = homogeneity(
        np.array([rows[[1, 2, 4]].sum(axis=0), rows[[0, 3, 5]].sum(axis=0)]), "deal_win"
    )
    assert grouped.statistic == merged.statistic


@pytest.mark.parametrize(
    "rows",
    [singles([50], 100), singles([100, 100], 100), singles([0, 0], [0, 0])],
    ids=["one", "sure", "empty"],
)
def test_homogeneity_is_undefined_without_variation(rows):
    found = homogeneity(rows, "deal_win")
    assert np.isnan([found.statistic, found.p, found.largest]).all()
    assert found.where == -1
