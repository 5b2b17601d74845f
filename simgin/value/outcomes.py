"""Outcome distributions: how single deals of A against B end, counted exactly and kept on disk.

An outcome is who dealt, who won, how, with how many points, and the number on the die. Outcomes are
counted from single deals, mirrored for two different strategies, in twenty groups, so that what
is computed from them has an error by leaving groups out. The counts are a pure function of the
rules, the strategies, the seed and the number of deals.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simgin.core.sums import KINDS
from simgin.play.kernel import play_recorded, prepare
from simgin.play.matchup import Matchup
from simgin.play.parallel import Progress, over_units
from simgin.value import array_cache

FEWEST_DEALS = 10_000
GROUPS = 20  # a standard error from 20 groups is itself known to 16 %
CALL_UNITS = 20_000  # of one call of the engine: 10 MB of records

# Sides of the dealer and of the winner (0 A, 1 B, -1 nobody), index of sums.KINDS, points of the
# winner (of A where nobody won), and the number on the die when the deal was over.
OUTCOME_COLUMNS = ("dealer", "winner", "kind", "points", "stake")
_PLACE = {name: i for i, name in enumerate(OUTCOME_COLUMNS)}
# An outcome is packed into one integer: the least value of each column, and how many there are.
_LOWEST = np.array([0, -1, 0, -(2**20), 0])
_VALUES = (2, 3, len(KINDS), 2**21, 8)


class OutcomeError(ValueError):
    """Outcomes that cannot be had; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class Outcomes:
    """Counted outcomes of single deals.

    rows: int64 (outcomes, len(OUTCOME_COLUMNS)), ordered, each once. counts: int64 (GROUPS,
    outcomes); the groups are of equal size and, by pairs of the same packs, independent.
    """

    rows: np.ndarray
    counts: np.ndarray

    @property
    def deals(self) -> int:
        """The number of deals counted."""
        return int(self.counts.sum())

    def column(self, name: str) -> np.ndarray:
        """One column of every outcome, int64."""
        return np.asarray(self.rows[:, _PLACE[name]])

    @cached_property
    def shares(self) -> np.ndarray:
        """Shares of the outcomes among their dealer's deals: float64 (1 + GROUPS, outcomes).

        From all groups, then with each left out.
        """
        total = self.counts.sum(axis=0)
        kept = np.concatenate([total[None], total - self.counts])
        dealer = self.column("dealer")
        return np.asarray(kept / (kept @ (dealer[:, None] == dealer)))

    def from_both_sides(self) -> Outcomes:
        """Every deal counted for A and, as its mirror image, for B.

        This is what a strategy against itself is worth counting as.
        """
        mirror = self.rows.copy()
        mirror[:, _PLACE["dealer"]] = 1 - self.column("dealer")
        mirror[:, _PLACE["winner"]] = other_side(self.column("winner"))
        both = np.concatenate([self.rows, mirror])
        rows, place = np.unique(both, axis=0, return_inverse=True)
        place = place.reshape(-1)
        counts = np.zeros((GROUPS, len(rows)), np.int64)
        np.add.at(counts.T, place, np.tile(self.counts, 2).T)
        return Outcomes(rows, counts)


def other_side(winner: np.ndarray) -> np.ndarray:
    """Winners seen from the other side: 0 and 1 exchanged, -1 (nobody) as it is."""
    return np.asarray(np.where(winner < 0, -1, 1 - winner))


def jackknife(left_out: np.ndarray) -> np.ndarray:
    """Standard error of an estimate from its values with each group (first axis) left out.

    Efron 1982, The Jackknife, 2.2.
    """
    return np.asarray(np.sqrt((len(left_out) - 1) * left_out.var(axis=0)))


def count_outcomes(
    matchup: Matchup, deals: int, workers: int | None = None, progress: Progress | None = None
) -> Outcomes:
    """The outcomes of so many single deals, from disk if they were counted before.

    Raises OutcomeError below 10,000 deals.
    """
    if deals < FEWEST_DEALS:
        raise OutcomeError(
            f"{deals} deals are too few for a distribution of outcomes: "
            f"take at least {FEWEST_DEALS:,}, better a million."
        )
    about = array_cache.describe(matchup, deals, "outcomes of single deals")

    def count() -> array_cache.Arrays:
        return _count(matchup, deals, workers, progress)

    return Outcomes(**array_cache.cached(about, count))


def _count(
    matchup: Matchup, deals: int, workers: int | None, progress: Progress | None
) -> array_cache.Arrays:
    def part(first_unit: int, units: int) -> np.ndarray:
        _, records = play_recorded(matchup, first_unit, units)
        return tally(records)

    prepare(matchup)
    units = matchup.units(deals)
    return merged(np.concatenate(over_units(part, units, CALL_UNITS, workers, progress)))


def tally(records: np.ndarray) -> np.ndarray:
    """Recorded deals as rows of group, packed outcome and count: int64 (rows, 3)."""
    from_lowest = observed(records) - _LOWEST
    packed = np.ravel_multi_index(tuple(from_lowest.T), _VALUES)
    size = int(np.prod(_VALUES))
    keys = group_of(records) * size + packed
    keys, counts = np.unique(keys, return_counts=True)
    group, packed = np.divmod(keys, size)
    return np.stack([group, packed, counts], axis=1)


def group_of(records: np.ndarray) -> np.ndarray:
    """The group of each recorded deal, 0 to GROUPS - 1.

    Units go into groups by twos, since the dealer of single deals alternates.
    """
    return np.asarray(records["unit"] // 2 % GROUPS)


def observed(records: np.ndarray) -> np.ndarray:
    """The outcome of each recorded deal: int64 (deals, len(OUTCOME_COLUMNS))."""
    points = records["points_a"] + records["points_b"]  # one side scores (rules.md 7)
    stake = np.maximum(records["stake"], 0)
    columns = [records["dealer"], records["winner"], records["kind"], points, stake]
    return np.stack(columns, axis=1)


def merged(rows: np.ndarray) -> array_cache.Arrays:
    """The fields of Outcomes from rows of `tally`, in any order and any number of pieces."""
    group, packed, count = rows.T
    packed, column = np.unique(packed, return_inverse=True)
    counts = np.zeros((GROUPS, len(packed)), np.int64)
    np.add.at(counts, (group, column), count)
    from_lowest = np.stack(np.unravel_index(packed, _VALUES), axis=1)
    return {"rows": from_lowest + _LOWEST, "counts": counts}
