"""Checks of the environment, of the cache, and of computations with known results."""

import os
import platform
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from itertools import chain
from pathlib import Path

import numpy as np

import simgin
from simgin.core import batch_columns, jit, rng, shipped_code
from simgin.core.deadwood import deadwood
from simgin.play import kernel, parallel, specialized_kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.runs import runner
from simgin.strategy import loader
from simgin.strategy.strategy_spec import StrategyError
from simgin.text import notation
from simgin.text.messages import describe_error

NUMBA_VERSION = "0.68"  # minor version that pyproject.toml requires
REQUIRED_LIBRARIES = (
    "numpy numba llvmlite pandas matplotlib scipy click pydantic rich jinja2 platformdirs "
    "starlette uvicorn"
).split()
MEBIBYTE, GIBIBYTE = 2**20, 2**30
REINSTALL_HINT = (
    "Reinstall simgin in a new virtual environment. If the problem persists, please report it "
    "with the output of `simgin doctor --json`."
)

KNOWN_RESULTS = tomllib.loads(
    Path(__file__).with_name("known_answers.toml").read_text(encoding="utf-8")
)
PHILOX_TEST_VECTORS, KNOWN_HANDS, N_KNOWN_MATCH_DEALS, KNOWN_SUMS = (
    KNOWN_RESULTS[name] for name in ("philox", "hands", "deals", "sums")
)


@dataclass(frozen=True)
class HealthCheck:
    """Result of one check of the installation, with a suggested fix if the check failed."""

    check: str
    details: str
    problem: str = ""


CheckFunction = Callable[[], HealthCheck]


def run_checks() -> Iterator[HealthCheck]:
    """Run all checks of the installation and yield their results.

    The cache is checked before compiled code is loaded from it.
    """
    for name, check in HEALTH_CHECKS.items():
        try:
            yield check()
        except Exception as error:  # A failed check must not prevent other checks.
            error_type = type(error)
            problem = f"{name}: {error_type.__name__}: {error}. {REINSTALL_HINT}"
            # simgin's error messages already suggest a fix.
            if error_type.__module__.startswith("simgin."):
                problem = str(error)
            yield HealthCheck(name, "failed", problem)


def to_json_rows(results: list[HealthCheck]) -> list[dict[str, str | bool]]:
    """Return a JSON object for each check."""
    return [
        {
            "check": check.check,
            "well": not check.problem,
            "found": check.details,
            "fault": check.problem,
        }
        for check in results
    ]


# Environment


def check_versions() -> HealthCheck:
    """Report the versions of simgin, its random stream and Python."""
    details = f"{simgin.__version__}, stream {rng.STREAM_VERSION}"
    return HealthCheck("simgin", f"{details}, Python {platform.python_version()}")


def check_libraries() -> HealthCheck:
    """Check that supported versions of the required libraries are installed.

    The minor version of numba is pinned because calls through function types are experimental in
    numba.
    """
    versions = {name: _find_installed_version(name) for name in REQUIRED_LIBRARIES}
    missing_names = [name for name, version in versions.items() if version is None]
    details = ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items())
    problem = ""
    if missing_names:
        names = ", ".join(missing_names)
        problem = f"{names} cannot be found. Run `pip install --force-reinstall simgin`."
    elif not str(versions["numba"]).startswith(f"{NUMBA_VERSION}."):
        problem = (
            f"numba {versions['numba']} is not {NUMBA_VERSION}, the only one that "
            f"this simgin is tested with: run `pip install 'numba=={NUMBA_VERSION}.*'`."
        )
    return HealthCheck("libraries", details, problem)


def check_extras() -> HealthCheck:
    """Report the optional dependencies, with a command that installs missing packages."""
    try:
        requirements = metadata.requires("simgin") or []
    except metadata.PackageNotFoundError:
        return HealthCheck("extras", "unknown, because simgin is not installed as a package")
    missing_packages: dict[str, list[str]] = {}
    for requirement in requirements:  # for example, `pytest>=8; extra == "test"`
        if requirement_match := re.match(r"""([\w.-]+).*extra == ["']([\w-]+)["']""", requirement):
            packages = missing_packages.setdefault(requirement_match[2], [])
            if _find_installed_version(requirement_match[1]) is None:
                packages.append(requirement_match[1])
    complete_extras = [extra for extra, packages in missing_packages.items() if not packages]
    incomplete_extras = [extra for extra, packages in missing_packages.items() if packages]
    detail_parts = [f"complete: {', '.join(complete_extras)}"] if complete_extras else []
    if incomplete_extras:
        names = ", ".join(sorted(set(chain(*missing_packages.values()))))
        detail_parts.append(f"missing {names}: pip install 'simgin[{','.join(incomplete_extras)}]'")
    return HealthCheck("extras", "; ".join(detail_parts) or "none")


def _find_installed_version(name: str) -> str | None:
    """Return the version of an installed package, or None if it is not installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def check_machine() -> HealthCheck:
    """Report the number of CPU cores and the memory size."""
    details = f"{platform.system()} {platform.machine()}"
    details += f", {parallel.count_usable_cpus()} usable processors"
    if hasattr(os, "sysconf"):  # os.sysconf does not exist on Windows
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIBIBYTE
        details += f", {memory:.1f} GiB memory"
    return HealthCheck("machine", details)


# Cache


def check_cache() -> HealthCheck:
    """Check that the cache of compiled code is writable, and report its path and size.

    Corrupt entries are not checked because simgin recompiles them when it loads them.
    """
    directory = jit.get_cache_root() / jit.compute_source_digest()
    if problem := jit.find_cache_error(directory):
        return HealthCheck("cache", str(directory), problem)
    mebibytes = sum(path.stat().st_size for path in directory.rglob("*.nb?")) / MEBIBYTE
    n_old = sum(path.is_dir() and path != directory for path in directory.parent.iterdir())
    details = f"{directory}, {mebibytes:.1f} MiB"
    if n_old:
        details += f", older versions: {n_old}"
    mismatch = shipped_code.explain_unused_code(jit.compute_source_digest())
    if mismatch != "":
        details += f". {mismatch}" if mismatch else ", with precompiled code"
    return HealthCheck("cache", details)


# Known results


def check_random_generator() -> HealthCheck:
    """Check the compiled Philox generator against published results from Random123."""
    wrong_keys = []
    for counter, key, expected_words in PHILOX_TEST_VECTORS:
        if tuple(map(int, rng.philox(*map(np.uint64, (*counter, *key))))) != tuple(expected_words):
            wrong_keys.append(key)
    if wrong_keys:
        details = f"{len(wrong_keys)} of {len(PHILOX_TEST_VECTORS)} known answers are wrong"
        problem = f"random numbers are wrong on this machine. {REINSTALL_HINT}"
        return HealthCheck("generator", details, problem)
    return HealthCheck("generator", f"Philox4x32-10, {len(PHILOX_TEST_VECTORS)} known answers")


def check_hands() -> HealthCheck:
    """Check the compiled deadwood function with hands whose deadwood is known."""
    for variant, cards, expected_deadwood in KNOWN_HANDS:
        rules = build_rules(variants.find_variant(variant))
        deadwood_points = int(deadwood(notation.cards_to_mask(notation.parse_cards(cards)), rules))
        if deadwood_points != expected_deadwood:
            details = f"{cards} has {deadwood_points}, not {expected_deadwood}"
            problem = f"deadwood is wrong on this machine. {REINSTALL_HINT}"
            return HealthCheck("hands", details, problem)
    return HealthCheck("hands", f"{len(KNOWN_HANDS)} known counts")


def check_plug_ins() -> HealthCheck:
    """Check the strategies that other packages provide as plug-ins."""
    plug_ins, problems = loader.find_plug_ins(), []
    for plug_in in plug_ins:
        try:
            loader.load_plug_in(plug_in, loader.list_built_in_strategies())
        except StrategyError as error:
            problems.append(str(error))
    details = ", ".join(plug_in.name for plug_in in plug_ins) or "none"
    return HealthCheck("plug-ins", details, " ".join(problems))


def check_play() -> HealthCheck:
    """Check the totals of a small match, and compare results on one and on two threads."""
    one_thread_rows, two_thread_rows = (
        runner.run_matchup(_make_known_matchup(), N_KNOWN_MATCH_DEALS, workers)
        for workers in (1, 2)
    )
    known_sums = compute_known_sums(one_thread_rows)
    mismatches = [
        f"{name} {known_sums[name]}, not {expected_sum}"
        for name, expected_sum in KNOWN_SUMS.items()
        if known_sums[name] != expected_sum
    ]
    if mismatches:
        problem = f"deals are played incorrectly on this machine. {REINSTALL_HINT}"
        return HealthCheck("play", "; ".join(mismatches), problem)
    if not np.array_equal(one_thread_rows, two_thread_rows):
        problem = f"results depend on threads on this machine. Use --workers 1. {REINSTALL_HINT}"
        return HealthCheck("play", "two threads compute different results than one thread", problem)
    return HealthCheck(
        "play", f"{N_KNOWN_MATCH_DEALS:,} deals with known sums, on one thread and on two threads"
    )


def check_specialized_kernel() -> HealthCheck:
    """Compile a specialised kernel, and compare its results with those of the generic kernel."""
    matchup = _make_known_matchup()
    specialized = specialized_kernel.find_kernel(
        kernel.compile_batch_kernel(len(matchup.players)),
        tuple(kernel.compile_policies(matchup)),
        build_rules(matchup.variant).tobytes(),
    )
    if not isinstance(specialized, specialized_kernel.SpecializedKernel):
        return HealthCheck("kernels", "not specialised, because of the settings of numba")
    try:
        specialized.specialize()
    except Exception as error:  # Loading machine code can raise any exception.
        error_lines = (getattr(error, "stderr", None) or b"").decode(errors="replace").splitlines()
        reason = error_lines[-1] if error_lines else describe_error(error)
        problem = (
            "long runs are slower than usual on this machine, because specialised kernels cannot "
            f"be compiled ({reason}). {REINSTALL_HINT}"
        )
        return HealthCheck("kernels", "only the generic kernel", problem)
    generic_rows, specialized_rows = (
        _play_known_match(matchup, is_specialized) for is_specialized in (False, True)
    )
    if not np.array_equal(generic_rows, specialized_rows):
        problem = f"long runs are computed incorrectly on this machine. {REINSTALL_HINT}"
        return HealthCheck("kernels", "specialised kernel computes different results", problem)
    return HealthCheck("kernels", "generic and specialised kernels agree")


def _play_known_match(matchup: Matchup, is_specialized: bool) -> np.ndarray:
    """Play the known match with one of the two kernels, and return its batch rows."""
    with specialized_kernel.allow_specialized_kernels(is_specialized):
        return kernel.play_batches(matchup, 0, matchup.count_units(N_KNOWN_MATCH_DEALS))


def compute_known_sums(batch_rows: np.ndarray) -> dict[str, int]:
    """Compute the sums over batch rows that are compared with `KNOWN_SUMS`."""
    total = batch_rows.sum(axis=0, dtype=np.int64)
    return {
        name: int(total[batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX[name]])
        for name in KNOWN_SUMS
    }


def _make_known_matchup() -> Matchup:
    """Return the matchup whose totals are known."""
    return parse_matchup("gold", "simple", "standard", 1, "deal")


HEALTH_CHECKS: dict[str, CheckFunction] = {
    "simgin": check_versions,
    "libraries": check_libraries,
    "extras": check_extras,
    "machine": check_machine,
    "cache": check_cache,
    "generator": check_random_generator,
    "hands": check_hands,
    "plug-ins": check_plug_ins,
    "play": check_play,
    "kernels": check_specialized_kernel,
}
