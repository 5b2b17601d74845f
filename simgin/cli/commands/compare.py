"""`simgin compare`: two run directories."""

from __future__ import annotations

from pathlib import Path

import click

from simgin.cli.options import details_option, json_option, margin_option
from simgin.cli.output import Answer, repeated


@click.command()
@click.argument("run", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("base", metavar="BASE", type=click.Path(path_type=Path))
@margin_option
@details_option
@json_option
def compare(
    run: Path, base: Path, margin: str | float | None, details: bool, as_json: bool
) -> None:
    """Print the differences between two finished runs: DIR minus BASE, with intervals.

    Matchups are compared if both runs played them; if they share none, the first is compared with
    the first, and so on. Runs with the same seed share their packs, so their differences are
    paired and much more precise.

    No significant difference does not mean no difference. With --margin X two are called the same
    within X if the whole interval of their difference lies inside it.
    """
    from simgin.findings.compare import compare_runs, comparison_report, read_run
    from simgin.runs import directory
    from simgin.stats import table

    run_read, base_read = read_run(run), read_run(base)
    with directory.readable(run, base):
        differences = compare_runs(run_read, base_read, margin)
        report = comparison_report(run_read, base_read, differences, repeated())
        parts: list[object] = [*report.screen(details=details), ""]
        if report.folded and not details:
            parts.append(f"More:    --details prints all {len(report.folded[0].rows)} comparisons.")
        rows = table.records(differences)
        Answer(report.command, rows, run_read.record.seed).show(as_json, parts)
