"""`simgin run`: an experiment file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from simgin.cli import plan_table, session
from simgin.cli.output import Answer, command_line, json_option
from simgin.runs import plan


@click.command()
@click.argument("file", metavar="FILE.toml", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where results go [default: results/FILE].",
)
@click.option("--seed", type=int, help="Instead of the file's seed.")
@session.workers_option
@session.scheduler_option
@session.record_option
@click.option(
    "--dry-run", is_flag=True, help="Show the plan, with the time it will take, and stop."
)
@json_option
def run(
    file: Path,
    output: Path | None,
    seed: int | None,
    workers: int | None,
    scheduler: str | None,
    record: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Play an experiment and write its tables, summary, plots and manifest.

    A file holds one question, like:

    \b
      question = "Does waiting for gin pay?"
      variants = ["eaai", "oklahoma"]
      deals = "200k"
      [panel]
      strategies = ["gold", "gin-only"]
      against = "simple"

    docs/how-to/experiments.md has every key: round_robin, matchups, sweep and solo beside the panel; matches instead of deals; until,
    sprt or for instead of a fixed size.

    The same command again goes on after an interruption; with more deals in the file it adds to what is there. A directory whose
    experiment, rules or strategies are no longer the same is refused.
    """
    asked = plan.of_file(file, seed)
    place = output or Path("results") / asked.title
    command = _command(file, output, seed, record)
    session.check(place, record)
    session.warn_of_scores(asked.cells)
    if dry_run or not as_json:
        cells = plan_table.rows(asked, place, workers, record=record)
        if dry_run and as_json:
            Answer(command, cells, asked.seed, stopped="dry run").give(True, ())
        else:
            plan_table.announce(asked, cells, place)
        if dry_run:
            return
    started = datetime.now(UTC)
    with session.played(
        asked, place, command, workers=workers, scheduler=scheduler, record=record
    ) as found:
        from simgin.findings import pictures
        from simgin.findings.report import run_report
        from simgin.report import page, screen
        from simgin.stats import table

        files = session.save(
            place,
            found,
            page.files(run_report(found, command)),
            started=started,
            command=command,
            record=record,
        )

        answer = Answer(command, table.records(found.table), asked.seed, files, found.stopped)
        each = (
            [screen.results(found.table)] if len(found.entries) <= pictures.MOST_ROWS else []
        )  # of a large league the standings will do
        answer.give(as_json, [*each, *session.told(found)])


def _command(file: Path, output: Path | None, seed: int | None, record: bool) -> str:
    place = () if output is None else ("-o", output)
    other = () if seed is None else ("--seed", seed)
    return command_line("run", file, *place, *other, *(["--record"] if record else []))
