"""Two finished runs compared: the differences of what both played, paired if they share packs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simgin.core.cell import Cell
from simgin.findings import run_report, verdict
from simgin.findings.findings import VARIANT_METRICS
from simgin.findings.run_record import RunRecord, check_ledger, read_record
from simgin.report.report import Report
from simgin.runs import directory, ledger
from simgin.stats import differences
from simgin.stats.batches import Played
from simgin.stats.metrics import headline
from simgin.stats.table import csv
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 9  # of a table, which takes two lines or three for each on a narrow terminal
# What runs may differ in without a word: it is what is compared, or of no consequence.
IGNORED = ("question", "hypothesis", "matchups")


class ComparisonError(ValueError):
    """Two runs that have nothing to compare; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class Run:
    """A finished run, read from its directory."""

    directory: Path
    record: RunRecord
    identity: dict[str, Any]
    cells: tuple[Played, ...]

    @property
    def names(self) -> dict[str, str]:
        """What strategies from files are called, by their texts."""
        return dict(self.record.names)

    @property
    def played(self) -> str:
        """What it played: deals or matches."""
        return UNITS[self.record.unit]


def read_run(place: Path) -> Run:
    """The run in a directory.

    Raises ResultsError or LedgerError with a sentence if there is none, or it is not finished.
    """
    contents = directory.read_manifest(place)
    path = place / ledger.FILE
    with directory.readable(place), ledger.reading(path) as run_ledger:
        record = read_record(place, contents)
        check_ledger(place, record, run_ledger)
        cells = [
            Played(cell, run_ledger.rows(i, end.units, cell.batch), end.multiplier)
            for i, (cell, end) in enumerate(zip(record.cells, record.ends, strict=True))
        ]
        return Run(place, record, identity=run_ledger.identity, cells=tuple(cells))


def compare_runs(run: Run, base: Run, margin: str | float | None = None) -> pd.DataFrame:
    """Run minus base for every matchup of both (`differences.DIFFERENCE_COLUMNS`).

    margin: within which two are called the same (`differences.with_verdicts`). If they share none,
    their cells are compared in order. Raises ComparisonError where there is nothing to compare.
    """
    pairs = list(_common(run, base))
    if not pairs and len(run.cells) == len(base.cells):
        pairs = list(zip(run.cells, base.cells, strict=True))
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
        cell = played.cell
        names |= dict.fromkeys(headline(cell.unit, len(cell.players)))
    found = differences.differences(pairs, [*names, *VARIANT_METRICS])
    return found if margin is None else differences.with_verdicts(found, margin)


def comparison_report(run: Run, base: Run, found: pd.DataFrame, command: str) -> Report:
    """What `compare_runs` found; a table of more than MOST_ROWS is folded."""
    told = found.replace({**base.names, **run.names})
    same = differences.sentences(told) if "margin" in told else []
    table = run_report.differences(told)
    is_short = len(table.rows) <= MOST_ROWS
    others = other_differences(run, base)
    also = f"The runs also differ in: {'; '.join(others)}" if others else ""
    return Report(
        question=f"How does {run.directory} differ from {base.directory}?",
        verdict=[*verdict.differences(told), *same, *filter(None, [also])],
        tables=[table] * is_short,
        folded=[table] * (not is_short),
        command=command,
        files={"differences.csv": csv(found)},
    )


def other_differences(run: Run, base: Run) -> list[str]:
    """What else the two runs differ in: rules, strategies, engine; a line each."""
    old, new = (
        {key: value for key, value in one.identity.items() if key not in IGNORED}
        for one in (base, run)
    )
    for key in ("variants", "strategies"):
        common = old[key].keys() & new[key].keys()
        for identity in (old, new):
            identity[key] = {name: identity[key][name] for name in identity[key] if name in common}
    return ledger.differences(old, new)


def _common(run: Run, base: Run) -> Iterator[tuple[Played, Played]]:
    """The matchups of both runs, from the same player's side."""
    bases = {_names(played.cell): played for played in base.cells}
    for played in run.cells:
        variant, a, b = names = _names(played.cell)
        same, exchanged = bases.get(names), bases.get((variant, b, a))
        if same is not None:
            yield played, same
        elif exchanged is not None:
            yield played, exchanged.reversed()


def _names(cell: Cell) -> tuple[str, str, str]:
    return cell.variant, cell.a, cell.b
