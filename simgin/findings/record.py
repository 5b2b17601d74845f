"""The record of a run: what its findings rest on, in texts and numbers alone.

A run that was just played gives it, and so does a manifest. No strategy is needed to read it:
their files may have changed since, or be gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from simgin.core.cell import Cell
from simgin.play.names import own_names
from simgin.runs import manifest
from simgin.runs.experiment import Effect
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
        matchups = []
        for cell in self.identity["matchups"]:
            own = dict(cell)
            for side in ("a", "b"):
                own[side] = self._own_name(cell[side])
            matchups.append(own)
        strategies = {}
        for text, described in self.identity["strategies"].items():
            strategies[self._own_name(text)] = described
        effects = []
        for effect in self.effects:
            players = map(self._own_name, effect[1:])
            effects.append(Effect(effect.change, *players))
        identity = {
            **self.identity,
            "matchups": matchups,
            "strategies": strategies,
        }
        return replace(self, identity=identity, effects=effects)

    def _own_name(self, text: str) -> str:
        return self.names.get(text, text)

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
    return RunRecord(
        plan.identity,
        ends,
        plan.contrasts,
        plan.effects,
        health,
        names,
    )


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
    ends = []
    for cell in contents["matchups"]:
        end = End(cell["units"], cell["stopped"], cell["multiplier"])
        ends.append(end)
    changes = contents.get("effects", [])  # earlier manifests have none
    effects = [Effect(*texts) for texts in changes]
    return RunRecord(
        contents,
        ends,
        contents["contrasts"],
        effects,
        contents["health"],
        contents.get("names", {}),  # earlier manifests have none
    )


def describe_size(record: RunRecord) -> str:
    """How much was played, what of it twice, and the seed: a sentence or two."""
    unit = UNITS[record.unit]
    sentences = []
    if record.cells[0].b:
        sentences += _describe_pairs(record, unit)
        sentences += _describe_self_play(record, unit)
    else:
        sentences.append(_describe_solo(record, unit))
    sentences.append(f"Seed {record.seed}.")
    return " ".join(sentences)


def _describe_solo(record: RunRecord, unit: str) -> str:
    counts = [end.units for end in record.ends]
    each = " each" if len(counts) > 1 else ""
    size = _range(counts)
    return f"Not mirrored: one player, {size} independent {unit}{each}."


def _describe_pairs(record: RunRecord, unit: str) -> list[str]:
    """The size of the mirrored cells, if there are any."""
    counts = []
    for cell, end in zip(record.cells, record.ends, strict=True):
        if cell.mirrored:
            counts.append(end.units)
    if not counts:
        return []
    each = " for every matchup" if len(counts) > 1 else ""
    size = _range(counts)
    sentence = (
        f"Mirrored: {size} pairs of {unit}{each}, the same packs with the players "
        "exchanged; errors are over pairs."
    )
    return [sentence]


def _describe_self_play(record: RunRecord, unit: str) -> list[str]:
    """The size of the cells of a strategy against itself, if there are any."""
    players: list[str] = []
    counts = []
    for cell, end in zip(record.cells, record.ends, strict=True):
        if not cell.mirrored:
            players.append(cell.a)
            counts.append(end.units)
    if not counts:
        return []
    names = ", ".join(dict.fromkeys(players))
    size = _range(counts)
    return [f"Not mirrored: {names} against itself, {size} {unit}."]


def _range(counts: Sequence[int]) -> str:
    low = min(counts)
    high = max(counts)
    if low == high:
        return f"{low:,}"
    return f"{low:,} to {high:,}"
