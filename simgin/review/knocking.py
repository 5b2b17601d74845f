"""Knocking as a property of the rules: equal players with different knock limits meet each other.

S_k is gold that knocks with deadwood of k or less. M(k, j) is what S_k scores against S_j per deal,
or its share of the matches. It depends on the rules alone as far as gold's way of taking and
discarding does (docs/reference/rule-metrics.md#knocking).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from simgin.rules.parameters import Params
from simgin.stats import differences, metrics, quantity
from simgin.stats.quantity import Quantity

LIMITS = (0, 2, 4, 6, 8, 10)
SURE = 0.05


def player(k: int) -> str:
    """The canonical text of S_k."""
    return {0: "gin-only", 4: "gold-at", 10: "gold"}.get(k, f"gold-at:k={k}")


def limits(params: Params) -> tuple[int, ...]:
    """The limits that differ under a variant; the last allows every knock.

    A single one where only gin ends a deal.
    """
    most = LIMITS[-1]
    if not params["knock_by_upcard"]:
        most = min(most, int(str(params["knock_limit"])))
    return tuple(k for k, below in zip(LIMITS, (-1, *LIMITS), strict=False) if below < most)


@dataclass(frozen=True, eq=False)
class KnockMatrix:
    """M for every pair of limits.

    rows: batch rows by (k, j) or (j, k), seen by the first: int64 (batches, sums.COLUMNS), of one
    seed. metric: margin, or match_win.
    """

    limits: tuple[int, ...]
    rows: Mapping[tuple[int, int], np.ndarray]
    metric: str = "margin"

    def cell(self, k: int, j: int) -> Quantity:
        """M(k, j): points per deal, or the share of matches, of S_k against S_j."""
        return quantity.between(self.rows, k, j, metrics.BY_NAME[self.metric])

    def mean(self, k: int) -> Quantity:
        """The mean of S_k against all the others."""
        return quantity.mean([self.cell(k, j) for j in self.limits if j != k])

    def best(self) -> tuple[int, tuple[int, ...]]:
        """The limit with the greatest mean, and all that are not significantly worse, sorted.

        It is chosen on the even batches and compared with the others on the odd ones, by paired
        tests with Holm's adjustment: what is chosen and judged on the same deals looks better than
        it is (docs/explanation/statistics.md#traps).
        """
        chooser = self._every_other(0)
        judge = self._every_other(1)
        chosen = max(self.limits, key=lambda k: chooser.mean(k).value)
        leads = {k: judge.mean(chosen) - judge.mean(k) for k in self.limits if k != chosen}
        p_holm = differences.holm(np.array([lead.p for lead in leads.values()]))
        worse = {
            k
            for (k, lead), p in zip(leads.items(), p_holm, strict=True)
            if p < SURE and lead.value > 0
        }
        return chosen, tuple(sorted(set(self.limits) - worse))

    def patience(self) -> Quantity:
        """What waiting for gin scores against knocking at once: M(0, the last limit)."""
        return self.cell(self.limits[0], self.limits[-1])

    def _every_other(self, first: int) -> KnockMatrix:
        halves = {pair: rows[first::2] for pair, rows in self.rows.items()}
        return KnockMatrix(self.limits, halves, self.metric)


def matrix(
    limits: tuple[int, ...], cells: Mapping[tuple[str, str], np.ndarray], metric: str = "margin"
) -> KnockMatrix:
    """M of some limits, from batch rows by the texts of A and B."""
    pairs = {(k, j): (player(k), player(j)) for k, j in itertools.permutations(limits, 2)}
    rows = {pair: cells[names] for pair, names in pairs.items() if names in cells}
    return KnockMatrix(limits, rows, metric)


def break_even(premiums: Mapping[int, Quantity]) -> Quantity:
    """The undercut bonus at which waiting for gin and knocking at once are worth the same.

    premiums: what waiting is worth, by bonus. The root of the straight line of least squares
    through them; its error is that of the line, the packs being the same for all bonuses. NaN where
    the line is level.
    """
    bonuses = np.array(list(premiums), float)
    mean = bonuses.mean()
    centred = bonuses - mean
    squares = centred**2
    weights = centred / squares.sum()
    parts = list(premiums.values())
    values = np.array([part.value for part in parts])
    slope = float(weights @ values)
    level = float(values.mean())
    n = sum(part.n for part in parts)
    if slope == 0:
        return Quantity.with_error(np.nan, np.nan, n)
    # The root is mean - level / slope: a value moves it by -1 / (m slope) + level weight / slope^2
    root = float(mean) - level / slope
    gradient = -1 / (len(parts) * slope) + level / slope**2 * weights
    moves = np.array([part.moves for part in parts])
    return Quantity(root, n, np.asarray(gradient @ moves), min(part.batches for part in parts))
