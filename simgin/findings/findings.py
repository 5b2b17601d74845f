"""Results of a run: all tables, computed only from the batch rows of the ledger."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core.cell import Cell
from simgin.findings.run_record import RunRecord, check_ledger, read_record, record_plan
from simgin.play.parallel import Progress
from simgin.runs import directory, ledger, runner
from simgin.runs.ledger import Ledger
from simgin.runs.plan import Effect, Plan
from simgin.runs.runner import Threads
from simgin.runs.stopping import COMPLETE, End
from simgin.stats import batches, league, round_robin, table, variance
from simgin.stats.batches import Played
from simgin.stats.differences import DIFFERENCE_COLUMNS, differences, holm
from simgin.stats.estimate import Z95, estimate_metric, two_sided
from simgin.stats.league import equilibrium_mix
from simgin.stats.metrics import BY_NAME, headline

if TYPE_CHECKING:
    import pandas as pd

    from simgin.report.report import Report


# Metrics of comparisons between variants, in addition to wins
VARIANT_METRICS = ("turns", "gin", "undercut", "void")
NAMES = ("variant", "strategy", "opponent")
SWEPT = ("swept", "swept_by_b", "p_sweeps")
EFFECT_COLUMNS = (
    *("variant", "change", "field", "strategy", "base_strategy", "opponent"),
    *("unit", "metric", "difference", "se", "low", "high", "p", "p_holm", "n", "kind"),
)
# Value of a strategy that plays itself, by metric of effects
EVEN = {"margin": 0.0, "match_win": 0.5}
FRAMES = (
    *("table", "differences", "effects", "ratings"),
    *("standings", "cross", "pairing", "adjusted"),
)


@dataclass(frozen=True)
class Findings:
    """Results of a run, available while its ledger is open."""

    record: RunRecord
    ledger: Ledger

    def __repr__(self) -> str:
        return f"<Findings of {len(self.cells)} matchups; frames: {', '.join(FRAMES)}>"

    def __getstate__(self) -> object:
        raise TypeError("findings hold an open ledger; pickle their frames, such as table")

    @property
    def identity(self) -> Mapping[str, Any]:
        """See `simgin.report.report.Result`."""
        return self.record.identity

    @property
    def units(self) -> list[int]:
        """See `simgin.report.report.Result`."""
        return [end.units for end in self.record.ends]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return all results as DataFrames by name."""
        return {name: getattr(self, name) for name in FRAMES}

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of `table` for JSON, without importing pandas."""
        return [table.for_json(row) for row in self.estimates]

    def report(self, command: str) -> Report:
        """Return the report with all tables and plots."""
        from simgin.findings.run_report import run_pictures, run_report

        return run_report(self, command, run_pictures(self.by_own_names))

    @cached_property
    def by_own_names(self) -> Findings:
        """Results with the display names of strategies from files, for sentences and plots."""
        if not self.record.names:
            return self
        return Findings(self.record.with_own_names(), self.ledger)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Keys of the matchups, in table order."""
        return self.record.cells

    @property
    def sizes(self) -> list[int]:
        """Number of deals or matches of every matchup, counting both mirrored games of a pair."""
        return [cell.results(end.units) for cell, end in self._ended_cells()]

    @property
    def multiplier(self) -> float:
        """Half-width of the widest intervals in standard errors: 1.96 or a stopping rule's."""
        return max([end.multiplier or Z95 for end in self.record.ends])

    @property
    def stopped(self) -> str:
        """Reasons for stopping of all matchups, each once; "complete" for a complete matchup."""
        return "; ".join(dict.fromkeys(end.stopped for end in self.record.ends))

    @property
    def ended(self) -> list[str]:
        """One line per matchup that stopped before a size fixed in advance."""
        lines = []
        for cell, end in self._ended_cells():
            who = f"{cell.title} ({cell.variant})" if len(self.cells) > 1 else "Stopped"
            if end.stopped != COMPLETE:
                lines.append(f"{who}: {end.stopped}")
        return lines

    @cached_property
    def table(self) -> pd.DataFrame:
        """Tidy DataFrame with the estimates of every matchup (columns: TABLE_COLUMNS)."""
        return table.frame_of(self.estimates, table.TABLE_COLUMNS)

    @cached_property
    def estimates(self) -> list[dict[str, Any]]:
        """Rows of `table`, without importing pandas, which takes as long as a short match."""
        rows = []
        for i, (cell, end) in enumerate(self._ended_cells()):
            total, multiplier = self._total(i), end.multiplier
            rows += table.estimates(cell.variant, cell.a, cell.b, cell.unit, total, multiplier)
        return rows

    @cached_property
    def identical(self) -> list[Cell]:
        """Keys of the matchups whose two strategies play identically."""
        return [self.cells[i] for i in self._mirrored if self.played(i).is_identical]

    @property
    def all_identical(self) -> bool:
        """True if the strategies of every matchup play identically."""
        return len(self.identical) == len(self.cells)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """DataFrame of the contrasts of the plan (columns: DIFFERENCE_COLUMNS).

        Holm's adjustment treats all contrasts as one family.
        """
        parts = [
            differences([(self.played(i), self.played(base))], self._compared_metrics(i, base))
            for i, base in self.record.contrasts
        ]
        frame = table.joined(parts, DIFFERENCE_COLUMNS)
        return frame.assign(p_holm=holm(frame["p"].to_numpy(dtype=float)))

    @cached_property
    def effects(self) -> pd.DataFrame:
        """DataFrame of the effect of every change in every field (columns: EFFECT_COLUMNS).

        Holm's adjustment treats all effects as one family.
        """
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
        """Return the rows of a matchup from the side of `strategy`."""
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
        """Variants in which three or more strategies all played each other."""
        return tuple(self._leagues)

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """DataFrame of the Elo ratings of every round robin (columns: RATING_COLUMNS, variant)."""
        return self._by_league(
            lambda _, robin: self._widened(league.ratings(robin)), league.RATING_COLUMNS
        )

    @cached_property
    def standings(self) -> pd.DataFrame:
        """DataFrame of the league table of every round robin (columns: LEAGUE_COLUMNS, variant)."""

        def standing(variant: str, robin: round_robin.RoundRobin) -> pd.DataFrame:
            rated = self.ratings[self.ratings["variant"] == variant]
            return league.standings(self._both_sides(variant), rated, equilibrium_mix(robin))

        return self._by_league(standing, league.LEAGUE_COLUMNS)

    @cached_property
    def cross(self) -> pd.DataFrame:
        """DataFrame of the cross-table of every round robin.

        The columns are CROSS_COLUMNS, unit, metric, kind and variant.
        """
        unit = self.record.unit
        named = {"unit": unit, "metric": headline(unit, 2)[0], "kind": "league"}
        return self._by_league(
            lambda _, robin: league.cross_table(robin.pairings).assign(**named),
            (*league.CROSS_COLUMNS, *named),
        )

    def _by_league(
        self, frame: Callable[[str, round_robin.RoundRobin], pd.DataFrame], columns: Sequence[str]
    ) -> pd.DataFrame:
        """Return the DataFrames of all round robins as one, with a column for the variant."""
        parts = [frame(*item).assign(variant=item[0]) for item in self._leagues.items()]
        return table.joined(parts, (*columns, "variant"))

    @cached_property
    def alike(self) -> dict[str, list[tuple[str, ...]]]:
        """Groups of strategies with equal results in a round robin, by variant."""
        return {variant: league.alike(self._both_sides(variant)) for variant in self._leagues}

    def _both_sides(self, variant: str) -> list[Played]:
        """Return the rows of the mirrored matchups of a variant, from the sides of A and B."""
        own = [self.played(i) for i in self._mirrored if self.cells[i].variant == variant]
        return [side for played in own for side in (played, played.reversed())]

    @cached_property
    def non_additivity(self) -> dict[str, round_robin.NonAdditivity]:
        """Part of the results of every round robin that no ratings explain, by variant."""
        return {
            variant: round_robin.non_additivity(robin) for variant, robin in self._leagues.items()
        }

    @cached_property
    def triads(self) -> dict[str, round_robin.Triads]:
        """Test for cyclic triads in every round robin, by variant."""
        cross = self.cross
        return {name: round_robin.triads(cross[cross["variant"] == name]) for name in self._leagues}

    @cached_property
    def circles(self) -> pd.DataFrame:
        """DataFrame of the cyclic triads of every round robin (columns: TRIAD_COLUMNS, variant)."""
        parts = [found.circles.assign(variant=variant) for variant, found in self.triads.items()]
        return table.joined(parts, (*round_robin.TRIAD_COLUMNS, "variant"))

    @cached_property
    def pairing(self) -> pd.DataFrame:
        """DataFrame of the variance reduction by mirroring and of double wins.

        The columns are NAME_COLUMNS, PAIRING_COLUMNS, the numbers of pairs of which A and B won
        both mirrored games, and the exact p-value of the sign test if the size was fixed.
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
        """DataFrame of the gain by control variates (columns: NAME_COLUMNS, ADJUSTED_COLUMNS).

        It is empty for runs with a stopping rule.
        """
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
        """Yield variant, A, B and the recorded deals (`DEAL_RECORD`) of every batch."""
        for i, (cell, end) in enumerate(self._ended_cells()):
            for batch in self.ledger.deals(i, end.units, cell.batch):
                yield cell.variant, cell.a, cell.b, batch

    def played(self, i: int) -> Played:
        """Return the batch rows of a matchup, from the side of A."""
        return Played(self.cells[i], self.rows(i), self.record.ends[i].multiplier)

    def rows(self, i: int) -> np.ndarray:
        """Return the batch rows of a matchup up to its end, `(n_batches, N_COLUMNS) int64`."""
        return self.ledger.rows(i, self.record.ends[i].units, self.cells[i].batch)

    def _ended_cells(self) -> Iterator[tuple[Cell, End]]:
        """Yield the key of every matchup with its size and the reason for stopping."""
        yield from zip(self.cells, self.record.ends, strict=True)

    def _total(self, i: int) -> np.ndarray:
        return self.ledger.total(i, self.record.ends[i].units, self.cells[i].batch)

    def _named(self, i: int, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a DataFrame with additional columns for the players of a matchup."""
        cell = self.cells[i]
        return frame.assign(variant=cell.variant, strategy=cell.a, opponent=cell.b)

    def _compared_metrics(self, i: int, base: int) -> tuple[str, ...]:
        cell = self.cells[i]
        metrics: tuple[str, ...] = ()
        # A strategy that plays itself always wins one half.
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
        """Pairings of every round robin of three or more strategies, by variant."""
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
        """Widen the intervals of ratings so that they are valid under a stopping rule."""
        wide = self.multiplier / Z95
        middles = {"low": "elo", "high": "elo", "lead_low": "lead", "lead_high": "lead"}
        for name, middle in middles.items():
            frame[name] = frame[middle] + wide * (frame[name] - frame[middle])
        return frame


def run_plan(
    plan: Plan, workers: int | None = None, on_progress: Progress | None = None
) -> Findings:
    """Play a plan with its ledger in memory, which exists as long as the results do.

    Args:
        plan: Matchups and sizes.
        workers: Number of worker threads.
        on_progress: Callback for the progress of the matchups.
    """
    with closing(Threads(workers)) as team, ExitStack() as resources:
        team.prepare(plan.matchups)
        run_ledger = resources.enter_context(ledger.opened(None, plan.identity))
        ends = runner.run(
            plan.tasks, run_ledger, team, on_progress, rules=plan.rules, seconds=plan.seconds
        )
        runner.play_steps(plan.steps, run_ledger, workers)
        findings = Findings(record_plan(plan, ends), run_ledger)
        weakref.finalize(findings, resources.pop_all().close)
        return findings


@contextmanager
def opened(place: Path) -> Iterator[Findings]:
    """Open the results of a finished run in a directory, until the context ends.

    Raises:
        ResultsError: If the directory contains no valid run, or a run that is not finished.
        LedgerError: If the ledger cannot be read.
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
    """Compute the effect of a change in a field, in points per deal and in matches won.

    A *field* consists of the opponents and of the player who tries the change against them. If this
    player has the same strategy as the opponents, the baseline would play itself and win one half
    and no points; the effect is then the result of the changed strategy. Otherwise, it is a
    difference on the same deals.

    Args:
        effect: Change and field.
        played: Rows of the changed strategy.
        base: Rows of the strategy without the change; None if it would play itself.

    Returns:
        DataFrame with EFFECT_COLUMNS except p_holm, which needs all effects of the run. Matches won
        are included if matches were played.
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
    """Return the difference between a strategy's results and those against itself, per metric."""
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
            row["p"] = np.nan  # with a stopping rule, the interval decides, and it is wider
        rows.append(row)
    return table.frame_of(rows)


def as_drawn(differences: pd.DataFrame) -> pd.DataFrame:
    """Return the defined differences with a title, and with proportions in %.

    Raises:
        ValueError: If the DataFrame contains no differences.
    """
    if not {"metric", "difference"} <= set(differences.columns):
        raise ValueError("forest takes the differences of findings, such as found.differences.")
    metrics = differences["metric"].map(BY_NAME)
    factors = metrics.map(lambda metric: metric.factor).astype(float)
    shown = differences.assign(title=metrics.map(lambda metric: metric.title))
    for name in ("difference", "se", "low", "high"):
        shown[name] = shown[name].astype(float) * factors
    return shown[shown["se"] > 0].reset_index(drop=True)
