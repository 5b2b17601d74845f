"""Estimates with the influence of each batch on them.

Means over matchups, differences between variants and other derived numbers are computed from these
estimates. Their standard errors come from the joint influences of the batches (see
`simgin.stats.batches`). A quantity that is not a ratio of sums gets its influences from the
jackknife.
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
    """An estimate with its standard error, from batches or from another source.

    Attributes:
        value: The estimate.
        n: Number of deals or matches.
        influences: Influence of each batch on the value, (n_batches,) float64; empty if the
            standard error has another source.
        effective_batches: Effective number of batches of equal size.
        is_proportion: True if the value is in 0..1.
        known_se: Standard error from another source.
        event_size: Change of the value by one event; 0 if the value is not a proportion.
        unseen_variance: Variance of unobserved events in a difference of proportions.
        unit_se: Standard error from the squares of single units, which is more precise with few
            batches; NaN if the squares are unknown.
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
        """Return an estimate with a known standard error but without batches."""
        return cls(value, n, NO_MOVES, np.inf, share, se)

    @property
    def se(self) -> float:
        """The standard error; NaN with too few batches."""
        return self._error[0]

    @property
    def freedom(self) -> float:
        """The degrees of freedom of the standard error."""
        return self._error[1]

    @property
    def _error(self) -> tuple[float, float]:
        """The standard error and its degrees of freedom."""
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
        """The 95 % confidence bounds.

        For a proportion these are Wilson's, with the number of trials that its standard error is
        worth.
        """
        se = self.se
        z = quantile(self.freedom + 1)
        if np.isnan(self.value + se):
            return np.nan, np.nan
        if self.share:
            return share_limits(self.value, se, self.n, z)
        return self.value - z * se, self.value + z * se

    @property
    def p(self) -> float:
        """The two-sided p-value against 0 by Student's t; NaN without a standard error."""
        from scipy.special import stdtr

        se = self.se
        if not se > 0:
            return np.nan
        return 2 * float(stdtr(self.freedom, -(abs(self.value) / se)))

    def __add__(self, other: Quantity) -> Quantity:
        """Return the sum, paired if both have the same batches, otherwise independent."""
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
        """Return the difference, paired like a sum, with the correction for proportions."""
        difference = self + base.scaled(-1)
        if not (self.case and base.case):
            return difference
        return replace(difference, unseen=difference.unseen + (self.case**2 + base.case**2))

    def scaled(self, factor: float, shift: float = 0.0) -> Quantity:
        """Return factor * value + shift, which is not treated as a proportion."""
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
    """Return a metric of a matchup with the influence of each batch.

    Args:
        rows: Batch rows, (n_batches, sums.COLUMNS) int64.
        metric: The metric.
        as_b: True for the perspective of B.

    Returns:
        The estimate; NaN if the denominator is 0.
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
    """Return a metric of `a` against `b`, regardless of the order of the names in the matchup."""
    if (a, b) in cells:
        return ratio(cells[a, b], metric)
    return ratio(cells[b, a], metric, as_b=True)


def per_case(counts: np.ndarray, among: np.ndarray, *, share: bool = False) -> Quantity:
    """Return the number of events per case.

    Args:
        counts: Events in each batch, (n_batches,) int64.
        among: Cases in each batch, (n_batches,) int64.
        share: True if the result is a proportion.
    """
    n = int(among.sum())
    value = float(counts.sum() / n)
    moves = (counts - value * among) / n
    effective = float(n**2 / (among.astype(float) @ among))
    return Quantity(value, n, moves, effective, share, case=1 / n if share else 0.0)


def from_left_out(value: float, left_out: np.ndarray, n: int) -> Quantity:
    """Return an estimate with influences from the jackknife (Efron 1982, 3.1).

    Args:
        value: The estimate.
        left_out: The estimate without each batch in turn, (n_batches,) float64.
        n: Number of deals or matches.
    """
    count = len(left_out)
    return Quantity(value, n, (count - 1) / count * (left_out.mean() - left_out), count)


def mean(parts: Sequence[Quantity]) -> Quantity:
    """Return the mean of estimates on the same deals, with equal weights.

    It is NaN if one of them is NaN.
    """
    n = sum(part.n for part in parts)
    value = float(np.mean([part.value for part in parts]))
    share = parts[0].share
    moves = [part.moves for part in parts]
    if len({len(part) for part in moves}) == 1 and len(moves[0]):
        fewest = min(part.batches for part in parts)
        case = float(np.mean([part.case for part in parts])) / len(parts)  # one event in all parts
        return Quantity(value, n, np.mean(moves, axis=0), fewest, share, case=case)
    se = float(np.sqrt(sum(part.se**2 for part in parts)) / len(parts))
    return Quantity.with_error(value, se, n, share)
