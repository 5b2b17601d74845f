"""Tasks and blocks: the amount to play of each matchup, and the parts played in one call.

Thread pools and clusters receive blocks and return each as a `BlockResult`. Every block is checked
before it is committed to the ledger: a row that violates an invariant comes from faulty memory,
from a worker with another version of simgin, or from a bug in simgin.
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
    """A matchup and the number of its deals or matches to play."""

    matchup: Matchup
    n: int

    @property
    def units(self) -> int:
        """Number of units of analysis (pairs, deals or matches) to play."""
        return self.matchup.units(self.n)


@dataclass(frozen=True)
class Block:
    """Consecutive batches of one matchup that a worker plays in one call.

    The batches are `first_batch`, `first_batch` + 1 and so on. `matchup_index` is the index of the
    matchup in its run, `units` is the number of units in all batches, and `record_deals` requests a
    record of every deal.
    """

    cell: int
    matchup: Matchup
    first: int
    units: int
    recorded: bool = False

    @property
    def first_unit(self) -> int:
        """Index of the first unit."""
        return self.first * self.matchup.batch

    @property
    def sizes(self) -> list[int]:
        """Number of units in every batch; only the last batch can be incomplete."""
        whole, rest = divmod(self.units, self.matchup.batch)
        return [self.matchup.batch] * whole + [rest] * (rest > 0)


@dataclass(frozen=True)
class Done:
    """A block that a worker played, with its checked and packed batch rows or its error.

    `packed_rows` contains the batch rows, and `packed_deals` the recorded deals of every batch.
    """

    block: Block
    worker: str
    seconds: float
    blob: bytes = b""
    deals: tuple[bytes, ...] = ()
    error: BaseException | None = None

    def rows(self) -> np.ndarray:
        """Return the batch rows.

        Returns:
            `(n_batches, N_COLUMNS) int64`.
        """
        return unpack(self.blob, sums.COLUMNS)


def play_block(block: Block, worker: str = "here") -> Done:
    """Play a block and return its result, which contains any exception that was raised."""
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
    """Play a block and record its deals, one batch at a time to limit memory."""
    rows, deals = [], []
    for i, units in enumerate(block.sizes):
        first_unit = block.first_unit + i * block.matchup.batch
        row, records = kernel.play_recorded(block.matchup, first_unit, units)
        rows.append(row)
        deals.append(pack(records.view(np.int64).reshape(len(records), -1)))
    return np.concatenate(rows), tuple(deals)


def _check(block: Block, rows: np.ndarray, worker: str) -> None:
    """Raise InvariantError, with the matchup and the worker, if a batch row is invalid."""
    try:
        check(block.matchup, block.sizes, rows)
    except IdentityError as error:
        raise IdentityError(
            f"{block.matchup.title} ({block.matchup.variant.text}), units from "
            f"{block.first_unit} on, played by {worker}: {error} Nothing of this block "
            "was kept. Run `simgin doctor`; if it happens again, please report it."
        ) from None


ROUNDING = 1e-9  # relative tolerance, because the compared products overflow an int64
# Facts that can be negative; in solitaire games, penalties can be negative as well
SIGNED = ("a_margin", "a_match_margin", "a_settlement", "winner_score", "loser_score")
PENALTIES = tuple(name for name in sums.FACTS if "points" in name)
# Columns at which the histograms end
_ENDS = np.cumsum([sums.TURNS_BINS, sums.COUNT_BINS, sums.PAIR_BINS])


class IdentityError(ValueError):
    """Exception for a batch row that violates an invariant."""


def check(matchup: Matchup, units: Sequence[int], rows: np.ndarray) -> None:
    """Raise InvariantError unless every batch row satisfies all invariants.

    Args:
        matchup: Matchup that was played.
        units: Number of units in every batch.
        rows: Batch rows, `(n_batches, N_COLUMNS) int64`.
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
    """Yield a description and two vectors over the batches that must be equal."""
    total, square, cross = _facts(rows)
    results = sums.FACT["deals" if matchup.unit == "deal" else "matches"]
    halves = 2 if matchup.mirrored else 1
    yield "units asked for and played", units, rows[:, sums.UNITS]
    yield f"{matchup.unit} results of all units", units * halves, total[:, results]
    turns, counts, pairs, _ = np.split(rows[:, sums.TURNS_HISTOGRAM :], _ENDS, axis=1)
    yield "deals and their turns", total[:, sums.FACT["deals"]], turns.sum(axis=1)
    yield "showdowns and their counts", total[:, sums.FACT["showdowns"]], counts.sum(axis=1)
    yield "units and their scores", units, pairs.sum(axis=1)
    # A number and its square have the same parity, and so have the sums of both.
    odd = ((total ^ square) & 1).sum(axis=1)
    yield "squares and their roots, by parity", odd, np.zeros_like(odd)
    # The number of results is the same for every unit, so products with it are multiples of sums.
    for i in np.flatnonzero(np.array(sums.DENOMINATOR) == results):
        yield f"{sums.FACTS[i]} and its products", halves * total[:, i], cross[:, i]


def _out_of_bounds(matchup: Matchup, rows: np.ndarray) -> np.ndarray:
    """Return a mask of the batches in which a sum of squares is impossible for its sum."""
    total, square, _ = (part.astype(float) for part in _facts(rows))
    least = total**2 / (rows[:, [sums.UNITS]] * (1 + ROUNDING))
    most = total**2 * (1 + ROUNDING)
    signed = SIGNED if matchup.b else (*SIGNED, *PENALTIES)
    most[:, [sums.FACT[name] for name in signed]] = np.inf
    beyond: np.ndarray = np.any((square < least) | (square > most), axis=1)
    return beyond


def _facts(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sums of all facts, of their squares, and of their cross products.

    A cross product is the product of a fact with its denominator. All three arrays have the shape
    `(n_batches, N_FACTS)`.
    """
    total, square, cross = np.split(rows[:, sums.SUM : sums.SUM + 3 * sums.N_FACTS], 3, axis=1)
    return total, square, cross


# The schedule


# Minimum duration of a block; progress, Ctrl-C and checkpoints are handled between blocks
BLOCK_SECONDS = 0.5
# Maximum rate of all workers together; with many workers, blocks become longer
# (docs/explanation/scaling.md)
BLOCKS_A_SECOND = 100
# Maximum growth from one block to the next, because the first can include compilation
GROWTH = 8

Gap = tuple[int, int]  # first missing unit, and the first finished unit after it


class Schedule:
    """Queue of blocks, whose sizes follow the measured playing speed.

    Args:
        tasks: Matchups of the run with their sizes.
        ledger: Ledger with the finished batches, which are not played again.
        workers: Number of blocks played at the same time.
        recorded: True to record every deal.
        seconds: Playing time per matchup; None for no limit.
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
        self._batches = [1] * len(tasks)  # number of batches in the next block of each matchup
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
        """Return the next block, or None if no block is left or the schedule was stopped."""
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
        """Record the playing time of a block and adjust the size of later blocks."""
        self.finished += block.units
        wanted = max(BLOCK_SECONDS, self._workers / BLOCKS_A_SECOND)
        fitting = int(wanted * block.units / max(seconds, 1e-9) / block.matchup.batch)
        self._batches[block.cell] = max(1, min(fitting, GROWTH * self._batches[block.cell]))

    def close(self, cell: int) -> None:
        """Schedule no further blocks of a matchup."""
        self._gaps[cell] = iter(())
        if cell == self._cell:
            self._gap = None

    def stop(self) -> None:
        """Schedule no further blocks."""
        self._cell = len(self._tasks)
        self._gap = None

    def _next_gap(self) -> Gap | None:
        if self._cell >= len(self._tasks):
            return None
        return next(self._gaps[self._cell], None)

    def _is_expired(self) -> bool:
        """Return True if the matchup has used its time, which starts with its first block."""
        if self._seconds is None:
            return False
        self._deadline = self._deadline or time.monotonic() + self._seconds
        return time.monotonic() >= self._deadline

    def _block_size(self, missing: int) -> int:
        """Return the units of the next block, few at the end of a gap to keep all workers busy."""
        batch = self._tasks[self._cell].matchup.batch
        batches = -(-missing // batch)
        return batch * max(1, min(self._batches[self._cell], batches // (2 * self._workers)))


def left(task: Task, finished: Iterable[tuple[int, int]]) -> int:
    """Return the number of units of a task that remain to be played.

    Args:
        task: Matchup with its size.
        finished: Batch index and number of units of every finished batch, as returned by
            `Ledger.finished_batches`.
    """
    return sum(stop - start for start, stop in _gaps(task, finished))


def units_left(tasks: Sequence[Task], ledger: Ledger, *, recorded: bool) -> list[int]:
    """Return the number of units of every task that its ledger lacks.

    Args:
        tasks: Matchups of the run with their sizes.
        ledger: Ledger of the run.
        recorded: True to count only the batches whose deals were recorded as finished.
    """
    batches = [task.matchup.batch for task in tasks]
    finished = [ledger.finished(i, batch, recorded=recorded) for i, batch in enumerate(batches)]
    return [left(task, done) for task, done in zip(tasks, finished, strict=True)]


def _gaps(task: Task, finished: Iterable[tuple[int, int]]) -> Iterator[Gap]:
    """Yield the ranges of unfinished units in order, each from the start of a batch."""
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
