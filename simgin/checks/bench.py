"""Benchmark that measures the speed of deadwood calculation, best discards and play.

Times vary between machines and over time. If times are divided by the time of the calibration
kernel, a fixed integer loop in the same run, the ratios are almost constant. The speed of each task
is the best of several repetitions. The repetitions of different tasks alternate, so that a
disturbance does not affect all repetitions of a task.

A comparison measures two installations alternately in separate processes, so that changes in the
machine's speed affect both installations. A comparison can also use an earlier measurement from a
file.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numba import int64, types

from simgin.checks.c_program import compile_c_program
from simgin.core import rng
from simgin.core.batch_kernel import add_deal_statistics, add_unit_to_batch_row
from simgin.core.bits import lowest_bit
from simgin.core.codes import SLOTS
from simgin.core.deadwood import best_discards, deadwood, highest_value_cards
from simgin.core.jit import compile_function
from simgin.core.policy_types import PARAMS_TYPE, POLICY_TYPE, RULES_TYPE, VIEW_TYPE
from simgin.core.shuffle import start_shuffle, swap_hands_for_dealer
from simgin.core.state import create_state
from simgin.core.view import VIEW_DTYPE
from simgin.play import parallel, specialized_kernel
from simgin.play.kernel import compile_batch_kernel, compile_policies, play_batches
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.runs import runner
from simgin.strategy import catalogue, compiler, loader
from simgin.text.files import read_text
from simgin.text.messages import SimginError

SEED = 1
N_HANDS = 100_000
HANDS_PER_DECK = 10  # number of hands in play per shuffled deck
REPETITIONS_PER_TASK = 5
# Number of deals for measuring the time that each part of a deal takes. The views of the deals must
# fit into the CPU cache.
N_TRACED_DEALS = 100
# minimum duration of the trial run that determines the size of a repetition, in seconds
MIN_TRIAL_SECONDS = 0.02

# name, variant, strategies A and B, and unit
BENCH_MATCHUPS: tuple[tuple[str, str, str, str | None, Literal["deal", "match"]], ...] = (
    ("simple v simple, eaai deals", "eaai", "simple", "simple", "deal"),
    ("gold v gold, deals", "standard", "gold", "gold", "deal"),
    ("gold-early v simple, deals", "standard", "gold-early", "simple", "deal"),
    ("simple v simple, matches", "standard", "simple", "simple", "match"),
    ("gold, solitaire-gin deals", "solitaire-gin", "gold", None, "deal"),
    ("gold, gin-solitaire deals", "gin-solitaire", "gold", None, "deal"),
)
QUERY_VIEWS_SIGNATURE = int64(
    types.Array(VIEW_TYPE, 1, "C"), RULES_TYPE, PARAMS_TYPE, POLICY_TYPE, int64
)
# Suffixes of the names of tasks
GENERIC_TASK_SUFFIX, SPECIALIZED_TASK_SUFFIX, C_TASK_SUFFIX = (
    ", generic kernel",
    ", specialised kernel",
    ", C program",
)
# number of deals per round; the slowest strategy plays a few dozen deals per second
SELF_PLAY_DEALS = 10


@dataclass(frozen=True)
class Measurement:
    """Measured speed of one benchmark task.

    `unit` is "blocks", "hands", "deals" or "matches". `ratio` is the time per unit divided by the
    time per block of the calibration kernel on one thread. `speedup` is relative to one thread.
    `mean` is the mean deadwood of the hands (after the best discard), which must be equal on all
    machines.
    """

    figure: str
    unit: str
    threads: int
    per_second: float
    ratio: float
    speedup: float
    mean: float | None


@dataclass(frozen=True)
class _BenchTask:
    """Task that the benchmark times in rounds of `round_size` units."""

    name: str
    unit: str
    round_size: int
    play_rounds: Callable[[int], object]
    threads: int = 1
    mean_deadwood: float | None = None


def measure_speeds(seconds: float, threads: Sequence[int]) -> list[Measurement]:
    """Measure the speed of all benchmark tasks, starting with the calibration kernel.

    Args:
        seconds: Approximate time per measurement.
        threads: Numbers of threads with which every matchup is measured.
    """
    tasks = [
        *_make_kernel_tasks(),
        *_iter_deal_part_tasks(),
        *_iter_matchup_tasks(threads),
        *_iter_c_comparison_tasks(),
    ]
    with specialized_kernel.disable_specialized_kernels():
        rates = _measure_best_rates(tasks, seconds)
    measured_tasks = list(zip(tasks, rates, strict=True))
    rate_on_one_thread = {task.name: rate for task, rate in measured_tasks if task.threads == 1}
    return [
        Measurement(
            task.name,
            task.unit,
            task.threads,
            rate,
            ratio=rates[0] / rate,
            speedup=rate / rate_on_one_thread[task.name],
            mean=task.mean_deadwood,
        )
        for task, rate in measured_tasks
    ]


def choose_thread_counts() -> list[int]:
    """Return the numbers of threads to measure: 1, 2 and the number of usable cores."""
    n_cores = parallel.count_usable_cpus()
    return sorted({1, min(2, n_cores), n_cores})


def _measure_best_rates(tasks: Sequence[_BenchTask], seconds: float) -> list[float]:
    """Return the best speed of every task over all repetitions, in units per second."""
    rounds = [_choose_round_count(task, seconds / REPETITIONS_PER_TASK) for task in tasks]
    best_seconds = [float("inf")] * len(tasks)
    for _ in range(REPETITIONS_PER_TASK):
        for i, task in enumerate(tasks):
            seconds_per_unit = _time_task(task, rounds[i]) / (rounds[i] * task.round_size)
            best_seconds[i] = min(best_seconds[i], seconds_per_unit)
    return [1 / seconds_per_unit for seconds_per_unit in best_seconds]


def _choose_round_count(task: _BenchTask, seconds: float) -> int:
    """Compile a task by calling it once, and return the number of rounds that take a given time."""
    task.play_rounds(1)
    n_rounds, elapsed_seconds = 1, _time_task(task, 1)
    while elapsed_seconds < min(MIN_TRIAL_SECONDS, seconds):
        n_rounds *= 2
        elapsed_seconds = _time_task(task, n_rounds)
    return max(1, round(n_rounds * seconds / elapsed_seconds))


def _time_task(task: _BenchTask, n_rounds: int) -> float:
    """Return the CPU time of a task that uses one thread, or the elapsed time with several threads.

    Other programs affect the elapsed time of a task, but hardly its CPU time.
    """
    clock = time.process_time if task.threads == 1 else time.perf_counter
    start_time = clock()
    task.play_rounds(n_rounds)
    return max(clock() - start_time, 1e-9)


# Kernels


def _make_kernel_tasks() -> list[_BenchTask]:
    """Return the benchmark tasks that time the calibration, deadwood and best-discard kernels."""
    rules = build_rules(variants.find_variant("standard"))
    calibrate, deal, fill_in_play = map(
        _compile_kernel, (_run_calibration, _fill_dealt_hands, _fill_hands_in_play)
    )
    add_deadwood, add_best = map(_compile_kernel, (_sum_deadwood, _sum_best_deadwood))
    ten_card_hands, eleven_card_hands, hands_in_play = np.zeros((3, N_HANDS), np.int64)
    deal(create_state(SEED), 10, ten_card_hands)
    deal(create_state(SEED), 11, eleven_card_hands)
    fill_in_play(create_state(SEED), rules, hands_in_play)

    def make_hand_task(name: str, kernel: Any, hands: np.ndarray) -> _BenchTask:
        def play_rounds(n_rounds: int) -> object:
            return kernel(hands, rules, n_rounds)

        return _BenchTask(
            name, "hands", N_HANDS, play_rounds, mean_deadwood=kernel(hands, rules, 1) / N_HANDS
        )

    return [
        _BenchTask(
            "calibration, blocks", "blocks", N_HANDS, lambda rounds: calibrate(rounds * N_HANDS)
        ),
        make_hand_task("deadwood, dealt hands", add_deadwood, ten_card_hands),
        make_hand_task("best discard, dealt hands", add_best, eleven_card_hands),
        make_hand_task("best discard, hands in play", add_best, hands_in_play),
    ]


def _compile_kernel(kernel: Any) -> Any:
    """Compile a benchmark kernel without using the cache."""
    return compile_function(kernel, use_cache=False)


def _run_calibration(n_blocks):  # type: ignore[no-untyped-def]
    """Run the calibration task, which generates `n_blocks` blocks of random words.

    Each block depends on the previous block. Otherwise, LLVM would use vector instructions, whose
    speed relative to the engine differs between machines by a factor of six.
    """
    checksum = 0
    for _ in range(n_blocks):
        words = rng.generate_random_words(1, checksum, 0, 0, rng.DOMAIN_BOOTSTRAP)
        checksum = words[0] ^ words[1] ^ words[2] ^ words[3]
    return checksum


def _fill_dealt_hands(state, n_cards, hands):  # type: ignore[no-untyped-def]
    """Fill `hands` with the first `n_cards` cards of shuffled decks."""
    for i in range(hands.shape[0]):
        state.unit = i
        start_shuffle(state)
        for position in range(n_cards):
            hands[i] |= 1 << int(state.pack[position])


def _fill_hands_in_play(state, rules, hands):  # type: ignore[no-untyped-def]
    """Fill `hands` with eleven-card hands that occur if a player always makes the best discard."""
    hand = 0
    for i in range(hands.shape[0]):
        turn = i % HANDS_PER_DECK
        if turn == 0:
            state.unit = i // HANDS_PER_DECK
            start_shuffle(state)
            hand = 0
            for position in range(10):
                hand |= 1 << int(state.pack[position])
        hand |= 1 << int(state.pack[10 + turn])
        hands[i] = hand
        hand ^= 1 << lowest_bit(highest_value_cards(best_discards(hand, hand, rules)[1], rules)[0])


def _sum_deadwood(hands, rules, n_repetitions):  # type: ignore[no-untyped-def]
    """Return the total deadwood of all hands in points, summed over all repetitions."""
    total = 0
    for _ in range(n_repetitions):
        for i in range(hands.shape[0]):
            total += deadwood(hands[i], rules)
    return total


def _sum_best_deadwood(hands, rules, n_repetitions):  # type: ignore[no-untyped-def]
    """Return the total deadwood after the best discards in points, summed over all repetitions."""
    total = 0
    for _ in range(n_repetitions):
        for i in range(hands.shape[0]):
            total += best_discards(hands[i], hands[i], rules)[0]
    return total


# Parts of a deal


def _iter_deal_part_tasks() -> Iterator[_BenchTask]:
    """Yield a benchmark task for each part of a deal, such as the shuffle."""
    figure, variant, a, b, unit = BENCH_MATCHUPS[0]
    matchup = parse_matchup(a, b, variant, SEED, unit)
    rules = build_rules(matchup.variant)
    deals = [trace_deal(matchup, unit_index) for unit_index in range(N_TRACED_DEALS)]
    decisions = [decision for deal in deals for decision in deal.decisions]
    kernels = (_shuffle_decks, _sum_best_deadwood, _add_deal_sums)
    shuffle, add_best, add_sums = map(_compile_kernel, kernels)
    query_views = compile_function(_query_views, QUERY_VIEWS_SIGNATURE, use_cache=False)
    views_by_slot = {
        slot: [decision.view for decision in decisions if decision.slot == slot] for slot in SLOTS
    }
    hands = np.array([view.hand for view in views_by_slot["discard"]], np.int64)
    policies = [
        (
            np.array(views_by_slot[policy.slot], VIEW_DTYPE),
            compiler.make_parameter_vector(policy, rules),
            compiler.compile_policy(policy),
        )
        for policy in matchup.a.policies
        if views_by_slot[policy.slot]
    ]

    def query_policies(n_rounds: int) -> None:
        for views, params, policy_function in policies:
            query_views(views, rules, params, policy_function, n_rounds)

    functions_by_part: dict[str, Callable[[int], object]] = {
        "shuffle": lambda rounds: shuffle(create_state(SEED), rounds * N_TRACED_DEALS),
        "best discards": lambda rounds: add_best(hands, rules, rounds),
        "policies": query_policies,
        "sums": lambda rounds: add_sums(deals[0].state, rounds * N_TRACED_DEALS),
    }
    for part, play_rounds in functions_by_part.items():
        yield _BenchTask(f"{part} of {figure}", "deals", N_TRACED_DEALS, play_rounds)


def _shuffle_decks(state, n_units):  # type: ignore[no-untyped-def]
    """Shuffle the decks of `n_units` units."""
    for i in range(n_units):
        state.unit = i
        start_shuffle(state)
        swap_hands_for_dealer(state)


def _add_deal_sums(state, n_units):  # type: ignore[no-untyped-def]
    """Add the statistics of one finished deal to a batch row `n_units` times."""
    for _ in range(n_units):
        add_deal_statistics(state, 0)
        add_unit_to_batch_row(state)


def _query_views(views, rules, params, policy_function, n_repetitions):  # type: ignore[no-untyped-def]
    """Query a policy for every view, `n_repetitions` times."""
    total = 0
    for _ in range(n_repetitions):
        for i in range(views.shape[0]):
            total += policy_function(views[i], rules, params)
    return total


# Matchups


def list_two_player_strategies() -> list[str]:
    """Return the names of the built-in strategies for two players."""
    return [
        name for name in loader.list_built_in_strategies() if not catalogue.is_solo_strategy(name)
    ]


def _iter_matchup_tasks(threads: Sequence[int]) -> Iterator[_BenchTask]:
    """Yield a task for each matchup and thread count, and for the self-play of each strategy.

    A round is a complete batch. In self-play, a built-in strategy uses one thread and plays rounds
    of a few deals.
    """
    for figure, variant, a, b, unit in BENCH_MATCHUPS:
        matchup = parse_matchup(a, b, variant, SEED, unit)
        size = matchup.batch_size * (2 if matchup.is_mirrored else 1)
        for workers in threads:
            yield _make_matchup_task(figure, matchup, size, workers)
    for name in list_two_player_strategies():
        matchup = parse_matchup(name, name, "eaai", SEED, "deal")
        yield _make_matchup_task(f"{name}, eaai deals", matchup, SELF_PLAY_DEALS, 1)


def _make_matchup_task(name: str, matchup: Matchup, round_size: int, threads: int) -> _BenchTask:
    """Return a task that plays a matchup in the same way as commands do."""

    def play_rounds(n_rounds: int) -> object:
        return runner.run_matchup(matchup, n_rounds * round_size, threads)

    unit = "deals" if matchup.unit == "deal" else "matches"
    return _BenchTask(name, unit, round_size, play_rounds, threads)


def _iter_c_comparison_tasks() -> Iterator[_BenchTask]:
    """Yield tasks that play the first matchup with both kernels and with the C program.

    If the C program is not available, there are no tasks. Unlike commands, the tasks do not use the
    runner, whose overhead would increase the ratio.
    """
    figure, variant, a, b, unit = BENCH_MATCHUPS[0]
    if (play_c := compile_c_program()) is None:
        return
    matchup = parse_matchup(a, b, variant, SEED, unit)
    policies, rules = tuple(compile_policies(matchup)), build_rules(matchup.variant).tobytes()
    specialized_kernel.find_kernel(
        compile_batch_kernel(len(matchup.players)), policies, rules
    ).specialize()
    units_per_round = matchup.batch_size

    def play_engine(n_rounds: int, is_specialized: bool) -> object:
        with specialized_kernel.allow_specialized_kernels(is_specialized):
            return play_batches(matchup, 0, n_rounds * units_per_round)

    for suffix, is_specialized in ((GENERIC_TASK_SUFFIX, False), (SPECIALIZED_TASK_SUFFIX, True)):
        play_rounds = partial(play_engine, is_specialized=is_specialized)
        yield _BenchTask(f"{figure}{suffix}", "deals", units_per_round, play_rounds)
    yield _BenchTask(
        f"{figure}{C_TASK_SUFFIX}",
        "deals",
        units_per_round,
        lambda rounds: play_c(SEED, rounds * units_per_round),
    )


N_COMPARISON_ROUNDS = 5  # number of measurements of each installation
MIN_VALID_RATIO = 1e-12  # minimum valid ratio; its reciprocal is the maximum
# The option -P prevents imports from the working directory.
THIS_INSTALLATION_COMMAND = [sys.executable, "-P", "-m", "simgin"]

MeasurementRow = Mapping[str, Any]  # row of `simgin bench --json`
MeasurementRound = Sequence[MeasurementRow]


class BenchError(SimginError):
    """Exception for a measurement that fails or cannot be read, with a suggested fix."""


@dataclass(frozen=True)
class SpeedChange:
    """Speeds of one task in two installations, and the ratio of the speeds.

    `before` and `now` are medians of the ratios to the calibration kernel. `faster` is the median
    of before / now over the rounds. `low` and `high` are the minimum and maximum of before / now,
    or None if there is only one round.
    """

    figure: str
    threads: int
    before: float
    now: float
    faster: float
    low: float | None
    high: float | None


def read_measurements(path: Path) -> list[MeasurementRound]:
    """Return the measurements in a file from `simgin bench --save` as a single round.

    Raises:
        BenchError: If the file does not contain measurements.
    """
    try:
        return [_parse_rows(read_text(path))]
    except (OSError, ValueError, RecursionError):
        raise BenchError(
            f"{path} is neither an installation of simgin nor a file written by `simgin bench "
            "--save`. Specify another path."
        ) from None


def _parse_rows(text: str) -> MeasurementRound:
    """Parse rows of measurements from JSON, or raise ValueError if a row is invalid."""
    saved_data = json.loads(text)
    rows = saved_data.get("rows") if isinstance(saved_data, dict) else None
    if not isinstance(rows, list) or not rows or not all(map(_is_measurement, rows)):
        raise ValueError("no figures")
    return rows


def _is_measurement(row: object) -> bool:
    """Return True if a row of a benchmark file is a complete measurement."""
    match row:
        case {"figure": str(), "threads": int(), "ratio": float() | int() as ratio}:
            return MIN_VALID_RATIO < ratio < 1 / MIN_VALID_RATIO
    return False


def find_installation(path: Path) -> Path | None:
    """Return the absolute path of the `simgin` program of another installation.

    The path is absolute because the operating system searches PATH for a program name without a
    directory.

    Args:
        path: Path of the program or of the virtual environment that contains it.

    Returns:
        Path of the program, or None if it does not exist. A JSON file is not a program, even if the
        file system reports it as executable.
    """
    for program in (path, path / "bin" / "simgin"):
        is_program = program.is_file() and program.suffix != ".json"
        if is_program and os.access(program, os.X_OK):
            return program.absolute()
    return None


def measure_alternately(
    other_program: Path, seconds: float, on_progress: Callable[[str], None] = lambda _: None
) -> tuple[list[MeasurementRound], list[MeasurementRound]]:
    """Measure another installation and this installation in alternating rounds.

    Args:
        other_program: Path of the `simgin` program of the other installation.
        seconds: Approximate time per measurement.
        on_progress: Function that is called with a progress message.

    Returns:
        Rounds of the other installation, and rounds of this installation.

    Raises:
        BenchError: If one of the installations cannot be measured.
    """
    other_rounds, own_rounds = [], []
    for round_number in range(1, N_COMPARISON_ROUNDS + 1):
        on_progress(f"round {round_number} of {N_COMPARISON_ROUNDS}")
        other_rounds.append(_measure_program([str(other_program)], seconds))
        own_rounds.append(_measure_program(THIS_INSTALLATION_COMMAND, seconds))
    return other_rounds, own_rounds


def compare_speeds(
    before: Sequence[MeasurementRound], after: Sequence[MeasurementRound]
) -> list[SpeedChange]:
    """Compare the speeds of all tasks that both installations have measured."""
    changes = []
    old_rounds, new_rounds = (list(map(_map_ratios_by_task, rounds)) for rounds in (before, after))
    for key in new_rounds[0]:
        if not all(key in ratios for ratios in [*old_rounds, *new_rounds]):
            continue
        old_ratios, new_ratios = (
            [round_ratios[key] for round_ratios in rounds] for rounds in (old_rounds, new_rounds)
        )
        speed_ratios = [old / new for old, new in zip(old_ratios, new_ratios, strict=True)]
        has_several_rounds = len(speed_ratios) > 1
        change = SpeedChange(
            *key,
            before=statistics.median(old_ratios),
            now=statistics.median(new_ratios),
            faster=statistics.median(speed_ratios),
            low=min(speed_ratios) if has_several_rounds else None,
            high=max(speed_ratios) if has_several_rounds else None,
        )
        changes.append(change)
    return changes


def list_uncompared_tasks(
    before: Sequence[MeasurementRound], after: Sequence[MeasurementRound]
) -> list[str]:
    """Return the tasks that are missing in a round, such as `gold v gold, deals (threads: 8)`."""
    rounds = [_map_ratios_by_task(measurement_round) for measurement_round in [*before, *after]]
    keys = dict.fromkeys(key for ratios in rounds for key in ratios)
    return [
        f"{figure} (threads: {threads})"
        for figure, threads in keys
        if not all((figure, threads) in ratios for ratios in rounds)
    ]


def _map_ratios_by_task(rows: MeasurementRound) -> dict[tuple[str, int], float]:
    """Return the ratio of each measurement, keyed by task name and number of threads."""
    return {(row["figure"], row["threads"]): row["ratio"] for row in rows}


def compute_time_proportions(rows: Sequence[MeasurementRow]) -> dict[str, float]:
    """Return the proportion of time that each part of a deal takes in the first matchup.

    The entry "turns" contains the remaining time.
    """
    ratios = {row["figure"]: row["ratio"] for row in rows if row["threads"] == 1}
    deal_figure = BENCH_MATCHUPS[0][0]
    figures = [figure for figure in ratios if figure.endswith(f" of {deal_figure}")]
    proportions = {part.split(" of ")[0]: ratios[part] / ratios[deal_figure] for part in figures}
    return {**proportions, "turns": 1 - sum(proportions.values())}


def compare_with_c(rows: Sequence[MeasurementRow]) -> tuple[float, float] | None:
    """Return the times of the generic and the specialised kernel, divided by the time in C.

    If the C program has not been measured, the result is None.
    """
    ratios = {row["figure"]: row["ratio"] for row in rows if row["threads"] == 1}
    figure = BENCH_MATCHUPS[0][0]
    if (c_ratio := ratios.get(f"{figure}{C_TASK_SUFFIX}")) is None:
        return None
    return ratios[f"{figure}{GENERIC_TASK_SUFFIX}"] / c_ratio, ratios[
        f"{figure}{SPECIALIZED_TASK_SUFFIX}"
    ] / c_ratio


def _measure_program(program: Sequence[str], seconds: float) -> MeasurementRound:
    """Run `simgin bench` in an installation, and return its measurements."""
    command = [*program, "bench", "--seconds", f"{seconds:g}", "--json"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return _parse_rows(process.stdout)
    except ValueError:
        last_line = process.stderr.strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        raise BenchError(
            f"the speed of {command[0]} could not be measured ({last_line[0]}). Check that simgin "
            "works in that installation."
        ) from None
