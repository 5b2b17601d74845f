"""The run directory: what was written, under which versions, and the command that repeats it.

The ledger lies in it from the beginning. Every other file is computed from the ledger, written
beside its place and moved into it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from simgin.runs import ledger
from simgin.text.files import WRITING, write_file

MANIFEST = "manifest.json"
DEALS = "deals.parquet"  # what `simgin.runs.parquet` writes


class ResultsError(ValueError):
    """A run directory that cannot be read or written; the message is a sentence with the remedy."""


def save(
    directory: str | Path,
    manifest: Mapping[str, Any],
    files: Mapping[str, bytes | str],
    *there: str,
) -> list[Path]:
    """Write the files of a run, then its manifest; return their paths, the manifest's first.

    files: contents by path inside the directory. there: files of this run that are in the directory
    already. Files that an earlier manifest names and this one does not are removed. Raises
    ResultsError, with every file either old or new, if the directory holds anything else or cannot
    be written.
    """
    place = Path(directory).expanduser().resolve()
    check(place)
    ours = {*files, *there}
    stale = _files_of(place) - {MANIFEST} - ours
    unfinished = {
        **manifest,
        "stopped": "while its files were being written",
        "files": sorted(stale | ours),
    }
    try:
        # First, so that a run killed here knows its own files.
        write_file(place / MANIFEST, _json(unfinished).encode())
        for name, content in files.items():
            write_file(place / name, content if isinstance(content, bytes) else content.encode())
        for name in stale:
            (place / name).unlink(missing_ok=True)
        write_file(place / MANIFEST, _json({**manifest, "files": sorted(ours)}).encode())
    except OSError as error:
        raise ResultsError(
            f"{directory} cannot be written ({error.strerror}); mend that, and the same command "
            "goes on."
        ) from error
    return [Path(directory) / name for name in (MANIFEST, *files, *there)]


def begin(directory: str | Path) -> Path:
    """Make the directory of a run, if it is not there, and return the path of its ledger.

    Raises ResultsError as `check` does.
    """
    check(directory)
    place = Path(directory).expanduser().resolve()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultsError(
            f"{directory} cannot be written ({error.strerror}); name another directory."
        ) from error
    return place / ledger.FILE


def check(directory: str | Path) -> None:
    """Raise ResultsError unless a run may be written to `directory`."""
    place = Path(directory).expanduser().resolve()
    above = next(
        folder for folder in place.parents if os.path.exists(folder)
    )  # Path.exists raises where it may not look
    if not above.is_dir():
        raise ResultsError(
            f"{directory} cannot be written ({above} is a file); name another directory."
        )
    if not os.path.exists(place):
        _permit(directory, above)
        return
    if not place.is_dir():
        raise ResultsError(f"{directory} is a file; name a directory for the results.")
    if not (place / MANIFEST).exists() and (place == Path.cwd() or place in Path.cwd().parents):
        raise ResultsError(
            f"{directory} is where you are; name a directory inside it for the results."
        )
    _permit(directory, place)
    strangers = sorted(
        path for path in _files(place) if not _is_ours(path) and path not in _files_of(place)
    )
    if strangers:
        raise ResultsError(
            f"{directory} holds {strangers[0]}, which simgin did not write; move it away or name "
            "another directory."
        )


def _is_ours(path: str) -> bool:
    """Whether a file is of a run: its ledger with what SQLite puts beside it, its deals.

    Or a file that was being written when a run was killed.
    """
    return path == DEALS or path.startswith(ledger.FILE) or Path(path).name.startswith(WRITING)


def _files_of(place: Path) -> set[str]:
    """The files that the manifest of an earlier run names, itself included.

    Raises ResultsError for a manifest of another program.
    """
    return (
        {MANIFEST, *read_manifest(place).get("files", [])} if (place / MANIFEST).exists() else set()
    )


def _permit(directory: str | Path, folder: Path) -> None:
    """Raise ResultsError unless files in a folder may be listed, made and removed."""
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise ResultsError(
            f"{directory} cannot be written (no permission to write to {folder}); name another "
            "directory."
        )


def read_manifest(directory: str | Path) -> dict[str, Any]:
    """The manifest of a run directory. Raises ResultsError if simgin did not write one there."""
    path = Path(directory) / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        manifest = None
    if not isinstance(manifest, dict) or "simgin" not in manifest:
        raise ResultsError(
            f"{directory} is not a run that simgin wrote (no {MANIFEST} of ours); name another "
            "directory."
        )
    return manifest


def _files(place: Path) -> Iterator[str]:
    return (path.relative_to(place).as_posix() for path in place.rglob("*") if not path.is_dir())


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
