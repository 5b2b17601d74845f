"""Tracks: how far each side is on the way to its goal, and tables over the places of both.

What a side counts (points, won deals, or both) makes its track, a chain of places that is never
walked backwards. So a table over both tracks is filled from the end: every entry is a mean over
outcomes of entries that are filled already (docs/explanation/value.md#how-v-is-computed).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import float64, int64, types, void

from simgin.core import jit
from simgin.value import kernels


@dataclass(frozen=True)
class Track:
    """The way of one side.

    fields: what it counts, by the names of record fields without the side: "score", "deals",
    "games". targets: how much of each it needs.
    """

    fields: tuple[str, ...]
    targets: tuple[int, ...]

    @property
    def length(self) -> int:
        """Places before the goal, which is the place of this number."""
        return int(np.prod(self._sides)) - 1

    @property
    def _sides(self) -> tuple[int, ...]:
        return tuple([target + 1 for target in self.targets])

    def place(self, standing: np.ndarray) -> np.ndarray:
        """The places of standings (..., len(fields)): int64 (...).

        More than the target counts as the target.
        """
        columns = np.moveaxis(np.minimum(standing, self.targets), -1, 0)
        return np.asarray(np.ravel_multi_index(tuple(columns), self._sides))

    def standings(self) -> np.ndarray:
        """The standing at every place before the goal: int64 (length, len(fields))."""
        return np.stack(np.unravel_index(np.arange(self.length), self._sides), axis=-1)

    def steps(self, gains: np.ndarray) -> np.ndarray:
        """Where gains (outcomes, len(fields)) lead to from every place: int64 (length, outcomes).

        No gain is negative.
        """
        return self.place(self.standings()[:, None, :] + gains)


@dataclass(frozen=True)
class Moves:
    """What one deal does, by who deals it (first axis of every array but `to`: 0 A, 1 B).

    to: for A and for B, the place that each outcome they win leads to, int64 (length, outcomes).
    chance: their chances, float64 (2, outcomes). dealer: who deals next if A wins, if B wins, and
    if nobody does, int64 (2, 3). nobody: the chance of that, float64 (2).
    """

    to: tuple[np.ndarray, np.ndarray]
    chance: tuple[np.ndarray, np.ndarray]
    dealer: np.ndarray
    nobody: np.ndarray


def fill(table: np.ndarray, moves: Moves, each: np.ndarray) -> None:
    """Fill a table float64 (length of A + 1, length of B + 1, 2 dealers) in place.

    Its last row and column hold what a side that arrived gets. Every other entry becomes
    `each[dealer]` plus the mean of the entries that one deal leads to. Where a deal may leave both
    places as they were, the entries for the two dealers solve their two equations.
    """
    _kernel()(table, *moves.to, *moves.chance, moves.dealer, moves.nobody, each)


@cache
def _kernel() -> Any:
    """Compiled at the first table, for the one type of arguments."""
    whole = types.Array(int64, 2, "C")
    real = types.Array(float64, 2, "C")
    line = types.Array(float64, 1, "C")
    table = types.Array(float64, 3, "C")
    signature = void(table, *((whole, whole)), *((real, real)), whole, line, line)
    return jit.compiled(kernels.fill_table, signature)
