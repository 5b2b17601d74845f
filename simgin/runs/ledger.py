"""Ledger of a run: an SQLite file with every finished batch row, written block by block.

A run can therefore be killed at any time, continued and extended. A block of batches is committed
completely or not at all. During a run, the file is in write-ahead mode and locked against other
processes; afterwards, it is a single file. Every row has a checksum, and a row with a wrong
checksum counts as not played. The reasons for SQLite are in
docs/explanation/decisions/0019-the-ledger.md, and those for checksums in
docs/explanation/decisions/0031-hostile-input.md.
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

from simgin.core import sums
from simgin.core.record import DEAL
from simgin.text.messages import described

FILE = "ledger.sqlite"
FORM = 3  # version of the tables in ledger.sql, incremented when older ledgers become unreadable
APPLICATION = 0x67696E01  # application_id of the SQLite file
LEVEL = 1  # zlib's fastest; higher levels take many times as long and save a few %
NUMBER = 8  # bytes per int64
SEAL = 16  # bytes of the checksum of a row
PATIENCE = 1.0  # seconds to retry opening a ledger that is in use
BESIDE = ("", "-journal", "-wal", "-shm")  # suffixes of SQLite's files
# Last bytes of a journal that names a super-journal, which SQLite would delete after reading
SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")
MOST_BYTES = 1 << 28  # bytes per value of a row, packed or unpacked
STEPS = 100_000  # steps of SQLite's virtual machine between two checks for Ctrl-C

_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


_WITHOUT_WORDS = re.compile(r"--[^\n]*|\s")  # comments and white space, which can differ
_ANY_RESULT = "SELECT 1 FROM blocks UNION ALL SELECT 1 FROM steps LIMIT 1"
# Types of the columns of each table, without the checksums
_ROWS = [[str, str], [int, int, int, str, bytes], [int, int, int, bytes], [str, int, bytes]]


class LedgerError(ValueError):
    """Exception for a ledger that cannot be read or written; the message suggests a fix."""


class Ledger:
    """Finished batches of all matchups of a run, opened with `open_ledger`.

    Only one thread at a time may use it. Any thread may close it, because Python can delete the
    results that hold it in any thread.

    The methods identify a matchup by its index in the run. `batch_size` is the number of units in a
    complete batch. The batches of the first `units` units are those that the run needs, and the
    last one can be incomplete.
    """

    def __init__(self, connection: sqlite3.Connection, name: str, steps: _Steps) -> None:
        self._connection, self._name, self._steps = connection, name, steps

    def finished(self, cell: int, size: int, *, recorded: bool = False) -> set[tuple[int, int]]:
        """Return the index and the number of units of every finished batch of a matchup.

        Args:
            cell: Index of the matchup.
            size: Number of units in a complete batch.
            recorded: True to return only the batches whose deals were recorded.
        """
        if recorded:
            query = "SELECT * FROM deals WHERE cell = ?"
            return {(batch, units) for _, batch, units, _ in self._sound(query, cell)}
        query = "SELECT * FROM blocks WHERE cell = ?"
        batches: set[tuple[int, int]] = set()
        for first, units, _, _ in self._blocks(query, size, cell):
            whole, rest = divmod(units, size)
            batches.update((first + i, size) for i in range(whole))
            if rest:
                batches.add((first + whole, rest))
        return batches

    def add(
        self,
        cell: int,
        first: int,
        units: Sequence[int],
        blob: bytes,
        worker: str,
        deals: Sequence[bytes] = (),
    ) -> None:
        """Commit a block of consecutive batches.

        Args:
            cell: Index of the matchup.
            first: Index of the first batch.
            units: Number of units in every batch.
            blob: Packed batch rows.
            worker: Name of the worker that played the block.
            deals: Packed recorded deals of every batch; empty if they were not recorded.

        Raises:
            LedgerError: If the block cannot be written. Nothing of it is in the ledger then.
        """
        records = [(cell, first + i, units[i], one) for i, one in enumerate(deals)]
        with self._told(), self._connection:
            self._insert("blocks", (cell, first, sum(units), worker, blob))
            for record in records:
                self._insert("deals", record)

    def _insert(self, table: str, row: Sequence[Any]) -> None:
        """Insert a row with its checksum into a table."""
        places = "?, " * len(row) + "?"
        query = f"INSERT OR REPLACE INTO {table} VALUES ({places})"
        self._connection.execute(query, [*row, _seal(row)])

    def _sound(self, query: str, *values: object) -> Iterator[list[Any]]:
        """Yield the rows selected by a query, without checksums; skip corrupt rows."""
        self._steps.taken = 0
        for *row, seal in self._connection.execute(query, values):
            if seal == _seal(row) and [*map(type, row)] in _ROWS:
                yield row

    def _blocks(self, query: str, size: int, *values: object) -> Iterator[list[Any]]:
        """Yield first batch, units, worker and packed rows of the valid blocks of a query."""
        for _, first, units, *rest in self._sound(query, *values):
            if first >= 0 < units <= size * len(rest[-1]):  # a packed batch exceeds one byte
                yield [first, units, *rest]

    def rows(self, cell: int, units: int, size: int) -> np.ndarray:
        """Return the batch rows of the first `units` units of a matchup, in unit order.

        Args:
            cell: Index of the matchup.
            units: Number of units.
            size: Number of units in a complete batch.

        Returns:
            `(n_batches, N_COLUMNS) int64`.
        """
        none = np.zeros((0, sums.COLUMNS), np.int64)
        return np.concatenate([none, *self.chunks(cell, units, size)])

    def total(self, cell: int, units: int, size: int) -> np.ndarray:
        """Return the exact sum of all batch rows of a matchup, `(N_COLUMNS,) int64`."""
        total = np.zeros(sums.COLUMNS, np.int64)
        for rows in self.chunks(cell, units, size):
            total += rows.sum(axis=0)
        return total

    def chunks(self, cell: int, units: int, size: int) -> Iterator[np.ndarray]:
        """Yield the batch rows of a matchup block by block.

        Raises:
            LedgerError: At the end, if a batch is missing.
        """
        count = 0
        for _, rows, _ in self._parts(cell, units, size):
            count += len(rows)
            yield rows
        self._expect(count, units, size)

    def each(self, cell: int, units: int, size: int) -> Iterator[tuple[int, np.ndarray]]:
        """Yield index and row of the finished batches among the first `units` units, in order.

        Batches can be missing.
        """
        for start, rows, _ in self._parts(cell, units, size):
            yield from enumerate(rows, start)

    def deals(self, cell: int, units: int, size: int) -> Iterator[np.ndarray]:
        """Yield the recorded deals of the first `units` units, batch by batch.

        Yields:
            `(n_deals,)` structured arrays with the fields of `DEAL_RECORD`.
        """
        whole, rest = divmod(units, size)
        query = (
            "SELECT * FROM deals WHERE cell = ? "
            "AND (batch < ? AND units = ? OR batch = ? AND units = ?) ORDER BY batch"
        )
        count = 0
        for *_, blob in self._sound(query, cell, whole, size, whole, rest):
            count += 1
            yield unpack(blob, len(DEAL.names or ())).view(DEAL)[:, 0]
        self._expect(count, units, size)

    def workers(self, cell: int, units: int, size: int) -> list[str]:
        """Return the name of the worker that played each of the batches of `rows`."""
        return [worker for _, rows, worker in self._parts(cell, units, size) for _ in rows]

    def _parts(self, cell: int, units: int, size: int) -> Iterator[tuple[int, np.ndarray, str]]:
        """Yield first batch, rows and worker of the finished blocks of the first `units` units.

        The order is that of the units. A batch that is in two blocks, because it was played again
        to record its deals, is yielded once.
        """
        whole, rest = divmod(units, size)
        query = "SELECT * FROM blocks WHERE cell = ? AND first <= ? ORDER BY first, units DESC"
        start = 0
        for first, block_units, worker, blob in self._blocks(query, size, cell, whole):
            end = first + block_units // size
            stop = min(end, whole)
            if end == whole and 0 < rest == block_units % size:
                stop += 1
            start = max(start, first)
            if start < stop:
                yield start, unpack(blob, sums.COLUMNS)[start - first : stop - first], worker
                start = stop

    def _expect(self, count: int, units: int, size: int) -> None:
        """Raise LedgerError unless all batches of the first `units` units were read."""
        if count != -(-units // size):
            raise LedgerError(
                f"{self._name} lacks batches of a run that was to be finished, or they are "
                "damaged; run it again to play them."
            )

    def has_step(self, name: str, n: int) -> bool:
        """Return True if the ledger contains the result of an extra pass of this size."""
        return self._step(name, n) is not None

    def add_step(self, name: str, n: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Commit the result of an extra pass, replacing a result of another size."""
        blob = io.BytesIO()
        np.savez_compressed(blob, **arrays)  # type: ignore[arg-type]
        with self._told(), self._connection:
            self._insert("steps", (name, n, blob.getvalue()))

    def step(self, name: str, n: int) -> dict[str, np.ndarray]:
        """Return the result of an extra pass.

        Args:
            name: Name of the extra pass.
            n: Number of its deals or matches.

        Raises:
            LedgerError: If the result is missing or corrupt.
        """
        blob = self._step(name, n)
        if blob is None:
            raise LedgerError(
                f"{self._name} lacks a step of its run, or it is damaged ({name}); run it again to "
                "play it."
            )
        try:
            with np.load(io.BytesIO(blob), allow_pickle=False) as file:
                return {key: file[key] for key in file.files}
        # Manipulated arrays can make NumPy raise any exception or request all memory.
        except Exception as error:
            raise LedgerError(_damaged(self._name, described(error))) from error

    def _step(self, name: str, n: int) -> bytes | None:
        for *_, arrays in self._sound("SELECT * FROM steps WHERE name = ? AND n = ?", name, n):
            return bytes(arrays)
        return None

    @property
    def identity(self) -> dict[str, Any]:
        """Identity of the run, as passed to `open_ledger` when the ledger was created.

        Raises:
            LedgerError: If the identity is missing or corrupt.
        """
        found = None
        with contextlib.suppress(ValueError, RecursionError):
            found = json.loads(self._value("identity"))
        if not isinstance(found, dict):
            raise LedgerError(_damaged(self._name, "it does not say what was played"))
        return found

    @property
    def command(self) -> str:
        """Command that continues the run; empty if it is missing or corrupt."""
        return self._value("command")

    def _value(self, key: str) -> str:
        """Return a string stored for the whole run, empty if there is none."""
        for _, text in self._sound("SELECT * FROM run WHERE key = ?", key):
            return str(text)
        return ""

    def note_command(self, command: str) -> None:
        """Store the command that continues the run."""
        with self._told(), self._connection:
            self._insert("run", ("command", command))

    def begin(self, identity: Mapping[str, Any]) -> None:
        """Create the tables of a new ledger and store the identity of its run."""
        with self._told(), self._connection:
            self._connection.executescript(
                f"PRAGMA application_id = {APPLICATION}; BEGIN; {_tables()}"
            )
            self._insert("run", ("form", str(FORM)))
            self._insert("run", ("identity", json.dumps(identity, ensure_ascii=False)))

    def is_empty(self) -> bool:
        """Return True if no batch and no extra pass was ever committed.

        An empty ledger can be used for another run, for example after a strategy that failed
        immediately was corrected.
        """
        ((tables,),) = self._connection.execute("SELECT count(*) FROM sqlite_master")
        return tables == 0 or self._connection.execute(_ANY_RESULT).fetchone() is None

    def check(self, identity: Mapping[str, Any]) -> None:
        """Raise LedgerError, with all differences, if the ledger contains another run."""
        told = [] if self.is_empty() else differences(self.identity, identity)
        if told:
            raise LedgerError(
                f"{Path(self._name).parent} holds another run:\n"
                + "\n".join(f"  {line}" for line in told)
                + "\nName another directory with -o, or remove this one to begin again."
            )

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            with contextlib.suppress(sqlite3.Error):
                self._connection.rollback()
            raise LedgerError(
                f"{self._name} cannot be written ({error}); what is in it is safe: mend that, and "
                "the same command goes on."
            ) from error


@contextlib.contextmanager
def opened(path: Path | None, identity: Mapping[str, Any]) -> Iterator[Ledger]:
    """Open the ledger at a path, create it if it is new, and lock it while it is open.

    Args:
        path: Path of the file; None for a ledger in memory.
        identity: Identity of the run.

    Raises:
        LedgerError: If the ledger belongs to another run, is in use, is corrupt or cannot be
            written.
    """
    name = "the ledger" if path is None else str(path)
    with (
        _readable(name, path) as steps,
        contextlib.closing(_connection(path, name, steps)) as connection,
    ):
        ledger = Ledger(connection, name, steps)
        ledger.check(identity)
        if ledger.is_empty():
            ledger.begin(identity)
        try:
            # After the check, because it changes the file, which could be of another program.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if path is not None:
                # A killed reader leaves this file, and a single process does not need it.
                Path(f"{path}-shm").unlink(missing_ok=True)
            yield ledger
        finally:
            with contextlib.suppress(sqlite3.Error):
                # A single file, which can be read in a read-only directory.
                connection.execute("PRAGMA journal_mode = DELETE")


@contextlib.contextmanager
def reading(path: Path) -> Iterator[Ledger]:
    """Open the ledger of a finished or interrupted run for reading.

    An empty file is an empty ledger.

    Raises:
        LedgerError: If there is no ledger or it cannot be read.
    """
    if not path.is_file():
        raise LedgerError(
            f"{path.parent} has no {FILE}; name a directory that `simgin run` or "
            "`simgin match -o` wrote."
        )
    # Writable if the file permits it, so that SQLite can roll back the writes of a killed run.
    source = f"{path.absolute().as_uri()}?mode=rw"
    with (
        _readable(str(path), path, "Copy its directory to where you may write") as steps,
        contextlib.closing(sqlite3.connect(source, uri=True, timeout=PATIENCE)) as connection,
    ):
        _bound(connection, steps)
        if _check(connection, str(path)):
            yield Ledger(connection, str(path), steps)
        else:  # the run was killed before it created the tables
            with opened(None, {}) as empty:
                yield empty


@dataclass
class _Steps:
    """Limit for the steps of a query, because the pages of a corrupt file can form a cycle."""

    path: Path | None
    taken: int = 0  # number of calls, each after STEPS_PER_CHECK steps

    def __call__(self) -> bool:
        """Count one more call of SQLite's progress handler; return True to stop the query."""
        self.taken += 1
        return self.are_too_many

    @property
    def are_too_many(self) -> bool:
        """True if no query needs as many steps in a file of this size."""
        size = os.path.getsize(self.path) if self.path else 0
        return self.taken > 20 + size // 10_000


def _check_files(path: Path) -> None:
    """Raise LedgerError if a path would make SQLite wait for a pipe or leave the directory."""
    for end in BESIDE:
        file = Path(f"{path}{end}")
        if os.path.lexists(file) and not stat.S_ISREG(file.lstat().st_mode):
            raise LedgerError(f"{file} is not a plain file; name another directory.")
    journal = Path(f"{path}-journal")
    with contextlib.suppress(FileNotFoundError), journal.open("rb") as content:
        content.seek(max(0, journal.stat().st_size - len(SUPER_JOURNAL)))
        if content.read() == SUPER_JOURNAL:
            raise LedgerError(
                f"{journal} makes SQLite remove a file elsewhere, and no run left it; name another "
                "directory."
            )


def _bound(connection: sqlite3.Connection, steps: _Steps) -> None:
    """Limit what a file can make SQLite do, and let Ctrl-C interrupt queries."""
    connection.text_factory = _text
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.set_progress_handler(steps, STEPS)


@contextlib.contextmanager
def _readable(
    name: str, path: Path | None, remedy: str = "Name another directory"
) -> Iterator[_Steps]:
    """Report any error of SQLite or zlib as a corrupt ledger, because any read can find one.

    Args:
        name: Name of the ledger in error messages.
        path: Path of the ledger; None if it is in memory.
        remedy: Suggested fix for a valid file that cannot be used here.
    """
    steps = _Steps(path)
    try:
        if path is not None:
            _check_files(path)
        yield steps
    # UnicodeDecodeError occurs because SQLite quotes corrupt names in its errors.
    except (zlib.error, UnicodeDecodeError) as error:
        raise LedgerError(_damaged(name, error)) from error
    except sqlite3.Error as error:
        if _code(error) == sqlite3.SQLITE_INTERRUPT:
            if not steps.are_too_many:  # sqlite3 suppresses the KeyboardInterrupt of Ctrl-C
                raise KeyboardInterrupt from None
            raise LedgerError(_damaged(name, "its pages lead in a circle")) from error
        if _code(error) in _DAMAGED:
            raise LedgerError(_damaged(name, error)) from error
        if _code(error) in _IN_USE:
            raise LedgerError(
                f"{name} is in use by another process. Wait until it ends, then repeat the command."
            ) from error
        raise LedgerError(f"{name} cannot be used ({error}). {remedy}.") from error


def _connection(path: Path | None, name: str, steps: _Steps) -> sqlite3.Connection:
    """Open a connection that locks the file against other processes.

    If several processes ask at the same time, each can be refused because of the others. Therefore,
    a refused process closes the file and tries again after a random time.
    """
    until = time.monotonic() + PATIENCE
    while True:
        where = ":memory:" if path is None else path
        connection = sqlite3.connect(where, timeout=0, check_same_thread=False)
        _bound(connection, steps)
        try:
            # Before the journal mode is set, so that no other process can open the file.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            with connection:
                connection.execute("BEGIN EXCLUSIVE")
                if _check(connection, name):
                    # Without this check, a corrupt page might be found only after a write.
                    ((told,),) = connection.execute("PRAGMA quick_check(1)")
                    if told != "ok":
                        raise LedgerError(_damaged(name, told.replace("\n", " ")))
            return connection
        except BaseException as error:
            connection.close()
            if _code(error) not in _IN_USE or time.monotonic() > until:
                raise
        time.sleep(random.uniform(0.01, 0.1))


def _check(connection: sqlite3.Connection, name: str) -> bool:
    """Return True if the file is a valid ledger and False if it is empty.

    Raises:
        LedgerError: If the file has another format or is corrupt.
    """
    ((ours,),) = connection.execute("PRAGMA application_id")
    ((tables,),) = connection.execute("SELECT count(*) FROM sqlite_master")
    if tables and ours != APPLICATION:
        raise LedgerError(f"{name} is no ledger of simgin; move it away or name another directory.")
    if tables:
        found = connection.execute("SELECT value FROM run WHERE key = 'form'").fetchone()
        if found is None:
            raise LedgerError(_damaged(name, "it does not say in which form it is"))
        if found[0] != str(FORM):
            form = str(found[0])[:20]
            raise LedgerError(
                f"{name} was written by another version of simgin (form {form}, not {FORM}); "
                "run it again in another directory."
            )
        sql = {_plain(sql) for (sql,) in connection.execute("SELECT sql FROM sqlite_master") if sql}
        if sql != set(re.findall("CREATE[^;]*", _plain(_tables()))):
            raise LedgerError(_damaged(name, "its tables are not those of a ledger"))
    return bool(tables)


def _tables() -> str:
    """Return the SQL statements that create the tables."""
    return Path(__file__).with_name("ledger.sql").read_text(encoding="utf-8")


def _plain(sql: object) -> str:
    """Return an SQL statement without comments and white space."""
    return _WITHOUT_WORDS.sub("", str(sql))


def _damaged(name: str, error: object) -> str:
    return f"{name} is damaged ({error}); remove it, and run it again from the beginning."


def _code(error: BaseException) -> int:
    """Return the primary SQLite code of an error, or 0 if it has none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _text(content: bytes) -> str:
    """Decode a string of the file, which is not valid UTF-8 if the file is corrupt."""
    return content.decode(errors="replace")


def differences(before: Any, now: Any, where: str = "") -> list[str]:
    """Return one line per value that differs between two identities, named by its keys.

    If only one of the identities has a table of values, its line contains only the name of the
    table.
    """
    lines = []
    if before == now:
        return []
    if isinstance(before, dict) and isinstance(now, dict):
        for key in {**before, **now}:
            inner = f"{where}, {key}" if where else str(key)
            lines += differences(before.get(key), now.get(key), inner)
        return lines
    if isinstance(before, list) and isinstance(now, list):
        if len(before) == len(now):
            for i, pair in enumerate(zip(before, now, strict=True)):
                lines += differences(*pair, f"{where} #{i + 1}")
            return lines
        lines += [f"{where}: {_shown(one)} only there." for one in before if one not in now]
        return lines + [f"{where}: {_shown(one)} only here." for one in now if one not in before]
    if now is None and isinstance(before, dict):
        return [f"{where}: only there."]
    if before is None and isinstance(now, dict):
        return [f"{where}: only here."]
    return [f"{where}: {_shown(before)} there, {_shown(now)} here."]


def _seal(row: Sequence[object]) -> bytes:
    """Return the checksum of a row's values and of their types (integers, strings and bytes)."""
    digest = hashlib.blake2b(digest_size=SEAL)
    for value in row:
        content = value if isinstance(value, bytes) else ascii(value).encode()
        digest.update(b"%d " % len(content))
        digest.update(content)
    return digest.digest()


def _shown(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def pack(rows: np.ndarray) -> bytes:
    """Compress an int64 array `(n_rows, n_columns)`, without holding the interpreter lock.

    The values of a column are small and similar, so that most of their bytes are zero. The bytes
    are ordered by column and significance before zlib compresses them (as HDF5's shuffle filter
    does), which reduces a batch row to a tenth of its size.
    """
    count, columns = rows.shape
    numbers = np.ascontiguousarray(rows.T, "<i8").view(np.uint8).reshape(columns, count, NUMBER)
    return zlib.compress(numbers.transpose(0, 2, 1).tobytes(), LEVEL)


def unpack(blob: bytes, columns: int) -> np.ndarray:
    """Return the array `(n_rows, n_columns) int64` that was packed.

    Raises:
        zlib.error: If the bytes are corrupt.
    """
    stream = zlib.decompressobj()
    raw = np.frombuffer(stream.decompress(blob, MOST_BYTES), np.uint8)
    if not stream.eof:
        raise zlib.error(f"a row does not end, or holds more than {MOST_BYTES:,} bytes")
    if raw.size % (columns * NUMBER):
        raise zlib.error(f"{raw.size} bytes are no rows of {columns} numbers")
    numbers = np.array(raw.reshape(columns, NUMBER, -1).transpose(2, 0, 1), order="C")
    return numbers.view("<i8")[:, :, 0]
