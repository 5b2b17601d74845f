"""Ratings of a round robin, always beside its cross-table, because gin is intransitive.

Bradley and Terry's model, P(i beats j) = t_i / (t_i + t_j), by the MM iteration (Hunter, Annals of Statistics 2004), with one virtual
drawn match in every pairing. Cells share their packs, so errors come from batches resampled jointly for all pairings.

See docs/explanation/statistics.md#ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import rng, sums
from simgin.stats.estimate import quantile
from simgin.stats.ratios import RatioSums, estimate_ratio

if TYPE_CHECKING:
    import pandas as pd

RATING_COLUMNS = ("strategy", "elo", "se", "low", "high", "n")
CROSS_COLUMNS = ("strategy", "opponent", "share", "se", "low", "high", "n")
ANCHOR = "simple"
SAMPLES = 1000
ENOUGH_BATCHES = 5
ELO = 400 / np.log(10)  # Elo in a unit of log t
CONVERGED = 1e-9  # in log t
ITERATIONS = 100_000
SCORE = np.arange(sums.PAIR_BINS) / 4


@dataclass(frozen=True, eq=False)
class Pairing:
    """Two different strategies and the batch rows of their cell, int64 (batches, sums.COLUMNS), seen by a."""

    a: str
    b: str
    rows: np.ndarray


@dataclass(frozen=True)
class Cycles:
    """How much of the logits of a cross-table no rating explains, 0..1; NaN unless everyone met everyone, three at least."""

    share: float  # with the part that noise alone makes subtracted, at least 0
    raw: float
    se: float  # of the share, from the bootstrap


def cross_table(pairings: Sequence[Pairing]) -> pd.DataFrame:
    """Share of matches (else of deals; what nobody won counts one half) of every strategy against every opponent, CROSS_COLUMNS.

    One a row, both ways round; n matches or deals. `frame.pivot(index="strategy", columns="opponent", values="share")` is the matrix.
    """
    import pandas as pd

    table = [row for pairing in pairings for row in _crossed(pairing)]
    return pd.DataFrame(table, columns=list(CROSS_COLUMNS))


def ratings(pairings: Sequence[Pairing], seed: int, samples: int = SAMPLES) -> pd.DataFrame:
    """Elo of every strategy, best first (RATING_COLUMNS); n matches or deals it played.

    `simple`, or else the first strategy named, is the anchor: 0 by definition, without error. Those that it is not connected with by
    any chain of pairings have no rating (NaN), and nobody has one where a pairing has fewer than 5 batches. The bootstrap's numbers
    are those of the seed's stream 5, so equal input gives equal bytes.
    """
    import pandas as pd

    names = _names(pairings)
    played = {
        name: sum(_played(one) for one in pairings if name in (one.a, one.b)) for name in names
    }
    frame = pd.DataFrame(
        {
            "strategy": names,
            "elo": np.nan,
            "se": np.nan,
            "low": np.nan,
            "high": np.nan,
            "n": list(played.values()),
        }
    )
    reached = _reached(names, pairings)
    inside = [one for one in pairings if one.a in reached]
    batches = min((_batches(one) for one in inside), default=0)
    if batches >= ENOUGH_BATCHES:
        elo, se = _elo(reached, inside, seed, samples)
        half = (
            quantile(batches) * se * np.sqrt(batches / (batches - 1))
        )  # resampling n batches is short by one
        columns = {
            "elo": elo,
            "se": se * np.sqrt(batches / (batches - 1)),
            "low": elo - half,
            "high": elo + half,
        }
        places = [names.index(name) for name in reached]
        for column, values in columns.items():
            frame.loc[places, column] = values
    return frame.sort_values("elo", ascending=False, kind="stable", ignore_index=True)[
        list(RATING_COLUMNS)
    ]


def leaving_out(pairings: Sequence[Pairing]) -> np.ndarray:
    """Elo (mean 0) of everyone, in the order in which they are named, from all batches and then with each left out: (1 + batches, k).

    All pairings have the same number of batches, which are those of the same packs.
    """
    batches = _longest(pairings)
    weights = np.vstack([np.ones(batches), 1 - np.eye(batches)])
    return np.asarray(ELO * strengths(_wins(_names(pairings), pairings, weights)))


def cycles(pairings: Sequence[Pairing], seed: int, samples: int = SAMPLES) -> Cycles:
    """The cyclic share |C|^2 / |M|^2: M the logits of the shares, C what is left of them after the differences of their row means.

    Noise alone makes a residual: its mean square over the bootstrap is subtracted, which knows that ratings absorb a part of the noise
    and that cells share packs.
    """
    names = _names(pairings)
    k = len(names)
    met = {frozenset((one.a, one.b)) for one in pairings}
    if (
        k < 3
        or len(met) < k * (k - 1) // 2
        or min(_batches(one) for one in pairings) < ENOUGH_BATCHES
    ):
        return Cycles(np.nan, np.nan, np.nan)
    wins = _wins(
        names,
        pairings,
        np.vstack([np.ones(_longest(pairings)), resample(seed, samples, _longest(pairings))]),
    )
    wins += np.eye(k)  # nobody meets himself: a logit of 0
    logits = np.log(wins) - np.log(wins.transpose(0, 2, 1))
    means = logits.mean(
        axis=2
    )  # over all k, himself too: so a table of pure ratings leaves no residual
    left = logits - (means[:, :, None] - means[:, None, :])
    wholes, residuals = (np.asarray((part**2).sum(axis=(1, 2))) for part in (logits, left))
    noise = float(((left[1:] - left[0]) ** 2).sum(axis=(1, 2)).mean())
    if not wholes.all():
        return Cycles(0.0, 0.0, 0.0)  # not a single uneven result, in some sample at least
    se = float((residuals[1:] / wholes[1:]).std(ddof=1))
    return Cycles(
        max(0.0, float(residuals[0]) - noise) / float(wholes[0]),
        float(residuals[0] / wholes[0]),
        se,
    )


def resample(seed: int, samples: int, batches: int) -> np.ndarray:
    """How often each batch is drawn in each bootstrap sample: float64 (samples, batches), whole numbers, every row adding to `batches`.

    Number b of sample s is word b % 4 at the address (unit s, deal 0, index b // 4, domain 5) of the seed's stream.
    """
    blocks = -(-batches // 4)
    sample, index = (part.ravel().astype(np.uint64) for part in np.mgrid[:samples, :blocks])
    zero, domain = np.zeros_like(sample), np.full_like(sample, rng.BOOTSTRAP)
    words = rng.philox(
        sample, zero, index, domain, np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)
    )
    numbers = np.stack(words, axis=-1).reshape(samples, 4 * blocks)[:, :batches]
    drawn = (numbers * np.uint64(batches) >> np.uint64(32)).astype(np.int64) + batches * np.arange(
        samples
    )[:, None]
    return (
        np.bincount(drawn.ravel(), minlength=samples * batches)
        .reshape(samples, batches)
        .astype(float)
    )


def strengths(wins: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Strengths log t of Bradley and Terry's model, mean 0, for each of several tables: float64 (tables, k).

    wins[s, i, j] is what i won against j (float64 (tables, k, k)); in every table everybody is connected with everybody by results
    both ways. The iteration is t_i <- W_i / sum_j n_ij / (t_i + t_j).
    """
    won, games = wins.sum(axis=2), wins + wins.transpose(0, 2, 1)
    log_t: np.ndarray = np.zeros(won.shape) + (0 if start is None else start)
    for _ in range(ITERATIONS):
        t, before = np.exp(log_t), log_t
        log_t = np.log(won) - np.log((games / (t[:, :, None] + t[:, None, :])).sum(axis=2))
        log_t -= log_t.mean(axis=1, keepdims=True)
        if np.abs(log_t - before).max() < CONVERGED:
            break
    return log_t


def _elo(
    names: Sequence[str], pairings: Sequence[Pairing], seed: int, samples: int
) -> tuple[np.ndarray, np.ndarray]:
    """Elo relative to the first of names, and its standard deviation over bootstrap samples."""
    longest = _longest(pairings)
    fitted = strengths(_wins(names, pairings, np.ones((1, longest))))
    drawn = strengths(_wins(names, pairings, resample(seed, samples, longest)), fitted[0])
    elo, bootstrap = (ELO * (one - one[:, :1]) for one in (fitted, drawn))
    return elo[0], bootstrap.std(axis=0, ddof=1)


def _wins(names: Sequence[str], pairings: Sequence[Pairing], weights: np.ndarray) -> np.ndarray:
    """What everyone won against everyone with batches counted `weights` times ((tables, batches)), the virtual draw included."""
    wins = np.zeros((len(weights), len(names), len(names)))
    for one in pairings:
        i, j = names.index(one.a), names.index(one.b)
        counts = one.rows[:, sums.PAIR_HISTOGRAM : sums.PAIR_HISTOGRAM + sums.PAIR_BINS]
        own, other = (
            weights[:, : len(one.rows)] @ (2 * counts @ score) for score in (SCORE, SCORE[::-1])
        )
        wins[:, i, j] += own + 0.5
        wins[:, j, i] += other + 0.5
    return wins


def _crossed(pairing: Pairing) -> list[tuple[object, ...]]:
    """Both rows of a pairing in the cross-table: the mean pair score, its error over pairs."""
    counts = (
        pairing.rows[:, sums.PAIR_HISTOGRAM : sums.PAIR_HISTOGRAM + sums.PAIR_BINS]
        .sum(axis=0, dtype=np.int64)
        .astype(object)
    )
    quarters, pairs = np.arange(sums.PAIR_BINS).astype(object), int(counts.sum())
    total, squares = int((counts * quarters).sum()), int((counts * quarters**2).sum())
    score = RatioSums(total, squares, pairs, pairs, total, scale=4, share=True, always=True)
    found = estimate_ratio(pairs, score)
    value, se, low, high = found.value, found.se, found.low, found.high
    n = _played(pairing)
    return [
        (pairing.a, pairing.b, value, se, low, high, n),
        (pairing.b, pairing.a, 1 - value, se, 1 - high, 1 - low, n),
    ]


def _names(pairings: Sequence[Pairing]) -> list[str]:
    """The strategies as they are named, the anchor first."""
    names = list(dict.fromkeys(name for one in pairings for name in (one.a, one.b)))
    return sorted(names, key=lambda name: name != ANCHOR)


def _reached(names: Sequence[str], pairings: Sequence[Pairing]) -> list[str]:
    """Those that a chain of pairings connects with the anchor."""
    from scipy.sparse.csgraph import connected_components

    met = np.zeros((len(names), len(names)), bool)
    for one in pairings:
        met[names.index(one.a), names.index(one.b)] = True
    _, component = connected_components(met, directed=False)
    return [name for name, part in zip(names, component, strict=True) if part == component[0]]


def _played(pairing: Pairing) -> int:
    return 2 * int(pairing.rows[:, sums.UNITS].sum())


def _batches(pairing: Pairing) -> float:
    """Batches of a pairing in effect: one cut short counts for less than one."""
    units = pairing.rows[:, sums.UNITS].astype(float)
    return float(units.sum() ** 2 / (units @ units)) if len(units) else 0.0


def _longest(pairings: Sequence[Pairing]) -> int:
    return max(len(one.rows) for one in pairings)
