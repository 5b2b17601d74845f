"""Knocking as a property of the rules: players who differ in nothing but the deadwood they knock with, each against each (METRICS 7.2).

S_k is gold that knocks with k or less. M(k, j) is what S_k makes of S_j per deal or per match, and depends on the rules alone as far as
gold's way of taking and throwing does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from simgin.rules.parameters import Params
from simgin.stats import differences, metrics, quantity
from simgin.stats.quantity import Quantity

LIMITS = (0, 2, 4, 6, 8, 10)
SURE = 0.05
IN_PLAY = 1e-6  # a limit with less weight is not part of the equilibrium


def player(k: int) -> str:
    """The canonical text of S_k."""
    return {0: "gin-only", 4: "gold-at", 10: "gold"}.get(k, f"gold-at:k={k}")


def limits(row: Params) -> tuple[int, ...]:
    """The limits that differ under the rules: the last allows every knock; a single one where only gin ends a deal."""
    most = 10 if row["knock_by_upcard"] else min(10, int(str(row["knock_limit"])))
    return tuple(k for i, k in enumerate(LIMITS) if i == 0 or LIMITS[i - 1] < most)


@dataclass(frozen=True, eq=False)
class Matrix:
    """The batch rows of every pair of limits, as (k, j) or (j, k) and seen by the first: int64 (batches, sums.COLUMNS), of one seed."""

    limits: tuple[int, ...]
    rows: Mapping[tuple[int, int], np.ndarray]
    metric: str = "margin"  # or match_win

    def cell(self, k: int, j: int) -> Quantity:
        """M(k, j): points per deal, or the share of matches, of S_k against S_j."""
        as_b = (k, j) not in self.rows
        return quantity.ratio(
            self.rows[(j, k) if as_b else (k, j)], metrics.BY_NAME[self.metric], as_b
        )

    def mean(self, k: int) -> Quantity:
        """The mean of S_k against all the others."""
        return quantity.mean([self.cell(k, j) for j in self.limits if j != k])

    def best(self) -> tuple[int, tuple[int, ...]]:
        """The limit with the largest mean, and those that cannot be told from it (itself included).

        It is chosen on the even batches, and the others are told from it on the odd ones, by paired tests with Holm's adjustment: what
        is chosen and judged on the same games looks better than it is (METRICS 9, trap 10).
        """
        chosen = max(self.limits, key=lambda k: self._every_other(0).mean(k).value)
        judges = self._every_other(1)
        others = [k for k in self.limits if k != chosen]
        leads = [judges.mean(chosen) - judges.mean(k) for k in others]
        p = differences.holm(np.array([lead.p for lead in leads]))
        alike = [
            k
            for k, lead, own in zip(others, leads, p, strict=True)
            if not (own < SURE and lead.value > 0)
        ]
        return chosen, tuple(sorted([chosen, *alike]))

    def equilibrium(self) -> dict[int, float]:
        """How often each limit is played where neither side can gain by another choice: weights that add up to 1, only those above 0.

        The maximin solution of the symmetric game by linear programming (von Neumann 1928); best against all alike need not be in it.
        """
        from scipy.optimize import linprog

        n, even = len(self.limits), 0.5 if self.metric == "match_win" else 0.0
        game = np.array(
            [
                [0.0 if k == j else self.cell(k, j).value - even for j in self.limits]
                for k in self.limits
            ]
        )
        # maximize v, the least that weights x make of any column: x @ game >= v
        found = linprog(
            np.append(np.zeros(n), -1.0),
            A_ub=np.column_stack([-game.T, np.ones(n)]),
            b_ub=np.zeros(n),
            A_eq=np.append(np.ones(n), 0.0)[None],
            b_eq=[1.0],
            bounds=[*[(0, 1)] * n, (None, None)],
        )
        return {k: float(x) for k, x in zip(self.limits, found.x[:n], strict=True) if x > IN_PLAY}

    def patience(self) -> Quantity:
        """What waiting for gin makes of knocking at once: M(0, the last limit)."""
        return self.cell(self.limits[0], self.limits[-1])

    def _every_other(self, first: int) -> Matrix:
        return Matrix(
            self.limits, {pair: rows[first::2] for pair, rows in self.rows.items()}, self.metric
        )


def break_even(premiums: Mapping[int, Quantity]) -> Quantity:
    """The undercut bonus at which waiting and knocking at once are worth the same, from what waiting is worth at several bonuses.

    The straight line of least squares through them, where it is 0. Its error is that of the line, the bonuses' packs being the same.
    NaN where the line is level.
    """
    bonuses = np.array(list(premiums), float)
    centred = bonuses - bonuses.mean()
    weights = centred / (centred**2).sum()
    parts = list(premiums.values())
    values = np.array([part.value for part in parts])
    slope, level = float(weights @ values), float(values.mean())
    n = sum(part.n for part in parts)
    if slope == 0:
        return Quantity.with_error(np.nan, np.nan, n)
    # the root is mean - level / slope: each value moves it by -1 / (m slope) + level / slope^2 * weight
    gradient = -1 / (len(parts) * slope) + level / slope**2 * weights
    moves = gradient @ np.array([part.moves for part in parts])
    return Quantity(
        float(bonuses.mean()) - level / slope,
        n,
        np.asarray(moves),
        min(part.batches for part in parts),
    )
