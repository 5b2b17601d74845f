"""How fast this machine plays: deadwood, best discards and deals, beside a calibration kernel.

Seconds differ between machines and from hour to hour; ratios to a fixed integer loop of the same
run hardly do. Every figure is the best of several repetitions, taken in turns so that a
disturbance does not hit all repetitions of one figure.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from simgin.core import rng
from simgin.core.bits import lowest
from simgin.core.deadwood import best_discards, deadwood, dearest
from simgin.core.jit import compiled
from simgin.core.pack import new_pack
from simgin.core.state import new_state
from simgin.play import parallel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.runs import runner
from simgin.strategy import catalogue, loader

SEED = 1
HANDS = 100_000
TURNS = 10  # hands in play from one pack
REPETITIONS = 5
SHORTEST = 0.02  # seconds of the trial run that sets the size of a repetition

# Name, variant, A, B, unit
MATCHUPS: tuple[tuple[str, str, str, str | None, Literal["deal", "match"]], ...] = (
    ("simple v simple, eaai deals", "eaai", "simple", "simple", "deal"),
    ("gold v gold, deals", "standard", "gold", "gold", "deal"),
    ("gold-early v simple, deals", "standard", "gold-early", "simple", "deal"),
    ("simple v simple, matches", "standard", "simple", "simple", "match"),
    ("gold, solitaire-gin deals", "solitaire-gin", "gold", None, "deal"),
    ("gold, gin-solitaire deals", "gin-solitaire", "gold", None, "deal"),
)
ROSTER_DEALS = 10  # deals in a round of the roster: the slowest plays some tens per second


@dataclass(frozen=True)
class Figure:
    """One measured speed.

    unit: blocks, hands, deals or matches. ratio: time per unit, in blocks of the calibration kernel
    on one thread. speedup: over the same figure on one thread. mean: deadwood of the hands (after
    the best discard), to show that they are the same hands everywhere.
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
    """Work in rounds of `size` units; `work` takes the number of rounds."""

    figure: str
    unit: str
    size: int
    work: Callable[[int], object]
    threads: int = 1
    mean: float | None = None


def figures(seconds: float, threads: Sequence[int]) -> list[Figure]:
    """Every figure, each measured for about `seconds`, matchups on each number of threads.

    The calibration comes first.
    """
    jobs = [*_kernel_jobs(), *_matchup_jobs(threads)]
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
    """One, two and all of the usable processors."""
    usable = parallel.usable_cpus()
    return sorted({1, min(2, usable), usable})


def _best_rates(jobs: Sequence[_Job], seconds: float) -> list[float]:
    """Units per second of every job, the best of all repetitions."""
    rounds = [_rounds(job, seconds / REPETITIONS) for job in jobs]
    best = [float("inf")] * len(jobs)
    for _ in range(REPETITIONS):
        for i, job in enumerate(jobs):
            best[i] = min(best[i], _timed(job, rounds[i]) / (rounds[i] * job.size))
    return [1 / taken for taken in best]


def _rounds(job: _Job, seconds: float) -> int:
    """Number of rounds that take so long; the first call may compile and does not count."""
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
    """Calibration, deadwood and best discards of dealt hands, best discards of hands in play."""
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
    """Exclusive or of n Philox blocks of four 32-bit words: integer work of a fixed kind."""
    x = 0
    for i in range(n):
        a, b, c, d = rng.words(1, i, 0, 0, rng.BOOTSTRAP)
        x ^= a ^ b ^ c ^ d
    return x


def _deal(state, cards, hands):  # type: ignore[no-untyped-def]
    """The first `cards` cards of the packs of units 0, 1, 2, ..., as hands."""
    for i in range(hands.shape[0]):
        state.unit = i
        new_pack(state)
        for place in range(cards):
            hands[i] |= 1 << int(state.pack[place])


def _in_play(state, rules, hands):  # type: ignore[no-untyped-def]
    """Hands of eleven in play: a player draws and makes the best discard, turn after turn."""
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
    """Deadwood of all hands, n times over."""
    total = 0
    for _ in range(n):
        for i in range(hands.shape[0]):
            total += deadwood(hands[i], rules)
    return total


def _add_best(hands, rules, n):  # type: ignore[no-untyped-def]
    """Deadwood of all hands after the best discard, n times over."""
    total = 0
    for _ in range(n):
        for i in range(hands.shape[0]):
            total += best_discards(hands[i], hands[i], rules)[0]
    return total


# Matchups


def roster() -> list[str]:
    """The two-player strategies that come with simgin."""
    return [name for name in loader.built_in() if not catalogue.alone(name)]


def _matchup_jobs(threads: Sequence[int]) -> Iterator[_Job]:
    """The matchups on all numbers of threads; every strategy of the roster against itself on one.

    A round is a whole batch; of the roster, a few deals.
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
    """A matchup on so many threads, played as every command plays it."""

    def work(rounds: int) -> object:
        return runner.run_matchup(matchup, rounds * size, threads)

    unit = "deals" if matchup.unit == "deal" else "matches"
    return _Job(figure, unit, size, work, threads)
