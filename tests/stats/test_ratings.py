"""Ratings against known tables, a general optimiser and repeated experiments."""

import itertools

import numpy as np
import pytest
from scipy import optimize

from simgin.core import sums
from simgin.stats import ratings
from simgin.stats.ratings import ELO, cross_table, cycles, resample, strengths
from support import toy_deals as toy
from support.plain_philox import plain_words


def pairing(a, b, share, *, batches=10, pairs=500, rng=None):
    """A cell in which a wins this share of pairs: sweeps only, evenly over batches or by chance."""
    rows = np.zeros((batches, sums.COLUMNS), np.int64)
    won = (
        np.full(batches, round(share * pairs))
        if rng is None
        else rng.binomial(pairs, share, batches)
    )
    rows[:, sums.UNITS], rows[:, sums.PAIR_HISTOGRAM + 4], rows[:, sums.PAIR_HISTOGRAM] = (
        pairs,
        won,
        pairs - won,
    )
    return (a, b), rows


def field(elo, **how):
    """The round robin of players who have exactly these strengths."""
    return dict(
        pairing(a, b, 1 / (1 + 10 ** ((elo[b] - elo[a]) / 400)), **how)
        for a, b in itertools.combinations(elo, 2)
    )


def test_strengths_maximise_the_likelihood():
    rng = np.random.default_rng(1)
    wins = rng.integers(1, 60, (4, 4)).astype(float)
    np.fill_diagonal(wins, 0)

    def unlikely(free):
        s = np.append(free, -free.sum())
        return (wins * np.log1p(np.exp(s[None, :] - s[:, None]))).sum()

    expected = optimize.minimize(unlikely, np.zeros(3), tol=1e-12).x
    assert strengths(wins[None])[0][:3] == pytest.approx(expected, abs=1e-5)


def test_the_rating_of_two_players_is_the_logit_of_their_share():
    frame = ratings.ratings(dict([pairing("x", "simple", 0.7)]), 1)
    won, lost = 7000 + 0.5, 3000 + 0.5  # matches, with the virtual draw
    assert list(frame["strategy"]) == ["x", "simple"]
    assert frame["elo"].tolist() == pytest.approx([ELO * np.log(won / lost), 0])
    assert list(frame["n"]) == [10_000, 10_000]
    assert frame.loc[1, ["elo", "se", "low", "high"]].tolist() == [0, 0, 0, 0]


def test_players_of_the_model_are_rated_at_their_strengths():
    elo = {"a": 120.0, "simple": 0.0, "c": -80.0, "d": 33.0}
    frame = ratings.ratings(field(elo, pairs=20_000), 1).set_index("strategy")
    assert frame["elo"].to_dict() == pytest.approx(elo, abs=0.1)
    assert list(frame.index) == ["a", "d", "simple", "c"]


def test_bootstrap_errors_agree_with_repeated_experiments():
    """The mean squared error against the scatter of 300 experiments.

    Fails by chance once in ten thousand runs.
    """
    elo, found = {"simple": 0.0, "b": 50.0, "c": -30.0}, []
    for i in range(300):
        frame = ratings.ratings(
            field(elo, pairs=300, rng=np.random.default_rng([7, i])), i, samples=200
        ).set_index("strategy")
        found.append(frame.loc[["b", "c"], ["elo", "se"]].to_numpy())
    value, se = np.moveaxis(np.array(found), 2, 0)
    assert np.sqrt((se**2).mean(axis=0)) / value.std(axis=0) == pytest.approx(
        [1, 1], abs=4 / np.sqrt(600)
    )


def test_without_simple_the_first_strategy_is_the_anchor():
    frame = ratings.ratings(dict([pairing("x", "y", 0.6)]), 1).set_index("strategy")
    assert frame.loc["x", "elo"] == 0
    assert frame.loc["y", "elo"] < 0


def test_a_strategy_not_connected_to_the_anchor_has_no_rating():
    cells = dict([pairing("x", "y", 0.6), pairing("simple", "z", 0.5), pairing("z", "w", 0.5)])
    frame = ratings.ratings(cells, 1).set_index("strategy")
    assert frame.loc[["x", "y"], ["elo", "se", "low", "high"]].isna().all(axis=None)
    assert frame.loc[["simple", "z", "w"], "elo"].tolist() == pytest.approx([0, 0, 0])
    assert list(frame.index[-2:]) == ["x", "y"]


def test_fewer_than_five_batches_give_no_ratings():
    assert ratings.ratings(dict([pairing("x", "simple", 0.6, batches=4)]), 1)["elo"].isna().all()


def test_a_strategy_that_won_everything_has_a_finite_rating():
    frame = ratings.ratings(dict([pairing("x", "simple", 1.0)]), 1)
    assert frame["elo"][0] == pytest.approx(ELO * np.log(10_000.5 / 0.5))


def test_the_same_seed_gives_the_same_ratings():
    cells = field({"simple": 0.0, "b": 50.0, "c": -30.0}, rng=np.random.default_rng(1))
    assert ratings.ratings(cells, 5).equals(ratings.ratings(cells, 5))
    assert not ratings.ratings(cells, 5).equals(ratings.ratings(cells, 6))


def test_resampling_draws_from_the_projects_stream():
    seed, batches = 2**63 + 12345, 7
    expected = np.zeros((3, batches))
    for sample in range(3):
        numbers = [word for index in range(2) for word in plain_words(seed, sample, 0, index, 5)][
            :batches
        ]
        for word in numbers:
            expected[sample, word * batches >> 32] += 1
    assert (resample(seed, 3, batches) == expected).all()


def test_a_table_without_cycles_has_no_cyclic_share():
    noise = [
        cycles(
            field(
                {"simple": 0.0, "b": 60.0, "c": -30.0, "d": 10.0}, rng=np.random.default_rng([3, i])
            ),
            1,
            100,
        )
        for i in range(60)
    ]
    assert np.mean([sample.raw for sample in noise]) > 0.002  # noise alone leaves a residual
    assert np.mean([sample.share for sample in noise]) < 0.5 * np.mean(
        [sample.raw for sample in noise]
    )
    exact = cycles(field({"simple": 0.0, "b": 60.0, "c": -30.0, "d": 10.0}, pairs=10**6), 1, 100)
    assert exact.raw < 1e-4


def test_rock_paper_scissors_is_entirely_cyclic():
    cells = dict([pairing("r", "s", 0.7), pairing("s", "p", 0.7), pairing("p", "r", 0.7)])
    assert cycles(cells, 1).share == pytest.approx(1, abs=1e-6)
    assert ratings.ratings(cells, 1)["elo"].tolist() == pytest.approx([0, 0, 0], abs=1e-6)


def test_the_error_of_the_cyclic_share_agrees_with_repeated_experiments():
    """The bootstrap error against the scatter of 200 experiments.

    The scatter is known to 5 %; the band is 4 times that.
    """
    found = []
    for i in range(200):
        rng = np.random.default_rng([4, i])
        shares = {("a", "b"): 0.6, ("b", "c"): 0.6, ("c", "a"): 0.52}
        found.append(
            cycles(dict([pairing(*pair, share, rng=rng) for pair, share in shares.items()]), 1, 200)
        )
    scatter = np.std([one.share for one in found], ddof=1)
    assert 0.2 < np.mean([one.share for one in found]) < 0.8
    assert abs(np.mean([one.se for one in found]) / scatter - 1) < 0.2


def test_the_cyclic_share_needs_a_complete_round_robin():
    assert np.isnan(cycles(dict([pairing("a", "b", 0.5), pairing("b", "c", 0.5)]), 1).share)
    assert np.isnan(cycles(dict([pairing("a", "b", 0.5)]), 1).share)


def test_the_cross_table_has_every_pair_both_ways():
    bag = toy.units(np.random.default_rng(1), 300, win=0.55)
    rows = toy.rows(np.random.default_rng(2), bag, 10, 500)
    frame = cross_table({("x", "y"): rows})
    fact = {
        name: int(rows[:, sums.SUM + sums.FACT[name]].sum())
        for name in ("deals", "decided", "a_deal_win")
    }
    share = (fact["a_deal_win"] + (fact["deals"] - fact["decided"]) / 2) / fact["deals"]
    assert frame["share"].tolist() == pytest.approx([share, 1 - share])
    assert frame["low"][0] == pytest.approx(1 - frame["high"][1])
    assert list(frame["n"]) == [10_000, 10_000]
    assert frame.pivot(index="strategy", columns="opponent", values="share").loc[
        "y", "x"
    ] == pytest.approx(1 - share)
