"""`simgin odds`: probabilities of winning in solitaire and two-player games."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import print_note, repeat_command

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simgin.odds.odds import Odds
    from simgin.report.report import Report

DEFAULT_OUTPUT = Path("results") / "odds"


@click.command("odds")
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
def odds_command(
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
    from simgin.match_value import outcomes
    from simgin.odds.odds import OddsRequest, run_odds

    command = repeat_command()
    session.run_request(
        partial(
            run_odds,
            OddsRequest.read(variants, **asked),
            workers,
            compile_players=lambda matchup: session.compile_players([matchup]),
        ),
        "odds",
        command,
        lambda found, report: _screen(report(), found.seed, details),
        workers=workers,
        output=output or DEFAULT_OUTPUT,
        # The default directory holds the latest odds
        question=command if output else "simgin odds",
        plots="",
        cached=(None if outcomes.outcomes_directory() is None else "the cache", "players"),
        finish=_print_omissions,
        as_json=as_json,
    )


def _print_omissions(found: Odds) -> list[Path]:
    """Print what could not be computed, and return no files."""
    for sentence in found.unavailable:
        print_note(sentence)
    return []


def _screen(report: Report, seed: int, details: bool) -> Iterator[RenderableType]:
    """Yield what a terminal shows: sentences and the first table, or every table."""
    from simgin.odds.odds_report import ODDS_INTERVAL_NOTE

    yield from report.to_renderables(details=details)
    yield f"\n{ODDS_INTERVAL_NOTE} Seed {seed}.\n"
    if not details and report.detail_tables:
        yield "More:    --details prints every table; summary.md has them, too."
