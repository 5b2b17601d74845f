"""Comparison of two finished runs: differences between their common matchups.

The differences are paired if both runs have the same deals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simgin.core.cell import Cell
from simgin.findings import run_report, verdict
from simgin.findings.findings import VARIANT_METRICS, Findings
from simgin.report.report import Report
from simgin.runs import ledger
from simgin.stats import differences
from simgin.stats.batches import Played
from simgin.stats.metrics import headline
from simgin.stats.table import csv, records
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 9  # rows of an unfolded table, each two or three lines long on a narrow terminal
# Keys of the identity that are compared elsewhere or do not affect the results
IGNORED = ("question", "hypothesis", "matchups")


class ComparisonError(ValueError):
    """Exception for two runs that cannot be compared; the message suggests a fix."""


@dataclass(frozen=True)
class Comparison:
    """Differences between two runs, available while their ledgers are open."""

    run: Findings
    base: Findings
    differences: pd.DataFrame
    question: str = "How do these runs differ?"

    @property
    def identity(self) -> Mapping[str, Any]:
        """See `simgin.report.report.Result`."""
        return self.run.ledger.identity

    @property
    def units(self) -> list[int]:
        """See `simgin.report.report.Result`."""
        return self.run.units

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the differences as a DataFrame."""
        return {"differences": self.differences}

    def records(self) -> list[dict[str, Any]]:
        """Return the differences as rows for JSON."""
        return records(self.differences)

    def report(self, command: str) -> Report:
        """Return the report of the comparison."""
        return comparison_report(self, command)


def compare_runs(run: Findings, base: Findings, margin: str | float | None = None) -> Comparison:
    """Return the difference, run minus baseline, for every common matchup.

    If the runs have no common matchup, their matchups are compared in order.

    Args:
        run: Results of a run.
        base: Results of the baseline run.
        margin: Margin within which two values are equivalent (`differences.add_verdicts`); None
            for no equivalence test.

    Returns:
        Differences with the columns `differences.DIFFERENCE_COLUMNS`.

    Raises:
        ComparisonError: If the runs cannot be compared.
    """
    pairs = list(_common(run, base))
    if not pairs and len(run.cells) == len(base.cells):
        pairs = list(zip(_sides(run), _sides(base), strict=True))
    if not pairs:
        raise ComparisonError(
            "these runs have no matchup in common, and not equally many; compare runs of the same "
            "players."
        )
    units = [UNITS[one.record.unit] for one in (run, base)]
    if units[0] != units[1]:
        raise ComparisonError(
            f"one run played {units[0]}, the other {units[1]}; play one again the other way."
        )
    names: dict[str, None] = {}
    for played, _ in pairs:
        cell = played.cell
        names |= dict.fromkeys(headline(cell.unit, len(cell.players)))
    found = differences.differences(pairs, [*names, *VARIANT_METRICS])
    found = found if margin is None else differences.with_verdicts(found, margin)
    return Comparison(run, base, found)


def comparison_report(comparison: Comparison, command: str) -> Report:
    """Return the report of a comparison, in which a long table is folded."""
    run, base, found = comparison.run, comparison.base, comparison.differences
    told = found.replace({**base.record.names, **run.record.names})
    same = differences.sentences(told) if "margin" in told else []
    table = run_report.differences(told)
    is_short = len(table.rows) <= MOST_ROWS
    others = other_differences(run, base)
    also = f"The runs also differ in: {'; '.join(others)}" if others else ""
    return Report(
        comparison.question,
        verdict=[*verdict.differences(told), *same, *filter(None, [also])],
        tables=[table] * is_short,
        folded=[table] * (not is_short),
        command=command,
        files={"differences.csv": csv(found)},
    )


def other_differences(run: Findings, base: Findings) -> list[str]:
    """Return one line per other difference between two runs: rules, strategies and engine."""
    old, new = (
        {key: value for key, value in one.ledger.identity.items() if key not in IGNORED}
        for one in (base, run)
    )
    for key in ("variants", "strategies"):
        common = old[key].keys() & new[key].keys()
        for identity in (old, new):
            identity[key] = {name: identity[key][name] for name in identity[key] if name in common}
    return ledger.differences(old, new)


def _common(run: Findings, base: Findings) -> Iterator[tuple[Played, Played]]:
    """Yield the rows of every common matchup in both runs, from the side of the same player."""
    bases = {_names(played.cell): played for played in _sides(base)}
    for played in _sides(run):
        variant, a, b = names = _names(played.cell)
        same, exchanged = bases.get(names), bases.get((variant, b, a))
        if same is not None:
            yield played, same
        elif exchanged is not None:
            yield played, exchanged.reversed()


def _sides(run: Findings) -> list[Played]:
    return [run.played(i) for i in range(len(run.cells))]


def _names(cell: Cell) -> tuple[str, str, str]:
    return cell.variant, cell.a, cell.b
