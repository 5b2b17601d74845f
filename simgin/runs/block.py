"""Tasks (matchups with their sizes) and blocks (parts of a task that are played in one call).

A thread pool or a cluster plays each block and returns a `BlockResult`. Before a block is committed
to the ledger, its rows are checked. Faulty memory, a worker with another version of simgin or a bug
in simgin can cause rows that violate an invariant.
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
    """Matchup and the number of deals or matches to play."""

    matchup: Matchup
    n_games: int

    @property
    def units(self) -> int:
        """Number of statistical units: mirrored pairs, or single deals or matches."""
        return self.matchup.count_units(self.n_games)


@dataclass(frozen=True)
class Block:
    """Consecutive batches of one matchup that a worker plays in one call.

    The batches are numbered from `first_batch`. `matchup_index` is the index of the matchup in its
    run. `units` is the number of units in all batches. If `record_deals` is True, every deal is
    recorded.
    """

    matchup_index: int
    matchup: Matchup
    first_batch: int
    units: int
    record_deals: bool = False

    @property
    def first_unit(self) -> int:
        """Index of the first unit of the block."""
        return self.first_batch * self.matchup.batch_size

    @property
    def sizes(self) -> list[int]:
        """Number of units in each batch, of which only the last can be incomplete."""
        n_complete, remainder = divmod(self.units, self.matchup.batch_size)
        return [self.matchup.batch_size] * n_complete + [remainder] * (remainder > 0)


@dataclass(frozen=True)
class BlockResult:
    """Result of a block: its packed batch rows, or the exception that stopped it.

    `packed_rows` contains the batch rows, and `packed_deals` contains the recorded deals of every
    batch.
    """

    block: Block
    worker: str
    seconds: float
    packed_rows: bytes = b""
    packed_deals: tuple[bytes, ...] = ()
    error: BaseException | None = None

    def unpack_rows(self) -> np.ndarray:
        """Unpack the batch rows of the block.

        Returns:
            `(n_batches, N_COLUMNS) int64`.
        """
        return unpack_rows(self.packed_rows, batch_columns.N_COLUMNS)


def play_block(block: Block, worker: str = "here") -> BlockResult:
    """Play a block, and return its batch rows or the exception that stopped it."""
    start_time = time.perf_counter()
    try:
        packed_deals: tuple[bytes, ...] = ()
        if block.record_deals:
            rows, packed_deals = _play_and_record(block)
        else:
            rows = kernel.play_batches(block.matchup, block.first_unit, block.units)
        check_block(block, rows, worker)
        packed_rows = pack_rows(rows)
    except BaseException as error:
        return BlockResult(block, worker, time.perf_counter() - start_time, error=error)
    return BlockResult(block, worker, time.perf_counter() - start_time, packed_rows, packed_deals)


def _play_and_record(block: Block) -> tuple[np.ndarray, tuple[bytes, ...]]:
    """Play a block and record its deals, batch by batch to limit memory use."""
    rows, deals = [], []
    for index, units in enumerate(block.sizes):
        first_unit = block.first_unit + index * block.matchup.batch_size
        row, records = kernel.play_with_records(block.matchup, first_unit, units)
        rows.append(row)
        deals.append(pack_rows(records.view(np.int64).reshape(len(records), -1)))
    return np.concatenate(rows), tuple(deals)


def check_block(block: Block, rows: np.ndarray, worker: str) -> None:
    """Raise InvariantError if a batch row of a block is invalid."""
    try:
        check_rows(block.matchup, block.sizes, rows)
    except InvariantError as error:
        raise InvariantError(
            f"{block.matchup.title} ({block.matchup.variant.spec}), block starting at unit "
            f"{block.first_unit}, played by {worker}: {error} The block was discarded. Run `simgin "
            "doctor`. If the error occurs again, please report it."
        ) from None


# tolerance for products that overflow int64 and are therefore compared as floats
RELATIVE_TOLERANCE = 1e-9
# Quantities that can be negative. In solitaire games, penalties can also be negative.
SIGNED_STATISTICS = ("a_margin", "a_match_margin", "a_settlement", "winner_score", "loser_score")
SOLO_SIGNED_STATISTICS = tuple(name for name in batch_columns.STATISTIC_NAMES if "points" in name)
# column indices at which the histograms end
_HISTOGRAM_END_COLUMNS = np.cumsum(
    [batch_columns.N_TURNS_BINS, batch_columns.N_DEADWOOD_BINS, batch_columns.N_WIN_RATE_BINS]
)


class InvariantError(SimginError):
    """Exception for a batch row that violates an invariant."""


def check_rows(matchup: Matchup, units: Sequence[int], rows: np.ndarray) -> None:
    """Raise InvariantError unless all batch rows satisfy all invariants.

    Args:
        matchup: Matchup that was played.
        units: Number of units in every batch.
        rows: Batch rows, `(n_batches, N_COLUMNS) int64`.
    """
    expected_shape = (len(units), batch_columns.N_COLUMNS)
    if rows.shape != expected_shape:
        raise InvariantError(f"the block must have the shape {expected_shape}, not {rows.shape}.")
    for description, left_side, right_side in _iter_invariants(matchup, np.asarray(units), rows):
        for batch in np.flatnonzero(left_side != right_side):
            raise InvariantError(
                f"{description} differ: {left_side[batch]} and {right_side[batch]} in a batch of "
                f"{units[int(batch)]} units."
            )
    for batch in np.flatnonzero(_find_out_of_bounds(matchup, rows)):
        raise InvariantError(
            f"a sum of squares is out of bounds in a batch of {units[int(batch)]} units."
        )


def _iter_invariants(
    matchup: Matchup, units: np.ndarray, rows: np.ndarray
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield descriptions of invariants, each with two vectors that are equal in valid batches."""
    sums, square_sums, cross_sums = _split_statistics(rows)
    statistic = batch_columns.STATISTIC_INDEX["deals" if matchup.unit == "deal" else "matches"]
    n_games = 2 if matchup.is_mirrored else 1
    yield "numbers of requested and played units", units, rows[:, batch_columns.UNITS_COLUMN]
    yield (f"numbers of {matchup.unit} results and of units", units * n_games, sums[:, statistic])
    turns, ending_counts, pair_counts, _ = np.split(
        rows[:, batch_columns.TURNS_HISTOGRAM_START :], _HISTOGRAM_END_COLUMNS, axis=1
    )
    deals, showdowns = (
        sums[:, batch_columns.STATISTIC_INDEX[name]] for name in ("deals", "showdowns")
    )
    yield "numbers of deals and of turn counts", deals, turns.sum(axis=1)
    yield "numbers of showdowns and of deadwood counts", showdowns, ending_counts.sum(axis=1)
    yield "numbers of units and of pair scores", units, pair_counts.sum(axis=1)
    # A number and its square are both even or both odd. Therefore, a sum of numbers and the sum of
    # their squares are also both even or both odd.
    differences = ((sums ^ square_sums) & 1).sum(axis=1)
    yield "parities of the sums and of the sums of squares", differences, np.zeros_like(differences)
    # All units have the same number of results, so products with the number of results are
    # multiples of the sums.
    for column in np.flatnonzero(np.array(batch_columns.DENOMINATOR_INDICES) == statistic):
        description = (
            f"the sum of {batch_columns.STATISTIC_NAMES[column]} and the sum of its products"
        )
        yield description, n_games * sums[:, column], cross_sums[:, column]


def _find_out_of_bounds(matchup: Matchup, rows: np.ndarray) -> np.ndarray:
    """Return a mask of the batches with incompatible sums and sums of squares."""
    sums, square_sums, _ = (array.astype(float) for array in _split_statistics(rows))
    min_square = sums**2 / (rows[:, [batch_columns.UNITS_COLUMN]] * (1 + RELATIVE_TOLERANCE))
    max_square = sums**2 * (1 + RELATIVE_TOLERANCE)
    statistics = SIGNED_STATISTICS if matchup.b else (*SIGNED_STATISTICS, *SOLO_SIGNED_STATISTICS)
    max_square[:, [batch_columns.STATISTIC_INDEX[name] for name in statistics]] = np.inf
    is_out_of_bounds = (square_sums < min_square) | (square_sums > max_square)
    return np.asarray(is_out_of_bounds.any(axis=1))


def _split_statistics(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sums of all statistics, of their squares and of their cross products.

    A cross product is the product of a quantity and its denominator. All three arrays have shape
    `(n_batches, N_STATISTICS)`.
    """
    sums_end = batch_columns.SUMS_START + 3 * batch_columns.N_STATISTICS
    sums, square_sums, cross_sums = np.split(
        rows[:, batch_columns.SUMS_START : sums_end], 3, axis=1
    )
    return sums, square_sums, cross_sums


# The schedule


# Minimum duration of a block, in seconds. Between blocks, simgin updates the progress bar, handles
# Ctrl-C and saves results.
MIN_BLOCK_SECONDS = 0.5
# Maximum number of blocks per second, summed over all workers. If there are many workers, blocks
# take longer (docs/explanation/scaling.md).
MAX_BLOCKS_PER_SECOND = 100
# Maximum growth factor between successive blocks. The time of the first block can include
# compilation.
MAX_BLOCK_GROWTH = 8

UnitRange = tuple[int, int]  # first missing unit, and first finished unit after the gap


class Schedule:
    """Queue of the blocks of a run, with block sizes that depend on the measured speed.

    Args:
        tasks: Matchups of the run with their sizes.
        ledger: Ledger with the finished batches, which are not played again.
        workers: Number of blocks that are played at the same time.
        record_deals: True to record every deal.
        time_limit: Time limit per matchup in seconds, or None for no limit.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        ledger: Ledger,
        workers: int,
        *,
        record_deals: bool = False,
        time_limit: float | None = None,
    ) -> None:
        self._tasks = tasks
        self._workers = workers
        self._record_deals = record_deals
        self._time_limit = time_limit
        self._gaps: list[Iterator[UnitRange]] = []
        self._next_batches = [1] * len(tasks)  # number of batches in the next block of each matchup
        self._deadline: float | None = None
        self.units = 0
        self.finished_units = 0
        self._waiting_units: list[int] = []  # units of each matchup that are not in a block yet
        for matchup_index, task in enumerate(tasks):
            finished = ledger.find_finished_batches(
                matchup_index, task.matchup.batch_size, with_deals=record_deals
            )
            self._gaps.append(_find_gaps(task, finished))
            self._waiting_units.append(count_remaining_units(task, finished))
            self.units += task.units
            self.finished_units += task.units - self._waiting_units[matchup_index]
        self._matchup_index = 0
        self._gap = next(self._gaps[0], None) if tasks else None
        self._started = time.monotonic()

    @property
    def progress(self) -> tuple[int, int]:
        """Finished and total units or, with a time limit, elapsed and total milliseconds."""
        if self._time_limit is None:
            return self.finished_units, self.units
        limit_ms = int(1000 * self._time_limit * len(self._tasks))
        return min(int(1000 * (time.monotonic() - self._started)), limit_ms), limit_ms

    def next_block(self) -> Block | None:
        """Return the next block, or None if no blocks remain or the schedule was stopped."""
        while self._matchup_index < len(self._tasks) and (
            self._gap is None or self._has_time_limit_passed()
        ):
            self._matchup_index += 1
            self._deadline = None
            self._gap = self._next_gap()
        if self._gap is None:
            return None
        first_unit, end_unit = self._gap
        matchup = self._tasks[self._matchup_index].matchup
        n_missing = end_unit - first_unit
        units = min(n_missing, self._choose_block_size())
        self._waiting_units[self._matchup_index] -= units
        self._gap = (first_unit + units, end_unit) if units < n_missing else self._next_gap()
        first_batch = first_unit // matchup.batch_size
        return Block(self._matchup_index, matchup, first_batch, units, self._record_deals)

    def record_time(self, block: Block, seconds: float) -> None:
        """Record how long a block took, and adapt the sizes of later blocks."""
        self.finished_units += block.units
        block_seconds = max(MIN_BLOCK_SECONDS, self._workers / MAX_BLOCKS_PER_SECOND)
        n_batches = int(block_seconds * block.units / max(seconds, 1e-9) / block.matchup.batch_size)
        max_batches = MAX_BLOCK_GROWTH * self._next_batches[block.matchup_index]
        self._next_batches[block.matchup_index] = max(1, min(n_batches, max_batches))

    def close_matchup(self, matchup_index: int) -> None:
        """Remove the remaining blocks of a matchup from the schedule."""
        self._gaps[matchup_index] = iter(())
        self._waiting_units[matchup_index] = 0
        if matchup_index == self._matchup_index:
            self._gap = None

    def stop(self) -> None:
        """Remove all remaining blocks from the schedule."""
        self._matchup_index = len(self._tasks)
        self._gap = None

    def _next_gap(self) -> UnitRange | None:
        """Return the next range of missing units of the current matchup, or None."""
        if self._matchup_index >= len(self._tasks):
            return None
        return next(self._gaps[self._matchup_index], None)

    def _has_time_limit_passed(self) -> bool:
        """Return True if the time limit of the current matchup has passed."""
        if self._time_limit is None:
            return False
        self._deadline = self._deadline or time.monotonic() + self._time_limit
        return time.monotonic() >= self._deadline

    def _choose_block_size(self) -> int:
        """Return the number of units in the next block, which decreases at the end of a run."""
        batch_size = self._tasks[self._matchup_index].matchup.batch_size
        n_waiting_batches = -(-sum(self._waiting_units) // batch_size)
        max_batches = self._next_batches[self._matchup_index]
        return batch_size * max(1, min(max_batches, n_waiting_batches // (2 * self._workers)))


def count_remaining_units(task: Task, finished_batches: Iterable[tuple[int, int]]) -> int:
    """Return the number of units of a task that have not been played yet.

    Args:
        task: Matchup with its size.
        finished_batches: Batch index and number of units of every finished batch, as returned by
            `Ledger.find_finished_batches`.
    """
    return sum(stop - start for start, stop in _find_gaps(task, finished_batches))


def count_remaining_units_by_task(
    tasks: Sequence[Task], ledger: Ledger, *, with_deals: bool
) -> list[int]:
    """Return the number of units of every task that are missing from the ledger.

    Args:
        tasks: Matchups of the run with their sizes.
        ledger: Ledger of the run.
        with_deals: True to count a batch as finished only if its deals were recorded.
    """
    batch_sizes = [task.matchup.batch_size for task in tasks]
    finished = [
        ledger.find_finished_batches(matchup_index, batch_size, with_deals=with_deals)
        for matchup_index, batch_size in enumerate(batch_sizes)
    ]
    return list(map(count_remaining_units, tasks, finished))


def contains_more_units(ledger: Ledger, tasks: Sequence[Task]) -> bool:
    """Return True if a ledger contains units of a matchup beyond the size of its task."""
    return any(
        batch * task.matchup.batch_size + units > task.units
        for matchup_index, task in enumerate(tasks)
        for batch, units in ledger.find_finished_batches(matchup_index, task.matchup.batch_size)
    )


def _find_gaps(task: Task, finished_sizes: Iterable[tuple[int, int]]) -> Iterator[UnitRange]:
    """Yield the ranges of units that have not been played, each starting with a new batch."""
    batch_size = task.matchup.batch_size
    n_units = task.units
    remainder = n_units % batch_size
    finished_batches = set(finished_sizes)
    gap_start = 0
    complete_batches = sorted(index for index, size in finished_batches if size == batch_size)
    for batch_index in complete_batches:
        first_unit = batch_index * batch_size
        if first_unit >= n_units - remainder:
            break
        if first_unit > gap_start:
            yield gap_start, first_unit
        gap_start = first_unit + batch_size
    if (n_units // batch_size, remainder) in finished_batches:
        n_units -= remainder
    if gap_start < n_units:
        yield gap_start, n_units
