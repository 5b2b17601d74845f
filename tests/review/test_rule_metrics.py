"""Every rule metric on a case with a known value, and its interval on simulated truth.

Coverage: 500 experiments with toy deals each, 2,000 in `make test-slow`.
"""

import dataclasses
import itertools

import numpy as np
import pandas as pd
import pytest

from simgin.core import sums
from simgin.play.kernel import play_recorded
from simgin.play.matchup import parse_matchup
from simgin.review import knocking, leads, skill
from simgin.review.knocking import KnockMatrix
from simgin.review.rule_metrics import RULE_METRICS
from simgin.review.variant_matches import VariantMatches
from simgin.rules import variants
from simgin.stats import metrics, observations, quantity, ratings
from simgin.stats.quantity import Quantity
from support import toy_deals as toy

SEED = 7
BATCHES = 12
BY_KEY = {metric.key: metric for metric in RULE_METRICS}
MARGIN = metrics.BY_NAME["margin"]
PAIR = ("gold-early", "gold")


def rows(batches=10, histogram=None, square=0, **facts):
    """Equal batch rows of one unit each with these facts; histogram: deals by turns."""
    cell = np.zeros(sums.COLUMNS, np.int64)
    cell[sums.UNITS] = 100
    for name, amount in facts.items():
        cell[sums.SUM + sums.FACT[name]] = amount
    for turns, count in (histogram or {}).items():
        cell[sums.TURNS_HISTOGRAM + turns] = count
    cell[sums.DEAL_SQUARE] = square
    return np.tile(cell, (batches, 1))


def game(cell, variant="standard", field=("a",), extra=None, **cells):
    """A variant in which everybody of the field has the same cell against itself."""
    met = {(name, name): cell for name in field} | cells.get("cells", {})
    return VariantMatches(variant, variants.find(variant).row, field, field, met, extra or {})


def told(key, of):
    found = BY_KEY[key].measure(of)
    assert isinstance(found, Quantity), found
    return found.value


# Known values


def test_outcomes_and_length():
    """A thousand deals in 100 matches; half of them take 10 turns and half take 20."""
    facts = {"gin": 300, "knock": 600, "undercut": 40, "void": 60}
    facts |= {"deals": 1000, "turns": 15_000, "matches": 100, "a_deal_win": 500, "b_deal_win": 440}
    cell = rows(**facts, histogram={10: 500, 20: 500})
    expected = {"gin": 0.3, "knock": 0.6, "undercut": 0.04, "void": 0.06, "stalled": 0}
    expected |= {"completion": 0.94, "turns": 15, "turns_sd": 5, "deals_per_match": 10}
    assert {key: told(key, game(cell)) for key in expected} == pytest.approx(expected)


def test_quantiles_of_length():
    """Of a thousand deals 100 take 5 turns, 450 take 10, 350 take 20 and 100 take 30.

    A tenth is over by 5 turns, half by 10, nine tenths by 20.
    """
    cell = rows(deals=1000, histogram={5: 100, 10: 450, 20: 350, 30: 100})
    assert [told(key, game(cell)) for key in ("turns_10", "turns_50", "turns_90")] == [5, 10, 20]
    uneven = cell.copy()
    # In one batch of ten 4 % by 5 turns: 9.4 ± 1.4 % of all
    uneven[0, sums.TURNS_HISTOGRAM + 5] -= 60
    uneven[0, sums.TURNS_HISTOGRAM + 10] += 60
    found = BY_KEY["turns_10"].measure(game(uneven))
    assert (found.value, found.span) == (10, (5, 10))


def test_points_and_seats():
    """Of 900 decided deals half are worth 10 and half 30 points; the nondealer wins 540."""
    facts = {"deals": 1000, "decided": 900, "points_scored": 18_000, "first_player_win": 540}
    cell = rows(**facts, square=450 * 100 + 450 * 900)
    assert told("points", game(cell)) == pytest.approx(20)
    assert told("points_sd", game(cell)) == pytest.approx(10)
    assert told("seat", game(cell)) == pytest.approx(0.1)


def test_final_score():
    """Winners end with 110 points on average and losers with 48, 5 of 100 with none; target 100."""
    facts = {"matches": 100, "matches_decided": 100, "winner_score": 11_000, "loser_score": 4_800}
    cell = rows(deals=1000, **facts, loser_zero=5)
    assert told("final", game(cell)) == pytest.approx(0.62)
    assert told("shut_out", game(cell)) == pytest.approx(0.05)
    assert BY_KEY["final"].measure(game(cell, "pro")) == "matches are not played to points"


def test_a_mean_gives_every_player_equal_weight():
    """Two players with different numbers of deals: (10 + 30) / 2, not the mean over deals."""
    cells = {("b", "b"): rows(deals=10, turns=300)}
    both = game(rows(deals=1000, turns=10_000), field=("a",), cells=cells)
    assert told("turns", dataclasses.replace(both, field=("a", "b"))) == pytest.approx(20)


def margins(points):
    margin, won = round(1000 * points), 100 + round(10 * points)
    return rows(deals=1000, a_margin=margin, matches=100, a_match_win=won)


def knockers(points):
    """A field in which knock limit k makes points[k] - points[j] a deal against limit j."""
    ks = list(points)
    met = {
        (knocking.player(k), knocking.player(j)): margins(points[k] - points[j])
        for k, j in itertools.combinations(ks, 2)
    }
    return game(margins(0), field=("gold",), cells=met)


def test_the_best_knock_limit_has_most_points():
    """Points that add up: waiting for gin is worth p(0) - p(10)."""
    field = knockers({0: 1.0, 2: 0.5, 4: 2.0, 6: 0.25, 8: 0.0, 10: -1.0})
    assert told("best_k", field) == 4
    assert told("patience", field) == pytest.approx(2.0)
    matrix = field.knock_matrix()
    assert matrix.mean(4).value == pytest.approx(2 - np.mean([1, 0.5, 0.25, 0, -1]))
    assert matrix.cell(10, 4).value == pytest.approx(-3) == pytest.approx(-matrix.cell(4, 10).value)
    assert field.knock_matrix("match_win").cell(0, 10).value == pytest.approx(0.6)


def test_the_best_limit_is_chosen_and_judged_on_different_batches():
    """Even batches favour limit 0 by a point and odd ones favour none: then neither is worse."""
    uneven = margins(1)
    uneven[1::2, sums.SUM + sums.FACT["a_margin"]] = [-100, 100, -100, 100, 0]
    assert KnockMatrix((0, 2), {(0, 2): uneven}).best() == (0, (0, 2))
    sure = margins(1)
    sure[1::2, sums.SUM + sums.FACT["a_margin"]] = [900, 1100, 1000, 950, 1050]
    assert KnockMatrix((0, 2), {(0, 2): sure}).best() == (0, (0,))


def test_the_knock_limits_of_a_variant():
    """The last of them allows every knock that the rules allow."""
    most = {"oklahoma": 10, "straight": 0, "standard+knock_limit=5": 6, "standard+knock_limit=1": 2}
    for variant, last in most.items():
        assert knocking.limits(variants.find(variant).row) == tuple(range(0, last + 1, 2))


def test_the_break_even_bonus():
    """Waiting for gin is worth (bonus - 17) / 4 points."""
    cells = {bonus: margins((bonus - 17) / 4) for bonus in (10, 15, 20, 25)}
    premiums = {bonus: quantity.ratio(cell, MARGIN) for bonus, cell in cells.items()}
    assert knocking.break_even(premiums).value == pytest.approx(17)


def won(share, matches=10_000):
    """A cell whose pairs score `share` on average."""
    cell = np.zeros((20, sums.COLUMNS), np.int64)
    cell[:, sums.UNITS] = matches // 40
    cell[:, sums.SUM + sums.FACT["matches"]] = matches // 20
    cell[:, sums.SUM + sums.FACT["a_match_win"]] = round(2 * share * matches / 20)
    cell[:, sums.SUM + sums.FACT["b_match_win"]] = round(2 * (1 - share) * matches / 20)
    both = round(share * matches / 40)
    cell[:, sums.PAIR_HISTOGRAM + 4], cell[:, sums.PAIR_HISTOGRAM] = both, matches // 40 - both
    return cell


def test_the_spread_of_ratings():
    """Players at -100, 0 and 100 Elo: shares 1 / (1 + 10^(d / 400)), standard deviation 100."""
    apart = {("a", "b"): 100, ("b", "c"): 100, ("a", "c"): 200}
    met = {pair: won(1 / (1 + 10 ** (-lead / 400)), 10**7) for pair, lead in apart.items()}
    names = ("a", "b", "c")
    one = VariantMatches("standard", variants.find("standard").row, names, names, met, {})
    assert told("elo_spread", one) == pytest.approx(100, abs=0.01)


def test_the_number_of_matches_for_a_verdict():
    """Pairs won whole with chance .6: sd .49, lead .1, so 2 (2.8 * .49 / .1)^2 = 376 matches.

    At a share of one half nobody leads.
    """
    row = variants.find("standard").row
    sure, even = (
        BY_KEY["verdict"].measure(VariantMatches("standard", row, (), (), {PAIR: cell}, {}))
        for cell in (won(0.6, 10**6), won(0.5, 10**6))
    )
    assert sure.value == 377  # 376.4 rounded up
    assert sure.span[0] <= 377 <= sure.span[1]
    assert even == "no difference between gold-early and gold was found here"


def test_the_elo_difference_of_a_share():
    """64 % of matches are 400 log10(.64 / .36) = 99.95 Elo; the error scales with the slope."""
    half = Quantity(0.64, 100, np.array([0.01, -0.01] * 4), 8)
    found = skill.elo(half)
    assert found.value == pytest.approx(99.951, abs=0.001)
    assert found.se == pytest.approx(half.se * 400 / np.log(10) / 0.64 / 0.36)


def cross(*table):
    both = [*table, *((b, a, 1 - high, 1 - low) for a, b, low, high in table)]
    return pd.DataFrame(both, columns=["strategy", "opponent", "low", "high"])


def test_the_skill_chain():
    """a beats b and b beats c clearly, a beats c; d beats nobody but may beat c.

    Two steps are certain and three are possible.
    """
    clear = [("a", "b", 0.61, 0.65), ("b", "c", 0.6, 0.7), ("a", "c", 0.7, 0.8)]
    found = skill.chain(
        cross(*clear, ("c", "d", 0.55, 0.62), ("a", "d", 0.5, 0.51), ("b", "d", 0.5, 0.52))
    )
    assert (found.sure, found.steps) == (("a", "b", "c"), 2)
    assert (found.longest, found.most) == (("a", "b", "c", "d"), 3)
    cycle = cross(("a", "b", 0.7, 0.8), ("b", "c", 0.7, 0.8), ("c", "a", 0.7, 0.8))
    assert skill.chain(cycle).steps == 2
    assert skill.chain(cross(("a", "b", 0.5, 0.55))).steps == 0


# How the lead of a match goes


def slow_leads(found, field, target):
    """The same from one match after the other, deal by deal."""
    counts, leader, ahead, changes = [], None, None, 0
    for record in found:
        a, b = record[f"{field}_a"], record[f"{field}_b"]
        lead = None if a == b else int(b > a)
        if ahead is None and lead is not None and max(a, b) >= target / 2:
            ahead = lead
        for now in (lead, record["outcome"] if record["outcome"] in (0, 1) else None):
            if now is not None:
                changes += leader is not None and now != leader
                leader = now
        if record["outcome"] != -1:
            is_won = record["outcome"] in (0, 1) and ahead is not None
            counts.append([1, is_won, is_won and ahead != record["outcome"], changes])
            leader, ahead, changes = None, None, 0
    return counts


@pytest.mark.parametrize(
    ("variant", "field", "target"),
    [("standard", "score", 100), ("standard+goal=deals+deals_target=5", "deals", 5)],
)
def test_leads_of_played_matches_agree_with_a_slow_count(variant, field, target):
    """The error over batches and the error over matches are two of the same, within a quarter."""
    matchup = parse_matchup("gold", "gold", variant, 4, "match")
    _, found = play_recorded(matchup, 0, 3_000)
    counts = np.array(slow_leads(found, field, target))
    assert (leads.count_leads(found, matchup.variant.row) == counts).all()
    matches, half_way, comebacks, changes = counts.T
    measured = leads.measure_leads(matchup, 3_000, 2, None)
    for key, over, under in (
        (leads.COMEBACKS, comebacks, half_way),
        (leads.LEAD_CHANGES, changes, matches),
    ):
        told = measured[key]
        want = observations.ratio(over, under, np.arange(3_000))
        assert (told.value, told.n) == (pytest.approx(want.value), under.sum())
        assert told.se == pytest.approx(want.se, rel=0.25)
        low, high = told.limits
        assert low < told.value < high


@pytest.mark.parametrize("variant", ["pro", "race", "standard+goal=single"])
def test_without_a_single_score_there_is_no_lead(variant):
    found = leads.measure_leads(parse_matchup("gold", "gold", variant, 4, "match"), 1_000, 1, None)
    assert set(found.values()) == {"there is no single score to lead by"}


# Errors


def test_too_few_batches_have_no_error():
    few = rows(batches=4, deals=100, turns=1500)
    assert np.isnan(quantity.ratio(few, metrics.BY_NAME["turns"]).se)


def bag(number, **how):
    return toy.units(np.random.default_rng([SEED, 1000, number]), 100, **how)


def played(population, address, experiments):
    """The batch rows of every experiment; equal addresses give equal packs."""
    lots = np.random.default_rng([SEED, address])
    return toy.rows(lots, population, (experiments, BATCHES), 100)


def check(truth, found):
    """95 of 100 intervals hold the truth; with an exact interval this fails once in 1,000 runs."""
    held = [low <= truth <= high for low, high in (one.limits for one in found)]
    assert abs(np.mean(held) - 0.95) <= 3.29 * np.sqrt(0.05 * 0.95 / len(held)), np.mean(held)


@pytest.fixture(scope="module", params=[500, pytest.param(2_000, marks=pytest.mark.slow)])
def experiments(request):
    return request.param


@pytest.fixture(scope="module")
def fields(experiments):
    """Variants of two players against themselves on the same packs, and their whole populations."""
    bags = {"a": bag(1, halves=1, matches=True), "b": bag(2, halves=1, matches=True, win=0.6)}
    cells = {name: played(units, 3, experiments) for name, units in bags.items()}
    parts = [{name: part[i] for name, part in cells.items()} for i in range(experiments)]
    row, names = variants.find("standard").row, ("a", "b")
    against_itself = [
        {(name, name): rows for name, rows in part.items()} for part in (*parts, bags)
    ]
    return [VariantMatches("standard", row, names, names, met, {}) for met in against_itself]


# A ratio, a root of sums, rare shares, what is of decided deals, of matches and of their loser
@pytest.mark.parametrize("key", "turns turns_sd void undercut points_sd seat final".split())
def test_intervals_of_the_field_have_nominal_coverage(fields, key):
    *found, whole = [BY_KEY[key].measure(game) for game in fields]
    check(whole.value, found)


@pytest.mark.parametrize("key", ["points", "turns_sd"])
def test_intervals_of_differences_have_nominal_coverage(fields, key):
    """Two variants on the same packs, for a ratio and a jackknifed metric; pairing helps."""
    one, other = ([dataclasses.replace(game, field=(name,)) for game in fields] for name in "ab")
    measure = BY_KEY[key].measure
    *found, whole = [measure(x) - measure(y) for x, y in zip(one, other, strict=True)]
    check(whole.value, found)


def test_intervals_of_knocking_have_nominal_coverage(experiments):
    """A mean over two opponents met on the same packs, and the break-even bonus of three cells."""
    bags = [bag(4, win=0.3 + 0.2 * i) for i in range(3)]
    cells = [played(units, 5, experiments) for units in bags]
    pairs = [(0, 2), (0, 4), (2, 4)]

    def mean(parts):
        return KnockMatrix((0, 2, 4), dict(zip(pairs, parts, strict=True))).mean(0)

    def root(parts):
        premiums = [quantity.ratio(part, MARGIN) for part in parts]
        return knocking.break_even(dict(zip((10, 15, 20), premiums, strict=True)))

    for of in (mean, root):
        check(of(bags).value, [of(parts) for parts in zip(*cells, strict=True)])


def test_intervals_of_the_spread_of_ratings_have_nominal_coverage():
    names = ("a", "b", "c")
    pairs = list(itertools.combinations(names, 2))
    bags = dict(zip(pairs, (bag(8, matches=True, win=p) for p in (0.6, 0.7, 0.62)), strict=True))
    cells = {pair: played(units, 9, 500) for pair, units in bags.items()}
    row = variants.find("standard").row
    whole = {pair: units * 10**6 for pair, units in bags.items()}
    truth = np.std(ratings.leave_batches_out(whole)[0], ddof=1)
    parts = [{pair: part[i] for pair, part in cells.items()} for i in range(500)]
    games = [VariantMatches("standard", row, names, names, part, {}) for part in parts]
    check(truth, [BY_KEY["elo_spread"].measure(game) for game in games])
