"""A number together with how far each batch of a run moves it.

Means over cells, differences between variants and other derived numbers are computed from
quantities: their errors come from the batches' joint moves (see `simgin.stats.batches`). What is no
ratio of sums gets its moves by the jackknife.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simgin.stats import batches
from simgin.stats.batches import ENOUGH_BATCHES
from simgin.stats.estimate import quantile, share_limits
from simgin.stats.metrics import Metric

NO_MOVES = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Quantity:
    """An estimate, and its error from batches or from elsewhere.

    n: deals or matches that it rests on. moves: float64 (batches,), how far each batch moves the
    value; empty where the error comes from elsewhere, as `own_se`. batches: how many of equal size
    they are worth. share: it lies in 0..1. unit_se: the standard error from the squares of single
    units, which few batches do not blur; NaN where these are not known.
    """

    value: float
    n: int
    moves: np.ndarray
    batches: float
    share: bool = False
    own_se: float = np.nan
    case: float = 0.0
    unseen: float = 0.0
    unit_se: float = np.nan

    @classmethod
    def with_error(cls, value: float, se: float, n: int, share: bool = False) -> Quantity:
        """An estimate whose error is known, but not its batches."""
        return cls(value, n, NO_MOVES, np.inf, share, se)

    @property
    def se(self) -> float:
        """The standard error; NaN where there are too few batches for one."""
        return self._error[0]

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the standard error."""
        return self._error[1]

    @property
    def _error(self) -> tuple[float, float]:
        """The standard error, and its degrees of freedom."""
        freedom = self.batches - 1
        if not len(self.moves):
            seen = self.own_se
        elif self.batches < ENOUGH_BATCHES:
            seen = np.nan
        else:
            seen = batches.standard_error(self.moves, self.batches)
        return batches.allow_for_unseen(seen, freedom, self.unseen)

    @property
    def limits(self) -> tuple[float, float]:
        """The 95 % interval; for a share Wilson's, for as many trials as its error is worth."""
        se = self.se
        z = quantile(self.freedom + 1)
        if np.isnan(self.value + se):
            return np.nan, np.nan
        if self.share:
            return share_limits(self.value, se, self.n, z)
        return self.value - z * se, self.value + z * se

    @property
    def p(self) -> float:
        """Two-sided p of the value against 0, by Student's t over batches; NaN without an error."""
        from scipy.special import stdtr

        se = self.se
        if not se > 0:
            return np.nan
        return 2 * float(stdtr(self.freedom, -(abs(self.value) / se)))

    def __add__(self, other: Quantity) -> Quantity:
        """The sum: paired where both have the same batches, else with the errors of both."""
        n = min(self.n, other.n)
        value = self.value + other.value
        fewer = min(self.batches, other.batches)
        case = max(self.case, other.case)
        if len(self.moves) and len(self.moves) == len(other.moves):
            moves = self.moves + other.moves
            return Quantity(value, n, moves, fewer, case=case, unseen=self.unseen + other.unseen)
        se = float(np.hypot(self.se, other.se))
        return Quantity(value, n, NO_MOVES, fewer, own_se=se, case=case)

    def __sub__(self, base: Quantity) -> Quantity:
        """The difference, likewise; that of two shares allows for cases not seen."""
        difference = self + base.scaled(-1)
        if not (self.case and base.case):
            return difference
        return replace(difference, unseen=difference.unseen + (self.case**2 + base.case**2))

    def scaled(self, factor: float, shift: float = 0.0) -> Quantity:
        """factor * value + shift, which is no longer a share."""
        return Quantity(
            factor * self.value + shift,
            self.n,
            factor * self.moves,
            self.batches,
            own_se=abs(factor) * self.own_se,
            case=abs(factor) * self.case,
            unseen=factor**2 * self.unseen,
            unit_se=abs(factor) * self.unit_se,
        )


def ratio(rows: np.ndarray, metric: Metric, as_b: bool = False) -> Quantity:
    """A metric of a cell from its batch rows, int64 (batches, sums.COLUMNS), as A or B sees it.

    NaN where there is nothing to divide by.
    """
    n = batches.count_played(rows, metric.unit)
    fact = metric.fact(as_b)
    below = int(batches.denominator_sums(rows, fact).sum())
    if not below:
        return Quantity.with_error(np.nan, np.nan, n, metric.share)
    sign = metric.sign(as_b)
    value = float(sign * batches.fact_sums(rows, fact).sum() / metric.scale / below)
    moves = sign * batches.influence(rows, fact, metric.scale)
    case = 1 / below if metric.share else 0.0
    return Quantity(value, n, moves, batches.effective(rows), metric.share, case=case)


def between(cells: Mapping[Any, np.ndarray], a: object, b: object, metric: Metric) -> Quantity:
    """A metric of a against b, whichever of them the pair of its cell names first."""
    if (a, b) in cells:
        return ratio(cells[a, b], metric)
    return ratio(cells[b, a], metric, as_b=True)


def per_case(counts: np.ndarray, among: np.ndarray, *, share: bool = False) -> Quantity:
    """How much was counted for each one of `among`, both int64 (batches,)."""
    n = int(among.sum())
    value = float(counts.sum() / n)
    moves = (counts - value * among) / n
    effective = float(n**2 / (among.astype(float) @ among))
    return Quantity(value, n, moves, effective, share, case=1 / n if share else 0.0)


def from_left_out(value: float, left_out: np.ndarray, n: int) -> Quantity:
    """A value from what it is with each batch left out, float64 (batches,).

    The moves are those of the jackknife (Efron 1982, 3.1).
    """
    count = len(left_out)
    return Quantity(value, n, (count - 1) / count * (left_out.mean() - left_out), count)


def mean(parts: Sequence[Quantity]) -> Quantity:
    """The mean of quantities on the same packs, with equal weights.

    NaN parts, which have nothing to divide by, make it NaN.
    """
    n = sum(part.n for part in parts)
    value = float(np.mean([part.value for part in parts]))
    share = parts[0].share
    moves = [part.moves for part in parts]
    if len({len(part) for part in moves}) == 1 and len(moves[0]):
        fewest = min(part.batches for part in parts)
        case = float(np.mean([part.case for part in parts])) / len(parts)  # one among all parts
        return Quantity(value, n, np.mean(moves, axis=0), fewest, share, case=case)
    se = float(np.sqrt(sum(part.se**2 for part in parts)) / len(parts))
    return Quantity.with_error(value, se, n, share)
