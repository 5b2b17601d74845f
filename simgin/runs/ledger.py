"""Ledger of a run, which is an SQLite file that stores all finished batch rows.

Blocks of batches are committed as a whole, so a run can be killed at any time and continued or
extended later. During a run, the file is in write-ahead mode and locked against other processes.
Afterwards, it is a single file. Every row has a checksum, and rows with a wrong checksum are played
again. See docs/explanation/decisions/0006-runs.md for the reasons for SQLite and checksums.
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
from simgin.core.deal_record import DEAL_RECORD
from simgin.text.messages import SimginError, describe_error

LEDGER_FILE = "ledger.sqlite"
# version of the tables in ledger.sql; incremented if older ledgers become unreadable
LEDGER_FORMAT = 3
APPLICATION_ID = 0x67696E01  # value of application_id in the SQLite file
COMPRESSION_LEVEL = (
    1  # fastest level of zlib, because higher levels are many times slower and save little
)
INT64_BYTES = 8  # bytes per int64
CHECKSUM_BYTES = 16  # length of the checksum of a row, in bytes
LOCK_TIMEOUT = 1.0  # seconds during which opening a locked ledger is retried
SQLITE_SUFFIXES = ("", "-journal", "-wal", "-shm")  # file name suffixes used by SQLite
# Last bytes of a journal that names a super-journal, which SQLite would delete
SUPER_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
MAX_VALUE_BYTES = 1 << 28  # maximum size of a value, packed or unpacked
# Number of steps of the SQLite virtual machine between two checks for Ctrl-C
STEPS_PER_CHECK = 100_000

_IN_USE_CODES = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_CORRUPT_CODES = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


_COMMENTS_AND_SPACE = re.compile(r"--[^\n]*|\s")  # parts of SQL statements that can differ
_ANY_RESULT_QUERY = "SELECT 1 FROM blocks UNION ALL SELECT 1 FROM steps LIMIT 1"
# Types of the columns of each table, without the checksums
_ROW_TYPES = [[str, str], [int, int, int, str, bytes], [int, int, int, bytes], [str, int, bytes]]


class LedgerError(SimginError):
    """Exception for a ledger that simgin cannot read or write; the message suggests a fix."""


class Ledger:
    """Ledger of a run: an SQLite file with the finished batches of all matchups.

    Only one thread at a time can use the ledger. Any thread can close it, because Python can delete
    the results that own the ledger in any thread.

    The methods identify a matchup by its index in the run. `batch_size` is the number of units in a
    complete batch. The run needs the batches of the first `units` units. The last of these batches
    can be incomplete.
    """

    def __init__(self, connection: sqlite3.Connection, name: str, step_limit: _StepLimit) -> None:
        self._connection, self._name, self._step_limit = connection, name, step_limit

    def finished_batches(
        self, matchup_index: int, batch_size: int, *, with_deals: bool = False
    ) -> set[tuple[int, int]]:
        """Return the index and the number of units of each finished batch in a matchup.

        Args:
            matchup_index: Index of the matchup.
            batch_size: Number of units in a complete batch.
            with_deals: True to return only the batches whose deals were recorded.
        """
        if with_deals:
            query = "SELECT * FROM deals WHERE cell = ?"
            return {
                (batch, units) for _, batch, units, _ in self._iter_valid_rows(query, matchup_index)
            }
        query = "SELECT * FROM blocks WHERE cell = ?"
        batches: set[tuple[int, int]] = set()
        for first_batch, units, _, _ in self._iter_blocks(query, batch_size, matchup_index):
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
            LedgerError: If the block cannot be written. The ledger is then unchanged.
        """
        records = [
            (matchup_index, first_batch + i, units[i], packed)
            for i, packed in enumerate(packed_deals)
        ]
        with self._report_write_errors(), self._connection:
            self._insert("blocks", (matchup_index, first_batch, sum(units), worker, packed_rows))
            for record in records:
                self._insert("deals", record)

    def _insert(self, table: str, row: Sequence[Any]) -> None:
        """Insert a row and its checksum into a table."""
        placeholders = "?, " * len(row) + "?"
        query = f"INSERT OR REPLACE INTO {table} VALUES ({placeholders})"
        self._connection.execute(query, [*row, _checksum(row)])

    def _iter_valid_rows(self, query: str, *values: object) -> Iterator[list[Any]]:
        """Yield the rows that a query selects, without their checksums, skipping corrupt rows."""
        self._step_limit.n_calls = 0
        for *row, checksum in self._connection.execute(query, values):
            if checksum == _checksum(row) and [*map(type, row)] in _ROW_TYPES:
                yield row

    def _iter_blocks(self, query: str, batch_size: int, *values: object) -> Iterator[list[Any]]:
        """Yield the first batch, the unit counts, the worker and the rows of each valid block."""
        for _, first_batch, units, *fields in self._iter_valid_rows(query, *values):
            if (
                first_batch >= 0 < units <= batch_size * len(fields[-1])
            ):  # A packed batch has more than one byte.
                yield [first_batch, units, *fields]

    def rows(
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
        width = np.arange(batch_columns.N_COLUMNS)[columns].size
        rows = np.empty((-(-units // batch_size), width), np.int64)
        start = 0
        for chunk in self.iter_chunks(matchup_index, units, batch_size):
            rows[start : start + len(chunk)] = chunk[:, columns]
            start += len(chunk)
        return rows

    def total(self, matchup_index: int, units: int, batch_size: int) -> np.ndarray:
        """Return the exact sum of all batch rows of a matchup, (N_COLUMNS,) int64."""
        total = np.zeros(batch_columns.N_COLUMNS, np.int64)
        for rows in self.iter_chunks(matchup_index, units, batch_size):
            total += rows.sum(axis=0)
        return total

    def iter_chunks(self, matchup_index: int, units: int, batch_size: int) -> Iterator[np.ndarray]:
        """Yield the batch rows of a matchup block by block.

        Raises:
            LedgerError: At the end, if a batch is missing.
        """
        n_rows = 0
        for _, rows, _ in self._iter_parts(matchup_index, units, batch_size):
            n_rows += len(rows)
            yield rows
        self._require_batches(n_rows, units, batch_size)

    def iter_finished(
        self, matchup_index: int, units: int, batch_size: int
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the index and the row of each finished batch among the first `units` units.

        The batches are in order. Some batches can be missing.
        """
        for start, rows, _ in self._iter_parts(matchup_index, units, batch_size):
            yield from enumerate(rows, start)

    def iter_deals(self, matchup_index: int, units: int, batch_size: int) -> Iterator[np.ndarray]:
        """Yield the recorded deals of the first `units` units, batch by batch.

        Yields:
            `(n_deals,)` structured arrays with the fields of `DEAL_RECORD`.
        """
        n_complete, remainder = divmod(units, batch_size)
        query = (
            "SELECT * FROM deals WHERE cell = ? "
            "AND (batch < ? AND units = ? OR batch = ? AND units = ?) ORDER BY batch"
        )
        n_rows = 0
        for *_, blob in self._iter_valid_rows(
            query, matchup_index, n_complete, batch_size, n_complete, remainder
        ):
            n_rows += 1
            yield unpack_rows(blob, len(DEAL_RECORD.names or ())).view(DEAL_RECORD)[:, 0]
        self._require_batches(n_rows, units, batch_size)

    def workers(self, matchup_index: int, units: int, batch_size: int) -> list[str]:
        """Return the names of the workers that played the batches in `rows`."""
        return [
            worker
            for _, rows, worker in self._iter_parts(matchup_index, units, batch_size)
            for _ in rows
        ]

    def _iter_parts(
        self, matchup_index: int, units: int, batch_size: int
    ) -> Iterator[tuple[int, np.ndarray, str]]:
        """Yield the first batch, the batch rows and the worker of each finished block.

        The blocks are in the order of the units. A batch can be in two blocks if it was played
        again to record its deals, but it is yielded only once.
        """
        n_complete, remainder = divmod(units, batch_size)
        query = "SELECT * FROM blocks WHERE cell = ? AND first <= ? ORDER BY first, units DESC"
        start = 0
        for first_batch, block_units, worker, blob in self._iter_blocks(
            query, batch_size, matchup_index, n_complete
        ):
            end = first_batch + block_units // batch_size
            stop = min(end, n_complete)
            if end == n_complete and 0 < remainder == block_units % batch_size:
                stop += 1
            start = max(start, first_batch)
            if start < stop:
                yield (
                    start,
                    unpack_rows(blob, batch_columns.N_COLUMNS)[
                        start - first_batch : stop - first_batch
                    ],
                    worker,
                )
                start = stop

    def _require_batches(self, n_batches: int, units: int, batch_size: int) -> None:
        """Raise LedgerError unless all batches of the first `units` units have been read."""
        if n_batches != -(-units // batch_size):
            raise LedgerError(
                f"{self._name} is incomplete: batches are missing or corrupt. Run the same command "
                "again to play these batches again."
            )

    def has_pass(self, name: str, n: int) -> bool:
        """Return True if the ledger contains the result of an extra pass of the given size."""
        return self._read_pass_bytes(name, n) is not None

    def add_pass(self, name: str, n: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Commit the result of an extra pass, replacing any result of another size."""
        blob = io.BytesIO()
        np.savez_compressed(blob, **arrays)  # type: ignore[arg-type]
        with self._report_write_errors(), self._connection:
            self._insert("steps", (name, n, blob.getvalue()))

    def read_pass(self, name: str, n: int) -> dict[str, np.ndarray]:
        """Return the stored result of an extra pass.

        Args:
            name: Name of the extra pass.
            n: Number of deals or matches in the pass.

        Raises:
            LedgerError: If the result is missing or corrupt.
        """
        blob = self._read_pass_bytes(name, n)
        if blob is None:
            raise LedgerError(
                f"{self._name} is incomplete: the data of the extra pass {name} are missing or "
                "corrupt. Run the same command again to repeat this pass."
            )
        try:
            with np.load(io.BytesIO(blob), allow_pickle=False) as file:
                return {key: file[key] for key in file.files}
        # Manipulated arrays can make NumPy raise any exception or request all memory.
        except Exception as error:
            raise LedgerError(_corrupt_message(self._name, describe_error(error))) from error

    def _read_pass_bytes(self, name: str, n: int) -> bytes | None:
        for *_, arrays in self._iter_valid_rows(
            "SELECT * FROM steps WHERE name = ? AND n = ?", name, n
        ):
            return bytes(arrays)
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
            raise LedgerError(_corrupt_message(self._name, "the identity of the run is missing"))
        return identity

    @property
    def command(self) -> str:
        """Command that continues the run, or "" if the command is missing or corrupt."""
        return self._read_value("command")

    def _read_value(self, key: str) -> str:
        """Return a string that applies to the whole run, or "" if the string is missing."""
        for _, value in self._iter_valid_rows("SELECT * FROM run WHERE key = ?", key):
            return str(value)
        return ""

    def write_command(self, command: str) -> None:
        """Store the command that continues the run."""
        with self._report_write_errors(), self._connection:
            self._insert("run", ("command", command))

    def save(self, path: Path, command: str) -> None:
        """Write the ledger to a new file, together with the command that continues the run."""
        with open_ledger(path, self.identity) as saved_ledger, saved_ledger._report_write_errors():
            self.copy_to(saved_ledger)
            saved_ledger.write_command(command)

    def copy_to(self, other: Ledger) -> None:
        """Replace the content of another ledger by the content of this ledger."""
        self._connection.backup(other._connection)

    def create_tables(self, identity: Mapping[str, Any]) -> None:
        """Create the tables of a new ledger and store the identity of the run."""
        with self._report_write_errors(), self._connection:
            self._connection.executescript(
                f"PRAGMA application_id = {APPLICATION_ID}; BEGIN; {_read_schema()}"
            )
            self._insert("run", ("form", str(LEDGER_FORMAT)))
            self._insert("run", ("identity", json.dumps(identity, ensure_ascii=False)))

    def is_empty(self) -> bool:
        """Return True if the ledger contains neither a batch nor an extra pass.

        An empty ledger can be used for another run, for example if a strategy failed immediately
        and was corrected.
        """
        ((tables,),) = self._connection.execute("SELECT count(*) FROM sqlite_master")
        return tables == 0 or self._connection.execute(_ANY_RESULT_QUERY).fetchone() is None

    def check_identity(self, identity: Mapping[str, Any]) -> None:
        """Raise LedgerError with a list of all differences if the ledger contains another run."""
        lines = [] if self.is_empty() else identity_differences(self.identity, identity)
        if lines:
            raise LedgerError(
                f"{Path(self._name).parent} contains another run:\n"
                + "\n".join(f"  {line}" for line in lines)
                + "\nChoose another directory with -o, or remove this directory to start again."
            )

    @contextlib.contextmanager
    def _report_write_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self._connection.rollback()
            raise LedgerError(
                f"{self._name} cannot be written ({error}). Finished blocks are saved. Fix the "
                "problem and repeat the command to continue."
            ) from error


@contextlib.contextmanager
def open_ledger(path: Path | None, identity: Mapping[str, Any]) -> Iterator[Ledger]:
    """Open a ledger, creating it if necessary, and lock the file while the ledger is open.

    Args:
        path: Path of the file, or None for a ledger in memory.
        identity: Identity of the run.

    Raises:
        LedgerError: If the ledger belongs to another run, is in use, is corrupt or cannot be
            written.
    """
    name = "the ledger" if path is None else str(path)
    with (
        _report_read_errors(name, path) as steps,
        contextlib.closing(_connect_locked(path, name, steps)) as connection,
    ):
        ledger = Ledger(connection, name, steps)
        ledger.check_identity(identity)
        if ledger.is_empty():
            ledger.create_tables(identity)
        try:
            # The check comes first, because this statement changes the file, which can belong to
            # another program.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if path is not None:
                # A killed reader leaves this file behind. A single process does not need the file.
                Path(f"{path}-shm").unlink(missing_ok=True)
            yield ledger
        finally:
            with contextlib.suppress(sqlite3.Error):
                # A single file can be read even in a read-only directory.
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
            f"{path.parent} does not contain {LEDGER_FILE}. Specify a directory written "
            "by `simgin run` or "
            "`simgin match -o`."
        )
    # The file is opened for writing if permitted, so that SQLite can roll back the writes of a
    # killed run.
    source = f"{path.absolute().as_uri()}?mode=rw"
    with (
        _report_read_errors(str(path), path, "Copy its directory to a writable location") as steps,
        contextlib.closing(sqlite3.connect(source, uri=True, timeout=LOCK_TIMEOUT)) as connection,
    ):
        _set_limits(connection, steps)
        if _check_format(connection, str(path)):
            yield Ledger(connection, str(path), steps)
        else:  # The run was killed before it created the tables.
            with open_ledger(None, {}) as empty:
                yield empty


@dataclass
class _StepLimit:
    """Limit on the number of steps of a query, because a corrupt file can contain cycles."""

    path: Path | None
    n_calls: int = 0  # number of calls of the progress handler

    def __call__(self) -> bool:
        """Count a call of SQLite's progress handler; return True to stop the query."""
        self.n_calls += 1
        return self.is_exceeded

    @property
    def is_exceeded(self) -> bool:
        """True if the query has taken more steps than a valid file of this size requires."""
        size = os.path.getsize(self.path) if self.path else 0
        return self.n_calls > 20 + size // 10_000


def _check_files(path: Path) -> None:
    """Raise LedgerError if SQLite would wait for a pipe or use another directory."""
    for suffix in SQLITE_SUFFIXES:
        file = Path(f"{path}{suffix}")
        if os.path.lexists(file) and not stat.S_ISREG(file.lstat().st_mode):
            raise LedgerError(f"{file} is not a regular file. Choose another directory.")
    journal = Path(f"{path}-journal")
    with contextlib.suppress(FileNotFoundError), journal.open("rb") as content:
        content.seek(max(0, journal.stat().st_size - len(SUPER_JOURNAL_MAGIC)))
        if content.read() == SUPER_JOURNAL_MAGIC:
            raise LedgerError(
                f"{journal} cannot be used, because SQLite would delete another file. Choose "
                "another directory."
            )


def _set_limits(connection: sqlite3.Connection, step_limit: _StepLimit) -> None:
    """Limit the size of values in a ledger, and let Ctrl-C interrupt queries."""
    connection.text_factory = _decode
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.set_progress_handler(step_limit, STEPS_PER_CHECK)


@contextlib.contextmanager
def _report_read_errors(
    name: str, path: Path | None, suggestion: str = "Choose another directory"
) -> Iterator[_StepLimit]:
    """Convert errors of SQLite and zlib that occur while reading to LedgerError.

    Args:
        name: Name of the ledger in error messages.
        path: Path of the ledger, or None for a ledger in memory.
        suggestion: Suggested fix for a file that is valid but cannot be used.
    """
    step_limit = _StepLimit(path)
    try:
        if path is not None:
            _check_files(path)
        yield step_limit
    # SQLite quotes corrupt names in its error messages, which raises UnicodeDecodeError.
    except (zlib.error, UnicodeDecodeError) as error:
        raise LedgerError(_corrupt_message(name, error)) from error
    except sqlite3.Error as error:
        if _sqlite_code(error) == sqlite3.SQLITE_INTERRUPT:
            if not step_limit.is_exceeded:  # sqlite3 suppresses KeyboardInterrupt.
                raise KeyboardInterrupt from None
            raise LedgerError(_corrupt_message(name, "the database pages form a cycle")) from error
        if _sqlite_code(error) in _CORRUPT_CODES:
            raise LedgerError(_corrupt_message(name, error)) from error
        if _sqlite_code(error) in _IN_USE_CODES:
            raise LedgerError(
                f"{name} is in use by another process. Wait until that process ends, "
                "then try again."
            ) from error
        raise LedgerError(f"{name} cannot be used ({error}). {suggestion}.") from error


def _connect_locked(path: Path | None, name: str, step_limit: _StepLimit) -> sqlite3.Connection:
    """Open a database connection that locks the ledger against other processes.

    If several processes open the file at the same time, all of them can fail. A process that fails
    closes the file, and tries again after a random time.
    """
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        database = ":memory:" if path is None else path
        connection = sqlite3.connect(database, timeout=0, check_same_thread=False)
        _set_limits(connection, step_limit)
        try:
            # Lock the file before setting the journal mode, so that no other process can open it.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            with connection:
                connection.execute("BEGIN EXCLUSIVE")
                if _check_format(connection, name):
                    # Without this check, a corrupt page might not be found before the first write.
                    ((problem,),) = connection.execute("PRAGMA quick_check(1)")
                    if problem != "ok":
                        raise LedgerError(_corrupt_message(name, problem.replace("\n", " ")))
            return connection
        except BaseException as error:
            connection.close()
            if _sqlite_code(error) not in _IN_USE_CODES or time.monotonic() > deadline:
                raise
        time.sleep(random.uniform(0.01, 0.1))


def _check_format(connection: sqlite3.Connection, name: str) -> bool:
    """Return True if the file is a valid ledger, or False if the file is empty.

    Raises:
        LedgerError: If the file has another format or is corrupt.
    """
    ((application_id,),) = connection.execute("PRAGMA application_id")
    ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
    if tables and application_id != APPLICATION_ID:
        raise LedgerError(
            f"{name} is not a simgin ledger. Move the file or choose another directory."
        )
    if tables:
        version_row = connection.execute("SELECT value FROM run WHERE key = 'form'").fetchone()
        if version_row is None:
            raise LedgerError(_corrupt_message(name, "the format version is missing"))
        if version_row[0] != str(LEDGER_FORMAT):
            form = str(version_row[0])[:20]
            raise LedgerError(
                f"{name} was written by another version of simgin (format {form}, not "
                f"{LEDGER_FORMAT}). Repeat the run in another directory."
            )
        sql = {
            _strip_sql(sql) for (sql,) in connection.execute("SELECT sql FROM sqlite_master") if sql
        }
        if sql != set(re.findall("CREATE[^;]*", _strip_sql(_read_schema()))):
            raise LedgerError(
                _corrupt_message(name, "the file does not contain the tables of a ledger")
            )
    return bool(tables)


def _read_schema() -> str:
    """Return the SQL statements that create the tables."""
    return Path(__file__).with_name("ledger.sql").read_text(encoding="utf-8")


def _strip_sql(sql: object) -> str:
    """Return an SQL statement without comments and white space."""
    return _COMMENTS_AND_SPACE.sub("", str(sql))


def _corrupt_message(name: str, error: object) -> str:
    return f"{name} is corrupt ({error}). Remove it and repeat the run."


def _sqlite_code(error: BaseException) -> int:
    """Return the primary SQLite code of an error, or 0 if the error does not have a code."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _decode(content: bytes) -> str:
    """Decode a string from the ledger, replacing invalid UTF-8."""
    return content.decode(errors="replace")


def identity_differences(stored: Any, current: Any, prefix: str = "") -> list[str]:
    """Return a line for each value in which two identities differ.

    Each line starts with the keys of the value. If only one identity contains a table of values,
    the line names only the table.
    """
    lines = []
    if stored == current:
        return []
    if isinstance(stored, dict) and isinstance(current, dict):
        for key in {**stored, **current}:
            inner = f"{prefix}, {key}" if prefix else str(key)
            lines += identity_differences(stored.get(key), current.get(key), inner)
        return lines
    if isinstance(stored, list) and isinstance(current, list):
        if len(stored) == len(current):
            for i, pair in enumerate(zip(stored, current, strict=True)):
                lines += identity_differences(*pair, f"{prefix} #{i + 1}")
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


def _checksum(row: Sequence[object]) -> bytes:
    """Return the checksum of a row, which covers both values and types."""
    digest = hashlib.blake2b(digest_size=CHECKSUM_BYTES)
    for value in row:
        content = value if isinstance(value, bytes) else ascii(value).encode()
        digest.update(b"%d " % len(content))
        digest.update(content)
    return digest.digest()


def _format_json(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def pack_rows(rows: np.ndarray) -> bytes:
    """Compress an int64 array, (n_rows, n_columns), without holding the interpreter lock.

    The values of a column are small and similar, so that most of their bytes are zero. Before
    compression with zlib, the bytes are ordered by column and significance, as in the shuffle
    filter of HDF5. This reduces a batch row to a tenth of its size.
    """
    n_rows, columns = rows.shape
    column_bytes = (
        np.ascontiguousarray(rows.T, "<i8").view(np.uint8).reshape(columns, n_rows, INT64_BYTES)
    )
    return zlib.compress(column_bytes.transpose(0, 2, 1).tobytes(), COMPRESSION_LEVEL)


def unpack_rows(packed: bytes, columns: int) -> np.ndarray:
    """Decompress a packed array of batch rows, (n_rows, n_columns) int64.

    Raises:
        zlib.error: If the bytes are corrupt.
    """
    stream = zlib.decompressobj()
    content = np.frombuffer(stream.decompress(packed, MAX_VALUE_BYTES), np.uint8)
    if not stream.eof:
        raise zlib.error(f"a row is truncated or has more than {MAX_VALUE_BYTES:,} bytes")
    if content.size % (columns * INT64_BYTES):
        raise zlib.error(f"{content.size} bytes cannot be divided into rows of {columns} numbers")
    numbers = np.array(content.reshape(columns, INT64_BYTES, -1).transpose(2, 0, 1), order="C")
    return numbers.view("<i8")[:, :, 0]
