"""`simgin train`: training of the weights of a strategy with rollouts."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from simgin.cli import learn_runner, options
from simgin.cli.output import format_command, make_console, print_line

if TYPE_CHECKING:
    from simgin.learn.adapt import AdaptedChampion
    from simgin.learn.discard_weights import DiscardTrainingRequest
    from simgin.learn.tune_request import TuneRequest


@click.command("train")
@click.argument("strategy", type=options.STRATEGY_TYPE)
@options.variant_option
@learn_runner.against_option
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Number of training rounds [default: 8, or 4 for champion].",
)
@options.count_option(
    "--deals",
    "Training deals per round and opponent [default: 20k]. For champion, this is the number of "
    "deals per round against opponents that wait for gin [default: 40k]. Against opponents that "
    "knock immediately, champion trains on half as many deals.",
)
@options.count_option(
    "--confirm", "Validation matches against each opponent [default: 40k, or 10k for champion]."
)
@options.seed_option
@options.workers_option
@options.output_option("Write the weights to FILE.npy, for use as STRATEGY@./FILE.npy.", "FILE.npy")
@learn_runner.run_directory_option(
    "Directory in which to save the training rounds and their tables. Saved training can be "
    "resumed."
)
@options.json_only_option
def train_command(
    strategy: str,
    confirm: int | None,
    workers: int | None,
    output: Path | None,
    directory_path: Path | None,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Train the weights of a strategy, and validate the gain.

    For the strategy `champion`, simgin fine-tunes the weights of all decisions for a two-player
    variant. The training takes less than a minute on one core. simgin caches the trained weights.

    \b
      simgin train champion -v straight -o straight.npy
      simgin match champion@./straight.npy champion -v straight

    For other strategies, simgin trains the discard policy. The policy must declare the features of
    a card and their initial weights:

    \b
      @discard(weights="mine.npy", describe=describe, start=START)

    In each round, simgin rolls out several discards per decision with the same hidden cards, and
    fits the weights to the results by regression. simgin then validates the new weights against the
    initial weights on held-out deals.

    \b
      simgin train mine.py -o mine.npy
      simgin train mine.py -v eaai --against simple --against gold-early

    With --run, repeat the command to resume interrupted training, or increase --rounds to continue
    finished training. The training of `champion` can always be resumed, even without --run.
    """
    from simgin.cli import session
    from simgin.learn import adapt
    from simgin.learn import discard_weights as discards
    from simgin.report.wrapping import Sentences
    from simgin.strategy.cast import CHAMPION_STRATEGY

    is_champion = strategy == CHAMPION_STRATEGY
    training_module: Any = adapt if is_champion else discards
    request_class = adapt.AdaptRequest if is_champion else discards.DiscardTrainingRequest
    run: Any = adapt.run_adaptation if is_champion else discards.run_training
    wording = adapt.AdaptedChampion.wording
    learn_runner.check_improvement_output(wording, output, directory_path)
    given_arguments = {name: value for name, value in arguments.items() if value is not None}
    given_arguments |= {} if confirm is None else {"confirmation_matches": confirm}
    request = request_class.read(strategy, **given_arguments)
    match_request = request.match_request
    if not as_json:
        make_console().print(Sentences([training_module.format_plan_sentence(request)]))
    session.compile_players(match_request.make_matchups(match_request.strategy, match_request.seed))
    resolved_options = learn_runner.list_player_options(match_request) | {
        "confirm": match_request.confirmation_matches
    }
    resolved_options |= {"rounds": request.n_rounds, "deals": request.deals_per_round}
    result = learn_runner.run_improvement(
        match_request,
        wording,
        partial(run, request, workers),
        resolved_options=resolved_options | {"against": ()} if is_champion else resolved_options,
        workers=workers,
        output=output,
        directory_path=directory_path,
        as_json=as_json,
        cache_location="the cache" if is_champion else "",
    )
    if not as_json:
        if isinstance(request, discards.DiscardTrainingRequest):
            print_line(_format_weights_hint(request, output))
        else:
            print_line(_format_champion_hint(cast("AdaptedChampion", result), output))


def _format_champion_hint(result: AdaptedChampion, output: Path | None) -> str:
    """Return a line with the command that plays `champion` with its trained weights."""
    from simgin.strategy.strategy_spec import format_weights_path

    strategy = result.request.strategy.spec
    weights = result.weights_file_name if output is None else format_weights_path(output)
    return _format_match_hint(result.request, f"{strategy}@{weights}", strategy)


def _format_weights_hint(request: DiscardTrainingRequest, output: Path | None) -> str:
    """Return a line that explains how a strategy can use the weights in the output file."""
    match_request = request.match_request
    strategy, opponent = match_request.strategy.spec, match_request.opponents[0].spec
    weights_file = request.weights_file
    if output is None:
        return f"Next:    save the weights with -o {weights_file}. The strategy reads this file."
    if output.resolve() != weights_file.resolve():
        return f"Next:    move {output} to {weights_file}. {strategy} reads this file."
    return _format_match_hint(match_request, strategy, opponent)


def _format_match_hint(match_request: TuneRequest, strategy: str, opponent: str) -> str:
    """Return a line with the command that plays a strategy against an opponent."""
    command = format_command(
        "match", strategy, opponent, "-v", match_request.variant.spec, "--matches", "20k"
    )
    return f"Next:    {command}"
