"""`simgin report`: tables, plots and page of a run, from its ledger."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.options import json_option
from simgin.cli.output import Answer, command_line
from simgin.findings.record import ManifestError, read_record
from simgin.runs import directory, ledger
from simgin.runs.directory import ResultsError

if TYPE_CHECKING:
    from simgin.findings.findings import Findings
    from simgin.report.report import Report


@click.command()
@click.argument("place", metavar="DIR", type=click.Path(path_type=Path))
@json_option
def report(place: Path, as_json: bool) -> None:
    """Rewrite the tables, plots and HTML page of a finished run.

    Everything is computed from the ledger and the manifest in DIR. Nothing is played, and the
    strategies that played need no longer exist. The same run gives the same files.
    """
    from simgin.report import page
    from simgin.stats import table

    manifest = _manifest(place)
    with _findings(place, manifest) as findings:
        written_before = [directory.DEALS] if (place / directory.DEALS).exists() else []
        manifest_now = {**manifest, "stopped": findings.stopped}
        run_report = _report(findings, manifest)
        files = directory.save(place, manifest_now, page.files(run_report), *written_before)
        command = command_line("report", place)
        rows = table.records(findings.table)
        answer = Answer(
            command,
            rows,
            findings.record.seed,
            files,
            findings.stopped,
        )
        answer.show(as_json, [*run_report.sentences, ""])


def _report(findings: Findings, manifest: dict[str, Any]) -> Report:
    """The report of a run, or of a review."""
    from simgin.findings.report import run_report
    from simgin.review.report import review_report
    from simgin.review.review import restore_review

    if "review" in manifest:
        return review_report(restore_review(manifest["review"], findings), manifest["command"])
    return run_report(findings, manifest["command"])


def _manifest(place: Path) -> dict[str, Any]:
    """The manifest of a finished run; ResultsError with the way on for an unfinished one."""
    if (place / directory.MANIFEST).exists() or not (place / ledger.FILE).is_file():
        return directory.read_manifest(place)
    with ledger.reading(place / ledger.FILE) as run_ledger:
        command = run_ledger.command
    remedy = f"continue with: {command}" if command else "continue with the command that began it."
    raise ResultsError(f"the run in {place} is not finished; {remedy}")


@contextmanager
def _findings(place: Path, manifest: dict[str, Any]) -> Iterator[Findings]:
    from simgin.findings.findings import Findings

    if not (place / ledger.FILE).is_file():  # odds, or a run whose ledger was not kept
        raise ResultsError(
            f"{place} has no {ledger.FILE} to report from; `{manifest['command']}` writes its "
            "files again."
        )
    try:
        run_record = read_record(manifest)
    except ManifestError as error:
        raise ResultsError(f"{place} cannot be reported: {error}") from None
    directory.check(place)
    with ledger.reading(place / ledger.FILE) as run_ledger:
        yield Findings(run_record, run_ledger)
