"""Outcome distributions: how single deals of A against B end, counted exactly and kept on disk.

An outcome is who dealt, who won, how, with how many points, and the number on the die. Its counts come from single deals, mirrored
for two different strategies, and in twenty groups, so that whatever is computed from them has an error by leaving groups out. They
are a pure function of the rules, the strategies, the seed and the number of deals.

See docs/explanation/value.md#how-v-is-computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from simgin.core.sums import KINDS
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import over_units
from simgin.value import array_cache

if TYPE_CHECKING:
    import pandas as pd

    from simgin.play.parallel import Progress

FEWEST_DEALS = 10_000
GROUPS = 20  # a standard error from 20 groups is itself known to 16 %
CALL_UNITS = 20_000  # of one call of the engine: 10 MB of records

# The columns of an outcome: sides of the dealer and of the winner (0 A, 1 B, -1 nobody), index of sums.KINDS, points of the winner
# (of A where nobody won), and the number on the die when the deal was over.
COLUMNS = ("dealer", "winner", "kind", "points", "stake")
COLUMN = {name: i for i, name in enumerate(COLUMNS)}
LOWEST = np.array(
    [0, -1, 0, -(2**20), 0]
)  # of each column, and the number of its values: an outcome is packed into one integer
VALUES = (2, 3, len(KINDS), 2**21, 8)


class OutcomeError(ValueError):
    """Outcomes that cannot be had; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class Outcomes:
    """Counted outcomes of single deals.

    rows: int64 (outcomes, len(COLUMNS)), ordered, each once. counts: int64 (GROUPS, outcomes); the groups are of equal size and, by
    pairs of the same packs, independent.
    """

    rows: np.ndarray
    counts: np.ndarray

    @property
    def deals(self) -> int:
        """The number of deals counted."""
        return int(self.counts.sum())

    def column(self, name: str) -> np.ndarray:
        """One column of every outcome, int64."""
        return np.asarray(self.rows[:, COLUMN[name]])

    @cached_property
    def shares(self) -> np.ndarray:
        """Shares of the outcomes among their dealer's deals, from all groups and then with each left out: float (1 + GROUPS, outcomes)."""
        kept = np.concatenate(
            [self.counts.sum(axis=0)[None], self.counts.sum(axis=0) - self.counts]
        )
        dealer = self.column("dealer")
        return np.asarray(kept / (kept @ (dealer[:, None] == dealer)))

    def from_both_sides(self) -> Outcomes:
        """Every deal counted for A and, as its mirror image, for B: what a strategy against itself is worth counting as."""
        mirror = self.rows.copy()
        mirror[:, COLUMN["dealer"]] = 1 - self.column("dealer")
        mirror[:, COLUMN["winner"]] = np.where(
            self.column("winner") < 0, -1, 1 - self.column("winner")
        )
        rows, place = np.unique(np.concatenate([self.rows, mirror]), axis=0, return_inverse=True)
        counts = np.zeros((GROUPS, len(rows)), np.int64)
        np.add.at(counts.T, place.reshape(-1), np.concatenate([self.counts, self.counts], axis=1).T)
        return Outcomes(rows, counts)

    def frame(self) -> pd.DataFrame:
        """F(winner, kind, points, stake | dealer): the columns (kinds in words), the count, the share of the dealer's deals, its error."""
        import pandas as pd

        frame = pd.DataFrame(self.rows, columns=list(COLUMNS))
        frame["kind"] = np.array(KINDS)[self.column("kind")]
        frame["count"] = self.counts.sum(axis=0)
        frame["share"], frame["se"] = self.shares[0], jackknife(self.shares[1:])
        return frame


def jackknife(left_out: np.ndarray) -> np.ndarray:
    """Standard error of an estimate from its values with each of the groups (first axis) left out (Efron 1982, The Jackknife, 2.2)."""
    return np.asarray(np.sqrt((len(left_out) - 1) * left_out.var(axis=0)))


def of(
    one: Matchup, deals: int, workers: int | None = None, progress: Progress | None = None
) -> Outcomes:
    """The outcomes of so many single deals, from disk if they were counted before. OutcomeError below 10,000."""
    if deals < FEWEST_DEALS:
        raise OutcomeError(
            f"{deals} deals are too few for a distribution of outcomes: take at least {FEWEST_DEALS:,}, better a million."
        )
    about = array_cache.about(one, deals, "outcomes of single deals")
    return Outcomes(**array_cache.arrays(about, lambda: _count(one, deals, workers, progress)))


def _count(
    one: Matchup, deals: int, workers: int | None, progress: Progress | None
) -> array_cache.Arrays:
    kernel.prepare(one)
    parts = over_units(
        lambda *part: tally(kernel.play_recorded(one, *part)[1]),
        one.units(deals),
        CALL_UNITS,
        workers,
        progress,
    )
    return merged(np.concatenate(parts))


def tally(records: np.ndarray) -> np.ndarray:
    """The deals of records, `core.record.DEAL` (deals,), as rows of group, packed outcome and count: int64 (rows, 3)."""
    packed = np.ravel_multi_index(tuple((observed(records) - LOWEST).T), VALUES)
    group = (
        records["unit"] // 2 % GROUPS
    )  # by twos, since the dealer of single deals goes by the parity of the unit
    size = int(np.prod(VALUES))
    keys, counts = np.unique(group * size + packed, return_counts=True)
    return np.stack([keys // size, keys % size, counts], axis=1)


def observed(records: np.ndarray) -> np.ndarray:
    """The columns of an outcome of every record: int64 (deals, len(COLUMNS))."""
    dealer, winner, kind, stake = (records[name] for name in ("dealer", "winner", "kind", "stake"))
    points = (
        records["points_a"] + records["points_b"]
    )  # only one side scores in a deal (rules.md 7)
    return np.stack([dealer, winner, kind, points, np.maximum(stake, 0)], axis=1)


def merged(rows: np.ndarray) -> array_cache.Arrays:
    """The rows and counts of Outcomes from rows of group, packed outcome and count, in any order and any number of pieces."""
    packed, place = np.unique(rows[:, 1], return_inverse=True)
    counts = np.zeros((GROUPS, len(packed)), np.int64)
    np.add.at(counts, (rows[:, 0], place), rows[:, 2])
    return {"rows": np.stack(np.unravel_index(packed, VALUES), axis=1) + LOWEST, "counts": counts}
