"""`simgin match`: one matchup."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simgin.cli import session as playing
from simgin.cli.debug import DEALS, debug_option, session
from simgin.cli.output import Answer, command_line, json_option, note
from simgin.runs import plan
from simgin.text import amounts

if TYPE_CHECKING:
    from simgin.findings.findings import Findings
    from simgin.runs.plan import Plan


@click.command()
@click.argument("a")
@click.argument("b", required=False)
@click.option(
    "-v",
    "--variant",
    default="standard",
    show_default=True,
    help="The game, like oklahoma or standard+knock_limit=5.",
)
@click.option(
    "--deals",
    callback=playing.read_count,
    metavar="N",
    help="Play so many deals, like 100000, 200k, 2M or 1e6 [default: 100k].",
)
@click.option(
    "--matches",
    callback=playing.read_count,
    metavar="N",
    help="Play so many whole matches instead.",
)
@click.option(
    "--until",
    callback=playing.read_until,
    metavar="±X",
    help="Play until the share won (0.1%) or points (0.05) are known so well.",
)
@click.option(
    "--sprt",
    callback=playing.read_sprt,
    metavar="ELO0,ELO1",
    help="Play until a test of pairs tells two Elo differences apart.",
)
@click.option(
    "--for",
    "seconds",
    callback=playing.read_seconds,
    metavar="TIME",
    help="Play for a time, like 30s or 5m.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Other seeds give other packs."
)
@playing.workers_option
@playing.scheduler_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep tables and plots in this directory.",
)
@playing.record_option
@click.option("--details", is_flag=True, help="Print every metric, with its meaning.")
@debug_option
@json_option
def match(
    a: str,
    b: str | None,
    variant: str,
    deals: int | None,
    matches: int | None,
    until: str | float | None,
    sprt: tuple[float, float] | None,
    seconds: float | None,
    seed: int,
    workers: int | None,
    scheduler: str | None,
    output: Path | None,
    record: bool,
    details: bool,
    debug: bool,
    as_json: bool,
) -> None:
    """Play strategy A against B (default: simple) and print who wins, with intervals.

    A strategy is a name of `simgin strategies`, with parameters or other policies if you like, or a file of your own:

    \b
      gold                       gold-early:k=7
      gold+knock=at:k=4          simple+discard=hits+take=never
      mine.py                    mine.py#second

    Both play the same packs in both seats. Nothing is written without -o; with it the same command goes on after an interruption, and
    one with more deals adds to what is there. With --until, --sprt or --for, --deals or --matches is the most to play.
    """
    if debug and deals is None and matches is None:
        deals = DEALS
        note(f"as plain Python, thousands of times slower: {DEALS} deals, and more with --deals.")
    asked = plan.of_matchup(
        a,
        b,
        variant,
        deals=deals,
        matches=matches,
        until=until,
        sprt=sprt,
        seconds=seconds,
        seed=seed,
    )
    unit, n = "--deals" if asked.unit == "deal" else "--matches", asked.cells[0].n
    amount = [unit, n] if n < amounts.MOST else []  # nothing but the clock ends it
    command = _command(asked, [*amount, *playing.ends(until, sprt, seconds)], output, record)
    playing.check(output, record)
    playing.warn_of_scores(asked.cells)
    started = datetime.now(UTC)
    with ExitStack() as stack:
        with session(as_json):  # what policies print; the answer itself belongs on stdout
            found = stack.enter_context(
                playing.played(
                    asked, output, command, workers=workers, scheduler=scheduler, record=record
                )
            )
        if seconds is not None:  # the clock cannot be repeated, what it came to can
            command = _command(asked, [unit, found.entries[0].n], output, record)
        files = [] if output is None else _save(output, found, started, command, record)
        _answer(found, command, files, details, as_json)


def _command(asked: Plan, amount: Sequence[object], output: Path | None, record: bool) -> str:
    one = asked.cells[0].matchup
    place = () if output is None else ("-o", output, *(["--record"] if record else []))
    return command_line(
        "match",
        *(player.text for player in one.players),
        "-v",
        one.variant.text,
        *amount,
        "--seed",
        one.seed,
        *place,
    )


def _save(
    place: Path, found: Findings, started: datetime, command: str, record: bool
) -> list[Path]:
    from simgin.findings.report import run_report
    from simgin.report import page

    files = page.files(run_report(found, command))
    return playing.save(place, found, files, started=started, command=command, record=record)


def _answer(found: Findings, command: str, files: list[Path], details: bool, as_json: bool) -> None:
    from simgin.report import screen
    from simgin.stats import table

    more = (
        ["", screen.details(found.table)]
        if details
        else ["More: --details prints every metric with its meaning."]
    )
    answer = Answer(command, table.records(found.table), found.account.seed, files, found.stopped)
    answer.give(as_json, [screen.results(found.table), *playing.told(found), *more])
