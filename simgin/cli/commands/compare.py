"""`simgin compare`: differences between two runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import format_repeat_command, render_report

if TYPE_CHECKING:
    from simgin.report.report import Report
    from simgin.results.comparison import Comparison


@click.command("compare")
@click.argument("run", metavar="DIR", type=options.PATH_TYPE)
@click.argument("base", metavar="BASE", type=options.PATH_TYPE)
@options.margin_option
@options.output_option("Directory for the HTML report and the differences as CSV.")
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
    """Print the differences between two finished runs (DIR minus BASE).

    simgin compares the matchups that both runs have in common. If the runs have no matchup in
    common, simgin compares matchups in the same position, such as the first matchups of both runs.
    Runs with the same seed play the same deals, so simgin compares them deal by deal, which makes
    the differences much more precise.

    With --margin X, simgin calls two results equivalent within X if the whole 95 % interval of
    their difference lies within ±X.
    """
    from simgin.cli import session
    from simgin.results.comparison import compare_runs
    from simgin.results.run_results import load_results
    from simgin.runs import directory

    def make_screen(_: Comparison, report: Callable[[], Report]) -> Iterator[Any]:
        details_hints = [
            f"--details prints all {len(detail_table.rows)} comparisons."
            for detail_table in report().detail_tables
        ]
        return render_report(report(), details, "".join(details_hints))

    run_names = (str(run), str(base)) if run.name == base.name else (run.name, base.name)
    with (
        directory.report_corruption(run, base),
        load_results(run) as run_results,
        load_results(base) as base_results,
    ):
        session.run_request(
            lambda _: compare_runs(run_results, base_results, run_names, margin),
            "compare",
            format_repeat_command(),
            make_screen,
            workers=None,
            output=output,
            as_json=as_json,
        )
