"""The findings of a run: its tables, computed from the ledger's batch rows and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core.cell import Cell
from simgin.findings.effects import EFFECT_COLUMNS, measure
from simgin.findings.record import RunRecord
from simgin.runs.experiment import Effect
from simgin.runs.stopping import COMPLETE, End
from simgin.stats import control_variates, league, mirroring, ratings, table
from simgin.stats.differences import DIFFERENCE_COLUMNS, differences, holm
from simgin.stats.estimate import Z95
from simgin.stats.metrics import BY_NAME, headline
from simgin.stats.mirroring import Sweeps
from simgin.stats.played import Played
from simgin.stats.round_robin.equilibrium import equilibrium_mix
from simgin.stats.round_robin.non_additivity import NonAdditivity, non_additivity
from simgin.stats.round_robin.results import RoundRobin
from simgin.stats.round_robin.triads import TRIAD_COLUMNS, Triads, triads

if TYPE_CHECKING:
    import pandas as pd

    from simgin.runs.ledger import Ledger

# What variants are compared by, beside who wins
VARIANT_METRICS = ("turns", "gin", "undercut", "void")
NAMES = ("variant", "strategy", "opponent")
FRAMES = (
    *("table", "differences", "effects", "ratings"),
    *("standings", "cross", "pairing", "adjusted"),
)


@dataclass(frozen=True)
class Findings:
    """A run that was played, now or long ago, while its ledger is open."""

    record: RunRecord
    ledger: Ledger

    def __repr__(self) -> str:
        return f"<Findings of {len(self.cells)} matchups; frames: {', '.join(FRAMES)}>"

    def __getstate__(self) -> object:
        raise TypeError("findings hold an open ledger; pickle their frames, such as table")

    @cached_property
    def by_own_names(self) -> Findings:
        """The same with strategies from files called by their own names: words and pictures."""
        if not self.record.names:
            return self
        return Findings(self.record.with_own_names(), self.ledger)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells, in the order of tables."""
        return self.record.cells

    @property
    def sizes(self) -> list[int]:
        """Deals or matches of every cell, both halves of pairs."""
        sizes = []
        for cell, end in self._ended_cells():
            size = cell.results(end.units)
            sizes.append(size)
        return sizes

    @property
    def multiplier(self) -> float:
        """Half-width of the widest intervals in standard errors: 1.96, or a stopping rule's."""
        multipliers = [end.multiplier or Z95 for end in self.record.ends]
        return max(multipliers)

    @property
    def stopped(self) -> str:
        """How the cells ended: complete, or what was decided; every text once."""
        texts = dict.fromkeys(end.stopped for end in self.record.ends)
        return "; ".join(texts)

    @property
    def ended(self) -> list[str]:
        """A line for every cell that did not end at a size given beforehand."""
        lines = []
        for cell, end in self._ended_cells():
            if end.stopped == COMPLETE:
                continue
            who = "Stopped"
            if len(self.cells) > 1:
                who = f"{cell.title} ({cell.variant})"
            lines.append(f"{who}: {end.stopped}")
        return lines

    @cached_property
    def table(self) -> pd.DataFrame:
        """Tidy rows of every cell: TABLE_COLUMNS."""
        import pandas as pd

        return pd.DataFrame(self.estimates, columns=list(table.TABLE_COLUMNS))

    @cached_property
    def estimates(self) -> list[dict[str, Any]]:
        """The same rows without pandas, whose import takes as long as a short match."""
        rows = []
        for i, (cell, end) in enumerate(self._ended_cells()):
            total, multiplier = self._total(i), end.multiplier
            rows += table.estimates(cell.variant, cell.a, cell.b, cell.unit, total, multiplier)
        return rows

    @cached_property
    def identical(self) -> list[Cell]:
        """The cells of two strategies that play identically."""
        identical = []
        for i in self._mirrored:
            played = self.played(i)
            if played.is_identical:
                identical.append(played.cell)
        return identical

    @property
    def all_identical(self) -> bool:
        """Whether there is nothing to show but that."""
        identical = len(self.identical)
        return identical == len(self.cells)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The contrasts of the plan, DIFFERENCE_COLUMNS; one family for Holm."""
        parts = []
        for i, base in self.record.contrasts:
            comparison = self.played(i), self.played(base)
            metrics = self._compared_metrics(i, base)
            part = differences([comparison], metrics)
            parts.append(part)
        frame = _joined(parts, DIFFERENCE_COLUMNS)
        p = frame["p"].to_numpy(dtype=float)
        return frame.assign(p_holm=holm(p))

    @cached_property
    def effects(self) -> pd.DataFrame:
        """What every change gains in every field, EFFECT_COLUMNS; one family for Holm."""
        parts = []
        for variant in dict.fromkeys(cell.variant for cell in self.cells):
            for effect in self.record.effects:
                part = self._effect(variant, effect)
                parts.append(part)
        columns = [name for name in EFFECT_COLUMNS if name != "p_holm"]
        frame = _joined(parts, columns)
        p = frame["p"].to_numpy(dtype=float)
        frame = frame.assign(p_holm=holm(p))
        return frame[list(EFFECT_COLUMNS)]

    def _effect(self, variant: str, effect: Effect) -> pd.DataFrame:
        """An effect under a variant."""
        played = self._side(variant, effect.strategy, effect.opponent)
        base = None
        if effect.base != effect.opponent:
            base = self._side(variant, effect.base, effect.opponent)
        return measure(effect, played, base)

    def _side(self, variant: str, strategy: str, opponent: str) -> Played:
        """The cell in which these two meet, seen by the first of them."""
        for i, cell in enumerate(self.cells):
            if cell.variant != variant:
                continue
            if cell.players == (strategy, opponent):
                return self.played(i)
            if cell.players == (opponent, strategy):
                return self.played(i).reversed()
        raise LookupError(f"{strategy} v {opponent} was not played under {variant}.")

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """Elo of everyone in every round robin: RATING_COLUMNS, and the variant."""
        parts = []
        for variant, robin in self._leagues.items():
            frame = ratings.ratings(robin)
            frame = self._widened(frame)
            frame = frame.assign(variant=variant)
            parts.append(frame)
        columns = (*ratings.RATING_COLUMNS, "variant")
        return _joined(parts, columns)

    @cached_property
    def standings(self) -> pd.DataFrame:
        """The league table of every round robin: LEAGUE_COLUMNS, and the variant."""
        parts = []
        for variant, robin in self._leagues.items():
            is_own = self.ratings["variant"] == variant
            sides = self._both_sides(variant)
            mix = equilibrium_mix(robin)
            frame = league.standings(sides, self.ratings[is_own], mix)
            frame = frame.assign(variant=variant)
            parts.append(frame)
        columns = (*league.LEAGUE_COLUMNS, "variant")
        return _joined(parts, columns)

    @cached_property
    def alike(self) -> dict[str, list[tuple[str, ...]]]:
        """Strategies of a round robin with equal results against all others, by variant."""
        groups = {}
        for variant in self._leagues:
            sides = self._both_sides(variant)
            groups[variant] = league.alike(sides)
        return groups

    def _both_sides(self, variant: str) -> list[Played]:
        """The mirrored cells of a variant, seen by A and by B."""
        sides = []
        for i in self._mirrored:
            if self.cells[i].variant != variant:
                continue
            played = self.played(i)
            sides.append(played)
            sides.append(played.reversed())
        return sides

    @cached_property
    def cross(self) -> pd.DataFrame:
        """The cross-table of every round robin: CROSS_COLUMNS, and the variant."""
        parts = []
        for variant, robin in self._leagues.items():
            frame = ratings.cross_table(robin.pairings)
            frame = frame.assign(variant=variant)
            parts.append(frame)
        columns = (*ratings.CROSS_COLUMNS, "variant")
        return _joined(parts, columns)

    @cached_property
    def non_additivity(self) -> dict[str, NonAdditivity]:
        """How much of every round robin fits no ratings, by variant."""
        found = {}
        for variant, robin in self._leagues.items():
            found[variant] = non_additivity(robin)
        return found

    @cached_property
    def triads(self) -> dict[str, Triads]:
        """The circles of three in every round robin, by variant."""
        found = {}
        for variant in self._leagues:
            is_own = self.cross["variant"] == variant
            found[variant] = triads(self.cross[is_own])
        return found

    @cached_property
    def circles(self) -> pd.DataFrame:
        """The circles of every round robin: TRIAD_COLUMNS, and the variant."""
        parts = []
        for variant, found in self.triads.items():
            frame = found.circles.assign(variant=variant)
            parts.append(frame)
        columns = (*TRIAD_COLUMNS, "variant")
        return _joined(parts, columns)

    @cached_property
    def pairing(self) -> pd.DataFrame:
        """What mirroring was worth to every mirrored cell: NAMES and MIRRORING_COLUMNS."""
        parts = []
        for i in self._mirrored:
            rows = self.rows(i)
            multiplier = self.record.ends[i].multiplier
            gain = mirroring.gain(rows, self.record.unit, multiplier)
            named = self._named(i, gain)
            parts.append(named)
        columns = (*NAMES, *mirroring.MIRRORING_COLUMNS)
        return _joined(parts, columns)

    @cached_property
    def sweeps(self) -> dict[tuple[str, str, str], Sweeps]:
        """How often either side won both halves of a pair, by variant, A and B."""
        sweeps = {}
        for i in self._mirrored:
            cell = self.cells[i]
            names = (cell.variant, cell.a, cell.b)
            total = self._total(i)
            sweeps[names] = mirroring.sweeps(total)
        return sweeps

    @cached_property
    def adjusted(self) -> pd.DataFrame:
        """What a control variate helps, of runs of a fixed size: NAMES, ADJUSTED_COLUMNS."""
        columns = (*NAMES, *control_variates.ADJUSTED_COLUMNS)
        if self.record.stop:
            return _joined([], columns)
        parts = []
        for i, cell in enumerate(self.cells):
            frame = control_variates.adjusted(
                params=self.record.params(cell), unit=self.record.unit, rows=self.rows(i)
            )
            named = self._named(i, frame)
            parts.append(named)
        return _joined(parts, columns)

    def deals(self) -> Iterator[tuple[str, str, str, np.ndarray]]:
        """Variant, A, B and the recorded deals (`core.record.DEAL`), batch by batch."""
        for i, (cell, end) in enumerate(self._ended_cells()):
            batches = self.ledger.deals(i, end.units, cell.batch)
            for batch in batches:
                yield cell.variant, cell.a, cell.b, batch

    def played(self, i: int) -> Played:
        """Cell number i, seen by A."""
        cell = self.cells[i]
        end = self.record.ends[i]
        rows = self.rows(i)
        return Played(cell, rows, end.multiplier)

    def rows(self, i: int) -> np.ndarray:
        """The batch rows of cell number i as far as they count, int64 (batches, sums.COLUMNS)."""
        cell = self.cells[i]
        end = self.record.ends[i]
        return self.ledger.rows(i, end.units, cell.batch)

    def _ended_cells(self) -> Iterator[tuple[Cell, End]]:
        """Every cell, and how it ended."""
        yield from zip(self.cells, self.record.ends, strict=True)

    def _total(self, i: int) -> np.ndarray:
        cell = self.cells[i]
        end = self.record.ends[i]
        return self.ledger.total(i, end.units, cell.batch)

    def _named(self, i: int, frame: pd.DataFrame) -> pd.DataFrame:
        """A frame about cell number i, beside who played."""
        cell = self.cells[i]
        return frame.assign(variant=cell.variant, strategy=cell.a, opponent=cell.b)

    def _compared_metrics(self, i: int, base: int) -> tuple[str, ...]:
        cell = self.cells[i]
        metrics: tuple[str, ...] = ()
        # A strategy that plays itself wins one half.
        if cell.mirrored or not cell.b:
            players = len(cell.players)
            metrics += headline(cell.unit, players)
        base_cell = self.cells[base]
        if cell.variant != base_cell.variant:
            metrics += VARIANT_METRICS
        return metrics

    @property
    def _mirrored(self) -> list[int]:
        return [i for i, cell in enumerate(self.cells) if cell.mirrored]

    @cached_property
    def _leagues(self) -> dict[str, RoundRobin]:
        """The variants in which three or more strategies each met each, with their pairings."""
        by_variant: dict[str, list[int]] = {}
        for i in self._mirrored:
            cell = self.cells[i]
            places = by_variant.setdefault(cell.variant, [])
            places.append(i)
        leagues = {}
        for variant, places in by_variant.items():
            if self._is_league(places):
                leagues[variant] = self._round_robin(places)
        return leagues

    def _is_league(self, places: Sequence[int]) -> bool:
        """Whether these cells are all pairings of three or more strategies."""
        players: set[str] = set()
        for i in places:
            cell = self.cells[i]
            players.update(cell.players)
        count = len(players)
        return count > 2 and len(places) == comb(count, 2)

    def _round_robin(self, places: Sequence[int]) -> RoundRobin:
        """The batch rows of these cells, by A and B."""
        pairings = {}
        for i in places:
            cell = self.cells[i]
            pairings[cell.a, cell.b] = self.rows(i)
        return RoundRobin(pairings, self.record.seed)

    def _widened(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Ratings with limits that hold under the stopping rule, if there was one."""
        wide = self.multiplier / Z95
        elo = frame["elo"]
        lead = frame["lead"]
        middles = {"low": elo, "high": elo, "lead_low": lead, "lead_high": lead}
        limits = {}
        for name, middle in middles.items():
            distance = frame[name] - middle
            limits[name] = middle + wide * distance
        return frame.assign(**limits)


def _joined(parts: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    """One frame of several, or an empty one with the columns."""
    import pandas as pd

    names = list(columns)
    if not parts:
        return pd.DataFrame(columns=names)
    frame = pd.concat(parts, ignore_index=True)
    return frame[names]


def as_drawn(differences: pd.DataFrame) -> pd.DataFrame:
    """Differences with a title, shares in per cent; undefined rows are dropped.

    Raises ValueError for another frame.
    """
    known = set(differences.columns)
    if not {"metric", "difference"} <= known:
        raise ValueError("forest takes the differences of findings, such as found.differences.")
    columns = differences["metric"].map(BY_NAME)
    scaled = differences.assign(title=columns.map(lambda column: column.title))
    factors = columns.map(lambda column: column.factor).astype(float)
    for name in ("difference", "se", "low", "high"):
        scaled[name] *= factors
    return scaled[scaled["se"] > 0].reset_index(drop=True)
