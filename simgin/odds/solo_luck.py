"""Luck against skill alone: how many deals show a better player, and what the joker decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from simgin.odds.sample import Deals
from simgin.odds.solo_estimates import RESULTS, deals_frame, if_varied, sums_by_unit
from simgin.stats.estimate import POWER_80, Estimate, around
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
        se = difference.std(ddof=1) / np.sqrt(n)
        found = if_varied(around(float(difference.mean()), float(se), n, np.inf))
        own = (a.var(ddof=1) + b.var(ddof=1)) / each
        same = difference.var(ddof=1) * each
        numbers = (*found.with_limits, *_needed(own, found), *_needed(same, found))
        rows.append((weak.strategy, metric, *numbers, deals))
    return deals_frame(strong, rows, GAP_COLUMNS)


def _needed(variance: float, difference: Estimate) -> tuple[float, float, float]:
    """Deals that show a difference, and what they are at its limits; infinite if it may be 0."""
    low, high = difference.limits
    if np.isnan(difference.value):
        return np.nan, np.nan, np.nan
    nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    value, least, most = (
        POWER_80**2 * variance / gap**2 if gap else np.inf
        for gap in (difference.value, max(abs(low), abs(high)), nearest)
    )
    return value, least, most


def jokers_share(deals: Deals) -> pd.DataFrame:
    """The share of the variance of a deal's result that the joker's place decides: JOKER_COLUMNS.

    Var(E[result | place]) over the whole variance, from the mean squares of a one-way layout, so
    that finite cells add nothing (Searle, Casella and McCulloch 1992, Variance Components, 3.6);
    the error by leaving out each of twenty groups. Metrics: win, score. No rows without a joker,
    nor where the results of some groups do not vary.
    """
    place = deals.column("place")
    group = deals.column("unit") % GROUPS
    if (place < 0).all():
        return deals_frame(deals, [], JOKER_COLUMNS)
    n = int((place >= 0).sum())
    rows = []
    for metric, column in RESULTS.items():
        result = deals.column(column)
        each = [group == g for g in range(GROUPS)]
        parts = [_cells(place[own], result[own], deals.deck) for own in each]
        rows.append((metric, *_share_between(parts).with_limits, n))
    return deals_frame(deals, rows, JOKER_COLUMNS).dropna(ignore_index=True)


def _share_between(parts: Sequence[np.ndarray]) -> Estimate:
    """The share of the variance between the cells with its limits; parts: the cells by group."""
    total = np.array(parts).sum(axis=0)
    se = float(outcomes.jackknife(np.array([_between(total - part) for part in parts])))
    return if_varied(around(_between(total), se, GROUPS, GROUPS, least=0.0, most=1.0))


def _cells(place: np.ndarray, result: np.ndarray, size: int) -> np.ndarray:
    """Number, sum and sum of squares of the results at every place: float64 (3, size)."""
    known = place >= 0
    powers = [(result[known] ** power).astype(float) for power in range(3)]
    return np.stack([np.bincount(place[known], numbers, size) for numbers in powers])


def _between(cells: np.ndarray) -> float:
    """The share of the variance between the cells: number, sum and sum of squares of each."""
    n, total, square = cells[:, cells[0] > 0]
    results = n.sum()
    freedom = len(n) - 1
    explained = (total**2 / n).sum()
    overall = total.sum() ** 2 / results
    unequal = (n**2).sum() / results
    within = (square.sum() - explained) / (results - len(n))
    among = (explained - overall) / freedom
    between = (among - within) / ((results - unequal) / freedom)
    whole = between + within
    return float(between / whole) if whole > 0 else np.nan
