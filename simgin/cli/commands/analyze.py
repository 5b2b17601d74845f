"""`simgin analyze`: best action in a position, and the cost of each decision of a deal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import format_repeat_command, render_with_commands
from simgin.text.messages import print_status

if TYPE_CHECKING:
    from simgin.analysis.analysis import Analysis
    from simgin.analysis.error_rates import ErrorRates
    from simgin.report.report import Report

# options for a position that is entered as cards
POSITION_OPTIONS = ("dealer", "score", "stock", "stake", "owner", "offer", "offered")
DEAL_FILE_SUFFIXES = (".json", ".txt", ".log")  # file name extensions of recorded deals
# options that identify a deal
DEAL_ID_OPTIONS = ("variant", "unit", "half", "deal")
DEAL_OPTIONS = ("unit", "half", "deal", "turn")  # options for a deal between two strategies
# options for a single position or deal
SINGLE_DEAL_OPTIONS = ("pile", *POSITION_OPTIONS, *DEAL_OPTIONS, "for", "output")
DEFAULT_WORLDS_PER_POSITION = 10_000  # default maximum number of simulations of a position


@click.command("analyze")
@click.argument("words", nargs=-1, required=True, metavar="CARDS | A [B] | FILE")
@options.variant_option
@click.option(
    "--pile",
    metavar="CARDS",
    help="Discard pile, oldest card first, with * after each card that was taken. Use ? for a "
    "forgotten card and .. for any number of forgotten cards. In solitaire, list your own "
    "discards.",
)
@options.integer_option(
    "--stock", "Number of cards left in the stock. Required if the pile contains `..`.", "N"
)
@click.option(
    "--dealer", type=click.Choice(["me", "other"]), help="Dealer [default: inferred from the pile]."
)
@click.option(
    "--score",
    metavar="30-45",
    help="Match score: your points (or won deals) first, then the opponent's. With --score, simgin "
    "ranks actions by the probability of winning the match. Omit --score in hollywood, pro and "
    "twofold, in which simgin cannot compute this probability from the score.",
)
@options.integer_option("--stake", "Number shown on the die.", "N", default=1)
@click.option(
    "--owner",
    type=click.Choice(["me", "other", "nobody"]),
    default="nobody",
    show_default=True,
    help="Owner of the die.",
)
@click.option("--offer", is_flag=True, help="Evaluate an offer of the die before the draw.")
@click.option(
    "--offered",
    type=int,
    metavar="N",
    default=0,
    help="Evaluate whether to accept the opponent's offer of the die at N.",
)
@options.unit_option
@options.half_option
@options.deal_option
@options.integer_option(
    "--turn",
    "Turn to analyse; turn 0 is the decision on the first upcard [default: all turns].",
    "T",
)
@options.count_option(
    "--deals", "Measure the error rate of A in N deals against B [default: champion]."
)
@options.strategy_option(
    "Strategy that plays your side (side A of a run) for the rest of each deal.", "--as", "strategy"
)
@options.strategy_option(
    "Strategy that plays the opponent (side B of a run) for the rest of each deal.",
    "--against",
    "opponent",
)
@options.count_option(
    "--worlds",
    "Maximum number of simulations of the hidden cards [default: 10k, or 200 with --deals]. Use at "
    "least 100 with --deals.",
)
@options.time_option("Time limit per position, such as 2s.")
@options.seed_option
@options.workers_option
@options.output_option("Directory for the HTML report with cards, tables and plots.")
@options.style_option
@options.json_option
def analyze_command(
    words: tuple[str, ...],
    seed: int,
    turn: int | None,
    deals: int | None,
    workers: int | None,
    output: Path | None,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Find the best action in a position, or the cost of each decision of a deal.

    simgin samples the hidden cards many times. For each sample, simgin tries every legal action and
    plays the deal to its end.

    \b
    Analyse your own position (the last of eleven cards is the drawn card):
      simgin analyze 7H 7D 7C 8C 9C TC 4H TD AC 4C KS --pile "QD TS 9D* QH"

    \b
    Analyse one decision or all decisions of a deal between two strategies:
      simgin analyze gold simple --unit 3 --turn 5
      simgin analyze gold simple --unit 3

    \b
    Analyse a deal saved with `simgin show ... --json > deal.json`:
      simgin analyze deal.json --turn 5

    \b
    Evaluate whether to offer the die, accept an offer, or offer before the deal:
      simgin analyze 7H...4C --pile "QD TS" -v dice --stake 2 --owner me --offer
      simgin analyze 7H...4C --pile QD -v dice --stake 2 --owner other --offered 4
      simgin analyze blind -v dice --score 5-6 --offer

    \b
    Analyse a position or a decision in a solitaire variant:
      simgin analyze AS AD AC 3S TS 4D 5D 3C 8C TC 4H --pile QH -v solitary-gin
      simgin analyze solo-two-draws -v gin-solitaire --unit 3 --turn 5

    \b
    Estimate the error rate of a strategy, and list its costliest decisions:
      simgin analyze gold --deals 1000
      simgin analyze solo-greedy -v solitary-gin --deals 200 --as solo-dp
    """
    if deals is not None:
        _reject_options(
            SINGLE_DEAL_OPTIONS, "cannot be used with --deals. Use this option for a single deal."
        )
        if arguments["opponent"] is not None:
            raise click.UsageError(
                "--against cannot be used with --deals. Specify the opponent as the second "
                "strategy, as in `simgin analyze A B --deals N`."
            )
        _analyze_strategy(words, deals, seed, workers, as_json, arguments)
        return
    from simgin.analysis.analysis import AnalysisBudget
    from simgin.analysis.analysis_report import render_analyses
    from simgin.analysis.analysis_request import AnalysisRequest, run_analysis
    from simgin.analysis.position_parts import Die
    from simgin.analysis.position_text import UNSEEN_HAND_WORD
    from simgin.cli import session
    from simgin.text.files import has_suffix
    from simgin.text.notation import is_card_list

    worlds = arguments["worlds"] or DEFAULT_WORLDS_PER_POSITION
    seconds = arguments["seconds"]
    budget = AnalysisBudget(worlds, seconds, seed, workers)
    resolved_options: dict[str, Any] = {"worlds": worlds, "seconds": seconds and f"{seconds:.15g}s"}
    players = {name: arguments[name] for name in ("strategy", "opponent")}
    text = " ".join(words)
    is_hand = (
        len(words) > 2 or " " in words[0] or words[0] == UNSEEN_HAND_WORD or is_card_list(text)
    )
    if is_hand or arguments["pile"] is not None:
        _reject_options(DEAL_OPTIONS, "cannot be used if you enter cards. Specify two strategies.")
        resolved_options |= dict.fromkeys(DEAL_OPTIONS) | {"words": (text,)}
        resolved_options |= {"offered": arguments["offered"] or None}
        resolved_options |= dict.fromkeys(("stake", "owner")) if arguments["stake"] <= 1 else {}
        die = Die(arguments["stake"], arguments["owner"], arguments["offer"], arguments["offered"])
        options = {name: arguments[name] for name in ("score", "dealer", "stock")}
        request = AnalysisRequest.read(
            text, arguments["pile"], arguments["variant"], budget, die=die, **options, **players
        )
    else:
        _reject_options(POSITION_OPTIONS, "requires cards. Enter your hand instead of strategies.")
        resolved_options |= dict.fromkeys(POSITION_OPTIONS)
        if has_suffix(words[0], *DEAL_FILE_SUFFIXES):
            _reject_options(DEAL_ID_OPTIONS, "cannot be used with a file. Specify two strategies.")
            resolved_options |= dict.fromkeys(DEAL_ID_OPTIONS)
            if len(words) > 1:
                raise click.UsageError(
                    f"{words[1]!r} cannot be used with a deal file, because the file specifies "
                    f"both players. Omit {words[1]!r}."
                )
            request = AnalysisRequest.read_file(words[0], budget, turn=turn, **players)
            for message in request.replacement_messages:
                print_status(f"warning: {message}")
        else:
            strategy_a, strategy_b = (*words, None)[:2]
            deal_id = {name: arguments[name] for name in DEAL_ID_OPTIONS}
            request = AnalysisRequest.read_deal(
                str(strategy_a), strategy_b, budget=budget, turn=turn, **deal_id, **players
            )
    session.run_request(
        partial(run_analysis, request, workers),
        "analyze",
        format_repeat_command(**resolved_options),
        lambda result, _: render_analyses(result.analyses, result.is_whole_deal),
        make_closing_sentence=lambda result: _summarise_analyses(result.analyses),
        workers=workers,
        output=output,
        as_json=as_json,
    )


def _summarise_analyses(analyses: Mapping[str, Analysis]) -> str:
    """Return a sentence about the best action, or about the costliest decision of a deal."""
    from simgin.analysis.analysis_report import format_analysis_verdict

    title, *other_titles = analyses
    if not other_titles:
        return format_analysis_verdict(analyses[title])
    costs = {
        title: analysis.estimate_cost(analysis.position.chosen_index)[0]
        for title, analysis in analyses.items()
    }
    costliest_title = max(costs, key=costs.__getitem__)
    verdict = format_analysis_verdict(analyses[costliest_title])
    return f"Costliest decision ({costliest_title}): {verdict}"


def _analyze_strategy(
    strategies: Sequence[str],
    deals: int,
    seed: int,
    workers: int | None,
    as_json: bool,
    arguments: Mapping[str, Any],
) -> None:
    """Estimate and print the error rates of a strategy."""
    from simgin.analysis import error_rates
    from simgin.cli import session

    if len(strategies) > 2 or " " in strategies[0]:
        raise click.UsageError(
            "--deals cannot be used if you enter cards. Specify a strategy, as in `simgin analyze "
            "gold --deals 1000`."
        )
    strategy_a, strategy_b = (*strategies, None)[:2]
    variant, evaluator, worlds = (arguments[name] for name in ("variant", "strategy", "worlds"))
    task = error_rates.EvaluationTask.read(
        str(strategy_a), strategy_b, variant, evaluator, deals, worlds, seed
    )
    players = [player.spec for player in task.matchup.players]
    omitted_options = dict.fromkeys((*POSITION_OPTIONS, *DEAL_OPTIONS))
    session.run_request(
        partial(error_rates.estimate_error_rates, task, workers),
        "error rates",
        format_repeat_command(
            **omitted_options, words=players, strategy=task.evaluator.a.spec, worlds=task.n_worlds
        ),
        _render_error_rates,
        workers=workers,
        as_json=as_json,
    )


def _render_error_rates(rates: ErrorRates, report: Callable[[], Report]) -> Iterator[Any]:
    """Yield the tables of error rates, and commands that analyse the costliest decisions."""
    from simgin.analysis.error_rates import describe_costliest

    yield from report().to_renderables()
    yield "\nCostliest decisions:"
    for lines in describe_costliest(rates.records()):
        yield from render_with_commands(*lines, indent=2)
    yield ""


def _reject_options(option_names: Sequence[str], problem: str) -> None:
    """Raise UsageError if the user specified any of the named options.

    Args:
        option_names: Options without effect in this kind of analysis.
        problem: Predicate of the error message and the suggested fix.
    """
    for option_name in option_names:
        if options.is_on_command_line("seconds" if option_name == "for" else option_name):
            raise click.UsageError(f"--{option_name} {problem}")
