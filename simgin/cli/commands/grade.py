"""`simgin grade`: what a player gave up in deals that were really played."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from simgin.cli import options
from simgin.cli.commands.analyze import FILES
from simgin.cli.output import Answer, entry, repeated
from simgin.report import progress


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--player",
    metavar="NAME",
    help="Who is graded: a name in the files, or a seat, 0 or 1 [default: you, or the first].",
)
@click.option(
    "--as",
    "judge",
    metavar="NAME",
    help="Strategy that judges, and plays on [default: champion, or solo-champion].",
)
@click.option(
    "--against",
    "opponent",
    metavar="NAME",
    help="Strategy that plays on for the opponent [default: who played, if known].",
)
@options.count_option(
    "--worlds", "Most worlds, ways in which the hidden cards may lie [default: 200]."
)
@options.seed_option
@options.workers_option
@options.output_option("Write a page with the tables to this directory.")
@options.json_option
def grade(
    files: tuple[str, ...], workers: int | None, output: Path | None, as_json: bool, **asked: Any
) -> None:
    """Say what a player gave up in deals that were really played.

    Every decision is judged as by `simgin analyze --deals`, and the opponent's too, so that luck
    can be told from skill. Each file holds one deal, all of the same rules:

    \b
      what `simgin show --json` prints or `simgin play --save` writes
      OpenSpiel: pyspiel.serialize_game_and_state(game, state)
      Kaggle:    the replay of an episode of open_spiel_gin_rummy (JSON)
      RLCard:    print(*env.game.round.move_sheet, sep="\\n")

    \b
      simgin play --save mine
      simgin grade mine-*.json
      simgin grade log.txt --player 1
    """
    from simgin.analysis import grades
    from simgin.analysis.deal_file import read_file
    from simgin.analysis.rates import costliest_in_words
    from simgin.cli.session import save_report
    from simgin.runs import directory
    from simgin.runs.manifest import run_identity
    from simgin.text.files import has_ending

    for file in files:
        if not has_ending(file, *FILES):
            raise click.UsageError(f"{file!r} is no file of a deal: name it {', '.join(FILES)}.")
    told = [read_file(file) for file in files]
    trial, deals = grades.read_trial(told, **asked)
    judge = trial.judge
    settled = {"judge": judge.a.text, "opponent": judge.opponent or None}
    command = repeated(**settled, worlds=trial.worlds)
    if output is not None:
        directory.check(output, command)
    started = datetime.now(UTC)
    with progress.live("grade") as report:
        found = grades.grade(trial, deals, files, workers, report)
    rows = grades.grade_rows(found)
    answer = grades.grade_report(found, rows, told[0].engine, command)
    written = []
    if output is not None:
        played = run_identity([judge]), [len(deals)]
        how: dict[str, Any] = {"question": command, "workers": workers}
        written = save_report(output, answer, *played, started, **how)
    parts: list[Any] = [*answer.screen(), *answer.tables[1:-1]]
    parts += ["\nCostliest decisions found:"] if answer.tables[-1].rows else []
    for words in costliest_in_words(rows):
        parts += entry(*words, indent=2)
    Answer(command, rows, judge.seed, written).show(as_json, [*parts, ""])
