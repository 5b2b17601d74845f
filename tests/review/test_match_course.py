"""Compare the course of matches with slow computations, and check scorecard intervals."""

import math

import numpy as np
import pytest

from simgin.core import batch_columns
from simgin.core.match import MATCH_UNDECIDED
from simgin.odds import solo_deals
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.review import match_course, scorecard
from simgin.review.review import SKILL_METRIC, Review
from simgin.review.review_request import ReviewRequest
from simgin.review.scorecard import MatchupStats, list_scorecard_rows
from simgin.rules import variants
from simgin.runs.block import Block
from simgin.runs.runner import run_matchup
from simgin.stats.paired_estimate import PairedEstimate
from simgin.strategy.cast import NAIVE_PLAYER, list_player_types

N_MATCHES = 300


@pytest.fixture(scope="module", params=["standard", "oklahoma+points_target=50", "dice"])
def matchup(request):
    return parse_matchup("gold", "gold", request.param, 3, "match")


@pytest.fixture(scope="module")
def deals_by_match(matchup):
    """Return the deals of every match, in order."""
    _, records = kernel.play_with_records(matchup, 0, N_MATCHES)
    matches = {}
    for record in records:
        matches.setdefault(int(record["unit"]), []).append(record)
    return list(matches.values())


@pytest.fixture(scope="module")
def event_counts(matchup):
    return match_course.count_match_events(Block(0, matchup, 0, N_MATCHES), 1, None)


def test_length_and_knock_counts_agree_with_the_deals(deals_by_match, event_counts):
    lengths = np.zeros(match_course.MAX_TURNS_PER_MATCH, int)
    knocks = np.zeros((match_course.N_KNOCK_TURN_BINS, match_course.N_KNOCK_DEADWOOD_BINS), int)
    for match in deals_by_match:
        lengths[
            min(sum(deal["turns"] for deal in match), match_course.MAX_TURNS_PER_MATCH - 1)
        ] += 1
        for deal in match:
            if batch_columns.DEAL_RESULTS[deal["kind"]] in ("knock", "undercut", "even"):
                turn = min(-(-deal["turns"] // 2), match_course.N_KNOCK_TURN_BINS - 1)
                knocks[turn, min(deal["knock_count"], match_course.N_KNOCK_DEADWOOD_BINS - 1)] += 1
    assert (event_counts["length"].sum(axis=0) == lengths).all() and len(
        event_counts["length"]
    ) == 3
    assert (event_counts["knocks"].sum(axis=0) == knocks).all() and knocks.any()


def test_comeback_and_score_counts_agree_with_the_deals(matchup, deals_by_match, event_counts):
    field, target = {"points": ("score", matchup.variant.params["points_target"])}.get(
        matchup.variant.goal.score_unit, ("deals", matchup.variant.params["deals_target"])
    )
    n_comebacks = 0
    scores = np.zeros((10, 10, 2), int)
    for match in deals_by_match:
        winner = match[-1]["outcome"]
        leader = None
        for deal in match:
            points = [int(deal[f"{field}_{side}"]) for side in "ab"]
            if leader is None and max(points) * 2 >= target and points[0] != points[1]:
                leader = points.index(max(points))
            for side in (0, 1):
                cell = tuple(min(9, points[player] * 10 // target) for player in (side, 1 - side))
                scores[cell] += (winner >= 0, winner == side)
        if leader is not None and winner >= 0:
            n_comebacks += winner != leader
    assert (
        event_counts["leads"].sum(axis=0).tolist() == [N_MATCHES, n_comebacks] and n_comebacks > 20
    )
    assert (event_counts["scores"].sum(axis=0) == scores).all()


def test_comebacks_are_a_proportion_of_all_matches(matchup, event_counts):
    """Count also matches that ended before either side reached half of the target."""
    rows = run_matchup(matchup, N_MATCHES, 1)
    row = next(
        row for row in list_scorecard_rows(matchup.variant.params, 8) if row.key == "comebacks"
    )
    comebacks = row.measure(MatchupStats(rows, event_counts))
    assert (comebacks.value, comebacks.n) == (
        event_counts["leads"].sum(axis=0)[1] / N_MATCHES,
        N_MATCHES,
    )


@pytest.mark.parametrize("variant", ["gin-solitaire", "solitaire-gin", "solitary-gin"])
def test_draws_per_deal_agree_with_the_odds(variant):
    """Compare draws, which differ from turns, with `simgin odds` on the same deals."""
    solo_matchup = solo_deals.make_solo_matchup("gold", variant, 5)
    n = 1_000 if solo_matchup.unit == "deal" else 200
    kernel.compile_matchup(solo_matchup)
    n_draws = solo_deals.compute_solo_arrays(solo_matchup, n)["rows"][
        :, solo_deals.DEAL_COLUMNS.index("drawn")
    ]
    stats = MatchupStats(run_matchup(solo_matchup, n, 1), {})
    (row,) = [
        row
        for row in list_scorecard_rows(solo_matchup.variant.params, 8)
        if "draws per deal" in row.goal_names
    ]
    assert row.measure(stats).value == n_draws.mean()
    turns = stats.estimate_per_unit("deals", "turns").value
    difference_range = {
        "gin-solitaire": (-1, -0.5),
        "solitaire-gin": (0.2, 1),
        "solitary-gin": (0, 0),
    }[variant]
    assert difference_range[0] <= n_draws.mean() - turns <= difference_range[1]


@pytest.mark.parametrize("variant", ["solitaire-gin-knock", "solitary-gin", "solitaire-gin"])
def test_solitaire_skill_is_a_difference_of_win_rates(variant):
    """Count recorded matches of the strong and the naive player on the same deals."""
    types = list_player_types(variants.find_variant(variant))[:1]
    strong, naive = "solo-greedy", types[0].strategy
    request = ReviewRequest((variant,), kinds=types, strong=((variant, strong),), matches=500)
    review, wins, rows = Review(request, None), {}, {}
    for player in (strong, naive):
        matchup = parse_matchup(player, None, variant, 1, "match")
        rows[variant, player, ""] = run_matchup(matchup, 500, 1)
        _, records = kernel.play_with_records(matchup, 0, 500)
        wins[player] = (records["outcome"] == 0).sum()
    review.__dict__.update(_batch_rows=rows, _event_counts={})
    skill = review.measurements[variant, SKILL_METRIC, NAIVE_PLAYER]
    assert skill.value == pytest.approx((wins[strong] - wins[naive]) / 500)
    assert wins[strong] > wins[naive] > 0
    title, meaning = list(scorecard.SOLO_COMPARISON_MEANINGS.items())[-1]
    assert scorecard.choose_skill_title(is_solo=True) == title and "matches" in title
    assert "percentage points" in meaning


def test_event_counts_do_not_depend_on_the_number_of_workers(matchup, event_counts):
    two_workers = match_course.count_match_events(Block(0, matchup, 0, N_MATCHES), 2, None)
    assert all((two_workers[name] == event_counts[name]).all() for name in event_counts)


def test_knock_cross_products_agree_with_the_matches(deals_by_match, event_counts):
    for name, length, find_value in (
        ("turn_squares", match_course.N_KNOCK_TURN_BINS, lambda deal: -(-deal["turns"] // 2)),
        ("deadwood_squares", match_course.N_KNOCK_DEADWOOD_BINS, lambda deal: deal["knock_count"]),
    ):
        expected = np.zeros((length, length), int)
        for match in deals_by_match:
            knock_counts = [0] * length
            for deal in match:
                if batch_columns.DEAL_RESULTS[deal["kind"]] in ("knock", "undercut", "even"):
                    knock_counts[min(find_value(deal), length - 1)] += 1
            expected += np.outer(knock_counts, knock_counts)
        assert (event_counts[name].sum(axis=0) == expected).all()


def compute_median(counts):
    """Return the estimated median of values that are counted for each match."""
    return match_course.estimate_grouped_median(counts, np.einsum("bi,bj->bij", counts, counts))


def test_median_of_integers_is_interpolated():
    assert compute_median(np.array([[0, 4, 0, 0], [0, 4, 0, 0]])).value == pytest.approx(1.0)
    assert compute_median(np.array([[1, 1, 0, 0], [1, 1, 0, 0]])).value == pytest.approx(0.5)
    assert np.isnan(compute_median(np.zeros((3, 4), int)).value)
    rng = np.random.default_rng(5)
    values = rng.poisson(6, (400, 50))
    counts = np.stack([np.bincount(row, minlength=40) for row in values])
    spread = np.sort((values + rng.random(values.shape) - 0.5).ravel())
    estimate = compute_median(counts)
    assert estimate.value == pytest.approx(np.median(spread), abs=0.02)
    # Jackknife standard error, which does not use densities
    left_out = [compute_median(np.delete(counts, i, axis=0)).value for i in range(len(counts))]
    jackknife = np.sqrt((len(counts) - 1) * np.var(left_out))
    assert estimate.se == pytest.approx(jackknife, rel=0.05)
    assert estimate.unit_se == pytest.approx(jackknife, rel=0.05)


# Effect sizes


def compute_ratio_se(matches, count_denominator, count_numerator):
    """Return the standard error of a ratio of two sums over matches.

    Args:
        matches: Deals of every match.
        count_denominator: Function that returns a deal's part of the denominator.
        count_numerator: Function that returns a deal's part of the numerator.
    """
    pairs = [
        (sum(map(count_numerator, match)), sum(map(count_denominator, match))) for match in matches
    ]
    ratio = sum(numerator for numerator, _ in pairs) / sum(denominator for _, denominator in pairs)
    squares = sum((numerator - ratio * denominator) ** 2 for numerator, denominator in pairs)
    return math.sqrt(squares * len(pairs) / (len(pairs) - 1)) / sum(
        denominator for _, denominator in pairs
    )


def make_ending_predicate(*endings):
    """Return a function that returns True if a deal has one of the given endings."""
    return lambda deal: batch_columns.DEAL_RESULTS[deal["kind"]] in endings


def test_effect_size_bounds_are_computed_from_single_matches(matchup, deals_by_match, event_counts):
    """Check that three batches give exact bounds, although they have no standard error."""
    rows = run_matchup(matchup, N_MATCHES, 1)
    stats = MatchupStats(rows, event_counts)
    measurements = {
        row.key: row.measure(stats) for row in list_scorecard_rows(matchup.variant.params, 8)
    }

    def count_if_match_ended(deal):
        return int(deal["outcome"] != MATCH_UNDECIDED)

    expected = {
        "turns_per_match": (count_if_match_ended, lambda deal: int(deal["turns"])),
        "deals_per_match": (count_if_match_ended, lambda _: 1),
        "turns": (lambda _: 1, lambda deal: int(deal["turns"])),
        "gin": (lambda _: 1, make_ending_predicate("gin", "big_gin", "shot")),
        "dead": (lambda _: 1, make_ending_predicate("void")),
    }
    for key, (count_denominator, count_numerator) in expected.items():
        assert measurements[key].unit_se == pytest.approx(
            compute_ratio_se(deals_by_match, count_denominator, count_numerator), rel=1e-9
        ), key
        # Three batches of a hundred matches have no standard error
        assert math.isnan(measurements[key].se) and math.isfinite(measurements[key].unit_se)
    row = list_scorecard_rows(matchup.variant.params, 8)[0]
    much = measurements["turns_per_match"].unit_se * math.sqrt(N_MATCHES * 2 / 5)
    assert row.compute_effect_bounds(measurements["turns_per_match"], N_MATCHES) == pytest.approx(
        (much / math.sqrt(10), much)
    )


def test_stalled_deals_are_not_dead_hands():
    matchup = parse_matchup("beginner", "beginner", "standard", 1, "match")
    stats = MatchupStats(run_matchup(matchup, 300, 1), {})
    measurements = {
        row.key: row.measure(stats) for row in list_scorecard_rows(matchup.variant.params, 8)
    }
    dead, stalled = (stats.estimate_metric(name).value for name in ("void", "stalled"))
    assert [measurements["dead"].value, measurements["stalled"].value] == [dead, stalled]
    assert dead < 0.01 < stalled


def test_standard_error_of_two_endings_includes_their_covariance():
    matchup = parse_matchup("gold", "gold", "standard", 3, "match")
    deals_by_unit = {}
    for record in kernel.play_with_records(matchup, 0, 2_000)[1]:
        deals_by_unit.setdefault(int(record["unit"]), []).append(record)
    stats = MatchupStats(run_matchup(matchup, 2_000, 1), {})
    rate = stats.estimate_per_unit("deals", "gin", "knock", is_proportion=True)
    expected = compute_ratio_se(
        deals_by_unit.values(), lambda _: 1, make_ending_predicate("gin", "knock")
    )
    assert rate.unit_se == pytest.approx(expected, rel=0.02)


# Intervals

COVERAGE_VARIANTS = ("standard", "straight+points_target=90", "oklahoma")


def measure_scorecards(seed, n_matches):
    """Measure the scorecards of three rule sets for `gold-early` against itself."""
    measurements = {}
    for variant in COVERAGE_VARIANTS:
        matchup = parse_matchup("gold-early", "gold-early", variant, seed, "match")
        courses = match_course.count_match_events(Block(0, matchup, 0, n_matches), 1, None)
        stats = MatchupStats(
            match_course.merge_batches(run_matchup(matchup, n_matches, 1)), courses
        )
        for row in list_scorecard_rows(matchup.variant.params, 8):
            measurements[variant, row.key] = row.measure(stats)
    for variant in COVERAGE_VARIANTS[1:]:
        for row in list_scorecard_rows(
            parse_matchup("gold", "gold", variant, 1, "match").variant.params, 8
        ):
            value, baseline = (
                measurements[variant, row.key],
                measurements[COVERAGE_VARIANTS[0], row.key],
            )
            if isinstance(value, PairedEstimate) and isinstance(baseline, PairedEstimate):
                measurements[variant, row.key, "difference"] = value - baseline
    return {
        key: measurement
        for key, measurement in measurements.items()
        if isinstance(measurement, PairedEstimate)
    }


@pytest.mark.slow
def test_scorecard_intervals_have_nominal_coverage():
    """Take the true values from a review with 120 times as many matches."""
    n_reviews, true_values = 1_000, measure_scorecards(10**9, 120_000)
    n_covered = dict.fromkeys(true_values, 0)
    for seed in range(n_reviews):
        for key, measurement in measure_scorecards(seed, 1_000).items():
            low, high = measurement.interval
            n_covered[key] += bool(low <= true_values[key].value <= high)
    rates = {key: 100 * count / n_reviews for key, count in n_covered.items()}
    print(*(f"{key}: {rate:.1f}" for key, rate in rates.items()), sep="\n")
    # 5 SE of a rate of 95 %: one false alarm in 30,000 runs of about 60 intervals
    tolerance = 5 * 100 * np.sqrt(0.95 * 0.05 / n_reviews)
    assert min(rates.values()) > 95 - tolerance - 0.5, min(rates, key=rates.get)
    assert 94 <= np.mean(list(rates.values())) <= 96
