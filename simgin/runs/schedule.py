"""What is left of a run: the batches that the ledger lacks, handed out as blocks in the order of the units, cell after cell."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from simgin.runs.block import Block

if TYPE_CHECKING:
    from simgin.runs.experiment import Cell
    from simgin.runs.ledger import Ledger

BLOCK_SECONDS = 0.5  # at least: progress, Ctrl-C and checkpoints come between blocks
# At most, by all workers together: many workers get longer blocks (docs/explanation/scaling.md)
BLOCKS_A_SECOND = 100
# A block is at most so many times the batches of the one before: the first one may hold the
# compilation
GROWTH = 8


class Work:
    """Hands out blocks, sized by how fast the last ones went. `team`: how many are played at a time; `seconds`: for each cell."""

    def __init__(
        self,
        cells: Sequence[Cell],
        ledger: Ledger,
        team: int,
        *,
        recorded: bool = False,
        seconds: float | None = None,
    ) -> None:
        self._cells, self._team, self._recorded = cells, team, recorded
        self._seconds = seconds
        done = [ledger.finished(i, recorded=recorded) for i in range(len(cells))]
        self._gaps = [_gaps(cell, finished) for cell, finished in zip(cells, done, strict=True)]
        self._size = [1] * len(cells)
        self._deadline: float | None = None
        self._cell = 0
        self._gap = next(self._gaps[0], None) if cells else None
        self.units = sum(cell.matchup.units(cell.n) for cell in cells)
        self.finished = self.units - sum(
            left(cell, finished) for cell, finished in zip(cells, done, strict=True)
        )

    def take(self) -> Block | None:
        """The next block; None when nothing is left or all was stopped."""
        while self._cell < len(self._cells) and (self._gap is None or self._expired()):
            self._cell += 1
            self._deadline = None
            self._gap = (
                next(self._gaps[self._cell], None) if self._cell < len(self._cells) else None
            )
        if self._gap is None:
            return None
        start, stop = self._gap
        units = min(stop - start, self._take_size(stop - start))
        self._gap = (
            (start + units, stop) if start + units < stop else next(self._gaps[self._cell], None)
        )
        matchup = self._cells[self._cell].matchup
        return Block(self._cell, matchup, start // matchup.batch, units, self._recorded)

    def timed(self, block: Block, seconds: float) -> None:
        """A block was played: aim the next ones of its cell at half a second, or longer for many workers."""
        self.finished += block.units
        wanted = max(BLOCK_SECONDS, self._team / BLOCKS_A_SECOND)
        fitting = int(wanted * block.units / max(seconds, 1e-9) / block.matchup.batch)
        self._size[block.cell] = max(1, min(fitting, GROWTH * self._size[block.cell]))

    def close(self, cell: int) -> None:
        """Hand out nothing more of a cell."""
        self._gaps[cell] = iter(())
        if cell == self._cell:
            self._gap = None

    def stop(self) -> None:
        """Hand out nothing more."""
        self._cell, self._gap = len(self._cells), None

    def _expired(self) -> bool:
        """Whether the cell has had its time; the clock starts when its first block is taken."""
        if self._seconds is None:
            return False
        self._deadline = self._deadline or time.monotonic() + self._seconds
        return time.monotonic() >= self._deadline

    def _take_size(self, left: int) -> int:
        """Units of the next block: small ones at the end of a gap keep all workers busy."""
        batch = self._cells[self._cell].matchup.batch
        return batch * max(1, min(self._size[self._cell], -(-left // batch) // (2 * self._team)))


def left(cell: Cell, finished: Iterable[tuple[int, int]]) -> int:
    """Units of a cell that are still to be played, given what the ledger calls `finished`."""
    return sum(stop - start for start, stop in _gaps(cell, finished))


def _gaps(cell: Cell, finished: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The ranges of units that are not finished, in order; each begins where a batch begins."""
    batch, units = cell.matchup.batch, cell.matchup.units(cell.n)
    done, start = set(finished), 0
    for number in sorted(number for number, n in done if n == batch):
        if number * batch >= units - units % batch:
            break
        if number * batch > start:
            yield start, number * batch
        start = (number + 1) * batch
    tail = units % batch
    if (units // batch, tail) in done:
        units -= tail
    if start < units:
        yield start, units
