"""Tasks and blocks: a matchup and how much of it to play; and the part that is played in one go.

Threads and clusters alike are handed blocks and hand them back as `Done`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.runs import invariants
from simgin.runs.ledger import pack, unpack


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
    """A block as a worker hands it back, checked and packed, or the error.

    blob: its batch rows. deals: of every batch the recorded deals.
    """

    block: Block
    worker: str
    seconds: float
    blob: bytes = b""
    deals: tuple[bytes, ...] = ()
    error: BaseException | None = None

    def rows(self) -> np.ndarray:
        """The batch rows, int64 (batches, sums.COLUMNS)."""
        return unpack(self.blob, sums.COLUMNS)


def play_block(block: Block, worker: str = "here") -> Done:
    """Play a block. Whatever goes wrong is in the answer: it belongs to whoever asked."""
    started = time.perf_counter()
    try:
        rows, deals = _recorded(block) if block.recorded else (_played(block), ())
        _check(block, rows, worker)
        blob = pack(rows)
    except BaseException as error:
        return Done(block, worker, time.perf_counter() - started, error=error)
    return Done(block, worker, time.perf_counter() - started, blob, deals)


def _played(block: Block) -> np.ndarray:
    return kernel.play(block.matchup, block.first_unit, block.units)


def _recorded(block: Block) -> tuple[np.ndarray, tuple[bytes, ...]]:
    """Batch by batch, so that no more than one batch of deals is in memory as numbers."""
    rows, deals = [], []
    for i, units in enumerate(block.sizes):
        first_unit = block.first_unit + i * block.matchup.batch
        row, records = kernel.play_recorded(block.matchup, first_unit, units)
        rows.append(row)
        deals.append(pack(records.view(np.int64).reshape(len(records), -1)))
    return np.concatenate(rows), tuple(deals)


def _check(block: Block, rows: np.ndarray, worker: str) -> None:
    """Raise IdentityError, with who played what, if a batch row cannot be right."""
    try:
        invariants.check(block.matchup, block.sizes, rows)
    except invariants.IdentityError as error:
        raise invariants.IdentityError(
            f"{block.matchup.title} ({block.matchup.variant.text}), units from "
            f"{block.first_unit} on, played by {worker}: {error} Nothing of this block "
            "was kept. Run `simgin doctor`; if it happens again, please report it."
        ) from None
