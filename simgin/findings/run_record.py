"""The record of a run: what its findings rest on, in texts and numbers alone.

A run that was just played gives it, and so does a manifest. No strategy is needed to read it:
their files may have changed since, or be gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from simgin.core.cell import Cell
from simgin.play.matchup import own_names
from simgin.runs import manifest
from simgin.runs.directory import MANIFEST, ResultsError, damaged
from simgin.runs.ledger import FILE, Ledger, differences
from simgin.runs.plan import Effect, Plan
from simgin.runs.stopping import End
from simgin.text.amounts import UNITS, span
from simgin.text.messages import shown


@dataclass(frozen=True)
class RunRecord:
    """A whole run. All cells have one seed and one unit."""

    identity: Mapping[str, Any]  # see `simgin.runs.manifest.run_identity`
    ends: Sequence[End]  # of every cell
    contrasts: Sequence[Sequence[int]] = ()  # a cell and its base, by their places
    effects: Sequence[Effect] = ()  # changes by field
    health: Sequence[Mapping[str, Any]] = ()  # see `simgin.findings.health`; empty if not checked
    # What strategies from files are called on a terminal, by their texts
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell, in the order of tables."""
        return manifest.run_cells(self.identity)

    def params(self, cell: Cell) -> Mapping[str, Any]:
        """The parameters of a cell's variant, by name."""
        params: Mapping[str, Any] = self.identity["variants"][cell.variant]
        return params

    def with_own_names(self) -> RunRecord:
        """The same run, with strategies from files called by their own names: for a terminal."""

        def own(text: str) -> str:
            return self.names.get(text, text)

        identity = dict(self.identity)
        identity["matchups"] = [
            {**cell, "a": own(cell["a"]), "b": own(cell["b"])} for cell in identity["matchups"]
        ]
        described = identity["strategies"].items()
        identity["strategies"] = {own(text): description for text, description in described}
        effects = [Effect(effect.change, *map(own, effect[1:])) for effect in self.effects]
        return replace(self, identity=identity, effects=effects)

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
    names = own_names(plan.matchups)
    return RunRecord(plan.identity, ends, plan.contrasts, plan.effects, health, names)


def read_record(place: Path, contents: Mapping[str, Any]) -> RunRecord:
    """The record that the manifest of a directory gives.

    Raises ResultsError if another version of simgin wrote it, or if it is of a search.
    """
    if "tune" in contents:
        raise ResultsError(
            f"{place} holds a search, not a run; `{contents.get('command')}` writes it again."
        )
    form = contents.get("form")
    if form != manifest.FORM:
        raise ResultsError(
            f"{place} cannot be reported: another version of simgin (form {shown(form)}, not "
            f"{manifest.FORM}) wrote it; play it again with this one."
        )
    cells = contents["matchups"]
    ends = [End(cell["units"], cell["stopped"], cell["multiplier"]) for cell in cells]
    effects = [Effect(*texts) for texts in contents.get("effects", [])]
    return RunRecord(
        contents,
        ends,
        contents["contrasts"],
        effects,
        contents["health"],
        contents.get("names", {}),
    )


def check_ledger(place: Path, record: RunRecord, run_ledger: Ledger) -> None:
    """Raise ResultsError unless the ledger of a directory is of the run that its manifest names."""
    names = ("variant", "a", "b")
    played = dict(run_ledger.identity)
    named = {key: record.identity.get(key) for key in played}
    named["matchups"] = [
        {name: cell[name] for name in names} for cell in record.identity["matchups"]
    ]
    different = differences(named, played)
    if different:
        told = different[0].rstrip(".")
        raise damaged(place / MANIFEST, f"{FILE} beside it is of another run: {told}")


def describe_size(record: RunRecord) -> str:
    """How much was played, what of it twice, and the seed: a sentence or two."""
    unit = UNITS[record.unit]
    ended = list(zip(record.cells, record.ends, strict=True))
    paired = [end.units for cell, end in ended if cell.mirrored]
    single = [end.units for cell, end in ended if not cell.mirrored]
    sentences = []
    if not record.cells[0].b:
        each = " each" if len(single) > 1 else ""
        sentences.append(f"Not mirrored: one player, {span(single)} independent {unit}{each}.")
    if paired:
        each = " for every matchup" if len(paired) > 1 else ""
        sentences.append(
            f"Mirrored: {span(paired)} pairs of {unit}{each}, the same packs with the players "
            "exchanged; errors are over pairs."
        )
    if single and record.cells[0].b:
        names = ", ".join(dict.fromkeys(cell.a for cell, _ in ended if not cell.mirrored))
        sentences.append(f"Not mirrored: {names} against itself, {span(single)} {unit}.")
    return " ".join([*sentences, f"Seed {record.seed}."])
