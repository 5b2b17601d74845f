"""Information about a run that its results depend on, as strings and numbers.

It comes from a run that was just played or from a manifest. The strategies are not needed, because
their files might have been changed or deleted since the run.
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
    """Information about a run, in which all matchups have the same seed and unit of play."""

    identity: Mapping[str, Any]  # see `simgin.runs.manifest.build_identity`
    ends: Sequence[End]  # one per matchup
    contrasts: Sequence[Sequence[int]] = ()  # indices of a matchup and its baseline
    effects: Sequence[Effect] = ()
    health: Sequence[Mapping[str, Any]] = ()  # see `check_homogeneity`, can be empty
    # Display names of strategies from files, by spec
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Keys of the matchups, in table order."""
        return manifest.run_cells(self.identity)

    def params(self, cell: Cell) -> Mapping[str, Any]:
        """Return the parameters of a matchup's variant by name."""
        params: Mapping[str, Any] = self.identity["variants"][cell.variant]
        return params

    def with_own_names(self) -> RunRecord:
        """Return the same information with the display names of strategies from files."""

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
        """Seed of every matchup."""
        return int(self.identity["seed"])

    @property
    def unit(self) -> str:
        """Unit of play of every matchup, "deal" or "match"."""
        return str(self.identity["unit"])

    @property
    def question(self) -> str:
        """Question of the experiment; empty for a single matchup."""
        return self.identity["question"] or ""

    @property
    def hypothesis(self) -> str:
        """Expected result; can be empty."""
        return self.identity["hypothesis"] or ""

    @property
    def stop(self) -> str:
        """Description of the stopping rule; empty for a fixed size or time."""
        return self.identity["stop"] or ""


def record_plan(
    plan: Plan, ends: Sequence[End], health: Sequence[Mapping[str, Any]] = ()
) -> RunRecord:
    """Return the information about a run from its plan and from how it ended."""
    names = own_names(plan.matchups)
    return RunRecord(plan.identity, ends, plan.contrasts, plan.effects, health, names)


def read_record(place: Path, contents: Mapping[str, Any]) -> RunRecord:
    """Return the information about a run from the manifest of a directory.

    Raises:
        ResultsError: If another version of simgin wrote the manifest, or if it describes a search.
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
    """Raise ResultsError unless the ledger of a directory belongs to the run in its manifest."""
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
    """Return one or two sentences with the amount played, mirroring and the seed."""
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


# Health: homogeneity of the win rate over batches and workers

# A batch is played again if p is below this value, which happens in 1 of 1,000 valid runs
SUSPICIOUS = 0.001


def check_health(
    matchups: Sequence[Matchup], ends: Sequence[End], ledger: Ledger
) -> list[dict[str, Any]]:
    """Test every matchup for equal win rates in all batches and for all workers.

    If a batch differs too much from the others, it is played again.

    Args:
        matchups: Matchups of the run.
        ends: Number of units played of every matchup.
        ledger: Ledger of the run.

    Returns:
        Chi-square tests of homogeneity for the manifest, one entry per matchup.

    Raises:
        InvariantError: If a batch that is played again has other results.
    """
    return [
        _check_cell(i, matchup, end.units, ledger)
        for i, (matchup, end) in enumerate(zip(matchups, ends, strict=True))
    ]


def describe_health(health: Sequence[Mapping[str, Any]], *parts: str) -> str:
    """Return a sentence with the smallest p-value of all matchups for each part.

    Args:
        health: Tests as returned by `check_homogeneity`.
        *parts: "batches", "workers" or both.

    Returns:
        The sentence; empty if there is nothing to compare.
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
    """Return the p-values of the matchups that have one."""
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
    """Play a batch again and return its index, or raise InvariantError if a result differs."""
    again = play(matchup, batch * matchup.batch, int(row[sums.UNITS]))[0]
    if (again != row).any():
        raise block.IdentityError(
            f"{matchup.title} ({matchup.variant.text}): batch {batch} in the ledger is not what it "
            "is when it is played again. Run `simgin doctor` on every machine that took part, and "
            "begin again in another directory."
        )
    return batch


def _for_manifest(test: Homogeneity) -> dict[str, float | int | None]:
    """Return a chi-square test as an entry of the manifest, with None for undefined values."""
    return {
        "chi_square": _rounded(test.statistic),
        "df": test.df,
        "p": None if np.isnan(test.p) else float(f"{test.p:.4g}"),
        "largest_residual": _rounded(test.largest),
    }


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 3)
