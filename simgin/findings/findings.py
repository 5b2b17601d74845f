"""What came of a run: its tables, computed from the batch rows of the ledger and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core.cell import Cell
from simgin.findings.record import RunRecord
from simgin.runs.stopping import COMPLETE
from simgin.stats import control_variates, league, mirroring, ratings, ratios, table
from simgin.stats import differences as contrast
from simgin.stats.differences import Side
from simgin.stats.mirroring import Sweeps
from simgin.stats.ratings import Cycles, Pairing

if TYPE_CHECKING:
    import pandas as pd

    from simgin.runs.ledger import Ledger

OF_RULES = ("turns", "gin", "undercut", "void")  # what variants are compared by beside who wins


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
    def stopped(self) -> str:
        """How the run ended: complete, or what was decided; what holds of several cells once."""
        return "; ".join(dict.fromkeys(end.stopped for end in self.record.ends))

    @property
    def ended(self) -> list[str]:
        """A line for every cell that did not end at a size given beforehand."""
        many = len(self.cells) > 1
        return [
            (f"{cell.title} ({cell.variant}): " if many else "Stopped: ") + end.stopped
            for cell, end in zip(self.cells, self.record.ends, strict=True)
            if end.stopped != COMPLETE
        ]

    @cached_property
    def table(self) -> pd.DataFrame:
        """Tidy rows (`simgin.stats.table.COLUMNS`) of every cell."""
        import pandas as pd

        return pd.concat([self._tidy(i) for i in range(len(self.cells))], ignore_index=True)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The contrasts of the plan (`simgin.stats.differences.COLUMNS`), one family for Holm."""
        import pandas as pd

        parts = [
            contrast.differences([(self._side(i), self._side(base))], self._metrics(i, base))
            for i, base in self.record.contrasts
        ]
        if not parts:
            return pd.DataFrame(columns=list(contrast.COLUMNS))
        frame = pd.concat(parts, ignore_index=True)
        return frame.assign(p_holm=contrast.holm(frame["p"].to_numpy(dtype=float)))

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """Elo of the strategies of every variant in which each met each (`simgin.stats.ratings.COLUMNS`)."""
        import pandas as pd

        parts = [
            self._widened(ratings.ratings(met, self.record.seed)).assign(variant=variant)
            for variant, met in self._leagues
        ]
        return (
            pd.concat(parts, ignore_index=True)
            if parts
            else pd.DataFrame(columns=["variant", *ratings.COLUMNS])
        )

    @cached_property
    def standings(self) -> pd.DataFrame:
        """The league table of every variant that has ratings (`simgin.stats.league.COLUMNS`)."""
        import pandas as pd

        parts = []
        for variant, _ in self._leagues:
            rated = self.ratings[self.ratings["variant"] == variant]
            parts.append(league.standings(self._sides(variant), rated).assign(variant=variant))
        return (
            pd.concat(parts, ignore_index=True)
            if parts
            else pd.DataFrame(columns=["variant", *league.COLUMNS])
        )

    @cached_property
    def cross(self) -> pd.DataFrame:
        """Everyone against everyone in every variant that has ratings (`simgin.stats.ratings.CROSS_COLUMNS`)."""
        import pandas as pd

        parts = [ratings.cross_table(met).assign(variant=variant) for variant, met in self._leagues]
        return (
            pd.concat(parts, ignore_index=True)
            if parts
            else pd.DataFrame(columns=["variant", *ratings.CROSS_COLUMNS])
        )

    @cached_property
    def cycles(self) -> list[tuple[str, Cycles]]:
        """The cyclic share of every variant that has ratings."""
        return [(variant, ratings.cycles(met, self.record.seed)) for variant, met in self._leagues]

    @cached_property
    def pairing(self) -> pd.DataFrame:
        """What mirroring was worth to every cell of pairs (`simgin.stats.mirroring.COLUMNS`), beside who played."""
        return self._each(
            lambda i: mirroring.gain(self.rows(i), self.record.unit),
            mirroring.COLUMNS,
            lambda one: one.mirrored,
        )

    @cached_property
    def sweeps(self) -> dict[tuple[str, str, str], Sweeps]:
        """Of every cell of pairs, by variant and who played: how often either won both halves, and the exact test of it."""
        mirrored = [(i, one) for i, one in enumerate(self.cells) if one.mirrored]
        return {
            (one.variant, one.a, one.b): mirroring.sweeps(self._total(i)) for i, one in mirrored
        }

    @cached_property
    def adjusted(self) -> pd.DataFrame:
        """What a control variate helps, of runs whose size was fixed (`simgin.stats.control_variates.COLUMNS`), beside who played."""
        return self._each(
            lambda i: control_variates.adjusted(
                self.record.params(self.cells[i]), self.record.unit, self.rows(i)
            ),
            control_variates.COLUMNS,
            lambda _: not self.record.stop,
        )

    def deals(self) -> Iterator[tuple[str, str, str, np.ndarray]]:
        """Variant, A, B and the recorded deals (`core.record.DEAL`), batch by batch."""
        for i, cell in enumerate(self.cells):
            for batch in self.ledger.deals(i, self.record.ends[i].units, cell.batch):
                yield cell.variant, cell.a, cell.b, batch

    def rows(self, i: int) -> np.ndarray:
        """The batch rows of cell number i as far as they count, int64 (batches, sums.COLUMNS)."""
        return self.ledger.rows(i, self.record.ends[i].units, self.cells[i].batch)

    def _total(self, i: int) -> np.ndarray:
        return self.ledger.total(i, self.record.ends[i].units, self.cells[i].batch)

    def _tidy(self, i: int) -> pd.DataFrame:
        one, end = self.cells[i], self.record.ends[i]
        return table.tidy(one.variant, one.a, one.b, one.unit, self._total(i), end.multiplier)

    def _side(self, i: int, as_b: bool = False) -> Side:
        one, end = self.cells[i], self.record.ends[i]
        names = (one.b, one.a) if as_b else (one.a, one.b)
        return Side(one.variant, *names, one.unit, one.seed, self.rows(i), as_b, end.multiplier)

    def _sides(self, variant: str) -> list[Side]:
        """Every cell of pairs of a variant, seen from both its sides."""
        cells = [i for i, one in enumerate(self.cells) if one.mirrored and one.variant == variant]
        return [self._side(i, as_b) for i in cells for as_b in (False, True)]

    def _metrics(self, i: int, base: int) -> tuple[str, ...]:
        one, other = (self.cells[k] for k in (i, base))
        wins = (
            headline(one.unit, len(one.players)) if one.mirrored or not one.b else ()
        )  # whoever plays himself wins one half
        return wins + (OF_RULES if one.variant != other.variant else ())

    @cached_property
    def _leagues(self) -> list[tuple[str, list[Pairing]]]:
        """The pairings of every variant in which three or more strategies met, each of them each other."""
        players = {
            variant: len({name for one in met for name in (one.a, one.b)})
            for variant, met in self._met()
        }
        return [
            (variant, met)
            for variant, met in self._met()
            if len(met) == comb(players[variant], 2) and players[variant] > 2
        ]

    def _met(self) -> Iterator[tuple[str, list[Pairing]]]:
        """The pairings of every variant."""
        mirrored = [(i, one) for i, one in enumerate(self.cells) if one.mirrored]
        for variant in dict.fromkeys(one.variant for _, one in mirrored):
            yield (
                variant,
                [
                    Pairing(one.a, one.b, self.rows(i))
                    for i, one in mirrored
                    if one.variant == variant
                ],
            )

    def _widened(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Ratings with limits that hold under the rule of stopping, if there was one."""
        wide = max(end.multiplier or ratios.Z95 for end in self.record.ends) / ratios.Z95
        return frame.assign(
            **{end: frame["elo"] + (frame[end] - frame["elo"]) * wide for end in ("low", "high")}
        )

    def _each(self, of: Any, columns: Sequence[str], wanted: Any) -> pd.DataFrame:
        """One frame of the frames that a function gives of the wanted cells, by their numbers, with the names of who played."""
        import pandas as pd

        parts = []
        for i, one in enumerate(self.cells):
            if wanted(one):
                parts.append(of(i).assign(variant=one.variant, strategy=one.a, opponent=one.b))
        names = ["variant", "strategy", "opponent", *columns]
        return pd.concat(parts, ignore_index=True)[names] if parts else pd.DataFrame(columns=names)


def headline(unit: str, players: int) -> tuple[str, str]:
    """The two metrics that answer who wins: a share first, then points."""
    if players == 1:
        return ("win", "score") if unit == "deal" else ("match_win", "score")
    return ("deal_win", "margin") if unit == "deal" else ("match_win", "margin")
