"""Which of several actions is best: what is clearly worse is left out early, at a stated error.

All actions are tried in the same worlds, so what counts are differences world by world. Their
confidence sequences (simgin.stats.sequential) hold at every number of worlds and for all pairs of
actions at once, with probability 1 - ALPHA: so the best action is left out with probability ALPHA
at most, however often one looks, and every interval printed holds whichever action turns out best.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from simgin.stats.sequential import ALPHA, LOOK_FROM, multiplier

POINTS_REACH = 100.0  # points, or per cent of matches: how far two actions may lie apart at least


@dataclass(frozen=True)
class Gaps:
    """How much worse each action is than the best of those that are still tried."""

    best: int
    means: np.ndarray  # float64 (actions,): the difference from the best, usually negative
    halves: np.ndarray  # float64 (actions,): half-widths of the intervals; 0 for the best


def next_look(played: int, most: int) -> int:
    """The number of worlds after which to look again: each look doubles it, up to `most`."""
    return min(most, max(LOOK_FROM, 2 * played))


def compare(worth: np.ndarray, most: int, least_reach: float = POINTS_REACH) -> Gaps:
    """Each action against the best; worth: float64 (worlds, actions), NaN where one was left out.

    most: the number of worlds that was planned, fixed beforehand. least_reach: how far two actions
    may lie apart in one world, at least.
    """
    tried = ~np.isnan(worth)
    means = np.where(tried[-1], worth.mean(axis=0), -np.inf)
    best = int(means.argmax())
    gaps = worth - worth[:, best, None]
    worlds = tried.sum(axis=0)
    gap = np.nanmean(gaps, axis=0)
    apart = np.nanmax(worth, axis=1) - np.nanmin(worth, axis=1)
    reach = max(least_reach, float(apart.max()))
    # One more world is counted in which the gap is as wide as it may be: what is rare is not seen
    # in a few hundred worlds, and the error must not shrink to nothing without it.
    variances = np.nanvar(gaps, axis=0) + reach**2 / worlds
    alpha = ALPHA / max(1, len(worlds) * (len(worlds) - 1) / 2)
    # Tightest halfway between the first look and the last
    tightest = sqrt(LOOK_FROM * max(LOOK_FROM, most))
    widths = [multiplier(int(n), tightest, alpha) for n in worlds]
    errors = np.sqrt(variances / worlds)
    halves = np.array(widths) * errors
    halves[best] = 0.0
    return Gaps(best, gap, halves)


def still_tried(worth: np.ndarray, most: int, least_reach: float = POINTS_REACH) -> np.ndarray:
    """Which actions may be the best yet: bool (actions,); see `compare`."""
    alive = np.asarray(~np.isnan(worth[-1]))
    if len(worth) < LOOK_FROM:
        return alive
    gaps = compare(worth, most, least_reach)
    may_be_best = gaps.means + gaps.halves >= 0
    return np.asarray(alive & may_be_best)
