"""The run directory: what was written, under which versions, and the command that repeats it.

A directory is built beside its place and moved into it whole, so a failure leaves either the earlier one or nothing.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import simgin_strategies

import simgin
from simgin import loader
from simgin.matchup import Matchup
from simgin.strategy import Strategy

MANIFEST = "manifest.json"
FORM = 1  # of the manifest; raised whenever a reader would have to look elsewhere
PACKAGE = Path(__file__).resolve().parent
SOURCE_ENDINGS = (".py", ".toml", ".npy", ".j2")


class ResultsError(ValueError):
    """A run directory that cannot be read or written; the message is a sentence with the remedy."""


def save(directory: str | Path, manifest: Mapping[str, Any], files: Mapping[str, bytes | str]) -> list[Path]:
    """Write a finished run: `files` by their path inside the directory, and the manifest. Returns the paths, manifest first.

    An earlier run that simgin wrote there is replaced. Raises ResultsError, having changed nothing, if the directory holds
    anything else or cannot be written.
    """
    place = Path(directory).expanduser().resolve()
    check(place)
    contents = {MANIFEST: _json({**manifest, "files": sorted(files)}), **files}
    try:
        with _beside(place) as building:
            for name, content in contents.items():
                target = building / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content if isinstance(content, bytes) else content.encode())
            _move(building, place)
    except OSError as error:
        raise ResultsError(f"{directory} cannot be written ({error.strerror}); name another directory.") from error
    return [Path(directory) / name for name in contents]


def check(directory: str | Path) -> None:
    """Raise ResultsError unless a run may be written to `directory`: to be asked before a long run, too."""
    place = Path(directory).expanduser().resolve()
    above = next(folder for folder in place.parents if os.path.exists(folder))  # Path.exists raises where it may not look
    if not above.is_dir():
        raise ResultsError(f"{directory} cannot be written ({above} is a file); name another directory.")
    _permit(directory, above)
    if not os.path.exists(place):
        return
    if not place.is_dir():
        raise ResultsError(f"{directory} is a file; name a directory for the results.")
    if place == Path.cwd() or place in Path.cwd().parents:
        raise ResultsError(f"{directory} is where you are; name a directory inside it for the results.")
    _permit(directory, place)
    if not any(place.iterdir()):
        return
    ours = {MANIFEST, *read_manifest(place).get("files", [])}
    strangers = sorted(path for path in _files(place) if path not in ours)
    if strangers:
        raise ResultsError(f"{directory} holds {strangers[0]}, which simgin did not write; move it away or name another directory.")


def _permit(directory: str | Path, folder: Path) -> None:
    """Raise ResultsError unless files in a folder may be listed, made and removed."""
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise ResultsError(f"{directory} cannot be written (no permission to write to {folder}); name another directory.")


def read_manifest(directory: str | Path) -> dict[str, Any]:
    """The manifest of a run directory. Raises ResultsError if simgin did not write one there."""
    path = Path(directory) / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        manifest = None
    if not isinstance(manifest, dict) or "simgin" not in manifest:
        raise ResultsError(f"{directory} is not a run that simgin wrote (no {MANIFEST} of ours); name another directory.")
    return manifest


def manifest(
    matchups: Sequence[Matchup],
    *,
    n: int,
    workers: int,
    started: datetime,
    command: str,
    stopped: str = "complete",
    question: str | None = None,
) -> dict[str, Any]:
    """What is needed to repeat and to judge a run: `n` deals or matches of every matchup, all with one seed and unit.

    `stopped` says how it ended, `command` repeats it. Times are UTC to the second. Nothing here enters table.csv.
    """
    from simgin.core import rng

    first = matchups[0]
    ended = datetime.now(UTC)
    return {
        "simgin": simgin.__version__,
        "form": FORM,
        "source": source_digest(),
        "stream": rng.STREAM,
        "question": question,
        "command": command,
        "seed": first.seed,
        "unit": first.unit,
        "n": n,
        "matchups": [{"variant": m.variant.text, "a": m.a.text, "b": m.opponent, "units": m.units(n)} for m in matchups],
        "variants": {m.variant.text: dict(m.variant.row) for m in matchups},
        "strategies": {s.text: _strategy(s) for m in matchups for s in m.players},
        "workers": workers,
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "ended": ended.isoformat(timespec="seconds"),
        "seconds": round((ended - started).total_seconds(), 3),
        "stopped": stopped,
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
    return {"system": platform.system(), "release": platform.release(), "cpu": _cpu(), "cpus": os.cpu_count()}


@functools.cache
def source_digest() -> str:
    """Digest of every source and data file of simgin and its strategies, 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for name, path in sorted(_sources()):
        digest.update(name.encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _sources() -> Iterator[tuple[str, Path]]:
    """Name and place of every file that could move a number, named alike in a source tree and in an installed package."""
    for folder, name in ((PACKAGE, "simgin"), (Path(simgin_strategies.__path__[0]), "strategies")):
        for path in folder.rglob("*"):
            if path.suffix in SOURCE_ENDINGS:
                yield f"{name}/{path.relative_to(folder).as_posix()}", path


def _strategy(strategy: Strategy) -> dict[str, Any]:
    """A strategy's files by digest, its policies with every value, and the same values as numbers."""
    return {
        "digest": loader.digest(strategy),
        "policies": {slot: policy for slot, policy in loader.described(strategy)},
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


@contextmanager
def _beside(place: Path) -> Iterator[Path]:
    """A temporary directory in the same folder, and so on the same disk; gone afterwards unless it was moved."""
    place.parent.mkdir(parents=True, exist_ok=True)
    building = _sibling(place, "new")
    building.mkdir()
    try:
        yield building
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _move(building: Path, place: Path) -> None:
    """Put `building` where `place` is. The earlier run steps aside first and returns if that fails."""
    if not place.exists():
        building.rename(place)
        return
    aside = _sibling(place, "old")
    os.replace(place, aside)
    try:
        building.rename(place)
    except OSError:
        os.replace(aside, place)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def _sibling(place: Path, role: str) -> Path:
    """A free name beside `place`."""
    return place.with_name(f".{place.name}.{role}.{secrets.token_hex(4)}")
