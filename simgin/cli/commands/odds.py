"""`simgin odds`: the odds a player asks for."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simgin.cli import options, session
from simgin.cli.output import Answer, command_line, note
from simgin.rules.variants import Variant, find, names
from simgin.runs import directory, progress

if TYPE_CHECKING:
    from simgin.odds.report import Book
    from simgin.odds.seats import Table
    from simgin.play.matchup import Matchup
    from simgin.play.parallel import Progress
    from simgin.report.sheet import Sheet

ALONE, TOGETHER = (
    40_000,
    400_000,
)  # deals of a player in games for one and for two, unless told otherwise
HANDS = 20  # of so many deals of two one is looked at turn by turn, for what a hand is worth
PLACE = Path("results") / "odds"
STOPPERS = "solo-greedy+knock=at:k={k}"  # who shows what a count is worth to stop with

READ = (
    "± and brackets are 95 % intervals. Left: cards in the deck, the joker among them. If not: of the deals that still go on then, those "
    "that will be won."
)


@click.command()
@click.argument("variants", nargs=-1, metavar="[VARIANT]...")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="S",
    help="Who plays, weakest first; may be given several times.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where tables and pictures go [default: results/odds].",
)
@click.option(
    "--deals",
    callback=options.read_count,
    metavar="N",
    help="Deals of every player [default: 40k alone, 400k for two].",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=1,
    show_default=True,
    help="Other seeds give other packs.",
)
@options.workers_option
@options.json_option
def odds(
    variants: tuple[str, ...],
    strategies: tuple[str, ...],
    output: Path | None,
    deals: int | None,
    seed: int,
    workers: int | None,
    as_json: bool,
) -> None:
    """The odds a player asks for, in a table and a picture; without a VARIANT those of every game for one.

    Games for one: the chance to win a deal and the match, to go gin, to meet the joker, by strength of player, by draws made and by cards
    left; how much is luck. Games for two: the chance to win the deal and the match by seat and by score, each player against itself.

    \b
      simgin odds
      simgin odds solitary-gin --strategy solo-greedy --strategy solo-switch
      simgin odds standard --deals 1M

    What was counted is kept beside the compiled code: the same odds come at once, and after an interruption only the player it came in
    is played again.
    """
    games = list({game.text: game for game in map(find, variants or alone())}.values())
    command = _command(variants, strategies, output, deals, seed)
    place = output or PLACE
    directory.check(place)
    started = datetime.now(UTC)
    try:
        book, played = _book(games, strategies, deals, seed, workers)
    except KeyboardInterrupt:
        note(f"interrupted; finished players are kept. Continue with: {command}")
        raise click.exceptions.Exit(130) from None
    for sentence in book.refused:
        note(sentence)
    files = directory.save(place, _manifest(played, workers, started, command), book.files())
    Answer(command, book.records(), seed, files).show(
        as_json, [*map(_folded, book.sheets()), "", READ, f"Seed {seed}.", ""]
    )


def alone() -> list[str]:
    """The games for one that come with simgin."""
    return [name for name in names() if find(name).row["players"] == 1]


def _book(
    games: Sequence[Variant],
    strategies: Sequence[str],
    deals: int | None,
    seed: int,
    workers: int | None,
) -> tuple[Book, list[tuple[Matchup, int]]]:
    """The book, and who played how many deals for it."""
    from simgin.odds import report as book
    from simgin.odds import sample as dealt
    from simgin.odds import seats, solo
    from simgin.play.matchup import parse_matchup
    from simgin.strategy import loader
    from simgin.value import turns

    named = list(dict.fromkeys(loader.find(text).text for text in strategies))
    solos, pairs = ([game for game in games if game.row["players"] == n] for n in (1, 2))
    ladders = {game.text: named or list(solo.ladder(game)) for game in solos}
    stoppers = {
        game.text: [STOPPERS.format(k=k) for k in range(_limit(game) + 1)]
        for game in solos
        if _limit(game)
    }
    duels = [(game.text, strategy) for game in pairs for strategy in named or seats.PLAYERS]
    every = len(duels) + sum(len(some) for some in [*ladders.values(), *stoppers.values()])
    with _progress("odds", every) as step:

        def play(strategy: str, game: str) -> dealt.Deals:
            return dealt.of(
                strategy,
                game,
                deals or ALONE,
                seed=seed,
                workers=workers,
                progress=step(),
                prepare=_compiled,
            )

        def table(strategy: str, game: str) -> Table:
            report = step()
            _compiled(parse_matchup(strategy, strategy, game, seed, "deal"))
            found = seats.of(strategy, game, deals or TOGETHER, seed=seed, workers=workers)
            report(1, 1)
            return found

        players = [[play(strategy, game) for strategy in some] for game, some in ladders.items()]
        stopping = [[play(strategy, game) for strategy in some] for game, some in stoppers.items()]
        tables = [table(strategy, game) for game, strategy in duels]
        hands = [
            turns.play(
                parse_matchup(one, one, game, seed, "deal"), (deals or TOGETHER) // HANDS, workers
            )
            for game, one in duels
        ]
    played = [(one.matchup, one.units) for some in [*players, *stopping] for one in some] + [
        (one.matchup, one.deals) for one in tables
    ]
    thresholds = [solo.by_threshold(some) for some in stopping]
    return book.of(
        players, tables, seed, thresholds=thresholds, counts=[turns.counts(one) for one in hands]
    ), played


def _compiled(one: Matchup) -> None:
    """Compile what is needed, and say so if it takes its time."""
    from simgin.play import kernel

    with session.explain_wait():
        kernel.prepare(one)


def _folded(sheet: Sheet) -> Sheet:
    """The sheet with lopsided intervals below their values: it would be wider than a terminal."""
    return dataclasses.replace(
        sheet, rows=[tuple(cell.replace(" (", "\n(") for cell in row) for row in sheet.rows]
    )


def _limit(game: Variant) -> int:
    """The most that one may knock with alone."""
    limit = game.row["knock_limit"]
    return int(str(limit)) if limit is not None else 0


@contextmanager
def _progress(title: str, players: int) -> Iterator[Callable[[], Progress]]:
    """Live progress over so many players: each call gives the next one's."""
    with progress.live(title) as report:
        done = iter(range(players))

        def step() -> Progress:
            i = next(done)
            return lambda units, every: report(i * every + units, players * every)

        yield step


def _manifest(
    played: Sequence[tuple[Matchup, int]], workers: int | None, started: datetime, command: str
) -> dict[str, object]:
    from simgin.play.parallel import usable_cpus
    from simgin.runs.manifest import run_identity, run_manifest
    from simgin.runs.stopping import End

    identity = run_identity([one for one, _ in played])
    return run_manifest(
        identity,
        [End(units) for _, units in played],
        workers=workers or usable_cpus(),
        started=started,
        command=command,
        stopped="complete",
    )


def _command(
    variants: Sequence[str],
    strategies: Sequence[str],
    output: Path | None,
    deals: int | None,
    seed: int,
) -> str:
    players = [word for strategy in strategies for word in ("--strategy", strategy)]
    amount = [] if deals is None else ["--deals", deals]
    place = [] if output is None else ["-o", output]
    return command_line("odds", *variants, *players, *amount, "--seed", seed, *place)
