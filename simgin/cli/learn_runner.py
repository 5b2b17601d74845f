"""Common parts of `simgin tune` and `simgin train`: options, output files and the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import repeat_command

if TYPE_CHECKING:
    from simgin.learn.improvement import Improvement, Wording
    from simgin.learn.tune_request import TuneRequest

against_option = options.strategy_option(
    "Opponent; may be repeated [default: simple].", "--against", metavar="S", multiple=True
)
confirm_option = options.count_option(
    "--confirm",
    "Matches of the confirmation against each opponent.",
    default="40k",
    show_default=True,
)


def run_directory_option(help_text: str) -> Callable[[Any], Any]:
    """Return the option `--run DIR`, the directory of a search or a training."""
    return click.option("--run", "place", type=options.PATH, metavar="DIR", help=help_text)


def check_improvement_output(words: Wording, output: Path | None, place: Path | None) -> None:
    """Raise an error now, not after the work, if the output cannot be written.

    Args:
        words: Words for what is done.
        output: File for the result, or None.
        place: Directory of the search or training, or None.
    """
    from simgin.runs import directory
    from simgin.text.files import NewFileError, check_writable, has_suffix

    if place is not None:
        directory.check_directory(place)
    if output is None:
        return
    if not has_suffix(output, words.suffix):
        raise NewFileError(
            f"the name of a file of {words.content} ends in {words.suffix}: try "
            f"{output}{words.suffix}."
        )
    check_writable(output, words.marker, words.noun)


def player_options(request: TuneRequest) -> dict[str, Any]:
    """Return the names of the players, for the command that repeats the run."""
    return {
        "strategy": request.strategy.spec,
        "variant": request.variant.spec,
        "against": [opponent.spec for opponent in request.pool],
    }


def run_improvement(
    request: TuneRequest,
    words: Wording,
    run: Callable[..., Improvement],
    *,
    changed: dict[str, Any],
    workers: int | None,
    output: Path | None,
    place: Path | None,
    as_json: bool,
    cached: str = "",
) -> Improvement:
    """Run a search or training as `session.run_request` does, and write what it found.

    Args:
        request: Strategy and opponents, with the identity of the ledger.
        words: Words for what is done.
        run: Function that runs it, from its progress callback and ledger.
        changed: What became of the options of the command.
        workers: Number of threads.
        output: File for the result, or None.
        place: Directory of the ledger and the report, or None.
        as_json: True to print one JSON object instead.
        cached: Location of the finished parts if there is no directory.
    """
    from simgin.cli import session
    from simgin.report.wrapping import Sentences
    from simgin.text.files import write_file

    # The content of the file depends on neither its place nor the number of workers
    command = repeat_command(**changed, output=None, place=None)

    def finish(found: Improvement) -> list[Path]:
        if output is None:
            return []
        write_file(output, found.file_content(command))
        return [output]

    return session.run_request(
        run,
        f"{words.doing.lower()} {request.strategy.name}",
        repeat_command(**changed),
        lambda _, report: [Sentences(report().verdict), *report().tables, ""],
        workers=workers,
        as_json=as_json,
        output=place,
        cached=(cached or place, words.pieces),
        finish=finish,
        identity=request.identity,
        extend=lambda found, report: replace(
            report, files={**report.files, words.file_name: found.file_content(command)}
        ),
        tune=request.objective,
    )
