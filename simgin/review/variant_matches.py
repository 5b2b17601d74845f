"""The matches played under one variant, and the quantities that rule metrics need of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.review import knocking
from simgin.review.knocking import KnockMatrix
from simgin.rules.goals import Goal, goal_of
from simgin.rules.parameters import Params
from simgin.stats import metrics, quantity
from simgin.stats.quantity import Quantity
from simgin.stats.round_robin.results import Pairings

DEALS = sums.SUM + sums.FACT["deals"]  # the column of batch rows that counts deals
TURNS = slice(sums.TURNS_HISTOGRAM, sums.TURNS_HISTOGRAM + sums.TURNS_BINS)

Measurement = Quantity | str  # or the reason why there is no number


@dataclass(frozen=True, eq=False)
class VariantMatches:
    """A variant and the matches that were played under it, all of one seed.

    cells: batch rows, int64 (batches, sums.COLUMNS), by the texts of A and B ("" alone). field:
    whose play stands for the variant. players: who met each other, the field and others. measured:
    what passes over the same variant measured, by the keys of rule metrics.
    """

    variant: str
    params: Params
    field: tuple[str, ...]
    players: tuple[str, ...]
    cells: Mapping[tuple[str, str], np.ndarray]
    measured: Mapping[str, Measurement]

    @property
    def alone(self) -> bool:
        """Whether the variant is for one player."""
        return self.params["players"] == 1

    @property
    def goal(self) -> Goal:
        """The goal of its matches."""
        return goal_of(self.params)

    @property
    def knock_limits(self) -> tuple[int, ...]:
        """The knock limits that differ under the variant."""
        return knocking.limits(self.params)

    @property
    def field_cells(self) -> list[np.ndarray]:
        """The cells of the field's players, each against itself."""
        return [self.cells[name, name] for name in self.field]

    def field_mean(self, metric: str) -> Quantity:
        """The mean of a metric over the field, each player against itself."""
        by_name = metrics.BY_NAME[metric]
        return quantity.mean([quantity.ratio(rows, by_name) for rows in self.field_cells])

    def field_mean_of(self, function: Callable[[np.ndarray], float]) -> Quantity:
        """The mean over the field of any function of a cell's summed batch rows."""
        parts = []
        for rows in self.field_cells:
            parts.append(quantity.jackknife(rows, function, int(rows[:, DEALS].sum())))
        return quantity.mean(parts)

    def survival(self, pairs: Sequence[tuple[str, str]]) -> list[Quantity]:
        """The share of deals that last more than 0, 1, 2, ... turns: a mean over some cells."""
        parts = []
        for pair in pairs:
            rows = self.cells[pair]
            counts = rows[:, TURNS]
            longer = np.flip(np.flip(counts, axis=1).cumsum(axis=1), axis=1) - counts
            parts.append(quantity.shares(longer, rows[:, DEALS]))
        return [quantity.mean(part) for part in zip(*parts, strict=True)]

    @property
    def identical_players(self) -> list[tuple[str, ...]]:
        """Players whose matches against themselves, or alone, came out the same in every deal."""
        groups: dict[bytes, list[str]] = {}
        for (name, opponent), rows in self.cells.items():
            if opponent in ("", name):
                groups.setdefault(rows.tobytes(), []).append(name)
        return [tuple(names) for names in groups.values() if len(names) > 1]

    def pairing(self, a: str, b: str) -> tuple[tuple[str, str], np.ndarray]:
        """Two different strategies as their cell names them, and its batch rows."""
        pair = (a, b)
        if pair not in self.cells:
            pair = (b, a)
        return pair, self.cells[pair]

    def league(self, names: Sequence[str]) -> Pairings:
        """The pairings of some players, each with each."""
        return dict(self.pairing(a, b) for a, b in itertools.combinations(names, 2))

    def between(self, metric: str, a: str, b: str) -> Quantity:
        """A metric of a against b."""
        return quantity.between(self.cells, a, b, metrics.BY_NAME[metric])

    def knock_matrix(self, metric: str = "margin") -> KnockMatrix:
        """Every knock limit against every other."""
        return knocking.matrix(self.knock_limits, self.cells, metric)
