"""Elo ratings of a round robin, its cross-table, and how much of it is cyclic.

Ratings always stand beside their cross-table, because gin is intransitive. The model is Bradley and
Terry's, P(i beats j) = t_i / (t_i + t_j), fitted by the MM iteration (Hunter, Annals of Statistics
2004) with one virtual drawn match in every pairing. Cells share their packs, so errors come from
batches resampled jointly for all pairings (docs/explanation/statistics.md#ratings).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import rng, sums
from simgin.stats import batches
from simgin.stats.batches import ENOUGH_BATCHES
from simgin.stats.estimate import quantile
from simgin.stats.ratios import RatioSums, estimate_ratio

if TYPE_CHECKING:
    import pandas as pd

RATING_COLUMNS = ("strategy", "elo", "se", "low", "high", "n")
CROSS_COLUMNS = ("strategy", "opponent", "share", "se", "low", "high", "n")
ANCHOR = "simple"
SAMPLES = 1000  # of the bootstrap
ELO = 400 / np.log(10)  # Elo in a unit of log t
CONVERGED = 1e-9  # in log t
ITERATIONS = 100_000
PAIRS = slice(sums.PAIR_HISTOGRAM, sums.PAIR_HISTOGRAM + sums.PAIR_BINS)
SCORE = np.arange(sums.PAIR_BINS) / 4  # what A wins of a pair, by bin
WORDS = 4  # random numbers of a Philox block

# Pairs of different strategies (A, B), and the batch rows of their cells, int64 (batches, columns)
Pairings = Mapping[tuple[str, str], np.ndarray]


@dataclass(frozen=True)
class Cycles:
    """How much of the logits of a cross-table no rating explains, 0..1.

    NaN unless everyone met everyone, three at least.
    """

    share: float  # with the part that noise alone makes subtracted, at least 0
    raw: float
    se: float  # of the share, from the bootstrap


def cross_table(pairings: Pairings) -> pd.DataFrame:
    """What everyone wins of everyone, both ways round (CROSS_COLUMNS); n matches or deals.

    Shares are of matches, or else of deals; what nobody won counts one half.
    `frame.pivot(index="strategy", columns="opponent", values="share")` is the matrix.
    """
    import pandas as pd

    table: list[tuple[object, ...]] = []
    for (a, b), rows in pairings.items():
        table += _cross_rows(a, b, rows)
    columns = list(CROSS_COLUMNS)
    return pd.DataFrame(table, columns=columns)


def ratings(pairings: Pairings, seed: int, samples: int = SAMPLES) -> pd.DataFrame:
    """Elo of every strategy, best first (RATING_COLUMNS); n matches or deals it played.

    `simple`, or else the first strategy named, is the anchor: 0 by definition, without error. Who
    is not connected with it by any chain of pairings has no rating (NaN), and nobody has one where
    a pairing has fewer than 5 batches. The bootstrap's numbers are those of the seed's stream 5, so
    equal input gives equal bytes.
    """
    names = _names(pairings)
    frame = _unrated(names, pairings)
    reached = _reached(names, pairings)
    inside = {}
    for (a, b), rows in pairings.items():
        if a in reached:
            inside[a, b] = rows
    count = min(map(_effective, inside.values()), default=0)
    if count >= ENOUGH_BATCHES:
        elo, se = _elo(reached, inside, seed, samples)
        correction = np.sqrt(count / (count - 1))  # resampling n batches is short by one
        half = quantile(count) * se * correction
        low = elo - half
        high = elo + half
        places = [names.index(name) for name in reached]
        frame.loc[places, "elo"] = elo
        frame.loc[places, "se"] = se * correction
        frame.loc[places, "low"] = low
        frame.loc[places, "high"] = high
    ranked = frame.sort_values(
        "elo",
        ascending=False,
        kind="stable",
        ignore_index=True,
    )
    return ranked[list(RATING_COLUMNS)]


def _unrated(names: Sequence[str], pairings: Pairings) -> pd.DataFrame:
    """The frame of ratings before any is known."""
    import pandas as pd

    columns = {
        "strategy": names,
        "elo": np.nan,
        "se": np.nan,
        "low": np.nan,
        "high": np.nan,
        "n": [_results(pairings, name) for name in names],
    }
    return pd.DataFrame(columns)


def leave_batches_out(pairings: Pairings) -> np.ndarray:
    """Elo (mean 0) of everyone from all batches, and then with each left out: (1 + batches, k).

    In the order in which players are named. All pairings have the same number of batches, which are
    those of the same packs.
    """
    count = _longest(pairings)
    everything = np.ones(count)
    left_out = 1 - np.eye(count)
    weights = np.vstack([everything, left_out])
    names = _names(pairings)
    wins = _wins(names, pairings, weights)
    elo = ELO * strengths(wins)
    return np.asarray(elo)


def cycles(pairings: Pairings, seed: int, samples: int = SAMPLES) -> Cycles:
    """The cyclic share |C|^2 / |M|^2 of a cross-table.

    M are the logits of the shares, C what is left of them after the differences of their row means.
    Noise alone makes a residual. Its mean square over the bootstrap is subtracted, which knows that
    ratings absorb a part of the noise and that cells share packs.
    """
    if not _is_complete(pairings):
        return Cycles(np.nan, np.nan, np.nan)
    count = min(map(_effective, pairings.values()))
    if count < ENOUGH_BATCHES:
        return Cycles(np.nan, np.nan, np.nan)
    logits = _logits(pairings, seed, samples)
    left = _unexplained(logits)
    wholes = _square_sums(logits)
    residuals = _square_sums(left)
    if not wholes.all():
        return Cycles(0.0, 0.0, 0.0)  # not a single uneven result, in some sample at least
    whole = float(wholes[0])
    residual = float(residuals[0])
    moves = left[1:] - left[0]
    noise = _square_sums(moves)
    excess = residual - float(noise.mean())
    sampled = residuals[1:] / wholes[1:]
    return Cycles(
        share=max(0.0, excess) / whole,
        raw=residual / whole,
        se=float(sampled.std(ddof=1)),
    )


def _logits(
    pairings: Pairings,
    seed: int,
    samples: int,
) -> np.ndarray:
    """The logits of the shares, of all batches and then of every bootstrap sample."""
    names = _names(pairings)
    count = _longest(pairings)
    resampled = resample(seed, samples, count)
    everything = np.ones(count)
    weights = np.vstack([everything, resampled])
    wins = _wins(names, pairings, weights)
    # Nobody meets himself: a logit of 0
    diagonal = np.eye(len(names))
    wins = wins + diagonal
    losses = wins.transpose(0, 2, 1)
    logits = np.log(wins) - np.log(losses)
    return np.asarray(logits)


def _unexplained(logits: np.ndarray) -> np.ndarray:
    """What the differences of row means leave of the logits."""
    # Over all k, himself too: so a table of pure ratings leaves no residual.
    means = logits.mean(axis=2)
    own = means[:, :, None]
    others = means[:, None, :]
    explained = own - others
    return np.asarray(logits - explained)


def _is_complete(pairings: Pairings) -> bool:
    """Whether everyone met everyone, three at least."""
    k = len(_names(pairings))
    met = {frozenset(pair) for pair in pairings}
    if k < 3:
        return False
    pairs = k * (k - 1) // 2
    return len(met) >= pairs


def _square_sums(tables: np.ndarray) -> np.ndarray:
    """The sum of the squares of each table: float64 (tables,)."""
    squares = tables**2
    totals = squares.sum(axis=(1, 2))
    return np.asarray(totals)


def resample(
    seed: int,
    samples: int,
    count: int,
) -> np.ndarray:
    """How often each batch is drawn in each bootstrap sample: float64 (samples, count).

    Whole numbers, every row adding to `count`. Number b of sample s is word b % 4 at the address
    (unit s, deal 0, index b // 4, domain 5) of the seed's stream.
    """
    numbers = _random_numbers(seed, samples, count)
    scaled = numbers * np.uint64(count)
    drawn = scaled >> np.uint64(32)
    first_bins = count * np.arange(samples)
    own_bins = drawn.astype(np.int64) + first_bins[:, None]
    bins = samples * count
    counts = np.bincount(own_bins.ravel(), minlength=bins)
    table = counts.reshape(samples, count)
    return table.astype(float)


def _random_numbers(
    seed: int,
    samples: int,
    count: int,
) -> np.ndarray:
    """The bootstrap's random numbers of 32 bits: uint64 (samples, count)."""
    blocks = -(-count // WORDS)
    grid = np.mgrid[:samples, :blocks]
    sample, index = (part.ravel().astype(np.uint64) for part in grid)
    words = rng.philox(
        sample,
        np.zeros_like(sample),
        index,
        np.full_like(sample, rng.BOOTSTRAP),
        np.uint64(seed & 0xFFFFFFFF),
        np.uint64(seed >> 32),
    )
    stacked = np.stack(words, axis=-1)
    numbers = stacked.reshape(samples, WORDS * blocks)
    return numbers[:, :count]


def strengths(
    wins: np.ndarray,
    start: np.ndarray | None = None,
) -> np.ndarray:
    """log t of Bradley and Terry's model, mean 0, for each of several tables: float64 (tables, k).

    wins[s, i, j] is what i won against j (float64 (tables, k, k)); in every table everybody is
    connected with everybody by results both ways. The iteration is
    t_i <- W_i / sum_j n_ij / (t_i + t_j).
    """
    won = wins.sum(axis=2)
    games = wins + wins.transpose(0, 2, 1)
    log_t: np.ndarray = np.zeros(won.shape)
    if start is not None:
        log_t = log_t + start
    for _ in range(ITERATIONS):
        before = log_t
        t = np.exp(log_t)
        pair_strengths = t[:, :, None] + t[:, None, :]
        expected = games / pair_strengths
        won_per_t = expected.sum(axis=2)
        log_t = np.log(won) - np.log(won_per_t)
        log_t -= log_t.mean(axis=1, keepdims=True)
        change = np.abs(log_t - before)
        if change.max() < CONVERGED:
            break
    return log_t


def _elo(
    names: Sequence[str],
    pairings: Pairings,
    seed: int,
    samples: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Elo relative to the first of names, and its standard deviation over bootstrap samples."""
    longest = _longest(pairings)
    everything = np.ones((1, longest))
    wins = _wins(names, pairings, everything)
    fitted = strengths(wins)
    weights = resample(seed, samples, longest)
    sampled_wins = _wins(names, pairings, weights)
    sampled = strengths(sampled_wins, start=fitted[0])
    elo = _anchored(fitted)[0]
    se = _anchored(sampled).std(axis=0, ddof=1)
    return elo, se


def _anchored(log_t: np.ndarray) -> np.ndarray:
    """Elo relative to the first strategy, in each of several tables."""
    first = log_t[:, :1]
    elo = ELO * (log_t - first)
    return np.asarray(elo)


def _wins(
    names: Sequence[str],
    pairings: Pairings,
    weights: np.ndarray,
) -> np.ndarray:
    """What everyone won against everyone, the virtual draw included: float64 (tables, k, k).

    weights: how often batches count in each table, float64 (tables, batches).
    """
    k = len(names)
    wins = np.zeros((len(weights), k, k))
    for (a, b), rows in pairings.items():
        i = names.index(a)
        j = names.index(b)
        counts = rows[:, PAIRS]
        counted = weights[:, : len(rows)]
        won_by_a = 2 * counts @ SCORE
        won_by_b = 2 * counts @ SCORE[::-1]
        wins[:, i, j] += counted @ won_by_a + 0.5
        wins[:, j, i] += counted @ won_by_b + 0.5
    return wins


def _cross_rows(a: str, b: str, rows: np.ndarray) -> list[tuple[object, ...]]:
    """Both rows of a pairing in the cross-table: the mean pair score, its error over pairs."""
    histogram = rows[:, PAIRS].sum(axis=0, dtype=np.int64)
    counts = [int(count) for count in histogram]
    pairs = sum(counts)
    quarters = sum(count * score for score, count in enumerate(counts))
    squares = sum(count * score**2 for score, count in enumerate(counts))
    score = RatioSums(
        numerator=quarters,
        numerator_square=squares,
        denominator=pairs,
        denominator_square=pairs,
        cross=quarters,
        scale=4,
        share=True,
        always=True,
    )
    won = estimate_ratio(pairs, score)
    n = _count_results(rows)
    return [
        (a, b, won.value, won.se, won.low, won.high, n),
        (b, a, 1 - won.value, won.se, 1 - won.high, 1 - won.low, n),
    ]


def _names(pairings: Pairings) -> list[str]:
    """The strategies in the order in which they are named, the anchor first."""
    named = chain.from_iterable(pairings)
    names = dict.fromkeys(named)
    return sorted(names, key=lambda name: name != ANCHOR)


def _reached(names: Sequence[str], pairings: Pairings) -> list[str]:
    """Those that a chain of pairings connects with the anchor."""
    from scipy.sparse.csgraph import connected_components

    shape = len(names), len(names)
    met = np.zeros(shape, bool)
    for a, b in pairings:
        i = names.index(a)
        j = names.index(b)
        met[i, j] = True
    _, component = connected_components(met, directed=False)
    own = component[0]
    reached = []
    for name, label in zip(names, component, strict=True):
        if label == own:
            reached.append(name)
    return reached


def _results(pairings: Pairings, name: str) -> int:
    """Deals or matches that a strategy played."""
    count = 0
    for pair, rows in pairings.items():
        if name in pair:
            count += _count_results(rows)
    return count


def _count_results(rows: np.ndarray) -> int:
    pairs = int(batches.unit_counts(rows).sum())
    return 2 * pairs


def _effective(rows: np.ndarray) -> float:
    if not len(rows):
        return 0.0
    return batches.effective(rows)


def _longest(pairings: Pairings) -> int:
    return max(map(len, pairings.values()))
