"""Benchmark of this machine: speed of deadwood, best discards and deals.

Times differ between machines and from hour to hour. Ratios to a calibration kernel, a fixed integer
loop in the same run, are almost constant. Every value is the best of several repetitions. The
repetitions of different measurements alternate, so that a disturbance does not affect all
repetitions of one measurement.

If another installation is compared, both are measured alternately in processes of their own, so
that changes of the machine affect both. A file contains the values of an earlier measurement.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numba import int64, types

from simgin.core import rng
from simgin.core.answers import SLOTS
from simgin.core.batch import add_deal, add_unit
from simgin.core.bits import lowest
from simgin.core.deadwood import best_discards, deadwood, dearest
from simgin.core.jit import compiled
from simgin.core.pack import give_to_seats, new_pack
from simgin.core.policy import HOOK_TYPE, PARAMS_TYPE, RULES_TYPE, VIEW_TYPE
from simgin.core.state import new_state
from simgin.core.view import VIEW
from simgin.play import parallel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.watch import watch_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.runs import runner
from simgin.strategy import catalogue, compiler, loader
from simgin.text.files import read_text

SEED = 1
HANDS = 100_000
TURNS = 10  # hands in play per shuffled deck
REPETITIONS = 5
WATCHED = 100  # deals whose parts are measured; few enough that their views fit in the CPU cache
SHORTEST = 0.02  # seconds of the trial run that determines the size of a repetition

# Name, variant, A, B, unit
MATCHUPS: tuple[tuple[str, str, str, str | None, Literal["deal", "match"]], ...] = (
    ("simple v simple, eaai deals", "eaai", "simple", "simple", "deal"),
    ("gold v gold, deals", "standard", "gold", "gold", "deal"),
    ("gold-early v simple, deals", "standard", "gold-early", "simple", "deal"),
    ("simple v simple, matches", "standard", "simple", "simple", "match"),
    ("gold, solitaire-gin deals", "solitaire-gin", "gold", None, "deal"),
    ("gold, gin-solitaire deals", "gin-solitaire", "gold", None, "deal"),
)
ANSWERING = int64(types.Array(VIEW_TYPE, 1, "C"), RULES_TYPE, PARAMS_TYPE, HOOK_TYPE, int64)
ROSTER_DEALS = 10  # deals per round; the slowest strategy plays some tens per second


@dataclass(frozen=True)
class Figure:
    """One measured speed.

    `unit` is "blocks", "hands", "deals" or "matches". `ratio` is the time per unit, measured in
    blocks of the calibration kernel on one thread. `speedup` is relative to one thread. `mean` is
    the mean deadwood of the hands (after the best discard), which must be equal on all machines.
    """

    figure: str
    unit: str
    threads: int
    per_second: float
    ratio: float
    speedup: float
    mean: float | None


@dataclass(frozen=True)
class _Job:
    """Work in rounds of `size` units; `work` is a function of the number of rounds."""

    figure: str
    unit: str
    size: int
    work: Callable[[int], object]
    threads: int = 1
    mean: float | None = None


def figures(seconds: float, threads: Sequence[int]) -> list[Figure]:
    """Measure all speeds, starting with the calibration.

    Args:
        seconds: Approximate time per measurement.
        threads: Numbers of threads; every matchup is measured with each of them.
    """
    jobs = [*_kernel_jobs(), *_part_jobs(), *_matchup_jobs(threads)]
    rates = _best_rates(jobs, seconds)
    on_one_thread = {
        job.figure: rate for job, rate in zip(jobs, rates, strict=True) if job.threads == 1
    }
    return [
        Figure(
            job.figure,
            job.unit,
            job.threads,
            rate,
            ratio=rates[0] / rate,
            speedup=rate / on_one_thread[job.figure],
            mean=job.mean,
        )
        for job, rate in zip(jobs, rates, strict=True)
    ]


def thread_counts() -> list[int]:
    """Return 1, 2 and the number of usable cores."""
    usable = parallel.usable_cpus()
    return sorted({1, min(2, usable), usable})


def _best_rates(jobs: Sequence[_Job], seconds: float) -> list[float]:
    """Return the units per second of every job, the best of all repetitions."""
    rounds = [_rounds(job, seconds / REPETITIONS) for job in jobs]
    best = [float("inf")] * len(jobs)
    for _ in range(REPETITIONS):
        for i, job in enumerate(jobs):
            best[i] = min(best[i], _timed(job, rounds[i]) / (rounds[i] * job.size))
    return [1 / taken for taken in best]


def _rounds(job: _Job, seconds: float) -> int:
    """Return the number of rounds in `seconds`, after an untimed call that can compile."""
    job.work(1)
    rounds, taken = 1, _timed(job, 1)
    while taken < min(SHORTEST, seconds):
        rounds *= 2
        taken = _timed(job, rounds)
    return max(1, round(rounds * seconds / taken))


def _timed(job: _Job, rounds: int) -> float:
    started = time.perf_counter()
    job.work(rounds)
    return max(time.perf_counter() - started, 1e-9)


# Kernels


def _kernel_jobs() -> list[_Job]:
    """Return the calibration, and deadwood and best discards of hands as dealt and in play."""
    rules = build_rules(variants.find("standard"))
    kernels = (_calibrate, _deal, _in_play, _add_deadwood, _add_best)
    calibrate, deal, play, add_deadwood, add_best = (
        compiled(kernel, keep=False) for kernel in kernels
    )
    ten, eleven, in_play = (np.zeros(HANDS, np.int64) for _ in range(3))
    deal(new_state(SEED), 10, ten)
    deal(new_state(SEED), 11, eleven)
    play(new_state(SEED), rules, in_play)

    def over(name: str, kernel: Any, hands: np.ndarray) -> _Job:
        def work(rounds: int) -> object:
            return kernel(hands, rules, rounds)

        return _Job(name, "hands", HANDS, work, mean=kernel(hands, rules, 1) / HANDS)

    return [
        _Job("calibration, blocks", "blocks", HANDS, lambda rounds: calibrate(rounds * HANDS)),
        over("deadwood, dealt hands", add_deadwood, ten),
        over("best discard, dealt hands", add_best, eleven),
        over("best discard, hands in play", add_best, in_play),
    ]


def _calibrate(n):  # type: ignore[no-untyped-def]
    """Return the exclusive or of n Philox blocks of four 32-bit words, a fixed integer task."""
    x = 0
    for i in range(n):
        a, b, c, d = rng.words(1, i, 0, 0, rng.BOOTSTRAP)
        x ^= a ^ b ^ c ^ d
    return x


def _deal(state, cards, hands):  # type: ignore[no-untyped-def]
    """Add the first `cards` cards of the shuffled decks of units 0, 1, 2, ... to the hands."""
    for i in range(hands.shape[0]):
        state.unit = i
        new_pack(state)
        for place in range(cards):
            hands[i] |= 1 << int(state.pack[place])


def _in_play(state, rules, hands):  # type: ignore[no-untyped-def]
    """Fill `hands` with hands of eleven cards of a player who draws and discards optimally."""
    hand = 0
    for i in range(hands.shape[0]):
        turn = i % TURNS
        if turn == 0:
            state.unit = i // TURNS
            new_pack(state)
            hand = 0
            for place in range(10):
                hand |= 1 << int(state.pack[place])
        hand |= 1 << int(state.pack[10 + turn])
        hands[i] = hand
        hand ^= 1 << lowest(dearest(best_discards(hand, hand, rules)[1], rules)[0])


def _add_deadwood(hands, rules, n):  # type: ignore[no-untyped-def]
    """Return the total deadwood of all hands, repeated n times."""
    total = 0
    for _ in range(n):
        for i in range(hands.shape[0]):
            total += deadwood(hands[i], rules)
    return total


def _add_best(hands, rules, n):  # type: ignore[no-untyped-def]
    """Return the total deadwood of all hands after the best discard, repeated n times."""
    total = 0
    for _ in range(n):
        for i in range(hands.shape[0]):
            total += best_discards(hands[i], hands[i], rules)[0]
    return total


# Parts of a deal


def _part_jobs() -> Iterator[_Job]:
    """Yield the parts of the deals of the first matchup, each as a separate job."""
    figure, variant, a, b, unit = MATCHUPS[0]
    matchup = parse_matchup(a, b, variant, SEED, unit)
    rules = build_rules(matchup.variant)
    deals = [watch_deal(matchup, number) for number in range(WATCHED)]
    asked = [question for deal in deals for question in deal.questions]
    shuffle, add_best, add_sums = (
        compiled(kernel, keep=False) for kernel in (_shuffle, _add_best, _add_sums)
    )
    answer = compiled(_add_answers, ANSWERING, keep=False)
    told = {slot: [one.view for one in asked if one.slot == slot] for slot in SLOTS}
    hands = np.array([view.hand for view in told["discard"]], np.int64)
    policies = [
        (np.array(told[policy.slot], VIEW), compiler.vector(policy), compiler.hook(policy))
        for policy in matchup.a.policies
        if told[policy.slot]
    ]

    def ask(rounds: int) -> None:
        for views, params, hook in policies:
            answer(views, rules, params, hook, rounds)

    works: dict[str, Callable[[int], object]] = {
        "shuffle": lambda rounds: shuffle(new_state(SEED), rounds * WATCHED),
        "best discards": lambda rounds: add_best(hands, rules, rounds),
        "policies": ask,
        "sums": lambda rounds: add_sums(deals[0].state, rounds * WATCHED),
    }
    for part, work in works.items():
        yield _Job(f"{part} of {figure}", "deals", WATCHED, work)


def _shuffle(state, n):  # type: ignore[no-untyped-def]
    """Shuffle the decks of n units."""
    for i in range(n):
        state.unit = i
        new_pack(state)
        give_to_seats(state)


def _add_sums(state, n):  # type: ignore[no-untyped-def]
    """Add a finished deal to the sums n times, each time as a unit of its own."""
    for _ in range(n):
        add_deal(state, 0)
        add_unit(state)


def _add_answers(views, rules, params, hook, n):  # type: ignore[no-untyped-def]
    """Query a policy for all views, n times."""
    total = 0
    for _ in range(n):
        for i in range(views.shape[0]):
            total += hook(views[i], rules, params)
    return total


# Matchups


def roster() -> list[str]:
    """Return the built-in two-player strategies."""
    return [name for name in loader.built_in() if not catalogue.alone(name)]


def _matchup_jobs(threads: Sequence[int]) -> Iterator[_Job]:
    """Yield the matchups with all numbers of threads, and every strategy against itself.

    A round is a complete batch. The built-in strategies play themselves on one thread, in rounds of
    a few deals.
    """
    for figure, variant, a, b, unit in MATCHUPS:
        matchup = parse_matchup(a, b, variant, SEED, unit)
        size = matchup.batch * (2 if matchup.mirrored else 1)
        for workers in threads:
            yield _matchup_job(figure, matchup, size, workers)
    for name in roster():
        matchup = parse_matchup(name, name, "eaai", SEED, "deal")
        yield _matchup_job(f"{name}, eaai deals", matchup, ROSTER_DEALS, 1)


def _matchup_job(figure: str, matchup: Matchup, size: int, threads: int) -> _Job:
    """Return a job that plays a matchup as every command does."""

    def work(rounds: int) -> object:
        return runner.run_matchup(matchup, rounds * size, threads)

    unit = "deals" if matchup.unit == "deal" else "matches"
    return _Job(figure, unit, size, work, threads)


ROUNDS = 5  # measurements of each installation
LEAST = 1e-12  # lower bound of a valid ratio and of its reciprocal
# -P prevents imports from the working directory
THIS = [sys.executable, "-P", "-m", "simgin"]

Row = Mapping[str, Any]  # a measurement in the format of `simgin bench --json`
Round = Sequence[Row]


class BenchError(ValueError):
    """Exception for a measurement that cannot be read or made; the message suggests a fix."""


@dataclass(frozen=True)
class Change:
    """Comparison of one measurement in both installations.

    `before` and `now` are medians of the ratios to the calibration kernel. `faster` is the median
    over the rounds of before / now, and `low` and `high` are its minimum and maximum, None if there
    is only one round.
    """

    figure: str
    threads: int
    before: float
    now: float
    faster: float
    low: float | None
    high: float | None


def read_rounds(path: Path) -> list[Round]:
    """Read the measurements that `simgin bench --save` wrote, as a single round.

    Raises:
        BenchError: If the file does not contain measurements.
    """
    try:
        return [_rows(read_text(path))]
    except (OSError, ValueError, RecursionError):
        raise BenchError(
            f"{path} is neither an installation of simgin nor a file of `simgin bench --save`."
        ) from None


def _rows(text: str) -> Round:
    """Return the rows of measurements in JSON, or raise ValueError."""
    saved = json.loads(text)
    rows = saved.get("rows") if isinstance(saved, dict) else None
    if not isinstance(rows, list) or not rows or not all(map(_is_figure, rows)):
        raise ValueError("no figures")
    return rows


def _is_figure(row: object) -> bool:
    """Return True if a row contains all values that the comparison needs."""
    match row:
        case {"figure": str(), "threads": int(), "ratio": float() | int() as ratio}:
            return LEAST < ratio < 1 / LEAST
    return False


def find_installation(path: Path) -> Path | None:
    """Return the absolute path of the `simgin` program of another installation.

    The path is absolute because a bare name would be searched in PATH.

    Args:
        path: Program, or virtual environment that contains it.

    Returns:
        None if there is no program. A JSON file is not a program, even if the file system reports
        it as executable.
    """
    for program in (path, path / "bin" / "simgin"):
        is_program = program.is_file() and program.suffix != ".json"
        if is_program and os.access(program, os.X_OK):
            return program.absolute()
    return None


def measure_in_turns(
    other: Path, seconds: float, tell: Callable[[str], None] = lambda _: None
) -> tuple[list[Round], list[Round]]:
    """Measure another installation and this one alternately.

    Args:
        other: Path of the `simgin` program of the other installation.
        seconds: Approximate time per measurement.
        tell: Function called with a progress message.

    Returns:
        Rounds of the other installation and of this one.

    Raises:
        BenchError: If an installation cannot be measured.
    """
    before, now = [], []
    for number in range(1, ROUNDS + 1):
        tell(f"round {number} of {ROUNDS}")
        before.append(_measure([str(other)], seconds))
        now.append(_measure(THIS, seconds))
    return before, now


def changes(before: Sequence[Round], now: Sequence[Round]) -> list[Change]:
    """Return the comparison of every common measurement, in the order of the newer rounds."""
    table = []
    old, new = [_ratios(rows) for rows in before], [_ratios(rows) for rows in now]
    for key in new[0]:
        if not all(key in ratios for ratios in [*old, *new]):
            continue
        pairs = [(was[key], now[key]) for was, now in zip(old, new, strict=True)]
        faster = [was / now for was, now in pairs]
        several = len(pairs) > 1
        change = Change(
            *key,
            before=statistics.median(was for was, _ in pairs),
            now=statistics.median(now for _, now in pairs),
            faster=statistics.median(faster),
            low=min(faster) if several else None,
            high=max(faster) if several else None,
        )
        table.append(change)
    return table


def _ratios(rows: Round) -> dict[tuple[str, int], float]:
    return {(row["figure"], row["threads"]): row["ratio"] for row in rows}


def shares(rows: Sequence[Row]) -> dict[str, float]:
    """Return the proportion of a deal of the first matchup for each part.

    "turns" is the remaining time.
    """
    ratios = {row["figure"]: row["ratio"] for row in rows if row["threads"] == 1}
    whole = MATCHUPS[0][0]
    parts = [figure for figure in ratios if figure.endswith(f" of {whole}")]
    found = {part.split(" of ")[0]: ratios[part] / ratios[whole] for part in parts}
    return {**found, "turns": 1 - sum(found.values())}


def _measure(program: Sequence[str], seconds: float) -> Round:
    words = [*program, "bench", "--seconds", f"{seconds:g}", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    try:
        return _rows(done.stdout)
    except ValueError:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise BenchError(f"{words[0]} cannot be measured: {last[0]}") from None
