"""Luck against skill alone: how many deals show a better player, and what the joker decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.odds.sample import Deals
from simgin.odds.solo_estimates import RESULTS, Limits, deals_frame, limits_around, sums_by_unit
from simgin.stats.estimate import POWER_80
from simgin.value import outcomes

if TYPE_CHECKING:
    import pandas as pd

GROUPS = 20  # of a jackknife, as in `simgin.value.outcomes`
GAP_COLUMNS = (
    *("base_strategy", "metric", "value", "low", "high"),
    *("own_packs", "own_packs_low", "own_packs_high"),
    *("same_packs", "same_packs_low", "same_packs_high", "n"),
)
JOKER_COLUMNS = ("metric", "value", "low", "high", "n")


def gap(weak: Deals, strong: Deals) -> pd.DataFrame:
    """The gap between two players on the same packs, and how many deals show it: GAP_COLUMNS.

    The frame names the stronger. Metrics: win, score. own_packs and same_packs: deals of each that
    a 5 % test needs to find the difference in four runs of five, (2.8 sigma / difference)^2, if
    both play packs of their own or the same ones. Their limits are those of the difference; the
    spread is known far better.
    """
    deals = len(strong.rows)
    rows = []
    for metric, column in RESULTS.items():
        a = sums_by_unit(strong, column)
        b = sums_by_unit(weak, column)
        n = len(a)
        # Deals in a unit
        each = deals / n
        difference = (a - b) / each
        deviation = difference.std(ddof=1)
        se = deviation / np.sqrt(n)
        mean = difference.mean()
        limits = limits_around(mean, se, -np.inf, np.inf)
        variances = a.var(ddof=1) + b.var(ddof=1)
        own = variances / each
        same = difference.var(ddof=1) * each
        own_packs = _needed(own, limits)
        same_packs = _needed(same, limits)
        numbers = (*limits, *own_packs, *same_packs)
        rows.append((weak.strategy, metric, *numbers, deals))
    return deals_frame(strong, rows, GAP_COLUMNS)


def _needed(variance: float, limits: Limits) -> Limits:
    """Deals that show a difference, and what they are at its limits; infinite if it may be 0."""
    difference, low, high = limits
    if np.isnan(difference):
        return np.nan, np.nan, np.nan
    nearest = min(abs(low), abs(high))
    if low <= 0 <= high:
        nearest = 0.0
    farthest = max(abs(low), abs(high))
    return (
        _deals_to_show(difference, variance),
        _deals_to_show(farthest, variance),
        _deals_to_show(nearest, variance),
    )


def _deals_to_show(difference: float, variance: float) -> float:
    """Deals in which a 5 % test finds a difference in four runs of five."""
    if not difference:
        return np.inf
    return POWER_80**2 * variance / difference**2


def jokers_share(deals: Deals) -> pd.DataFrame:
    """The share of the variance of a deal's result that the joker's place decides: JOKER_COLUMNS.

    Var(E[result | place]) over the whole variance, from the mean squares of a one-way layout, so
    that finite cells add nothing (Searle, Casella and McCulloch 1992, Variance Components, 3.6);
    the error by leaving out each of twenty groups. Metrics: win, score. No rows without a joker,
    nor where the results of some groups do not vary.
    """
    place = deals.column("place")
    unit = deals.column("unit")
    group = unit % GROUPS
    if (place < 0).all():
        return deals_frame(deals, [], JOKER_COLUMNS)
    n = int((place >= 0).sum())
    rows = []
    for metric, column in RESULTS.items():
        result = deals.column(column)
        parts = []
        for g in range(GROUPS):
            own = group == g
            cells = _cells(place[own], result[own], deals.deck)
            parts.append(cells)
        limits = _between_limits(parts)
        rows.append((metric, *limits, n))
    frame = deals_frame(deals, rows, JOKER_COLUMNS)
    return frame.dropna(ignore_index=True)


def _between_limits(parts: Sequence[np.ndarray]) -> Limits:
    """The share of the variance between the cells with its limits; parts: the cells by group."""
    total = np.array(parts).sum(axis=0)
    left_out = []
    for part in parts:
        rest = total - part
        left_out.append(_between(rest))
    shares = np.array(left_out)
    se = float(outcomes.jackknife(shares))
    share = _between(total)
    return limits_around(share, se, 0, 1, GROUPS)


def _cells(place: np.ndarray, result: np.ndarray, size: int) -> np.ndarray:
    """Number, sum and sum of squares of the results at every place: float64 (3, size)."""
    known = place >= 0
    place = place[known]
    result = result[known]
    cells = []
    for power in range(3):
        powers = result**power
        weights = powers.astype(float)
        sums = np.bincount(place, weights, size)
        cells.append(sums)
    return np.stack(cells)


def _between(cells: np.ndarray) -> float:
    """The share of the variance between the cells: number, sum and sum of squares of each."""
    is_filled = cells[0] > 0
    n, total, square = cells[:, is_filled]
    results = n.sum()
    cells_less_one = len(n) - 1
    explained_by_cell = total**2 / n
    explained = explained_by_cell.sum()
    overall = total.sum() ** 2 / results
    squared_sizes = n**2
    unequal = squared_sizes.sum() / results
    unexplained = square.sum() - explained
    within = unexplained / (results - len(n))
    among = (explained - overall) / cells_less_one
    each = (results - unequal) / cells_less_one
    between = (among - within) / each
    whole = between + within
    if whole > 0:
        return float(between / whole)
    return np.nan
