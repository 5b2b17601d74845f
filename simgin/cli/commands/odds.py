"""`simgin odds`: a player's odds, solitaire or two-player."""

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
from simgin.report import progress
from simgin.rules.variants import Variant, find, names
from simgin.runs import directory

if TYPE_CHECKING:
    from simgin.odds.report import Odds
    from simgin.odds.seats import Table
    from simgin.play.matchup import Matchup
    from simgin.play.parallel import Progress
    from simgin.report.sheet import Sheet

SOLO_DEALS, PAIR_DEALS = 40_000, 400_000  # deals per player, solitaire and two-player
SAMPLED = 20  # one in so many two-player deals is followed turn by turn, to value hands
PLACE = Path("results") / "odds"
STOPPERS = "solo-greedy+knock=at:k={k}"  # who shows which deadwood to knock with
INTERRUPTED = 130  # exit code

READING = (
    "± and brackets are 95 % intervals. Left: cards in the deck, joker included. If not: share "
    "won of the deals still in progress."
)


@click.command()
@click.argument("variants", nargs=-1, metavar="[VARIANT]...")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="S",
    help="Player, weakest first; may be repeated.",
)
@options.output_option("Directory for tables and plots [default: results/odds].")
@click.option(
    "--deals",
    callback=options.read_count,
    metavar="N",
    help="Deals per player [default: 40k alone, 400k for two players].",
)
@options.seed_option
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
    """Compute a player's odds; without VARIANT, of all solitaire variants.

    Solitaire: probability of winning a deal and the match, of gin, of drawing the joker, by
    strategy, draw and cards left; luck against skill. Two players: probability of winning the deal
    and the match by seat and by score, each player against itself.

    \b
      simgin odds
      simgin odds solitary-gin --strategy solo-greedy --strategy solo-switch
      simgin odds standard --deals 1M

    Finished players are cached: the same odds come at once, and an interrupted command resumes
    with the next player.
    """
    chosen = {variant.text: variant for variant in map(find, variants or solo_variants())}
    command = _command(variants, strategies, output, deals, seed)
    place = output or PLACE
    directory.check(place)
    started = datetime.now(UTC)
    try:
        tables, played = _measure(
            list(chosen.values()),
            strategies,
            deals,
            seed,
            workers,
        )
    except KeyboardInterrupt:
        note(f"interrupted; finished players are kept. Continue with: {command}")
        raise click.exceptions.Exit(INTERRUPTED) from None
    for sentence in tables.refused:
        note(sentence)
    manifest = _manifest(played, workers, started, command)
    files = directory.save(place, manifest, tables.files())
    answer = Answer(command, tables.records(), seed, files)
    sheets = [_folded(sheet) for sheet in tables.sheets()]
    answer.show(as_json, [*sheets, "", READING, f"Seed {seed}.", ""])


def solo_variants() -> list[str]:
    """The solitaire variants that come with simgin."""
    return [name for name in names() if find(name).row["players"] == 1]


def _measure(
    variants: Sequence[Variant],
    strategies: Sequence[str],
    deals: int | None,
    seed: int,
    workers: int | None,
) -> tuple[Odds, list[tuple[Matchup, int]]]:
    """The tables of odds, and who played how many deals for them."""
    from simgin.odds import report, sample, seats, solo
    from simgin.play.matchup import parse_matchup
    from simgin.strategy import loader
    from simgin.value import turns

    chosen = list(dict.fromkeys(loader.find(text).text for text in strategies))
    ladders: dict[str, list[str]] = {}
    stoppers: dict[str, list[str]] = {}
    duels: list[tuple[str, str]] = []
    for variant in variants:
        if variant.row["players"] == 1:
            ladders[variant.text] = chosen or list(solo.ladder(variant))
            if limit := _knock_limit(variant):
                stoppers[variant.text] = [STOPPERS.format(k=k) for k in range(limit + 1)]
        else:
            duels += [(variant.text, strategy) for strategy in chosen or seats.PLAYERS]
    groups = [*ladders.values(), *stoppers.values()]
    steps = len(duels) + sum(map(len, groups))
    with _progress("odds", steps) as step:

        def play_solo(variant: str, players: Sequence[str]) -> list[sample.Deals]:
            return [
                sample.play_alone(
                    player,
                    variant,
                    deals or SOLO_DEALS,
                    seed=seed,
                    workers=workers,
                    progress=step(),
                    prepare=_prepare,
                )
                for player in players
            ]

        def play_pair(variant: str, player: str) -> Table:
            tick = step()
            _prepare(parse_matchup(player, player, variant, seed, "deal"))
            table = seats.play_self(
                player,
                variant,
                deals or PAIR_DEALS,
                seed=seed,
                workers=workers,
            )
            tick(1, 1)
            return table

        samples = [play_solo(variant, players) for variant, players in ladders.items()]
        stopped = [play_solo(variant, players) for variant, players in stoppers.items()]
        tables = [play_pair(variant, player) for variant, player in duels]
        counts = []
        for variant_text, player in duels:
            matchup = parse_matchup(player, player, variant_text, seed, "deal")
            followed = turns.play(matchup, (deals or PAIR_DEALS) // SAMPLED, workers)
            counts.append(turns.counts(followed))
    played = []
    for group in (*samples, *stopped):
        played += [(sampled.matchup, sampled.units) for sampled in group]
    played += [(table.matchup, table.deals) for table in tables]
    thresholds = [solo.by_threshold(group) for group in stopped]
    return report.build_odds(
        samples,
        tables,
        seed,
        thresholds=thresholds,
        counts=counts,
    ), played


def _prepare(matchup: Matchup) -> None:
    """Compile a matchup, and say so if it takes long."""
    from simgin.play import kernel

    with session.explain_wait():
        kernel.prepare(matchup)


def _folded(sheet: Sheet) -> Sheet:
    """A sheet with lopsided intervals below their values, to fit a terminal."""
    rows = []
    for row in sheet.rows:
        rows.append(tuple(cell.replace(" (", "\n(") for cell in row))
    return dataclasses.replace(sheet, rows=rows)


def _knock_limit(variant: Variant) -> int:
    """The knock limit of a solitaire variant; 0 without knocking."""
    limit = variant.row["knock_limit"]
    return int(str(limit)) if limit is not None else 0


@contextmanager
def _progress(title: str, players: int) -> Iterator[Callable[[], Progress]]:
    """Live progress over so many players: each call gives the progress of the next one."""
    with progress.live(title) as report:
        places = iter(range(players))

        def step() -> Progress:
            place = next(places)
            return lambda done, units: report(place * units + done, players * units)

        yield step


def _manifest(
    played: Sequence[tuple[Matchup, int]],
    workers: int | None,
    started: datetime,
    command: str,
) -> dict[str, object]:
    from simgin.play.parallel import usable_cpus
    from simgin.runs.manifest import run_identity, run_manifest
    from simgin.runs.stopping import End

    identity = run_identity([matchup for matchup, _ in played])
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
    words: list[object] = ["odds", *variants]
    for strategy in strategies:
        words += ["--strategy", strategy]
    if deals is not None:
        words += ["--deals", deals]
    words += ["--seed", seed]
    if output is not None:
        words += ["-o", output]
    return command_line(*words)
