"""`simgin run`: an experiment file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from simgin import experiment, frames, results
from simgin.commands import playing
from simgin.commands.answer import Answer, command_line, console, json_option


@click.command()
@click.argument("file", metavar="FILE.toml", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Where results go [default: results/FILE].")
@click.option("--seed", type=int, help="Instead of the file's seed.")
@playing.workers_option
@json_option
def run(file: Path, output: Path | None, seed: int | None, workers: int | None, as_json: bool) -> None:
    """Play an experiment and write its tables, summary, plots and manifest.

    A file holds one question, like:

    \b
      question = "Does waiting for gin pay?"
      variants = ["eaai", "oklahoma"]
      deals = "200k"
      [panel]
      strategies = ["gold", "gin-only"]
      against = "simple"

    Instead of deals there can be matches; beside or instead of the panel, round_robin = [...] and [[matchups]] with a and b. Games for
    one player have solo = ["gold", "gin-only"], the strategies that play alone, and nothing else.
    """
    plan = frames.seeded(experiment.read(file), seed)
    cells = experiment.cells(plan)
    place = output or Path("results") / plan.name
    command = _command(file, output, seed)
    results.check(place)
    if not as_json:
        console().print(plan.question)
    playing.warn_of_scores(cells)
    started = datetime.now(UTC)
    frame = playing.play(cells, plan.name, workers, command)
    files = playing.save(place, frame, cells, workers, started, command, plan.question)
    from simgin import screen, table

    Answer(command, table.records(frame), plan.seed, files).give(as_json, [screen.results(frame), playing.mirroring(cells)])


def _command(file: Path, output: Path | None, seed: int | None) -> str:
    place = () if output is None else ("-o", output)
    other = () if seed is None else ("--seed", seed)
    return command_line("run", file, *place, *other)
