"""A played cell: its batch rows, as one of its strategies sees them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from simgin.core import sums
from simgin.core.cell import Cell
from simgin.stats import batches
from simgin.stats.metrics import METRICS, Metric
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
        if self.as_b:
            return self.cell.b
        return self.cell.a

    @property
    def opponent(self) -> str:
        """The other one; empty for one player."""
        if self.as_b:
            return self.cell.a
        return self.cell.b

    def reversed(self) -> Played:
        """The same cell, seen by the opponent."""
        opposite = not self.as_b
        return replace(self, as_b=opposite)

    @property
    def is_identical(self) -> bool:
        """Whether both play identically: every pair of mirrored deals ended level in everything."""
        if not self.cell.mirrored:
            return False
        total = self.rows.sum(axis=0)
        net = sums.SQUARE + sums.FACT["a_margin"]
        if total[net] != 0:
            return False
        for metric in METRICS:
            own = metric_sums(total, metric)
            other = metric_sums(total, metric, as_b=True)
            if own != other:
                return False
        return True

    def value(self, metric: Metric) -> float:
        """A metric of the whole cell."""
        fact = metric.fact(self.as_b)
        numerators = batches.fact_sums(self.rows, fact)
        denominators = batches.denominator_sums(self.rows, fact)
        numerator = numerators.sum() / metric.scale
        denominator = denominators.sum()
        ratio = numerator / denominator
        sign = metric.sign(self.as_b)
        return float(sign * ratio)

    def moves(self, metric: Metric) -> np.ndarray:
        """How far each batch moves a metric: float64 (batches,)."""
        fact = metric.fact(self.as_b)
        moves = batches.influence(self.rows, fact, metric.scale)
        sign = metric.sign(self.as_b)
        return sign * moves
