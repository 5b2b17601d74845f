"""Two finished runs compared: the differences of what both played, paired if they share packs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simgin.core.cell import Cell
from simgin.findings.findings import VARIANT_METRICS
from simgin.runs import directory, ledger
from simgin.runs.manifest import run_cells
from simgin.stats import differences
from simgin.stats.metrics import headline
from simgin.stats.played import Played
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

# What runs may differ in without a word: it is what is compared, or of no consequence.
IGNORED = ("question", "hypothesis", "matchups")


class ComparisonError(ValueError):
    """Two runs that have nothing to compare; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class Run:
    """A finished run, read from its directory."""

    directory: Path
    manifest: dict[str, Any]
    identity: dict[str, Any]
    cells: tuple[Played, ...]

    @property
    def played(self) -> str:
        """What it played: deals or matches."""
        return UNITS[self.manifest["unit"]]


def read_run(place: Path) -> Run:
    """The run in a directory.

    Raises ResultsError or LedgerError with a sentence if there is none, or it is not finished.
    """
    manifest = directory.read_manifest(place)
    cells = []
    with ledger.reading(place / ledger.FILE) as run_ledger:
        for i, cell in enumerate(run_cells(manifest)):
            end = manifest["matchups"][i]
            rows = run_ledger.rows(i, end["units"], cell.batch)
            cells.append(Played(cell, rows, end["multiplier"]))
        return Run(place, manifest, run_ledger.identity, tuple(cells))


def compare_runs(run: Run, base: Run) -> pd.DataFrame:
    """Run minus base for every matchup of both (`differences.DIFFERENCE_COLUMNS`).

    If they share none, their cells are compared in order. Raises ComparisonError where there is
    nothing to compare.
    """
    pairs = list(_common(run, base)) or list(_in_order(run, base))
    if not pairs:
        raise ComparisonError(
            f"{run.directory} and {base.directory} have no matchup in common, and not equally "
            "many; compare runs of the same players."
        )
    if run.played != base.played:
        raise ComparisonError(
            f"{run.directory} played {run.played}, {base.directory} played {base.played}; "
            "play one of them again the other way."
        )
    names: dict[str, None] = {}
    for played, _ in pairs:
        names |= dict.fromkeys(headline(played.cell.unit, len(played.cell.players)))
    return differences.differences(pairs, [*names, *VARIANT_METRICS])


def other_differences(run: Run, base: Run) -> list[str]:
    """What else the two runs differ in: rules, strategies, engine; a line each."""
    identities: list[dict[str, Any]] = []
    for each in (base, run):
        identities.append({key: each.identity[key] for key in each.identity if key not in IGNORED})
    for key in ("variants", "strategies"):
        first, second = (identity[key] for identity in identities)
        for identity in identities:
            identity[key] = {
                name: value
                for name, value in identity[key].items()
                if name in first and name in second
            }
    return ledger.differences(identities[0], identities[1])


def _common(run: Run, base: Run) -> Iterator[tuple[Played, Played]]:
    """The matchups of both runs, from the same player's side."""
    places = {_names(played.cell): played for played in base.cells}
    for played in run.cells:
        variant, a, b = _names(played.cell)
        if (variant, a, b) in places:
            yield played, places[variant, a, b]
        elif (variant, b, a) in places:
            yield played, places[variant, b, a].reversed()


def _names(cell: Cell) -> tuple[str, str, str]:
    return cell.variant, cell.a, cell.b


def _in_order(run: Run, base: Run) -> Iterator[tuple[Played, Played]]:
    if len(run.cells) == len(base.cells):
        yield from zip(run.cells, base.cells, strict=True)
