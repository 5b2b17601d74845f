"""`simgin match`: one matchup."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simgin import frames, results
from simgin.commands import playing
from simgin.commands.answer import Answer, command_line, json_option, note
from simgin.commands.debug import DEALS, debug_option, session

if TYPE_CHECKING:
    import pandas as pd

    from simgin.experiment import Cell


@click.command()
@click.argument("a")
@click.argument("b", required=False)
@click.option("-v", "--variant", default="standard", show_default=True, help="The game, like oklahoma or standard+knock_limit=5.")
@click.option("--deals", callback=playing.read_count, metavar="N", help="Play so many deals, like 100000, 200k, 2M or 1e6 [default: 100k].")
@click.option("--matches", callback=playing.read_count, metavar="N", help="Play so many whole matches instead.")
@click.option("--seed", type=int, default=1, show_default=True, help="Other seeds give other packs.")
@playing.workers_option
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help="Keep tables and plots in this directory.")
@click.option("--details", is_flag=True, help="Print every metric, with its meaning.")
@debug_option
@json_option
def match(
    a: str,
    b: str | None,
    variant: str,
    deals: int | None,
    matches: int | None,
    seed: int,
    workers: int | None,
    output: Path | None,
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

    Both play the same packs in both seats. Nothing is written without -o.
    """
    if debug and deals is None and matches is None:
        deals = DEALS
        note(f"as plain Python, thousands of times slower: {DEALS} deals, and more with --deals.")
    cell = frames.cell(a, b, variant, deals=deals, matches=matches, seed=seed)
    command = _command(cell, output)
    if output is not None:
        results.check(output)
    playing.warn_of_scores([cell])
    started = datetime.now(UTC)
    with session(as_json):
        frame = playing.play([cell], cell.matchup.title, workers, command)
    files = [] if output is None else playing.save(output, frame, [cell], workers, started, command)
    _answer(cell, frame, command, files, details, as_json)


def _command(cell: Cell, output: Path | None) -> str:
    one = cell.matchup
    amount = ("--deals" if one.unit == "deal" else "--matches", cell.n)
    place = () if output is None else ("-o", output)
    return command_line("match", *(player.text for player in one.players), "-v", one.variant.text, *amount, "--seed", one.seed, *place)


def _answer(cell: Cell, frame: pd.DataFrame, command: str, files: list[Path], details: bool, as_json: bool) -> None:
    from simgin import screen, table

    more = ["", screen.details(frame)] if details else ["More: --details prints every metric with its meaning."]
    answer = Answer(command, table.records(frame), cell.matchup.seed, files)
    answer.give(as_json, [screen.results(frame), playing.mirroring([cell]), *more])
