"""The run directory: what was written, under which versions, and the command that repeats it.

The ledger lies in it from the beginning; every other file is computed from the ledger, written beside its place and moved into it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import simgin_strategies

import simgin
from simgin.play.matchup import Matchup
from simgin.runs import ledger
from simgin.strategy import Strategy, loader
from simgin.text.files import WRITING, write_file

MANIFEST = "manifest.json"
DEALS = "deals.parquet"  # what `simgin.runs.parquet` writes
FORM = 2  # of the manifest; raised whenever a reader would have to look elsewhere
PACKAGE = Path(__file__).resolve().parent.parent
ENGINE = (
    "simgin/core/",
    "simgin/toolkit/",
    "simgin/strategy/compiler.py",
    "simgin/strategy/interpret.py",
    "simgin/rules/record.py",
    "simgin/play/matchup.py",
)
SOURCE_ENDINGS = (".py", ".toml", ".npy", ".j2")


class ResultsError(ValueError):
    """A run directory that cannot be read or written; the message is a sentence with the remedy."""


class End(Protocol):
    """How far a cell was played, for the manifest: `simgin.runs.runner.Played`, `simgin.findings.record.Entry`."""

    @property
    def n(self) -> int:
        """Deals or matches that count."""

    @property
    def units(self) -> int:
        """The same in units."""

    @property
    def stopped(self) -> str:
        """How it came to end there."""

    @property
    def multiplier(self) -> float | None:
        """Half-width of its intervals in standard errors where a rule looked at results."""


def save(
    directory: str | Path,
    manifest: Mapping[str, Any],
    files: Mapping[str, bytes | str],
    *there: str,
) -> list[Path]:
    """Write what came of a run: `files` by their path inside the directory, then the manifest. Returns the paths, manifest first.

    there: files of this run that are in the directory already. Each other file is written beside its place and moved into it. Files of
    an earlier manifest that are not of this one are removed. Raises ResultsError, with every file either old or new, if the directory
    holds anything else or cannot be written.
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
            f"{directory} cannot be written ({error.strerror}); mend that, and the same command goes on."
        ) from error
    return [Path(directory) / name for name in (MANIFEST, *files, *there)]


def begin(directory: str | Path) -> Path:
    """Make the directory of a run, if it is not there, and return the place of its ledger. Raises ResultsError as `check` does."""
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
    """Raise ResultsError unless a run may be written to `directory`: to be asked before a long run, too."""
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
            f"{directory} holds {strangers[0]}, which simgin did not write; move it away or name another directory."
        )


def _is_ours(path: str) -> bool:
    """Whether a file is the ledger with what SQLite puts beside it, the deals, or was being written when a run was killed."""
    return path == DEALS or path.startswith(ledger.FILE) or Path(path).name.startswith(WRITING)


def _files_of(place: Path) -> set[str]:
    """The files that the manifest of an earlier run names, itself included; raises ResultsError for somebody else's manifest."""
    return (
        {MANIFEST, *read_manifest(place).get("files", [])} if (place / MANIFEST).exists() else set()
    )


def _permit(directory: str | Path, folder: Path) -> None:
    """Raise ResultsError unless files in a folder may be listed, made and removed."""
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise ResultsError(
            f"{directory} cannot be written (no permission to write to {folder}); name another directory."
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
            f"{directory} is not a run that simgin wrote (no {MANIFEST} of ours); name another directory."
        )
    return manifest


def identity(matchups: Sequence[Matchup], **asked: str | None) -> dict[str, Any]:
    """What may not change while a run is gone on with or extended: everything but its size.

    asked: question, hypothesis and stopping rule, if there are any.
    """
    from simgin.core import rng

    first = matchups[0]
    return {
        **asked,
        "stream": rng.STREAM,
        "engine": engine_digest(),
        "seed": first.seed,
        "unit": first.unit,
        "matchups": [{"variant": m.variant.text, "a": m.a.text, "b": m.opponent} for m in matchups],
        "variants": {m.variant.text: dict(m.variant.row) for m in matchups},
        "strategies": {s.text: strategy(s) for m in matchups for s in m.players},
    }


def manifest(
    identity: Mapping[str, Any],
    played: Sequence[End],
    *,
    workers: int,
    started: datetime,
    command: str,
    **found: Any,
) -> dict[str, Any]:
    """What is needed to repeat and to judge a run: what was played and how far, by what, when, and what was `found` about its health.

    `command` repeats it. Times are UTC to the second. Nothing here enters table.csv.
    """
    ended = datetime.now(UTC)
    ends = [
        {"n": one.n, "units": one.units, "stopped": one.stopped, "multiplier": one.multiplier}
        for one in played
    ]
    cells = [{**names, **end} for names, end in zip(identity["matchups"], ends, strict=True)]
    return {
        "simgin": simgin.__version__,
        "form": FORM,
        "source": source_digest(),
        **identity,
        "command": command,
        "matchups": cells,
        "workers": workers,
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "ended": ended.isoformat(timespec="seconds"),
        "seconds": round((ended - started).total_seconds(), 3),
        **found,
        "versions": versions(),
        "machine": machine(),
    }


def versions() -> dict[str, str]:
    """The versions that numbers could depend on."""
    import numba
    import numpy

    return {
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "libc": " ".join(platform.libc_ver()).strip() or "unknown",
    }


def machine() -> dict[str, Any]:
    """What the run ran on, without the name of the host or the user."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "cpu": _cpu(),
        "cpus": os.cpu_count(),
    }


@functools.cache
def source_digest() -> str:
    """Digest of every source and data file of simgin and its strategies, 16 hexadecimal digits."""
    return _digest(lambda name: True)


@functools.cache
def engine_digest() -> str:
    """Digest of the sources that a deal goes through, 16 hexadecimal digits; the strategies have digests of their own."""
    return _digest(lambda name: name.startswith(ENGINE))


def _digest(wanted: Callable[[str], bool]) -> str:
    digest = hashlib.sha256()
    for name, path in sorted(_sources()):
        if wanted(name):
            digest.update(name.encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _sources() -> Iterator[tuple[str, Path]]:
    """Name and place of every file that could move a number, named alike in a source tree and in an installed package."""
    for folder, name in ((PACKAGE, "simgin"), (Path(simgin_strategies.__path__[0]), "strategies")):
        for path in folder.rglob("*"):
            if path.suffix in SOURCE_ENDINGS:
                yield f"{name}/{path.relative_to(folder).as_posix()}", path


def strategy(strategy: Strategy) -> dict[str, Any]:
    """A strategy's files by digest, its policies with every value, and the same values as numbers."""
    return {
        "digest": loader.digest(strategy),
        "ending": strategy.ending,
        "policies": dict(loader.described(strategy)),
        "parameters": loader.parameters(strategy),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _files(place: Path) -> Iterator[str]:
    return (path.relative_to(place).as_posix() for path in place.rglob("*") if not path.is_dir())


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
