"""`simgin analyze`: the best action in a position, and what decisions of deals cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.analysis_tables import (
    action_table,
    deal_parts,
    deal_table,
    how_to_read,
    how_to_read_deal,
    position_parts,
    verdict,
)
from simgin.cli.options import (
    deal_option,
    half_option,
    json_option,
    output_option,
    read_count,
    read_seconds,
    seed_option,
    unit_option,
    variant_option,
    workers_option,
)
from simgin.cli.output import Answer, command_line
from simgin.report import progress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simgin.analysis.analysis import Analysis, Effort
    from simgin.analysis.written import Die
    from simgin.play.watch import WatchedDeal

OF_CARDS = ("dealer", "score", "stock", "stake", "owner", "offer", "offered")
FILE = ".json"  # how the name of a file ends that `simgin show --json` has filled
PRINTED = ".txt"
OF_AN_ADDRESS = ("variant", "unit", "half", "deal")
OF_A_DEAL = ("unit", "half", "deal", "turn")  # options that go with the deal of two strategies
OF_ONE = ("pile", *OF_CARDS, *OF_A_DEAL, "for", "output")  # with one position or one deal
WORLDS_OF_A_POSITION = 10_000
Row = dict[str, Any]


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="CARDS | A [B] | FILE")
@variant_option
@click.option(
    "--pile",
    metavar="CARDS",
    help="The discard pile from the first upcard on, with * after each card that was taken; "
    "alone your discards. ? is a card that you have forgotten, .. any number of them.",
)
@click.option(
    "--stock", type=int, metavar="N", help="Cards left to draw from, where the pile does not tell."
)
@click.option(
    "--dealer", type=click.Choice(["me", "other"]), help="Who dealt [default: as the pile has it]."
)
@click.option(
    "--score",
    metavar="30-45",
    help="Your points and the opponent's, or won deals where they count; then the match is what is "
    "to be won.",
)
@click.option(
    "--stake", type=int, metavar="N", default=1, show_default=True, help="Number on the die."
)
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
@seed_option
@unit_option
@half_option
@deal_option
@click.option(
    "--turn",
    type=int,
    metavar="T",
    help="Turn as `simgin show` numbers it, 0 for the first upcard [default: all].",
)
@click.option(
    "--deals",
    callback=read_count,
    metavar="N",
    help="Error rates of A in so many deals, alone or against B [default: champion].",
)
@click.option("--as", "own", metavar="NAME", help="Strategy that plays on for you, or for A.")
@click.option(
    "--against", "other", metavar="NAME", help="Strategy that plays on for the opponent, or for B."
)
@click.option(
    "--worlds",
    callback=read_count,
    metavar="N",
    help="Worlds at most: ways in which the hidden cards may lie [default: 10k; 200 with --deals].",
)
@click.option(
    "--for",
    "seconds",
    callback=read_seconds,
    metavar="TIME",
    help="Stop each position after a time, such as 2s.",
)
@workers_option
@output_option("Write a page with the cards, the tables and pictures to this directory.")
@json_option
@click.pass_context
def analyze(
    context: click.Context,
    words: tuple[str, ...],
    variant: str,
    pile: str | None,
    stock: int | None,
    dealer: str | None,
    score: str | None,
    stake: int,
    owner: str,
    offer: bool,
    offered: int,
    seed: int,
    unit: int,
    half: int,
    deal: int | None,
    turn: int | None,
    deals: int | None,
    own: str | None,
    other: str | None,
    worlds: int | None,
    seconds: float | None,
    workers: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Find the best action in a position, or what each decision of a deal cost.

    The hidden cards are drawn many times; in each of these worlds every legal action is done, and
    the deal is played on to its end.

    \b
    Your own position: ten cards, or eleven with the one just drawn last
      simgin analyze 7H 7D 7C 8C 9C TC 4H TD AC 4C KS --pile "QD TS 9D* QH"
    A decision of a deal, and all decisions of it
      simgin analyze gold simple --unit 3 --turn 5
      simgin analyze gold simple --unit 3
    A deal that `simgin show ... --json > deal.json` has written down
      simgin analyze deal.json --turn 5
    The die: shall I offer it, accept 4, offer it before the cards are seen?
      simgin analyze 7H...4C --pile "QD TS" -v dice --stake 2 --owner me --offer
      simgin analyze 7H...4C --pile QD -v dice --stake 2 --owner other --offered 4
      simgin analyze blind -v dice --score 5-6 --offer
    One player: a position of your own, and a decision of a deal
      simgin analyze AS AD AC 3S TS 4D 5D 3C 8C TC 4H --pile QH -v solitary-gin
      simgin analyze solo-two-draws -v gin-solitaire --unit 3 --turn 5
    The points that a strategy gives up a deal, and its costliest decisions
      simgin analyze gold --deals 1000
      simgin analyze solo-greedy -v solitary-gin --deals 200 --as solo-dp
    """
    if deals is not None:
        _refuse_options(context, OF_ONE, "one position or one deal, not with --deals")
        if other is not None:
            raise click.UsageError(
                "with --deals name the opponent behind A: analyze A B --deals N."
            )
        _analyze_strategy(words, variant, deals, own, worlds, seed, workers, as_json)
        return
    worlds = worlds or WORLDS_OF_A_POSITION
    from simgin.analysis.analysis import Effort
    from simgin.analysis.written import BLIND, Die
    from simgin.runs import directory

    effort = Effort(worlds, seconds, seed, workers)
    given: dict[str, object] = {"-v": variant}
    if pile is not None or len(words) > 2 or " " in words[0] or words[0] == BLIND:
        _refuse_options(context, OF_A_DEAL, "a deal of two strategies, not with cards")
        die = Die(stake, owner, offer, offered)
        words = (" ".join(words),)
        analysis = partial(
            _analyze_cards, *words, variant, pile, stock, dealer, score, die, own, other, effort
        )
        given |= {"--pile": pile, "--stock": stock, "--dealer": dealer, "--score": score}
        given |= {"--stake": stake, "--owner": owner} if stake > 1 else {}
        given |= {"--offer": offer or None, "--offered": offered or None}
    else:
        _refuse_options(context, OF_CARDS, "cards, not with a deal of two strategies")
        if words[0].endswith((FILE, PRINTED)):
            _refuse_options(context, OF_AN_ADDRESS, "strategies, not with a file")
            played = _deal_of_file(*words)
            given = {}
        else:
            played = _deal_of(words, variant, seed, unit, half, deal)
            given |= {"--unit": unit, "--half": half, "--deal": deal}
        given |= {"--turn": turn}
        analysis = partial(_analyze_deal, played, turn, own, other, effort)
    given |= {"--as": own, "--against": other, "--worlds": worlds, "--for": seconds}
    given |= {"--seed": seed, "-o": output}
    command = command_line("analyze", *words, *_given(given))
    if output is not None:
        directory.check(output, command)
    found = analysis()
    rows = _json_rows(found) if as_json else []
    whole_deal = len(found) > 1 and turn is None
    parts = deal_parts(found) if whole_deal else position_parts(found)
    files = [] if output is None else _write_page(output, command, found, whole_deal, workers)
    Answer(command, rows, seed, files).show(as_json, [*parts, ""])


def _deal_of(
    words: Sequence[str], variant: str, seed: int, unit: int, half: int, deal: int | None
) -> WatchedDeal:
    """The deal of one strategy or two."""
    from simgin.play.replay import find_deal

    a, b = (*words, None)[:2]
    return find_deal(str(a), b, variant, seed, unit, half, deal)


def _deal_of_file(file: str, *others: str) -> WatchedDeal:
    """The deal that a file tells."""
    from simgin.analysis.deal_file import read_deal

    if others:
        raise click.UsageError("a file names both players: leave the second word out.")
    if file.endswith(PRINTED):
        raise click.UsageError(
            "analyze reads what programs read, not printed text: write the deal down with "
            "`simgin show ... --json > deal.json`, and analyze deal.json."
        )
    return read_deal(file)


def _write_page(
    output: Path, command: str, found: Mapping[str, Analysis], whole_deal: bool, workers: int | None
) -> list[Path]:
    """The page of an analysis; the paths of its files."""
    from simgin.cli import analysis_page

    tables = {title: action_table(analysis) for title, analysis in found.items()}
    reading = how_to_read(found)
    if whole_deal:
        tables = {"Every decision": deal_table(found)}
        reading = how_to_read_deal(found)
    sentences = {title: verdict(analysis) for title, analysis in found.items()}
    return analysis_page.save(output, command, found, sentences, tables, reading, workers)


def _analyze_strategy(
    words: Sequence[str],
    variant: str,
    deals: int,
    judge: str | None,
    worlds: int | None,
    seed: int,
    workers: int | None,
    as_json: bool,
) -> None:
    """Print the error rates of a strategy."""
    from simgin.analysis.rates import WORLDS, error_rates, read_trial
    from simgin.cli.error_rates import rates_parts, rates_rows

    if len(words) > 2 or " " in words[0]:
        raise click.UsageError("--deals goes with strategies, as in analyze gold --deals 1000.")
    a, b = words[0], words[1] if len(words) > 1 else None
    trial = read_trial(a, b, variant, judge, deals, WORLDS if worlds is None else worlds, seed)
    with progress.live("error rates") as report:
        found = error_rates(trial, workers, report)
    options = ["-v", variant, "--deals", deals, "--as", trial.judge.a.text]
    options += ["--worlds", trial.worlds, "--seed", seed]
    players = [player.text for player in trial.matchup.players]
    command = command_line("analyze", *players, *options)
    rows = rates_rows(found) if as_json else []
    parts = [] if as_json else [*rates_parts(found), ""]
    Answer(command, rows, seed).show(as_json, parts)


def _given(options: Mapping[str, object]) -> list[object]:
    """The options that have a value, as words of a command line."""
    words: list[object] = []
    for option, value in options.items():
        if value is True:
            words.append(option)
        elif value is not None:
            words += [option, value]
    return words


def _refuse_options(context: click.Context, names: Sequence[str], place: str) -> None:
    """Refuse options that were given and have no meaning here."""
    for name in names:
        source = context.get_parameter_source("seconds" if name == "for" else name)
        if source is not None and source.name == "COMMANDLINE":
            raise click.UsageError(f"--{name} goes with {place}.")


def _analyze_deal(
    played: WatchedDeal, turn: int | None, own: str | None, other: str | None, effort: Effort
) -> dict[str, Analysis]:
    """The decisions of a deal, or those of one turn."""
    from simgin.analysis.analysis import analyse_deal

    with progress.live("analyze") as report:
        return analyse_deal(
            played,
            turn,
            own,
            other,
            effort,
            lambda done, every, so_far: report(
                done, every, lambda: _so_far(so_far(), turn is None)
            ),
        )


def _analyze_cards(
    words: str,
    variant: str,
    pile: str | None,
    stock: int | None,
    dealer: str | None,
    score: str | None,
    die: Die,
    own: str | None,
    other: str | None,
    effort: Effort,
) -> dict[str, Analysis]:
    """A position of one's own."""
    from simgin.analysis.analysis import analyse, strongest
    from simgin.analysis.written import read_position, read_score
    from simgin.rules import variants

    game = variants.find(variant)
    position = read_position(
        words,
        pile or "",
        game,
        score=None if score is None else read_score(score),
        dealer=dealer,
        stock=stock,
        die=die,
    )
    best = strongest(game)
    if game.row["players"] == 2:
        other = other or best
    title = f"{game.text}: your position"

    with progress.live("analyze") as report:
        found = analyse(
            position,
            own or best,
            other,
            effort,
            lambda done, every, so_far: report(
                done, every, lambda: _so_far({title: so_far()}, False)
            ),
        )
    return {title: found}


def _so_far(found: Mapping[str, Analysis], whole_deal: bool) -> RenderableType:
    """What is known of a deal, or of the position in work."""
    from rich.console import Group

    if whole_deal:
        return deal_table(found)
    *_, title = found
    return Group(*position_parts({title: found[title]}))


def _json_rows(found: Mapping[str, Analysis]) -> list[Row]:
    """A row for each action of each decision; None for what is not known."""
    from simgin.analysis.analysis import frame

    rows: list[Row] = []
    for row in frame(found).to_dict("records"):
        known = {}
        for name, value in row.items():
            known[str(name)] = None if value != value else value
        rows.append(known)
    return rows
