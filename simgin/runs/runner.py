"""The runner: hands the blocks that a ledger lacks to a team, and commits what comes back.

The team that plays by default is threads of this process: the kernels release the interpreter lock,
so they run side by side. They are daemons: a strategy that never answers can be interrupted and
does not hold the process.

Neither the size of blocks, nor their order, nor who plays them shows in the result: it is formed
from the ledger's batch rows, each a pure function of its matchup and its number.

A step is what a run plays beside its cells, whole or not at all, with results of its own kind: the
ledger keeps its arrays under its name and size once they are complete.
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

    Team: TypeAlias = "Threads | Cluster"  # whoever plays blocks


PATIENCE_SECONDS = 2.0  # how long an interruption waits for the blocks that are being played


class Threads:
    """`workers` threads, and as many blocks waiting for them, so that none waits for the ledger."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or usable_cpus()
        self.room = 2 * self.workers  # blocks that should be out at a time
        self._todo = queue.SimpleQueue[Block | None]()
        self._done = queue.SimpleQueue[Done]()
        self._threads: list[threading.Thread] = []

    def prepare(self, matchups: Iterable[Matchup]) -> None:
        """Compile all that is needed, so that mistakes in a strategy come before the first deal."""
        for matchup in matchups:
            kernel.prepare(matchup)

    def put(self, block: Block) -> None:
        """Have a block played."""
        self._todo.put(block)
        if len(self._threads) < self.workers:
            name = f"thread {len(self._threads) + 1}"
            thread = threading.Thread(target=self._work, args=(name,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def get(self, timeout: float | None = None) -> Done | None:
        """The next block that was played; None if none was within `timeout` seconds."""
        try:
            return self._done.get(timeout=timeout)
        except queue.Empty:
            return None

    def cancel(self, beyond: Block | None = None) -> int:
        """Forget the blocks that nobody has begun; how many.

        Blocks are begun in order, so all of these lie beyond any that was played.
        """
        dropped = 0
        with contextlib.suppress(queue.Empty):
            while True:
                self._todo.get_nowait()
                dropped += 1
        return dropped

    def close(self) -> None:
        """Let the threads end."""
        for _ in self._threads:
            self._todo.put(None)

    def _work(self, name: str) -> None:
        while (block := self._todo.get()) is not None:
            self._done.put(play_block(block, name))


class SerialTeam(Threads):
    """No threads: blocks are played by `get`, so that a debugger has the terminal."""

    def __init__(self) -> None:
        super().__init__(1)
        self.room = 1

    def put(self, block: Block) -> None:
        """Have a block played by the next `get`."""
        self._todo.put(block)

    def get(self, timeout: float | None = None) -> Done | None:
        """Play the block that was put; None if there is none."""
        block = None if self._todo.empty() else self._todo.get()
        return None if block is None else play_block(block)


class _Watch:
    """A cell whose stopping rule looks at its batches one by one, in the order of the units."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._total = np.zeros(sums.COLUMNS, np.int64)
        self._next = 0
        self._waiting: dict[int, np.ndarray] = {}
        self.stop: tuple[int, str] | None = None  # units at the stop, and what was decided

    def add(self, first: int, rows: np.ndarray) -> None:
        """Rows of batches from number `first` on; the rule looks wherever there is no gap."""
        for number, row in enumerate(rows, start=first):
            self._waiting[number] = row
        while self.stop is None and self._next in self._waiting:
            self._total += self._waiting.pop(self._next)
            self._next += 1
            if decision := self._rule.look(self._total):
                self.stop = int(self._total[sums.UNITS]), decision

    def end(self, task: Task) -> End:
        """The cell's stop, or its whole size where the rule never stopped it."""
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
    """Play what the ledger lacks, until every cell has its size or its stop; how each ended.

    see: is shown every block once it is in the ledger.
    rules: one for every cell, or none. seconds: time for every cell. recorded: keep the deals too.

    An error in a block stops the run and is raised once the blocks out have come back; of several
    always the one with the smallest unit. KeyboardInterrupt leaves once the blocks being played are
    done, or after two seconds. What came back sound is committed either way.
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
    """The batch rows of `n` deals or matches, int64 (batches, sums.COLUMNS) in unit order.

    They are played by threads of this process and kept nowhere else.
    """
    (rows,) = run_matchups([matchup], n, workers)
    return rows


def run_matchups(
    matchups: Sequence[Matchup],
    n: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[np.ndarray]:
    """The batch rows of each of some matchups, as of `run_matchup`."""
    tasks = [Task(matchup, n) for matchup in matchups]
    team = Threads(workers)
    team.prepare(matchups)
    with opened(None, {}) as ledger:
        run(tasks, ledger, team, progress)
        sizes = [(task.units, task.matchup.batch) for task in tasks]
        return [ledger.rows(cell, *size) for cell, size in enumerate(sizes)]


def _resumed(ledger: Ledger, i: int, task: Task, rule: Rule) -> _Watch:
    """The watch of a cell with what an earlier run left in the ledger."""
    watch = _Watch(rule)
    for batch, row in ledger.each(i, task.units, task.matchup.batch):
        watch.add(batch, row[None])
    return watch


def _in_time(ledger: Ledger, i: int, task: Task, seconds: float) -> End:
    """A cell as far as it came: all of it, or the whole batches that are finished without a gap."""
    finished = ledger.finished(i, task.matchup.batch)
    if not left(task, finished):
        return End(task.units)
    batch = task.matchup.batch
    first_missing = next(number for number in count() if (number, batch) not in finished)
    return End(batch * first_missing, f"after {seconds:g} s")


class _Session:
    """The blocks that are out, and what becomes of them."""

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
        """Keep the team busy until nothing is left, committing what comes back."""
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
            # Those before it may hold an error with a smaller unit.
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
        """Commit what is nearly done, and leave the rest."""
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


# Steps


Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Step:
    """One step before it is played.

    name: what the ledger knows it by. matchup, n: who plays, and how many deals or matches; another
    n is another result. cost: the time of a unit, in units of the same matchup played in a cell.
    play: plays it with so many workers (None: the usable processors).
    """

    name: str
    matchup: Matchup
    n: int
    cost: float
    play: Callable[[int | None, Progress | None], Arrays]

    @property
    def work(self) -> float:
        """Units to play, each counted by its cost."""
        return self.cost * self.matchup.units(self.n)


def missing_steps(steps: Sequence[Step], ledger: Ledger) -> list[Step]:
    """The steps that a ledger does not have in their size."""
    return [step for step in steps if not ledger.has_step(step.name, step.n)]


def play_steps(
    steps: Sequence[Step],
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Play the steps that the ledger lacks, one after the other, and keep each once it is done."""
    left = missing_steps(steps, ledger)
    if progress is not None and left:
        progress(0, SHARES * len(left))
    for i, step in enumerate(left):
        ledger.add_step(step.name, step.n, step.play(workers, share(progress, i, len(left))))
        if progress is not None:
            progress(SHARES * (i + 1), SHARES * len(left))
