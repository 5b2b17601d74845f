"""Tests of the coverage of intervals and the error rates of stopping rules.

Each check repeats 2,000 experiments on toy deals, and in `make test-slow` 5,000. An exact 95 %
interval has a coverage within 3.29 standard errors of .95 in 99.9 % of runs
(docs/explanation/statistics.md#calibration). The seed was chosen before the first run and must not
change. An error rate may exceed its nominal value by three standard errors, which a nominal rate
does once in 740 runs.
"""

import itertools
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from simgin.core import batch_columns
from simgin.core.matchup_key import MatchupKey
from simgin.runs.stopping import PrecisionRule, SequentialTest, elo_to_score
from simgin.stats import batches, differences, league, metrics, paired_estimate, variance
from simgin.stats.batches import BatchRows
from simgin.stats.estimate import compute_beta_binomial_interval, estimate_metric
from simgin.stats.round_robin import ELO_PER_LOG_ODDS, RoundRobin, count_wins, fit_strengths
from support import toy_deals as toy

SEED = 1
EXPERIMENTS = 0  # set by the fixture
LOOKS = 60
CHUNK = 250  # experiments drawn at once


@pytest.fixture(autouse=True, params=[2_000, pytest.param(5_000, marks=pytest.mark.slow)])
def size(request, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "EXPERIMENTS", request.param)


def error_of_a_rate():
    """Return the standard error of a rate of 5 % over all experiments."""
    return np.sqrt(0.05 * 0.95 / EXPERIMENTS)


def stream(*address):
    return np.random.default_rng([SEED, *address])


def draw_population(number, n=100, **how):
    return toy.draw_units(np.random.default_rng([SEED, 1000, number]), n, **how)


def repeat_experiment(population, batches, *address):
    """Return the batch rows of every experiment, in batches of 200 units.

    Equal addresses give equal deals.
    """
    for chunk in range(EXPERIMENTS // CHUNK):
        yield from toy.draw_rows(
            stream(batches, chunk, *address), population, (CHUNK, batches), 200
        )


def split_batches(sequence, n):
    """Yield lists of n items of an iterator."""
    while chunk := list(itertools.islice(sequence, n)):
        yield chunk


def true_value(units, name):
    metric = metrics.METRICS_BY_NAME[name]
    return toy.true_value(units, metric.numerator_a, metric.scale)


def coverage_by_metric(names, low, high, truth):
    """Return the coverage of each metric, from bounds of shape (experiments, metrics)."""
    held = ((low <= truth) & (truth <= high)).mean(axis=0)
    return dict(zip(names, held.round(4).tolist(), strict=True))


def check(coverage):
    most = 3.29 * error_of_a_rate()
    assert all(abs(share - 0.95) <= most for share in coverage.values()), coverage


def estimated(names, rows):
    """Return confidence bounds of metrics from summed rows (experiments, N_COLUMNS).

    Returns two arrays (experiments, metrics).
    """
    chosen = [metrics.METRICS_BY_NAME[name] for name in names]
    found = [[estimate_metric(row, metric) for metric in chosen] for row in rows]
    limits = [[(estimate.low, estimate.high) for estimate in estimates] for estimates in found]
    return np.moveaxis(np.array(limits), 2, 0)


RATIO_METRICS = "margin turns points_scored"
DEALS = f"deal_win points take_rate knock_count first_player_win undercut {RATIO_METRICS}"
MATCHES = "match_win match_margin deals_per_match loser_score margin deal_win settlement"


@pytest.mark.parametrize(
    ("names", "units", "how"),
    [
        (DEALS, 1000, {}),
        (MATCHES, 400, {"matches": 1}),
        (RATIO_METRICS, 1000, {"halves": 1}),
        (RATIO_METRICS, 40, {}),
    ],
    ids=["pairs of deals", "pairs of matches", "single deals", "40 pairs: t quantile"],
)
def test_intervals_of_ratios_have_nominal_coverage(names, units, how):
    names, population = names.split(), draw_population(0, win=0.52, **how)
    low, high = estimated(names, toy.draw_rows(stream(1, units), population, EXPERIMENTS, units))
    truth = np.array([true_value(population, name) for name in names])
    check(coverage_by_metric(names, low, high, truth))


def test_intervals_of_rare_shares_have_nominal_coverage_on_average():
    """The coverage of a proportion varies by a point or more with the number of units.

    Over many numbers of units, the variation cancels out.
    """
    names = ("void", "gin", "undercut", "won_gin", "won_undercut", "deal_win")
    population = draw_population(14, 300)
    truth, found = np.array([true_value(population, name) for name in names]), []
    for units in range(300, 700, 20):
        rows = toy.draw_rows(stream(14, units), population, EXPERIMENTS // 20, units)
        low, high = estimated(names, rows)
        found.append((low <= truth) & (truth <= high))
    check(dict(zip(names, np.concatenate(found).mean(axis=0).tolist(), strict=True)))


COMPARED_METRICS = ("deal_win", "margin", "points", "first_player_win")


def batch_rows(population, batches, seed, address):
    """Return the batch rows of every experiment, with the deals of a seed."""
    for rows in repeat_experiment(population, batches, address, seed):
        yield BatchRows(MatchupKey("v", "a", "b", seed, "deal"), rows)


def compared_cells(batches, seeds):
    """Return low, high, p and the true value of differences between two cells."""
    one, other = draw_population(2, win=0.53), draw_population(2, win=0.5)
    names = list(COMPARED_METRICS)
    cells = [
        batch_rows(*part, 3) for part in ((one, batches, seeds[0]), (other, batches, seeds[1]))
    ]
    frames = [
        differences.compute_differences(chunk, names)[["low", "high", "p", "paired"]].to_numpy(
            dtype=float
        )
        for chunk in split_batches(zip(*cells, strict=True), CHUNK)
    ]
    found = np.concatenate(frames).reshape(EXPERIMENTS, len(names), 4)
    assert (found[:, :, 3] == (seeds[0] == seeds[1])).all()
    truth = np.array([true_value(one, name) - true_value(other, name) for name in names])
    return names, found[:, :, 0], found[:, :, 1], truth


@pytest.mark.parametrize(
    ("batches", "seeds"),
    [(5, (1, 1)), (12, (1, 1)), (5, (1, 2))],
    ids=["5 paired", "12 paired", "unpaired"],
)
def test_intervals_of_differences_have_nominal_coverage(batches, seeds):
    check(coverage_by_metric(*compared_cells(batches, seeds)))


def rarely_differing(batches, least, most):
    """Yield drawn deals of two rule sets on the same deals, and the true difference.

    Yields two Played and a number, EXPERIMENTS times. Both have some void deals in common; `least`
    to `most` more (the mean of an experiment, log-uniform) differ, half to all of them to the first
    rule set, which also plays a few deals more. In matches on the same packs only the deals behind
    a match's end differ.
    """
    rng = stream(15, batches, most)
    deals, extra, common = 1000, 12, 3  # per batch, on average
    for _ in range(EXPERIMENTS):
        differing = least * (most / least) ** rng.random() / batches
        first = rng.uniform(0.5, 1) * differing
        rows = np.zeros((2, batches, batch_columns.N_COLUMNS), np.int64)
        rows[:, :, batch_columns.COL_UNITS] = 100
        lengths, voids = (
            rows[:, :, batch_columns.COL_SUM + batch_columns.STATISTIC_INDEX[name]]
            for name in ("deals", "void")
        )
        lengths += rng.poisson(deals, batches)
        lengths[0] += rng.poisson(extra, batches)
        voids += rng.poisson(common, batches)
        voids += rng.poisson([[first], [differing - first]], (2, batches))
        truth = (common + first) / (deals + extra) - (common + differing - first) / deals
        own, theirs = (MatchupKey(variant, "a", "a", 1, "match") for variant in "vw")
        yield BatchRows(own, rows[0]), BatchRows(theirs, rows[1]), truth


def coverage_of_rare_differences(batches, least, most):
    """Return the coverage of differences in runs and in reviews, and without correction.

    The last value does not correct for unobserved events.
    """
    void, held = metrics.METRICS_BY_NAME["void"], []
    for one, other, truth in rarely_differing(batches, least, most):
        run = differences._compute_test_statistics(
            differences._estimate_difference((one, other), void, is_paired=True), None
        )
        review = paired_estimate.estimate_metric_by_batch(
            one.rows, void
        ) - paired_estimate.estimate_metric_by_batch(other.rows, void)
        intervals = (
            (run["low"], run["high"]),
            review.interval,
            replace(review, unseen_variance=0.0).interval,
        )
        held.append([low <= truth <= high for low, high in intervals])
    coverage = np.mean(held, axis=0).tolist()
    return dict(zip(("runs", "reviews", "batches alone"), coverage, strict=True))


@pytest.mark.parametrize("batches", [5, 20, 100])
def test_intervals_of_rare_differences_have_nominal_coverage(batches):
    """With 20 to 200 different cases, the variation of counts cancels out."""
    found = coverage_of_rare_differences(batches, 20, 200)
    check({way: found[way] for way in ("runs", "reviews")})


@pytest.mark.parametrize("batches", [5, 20, 100])
def test_intervals_of_very_rare_differences_are_wide_enough(batches):
    """With 0.1 to 10 expected differences, most experiments have none or one.

    No interval has a coverage of exactly 95 %: corrected ones have more, the others
    far less.
    """
    found = coverage_of_rare_differences(batches, 0.1, 10)
    assert found["batches alone"] < 0.92, found
    assert 0.97 < min(found["runs"], found["reviews"]) < 0.997, found


def test_intervals_with_control_variates_have_nominal_coverage():
    population = draw_population(4, halves=2)
    total = population.sum(axis=0)
    mean = (
        total[batch_columns.COL_DEALT_DEADWOOD_DIFFERENCE]
        / total[batch_columns.COL_SUM + batch_columns.STATISTIC_INDEX["deals"]]
    )
    name = "first_player_win"
    found = [
        variance.adjust_metric(rows, name, mean) for rows in repeat_experiment(population, 30, 5)
    ]
    low, high = np.array([(estimate.low, estimate.high) for estimate, _ in found]).T
    check(coverage_by_metric([name], low[:, None], high[:, None], true_value(population, name)))
    assert np.mean([variance_ratio for _, variance_ratio in found]) < 0.8


def test_a_strategy_against_its_clone_takes_half_of_the_cross_table():
    half = draw_population(6, matches=True)
    population = np.concatenate([half, toy.swap_sides(half)])
    rows = toy.draw_rows(stream(6, 6), population, EXPERIMENTS, 300)
    crossed = [league._make_cross_table_rows("a", "b", row[None])[0] for row in rows]
    limits = np.array([one[4:6] for one in crossed], dtype=float)
    check(coverage_by_metric(["share"], limits[:, :1], limits[:, 1:], 0.5))


PLAYERS = ("simple", "x", "y", "z")
STRENGTH = (0.0, 0.02, -0.03, 0.06)


def round_robin():
    """Return the unit populations of all pairings on the same deals, and their ratings."""
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    bags = [draw_population(7, win=0.5 + STRENGTH[i] - STRENGTH[j]) for i, j in pairs]
    names = [(PLAYERS[i], PLAYERS[j]) for i, j in pairs]
    whole = dict(zip(names, (units * 10**9 for units in bags), strict=True))
    fitted = fit_strengths(count_wins(PLAYERS, whole, np.ones((1, 100))))[0]
    return pairs, bags, ELO_PER_LOG_ODDS * (fitted - fitted[0])


@pytest.mark.slow
@pytest.mark.parametrize("batches", [5, 20])
def test_intervals_of_ratings_and_leads_have_nominal_coverage(batches):
    """Return the true lead of the player that is rated first over the second."""
    pairs, bags, truth = round_robin()
    cells = zip(*(repeat_experiment(units, batches, 7) for units in bags), strict=True)
    found, leads = [], []
    for i, rows in enumerate(cells):
        field = {(PLAYERS[a], PLAYERS[b]): cell for (a, b), cell in zip(pairs, rows, strict=True)}
        rated = league.compute_ratings(RoundRobin(field, seed=i)).set_index("strategy")
        found.append(rated.loc[list(PLAYERS[1:])][["low", "high"]].to_numpy())
        first, second = (truth[PLAYERS.index(name)] for name in rated.index[:2])
        lead = rated.iloc[0]
        leads.append(lead["lead_low"] <= first - second <= lead["lead_high"])
    low, high = np.moveaxis(np.array(found), 2, 0)
    check(coverage_by_metric(PLAYERS[1:], low, high, truth[1:]))
    assert np.mean(leads) > 0.95 - 3.29 * error_of_a_rate(), np.mean(leads)


def test_homogeneity_keeps_its_error_rate_for_equal_batches():
    columns = batches.list_homogeneity_columns("deal_win")
    found = [
        batches.run_homogeneity_test(rows[:, columns], rows.sum(axis=0), "deal_win")
        for rows in repeat_experiment(draw_population(8), 10, 8)
    ]
    p = np.array([one.p for one in found])
    check({"p above .05": (p > 0.05).mean()})
    assert stats.kstest(p, "uniform").pvalue > 1e-4


def estimates_at_looks(population, name, address):
    """Return estimate and standard error of a metric at LOOKS looks, 200 units apart.

    Returns two arrays (experiments, looks).
    """
    fact = batch_columns.STATISTIC_INDEX[metrics.METRICS_BY_NAME[name].numerator_a]
    below = batch_columns.DENOMINATOR_INDEX[fact]
    own = [batch_columns.COL_SUM + fact, batch_columns.COL_SQUARE + fact]
    columns = [
        *own,
        batch_columns.COL_SUM + below,
        batch_columns.COL_SQUARE + below,
        batch_columns.COL_CROSS + fact,
    ]
    parts = [
        toy.draw_rows(stream(9, address, chunk), population[:, columns], (500, LOOKS), 200)
        for chunk in range(EXPERIMENTS // 500)
    ]
    totals = np.concatenate(parts).cumsum(axis=1)
    n, nn, d, dd, nd = np.moveaxis(totals.astype(float), 2, 0)
    units, value = 200 * np.arange(1, LOOKS + 1), n / d
    return value, np.sqrt((nn - 2 * value * nd + value**2 * dd) * units / (units - 1)) / d


@pytest.mark.parametrize("name", ["margin", "deal_win", "points_scored"])
def test_a_confidence_sequence_keeps_its_error_rate_over_all_looks(name):
    """No stopping rule can have a higher error rate.

    A plain interval would fail in four of ten runs.
    """
    population = draw_population(9, n=60)
    value, se = estimates_at_looks(population, name, 1)
    rule = PrecisionRule(name, 1e-9, 4000)
    wrong = np.abs(value - true_value(population, name)) / se
    width = np.array([rule.compute_multiplier(200 * look) for look in range(1, LOOKS + 1)])
    assert (wrong > width).any(axis=1).mean() < 0.05 + 3 * error_of_a_rate()
    assert (wrong > 1.96).any(axis=1).mean() > 0.3


def test_the_beta_binomial_sequence_keeps_its_error_rate_over_all_looks():
    """Return the error rate for single results with probability .3.

    For each look, find the counts that would reject the true value; then count the experiments
    with such a count.
    """
    truth, step = 0.3, 50
    won = stream(10).binomial(step, truth, (EXPERIMENTS, LOOKS)).cumsum(axis=1)
    wrong = np.zeros(EXPERIMENTS, bool)
    for look in range(LOOKS):
        n = step * (look + 1)
        counts = np.arange(won[:, look].min(), won[:, look].max() + 1)
        low, high = np.array([compute_beta_binomial_interval(int(k), n - int(k)) for k in counts]).T
        wrong |= ((truth < low) | (high < truth))[won[:, look] - counts[0]]
    assert 0.003 < wrong.mean() < 0.05 + 3 * error_of_a_rate()


@pytest.mark.parametrize(
    ("truth", "error"),
    [(0, "A is stronger"), (20, "A is less than 20 Elo stronger and may be weaker")],
)
def test_the_pair_test_keeps_its_error_rates(truth, error):
    """With Elo 0 against 20 in steps of 100 pairs, every experiment decides."""
    rule, better = SequentialTest(0, 20), elo_to_score(truth) - 0.5
    chances = np.array([0.15 - better, 0.03, 0.64, 0.03, 0.15 + better])
    pairs = stream(11, truth).multinomial(100, chances, (EXPERIMENTS, LOOKS)).cumsum(axis=1)
    row, decisions = np.zeros(batch_columns.N_COLUMNS, np.int64), []
    for experiment in pairs:
        for look, counts in enumerate(experiment):
            (
                row[0],
                row[
                    batch_columns.COL_WIN_RATE_HISTOGRAM : batch_columns.COL_WIN_RATE_HISTOGRAM + 5
                ],
            ) = (100 * (look + 1), counts)
            if (said := rule.check_totals(row)) is not None:
                break
        decisions.append("" if said is None else said.partition(" (")[0])
    assert decisions.count("") == 0
    assert 0.02 < decisions.count(error) / EXPERIMENTS < 0.05 + 3 * error_of_a_rate()


@pytest.mark.parametrize("batches", [5, 20, pytest.param(100, marks=pytest.mark.slow)])
def test_intervals_of_rho_and_of_the_luck_share_have_nominal_coverage(batches):
    """Jackknife intervals over batches use Student's t distribution."""
    population = draw_population(13)
    counts = population.sum(axis=0)[None] * 10**6
    points = variance._compute_margin_rho(counts, "deal")[0]
    truth = np.array([points, variance._compute_win_rho(counts, "deal")[0], 1 - points])
    found = []
    for rows in repeat_experiment(population, batches, 13):
        measures = variance._compute_margin_rho, variance._compute_win_rho
        rho = [variance._estimate_rho(rows, "deal", measure).interval for measure in measures]
        low, high = rho[0]
        found.append([*rho, (1 - high, 1 - low)])
    low, high = np.moveaxis(np.array(found), 2, 0)
    check(coverage_by_metric(["rho of points", "rho of wins", "luck share"], low, high, truth))
