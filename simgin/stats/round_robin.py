"""Results of a round robin, computed from all batches and from bootstrap samples of the batches.

The module also measures how well ratings explain the results. The measures are the non-additivity
and the number of cyclic triads, in which each strategy beats the next. Matchups share their
deals, so each bootstrap sample uses the same batches for all pairings
(docs/explanation/statistics.md#ratings).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from simgin.core import rng
from simgin.stats import batches
from simgin.stats.batches import MIN_BATCHES
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import ALPHA, compute_critical_value
from simgin.stats.table import Frame, make_frame

ANCHOR_STRATEGY = "simple"
N_BOOTSTRAP_SAMPLES = 1000
ELO_PER_LOG_ODDS = 400 / np.log(10)  # number of Elo points per unit of the log odds
FIT_TOLERANCE = 1e-9  # maximum change in a log strength in the last iteration of the fit
MAX_FIT_ITERATIONS = 100_000
VIRTUAL_WINS = 0.5  # wins that the virtual draw of a pairing adds to each side
WORDS_PER_PHILOX_BLOCK = 4  # number of random numbers in a Philox block

# batch rows of each pair of different strategies (A, B), (n_batches, n_columns) int64
Pairings = Mapping[tuple[str, str], np.ndarray]


@dataclass(frozen=True, eq=False)
class RoundRobin:
    """Results of a round robin in which all pairs of strategies played the same deals.

    Attributes:
        pairings: Batch rows of each pair of strategies.
        seed: Seed of the bootstrap, whose random numbers come from stream 5 of the seed. The same
            input always gives the same samples.
        n_samples: Number of bootstrap samples.
    """

    pairings: Pairings
    seed: int
    n_samples: int = N_BOOTSTRAP_SAMPLES

    @cached_property
    def names(self) -> list[str]:
        """Names of the strategies in the order of the pairings, with the anchor first."""
        names = dict.fromkeys(chain.from_iterable(self.pairings))
        return sorted(names, key=lambda name: name != ANCHOR_STRATEGY)

    @cached_property
    def effective_batches(self) -> float:
        """Smallest effective number of batches among the pairings."""
        pairing_rows = self.pairings.values()
        return min(
            (batches.count_effective_batches(rows) if len(rows) else 0.0 for rows in pairing_rows),
            default=0.0,
        )

    @property
    def has_enough_batches(self) -> bool:
        """True if every pairing has enough batches for a standard error."""
        return self.effective_batches >= MIN_BATCHES

    @property
    def is_complete(self) -> bool:
        """True if there are at least three strategies and each strategy has played all others."""
        n_strategies = len(self.names)
        return (
            n_strategies > 2
            and len(set(map(frozenset, self.pairings))) >= n_strategies * (n_strategies - 1) // 2
        )

    @cached_property
    def wins(self) -> np.ndarray:
        """Wins of each strategy against each opponent, (1 + n_samples, k, k) float64.

        The first table uses all batches. Each further table uses one bootstrap sample.
        """
        # number of batches in the longest pairing
        n_batches = max(map(len, self.pairings.values()))
        weights = np.vstack(
            [np.ones(n_batches), draw_bootstrap_counts(self.seed, self.n_samples, n_batches)]
        )
        return count_wins(self.names, self.pairings, weights)

    @cached_property
    def strengths(self) -> np.ndarray:
        """Log strengths in the Bradley-Terry model, (1 + n_samples, k) float64 with mean 0.

        Chains of pairings must connect all strategies.
        """
        # A virtual draw in every pairing keeps all strengths finite.
        has_played = self.wins + self.wins.transpose(0, 2, 1) > 0
        wins = self.wins + VIRTUAL_WINS * has_played
        start = fit_strengths(wins[:1])
        return np.vstack([start, fit_strengths(wins[1:], start=start[0])])

    @cached_property
    def log_odds(self) -> np.ndarray:
        """Log odds of each strategy against each opponent, (1 + n_samples, k, k) float64.

        Half a win is added to each side of a pairing. The log odds are therefore nearly unbiased,
        and they are finite even if one side never won (Haldane, Annals of Human Genetics 1956). The
        diagonal is 0.
        """
        log_wins = np.log(self.wins + VIRTUAL_WINS)
        return np.asarray(log_wins - log_wins.transpose(0, 2, 1))

    def compute_half_width(self, values: np.ndarray) -> np.ndarray:
        """Return the half-width of the 95 % interval of each bootstrapped value.

        The first axis of `values` indexes the bootstrap samples.
        """
        return compute_critical_value(self.effective_batches) * self.compute_bootstrap_se(values)

    def compute_bootstrap_se(self, sampled_values: np.ndarray) -> np.ndarray:
        """Return the bootstrap standard error of each value.

        The first axis of `sampled_values` indexes the bootstrap samples.

        Without a correction, resampling n batches underestimates the variance by the factor 1 - 1 /
        n.
        """
        correction = np.sqrt(self.effective_batches / (self.effective_batches - 1))
        return np.asarray(correction * sampled_values.std(axis=0, ddof=1))


def select_connected_strategies(round_robin: RoundRobin) -> RoundRobin:
    """Return the round robin of the strategies that are connected with the anchor."""
    names = _find_connected_strategies(round_robin.names, round_robin.pairings)
    pairings = {pair: rows for pair, rows in round_robin.pairings.items() if pair[0] in names}
    return (
        round_robin
        if len(pairings) == len(round_robin.pairings)
        else replace(round_robin, pairings=pairings)
    )


def count_wins(names: Sequence[str], pairings: Pairings, weights: np.ndarray) -> np.ndarray:
    """Count the wins of each strategy against each opponent.

    Args:
        names: Names of the strategies.
        pairings: Batch rows of each pair of strategies. A draw counts as half a win.
        weights: Weights of the batches in each table, (n_tables, n_batches) float64.
    """
    n_strategies = len(names)
    wins = np.zeros((len(weights), n_strategies, n_strategies))
    for (a, b), rows in pairings.items():
        index_a, index_b = names.index(a), names.index(b)
        counts = rows[:, batches.PAIR_HISTOGRAM_COLUMNS]
        batch_weights = weights[:, : len(rows)]
        wins[:, index_a, index_b] += batch_weights @ (2 * counts @ batches.PAIR_WIN_RATES)
        wins[:, index_b, index_a] += batch_weights @ (2 * counts @ batches.PAIR_WIN_RATES[::-1])
    return wins


def draw_bootstrap_counts(seed: int, n_samples: int, n_batches: int) -> np.ndarray:
    """Return how often each bootstrap sample draws each batch, (n_samples, n_batches) float64.

    Each row contains integers that add up to `n_batches`. Random number b of sample s is word b % 4
    at the address (unit s, deal 0, index b // 4, domain 5) of the random stream.

    Args:
        seed: Seed of the bootstrap.
        n_samples: Number of bootstrap samples.
        n_batches: Number of batches.
    """
    scaled_numbers = _draw_random_numbers(seed, n_samples, n_batches) * np.uint64(n_batches)
    batch_indices = scaled_numbers >> np.uint64(32)
    first_bins = n_batches * np.arange(n_samples)
    bins = batch_indices.astype(np.int64) + first_bins[:, None]
    counts = np.bincount(bins.ravel(), minlength=n_samples * n_batches).reshape(
        n_samples, n_batches
    )
    return counts.astype(float)


def _draw_random_numbers(seed: int, n_samples: int, n_batches: int) -> np.ndarray:
    """Return the 32-bit random numbers of the bootstrap samples, (n_samples, n_batches) uint64."""
    n_blocks = -(-n_batches // WORDS_PER_PHILOX_BLOCK)
    index_grid = np.mgrid[:n_samples, :n_blocks]
    sample, index = (indices.ravel().astype(np.uint64) for indices in index_grid)
    random_words = rng.philox(
        sample,
        np.zeros_like(sample),
        index,
        np.full_like(sample, rng.DOMAIN_BOOTSTRAP),
        np.uint64(seed & 0xFFFFFFFF),
        np.uint64(seed >> 32),
    )
    return np.stack(random_words, axis=-1).reshape(n_samples, WORDS_PER_PHILOX_BLOCK * n_blocks)[
        :, :n_batches
    ]


def _find_connected_strategies(names: Sequence[str], pairings: Pairings) -> list[str]:
    """Return the strategies that are connected with the anchor by a chain of pairings."""
    from scipy.sparse.csgraph import connected_components

    has_played = np.zeros((len(names), len(names)), bool)
    for a, b in pairings:
        has_played[names.index(a), names.index(b)] = True
    _, components = connected_components(has_played, directed=False)
    return [name for i, name in enumerate(names) if components[i] == components[0]]


@dataclass(frozen=True)
class NonAdditivity:
    """Proportion of the differences in strength that a single rating per strategy cannot explain.

    If the log odds of all pairs are differences of ratings, the proportion is 0. For rock, paper,
    scissors, the proportion is 1. All values are NaN unless at least three strategies all played
    each other in enough batches.

    Attributes:
        proportion: Estimated proportion without sampling noise, 0..1.
        raw_proportion: Proportion including sampling noise.
        se: Bootstrap standard error of the proportion.
        half_width: Half-width of the 95 % interval of the proportion.
    """

    proportion: float
    raw_proportion: float
    se: float
    half_width: float


UNDEFINED_NON_ADDITIVITY = NonAdditivity(np.nan, np.nan, np.nan, np.nan)


def compute_non_additivity(round_robin: RoundRobin) -> NonAdditivity:
    """Compute the proportion of the deviance that the Bradley-Terry model does not explain.

    The deviance is divided by the null deviance, for which all players have equal strength.

    This ratio is 1 - R² (Cameron and Windmeijer, Journal of Econometrics 1997), which weights each
    pair by its information. Pairs in which one side never won would dominate the squares of log
    odds. Sampling noise increases the deviance. Resampling increases the deviance again by the same
    amount, so the noise can be estimated and subtracted.
    """
    if not round_robin.is_complete or not round_robin.has_enough_batches:
        return UNDEFINED_NON_ADDITIVITY
    deviances = compute_deviances(round_robin.wins, round_robin.strengths)
    null_deviance = compute_deviances(round_robin.wins, np.zeros_like(round_robin.strengths))
    if not null_deviance.all():
        return NonAdditivity(0.0, 0.0, 0.0, 0.0)  # In at least one sample, all pairings are tied.
    raw_proportion = float(deviances[0] / null_deviance[0])
    correction = round_robin.effective_batches / (round_robin.effective_batches - 1)
    sampling_noise = correction * (deviances[1:].mean() - deviances[0])
    excess_deviance = max(0.0, float(deviances[0] - sampling_noise))
    sampled_proportions = deviances[1:] / null_deviance[1:]
    return NonAdditivity(
        proportion=excess_deviance / float(null_deviance[0]),
        raw_proportion=raw_proportion,
        se=float(round_robin.compute_bootstrap_se(sampled_proportions)),
        half_width=float(round_robin.compute_half_width(sampled_proportions)),
    )


TRIAD_COLUMNS = ("strategy", "opponent", "third", "value", "excess", "p_holm")


@dataclass(frozen=True)
class Triads:
    """Number of triads in a round robin, and the cyclic triads (each strategy beats the next).

    Attributes:
        n_triads: Number of triads.
        cyclic_triads: Cyclic triads, with the most significant first (TRIAD_COLUMNS). `value` is
            the win rate in the closest of the three pairs. `excess` is that win rate minus one
            half, in standard errors. `p_holm` is the p-value of the null hypothesis that at least
            one of the three strategies does not beat the next. Holm's correction covers both
            directions of all triads.
    """

    n_triads: int
    cyclic_triads: Frame

    @property
    def significant_cyclic_triads(self) -> Frame:
        """Cyclic triads in which every win is significant."""
        return self.cyclic_triads[self.cyclic_triads["p_holm"] < ALPHA]


def find_cyclic_triads(cross_table: Frame) -> Triads:
    """Find the cyclic triads of strategies in a cross-table.

    In a cyclic triad, each strategy beats the next. The closest pair therefore determines the
    p-value (intersection-union test, Berger, Technometrics 1982). Triads with an undefined win rate
    are omitted.

    Args:
        cross_table: Cross-table with the columns `simgin.stats.league.CROSS_TABLE_COLUMNS`.
    """
    from scipy.special import ndtr

    names = list(dict.fromkeys(cross_table["strategy"]))
    win_rates = _pivot_cross_table(cross_table, names, "value")
    standard_errors = _pivot_cross_table(cross_table, names, "se")
    win_margins = win_rates - 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.where(win_margins == 0, 0, win_margins / standard_errors)
    n_triads = 0
    rows: list[tuple[object, ...]] = []
    for triad in itertools.combinations(range(len(names)), 3):
        pairs = [(triad[0], triad[1]), (triad[1], triad[2]), (triad[2], triad[0])]
        if np.isnan([win_rates[pair] for pair in pairs]).any():
            continue
        n_triads += 1
        rows += _iterate_cyclic_triad_rows(pairs, names, win_rates, excess)
    frame = make_frame(rows, TRIAD_COLUMNS)
    sorted_triads = frame.sort_values("excess", ascending=False, kind="stable", ignore_index=True)
    p_values = np.ones(2 * n_triads)  # Both directions of every triad are tested.
    p_values[: len(sorted_triads)] = ndtr(-sorted_triads["excess"].to_numpy(dtype=float))
    return Triads(
        n_triads, sorted_triads.assign(p_holm=adjust_p_values(p_values)[: len(sorted_triads)])
    )


PairIndices = tuple[int, int]


def _iterate_cyclic_triad_rows(
    pairs: Sequence[PairIndices], names: Sequence[str], win_rates: np.ndarray, z_scores: np.ndarray
) -> Iterator[tuple[object, ...]]:
    """Yield a table row if a triad is cyclic in either direction."""
    for directed_pairs in (pairs, [(j, i) for i, j in reversed(pairs)]):
        closest_pair = min(directed_pairs, key=lambda link: z_scores[link])
        if z_scores[closest_pair] > 0:
            players = [names[winner] for winner, _ in directed_pairs]
            yield (*players, win_rates[closest_pair], z_scores[closest_pair], np.nan)


def _pivot_cross_table(cross_table: Frame, names: list[str], column: str) -> np.ndarray:
    """Return a column of a cross-table as a matrix of strategies against opponents."""
    table = cross_table.pivot(index="strategy", columns="opponent", values=column)
    return table.reindex(index=names, columns=names).to_numpy(dtype=float)


# Bradley-Terry model: P(i beats j) = t_i / (t_i + t_j) (Biometrika 1952)


def fit_strengths(wins: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Fit log strengths with mean 0 to several tables of wins.

    The iteration is t_i <- W_i / sum_j n_ij / (t_i + t_j) (Zermelo 1929; Hunter, Annals of
    Statistics 2004).

    Args:
        wins: Wins of i against j, (n_tables, k, k) float64. In every table, the results must
            connect all strategies in both directions.
        start: Initial log strengths, (k,) float64.

    Returns:
        Log strengths, (n_tables, k) float64.
    """
    total_wins = wins.sum(axis=2)
    n_games = wins + wins.transpose(0, 2, 1)
    log_strengths: np.ndarray = np.zeros(total_wins.shape)
    if start is not None:
        log_strengths = log_strengths + start
    for _ in range(MAX_FIT_ITERATIONS):
        previous_log_strengths = log_strengths
        strengths = np.exp(log_strengths)
        pair_strengths = strengths[:, :, None] + strengths[:, None, :]
        games_per_strength = n_games / pair_strengths
        log_strengths = np.log(total_wins) - np.log(games_per_strength.sum(axis=2))
        log_strengths -= log_strengths.mean(axis=1, keepdims=True)
        if np.abs(log_strengths - previous_log_strengths).max() < FIT_TOLERANCE:
            break
    return log_strengths


def compute_deviances(wins: np.ndarray, log_strengths: np.ndarray) -> np.ndarray:
    """Return the deviance of the model for several tables of wins, (n_tables,) float64.

    The deviance is twice the log-likelihood ratio between the observed win rates and the fitted win
    rates. A pairing without wins needs no special treatment.

    Args:
        wins: Wins of i against j, (n_tables, k, k) float64.
        log_strengths: Log strengths, (n_tables, k) float64.
    """
    log_odds = log_strengths[:, :, None] - log_strengths[:, None, :]
    log_chances = -np.logaddexp(0, -log_odds)
    n_games = wins + wins.transpose(0, 2, 1)
    win_rates = np.ones_like(wins)
    np.divide(wins, n_games, out=win_rates, where=wins > 0)
    deviance_terms = wins * (np.log(win_rates) - log_chances)
    return np.asarray(2 * deviance_terms.sum(axis=(1, 2)))
