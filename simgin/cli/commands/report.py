"""`simgin report`: tables, plots and HTML report of a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from simgin.cli.options import PATH, details_option, json_option, style_option
from simgin.cli.output import STYLE_KEY, CommandResult, repeat_command, screen_parts

if TYPE_CHECKING:
    from simgin.report.report import Report
    from simgin.results.run_results import RunResults


@click.command("report")
@click.argument("directory_path", metavar="DIR", type=PATH)
@style_option
@details_option
@json_option
def report_command(directory_path: Path, details: bool, as_json: bool) -> None:
    """Regenerate the tables, plots and HTML report of a finished run.

    simgin computes all files from the ledger and the manifest in DIR. The command plays no deals,
    so it does not need the strategies of the run. The same run and style always give the same
    files.
    """
    from simgin.report import html_report
    from simgin.results.run_results import load_results
    from simgin.runs import directory

    with directory.report_corruption(directory_path), load_results(directory_path) as findings:
        directory.check_directory(directory_path)
        existing_files = (
            [directory.DEALS_FILE] if (directory_path / directory.DEALS_FILE).exists() else []
        )
        manifest_now = {**findings.info.identity, "stopped": findings.stopped}
        report = _build_report(findings)
        files = directory.write_run_directory(
            directory_path, manifest_now, html_report.render_report_files(report), *existing_files
        )
        command = repeat_command(style=click.get_current_context().meta.get(STYLE_KEY))
        result = CommandResult(
            command, findings.records(), findings.info.seed, files, findings.stopped
        )
        result.print(as_json, screen_parts(report, details, details_hint=""))


def _build_report(findings: RunResults) -> Report:
    """Return the report of a finished run or review."""
    from simgin.review.review import restore_review

    manifest = findings.info.identity
    if "review" in manifest:
        return restore_review(manifest["review"], findings).report(manifest["command"])
    return findings.report(manifest["command"])
