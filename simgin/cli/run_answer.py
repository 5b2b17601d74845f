"""The answer of commands that play or read a run: its files, its rows and its screen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simgin.cli import session
from simgin.cli.output import Answer

if TYPE_CHECKING:
    from simgin.findings.findings import Findings


def save_run(
    place: Path, findings: Findings, started: datetime, command: str, record_deals: bool
) -> list[Path]:
    """Write the tables, plots and page of a run beside its ledger; its files."""
    from simgin.findings.run_pictures import run_pictures
    from simgin.findings.run_report import run_report
    from simgin.report import page

    report = run_report(findings, command, run_pictures(findings.by_own_names))
    files = page.files(report)
    return session.save(
        place, findings, files, started=started, command=command, record_deals=record_deals
    )


def run_answer(findings: Findings, command: str, files: Sequence[Path]) -> Answer:
    """Every metric of every matchup."""
    from simgin.stats import table

    rows = [table.for_json(row) for row in findings.estimates]
    return Answer(command, rows, findings.record.seed, files, findings.stopped)


def add_verdict(rows: list[dict[str, Any]], findings: Findings, margin: str | float) -> str:
    """Whether both players of a run are the same within a margin, in a sentence.

    The row of A's metric gets `margin` and `verdict`.
    """
    from simgin.stats import batches, equivalence
    from simgin.stats.metrics import BY_NAME

    cell = findings.cells[0]
    total = batches.total(findings.rows(0))
    multiplier = findings.record.ends[0].multiplier
    metric, found = equivalence.of_pairs(total, cell.unit, margin, multiplier)
    for row in rows:
        if (row["strategy"], row["metric"]) == (cell.a, metric):
            row |= {"margin": equivalence.size(margin), "verdict": found}
    told = equivalence.in_words(found, equivalence.size(margin), metric)
    own = findings.by_own_names.cells[0]
    return f"{own.a} and {own.b}, {BY_NAME[metric].title}: {told}."


def show_run(
    answer: Answer,
    findings: Findings,
    more: str,
    *,
    details: bool,
    as_json: bool,
    told: Sequence[str] = (),
) -> None:
    """Print the answer of a run. more: what prints the details, said where they are not shown.

    told: sentences above the findings.
    """
    if as_json:
        answer.show(as_json, ())
        return
    from simgin.findings.run_report import run_report

    report = run_report(findings, answer.command, details=details)
    parts = [*told, *report.screen(details=details), ""]
    if not details:
        parts.append(f"More:    {more}")
    answer.show(as_json, parts)
