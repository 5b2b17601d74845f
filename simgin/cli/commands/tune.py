"""`simgin tune`: search for better parameters of a strategy."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import learn_runner, options
from simgin.cli.output import (
    CommandResult,
    format_command,
    format_repeat_command,
    make_console,
    print_line,
)
from simgin.strategy.strategy_spec import parse_spec

if TYPE_CHECKING:
    from simgin.learn.improvement import Improvement
    from simgin.learn.tune_request import TuneRequest


@click.command("tune")
@click.argument("strategy", type=options.STRATEGY_TYPE)
@options.variant_option
@learn_runner.against_option
@click.option(
    "--parameters",
    metavar="P,P",
    help="Parameters to tune, such as k,share or k=0..12 [default: all].",
)
@click.option(
    "--objective",
    type=click.Choice(["matches", "points", "worst"]),
    default="matches",
    show_default=True,
    help="Maximise matches won, points per deal, or matches won against the hardest opponent.",
)
@click.option(
    "--generations",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    metavar="N",
    help="Number of generations.",
)
@options.count_option(
    "--matches", "Number of matches per candidate and opponent.", default="4k", show_default=True
)
@learn_runner.confirm_option
@options.seed_option
@options.workers_option
@options.output_option(
    "Write the tuned parameters to FILE.toml, for use as STRATEGY@FILE.toml.", "FILE.toml"
)
@learn_runner.run_directory_option(
    "Directory in which to save the search and its report. A saved search can be resumed."
)
@options.style_option
@click.option(
    "--dry-run", is_flag=True, help="Print the plan with the estimated run time, and exit."
)
@options.json_only_option
def tune_command(
    confirm: int,
    workers: int | None,
    output: Path | None,
    directory_path: Path | None,
    dry_run: bool,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Search for better parameters of a strategy, and validate the gain.

    `simgin strategies STRATEGY` lists the parameters. Examples:

    \b
      simgin tune mine.py -o mine.toml
      simgin tune mine.py --against simple --against gold-early --objective worst
      simgin tune gold-early -v oklahoma --parameters k=0..12
      simgin match mine.py@mine.toml mine.py

    The search uses CMA-ES. All candidates of a generation play the same deals. simgin then
    validates the tuned strategy against the default strategy on held-out deals.

    With --run, repeat the command to resume an interrupted search, or increase --generations to
    continue a finished search.
    """
    from simgin.cli import session
    from simgin.learn import cma_search
    from simgin.learn.tune_request import TuneRequest

    request = TuneRequest.read(confirmation_matches=confirm, **arguments)
    wording = cma_search.TuningResult.wording
    learn_runner.check_improvement_output(wording, output, directory_path)
    session.compile_players(request.make_matchups(request.strategy, request.seed))
    row = _make_plan_row(request, workers)
    if not as_json:
        _print_search_plan(request, row["seconds"])
    if dry_run:
        if as_json:
            command = format_repeat_command(**learn_runner.list_player_options(request))
            CommandResult(command, [row], request.seed, stop_reason="dry run").print(True, ())
        return
    result = learn_runner.run_improvement(
        request,
        wording,
        partial(cma_search.run_tune, request, workers),
        resolved_options=learn_runner.list_player_options(request),
        workers=workers,
        output=output,
        directory_path=directory_path,
        as_json=as_json,
    )
    if result.has_changed and not as_json:
        print_line(f"Next:    {_format_match_command(result, output)}")


def _format_match_command(result: Improvement, output: Path | None) -> str:
    """Return the command that plays the tuned strategy against the default strategy."""
    default_spec, variant = result.request.strategy.spec, result.request.variant.spec
    has_values = parse_spec(default_spec).has_values
    player = result.strategy.spec if output is None or has_values else f"{default_spec}@{output}"
    return format_command("match", player, default_spec, "-v", variant, "--matches", "20k")


def _print_search_plan(request: TuneRequest, seconds: float) -> None:
    """Print the plan of a search and its estimated time in one sentence."""
    from simgin.learn.cma_search import format_plan_sentence
    from simgin.report.wrapping import Sentences
    from simgin.text.amounts import format_duration

    qualifier = "about " if seconds >= 1 else ""
    time_text = f"Estimated time: {qualifier}{format_duration(seconds)}."
    make_console().print(Sentences([f"{format_plan_sentence(request)} {time_text}"]))


def _make_plan_row(request: TuneRequest, workers: int | None) -> dict[str, Any]:
    """Return the plan of a search as a row for `--json`, with its estimated time in seconds."""
    from simgin.learn.cma_search import FINALS_MATCHES_FACTOR, MAX_FINALISTS
    from simgin.play.parallel import count_usable_cpus
    from simgin.runs.plan import measure_unit_seconds

    matchups = request.make_matchups(request.strategy, request.seed)
    # A unit is a pair of matches, so this is the time per match.
    pair_seconds = sum(measure_unit_seconds(matchup) for matchup in matchups) / 2
    n_strategies = request.n_generations * (request.n_candidates + 2)
    final_matches = MAX_FINALISTS * FINALS_MATCHES_FACTOR * request.n_matches
    seconds = pair_seconds * (
        n_strategies * request.n_matches + final_matches + 3 * request.confirmation_matches
    )
    return {
        "variant": request.variant.spec,
        "strategy": request.strategy.spec,
        "opponents": [opponent.spec for opponent in request.opponents],
        "parameters": [parameter.name for parameter in request.parameters],
        "objective": request.objective,
        "generations": request.n_generations,
        "candidates": request.n_candidates,
        "matches": request.n_matches,
        "confirmation_matches": request.confirmation_matches,
        "seconds": float(f"{seconds / (workers or count_usable_cpus()):.3g}"),
    }
