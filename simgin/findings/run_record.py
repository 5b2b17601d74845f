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

import numpy as np

from simgin.core import sums
from simgin.core.cell import Cell
from simgin.play.kernel import play
from simgin.play.matchup import Matchup, own_names
from simgin.runs import block, manifest
from simgin.runs.directory import MANIFEST, ResultsError, damaged
from simgin.runs.ledger import FILE, Ledger, differences
from simgin.runs.plan import Effect, Plan
from simgin.runs.stopping import End
from simgin.stats.batches import Homogeneity, homogeneity
from simgin.stats.metrics import headline
from simgin.text.amounts import UNITS, span
from simgin.text.messages import shown


@dataclass(frozen=True)
class RunRecord:
    """A whole run. All cells have one seed and one unit."""

    identity: Mapping[str, Any]  # see `simgin.runs.manifest.run_identity`
    ends: Sequence[End]  # of every cell
    contrasts: Sequence[Sequence[int]] = ()  # a cell and its base, by their places
    effects: Sequence[Effect] = ()  # changes by field
    health: Sequence[Mapping[str, Any]] = ()  # see `check_health`; empty if not checked
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


# Health: whether who wins is the same in all batches and with all workers

# P of a chi-square below which a batch is played again: one sound run in a thousand
SUSPICIOUS = 0.001


def check_health(
    matchups: Sequence[Matchup], ends: Sequence[End], ledger: Ledger
) -> list[dict[str, Any]]:
    """Chi-square homogeneity of every cell, for the manifest.

    Raises IdentityError where a batch that stands out does not repeat.
    """
    return [
        _check_cell(i, matchup, end.units, ledger)
        for i, (matchup, end) in enumerate(zip(matchups, ends, strict=True))
    ]


def describe_health(health: Sequence[Mapping[str, Any]], *parts: str) -> str:
    """The smallest p over all cells of "batches" and "workers", in a sentence.

    Empty where there is nothing to compare.
    """
    known = {part: _known_p(health, part) for part in parts}
    cells = len(known["batches"])
    if not cells:
        return ""
    smallest = f"the smallest of {cells}, " if cells > 1 else ""
    figures = ", ".join(f"over {part} p = {min(ps):.2g}" for part, ps in known.items() if ps)
    sentence = f"Homogeneity of who wins ({smallest}chi-square): {figures}."
    again = sum("played_again" in cell for cell in health)
    if again:
        sentence += f" Of {again} the batch that stands out was played again: it is the same."
    return sentence


def _known_p(health: Sequence[Mapping[str, Any]], part: str) -> list[float]:
    """p of every cell that has one."""
    return [cell[part]["p"] for cell in health if cell[part]["p"] is not None]


def _check_cell(i: int, matchup: Matchup, units: int, ledger: Ledger) -> dict[str, Any]:
    rows = ledger.rows(i, units, matchup.batch)
    workers = ledger.workers(i, units, matchup.batch)
    metric, _ = headline(matchup.unit, len(matchup.players))
    names = list(dict.fromkeys(workers))
    labels = [names.index(worker) for worker in workers]
    batches = homogeneity(rows, metric)
    groups = homogeneity(rows, metric, labels)
    checked: dict[str, Any] = {
        "metric": metric,
        "batches": _for_manifest(batches),
        "workers": {**_for_manifest(groups), "names": names},
    }
    if batches.p < SUSPICIOUS:
        checked["played_again"] = _play_again(matchup, batches.where, rows[batches.where])
    return checked


def _play_again(matchup: Matchup, batch: int, row: np.ndarray) -> int:
    """The batch that stands out, after a second play that came to the same."""
    again = play(matchup, batch * matchup.batch, int(row[sums.UNITS]))[0]
    if (again != row).any():
        raise block.IdentityError(
            f"{matchup.title} ({matchup.variant.text}): batch {batch} in the ledger is not what it "
            "is when it is played again. Run `simgin doctor` on every machine that took part, and "
            "begin again in another directory."
        )
    return batch


def _for_manifest(test: Homogeneity) -> dict[str, float | int | None]:
    """A chi-square for the manifest; None for what is undefined."""
    return {
        "chi_square": _rounded(test.statistic),
        "df": test.df,
        "p": None if np.isnan(test.p) else float(f"{test.p:.4g}"),
        "largest_residual": _rounded(test.largest),
    }


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 3)
