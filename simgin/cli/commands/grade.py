"""`simgin grade`: costs of a player's decisions in recorded deals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.commands.analyze import DEAL_FILE_SUFFIXES
from simgin.cli.output import format_repeat_command, render_with_commands

if TYPE_CHECKING:
    from simgin.analysis.grades import Grade
    from simgin.report.report import Report


@click.command("grade")
@click.argument("files", nargs=-1, metavar="[FILE...]")
@options.count_option(
    "--last",
    "Grade your play in your last N deals (at most 100) from `simgin play`, instead of files.",
)
@click.option(
    "--player",
    metavar="NAME",
    help="Name or seat (0 or 1) of the player to grade [default: you, or the first player].",
)
@options.strategy_option(
    "Strategy that evaluates decisions [default: champion, or solo-champion in solitaire].",
    "--as",
    "judge",
)
@options.strategy_option(
    "Strategy that plays the opponent in rollouts [default: the opponent in the file, if it is a "
    "strategy].",
    "--against",
    "opponent",
)
@options.count_option(
    "--worlds", "Maximum number of simulations of the hidden cards per decision [default: 200]."
)
@options.seed_option
@options.workers_option
@options.output_option("Directory for the HTML report and the tables.")
@options.json_option
def grade_command(
    files: tuple[str, ...],
    last: int | None,
    workers: int | None,
    output: Path | None,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Measure the cost of a player's mistakes in recorded deals.

    simgin evaluates every decision, as `simgin analyze --deals` does. simgin also evaluates the
    opponent's decisions, to separate luck from skill. Each file contains one deal, and all deals
    must have the same rules. The following formats are supported:

    \b
      simgin:    output of `simgin show --json` or `simgin play --save`
      OpenSpiel: pyspiel.serialize_game_and_state(game, state)
      Kaggle:    the replay of an episode of open_spiel_gin_rummy (JSON)
      RLCard:    print(*env.game.round.move_sheet, sep="\\n")

    \b
      simgin grade --last 10
      simgin grade mine-*.json
      simgin grade log.txt --player 1
    """
    from simgin.analysis.grades import GradeRequest, iter_grade_sentences, run_grade
    from simgin.cli import session
    from simgin.play import saved_deals
    from simgin.text.files import has_suffix

    if bool(files) == (last is not None):
        raise click.UsageError(
            "no deal file is specified. Specify at least one deal file, or use --last 10."
        )
    for file in files:
        if not has_suffix(file, *DEAL_FILE_SUFFIXES):
            raise click.UsageError(
                f"{file!r} is not a valid deal file name. Use a file name that ends in "
                f"{' or '.join(DEAL_FILE_SUFFIXES)}."
            )
    request = GradeRequest.read(files or saved_deals.find_last_deals(last or 0), **arguments)
    evaluator = request.task.evaluator
    resolved_options = {"judge": evaluator.a.spec, "opponent": evaluator.opponent or None}
    session.run_request(
        partial(run_grade, request, workers),
        "grade",
        format_repeat_command(**resolved_options, worlds=request.task.n_worlds),
        _render_grade,
        make_closing_sentence=lambda result: next(iter_grade_sentences(result)),
        workers=workers,
        output=output,
        as_json=as_json,
    )


def _render_grade(result: Grade, report: Callable[[], Report]) -> Iterator[Any]:
    """Yield the tables of a grade, followed by the costliest decisions."""
    from simgin.analysis.error_rates import describe_costliest

    yield from report().to_renderables()
    yield from report().tables[1:-1]
    if report().tables[-1].rows:
        yield "\nCostliest decisions:"
    for lines in describe_costliest(result.records()):
        yield from render_with_commands(*lines, indent=2)
    yield ""
