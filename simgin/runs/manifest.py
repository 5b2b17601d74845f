"""Manifest of a run: what was played, with which files and versions, and for how long.

The identity is the part of the manifest that cannot change when a run is continued or extended.
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

FORM = 3  # version of the format, incremented at every incompatible change
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
    """Return the identity of a run: everything that determines its results except its size.

    Args:
        matchups: Matchups in table order.
        **plan: Question, hypothesis and description of the stopping rule, None if there is none.
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
    """Return the matchup keys of an identity or a manifest, in table order."""
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
    """Return the manifest: everything that is needed to repeat a run and to assess it.

    Times are in UTC with a resolution of one second. The manifest does not affect table.csv.

    Args:
        identity: Identity of the run.
        ends: Number of units played and reason for stopping, per matchup.
        workers: Number of workers.
        started: Start time.
        command: Command that repeats the run.
        **more: Additional entries, copied as they are.
    """
    ended = max(started, datetime.now(UTC))  # the clock might have been set back
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
    """Return the digest of a strategy's files, its ending, policies and parameter values."""
    return {
        "digest": loader.source_digest(strategy),
        "ending": strategy.ending,
        "policies": dict(loader.policy_texts(strategy)),
        "parameters": loader.parameter_values(strategy),
    }


def versions() -> dict[str, str]:
    """Return the versions of the software that can affect numerical results."""
    import numba
    import numpy

    return {
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "libc": " ".join(platform.libc_ver()).strip() or "unknown",
    }


def machine() -> dict[str, Any]:
    """Return the system and CPU, without the name of the host or the user."""
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
    """Return the digest of all source and data files of simgin and its strategies.

    Returns:
        16 hexadecimal digits.
    """
    return _digest("")


@functools.cache
def engine_digest() -> str:
    """Return the digest of the source files that affect how deals are played.

    Strategies are not included because each has its own digest.

    Returns:
        16 hexadecimal digits.
    """
    return _digest(*ENGINE)


def _digest(*beginnings: str) -> str:
    """Return the digest of the source files whose names start with one of the prefixes."""
    digest = hashlib.sha256()
    for name, path in sorted(_sources()):
        if name.startswith(beginnings):
            digest.update(name.encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _sources() -> Iterator[tuple[str, Path]]:
    """Yield name and path of every source or data file that can affect results.

    The names are the same in a source tree and in an installed package.
    """
    strategies = Path(simgin_strategies.__path__[0])
    for folder, package in ((PACKAGE, "simgin"), (strategies, "strategies")):
        for path in folder.rglob("*"):
            if path.suffix in SOURCE_ENDINGS:
                yield f"{package}/{path.relative_to(folder).as_posix()}", path
