"""Execution of runs: a worker pool plays missing blocks, and a ledger stores the results.

The default pool uses threads of this process. Threads run in parallel because the kernels release
the interpreter lock. The threads are daemon threads, so that a strategy that never returns can be
interrupted and does not keep the process alive.

Results do not depend on the size or order of the blocks or on the workers. Results are computed
from the batch rows in the ledger. Each row depends only on its matchup and batch index.

An extra pass plays a block of a matchup and also computes other results. After the whole block has
been played, the batch rows are stored in the ledger. The other results are stored there as arrays,
under the name and size of the pass.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from simgin.core import batch_columns, jit
from simgin.play import kernel, parallel
from simgin.play.matchup import Matchup
from simgin.runs.block import (
    Block,
    BlockResult,
    Schedule,
    Task,
    check_block,
    count_remaining_units,
    play_block,
)
from simgin.runs.ledger import Ledger, open_ledger, pack_rows
from simgin.runs.stopping import UNREACHED_SUFFIX, StoppingRule, StopResult
from simgin.text.messages import print_status

if TYPE_CHECKING:
    from simgin.runs.cluster import ClusterPool

    WorkerPool: TypeAlias = "ThreadPool | ClusterPool"


INTERRUPT_TIMEOUT_SECONDS = 2.0  # seconds for which an interrupted run waits for blocks in progress


class ThreadPool:
    """Pool of worker threads with a queue that holds one additional block per thread.

    Args:
        workers: Number of threads, or None for the number of usable cores.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or parallel.count_usable_cpus()
        self.max_pending = 2 * self.workers  # number of blocks that are submitted in advance
        self._queue = queue.SimpleQueue[Block | None]()
        self._results = queue.SimpleQueue[BlockResult]()
        self._threads: list[threading.Thread] = []

    def prepare(self, matchups: Iterable[Matchup]) -> None:
        """Compile all kernels, so that errors in strategies occur before the first deal."""
        for matchup in matchups:
            kernel.compile_matchup(matchup)

    def submit(self, block: Block) -> None:
        """Submit a block to the threads."""
        self._queue.put(block)
        if len(self._threads) < self.workers:
            name = f"thread {len(self._threads) + 1}"
            thread = threading.Thread(target=self._run, args=(name,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def next_result(self, timeout: float | None = None) -> BlockResult | None:
        """Wait for the next finished block, and return its result, or None after a timeout."""
        try:
            return self._results.get(timeout=timeout)
        except queue.Empty:
            return None

    def cancel(self, after_block: Block | None = None) -> int:
        """Cancel the blocks that no thread has started, and return their number.

        Blocks are started in order, so all cancelled blocks come after the finished blocks.
        """
        n_cancelled = 0
        with contextlib.suppress(queue.Empty):
            while True:
                self._queue.get_nowait()
                n_cancelled += 1
        return n_cancelled

    def close(self) -> None:
        """Stop the threads."""
        for _ in self._threads:
            self._queue.put(None)

    def _run(self, name: str) -> None:
        """Play the blocks in the queue until the queue is closed."""
        while (block := self._queue.get()) is not None:
            self._results.put(play_block(block, name))


class SerialPool(ThreadPool):
    """Pool without threads, so that a debugger can use the terminal.

    `next_result` plays the blocks.
    """

    def __init__(self) -> None:
        super().__init__(1)
        self.max_pending = 1

    def submit(self, block: Block) -> None:
        """Store a block until the next call to `next_result`."""
        self._queue.put(block)

    def next_result(self, timeout: float | None = None) -> BlockResult | None:
        """Play the submitted block and return its result, or return None without a block."""
        block = None if self._queue.empty() else self._queue.get()
        return None if block is None else play_block(block)


def make_pool(workers: int | None, scheduler: str | None = None) -> WorkerPool:
    """Return a pool of threads or dask workers, or a pool without threads for debugging."""
    if scheduler is not None:
        from simgin.runs.cluster import ClusterPool

        return ClusterPool(scheduler, print_status)
    return SerialPool() if jit.is_interpreted() else ThreadPool(workers)


class _StoppingMonitor:
    """Monitor that applies a stopping rule to the batches of a matchup in order."""

    def __init__(self, stopping_rule: StoppingRule) -> None:
        self._rule = stopping_rule
        self._total = np.zeros(batch_columns.N_COLUMNS, np.int64)
        self._next_batch = 0
        self._waiting: dict[int, np.ndarray] = {}
        # number of units when the run stopped, and decision of the stopping rule
        self.stop: tuple[int, str] | None = None

    def add(self, first_batch: int, rows: np.ndarray) -> None:
        """Add batch rows, and apply the stopping rule up to the first missing batch.

        Args:
            first_batch: Index of the first batch.
            rows: Batch rows, `(n_batches, N_COLUMNS) int64`.
        """
        for batch_index, row in enumerate(rows, start=first_batch):
            self._waiting[batch_index] = row
        while self.stop is None and self._next_batch in self._waiting:
            self._total += self._waiting.pop(self._next_batch)
            self._next_batch += 1
            if decision := self._rule.check_totals(self._total):
                self.stop = int(self._total[batch_columns.UNITS_COLUMN]), decision

    def result(self, task: Task) -> StopResult:
        """Return the number of units at which the matchup stopped, or the planned number."""
        units, decision = self.stop or (task.units, f"{self._rule.text}{UNREACHED_SUFFIX}")
        return StopResult(units, decision, self._rule.compute_multiplier(units))


def run_tasks(
    tasks: Sequence[Task],
    ledger: Ledger,
    pool: WorkerPool,
    on_progress: parallel.ProgressCallback | None = None,
    *,
    on_block: Callable[[BlockResult], None] | None = None,
    stopping_rules: Sequence[StoppingRule] = (),
    seconds: float | None = None,
    record_deals: bool = False,
) -> list[StopResult]:
    """Play the missing blocks of all matchups until each matchup is complete or stopped.

    If blocks fail, the run waits until all submitted blocks have returned, and raises the error
    with the smallest unit index. After Ctrl-C, KeyboardInterrupt is raised when the blocks in
    progress have finished, or after two seconds. In both cases, all valid results are committed.

    Args:
        tasks: Matchups with their sizes.
        ledger: Ledger that contains the finished batches and receives the new batches.
        pool: Worker pool, which is closed at the end.
        on_progress: Function that is called with `Schedule.progress`.
        on_block: Function that is called with every block after it has been committed.
        stopping_rules: One stopping rule per matchup, or an empty sequence.
        seconds: Time limit per matchup in seconds, or None for no limit.
        record_deals: True to store the deals as well.

    Returns:
        Number of units played and reason for stopping, for every matchup.
    """
    schedule = Schedule(tasks, ledger, pool.workers, record_deals=record_deals, time_limit=seconds)
    monitors = [_resume_monitor(ledger, i, tasks[i], rule) for i, rule in enumerate(stopping_rules)]
    try:
        _RunSession(schedule, ledger, pool, monitors, on_block).play(on_progress)
    finally:
        pool.close()
    if monitors:
        return [monitor.result(task) for task, monitor in zip(tasks, monitors, strict=True)]
    if seconds is not None:
        return [_make_timed_result(ledger, i, task, seconds) for i, task in enumerate(tasks)]
    return [StopResult(task.units) for task in tasks]


def run_matchup(matchup: Matchup, n_games: int, workers: int | None = None) -> np.ndarray:
    """Play deals or matches of a matchup in threads, and return one row of results per batch.

    Args:
        matchup: Matchup to play.
        n_games: Number of deals or matches.
        workers: Number of threads, or None for the number of usable cores.

    Returns:
        Batch rows in unit order, `(n_batches, N_COLUMNS) int64`. The batch rows are not stored in a
        ledger.
    """
    (rows,) = run_matchups([matchup], n_games, workers)
    return rows


def run_matchups(
    matchups: Sequence[Matchup],
    n_games: int,
    workers: int | None = None,
    on_progress: parallel.ProgressCallback | None = None,
    stopping_rules: Sequence[StoppingRule] = (),
) -> list[np.ndarray]:
    """Play several matchups in threads, and return the batch rows of each.

    If stopping rules are given, `n_games` is the maximum number of deals or matches.
    """
    tasks = [Task(matchup, n_games) for matchup in matchups]
    pool = ThreadPool(workers)
    pool.prepare(matchups)
    with open_ledger(None, {}) as ledger:
        stop_results = run_tasks(tasks, ledger, pool, on_progress, stopping_rules=stopping_rules)
        return [
            ledger.read_rows(i, stop_results[i].units, matchup.batch_size)
            for i, matchup in enumerate(matchups)
        ]


def _resume_monitor(
    ledger: Ledger, matchup_index: int, task: Task, stopping_rule: StoppingRule
) -> _StoppingMonitor:
    """Return a stopping monitor that has processed the batches in the ledger."""
    monitor = _StoppingMonitor(stopping_rule)
    finished = ledger.iter_finished_rows(matchup_index, task.units, task.matchup.batch_size)
    for batch_index, row in finished:
        monitor.add(batch_index, row[None])
    return monitor


def _make_timed_result(ledger: Ledger, index: int, task: Task, seconds: float) -> StopResult:
    """Return the number of units before the first missing batch in a run with a time limit."""
    batch_size = task.matchup.batch_size
    finished = ledger.find_finished_batches(index, batch_size)
    if not count_remaining_units(task, finished):
        return StopResult(task.units)
    first_missing = next(i for i in count() if (i, batch_size) not in finished)
    return StopResult(batch_size * first_missing, f"after {seconds:g} s")


class _RunSession:
    """Execution of a run, which submits blocks to a pool and processes their results."""

    def __init__(
        self,
        schedule: Schedule,
        ledger: Ledger,
        pool: WorkerPool,
        monitors: Sequence[_StoppingMonitor],
        on_block: Callable[[BlockResult], None] | None,
    ) -> None:
        self._schedule = schedule
        self._ledger = ledger
        self._pool = pool
        self._monitors = monitors
        self._on_block = on_block
        self._n_pending = 0
        self._failures: list[BlockResult] = []
        self._close_stopped_matchups()

    def play(self, on_progress: parallel.ProgressCallback | None) -> None:
        """Play all remaining blocks, and commit their results to the ledger."""
        try:
            self._report_progress(on_progress)
            self._submit_blocks()
            while self._n_pending:
                self._process_result(self._pool.next_result())
                self._submit_blocks()
                self._report_progress(on_progress)
        except KeyboardInterrupt:
            self._finish_after_interrupt()
            raise
        if self._failures:
            first_failure = min(
                self._failures,
                key=lambda failure: (failure.block.matchup_index, failure.block.first_batch),
            )
            assert first_failure.error is not None
            raise first_failure.error

    def _report_progress(self, on_progress: parallel.ProgressCallback | None) -> None:
        """Pass the progress of the schedule to the progress callback."""
        if on_progress is not None:
            on_progress(*self._schedule.progress)

    def _submit_blocks(self) -> None:
        """Submit blocks until the maximum number of blocks is pending."""
        while self._n_pending < self._pool.max_pending:
            block = self._schedule.next_block()
            if block is None:
                return
            self._pool.submit(block)
            self._n_pending += 1

    def _process_result(self, result: BlockResult | None) -> None:
        """Commit the result of a block, or stop the schedule if the block failed."""
        if result is None:
            return
        self._n_pending -= 1
        if result.error is not None:
            self._failures.append(result)
            self._schedule.stop()
            # Earlier blocks continue because one of them can contain an error with a smaller unit
            # index.
            self._n_pending -= self._pool.cancel(after_block=result.block)
            return
        self._commit(result)
        self._schedule.record_time(result.block, result.seconds)
        if self._monitors:
            self._monitors[result.block.matchup_index].add(
                result.block.first_batch, result.unpack_rows()
            )
            self._close_stopped_matchups()

    def _commit(self, result: BlockResult) -> None:
        """Commit the result of a block, and call the callback `on_block`."""
        commit_block(self._ledger, result)
        if self._on_block is not None:
            self._on_block(result)

    def _close_stopped_matchups(self) -> None:
        """Remove stopped matchups from the schedule."""
        for matchup_index, monitor in enumerate(self._monitors):
            if monitor.stop is not None:
                self._schedule.close_matchup(matchup_index)

    def _finish_after_interrupt(self) -> None:
        """Commit the blocks that finish within the timeout, and abandon the others."""
        self._n_pending -= self._pool.cancel()
        deadline = time.monotonic() + INTERRUPT_TIMEOUT_SECONDS
        while self._n_pending > 0:
            timeout = deadline - time.monotonic()
            result = self._pool.next_result(timeout) if timeout > 0 else None
            if result is None:
                return
            self._n_pending -= 1
            if result.error is None:
                self._commit(result)


def commit_block(ledger: Ledger, result: BlockResult) -> None:
    """Commit a finished block to the ledger."""
    block = result.block
    ledger.add_block(
        block.matchup_index,
        block.first_batch,
        block.sizes,
        result.packed_rows,
        result.worker,
        result.packed_deals,
    )


# Extra passes


# worker name for the blocks of extra passes, which are played in threads of this process
EXTRA_PASS_WORKER = "thread 1"
NamedArrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class ExtraPass:
    """Extra pass over part of a run, which computes results that batch rows do not contain.

    `name` identifies the pass in the ledger. `play` is a function of the block, the number of
    workers (None for all usable cores) and a progress function. `play` returns arrays that include
    the batch rows of the block as `rows`.
    """

    name: str
    block: Block
    play: Callable[[Block, int | None, parallel.ProgressCallback | None], NamedArrays]


def find_missing_passes(passes: Sequence[ExtraPass], ledger: Ledger) -> list[ExtraPass]:
    """Return the extra passes whose results the ledger does not contain."""
    return [
        extra_pass
        for extra_pass in passes
        if not ledger.has_step_result(extra_pass.name, extra_pass.block.units)
    ]


def play_passes(
    passes: Sequence[ExtraPass],
    ledger: Ledger,
    workers: int | None = None,
    on_progress: parallel.ProgressCallback | None = None,
    on_block: Callable[[BlockResult], None] | None = None,
) -> None:
    """Play the missing extra passes in sequence, and store their results."""
    missing_passes = find_missing_passes(passes, ledger)
    if on_progress is not None and missing_passes:
        on_progress(0, parallel.PROGRESS_STEPS_PER_PART * len(missing_passes))
    for pass_index, extra_pass in enumerate(missing_passes):
        start_time = time.perf_counter()
        block = extra_pass.block
        arrays = extra_pass.play(
            block,
            workers,
            parallel.make_progress_for_part(on_progress, pass_index, len(missing_passes)),
        )
        rows = arrays.pop("rows")
        check_block(block, rows, EXTRA_PASS_WORKER)
        result = BlockResult(
            block, EXTRA_PASS_WORKER, time.perf_counter() - start_time, pack_rows(rows)
        )
        commit_block(ledger, result)
        ledger.add_step_result(extra_pass.name, block.units, arrays)
        if on_block is not None:
            on_block(result)
        if on_progress is not None:
            on_progress(
                parallel.PROGRESS_STEPS_PER_PART * (pass_index + 1),
                parallel.PROGRESS_STEPS_PER_PART * len(missing_passes),
            )
