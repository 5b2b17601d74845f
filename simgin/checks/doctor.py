"""Whether simgin is well on this machine: what it runs on, and small tests with known answers."""

from __future__ import annotations

import contextlib
import io
import os
import pickletools
import platform
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

import simgin
from simgin.core import jit, rng, sums
from simgin.core.deadwood import deadwood
from simgin.play import parallel
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.runs import runner
from simgin.strategy import loader
from simgin.strategy.text_form import StrategyError
from simgin.text import notation

NUMBA = "0.68"  # the minor version that pyproject.toml pins
LIBRARIES = (
    "numpy",
    "numba",
    "llvmlite",
    "pandas",
    "matplotlib",
    "scipy",
    "click",
    "pydantic",
    "rich",
    "jinja2",
)
BROKEN = "Install simgin anew in an environment of its own; if that does not help, please report it with the output of `simgin doctor --json`."

# Counter and key in, four words out: the known answers of Philox4x32-10 that come with Random123 (kat_vectors).
PHILOX = (
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
)
# Variant, cards, least deadwood; each by hand.
HANDS = (
    ("standard", "5S 6S 7S 5H 5D KC QD 2H 9C 9D", 50),
    ("standard", "4S 5S 6S 4H 5H 6H 4D 5D 6D KC", 10),
    ("standard", "7S 8S 9S 9H 9D TD JD 7D 7H 2C", 25),
    ("standard+ace_runs=corner", "QC KC AC 2C 3C 7D 7H 7S 9S 4H", 13),
    ("rainbow", "5S 6H 7C 8D 2S 3S 4S JH JD JC", 0),
)
# Sums over 4,000 deals of gold against simple, standard, seed 1: two batches. They change with the stream, with the play of either and with
# the rules of standard, and then tests/checks/test_doctor.py prints the new ones.
DEALS = 4000
SUMS = {
    "deals": 4000, "decided": 3998, "knock": 3762, "gin": 78, "undercut": 158, "void": 2,
    "points_scored": 65806, "turns": 50588, "laid_off": 2290, "a_deal_win": 2023, "b_deal_win": 1975, "a_margin": -148,
}  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """What one check came to: `fault` is empty, or a sentence with the remedy."""

    check: str
    found: str
    fault: str = ""


Check = Callable[[], Finding]


def examine() -> Iterator[Finding]:
    """Every check in turn. The cache comes before anything is loaded from it."""
    for name, check in CHECKS.items():
        try:
            yield check()
        except Exception as error:  # whatever it is, the other checks have something to say as well
            own = type(error).__module__.startswith(
                "simgin."
            )  # then it is a sentence with its remedy
            yield Finding(
                name,
                "failed",
                str(error) if own else f"{name}: {type(error).__name__}: {error}. {BROKEN}",
            )


def rows(findings: list[Finding]) -> list[dict[str, str | bool]]:
    """One object a check, for `--json`."""
    return [
        {"check": one.check, "well": not one.fault, "found": one.found, "fault": one.fault}
        for one in findings
    ]


# What it runs on


def versions() -> Finding:
    """simgin, its stream of random numbers, and Python."""
    return Finding(
        "simgin", f"{simgin.__version__}, stream {rng.STREAM}, Python {platform.python_version()}"
    )


def libraries() -> Finding:
    """What simgin is built on. numba's minor version is pinned, because calls through function types are experimental there."""
    found = {name: _version(name) for name in LIBRARIES}
    missing = [name for name, version in found.items() if version is None]
    said = ", ".join(f"{name} {version or 'missing'}" for name, version in found.items())
    if missing:
        return Finding(
            "libraries",
            said,
            f"{', '.join(missing)} cannot be found: run `pip install --force-reinstall simgin`.",
        )
    if not str(found["numba"]).startswith(f"{NUMBA}."):
        fault = f"numba {found['numba']} is not {NUMBA}, the only one that this simgin is tested with: run `pip install 'numba=={NUMBA}.*'`."
        return Finding("libraries", said, fault)
    return Finding("libraries", said)


def extras() -> Finding:
    """Optional parts: complete, or what is missing and the line that installs it. Nothing of it is needed to play."""
    try:
        wanted = _optional(metadata.requires("simgin") or [])
    except metadata.PackageNotFoundError:
        return Finding("extras", "not known: simgin runs from its source and is not installed")
    said = []
    for extra, names in wanted.items():
        missing = [name for name in names if _version(name) is None]
        said.append(
            f"{extra}: missing {', '.join(missing)}, pip install 'simgin[{extra}]'"
            if missing
            else f"{extra}: complete"
        )
    return Finding("extras", "; ".join(said) or "none")


def _optional(requirements: list[str]) -> dict[str, list[str]]:
    """Packages by extra, from lines like `pytest>=8; extra == "test"`."""
    found: dict[str, list[str]] = {}
    for line in requirements:
        if match := re.match(r"""([\w.-]+).*extra == ["']([\w-]+)["']""", line):
            found.setdefault(match[2], []).append(match[1])
    return found


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def machine() -> Finding:
    """Processors and memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return Finding(
        "machine",
        f"{platform.system()} {platform.machine()}, {parallel.usable_cpus()} usable processors, {memory:.1f} GiB memory",
    )


# The cache


def cache() -> Finding:
    """Where compiled code is kept: room taken, older versions beside it, files that are damaged (which are removed)."""
    directory = jit.cache_root() / jit.digest()
    if fault := jit.not_kept(directory):
        return Finding("cache", str(directory), fault)
    files = _sizes(directory)
    older = sum(path.is_dir() and path != directory for path in directory.parent.iterdir())
    said = f"{directory}, {sum(files.values()) / 2**20:.1f} MiB, older versions kept: {older}"
    damaged = [
        path
        for path in files
        if path.suffix in (".nbi", ".nbc") and path.exists() and not _whole(path)
    ]
    for path in damaged:
        path.unlink(missing_ok=True)
    if damaged:
        return Finding(
            "cache",
            said,
            f"{len(damaged)} of {len(files)} files in {directory} were damaged, as by a full disk or a kill while they were written. "
            "They have been removed and are compiled anew; make room on that disk if it is full.",
        )
    return Finding("cache", said)


def _sizes(directory: Path) -> dict[Path, int]:
    """Bytes in every file of a directory. Other processes may put one in another's place meanwhile."""
    sizes = {}
    for path in directory.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            if path.is_file():
                sizes[path] = path.stat().st_size
    return sizes


def _whole(path: Path) -> bool:
    """Whether a file of numba's is complete: one pickle after the other, each with its end. Nothing is unpickled."""
    content = io.BytesIO(path.read_bytes())
    size = content.getbuffer().nbytes
    try:
        while content.tell() < size:
            for _ in pickletools.genops(content):
                pass
    except ValueError:
        return False
    return size > 0


# Known answers


def generator() -> Finding:
    """The compiled Philox on Random123's known answers."""
    wrong = [key for counter, key, words in PHILOX if _philox(counter, key) != words]
    if wrong:
        return Finding(
            "generator",
            f"{len(wrong)} of {len(PHILOX)} known answers wrong",
            f"random numbers are wrong on this machine. {BROKEN}",
        )
    return Finding("generator", f"Philox4x32-10, {len(PHILOX)} known answers")


def _philox(counter: tuple[int, ...], key: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(
        int(word) for word in rng.philox(*(np.uint64(number) for number in (*counter, *key)))
    )


def hands() -> Finding:
    """The compiled deadwood of some hands."""
    for variant, cards, count in HANDS:
        got = int(
            deadwood(
                notation.hand_mask(notation.parse_cards(cards)), build_rules(variants.find(variant))
            )
        )
        if got != count:
            return Finding(
                "hands",
                f"{cards} has {got}, not {count}",
                f"deadwood is wrong on this machine. {BROKEN}",
            )
    return Finding("hands", f"{len(HANDS)} known counts")


def plug_ins() -> Finding:
    """Strategies of other packages."""
    faults = []
    for point in loader.plug_ins():
        try:
            loader.load_plug_in(point)
        except StrategyError as error:
            faults.append(str(error))
    said = ", ".join(point.name for point in loader.plug_ins()) or "none"
    if not faults:
        loader.names()  # two of one name are an error
    return Finding("plug-ins", said, " ".join(faults))


def play() -> Finding:
    """A small match with known sums, and two threads that give the same rows as one."""
    one, two = (runner.run_matchup(_matchup(), DEALS, workers) for workers in (1, 2))
    found = known_sums(one)
    wrong = [
        f"{name} {found[name]}, not {SUMS[name]}" for name in SUMS if found[name] != SUMS[name]
    ]
    if wrong:
        return Finding(
            "play", "; ".join(wrong), f"deals come out otherwise than they should. {BROKEN}"
        )
    if not np.array_equal(one, two):
        return Finding(
            "play",
            "two threads differ from one",
            f"results depend on threads on this machine: use --workers 1. {BROKEN}",
        )
    return Finding("play", f"{DEALS:,} deals with known sums, on one thread and on two")


def known_sums(batches: np.ndarray) -> dict[str, int]:
    """The sums that SUMS holds, of some batch rows."""
    total = batches.sum(axis=0, dtype=np.int64)
    return {name: int(total[sums.SUM + sums.FACT[name]]) for name in SUMS}


def _matchup() -> Matchup:
    return Matchup(variants.find("standard"), loader.find("gold"), loader.find("simple"), 1, "deal")


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
