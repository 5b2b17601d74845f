"""`simgin train`: training of the weights of a strategy from rollouts."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from simgin.cli import learn_runner, options
from simgin.cli.output import console, format_command, print_line

if TYPE_CHECKING:
    from simgin.learn.adapt import AdaptedChampion
    from simgin.learn.discard_weights import TrainRequest
    from simgin.learn.tune_request import TuneRequest


@click.command("train")
@click.argument("strategy", type=options.STRATEGY)
@options.variant_option
@learn_runner.against_option
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
@learn_runner.run_directory_option(
    "Keep the rounds in this directory, with tables. It can be resumed."
)
@options.json_option
def train_command(
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
    from simgin.learn import adapt
    from simgin.learn import discard_weights as discards
    from simgin.report.wrapping import Sentences
    from simgin.strategy.cast import CHAMPION

    is_champion = strategy == CHAMPION
    kind: Any = adapt if is_champion else discards
    request = adapt.AdaptRequest if is_champion else discards.TrainRequest
    run: Any = adapt.run_adaptation if is_champion else discards.run_training
    words = adapt.AdaptedChampion.wording
    learn_runner.check_improvement_output(words, output, place)
    given = {name: value for name, value in asked.items() if value is not None}
    given |= {} if confirm is None else {"confirmation_matches": confirm}
    training = request.read(strategy, **given)
    match = training.match
    if not as_json:
        console().print(Sentences([kind.plan_sentence(training)]))
    session.compile_players(match.matchups(match.strategy, match.seed))
    settled = learn_runner.player_options(match) | {"confirm": match.confirmation_matches}
    settled |= {"rounds": training.rounds, "deals": training.deals}
    found = learn_runner.run_improvement(
        match,
        words,
        partial(run, training, workers),
        changed=settled | {"against": ()} if is_champion else settled,
        workers=workers,
        output=output,
        place=place,
        as_json=as_json,
        cached="the cache" if is_champion else "",
    )
    if not as_json:
        if isinstance(training, discards.TrainRequest):
            print_line(_play_line(training, output))
        else:
            print_line(_learned_line(cast("AdaptedChampion", found), output))


def _learned_line(found: AdaptedChampion, output: Path | None) -> str:
    """Return the line with the command that plays champion with its new weights."""
    from simgin.strategy.strategy_spec import format_weights_path

    strategy = found.request.strategy.spec
    weights = found.name if output is None else format_weights_path(output)
    return _match_line(found.request, f"{strategy}@{weights}", strategy)


def _play_line(training: TrainRequest, output: Path | None) -> str:
    """Return the line on how to play with the weights, which the strategy reads from a file."""
    match = training.match
    strategy, opponent = match.strategy.spec, match.pool[0].spec
    if output is None:
        return f"Keep:    give -o {training.weights_file}, the file that the strategy reads."
    if output.resolve() != training.weights_file.resolve():
        return f"Play:    {strategy} reads {training.weights_file}; move {output} there."
    return _match_line(match, strategy, opponent)


def _match_line(match: TuneRequest, strategy: str, opponent: str) -> str:
    words = format_command(
        "match", strategy, opponent, "-v", match.variant.spec, "--matches", "20k"
    )
    return f"Play:    {words}"
