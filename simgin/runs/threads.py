"""The team that plays blocks by default: threads of this process.

The kernels release the interpreter lock, so threads run side by side.
Threads are daemons: a strategy that never answers can be interrupted and does not hold the process.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections import deque
from collections.abc import Iterable

from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import usable_cpus
from simgin.runs.block import Block, Done, play_block


class Threads:
    """`workers` threads, and as many blocks waiting for them, so that none waits for the ledger."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or usable_cpus()
        self._todo = queue.SimpleQueue[Block | None]()
        self._done = queue.SimpleQueue[Done]()
        self._threads: list[threading.Thread] = []

    @property
    def room(self) -> int:
        """How many blocks should be out at a time."""
        return 2 * self.workers

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


class SerialTeam:
    """No threads: blocks are played by `get`, so that a debugger has the terminal."""

    workers = room = 1

    def __init__(self) -> None:
        self._todo = deque[Block]()

    def prepare(self, matchups: Iterable[Matchup]) -> None:
        """As `Threads.prepare`."""
        for matchup in matchups:
            kernel.prepare(matchup)

    def put(self, block: Block) -> None:
        """Have a block played by the next `get`."""
        self._todo.append(block)

    def get(self, timeout: float | None = None) -> Done | None:
        """Play the block that was put."""
        return play_block(self._todo.popleft())

    def cancel(self, beyond: Block | None = None) -> int:
        """Forget the block that was put; how many that is."""
        dropped = len(self._todo)
        self._todo.clear()
        return dropped

    def close(self) -> None:
        """Nothing to do."""
