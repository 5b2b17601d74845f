"""`simgin analyze`: the best action in a position, and what decisions of deals cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

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
from simgin.report import numbers, progress

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from simgin.value.analysis.analysis import Analysis, Effort

TITLES = {
    "match": "match %",
    "points": "points",
    "win": "won %",
    "gin": "gin %",
    "undercut": "undercut %",
}
INTERVALS = "± are 95 % intervals, which hold for all actions together."
PENALTY = -1  # points are shown as the penalty that they are less
FEW = 3  # actions named in a sentence
OF_CARDS = ("dealer", "score")
TRANSCRIPT = ".txt"  # how the name of a file ends that `simgin show` has filled
OF_AN_ADDRESS = ("variant", "unit", "half", "deal")
OF_A_DEAL = ("unit", "half", "deal", "turn")  # options that go with the deal of two strategies
OF_ONE = ("pile", *OF_CARDS, *OF_A_DEAL, "for", "output")  # with one position or one deal
WORLDS_OF_A_POSITION = 10_000
Z95 = 1.96
Row = dict[str, Any]


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="CARDS | A [B] | FILE.txt")
@variant_option
@click.option(
    "--pile",
    metavar="CARDS",
    help="The discard pile from the first upcard on, with * after each card that was taken; "
    "alone your discards.",
)
@click.option(
    "--dealer",
    type=click.Choice(["me", "other"]),
    help="Who dealt [default: as the pile has it].",
)
@click.option(
    "--score",
    metavar="30-45",
    help="Your points and the opponent's; then the match is what is to be won.",
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
    help="Error rates of A in so many deals against B [default: champion], who plays on.",
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
    dealer: str | None,
    score: str | None,
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
    The deal that `simgin show ... > deal.txt` has written down
      simgin analyze deal.txt --turn 5
    One player: a position of your own, and a decision of a deal
      simgin analyze AS AD AC 3S TS 4D 5D 3C 8C TC 4H --pile QH -v solitary-gin
      simgin analyze solo-two-draws -v gin-solitaire --unit 3 --turn 5
    The points that a strategy gives up a deal, and its costliest decisions
      simgin analyze gold --deals 1000
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
    from simgin.play.replay import find_deal
    from simgin.runs import directory
    from simgin.value.analysis.analysis import Effort
    from simgin.value.analysis.deals import analyse_deal
    from simgin.value.analysis.transcript import read_transcript

    if output is not None:
        directory.check(output)
    effort = Effort(worlds, seconds, seed, workers)
    if pile is not None or len(words) > 2 or " " in words[0]:
        _refuse_options(context, OF_A_DEAL, "a deal of two strategies, not with cards")
        found = _analyze_cards(words, variant, pile, dealer, score, own, other, effort)
        words = (" ".join(words),)
        named: dict[str, object] = {"--pile": pile, "--dealer": dealer, "--score": score}
    else:
        _refuse_options(context, OF_CARDS, "cards, not with a deal of two strategies")
        named = {"--unit": unit, "--half": half, "--deal": deal, "--turn": turn}
        if words[0].endswith(TRANSCRIPT):
            _refuse_options(context, OF_AN_ADDRESS, "strategies, not with a transcript")
            if len(words) > 1:
                raise click.UsageError("a transcript names both players: leave the second out.")
            played = read_transcript(words[0])
            named = {"--turn": turn, "-v": None}
        else:
            played = find_deal(
                words[0],
                words[1] if len(words) > 1 else None,
                variant,
                seed,
                unit,
                half,
                deal,
            )
        with progress.live("analyze") as report:
            found = analyse_deal(
                played,
                turn,
                own,
                other,
                effort,
                lambda done, every, so_far: report(
                    done, every, lambda: _so_far(so_far(), turn is None)
                ),
            )
    named = {"-v": variant} | named
    named |= {
        "--as": own,
        "--against": other,
        "--worlds": worlds,
        "--for": seconds,
        "--seed": seed,
        "-o": output,
    }
    command = command_line("analyze", *words, *_given(named))
    rows = _json_rows(found) if as_json else []
    whole_deal = len(found) > 1 and turn is None
    parts = _deal_parts(found) if whole_deal else _position_parts(found)
    files = [] if output is None else _write_page(output, command, found, whole_deal, workers)
    Answer(command, rows, seed, files).show(as_json, [*parts, ""])


def _write_page(
    output: Path,
    command: str,
    found: Mapping[str, Analysis],
    whole_deal: bool,
    workers: int | None,
) -> list[Path]:
    """The page of an analysis; the paths of its files."""
    from simgin.cli import analysis_page

    tables = {title: _table(analysis) for title, analysis in found.items()}
    reading = _reading(found)
    if whole_deal:
        tables = {"Every decision": _deal_table(found)}
        reading = _deal_reading(found)
    sentences = {title: _verdict(analysis) for title, analysis in found.items()}
    return analysis_page.save(
        output,
        command,
        found,
        sentences,
        tables,
        reading,
        workers,
    )


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
    from simgin.cli.rates import rates_parts, rates_rows
    from simgin.value.analysis.rates import STRONGEST, WORLDS, error_rates, read_trial

    if len(words) > 2 or " " in words[0]:
        raise click.UsageError("--deals goes with strategies, as in analyze gold --deals 1000.")
    a, b = words[0], words[-1] if len(words) > 1 else STRONGEST
    judge = judge or STRONGEST
    trial = read_trial(a, b, variant, judge, deals, WORLDS if worlds is None else worlds, seed)
    with progress.live("error rates") as report:
        found = error_rates(trial, workers, report)
    options = ["-v", variant, "--deals", deals, "--as", judge]
    options += ["--worlds", trial.worlds, "--seed", seed]
    command = command_line("analyze", a, b, *options)
    rows = rates_rows(found) if as_json else []
    parts = [] if as_json else [*rates_parts(found), ""]
    Answer(command, rows, seed).show(as_json, parts)


def _given(options: Mapping[str, object]) -> list[object]:
    """The options that have a value, as words of a command line."""
    words: list[object] = []
    for option, value in options.items():
        if value is not None:
            words += [option, value]
    return words


def _refuse_options(context: click.Context, names: Sequence[str], place: str) -> None:
    """Refuse options that were given and have no meaning here."""
    for name in names:
        source = context.get_parameter_source("seconds" if name == "for" else name)
        if source is not None and source.name == "COMMANDLINE":
            raise click.UsageError(f"--{name} goes with {place}.")


def _analyze_cards(
    words: Sequence[str],
    variant: str,
    pile: str | None,
    dealer: str | None,
    score: str | None,
    own: str | None,
    other: str | None,
    effort: Effort,
) -> dict[str, Analysis]:
    """A position of one's own."""
    from simgin.rules import variants
    from simgin.value.analysis.analysis import analyse
    from simgin.value.analysis.described import read_position, read_score, strongest

    game = variants.find(variant)
    position = read_position(
        " ".join(words),
        pile or "",
        game,
        score=None if score is None else read_score(score),
        dealer=dealer,
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
        return _deal_table(found)
    *_, title = found
    return Group(*_position_parts({title: found[title]}))


# One position


def _position_parts(found: Mapping[str, Analysis]) -> Iterator[Any]:
    """What is known, the verdict and the table of each position."""
    from rich.text import Text

    from simgin.value.analysis.words import lines

    for title, analysis in found.items():
        yield Text(title, style="bold")
        yield from lines(analysis.position)
        yield ""
        yield _verdict(analysis)
        yield _table(analysis)
        yield ""
    yield Text(_reading(found))


def _verdict(analysis: Analysis) -> str:
    """Which action is best, or which may be, and what the one done cost."""
    position = analysis.position
    names = [position.text(position.actions[place]) for place in analysis.best]
    worlds = f"{analysis.worlds:,} worlds"
    first, *others = names
    verdict = f"Best: {first} (known after {worlds})."
    if others:
        listed = ", ".join(others[:FEW])
        more = f" and {len(others) - FEW} more" if len(others) > FEW else ""
        verdict = f"Best so far: {first}. After {worlds} it may also be {listed}{more}."
    if position.done is None:
        return verdict
    place = position.actions.index(position.done)
    done = position.text(position.done)
    if place == analysis.order[0]:
        return f"{verdict} It was done."
    return f"{verdict} Done was {done}, which cost {_cost(analysis, place)} {analysis.unit}."


def _cost(analysis: Analysis, place: int) -> str:
    mean, _, high = analysis.cost(place)
    half = high - mean
    return f"{numbers.number(mean, half)} ± {numbers.number(half, half)}"


def _table(analysis: Analysis) -> Table:
    """A row for each action, the best first."""
    factors = _factors(analysis)
    titles = dict(TITLES)
    if factors.get("points") == PENALTY:
        titles["points"] = "penalty"
    headings = [name for name in titles if name in factors]
    cost = f"cost, {titles[analysis.by]}"
    table = plain_table("action", cost, *(titles[name] for name in headings), "worlds")
    frame = analysis.frame()
    for place, row in zip(analysis.order, frame.to_dict("records"), strict=True):
        mark = " <" if row["done"] else ""
        cells = [row["action"] + mark, _cost(analysis, place) if row["cost"] else ""]
        for name in headings:
            factor = factors[name]
            error = Z95 * row[f"{name}_se"] * factor
            cells.append(numbers.number(row[name] * factor, error))
        table.add_row(*cells, f"{row['worlds']:,}")
    return table


def _factors(analysis: Analysis) -> dict[str, int]:
    """The measures that say something in this variant, and what they are multiplied by."""
    variant = analysis.position.variant
    shares = {"win": 100, "gin": 100, "undercut": 100}
    scoring = variant.row["deal_scoring"]
    if scoring == "winloss":
        return {"win": 100}
    if scoring == "penalty":
        return {"points": PENALTY, "gin": 100}
    if variant.row["players"] == 1 and not variant.row["knock_limit"]:
        del shares["undercut"]
    if analysis.has_match:
        shares["match"] = 1
    return {"points": 1, **shares}


def plain_table(*headings: str) -> Table:
    """A table whose columns but the first stand at the right, two characters apart."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="right" if i else "left", overflow="fold")
    return table


def _reading(found: Mapping[str, Analysis]) -> str:
    """How to read the tables."""
    from simgin.play.names import own_names

    analyses = list(found.values())
    matchup = analyses[0].matchup
    short = own_names([matchup])
    players = " and ".join(short.get(player.text, player.text) for player in matchup.players)
    play = "plays" if matchup.b is None else "play"
    sentences = [f"{players} {play} on. {INTERVALS}"]
    if any(analysis.position.done for analysis in analyses):
        sentences.append("< was done.")
    if analyses[0].has_match:
        sentences.append("Match %: among equal players.")
    return " ".join(sentences)


# A whole deal


def _deal_parts(found: Mapping[str, Analysis]) -> Iterator[Any]:
    """A row for each decision, and what all of them cost each player."""
    from rich.text import Text

    first, *_ = found.values()
    yield Text("What each decision cost, in " + first.unit, style="bold")
    yield ""
    yield _deal_table(found)
    yield ""
    yield Text(_deal_reading(found))


def _deal_table(found: Mapping[str, Analysis]) -> Table:
    """A row for each decision."""
    table = plain_table("decision", "done", "best", "cost", "worlds")
    for title, analysis in found.items():
        table.add_row(title, *_deal_cells(analysis), f"{analysis.worlds:,}")
    return table


def _deal_cells(analysis: Analysis) -> tuple[str, str, str]:
    """What was done, what was best, and what the difference cost."""
    position = analysis.position
    done = position.done
    assert done is not None, "a decision of a deal was made"
    place = position.actions.index(done)
    best = position.text(position.actions[analysis.order[0]])
    if len(analysis.best) > 1:
        best += "?"
    is_best = place == analysis.order[0]
    return position.text(done), best, "0" if is_best else _cost(analysis, place)


def _deal_reading(found: Mapping[str, Analysis]) -> str:
    open_ones = [analysis for analysis in found.values() if len(analysis.best) > 1]
    text = INTERVALS
    if open_ones:
        text += " ? means that another action may be best."
    return text


# For programs


def _json_rows(found: Mapping[str, Analysis]) -> list[Row]:
    """A row for each action of each decision; None for what is not known."""
    from simgin.value.analysis.deals import frame

    rows: list[Row] = []
    for row in frame(found).to_dict("records"):
        known = {}
        for name, value in row.items():
            known[str(name)] = None if value != value else value
        rows.append(known)
    return rows
