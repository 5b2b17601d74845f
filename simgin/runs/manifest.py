"""The manifest of a run: what was played, by which files and versions, and how far.

The identity is the part of it that may not change when a run is continued or extended.
"""

import functools
import hashlib
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import simgin_strategies

import simgin
from simgin.core import rng
from simgin.core.cell import Cell
from simgin.play.matchup import Matchup
from simgin.runs.stopping import End
from simgin.strategy import Strategy, loader

FORM = 3  # raised whenever a reader would have to look elsewhere
PACKAGE = Path(__file__).resolve().parent.parent
ENGINE = (
    "simgin/core/",
    "simgin/toolkit/",
    "simgin/strategy/compiler.py",
    "simgin/strategy/interpret.py",
    "simgin/strategy/live.py",
    "simgin/rules/build.py",
    "simgin/play/kernel.py",
)
SOURCE_ENDINGS = (".py", ".toml", ".sql", ".npy", ".j2")


def run_identity(matchups: Sequence[Matchup], **plan: str | None) -> dict[str, Any]:
    """What may not change when a run is continued or extended: everything but its size.

    plan: question, hypothesis and stopping rule, if there are any.
    """
    cells = [matchup.cell for matchup in matchups]
    return {
        **plan,
        "stream": rng.STREAM,
        "engine": engine_digest(),
        "seed": cells[0].seed,
        "unit": cells[0].unit,
        "matchups": [{"variant": cell.variant, "a": cell.a, "b": cell.b} for cell in cells],
        "variants": {m.variant.text: dict(m.variant.row) for m in matchups},
        "strategies": {s.text: describe_strategy(s) for m in matchups for s in m.players},
    }


def run_cells(identity: Mapping[str, Any]) -> tuple[Cell, ...]:
    """The cells that an identity, or a manifest, names, in the order of tables."""
    seed, unit = int(identity["seed"]), identity["unit"]
    return tuple(
        Cell(names["variant"], names["a"], names["b"], seed, unit) for names in identity["matchups"]
    )


def run_manifest(
    identity: Mapping[str, Any],
    ends: Sequence[End],
    *,
    workers: int,
    started: datetime,
    command: str,
    **more: Any,
) -> dict[str, Any]:
    """What is needed to repeat a run and to judge it.

    `ends` has one entry for every cell; `command` repeats the run; `more` is kept as it is. Times
    are UTC to the second. Nothing here enters table.csv.
    """
    ended = max(started, datetime.now(UTC))  # a clock may be set back
    matchups = []
    for cell, end in zip(run_cells(identity), ends, strict=True):
        names = {"variant": cell.variant, "a": cell.a, "b": cell.b}
        matchups.append({**names, "n": cell.results(end.units), **vars(end)})
    return {
        "simgin": simgin.__version__,
        "form": FORM,
        "source": source_digest(),
        **identity,
        "command": command,
        "matchups": matchups,
        "workers": workers,
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "ended": ended.isoformat(timespec="seconds"),
        "seconds": round((ended - started).total_seconds(), 3),
        **more,
        "versions": versions(),
        "machine": machine(),
    }


def describe_strategy(strategy: Strategy) -> dict[str, Any]:
    """A strategy: the digest of its files, its policies in words, and their values as numbers."""
    return {
        "digest": loader.source_digest(strategy),
        "ending": strategy.ending,
        "policies": dict(loader.policy_texts(strategy)),
        "parameters": loader.parameter_values(strategy),
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
    """The machine, without the name of the host or the user."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "cpu": _cpu(),
        "cpus": os.cpu_count(),
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


@functools.cache
def source_digest() -> str:
    """Digest of every source and data file of simgin and its strategies, 16 hexadecimal digits."""
    return _digest("")


@functools.cache
def engine_digest() -> str:
    """Digest of the sources that a deal goes through, 16 hexadecimal digits.

    The strategies have digests of their own.
    """
    return _digest(*ENGINE)


def _digest(*beginnings: str) -> str:
    """Digest of the sources whose names begin like this."""
    digest = hashlib.sha256()
    for name, path in sorted(_sources()):
        if name.startswith(beginnings):
            digest.update(name.encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _sources() -> Iterator[tuple[str, Path]]:
    """Name and place of every file that could move a number.

    The names are the same in a source tree and in an installed package.
    """
    strategies = Path(simgin_strategies.__path__[0])
    for folder, package in ((PACKAGE, "simgin"), (strategies, "strategies")):
        for path in folder.rglob("*"):
            if path.suffix in SOURCE_ENDINGS:
                yield f"{package}/{path.relative_to(folder).as_posix()}", path
