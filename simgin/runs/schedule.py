"""The schedule of a run: what the ledger lacks, as blocks in the order of cells and units."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from simgin.runs.block import Block, Task

if TYPE_CHECKING:
    from simgin.runs.ledger import Ledger

# The least that a block should take: progress, Ctrl-C and checkpoints come between blocks
BLOCK_SECONDS = 0.5
# The most blocks by all workers together: many workers get longer ones
# (docs/explanation/scaling.md)
BLOCKS_A_SECOND = 100
# How much longer than the one before a block may be: the first one may hold the compilation
GROWTH = 8

Gap = tuple[int, int]  # first unit that is missing, and the first after it that is not


class Schedule:
    """Hands out blocks, sized by how fast the last ones went.

    workers: how many blocks are played at a time. seconds: time for every cell.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        ledger: Ledger,
        workers: int,
        *,
        recorded: bool = False,
        seconds: float | None = None,
    ) -> None:
        self._tasks = tasks
        self._workers = workers
        self._recorded = recorded
        self._seconds = seconds
        self._gaps: list[Iterator[Gap]] = []
        self._batches = [1] * len(tasks)  # of the next block of each cell
        self._deadline: float | None = None
        self.units = 0
        self.finished = 0
        for i, task in enumerate(tasks):
            finished = ledger.finished(i, task.matchup.batch, recorded=recorded)
            self._gaps.append(_gaps(task, finished))
            self.units += task.units
            self.finished += task.units - left(task, finished)
        self._cell = 0
        self._gap = next(self._gaps[0], None) if tasks else None

    def take(self) -> Block | None:
        """The next block; None when nothing is left or everything was stopped."""
        while self._cell < len(self._tasks) and (self._gap is None or self._is_expired()):
            self._cell += 1
            self._deadline = None
            self._gap = self._next_gap()
        if self._gap is None:
            return None
        start, stop = self._gap
        matchup = self._tasks[self._cell].matchup
        missing = stop - start
        units = min(missing, self._block_size(missing))
        if units < missing:
            self._gap = (start + units, stop)
        else:
            self._gap = self._next_gap()
        return Block(self._cell, matchup, start // matchup.batch, units, self._recorded)

    def note_time(self, block: Block, seconds: float) -> None:
        """A block was played: the next ones of its cell should take half a second, or longer."""
        self.finished += block.units
        wanted = max(BLOCK_SECONDS, self._workers / BLOCKS_A_SECOND)
        fitting = int(wanted * block.units / max(seconds, 1e-9) / block.matchup.batch)
        self._batches[block.cell] = max(1, min(fitting, GROWTH * self._batches[block.cell]))

    def close(self, cell: int) -> None:
        """Hand out nothing more of a cell."""
        self._gaps[cell] = iter(())
        if cell == self._cell:
            self._gap = None

    def stop(self) -> None:
        """Hand out nothing more."""
        self._cell = len(self._tasks)
        self._gap = None

    def _next_gap(self) -> Gap | None:
        if self._cell >= len(self._tasks):
            return None
        return next(self._gaps[self._cell], None)

    def _is_expired(self) -> bool:
        """Whether the cell has had its time, which begins with its first block."""
        if self._seconds is None:
            return False
        self._deadline = self._deadline or time.monotonic() + self._seconds
        return time.monotonic() >= self._deadline

    def _block_size(self, missing: int) -> int:
        """Units of the next block: small ones at the end of a gap keep all workers busy."""
        batch = self._tasks[self._cell].matchup.batch
        batches = -(-missing // batch)
        return batch * max(1, min(self._batches[self._cell], batches // (2 * self._workers)))


def left(task: Task, finished: Iterable[tuple[int, int]]) -> int:
    """Units of a task that are still to be played. finished: as `Ledger.finished` gives it."""
    return sum(stop - start for start, stop in _gaps(task, finished))


def units_left(tasks: Sequence[Task], ledger: Ledger, *, recorded: bool) -> list[int]:
    """Units of every task that its ledger lacks; recorded: with their deals."""
    batches = [task.matchup.batch for task in tasks]
    finished = [ledger.finished(i, batch, recorded=recorded) for i, batch in enumerate(batches)]
    return [left(task, done) for task, done in zip(tasks, finished, strict=True)]


def _gaps(task: Task, finished: Iterable[tuple[int, int]]) -> Iterator[Gap]:
    """The ranges of units that are not finished, in order; each begins where a batch begins."""
    batch = task.matchup.batch
    units = task.units
    tail = units % batch
    done = set(finished)
    start = 0
    for number in sorted(number for number, size in done if size == batch):
        first = number * batch
        if first >= units - tail:
            break
        if first > start:
            yield start, first
        start = first + batch
    if (units // batch, tail) in done:
        units -= tail
    if start < units:
        yield start, units
