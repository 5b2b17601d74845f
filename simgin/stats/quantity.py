"""A number together with how far each batch of a run moves it: what means, differences and errors of derived numbers are taken from.

Cells of one seed share their packs, batch by batch. So the error of a mean over cells, or of a difference between variants, is that of
the batches' joint moves, se^2 = B / (B - 1) * sum over batches of moves^2 (delta method), which knows of the packs
in common. What is no ratio of sums gets its moves by the jackknife.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.stats import differences, ratios
from simgin.stats.metrics import Metric

NO_MOVES = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Quantity:
    """An estimate with its error.

    moves: float64 (batches,), how far each batch moves the value; empty where the error comes from elsewhere: then `own_se` has it.
    batches: how many of equal size they are worth. n: deals or matches that the value rests on. share: whether it lies in 0..1.
    span: of what is chosen or counted, and has no standard error, the least and the largest that it may be.
    """

    value: float
    n: int
    moves: np.ndarray
    batches: float
    share: bool = False
    own_se: float = np.nan
    span: tuple[float, float] | None = None

    @classmethod
    def told(cls, value: float, se: float, n: int, share: bool = False) -> Quantity:
        """An estimate whose error is known, but not its batches."""
        return cls(value, n, NO_MOVES, np.inf, share, se)

    @classmethod
    def chosen(cls, value: float, span: tuple[float, float], n: int) -> Quantity:
        """A choice or a count, with the least and the largest that it may be."""
        return cls(float(value), n, NO_MOVES, np.inf, span=(float(span[0]), float(span[1])))

    @property
    def se(self) -> float:
        """The standard error; NaN where there are too few batches for one."""
        if not len(self.moves):
            return self.own_se
        if self.batches < differences.ENOUGH_BATCHES:
            return np.nan
        return float(np.sqrt(self.batches / (self.batches - 1) * (self.moves**2).sum()))

    @property
    def limits(self) -> tuple[float, float]:
        """The 95 % interval; of a share Wilson's, for as many trials as its error is worth."""
        if self.span is not None:
            return self.span
        se, z = self.se, ratios.quantile(self.batches)
        if np.isnan(self.value + se):
            return np.nan, np.nan
        if self.share:
            return ratios.wilson(
                self.value, self.value * (1 - self.value) / se**2 if se else self.n, z
            )
        return self.value - z * se, self.value + z * se

    @property
    def p(self) -> float:
        """Two-sided p of the value against 0, by Student's t over batches; NaN without an error."""
        from scipy.special import stdtr

        return (
            2 * float(stdtr(self.batches - 1, -abs(self.value) / self.se))
            if self.se > 0
            else np.nan
        )

    def __add__(self, other: Quantity) -> Quantity:
        """The sum: paired where both have the same batches, else with the errors of both."""
        n, value, batches = (
            min(self.n, other.n),
            self.value + other.value,
            min(self.batches, other.batches),
        )
        if len(self.moves) and len(self.moves) == len(other.moves):
            return Quantity(value, n, self.moves + other.moves, batches)
        return Quantity(value, n, NO_MOVES, batches, own_se=float(np.hypot(self.se, other.se)))

    def __sub__(self, base: Quantity) -> Quantity:
        """The difference, likewise."""
        return self + base.scaled(-1)

    def scaled(self, factor: float, shift: float = 0.0) -> Quantity:
        """The quantity `factor * value + shift`, no longer taken for a share."""
        return Quantity(
            factor * self.value + shift,
            self.n,
            factor * self.moves,
            self.batches,
            own_se=abs(factor) * self.own_se,
        )


def ratio(rows: np.ndarray, metric: Metric, as_b: bool = False) -> Quantity:
    """A metric of a cell from its batch rows, int64 (batches, sums.COLUMNS), seen by A or by B. NaN where nothing is divided by."""
    fact = sums.FACT[metric.other if as_b else metric.own]
    sign = -1 if as_b and metric.zero_sum else 1
    count = sums.SUM + sums.FACT[metric.denominator]
    n, below = (
        int(rows[:, sums.SUM + sums.FACT["deals" if metric.unit == "deal" else "matches"]].sum()),
        int(rows[:, count].sum()),
    )
    if not below:
        return Quantity.told(np.nan, np.nan, n, metric.share)
    value = sign * rows[:, sums.SUM + fact].sum() / metric.scale / below
    return Quantity(
        float(value),
        n,
        sign * differences.influence(rows, fact, metric.scale),
        differences.effective(rows),
        metric.share,
    )


def shares(counts: np.ndarray, among: np.ndarray) -> list[Quantity]:
    """The share of each column of counts, int64 (batches, columns), among so many (batches,)."""
    whole = among.sum()
    share = counts.sum(axis=0) / whole
    moves = (counts - share * among[:, None]) / whole
    batches = whole**2 / (among.astype(float) @ among)
    return [
        Quantity(float(p), int(whole), own, float(batches), share=True)
        for p, own in zip(share, moves.T, strict=True)
    ]


def jackknifed(rows: np.ndarray, of: Callable[[np.ndarray], float], n: int) -> Quantity:
    """Any function of the sum of batch rows (batches, columns)."""
    total = rows.sum(axis=0)
    return of_left_out(float(of(total)), np.array([of(total - row) for row in rows]), n)


def of_left_out(value: float, left_out: np.ndarray, n: int) -> Quantity:
    """A value from what it is with each batch left out, float64 (batches,): the jackknife (Efron 1982, 3.1)."""
    batches = len(left_out)
    return Quantity(value, n, (batches - 1) / batches * (left_out.mean() - left_out), batches)


def mean(parts: Sequence[Quantity]) -> Quantity:
    """The mean of quantities on the same packs, each counted alike; NaN parts (nothing to divide by) make it NaN."""
    moves, one = [part.moves for part in parts], parts[0]
    n, value = sum(part.n for part in parts), float(np.mean([part.value for part in parts]))
    if len({len(part) for part in moves}) == 1 and len(moves[0]):
        return Quantity(
            value, n, np.mean(moves, axis=0), min(part.batches for part in parts), one.share
        )
    se = float(np.sqrt(sum(part.se**2 for part in parts)) / len(parts))
    return Quantity.told(value, se, n, one.share)
