"""Information about a run that determines its results, stored as strings and numbers.

The information comes from a run that has just been played or from a manifest. Strategy files are
not needed, because they could have been changed or deleted since the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import batch_columns
from simgin.core.matchup_key import MatchupKey
from simgin.play.kernel import play_batches
from simgin.play.matchup import Matchup
from simgin.runs import block, manifest
from simgin.runs.directory import MANIFEST_FILE, ResultsError, make_corrupt_manifest_error
from simgin.runs.ledger import LEDGER_FILE, Ledger, describe_identity_differences
from simgin.runs.plan import FieldChange, Plan
from simgin.runs.stopping import StopResult
from simgin.stats.batches import HomogeneityTest, list_homogeneity_columns, run_homogeneity_test
from simgin.stats.metrics import select_headline_metrics
from simgin.text.amounts import UNIT_PLURALS, format_count_range
from simgin.text.messages import format_value


@dataclass(frozen=True)
class RunInfo:
    """Settings and sample sizes of a run whose matchups share one seed and unit of play."""

    identity: Mapping[str, Any]  # dictionary returned by `simgin.runs.manifest.build_identity`
    stop_results: Sequence[StopResult]  # results of the stopping rule, one per matchup
    # indices of each matchup and of its baseline
    contrasts: Sequence[Sequence[int]] = ()
    effects: Sequence[FieldChange] = ()
    # rows returned by `check_homogeneity`; can be empty
    homogeneity_tests: Sequence[Mapping[str, Any]] = ()
    # user-defined labels and short names of strategy files, by spec
    display_names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def matchup_keys(self) -> tuple[MatchupKey, ...]:
        """Keys of the matchups, in table order."""
        return manifest.parse_matchup_keys(self.identity)

    def get_variant_params(self, matchup_key: MatchupKey) -> Mapping[str, Any]:
        """Return the rule parameters of a matchup's variant, keyed by name."""
        params: Mapping[str, Any] = self.identity["variants"][matchup_key.variant]
        return params

    def with_display_names(self) -> RunInfo:
        """Return a copy with display names instead of specs."""

        def get_display_name(spec: str) -> str:
            return self.display_names.get(spec, spec)

        identity = dict(self.identity)
        identity["matchups"] = [
            {**matchup, **{key: get_display_name(matchup[key]) for key in ("variant", "a", "b")}}
            for matchup in identity["matchups"]
        ]
        for key in ("variants", "strategies"):
            identity[key] = {get_display_name(name): entry for name, entry in identity[key].items()}
        effects = [
            FieldChange(effect.change, *map(get_display_name, effect[1:]))
            for effect in self.effects
        ]
        return replace(self, identity=identity, effects=effects)

    @property
    def seed(self) -> int:
        """Seed of every matchup."""
        return int(self.identity["seed"])

    @property
    def unit(self) -> str:
        """Unit of play of every matchup, "deal" or "match"."""
        return str(self.identity["unit"])

    @property
    def question(self) -> str:
        """Question that the experiment answers, or "" for a single matchup."""
        return self.identity["question"] or ""

    @property
    def hypothesis(self) -> str:
        """Expected result of the experiment, or "" if there is none."""
        return self.identity["hypothesis"] or ""

    @property
    def stopping_text(self) -> str:
        """Description of the stopping rule, or "" if the size or the time is fixed."""
        return self.identity["stop"] or ""


def make_run_info(
    plan: Plan, stop_results: Sequence[StopResult], tests: Sequence[Mapping[str, Any]] = ()
) -> RunInfo:
    """Return the information about a run, from its plan and the sizes of its matchups."""
    display_names = plan.display_names
    return RunInfo(plan.identity, stop_results, plan.contrasts, plan.effects, tests, display_names)


def read_run_info(directory_path: Path, manifest_entries: Mapping[str, Any]) -> RunInfo:
    """Read the information about a run from the manifest in a directory.

    Raises:
        ResultsError: If another version of simgin wrote the manifest, or if it describes a search.
    """
    if "tune" in manifest_entries:
        raise ResultsError(
            f"{directory_path} contains a search, not a run. To write its files again, run "
            f"`{manifest_entries.get('command')}`."
        )
    manifest_format = manifest_entries.get("form")
    if manifest_format != manifest.MANIFEST_FORMAT:
        raise ResultsError(
            f"{directory_path} was written by another version of simgin (format "
            f"{format_value(manifest_format)}, not {manifest.MANIFEST_FORMAT}). Repeat the run "
            "with this version."
        )
    matchups = manifest_entries["matchups"]
    stop_results = [
        StopResult(matchup["units"], matchup["stopped"], matchup["multiplier"])
        for matchup in matchups
    ]
    effects = [FieldChange(*specs) for specs in manifest_entries.get("effects", [])]
    return RunInfo(
        manifest_entries,
        stop_results,
        manifest_entries["contrasts"],
        effects,
        manifest_entries["health"],
        manifest_entries.get("names", {}),
    )


def check_ledger(directory_path: Path, info: RunInfo, run_ledger: Ledger) -> None:
    """Raise ResultsError unless the ledger belongs to the run described in the manifest."""
    matchup_keys = ("variant", "a", "b")
    identity = dict(run_ledger.identity)
    manifest_identity = {key: info.identity.get(key) for key in identity}
    manifest_identity["matchups"] = [
        {name: matchup[name] for name in matchup_keys} for matchup in info.identity["matchups"]
    ]
    differing_entries = describe_identity_differences(manifest_identity, identity)
    if differing_entries:
        difference = differing_entries[0].rstrip(".")
        raise make_corrupt_manifest_error(
            directory_path / MANIFEST_FILE, f"{LEDGER_FILE} belongs to another run: {difference}"
        )


def describe_size(info: RunInfo) -> str:
    """Return sentences about the sample size, the mirrored deals and the seed of a run."""
    unit = UNIT_PLURALS[info.unit]
    results = list(zip(info.matchup_keys, info.stop_results, strict=True))
    n_pairs = [stop.units for key, stop in results if key.is_mirrored]
    n_unpaired = [stop.units for key, stop in results if not key.is_mirrored]
    sentences = []
    if not info.matchup_keys[0].b:
        each_text = " each" if len(n_unpaired) > 1 else ""
        sentences.append(
            f"Not mirrored: {format_count_range(n_unpaired)} independent solitaire "
            f"{unit}{each_text}."
        )
    if n_pairs:
        each_text = " per matchup" if len(n_pairs) > 1 else ""
        sentences.append(
            f"Mirrored: {format_count_range(n_pairs)} pairs of {unit}{each_text}, each with the "
            "same deals and the seats swapped. Standard errors are computed over pairs."
        )
    if n_unpaired and info.matchup_keys[0].b:
        names = ", ".join(dict.fromkeys(key.a for key, _ in results if not key.is_mirrored))
        sentences.append(
            f"Not mirrored: {names} against itself, {format_count_range(n_unpaired)} {unit}."
        )
    return " ".join([*sentences, f"Seed {info.seed}."])


# Health of a run: homogeneity of the win rate over batches and workers

# A batch is played again if the p-value is below this number, which happens in 1 of 1,000 valid
# runs.
MAX_P_VALUE_FOR_REPLAY = 0.001


def check_homogeneity(
    matchups: Sequence[Matchup], stop_results: Sequence[StopResult], ledger: Ledger
) -> list[dict[str, Any]]:
    """Test whether the win rate of each matchup is the same for all batches and workers.

    If a batch differs too much from the other batches, it is played again.

    Args:
        matchups: Matchups of the run.
        stop_results: Number of units played in every matchup.
        ledger: Ledger of the run.

    Returns:
        Chi-square tests of homogeneity for the manifest, one entry per matchup.

    Raises:
        InvariantError: If a batch has a different result when it is played again.
    """
    return [
        _test_matchup_homogeneity(i, matchup, stop.units, ledger)
        for i, (matchup, stop) in enumerate(zip(matchups, stop_results, strict=True))
    ]


def describe_homogeneity(tests: Sequence[Mapping[str, Any]], *groups: str) -> str:
    """Return a sentence about the smallest p-values of the homogeneity tests.

    Args:
        tests: Tests returned by `check_homogeneity`.
        *groups: Tests to report: "batches", "workers" or both.

    Returns:
        Sentence about homogeneity, or an empty string if there is nothing to compare.
    """
    p_values_by_group = {group: _select_defined_p_values(tests, group) for group in groups}
    n_tests = len(p_values_by_group["batches"])
    if not n_tests:
        return ""
    smallest_text = f"smallest p-value of {n_tests} " if n_tests > 1 else ""
    p_values = ", ".join(
        f"p = {min(group_p_values):.2g} over {group}"
        for group, group_p_values in p_values_by_group.items()
        if group_p_values
    )
    test_name = "chi-square tests" if n_tests > 1 else "chi-square test"
    sentence = (
        f"Homogeneity of win rates ({smallest_text}{test_name}): {p_values}. A p-value below "
        f"{MAX_P_VALUE_FOR_REPLAY:g} is unusual."
    )
    n_replayed = sum("played_again" in row for row in tests)
    if n_replayed:
        subject = "1 unusual batch was" if n_replayed == 1 else f"{n_replayed} unusual batches were"
        sentence += f" {subject} played again, with the same result."
    return sentence


def _select_defined_p_values(tests: Sequence[Mapping[str, Any]], groups: str) -> list[float]:
    """Return the p-values that are not None, for batches or for workers."""
    return [row[groups]["p"] for row in tests if row[groups]["p"] is not None]


def _test_matchup_homogeneity(
    matchup_index: int, matchup: Matchup, units: int, ledger: Ledger
) -> dict[str, Any]:
    """Test the homogeneity of a matchup, and replay its most unusual batch if p < 0.001."""
    key = (matchup_index, units, matchup.batch_size)
    metric, _ = select_headline_metrics(matchup.unit, len(matchup.players))
    columns, total = (
        ledger.read_rows(*key, list_homogeneity_columns(metric)),
        ledger.compute_total(*key),
    )
    workers = ledger.list_workers(*key)
    worker_names = list(dict.fromkeys(workers))
    worker_indices = [worker_names.index(worker) for worker in workers]
    batch_test = run_homogeneity_test(columns, total, metric)
    worker_test = run_homogeneity_test(columns, total, metric, worker_indices)
    entry: dict[str, Any] = {
        "metric": metric,
        "batches": _to_manifest_entry(batch_test),
        "workers": {**_to_manifest_entry(worker_test), "names": worker_names},
    }
    if batch_test.p < MAX_P_VALUE_FOR_REPLAY:
        batch = batch_test.largest_group
        entry["played_again"] = _replay_batch(matchup, batch, ledger.read_rows(*key)[batch])
    return entry


def _replay_batch(matchup: Matchup, batch: int, batch_row: np.ndarray) -> int:
    """Check that a batch has the same result when it is played again; return its index.

    Raise InvariantError if the result differs from the first result.
    """
    units = int(batch_row[batch_columns.UNITS_COLUMN])
    new_rows = play_batches(matchup, batch * matchup.batch_size, units)[0]
    if (new_rows != batch_row).any():
        raise block.InvariantError(
            f"{matchup.title} ({matchup.variant.spec}): batch {batch} gave a different result "
            "when it was played again. Check first whether a strategy depends on anything outside "
            "its file, such as a data file, the time or another package. If not, run `simgin "
            "doctor` on all machines that took part in the run. Then repeat the run in another "
            "directory."
        )
    return batch


def _to_manifest_entry(test: HomogeneityTest) -> dict[str, float | int | None]:
    """Return a chi-square test as a manifest entry, with None for undefined values."""
    return {
        "chi_square": _round_value(test.statistic),
        "df": test.df,
        "p": None if np.isnan(test.p) else float(f"{test.p:.4g}"),
        "largest_residual": _round_value(test.largest_residual),
    }


def _round_value(value: float) -> float | None:
    """Round a number for the manifest, or return None for NaN."""
    return None if np.isnan(value) else round(value, 3)
