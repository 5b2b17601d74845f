"""`simgin report`: tables, plots and page of a run, from its ledger."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.options import details_option, json_option
from simgin.cli.output import repeated

if TYPE_CHECKING:
    from simgin.findings.findings import Findings
    from simgin.report.report import Report


@click.command()
@click.argument("place", metavar="DIR", type=click.Path(path_type=Path))
@details_option
@json_option
def report(place: Path, details: bool, as_json: bool) -> None:
    """Rewrite the tables, plots and HTML page of a finished run.

    Everything is computed from the ledger and the manifest in DIR. Nothing is played, and the
    strategies that played need no longer exist. The same run gives the same files.
    """
    from simgin.cli import session
    from simgin.report import page
    from simgin.runs import directory

    with directory.readable(place), _findings(place, manifest := _manifest(place)) as findings:
        written_before = [directory.DEALS] if (place / directory.DEALS).exists() else []
        manifest_now = {**manifest, "stopped": findings.stopped}
        written = _report(findings, manifest)
        files = directory.save(place, manifest_now, page.files(written), *written_before)
        answer = session.run_answer(findings, repeated(), files)
        answer.show(as_json, [*written.screen(details=details), ""])


def _report(findings: Findings, manifest: dict[str, Any]) -> Report:
    """The report of a run, or of a review."""
    from simgin.findings.run_report import run_pictures, run_report
    from simgin.review.review import restore_review
    from simgin.review.review_report import review_report

    if "review" in manifest:
        return review_report(restore_review(manifest["review"], findings), manifest["command"])
    return run_report(findings, manifest["command"], run_pictures(findings.by_own_names))


def _manifest(place: Path) -> dict[str, Any]:
    """The manifest of a finished run; ResultsError with the way on for an unfinished one."""
    from simgin.runs import directory, ledger

    if (place / directory.MANIFEST).exists() or not (place / ledger.FILE).is_file():
        return directory.read_manifest(place)
    with ledger.reading(place / ledger.FILE) as run_ledger:
        command = run_ledger.command
    remedy = f"continue with: {command}" if command else "continue with the command that began it."
    raise directory.ResultsError(f"the run in {place} is not finished; {remedy}")


@contextmanager
def _findings(place: Path, manifest: dict[str, Any]) -> Iterator[Findings]:
    from simgin.findings.findings import Findings
    from simgin.findings.run_record import check_ledger, read_record
    from simgin.runs import directory, ledger

    if not (place / ledger.FILE).is_file():  # odds, or a run whose ledger was not kept
        command = manifest.get("command")
        raise directory.ResultsError(
            f"{place} has no {ledger.FILE} to report from; `{command}` writes its files again."
        )
    run_record = read_record(place, manifest)
    directory.check(place)
    with ledger.reading(place / ledger.FILE) as run_ledger:
        check_ledger(place, run_record, run_ledger)
        yield Findings(run_record, run_ledger)
