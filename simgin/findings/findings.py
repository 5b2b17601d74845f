"""The findings of a run: its tables, computed from the ledger's batch rows and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core.cell import Cell
from simgin.findings.run_record import RunRecord, check_ledger, read_record
from simgin.runs import directory, ledger
from simgin.runs.ledger import Ledger
from simgin.runs.plan import Effect
from simgin.runs.stopping import COMPLETE, End
from simgin.stats import batches, league, round_robin, table, variance
from simgin.stats.batches import Played
from simgin.stats.differences import DIFFERENCE_COLUMNS, differences, holm
from simgin.stats.estimate import Z95, estimate_metric, two_sided
from simgin.stats.league import equilibrium_mix
from simgin.stats.metrics import BY_NAME, headline

if TYPE_CHECKING:
    import pandas as pd


# What variants are compared by, beside who wins
VARIANT_METRICS = ("turns", "gin", "undercut", "void")
NAMES = ("variant", "strategy", "opponent")
SWEPT = ("swept", "swept_by_b", "p_sweeps")
EFFECT_COLUMNS = (
    *("variant", "change", "field", "strategy", "base_strategy", "opponent"),
    *("unit", "metric", "difference", "se", "low", "high", "p", "p_holm", "n", "kind"),
)
# What a strategy has against itself, by the metrics that effects are measured in
EVEN = {"margin": 0.0, "match_win": 0.5}
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
        return [cell.results(end.units) for cell, end in self._ended_cells()]

    @property
    def multiplier(self) -> float:
        """Half-width of the widest intervals in standard errors: 1.96, or a stopping rule's."""
        return max([end.multiplier or Z95 for end in self.record.ends])

    @property
    def stopped(self) -> str:
        """How the cells ended: complete, or what was decided; every text once."""
        return "; ".join(dict.fromkeys(end.stopped for end in self.record.ends))

    @property
    def ended(self) -> list[str]:
        """A line for every cell that did not end at a size given beforehand."""
        lines = []
        for cell, end in self._ended_cells():
            who = f"{cell.title} ({cell.variant})" if len(self.cells) > 1 else "Stopped"
            if end.stopped != COMPLETE:
                lines.append(f"{who}: {end.stopped}")
        return lines

    @cached_property
    def table(self) -> pd.DataFrame:
        """Tidy rows of every cell: TABLE_COLUMNS."""
        return table.frame_of(self.estimates, table.TABLE_COLUMNS)

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
        return [self.cells[i] for i in self._mirrored if self.played(i).is_identical]

    @property
    def all_identical(self) -> bool:
        """Whether there is nothing to show but that."""
        return len(self.identical) == len(self.cells)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The contrasts of the plan, DIFFERENCE_COLUMNS; one family for Holm."""
        parts = [
            differences([(self.played(i), self.played(base))], self._compared_metrics(i, base))
            for i, base in self.record.contrasts
        ]
        frame = table.joined(parts, DIFFERENCE_COLUMNS)
        return frame.assign(p_holm=holm(frame["p"].to_numpy(dtype=float)))

    @cached_property
    def effects(self) -> pd.DataFrame:
        """What every change gains in every field, EFFECT_COLUMNS; one family for Holm."""
        parts = []
        for variant in dict.fromkeys(cell.variant for cell in self.cells):
            for effect in self.record.effects:
                played = self._side(variant, effect.strategy, effect.opponent)
                itself = effect.base == effect.opponent
                base = None if itself else self._side(variant, effect.base, effect.opponent)
                parts.append(measure_effect(effect, played, base))
        frame = table.joined(parts, [name for name in EFFECT_COLUMNS if name != "p_holm"])
        frame = frame.assign(p_holm=holm(frame["p"].to_numpy(dtype=float)))
        return frame[list(EFFECT_COLUMNS)]

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

    @property
    def round_robins(self) -> tuple[str, ...]:
        """The variants in which three or more strategies each met each."""
        return tuple(self._leagues)

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """Elo of everyone in every round robin: RATING_COLUMNS, and the variant."""
        return self._by_league(
            lambda _, robin: self._widened(league.ratings(robin)), league.RATING_COLUMNS
        )

    @cached_property
    def standings(self) -> pd.DataFrame:
        """The league table of every round robin: LEAGUE_COLUMNS, and the variant."""

        def standing(variant: str, robin: round_robin.RoundRobin) -> pd.DataFrame:
            rated = self.ratings[self.ratings["variant"] == variant]
            return league.standings(self._both_sides(variant), rated, equilibrium_mix(robin))

        return self._by_league(standing, league.LEAGUE_COLUMNS)

    @cached_property
    def cross(self) -> pd.DataFrame:
        """The cross-table of every round robin: CROSS_COLUMNS, unit, metric, and the variant."""
        unit = self.record.unit
        named = {"unit": unit, "metric": headline(unit, 2)[0], "kind": "league"}
        return self._by_league(
            lambda _, robin: league.cross_table(robin.pairings).assign(**named),
            (*league.CROSS_COLUMNS, *named),
        )

    def _by_league(
        self, frame: Callable[[str, round_robin.RoundRobin], pd.DataFrame], columns: Sequence[str]
    ) -> pd.DataFrame:
        """The frames of every round robin as one, and the variant."""
        parts = [frame(*item).assign(variant=item[0]) for item in self._leagues.items()]
        return table.joined(parts, (*columns, "variant"))

    @cached_property
    def alike(self) -> dict[str, list[tuple[str, ...]]]:
        """Strategies of a round robin with equal results against all others, by variant."""
        return {variant: league.alike(self._both_sides(variant)) for variant in self._leagues}

    def _both_sides(self, variant: str) -> list[Played]:
        """The mirrored cells of a variant, seen by A and by B."""
        own = [self.played(i) for i in self._mirrored if self.cells[i].variant == variant]
        return [side for played in own for side in (played, played.reversed())]

    @cached_property
    def non_additivity(self) -> dict[str, round_robin.NonAdditivity]:
        """How much of every round robin fits no ratings, by variant."""
        return {
            variant: round_robin.non_additivity(robin) for variant, robin in self._leagues.items()
        }

    @cached_property
    def triads(self) -> dict[str, round_robin.Triads]:
        """The circles of three in every round robin, by variant."""
        cross = self.cross
        return {name: round_robin.triads(cross[cross["variant"] == name]) for name in self._leagues}

    @cached_property
    def circles(self) -> pd.DataFrame:
        """The circles of every round robin: TRIAD_COLUMNS, and the variant."""
        parts = [found.circles.assign(variant=variant) for variant, found in self.triads.items()]
        return table.joined(parts, (*round_robin.TRIAD_COLUMNS, "variant"))

    @cached_property
    def pairing(self) -> pd.DataFrame:
        """What mirroring was worth to every mirrored cell, and who swept its pairs.

        NAMES, MIRRORING_COLUMNS, and pairs of which A won both halves, B did, and the exact p of
        the sign test where the size was fixed.
        """
        parts = []
        for i in self._mirrored:
            gain = variance.mirroring_gain(
                self.rows(i), self.record.unit, self.record.ends[i].multiplier
            )
            swept = variance.sweeps(self._total(i))
            p = np.nan if self.record.stop else swept.p
            parts.append(self._named(i, gain.assign(swept=swept.a, swept_by_b=swept.b, p_sweeps=p)))
        return table.joined(parts, (*NAMES, *variance.MIRRORING_COLUMNS, *SWEPT))

    @cached_property
    def adjusted(self) -> pd.DataFrame:
        """What a control variate helps, of runs of a fixed size: NAMES, ADJUSTED_COLUMNS."""
        columns = (*NAMES, *variance.ADJUSTED_COLUMNS)
        if self.record.stop:
            return table.joined([], columns)
        parts = []
        for i, cell in enumerate(self.cells):
            frame = variance.adjusted(
                params=self.record.params(cell), unit=self.record.unit, rows=self.rows(i)
            )
            parts.append(self._named(i, frame))
        return table.joined(parts, columns)

    def deals(self) -> Iterator[tuple[str, str, str, np.ndarray]]:
        """Variant, A, B and the recorded deals (`core.record.DEAL`), batch by batch."""
        for i, (cell, end) in enumerate(self._ended_cells()):
            for batch in self.ledger.deals(i, end.units, cell.batch):
                yield cell.variant, cell.a, cell.b, batch

    def played(self, i: int) -> Played:
        """Cell number i, seen by A."""
        return Played(self.cells[i], self.rows(i), self.record.ends[i].multiplier)

    def rows(self, i: int) -> np.ndarray:
        """The batch rows of cell number i as far as they count, int64 (batches, sums.COLUMNS)."""
        return self.ledger.rows(i, self.record.ends[i].units, self.cells[i].batch)

    def _ended_cells(self) -> Iterator[tuple[Cell, End]]:
        """Every cell, and how it ended."""
        yield from zip(self.cells, self.record.ends, strict=True)

    def _total(self, i: int) -> np.ndarray:
        return self.ledger.total(i, self.record.ends[i].units, self.cells[i].batch)

    def _named(self, i: int, frame: pd.DataFrame) -> pd.DataFrame:
        """A frame about cell number i, beside who played."""
        cell = self.cells[i]
        return frame.assign(variant=cell.variant, strategy=cell.a, opponent=cell.b)

    def _compared_metrics(self, i: int, base: int) -> tuple[str, ...]:
        cell = self.cells[i]
        metrics: tuple[str, ...] = ()
        # A strategy that plays itself wins one half.
        if cell.mirrored or not cell.b:
            metrics += headline(cell.unit, len(cell.players))
        if cell.variant != self.cells[base].variant:
            metrics += VARIANT_METRICS
        return metrics

    @property
    def _mirrored(self) -> list[int]:
        return [i for i, cell in enumerate(self.cells) if cell.mirrored]

    @cached_property
    def _leagues(self) -> dict[str, round_robin.RoundRobin]:
        """The variants in which three or more strategies each met each, with their pairings."""
        by_variant: dict[str, dict[tuple[str, str], int]] = {}
        for i in self._mirrored:
            cell = self.cells[i]
            by_variant.setdefault(cell.variant, {})[cell.a, cell.b] = i
        leagues = {}
        for variant, places in by_variant.items():
            count = len(set(chain.from_iterable(places)))
            if count > 2 and len(places) == comb(count, 2):
                pairings = {pair: self.rows(i) for pair, i in places.items()}
                leagues[variant] = round_robin.RoundRobin(pairings, self.record.seed)
        return leagues

    def _widened(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Ratings with limits that hold under the stopping rule, if there was one."""
        wide = self.multiplier / Z95
        middles = {"low": "elo", "high": "elo", "lead_low": "lead", "lead_high": "lead"}
        for name, middle in middles.items():
            frame[name] = frame[middle] + wide * (frame[name] - frame[middle])
        return frame


@contextmanager
def opened(place: Path) -> Iterator[Findings]:
    """The findings of a finished run in a directory, as long as the block lasts.

    Raises ResultsError or LedgerError where there is none, with the way on if it is not finished.
    """
    path = place / ledger.FILE
    with ExitStack() as stack:
        with directory.readable(place):
            if path.is_file() and not (place / directory.MANIFEST).exists():
                with ledger.reading(path) as unfinished:
                    command = unfinished.command
                remedy = (command and f"with: {command}") or "with the command that began it."
                raise directory.ResultsError(
                    f"the run in {place} is not finished; continue {remedy}"
                )
            record = read_record(place, directory.read_manifest(place))
            run_ledger = stack.enter_context(ledger.reading(path))
            check_ledger(place, record, run_ledger)
        yield Findings(record, run_ledger)


def measure_effect(effect: Effect, played: Played, base: Played | None) -> pd.DataFrame:
    """What a change gains against a field, per deal and, if matches were played, in matches won.

    A *field* is what the others play, with the player who tries the change against them. Where that
    player is one of the others, the base would play itself and win one half and no points, so the
    effect is the result of the changed strategy; elsewhere it is a difference on the same packs.

    base: without the change; None if it would play itself. EFFECT_COLUMNS but for p_holm, which
    belongs to the whole family.
    """
    names = ["margin"]
    if played.cell.unit == "match":
        names.append("match_win")
    frame = differences([(played, base)], names) if base else _beyond_even(played, names)
    frame = frame.assign(
        change=effect.change, field=effect.field, base_strategy=effect.base, kind="effect"
    )
    return frame[[name for name in EFFECT_COLUMNS if name != "p_holm"]]


def _beyond_even(played: Played, names: list[str]) -> pd.DataFrame:
    """What a strategy has beyond what it would have against itself, a row per metric."""
    rows = []
    total = batches.total(played.rows)
    for name in names:
        metric = BY_NAME[name]
        found = estimate_metric(total, metric, played.as_b, played.multiplier)
        even = EVEN[name]
        difference = found.value - even
        row = {
            "variant": played.cell.variant,
            "strategy": played.strategy,
            "opponent": played.opponent,
            "unit": metric.unit,
            "metric": name,
            "difference": difference,
            "se": found.se,
            "low": found.low - even,
            "high": found.high - even,
            "p": two_sided(difference, found.se, found.n),
            "n": batches.count_played(played.rows, metric.unit),
        }
        if played.multiplier is not None:
            row["p"] = np.nan  # the limits of a run that looked at its results are wider instead
        rows.append(row)
    return table.frame_of(rows)


def as_drawn(differences: pd.DataFrame) -> pd.DataFrame:
    """Differences with a title, shares in per cent; undefined rows are dropped.

    Raises ValueError for another frame.
    """
    if not {"metric", "difference"} <= set(differences.columns):
        raise ValueError("forest takes the differences of findings, such as found.differences.")
    metrics = differences["metric"].map(BY_NAME)
    factors = metrics.map(lambda metric: metric.factor).astype(float)
    shown = differences.assign(title=metrics.map(lambda metric: metric.title))
    for name in ("difference", "se", "low", "high"):
        shown[name] = shown[name].astype(float) * factors
    return shown[shown["se"] > 0].reset_index(drop=True)
