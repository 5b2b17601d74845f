"""What `simgin tune` and `simgin train` share: they better a strategy, and keep what they found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import Answer, continued, repeated

if TYPE_CHECKING:
    from simgin.runs.ledger import Ledger
    from simgin.tune.found import Found, Parts, Wording
    from simgin.tune.tune_request import TuneRequest

    Play = Callable[[Ledger, Parts], Found]

against_option = options.strategy_option(
    "Opponent; may be repeated [default: simple].", "--against", metavar="S", multiple=True
)
confirm_option = options.count_option(
    "--confirm",
    "Matches of the confirmation against each opponent.",
    default="40k",
    show_default=True,
)


def place_option(help_text: str) -> Callable[[Any], Any]:
    """`--run DIR`, the directory of a search or a training."""
    return click.option("--run", "place", type=options.PATH, metavar="DIR", help=help_text)


def check_output(words: Wording, output: Path | None, place: Path | None) -> None:
    """Refuse what cannot be written now, not at the end."""
    from simgin.runs import directory
    from simgin.text.files import NewFileError, check_file, has_ending

    if place is not None:
        directory.check(place)
    if output is None:
        return
    if not has_ending(output, words.ending):
        raise NewFileError(
            f"the name of a file of {words.content} ends in {words.ending}: try "
            f"{output}{words.ending}."
        )
    check_file(output, words.mark, words.search)


def settled(request: TuneRequest) -> dict[str, Any]:
    """Who plays, for the command that repeats it."""
    return {
        "strategy": request.strategy.text,
        "variant": request.variant.text,
        "against": [opponent.text for opponent in request.pool],
    }


def carry_out(
    request: TuneRequest,
    words: Wording,
    play: Play,
    so_far: Callable[[], str],
    *,
    pieces: int,
    identity: dict[str, Any],
    settled: dict[str, Any],
    workers: int | None,
    output: Path | None,
    place: Path | None,
    as_json: bool,
    kept: str = "",
) -> Found:
    """Play with live progress, write the files and print what came of it.

    play: takes the ledger, and what takes the progress of each of the pieces. so_far: what stands
    below the bar. identity: of the ledger. settled: what the options of the command came to. kept:
    what keeps the pieces where no directory does.
    """
    from simgin.cli import session
    from simgin.play.parallel import SHARES, share
    from simgin.report import progress
    from simgin.report.wrapping import Words
    from simgin.runs import directory, ledger
    from simgin.stats import table
    from simgin.text.files import write_file
    from simgin.tune.found import found_report

    command = repeated(**settled)
    started = datetime.now(UTC)
    path = None if place is None else directory.begin(place, command)
    with ledger.opened(path, identity) as run_ledger:
        run_ledger.note_command(continued(command))
        title = f"{words.doing.lower()} {request.strategy.name}"
        interruptible = session.interruptible(command, kept or place, words.pieces)
        with interruptible, progress.live(title) as bar:
            bar(0, SHARES * pieces)

            def look(done: int, units: int) -> None:
                bar(done, units, so_far)

            found = play(run_ledger, lambda piece: share(look, piece, pieces))
        report = found_report(found, command)
        # What stands in the file depends on neither its place nor the number of workers.
        content = found.file(repeated(**settled, output=None, place=None))
        files = []
        if output is not None:
            write_file(output, content)
            files.append(output)
        if place is not None:
            matchups = request.matchups(request.strategy, request.seed)
            units = [matchup.units(request.confirmed) for matchup in matchups]
            whole = replace(report, files={**report.files, words.file: content})
            more: dict[str, Any] = {"workers": workers, "tune": request.objective}
            files += session.save_report(place, whole, identity, units, started, **more)
    # A row an opponent, as scripts know them; the csv beside the page has one a figure.
    rows = [table.for_json(row) for row in found.table.to_dict("records")]
    answer = Answer(command, rows, request.seed, files)
    answer.show(as_json, [Words(report.verdict), *report.tables, ""])
    return found
