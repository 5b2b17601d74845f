"""Information that determines the results of a run, as strings and numbers.

The information comes from a run that was just played, or from a manifest. The files of the
strategies are not needed, because they could have been changed or deleted since the run.
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
from simgin.runs.directory import MANIFEST_FILE, ResultsError, corrupt_manifest_error
from simgin.runs.ledger import LEDGER_FILE, Ledger, identity_differences
from simgin.runs.plan import FieldChange, Plan
from simgin.runs.stopping import StopResult
from simgin.stats.batches import Homogeneity, compute_homogeneity, homogeneity_columns
from simgin.stats.metrics import headline_metrics
from simgin.text.amounts import UNIT_PLURALS, format_count_range
from simgin.text.messages import format_value


@dataclass(frozen=True)
class RunInfo:
    """Information about a run whose matchups all have the same seed and unit of play."""

    identity: Mapping[str, Any]  # dictionary that `simgin.runs.manifest.build_identity` returns
    stop_results: Sequence[StopResult]  # results of the stopping rule, one per matchup
    # Indices of a matchup and of the baseline of the matchup
    contrasts: Sequence[Sequence[int]] = ()
    effects: Sequence[FieldChange] = ()
    health: Sequence[Mapping[str, Any]] = ()  # rows that `check_homogeneity` returns; can be empty
    # Labels that the user defined, and short names of strategies from files, by spec
    display_names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def matchup_keys(self) -> tuple[MatchupKey, ...]:
        """Keys of the matchups, in table order."""
        return manifest.parse_matchup_keys(self.identity)

    def variant_params(self, matchup_key: MatchupKey) -> Mapping[str, Any]:
        """Return the parameters of the variant of a matchup, by name."""
        params: Mapping[str, Any] = self.identity["variants"][matchup_key.variant]
        return params

    def with_display_names(self) -> RunInfo:
        """Return a copy in which display names replace the specs of strategies."""

        def display_name(text: str) -> str:
            return self.display_names.get(text, text)

        identity = dict(self.identity)
        identity["matchups"] = [
            {**matchup, **{key: display_name(matchup[key]) for key in ("variant", "a", "b")}}
            for matchup in identity["matchups"]
        ]
        for key in ("variants", "strategies"):
            identity[key] = {display_name(name): entry for name, entry in identity[key].items()}
        effects = [
            FieldChange(effect.change, *map(display_name, effect[1:])) for effect in self.effects
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
        """Question of the experiment, or "" for a single matchup."""
        return self.identity["question"] or ""

    @property
    def hypothesis(self) -> str:
        """Expected result of the experiment, or "" if none is stated."""
        return self.identity["hypothesis"] or ""

    @property
    def stopping_text(self) -> str:
        """Description of the stopping rule, or "" for a fixed size or time."""
        return self.identity["stop"] or ""


def make_run_info(
    plan: Plan, stop_results: Sequence[StopResult], health: Sequence[Mapping[str, Any]] = ()
) -> RunInfo:
    """Build the information about a run from its plan and from the sizes of its matchups."""
    names = plan.display_names
    return RunInfo(plan.identity, stop_results, plan.contrasts, plan.effects, health, names)


def read_run_info(directory_path: Path, manifest_entries: Mapping[str, Any]) -> RunInfo:
    """Read the information about a run from the manifest in a directory.

    Raises:
        ResultsError: If another version of simgin wrote the manifest, or if it describes a search.
    """
    if "tune" in manifest_entries:
        raise ResultsError(
            f"{directory_path} contains a search, not a run. To rewrite the files of the search, "
            f"run `{manifest_entries.get('command')}`."
        )
    form = manifest_entries.get("form")
    if form != manifest.MANIFEST_FORMAT:
        raise ResultsError(
            f"{directory_path} was written by another version of simgin (format "
            f"{format_value(form)}, not {manifest.MANIFEST_FORMAT}). Repeat the run "
            "with this version."
        )
    matchups = manifest_entries["matchups"]
    stop_results = [
        StopResult(matchup["units"], matchup["stopped"], matchup["multiplier"])
        for matchup in matchups
    ]
    effects = [FieldChange(*texts) for texts in manifest_entries.get("effects", [])]
    return RunInfo(
        manifest_entries,
        stop_results,
        manifest_entries["contrasts"],
        effects,
        manifest_entries["health"],
        manifest_entries.get("names", {}),
    )


def check_ledger(directory_path: Path, info: RunInfo, run_ledger: Ledger) -> None:
    """Raise ResultsError unless the ledger in a directory belongs to the run in the manifest."""
    names = ("variant", "a", "b")
    identity = dict(run_ledger.identity)
    expected = {key: info.identity.get(key) for key in identity}
    expected["matchups"] = [
        {name: matchup[name] for name in names} for matchup in info.identity["matchups"]
    ]
    different = identity_differences(expected, identity)
    if different:
        difference = different[0].rstrip(".")
        raise corrupt_manifest_error(
            directory_path / MANIFEST_FILE, f"{LEDGER_FILE} belongs to another run: {difference}"
        )


def describe_size(info: RunInfo) -> str:
    """Return sentences about the size of a run, the mirroring of deals and the seed."""
    unit = UNIT_PLURALS[info.unit]
    results = list(zip(info.matchup_keys, info.stop_results, strict=True))
    paired = [stop.units for key, stop in results if key.is_mirrored]
    unpaired = [stop.units for key, stop in results if not key.is_mirrored]
    sentences = []
    if not info.matchup_keys[0].b:
        each = " each" if len(unpaired) > 1 else ""
        sentences.append(
            f"Not mirrored: {format_count_range(unpaired)} independent solitaire {unit}{each}."
        )
    if paired:
        each = " per matchup" if len(paired) > 1 else ""
        sentences.append(
            f"Mirrored: {format_count_range(paired)} pairs of {unit}{each}, each with "
            "the same deals "
            "and the seats swapped. Standard errors are computed over pairs."
        )
    if unpaired and info.matchup_keys[0].b:
        names = ", ".join(dict.fromkeys(key.a for key, _ in results if not key.is_mirrored))
        sentences.append(
            f"Not mirrored: {names} against itself, {format_count_range(unpaired)} {unit}."
        )
    return " ".join([*sentences, f"Seed {info.seed}."])


# Health of a run: homogeneity of the win rate over batches and workers

# A batch is played again if p is below this value, which happens in 1 of 1,000 valid runs.
RECHECK_P = 0.001


def check_homogeneity(
    matchups: Sequence[Matchup], stop_results: Sequence[StopResult], ledger: Ledger
) -> list[dict[str, Any]]:
    """Test whether the win rate of every matchup is the same in all batches and for all workers.

    If a batch differs too much from the other batches, it is played again.

    Args:
        matchups: Matchups of the run.
        stop_results: Number of units played in every matchup.
        ledger: Ledger of the run.

    Returns:
        Chi-square tests of homogeneity for the manifest, one entry per matchup.

    Raises:
        InvariantError: If a batch that is played again has a different result.
    """
    return [
        _check_matchup(i, matchup, stop.units, ledger)
        for i, (matchup, stop) in enumerate(zip(matchups, stop_results, strict=True))
    ]


def describe_homogeneity(health: Sequence[Mapping[str, Any]], *parts: str) -> str:
    """Return a sentence about the smallest p-values of the homogeneity tests.

    Args:
        health: Tests as returned by `check_homogeneity`.
        *parts: "batches", "workers" or both.

    Returns:
        Sentence about homogeneity, or an empty string if nothing can be compared.
    """
    p_values_by_part = {part: _defined_p_values(health, part) for part in parts}
    n_tests = len(p_values_by_part["batches"])
    if not n_tests:
        return ""
    smallest = f"smallest p-value of {n_tests} " if n_tests > 1 else ""
    p_values = ", ".join(
        f"p = {min(ps):.2g} over {part}" for part, ps in p_values_by_part.items() if ps
    )
    tests = "chi-square tests" if n_tests > 1 else "chi-square test"
    sentence = f"Homogeneity of win rates ({smallest}{tests}): {p_values}."
    n_replayed = sum("played_again" in row for row in health)
    if n_replayed:
        batch = "1 unusual batch was" if n_replayed == 1 else f"{n_replayed} unusual batches were"
        sentence += f" {batch} played again, with the same result."
    return sentence


def _defined_p_values(health: Sequence[Mapping[str, Any]], part: str) -> list[float]:
    """Return the p-values of all matchups for which a p-value is defined."""
    return [row[part]["p"] for row in health if row[part]["p"] is not None]


def _check_matchup(
    matchup_index: int, matchup: Matchup, units: int, ledger: Ledger
) -> dict[str, Any]:
    key = (matchup_index, units, matchup.batch_size)
    metric, _ = headline_metrics(matchup.unit, len(matchup.players))
    columns, total = ledger.rows(*key, homogeneity_columns(metric)), ledger.total(*key)
    workers = ledger.workers(*key)
    names = list(dict.fromkeys(workers))
    labels = [names.index(worker) for worker in workers]
    batches = compute_homogeneity(columns, total, metric)
    groups = compute_homogeneity(columns, total, metric, labels)
    entry: dict[str, Any] = {
        "metric": metric,
        "batches": _to_manifest_entry(batches),
        "workers": {**_to_manifest_entry(groups), "names": names},
    }
    if batches.p < RECHECK_P:
        batch = batches.largest_group
        entry["played_again"] = _replay_batch(matchup, batch, ledger.rows(*key)[batch])
    return entry


def _replay_batch(matchup: Matchup, batch: int, row: np.ndarray) -> int:
    """Play a batch again, and raise InvariantError if the result differs; return its index."""
    replayed = play_batches(matchup, batch * matchup.batch_size, int(row[batch_columns.COL_UNITS]))[
        0
    ]
    if (replayed != row).any():
        raise block.InvariantError(
            f"{matchup.title} ({matchup.variant.spec}): batch {batch} has a different result when "
            "played again. Run `simgin doctor` on all machines of the run, and repeat the run in "
            "another directory."
        )
    return batch


def _to_manifest_entry(test: Homogeneity) -> dict[str, float | int | None]:
    """Return a chi-square test as a manifest entry, in which undefined values are None."""
    return {
        "chi_square": _round_value(test.statistic),
        "df": test.df,
        "p": None if np.isnan(test.p) else float(f"{test.p:.4g}"),
        "largest_residual": _round_value(test.largest_residual),
    }


def _round_value(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 3)
