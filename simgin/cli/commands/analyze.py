"""`simgin analyze`: best action in a position, and costs of the decisions of a deal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import format_finding, repeat_command

if TYPE_CHECKING:
    from simgin.analysis.error_rates import ErrorRates
    from simgin.report.report import Report

CARDS_OPTIONS = ("dealer", "score", "stock", "stake", "owner", "offer", "offered")
DEAL_FILE_ENDINGS = (".json", ".txt", ".log")  # file name endings of recorded deals
DEAL_NUMBER_OPTIONS = ("variant", "unit", "half", "deal")
DEAL_OPTIONS = ("unit", "half", "deal", "turn")  # options for a deal of two strategies
# Options for one position or one deal
SINGLE_DEAL_OPTIONS = ("pile", *CARDS_OPTIONS, *DEAL_OPTIONS, "for", "output")
POSITION_WORLDS = 10_000


@click.command("analyze")
@click.argument("words", nargs=-1, required=True, metavar="CARDS | A [B] | FILE")
@options.variant_option
@click.option(
    "--pile",
    metavar="CARDS",
    help="The discard pile, oldest first, from the first upcard on, with * after each card that "
    "was taken; for one player, your discards. ? is a card that you have forgotten, .. any number "
    "of them.",
)
@options.number_option("--stock", "Cards left in the stock, if the pile does not tell.", "N")
@click.option(
    "--dealer", type=click.Choice(["me", "other"]), help="Who dealt [default: as the pile has it]."
)
@click.option(
    "--score",
    metavar="30-45",
    help="Your points and the opponent's, or won deals where they count; then the chance to win "
    "the match decides.",
)
@options.number_option("--stake", "Number on the die.", "N", default=1)
@click.option(
    "--owner",
    type=click.Choice(["me", "other", "nobody"]),
    default="nobody",
    show_default=True,
    help="Who owns the die.",
)
@click.option("--offer", is_flag=True, help="Decide about an offer of the die, before the draw.")
@click.option(
    "--offered", type=int, metavar="N", default=0, help="The opponent offers N: accept or refuse?"
)
@options.unit_option
@options.half_option
@options.deal_option
@options.number_option(
    "--turn", "Turn as `simgin show` numbers it, 0 for the first upcard [default: all].", "T"
)
@options.count_option(
    "--deals", "Error rates of A in N deals, alone or against B [default: champion]."
)
@click.option("--as", "strategy", metavar="NAME", help="Strategy that plays on for you, or for A.")
@click.option(
    "--against",
    "opponent",
    metavar="NAME",
    help="Strategy that plays on for the opponent, or for B.",
)
@options.count_option(
    "--worlds",
    "Most worlds, ways in which the hidden cards may lie [default: 10k; 200 with --deals, "
    "where fewer than 100 give rates that are too low].",
)
@options.time_option("Stop each position after a time, such as 2s.")
@options.seed_option
@options.workers_option
@options.output_option("Write a page with the cards, the tables and pictures to this directory.")
@options.json_option
def analyze_command(
    words: tuple[str, ...],
    seed: int,
    turn: int | None,
    deals: int | None,
    workers: int | None,
    output: Path | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Find the best action in a position, or what each decision of a deal cost.

    The hidden cards are dealt again many times; in each of these worlds every legal action is
    tried, and the deal is played to its end.

    \b
    Your own position: ten cards, or eleven, the one just drawn last
      simgin analyze 7H 7D 7C 8C 9C TC 4H TD AC 4C KS --pile "QD TS 9D* QH"
    A decision of a deal, and all decisions of it
      simgin analyze gold simple --unit 3 --turn 5
      simgin analyze gold simple --unit 3
    A deal that `simgin show ... --json > deal.json` wrote
      simgin analyze deal.json --turn 5
    The die: should I offer it, accept 4, offer it before I see my cards?
      simgin analyze 7H...4C --pile "QD TS" -v dice --stake 2 --owner me --offer
      simgin analyze 7H...4C --pile QD -v dice --stake 2 --owner other --offered 4
      simgin analyze blind -v dice --score 5-6 --offer
    One player: a position of your own, and a decision of a deal
      simgin analyze AS AD AC 3S TS 4D 5D 3C 8C TC 4H --pile QH -v solitary-gin
      simgin analyze solo-two-draws -v gin-solitaire --unit 3 --turn 5
    The points that a strategy gives up per deal, and its costliest decisions
      simgin analyze gold --deals 1000
      simgin analyze solo-greedy -v solitary-gin --deals 200 --as solo-dp
    """
    if deals is not None:
        _reject_options(SINGLE_DEAL_OPTIONS, "one position or one deal, not with --deals")
        if asked["opponent"] is not None:
            raise click.UsageError(
                "with --deals name the opponent behind A: analyze A B --deals N."
            )
        _analyze_strategy(words, deals, seed, workers, as_json, asked)
        return
    from simgin.analysis.analysis import Budget
    from simgin.analysis.analysis_report import render_analyses
    from simgin.analysis.analysis_request import AnalysisRequest, run_analysis
    from simgin.analysis.position_text import BLIND_WORD, Die
    from simgin.cli import session
    from simgin.text.files import has_suffix
    from simgin.text.notation import is_card_list

    worlds = asked["worlds"] or POSITION_WORLDS
    seconds = asked["seconds"]
    budget = Budget(worlds, seconds, seed, workers)
    settled: dict[str, Any] = {"worlds": worlds, "seconds": seconds and f"{seconds:.15g}s"}
    players = {name: asked[name] for name in ("strategy", "opponent")}
    given = " ".join(words)
    has_cards = (
        asked["pile"] is not None or len(words) > 2 or " " in words[0] or words[0] == BLIND_WORD
    )
    if has_cards or is_card_list(given):
        _reject_options(DEAL_OPTIONS, "a deal of two strategies, not with cards")
        settled |= dict.fromkeys(DEAL_OPTIONS) | {"words": (given,)}
        settled |= {"offered": asked["offered"] or None}
        settled |= dict.fromkeys(("stake", "owner")) if asked["stake"] <= 1 else {}
        die = Die(asked["stake"], asked["owner"], asked["offer"], asked["offered"])
        about = {name: asked[name] for name in ("score", "dealer", "stock")}
        request = AnalysisRequest.read(
            given, asked["pile"], asked["variant"], budget, die=die, **about, **players
        )
    else:
        _reject_options(CARDS_OPTIONS, "cards, not with a deal of two strategies")
        settled |= dict.fromkeys(CARDS_OPTIONS)
        if has_suffix(words[0], *DEAL_FILE_ENDINGS):
            _reject_options(DEAL_NUMBER_OPTIONS, "strategies, not with a file")
            settled |= dict.fromkeys(DEAL_NUMBER_OPTIONS)
            if len(words) > 1:
                raise click.UsageError("a file names both players: leave the second word out.")
            request = AnalysisRequest.read_file(words[0], budget, turn=turn, **players)
        else:
            a, b = (*words, None)[:2]
            address = {name: asked[name] for name in DEAL_NUMBER_OPTIONS}
            request = AnalysisRequest.read_deal(
                str(a), b, budget=budget, turn=turn, **address, **players
            )
    session.run_request(
        partial(run_analysis, request, workers),
        "analyze",
        repeat_command(**settled),
        lambda result, _: render_analyses(result.analyses, result.is_deal),
        workers=workers,
        output=output,
        as_json=as_json,
    )


def _analyze_strategy(
    words: Sequence[str],
    deals: int,
    seed: int,
    workers: int | None,
    as_json: bool,
    asked: Mapping[str, Any],
) -> None:
    """Print the error rates of a strategy."""
    from simgin.analysis import error_rates
    from simgin.cli import session

    if len(words) > 2 or " " in words[0]:
        raise click.UsageError("--deals goes with strategies, as in analyze gold --deals 1000.")
    a, b = (*words, None)[:2]
    worlds = error_rates.DEFAULT_EVALUATION_WORLDS if asked["worlds"] is None else asked["worlds"]
    trial = error_rates.RatingTask.read(
        str(a), b, asked["variant"], asked["strategy"], deals, worlds, seed
    )
    players = [player.spec for player in trial.matchup.players]
    unused = dict.fromkeys((*CARDS_OPTIONS, *DEAL_OPTIONS))
    session.run_request(
        partial(error_rates.run_error_rates, trial, workers),
        "error rates",
        repeat_command(
            **unused, words=players, strategy=trial.evaluator.a.spec, worlds=trial.n_worlds
        ),
        _rates_screen,
        workers=workers,
        as_json=as_json,
    )


def _rates_screen(found: ErrorRates, report: Callable[[], Report]) -> Iterator[Any]:
    """Return the error rates, and the commands that analyse the costliest decisions."""
    from simgin.analysis.error_rates import describe_costliest

    yield from report().to_renderables()
    yield "\nCostliest decisions found:"
    for words in describe_costliest(found.records()):
        yield from format_finding(*words, indent=2)
    yield ""


def _reject_options(names: Sequence[str], place: str) -> None:
    """Raise UsageError if one of these options was given, which have no effect here."""
    for name in names:
        if options.is_given("seconds" if name == "for" else name):
            raise click.UsageError(f"--{name} goes with {place}.")
