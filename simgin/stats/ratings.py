"""Elo ratings of a round robin, its cross-table, and how much of it is cyclic.

Ratings always stand beside their cross-table, because gin is intransitive. The model is Bradley and
Terry's, P(i beats j) = t_i / (t_i + t_j), fitted by the MM iteration (Hunter, Annals of Statistics
2004) with one virtual drawn match in every pairing. Cells share their packs, so errors come from
batches resampled jointly for all pairings (docs/explanation/statistics.md#ratings).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    return pd.DataFrame(table, columns=list(CROSS_COLUMNS))


def ratings(pairings: Pairings, seed: int, samples: int = SAMPLES) -> pd.DataFrame:
    """Elo of every strategy, best first (RATING_COLUMNS); n matches or deals it played.

    `simple`, or else the first strategy named, is the anchor: 0 by definition, without error. Who
    is not connected with it by any chain of pairings has no rating (NaN), and nobody has one where
    a pairing has fewer than 5 batches. The bootstrap's numbers are those of the seed's stream 5, so
    equal input gives equal bytes.
    """
    import pandas as pd

    names = _names(pairings)
    frame = pd.DataFrame(
        {
            "strategy": names,
            "elo": np.nan,
            "se": np.nan,
            "low": np.nan,
            "high": np.nan,
            "n": [_results(pairings, name) for name in names],
        }
    )
    reached = _reached(names, pairings)
    inside = {pair: rows for pair, rows in pairings.items() if pair[0] in reached}
    count = min(map(_effective, inside.values()), default=0)
    if count >= ENOUGH_BATCHES:
        elo, se = _elo(reached, inside, seed, samples)
        se_full = se * np.sqrt(count / (count - 1))  # resampling n batches is short by one
        half = quantile(count) * se * np.sqrt(count / (count - 1))
        places = [names.index(name) for name in reached]
        columns = {"elo": elo, "se": se_full, "low": elo - half, "high": elo + half}
        for column, values in columns.items():
            frame.loc[places, column] = values
    ranked = frame.sort_values("elo", ascending=False, kind="stable", ignore_index=True)
    return ranked[list(RATING_COLUMNS)]


def leave_batches_out(pairings: Pairings) -> np.ndarray:
    """Elo (mean 0) of everyone from all batches, and then with each left out: (1 + batches, k).

    In the order in which players are named. All pairings have the same number of batches, which are
    those of the same packs.
    """
    count = _longest(pairings)
    weights = np.vstack([np.ones(count), 1 - np.eye(count)])
    return np.asarray(ELO * strengths(_wins(_names(pairings), pairings, weights)))


def cycles(pairings: Pairings, seed: int, samples: int = SAMPLES) -> Cycles:
    """The cyclic share |C|^2 / |M|^2 of a cross-table.

    M are the logits of the shares, C what is left of them after the differences of their row means.
    Noise alone makes a residual. Its mean square over the bootstrap is subtracted, which knows that
    ratings absorb a part of the noise and that cells share packs.
    """
    names = _names(pairings)
    k, met = len(names), {frozenset(pair) for pair in pairings}
    if k < 3 or len(met) < k * (k - 1) // 2:
        return Cycles(np.nan, np.nan, np.nan)
    if min(map(_effective, pairings.values())) < ENOUGH_BATCHES:
        return Cycles(np.nan, np.nan, np.nan)
    longest = _longest(pairings)
    weights = np.vstack([np.ones(longest), resample(seed, samples, longest)])
    wins = _wins(names, pairings, weights) + np.eye(k)  # nobody meets himself: a logit of 0
    logits = np.log(wins) - np.log(wins.transpose(0, 2, 1))
    # Over all k, himself too: so a table of pure ratings leaves no residual.
    means = logits.mean(axis=2)
    left = logits - (means[:, :, None] - means[:, None, :])
    wholes, residuals = (np.asarray((part**2).sum(axis=(1, 2))) for part in (logits, left))
    if not wholes.all():
        return Cycles(0.0, 0.0, 0.0)  # not a single uneven result, in some sample at least
    noise = float(((left[1:] - left[0]) ** 2).sum(axis=(1, 2)).mean())
    share = max(0.0, float(residuals[0]) - noise) / float(wholes[0])
    se = float((residuals[1:] / wholes[1:]).std(ddof=1))
    return Cycles(share, float(residuals[0] / wholes[0]), se)


def resample(seed: int, samples: int, count: int) -> np.ndarray:
    """How often each batch is drawn in each bootstrap sample: float64 (samples, count).

    Whole numbers, every row adding to `count`. Number b of sample s is word b % 4 at the address
    (unit s, deal 0, index b // 4, domain 5) of the seed's stream.
    """
    blocks = -(-count // WORDS)
    sample, index = (part.ravel().astype(np.uint64) for part in np.mgrid[:samples, :blocks])
    zero, domain = np.zeros_like(sample), np.full_like(sample, rng.BOOTSTRAP)
    low, high = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)
    words = rng.philox(sample, zero, index, domain, low, high)
    numbers = np.stack(words, axis=-1).reshape(samples, WORDS * blocks)[:, :count]
    drawn = (numbers * np.uint64(count) >> np.uint64(32)).astype(np.int64)
    own_bins = drawn + count * np.arange(samples)[:, None]
    counts = np.bincount(own_bins.ravel(), minlength=samples * count)
    return counts.reshape(samples, count).astype(float)


def strengths(wins: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """log t of Bradley and Terry's model, mean 0, for each of several tables: float64 (tables, k).

    wins[s, i, j] is what i won against j (float64 (tables, k, k)); in every table everybody is
    connected with everybody by results both ways. The iteration is
    t_i <- W_i / sum_j n_ij / (t_i + t_j).
    """
    won, games = wins.sum(axis=2), wins + wins.transpose(0, 2, 1)
    log_t: np.ndarray = np.zeros(won.shape) + (0 if start is None else start)
    for _ in range(ITERATIONS):
        t, before = np.exp(log_t), log_t
        expected = games / (t[:, :, None] + t[:, None, :])
        log_t = np.log(won) - np.log(expected.sum(axis=2))
        log_t -= log_t.mean(axis=1, keepdims=True)
        if np.abs(log_t - before).max() < CONVERGED:
            break
    return log_t


def _elo(
    names: Sequence[str], pairings: Pairings, seed: int, samples: int
) -> tuple[np.ndarray, np.ndarray]:
    """Elo relative to the first of names, and its standard deviation over bootstrap samples."""
    longest = _longest(pairings)
    fitted = strengths(_wins(names, pairings, np.ones((1, longest))))
    drawn = strengths(_wins(names, pairings, resample(seed, samples, longest)), fitted[0])
    elo, bootstrap = (ELO * (log_t - log_t[:, :1]) for log_t in (fitted, drawn))
    return elo[0], bootstrap.std(axis=0, ddof=1)


def _wins(names: Sequence[str], pairings: Pairings, weights: np.ndarray) -> np.ndarray:
    """What everyone won against everyone, the virtual draw included: float64 (tables, k, k).

    weights: how often batches count in each table, float64 (tables, batches).
    """
    wins = np.zeros((len(weights), len(names), len(names)))
    for (a, b), rows in pairings.items():
        i, j = names.index(a), names.index(b)
        counts, counted = rows[:, PAIRS], weights[:, : len(rows)]
        wins[:, i, j] += counted @ (2 * counts @ SCORE) + 0.5
        wins[:, j, i] += counted @ (2 * counts @ SCORE[::-1]) + 0.5
    return wins


def _cross_rows(a: str, b: str, rows: np.ndarray) -> list[tuple[object, ...]]:
    """Both rows of a pairing in the cross-table: the mean pair score, its error over pairs."""
    counts = [int(count) for count in rows[:, PAIRS].sum(axis=0, dtype=np.int64)]
    pairs = sum(counts)
    quarters = sum(count * score for score, count in enumerate(counts))
    squares = sum(count * score**2 for score, count in enumerate(counts))
    score = RatioSums(quarters, squares, pairs, pairs, quarters, scale=4, share=True, always=True)
    won, n = estimate_ratio(pairs, score), _count_results(rows)
    return [
        (a, b, won.value, won.se, won.low, won.high, n),
        (b, a, 1 - won.value, won.se, 1 - won.high, 1 - won.low, n),
    ]


def _names(pairings: Pairings) -> list[str]:
    """The strategies in the order in which they are named, the anchor first."""
    names = dict.fromkeys(name for pair in pairings for name in pair)
    return sorted(names, key=lambda name: name != ANCHOR)


def _reached(names: Sequence[str], pairings: Pairings) -> list[str]:
    """Those that a chain of pairings connects with the anchor."""
    from scipy.sparse.csgraph import connected_components

    met = np.zeros((len(names), len(names)), bool)
    for a, b in pairings:
        met[names.index(a), names.index(b)] = True
    _, component = connected_components(met, directed=False)
    return [name for name, part in zip(names, component, strict=True) if part == component[0]]


def _results(pairings: Pairings, name: str) -> int:
    """Deals or matches that a strategy played."""
    return sum(_count_results(rows) for pair, rows in pairings.items() if name in pair)


def _count_results(rows: np.ndarray) -> int:
    return 2 * int(rows[:, sums.UNITS].sum())


def _effective(rows: np.ndarray) -> float:
    return batches.effective(rows) if len(rows) else 0.0


def _longest(pairings: Pairings) -> int:
    return max(map(len, pairings.values()))
