"""`simgin chart`: what knocking, the first upcard and the first discards are worth."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from simgin.cli import options
from simgin.cli.output import Answer, repeated
from simgin.report import progress


@click.command()
@click.argument("kind", type=click.Choice(["knock", "upcard", "discard"]))
@options.variant_option
@click.option("--score", metavar="OWN-OTHER", help="At this score of a match, such as 60-80.")
@options.strategy_option(
    "Who plays [default: the strongest player of the variant].", "--player", metavar="S"
)
@click.option(
    "--strategy",
    "file",
    type=options.FILE,
    metavar="FILE.py",
    help="Write a strategy that knocks by the chart.",
)
@options.output_option("Directory for the printable page, the picture and the table.")
@options.count_option("--deals", "Deals branched [default: 1M, for discards 200k].")
@options.seed_option
@options.workers_option
@options.json_option
def chart(
    file: Path | None, output: Path | None, workers: int | None, as_json: bool, **asked: Any
) -> None:
    """Draw a chart to play by: when to knock, which upcard to take, what to throw first.

    Plays a strong player against itself and tries every answer at one decision of each deal, with
    the same pack. The chart shows what each gains with the hands that this player holds then, in
    points per deal, or at a --score in % of matches. Without --score, simgin also measures how many
    matches the player wins from itself by following the knock chart.

    \b
      simgin chart knock
      simgin chart knock -v oklahoma -o results/knock
      simgin chart knock --score 60-80 --strategy by_chart.py
      simgin chart upcard
      simgin chart discard
    """
    from simgin.charts.chart import MARK, chart_report, measure, price, read_request, strategy_file
    from simgin.cli import session
    from simgin.runs import directory
    from simgin.runs.manifest import run_identity
    from simgin.stats import table
    from simgin.text.files import check_file, write_file

    if file is not None and (asked["kind"] != "knock" or file.suffix != ".py"):
        raise click.UsageError("--strategy writes a .py file, and only for a knock chart.")
    if file is not None:
        check_file(file, MARK, "chart")
    command = repeated()
    if output is not None:
        directory.check(output, command)
    started = datetime.now(UTC)
    with session.interruptible(command), session.explain_wait():
        request = read_request(**asked, workers=workers)
        with progress.live(f"{request.kind} chart") as report_progress:
            found = measure(request, workers, report_progress)
        # A chart of one score is not for others
        whole = request.kind == "knock" and request.score is None
        paid = price(found, command, workers) if whole else None
        if file is not None:
            write_file(file, strategy_file(found, command).encode())
    report = chart_report(found, command, paid)
    files = [] if file is None else [file]
    if output is not None:
        played = run_identity([request.matchup]), [request.deals]
        how: dict[str, Any] = {"question": command, "workers": workers, "plots": ""}
        files += session.save_report(output, report, *played, started, **how)
    rows = [table.for_json(row) for row in table.records(found.frame)]
    Answer(command, rows, request.seed, files).show(as_json, report.screen(details=True))
