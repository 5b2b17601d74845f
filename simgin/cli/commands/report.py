"""`simgin report`: tables, plots and HTML report of a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from simgin.cli.options import PATH_TYPE, details_option, json_option, style_option
from simgin.cli.output import STYLE_KEY, CommandResult, format_repeat_command, render_report

if TYPE_CHECKING:
    from simgin.report.report import Report
    from simgin.results.run_results import RunResults


@click.command("report")
@click.argument("directory_path", metavar="DIR", type=PATH_TYPE)
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

    with directory.report_corruption(directory_path), load_results(directory_path) as results:
        directory.check_directory(directory_path)
        existing_files = (
            [directory.DEALS_FILE] if (directory_path / directory.DEALS_FILE).exists() else []
        )
        manifest = {**results.info.identity, "stopped": results.stop_reason}
        report = _build_report(results)
        files = directory.write_run_directory(
            directory_path, manifest, html_report.render_report_files(report), *existing_files
        )
        command = format_repeat_command(style=click.get_current_context().meta.get(STYLE_KEY))
        result = CommandResult(
            command, results.records(), results.info.seed, files, results.stop_reason
        )
        result.print(as_json, render_report(report, details, details_hint=""))


def _build_report(results: RunResults) -> Report:
    """Return the report of a finished run, or of a review if the run belongs to a review."""
    from simgin.review.review import restore_review

    manifest = results.info.identity
    if "review" in manifest:
        return restore_review(manifest["review"], results).report(manifest["command"])
    return results.report(manifest["command"])
