"""Tasks and blocks: a matchup and how much of it to play; and the part that is played in one go.

Threads and clusters alike are handed blocks and hand them back as `Done`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.runs import ledger


@dataclass(frozen=True)
class Task:
    """A matchup, and how many deals or matches of it are to be played."""

    matchup: Matchup
    n: int

    @property
    def units(self) -> int:
        """The same in units."""
        return self.matchup.units(self.n)


@dataclass(frozen=True)
class Block:
    """Batches `first`, `first` + 1, ... of a cell: `units` units of its matchup.

    recorded: its deals are kept, too.
    """

    cell: int
    matchup: Matchup
    first: int
    units: int
    recorded: bool = False

    @property
    def first_unit(self) -> int:
        """Number of the first unit."""
        return self.first * self.matchup.batch

    @property
    def sizes(self) -> list[int]:
        """Units of every batch: all are whole but possibly the last."""
        whole, rest = divmod(self.units, self.matchup.batch)
        return [self.matchup.batch] * whole + [rest] * (rest > 0)


@dataclass(frozen=True)
class Done:
    """A block as a worker hands it back: the batch rows and packed deals, or the error."""

    block: Block
    worker: str
    seconds: float
    rows: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    deals: tuple[bytes, ...] = ()
    error: BaseException | None = None


def play_block(block: Block, worker: str = "here") -> Done:
    """Play a block. Whatever goes wrong is in the answer: it belongs to whoever asked."""
    started = time.perf_counter()
    try:
        if block.recorded:
            rows, deals = _recorded(block)
        else:
            rows, deals = kernel.play(block.matchup, block.first_unit, block.units), ()
    except BaseException as error:
        return Done(block, worker, time.perf_counter() - started, error=error)
    return Done(block, worker, time.perf_counter() - started, rows, deals)


def _recorded(block: Block) -> tuple[np.ndarray, tuple[bytes, ...]]:
    """Batch by batch, so that no more than one batch of deals is in memory as numbers."""
    rows, deals = [], []
    for i, units in enumerate(block.sizes):
        row, records = kernel.play_recorded(
            block.matchup, block.first_unit + i * block.matchup.batch, units
        )
        rows.append(row)
        deals.append(ledger.packed(records))
    return np.concatenate(rows), tuple(deals)
