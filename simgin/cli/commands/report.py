"""`simgin report`: tables, plots and HTML report of a run, from its ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from simgin.cli.options import PATH, details_option, json_option
from simgin.cli.output import repeated, screen

if TYPE_CHECKING:
    from simgin.findings.findings import Findings
    from simgin.report.report import Report


@click.command()
@click.argument("place", metavar="DIR", type=PATH)
@details_option
@json_option
def report(place: Path, details: bool, as_json: bool) -> None:
    """Rewrite the tables, plots and HTML page of a finished run.

    Everything is computed from the ledger and the manifest in DIR. Nothing is played, and the
    strategies that played need no longer exist. The same run gives the same files.
    """
    from simgin.cli import session
    from simgin.findings.findings import opened
    from simgin.report import page
    from simgin.runs import directory

    with directory.readable(place), opened(place) as findings:
        directory.check(place)
        written_before = [directory.DEALS] if (place / directory.DEALS).exists() else []
        manifest_now = {**findings.record.identity, "stopped": findings.stopped}
        written = _report(findings)
        files = directory.save(place, manifest_now, page.files(written), *written_before)
        answer = session.run_answer(findings, repeated(), files)
        answer.show(as_json, screen(written, details, more=""))


def _report(findings: Findings) -> Report:
    """Return the report of a run or a review."""
    from simgin.review.review import restore_review

    manifest = findings.record.identity
    if "review" in manifest:
        return restore_review(manifest["review"], findings).report(manifest["command"])
    return findings.report(manifest["command"])
