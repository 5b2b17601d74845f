"""`simgin compare`: differences between two run directories."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from simgin.cli import options
from simgin.cli.output import CommandResult, repeat_command, screen_parts


@click.command("compare")
@click.argument("run", metavar="DIR", type=options.PATH)
@click.argument("base", metavar="BASE", type=options.PATH)
@options.margin_option
@options.output_option("Write a page and the differences as CSV to this directory.")
@options.details_option
@options.json_option
def compare_command(
    run: Path,
    base: Path,
    margin: str | float | None,
    output: Path | None,
    details: bool,
    as_json: bool,
) -> None:
    """Print the differences between two finished runs: DIR minus BASE, with intervals.

    Matchups are compared if both runs played them; if they share none, the first is compared with
    the first, and so on. Runs with the same seed share their packs, so their differences are
    paired and much more precise.

    No significant difference does not mean no difference. With --margin X two are called the same
    within X if the whole interval of their difference lies inside it.
    """
    from simgin.cli.session import save_report
    from simgin.results.comparison import compare_runs
    from simgin.results.run_results import load_results
    from simgin.runs import directory

    command, started = repeat_command(), datetime.now(UTC)
    if output is not None:
        directory.check_directory(output, command)
    question = f"How does {run} differ from {base}?"
    with (
        directory.report_corruption(run, base),
        load_results(run) as run_read,
        load_results(base) as base_read,
    ):
        found = replace(compare_runs(run_read, base_read, margin), question=question)
        report = found.report(command)
        files = []
        if output is not None:
            played = found.identity, found.units
            files = save_report(output, report, *played, started, question=command)
        all_rows = [
            f"--details prints all {len(one.rows)} comparisons." for one in report.detail_tables
        ]
        parts = screen_parts(report, details, "".join(all_rows))
        CommandResult(command, found.records(), run_read.info.seed, files).print(as_json, parts)
