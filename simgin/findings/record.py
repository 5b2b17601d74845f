"""The record of a run: what its findings rest on, in texts and numbers alone.

A run that was just played gives it, and so does a manifest. No strategy is needed to read it:
their files may have changed since, or be gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from simgin.core.cell import Cell
from simgin.runs import manifest
from simgin.runs.stopping import End
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    from simgin.runs.plan import Plan


class ManifestError(ValueError):
    """A manifest that cannot be reported from; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class RunRecord:
    """A whole run. All cells have one seed and one unit."""

    identity: Mapping[str, Any]  # see `simgin.runs.manifest.run_identity`
    ends: Sequence[End]  # of every cell
    contrasts: Sequence[Sequence[int]] = ()  # a cell and its base, by their places
    health: Sequence[Mapping[str, Any]] = ()  # see `simgin.findings.health`; empty if not checked

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell, in the order of tables."""
        return manifest.run_cells(self.identity)

    def params(self, cell: Cell) -> Mapping[str, Any]:
        """The parameters of a cell's variant, by name."""
        params: Mapping[str, Any] = self.identity["variants"][cell.variant]
        return params

    @property
    def seed(self) -> int:
        """The seed of every cell."""
        return int(self.identity["seed"])

    @property
    def unit(self) -> str:
        """What every cell was played in."""
        return str(self.identity["unit"])

    @property
    def question(self) -> str:
        """The question of the experiment; empty for a single matchup."""
        return self.identity["question"] or ""

    @property
    def hypothesis(self) -> str:
        """What was expected; may be empty."""
        return self.identity["hypothesis"] or ""

    @property
    def stop(self) -> str:
        """The stopping rule in words; empty for a size fixed beforehand, or a time."""
        return self.identity["stop"] or ""


def record_plan(
    plan: Plan, ends: Sequence[End], health: Sequence[Mapping[str, Any]] = ()
) -> RunRecord:
    """The record of a plan that was carried out."""
    return RunRecord(plan.identity, ends, plan.contrasts, health)


def read_record(contents: Mapping[str, Any]) -> RunRecord:
    """The record that a manifest gives. ManifestError if another version of simgin wrote it."""
    form = contents.get("form")
    if form != manifest.FORM:
        raise ManifestError(
            f"another version of simgin (form {form}, not {manifest.FORM}) wrote it; "
            "play it again with this one."
        )
    if "contrasts" not in contents:
        again = contents["command"]
        raise ManifestError(
            "an earlier version of simgin wrote it, without what is compared; "
            f"`{again}` adds that, and plays nothing."
        )
    ends = [
        End(cell["units"], cell["stopped"], cell["multiplier"]) for cell in contents["matchups"]
    ]
    return RunRecord(contents, ends, contents["contrasts"], contents["health"])


def describe_size(record: RunRecord) -> str:
    """How much was played, what of it twice, and the seed: a sentence or two."""
    unit, seed = UNITS[record.unit], f"Seed {record.seed}."
    played = [(cell, end.units) for cell, end in zip(record.cells, record.ends, strict=True)]
    if not record.cells[0].b:
        each = " each" if len(played) > 1 else ""
        counts = _range([units for _, units in played])
        return f"Not mirrored: one player, {counts} independent {unit}{each}. {seed}"
    sentences = []
    if pairs := [units for cell, units in played if cell.mirrored]:
        each = " for every matchup" if len(pairs) > 1 else ""
        sentences.append(
            f"Mirrored: {_range(pairs)} pairs of {unit}{each}, the same packs with the players "
            "exchanged; errors are over pairs."
        )
    if selves := [(cell.a, units) for cell, units in played if not cell.mirrored]:
        names = ", ".join(dict.fromkeys(name for name, _ in selves))
        counts = _range([units for _, units in selves])
        sentences.append(f"Not mirrored: {names} against itself, {counts} {unit}.")
    return " ".join([*sentences, seed])


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
