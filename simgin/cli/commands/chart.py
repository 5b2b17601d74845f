"""`simgin chart`: charts of when to knock, what to take first and what to discard first."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from simgin.cli import options
from simgin.cli.output import repeat_command


@click.command("chart")
@click.argument("kind", type=click.Choice(["knock", "upcard", "discard"]))
@options.variant_option
@click.option("--score", metavar="OWN-OTHER", help="At this score of a match, such as 60-80.")
@options.strategy_option(
    "Who plays [default: the strongest player of the variant].", "--player", metavar="S"
)
@click.option(
    "--strategy",
    "file",
    type=options.FILE_PATH,
    metavar="FILE.py",
    help="Write a strategy that knocks by the chart.",
)
@options.output_option("Directory for the printable page, the picture and the table.")
@options.count_option("--deals", "Deals branched [default: 1M, for discards 200k].")
@options.seed_option
@options.workers_option
@options.json_option
def chart_command(
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
    from simgin.charts.chart import FILE_MARK, Chart, ChartRequest, render_chart_strategy, run_chart
    from simgin.cli import session
    from simgin.text.files import check_writable, write_file

    if file is not None and (asked["kind"] != "knock" or file.suffix != ".py"):
        raise click.UsageError("--strategy writes a .py file, and only for a knock chart.")
    if file is not None:
        check_writable(file, FILE_MARK, "chart")
    command = repeat_command()

    def finish(chart: Chart) -> list[Path]:
        if file is None:
            return []
        write_file(file, render_chart_strategy(chart, command).encode())
        return [file]

    with session.explain_wait():
        session.run_request(
            partial(run_chart, ChartRequest.read(**asked), workers),
            f"{asked['kind']} chart",
            command,
            lambda _, report: report().to_renderables(details=True),
            workers=workers,
            output=output,
            plots="",
            finish=finish,
            as_json=as_json,
        )
