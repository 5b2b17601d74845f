"""A played cell: its batch rows, as one of its strategies sees them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from simgin.core import sums
from simgin.core.cell import Cell
from simgin.stats.metrics import METRICS
from simgin.stats.ratios import metric_sums


@dataclass(frozen=True, eq=False)
class Played:
    """What came of a cell, seen by A or, `as_b`, by B."""

    cell: Cell
    rows: np.ndarray  # int64 (batches, sums.COLUMNS), from unit 0 on
    # Half-width of intervals in standard errors where results might have stopped the run
    # (`simgin.runs.stopping`)
    multiplier: float | None = None
    as_b: bool = False

    @property
    def strategy(self) -> str:
        """The strategy that sees the cell so."""
        return self.cell.b if self.as_b else self.cell.a

    @property
    def opponent(self) -> str:
        """The other one; empty for one player."""
        return self.cell.a if self.as_b else self.cell.b

    def reversed(self) -> Played:
        """The same cell, seen by the opponent."""
        return replace(self, as_b=not self.as_b)

    @property
    def is_identical(self) -> bool:
        """Whether both play identically: every pair of mirrored deals ended level in everything."""
        if not self.cell.mirrored:
            return False
        total = self.rows.sum(axis=0)
        if total[sums.SQUARE + sums.FACT["a_margin"]] != 0:
            return False
        return all(
            metric_sums(total, metric) == metric_sums(total, metric, as_b=True)
            for metric in METRICS
        )
