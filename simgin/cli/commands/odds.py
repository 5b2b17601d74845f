"""`simgin odds`: a player's odds, solitaire or two-player."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import Answer, note, repeated
from simgin.report import progress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simgin.report.report import Report

PLACE = Path("results") / "odds"


@click.command()
@click.argument("variants", nargs=-1, metavar="[VARIANT]...", type=options.VARIANT)
@options.strategy_option(
    "A player, weakest first; may be repeated.",
    "--strategy",
    "strategies",
    metavar="S",
    multiple=True,
)
@options.output_option("Directory for tables and plots [default: results/odds].")
@options.count_option("--deals", "Deals per player [default: 40k alone, 400k for two players].")
@options.seed_option
@options.workers_option
@options.details_option
@options.json_option
def odds(
    variants: tuple[str, ...],
    output: Path | None,
    workers: int | None,
    details: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Odds of winning a deal and a match; without VARIANT, in all games for one player.

    One player: how likely you are to win a deal and the match, to go gin, to draw the joker, by
    strategy, draw and cards left; luck against skill. Two players: how likely you are to win the
    deal and the match, by seat and by score, each player against itself.

    \b
      simgin odds
      simgin odds solitary-gin --strategy solo-greedy --strategy solo-switch
      simgin odds standard --deals 1M

    What was counted is kept: the same odds come at once, and an interrupted command resumes with
    the next player.
    """
    from simgin.cli import session
    from simgin.odds.odds import measure, read_request
    from simgin.odds.odds_report import odds_report
    from simgin.runs import directory
    from simgin.runs.manifest import run_identity
    from simgin.value import outcomes

    request = read_request(variants, **asked)
    command = repeated()
    place = output or PLACE
    # The default directory is for whatever was asked last
    question = command if output else "simgin odds"
    directory.check(place, question)
    started = datetime.now(UTC)
    kept = None if outcomes.directory() is None else "the cache"
    interruptible = session.interruptible(command, kept, "players")
    with interruptible, progress.live("odds") as report_progress:
        found = measure(
            request,
            workers,
            progress=partial(_report_player, report_progress, request.names),
            prepare=lambda matchup: session.prepare([matchup]),
        )
    for sentence in found.refused:
        note(sentence)
    identity = run_identity([matchup for matchup, _ in found.played])
    units = [units for _, units in found.played]
    report = odds_report(found, identity, command)
    how: dict[str, Any] = {"question": question, "workers": workers, "plots": ""}
    files = session.save_report(place, report, identity, units, started, **how)
    parts = _screen(report, request.seed, details)
    Answer(command, found.records(), request.seed, files).show(as_json, parts)


def _screen(report: Report, seed: int, details: bool) -> Iterator[RenderableType]:
    """What a terminal shows: words and the first table; with details, every table."""
    from simgin.odds.odds_report import READING

    yield from report.screen(details=details)
    yield f"\n{READING} Seed {seed}.\n"
    if not details and report.folded:
        yield "More:    --details prints every table; summary.md has them, too."


def _report_player(report: progress.Report, names: Sequence[str], done: int, units: int) -> None:
    """Report how far all players are, and who plays."""
    number = len(names)
    place = min(number * done // units, number - 1)
    report(done, units, lambda: f"player {place + 1} of {number}: {names[place]}")
