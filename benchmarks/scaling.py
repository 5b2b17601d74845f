"""Measure the cost of coordinating a cluster, and how many cores one process can serve.

    python benchmarks/scaling.py

The script plays on a cluster of local processes, which share the cores of this machine with the
loop. The results are in docs/explanation/scaling.md.
"""

import os
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.play.parallel import count_usable_cpus
from simgin.runs import block, ledger, runner
from simgin.runs.block import Task
from simgin.runs.cluster import ClusterPool
from simgin.runs.ledger import pack_rows
from simgin.runs.runner import ThreadPool

ROWS_PER_BLOCK = 2000  # batch rows per large block, which a fast strategy plays in ten seconds
N_PROCESSES = 8
N_REPETITIONS = 5  # only the best repetition is used, because timings are noisy
N_FETCHES = 200
# Durations of the warm-up and of each measured run
WARM_UP_SECONDS, RUN_SECONDS = 3.0, 20.0
FAST_STRATEGY, SLOW_STRATEGY = "gold", "sigra"


class ReusablePool:
    """Worker pool that stays open after a run, so that the next run uses warm workers."""

    def __init__(self, pool):
        self._pool = pool
        self.n_blocks = 0  # number of finished blocks

    def __getattr__(self, name):
        return getattr(self._pool, name)

    def next_result(self, timeout=None):
        """Return the next finished block, and count the block."""
        result = self._pool.next_result(timeout)
        self.n_blocks += result is not None
        return result

    def close(self):
        """Leave the pool open for the next run."""


@dataclass(frozen=True)
class RunSpeed:
    """Speed of a run in deals and blocks per second, and the CPU time of its coordination.

    `coordination_cpu_share` is the CPU time of this process as a proportion of one core.
    """

    deals_per_second: float
    blocks_per_second: float
    coordination_cpu_share: float


def measure_min_seconds(function):
    """Return the shortest duration of several calls of a function, in seconds."""
    seconds = []
    for _ in range(N_REPETITIONS):
        start_time = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start_time)
    return min(seconds)


@contextmanager
def open_new_ledger():
    """Open a new ledger in a temporary directory."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ledger.open_ledger(Path(folder) / ledger.LEDGER_FILE, {}) as run_ledger,
    ):
        yield run_ledger


def measure_run_speed(matchup, pool):
    """Measure the speed of a run that lasts `RUN_SECONDS` on a warm pool."""
    task = Task(matchup, 2 * matchup.batch_size * 10_000_000)
    with open_new_ledger() as run_ledger:
        runner.run_tasks([task], run_ledger, ReusablePool(pool), seconds=WARM_UP_SECONDS)
    with open_new_ledger() as run_ledger:
        warm_pool = ReusablePool(pool)
        start_time, cpu_seconds = time.perf_counter(), time.process_time()
        (task_result,) = runner.run_tasks([task], run_ledger, warm_pool, seconds=RUN_SECONDS)
        seconds, cpu_seconds = time.perf_counter() - start_time, time.process_time() - cpu_seconds
    return RunSpeed(
        2 * task_result.units / seconds, warm_pool.n_blocks / seconds, cpu_seconds / seconds
    )


@contextmanager
def use_tiny_blocks():
    """Limit blocks to one batch within a `with` statement."""
    old_settings = block.MIN_BLOCK_SECONDS, block.MAX_BLOCK_GROWTH
    block.MIN_BLOCK_SECONDS, block.MAX_BLOCK_GROWTH = 0.0, 1
    block.MAX_BLOCKS_PER_SECOND *= 1000
    yield
    block.MIN_BLOCK_SECONDS, block.MAX_BLOCK_GROWTH = old_settings
    block.MAX_BLOCKS_PER_SECOND //= 1000


def measure_fetch_time(pool, result_bytes):
    """Return the CPU seconds to fetch `result_bytes` bytes, beyond those for an empty result."""
    elapsed = {0: 0.0, result_bytes: 0.0}
    for _ in range(N_FETCHES):
        for n_bytes in elapsed:
            start_time = time.process_time()
            pool.client.submit(os.urandom, n_bytes, pure=False).result()
            elapsed[n_bytes] += time.process_time() - start_time
    return (elapsed[result_bytes] - elapsed[0]) / N_FETCHES


def measure_commit_time(matchup, packed_block):
    """Return the time for committing a large block, in seconds."""
    with open_new_ledger() as run_ledger:
        units = [matchup.batch_size] * ROWS_PER_BLOCK
        return measure_min_seconds(
            lambda: run_ledger.add_block(0, 0, units, packed_block, "worker")
        )


def print_speed(title, speed):
    """Print the deals and blocks per second of a run."""
    deals, blocks = speed.deals_per_second, speed.blocks_per_second
    print(f"{title}: {deals:,.0f} deals and {blocks:.1f} blocks per second")


def print_coordination_cpu_share(speed):
    """Print the CPU time of client and scheduler as a percentage of one core."""
    print(f"    client and scheduler use {100 * speed.coordination_cpu_share:.1f} % of one core")


def main():
    """Measure and print all costs of coordination."""
    fast_matchup, slow_matchup = (
        parse_matchup(a, "simple", "standard", 1, "deal") for a in (FAST_STRATEGY, SLOW_STRATEGY)
    )
    pool = ClusterPool(f"local:{N_PROCESSES}")
    pool.prepare([fast_matchup, slow_matchup])
    for matchup in (slow_matchup, fast_matchup):
        print_speed(
            f"{matchup.title}, {count_usable_cpus()} threads",
            measure_run_speed(matchup, ThreadPool()),
        )
        speed = measure_run_speed(matchup, pool)
        print_speed(f"{matchup.title}, {N_PROCESSES} processes", speed)
        print_coordination_cpu_share(speed)
    with use_tiny_blocks():
        tiny_block_speed = measure_run_speed(fast_matchup, pool)
    print_speed(
        f"{fast_matchup.title}, {N_PROCESSES} processes in blocks of one batch", tiny_block_speed
    )
    print_coordination_cpu_share(tiny_block_speed)

    units = [fast_matchup.batch_size] * ROWS_PER_BLOCK
    start_time = time.perf_counter()
    rows = kernel.play_batches(fast_matchup, 0, fast_matchup.batch_size * ROWS_PER_BLOCK)
    play_seconds = (time.perf_counter() - start_time) / ROWS_PER_BLOCK
    blob = pack_rows(rows)
    check_seconds = (
        measure_min_seconds(lambda: block.check_rows(fast_matchup, units, rows)) / ROWS_PER_BLOCK
    )
    pack_seconds = measure_min_seconds(lambda: pack_rows(rows)) / ROWS_PER_BLOCK
    print(
        f"To play a batch of 1,000 pairs, a worker takes {1e3 * play_seconds:.2f} ms. It takes "
        f"{1e6 * check_seconds:.0f} microseconds to check the batch, and "
        f"{1e6 * pack_seconds:.0f} microseconds to pack {rows.nbytes // ROWS_PER_BLOCK} bytes into "
        f"{len(blob) / ROWS_PER_BLOCK:.0f}."
    )
    fetch_seconds = measure_fetch_time(pool, len(blob)) / ROWS_PER_BLOCK
    commit_seconds = measure_commit_time(fast_matchup, blob) / ROWS_PER_BLOCK
    pool.close()
    print(
        f"The loop takes {1e6 * fetch_seconds:.2f} microseconds to fetch the batch, and "
        f"{1e6 * commit_seconds:.2f} microseconds to commit it."
    )
    cpu_seconds_per_block = (
        tiny_block_speed.coordination_cpu_share / tiny_block_speed.blocks_per_second
    )
    cpu_proportion = block.MAX_BLOCKS_PER_SECOND * cpu_seconds_per_block
    n_cores = (1 - cpu_proportion) * play_seconds / (fetch_seconds + commit_seconds)
    print(
        f"A block costs client and scheduler {1e3 * cpu_seconds_per_block:.1f} ms of CPU time. "
        f"{block.MAX_BLOCKS_PER_SECOND} blocks per second use {100 * cpu_proportion:.0f} % of one "
        f"core. The rest of the core can commit the results of {n_cores:,.0f} cores that play "
        f"{FAST_STRATEGY}."
    )


if __name__ == "__main__":
    main()
