"""`simgin compare`: differences between two run directories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import repeat_command, screen_parts

if TYPE_CHECKING:
    from simgin.report.report import Report
    from simgin.results.comparison import Comparison


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
    from simgin.cli import session
    from simgin.results.comparison import compare_runs
    from simgin.results.run_results import load_results
    from simgin.runs import directory

    def screen(_: Comparison, report: Callable[[], Report]) -> Iterator[Any]:
        all_rows = [
            f"--details prints all {len(one.rows)} comparisons." for one in report().detail_tables
        ]
        return screen_parts(report(), details, "".join(all_rows))

    question = f"How does {run} differ from {base}?"
    with (
        directory.report_corruption(run, base),
        load_results(run) as run_read,
        load_results(base) as base_read,
    ):
        session.run_request(
            lambda _: replace(compare_runs(run_read, base_read, margin), question=question),
            "compare",
            repeat_command(),
            screen,
            workers=None,
            output=output,
            as_json=as_json,
        )
