"""What everyone won of everyone, in all batches and in bootstrap samples of them.

And how far one number can say it: what fits no ratings, and who beats whom in a circle. Cells share
their packs, so batches are resampled jointly for all pairings
(docs/explanation/statistics.md#ratings).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from simgin.core import rng
from simgin.stats import batches
from simgin.stats.batches import ENOUGH_BATCHES
from simgin.stats.differences import holm
from simgin.stats.estimate import quantile
from simgin.stats.table import Frame, frame_of

ANCHOR = "simple"
SAMPLES = 1000  # of the bootstrap
ELO = 400 / np.log(10)  # Elo in a unit of log t, or of log odds
CONVERGED = 1e-9  # in log t
ITERATIONS = 100_000
VIRTUAL = 0.5  # of a drawn match that every pairing is given, to either side
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
        named = dict.fromkeys(chain.from_iterable(self.pairings))
        return sorted(named, key=lambda name: name != ANCHOR)

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
        count = max(map(len, self.pairings.values()))  # batches of the longest cell
        weights = np.vstack([np.ones(count), resample(self.seed, self.samples, count)])
        return count_wins(self.names, self.pairings, weights)

    @cached_property
    def strengths(self) -> np.ndarray:
        """log t of everyone in Bradley and Terry's model, mean 0: float64 (1 + samples, k).

        Everybody must be connected with everybody.
        """
        # A virtual draw for every pairing, so that no strength is infinite
        met = self.wins + self.wins.transpose(0, 2, 1) > 0
        wins = self.wins + VIRTUAL * met
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


def count_wins(names: Sequence[str], pairings: Pairings, weights: np.ndarray) -> np.ndarray:
    """What everyone won against everyone, a draw counting one half: float64 (tables, k, k).

    weights: how often batches count in each table, float64 (tables, batches).
    """
    k = len(names)
    wins = np.zeros((len(weights), k, k))
    for (a, b), rows in pairings.items():
        i = names.index(a)
        j = names.index(b)
        counts = rows[:, batches.PAIRS]
        counted = weights[:, : len(rows)]
        won_by_a = 2 * counts @ batches.SCORES
        won_by_b = 2 * counts @ batches.SCORES[::-1]
        wins[:, i, j] += counted @ won_by_a
        wins[:, j, i] += counted @ won_by_b
    return wins


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


@dataclass(frozen=True)
class NonAdditivity:
    """The share, 0..1, of a round robin's deviance from even chances that ratings leave.

    0 if the log odds of all pairs are differences of ratings, 1 for rock, paper, scissors. NaN
    unless everyone met everyone, three at least, in enough batches.
    """

    share: float  # with the part that noise alone makes subtracted, at least 0
    raw: float
    se: float  # of the share, from the bootstrap
    half: float  # half the width of its 95 % interval


UNKNOWN = NonAdditivity(np.nan, np.nan, np.nan, np.nan)


def non_additivity(robin: RoundRobin) -> NonAdditivity:
    """The deviance from Bradley and Terry's model over that from even chances.

    A ratio of deviances, 1 - R² (Cameron and Windmeijer, Journal of Econometrics 1997), weighs
    every pair by what its matches tell; squares of log odds would be ruled by pairs that one side
    never won. Noise adds to a deviance; what it adds is taken from the bootstrap, which adds as
    much again.
    """
    if not robin.is_complete or not robin.is_enough:
        return UNKNOWN
    left = deviances(robin.wins, robin.strengths)
    whole = deviances(robin.wins, np.zeros_like(robin.strengths))
    if not whole.all():
        return NonAdditivity(0.0, 0.0, 0.0, 0.0)  # no uneven result, in some sample at least
    raw = float(left[0] / whole[0])
    correction = robin.batches / (robin.batches - 1)
    noise = correction * (left[1:].mean() - left[0])
    excess = max(0.0, float(left[0] - noise))
    sampled = left[1:] / whole[1:]
    return NonAdditivity(
        share=excess / float(whole[0]),
        raw=raw,
        se=float(robin.error(sampled)),
        half=float(robin.half_width(sampled)),
    )


SURE = 0.05
TRIAD_COLUMNS = ("first", "second", "third", "share", "excess", "p_holm")


@dataclass(frozen=True)
class Triads:
    """The circles among all triads of a round robin.

    examined: how many triads there are. circles: those that go round, by what was observed, the
    clearest first (TRIAD_COLUMNS): the first beats the second, the second the third, the third the
    first; share: what the winner takes in the closest of the three pairs; excess: that share less
    one half, in standard errors; p_holm: for "some of the three does not win", after Holm's
    adjustment for both directions of all triads.
    """

    examined: int
    circles: Frame

    @property
    def sure(self) -> Frame:
        """The circles beyond chance."""
        return self.circles[self.circles["p_holm"] < SURE]


def triads(cross: Frame) -> Triads:
    """The triads of a cross-table (`simgin.stats.league.CROSS_COLUMNS`).

    A triad is a circle only if all three pairs are won, so the closest pair decides (intersection
    and union test: Berger, Technometrics 1982). Triads with a pair of unknown share are left out.
    """
    from scipy.special import ndtr

    names = list(dict.fromkeys(cross["strategy"]))
    shares = _square(cross, names, "share")
    errors = _square(cross, names, "se")
    leads = shares - 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.where(leads == 0, 0, leads / errors)
    examined = 0
    found: list[tuple[object, ...]] = []
    for trio in itertools.combinations(range(len(names)), 3):
        around = [(trio[0], trio[1]), (trio[1], trio[2]), (trio[2], trio[0])]
        if np.isnan([shares[link] for link in around]).any():
            continue
        examined += 1
        found += _circle(around, names, shares, excess)
    frame = frame_of(found, TRIAD_COLUMNS)
    ranked = frame.sort_values("excess", ascending=False, kind="stable", ignore_index=True)
    p = np.ones(2 * examined)  # both directions of all triads are tested
    p[: len(ranked)] = ndtr(-ranked["excess"].to_numpy(dtype=float))
    return Triads(examined, ranked.assign(p_holm=holm(p)[: len(ranked)]))


Link = tuple[int, int]


def _circle(
    around: Sequence[Link], names: Sequence[str], shares: np.ndarray, excess: np.ndarray
) -> Iterator[tuple[object, ...]]:
    """The row of a triad that goes round one way or the other; nothing of another."""
    for links in (around, [(j, i) for i, j in reversed(around)]):
        closest = min(links, key=lambda link: excess[link])
        if excess[closest] > 0:
            players = [names[winner] for winner, _ in links]
            yield (*players, shares[closest], excess[closest], np.nan)


def _square(cross: Frame, names: list[str], column: str) -> np.ndarray:
    table = cross.pivot(index="strategy", columns="opponent", values=column)
    return table.reindex(index=names, columns=names).to_numpy(dtype=float)


# Bradley and Terry's model, P(i beats j) = t_i / (t_i + t_j) (Biometrika 1952)


def strengths(wins: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """log t, mean 0, for each of several tables: float64 (tables, k).

    wins[s, i, j] is what i won against j (float64 (tables, k, k)); in every table everybody is
    connected with everybody by results both ways. The iteration is
    t_i <- W_i / sum_j n_ij / (t_i + t_j) (Zermelo 1929; Hunter, Annals of Statistics 2004).
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
        log_t = np.log(won) - np.log(expected.sum(axis=2))
        log_t -= log_t.mean(axis=1, keepdims=True)
        if np.abs(log_t - before).max() < CONVERGED:
            break
    return log_t


def deviances(wins: np.ndarray, log_t: np.ndarray) -> np.ndarray:
    """The deviance of each of several tables from the model: float64 (tables,).

    Twice the log likelihood that the observed shares have more than the model's chances. A cell
    without wins counts like any other.
    """
    log_odds = log_t[:, :, None] - log_t[:, None, :]
    log_chances = -np.logaddexp(0, -log_odds)
    games = wins + wins.transpose(0, 2, 1)
    shares = np.ones_like(wins)
    np.divide(wins, games, out=shares, where=wins > 0)
    surplus = wins * (np.log(shares) - log_chances)
    return np.asarray(2 * surplus.sum(axis=(1, 2)))
