"""`simgin train`: weights for the discards of a strategy, learned on branches of deals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from simgin.cli import improvement, options
from simgin.cli.output import command_line, console, say

if TYPE_CHECKING:
    from simgin.tune.training import Round, TrainRequest


@click.command()
@click.argument("strategy", type=options.STRATEGY)
@options.variant_option
@improvement.against_option
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=8,
    show_default=True,
    metavar="N",
    help="Rounds; each is played with the weights of the one before.",
)
@options.count_option(
    "--deals",
    "Deals to learn from in a round, against each opponent.",
    default="20k",
    show_default=True,
)
@improvement.confirm_option
@options.seed_option
@options.workers_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.npy",
    help="Write the weights: to the file that the strategy names, to be played.",
)
@improvement.place_option("Keep the rounds in this directory, with tables. It can be resumed.")
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
    from simgin.report.screen import Words
    from simgin.tune import trained
    from simgin.tune.training import read_training

    words = trained.Trained.words
    improvement.check_output(words, output, place)
    training = read_training(
        strategy, variant, against, rounds=rounds, deals=deals, confirmed=confirm, seed=seed
    )
    if not as_json:
        console().print(Words([trained.plan_sentence(training)]))
    improvement.prepare(training.match)
    lines: list[str] = []

    def see(played: Round) -> None:
        lines.append(trained.round_line(training, played))

    improvement.carry_out(
        training.match,
        words,
        lambda ledger, part: trained.carry_out(training, ledger, workers, part, see),
        lambda: "\n".join(lines),
        pieces=training.rounds + 1,
        identity=training.identity,
        workers=workers,
        output=output,
        place=place,
        as_json=as_json,
    )
    if not as_json:
        say(_play_line(training, output))


def _play_line(training: TrainRequest, output: Path | None) -> str:
    """How the weights are played: a strategy reads them from the file that it names."""
    match = training.match
    strategy = match.strategy.text
    if output is None:
        return f"Keep:    give -o {training.named}, the file that the strategy reads."
    if output.resolve() != training.named.resolve():
        return f"Play:    {strategy} reads {training.named}; move {output} there."
    opponent, variant = match.pool[0].text, match.variant.text
    words = command_line("match", strategy, opponent, "-v", variant, "--matches", "20k")
    return f"Play:    {words}"
