"""How fast this machine plays: deadwood, best discards, deals, each beside a calibration kernel timed in the same run.

Seconds do not travel between machines and times of day; ratios to a fixed integer loop nearly do. A figure is the best of several
repetitions, taken in turns so that a disturbance does not hit all repetitions of one figure.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
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
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.runs import runner
from simgin.strategy import catalogue, loader

SEED = 1
HANDS = 100_000
TURNS = 10  # hands in play that a pack gives
REPETITIONS = 5
SHORTEST = 0.02  # seconds of the trial run that a repetition is sized by

# Name, variant, A, B, unit.
MATCHUPS: tuple[tuple[str, str, str, str | None, Literal["deal", "match"]], ...] = (
    ("simple v simple, eaai deals", "eaai", "simple", "simple", "deal"),
    ("gold v gold, deals", "standard", "gold", "gold", "deal"),
    ("gold-early v simple, deals", "standard", "gold-early", "simple", "deal"),
    ("simple v simple, matches", "standard", "simple", "simple", "match"),
    ("gold, solitaire-gin deals", "solitaire-gin", "gold", None, "deal"),
    ("gold, gin-solitaire deals", "gin-solitaire", "gold", None, "deal"),
)
ROSTER_DEALS = 10  # of one round of a strategy of the roster: the slowest plays some tens a second


@dataclass(frozen=True)
class Figure:
    """One speed."""

    figure: str
    unit: str  # what is counted: blocks, hands, deals, matches
    threads: int
    per_second: float
    ratio: float  # time of one, in blocks of the calibration kernel on one thread
    speedup: float  # over the same on one thread
    mean: (
        float | None
    )  # deadwood of the hands (after the best discard, of eleven), to tell that they are the same hands


@dataclass(frozen=True)
class _Job:
    """Work in rounds of `size` units each."""

    figure: str
    unit: str
    size: int
    work: Callable[[int], object]  # called with a number of rounds
    threads: int = 1
    mean: float | None = None


def figures(seconds: float, threads: Sequence[int]) -> list[Figure]:
    """Time everything: about `seconds` for a figure, matchups on each of several numbers of threads. The calibration comes first."""
    jobs = [*_kernel_jobs(), *_matchup_jobs(threads), *_roster_jobs()]
    rates = _best_rates(jobs, seconds)
    alone = {job.figure: rate for job, rate in zip(jobs, rates, strict=True) if job.threads == 1}
    return [
        Figure(
            job.figure,
            job.unit,
            job.threads,
            rate,
            rates[0] / rate,
            rate / alone[job.figure],
            job.mean,
        )
        for job, rate in zip(jobs, rates, strict=True)
    ]


def thread_counts() -> list[int]:
    """One, two and all of the usable processors."""
    usable = parallel.usable_cpus()
    return sorted({1, min(2, usable), usable})


def _best_rates(jobs: Sequence[_Job], seconds: float) -> list[float]:
    """Units a second of every job, the best of all repetitions."""
    rounds = [_rounds(job, seconds / REPETITIONS) for job in jobs]
    best = [0.0] * len(jobs)
    for _ in range(REPETITIONS):
        for i, (job, n) in enumerate(zip(jobs, rounds, strict=True)):
            best[i] = max(best[i], n * job.size / _timed(job, n))
    return best


def _rounds(job: _Job, seconds: float) -> int:
    """How many rounds last so long; the first one may compile and does not count."""
    job.work(1)
    n = 1
    while (taken := _timed(job, n)) < min(SHORTEST, seconds):
        n *= 2
    return max(1, round(n * seconds / taken))


def _timed(job: _Job, rounds: int) -> float:
    started = time.perf_counter()
    job.work(rounds)
    return max(time.perf_counter() - started, 1e-9)


# Kernels


def _kernel_jobs() -> list[_Job]:
    """Calibration, deadwood of dealt hands, best discards of dealt hands and of hands in play."""
    own_rules = build_rules(variants.find("standard"))
    calibrate, deal, play, add_deadwood, add_best = (
        compiled(kernel, keep=False)
        for kernel in (_calibrate, _deal, _in_play, _add_deadwood, _add_best)
    )
    ten, eleven, held = (np.zeros(HANDS, np.int64) for _ in range(3))
    deal(new_state(SEED), 10, ten)
    deal(new_state(SEED), 11, eleven)
    play(new_state(SEED), own_rules, held)

    def over(name: str, kernel: Any, hands: np.ndarray) -> _Job:
        return _Job(
            name,
            "hands",
            HANDS,
            lambda n: kernel(hands, own_rules, n),
            mean=kernel(hands, own_rules, 1) / HANDS,
        )

    return [
        _Job("calibration, blocks", "blocks", HANDS, lambda n: calibrate(n * HANDS)),
        over("deadwood, dealt hands", add_deadwood, ten),
        over("best discard, dealt hands", add_best, eleven),
        over("best discard, hands in play", add_best, held),
    ]


def _calibrate(n):  # type: ignore[no-untyped-def]
    """Exclusive or of n Philox blocks of four 32-bit words: integer work of a fixed kind."""
    x = 0
    for i in range(n):
        a, b, c, d = rng.words(1, i, 0, 0, rng.BOOTSTRAP)
        x ^= a ^ b ^ c ^ d
    return x


def _deal(state, cards, hands):  # type: ignore[no-untyped-def]
    """The first cards of the packs of units 0, 1, 2, ..."""
    for i in range(hands.shape[0]):
        state.unit = i
        new_pack(state)
        for place in range(cards):
            hands[i] |= 1 << int(state.pack[place])


def _in_play(state, rules, hands):  # type: ignore[no-untyped-def]
    """Hands of eleven in play: one player draws the next card of the pack and throws the best discard, turn after turn."""
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
        cards = best_discards(hand, hand, rules)[1]
        hand ^= 1 << lowest(dearest(cards, rules)[0])


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


def _matchup_jobs(threads: Sequence[int]) -> list[_Job]:
    return [_matchup_job(*row, workers) for row in MATCHUPS for workers in threads]


def roster() -> list[str]:
    """The strategies for two players that come with simgin: all but those made for games alone."""
    return [name for name in loader.built_in() if not catalogue.alone(name)]


def _roster_jobs() -> list[_Job]:
    """Every strategy of the roster against itself, on one thread."""
    return [
        _matchup_job(f"{name}, eaai deals", "eaai", name, name, "deal", 1, ROSTER_DEALS)
        for name in roster()
    ]


def _matchup_job(
    name: str,
    variant: str,
    a: str,
    b: str | None,
    unit: Literal["deal", "match"],
    workers: int,
    size: int | None = None,
) -> _Job:
    """A matchup on some threads, played as every command plays it; a round is a whole batch unless its size is given."""
    matchup = parse_matchup(a, b, variant, SEED, unit)
    each = size or matchup.batch * (2 if matchup.mirrored else 1)
    return _Job(
        name,
        "deals" if unit == "deal" else "matches",
        each,
        lambda n: runner.run_matchup(matchup, n * each, workers),
        workers,
    )
