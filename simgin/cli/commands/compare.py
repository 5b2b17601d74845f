"""`simgin compare`: two run directories."""

from __future__ import annotations

from pathlib import Path

import click

from simgin.cli.options import details_option, json_option, margin_option
from simgin.cli.output import Answer, repeated

MOST_ROWS = 9  # of the table, which takes two lines or three for each on a narrow terminal


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
    within X where the whole interval of their difference lies inside it.
    """
    from simgin.findings import run_tables, verdict
    from simgin.findings.compare import compare_runs, other_differences, read_run
    from simgin.report.wrapping import Words
    from simgin.runs import directory
    from simgin.stats import table
    from simgin.stats.differences import sentences, with_verdicts

    run_read, base_read = read_run(run), read_run(base)
    with directory.readable(run, base):
        differences = compare_runs(run_read, base_read)
        if margin is not None:
            differences = with_verdicts(differences, margin)
        other_settings = other_differences(run_read, base_read)
        shown = differences.replace({**base_read.names, **run_read.names})
        sheet = run_tables.differences(shown)
        parts: list[object] = [Words(verdict.differences(shown))]
        if margin is not None:
            parts += sentences(shown)
        if details or len(sheet.rows) <= MOST_ROWS:
            parts.append(sheet)
        else:
            parts.append(f"--details prints the table of {len(sheet.rows)} comparisons.")
        if other_settings:
            parts.append("The runs also differ in:")
            for line in other_settings:
                parts.append(f"  {line}")
        seed = run_read.record.seed
        Answer(repeated(), table.records(differences), seed).show(as_json, parts)
