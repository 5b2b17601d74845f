"""The findings of a run: its tables, computed from the ledger's batch rows and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from simgin.core.cell import Cell
from simgin.findings.record import RunRecord
from simgin.runs.stopping import COMPLETE
from simgin.stats import control_variates, league, mirroring, ratings, table
from simgin.stats.differences import DIFFERENCE_COLUMNS, differences, holm
from simgin.stats.estimate import Z95
from simgin.stats.metrics import headline
from simgin.stats.mirroring import Sweeps
from simgin.stats.played import Played
from simgin.stats.ratings import Cycles, Pairings

if TYPE_CHECKING:
    import pandas as pd

    from simgin.runs.ledger import Ledger

# What variants are compared by, beside who wins
VARIANT_METRICS = ("turns", "gin", "undercut", "void")
NAMES = ("variant", "strategy", "opponent")


@dataclass(frozen=True)
class Findings:
    """A run that was played, now or long ago, while its ledger is open."""

    record: RunRecord
    ledger: Ledger

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells, in the order of tables."""
        return self.record.cells

    @property
    def sizes(self) -> list[int]:
        """Deals or matches of every cell, both halves of pairs."""
        ends = self.record.ends
        return [cell.results(end.units) for cell, end in zip(self.cells, ends, strict=True)]

    @property
    def multiplier(self) -> float:
        """Half-width of the widest intervals in standard errors: 1.96, or a stopping rule's."""
        return max(end.multiplier or Z95 for end in self.record.ends)

    @property
    def stopped(self) -> str:
        """How the cells ended: complete, or what was decided; every text once."""
        return "; ".join(dict.fromkeys(end.stopped for end in self.record.ends))

    @property
    def ended(self) -> list[str]:
        """A line for every cell that did not end at a size given beforehand."""
        lines = []
        for cell, end in zip(self.cells, self.record.ends, strict=True):
            if end.stopped != COMPLETE:
                who = f"{cell.title} ({cell.variant})" if len(self.cells) > 1 else "Stopped"
                lines.append(f"{who}: {end.stopped}")
        return lines

    @cached_property
    def table(self) -> pd.DataFrame:
        """Tidy rows of every cell: TABLE_COLUMNS."""
        return _joined([self._tidy(i) for i in range(len(self.cells))], table.TABLE_COLUMNS)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The contrasts of the plan, DIFFERENCE_COLUMNS; one family for Holm."""
        parts = []
        for i, base in self.record.contrasts:
            comparison = self.played(i), self.played(base)
            parts.append(differences([comparison], self._compared_metrics(i, base)))
        frame = _joined(parts, DIFFERENCE_COLUMNS)
        return frame.assign(p_holm=holm(frame["p"].to_numpy(dtype=float)))

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """Elo of everyone in every round robin: RATING_COLUMNS, and the variant."""
        parts = []
        for variant, pairings in self._leagues:
            frame = self._widened(ratings.ratings(pairings, self.record.seed))
            parts.append(frame.assign(variant=variant))
        return _joined(parts, (*ratings.RATING_COLUMNS, "variant"))

    @cached_property
    def standings(self) -> pd.DataFrame:
        """The league table of every round robin: LEAGUE_COLUMNS, and the variant."""
        parts = []
        for variant, _ in self._leagues:
            rated = self.ratings[self.ratings["variant"] == variant]
            cells = [i for i in self._mirrored if self.cells[i].variant == variant]
            seen = [side for i in cells for side in (self.played(i), self.played(i).reversed())]
            parts.append(league.standings(seen, rated).assign(variant=variant))
        return _joined(parts, (*league.LEAGUE_COLUMNS, "variant"))

    @cached_property
    def cross(self) -> pd.DataFrame:
        """The cross-table of every round robin: CROSS_COLUMNS, and the variant."""
        parts = [
            ratings.cross_table(pairings).assign(variant=variant)
            for variant, pairings in self._leagues
        ]
        return _joined(parts, (*ratings.CROSS_COLUMNS, "variant"))

    @cached_property
    def cycles(self) -> dict[str, Cycles]:
        """The cyclic share of every round robin, by variant."""
        seed = self.record.seed
        return {variant: ratings.cycles(pairings, seed) for variant, pairings in self._leagues}

    @cached_property
    def pairing(self) -> pd.DataFrame:
        """What mirroring was worth to every mirrored cell: NAMES and MIRRORING_COLUMNS."""
        parts = [
            self._named(i, mirroring.gain(self.rows(i), self.record.unit)) for i in self._mirrored
        ]
        return _joined(parts, (*NAMES, *mirroring.MIRRORING_COLUMNS))

    @cached_property
    def sweeps(self) -> dict[tuple[str, str, str], Sweeps]:
        """How often either side won both halves of a pair, by variant, A and B."""
        cells = [(i, self.cells[i]) for i in self._mirrored]
        return {
            (cell.variant, cell.a, cell.b): mirroring.sweeps(self._total(i)) for i, cell in cells
        }

    @cached_property
    def adjusted(self) -> pd.DataFrame:
        """What a control variate helps, of runs of a fixed size: NAMES, ADJUSTED_COLUMNS."""
        parts = []
        for i, cell in enumerate(self.cells if not self.record.stop else ()):
            params, unit = self.record.params(cell), self.record.unit
            parts.append(self._named(i, control_variates.adjusted(params, unit, self.rows(i))))
        return _joined(parts, (*NAMES, *control_variates.ADJUSTED_COLUMNS))

    def deals(self) -> Iterator[tuple[str, str, str, np.ndarray]]:
        """Variant, A, B and the recorded deals (`core.record.DEAL`), batch by batch."""
        for i, cell in enumerate(self.cells):
            for batch in self.ledger.deals(i, self.record.ends[i].units, cell.batch):
                yield cell.variant, cell.a, cell.b, batch

    def played(self, i: int) -> Played:
        """Cell number i, seen by A."""
        return Played(self.cells[i], self.rows(i), self.record.ends[i].multiplier)

    def rows(self, i: int) -> np.ndarray:
        """The batch rows of cell number i as far as they count, int64 (batches, sums.COLUMNS)."""
        return self.ledger.rows(i, self.record.ends[i].units, self.cells[i].batch)

    def _total(self, i: int) -> np.ndarray:
        return self.ledger.total(i, self.record.ends[i].units, self.cells[i].batch)

    def _tidy(self, i: int) -> pd.DataFrame:
        cell, multiplier = self.cells[i], self.record.ends[i].multiplier
        return table.tidy(cell.variant, cell.a, cell.b, cell.unit, self._total(i), multiplier)

    def _named(self, i: int, frame: pd.DataFrame) -> pd.DataFrame:
        """A frame about cell number i, beside who played."""
        cell = self.cells[i]
        return frame.assign(variant=cell.variant, strategy=cell.a, opponent=cell.b)

    def _compared_metrics(self, i: int, base: int) -> tuple[str, ...]:
        cell, other = self.cells[i], self.cells[base]
        # A strategy that plays itself wins one half.
        is_telling = cell.mirrored or not cell.b
        wins = headline(cell.unit, len(cell.players)) if is_telling else ()
        return wins + (VARIANT_METRICS if cell.variant != other.variant else ())

    @property
    def _mirrored(self) -> list[int]:
        return [i for i, cell in enumerate(self.cells) if cell.mirrored]

    @cached_property
    def _leagues(self) -> list[tuple[str, Pairings]]:
        """Every variant in which three or more strategies each met each, and their pairings."""
        by_variant: dict[str, list[int]] = {}
        for i in self._mirrored:
            by_variant.setdefault(self.cells[i].variant, []).append(i)
        leagues: list[tuple[str, Pairings]] = []
        for variant, places in by_variant.items():
            players = {name for i in places for name in self.cells[i].players}
            if len(players) > 2 and len(places) == comb(len(players), 2):
                pairings = {(self.cells[i].a, self.cells[i].b): self.rows(i) for i in places}
                leagues.append((variant, pairings))
        return leagues

    def _widened(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Ratings with limits that hold under the stopping rule, if there was one."""
        wide = self.multiplier / Z95
        limits = {end: frame["elo"] + (frame[end] - frame["elo"]) * wide for end in ("low", "high")}
        return frame.assign(**limits)


def _joined(parts: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    """One frame of several, or an empty one with the columns."""
    import pandas as pd

    if not parts:
        return pd.DataFrame(columns=list(columns))
    return pd.concat(parts, ignore_index=True)[list(columns)]
