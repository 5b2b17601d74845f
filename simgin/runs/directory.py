"""The run directory: what was written, under which versions, and the command that repeats it.

The ledger lies in it from the beginning. Every other file is computed from the ledger, written
beside its place and moved into it. A directory may come from anybody: nothing in it is executed,
and nothing outside of it is written or removed (docs/explanation/threat-model.md).
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
DEALS = "deals.parquet"  # what `simgin.runs.parquet` writes
# What a manifest or a ledger of other types than ours raises wherever it is read
FORGED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError)
MOST_FOLDERS = 300  # that a run directory may lie in
ELSEWHERE = "move it away or name another directory"
SIZES = {"--deals", "--worlds", "--for", "--run", "-o"}  # options that change no question
SEAL = "seal"  # key of the manifest with the digest of all others


class ResultsError(ValueError):
    """A run directory that cannot be read or written; the message is a sentence with the remedy."""


def save(
    directory: str | Path,
    contents: Mapping[str, Any],
    files: Mapping[str, bytes | str],
    *there: str,
    question: str = "",
) -> list[Path]:
    """Write the files of a run, then its manifest; return their paths, the manifest's first.

    contents: of the manifest. files: contents by path inside the directory. there: files of this
    run that are in the directory already. question: the command of `check`, asked again because
    another process may have written here since. Files that an earlier manifest names and this one
    does not are removed. Raises ResultsError, with every file either old or new, if the directory
    holds anything else or cannot be written.
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
    """Write files and manifest over those of an earlier run. ours: all that belong to this one."""
    stale = _files_of(place) - {MANIFEST} - ours
    left_over = {name for name in _files(place) if Path(name).name.startswith(WRITING)}
    unfinished = {
        **contents,
        "stopped": "while its files were being written",
        "files": sorted(stale | ours),
    }
    try:
        # First, so that a run killed here knows its own files.
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
    """Let one process at a time write the files of a directory; the others wait.

    A killed process leaves no lock. What is no directory, or lies on a file system without locks,
    is not locked.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            folder = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, folder)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield


def begin(directory: str | Path, command: str = "") -> Path:
    """Make the directory of a run, if it is not there, and return the path of its ledger.

    Raises ResultsError as `check` does.
    """
    return _made(directory, check(directory, command, keeps_ledger=True)) / ledger.FILE


def _made(directory: str | Path, place: Path) -> Path:
    """The absolute path of a directory, made if it is not there."""
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError(
            f"{directory} cannot be written ({error.strerror}); name another directory."
        ) from error
    return place


def check(directory: str | Path, command: str = "", *, keeps_ledger: bool = False) -> Path:
    """The absolute path of a directory that a run may be written to, links followed.

    Raises ResultsError for any other: nothing there but an earlier run may be written over, and by
    a command only one of the same question. keeps_ledger: so does the command.
    """
    place = _resolved(directory)
    with _locked(place):  # files that are being written come and go
        _require_ours(directory, place, command, keeps_ledger)
    return place


def _require_ours(
    directory: str | Path, place: Path, command: str, keeps_ledger: bool = False
) -> None:
    """Raise ResultsError unless a command may write over what is in a directory."""
    if fault := _fault(place) or _foreign(place, command, keeps_ledger):
        raise ResultsError(f"{directory} {fault}.")


def _foreign(place: Path, command: str, keeps_ledger: bool) -> str:
    """What another command has written here, as the end of a sentence; empty if there is none."""
    has_ledger = (place / ledger.FILE).exists()
    if command and has_ledger and not keeps_ledger:
        return f"holds a run; {ELSEWHERE}"
    if not command or not (place / MANIFEST).exists():
        return ""
    before = str(read_manifest(place).get("command"))
    words = _question(command)
    if has_ledger:  # whoever opens it compares the rest
        words = words[:2]
    is_same = _question(before)[: len(words)] == words
    return "" if is_same else f"holds the results of {quoted(before)}; {ELSEWHERE}"


def _question(command: str) -> list[str]:
    """What a command asks, in words: not how much of it, nor where its results go."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []  # nobody could type it
    return [word for option, word in pairwise(["", *words]) if not SIZES & {option, word}]


def _fault(place: Path) -> str:
    """What keeps a run from being written here, as the end of a sentence; empty if nothing does."""
    # The root has no parents; Path.exists raises where it may not look
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
    """The absolute path of a directory, ~ and links followed; ResultsError if there is none."""
    try:
        place = Path(directory).expanduser().resolve()
    except RuntimeError as error:
        reason = str(error).rstrip(".")
        raise ResultsError(
            f"{directory} leads nowhere ({reason}); name another directory."
        ) from None
    if len(place.parts) > MOST_FOLDERS:  # each is made by a call inside another
        raise ResultsError(
            f"{str(directory)[:100]}... lies {len(place.parts)} folders deep, and results at most "
            f"{MOST_FOLDERS}; name another directory."
        )
    return place


def _is_ours(path: str) -> bool:
    """Whether a file is of a run: its ledger with what SQLite puts beside it, its deals.

    Or a file that was being written when a run was killed.
    """
    return path == DEALS or path.startswith(ledger.FILE) or Path(path).name.startswith(WRITING)


def _files_of(place: Path) -> set[str]:
    """The files that the manifest of an earlier run names, itself included.

    Raises ResultsError for a manifest of another program.
    """
    if not (place / MANIFEST).exists():
        return set()
    return {MANIFEST, *read_manifest(place).get("files", [])}


def read_manifest(directory: str | Path) -> dict[str, Any]:
    """The manifest of a run directory, as it was saved.

    Raises ResultsError if simgin did not write one there, or if it was changed since.
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
    """Tell of whatever goes wrong where directories are read: all of it may be anybody's."""
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            yield
    except FORGED as error:
        if type(error).__module__.startswith("simgin."):
            raise
        names = " or ".join(str(place / MANIFEST) for place in places)
        raise damaged(names, described(error)) from error


def damaged(path: Path | str, what: str) -> ResultsError:
    """The error for a manifest that is not as simgin writes it: what is wrong, and the remedy."""
    return ResultsError(
        f"{path} is damaged ({what}); run it again in another directory. With the {ledger.FILE} of "
        "this one in it, nothing is played anew."
    )


def _is_inside(name: object) -> bool:
    """Whether a value of a manifest is the path of a file inside the directory."""
    if not isinstance(name, str) or not name.isprintable():
        return False
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def _files(place: Path) -> Iterator[str]:
    """Every file and link below a directory; links are not followed."""
    for folder, folders, names in os.walk(place):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in (*names, *links):
            yield Path(folder, name).relative_to(place).as_posix()


def sealed(contents: Mapping[str, Any]) -> bytes:
    """A manifest as bytes, with its digest."""
    text = json.dumps({**contents, SEAL: _seal(contents)}, indent=2, ensure_ascii=False)
    return f"{text}\n".encode()


def _seal(contents: Mapping[str, Any]) -> str:
    """The digest of a manifest without its seal, 32 hexadecimal digits; ValueError for NaN."""
    return hashlib.sha256(json.dumps(contents, allow_nan=False).encode()).hexdigest()[:32]
