"""Run directory: its files, its manifest, and protection against overwriting other data.

The ledger is in the directory from the start of the run. All other files are computed from the
ledger, written to temporary files and moved to their names. A directory can come from an untrusted
source: nothing in it is executed, and nothing outside it is written or removed
(docs/explanation/threat-model.md).
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shlex
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from simgin.runs import ledger, manifest
from simgin.text.files import WRITING, read_text, write_file
from simgin.text.messages import described, quoted

MANIFEST = "manifest.json"
DEALS = "deals.parquet"  # written by `simgin.runs.parquet`
# Exceptions that manipulated manifests and ledgers, with values of other types, can raise
FORGED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError)
MOST_FOLDERS = 300  # directories in the path of a run directory
ELSEWHERE = "move it away or name another directory"
SIZES = {"--deals", "--worlds", "--for", "--run", "-o"}  # options that set amount and output
SEAL = "seal"  # key of the manifest's checksum


class ResultsError(ValueError):
    """Exception for a run directory that cannot be read or written."""


def save(
    directory: str | Path,
    contents: Mapping[str, Any],
    files: Mapping[str, bytes | str],
    *there: str,
    question: str = "",
) -> list[Path]:
    """Write the files of a run and its manifest, and return their paths, the manifest first.

    Files that an earlier manifest names and this one does not are removed.

    Args:
        directory: Run directory.
        contents: Contents of the manifest.
        files: Contents by path inside the directory.
        *there: Files of this run that are already in the directory.
        question: Command passed to `check_directory`, which is repeated because another process
            might have written files in the meantime.

    Raises:
        ResultsError: If the directory contains other data or cannot be written. Every file is then
            either the old or the new one.
    """
    place = _made(directory, check(directory))
    with _locked(place):
        _require_ours(directory, place, question)
        _replace(directory, place, contents, files, {*files, *there})
    return [Path(directory) / name for name in (MANIFEST, *files, *there)]


def _replace(
    directory: str | Path,
    place: Path,
    contents: Mapping[str, Any],
    files: Mapping[str, bytes | str],
    ours: set[str],
) -> None:
    """Write files and manifest over those of an earlier run, and remove its other files.

    Args:
        directory: Run directory as given by the user, for error messages.
        place: Absolute path of the directory.
        contents: Contents of the manifest.
        files: Contents by path inside the directory.
        ours: Names of all files that belong to this run.
    """
    stale = _files_of(place) - {MANIFEST} - ours
    left_over = {name for name in _files(place) if Path(name).name.startswith(WRITING)}
    unfinished = {
        **contents,
        "stopped": "while its files were being written",
        "files": sorted(stale | ours),
    }
    try:
        # First, so that the files of a run that is killed here are known.
        write_file(place / MANIFEST, sealed(unfinished))
        for name, content in files.items():
            write_file(place / name, content if isinstance(content, bytes) else content.encode())
        for name in stale | left_over:
            (place / name).unlink(missing_ok=True)
        write_file(place / MANIFEST, sealed({**contents, "files": sorted(ours)}))
    except OSError as error:
        raise ResultsError(
            f"{directory} cannot be written ({error.strerror}); mend that, and the same command "
            "goes on."
        ) from error


@contextlib.contextmanager
def _locked(place: Path) -> Iterator[None]:
    """Lock a directory so that one process at a time writes its files, while others wait.

    A process that is killed does not leave a lock. Paths that are not directories, and file systems
    without locks, are not locked.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, folder)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield


def begin(directory: str | Path, command: str = "") -> Path:
    """Create the directory of a run if it does not exist, and return the path of its ledger.

    Raises:
        ResultsError: If `check_directory` rejects the directory.
    """
    return _made(directory, check(directory, command, keeps_ledger=True)) / ledger.FILE


def _made(directory: str | Path, place: Path) -> Path:
    """Create a directory if it does not exist, and return its absolute path."""
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError(
            f"{directory} cannot be written ({error.strerror}); name another directory."
        ) from error
    return place


def check(directory: str | Path, command: str = "", *, keeps_ledger: bool = False) -> Path:
    """Return the absolute path of a directory that a run can be written to.

    Only the files of an earlier run can be overwritten, and a command can overwrite the results
    of another command only if the two differ only in the amount of play or the directory.

    Args:
        directory: Run directory, in which links are followed.
        command: Command of the run; empty to accept any earlier run.
        keeps_ledger: True if the command writes a ledger.

    Raises:
        ResultsError: If the directory contains other data or cannot be written.
    """
    place = _resolved(directory)
    with _locked(place):  # because other processes create and remove temporary files
        _require_ours(directory, place, command, keeps_ledger)
    return place


def _require_ours(
    directory: str | Path, place: Path, command: str, keeps_ledger: bool = False
) -> None:
    """Raise ResultsError unless a command can overwrite the contents of a directory."""
    if fault := _fault(place) or _foreign(place, command, keeps_ledger):
        raise ResultsError(f"{directory} {fault}.")


def _foreign(place: Path, command: str, keeps_ledger: bool) -> str:
    """Return an error if the directory contains results of another command, else ""."""
    has_ledger = (place / ledger.FILE).exists()
    if command and has_ledger and not keeps_ledger:
        return f"holds a run; {ELSEWHERE}"
    if not command or not (place / MANIFEST).exists():
        return ""
    before = str(read_manifest(place).get("command"))
    words = _question(command)
    if has_ledger:  # the rest is compared when the ledger is opened
        words = words[:2]
    is_same = _question(before)[: len(words)] == words
    return "" if is_same else f"holds the results of {quoted(before)}; {ELSEWHERE}"


def _question(command: str) -> list[str]:
    """Return the words of a command without the amount of play and the output directory."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []  # not a command that a shell accepts
    return [word for option, word in pairwise(["", *words]) if not SIZES & {option, word}]


def _fault(place: Path) -> str:
    """Return the reason why a run cannot be written to a directory, else "".

    The reason completes an error message that starts with the name of the directory.
    """
    # The root has no parents; Path.exists raises an error without permission to look
    above = next(folder for folder in (*place.parents, place) if os.path.exists(folder))
    if not above.is_dir():
        return f"cannot be written ({above} is a file); name another directory"
    is_there = os.path.exists(place)
    if is_there and not place.is_dir():
        return "is a file; name a directory for the results"
    around = (Path.cwd(), *Path.cwd().parents)
    if is_there and place in around and not (place / MANIFEST).exists():
        return "is where you are; name a directory inside it for the results"
    folder = place if is_there else above
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return f"cannot be written (no permission to write to {folder}); name another directory"
    files = sorted(_files(place))
    for path in files:
        if (place / path).is_symlink() or not (place / path).is_file():
            return f"holds {path}, which is not a plain file; {ELSEWHERE}"
    named = _files_of(place)
    for path in files:
        if not _is_ours(path) and path not in named:
            return f"holds {path}, which simgin did not write; {ELSEWHERE}"
    return ""


def _resolved(directory: str | Path) -> Path:
    """Return the absolute path of a directory, with ~ and links resolved.

    Raises:
        ResultsError: If the path is invalid or too deep.
    """
    try:
        place = Path(directory).expanduser().resolve()
    except RuntimeError as error:
        reason = str(error).rstrip(".")
        raise ResultsError(
            f"{directory} leads nowhere ({reason}); name another directory."
        ) from None
    if len(place.parts) > MOST_FOLDERS:  # mkdir creates parents recursively
        raise ResultsError(
            f"{str(directory)[:100]}... lies {len(place.parts)} folders deep, and results at most "
            f"{MOST_FOLDERS}; name another directory."
        )
    return place


def _is_ours(path: str) -> bool:
    """Return True if a file belongs to a run: a ledger, recorded deals or a temporary file.

    The files that SQLite adds to a ledger are included.
    """
    return path == DEALS or path.startswith(ledger.FILE) or Path(path).name.startswith(WRITING)


def _files_of(place: Path) -> set[str]:
    """Return the files that the manifest of an earlier run names, including the manifest.

    Raises:
        ResultsError: If the manifest is not valid.
    """
    if not (place / MANIFEST).exists():
        return set()
    return {MANIFEST, *read_manifest(place).get("files", [])}


def read_manifest(directory: str | Path) -> dict[str, Any]:
    """Return the manifest of a run directory.

    Raises:
        ResultsError: If simgin did not write a manifest there, or if it was changed afterwards.
    """
    place = Path(directory)
    path = place / MANIFEST
    try:
        contents: Any = json.loads(read_text(path)) if path.is_file() else None
        is_ours = isinstance(contents, dict) and "simgin" in contents
        is_whole = is_ours and contents.pop(SEAL, None) == _seal(contents)
    except (OSError, ValueError, RecursionError):
        is_ours = False
    if not is_ours and path.is_file() and (place / ledger.FILE).is_file():
        raise damaged(path, "it is not what simgin writes")
    if not is_ours:
        why = f"no {MANIFEST} of ours"
        if not place.is_dir():
            why = "it is a file" if place.is_file() else "it is not there"
        raise ResultsError(
            f"{directory} is not a run that simgin wrote ({why}); name another directory."
        )
    if contents.get("form") == manifest.FORM and not is_whole:
        raise damaged(path, "its digest does not fit")
    files = contents.get("files", [])
    if not isinstance(files, list) or not all(map(_is_inside, files)):
        raise damaged(path, "its files are no names of files in that directory")
    found: dict[str, Any] = contents
    return found


@contextlib.contextmanager
def readable(*places: Path) -> Iterator[None]:
    """Report any exception raised while reading run directories as a corrupt manifest."""
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            yield
    except FORGED as error:
        if type(error).__module__.startswith("simgin."):
            raise
        names = " or ".join(str(place / MANIFEST) for place in places)
        raise damaged(names, described(error)) from error


def damaged(path: Path | str, what: str) -> ResultsError:
    """Return the error for a corrupt manifest, with its cause and a suggested fix."""
    return ResultsError(
        f"{path} is damaged ({what}); run it again in another directory. With the {ledger.FILE} of "
        "this one in it, nothing is played anew."
    )


def _is_inside(name: object) -> bool:
    """Return True if a value of a manifest is the path of a file inside the directory."""
    if not isinstance(name, str) or not name.isprintable():
        return False
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _files(place: Path) -> Iterator[str]:
    """Yield every file and link in a directory and its subdirectories, not following links."""
    for folder, folders, names in os.walk(place):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in (*names, *links):
            yield Path(folder, name).relative_to(place).as_posix()


def sealed(contents: Mapping[str, Any]) -> bytes:
    """Return a manifest as JSON bytes with its checksum."""
    text = json.dumps({**contents, SEAL: _seal(contents)}, indent=2, ensure_ascii=False)
    return f"{text}\n".encode()


def _seal(contents: Mapping[str, Any]) -> str:
    """Return the checksum of a manifest without its checksum entry.

    Returns:
        32 hexadecimal digits.

    Raises:
        ValueError: If the manifest contains NaN or infinity.
    """
    return hashlib.sha256(json.dumps(contents, allow_nan=False).encode()).hexdigest()[:32]
