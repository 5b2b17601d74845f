"""The answer of commands that play or read a run: its files, its rows and its screen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

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


def show_run(
    answer: Answer, findings: Findings, more: str, *, details: bool, as_json: bool
) -> None:
    """Print the answer of a run. more: what prints the details, said where they are not shown."""
    if as_json:
        answer.show(as_json, ())
        return
    from simgin.findings.run_report import run_report

    report = run_report(findings, answer.command, details=details)
    parts = [*report.screen(details=details), ""]
    if not details:
        parts.append(f"More:    {more}")
    answer.show(as_json, parts)
