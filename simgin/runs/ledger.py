"""Ledger of a run: an SQLite file that stores all finished batch rows.

Blocks are committed as a whole, so a run can be killed at any time and continued or extended later.
During a run, the file is in write-ahead mode and locked against other processes. Afterwards, the
ledger is a single file. Every row has a checksum. If the checksum is wrong, the batch is played
again. The reasons for SQLite and checksums are in docs/explanation/decisions/0006-runs.md.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import re
import sqlite3
import stat
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import batch_columns
from simgin.core.deal_record import DEAL_RECORD_DTYPE
from simgin.text.messages import SimginError, describe_error, join_words, quote_text

LEDGER_FILE = "ledger.sqlite"
# version of the tables in ledger.sql, which is incremented if older ledgers become unreadable
LEDGER_FORMAT = 3
APPLICATION_ID = 0x67696E01  # `application_id` in the SQLite file
# fastest level of zlib; higher levels are many times slower and only slightly reduce the size
COMPRESSION_LEVEL = 1
INT64_BYTES = 8  # bytes per int64
CHECKSUM_BYTES = 16  # length of the checksum of a row, in bytes
LOCK_TIMEOUT_SECONDS = 1.0  # time during which simgin retries opening a locked ledger, in seconds
SQLITE_SUFFIXES = ("", "-journal", "-wal", "-shm")  # file name suffixes used by SQLite
# last bytes of a journal that refers to a super-journal, which SQLite would delete
SUPER_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
MAX_VALUE_BYTES = 1 << 28  # maximum size of a value before or after decompression, in bytes
# steps of the SQLite virtual machine between two checks for Ctrl-C
SQLITE_STEPS_PER_CHECK = 100_000

_IN_USE_CODES = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_CORRUPT_CODES = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


# parts of SQL statements in which equivalent statements can differ
_SQL_COMMENT_OR_SPACE_PATTERN = re.compile(r"--[^\n]*|\s")
_ANY_RESULT_QUERY = "SELECT 1 FROM blocks UNION ALL SELECT 1 FROM steps LIMIT 1"
# column types of each table, without the checksum
_COLUMN_TYPES = [[str, str], [int, int, int, str, bytes], [int, int, int, bytes], [str, int, bytes]]


class LedgerError(SimginError):
    """Exception for a ledger that cannot be read or written, with a message that suggests a fix."""


class Ledger:
    """Ledger of a run: an SQLite file with the finished batches of all matchups.

    Only one thread at a time can use the ledger. Any thread can close the ledger, because Python
    can delete the results that own it in any thread.

    The methods identify a matchup by its index in the run. `batch_size` is the number of units in a
    complete batch. `units` is the number of units that the run needs. The last batch can be
    incomplete.
    """

    def __init__(self, connection: sqlite3.Connection, name: str, limit: _QueryStepLimit) -> None:
        self._connection, self._name, self._step_limit = connection, name, limit

    def find_finished_batches(
        self, index: int, batch_size: int, *, with_deals: bool = False
    ) -> set[tuple[int, int]]:
        """Return the index and the number of units of each finished batch of a matchup.

        Args:
            index: Index of the matchup.
            batch_size: Number of units in a complete batch.
            with_deals: True to return only batches whose deals were recorded.
        """
        if with_deals:
            query = "SELECT * FROM deals WHERE cell = ?"
            return {(batch, units) for _, batch, units, _ in self._iter_valid_rows(query, index)}
        query = "SELECT * FROM blocks WHERE cell = ?"
        batches: set[tuple[int, int]] = set()
        for first_batch, units, _, _ in self._iter_blocks(query, batch_size, index):
            n_complete, remainder = divmod(units, batch_size)
            batches.update((first_batch + i, batch_size) for i in range(n_complete))
            if remainder:
                batches.add((first_batch + n_complete, remainder))
        return batches

    def add_block(
        self,
        matchup_index: int,
        first_batch: int,
        units: Sequence[int],
        packed_rows: bytes,
        worker: str,
        packed_deals: Sequence[bytes] = (),
    ) -> None:
        """Commit a block of consecutive batches to the ledger.

        Args:
            matchup_index: Index of the matchup.
            first_batch: Index of the first batch.
            units: Number of units in every batch.
            packed_rows: Packed batch rows.
            worker: Name of the worker that played the block.
            packed_deals: Packed recorded deals of every batch, or an empty list if deals were not
                recorded.

        Raises:
            LedgerError: If the block cannot be written. After this error, the ledger is unchanged.
        """
        deal_rows = [
            (matchup_index, first_batch + i, units[i], packed_batch)
            for i, packed_batch in enumerate(packed_deals)
        ]
        with self._report_write_errors(), self._connection:
            self._insert("blocks", (matchup_index, first_batch, sum(units), worker, packed_rows))
            for deal_row in deal_rows:
                self._insert("deals", deal_row)

    def _insert(self, table: str, row: Sequence[Any]) -> None:
        """Insert a row with its checksum into a table."""
        placeholders = "?, " * len(row) + "?"
        query = f"INSERT OR REPLACE INTO {table} VALUES ({placeholders})"
        self._connection.execute(query, [*row, _compute_checksum(row)])

    def _iter_valid_rows(self, query: str, *values: object) -> Iterator[list[Any]]:
        """Yield the selected rows without their checksums, and skip corrupt rows."""
        self._step_limit.n_calls = 0
        for *row, checksum in self._connection.execute(query, values):
            if checksum == _compute_checksum(row) and [*map(type, row)] in _COLUMN_TYPES:
                yield row

    def _iter_blocks(self, query: str, batch_size: int, *values: object) -> Iterator[list[Any]]:
        """Yield the first batch, the unit count, the worker and the rows of each valid block."""
        for _, first_batch, units, *fields in self._iter_valid_rows(query, *values):
            # A packed batch has more than one byte.
            if first_batch >= 0 < units <= batch_size * len(fields[-1]):
                yield [first_batch, units, *fields]

    def read_rows(
        self,
        matchup_index: int,
        units: int,
        batch_size: int,
        columns: slice | Sequence[int] = slice(None),
    ) -> np.ndarray:
        """Return the batch rows of the first `units` units of a matchup, in order.

        Args:
            matchup_index: Index of the matchup.
            units: Number of units.
            batch_size: Number of units in a complete batch.
            columns: Columns to return, by default all `N_COLUMNS`.

        Returns:
            `(n_batches, n_columns) int64`.
        """
        n_columns = np.arange(batch_columns.N_COLUMNS)[columns].size
        rows = np.empty((-(-units // batch_size), n_columns), np.int64)
        row_start = 0
        for block_rows in self.iter_row_blocks(matchup_index, units, batch_size):
            rows[row_start : row_start + len(block_rows)] = block_rows[:, columns]
            row_start += len(block_rows)
        return rows

    def compute_total(self, matchup_index: int, units: int, batch_size: int) -> np.ndarray:
        """Return the exact sum of all batch rows of a matchup."""
        total = np.zeros(batch_columns.N_COLUMNS, np.int64)
        for rows in self.iter_row_blocks(matchup_index, units, batch_size):
            total += rows.sum(axis=0)
        return total

    def iter_row_blocks(self, index: int, units: int, batch_size: int) -> Iterator[np.ndarray]:
        """Yield the batch rows of a matchup, one array per block.

        Raises:
            LedgerError: If a batch is missing. The error is raised after all other batches have
                been yielded.
        """
        n_rows = 0
        for _, rows, _ in self._iter_finished_blocks(index, units, batch_size):
            n_rows += len(rows)
            yield rows
        self._require_batches(n_rows, units, batch_size)

    def iter_finished_rows(
        self, matchup_index: int, units: int, batch_size: int
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the index and the row of each finished batch among the first `units` units.

        The batches are in order, and some of them can be missing.
        """
        for start, rows, _ in self._iter_finished_blocks(matchup_index, units, batch_size):
            yield from enumerate(rows, start)

    def iter_deals(self, matchup_index: int, units: int, batch_size: int) -> Iterator[np.ndarray]:
        """Yield the recorded deals of the first `units` units, batch by batch.

        Yields:
            `(n_deals,)` structured arrays with the fields of `DEAL_RECORD_DTYPE`.
        """
        n_complete, remainder = divmod(units, batch_size)
        query = (
            "SELECT * FROM deals WHERE cell = ? "
            "AND (batch < ? AND units = ? OR batch = ? AND units = ?) ORDER BY batch"
        )
        n_rows = 0
        for *_, packed_deals in self._iter_valid_rows(
            query, matchup_index, n_complete, batch_size, n_complete, remainder
        ):
            n_rows += 1
            yield unpack_rows(packed_deals, len(DEAL_RECORD_DTYPE.names or ())).view(
                DEAL_RECORD_DTYPE
            )[:, 0]
        self._require_batches(n_rows, units, batch_size)

    def list_workers(self, matchup_index: int, units: int, batch_size: int) -> list[str]:
        """Return the names of the workers that played the batches, in the order of `read_rows`."""
        return [
            worker
            for _, rows, worker in self._iter_finished_blocks(matchup_index, units, batch_size)
            for _ in rows
        ]

    def _iter_finished_blocks(
        self, matchup_index: int, units: int, batch_size: int
    ) -> Iterator[tuple[int, np.ndarray, str]]:
        """Yield the first batch, the batch rows and the worker of each finished block.

        The blocks are in unit order. If a batch was played again to record its deals, it is in two
        blocks, but it is yielded only once.
        """
        n_complete, remainder = divmod(units, batch_size)
        query = "SELECT * FROM blocks WHERE cell = ? AND first <= ? ORDER BY first, units DESC"
        next_batch = 0
        for first_batch, block_units, worker, packed_rows in self._iter_blocks(
            query, batch_size, matchup_index, n_complete
        ):
            end_batch = first_batch + block_units // batch_size
            stop_batch = min(end_batch, n_complete)
            if end_batch == n_complete and 0 < remainder == block_units % batch_size:
                stop_batch += 1
            next_batch = max(next_batch, first_batch)
            if next_batch < stop_batch:
                rows = unpack_rows(packed_rows, batch_columns.N_COLUMNS)
                yield next_batch, rows[next_batch - first_batch : stop_batch - first_batch], worker
                next_batch = stop_batch

    def _require_batches(self, n_batches: int, units: int, batch_size: int) -> None:
        """Raise LedgerError unless all batches of the first `units` units have been read."""
        if n_batches != -(-units // batch_size):
            raise LedgerError(
                f"{self._name} is incomplete: batches are missing or corrupt. Repeat the command "
                "to play these batches again."
            )

    def has_step_result(self, name: str, size: int) -> bool:
        """Return True if the ledger contains the result of a named computation of a given size."""
        return self._read_step_bytes(name, size) is not None

    def add_step_result(self, name: str, size: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Commit the result of a named computation, and replace its results of other sizes."""
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
        with self._report_write_errors(), self._connection:
            self._insert("steps", (name, size, buffer.getvalue()))

    def read_step_result(self, name: str, size: int) -> dict[str, np.ndarray]:
        """Return the stored result of a named computation.

        Args:
            name: Name of the step, such as an extra pass or a round of training.
            size: Number of units or rounds in the step.

        Raises:
            LedgerError: If the result is missing or corrupt.
        """
        npz_bytes = self._read_step_bytes(name, size)
        if npz_bytes is None:
            raise LedgerError(
                f"{self._name} is incomplete: the data of the extra pass {name} are missing or "
                "corrupt. Run the same command again to repeat this pass."
            )
        try:
            with np.load(io.BytesIO(npz_bytes), allow_pickle=False) as file:
                return {key: file[key] for key in file.files}
        # Manipulated arrays can make NumPy raise any exception or request all available memory.
        except Exception as error:
            raise LedgerError(
                _format_corruption_message(self._name, describe_error(error))
            ) from error

    def _read_step_bytes(self, name: str, size: int) -> bytes | None:
        """Return the stored bytes of a named computation, or None if missing or corrupt."""
        query = "SELECT * FROM steps WHERE name = ? AND n = ?"
        for *_, npz_bytes in self._iter_valid_rows(query, name, size):
            return bytes(npz_bytes)
        return None

    @property
    def identity(self) -> dict[str, Any]:
        """Identity of the run, which was stored when the ledger was created.

        Raises:
            LedgerError: If the identity is missing or corrupt.
        """
        identity = None
        with contextlib.suppress(ValueError, RecursionError):
            identity = json.loads(self._read_value("identity"))
        if not isinstance(identity, dict):
            raise LedgerError(
                _format_corruption_message(self._name, "the identity of the run is missing")
            )
        return identity

    @property
    def command(self) -> str:
        """Command that continues the run, or "" if it is missing or corrupt."""
        return self._read_value("command")

    def _read_value(self, key: str) -> str:
        """Return the string stored under a key, or "" if it is missing."""
        for _, value in self._iter_valid_rows("SELECT * FROM run WHERE key = ?", key):
            return str(value)
        return ""

    def write_command(self, command: str) -> None:
        """Store the command that continues the run."""
        with self._report_write_errors(), self._connection:
            self._insert("run", ("command", command))

    def save(self, path: Path, command: str) -> None:
        """Write a copy of the ledger to a new file, with the command that continues the run."""
        with open_ledger(path, self.identity) as saved_ledger, saved_ledger._report_write_errors():
            self.copy_to(saved_ledger)
            saved_ledger.write_command(command)

    def copy_to(self, target: Ledger) -> None:
        """Replace the contents of another ledger with the contents of this ledger."""
        self._connection.backup(target._connection)

    def create_tables(self, identity: Mapping[str, Any]) -> None:
        """Create the tables of a new ledger and store the identity of the run."""
        with self._report_write_errors(), self._connection:
            header = f"PRAGMA application_id = {APPLICATION_ID}; BEGIN;"
            self._connection.executescript(f"{header} {_read_schema()}")
            self._insert("run", ("form", str(LEDGER_FORMAT)))
            self._insert("run", ("identity", json.dumps(identity, ensure_ascii=False)))

    def is_empty(self) -> bool:
        """Return True if the ledger contains no results.

        An empty ledger can be used for another run, for example if a strategy failed immediately
        and was corrected.
        """
        ((n_tables,),) = self._connection.execute("SELECT count(*) FROM sqlite_master")
        return n_tables == 0 or self._connection.execute(_ANY_RESULT_QUERY).fetchone() is None

    def check_identity(self, identity: Mapping[str, Any]) -> None:
        """Raise LedgerError with a list of the differences if the ledger belongs to another run."""
        lines = [] if self.is_empty() else describe_identity_differences(self.identity, identity)
        if lines and _remove_directories(self.identity) == _remove_directories(identity):
            other_specs = self.identity["strategies"].keys() - identity["strategies"].keys()
            raise LedgerError(
                f"{Path(self._name).parent} contains a run with the same strategy files under "
                f"other paths: {join_words(sorted(map(quote_text, other_specs)))}. Repeat the "
                "command in the working directory of the first run, or choose another directory "
                "for the results."
            )
        if lines:
            raise LedgerError(
                f"{Path(self._name).parent} contains another run:\n"
                + "\n".join(f"  {line}" for line in lines)
                + "\nChoose another directory, or remove this directory to start again."
            )

    @contextlib.contextmanager
    def _report_write_errors(self) -> Iterator[None]:
        """Roll back and raise LedgerError if a statement in the `with` block fails."""
        try:
            yield
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self._connection.rollback()
            raise LedgerError(
                f"{self._name} cannot be written ({error}). Finished batches are saved. Fix the "
                "problem and repeat the command to continue."
            ) from error


@contextlib.contextmanager
def open_ledger(path: Path | None, identity: Mapping[str, Any]) -> Iterator[Ledger]:
    """Open a ledger, or create it if it does not exist, and lock it while it is open.

    Args:
        path: Path of the file, or None for a ledger in memory.
        identity: Identity of the run.

    Raises:
        LedgerError: If the ledger belongs to another run, is in use, is corrupt or cannot be
            written.
    """
    name = "the ledger" if path is None else str(path)
    with (
        _report_read_errors(name, path) as step_limit,
        contextlib.closing(_connect_locked(path, name, step_limit)) as connection,
    ):
        ledger = Ledger(connection, name, step_limit)
        ledger.check_identity(identity)
        if ledger.is_empty():
            ledger.create_tables(identity)
        try:
            # Check the file first, because the next statement changes it and it can belong to
            # another program.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if path is not None:
                # A killed reader leaves its shared-memory file behind, which a single process does
                # not need.
                Path(f"{path}-shm").unlink(missing_ok=True)
            yield ledger
        finally:
            with contextlib.suppress(sqlite3.Error):
                # Without a write-ahead log, the ledger is a single file that can be read even in a
                # read-only directory.
                connection.execute("PRAGMA journal_mode = DELETE")


@contextlib.contextmanager
def open_existing_ledger(path: Path) -> Iterator[Ledger]:
    """Open the ledger of a finished or interrupted run for reading.

    An empty file is treated as an empty ledger.

    Raises:
        LedgerError: If the ledger is missing or cannot be read.
    """
    if not path.is_file():
        raise LedgerError(
            f"{path.parent} does not contain {LEDGER_FILE}. Specify a directory written by "
            "`simgin run` or `simgin match -o`."
        )
    # If permitted, the file is opened for writing, so that SQLite can roll back the writes of a
    # killed run.
    uri = f"{path.absolute().as_uri()}?mode=rw"
    suggestion = "Copy its directory to a writable location"
    with (
        _report_read_errors(str(path), path, suggestion) as step_limit,
        contextlib.closing(
            sqlite3.connect(uri, uri=True, timeout=LOCK_TIMEOUT_SECONDS)
        ) as connection,
    ):
        _set_limits(connection, step_limit)
        if _contains_ledger(connection, str(path)):
            yield Ledger(connection, str(path), step_limit)
        else:  # The run was killed before it created the tables.
            with open_ledger(None, {}) as empty_ledger:
                yield empty_ledger


@dataclass
class _QueryStepLimit:
    """Limit on the steps of a query, so that queries on corrupt files end."""

    path: Path | None
    n_calls: int = 0  # number of times that SQLite has called the progress handler

    def __call__(self) -> bool:
        """Count a call of the progress handler, and return True to stop the query."""
        self.n_calls += 1
        return self.is_exceeded

    @property
    def is_exceeded(self) -> bool:
        """True if the query has taken more steps than a valid file of this size needs."""
        file_bytes = os.path.getsize(self.path) if self.path else 0
        return self.n_calls > 20 + file_bytes // 10_000


def _check_files(path: Path) -> None:
    """Raise LedgerError if a file of a ledger is irregular or refers to another file.

    SQLite would wait for a pipe, and would delete another file that a journal names.
    """
    for suffix in SQLITE_SUFFIXES:
        file = Path(f"{path}{suffix}")
        if os.path.lexists(file) and not stat.S_ISREG(file.lstat().st_mode):
            raise LedgerError(f"{file} is not a regular file. Choose another directory.")
    journal = Path(f"{path}-journal")
    with contextlib.suppress(FileNotFoundError), journal.open("rb") as journal_file:
        journal_file.seek(max(0, journal.stat().st_size - len(SUPER_JOURNAL_MAGIC)))
        if journal_file.read() == SUPER_JOURNAL_MAGIC:
            raise LedgerError(
                f"{journal} cannot be used, because it names another file, which SQLite would "
                "delete. Choose another directory."
            )


def _set_limits(connection: sqlite3.Connection, step_limit: _QueryStepLimit) -> None:
    """Limit the size of the values in a ledger, and let Ctrl-C interrupt queries."""
    connection.text_factory = lambda content: content.decode(errors="replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.set_progress_handler(step_limit, SQLITE_STEPS_PER_CHECK)


@contextlib.contextmanager
def _report_read_errors(
    name: str, path: Path | None, suggestion: str = "Choose another directory"
) -> Iterator[_QueryStepLimit]:
    """Raise LedgerError if reading a ledger in the `with` block fails.

    Args:
        name: Name of the ledger for error messages.
        path: Path of the ledger, or None for a ledger in memory.
        suggestion: Suggested fix if the file is valid but cannot be used.
    """
    step_limit = _QueryStepLimit(path)
    try:
        if path is not None:
            _check_files(path)
        yield step_limit
    # If SQLite quotes a corrupt name in an error message, Python raises UnicodeDecodeError.
    except (zlib.error, UnicodeDecodeError) as error:
        raise LedgerError(_format_corruption_message(name, error)) from error
    except sqlite3.Error as error:
        if _get_sqlite_code(error) == sqlite3.SQLITE_INTERRUPT:
            if not step_limit.is_exceeded:  # sqlite3 suppresses the KeyboardInterrupt.
                raise KeyboardInterrupt from None
            raise LedgerError(
                _format_corruption_message(name, "the database pages form a cycle")
            ) from error
        if _get_sqlite_code(error) in _CORRUPT_CODES:
            raise LedgerError(_format_corruption_message(name, error)) from error
        if _get_sqlite_code(error) in _IN_USE_CODES:
            raise LedgerError(
                f"{name} is in use by another process. Wait until that process ends, then try "
                "again."
            ) from error
        raise LedgerError(f"{name} cannot be used ({error}). {suggestion}.") from error


def _connect_locked(path: Path | None, name: str, limit: _QueryStepLimit) -> sqlite3.Connection:
    """Open a connection to a ledger, and lock the ledger against other processes.

    If several processes open the file at the same time, all of them can fail. If a process fails to
    lock the file, it closes the file and tries again after a random delay.
    """
    deadline = time.monotonic() + LOCK_TIMEOUT_SECONDS
    while True:
        database = ":memory:" if path is None else path
        connection = sqlite3.connect(database, timeout=0, check_same_thread=False)
        _set_limits(connection, limit)
        try:
            # The file is locked before the journal mode is set, so that no other process can open
            # it.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            with connection:
                connection.execute("BEGIN EXCLUSIVE")
                if _contains_ledger(connection, name):
                    # Detect corrupt pages before the first write.
                    ((check_result,),) = connection.execute("PRAGMA quick_check(1)")
                    if check_result != "ok":
                        raise LedgerError(
                            _format_corruption_message(name, check_result.replace("\n", " "))
                        )
            return connection
        except BaseException as error:
            connection.close()
            if _get_sqlite_code(error) not in _IN_USE_CODES or time.monotonic() > deadline:
                raise
        time.sleep(random.uniform(0.01, 0.1))


def _contains_ledger(connection: sqlite3.Connection, name: str) -> bool:
    """Return True if a file is a valid ledger, or False if it is empty.

    Raises:
        LedgerError: If the file has an unsupported format or is corrupt.
    """
    ((application_id,),) = connection.execute("PRAGMA application_id")
    ((n_tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
    if n_tables and application_id != APPLICATION_ID:
        raise LedgerError(
            f"{name} is not a simgin ledger. Move the file or choose another directory."
        )
    if n_tables:
        version_row = connection.execute("SELECT value FROM run WHERE key = 'form'").fetchone()
        if version_row is None:
            raise LedgerError(_format_corruption_message(name, "the format version is missing"))
        if version_row[0] != str(LEDGER_FORMAT):
            ledger_format = str(version_row[0])[:20]
            raise LedgerError(
                f"{name} was written by another version of simgin (format {ledger_format}, not "
                f"{LEDGER_FORMAT}). Repeat the run in another directory."
            )
        rows = connection.execute("SELECT sql FROM sqlite_master")
        statements = {_strip_sql(sql) for (sql,) in rows if sql}
        if statements != set(re.findall("CREATE[^;]*", _strip_sql(_read_schema()))):
            problem = "the file does not contain the tables of a ledger"
            raise LedgerError(_format_corruption_message(name, problem))
    return bool(n_tables)


def _read_schema() -> str:
    """Return the SQL statements that create the tables of a ledger."""
    return Path(__file__).with_name("ledger.sql").read_text(encoding="utf-8")


def _strip_sql(sql: object) -> str:
    """Remove comments and white space from SQL statements."""
    return _SQL_COMMENT_OR_SPACE_PATTERN.sub("", str(sql))


def _format_corruption_message(name: str, error: object) -> str:
    """Return the error message for a corrupt ledger."""
    return f"{name} is corrupt ({error}). Remove it and repeat the run."


def _get_sqlite_code(error: BaseException) -> int:
    """Return SQLite's primary code of an error, or 0 if the error has none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _remove_directories(identity: Mapping[str, Any]) -> Any:
    """Return an identity without the directories of strategy files, such as `bots/mine.py`."""
    text, strategies = json.dumps(identity), identity.get("strategies")
    # Directories can contain spaces. A corrupt identity can contain anything.
    for spec in strategies if isinstance(strategies, dict) else ():
        json_spec = json.dumps(spec)[1:-1]
        text = text.replace(json_spec, re.sub(r"[^=+]*/(?=[^/]*\.py)", "", json_spec))
    return json.loads(text)


def describe_identity_differences(stored: Any, current: Any, prefix: str = "") -> list[str]:
    """Return a line for each value that differs between two identities.

    Each line starts with the key of the value. If only one identity contains a table of values, the
    line states only the key of the table.
    """
    lines = []
    if stored == current:
        return []
    if isinstance(stored, dict) and isinstance(current, dict):
        for key in {**stored, **current}:
            full_key = f"{prefix}, {key}" if prefix else str(key)
            lines += describe_identity_differences(stored.get(key), current.get(key), full_key)
        return lines
    if isinstance(stored, list) and isinstance(current, list):
        if len(stored) == len(current):
            for index, value_pair in enumerate(zip(stored, current, strict=True)):
                lines += describe_identity_differences(
                    *value_pair, f"{prefix.removesuffix('s')} {index + 1}"
                )
            return lines
        lines += [
            f"{prefix}: {_format_json(value)} is only in the other run."
            for value in stored
            if value not in current
        ]
        return lines + [
            f"{prefix}: {_format_json(value)} is only in this run."
            for value in current
            if value not in stored
        ]
    if current is None and isinstance(stored, dict):
        return [f"{prefix} is only in the other run."]
    if stored is None and isinstance(current, dict):
        return [f"{prefix} is only in this run."]
    return [
        f"{prefix}: {_format_json(stored)} in the other run, {_format_json(current)} in this run."
    ]


def _compute_checksum(row: Sequence[object]) -> bytes:
    """Return the checksum of the values in a row, including their types."""
    digest = hashlib.blake2b(digest_size=CHECKSUM_BYTES)
    for value in row:
        content = value if isinstance(value, bytes) else ascii(value).encode()
        digest.update(b"%d " % len(content))
        digest.update(content)
    return digest.digest()


def _format_json(value: Any) -> str:
    """Format a value of an identity as JSON."""
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def pack_rows(rows: np.ndarray) -> bytes:
    """Compress an int64 array, (n_rows, n_columns), without holding the interpreter lock.

    The values in a column are small and similar, so most of their bytes are 0. Before zlib
    compresses the bytes, they are ordered by column and significance, as in the shuffle filter of
    HDF5. The size of a batch row is reduced to a tenth.
    """
    n_rows, n_columns = rows.shape
    all_bytes = np.ascontiguousarray(rows.T, "<i8").view(np.uint8)
    column_bytes = all_bytes.reshape(n_columns, n_rows, INT64_BYTES)
    return zlib.compress(column_bytes.transpose(0, 2, 1).tobytes(), COMPRESSION_LEVEL)


def unpack_rows(packed: bytes, n_columns: int) -> np.ndarray:
    """Decompress batch rows to an int64 array, (n_rows, n_columns).

    Raises:
        zlib.error: If the bytes are corrupt.
    """
    stream = zlib.decompressobj()
    content = np.frombuffer(stream.decompress(packed, MAX_VALUE_BYTES), np.uint8)
    if not stream.eof:
        raise zlib.error(f"a row is truncated or has more than {MAX_VALUE_BYTES:,} bytes")
    if content.size % (n_columns * INT64_BYTES):
        raise zlib.error(f"{content.size} bytes cannot be divided into rows of {n_columns} numbers")
    numbers = np.array(content.reshape(n_columns, INT64_BYTES, -1).transpose(2, 0, 1), order="C")
    return numbers.view("<i8")[:, :, 0]
