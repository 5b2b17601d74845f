"""What everyone won of everyone, in all batches and in bootstrap samples of them.

Cells share their packs, so batches are resampled jointly for all pairings
(docs/explanation/statistics.md#ratings).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from simgin.core import rng, sums
from simgin.stats import batches
from simgin.stats.batches import ENOUGH_BATCHES
from simgin.stats.estimate import quantile
from simgin.stats.round_robin.bradley_terry import strengths

ANCHOR = "simple"
SAMPLES = 1000  # of the bootstrap
VIRTUAL = 0.5  # of a drawn match that every pairing is given, to either side
PAIRS = slice(sums.PAIR_HISTOGRAM, sums.PAIR_HISTOGRAM + sums.PAIR_BINS)
SCORE = np.arange(sums.PAIR_BINS) / 4  # what A wins of a pair, by bin
WORDS = 4  # random numbers of a Philox block

# Pairs of different strategies (A, B), and the batch rows of their cells, int64 (batches, columns)
Pairings = Mapping[tuple[str, str], np.ndarray]


@dataclass(frozen=True, eq=False)
class RoundRobin:
    """Pairings on the same packs.

    seed: of the bootstrap, whose numbers are those of the seed's stream 5; so equal input gives
    equal bytes.
    """

    pairings: Pairings
    seed: int
    samples: int = SAMPLES

    @cached_property
    def names(self) -> list[str]:
        """The strategies in the order in which they are named, the anchor first."""
        return player_names(self.pairings)

    @cached_property
    def batches(self) -> float:
        """How many batches of equal size its smallest cell is worth."""
        counts = [batches.effective(rows) if len(rows) else 0.0 for rows in self.pairings.values()]
        return min(counts, default=0.0)

    @property
    def is_enough(self) -> bool:
        """Whether there are enough batches for an error."""
        return self.batches >= ENOUGH_BATCHES

    @property
    def is_complete(self) -> bool:
        """Whether everyone met everyone, three at least."""
        k = len(self.names)
        met = {frozenset(pair) for pair in self.pairings}
        pairs = k * (k - 1) // 2
        return k > 2 and len(met) >= pairs

    @cached_property
    def wins(self) -> np.ndarray:
        """What everyone won of everyone: float64 (1 + samples, k, k).

        Of all batches first, then of every bootstrap sample.
        """
        count = longest(self.pairings)
        weights = np.vstack([np.ones(count), resample(self.seed, self.samples, count)])
        return count_wins(self.names, self.pairings, weights)

    @cached_property
    def strengths(self) -> np.ndarray:
        """log t of everyone in Bradley and Terry's model, mean 0: float64 (1 + samples, k).

        Everybody must be connected with everybody.
        """
        wins = with_virtual_draws(self.wins)
        whole = strengths(wins[:1])
        return np.vstack([whole, strengths(wins[1:], start=whole[0])])

    @cached_property
    def log_odds(self) -> np.ndarray:
        """The log odds of everyone against everyone, 0 against oneself: float64, like `wins`.

        Half a win is added to either side, which makes it nearly unbiased, and finite for a cell
        without wins (Haldane, Annals of Human Genetics 1956).
        """
        own = np.log(self.wins + VIRTUAL)
        return np.asarray(own - own.transpose(0, 2, 1))

    def half_width(self, sampled: np.ndarray) -> np.ndarray:
        """Half the width of a 95 % interval, from what each bootstrap sample (first axis) gives."""
        return quantile(self.batches) * self.error(sampled)

    def error(self, sampled: np.ndarray) -> np.ndarray:
        """The standard error: resampling n batches makes the scatter short by one."""
        correction = np.sqrt(self.batches / (self.batches - 1))
        return np.asarray(correction * sampled.std(axis=0, ddof=1))


def connected(robin: RoundRobin) -> RoundRobin:
    """The part of a round robin that a chain of pairings connects with the anchor."""
    reached = _reached(robin.names, robin.pairings)
    inside = {(a, b): rows for (a, b), rows in robin.pairings.items() if a in reached}
    if len(inside) == len(robin.pairings):
        return robin
    return RoundRobin(inside, robin.seed, robin.samples)


def player_names(pairings: Pairings) -> list[str]:
    """The strategies in the order in which they are named, the anchor first."""
    return sorted(dict.fromkeys(chain.from_iterable(pairings)), key=lambda name: name != ANCHOR)


def count_wins(names: Sequence[str], pairings: Pairings, weights: np.ndarray) -> np.ndarray:
    """What everyone won against everyone, a draw counting one half: float64 (tables, k, k).

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
        wins[:, i, j] += counted @ won_by_a
        wins[:, j, i] += counted @ won_by_b
    return wins


def with_virtual_draws(wins: np.ndarray) -> np.ndarray:
    """The same with a virtual draw for every pairing, so that no strength is infinite."""
    return np.asarray(wins + VIRTUAL * ((wins + wins.transpose(0, 2, 1)) > 0))


def longest(pairings: Pairings) -> int:
    """The number of batches of the largest cell."""
    return max(map(len, pairings.values()))


def resample(seed: int, samples: int, count: int) -> np.ndarray:
    """How often each batch is drawn in each bootstrap sample: float64 (samples, count).

    Whole numbers, every row adding to `count`. Number b of sample s is word b % 4 at the address
    (unit s, deal 0, index b // 4, domain 5) of the seed's stream.
    """
    drawn = _random_numbers(seed, samples, count) * np.uint64(count) >> np.uint64(32)
    first_bins = count * np.arange(samples)
    own_bins = drawn.astype(np.int64) + first_bins[:, None]
    table = np.bincount(own_bins.ravel(), minlength=samples * count).reshape(samples, count)
    return table.astype(float)


def _random_numbers(seed: int, samples: int, count: int) -> np.ndarray:
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
    return np.stack(words, axis=-1).reshape(samples, WORDS * blocks)[:, :count]


def _reached(names: Sequence[str], pairings: Pairings) -> list[str]:
    """Those that a chain of pairings connects with the anchor."""
    from scipy.sparse.csgraph import connected_components

    met = np.zeros((len(names), len(names)), bool)
    for a, b in pairings:
        met[names.index(a), names.index(b)] = True
    _, component = connected_components(met, directed=False)
    own = component[0]
    return [name for name, label in zip(names, component, strict=True) if label == own]
