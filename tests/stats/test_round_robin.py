"""Compare non-additivity, cycles and equilibrium mixes with slow references."""

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

ELO_BY_PLAYER = {"simple": 0.0, "b": 60.0, "c": -30.0, "d": 10.0}


def fit_non_additivity(pairings, n_samples=100):
    return compute_non_additivity(RoundRobin(pairings, 1, n_samples))


def make_rock_paper_scissors(*win_rates, **options):
    pairs = (("r", "s"), ("s", "p"), ("p", "r"))
    return dict(
        make_pairing(*pair, win_rate, **options)
        for pair, win_rate in zip(pairs, win_rates, strict=True)
    )


# Non-additivity


def test_deviance_is_twice_the_log_likelihood_ratio():
    rng = np.random.default_rng(1)
    wins = rng.integers(0, 9, (4, 4)).astype(float)
    wins[1, 2], wins[2, 1] = 0, 20  # a cell without wins
    np.fill_diagonal(wins, 0)
    log_strengths = rng.normal(0, 1, 4)
    strengths, expected = np.exp(log_strengths), 0.0
    for i, j in itertools.combinations(range(4), 2):
        n_wins, n_matches = wins[i, j], wins[i, j] + wins[j, i]
        expected += 2 * stats.binom.logpmf(n_wins, n_matches, n_wins / n_matches)
        expected -= 2 * stats.binom.logpmf(
            n_wins, n_matches, strengths[i] / (strengths[i] + strengths[j])
        )
    assert compute_deviances(wins[None], log_strengths[None]) == pytest.approx([expected])


def test_additive_table_has_little_non_additivity():
    fits = [
        fit_non_additivity(make_round_robin(ELO_BY_PLAYER, rng=np.random.default_rng([3, i])))
        for i in range(60)
    ]
    raw_proportions, proportions = (
        np.array([getattr(fitted, name) for fitted in fits])
        for name in ("raw_proportion", "proportion")
    )
    assert raw_proportions.mean() > 0.002  # random variation also causes a deviance
    assert proportions.mean() < 0.5 * raw_proportions.mean()
    assert fit_non_additivity(make_round_robin(ELO_BY_PLAYER, n_pairs=10**6)).raw_proportion < 1e-4


def test_winless_pair_does_not_dominate():
    """Check that the proportion does not grow with the number of matches, unlike log odds."""
    small, large = (
        make_round_robin(ELO_BY_PLAYER, n_pairs=n) | dict([make_pairing("b", "d", 1.0, n_pairs=n)])
        for n in (500, 50_000)
    )
    assert fit_non_additivity(large, 2).raw_proportion == pytest.approx(
        fit_non_additivity(small, 2).raw_proportion, rel=0.01
    )


def test_rock_paper_scissors_is_entirely_non_additive():
    assert fit_non_additivity(make_rock_paper_scissors(0.7, 0.7, 0.7)).proportion == pytest.approx(
        1, abs=1e-3
    )


def test_error_of_non_additivity_agrees_with_repeated_experiments():
    """Compare the bootstrap error with the variance of 200 experiments.

    The variance is known to 5 %; the tolerance is 4 times that.
    """
    fits = []
    for i in range(200):
        rng = np.random.default_rng([4, i])
        fits.append(fit_non_additivity(make_rock_paper_scissors(0.6, 0.6, 0.52, rng=rng), 200))
    deviation = np.std([fitted.proportion for fitted in fits], ddof=1)
    assert 0.2 < np.mean([fitted.proportion for fitted in fits]) < 0.8
    assert abs(np.mean([fitted.se for fitted in fits]) / deviation - 1) < 0.2


def test_non_additivity_requires_a_complete_round_robin():
    first_pair, second_pair = make_pairing("a", "b", 0.5), make_pairing("b", "c", 0.5)
    for pairings in (
        dict([first_pair, second_pair]),
        dict([first_pair]),
        make_round_robin(ELO_BY_PLAYER, n_batches=4),
    ):
        assert np.isnan(fit_non_additivity(pairings).proportion)
        assert compute_equilibrium_mix(RoundRobin(pairings, 1))["mix"].isna().all()


# Cycles


def make_cross_table(win_rates, se):
    """Return a cross-table with given win rates and the same standard error everywhere."""
    rows = []
    for i, j in itertools.permutations(range(len(win_rates)), 2):
        value = win_rates[i, j]
        rows.append((f"p{i}", f"p{j}", value, se, value - 2 * se, value + 2 * se, 1000))
    return pd.DataFrame(rows, columns=list(CROSS_TABLE_COLUMNS))


def sample_win_rates(rng, n_players, scatter):
    upper = np.triu(rng.normal(0, scatter, (n_players, n_players)), 1)
    return 0.5 + upper - upper.T


def enumerate_cycles(win_rates, se):
    """Return all cycles of three players, with the smallest win margin of each in SE."""
    excess_by_cycle = {}
    for a, b, c in itertools.permutations(range(len(win_rates)), 3):
        links = (win_rates[a, b], win_rates[b, c], win_rates[c, a])
        if a < min(b, c) and min(links) > 0.5:
            excess_by_cycle[a, b, c] = (min(links) - 0.5) / se
    return excess_by_cycle


@pytest.mark.parametrize("seed", range(5))
def test_cycles_agree_with_enumeration(seed):
    win_rates = sample_win_rates(np.random.default_rng([5, seed]), 7, 0.1)
    triads = find_cyclic_triads(make_cross_table(win_rates, 0.02))
    expected = enumerate_cycles(win_rates, 0.02)
    assert triads.n_triads == 35 and len(expected) > 2
    excess_by_cycle = {}
    for _, row in triads.cyclic_triads.iterrows():
        players = [int(row[column][1:]) for column in ("strategy", "opponent", "third")]
        first = players.index(min(players))
        excess_by_cycle[tuple(players[first:] + players[:first])] = row["excess"]
        assert row["value"] == pytest.approx(0.5 + 0.02 * row["excess"])
    assert excess_by_cycle == pytest.approx(expected)
    p = np.sort(stats.norm.sf(list(expected.values())))
    holm = np.minimum(1, np.maximum.accumulate((70 - np.arange(len(p))) * p))
    assert triads.cyclic_triads["p_holm"].to_numpy() == pytest.approx(holm)
    assert len(triads.significant_cyclic_triads) == (holm < 0.05).sum()


def test_random_variation_rarely_gives_a_significant_cycle():
    """Expect significant cycles in fewer than 10 % of 200 tables, with a nominal rate of 5 %.

    A rate of .05 exceeds .1 of 200 once in 500 runs; the true rate is far lower.
    """
    tables = (sample_win_rates(np.random.default_rng([6, i]), 8, 0.02) for i in range(200))
    n_significant = [
        len(find_cyclic_triads(make_cross_table(win_rates, 0.02)).significant_cyclic_triads)
        for win_rates in tables
    ]
    assert np.mean(np.array(n_significant) > 0) < 0.1


def test_triads_with_an_undefined_pair_are_omitted():
    cross_table = make_cross_table(sample_win_rates(np.random.default_rng(1), 4, 0.1), 0.02)
    is_undefined = cross_table[["strategy", "opponent"]].isin(["p0", "p1"]).all(axis=1)
    cross_table.loc[is_undefined, ["value", "se", "low", "high"]] = np.nan
    assert find_cyclic_triads(cross_table).n_triads == 2


# The equilibrium mix


def find_equilibrium_by_enumeration(payoffs):
    """Find the equilibrium of a game by trying every subset of the players."""
    n_players, mixes = len(payoffs), []
    for size in range(1, n_players + 1, 2):  # an antisymmetric game of even size is regular
        for players in itertools.combinations(range(n_players), size):
            subgame = payoffs[np.ix_(players, players)]
            equations = np.vstack([subgame, np.ones(size)])
            weights, *_ = np.linalg.lstsq(equations, np.append(np.zeros(size), 1.0), rcond=None)
            mix = np.zeros(n_players)
            mix[list(players)] = weights
            is_even = np.allclose(subgame @ weights, 0)
            if is_even and weights.min() > 0 and (payoffs @ mix).max() < 1e-9:
                mixes.append(mix)
    (mix,) = mixes
    return mix


@pytest.mark.parametrize("n_players", [3, 4, 5])
@pytest.mark.parametrize("seed", range(8))
def test_equilibrium_agrees_with_enumeration(n_players, seed):
    game = sample_win_rates(np.random.default_rng([7, n_players, seed]), n_players, 1) - 0.5
    assert solve_equilibrium(game) == pytest.approx(find_equilibrium_by_enumeration(game), abs=1e-6)


TWO_EQUAL_LEADERS = np.array([[0, 0, 1, 2], [0, 0, 1, 2], [-1, -1, 0, 1], [-2, -2, -1, 0.0]])
CYCLE_WITH_A_COPY = np.array([[0, 0, 1, -1], [0, 0, 1, -1], [-1, -1, 0, 1], [1, 1, -1, 0.0]])


@pytest.mark.parametrize(
    ("game", "mix"),
    [
        (np.zeros((4, 4)), (1 / 4, 1 / 4, 1 / 4, 1 / 4)),
        (TWO_EQUAL_LEADERS, (1 / 2, 1 / 2, 0, 0)),
        (CYCLE_WITH_A_COPY, (1 / 6, 1 / 6, 1 / 3, 1 / 3)),
    ],
    ids=["all alike", "two equal leaders", "a cycle with a copy"],
)
def test_most_even_of_several_equilibria_is_chosen(game, mix):
    assert solve_equilibrium(game) == pytest.approx(mix, abs=1e-4)


def test_equilibrium_mix_is_computed_from_log_odds():
    round_robin = RoundRobin(make_rock_paper_scissors(0.7, 0.6, 0.55), 1)
    frame = compute_equilibrium_mix(round_robin).set_index("strategy")
    assert tuple(frame.reset_index().columns) == MIX_COLUMNS
    log_odds = [np.log((2 * wins + 0.5) / (2 * (5000 - wins) + 0.5)) for wins in (3500, 3000, 2750)]
    expected = dict(zip(("p", "r", "s"), np.array(log_odds) / sum(log_odds), strict=True))
    assert frame["mix"].to_dict() == pytest.approx(expected)
    assert frame["elo_v_mix"].to_numpy() == pytest.approx(np.zeros(3), abs=1e-6)


def test_equilibrium_mix_of_an_additive_table_is_the_leader():
    frame = compute_equilibrium_mix(
        RoundRobin(make_round_robin(ELO_BY_PLAYER, n_pairs=20_000), 1)
    ).set_index("strategy")
    assert frame["mix"].to_dict() == pytest.approx({"b": 1, "simple": 0, "c": 0, "d": 0}, abs=1e-6)
    elo_differences = {name: elo - 60 for name, elo in ELO_BY_PLAYER.items()}
    assert frame["elo_v_mix"].to_dict() == pytest.approx(elo_differences, abs=0.1)
    close_pairings = make_round_robin({"simple": 0, "b": 4, "c": 2}, rng=np.random.default_rng(2))
    assert (
        compute_equilibrium_mix(RoundRobin(close_pairings, 1))["elo_v_mix_high"] == 0
    ).all()  # no player is ahead


def test_player_without_wins_has_a_finite_rating_without_bounds():
    """Expect the rating for half a win in 10,001 matches."""
    pairings = {
        **make_round_robin(ELO_BY_PLAYER, rng=np.random.default_rng(2)),
        **dict([make_pairing("b", "d", 1.0)]),
    }
    frame = compute_equilibrium_mix(RoundRobin(pairings, 1)).set_index("strategy")
    assert frame["mix"].to_dict() == pytest.approx({"b": 1, "simple": 0, "c": 0, "d": 0}, abs=1e-6)
    assert frame.loc["d", "elo_v_mix"] == pytest.approx(-ELO_PER_LOG_ODDS * np.log(10_000.5 / 0.5))
    bounds = frame[["elo_v_mix_low", "elo_v_mix_high"]]
    assert bounds.loc["d"].isna().all() and bounds.drop("d").notna().all(axis=None)
    assert bounds.loc["b"].tolist() == pytest.approx([0, 0], abs=1e-6)


@pytest.mark.slow
def test_intervals_of_mix_weights_have_nominal_coverage():
    """Accept a coverage from 88 to 99 %, because there are few batches."""
    is_covered = []
    for i in range(200):
        pairings = make_rock_paper_scissors(
            0.6, 0.6, 0.6, rng=np.random.default_rng([9, i]), n_batches=20
        )
        frame = compute_equilibrium_mix(RoundRobin(pairings, i, 200))
        is_covered.append((frame["mix_low"] <= 1 / 3) & (frame["mix_high"] >= 1 / 3))
    assert 0.88 < np.mean(is_covered) < 0.99
