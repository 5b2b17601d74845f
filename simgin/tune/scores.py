"""What a strategy is worth against a pool, and what it gains on another on the same packs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.stats import batches, metrics, quantity
from simgin.stats.estimate import Estimate, quantile
from simgin.stats.metrics import Metric
from simgin.stats.played import Played

METRICS = {"matches": "match_win", "points": "margin", "worst": "match_win"}  # by objective


@dataclass(frozen=True, eq=False)
class Score:
    """A value, and how far each batch of packs moves it: float64 (batches,)."""

    value: float
    moves: np.ndarray
    batches: float  # how many of equal size these are worth

    def gain(self, base: Score) -> Estimate:
        """How much this is more than another of the same packs."""
        difference = self.value - base.value
        moves = self.moves - base.moves
        return Score(difference, moves, self.batches).estimate()

    def estimate(self) -> Estimate:
        """The value with its error."""
        se = batches.standard_error(self.moves, self.batches)
        half = quantile(self.batches) * se
        low = self.value - half
        high = self.value + half
        n = round(self.batches)
        return Estimate(self.value, se, n, low, high)


def metric_of(objective: str) -> Metric:
    """What an objective counts."""
    name = METRICS[objective]
    return metrics.BY_NAME[name]


def score(played: Played, metric: Metric) -> Score:
    """A strategy against one opponent."""
    found = quantity.ratio(played.rows, metric, played.as_b)
    return Score(found.value, found.moves, found.batches)


def even(matches: int, metric: Metric) -> Score:
    """A strategy against itself, which needs no play: one half of the matches, no points.

    matches: that another strategy plays on the same packs.
    """
    pairs = (matches + 1) // 2
    whole, rest = divmod(pairs, sums.BATCH_MATCHES)
    sizes = [sums.BATCH_MATCHES] * whole
    if rest:
        sizes.append(rest)
    squares = [size**2 for size in sizes]
    effective = pairs**2 / sum(squares)
    value = 0.5 if metric.share else 0.0
    moves = np.zeros(len(sizes))
    return Score(value, moves, effective)


def mean(scores: Sequence[Score]) -> Score:
    """The mean of scores on the same packs."""
    values = [score.value for score in scores]
    value = float(np.mean(values))
    every = [score.moves for score in scores]
    moves = np.mean(every, axis=0)
    first, *_ = scores
    return Score(value, moves, first.batches)


def total(scores: Sequence[Score], objective: str) -> Score:
    """What a strategy is worth against a pool: the mean, or the least of the scores."""
    if objective == "worst":
        return min(scores, key=lambda score: score.value)
    return mean(scores)
