"""`simgin tune`: better numbers for a strategy."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options, searched, session
from simgin.cli.output import Answer, command_line, console, note
from simgin.cli.plan_table import duration
from simgin.play import kernel
from simgin.play.parallel import SHARES, Progress, share, usable_cpus
from simgin.report import progress
from simgin.report.screen import Words
from simgin.runs import directory, ledger
from simgin.runs.plan import unit_seconds
from simgin.text.files import write_file

if TYPE_CHECKING:
    from simgin.tune.request import TuneRequest
    from simgin.tune.search import Generation
    from simgin.tune.tuned import Tuned

OWN = "# simgin tune "  # how the files that -o writes begin


@click.command()
@click.argument("strategy")
@options.variant_option
@click.option(
    "--against", multiple=True, metavar="S", help="Opponent; may be repeated [default: simple]."
)
@click.option(
    "--parameters",
    metavar="P,P",
    help="Numbers to tune, such as k,share or k=0..12 [default: all].",
)
@click.option(
    "--objective",
    type=click.Choice(["matches", "points", "worst"]),
    default="matches",
    show_default=True,
    help="Matches won, points per deal, or matches won against the hardest opponent.",
)
@click.option(
    "--generations",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    metavar="N",
    help="Generations of strategies to try.",
)
@click.option(
    "--matches",
    callback=options.read_count,
    default="4k",
    show_default=True,
    metavar="N",
    help="Matches of each strategy tried against each opponent.",
)
@click.option(
    "--confirm",
    callback=options.read_count,
    default="40k",
    show_default=True,
    metavar="N",
    help="Matches of the confirmation against each opponent.",
)
@options.seed_option
@options.workers_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.toml",
    help="Write the tuned numbers, to be played as STRATEGY@FILE.toml.",
)
@click.option(
    "--run",
    "place",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep the search in this directory: tables, plot, page. It can be resumed.",
)
@click.option("--dry-run", is_flag=True, help="Print the plan with its estimated time, and stop.")
@options.json_option
def tune(
    strategy: str,
    variant: str,
    against: tuple[str, ...],
    parameters: str | None,
    objective: str,
    generations: int,
    matches: int,
    confirm: int,
    seed: int,
    workers: int | None,
    output: Path | None,
    place: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Search for better numbers of a STRATEGY, and measure what they gain.

    The numbers are the parameters of its policies, as `simgin strategies STRATEGY` lists them:

    \b
      simgin tune mine.py -o mine.toml
      simgin tune mine.py --against simple --against gold-early --objective worst
      simgin tune gold-early -v oklahoma --parameters k=0..12
      simgin match mine.py@mine.toml mine.py

    CMA-ES draws strategies, generation by generation; all of a generation play the same packs. What
    it ends with then plays against the defaults on packs that the search never saw.

    With --run, the same command resumes an interrupted search, and more --generations continue a
    finished one.
    """
    from simgin.tune.request import read_request

    request = read_request(
        strategy,
        variant,
        against,
        parameters,
        objective=objective,
        generations=generations,
        matches=matches,
        confirmed=confirm,
        seed=seed,
    )
    command = _command(request, parameters, output, place)
    searched.check_output(output, place, ".toml", ("numbers", "search"), _is_ours)
    rows = [_plan_row(request, workers)]
    if not as_json:
        _announce(request, rows[0]["seconds"])
    if dry_run:
        if as_json:
            Answer(command, rows, seed, stopped="dry run").show(True, ())
        return
    started = datetime.now(UTC)
    with searched.opened(request.identity, place, command) as run_ledger:
        try:
            tuned = _searched(request, run_ledger, workers)
        except KeyboardInterrupt:
            note(searched.interrupted(place, command, "generations"))
            raise click.exceptions.Exit(searched.INTERRUPTED) from None
        _show(tuned, command, started, output, place, workers, as_json)


def _is_ours(path: Path) -> bool:
    """Whether a search wrote a file."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(OWN)) == OWN.encode()


def _searched(request: TuneRequest, run_ledger: ledger.Ledger, workers: int | None) -> Tuned:
    """The search and its confirmation, with live progress."""
    from simgin.tune.sentences import course_line
    from simgin.tune.tuned import carry_out

    pieces = request.generations + 2
    seen: list[Generation] = []
    with progress.live(f"tuning {request.strategy.name}") as report:

        def part(place: int) -> Progress | None:
            def note_part(done: int, units: int) -> None:
                report(done, units, lambda: course_line(request, seen))

            return share(note_part, place, pieces)

        report(0, SHARES * pieces)
        return carry_out(request, run_ledger, workers, part, seen.append)


def _show(
    tuned: Tuned,
    command: str,
    started: datetime,
    output: Path | None,
    place: Path | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Write the files of a search, and print what came of it."""
    from simgin.report import page
    from simgin.stats import table
    from simgin.tune.report import FILE, tune_report, tuned_file

    report = tune_report(tuned, command)
    numbers = tuned_file(tuned, command)
    files: list[Path] = []
    if output is not None:
        write_file(output, numbers.encode())
        files.append(output)
    if place is not None:
        manifest = searched.manifest(
            tuned.request, tuned.request.identity, workers, started, command
        )
        contents = {**page.files(report), FILE: numbers}
        files += directory.save(place, manifest, contents)
    rows = table.records(tuned.table)
    answer = Answer(command, rows, tuned.request.seed, files)
    answer.show(as_json, [Words(report.sentences), *report.sheets, ""])
    if tuned.is_moved and not as_json:
        click.echo(f"Play:    {_play_command(tuned, output)}")


def _play_command(tuned: Tuned, output: Path | None) -> str:
    """What plays the tuned strategy against the default."""
    request = tuned.request
    player = tuned.strategy.text
    if output is not None:
        player = f"{request.strategy.text}@{output}"
    return command_line(
        "match", player, request.strategy.text, "-v", request.variant.text, "--matches", "20k"
    )


# The plan


def _announce(request: TuneRequest, seconds: float) -> None:
    """Print what will be played, and how long that takes."""
    from simgin.tune.sentences import plan_sentence

    out = console()
    time = duration(seconds)
    about = f"about {time}" if seconds >= 1 else time
    out.print(Words([f"{plan_sentence(request)} That takes {about}."]))


def _plan_row(request: TuneRequest, workers: int | None) -> dict[str, Any]:
    """The plan for --json. seconds: an estimate from a few units played and thrown away."""
    from simgin.tune.finals import FINALISTS, LONGER

    matchups = request.matchups(request.strategy, request.seed)
    with session.explain_wait():
        for matchup in matchups:
            kernel.prepare(matchup)
    each = sum(unit_seconds(matchup) for matchup in matchups) / 2  # a unit is a pair of matches
    strategies = request.generations * (request.candidates + 2)
    final_matches = FINALISTS * LONGER * request.matches
    seconds = each * (strategies * request.matches + final_matches + 3 * request.confirmed)
    return {
        "variant": request.variant.text,
        "strategy": request.strategy.text,
        "opponents": [opponent.text for opponent in request.pool],
        "parameters": [knob.name for knob in request.knobs],
        "objective": request.objective,
        "generations": request.generations,
        "candidates": request.candidates,
        "matches": request.matches,
        "confirmed": request.confirmed,
        "seconds": float(f"{seconds / (workers or usable_cpus()):.3g}"),
    }


def _command(
    request: TuneRequest, parameters: str | None, output: Path | None, place: Path | None
) -> str:
    words: list[object] = ["tune", request.strategy.text, "-v", request.variant.text]
    for opponent in request.pool:
        words += ["--against", opponent.text]
    if parameters is not None:
        words += ["--parameters", parameters]
    words += ["--objective", request.objective, "--generations", request.generations]
    words += ["--matches", request.matches, "--confirm", request.confirmed]
    words += ["--seed", request.seed]
    if output is not None:
        words += ["-o", output]
    if place is not None:
        words += ["--run", place]
    return command_line(*words)
