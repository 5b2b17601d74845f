"""Runner: play the blocks that a ledger lacks in a worker pool, and commit the results.

The default pool consists of threads of this process, which run in parallel because the kernels
release the interpreter lock. They are daemon threads, so that a strategy that never returns can be
interrupted and does not keep the process alive.

The size and order of the blocks and the workers that play them do not affect the results: these are
computed from the batch rows of the ledger, and each row depends only on its matchup and index.

An extra pass is an additional computation of a run with results of its own type. It is played
completely or not at all, and the ledger stores its arrays under its name and size.
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

from simgin.core import sums
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import SHARES, Progress, share, usable_cpus
from simgin.runs.block import Block, Done, Schedule, Task, left, play_block
from simgin.runs.ledger import Ledger, opened
from simgin.runs.stopping import End, Rule

if TYPE_CHECKING:
    from simgin.runs.cluster import Cluster

    Team: TypeAlias = "Threads | Cluster"


PATIENCE_SECONDS = 2.0  # seconds that an interrupted run waits for the blocks in progress


class Threads:
    """Worker pool of threads, with one further block per thread waiting in a queue.

    Args:
        workers: Number of threads; None for the number of usable cores.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or usable_cpus()
        self.room = 2 * self.workers  # number of blocks to submit in advance
        self._todo = queue.SimpleQueue[Block | None]()
        self._done = queue.SimpleQueue[Done]()
        self._threads: list[threading.Thread] = []

    def prepare(self, matchups: Iterable[Matchup]) -> None:
        """Compile the kernels, so that errors in strategies are found before the first deal."""
        for matchup in matchups:
            kernel.prepare(matchup)

    def put(self, block: Block) -> None:
        """Submit a block."""
        self._todo.put(block)
        if len(self._threads) < self.workers:
            name = f"thread {len(self._threads) + 1}"
            thread = threading.Thread(target=self._work, args=(name,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def get(self, timeout: float | None = None) -> Done | None:
        """Return the next finished block, or None if `timeout` seconds pass without one."""
        try:
            return self._done.get(timeout=timeout)
        except queue.Empty:
            return None

    def cancel(self, beyond: Block | None = None) -> int:
        """Cancel the blocks that no thread has started, and return their number.

        Blocks are started in order, so all cancelled blocks come after any finished block.
        """
        dropped = 0
        with contextlib.suppress(queue.Empty):
            while True:
                self._todo.get_nowait()
                dropped += 1
        return dropped

    def close(self) -> None:
        """Stop the threads."""
        for _ in self._threads:
            self._todo.put(None)

    def _work(self, name: str) -> None:
        while (block := self._todo.get()) is not None:
            self._done.put(play_block(block, name))


class SerialTeam(Threads):
    """Pool without threads, so that a debugger can use the terminal.

    `next_result` plays the blocks.
    """

    def __init__(self) -> None:
        super().__init__(1)
        self.room = 1

    def put(self, block: Block) -> None:
        """Store a block, which the next call of `next_result` plays."""
        self._todo.put(block)

    def get(self, timeout: float | None = None) -> Done | None:
        """Play the submitted block; return None if there is none."""
        block = None if self._todo.empty() else self._todo.get()
        return None if block is None else play_block(block)


class _Watch:
    """Batches of one matchup, examined one by one in order by a stopping rule."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._total = np.zeros(sums.COLUMNS, np.int64)
        self._next = 0
        self._waiting: dict[int, np.ndarray] = {}
        self.stop: tuple[int, str] | None = None  # units at the stop, and the decision

    def add(self, first: int, rows: np.ndarray) -> None:
        """Add the rows of consecutive batches and apply the rule up to the first missing batch.

        Args:
            first: Index of the first batch.
            rows: Batch rows, `(n_batches, N_COLUMNS) int64`.
        """
        for number, row in enumerate(rows, start=first):
            self._waiting[number] = row
        while self.stop is None and self._next in self._waiting:
            self._total += self._waiting.pop(self._next)
            self._next += 1
            if decision := self._rule.look(self._total):
                self.stop = int(self._total[sums.UNITS]), decision

    def end(self, task: Task) -> End:
        """Return where the rule stopped the matchup, or its full size if it did not."""
        units, decision = self.stop or (task.units, f"{self._rule.text}: not reached")
        return End(units, decision, self._rule.multiplier(units))


def run(
    tasks: Sequence[Task],
    ledger: Ledger,
    team: Team,
    progress: Progress | None = None,
    *,
    see: Callable[[Done], None] | None = None,
    rules: Sequence[Rule] = (),
    seconds: float | None = None,
    recorded: bool = False,
) -> list[End]:
    """Play everything that the ledger lacks, until every matchup reaches its size or stops.

    If a block raises an error, the run stops and raises the error with the smallest unit index
    after all submitted blocks have returned. KeyboardInterrupt is raised after the blocks in
    progress have finished, at most two seconds later. In both cases, valid results are committed.

    Args:
        tasks: Matchups with their sizes.
        ledger: Ledger that contains the finished batches and receives the new ones.
        team: Worker pool, which is closed at the end.
        progress: Function called with the finished and the total number of units.
        see: Function called with every block after it has been committed.
        rules: One stopping rule per matchup, or none.
        seconds: Playing time per matchup; None for no limit.
        recorded: True to store the deals as well.

    Returns:
        The number of units played of every matchup, with the reason for stopping.
    """
    schedule = Schedule(tasks, ledger, team.workers, recorded=recorded, seconds=seconds)
    watches = [_resumed(ledger, i, tasks[i], rule) for i, rule in enumerate(rules)]
    try:
        _Session(schedule, ledger, team, watches, see).play(progress)
    finally:
        team.close()
    if watches:
        return [watch.end(task) for task, watch in zip(tasks, watches, strict=True)]
    if seconds is not None:
        return [_in_time(ledger, i, task, seconds) for i, task in enumerate(tasks)]
    return [End(task.units) for task in tasks]


def run_matchup(matchup: Matchup, n: int, workers: int | None = None) -> np.ndarray:
    """Play deals or matches in threads of this process and return the batch rows.

    Args:
        matchup: Matchup to play.
        n: Number of deals or matches.
        workers: Number of threads; None for the number of usable cores.

    Returns:
        Batch rows in unit order, `(n_batches, N_COLUMNS) int64`. They are not stored elsewhere.
    """
    (rows,) = run_matchups([matchup], n, workers)
    return rows


def run_matchups(
    matchups: Sequence[Matchup],
    n: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[np.ndarray]:
    """Play several matchups and return the batch rows of each, as `run_matchup` does."""
    tasks = [Task(matchup, n) for matchup in matchups]
    team = Threads(workers)
    team.prepare(matchups)
    with opened(None, {}) as ledger:
        run(tasks, ledger, team, progress)
        sizes = [(task.units, task.matchup.batch) for task in tasks]
        return [ledger.rows(cell, *size) for cell, size in enumerate(sizes)]


def _resumed(ledger: Ledger, i: int, task: Task, rule: Rule) -> _Watch:
    """Return a stopping monitor with the batches of an earlier run in the ledger."""
    watch = _Watch(rule)
    for batch, row in ledger.each(i, task.units, task.matchup.batch):
        watch.add(batch, row[None])
    return watch


def _in_time(ledger: Ledger, i: int, task: Task, seconds: float) -> End:
    """Return how far a matchup was played in its time: completely, or up to the first gap."""
    finished = ledger.finished(i, task.matchup.batch)
    if not left(task, finished):
        return End(task.units)
    batch = task.matchup.batch
    first_missing = next(number for number in count() if (number, batch) not in finished)
    return End(batch * first_missing, f"after {seconds:g} s")


class _Session:
    """Blocks in progress during a run, and the processing of their results."""

    def __init__(
        self,
        schedule: Schedule,
        ledger: Ledger,
        team: Team,
        watches: Sequence[_Watch],
        see: Callable[[Done], None] | None,
    ) -> None:
        self._schedule = schedule
        self._ledger = ledger
        self._team = team
        self._watches = watches
        self._see = see
        self._out = 0
        self._failed: list[Done] = []
        self._close_decided()

    def play(self, progress: Progress | None) -> None:
        """Play blocks until none is left, and commit the results."""
        try:
            self._report(progress)
            self._hand_out()
            while self._out:
                self._take_back(self._team.get())
                self._hand_out()
                self._report(progress)
        except KeyboardInterrupt:
            self._leave()
            raise
        if self._failed:
            first = min(self._failed, key=lambda done: (done.block.cell, done.block.first))
            assert first.error is not None
            raise first.error

    def _report(self, progress: Progress | None) -> None:
        if progress is not None:
            progress(self._schedule.finished, self._schedule.units)

    def _hand_out(self) -> None:
        while self._out < self._team.room:
            block = self._schedule.take()
            if block is None:
                return
            self._team.put(block)
            self._out += 1

    def _take_back(self, done: Done | None) -> None:
        if done is None:
            return
        self._out -= 1
        if done.error is not None:
            self._failed.append(done)
            self._schedule.stop()
            # Earlier blocks continue, because one can contain an error with a smaller unit index.
            self._out -= self._team.cancel(beyond=done.block)
            return
        self._commit(done)
        self._schedule.note_time(done.block, done.seconds)
        if self._watches:
            self._watches[done.block.cell].add(done.block.first, done.rows())
            self._close_decided()

    def _commit(self, done: Done) -> None:
        block = done.block
        self._ledger.add(block.cell, block.first, block.sizes, done.blob, done.worker, done.deals)
        if self._see is not None:
            self._see(done)

    def _close_decided(self) -> None:
        for i, watch in enumerate(self._watches):
            if watch.stop is not None:
                self._schedule.close(i)

    def _leave(self) -> None:
        """Commit the blocks that finish within the time limit, and abandon the rest."""
        self._out -= self._team.cancel()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._out > 0:
            patience = deadline - time.monotonic()
            done = self._team.get(patience) if patience > 0 else None
            if done is None:
                return
            self._out -= 1
            if done.error is None:
                self._commit(done)


# Extra passes


Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Step:
    """Extra pass of a run, before it is played.

    `name` identifies it in the ledger. `n` is the number of deals or matches of `matchup`; for
    another `n`, the result is computed again. `cost` is the time per unit, relative to the ordinary
    play of the same matchup. `play` is a function of the number of workers (None for all usable
    cores) and of a progress function.
    """

    name: str
    matchup: Matchup
    n: int
    cost: float
    play: Callable[[int | None, Progress | None], Arrays]

    @property
    def work(self) -> float:
        """Number of units to play, multiplied by their cost."""
        return self.cost * self.matchup.units(self.n)


def missing_steps(steps: Sequence[Step], ledger: Ledger) -> list[Step]:
    """Return the extra passes that the ledger does not contain in their size."""
    return [step for step in steps if not ledger.has_step(step.name, step.n)]


def play_steps(
    steps: Sequence[Step],
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Play the extra passes that the ledger lacks, one after the other, and store each."""
    left = missing_steps(steps, ledger)
    if progress is not None and left:
        progress(0, SHARES * len(left))
    for i, step in enumerate(left):
        ledger.add_step(step.name, step.n, step.play(workers, share(progress, i, len(left))))
        if progress is not None:
            progress(SHARES * (i + 1), SHARES * len(left))
