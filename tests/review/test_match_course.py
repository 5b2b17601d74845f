"""Compare match courses with slow references, and check scorecard intervals."""

import math

import numpy as np
import pytest

from simgin.core import batch_columns
from simgin.core.match import UNDECIDED
from simgin.odds import solo_deals
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.review import match_course, scorecard
from simgin.review.review import SKILL, Review
from simgin.review.review_request import ReviewRequest
from simgin.review.scorecard import MatchupStats, list_scorecard_rows
from simgin.rules import variants
from simgin.runs.block import Block
from simgin.runs.runner import run_matchup
from simgin.stats.paired_estimate import PairedEstimate
from simgin.strategy.cast import NAIVE, list_player_types

MATCHES = 300


@pytest.fixture(scope="module", params=["standard", "oklahoma+points_target=50", "dice"])
def matchup(request):
    return parse_matchup("gold", "gold", request.param, 3, "match")


@pytest.fixture(scope="module")
def deals(matchup):
    """Return the deals of every match, in order."""
    _, records = kernel.play_with_records(matchup, 0, MATCHES)
    matches = {}
    for record in records:
        matches.setdefault(int(record["unit"]), []).append(record)
    return list(matches.values())


@pytest.fixture(scope="module")
def match_courses(matchup):
    return match_course.count_match_events(Block(0, matchup, 0, MATCHES), 1, None)


def test_lengths_and_knocks_are_those_of_the_deals(deals, match_courses):
    lengths = np.zeros(match_course.MAX_TURNS, int)
    knocks = np.zeros((match_course.N_TURN_BINS, match_course.N_DEADWOOD_BINS), int)
    for match in deals:
        lengths[min(sum(deal["turns"] for deal in match), match_course.MAX_TURNS - 1)] += 1
        for deal in match:
            if batch_columns.DEAL_RESULTS[deal["kind"]] in ("knock", "undercut", "even"):
                turn = min(-(-deal["turns"] // 2), match_course.N_TURN_BINS - 1)
                knocks[turn, min(deal["knock_count"], match_course.N_DEADWOOD_BINS - 1)] += 1
    assert (match_courses["length"].sum(axis=0) == lengths).all() and len(
        match_courses["length"]
    ) == 3
    assert (match_courses["knocks"].sum(axis=0) == knocks).all() and knocks.any()


def test_comebacks_and_scores_are_those_of_the_deals(matchup, deals, match_courses):
    field, target = {"points": ("score", matchup.variant.params["points_target"])}.get(
        matchup.variant.goal.score, ("deals", matchup.variant.params["deals_target"])
    )
    came_back = 0
    scores = np.zeros((10, 10, 2), int)
    for match in deals:
        winner = match[-1]["outcome"]
        leader = None
        for deal in match:
            points = [int(deal[f"{field}_{side}"]) for side in "ab"]
            if leader is None and max(points) * 2 >= target and points[0] != points[1]:
                leader = points.index(max(points))
            for side in (0, 1):
                cell = tuple(min(9, points[who] * 10 // target) for who in (side, 1 - side))
                scores[cell] += (winner >= 0, winner == side)
        if leader is not None and winner >= 0:
            came_back += winner != leader
    assert match_courses["leads"].sum(axis=0).tolist() == [MATCHES, came_back] and came_back > 20
    assert (match_courses["scores"].sum(axis=0) == scores).all()


def test_comebacks_are_a_share_of_all_matches(matchup, match_courses):
    """Include matches that ended before either side reached half of the target."""
    rows = run_matchup(matchup, MATCHES, 1)
    row = next(
        row for row in list_scorecard_rows(matchup.variant.params, 8) if row.key == "comebacks"
    )
    found = row.measure(MatchupStats(rows, match_courses))
    assert (found.value, found.n) == (match_courses["leads"].sum(axis=0)[1] / MATCHES, MATCHES)


@pytest.mark.parametrize("game", ["gin-solitaire", "solitaire-gin", "solitary-gin"])
def test_draws_a_deal_are_those_of_the_odds(game):
    """The counts agree with `simgin odds` on the same deals, except for turns."""
    deals = solo_deals.make_solo_matchup("gold", game, 5)
    n = 1_000 if deals.unit == "deal" else 200
    kernel.compile_matchup(deals)
    drawn = solo_deals.compute_solo_tables(deals, n)["rows"][
        :, solo_deals.DEAL_COLUMNS.index("drawn")
    ]
    played = MatchupStats(run_matchup(deals, n, 1), {})
    (row,) = [
        row
        for row in list_scorecard_rows(deals.variant.params, 8)
        if "draws per deal" in row.goal_names
    ]
    assert row.measure(played).value == drawn.mean()
    turns = played.estimate_per_unit("deals", "turns").value
    away = {"gin-solitaire": (-1, -0.5), "solitaire-gin": (0.2, 1), "solitary-gin": (0, 0)}[game]
    assert away[0] <= drawn.mean() - turns <= away[1]


@pytest.mark.parametrize("game", ["solitaire-gin-knock", "solitary-gin", "solitaire-gin"])
def test_skill_in_solitaire_games_is_a_difference_of_matches_won(game):
    """Count in recorded matches of the strong and the naive player on the same deals."""
    kinds = list_player_types(variants.find_variant(game))[:1]
    strong, naive = "solo-greedy", kinds[0].strategy
    request = ReviewRequest((game,), kinds=kinds, strong=((game, strong),), matches=500)
    made, won, rows = Review(request, None), {}, {}
    for player in (strong, naive):
        matchup = parse_matchup(player, None, game, 1, "match")
        rows[game, player, ""] = run_matchup(matchup, 500, 1)
        _, records = kernel.play_with_records(matchup, 0, 500)
        won[player] = (records["outcome"] == 0).sum()
    made.__dict__.update(_batch_rows=rows, _event_counts={})
    found = made.measurements[game, SKILL, NAIVE]
    assert found.value == pytest.approx((won[strong] - won[naive]) / 500)
    assert won[strong] > won[naive] > 0
    title, meaning = list(scorecard.SOLO_MEANINGS.items())[-1]
    assert scorecard.choose_skill_title(is_solo=True) == title and "matches" in title
    assert "percentage points" in meaning


def test_workers_and_batches_change_nothing(matchup, match_courses):
    other = match_course.count_match_events(Block(0, matchup, 0, MATCHES), 2, None)
    assert all((other[name] == match_courses[name]).all() for name in match_courses)


def test_squares_of_knocks_are_those_of_the_matches(deals, match_courses):
    for name, length, value in (
        ("turn_squares", match_course.N_TURN_BINS, lambda deal: -(-deal["turns"] // 2)),
        ("deadwood_squares", match_course.N_DEADWOOD_BINS, lambda deal: deal["knock_count"]),
    ):
        expected = np.zeros((length, length), int)
        for match in deals:
            own = [0] * length
            for deal in match:
                if batch_columns.DEAL_RESULTS[deal["kind"]] in ("knock", "undercut", "even"):
                    own[min(value(deal), length - 1)] += 1
            expected += np.outer(own, own)
        assert (match_courses[name].sum(axis=0) == expected).all()


def median(counts):
    """Return the median of counts whose batches are matches."""
    return match_course.estimate_grouped_median(counts, np.einsum("bi,bj->bij", counts, counts))


def test_the_median_of_whole_numbers_spread_over_their_units():
    assert median(np.array([[0, 4, 0, 0], [0, 4, 0, 0]])).value == pytest.approx(1.0)
    assert median(np.array([[1, 1, 0, 0], [1, 1, 0, 0]])).value == pytest.approx(0.5)
    assert np.isnan(median(np.zeros((3, 4), int)).value)
    rng = np.random.default_rng(5)
    values = rng.poisson(6, (400, 50))
    counts = np.stack([np.bincount(row, minlength=40) for row in values])
    spread = np.sort((values + rng.random(values.shape) - 0.5).ravel())
    own = median(counts)
    assert own.value == pytest.approx(np.median(spread), abs=0.02)
    # Jackknife standard error, which does not use densities
    left_out = [median(np.delete(counts, i, axis=0)).value for i in range(len(counts))]
    jackknife = np.sqrt((len(counts) - 1) * np.var(left_out))
    assert own.se == pytest.approx(jackknife, rel=0.05)
    assert own.unit_se == pytest.approx(jackknife, rel=0.05)


# Effect sizes


def of_matches(deals, per, count):
    """Return the standard deviation of a match's influence on a ratio, times sqrt(n).

    Args:
        deals: Deals of every match.
        per: Function that returns a deal's part of the denominator.
        count: Function that returns a deal's part of the numerator.
    """
    pairs = [(sum(map(count, match)), sum(map(per, match))) for match in deals]
    ratio = sum(n for n, _ in pairs) / sum(d for _, d in pairs)
    squares = sum((n - ratio * d) ** 2 for n, d in pairs)
    return math.sqrt(squares * len(pairs) / (len(pairs) - 1)) / sum(d for _, d in pairs)


def has_ending(*kinds):
    return lambda deal: batch_columns.DEAL_RESULTS[deal["kind"]] in kinds


def test_bounds_of_size_come_from_single_matches(matchup, deals, match_courses):
    """The number of batches does not matter; few batches estimate a variance to 16 %."""
    rows = run_matchup(matchup, MATCHES, 1)
    played = MatchupStats(rows, match_courses)
    known = {row.key: row.measure(played) for row in list_scorecard_rows(matchup.variant.params, 8)}

    def is_last(deal):
        return int(deal["outcome"] != UNDECIDED)

    expected = {
        "turns_per_match": (is_last, lambda deal: int(deal["turns"])),
        "deals_per_match": (is_last, lambda _: 1),
        "turns": (lambda _: 1, lambda deal: int(deal["turns"])),
        "gin": (lambda _: 1, has_ending("gin", "big_gin", "shot")),
        "dead": (lambda _: 1, has_ending("void")),
    }
    for key, (per, count) in expected.items():
        assert known[key].unit_se == pytest.approx(of_matches(deals, per, count), rel=1e-9), key
        # Three batches of a hundred matches have no standard error
        assert math.isnan(known[key].se) and math.isfinite(known[key].unit_se)
    row = list_scorecard_rows(matchup.variant.params, 8)[0]
    much = known["turns_per_match"].unit_se * math.sqrt(MATCHES * 2 / 5)
    assert row.compute_effect_bounds(known["turns_per_match"], MATCHES) == pytest.approx(
        (much / math.sqrt(10), much)
    )


def test_stalled_deals_are_not_dead_hands():
    matchup = parse_matchup("beginner", "beginner", "standard", 1, "match")
    played = MatchupStats(run_matchup(matchup, 300, 1), {})
    known = {row.key: row.measure(played) for row in list_scorecard_rows(matchup.variant.params, 8)}
    dead, stalled = (played.estimate_metric(name).value for name in ("void", "stalled"))
    assert [known["dead"].value, known["stalled"].value] == [dead, stalled]
    assert dead < 0.01 < stalled


def test_two_ways_in_which_a_deal_ends_have_the_scatter_of_their_sum():
    matchup = parse_matchup("gold", "gold", "standard", 3, "match")
    deals = {}
    for record in kernel.play_with_records(matchup, 0, 2_000)[1]:
        deals.setdefault(int(record["unit"]), []).append(record)
    played = MatchupStats(run_matchup(matchup, 2_000, 1), {})
    own = played.estimate_per_unit("deals", "gin", "knock", is_proportion=True)
    both = of_matches(deals.values(), lambda _: 1, has_ending("gin", "knock"))
    assert own.unit_se == pytest.approx(both, rel=0.02)


# Intervals

RULES = ("standard", "straight+points_target=90", "oklahoma")


def measure_scorecards(seed, matches):
    """Return every number of a scorecard of three rule sets, for `gold-early` against itself."""
    found = {}
    for variant in RULES:
        matchup = parse_matchup("gold-early", "gold-early", variant, seed, "match")
        followed = match_course.count_match_events(Block(0, matchup, 0, matches), 1, None)
        played = MatchupStats(
            match_course.merge_batches(run_matchup(matchup, matches, 1)), followed
        )
        for row in list_scorecard_rows(matchup.variant.params, 8):
            found[variant, row.key] = row.measure(played)
    for variant in RULES[1:]:
        for row in list_scorecard_rows(
            parse_matchup("gold", "gold", variant, 1, "match").variant.params, 8
        ):
            own, base = found[variant, row.key], found[RULES[0], row.key]
            if isinstance(own, PairedEstimate) and isinstance(base, PairedEstimate):
                found[variant, row.key, "difference"] = own - base
    return {key: number for key, number in found.items() if isinstance(number, PairedEstimate)}


@pytest.mark.slow
def test_every_interval_has_nominal_coverage():
    """The true value is that of a review with 120 times as many matches."""
    reviews, truth = 1_000, measure_scorecards(10**9, 120_000)
    hits = dict.fromkeys(truth, 0)
    for seed in range(reviews):
        for key, number in measure_scorecards(seed, 1_000).items():
            low, high = number.interval
            hits[key] += bool(low <= truth[key].value <= high)
    rates = {key: 100 * hit / reviews for key, hit in hits.items()}
    print(*(f"{key}: {rate:.1f}" for key, rate in rates.items()), sep="\n")
    # 5 SE of a rate of 95 %: one false alarm in 30,000 runs of about 60 intervals
    reach = 5 * 100 * np.sqrt(0.95 * 0.05 / reviews)
    assert min(rates.values()) > 95 - reach - 0.5, min(rates, key=rates.get)
    assert 94 <= np.mean(list(rates.values())) <= 96
