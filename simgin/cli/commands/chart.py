"""`simgin chart`: charts for knocks, first upcards and first discards."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from simgin.cli import options
from simgin.cli.output import format_command, format_repeat_command, print_line


@click.command("chart")
@click.argument("kind", type=click.Choice(["knock", "upcard", "discard"]))
@options.variant_option
@click.option(
    "--score", metavar="OWN-OTHER", help="Match score for which to draw the chart, such as 60-80."
)
@options.strategy_option(
    "Strategy that plays both sides [default: the strongest strategy].", "--player", metavar="S"
)
@click.option(
    "--strategy",
    "file",
    type=options.FILE_PATH_TYPE,
    metavar="FILE.py",
    help="Write a strategy that follows the knock chart to this Python file, such as mine.py.",
)
@options.output_option("Directory for the printable HTML report, the plot and the table.")
@options.style_option
@options.count_option("--deals", "Number of deals [default: 1M, or 200k for discards].")
@options.seed_option
@options.workers_option
@options.json_option
def chart_command(
    file: Path | None, output: Path | None, workers: int | None, as_json: bool, **arguments: Any
) -> None:
    """Draw a chart of when to knock, which upcard to take, or what to discard first.

    simgin plays a strong strategy against itself. At one decision per deal, simgin tries every
    option with the same hidden cards. The chart shows the average gain of each option in points per
    deal or, with --score, in percentage points of matches won. Without --score, simgin also
    plays the strategy with the knock chart against the same strategy without the chart, and reports
    the match win rate.

    \b
      simgin chart knock
      simgin chart knock -v oklahoma -o results/knock
      simgin chart knock --score 60-80 --strategy by_chart.py
      simgin chart upcard
      simgin chart discard
    """
    from simgin.charts.chart import (
        STRATEGY_FILE_MARKER,
        Chart,
        ChartRequest,
        render_chart_strategy,
        run_chart,
    )
    from simgin.cli import session
    from simgin.text.files import check_writable, write_file

    if file is not None and (arguments["kind"] != "knock" or file.suffix != ".py"):
        raise click.UsageError(
            "--strategy requires a knock chart and a file name that ends in .py. Use, for "
            "example, `simgin chart knock --strategy mine.py`."
        )
    if file is not None:
        check_writable(file, STRATEGY_FILE_MARKER)
    command = format_repeat_command()

    def write_strategy(chart: Chart) -> list[Path]:
        if file is None:
            return []
        write_file(file, render_chart_strategy(chart, command).encode())
        return [file]

    with session.announce_compilation():
        chart = session.run_request(
            partial(run_chart, ChartRequest.read(**arguments), workers),
            f"{arguments['kind']} chart",
            command,
            lambda _, report: report().to_renderables(show_details=True),
            workers=workers,
            output=output,
            on_finish=write_strategy,
            as_json=as_json,
        )
    if file is not None and not as_json:
        # The player who made the chart follows it. The file alone has simpler other policies.
        player, variant = chart.request.strategy, chart.request.variant
        match = (f"{player}+knock={file}", player, "-v", variant, "--matches", "20k")
        print_line(f"Next:    {format_command('match', *match)}")
