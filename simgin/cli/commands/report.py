"""`simgin report`: tables, pictures and the page of a run, from its ledger."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.output import Answer, command_line, json_option
from simgin.findings import record
from simgin.runs import directory as results
from simgin.runs import ledger

if TYPE_CHECKING:
    from simgin.findings.findings import Findings
    from simgin.report.report import Report


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@json_option
def report(directory: Path, as_json: bool) -> None:
    """Write the tables, pictures and page of a finished run again.

    Everything comes from the ledger and the manifest: nothing is played, and the strategies that played need not be there any more.
    The same run gives the same files. The page is report.html.
    """
    from simgin.report import page
    from simgin.stats import table

    manifest = _manifest(directory)
    with _found(directory, manifest) as found:
        there = [results.DEALS] if (directory / results.DEALS).exists() else []
        told = {**manifest, "stopped": found.stopped}
        made = _report(found, manifest)
        written = results.save(directory, told, page.files(made), *there)
        answer = Answer(
            command_line("report", directory),
            table.records(found.table),
            found.account.seed,
            written,
            found.stopped,
        )
        answer.give(as_json, [*made.sentences, ""])


def _report(found: Findings, manifest: dict[str, Any]) -> Report:
    """The report of a run, or of a review."""
    from simgin.findings.report import run_report
    from simgin.review.report import review_report
    from simgin.review.review import again

    if "review" in manifest:
        return review_report(again(manifest["review"], found), manifest["command"])
    return run_report(found, manifest["command"])


def _manifest(directory: Path) -> dict[str, Any]:
    """The manifest of a finished run. ResultsError, with what goes on with it, if there is a ledger and nothing else yet."""
    if not (directory / results.MANIFEST).exists() and (directory / ledger.FILE).is_file():
        with ledger.reading(directory / ledger.FILE) as book:
            goes_on = (
                f"go on with: {book.command}"
                if book.command
                else "the command that began it goes on with it."
            )
        raise results.ResultsError(f"{directory} holds a run that is not finished; {goes_on}")
    return results.read_manifest(directory)


@contextmanager
def _found(directory: Path, manifest: dict[str, Any]) -> Iterator[Findings]:
    from simgin.findings.findings import Findings

    if not (directory / ledger.FILE).is_file():  # odds, or a run whose ledger was not kept
        raise results.ResultsError(
            f"{directory} has no {ledger.FILE} to report from; `{manifest['command']}` makes its files again."
        )
    try:
        told = record.of_manifest(manifest)
    except record.AccountError as error:
        raise results.ResultsError(f"{directory} cannot be reported: {error}") from None
    results.check(directory)
    with ledger.reading(directory / ledger.FILE) as book:
        yield Findings(told, book)
