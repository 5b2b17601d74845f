"""Tasks (matchups with their sizes), and blocks (parts of a task that are played in one call).

Thread pools and clusters play blocks, and return a `BlockResult` for each block. Every block is
checked before it is committed to the ledger, because faulty memory, a worker with another version
of simgin, or a bug in simgin can cause rows that violate an invariant.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import batch_columns
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.runs.ledger import Ledger, pack_rows, unpack_rows
from simgin.text.messages import SimginError


@dataclass(frozen=True)
class Task:
    """Matchup to play, with the number of deals or matches."""

    matchup: Matchup
    n: int

    @property
    def units(self) -> int:
        """Number of units of analysis (pairs, deals or matches) to play."""
        return self.matchup.count_units(self.n)


@dataclass(frozen=True)
class Block:
    """Consecutive batches of one matchup that a worker plays in one call.

    The batches are numbered from `first_batch`. `matchup_index` is the index of the matchup in its
    run, and `units` is the number of units in all batches. If `record_deals` is True, every deal is
    recorded.
    """

    matchup_index: int
    matchup: Matchup
    first_batch: int
    units: int
    record_deals: bool = False

    @property
    def first_unit(self) -> int:
        """Index of the first unit."""
        return self.first_batch * self.matchup.batch_size

    @property
    def sizes(self) -> list[int]:
        """Number of units in each batch; only the last batch can be incomplete."""
        n_complete, remainder = divmod(self.units, self.matchup.batch_size)
        return [self.matchup.batch_size] * n_complete + [remainder] * (remainder > 0)


@dataclass(frozen=True)
class BlockResult:
    """Result of a block: validated batch rows, or the error if playing the block failed.

    `packed_rows` contains the batch rows, and `packed_deals` the recorded deals of every batch.
    """

    block: Block
    worker: str
    seconds: float
    packed_rows: bytes = b""
    packed_deals: tuple[bytes, ...] = ()
    error: BaseException | None = None

    def rows(self) -> np.ndarray:
        """Return the batch rows of the block.

        Returns:
            `(n_batches, N_COLUMNS) int64`.
        """
        return unpack_rows(self.packed_rows, batch_columns.N_COLUMNS)


def play_block(block: Block, worker: str = "here") -> BlockResult:
    """Play a block and return its result, including any exception raised."""
    started = time.perf_counter()
    try:
        deals: tuple[bytes, ...] = ()
        if block.record_deals:
            rows, deals = _play_recorded(block)
        else:
            rows = kernel.play_batches(block.matchup, block.first_unit, block.units)
        check_block(block, rows, worker)
        blob = pack_rows(rows)
    except BaseException as error:
        return BlockResult(block, worker, time.perf_counter() - started, error=error)
    return BlockResult(block, worker, time.perf_counter() - started, blob, deals)


def _play_recorded(block: Block) -> tuple[np.ndarray, tuple[bytes, ...]]:
    """Play a block and record its deals batch by batch, which limits memory use."""
    rows, deals = [], []
    for i, units in enumerate(block.sizes):
        first_unit = block.first_unit + i * block.matchup.batch_size
        row, records = kernel.play_with_records(block.matchup, first_unit, units)
        rows.append(row)
        deals.append(pack_rows(records.view(np.int64).reshape(len(records), -1)))
    return np.concatenate(rows), tuple(deals)


def check_block(block: Block, rows: np.ndarray, worker: str) -> None:
    """Raise InvariantError, with the matchup and the worker, if a batch row is invalid."""
    try:
        check_rows(block.matchup, block.sizes, rows)
    except InvariantError as error:
        raise InvariantError(
            f"{block.matchup.title} ({block.matchup.variant.spec}), units from {block.first_unit}, "
            f"played by {worker}: {error} The block was discarded. Run `simgin doctor`. If the "
            "error occurs again, please report it."
        ) from None


# Tolerance for products that overflow int64 and are therefore compared as floats
RELATIVE_TOLERANCE = 1e-9
# Facts that can be negative. In solitaire games, penalties can also be negative.
SIGNED_FACTS = ("a_margin", "a_match_margin", "a_settlement", "winner_score", "loser_score")
SOLO_SIGNED_FACTS = tuple(name for name in batch_columns.FACT_NAMES if "points" in name)
# Columns that end the histograms
_HISTOGRAM_ENDS = np.cumsum(
    [batch_columns.TURNS_BINS, batch_columns.DEADWOOD_BINS, batch_columns.PAIR_BINS]
)


class InvariantError(SimginError):
    """Exception for a batch row that violates an invariant."""


def check_rows(matchup: Matchup, units: Sequence[int], rows: np.ndarray) -> None:
    """Raise InvariantError unless every batch row satisfies all invariants.

    Args:
        matchup: Matchup that was played.
        units: Number of units in every batch.
        rows: Batch rows, `(n_batches, N_COLUMNS) int64`.
    """
    expected_shape = (len(units), batch_columns.N_COLUMNS)
    if rows.shape != expected_shape:
        raise InvariantError(f"the block must have the shape {expected_shape}, not {rows.shape}.")
    for description, left, right in _iter_equalities(matchup, np.asarray(units), rows):
        for i in np.flatnonzero(left != right):
            raise InvariantError(
                f"{description} differ: {left[i]} and {right[i]} in a batch of "
                f"{units[int(i)]} units."
            )
    for i in np.flatnonzero(_find_out_of_bounds(matchup, rows)):
        raise InvariantError(
            f"a sum of squares is out of bounds in a batch of {units[int(i)]} units."
        )


def _iter_equalities(
    matchup: Matchup, units: np.ndarray, rows: np.ndarray
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield a description and two vectors that must be equal in every valid batch."""
    total, square, cross = _split_facts(rows)
    results = batch_columns.FACT_INDEX["deals" if matchup.unit == "deal" else "matches"]
    n_games = 2 if matchup.is_mirrored else 1
    yield "numbers of requested and played units", units, rows[:, batch_columns.COL_UNITS]
    yield f"numbers of {matchup.unit} results and of units", units * n_games, total[:, results]
    turns, counts, pairs, _ = np.split(
        rows[:, batch_columns.COL_TURNS_HISTOGRAM :], _HISTOGRAM_ENDS, axis=1
    )
    yield (
        "numbers of deals and of turn counts",
        total[:, batch_columns.FACT_INDEX["deals"]],
        turns.sum(axis=1),
    )
    yield (
        "numbers of showdowns and of deadwood counts",
        total[:, batch_columns.FACT_INDEX["showdowns"]],
        counts.sum(axis=1),
    )
    yield "numbers of units and of pair scores", units, pairs.sum(axis=1)
    # A number and its square have the same parity, so their sums have the same parity.
    parities = ((total ^ square) & 1).sum(axis=1)
    yield ("parities of the sums and of the sums of squares", parities, np.zeros_like(parities))
    # All units have the same number of results, so products with this number are multiples of sums.
    for i in np.flatnonzero(np.array(batch_columns.DENOMINATOR_INDEX) == results):
        yield (
            (f"the sum of {batch_columns.FACT_NAMES[i]} and the sum of its products"),
            n_games * total[:, i],
            cross[:, i],
        )


def _find_out_of_bounds(matchup: Matchup, rows: np.ndarray) -> np.ndarray:
    """Return a mask of the batches whose sums contradict their sums of squares."""
    total, square, _ = (part.astype(float) for part in _split_facts(rows))
    min_square = total**2 / (rows[:, [batch_columns.COL_UNITS]] * (1 + RELATIVE_TOLERANCE))
    max_square = total**2 * (1 + RELATIVE_TOLERANCE)
    signed = SIGNED_FACTS if matchup.b else (*SIGNED_FACTS, *SOLO_SIGNED_FACTS)
    max_square[:, [batch_columns.FACT_INDEX[name] for name in signed]] = np.inf
    is_out_of_bounds: np.ndarray = np.any((square < min_square) | (square > max_square), axis=1)
    return is_out_of_bounds


def _split_facts(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sums of all facts, of their squares and of their products.

    A cross product is the product of a fact and its denominator. All three arrays have the shape
    `(n_batches, N_FACTS)`.
    """
    total, square, cross = np.split(
        rows[:, batch_columns.COL_SUM : batch_columns.COL_SUM + 3 * batch_columns.N_FACTS],
        3,
        axis=1,
    )
    return total, square, cross


# The schedule


# Minimum duration of a block, in seconds. Progress, Ctrl-C and saving are handled between blocks.
MIN_BLOCK_SECONDS = 0.5
# Maximum number of blocks per second, summed over all workers. With many workers, blocks become
# longer (docs/explanation/scaling.md).
MAX_BLOCKS_PER_SECOND = 100
# Maximum growth factor from one block to the next, because the first block can include compilation
MAX_BLOCK_GROWTH = 8

Gap = tuple[int, int]  # the first missing unit, and the first finished unit after the gap


class Schedule:
    """Queue of blocks whose sizes are adapted to the measured speed of play.

    Args:
        tasks: Matchups of the run with their sizes.
        ledger: Ledger with the finished batches. These batches are not played again.
        workers: Number of blocks played at the same time.
        record_deals: True to record every deal.
        seconds: Time limit per matchup in seconds, or None for no limit.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        ledger: Ledger,
        workers: int,
        *,
        record_deals: bool = False,
        seconds: float | None = None,
    ) -> None:
        self._tasks = tasks
        self._workers = workers
        self._record_deals = record_deals
        self._seconds = seconds
        self._gaps: list[Iterator[Gap]] = []
        self._next_batches = [1] * len(tasks)  # number of batches in the next block of each matchup
        self._deadline: float | None = None
        self.units = 0
        self.finished_units = 0
        for i, task in enumerate(tasks):
            finished = ledger.finished_batches(i, task.matchup.batch_size, with_deals=record_deals)
            self._gaps.append(_find_gaps(task, finished))
            self.units += task.units
            self.finished_units += task.units - remaining_units(task, finished)
        self._matchup_index = 0
        self._gap = next(self._gaps[0], None) if tasks else None
        self._started = time.monotonic()

    @property
    def progress(self) -> tuple[int, int]:
        """Finished and total units, or elapsed and total milliseconds under a time limit."""
        if self._seconds is None:
            return self.finished_units, self.units
        limit = int(1000 * self._seconds * len(self._tasks))
        return min(int(1000 * (time.monotonic() - self._started)), limit), limit

    def next_block(self) -> Block | None:
        """Return the next block, or None if no blocks are left or scheduling has stopped."""
        while self._matchup_index < len(self._tasks) and (self._gap is None or self._is_expired()):
            self._matchup_index += 1
            self._deadline = None
            self._gap = self._next_gap()
        if self._gap is None:
            return None
        start, stop = self._gap
        matchup = self._tasks[self._matchup_index].matchup
        n_missing = stop - start
        units = min(n_missing, self._choose_block_size(n_missing))
        if units < n_missing:
            self._gap = (start + units, stop)
        else:
            self._gap = self._next_gap()
        return Block(
            self._matchup_index, matchup, start // matchup.batch_size, units, self._record_deals
        )

    def record_time(self, block: Block, seconds: float) -> None:
        """Record the playing time of a block, and adapt the sizes of later blocks."""
        self.finished_units += block.units
        block_seconds = max(MIN_BLOCK_SECONDS, self._workers / MAX_BLOCKS_PER_SECOND)
        n_batches = int(block_seconds * block.units / max(seconds, 1e-9) / block.matchup.batch_size)
        self._next_batches[block.matchup_index] = max(
            1, min(n_batches, MAX_BLOCK_GROWTH * self._next_batches[block.matchup_index])
        )

    def close_matchup(self, matchup_index: int) -> None:
        """Remove a matchup from the schedule, so that no more of its blocks are played."""
        self._gaps[matchup_index] = iter(())
        if matchup_index == self._matchup_index:
            self._gap = None

    def stop(self) -> None:
        """Stop the schedule, so that no more blocks are played."""
        self._matchup_index = len(self._tasks)
        self._gap = None

    def _next_gap(self) -> Gap | None:
        if self._matchup_index >= len(self._tasks):
            return None
        return next(self._gaps[self._matchup_index], None)

    def _is_expired(self) -> bool:
        """Return True if a matchup has used up its time since the start of its first block."""
        if self._seconds is None:
            return False
        self._deadline = self._deadline or time.monotonic() + self._seconds
        return time.monotonic() >= self._deadline

    def _choose_block_size(self, n_missing: int) -> int:
        """Return the number of units in the next block; the last blocks of a task are smaller."""
        batch = self._tasks[self._matchup_index].matchup.batch_size
        batches = -(-n_missing // batch)
        return batch * max(
            1, min(self._next_batches[self._matchup_index], batches // (2 * self._workers))
        )


def remaining_units(task: Task, finished: Iterable[tuple[int, int]]) -> int:
    """Return the number of units of a task that have not been played yet.

    Args:
        task: Matchup with a size.
        finished: Batch index and number of units of every finished batch, as returned by
            `Ledger.finished_batches`.
    """
    return sum(stop - start for start, stop in _find_gaps(task, finished))


def remaining_units_by_task(
    tasks: Sequence[Task], ledger: Ledger, *, with_deals: bool
) -> list[int]:
    """Return, for every task, the number of units that are missing from the ledger.

    Args:
        tasks: Matchups of the run with their sizes.
        ledger: Ledger of the run.
        with_deals: True to count a batch as finished only if its deals were recorded.
    """
    batches = [task.matchup.batch_size for task in tasks]
    finished = [
        ledger.finished_batches(i, batch, with_deals=with_deals) for i, batch in enumerate(batches)
    ]
    return [
        remaining_units(task, finished_batches)
        for task, finished_batches in zip(tasks, finished, strict=True)
    ]


def _find_gaps(task: Task, finished: Iterable[tuple[int, int]]) -> Iterator[Gap]:
    """Yield the ranges of unfinished units in order, each from the start of a batch."""
    batch = task.matchup.batch_size
    units = task.units
    remainder = units % batch
    finished_batches = set(finished)
    start = 0
    for number in sorted(number for number, size in finished_batches if size == batch):
        first_unit = number * batch
        if first_unit >= units - remainder:
            break
        if first_unit > start:
            yield start, first_unit
        start = first_unit + batch
    if (units // batch, remainder) in finished_batches:
        units -= remainder
    if start < units:
        yield start, units
