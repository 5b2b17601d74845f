"""`simgin train`: training of the weights of a strategy from rollouts."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from simgin.cli import improvement, options
from simgin.cli.output import command_line, console, say

if TYPE_CHECKING:
    from simgin.tune.adapted import Adapted
    from simgin.tune.training import TrainRequest
    from simgin.tune.tune_request import TuneRequest


@click.command()
@click.argument("strategy", type=options.STRATEGY)
@options.variant_option
@improvement.against_option
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Rounds; each is played with the weights of the one before [default: 8; champion 12].",
)
@options.count_option(
    "--deals",
    "Deals to learn from in a round, against each opponent [default: 20k; champion 40k in all].",
)
@options.count_option(
    "--confirm", "Matches of the confirmation against each opponent [default: 40k; champion 10k]."
)
@options.seed_option
@options.workers_option
@options.output_option(
    "Write the weights: to the file that the strategy names, or to play STRATEGY@./FILE.npy.",
    "FILE.npy",
)
@improvement.place_option("Keep the rounds in this directory, with tables. It can be resumed.")
@options.json_option
def train(
    strategy: str,
    confirm: int | None,
    workers: int | None,
    output: Path | None,
    place: Path | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Learn the weights of a STRATEGY, and measure what they gain.

    `champion` learns all of its decisions for the rules of any VARIANT for two, starting from its
    own weights, in a minute on one core. The result is kept: asking again trains nothing.

    \b
      simgin train champion -v straight -o straight.npy
      simgin match champion@./straight.npy champion -v straight

    Other strategies learn their discards. The discard policy weighs some numbers of each card, and
    names them:

    \b
      @discard(weights="mine.npy", describe=describe, start=START)

    Deals are played on after several discards, with the same hidden cards; what each leads to is
    regressed on its numbers, round after round. The new weights then play against the first ones
    on packs that the training never saw.

    \b
      simgin train mine.py -o mine.npy
      simgin train mine.py -v eaai --against simple --against gold-early

    With --run, and for champion always, the same command resumes an interrupted training. With
    --run, more --rounds continue a finished one.
    """
    from simgin.cli import session
    from simgin.report.wrapping import Words
    from simgin.strategy.cast import CHAMPION
    from simgin.tune import adapted
    from simgin.tune import training as discards

    is_champion = strategy == CHAMPION
    kind: Any = adapted if is_champion else discards
    request = adapted.AdaptRequest if is_champion else discards.TrainRequest
    run: Any = adapted.run_adaptation if is_champion else discards.run_training
    words = adapted.Adapted.words
    improvement.check_output(words, output, place)
    given = {name: value for name, value in asked.items() if value is not None}
    given |= {} if confirm is None else {"confirmed": confirm}
    training = request.read(strategy, **given)
    match = training.match
    if not as_json:
        console().print(Words([kind.plan_sentence(training)]))
    session.prepare(match.matchups(match.strategy, match.seed))
    settled = improvement.settled(match) | {"confirm": match.confirmed}
    settled |= {"rounds": training.rounds, "deals": training.deals}
    found = improvement.run_improvement(
        match,
        words,
        partial(run, training, workers),
        identity=training.identity,
        settled=settled | {"against": ()} if is_champion else settled,
        workers=workers,
        output=output,
        place=place,
        as_json=as_json,
        cached="the cache" if is_champion else "",
    )
    if not as_json:
        if isinstance(training, discards.TrainRequest):
            say(_play_line(training, output))
        else:
            say(_learned_line(cast("Adapted", found), output))


def _learned_line(found: Adapted, output: Path | None) -> str:
    """Return the line with the command that plays champion with its new weights."""
    from simgin.strategy.text_form import at_path

    strategy = found.request.strategy.text
    weights = found.name if output is None else at_path(output)
    return _match_line(found.request, f"{strategy}@{weights}", strategy)


def _play_line(training: TrainRequest, output: Path | None) -> str:
    """Return the line on how to play with the weights, which the strategy reads from a file."""
    match = training.match
    strategy, opponent = match.strategy.text, match.pool[0].text
    if output is None:
        return f"Keep:    give -o {training.named}, the file that the strategy reads."
    if output.resolve() != training.named.resolve():
        return f"Play:    {strategy} reads {training.named}; move {output} there."
    return _match_line(match, strategy, opponent)


def _match_line(match: TuneRequest, strategy: str, opponent: str) -> str:
    words = command_line("match", strategy, opponent, "-v", match.variant.text, "--matches", "20k")
    return f"Play:    {words}"
