"""Sequential reviews: error rates at every look, labels, and coverage of the printed intervals."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

import simgin
from simgin.core import batch_columns
from simgin.review import review_request
from simgin.review.review import GIN_VS_KNOCK, SKILL, Effect, Review, run_review
from simgin.review.review_request import ERROR_RATES_BY_LOOK, REVIEW_MATCHES, ReviewRequest
from simgin.review.scorecard import LITTLE, MUCH, SAME, UNCLEAR
from simgin.stats.estimate import ALPHA
from simgin.stats.paired_estimate import PairedEstimate
from simgin.strategy.cast import STRONG
from support.command_line import call, interrupted_after

GRID = 1_001


def crossing_probabilities(limits, times):
    """Return the probability that a Brownian motion first leaves the limits at each look.

    The limits are in standard errors. The densities at the looks are integrated numerically
    (Armitage, McPherson and Rowe 1969).
    """
    crossed, grid, density, before = [], np.zeros(1), np.ones(1), 0.0
    for limit, time in zip(limits, times, strict=True):
        edge, sd = limit * np.sqrt(time), np.sqrt(time - before)
        inside = norm.cdf((edge - grid) / sd) - norm.cdf((-edge - grid) / sd)
        crossed.append(float(density @ (1 - inside)))
        following = np.linspace(-edge, edge, GRID)
        weights = np.full(GRID, following[1] - following[0])
        weights[[0, -1]] /= 2
        steps = norm.pdf((following[:, None] - grid) / sd) / sd
        grid, density, before = following, weights * (steps @ density), time
    return crossed


def test_the_looks_spend_the_error_rate_with_the_square_of_the_sample_size():
    times = np.array(list(ERROR_RATES_BY_LOOK)) / REVIEW_MATCHES
    limits = norm.isf(np.array(list(ERROR_RATES_BY_LOOK.values())) / 2)
    spent = np.cumsum(crossing_probabilities(limits, times))
    assert spent == pytest.approx(ALPHA * times**2, rel=2e-3)


@pytest.mark.parametrize(
    ("value", "size", "is_decided"),
    [
        (0.0, SAME, True),
        (0.95, UNCLEAR, False),
        (2.0, LITTLE, True),
        (-2.9, LITTLE, False),
        (-4.0, MUCH, True),
        (np.nan, UNCLEAR, True),
    ],
)
def test_an_effect_is_decided_if_its_interval_contains_one_effect_size(value, size, is_decided):
    effect = Effect(PairedEstimate.from_known_se(value, 0.1, 5_000), (1.0, 3.0))
    assert (effect.size, effect.is_decided) == (size, is_decided)


def test_an_early_look_requires_a_wider_interval():
    difference = PairedEstimate.from_known_se(0.75, 0.1, 5_000)
    assert Effect(difference, (1.0, 3.0)).size == SAME
    early = Effect(difference, (1.0, 3.0), error_rate=ERROR_RATES_BY_LOOK[5_000])
    assert early.size == UNCLEAR and early.difference.interval == difference.interval


def test_only_a_default_review_with_a_baseline_is_sequential():
    assert ReviewRequest.read(["oklahoma"], "standard").sizes == tuple(ERROR_RATES_BY_LOOK)
    for options in ({"matches": "20k"}, {"deep": True}):
        assert len(ReviewRequest.read(["oklahoma"], "standard", **options).sizes) == 1
    for names, options in ((["oklahoma"], {}), (["standard"], {"sweep": ["gin_bonus=20,25"]})):
        assert ReviewRequest.read(names, **options).sizes == (REVIEW_MATCHES,)
    assert ReviewRequest.read(["solitary-gin"], "gin-solitaire").sizes == (5_000,)


# Stages of a small review

SMALL_LOOKS = {1_000: 0.003, 2_000: 0.0105, 4_000: 0.043}
PLAYERS = ["simple", "gin-only", "gold-early"]
WORDS = ("review", "straight", "--against", "standard", "--players", ",".join(PLAYERS))


@pytest.fixture
def small_looks(monkeypatch, empty_directory):
    monkeypatch.setattr(review_request, "ERROR_RATES_BY_LOOK", SMALL_LOOKS)


def test_only_matchups_behind_undecided_effect_sizes_play_more(small_looks):
    """All matches are those of a review of fixed size."""
    played = simgin.review_rules("straight", "standard", players=PLAYERS)
    full = simgin.review_rules("straight", "standard", players=PLAYERS, matches=4_000)
    assert played.next_sizes == played.sizes and set(played.sizes.values()) >= {1_000, 4_000}
    for key, rows in played._batch_rows.items():
        n = played.sizes[key[0], frozenset(key[1:])]
        assert rows[:, batch_columns.COL_UNITS].sum() * len({*key[1:]}) == n
        assert (rows == full._batch_rows[key][: len(rows)]).all()
    for key, course in played._event_counts.items():
        for name, counts in course.items():
            assert (counts == full._event_counts[key][name][: len(counts)]).all()
    key = next(key for key in played.effects if played.count_matches(key) == 4_000)
    assert played.effects[key].difference.value == full.effects[key].difference.value


def test_an_interrupted_sequential_review_continues_to_the_same_bytes(small_looks, monkeypatch):
    call(*WORDS, "--workers", 1, "-o", "whole")
    for blocks in (12, 4):
        with monkeypatch.context() as patched:
            interrupted_after(patched, blocks, kept=True)
            call(*WORDS, "--workers", 2, "-o", "out", code=130)
    call(*WORDS, "--workers", 2, "-o", "out")
    for name in ("metrics.csv", "differences.csv", "table.csv"):
        assert Path("out", name).read_bytes() == Path("whole", name).read_bytes()


# Repetitions of a review, resampled from the batches of a long review


def review_of_sizes(long, rows, courses, sizes, limit=REVIEW_MATCHES):
    """Return a sequential review of given sizes whose batches are given."""
    review = Review(replace(long.request, is_sequential=True, matches=REVIEW_MATCHES), long.results)

    def select(batches, variant, *players):
        n = min(sizes[variant, frozenset(players)], limit)
        units = n // len(set(players))
        return batches[: units // batch_columns.MATCH_BATCH_SIZE]

    looks = [n for n in ERROR_RATES_BY_LOOK if n < limit]
    review.__dict__.update(
        sizes=sizes,
        _batch_rows={key: select(batches, *key) for key, batches in rows.items()},
        _event_counts={
            key: {name: select(batches, *key) for name, batches in course.items()}
            for key, course in courses.items()
        },
        _reviews_by_size={n: review_of_sizes(long, rows, courses, sizes, n) for n in looks},
    )
    return review


def repeat_review(long, rng):
    """Return a sequential review and a review of the full size with resampled batches.

    Batches of the same number have the same deals, so they are drawn together.
    """
    n = REVIEW_MATCHES // batch_columns.MATCH_BATCH_SIZE
    drawn = {}

    def resample(batches):
        if len(batches) not in drawn:
            drawn[len(batches)] = rng.integers(len(batches), size=n)
        return batches[drawn[len(batches)]]

    rows = {key: resample(batches) for key, batches in long._batch_rows.items()}
    courses = {
        key: {name: resample(batches) for name, batches in course.items()}
        for key, course in long._event_counts.items()
    }
    sizes = dict.fromkeys(long.sizes, min(ERROR_RATES_BY_LOOK))
    review = review_of_sizes(long, rows, courses, sizes)
    while review.next_sizes != review.sizes:
        review = review_of_sizes(long, rows, courses, review.next_sizes)
    full = review_of_sizes(long, rows, courses, dict.fromkeys(sizes, REVIEW_MATCHES))
    return review, full


def compare_with_long_review(long, repetitions, seed):
    """Compare resampled reviews with the long review, whose results are the true values.

    Returns:
        Proportion of labels of sequential reviews that are equal to those of reviews of the full
        size, proportion of decided labels that contradict the long review, coverage of the printed
        intervals by metric, and mean number of matches per matchup.
    """
    rng = np.random.default_rng(seed)
    equal, wrong, n_matches, covered = [], [], [], {}
    for _ in range(repetitions):
        review, full = repeat_review(long, rng)
        n_matches += review.sizes.values()
        for key, effect in review.effects.items():
            truth = long.effects[key].difference.value
            low, high = effect.difference.interval
            covered.setdefault(key[1], []).append(low <= truth <= high)
            if key[2] == STRONG or key[1] in (SKILL, GIN_VS_KNOCK):
                equal.append(effect.size == full.effects[key].size)
                wrong.append(is_wrong(effect, truth, long.effects[key].size_thresholds))
    coverage = {metric: np.mean(values) for metric, values in covered.items()}
    return np.mean(equal), np.mean(wrong), coverage, np.mean(n_matches)


def is_wrong(effect, truth, bounds):
    """Return True if the label excludes the true difference."""
    little, much = bounds
    smallest = {SAME: 0.0, LITTLE: little, MUCH: much, UNCLEAR: 0.0}[effect.size]
    largest = little if effect.size == SAME else np.inf
    return not smallest <= abs(truth) <= largest or effect.sign * truth < 0


@pytest.mark.slow
def test_labels_and_intervals_of_repeated_reviews():
    """At most 5 % of labels are wrong, and 95 % are those of a review of the full size."""
    names = ["oklahoma", "straight"]
    request = ReviewRequest.read(names, "standard", players=PLAYERS, matches=60_000, seed=11)
    long = run_review(request)
    equal, wrong, coverage, n_matches = compare_with_long_review(long, 100, seed=5)
    assert equal > 0.95 and wrong < 0.05 and n_matches < 15_000, (equal, wrong, n_matches)
    # The metrics of a review are correlated, so the mean over all metrics is also a coverage of a
    # few thousand intervals.
    assert 0.94 < np.mean([*coverage.values()]) < 0.965, coverage
    assert min(coverage.values()) > 0.9, coverage
