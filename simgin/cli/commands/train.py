"""`simgin train`: weights for the discards of a strategy, learned on branches of deals."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simgin.cli import options, searched, session
from simgin.cli.output import Answer, command_line, console, note
from simgin.play import kernel
from simgin.play.parallel import SHARES, Progress, share
from simgin.report import progress
from simgin.report.screen import Words
from simgin.runs import directory, ledger
from simgin.text.files import write_file

if TYPE_CHECKING:
    from simgin.tune.trained import Trained
    from simgin.tune.training import Round, TrainRequest

FILE = "trained.npy"  # of a directory


@click.command()
@click.argument("strategy")
@options.variant_option
@click.option(
    "--against", multiple=True, metavar="S", help="Opponent; may be repeated [default: simple]."
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    metavar="N",
    help="Rounds; each is played with the weights of the one before.",
)
@click.option(
    "--deals",
    callback=options.read_count,
    default="20k",
    show_default=True,
    metavar="N",
    help="Deals to learn from in a round, against each opponent.",
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
    metavar="FILE.npy",
    help="Write the weights: to the file that the strategy names, to be played.",
)
@click.option(
    "--run",
    "place",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep the rounds in this directory, with tables. It can be resumed.",
)
@options.json_option
def train(
    strategy: str,
    variant: str,
    against: tuple[str, ...],
    rounds: int,
    deals: int,
    confirm: int,
    seed: int,
    workers: int | None,
    output: Path | None,
    place: Path | None,
    as_json: bool,
) -> None:
    """Learn weights for the discards of a STRATEGY, and measure what they gain.

    Its discard policy weighs some numbers of each card, and names them:

    \b
      @discard(weights="mine.npy", describe=describe, start=START)

    Deals are played on with several discards, in the same world; what each of them leads to is
    regressed on its numbers, round after round. The weights then play against those of the start
    on packs that the training never saw.

    \b
      simgin train mine.py -o mine.npy
      simgin train mine.py -v eaai --against simple --against gold-early
      simgin match mine.py simple

    With --run, the same command resumes an interrupted training, and more --rounds continue a
    finished one.
    """
    from simgin.tune.trained import is_trained_file
    from simgin.tune.training import read_training

    searched.check_output(output, place, ".npy", ("weights", "training"), is_trained_file)
    training = read_training(
        strategy, variant, against, rounds=rounds, deals=deals, confirmed=confirm, seed=seed
    )
    command = _command(training, output, place)
    if not as_json:
        _announce(training)
    started = datetime.now(UTC)
    with searched.opened(training.identity, place, command) as run_ledger:
        try:
            trained = _trained(training, run_ledger, workers)
        except KeyboardInterrupt:
            note(searched.interrupted(place, command, "rounds"))
            raise click.exceptions.Exit(searched.INTERRUPTED) from None
        files = _written(trained, started, output, place, workers)
    _show(trained, command, output, files, as_json)


def _announce(training: TrainRequest) -> None:
    from simgin.tune.trained import plan_sentence

    console().print(Words([plan_sentence(training)]))


def _trained(training: TrainRequest, run_ledger: ledger.Ledger, workers: int | None) -> Trained:
    """The training and its confirmation, with live progress: a line for every round."""
    from simgin.tune.trained import carry_out, round_line

    match = training.match
    with session.explain_wait():
        for matchup in match.matchups(match.strategy, match.seed):
            kernel.prepare(matchup)
    pieces = training.rounds + 1
    lines: list[str] = []
    with progress.live(f"training {match.strategy.name}") as report:

        def part(place: int) -> Progress | None:
            def note_part(done: int, units: int) -> None:
                report(done, units, lambda: "\n".join(lines))

            return share(note_part, place, pieces)

        def see(played: Round) -> None:
            lines.append(round_line(training, played))

        report(0, SHARES * pieces)
        return carry_out(training, run_ledger, workers, part, see)


def _written(
    trained: Trained,
    started: datetime,
    output: Path | None,
    place: Path | None,
    workers: int | None,
) -> list[Path]:
    """Write the files of a training; their paths."""
    from simgin.stats import table
    from simgin.tune.trained import trained_file

    # What stands in the file depends on neither its place nor the number of workers.
    weights = trained_file(trained, _command(trained.training, None, None))
    files: list[Path] = []
    if output is not None:
        write_file(output, weights)
        files.append(output)
    if place is not None:
        contents: dict[str, bytes | str] = {
            FILE: weights,
            "parameters.csv": table.csv(trained.parameters),
            "rounds.csv": table.csv(trained.course),
            "confirmation.csv": table.csv(trained.table),
        }
        command = _command(trained.training, output, place)
        identity = trained.training.identity
        manifest = searched.manifest(trained.request, identity, workers, started, command)
        files += directory.save(place, manifest, contents)
    return files


def _show(
    trained: Trained, command: str, output: Path | None, files: list[Path], as_json: bool
) -> None:
    """Print what came of a training, and how to play it."""
    from simgin.stats import table
    from simgin.tune.sentences import gain_sentences
    from simgin.tune.trained import train_sheets

    rows = table.records(trained.table)
    answer = Answer(command, rows, trained.request.seed, files)
    answer.show(as_json, [Words(gain_sentences(trained)), *train_sheets(trained), ""])
    if not as_json:
        click.echo(_play_line(trained, output))


def _play_line(trained: Trained, output: Path | None) -> str:
    """How the weights are played: a strategy reads them from the file that it names."""
    request = trained.request
    policy = trained.training.named
    strategy = request.strategy.text
    if output is None:
        return f"Keep:    give -o {policy}, the file that the strategy reads."
    if output.resolve() != policy.resolve():
        return f"Play:    {strategy} reads {policy}; move {output} there."
    opponent = request.pool[0].text
    words = command_line(
        "match", strategy, opponent, "-v", request.variant.text, "--matches", "20k"
    )
    return f"Play:    {words}"


def _command(training: TrainRequest, output: Path | None, place: Path | None) -> str:
    match = training.match
    words: list[object] = ["train", match.strategy.text, "-v", match.variant.text]
    for opponent in match.pool:
        words += ["--against", opponent.text]
    words += ["--rounds", training.rounds, "--deals", training.deals]
    words += ["--confirm", match.confirmed, "--seed", match.seed]
    if output is not None:
        words += ["-o", output]
    if place is not None:
        words += ["--run", place]
    return command_line(*words)
