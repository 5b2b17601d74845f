"""Threads over blocks: plays the units of a matchup on several cores and merges the batch rows in the order of the units.

A block is any number of whole batches, so its size and the number of workers show nowhere in the result. Threads are
daemons: a strategy that never answers can be interrupted and does not hold the process.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from simgin import matchup as games
from simgin.core import jit
from simgin.experiment import Cell
from simgin.matchup import Matchup

Progress = Callable[[int, int], None]  # called with units done and units in all
Player = Callable[[Matchup, int, int], np.ndarray]

BLOCK_SECONDS = 0.5
GROWTH = 8  # a block is at most so many times the batches of the one before: the first one may hold the compilation
PATIENCE_SECONDS = 2.0  # how long an interruption waits for the blocks that are being played


@dataclass(frozen=True)
class _Done:
    """What a worker reports of one block."""

    first: int
    units: int
    rows: np.ndarray | None
    error: BaseException | None


class _Blocks:
    """Hands out blocks in the order of their units, sized by how fast the last ones went. Safe to share by threads."""

    def __init__(self, matchup: Matchup, units: int, workers: int) -> None:
        self._batch, self._units, self._workers = matchup.batch, units, workers
        self._next, self._size = 0, 1
        self._lock = threading.Lock()

    def take(self) -> tuple[int, int] | None:
        """First unit and number of units of the next block; None when nothing is left or the run was stopped."""
        with self._lock:
            left = -(-(self._units - self._next) // self._batch)
            if left <= 0:
                return None
            size = max(1, min(self._size, left // (2 * self._workers)))  # small blocks at the end keep all busy
            first, self._next = self._next, self._next + size * self._batch
            return first, min(self._next, self._units) - first

    def timed(self, units: int, seconds: float) -> None:
        """Aim the next blocks at half a second, given how long one of `units` took."""
        with self._lock:
            fitting = int(BLOCK_SECONDS * units / max(seconds, 1e-9) / self._batch)
            self._size = max(1, min(fitting, GROWTH * self._size))

    def stop(self) -> None:
        """Hand out nothing more."""
        with self._lock:
            self._next = self._units


def usable_cpus() -> int:
    """The number of processors this process may use, the default number of workers."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_matchup(
    matchup: Matchup,
    n: int,
    workers: int | None = None,
    progress: Progress | None = None,
    *,
    player: Player = games.play,
) -> np.ndarray:
    """Play `n` deals or matches and return the batch rows, int64 of shape (batches, sums.COLUMNS), in unit order.

    The rows depend on the matchup and `n` alone. An error in a block stops the run and is raised; of several, always the
    one with the smallest unit. KeyboardInterrupt leaves once the blocks being played are done, or after two seconds.
    `player` plays a range of units and stands in for `matchup.play` in tests.
    """
    if player is games.play:
        games.prepare(matchup)
    units = matchup.units(n)
    if workers == 1 and jit.interpreted():
        return player(matchup, 0, units)  # in this thread, where a debugger has the terminal
    workers = min(workers or usable_cpus(), -(-units // matchup.batch))
    blocks, done = _Blocks(matchup, units, workers), queue.SimpleQueue[_Done | None]()
    threads = [threading.Thread(target=_work, args=(matchup, blocks, done, player), daemon=True) for _ in range(workers)]
    try:
        finished = _collect(threads, done, units, progress)
    except BaseException:
        blocks.stop()
        _wait(threads)
        raise
    failed = min((block for block in finished if block.error is not None), key=lambda block: block.first, default=None)
    if failed is not None and failed.error is not None:
        raise failed.error
    rows = [block.rows for block in sorted(finished, key=lambda block: block.first) if block.rows is not None]
    return np.concatenate(rows)


def run_cells(cells: Sequence[Cell], workers: int | None = None, progress: Progress | None = None) -> list[np.ndarray]:
    """Play every cell, one after another with all workers on it; the batch rows of each, in the order of the cells."""
    every = sum(cell.matchup.units(cell.n) for cell in cells)
    for cell in cells:
        games.prepare(cell.matchup)  # every mistake in a strategy before the first deal
    before, results = 0, []
    for cell in cells:
        results.append(run_matchup(cell.matchup, cell.n, workers, _shifted(progress, before, every)))
        before += cell.matchup.units(cell.n)
    return results


def total(rows: np.ndarray) -> np.ndarray:
    """The exact sum of batch rows, column by column: int64 of length sums.COLUMNS."""
    return np.asarray(rows.sum(axis=0, dtype=np.int64))


def _shifted(progress: Progress | None, before: int, every: int) -> Progress | None:
    return None if progress is None else lambda done, _: progress(before + done, every)


def _work(matchup: Matchup, blocks: _Blocks, done: queue.SimpleQueue[_Done | None], player: Player) -> None:
    """Play blocks until none is left, report each, and say None at the end."""
    while (block := blocks.take()) is not None:
        first, units = block
        started = time.perf_counter()
        try:
            rows = player(matchup, first, units)
        except BaseException as error:  # whatever it is, it belongs to the caller's thread
            blocks.stop()
            done.put(_Done(first, units, None, error))
            break
        blocks.timed(units, time.perf_counter() - started)
        done.put(_Done(first, units, rows, None))
    done.put(None)


def _collect(threads: list[threading.Thread], done: queue.SimpleQueue[_Done | None], units: int, progress: Progress | None) -> list[_Done]:
    """Every block's report, once all workers have ended.

    The first block is played alone: it may compile, and it tells how large blocks should be. After an error the blocks in
    play are waited for: blocks are handed out in unit order, so the smallest unit that fails is always among them.
    """
    finished: list[_Done] = []
    waiting, working = threads[1:], 1
    threads[0].start()
    while working:
        block = done.get()
        if block is None:
            working -= 1
            continue
        finished.append(block)
        if progress is not None:
            progress(sum(block.units for block in finished), units)
        for thread in waiting:
            thread.start()
        working, waiting = working + len(waiting), []
    return finished


def _wait(threads: list[threading.Thread]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    for thread in threads:
        if thread.ident is not None:
            thread.join(max(0.0, deadline - time.monotonic()))
