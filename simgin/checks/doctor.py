"""Tests of the installation: environment, cache and computations with known results."""

import os
import platform
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

import simgin
from simgin.core import jit, rng, sums
from simgin.core.deadwood import deadwood
from simgin.play import parallel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.runs import runner
from simgin.strategy import loader
from simgin.strategy.text_form import StrategyError
from simgin.text import notation

NUMBA = "0.68"  # the minor version that pyproject.toml pins
LIBRARIES = "numpy numba llvmlite pandas matplotlib scipy click pydantic rich jinja2".split()
MEBIBYTE, GIBIBYTE = 2**20, 2**30
BROKEN = (
    "Install simgin anew in an environment of its own; if that does not help, please report it "
    "with the output of `simgin doctor --json`."
)

KNOWN = tomllib.loads(Path(__file__).with_name("known_answers.toml").read_text(encoding="utf-8"))
PHILOX, HANDS, DEALS, SUMS = (KNOWN[name] for name in ("philox", "hands", "deals", "sums"))


@dataclass(frozen=True)
class Finding:
    """Result of one check; `problem` is empty if it passed, and otherwise suggests a fix."""

    check: str
    details: str
    fault: str = ""


Check = Callable[[], Finding]


def examine() -> Iterator[Finding]:
    """Run all checks and yield their results.

    The cache is checked before compiled code is loaded from it.
    """
    for name, check in CHECKS.items():
        try:
            yield check()
        except Exception as error:  # a failure must not prevent the other checks
            kind = type(error)
            said = f"{name}: {kind.__name__}: {error}. {BROKEN}"
            if kind.__module__.startswith("simgin."):  # such errors already suggest a fix
                said = str(error)
            yield Finding(name, "failed", said)


def rows(findings: list[Finding]) -> list[dict[str, str | bool]]:
    """Return one object per check for --json."""
    return [
        {"check": one.check, "well": not one.fault, "found": one.details, "fault": one.fault}
        for one in findings
    ]


# Environment


def versions() -> Finding:
    """Return the versions of simgin, its random stream and Python."""
    python = platform.python_version()
    return Finding("simgin", f"{simgin.__version__}, stream {rng.STREAM}, Python {python}")


def libraries() -> Finding:
    """Check the versions of the required libraries.

    The minor version of numba is pinned because its calls through function types are experimental.
    """
    installed = {name: _version(name) for name in LIBRARIES}
    missing = [name for name, version in installed.items() if version is None]
    parts = [f"{name} {version or 'missing'}" for name, version in installed.items()]
    details = ", ".join(parts)
    fault = ""
    if missing:
        names = ", ".join(missing)
        fault = f"{names} cannot be found: run `pip install --force-reinstall simgin`."
    elif not str(installed["numba"]).startswith(f"{NUMBA}."):
        fault = (
            f"numba {installed['numba']} is not {NUMBA}, the only one that this simgin is tested "
            f"with: run `pip install 'numba=={NUMBA}.*'`."
        )
    return Finding("libraries", details, fault)


def extras() -> Finding:
    """Report the optional dependencies, with the command that installs missing ones."""
    try:
        requirements = metadata.requires("simgin") or []
    except metadata.PackageNotFoundError:
        return Finding("extras", "unknown: simgin runs from its source and is not installed")
    missing: dict[str, list[str]] = {}
    for line in requirements:  # like `pytest>=8; extra == "test"`
        if match := re.match(r"""([\w.-]+).*extra == ["']([\w-]+)["']""", line):
            packages = missing.setdefault(match[2], [])
            if _version(match[1]) is None:
                packages.append(match[1])
    complete = ", ".join(extra for extra, packages in missing.items() if not packages)
    lacking = {extra: packages for extra, packages in missing.items() if packages}
    parts = [f"complete: {complete}"] if complete else []
    if lacking:
        names = ", ".join(sorted({name for packages in lacking.values() for name in packages}))
        parts.append(f"missing {names}: pip install 'simgin[{','.join(lacking)}]'")
    return Finding("extras", "; ".join(parts) or "none")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def machine() -> Finding:
    """Report CPU cores and memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIBIBYTE
    system = f"{platform.system()} {platform.machine()}"
    cpus = parallel.usable_cpus()
    return Finding("machine", f"{system}, {cpus} usable processors, {memory:.1f} GiB memory")


# Cache


def cache() -> Finding:
    """Check whether the cache of compiled code is writable, and report its path and size.

    Corrupt entries are not checked here; simgin compiles them again on loading.
    """
    directory = jit.cache_root() / jit.digest()
    if fault := jit.not_kept(directory):
        return Finding("cache", str(directory), fault)
    mebibytes = sum(path.stat().st_size for path in directory.rglob("*.nb?")) / MEBIBYTE
    older = sum(path.is_dir() and path != directory for path in directory.parent.iterdir())
    return Finding("cache", f"{directory}, {mebibytes:.1f} MiB, older versions kept: {older}")


# Known results


def generator() -> Finding:
    """Check the compiled Philox generator against the known results of Random123."""
    wrong = []
    for counter, key, words in PHILOX:
        if tuple(map(int, rng.philox(*map(np.uint64, (*counter, *key))))) != tuple(words):
            wrong.append(key)
    if wrong:
        details = f"{len(wrong)} of {len(PHILOX)} known answers wrong"
        return Finding("generator", details, f"random numbers are wrong on this machine. {BROKEN}")
    return Finding("generator", f"Philox4x32-10, {len(PHILOX)} known answers")


def hands() -> Finding:
    """Check the compiled deadwood of some hands."""
    for variant, cards, expected in HANDS:
        rules = build_rules(variants.find(variant))
        count = int(deadwood(notation.hand_mask(notation.parse_cards(cards)), rules))
        if count != expected:
            details = f"{cards} has {count}, not {expected}"
            return Finding("hands", details, f"deadwood is wrong on this machine. {BROKEN}")
    return Finding("hands", f"{len(HANDS)} known counts")


def plug_ins() -> Finding:
    """Check the strategies of other packages."""
    points, faults = loader.plug_ins(), []
    for point in points:
        try:
            loader.read_plug_in(point, loader.built_in())
        except StrategyError as error:
            faults.append(str(error))
    details = ", ".join(point.name for point in points) or "none"
    return Finding("plug-ins", details, " ".join(faults))


def play() -> Finding:
    """Check the sums of a small match, and that two threads compute the same rows as one."""
    on_one, on_two = (runner.run_matchup(_matchup(), DEALS, workers) for workers in (1, 2))
    sums_here = known_sums(on_one)
    wrong = [
        f"{name} {sums_here[name]}, not {expected}"
        for name, expected in SUMS.items()
        if sums_here[name] != expected
    ]
    if wrong:
        return Finding("play", "; ".join(wrong), f"deals are played wrongly here. {BROKEN}")
    if not np.array_equal(on_one, on_two):
        fault = f"results depend on threads on this machine: use --workers 1. {BROKEN}"
        return Finding("play", "two threads differ from one", fault)
    return Finding("play", f"{DEALS:,} deals with known sums, on one thread and on two")


def known_sums(batches: np.ndarray) -> dict[str, int]:
    """Return the sums of batch rows for the facts in KNOWN_SUMS."""
    total = batches.sum(axis=0, dtype=np.int64)
    return {name: int(total[sums.SUM + sums.FACT[name]]) for name in SUMS}


def _matchup() -> Matchup:
    return parse_matchup("gold", "simple", "standard", 1, "deal")


CHECKS: dict[str, Check] = {
    "simgin": versions,
    "libraries": libraries,
    "extras": extras,
    "machine": machine,
    "cache": cache,
    "generator": generator,
    "hands": hands,
    "plug-ins": plug_ins,
    "play": play,
}
