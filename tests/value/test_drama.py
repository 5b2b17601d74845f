"""Drama metrics: small matches by hand, slow twins on random ones, and the truth in a coin game."""

import dataclasses
import itertools

import numpy as np
import pytest

from simgin.play.matchup import parse_matchup
from simgin.value import calibration, drama, in_deal, turns, value
from simgin.value.drama import METRICS, Trajectories


def course(
    matches, results, movers=None, deals=None, points=None, margins=None, target=100, tables=1
):
    """Trajectories from lists of V, one list a match; by default a step is a deal for no side."""
    steps = [len(v) for v in matches]
    match = np.repeat(np.arange(len(matches)), steps)

    def flat(given, default):
        return np.concatenate([np.asarray(x) for x in given]) if given is not None else default

    deal = flat(deals, np.concatenate([np.arange(n) for n in steps]))
    none = np.zeros(len(match), np.int64)
    return Trajectories(
        players=("standard", "a", "b"),
        step="deal",
        v=np.tile(np.concatenate([np.asarray(v, float) for v in matches]), (tables, 1)),
        match=match,
        deal=deal,
        mover=flat(movers, none - 1),
        result=np.asarray(results, float),
        unit=np.arange(len(matches)),
        points=flat(points, np.stack([none, none], axis=1)),
        margin=flat(margins, none),
        target=target,
    )


def metric_by_match(one, name):
    """The values of a metric by match, NaN where it leaves the match out."""
    x, d = METRICS[name](one, one.v[0])
    return [float(n) / float(m) if m else np.nan for n, m in zip(x, d, strict=True)]


# By hand. A wins the first match after 0.5, 0.4, 0.2, 0.6, 0.9; B the second after 0.5, 0.7;
# the third is drawn.
THREE = course([[0.5, 0.4, 0.2, 0.6, 0.9], [0.5, 0.7], [0.5, 0.3]], [1, 0, 0.5])
BY_HAND = {
    # the winner trails by 0.2 and 0.6 in five states; by 0.4 in two
    "drama": [0.8 / 5, 0.4 / 2, np.nan],
    "drama_max": [0.6, 0.4, np.nan],
    # the mean root over the states at which he trails: two of the first match, one of the second
    "drama_browne": [(np.sqrt(0.2) + np.sqrt(0.6)) / 2, np.sqrt(0.4), np.nan],
    # nobody, B, B, A, A and A wins: one change in five steps; nobody, A and B wins: one in two;
    # B leads and the match is drawn: none in two
    "lead_changes": [1 / 5, 1 / 2, 0],
    # variances of the states: mean of squares less square of the mean
    "stability": [np.var([0.5, 0.4, 0.2, 0.6, 0.9]), 0.01, 0.01],
    # 1, .8, .4, .8, .2; 1, .6; 1, .6
    "uncertainty": [3.2 / 5, 0.8, 0.8],
    # from .2 to .6; from .7 to 0; .2 and .2
    "killer_move": [0.4, 0.7, 0.2],
    # .9 is reached before the fifth deal, after four; else when the match is over
    "certainty_point": [4, 2, 2],
}


@pytest.mark.parametrize("name", BY_HAND)
def test_metrics_of_three_matches_by_hand(name):
    assert metric_by_match(THREE, name) == pytest.approx(BY_HAND[name], nan_ok=True)


def test_decisiveness_by_hand():
    """The losers' best were 0.8 and 0.7, so the 95 % quantile is 0.795.

    A exceeds it before the fifth of five steps, B not before the end.
    """
    assert drama.threshold(THREE, THREE.v[0]) == pytest.approx(0.795)
    assert metric_by_match(THREE, "decisiveness_moves") == pytest.approx(
        [4 / 5, 1, np.nan], nan_ok=True
    )


def test_permanence_by_hand():
    """Movers A, B, A, B: B undoes all of A's gain of .2 and .1 of A's gain of .3.

    B's last .2 has no answer. In the second match A moves twice in a row, so A's .3 has no answer.
    Its last step, B's, ended the match.
    """
    matches = course(
        [[0.5, 0.7, 0.5, 0.8, 0.7], [0.5, 0.8, 0.85]], [1, 0], movers=[[0, 1, 0, 1, 0], [0, 0, 1]]
    )
    # first match: +.2 undone; B's .2 (from .7 to .5) is undone by A's .3; +.3 kept; B's .1 (from
    # .8 to .7) undone by the win: 1 of 4
    x, d = METRICS["permanence"](matches, matches.v[0] + np.array([0, 0, 0, 0, -1e-9, 0, 0, 0]))
    assert (x.tolist(), d.tolist()) == ([1, 0], [4, 0])


def test_permanence_from_deal_to_deal_follows_the_side_the_deal_favoured():
    """The step .5 to .7 is undone at .5; .7 to .5 is not, .4 goes further.

    The step .5 to .4 is undone by the win that ends the match.
    """
    matches = course([[0.5, 0.7, 0.5, 0.4 - 1e-9]], [1])
    assert metric_by_match(matches, "permanence") == pytest.approx([1 / 3])


def test_catch_up_by_hand():
    """To 100 points: at 50 : 20 one side is 30 behind, and that side, B, wins.

    60 : 40 is not far enough behind, and the third match is over before anyone had half.
    """
    points = [[(0, 0), (40, 20), (50, 20)], [(0, 0), (60, 40)], [(0, 0), (30, 0)]]
    matches = course([[0.5, 0.6, 0.7], [0.5, 0.6], [0.5, 0.6]], [0, 1, 1], points=points)
    assert metric_by_match(matches, "catch_up") == pytest.approx([1, np.nan, np.nan], nan_ok=True)


def test_snowball_by_hand():
    """40 matches of margins 1, 1, and 40 of -1, -1, 1: pairs (1,1) 40, (-1,-1) 40, (-1,1) 40.

    x has mean -1/3 and y 1/3, both variance 8/9; mean of xy 1/3; covariance 1/3 + 1/9 = 4/9;
    correlation 1/2.
    """
    matches = course(
        [[0.5, 0.5]] * 40 + [[0.5] * 3] * 40, [1] * 80, margins=[[1, 1]] * 40 + [[-1, -1, 1]] * 40
    )
    found = drama.measure(matches).set_index("metric").loc["snowball"]
    assert found["value"] == pytest.approx(0.5) and found["n"] == 120


# Slow twins


def metrics_by_loops(v, result):
    """The metrics of a single match, by plain loops."""
    n, won = len(v), {1: lambda x: x, 0: lambda x: 1 - x}.get(result)
    whole = [*v, result]
    leads, last = 0, 0
    for x in whole:
        now = (x > 0.5) - (x < 0.5)
        leads += now * last < 0
        last = now or last
    found = {
        "lead_changes": leads / n,
        "uncertainty": sum(1 - abs(2 * x - 1) for x in v) / n,
        "stability": sum((x - sum(v) / n) ** 2 for x in v) / n,
        "killer_move": max(abs(y - x) for x, y in itertools.pairwise(whole)),
        "certainty_point": next(i for i, x in enumerate(whole) if max(x, 1 - x) >= 0.9 or i == n),
    }
    if won is not None:
        gaps = [max(0, (1 - won(x)) - won(x)) for x in v]
        roots = [g**0.5 for g in gaps if g > 0]
        found |= {
            "drama": sum(gaps) / n,
            "drama_max": max(gaps),
            "drama_browne": sum(roots) / len(roots) if roots else 0,
        }
    return found


def walks(stream, matches, target=4):
    """A game of fair coins: the first to lead by `target` wins, so V is linear in the lead."""
    found, results = [], []
    for _ in range(matches):
        lead, v = 0, []
        while abs(lead) < target:
            v.append(0.5 + lead / (2 * target))
            lead += int(stream.integers(2)) * 2 - 1
        found.append(v)
        results.append(float(lead > 0))
    return found, results


def test_metrics_agree_with_plain_loops():
    found, results = walks(np.random.default_rng(5), 60)
    results[7] = results[20] = 0.5
    matches = course(found, results)
    for name in (
        "drama",
        "drama_max",
        "drama_browne",
        "lead_changes",
        "uncertainty",
        "stability",
        "killer_move",
        "certainty_point",
    ):
        want = [
            metrics_by_loops(v, r).get(name, np.nan) for v, r in zip(found, results, strict=True)
        ]
        assert metric_by_match(matches, name) == pytest.approx(want, nan_ok=True), name


# Invariants


def test_exchanging_the_sides_changes_no_metric():
    found, results = walks(np.random.default_rng(6), 80)
    movers = [[i % 2 for i in range(len(v))] for v in found]
    margins = [[(-1) ** i * (i + 3) for i in range(len(v))] for v in found]
    points = [[(7 * i, 11 * i % 80) for i in range(len(v))] for v in found]
    matches = course(found, results, movers=movers, margins=margins, points=points, tables=3)
    other = dataclasses.replace(
        matches,
        v=1 - matches.v,
        result=1 - matches.result,
        mover=1 - matches.mover,
        margin=-matches.margin,
        points=matches.points[:, ::-1],
    )
    a, b = drama.measure(matches), drama.measure(other)
    assert a["metric"].tolist() == b["metric"].tolist() and len(a) >= 12
    numbers = ["value", "se", "low", "high", "n"]
    assert a[numbers].to_numpy(float) == pytest.approx(b[numbers].to_numpy(float))


# Truth


def true_coin_drama(target=4, depth=400):
    """The exact means of max(0, 1 - 2w) and of 1 - |2v - 1| over a coin match, to 1e-6.

    Walks are enumerated by length and by their sums. State: lead, sum so far of the gaps for either
    winner. Gaps are whole multiples of 1/target, so sums are integers.
    """
    drama_mean = uncertain = 0.0
    alive = {(0, 0, 0): 1.0}  # lead, sum of A's gaps in 1/target, sum of |lead|
    for n in range(1, depth):
        after = {}
        for (lead, behind, far), p in alive.items():
            behind, far = behind + max(0, -lead), far + abs(lead)
            for step in (1, -1):
                if abs(lead + step) == target:
                    gap = behind if lead + step > 0 else far - behind
                    drama_mean += p / 2 * gap / target / n
                    uncertain += p / 2 * (1 - far / target / n)
                else:
                    key = (lead + step, behind, far)
                    after[key] = after.get(key, 0) + p / 2
        alive = {key: p for key, p in after.items() if p > 1e-13}
    return drama_mean, uncertain


def test_intervals_hold_the_truth_in_a_coin_game():
    """Of 200 runs of 100 matches, 179 to 199 intervals hold the truth.

    Binomial: 3.29 standard errors of .0154.
    """
    truth = dict(zip(("drama", "uncertainty"), true_coin_drama(depth=120), strict=True))
    held = dict.fromkeys(truth, 0)
    stream = np.random.default_rng(8)
    for _ in range(200):
        frame = drama.measure(course(*walks(stream, 100))).set_index("metric")
        for name, exact in truth.items():
            held[name] += frame.low[name] <= exact <= frame.high[name]
    assert all(179 <= n <= 199 for n in held.values()), held


def test_the_error_of_v_is_part_of_the_error():
    """Twenty tables that differ: the jackknife error of the mean is added in squares."""
    found, results = walks(np.random.default_rng(9), 100)
    alone = course(found, results)
    shifts = np.concatenate([[0], np.random.default_rng(1).normal(0, 0.01, 20)])
    shifted = dataclasses.replace(alone, v=np.clip(alone.v + shifts[:, None], 0, 1))
    bare, whole = (drama.measure(x).set_index("metric").se["stability"] for x in (alone, shifted))
    stabilities = [np.mean(METRICS["stability"](shifted, v)[0]) for v in shifted.v[1:]]
    assert (
        whole == pytest.approx(np.hypot(bare, np.sqrt(19 * np.var(stabilities)))) and whole >= bare
    )


# Real matches


@pytest.fixture(scope="module")
def known():
    return value.compute("standard", "gold", "gold", deals="100k", seed=3)


@pytest.fixture(scope="module")
def real(known):
    return drama.by_turn(
        in_deal.compute(known, deals=20_000),
        turns.play(parse_matchup("gold", "gold", "standard", 4, "match"), 200),
    )


def test_turns_and_deals_describe_the_same_matches(known, real):
    deals = drama.by_deal(known, calibration.play_matches(known, 200, 4).records)
    assert (real.step, deals.step) == ("turn", "deal")
    assert real.result.tolist() == deals.result.tolist()
    assert np.array_equal(real.v[:, real.new_deal], deals.v)
    a, b = drama.measure(real).set_index("metric"), drama.measure(deals).set_index("metric")
    for name in ("certainty_point", "catch_up", "snowball"):
        assert a.value[name] == pytest.approx(b.value[name])


def test_drama_can_be_computed_in_one_call():
    """For a strategy that looks at the score there is V between deals only."""
    frame = drama.measure_pair(
        "standard+points_target=20", "gold", "gold+knock=lead", matches=60, seed=3
    )
    assert set(frame["step"]) == {"deal"} and frame["n"].max() >= 60


def test_every_turn_of_a_match_is_a_step(real):
    played = turns.play(parse_matchup("gold", "gold", "standard", 4, "match"), 200)
    assert len(real.match) == len(played.rows)  # every deal had a turn
    assert real.mover.tolist() == played.column("side").tolist()


def test_the_plot_of_swings_shows_the_matches(real):
    frame = drama.sample(real)
    assert frame["match"].nunique() == 20 and (frame.groupby("match").size() == 51).all()
    start, end = frame[frame["share"] == 0], frame[frame["share"] == 1]
    assert start["value"].between(0.4, 0.6).all() and set(end["value"]) <= {0.0, 0.5, 1.0}
    assert (
        (frame["q10"] <= frame["q50"]).all()
        and (frame["q50"] <= frame["q90"]).all()
        and (frame["n"] == 200).all()
    )


def test_a_strategy_against_itself_has_no_favourite(real):
    """Drama of matches that A won and that B won does not differ: z below 3.29."""
    x = drama.drama(real, real.v[0])[0]
    a, b = x[real.result == 1], x[real.result == 0]
    assert abs(a.mean() - b.mean()) < 3.29 * np.sqrt(a.var() / len(a) + b.var() / len(b))
