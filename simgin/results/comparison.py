"""Comparison of two finished runs by the matchups that both runs contain.

If both runs have the same deals, the differences are paired.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core.matchup_key import MatchupKey
from simgin.report.report import Report
from simgin.results import run_report, sentences
from simgin.results.run_results import VARIANT_COMPARISON_METRICS, RunResults
from simgin.runs.result import Result
from simgin.runs.stopping import StopResult
from simgin.stats import batches, differences
from simgin.stats.batches import BatchRows
from simgin.stats.differences import BatchRowsPair
from simgin.stats.metrics import select_headline_metrics
from simgin.stats.table import format_csv
from simgin.text.amounts import UNIT_PLURALS, format_count_range
from simgin.text.messages import SimginError

if TYPE_CHECKING:
    import pandas as pd

# Maximum number of rows of a table that is not collapsed. On narrow terminals, a row has two or
# three lines.
MAX_EXPANDED_ROWS = 9
# identity keys that are compared elsewhere or that do not affect results
IGNORED_IDENTITY_KEYS = ("question", "hypothesis", "matchups")


class ComparisonError(SimginError):
    """Exception for two runs that cannot be compared, with a message that suggests a fix."""


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Differences between two runs, available while the ledgers of both runs are open.

    Attributes:
        run: Results of a run.
        baseline: Results of the baseline run.
        names: Names of the run and of the baseline run.
        pairs: Batch rows of the compared matchups of both runs.
        differences: Output `differences`.
    """

    run: RunResults
    baseline: RunResults
    names: tuple[str, str]
    pairs: Sequence[BatchRowsPair]
    differences: pd.DataFrame

    @property
    def identity(self) -> Mapping[str, Any]:
        """Settings that determine the comparison (see `Result.identity`)."""
        return self.run.ledger.identity

    @property
    def stop_results(self) -> list[StopResult]:
        """Sample sizes of the matchups (see `Result.stop_results`)."""
        return [StopResult(stop.units) for stop in self.run.stop_results]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the differences between the runs as a DataFrame, keyed by name."""
        return {"differences": self.differences}

    def report(self, command: str) -> Report:
        """Return the report of the comparison."""
        return build_comparison_report(self, command)


def compare_runs(
    run: RunResults, baseline: RunResults, names: tuple[str, str], margin: str | float | None = None
) -> Comparison:
    """Compute the differences between two runs (run minus baseline) for their common matchups.

    If the runs have no common matchup, matchups at the same position are compared.

    Args:
        run: Results of a run.
        baseline: Results of the baseline run.
        names: Names of the run and of the baseline run.
        margin: Margin of an equivalence test (`differences.add_equivalence_verdicts`), or None to
            omit the test.

    Returns:
        DataFrame with the columns of the output `differences` (rows.toml).

    Raises:
        ComparisonError: If the runs cannot be compared.
    """
    pairs = list(_iter_common_matchups(run, baseline))
    if not pairs and len(run.matchup_keys) == len(baseline.matchup_keys):
        pairs = list(zip(_load_batch_rows(run), _load_batch_rows(baseline), strict=True))
    if not pairs:
        raise ComparisonError(
            "these runs have no matchup in common and have different numbers of matchups. Compare "
            "runs with the same players."
        )
    units = [UNIT_PLURALS[results.info.unit] for results in (run, baseline)]
    if units[0] != units[1]:
        raise ComparisonError(
            f"the runs use different units ({units[0]} and {units[1]}). Compare runs that use the "
            "same unit."
        )
    shared_metrics: dict[str, None] = {}
    for batch_rows, _ in pairs:
        key = batch_rows.matchup
        shared_metrics |= dict.fromkeys(select_headline_metrics(key.unit, len(key.players)))
    frame = differences.compute_differences(pairs, [*shared_metrics, *VARIANT_COMPARISON_METRICS])
    frame = frame if margin is None else differences.add_equivalence_verdicts(frame, margin)
    return Comparison(run, baseline, names, pairs, frame)


def build_comparison_report(comparison: Comparison, command: str) -> Report:
    """Return the report of a comparison.

    A long table is a detail table of the report. If the results are identical, the report has no
    table.
    """
    run, baseline, differences_frame = comparison.run, comparison.baseline, comparison.differences
    display_names = {**baseline.info.display_names, **run.info.display_names}
    labelled_differences = differences_frame.replace(display_names)
    is_identical = has_identical_results(comparison.pairs)
    verdict = describe_compared_deals(comparison)
    if not is_identical:
        verdict += sentences.describe_differences(labelled_differences)
    if "margin" in labelled_differences:
        verdict += differences.describe_equivalence_verdicts(labelled_differences)
    if changed_settings := list_changed_settings(run, baseline, comparison.names):
        verdict += ["The runs differ in the following settings:", *changed_settings]
    table = run_report.build_differences_table(labelled_differences)
    tables = [] if is_identical else [table]
    is_short = len(table.rows) <= MAX_EXPANDED_ROWS
    return Report(
        "How does {} differ from {}?".format(*comparison.names),
        verdict=verdict,
        tables=tables * is_short,
        detail_tables=tables * (not is_short),
        command=command,
        files={"differences.csv": format_csv(differences_frame)},
    )


def has_identical_results(pairs: Sequence[BatchRowsPair]) -> bool:
    """Return True if the compared deals have the same results in both runs."""
    aligned_pairs = [differences.align_batches(*pair) for pair in pairs]
    return all(pair and np.array_equal(pair[0].rows, pair[1].rows) for pair in aligned_pairs)


def describe_compared_deals(comparison: Comparison) -> list[str]:
    """Return sentences about identical results, and about deals and matchups of only one run."""
    return [*_describe_common_deals(comparison), *_list_uncompared_matchups(comparison)]


def _describe_common_deals(comparison: Comparison) -> list[str]:
    """Return sentences about the deals of the common matchups."""
    unit = comparison.run.info.unit
    aligned_pairs = [differences.align_batches(*pair) or pair for pair in comparison.pairs]
    sizes, aligned_sizes = (
        np.array([[batches.count_games(side.rows, unit) for side in pair] for pair in pairs])
        for pairs in (comparison.pairs, aligned_pairs)
    )
    is_identical = has_identical_results(comparison.pairs)
    is_partial = any(_list_uncompared_matchups(comparison))
    if np.array_equal(sizes, aligned_sizes):
        results_text = "results of the common matchups" if is_partial else "results of both runs"
        return [f"The {results_text} are identical."] * is_identical
    each_text = f"of each {'common ' * is_partial}matchup " if is_partial or len(sizes) > 1 else ""
    result_text = "identical in both runs" if is_identical else "compared"
    units, size_text = UNIT_PLURALS[unit], format_count_range(aligned_sizes[:, 0].tolist())
    return [f"The first {size_text} {units} {each_text}are {result_text}."] + [
        f"{name} has {n_more:,} more {units}, which are not compared."
        for name, n_more in zip(comparison.names, (sizes - aligned_sizes).sum(axis=0), strict=True)
        if n_more
    ]


def _list_uncompared_matchups(comparison: Comparison) -> list[str]:
    """Return a sentence for each run that contains matchups that the other run does not contain."""
    counts = [
        len(results.matchup_keys) - len(comparison.pairs)
        for results in (comparison.run, comparison.baseline)
    ]
    return [
        f"{name} contains {n_more} matchup{'s' * (n_more > 1)} that {other_name} does not contain."
        for name, other_name, n_more in zip(
            comparison.names, comparison.names[::-1], counts, strict=True
        )
        if n_more
    ]


def list_changed_settings(
    run: RunResults, baseline: RunResults, names: tuple[str, str]
) -> list[str]:
    """Return a line for each setting that differs between two runs, such as a strategy.

    Args:
        run: Results of a run.
        baseline: Results of the baseline run.
        names: Names of the run and of the baseline run.
    """
    baseline_identity, run_identity = (
        {
            key: value
            for key, value in results.ledger.identity.items()
            if key not in IGNORED_IDENTITY_KEYS
        }
        for results in (baseline, run)
    )
    for key in ("variants", "strategies"):
        shared_names = baseline_identity[key].keys() & run_identity[key].keys()
        for identity in (baseline_identity, run_identity):
            settings = identity[key].items()
            identity[key] = {name: setting for name, setting in settings if name in shared_names}
    return [
        f"{key}: {_format_setting(value)} in {names[0]}, {_format_setting(base_value)} in "
        f"{names[1]}."
        for key, value, base_value in _iter_changed_values(run_identity, baseline_identity)
    ]


def _iter_changed_values(value: Any, base_value: Any, *keys: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the key path and both values of each setting that differs between two identities."""
    if isinstance(value, Mapping) and isinstance(base_value, Mapping):
        for key in {**base_value, **value}:
            yield from _iter_changed_values(value.get(key), base_value.get(key), *keys, str(key))
    elif value != base_value:
        yield ", ".join(keys), value, base_value


def _format_setting(value: Any) -> str:
    """Format the value of a setting as JSON."""
    return "no value" if value is None else json.dumps(value, ensure_ascii=False)


def _iter_common_matchups(
    run: RunResults, baseline: RunResults
) -> Iterator[tuple[BatchRows, BatchRows]]:
    """Yield the batch rows of both runs for each common matchup, with the same player as A."""
    baseline_rows = {_get_matchup_names(rows.matchup): rows for rows in _load_batch_rows(baseline)}
    for batch_rows in _load_batch_rows(run):
        variant, strategy_a, strategy_b = names = _get_matchup_names(batch_rows.matchup)
        same_matchup, swapped_matchup = (
            baseline_rows.get(names),
            baseline_rows.get((variant, strategy_b, strategy_a)),
        )
        if same_matchup is not None:
            yield batch_rows, same_matchup
        elif swapped_matchup is not None:
            yield batch_rows, swapped_matchup.swap_sides()


def _load_batch_rows(run: RunResults) -> list[BatchRows]:
    """Return the batch rows of every matchup of a run."""
    return [run.load_batches(i) for i in range(len(run.matchup_keys))]


def _get_matchup_names(key: MatchupKey) -> tuple[str, str, str]:
    """Return the variant and both strategies of a matchup."""
    return key.variant, key.a, key.b
