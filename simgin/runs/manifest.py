"""Manifest of a run: its matchups, files, versions and times.

The identity is the part of the manifest that remains unchanged if a run is continued or extended.
"""

import functools
import hashlib
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import simgin_strategies

import simgin
from simgin.core import rng
from simgin.core.matchup_key import MatchupKey
from simgin.play.matchup import Matchup
from simgin.runs.stopping import StopResult
from simgin.strategy import Strategy, loader

MANIFEST_FORMAT = 3  # version of the format, which is incremented with every incompatible change
PACKAGE_PATH = Path(__file__).resolve().parent.parent
ENGINE_SOURCES = (
    "core",
    "toolkit",
    "strategy/compiler.py",
    "strategy/python_tier.py",
    "strategy/by_value.py",
    "rules/build.py",
    "play/kernel.py",
)
SOURCE_SUFFIXES = (".py", ".toml", ".sql", ".npy", ".j2")


def build_identity(matchups: Sequence[Matchup], **plan: str | None) -> dict[str, Any]:
    """Return the identity of a run, which determines its results at a given size.

    Args:
        matchups: Matchups in table order.
        **plan: Question, hypothesis and description of the stopping rule. Each value can be None.
    """
    keys = [matchup.key for matchup in matchups]
    strategies = {player.spec: player for matchup in matchups for player in matchup.players}
    return {
        **plan,
        "stream": rng.STREAM_VERSION,
        "engine": compute_engine_digest(),
        "seed": keys[0].seed,
        "unit": keys[0].unit,
        "matchups": [{"variant": key.variant, "a": key.a, "b": key.b} for key in keys],
        "variants": {m.variant.spec: dict(m.variant.params) for m in matchups},
        "strategies": {spec: describe_strategy(player) for spec, player in strategies.items()},
    }


def parse_matchup_keys(identity: Mapping[str, Any]) -> tuple[MatchupKey, ...]:
    """Return the matchup keys in an identity or a manifest, in table order."""
    seed, unit = int(identity["seed"]), identity["unit"]
    return tuple(
        MatchupKey(names["variant"], names["a"], names["b"], seed, unit)
        for names in identity["matchups"]
    )


def build_manifest(
    identity: Mapping[str, Any],
    results: Sequence[StopResult],
    *,
    workers: int,
    started: datetime,
    command: str,
    **additional_entries: Any,
) -> dict[str, Any]:
    """Return the manifest of a run, with all information needed to repeat and assess it.

    Times are in UTC and are rounded to whole seconds. The manifest does not affect table.csv.

    Args:
        identity: Identity of the run.
        results: Number of units played and reason for stopping, for each matchup.
        workers: Number of workers.
        started: Start time.
        command: Command that repeats the run.
        **additional_entries: Additional entries, which are copied unchanged.
    """
    end_time = max(started, datetime.now(UTC))  # The system clock can be set back during the run.
    matchups = []
    for key, stop_result in zip(parse_matchup_keys(identity), results, strict=True):
        names = {"variant": key.variant, "a": key.a, "b": key.b}
        sizes = {"n": key.count_games(stop_result.units), "units": stop_result.units}
        stopping = {"stopped": stop_result.reason, "multiplier": stop_result.interval_multiplier}
        matchups.append({**names, **sizes, **stopping})
    return {
        "simgin": simgin.__version__,
        "form": MANIFEST_FORMAT,
        "source": compute_package_digest(),
        **identity,
        "command": command,
        "matchups": matchups,
        "workers": workers,
        "started": started.astimezone(UTC).isoformat(timespec="seconds"),
        "ended": end_time.isoformat(timespec="seconds"),
        "seconds": round((end_time - started).total_seconds(), 3),
        **additional_entries,
        "versions": collect_versions(),
        "machine": describe_machine(),
    }


def describe_strategy(strategy: Strategy) -> dict[str, Any]:
    """Return the digest, the ending order, the policies and the parameters of a strategy."""
    return {
        "digest": loader.compute_strategy_digest(strategy),
        "ending": strategy.ending,
        "policies": dict(loader.format_policies(strategy)),
        "parameters": loader.collect_parameter_values(strategy),
    }


def collect_versions() -> dict[str, str]:
    """Return the versions of the software that can affect numerical results."""
    import numba
    import numpy

    return {
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "libc": " ".join(platform.libc_ver()).strip() or "unknown",
    }


def describe_machine() -> dict[str, Any]:
    """Return the operating system and the CPU, without host or user names."""
    return {
        "system": platform.system(),
        "release": platform.release(),
        "cpu": _read_cpu_model(),
        "cpus": os.cpu_count(),
    }


def _read_cpu_model() -> str:
    """Return the model name of the CPU."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


@functools.cache
def compute_package_digest() -> str:
    """Return a digest of all source and data files of simgin and its strategies.

    Returns:
        16 hexadecimal digits.
    """
    strategies = Path(simgin_strategies.__path__[0])
    return _compute_digest_of_sources({"simgin": PACKAGE_PATH, "strategies": strategies})


@functools.cache
def compute_engine_digest() -> str:
    """Return a digest of the source files that determine the play of deals.

    Strategies are excluded because each strategy has a separate digest.

    Returns:
        16 hexadecimal digits.
    """
    return _compute_digest_of_sources(
        {f"simgin/{name}": PACKAGE_PATH / name for name in ENGINE_SOURCES}
    )


def _compute_digest_of_sources(paths: Mapping[str, Path]) -> str:
    """Return a digest of source files and of all source files in folders.

    Args:
        paths: Files and folders by name. The names are the same in a source tree and in an
            installed package.
    """
    files = {}
    for name, path in paths.items():
        for file in (path, *path.rglob("*")):
            if file.suffix in SOURCE_SUFFIXES:
                files[(Path(name) / file.relative_to(path)).as_posix()] = file
    digest = hashlib.sha256()
    for name, file in sorted(files.items()):
        digest.update(name.encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]
