"""`simgin run`: results of an experiment."""

from pathlib import Path
from typing import Any

import click

from simgin.cli import options
from simgin.cli.commands.match import play_or_print_plan
from simgin.cli.output import format_command, format_repeat_command


@click.command("run")
@click.argument("file", metavar="EXPERIMENT", type=options.EXPERIMENT_TYPE)
@options.output_option("Directory for the results [default: results/EXPERIMENT].")
@options.style_option
@click.option(
    "--seed", type=int, metavar="N", help="Random seed that replaces the seed in the file."
)
@options.workers_option
@options.scheduler_option
@options.record_option
@click.option(
    "--dry-run",
    is_flag=True,
    help="Print the plan with the estimated run time and interval half-widths, and exit.",
)
@options.details_option
@options.json_option
def run_command(file: str, seed: int | None, output: Path | None, **run_options: Any) -> None:
    """Run an experiment and write tables, plots and an HTML report.

    EXPERIMENT is a TOML file, or the name of an example such as `demo`. `simgin examples` lists the
    examples. An experiment file contains a question and the matchups to play:

    \b
      question = "Does waiting for gin pay?"
      variants = ["eaai", "oklahoma"]
      deals = "200k"
      [panel]
      strategies = ["gold", "gin-only"]
      against = "simple"

    Instead of `panel`, a file can contain `round_robin`, `matchups`, `sweep`, `fields` or `solo`.
    To play whole matches, set `matches` instead of `deals`. To stop early, set one of `until`,
    `sprt` and `for`. `simgin examples DIR` copies all example files.

    Repeat the command to resume an interrupted run, or increase the number of deals to extend a
    finished run. If the experiment, the rules or a strategy has changed since the first run, simgin
    reports an error.
    """
    from simgin.cli import config
    from simgin.runs.plan import plan_experiment

    plan = plan_experiment(file, seed)
    output = output or config.find_configured_output(plan.title)
    directory = output or Path("results") / plan.title
    details_hint = format_command("report", directory, "--details")
    play_or_print_plan(
        plan,
        format_repeat_command(output=output),
        output=directory,
        details_hint=details_hint,
        announces_plan=True,
        **run_options,
    )
