"""Tests of sequential reviews: error rates, effect sizes and intervals at every stage."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

import simgin
from simgin.core import batch_columns
from simgin.review import review_request
from simgin.review.review import GIN_VS_KNOCK_METRIC, SKILL_METRIC, Effect, Review, run_review
from simgin.review.review_request import (
    DEFAULT_REVIEW_MATCHES,
    ERROR_RATES_BY_MATCHES,
    ReviewRequest,
)
from simgin.review.scorecard import LARGE_EFFECT, NO_EFFECT, SMALL_EFFECT, UNCLEAR_EFFECT
from simgin.stats.estimate import ALPHA
from simgin.stats.paired_estimate import PairedEstimate
from simgin.strategy.cast import STRONG_PLAYER
from support.command_line import interrupt_after_blocks, run_simgin

INTEGRATION_GRID_SIZE = 1_001


def compute_crossing_probabilities(limits, times):
    """Return the probability that a Brownian motion first leaves the limits at each look.

    The limits are in standard errors. The densities at the looks are integrated numerically
    (Armitage, McPherson and Rowe 1969).
    """
    probabilities, grid, density, previous_time = [], np.zeros(1), np.ones(1), 0.0
    for limit, time in zip(limits, times, strict=True):
        boundary, sd = limit * np.sqrt(time), np.sqrt(time - previous_time)
        inside_probability = norm.cdf((boundary - grid) / sd) - norm.cdf((-boundary - grid) / sd)
        probabilities.append(float(density @ (1 - inside_probability)))
        next_grid = np.linspace(-boundary, boundary, INTEGRATION_GRID_SIZE)
        weights = np.full(INTEGRATION_GRID_SIZE, next_grid[1] - next_grid[0])
        weights[[0, -1]] /= 2
        steps = norm.pdf((next_grid[:, None] - grid) / sd) / sd
        grid, density, previous_time = next_grid, weights * (steps @ density), time
    return probabilities


def test_spent_error_rate_grows_with_the_squared_sample_size():
    times = np.array(list(ERROR_RATES_BY_MATCHES)) / DEFAULT_REVIEW_MATCHES
    limits = norm.isf(np.array(list(ERROR_RATES_BY_MATCHES.values())) / 2)
    spent = np.cumsum(compute_crossing_probabilities(limits, times))
    assert spent == pytest.approx(ALPHA * times**2, rel=2e-3)


@pytest.mark.parametrize(
    ("value", "size", "is_decided"),
    [
        (0.0, NO_EFFECT, True),
        (0.95, UNCLEAR_EFFECT, False),
        (2.0, SMALL_EFFECT, True),
        (-2.9, SMALL_EFFECT, False),
        (-4.0, LARGE_EFFECT, True),
        (np.nan, UNCLEAR_EFFECT, True),
    ],
)
def test_effect_is_decided_if_its_interval_has_one_effect_size(value, size, is_decided):
    effect = Effect(PairedEstimate.from_known_se(value, 0.1, 5_000), (1.0, 3.0))
    assert (effect.size, effect.is_decided) == (size, is_decided)


def test_early_stage_uses_a_wider_interval():
    difference = PairedEstimate.from_known_se(0.75, 0.1, 5_000)
    assert Effect(difference, (1.0, 3.0)).size == NO_EFFECT
    early = Effect(difference, (1.0, 3.0), interval_error_rate=ERROR_RATES_BY_MATCHES[5_000])
    assert early.size == UNCLEAR_EFFECT and early.difference.interval == difference.interval


def test_only_a_default_review_with_a_baseline_is_sequential():
    assert ReviewRequest.read(["oklahoma"], "standard").stage_sizes == tuple(ERROR_RATES_BY_MATCHES)
    for options in ({"matches": "20k"}, {"deep": True}):
        assert len(ReviewRequest.read(["oklahoma"], "standard", **options).stage_sizes) == 1
    for names, options in ((["oklahoma"], {}), (["standard"], {"sweep": ["gin_bonus=20,25"]})):
        assert ReviewRequest.read(names, **options).stage_sizes == (DEFAULT_REVIEW_MATCHES,)
    assert ReviewRequest.read(["solitary-gin"], "gin-solitaire").stage_sizes == (5_000,)


# Stages of a small review

ERROR_RATES_BY_FEW_MATCHES = {1_000: 0.003, 2_000: 0.0105, 4_000: 0.043}
PLAYER_SPECS = ["simple", "gin-only", "gold-early"]
REVIEW_ARGUMENTS = (
    "review",
    "straight",
    "--against",
    "standard",
    "--players",
    ",".join(PLAYER_SPECS),
)


@pytest.fixture
def shorten_stages(monkeypatch, empty_directory):
    """Reduce the sample sizes of the stages of a sequential review."""
    monkeypatch.setattr(review_request, "ERROR_RATES_BY_MATCHES", ERROR_RATES_BY_FEW_MATCHES)


def test_only_undecided_matchups_are_extended(shorten_stages):
    """Check also that a review of fixed size plays the same matches."""
    review = simgin.review_rules("straight", "standard", players=PLAYER_SPECS)
    full = simgin.review_rules("straight", "standard", players=PLAYER_SPECS, matches=4_000)
    assert review.next_matches_by_pairing == review.matches_by_pairing and set(
        review.matches_by_pairing.values()
    ) >= {1_000, 4_000}
    for key, rows in review._batch_rows.items():
        n = review.matches_by_pairing[key[0], frozenset(key[1:])]
        assert rows[:, batch_columns.UNITS_COLUMN].sum() * len({*key[1:]}) == n
        assert (rows == full._batch_rows[key][: len(rows)]).all()
    for key, course in review._event_counts.items():
        for name, counts in course.items():
            assert (counts == full._event_counts[key][name][: len(counts)]).all()
    key = next(key for key in review.effects if review.count_matches(key) == 4_000)
    assert review.effects[key].difference.value == full.effects[key].difference.value


def test_interrupted_sequential_review_gives_the_same_files(shorten_stages, monkeypatch):
    run_simgin(*REVIEW_ARGUMENTS, "--workers", 1, "-o", "whole")
    for blocks in (12, 4):
        with monkeypatch.context() as patch_context:
            interrupt_after_blocks(patch_context, blocks, only_on_disk=True)
            run_simgin(*REVIEW_ARGUMENTS, "--workers", 2, "-o", "out", exit_code=130)
    run_simgin(*REVIEW_ARGUMENTS, "--workers", 2, "-o", "out")
    for name in ("metrics.csv", "differences.csv", "table.csv"):
        assert Path("out", name).read_bytes() == Path("whole", name).read_bytes()
    assert "already complete" in run_simgin(*REVIEW_ARGUMENTS, "-o", "out").stderr


# Repetitions of a review, resampled from the batches of a long review


def make_truncated_review(long_review, rows, courses, sizes, max_size=DEFAULT_REVIEW_MATCHES):
    """Return a sequential review that uses only the first of the given batches."""
    review = Review(
        replace(long_review.request, is_sequential=True, matches=DEFAULT_REVIEW_MATCHES),
        long_review.results,
    )

    def select_batches(batches, variant, *players):
        n = min(sizes[variant, frozenset(players)], max_size)
        units = n // len(set(players))
        return batches[: units // batch_columns.MATCH_BATCH_SIZE]

    looks = [n for n in ERROR_RATES_BY_MATCHES if n < max_size]
    review.__dict__.update(
        matches_by_pairing=sizes,
        _batch_rows={key: select_batches(batches, *key) for key, batches in rows.items()},
        _event_counts={
            key: {name: select_batches(batches, *key) for name, batches in course.items()}
            for key, course in courses.items()
        },
        _partial_reviews={
            n: make_truncated_review(long_review, rows, courses, sizes, n) for n in looks
        },
    )
    return review


def resample_review(long_review, rng):
    """Return a sequential review and a full-size review of the same resampled batches.

    Batches of the same number have the same deals, so they are drawn together.
    """
    n_batches = DEFAULT_REVIEW_MATCHES // batch_columns.MATCH_BATCH_SIZE
    indices = {}

    def resample_batches(batches):
        if len(batches) not in indices:
            indices[len(batches)] = rng.integers(len(batches), size=n_batches)
        return batches[indices[len(batches)]]

    rows = {key: resample_batches(batches) for key, batches in long_review._batch_rows.items()}
    courses = {
        key: {name: resample_batches(batches) for name, batches in course.items()}
        for key, course in long_review._event_counts.items()
    }
    sizes = dict.fromkeys(long_review.matches_by_pairing, min(ERROR_RATES_BY_MATCHES))
    review = make_truncated_review(long_review, rows, courses, sizes)
    while review.next_matches_by_pairing != review.matches_by_pairing:
        review = make_truncated_review(long_review, rows, courses, review.next_matches_by_pairing)
    full = make_truncated_review(
        long_review, rows, courses, dict.fromkeys(sizes, DEFAULT_REVIEW_MATCHES)
    )
    return review, full


def compare_with_long_review(long_review, n_repetitions, seed):
    """Compare resampled reviews with the long review, whose results are the true values.

    Returns:
        Proportion of labels of sequential reviews that are equal to those of reviews of the full
        size, proportion of decided labels that contradict the long review, coverage of the printed
        intervals by metric, and mean number of matches per matchup.
    """
    rng = np.random.default_rng(seed)
    is_equal, is_contradiction, n_matches, is_covered = [], [], [], {}
    for _ in range(n_repetitions):
        review, full = resample_review(long_review, rng)
        n_matches += review.matches_by_pairing.values()
        for key, effect in review.effects.items():
            true_value = long_review.effects[key].difference.value
            low, high = effect.difference.interval
            is_covered.setdefault(key[1], []).append(low <= true_value <= high)
            if key[2] == STRONG_PLAYER or key[1] in (SKILL_METRIC, GIN_VS_KNOCK_METRIC):
                is_equal.append(effect.size == full.effects[key].size)
                is_contradiction.append(
                    is_contradicted(effect, true_value, long_review.effects[key].size_thresholds)
                )
    coverage = {metric: np.mean(values) for metric, values in is_covered.items()}
    return np.mean(is_equal), np.mean(is_contradiction), coverage, np.mean(n_matches)


def is_contradicted(effect, true_value, thresholds):
    """Return True if the true difference contradicts the effect size."""
    little, much = thresholds
    smallest = {NO_EFFECT: 0.0, SMALL_EFFECT: little, LARGE_EFFECT: much, UNCLEAR_EFFECT: 0.0}[
        effect.size
    ]
    largest = little if effect.size == NO_EFFECT else np.inf
    return not smallest <= abs(true_value) <= largest or effect.sign * true_value < 0


@pytest.mark.slow
def test_sequential_reviews_have_nominal_error_rates():
    """Allow 5 % wrong effect sizes, and 5 % that differ from a review of the full size."""
    names = ["oklahoma", "straight"]
    request = ReviewRequest.read(names, "standard", players=PLAYER_SPECS, matches=60_000, seed=11)
    long_review = run_review(request)
    equal_rate, error_rate, coverage, n_matches = compare_with_long_review(long_review, 100, seed=5)
    assert equal_rate > 0.95 and error_rate < 0.05 and n_matches < 15_000, (
        equal_rate,
        error_rate,
        n_matches,
    )
    # The metrics of a review are correlated, so the mean over all metrics is also a coverage of a
    # few thousand intervals.
    assert 0.94 < np.mean([*coverage.values()]) < 0.965, coverage
    assert min(coverage.values()) > 0.9, coverage
