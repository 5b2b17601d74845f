"""Tasks and blocks: a matchup and how much of it to play; and the part that is played in one go.

Threads and clusters alike are handed blocks and hand them back as `Done`. Every block is checked
before it is committed to the ledger: a row that breaks one of six invariants did not come from the
engine as it was written, but from bad memory, a worker of another version, or a fault of ours.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.runs.ledger import Ledger, pack, unpack


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
        deals: tuple[bytes, ...] = ()
        if block.recorded:
            rows, deals = _recorded(block)
        else:
            rows = kernel.play(block.matchup, block.first_unit, block.units)
        _check(block, rows, worker)
        blob = pack(rows)
    except BaseException as error:
        return Done(block, worker, time.perf_counter() - started, error=error)
    return Done(block, worker, time.perf_counter() - started, blob, deals)


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
        check(block.matchup, block.sizes, rows)
    except IdentityError as error:
        raise IdentityError(
            f"{block.matchup.title} ({block.matchup.variant.text}), units from "
            f"{block.first_unit} on, played by {worker}: {error} Nothing of this block "
            "was kept. Run `simgin doctor`; if it happens again, please report it."
        ) from None


ROUNDING = 1e-9  # relative; of comparisons whose products do not fit an int64
# Facts that may be negative; in games for one player penalties may be, too
SIGNED = ("a_margin", "a_match_margin", "a_settlement", "winner_score", "loser_score")
PENALTIES = tuple(name for name in sums.FACTS if "points" in name)
_ENDS = np.cumsum([sums.TURNS_BINS, sums.COUNT_BINS, sums.PAIR_BINS])  # of the histograms


class IdentityError(ValueError):
    """A batch row that cannot be right."""


def check(matchup: Matchup, units: Sequence[int], rows: np.ndarray) -> None:
    """Raise IdentityError with a sentence unless every row is sound.

    rows: int64 (batches, sums.COLUMNS). units: of every batch.
    """
    if rows.shape != (len(units), sums.COLUMNS):
        raise IdentityError(
            f"a block of {len(units)} batches came back as an array of shape {rows.shape}."
        )
    for what, left, right in _equalities(matchup, np.asarray(units), rows):
        for i in np.flatnonzero(left != right):
            raise IdentityError(
                f"{what}: {left[i]} and {right[i]} in a batch of {units[int(i)]} units."
            )
    for i in np.flatnonzero(_out_of_bounds(matchup, rows)):
        raise IdentityError(f"a square is out of bounds in a batch of {units[int(i)]} units.")


def _equalities(
    matchup: Matchup, units: np.ndarray, rows: np.ndarray
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Pairs of vectors over the batches that must be equal, and what they are."""
    total, square, cross = _facts(rows)
    results = sums.FACT["deals" if matchup.unit == "deal" else "matches"]
    halves = 2 if matchup.mirrored else 1
    yield "units asked for and played", units, rows[:, sums.UNITS]
    yield f"{matchup.unit} results of all units", units * halves, total[:, results]
    turns, counts, pairs, _ = np.split(rows[:, sums.TURNS_HISTOGRAM :], _ENDS, axis=1)
    yield "deals and their turns", total[:, sums.FACT["deals"]], turns.sum(axis=1)
    yield "showdowns and their counts", total[:, sums.FACT["showdowns"]], counts.sum(axis=1)
    yield "units and their scores", units, pairs.sum(axis=1)
    # A number and its square are both even or both odd, and so are their sums.
    odd = ((total ^ square) & 1).sum(axis=1)
    yield "squares and their roots, by parity", odd, np.zeros_like(odd)
    # Every unit has as many results, so products with them are sums.
    for i in np.flatnonzero(np.array(sums.DENOMINATOR) == results):
        yield f"{sums.FACTS[i]} and its products", halves * total[:, i], cross[:, i]


def _out_of_bounds(matchup: Matchup, rows: np.ndarray) -> np.ndarray:
    """For every batch whether a square is smaller than its sum allows, or larger."""
    total, square, _ = (part.astype(float) for part in _facts(rows))
    least = total**2 / (rows[:, [sums.UNITS]] * (1 + ROUNDING))
    most = total**2 * (1 + ROUNDING)
    signed = SIGNED if matchup.b else (*SIGNED, *PENALTIES)
    most[:, [sums.FACT[name] for name in signed]] = np.inf
    beyond: np.ndarray = np.any((square < least) | (square > most), axis=1)
    return beyond


def _facts(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sums of all facts, of their squares, and of their products with a denominator."""
    total, square, cross = np.split(rows[:, sums.SUM : sums.SUM + 3 * sums.N_FACTS], 3, axis=1)
    return total, square, cross


# The schedule


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
