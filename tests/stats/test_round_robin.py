"""Compare non-additivity, circles and equilibrium with slow references and known tables."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from simgin.stats.league import (
    CROSS_TABLE_COLUMNS,
    MIX_COLUMNS,
    compute_equilibrium_mix,
    solve_equilibrium,
)
from simgin.stats.round_robin import (
    ELO_PER_LOG_ODDS,
    RoundRobin,
    compute_deviances,
    compute_non_additivity,
    find_cyclic_triads,
)
from support.round_robins import make_pairing, make_round_robin

LINE = {"simple": 0.0, "b": 60.0, "c": -30.0, "d": 10.0}


def fit(pairings, samples=100):
    return compute_non_additivity(RoundRobin(pairings, 1, samples))


def rock_paper_scissors(*win_rates, **how):
    pairs = (("r", "s"), ("s", "p"), ("p", "r"))
    return dict(
        make_pairing(*pair, share, **how) for pair, share in zip(pairs, win_rates, strict=True)
    )


# Non-additivity


def test_the_deviance_is_twice_the_log_likelihood_that_the_model_lacks():
    rng = np.random.default_rng(1)
    wins = rng.integers(0, 9, (4, 4)).astype(float)
    wins[1, 2], wins[2, 1] = 0, 20  # a cell without wins
    np.fill_diagonal(wins, 0)
    log_t = rng.normal(0, 1, 4)
    t, expected = np.exp(log_t), 0.0
    for i, j in itertools.combinations(range(4), 2):
        won, n = wins[i, j], wins[i, j] + wins[j, i]
        expected += 2 * stats.binom.logpmf(won, n, won / n)
        expected -= 2 * stats.binom.logpmf(won, n, t[i] / (t[i] + t[j]))
    assert compute_deviances(wins[None], log_t[None]) == pytest.approx([expected])


def test_a_table_of_the_model_is_additive():
    noise = [fit(make_round_robin(LINE, rng=np.random.default_rng([3, i]))) for i in range(60)]
    raw, share = (
        np.array([getattr(one, name) for one in noise]) for name in ("raw_proportion", "proportion")
    )
    assert raw.mean() > 0.002  # random variation also causes a deviance
    assert share.mean() < 0.5 * raw.mean()
    assert fit(make_round_robin(LINE, pairs=10**6)).raw_proportion < 1e-4


def test_a_cell_without_wins_does_not_dominate():
    """`d` never beats `b`: log odds grow with the number of matches, the deviance does not."""
    small, large = (
        make_round_robin(LINE, pairs=n) | dict([make_pairing("b", "d", 1.0, pairs=n)])
        for n in (500, 50_000)
    )
    assert fit(large, 2).raw_proportion == pytest.approx(fit(small, 2).raw_proportion, rel=0.01)


def test_rock_paper_scissors_is_entirely_non_additive():
    assert fit(rock_paper_scissors(0.7, 0.7, 0.7)).proportion == pytest.approx(1, abs=1e-3)


def test_the_error_of_non_additivity_agrees_with_repeated_experiments():
    """Compare the bootstrap error with the variance of 200 experiments.

    The variance is known to 5 %; the tolerance is 4 times that.
    """
    found = []
    for i in range(200):
        rng = np.random.default_rng([4, i])
        found.append(fit(rock_paper_scissors(0.6, 0.6, 0.52, rng=rng), 200))
    scatter = np.std([one.proportion for one in found], ddof=1)
    assert 0.2 < np.mean([one.proportion for one in found]) < 0.8
    assert abs(np.mean([one.se for one in found]) / scatter - 1) < 0.2


def test_non_additivity_needs_a_complete_round_robin_and_five_batches():
    one, other = make_pairing("a", "b", 0.5), make_pairing("b", "c", 0.5)
    for cells in (dict([one, other]), dict([one]), make_round_robin(LINE, batches=4)):
        assert np.isnan(fit(cells).proportion)
        assert compute_equilibrium_mix(RoundRobin(cells, 1))["mix"].isna().all()


# Circles


def make_cross_table(win_rates, se):
    """Return the cross table of players 0, 1, ... with these win rates and one standard error."""
    rows = []
    for i, j in itertools.permutations(range(len(win_rates)), 2):
        value = win_rates[i, j]
        rows.append((f"p{i}", f"p{j}", value, se, value - 2 * se, value + 2 * se, 1000))
    return pd.DataFrame(rows, columns=list(CROSS_TABLE_COLUMNS))


def random_win_rates(rng, k, scatter):
    upper = np.triu(rng.normal(0, scatter, (k, k)), 1)
    return 0.5 + upper - upper.T


def enumerate_circles(win_rates, se):
    """Find every circle of three players by enumeration and return its excess."""
    found = {}
    for a, b, c in itertools.permutations(range(len(win_rates)), 3):
        links = (win_rates[a, b], win_rates[b, c], win_rates[c, a])
        if a < min(b, c) and min(links) > 0.5:
            found[a, b, c] = (min(links) - 0.5) / se
    return found


@pytest.mark.parametrize("seed", range(5))
def test_circles_are_those_found_by_hand(seed):
    win_rates = random_win_rates(np.random.default_rng([5, seed]), 7, 0.1)
    found = find_cyclic_triads(make_cross_table(win_rates, 0.02))
    expected = enumerate_circles(win_rates, 0.02)
    assert found.n_triads == 35 and len(expected) > 2
    seen = {}
    for _, row in found.cyclic_triads.iterrows():
        players = [int(row[place][1:]) for place in ("strategy", "opponent", "third")]
        first = players.index(min(players))
        seen[tuple(players[first:] + players[:first])] = row["excess"]
        assert row["value"] == pytest.approx(0.5 + 0.02 * row["excess"])
    assert seen == pytest.approx(expected)
    p = np.sort(stats.norm.sf(list(expected.values())))
    holm = np.minimum(1, np.maximum.accumulate((70 - np.arange(len(p))) * p))
    assert found.cyclic_triads["p_holm"].to_numpy() == pytest.approx(holm)
    assert len(found.significant_cyclic_triads) == (holm < 0.05).sum()


def test_even_players_seldom_go_round_in_a_circle():
    """With random variation only, at most 5 % of tables have a significant circle.

    A rate of .05 exceeds .1 of 200 once in 500 runs; the true rate is far lower.
    """
    noise = (random_win_rates(np.random.default_rng([6, i]), 8, 0.02) for i in range(200))
    sure = [
        len(find_cyclic_triads(make_cross_table(win_rates, 0.02)).significant_cyclic_triads)
        for win_rates in noise
    ]
    assert np.mean(np.array(sure) > 0) < 0.1


def test_triads_with_an_unknown_pair_are_left_out():
    cross = make_cross_table(random_win_rates(np.random.default_rng(1), 4, 0.1), 0.02)
    unknown = cross[["strategy", "opponent"]].isin(["p0", "p1"]).all(axis=1)
    cross.loc[unknown, ["value", "se", "low", "high"]] = np.nan
    assert find_cyclic_triads(cross).n_triads == 2


# The equilibrium mix


def brute_force(game):
    """Find the equilibrium of a game, in which all its players have equal results."""
    k, found = len(game), []
    for size in range(1, k + 1, 2):  # an antisymmetric game of even size is regular
        for players in itertools.combinations(range(k), size):
            among = game[np.ix_(players, players)]
            equations = np.vstack([among, np.ones(size)])
            weights, *_ = np.linalg.lstsq(equations, np.append(np.zeros(size), 1.0), rcond=None)
            mix = np.zeros(k)
            mix[list(players)] = weights
            is_level = np.allclose(among @ weights, 0)
            if is_level and weights.min() > 0 and (game @ mix).max() < 1e-9:
                found.append(mix)
    (mix,) = found
    return mix


@pytest.mark.parametrize("k", [3, 4, 5])
@pytest.mark.parametrize("seed", range(8))
def test_the_equilibrium_is_the_one_found_by_brute_force(k, seed):
    game = random_win_rates(np.random.default_rng([7, k, seed]), k, 1) - 0.5
    assert solve_equilibrium(game) == pytest.approx(brute_force(game), abs=1e-6)


EQUAL_LEADERS = np.array([[0, 0, 1, 2], [0, 0, 1, 2], [-1, -1, 0, 1], [-2, -2, -1, 0.0]])
WITH_A_COPY = np.array([[0, 0, 1, -1], [0, 0, 1, -1], [-1, -1, 0, 1], [1, 1, -1, 0.0]])


@pytest.mark.parametrize(
    ("game", "mix"),
    [
        (np.zeros((4, 4)), (1 / 4, 1 / 4, 1 / 4, 1 / 4)),
        (EQUAL_LEADERS, (1 / 2, 1 / 2, 0, 0)),
        (WITH_A_COPY, (1 / 6, 1 / 6, 1 / 3, 1 / 3)),
    ],
    ids=["all alike", "two equal leaders", "a circle with a copy"],
)
def test_of_several_equilibria_it_is_the_most_even_one(game, mix):
    assert solve_equilibrium(game) == pytest.approx(mix, abs=1e-4)


def test_the_mix_of_a_round_robin_is_that_of_its_log_odds():
    robin = RoundRobin(rock_paper_scissors(0.7, 0.6, 0.55), 1)
    frame = compute_equilibrium_mix(robin).set_index("strategy")
    assert tuple(frame.reset_index().columns) == MIX_COLUMNS
    edges = [np.log((2 * won + 0.5) / (2 * (5000 - won) + 0.5)) for won in (3500, 3000, 2750)]
    expected = dict(zip(("p", "r", "s"), np.array(edges) / sum(edges), strict=True))
    assert frame["mix"].to_dict() == pytest.approx(expected)
    assert frame["elo_v_mix"].to_numpy() == pytest.approx(np.zeros(3), abs=1e-6)


def test_a_leader_is_the_mix_and_the_gaps_are_the_losses_to_the_leader():
    frame = compute_equilibrium_mix(RoundRobin(make_round_robin(LINE, pairs=20_000), 1)).set_index(
        "strategy"
    )
    assert frame["mix"].to_dict() == pytest.approx({"b": 1, "simple": 0, "c": 0, "d": 0}, abs=1e-6)
    behind = {name: elo - 60 for name, elo in LINE.items()}
    assert frame["elo_v_mix"].to_dict() == pytest.approx(behind, abs=0.1)
    level = make_round_robin({"simple": 0, "b": 4, "c": 2}, rng=np.random.default_rng(2))
    assert (
        compute_equilibrium_mix(RoundRobin(level, 1))["elo_v_mix_high"] == 0
    ).all()  # no player is ahead


def test_a_player_without_wins_against_the_mix_has_a_bound():
    """It counts as half a win of 10,001 and has no bounds, unlike others."""
    cells = {
        **make_round_robin(LINE, rng=np.random.default_rng(2)),
        **dict([make_pairing("b", "d", 1.0)]),
    }
    frame = compute_equilibrium_mix(RoundRobin(cells, 1)).set_index("strategy")
    assert frame["mix"].to_dict() == pytest.approx({"b": 1, "simple": 0, "c": 0, "d": 0}, abs=1e-6)
    assert frame.loc["d", "elo_v_mix"] == pytest.approx(-ELO_PER_LOG_ODDS * np.log(10_000.5 / 0.5))
    limits = frame[["elo_v_mix_low", "elo_v_mix_high"]]
    assert limits.loc["d"].isna().all() and limits.drop("d").notna().all(axis=None)
    assert limits.loc["b"].tolist() == pytest.approx([0, 0], abs=1e-6)


@pytest.mark.slow
def test_bounds_of_the_mix_cover_its_true_weights():
    """Percentiles of few batches cover slightly less than 95 %; the tolerance is .02."""
    held = []
    for i in range(200):
        cells = rock_paper_scissors(0.6, 0.6, 0.6, rng=np.random.default_rng([9, i]), batches=20)
        frame = compute_equilibrium_mix(RoundRobin(cells, i, 200))
        held.append((frame["mix_low"] <= 1 / 3) & (frame["mix_high"] >= 1 / 3))
    assert 0.88 < np.mean(held) < 0.99
