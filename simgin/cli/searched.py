"""What the commands share that make a strategy better: the ledger, the files, an interruption."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simgin.play.parallel import usable_cpus
from simgin.runs import directory, ledger
from simgin.text.files import NewFileError, check_file

if TYPE_CHECKING:
    from simgin.tune.request import TuneRequest

INTERRUPTED = 130  # exit code


def check_output(
    output: Path | None,
    place: Path | None,
    ending: str,
    what: tuple[str, str],
    is_ours: Callable[[Path], bool],
) -> None:
    """Refuse what cannot be written now, not at the end of a search.

    ending: of the name of the file. what: is in it, and wrote it. is_ours: whether a file was
    written by the same command.
    """
    if place is not None:
        directory.check(place)
    if output is None:
        return
    content, writer = what
    if output.suffix != ending:
        raise NewFileError(
            f"the name of a file of {content} ends in {ending}: try {output}{ending}."
        )
    check_file(output)
    if output.exists() and not is_ours(output):
        raise NewFileError(f"{output} exists, and no {writer} wrote it; name another file.")


@contextmanager
def opened(
    identity: Mapping[str, Any], place: Path | None, command: str
) -> Iterator[ledger.Ledger]:
    """The ledger of a search: in its directory, or in memory."""
    path = None if place is None else directory.begin(place)
    with ledger.opened(path, identity) as run_ledger:
        run_ledger.note_command(command)
        yield run_ledger


def manifest(
    request: TuneRequest,
    identity: Mapping[str, Any],
    workers: int | None,
    started: datetime,
    command: str,
) -> dict[str, Any]:
    """The manifest of a finished search."""
    from simgin.runs.manifest import run_manifest
    from simgin.runs.stopping import End

    matchups = request.matchups(request.strategy, request.seed)
    ends = [End(matchup.units(request.confirmed)) for matchup in matchups]
    return run_manifest(
        identity,
        ends,
        workers=workers or usable_cpus(),
        started=started,
        command=command,
        stopped="complete",
        tune=request.objective,
    )


def interrupted(place: Path | None, command: str, pieces: str) -> str:
    """What is kept of a search that was interrupted, and how to go on. pieces: what it plays."""
    if place is None:
        return f"interrupted; nothing was kept. Start again with: {command} --run DIR"
    return f"interrupted; finished {pieces} are kept in {place}. Continue with: {command}"
