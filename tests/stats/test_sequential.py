"""Compare confidence sequences and the pair test with published values and definitions."""

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from simgin.runs.stopping import (
    PAIR_SCORES,
    compute_multinomial_llr,
    compute_sprt_bounds,
    elo_to_score,
)
from simgin.stats.estimate import (
    MIN_UNITS_BEFORE_FIRST_LOOK,
    compute_beta_binomial_interval,
    compute_confidence_sequence_width,
    compute_planned_sample_size,
)


@pytest.mark.parametrize(
    ("sample_proportion", "width_ratio"),
    [(0.1, 1.97), (0.25, 1.67), (0.5, 1.57), (1, 1.55), (2, 1.56), (4, 1.60), (10, 1.65)],
    ids=str,
)
def test_confidence_sequence_agrees_with_published_widths(sample_proportion, width_ratio):
    assert compute_confidence_sequence_width(
        sample_proportion * 10_000, 10_000
    ) / 1.96 == pytest.approx(width_ratio, abs=0.005)


def test_confidence_sequence_width_follows_the_formula():
    n, variance, planned = 5000, 7.3, 20_000
    v, v_star = n * variance, planned * variance
    r = v_star / (2 * log(20) + log(1 + 2 * log(20)))
    half_width = sqrt((v + r) * log((v + r) / (r * 0.05**2))) / n
    assert compute_confidence_sequence_width(n, planned) * sqrt(variance / n) == pytest.approx(
        half_width
    )
    n = compute_planned_sample_size(0.001, 0.3)
    assert compute_confidence_sequence_width(n, n) * 0.3 / sqrt(n) == pytest.approx(0.001, rel=1e-4)
    assert compute_planned_sample_size(10, 0.3) == MIN_UNITS_BEFORE_FIRST_LOOK


@pytest.mark.parametrize(
    ("successes", "failures"), [(0, 30), (30, 0), (1, 999), (17, 23), (5000, 6000)]
)
def test_beta_binomial_bounds_are_where_the_mixture_rejects(successes, failures):
    """Expect that the likelihood ratio of the mixture to each bound is 1 / alpha.

    The mixture is integrated numerically over its prior.
    """
    n, proportion = successes + failures, successes / (successes + failures)

    def compute_likelihood_ratio(q, p):  # likelihood ratio of q to p
        return exp(stats.binom.logpmf(successes, n, q) - stats.binom.logpmf(successes, n, p))

    low, high = compute_beta_binomial_interval(successes, failures)
    for p in {low, high} - {0.0, 1.0}:
        integrand = lambda t, p=p: 2 / np.pi * compute_likelihood_ratio(np.sin(t) ** 2, p)  # noqa: E731
        peaks = [np.arcsin(sqrt(proportion))]
        mixture_ratio, _ = integrate.quad(integrand, 0, np.pi / 2, points=peaks, limit=500)
        assert mixture_ratio == pytest.approx(20, rel=1e-6)  # Beta(1/2, 1/2) is the arcsine law
    assert low <= proportion <= high and compute_beta_binomial_interval(0, 0) == (0, 1)
    assert ((low == 0) == (successes == 0)) and ((high == 1) == (failures == 0))


def test_elo_is_converted_to_an_expected_score():
    for elo, score in {0: 0.5, 400: 10 / 11, -400: 1 / 11, 100: 0.640065}.items():
        assert elo_to_score(elo) == pytest.approx(score, abs=1e-6)


def test_sprt_bounds_follow_from_alpha_and_beta():
    assert compute_sprt_bounds() == pytest.approx((log(0.05 / 0.95), log(19)))


def maximise_log_likelihood(counts, mean):
    """Return the maximum log likelihood of distributions with a given mean."""
    scores, counts = np.array(PAIR_SCORES), np.array(counts, float)
    constraints = [
        {"type": "eq", "fun": lambda probabilities: probabilities.sum() - 1},
        {"type": "eq", "fun": lambda probabilities: probabilities @ scores - mean},
    ]
    proportions = counts / counts.sum()
    result = optimize.minimize(
        lambda probabilities: -(proportions * np.log(probabilities)).sum(),
        proportions,
        jac=lambda probabilities: -proportions / probabilities,
        bounds=[(1e-9, 1)] * 5,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    assert result.success
    return -result.fun * counts.sum()


@pytest.mark.parametrize(
    "counts", [(20, 30, 100, 40, 25), (300, 5, 400, 8, 333), (11, 1, 60, 2, 40)]
)
def test_multinomial_ratio_agrees_with_a_general_optimiser(counts):
    expected = maximise_log_likelihood(counts, 0.53) - maximise_log_likelihood(counts, 0.5)
    assert compute_multinomial_llr(counts, 0.5, 0.53) == pytest.approx(expected, abs=2e-4)


def test_multinomial_ratio_of_one_sided_counts_is_finite():
    assert 0 < compute_multinomial_llr([0, 0, 0, 0, 1000], 0.5, 0.51) < 1000
    assert compute_multinomial_llr([1000, 0, 0, 0, 0], 0.5, 0.51) < 0
