"""Results of a run, which are computed only from the batch rows in the ledger."""

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

from simgin.core.matchup_key import MatchupKey
from simgin.play.parallel import ProgressCallback
from simgin.results.live_result import LiveEstimate
from simgin.results.run_info import (
    RunInfo,
    check_homogeneity,
    check_ledger,
    make_run_info,
    read_run_info,
)
from simgin.runs import directory, ledger, runner
from simgin.runs.block import count_remaining_units_by_task
from simgin.runs.ledger import Ledger
from simgin.runs.plan import SELF_PLAY_INDEX, FieldChange, Plan
from simgin.runs.result import Result
from simgin.runs.stopping import (
    COMPLETE_TEXT,
    CONCLUSION_PREFIX,
    SEQUENTIAL_TEST_NAME,
    UNREACHED_SUFFIX,
    StopResult,
)
from simgin.stats import batches, league, round_robin, table, variance
from simgin.stats.batches import BatchRows
from simgin.stats.differences import add_adjusted_p_values, adjust_p_values, compute_differences
from simgin.stats.estimate import Z95, compute_two_sided_p_value, estimate_metric
from simgin.stats.league import compute_equilibrium_mix
from simgin.stats.metrics import METRICS_BY_NAME, select_headline_metrics

if TYPE_CHECKING:
    import pandas as pd

    from simgin.report.progress import OnProgress
    from simgin.report.report import Plot, Report

# metrics for comparisons of variants, in addition to wins
VARIANT_COMPARISON_METRICS = ("turns", "gin", "undercut", "void")
MATCHUP_NAME_COLUMNS = ("variant", "strategy", "opponent")
DOUBLE_WIN_COLUMNS = ("swept", "swept_by_b", "p_sweeps")
# known values in self-play, by metric
SELF_PLAY_VALUE_BY_METRIC = {"margin": 0.0, "match_win": 0.5}
# property that returns the rows of each output in rows.toml
PROPERTY_BY_OUTPUT = {
    "table": "table",
    "differences": "differences",
    "effects": "effects",
    "league": "league_estimates",
    "cross": "cross_table",
    "circles": "cyclic_triads",
    "pairing": "pairing_estimates",
    "adjusted": "control_variates",
}


@dataclass(frozen=True, repr=False)
class RunResults(Result):
    """Results of a run, available while the ledger of the run is open."""

    info: RunInfo
    ledger: Ledger
    # Results that this object is a copy of. Python closes a ledger in memory when it deletes them.
    original: RunResults | None = None

    def __getstate__(self) -> object:
        raise TypeError(
            "run results cannot be pickled because their ledger is open. Pickle a DataFrame "
            "instead, such as `results.table`."
        )

    @property
    def identity(self) -> Mapping[str, Any]:
        """Settings that determine the results of the run (see `Result.identity`)."""
        return self.info.identity

    @property
    def stop_results(self) -> Sequence[StopResult]:
        """Sample sizes of the matchups (see `Result.stop_results`)."""
        return self.info.stop_results

    @property
    def manifest_entries(self) -> dict[str, Any]:
        """Additional entries of `manifest.json` (see `Result.manifest_entries`)."""
        info = self.info
        workers = {name for entry in info.homogeneity_tests for name in entry["workers"]["names"]}
        return {
            "workers": len(workers),
            "contrasts": info.contrasts,
            "effects": info.effects,
            "health": info.homogeneity_tests,
            "names": info.display_names,
        }

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the DataFrames of all CSV files, keyed by file name."""
        return {name: getattr(self, rows) for name, rows in PROPERTY_BY_OUTPUT.items()}

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of `table` as dictionaries for JSON, without importing pandas."""
        return [table.to_json_row(row) for row in self.estimates]

    def report(self, command: str) -> Report:
        """Return the report with all tables and plots."""
        from simgin.results.run_report import build_run_report, iter_run_plots

        return build_run_report(self, command, iter_run_plots(self.with_display_names))

    def overview(self) -> Report:
        """Return a short report without plots, files or details."""
        from simgin.results.run_report import build_run_report

        return build_run_report(self, self.call, details=False)

    def plots(self) -> Iterator[Plot]:
        """Yield the plots of the report."""
        from simgin.results.run_report import iter_run_plots

        return iter_run_plots(self.with_display_names)

    @property
    def run_ledger(self) -> Ledger:
        """Ledger from which the results are computed."""
        return self.ledger

    @cached_property
    def with_display_names(self) -> RunResults:
        """Copy of the results with labels and with short names of strategy files."""
        if not self.info.display_names:
            return self
        return RunResults(self.info.with_display_names(), self.ledger, original=self)

    @property
    def matchup_keys(self) -> tuple[MatchupKey, ...]:
        """Keys of the matchups, in table order."""
        return self.info.matchup_keys

    @property
    def matchup_sizes(self) -> list[int]:
        """Number of deals or matches in every matchup, counting both games of mirrored pairs."""
        return [key.count_games(stop.units) for key, stop in self._iter_stops()]

    @property
    def interval_multiplier(self) -> float:
        """Half-width of the widest intervals in standard errors, 1.96 without a stopping rule."""
        return max([stop.interval_multiplier or Z95 for stop in self.info.stop_results])

    @property
    def sequential_test_sentences(self) -> dict[MatchupKey, str]:
        """Sentences about the results of sequential tests, keyed by matchup."""
        if not self.info.stopping_text.startswith(SEQUENTIAL_TEST_NAME):
            return {}
        sentences = {}
        for key, stop_result in self._iter_stops():
            conclusion = f"no decision after {stop_result.units:,} pairs."
            if stop_result.reason.startswith(CONCLUSION_PREFIX):
                conclusion = stop_result.reason.replace(CONCLUSION_PREFIX, f"{key.a} is ", 1)
            sentences[key] = f"{self._choose_stop_label(key, 'Sequential test')}: {conclusion}"
        return sentences

    @property
    def stopping_notes(self) -> list[str]:
        """Notes about matchups that stopped without a sequential test, one per line."""
        return [
            f"{self._choose_stop_label(key, 'Stopped')}: {_format_stop_reason(stop.reason)}"
            for key, stop in self._iter_stops()
            if not stop.reason.startswith((COMPLETE_TEXT, SEQUENTIAL_TEST_NAME, CONCLUSION_PREFIX))
        ]

    def _choose_stop_label(self, key: MatchupKey, default: str) -> str:
        """Return the title of a matchup, or `default` if it is the only matchup of the run."""
        return f"{key.title} ({key.variant})" if len(self.matchup_keys) > 1 else default

    @cached_property
    def table(self) -> pd.DataFrame:
        """Tidy DataFrame of all estimates of every matchup (columns: TABLE_COLUMNS)."""
        return table.make_frame(self.estimates, table.TABLE_COLUMNS)

    @cached_property
    def estimates(self) -> list[dict[str, Any]]:
        """Rows of `table`, computed without pandas because its import is slow."""
        rows = []
        for index, (key, stop_result) in enumerate(self._iter_stops()):
            total, multiplier = (self._sum_matchup_rows(index), stop_result.interval_multiplier)
            rows += table.compute_estimate_rows(
                key.variant, key.a, key.b, key.unit, total, multiplier
            )
        return rows

    @cached_property
    def identical_matchups(self) -> list[MatchupKey]:
        """Keys of the matchups in which both strategies play identically."""
        indices = (i for i in self._mirrored_indices if self.load_batches(i).has_identical_players)
        return [self.matchup_keys[i] for i in indices]

    @property
    def are_all_identical(self) -> bool:
        """True if the strategies in every matchup play identically."""
        return len(self.identical_matchups) == len(self.matchup_keys)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """DataFrame of the differences between each matchup and its baseline in the plan.

        Holm's correction treats all contrasts as one family.
        """
        frames = [self._compute_difference(i, baseline) for i, baseline in self.info.contrasts]
        frame = table.build_output_frame("differences", table.concat_frames(frames))
        return add_adjusted_p_values(frame)

    def _compute_difference(self, matchup_index: int, baseline: int) -> pd.DataFrame:
        """Compute the difference of a matchup from its baseline, which can be self-play."""
        rows = self.load_batches(matchup_index)
        if baseline == SELF_PLAY_INDEX:
            key = rows.matchup
            return _compute_difference_from_self_play(rows).assign(
                base_variant=key.variant,
                base_strategy=key.b,
                base_opponent=key.b,
                paired=True,
                kind="difference",
            )
        compared_metrics = self._list_compared_metrics(matchup_index, baseline)
        pair = _align_opponents(rows, self.load_batches(baseline))
        return compute_differences([pair], compared_metrics)

    @cached_property
    def effects(self) -> pd.DataFrame:
        """DataFrame of the effects of all changes to strategies, against all opponents.

        Holm's correction treats all effects as one family.
        """
        frames = []
        for variant in dict.fromkeys(key.variant for key in self.matchup_keys):
            for effect in self.info.effects:
                batch_rows = self._find_matchup(variant, effect.strategy, effect.opponent)
                baseline_rows = None
                if effect.baseline != effect.opponent:
                    baseline_rows = self._find_matchup(variant, effect.baseline, effect.opponent)
                frames.append(compute_strategy_effect(effect, batch_rows, baseline_rows))
        return add_adjusted_p_values(
            table.build_output_frame("effects", table.concat_frames(frames))
        )

    def compare_with_best(
        self, variant: str, opponent: str, best: str, other_strategies: Sequence[str], metric: str
    ) -> pd.DataFrame:
        """Compute the differences between the best strategy and others with the same opponent.

        Every strategy could have been the best, so the differences between all pairs of strategies
        form the family for Holm's correction.
        """
        best_rows = self._find_matchup(variant, best, opponent)
        comparisons = [
            (self._find_matchup(variant, strategy, opponent), best_rows)
            for strategy in other_strategies
        ]
        differences = compute_differences(comparisons, [metric])
        p_values = differences["p"].to_numpy(dtype=float)
        return differences.assign(
            p_holm=adjust_p_values(p_values, comb(len(other_strategies) + 1, 2))
        )

    def _find_matchup(self, variant: str, strategy: str, opponent: str) -> BatchRows:
        """Return the batch rows of a matchup from the perspective of `strategy`."""
        for matchup_index, key in enumerate(self.matchup_keys):
            if key.variant != variant:
                continue
            if (key.a, key.b) == (strategy, opponent):
                return self.load_batches(matchup_index)
            if (key.b, key.a) == (strategy, opponent):
                return self.load_batches(matchup_index).swap_sides()
        raise LookupError(f"The run has no matchup {strategy} v {opponent} in {variant}.")

    @property
    def round_robins(self) -> tuple[str, ...]:
        """Variants in which at least three strategies have all played each other."""
        return tuple(self._round_robin_by_variant)

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """DataFrame of the Elo ratings in every round robin (columns: RATING_COLUMNS, variant)."""
        return self._combine_leagues(
            lambda _, robin: self._widen_intervals(league.compute_ratings(robin)),
            league.RATING_COLUMNS,
        )

    @cached_property
    def standings(self) -> pd.DataFrame:
        """DataFrame of the league table of every round robin (columns: LEAGUE_COLUMNS, variant)."""

        def compute_variant_standings(variant: str, games: round_robin.RoundRobin) -> pd.DataFrame:
            rows = self._load_mirrored_rows(variant)
            ratings = self.ratings[self.ratings["variant"] == variant]
            return league.compute_standings(rows, ratings, compute_equilibrium_mix(games))

        return self._combine_leagues(compute_variant_standings, league.LEAGUE_COLUMNS)

    @property
    def league_estimates(self) -> pd.DataFrame:
        """DataFrame of the league tables with one row per estimate."""
        rows = table.stack_estimates(self.standings, league.LEAGUE_ESTIMATE_COLUMNS)
        return table.build_output_frame("league", rows.assign(kind="league"))

    @cached_property
    def cross_table(self) -> pd.DataFrame:
        """DataFrame of the cross-table of every round robin."""
        unit = self.info.unit
        columns = {"unit": unit, "metric": select_headline_metrics(unit, 2)[0], "kind": "league"}
        frame = self._combine_leagues(
            lambda _, robin: league.compute_cross_table(robin.pairings).assign(**columns),
            (*league.CROSS_TABLE_COLUMNS, *columns),
        )
        return table.build_output_frame("cross", frame)

    def _combine_leagues(
        self,
        build_frame: Callable[[str, round_robin.RoundRobin], pd.DataFrame],
        columns: Sequence[str],
    ) -> pd.DataFrame:
        """Concatenate a DataFrame of each round robin, with a column for the variant."""
        frames = [
            build_frame(*item).assign(variant=item[0])
            for item in self._round_robin_by_variant.items()
        ]
        return table.concat_frames(frames, (*columns, "variant"))

    @cached_property
    def duplicate_strategies(self) -> dict[str, list[tuple[str, ...]]]:
        """Groups of strategies with identical results in round robins, keyed by variant."""
        return {
            variant: league.find_duplicate_strategies(self._load_mirrored_rows(variant))
            for variant in self._round_robin_by_variant
        }

    def _load_mirrored_rows(self, variant: str) -> list[BatchRows]:
        """Return the batch rows of a variant's mirrored matchups, from both perspectives."""
        rows = [
            self.load_batches(i)
            for i in self._mirrored_indices
            if self.matchup_keys[i].variant == variant
        ]
        return [side for batch_rows in rows for side in (batch_rows, batch_rows.swap_sides())]

    @cached_property
    def non_additivity(self) -> dict[str, round_robin.NonAdditivity]:
        """Proportion of the deviance that the ratings do not explain, keyed by variant."""
        return {
            variant: round_robin.compute_non_additivity(robin)
            for variant, robin in self._round_robin_by_variant.items()
        }

    @cached_property
    def triads(self) -> dict[str, round_robin.Triads]:
        """Tests for cyclic triads in every round robin, keyed by variant."""
        cross_table = self.cross_table
        return {
            variant: round_robin.find_cyclic_triads(cross_table[cross_table["variant"] == variant])
            for variant in self._round_robin_by_variant
        }

    @cached_property
    def cyclic_triads(self) -> pd.DataFrame:
        """DataFrame of the cyclic triads of every round robin."""
        frames = [
            triads.cyclic_triads.assign(variant=variant) for variant, triads in self.triads.items()
        ]
        return table.build_output_frame("circles", table.concat_frames(frames))

    @cached_property
    def pairing_efficiency(self) -> pd.DataFrame:
        """DataFrame of double wins, and of the variance reduction by mirrored pairs.

        The columns are `MATCHUP_NAME_COLUMNS`, `PAIRING_COLUMNS` and the numbers of double wins of
        A and B. If the sample size was fixed, the DataFrame also contains the p-value of the exact
        sign test.
        """
        frames = []
        for matchup_index in self._mirrored_indices:
            efficiency = variance.compute_pairing_efficiency(
                self.load_rows(matchup_index),
                self.info.unit,
                self.info.stop_results[matchup_index].interval_multiplier,
            )
            double_wins = variance.count_double_wins(self._sum_matchup_rows(matchup_index))
            sign_test_p_value = np.nan if self.info.stopping_text else double_wins.p
            columns = dict(
                zip(
                    DOUBLE_WIN_COLUMNS,
                    (double_wins.a, double_wins.b, sign_test_p_value),
                    strict=True,
                )
            )
            frames.append(self._add_player_columns(matchup_index, efficiency.assign(**columns)))
        column_names = (*MATCHUP_NAME_COLUMNS, *variance.PAIRING_COLUMNS, *DOUBLE_WIN_COLUMNS)
        return table.concat_frames(frames, column_names)

    @property
    def pairing_estimates(self) -> pd.DataFrame:
        """DataFrame of the variance reduction by mirrored pairs, with one row per estimate."""
        rows = table.stack_estimates(self.pairing_efficiency, variance.PAIRING_ESTIMATE_COLUMNS)
        return table.build_output_frame("pairing", rows)

    @cached_property
    def control_variates(self) -> pd.DataFrame:
        """DataFrame of luck-adjusted metrics, empty if there is a stopping rule."""
        if self.info.stopping_text:
            return table.build_output_frame("adjusted", [])
        frames = []
        for matchup_index, key in enumerate(self.matchup_keys):
            frame = variance.compute_adjusted_metrics(
                params=self.info.get_variant_params(key),
                unit=key.unit,
                rows=self.load_rows(matchup_index),
            )
            frames.append(self._add_player_columns(matchup_index, frame))
        return table.build_output_frame("adjusted", table.concat_frames(frames))

    def iter_deals(self) -> Iterator[tuple[str, str, str, np.ndarray]]:
        """Yield the variant, both strategies and the recorded deals of every batch."""
        for matchup_index, (key, stop_result) in enumerate(self._iter_stops()):
            for batch in self.ledger.iter_deals(matchup_index, stop_result.units, key.batch_size):
                yield key.variant, key.a, key.b, batch

    def load_batches(self, matchup_index: int) -> BatchRows:
        """Return the key and the batch rows of a matchup, from the perspective of A."""
        return BatchRows(
            self.matchup_keys[matchup_index],
            self.load_rows(matchup_index),
            self.info.stop_results[matchup_index].interval_multiplier,
        )

    def load_rows(self, matchup_index: int) -> np.ndarray:
        """Return the batch rows of a matchup as an array, (n_batches, N_COLUMNS) int64."""
        return self.ledger.read_rows(*self._make_ledger_key(matchup_index))

    def _iter_stops(self) -> Iterator[tuple[MatchupKey, StopResult]]:
        """Yield the key of every matchup with its sample size and its reason for stopping."""
        yield from zip(self.matchup_keys, self.info.stop_results, strict=True)

    def _sum_matchup_rows(self, matchup_index: int) -> np.ndarray:
        """Return the sum of all batch rows of a matchup."""
        return self.ledger.compute_total(*self._make_ledger_key(matchup_index))

    def _make_ledger_key(self, matchup_index: int) -> tuple[int, int, int]:
        """Return the arguments that select a matchup in the ledger: index, units and batch size."""
        units = self.info.stop_results[matchup_index].units
        return matchup_index, units, self.matchup_keys[matchup_index].batch_size

    def _add_player_columns(self, matchup_index: int, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a DataFrame with additional columns for the variant and the players."""
        key = self.matchup_keys[matchup_index]
        return frame.assign(variant=key.variant, strategy=key.a, opponent=key.b)

    def _list_compared_metrics(self, matchup_index: int, baseline: int) -> tuple[str, ...]:
        """Return the metrics by which a matchup is compared with its baseline."""
        key = self.matchup_keys[matchup_index]
        metrics: tuple[str, ...] = ()
        # A strategy that plays against itself always wins half of the deals.
        if key.is_mirrored or not key.b:
            metrics += select_headline_metrics(key.unit, len(key.players))
        if key.variant != self.matchup_keys[baseline].variant:
            metrics += VARIANT_COMPARISON_METRICS
        return metrics

    @property
    def _mirrored_indices(self) -> list[int]:
        """Indices of the matchups that are played in mirrored pairs."""
        return [i for i, key in enumerate(self.matchup_keys) if key.is_mirrored]

    @cached_property
    def _round_robin_by_variant(self) -> dict[str, round_robin.RoundRobin]:
        """Round robins of at least three strategies, keyed by variant."""
        indices_by_variant: dict[str, dict[tuple[str, str], int]] = {}
        for matchup_index in self._mirrored_indices:
            key = self.matchup_keys[matchup_index]
            indices_by_variant.setdefault(key.variant, {})[key.a, key.b] = matchup_index
        leagues = {}
        for variant, indices in indices_by_variant.items():
            n_strategies = len(set(chain.from_iterable(indices)))
            if n_strategies > 2 and len(indices) == comb(n_strategies, 2):
                pairings = {pair: self.load_rows(index) for pair, index in indices.items()}
                leagues[variant] = round_robin.RoundRobin(pairings, self.info.seed)
        return leagues

    def _widen_intervals(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Widen the intervals of ratings to account for a stopping rule."""
        widening_factor = self.interval_multiplier / Z95
        value_by_bound = {"low": "elo", "high": "elo", "lead_low": "lead", "lead_high": "lead"}
        for name, value in value_by_bound.items():
            frame[name] = frame[value] + widening_factor * (frame[name] - frame[value])
        return frame


def run_plan(
    plan: Plan,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    run_ledger: Ledger | None = None,
    scheduler: str | None = None,
    record_deals: bool = False,
    make_live_estimate: Callable[[Plan, Ledger], LiveEstimate] = LiveEstimate,
) -> RunResults:
    """Play all matchups that are missing from the ledger, and return the results.

    Args:
        plan: Plan with the matchups and their sizes.
        workers: Number of worker threads.
        on_progress: Callback that reports the total progress of matchups and extra passes.
        run_ledger: Ledger of the plan, which must stay open while the results are used. By default,
            the ledger is in memory and exists as long as the results.
        scheduler: Address of a dask cluster whose workers play the matchups.
        record_deals: True to store every deal.
        make_live_estimate: Function that returns the source of interim results.

    Raises:
        InvariantError: If a batch that is played again has a different result.
    """
    with ExitStack() as exit_stack:
        if run_ledger is None:
            run_ledger = exit_stack.enter_context(ledger.open_ledger(None, plan.identity))
        stage: Plan | None = plan
        while stage is not None:
            plan = stage
            live_estimate = make_live_estimate(plan, run_ledger)
            stop_results = _play_stage(
                plan,
                workers,
                on_progress,
                run_ledger,
                live_estimate,
                scheduler,
                record_deals=record_deals,
            )
            stage = plan.plan_next_stage(RunResults(make_run_info(plan, stop_results), run_ledger))
        homogeneity = check_homogeneity(plan.matchups, stop_results, run_ledger)
        results = RunResults(make_run_info(plan, stop_results, homogeneity), run_ledger)
        weakref.finalize(results, exit_stack.pop_all().close)
        return results


def run_saved_plan(
    plan: Plan,
    output: str | Path,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    **options: Any,
) -> RunResults:
    """Play a plan, save its ledger in a directory, and return results with a copy of the ledger.

    If the directory contains an unfinished run of the plan, finished blocks are not played again.

    Raises:
        ResultsError: If the directory contains other files or cannot be written.
        LedgerError: If the directory contains another run.
    """
    path = directory.create_run_directory(output)
    with ExitStack() as exit_stack:
        ledger_copy = exit_stack.enter_context(ledger.open_ledger(None, plan.identity))
        with ledger.open_ledger(path, plan.identity) as saved_ledger:
            run_info = run_plan(plan, workers, on_progress, run_ledger=saved_ledger, **options).info
            saved_ledger.copy_to(ledger_copy)
        results = RunResults(run_info, ledger_copy)
        weakref.finalize(results, exit_stack.pop_all().close)
        return results


def _play_stage(
    plan: Plan,
    workers: int | None,
    on_progress: OnProgress | None,
    run_ledger: Ledger,
    live_estimate: LiveEstimate,
    scheduler: str | None,
    *,
    record_deals: bool,
) -> list[StopResult]:
    """Play the missing extra passes and matchups of a plan (see `run_plan`)."""
    on_block = None if on_progress is None else live_estimate.add
    progress, report_pass_progress = _split_progress(plan, run_ledger, on_progress, live_estimate)
    runner.play_passes(plan.extra_passes, run_ledger, workers, report_pass_progress, on_block)
    with closing(runner.make_pool(workers, scheduler)) as pool:
        pool.prepare(plan.matchups)
        return runner.run_tasks(
            plan.tasks,
            run_ledger,
            pool,
            progress,
            on_block=on_block,
            stopping_rules=plan.stopping_rules,
            seconds=plan.seconds,
            record_deals=record_deals,
        )


def _split_progress(
    plan: Plan, run_ledger: Ledger, on_progress: OnProgress | None, live_estimate: LiveEstimate
) -> tuple[ProgressCallback | None, ProgressCallback | None]:
    """Return progress callbacks for the matchups and for the extra passes of a plan."""
    if on_progress is None:
        return None, None
    n_units, max_units = sum(task.units for task in plan.tasks), plan.max_units
    missing_units = count_remaining_units_by_task(plan.tasks, run_ledger, with_deals=False)
    n_finished = n_units - sum(missing_units)
    passes = runner.find_missing_passes(plan.extra_passes, run_ledger)
    n_passes = sum(extra_pass.block.units for extra_pass in passes)

    def report_matchup_progress(done: int, total: int) -> None:
        on_progress(done, max_units or total, live_estimate.render)

    def report_pass_progress(done: int, total: int) -> None:
        on_progress(
            n_finished + n_passes * done // total, max_units or n_units, live_estimate.render
        )

    return report_matchup_progress, report_pass_progress


def _suggest_continuation(command: str, directory_path: Path) -> str:
    """Return a sentence that states how to continue the unfinished run in a directory.

    The paths of strategy files in the command can be relative to the first working directory.
    """
    if not command:
        return "Repeat the command of the run."
    if ".py" not in command:
        command = directory.set_directory_option(command, directory_path)
        return f"Continue the run with: {command}"
    command = directory.set_directory_option(command, directory_path.resolve())
    return f"Continue the run in the directory in which you started it, with: {command}"


@contextmanager
def load_results(directory_path: Path) -> Iterator[RunResults]:
    """Open the results of a finished run in a directory for the duration of a `with` block.

    Raises:
        ResultsError: If the directory does not contain a valid, finished run.
        LedgerError: If the ledger cannot be read.
    """
    path = directory_path / ledger.LEDGER_FILE
    with ExitStack() as exit_stack:
        with directory.report_corruption(directory_path):
            if path.is_file() and not (directory_path / directory.MANIFEST_FILE).exists():
                with ledger.open_existing_ledger(path) as unfinished_ledger:
                    suggestion = _suggest_continuation(unfinished_ledger.command, directory_path)
                raise directory.ResultsError(
                    f"the run in {directory_path} is not finished. {suggestion}"
                )
            manifest_entries = directory.read_manifest(directory_path)
            if not path.is_file() and "contrasts" not in manifest_entries:
                raise directory.ResultsError(
                    f"{directory_path} does not contain a run or a review. To regenerate its "
                    f"files, repeat the command: {manifest_entries.get('command')}"
                )
            run_info = read_run_info(directory_path, manifest_entries)
            run_ledger = exit_stack.enter_context(ledger.open_existing_ledger(path))
            check_ledger(directory_path, run_info, run_ledger)
        yield RunResults(run_info, run_ledger)


def compute_strategy_effect(
    effect: FieldChange, rows: BatchRows, baseline_rows: BatchRows | None
) -> pd.DataFrame:
    """Compute the effect of a change to a strategy on points and on matches won.

    A *field* consists of the strategy that is changed and its opponent. If the unchanged strategy
    is also the opponent, the effect is the result of the changed strategy. In self-play,
    the baseline would win half of the deals and score no points. Otherwise, the effect is a
    difference on the same deals.

    Args:
        effect: Change of strategy, and the field in which its effect is measured.
        rows: Rows of the changed strategy.
        baseline_rows: Rows of the unchanged strategy, or None if this strategy would play against
            itself.

    Returns:
        DataFrame with the columns of the output `effects` except `p_holm`, which depends on all
        effects of the run. If matches were played, the DataFrame includes matches won.
    """
    if baseline_rows is None:
        frame = _compute_difference_from_self_play(rows)
    else:
        frame = compute_differences([(rows, baseline_rows)], _list_self_play_metrics(rows))
    labels = {"base_strategy": effect.baseline, "kind": "effect"}
    frame = frame.assign(change=effect.change, field=effect.field, p_holm=np.nan, **labels)
    columns = table.list_output_columns("effects")
    return frame.drop(columns=[name for name in frame if name not in columns])


def _format_stop_reason(reason: str) -> str:
    """Return the reason for stopping, as a sentence if a run did not reach its precision."""
    if not reason.endswith(UNREACHED_SUFFIX):
        return reason
    target = reason.removeprefix("stop when ").removesuffix(UNREACHED_SUFFIX)
    return (
        f"the run reached its maximum size before {target.replace(' is known', ' was known', 1)}. "
        "The intervals are wider than in a run of this size without `until`."
    )


def _list_self_play_metrics(batch_rows: BatchRows) -> list[str]:
    """Return the metrics whose exact value in self-play is known."""
    return ["margin", "match_win"] if batch_rows.matchup.unit == "match" else ["margin"]


def _align_opponents(compared: BatchRows, baseline: BatchRows) -> tuple[BatchRows, BatchRows]:
    """Return both matchups from the perspectives of the strategies that have the same opponent.

    A matchup can be stored with its sides swapped if several keys of an experiment file define it.
    """
    pairs = (
        (rows, base_rows)
        for rows in (compared, compared.swap_sides())
        for base_rows in (baseline, baseline.swap_sides())
        if rows.opponent == base_rows.opponent
    )
    return next(pairs, (compared, baseline))


def _compute_difference_from_self_play(batch_rows: BatchRows) -> pd.DataFrame:
    """Compute the differences between a strategy's results and those of self-play."""
    rows = []
    total = batches.sum_rows(batch_rows.rows)
    for name in _list_self_play_metrics(batch_rows):
        metric = METRICS_BY_NAME[name]
        estimate = estimate_metric(total, metric, batch_rows.as_b, batch_rows.critical_value)
        self_play_value = SELF_PLAY_VALUE_BY_METRIC[name]
        difference = estimate.value - self_play_value
        row = {
            "variant": batch_rows.matchup.variant,
            "strategy": batch_rows.strategy,
            "opponent": batch_rows.opponent,
            "unit": metric.unit,
            "metric": name,
            "value": difference,
            "se": estimate.se,
            "low": estimate.low - self_play_value,
            "high": estimate.high - self_play_value,
            "p": compute_two_sided_p_value(difference, estimate.se, estimate.n),
            "n": batches.count_games(batch_rows.rows, metric.unit),
        }
        if batch_rows.critical_value is not None:
            # If the run had a stopping rule, significance depends on the wider interval.
            row["p"] = np.nan
        rows.append(row)
    return table.make_frame(rows)
