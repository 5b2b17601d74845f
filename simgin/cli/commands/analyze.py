"""`simgin analyze`: best action in a position, and costs of the decisions of a deal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import Answer, entry, repeated
from simgin.report import progress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simgin.analysis.analysis import Analysis, Effort
    from simgin.analysis.rates import ErrorRates
    from simgin.report.report import Report

    Found = Mapping[str, Analysis]
    WatchedAnalysis = Callable[[Callable[..., None]], dict[str, Analysis]]

OF_CARDS = ("dealer", "score", "stock", "stake", "owner", "offer", "offered")
FILES = (".json", ".txt", ".log")  # file name endings of recorded deals
OF_AN_ADDRESS = ("variant", "unit", "half", "deal")
OF_A_DEAL = ("unit", "half", "deal", "turn")  # options for a deal of two strategies
OF_ONE = ("pile", *OF_CARDS, *OF_A_DEAL, "for", "output")  # options for one position or one deal
WORLDS_OF_A_POSITION = 10_000


@click.command()
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
@click.option("--as", "own", metavar="NAME", help="Strategy that plays on for you, or for A.")
@click.option(
    "--against", "other", metavar="NAME", help="Strategy that plays on for the opponent, or for B."
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
def analyze(
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
        _refuse_options(OF_ONE, "one position or one deal, not with --deals")
        if asked["other"] is not None:
            raise click.UsageError(
                "with --deals name the opponent behind A: analyze A B --deals N."
            )
        _analyze_strategy(words, deals, seed, workers, as_json, asked)
        return
    from simgin.analysis.analysis import Effort, analyse_deal, frame
    from simgin.analysis.analysis_report import analysis_report, on_screen
    from simgin.analysis.deal_file import read_file
    from simgin.analysis.written import BLIND
    from simgin.cli.session import save_report
    from simgin.play.replay import find_deal
    from simgin.runs import directory
    from simgin.runs.manifest import run_identity
    from simgin.text.files import has_ending
    from simgin.text.notation import are_cards

    worlds = asked["worlds"] or WORLDS_OF_A_POSITION
    seconds = asked["seconds"]
    effort = Effort(worlds, seconds, seed, workers)
    settled: dict[str, Any] = {"worlds": worlds, "seconds": seconds and f"{seconds:.15g}s"}
    given = " ".join(words)
    has_cards = asked["pile"] is not None or len(words) > 2 or " " in words[0] or words[0] == BLIND
    has_cards = has_cards or are_cards(given)
    if has_cards:
        _refuse_options(OF_A_DEAL, "a deal of two strategies, not with cards")
        words = (given,)
        settled |= dict.fromkeys(OF_A_DEAL) | {"words": words}
        settled |= {"offered": asked["offered"] or None}
        settled |= dict.fromkeys(("stake", "owner")) if asked["stake"] <= 1 else {}
        analysis = _analysis_of_cards(words[0], asked, effort)
    else:
        _refuse_options(OF_CARDS, "cards, not with a deal of two strategies")
        settled |= dict.fromkeys(OF_CARDS)
        if has_ending(words[0], *FILES):
            _refuse_options(OF_AN_ADDRESS, "strategies, not with a file")
            settled |= dict.fromkeys(OF_AN_ADDRESS)
            if len(words) > 1:
                raise click.UsageError("a file names both players: leave the second word out.")
            told = read_file(words[0])
            played, names = told.deal, told.names
        else:
            a, b = (*words, None)[:2]
            names = ()
            half, deal = asked["half"], asked["deal"]
            played = find_deal(str(a), b, asked["variant"], seed, asked["unit"], half, deal)
        own, other = asked["own"], asked["other"]
        analysis = partial(analyse_deal, played, turn, own, other, effort, names=names)
    command = repeated(**settled)
    if output is not None:
        directory.check(output, command)
    is_whole = turn is None and not has_cards
    started = datetime.now(UTC)
    with progress.live("analyze") as report:
        found = analysis(
            lambda done, every, known: report(done, every, lambda: _so_far(known(), is_whole))
        )
    table = frame(found)
    rows: list[Any] = table.astype(object).where(table.notna(), None).to_dict("records")
    is_whole = is_whole and len(found) > 1
    files = []
    if output is not None:
        matchups = list({one.matchup.title: one.matchup for one in found.values()}.values())
        units = [next(iter(found.values())).worlds] * len(matchups)
        page = analysis_report(found, is_whole, command)
        identity = run_identity(matchups)
        how: dict[str, Any] = {"question": command, "workers": workers}
        files = save_report(output, page, identity, units, started, **how)
    Answer(command, rows, seed, files).show(as_json, on_screen(found, is_whole))


def _analyze_strategy(
    words: Sequence[str],
    deals: int,
    seed: int,
    workers: int | None,
    as_json: bool,
    asked: Mapping[str, Any],
) -> None:
    """Print the error rates of a strategy."""
    from simgin.analysis import rates
    from simgin.cli import session

    if len(words) > 2 or " " in words[0]:
        raise click.UsageError("--deals goes with strategies, as in analyze gold --deals 1000.")
    a, b = (*words, None)[:2]
    worlds = rates.WORLDS if asked["worlds"] is None else asked["worlds"]
    trial = rates.Trial.read(str(a), b, asked["variant"], asked["own"], deals, worlds, seed)
    players = [player.text for player in trial.matchup.players]
    unused = dict.fromkeys((*OF_CARDS, *OF_A_DEAL))
    session.run_request(
        partial(rates.run_error_rates, trial, workers),
        "error rates",
        repeated(**unused, words=players, own=trial.judge.a.text, worlds=trial.worlds),
        _rates_screen,
        workers=workers,
        as_json=as_json,
    )


def _rates_screen(found: ErrorRates, report: Report) -> Iterator[Any]:
    """Return the error rates, and the commands that analyse the costliest decisions."""
    from simgin.analysis.rates import costliest_in_words

    yield from report.screen()
    yield "\nCostliest decisions found:"
    for words in costliest_in_words(found.records()):
        yield from entry(*words, indent=2)
    yield ""


def _refuse_options(names: Sequence[str], place: str) -> None:
    """Raise UsageError if one of these options was given, which have no effect here."""
    for name in names:
        if options.is_typed("seconds" if name == "for" else name):
            raise click.UsageError(f"--{name} goes with {place}.")


def _analysis_of_cards(cards: str, asked: Mapping[str, Any], effort: Effort) -> WatchedAnalysis:
    """Return the function that analyses a position given as cards."""
    from simgin.analysis.analysis import analyse
    from simgin.analysis.written import Die, read_position, read_score
    from simgin.rules import variants
    from simgin.strategy.cast import strong_player

    game = variants.find(asked["variant"])
    position = read_position(
        cards,
        asked["pile"] or "",
        game,
        score=None if asked["score"] is None else read_score(asked["score"]),
        dealer=asked["dealer"],
        stock=asked["stock"],
        die=Die(asked["stake"], asked["owner"], asked["offer"], asked["offered"]),
    )
    best = strong_player(game)
    other = asked["other"] or (best if game.row["players"] == 2 else None)
    title = f"{game.text}: your position"

    def analysis(see: Callable[..., None]) -> dict[str, Analysis]:
        def watch(done: int, every: int, known: Callable[[], Analysis]) -> None:
            see(done, every, lambda: {title: known()})

        return {title: analyse(position, asked["own"] or best, other, effort, watch)}

    return analysis


def _so_far(found: Found, is_whole: bool) -> RenderableType:
    """Return the results so far of a deal, or of the position in progress."""
    from rich.console import Group

    from simgin.analysis.analysis_report import deal_table, on_screen

    *_, title = found
    return deal_table(found) if is_whole else Group(*on_screen({title: found[title]}, is_whole))
