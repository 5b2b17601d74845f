"""Shared parts of `simgin tune` and `simgin train`: options, output files and execution."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import format_repeat_command

if TYPE_CHECKING:
    from simgin.learn.improvement import Improvement, Wording
    from simgin.learn.tune_request import TuneRequest

against_option = options.strategy_option(
    "Opponent of the strategy. Repeat the option to add opponents. [default: simple]",
    "--against",
    metavar="S",
    multiple=True,
)
confirm_option = options.count_option(
    "--confirm", "Validation matches against each opponent.", default="40k", show_default=True
)


def run_directory_option(text: str) -> Callable[[Any], Any]:
    """Return the option `--run DIR`, which sets the directory for a search or for training."""
    return click.option("--run", "directory_path", type=options.PATH_TYPE, metavar="DIR", help=text)


def check_improvement_output(
    wording: Wording, output: Path | None, directory_path: Path | None
) -> None:
    """Raise an error if the output of a search or of training cannot be written.

    Args:
        wording: Terms that the screens of the command use.
        output: File for the result, or None.
        directory_path: Directory of the search or training run, or None.
    """
    from simgin.runs import directory
    from simgin.text.files import NewFileError, check_writable, has_suffix

    if directory_path is not None:
        directory.check_directory(directory_path)
    if output is None:
        return
    if not has_suffix(output, wording.file_suffix):
        raise NewFileError(
            f"{output} is not a valid file name for {wording.content_noun}. Use "
            f"{output}{wording.file_suffix}."
        )
    check_writable(output, wording.file_marker)


def list_player_options(request: TuneRequest) -> dict[str, Any]:
    """Return the options that specify the players in the command that repeats a run."""
    return {
        "strategy": request.strategy.spec,
        "variant": request.variant.spec,
        "against": [opponent.spec for opponent in request.opponents],
    }


def run_improvement(
    request: TuneRequest,
    wording: Wording,
    run: Callable[..., Improvement],
    *,
    resolved_options: dict[str, Any],
    workers: int | None,
    output: Path | None,
    directory_path: Path | None,
    as_json: bool,
    cache_location: str = "",
) -> Improvement:
    """Run a search or training, and write the improved strategy to a file.

    Args:
        request: Request that contains the strategy, the opponents and the ledger identity.
        wording: Words that are used on the screens of the command.
        run: Function that runs the request, with a progress callback and a ledger as arguments.
        resolved_options: Resolved option values for the command that repeats the run.
        workers: Number of threads.
        output: File for the result, or None.
        directory_path: Directory of the ledger and the report, or None.
        as_json: True to print only one JSON object.
        cache_location: Location of the finished parts if no directory is given.
    """
    from simgin.cli import session
    from simgin.report.wrapping import Sentences
    from simgin.text.files import write_file

    # The contents of the file must not depend on its path or on the number of workers.
    command = format_repeat_command(**resolved_options, output=None, directory_path=None)

    def write_improvement(result: Improvement) -> list[Path]:
        if output is None:
            return []
        write_file(output, result.render_file(command))
        return [output]

    return session.run_request(
        run,
        f"{wording.gerund.lower()} {request.strategy.name}",
        format_repeat_command(**resolved_options),
        lambda _, report: [Sentences(report().verdict), *report().tables, ""],
        workers=workers,
        as_json=as_json,
        output=directory_path,
        finished_parts=(cache_location or directory_path, wording.steps_noun),
        on_finish=write_improvement,
        identity=request.identity,
        extend_report=lambda result, report: result.extend_report(report, command),
    )
