"""The ledger of a run: every finished batch row, in an SQLite file, block by block.

So a run can be killed at any instant, continued and extended. A block of batches is committed whole
or not at all. The file is in write-ahead mode while a run writes it, locked against other
processes, and a plain file afterwards. Every row has a digest, and one whose digest is wrong counts
as not played. Why SQLite: docs/explanation/decisions/0019-the-ledger.md; why digests:
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
FORM = 3  # of the tables in ledger.sql; raised whenever an older ledger could not be read
APPLICATION = 0x67696E01  # marks the file as ours
LEVEL = 1  # of compression, zlib's quickest: higher ones take many times as long for a few per cent
NUMBER = 8  # bytes
SEAL = 16  # bytes of the digest of a row
PATIENCE = 1.0  # seconds in which a ledger that is in use is asked for again
BESIDE = ("", "-journal", "-wal", "-shm")  # how the names of SQLite's files end
# How a journal ends that names another one, which SQLite removes once it has read the first
SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")
MOST_BYTES = 1 << 28  # of a value of a row, packed or not
STEPS = 100_000  # of SQLite's machine, after which Ctrl-C is looked for

_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


_WITHOUT_WORDS = re.compile(r"--[^\n]*|\s")  # comments and blanks, which may change
_ANY_RESULT = "SELECT 1 FROM blocks UNION ALL SELECT 1 FROM steps LIMIT 1"
# The types of the rows of the tables, without the seals
_ROWS = [[str, str], [int, int, int, str, bytes], [int, int, int, bytes], [str, int, bytes]]


class LedgerError(ValueError):
    """A ledger that cannot be used or written; the message is a sentence with the remedy."""


class Ledger:
    """The finished batches of the cells of one run, made by `opened`.

    One thread at a time may use it. Any may close it: findings of Python callers keep theirs open,
    and Python drops them in whatever thread it cleans up.
    """

    def __init__(self, connection: sqlite3.Connection, name: str, steps: _Steps) -> None:
        self._connection, self._name, self._steps = connection, name, steps

    def finished(self, cell: int, size: int, *, recorded: bool = False) -> set[tuple[int, int]]:
        """(batch, units) of every finished batch of a cell.

        size: units in a whole batch. recorded: only of those whose deals were recorded.
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
        """Commit a block: batches `first`, `first` + 1, ... with their units, rows and deals.

        blob: int64 (batches, sums.COLUMNS), packed. deals: of every batch the recorded deals,
        packed, or nothing. Raises LedgerError, with nothing of the block written, if the disk does
        not take it.
        """
        records = [(cell, first + i, units[i], one) for i, one in enumerate(deals)]
        with self._told(), self._connection:
            self._insert("blocks", (cell, first, sum(units), worker, blob))
            for record in records:
                self._insert("deals", record)

    def _insert(self, table: str, row: Sequence[Any]) -> None:
        """Put a row into a table, with its seal."""
        places = "?, " * len(row) + "?"
        query = f"INSERT OR REPLACE INTO {table} VALUES ({places})"
        self._connection.execute(query, [*row, _seal(row)])

    def _sound(self, query: str, *values: object) -> Iterator[list[Any]]:
        """The whole rows that a query finds, without their seals; damaged ones are left out."""
        self._steps.taken = 0
        for *row, seal in self._connection.execute(query, values):
            if seal == _seal(row) and [*map(type, row)] in _ROWS:
                yield row

    def _blocks(self, query: str, size: int, *values: object) -> Iterator[list[Any]]:
        """First batch, units, worker and packed rows of the whole blocks that a query finds."""
        for _, first, units, *rest in self._sound(query, *values):
            if first >= 0 < units <= size * len(rest[-1]):  # a batch takes more than a byte
                yield [first, units, *rest]

    def rows(self, cell: int, units: int, size: int) -> np.ndarray:
        """The batch rows of the first `units` units of a cell, int64 (batches, sums.COLUMNS).

        They are in the order of the units. size: units in a batch.
        """
        none = np.zeros((0, sums.COLUMNS), np.int64)
        return np.concatenate([none, *self.chunks(cell, units, size)])

    def total(self, cell: int, units: int, size: int) -> np.ndarray:
        """The exact sum of `rows`, int64 of length sums.COLUMNS, however many there are."""
        total = np.zeros(sums.COLUMNS, np.int64)
        for rows in self.chunks(cell, units, size):
            total += rows.sum(axis=0)
        return total

    def chunks(self, cell: int, units: int, size: int) -> Iterator[np.ndarray]:
        """`rows`, a block at a time. Raises LedgerError at the end if one is missing."""
        count = 0
        for _, rows, _ in self._parts(cell, units, size):
            count += len(rows)
            yield rows
        self._expect(count, units, size)

    def each(self, cell: int, units: int, size: int) -> Iterator[tuple[int, np.ndarray]]:
        """(batch, row) of what is finished of the first `units` units, in their order.

        There may be gaps.
        """
        for start, rows, _ in self._parts(cell, units, size):
            yield from enumerate(rows, start)

    def deals(self, cell: int, units: int, size: int) -> Iterator[np.ndarray]:
        """The recorded deals of the first `units` units, `DEAL` (deals,), batch by batch."""
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
        """Who played each of the batches of `rows`."""
        return [worker for _, rows, worker in self._parts(cell, units, size) for _ in rows]

    def _parts(self, cell: int, units: int, size: int) -> Iterator[tuple[int, np.ndarray, str]]:
        """What is finished of the first `units` units: first batch, rows, and who played them.

        In the order of units, every batch once, though it may stand in two blocks: one that was
        played again to record its deals.
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
        """Raise LedgerError unless as many batches were read as hold the units."""
        if count != -(-units // size):
            raise LedgerError(
                f"{self._name} lacks batches of a run that was to be finished, or they are "
                "damaged; run it again to play them."
            )

    def has_step(self, name: str, n: int) -> bool:
        """Whether the result of a step of this size is here."""
        return self._step(name, n) is not None

    def add_step(self, name: str, n: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Commit the result of a step; it replaces that of another size."""
        blob = io.BytesIO()
        np.savez_compressed(blob, **arrays)  # type: ignore[arg-type]
        with self._told(), self._connection:
            self._insert("steps", (name, n, blob.getvalue()))

    def step(self, name: str, n: int) -> dict[str, np.ndarray]:
        """The result of a step. Raises LedgerError if it is missing or damaged."""
        blob = self._step(name, n)
        if blob is None:
            raise LedgerError(
                f"{self._name} lacks a step of its run, or it is damaged ({name}); run it again to "
                "play it."
            )
        try:
            with np.load(io.BytesIO(blob), allow_pickle=False) as file:
                return {key: file[key] for key in file.files}
        # Forged arrays make numpy raise anything, and ask for all of the memory.
        except Exception as error:
            raise LedgerError(_damaged(self._name, described(error))) from error

    def _step(self, name: str, n: int) -> bytes | None:
        for *_, arrays in self._sound("SELECT * FROM steps WHERE name = ? AND n = ?", name, n):
            return bytes(arrays)
        return None

    @property
    def identity(self) -> dict[str, Any]:
        """What is played here, as it was given to `opened` first. LedgerError if it is damaged."""
        found = None
        with contextlib.suppress(ValueError, RecursionError):
            found = json.loads(self._value("identity"))
        if not isinstance(found, dict):
            raise LedgerError(_damaged(self._name, "it does not say what was played"))
        return found

    @property
    def command(self) -> str:
        """What goes on with the run; empty if it was not written, or is damaged."""
        return self._value("command")

    def _value(self, key: str) -> str:
        """A text of the run; empty where there is none."""
        for _, text in self._sound("SELECT * FROM run WHERE key = ?", key):
            return str(text)
        return ""

    def note_command(self, command: str) -> None:
        """Keep what goes on with the run, for whoever finds it unfinished."""
        with self._told(), self._connection:
            self._insert("run", ("command", command))

    def begin(self, identity: Mapping[str, Any]) -> None:
        """Make the tables of a new ledger."""
        with self._told(), self._connection:
            self._connection.executescript(
                f"PRAGMA application_id = {APPLICATION}; BEGIN; {_tables()}"
            )
            self._insert("run", ("form", str(FORM)))
            self._insert("run", ("identity", json.dumps(identity, ensure_ascii=False)))

    def is_empty(self) -> bool:
        """Whether no batch and no step was ever committed here.

        Nothing binds it to a run then: a strategy that failed at once may be mended.
        """
        ((tables,),) = self._connection.execute("SELECT count(*) FROM sqlite_master")
        return tables == 0 or self._connection.execute(_ANY_RESULT).fetchone() is None

    def check(self, identity: Mapping[str, Any]) -> None:
        """Raise LedgerError, with every difference, if there are batches of another run here."""
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
    """The ledger at a path (None: in memory), begun if it is new, and locked while it is open.

    Raises LedgerError if it is another run's (with every difference of identity), in use, damaged
    or not writable.
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
            # Only now: it is written into the file, which could have been somebody else's.
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            if path is not None:
                # A killed reader of a killed run leaves it, and a single process needs none.
                Path(f"{path}-shm").unlink(missing_ok=True)
            yield ledger
        finally:
            with contextlib.suppress(sqlite3.Error):
                # One plain file, to be read where nothing can be written.
                connection.execute("PRAGMA journal_mode = DELETE")


@contextlib.contextmanager
def reading(path: Path) -> Iterator[Ledger]:
    """The ledger of a finished or interrupted run, for reading; an empty file is an empty ledger.

    Raises LedgerError if there is none.
    """
    if not path.is_file():
        raise LedgerError(
            f"{path.parent} has no {FILE}; name a directory that `simgin run` or "
            "`simgin match -o` wrote."
        )
    # For writing, if the file permits: SQLite takes back what a killed run has half written.
    source = f"{path.absolute().as_uri()}?mode=rw"
    with (
        _readable(str(path), path, "Copy its directory to where you may write") as steps,
        contextlib.closing(sqlite3.connect(source, uri=True, timeout=PATIENCE)) as connection,
    ):
        _bound(connection, steps)
        if _check(connection, str(path)):
            yield Ledger(connection, str(path), steps)
        else:  # its run was killed before it had begun
            with opened(None, {}) as empty:
                yield empty


@dataclass
class _Steps:
    """How far SQLite is with a query: its pages may lead in a circle, and Python knows nothing."""

    path: Path | None
    taken: int = 0  # in STEPS

    def __call__(self) -> bool:
        """Count more of them; whether they are too many."""
        self.taken += 1
        return self.are_too_many

    @property
    def are_too_many(self) -> bool:
        """Whether no query needs so many in a file of that size."""
        size = os.path.getsize(self.path) if self.path else 0
        return self.taken > 20 + size // 10_000


def _check_files(path: Path) -> None:
    """Raise LedgerError where SQLite would wait for a pipe, or leave the directory."""
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
    """Bound what a file can make SQLite do, and let Ctrl-C stop it."""
    connection.text_factory = _text
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.set_progress_handler(steps, STEPS)


@contextlib.contextmanager
def _readable(
    name: str, path: Path | None, remedy: str = "Name another directory"
) -> Iterator[_Steps]:
    """Report any error of SQLite or zlib as a corrupt ledger, because any read can find one.

    remedy: for a file that is whole and cannot be used here.
    """
    steps = _Steps(path)
    try:
        if path is not None:
            _check_files(path)
        yield steps
    # UnicodeDecodeError: SQLite quotes damaged names in its own errors.
    except (zlib.error, UnicodeDecodeError) as error:
        raise LedgerError(_damaged(name, error)) from error
    except sqlite3.Error as error:
        if _code(error) == sqlite3.SQLITE_INTERRUPT:
            if not steps.are_too_many:  # what Ctrl-C raises there, sqlite3 swallows
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
    """A connection that keeps everybody else out.

    Of several processes that ask at once each may see only the others, which are on their way out
    too. So a refused one lets go of the file and asks again a moment later, at a time of its own.
    """
    until = time.monotonic() + PATIENCE
    while True:
        where = ":memory:" if path is None else path
        connection = sqlite3.connect(where, timeout=0, check_same_thread=False)
        _bound(connection, steps)
        try:
            # Before the journal mode: then no second process gets in.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            with connection:
                connection.execute("BEGIN EXCLUSIVE")
                if _check(connection, name):
                    # Else a page that leads nowhere might be met only after something was written.
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
    """Whether there is a ledger of ours; False where the file is empty, else LedgerError."""
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
    """What makes the tables."""
    return Path(__file__).with_name("ledger.sql").read_text(encoding="utf-8")


def _plain(sql: object) -> str:
    """A statement without comments and blanks."""
    return _WITHOUT_WORDS.sub("", str(sql))


def _damaged(name: str, error: object) -> str:
    return f"{name} is damaged ({error}); remove it, and run it again from the beginning."


def _code(error: BaseException) -> int:
    """SQLite's primary code of an error; 0 where it has none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _text(content: bytes) -> str:
    """A text of the file; damaged ones keep no seal, and need not be UTF-8."""
    return content.decode(errors="replace")


def differences(before: Any, now: Any, where: str = "") -> list[str]:
    """A line for every value that differs between two identities, named by its keys.

    Where only one of them has a table of values, the line has only its name.
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
    """The digest of the values of a row and of their types: integers, texts and bytes."""
    digest = hashlib.blake2b(digest_size=SEAL)
    for value in row:
        content = value if isinstance(value, bytes) else ascii(value).encode()
        digest.update(b"%d " % len(content))
        digest.update(content)
    return digest.digest()


def _shown(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def pack(rows: np.ndarray) -> bytes:
    """An int64 array (rows, columns) as the ledger keeps it; releases the interpreter lock.

    Numbers of one column are alike and small, so that most of their bytes are zero. Each column
    stands by itself, and in it the lowest bytes of all numbers, then the second lowest, and so on,
    before zlib compresses the whole (HDF5's shuffle filter): a batch row shrinks to a tenth.
    """
    count, columns = rows.shape
    numbers = np.ascontiguousarray(rows.T, "<i8").view(np.uint8).reshape(columns, count, NUMBER)
    return zlib.compress(numbers.transpose(0, 2, 1).tobytes(), LEVEL)


def unpack(blob: bytes, columns: int) -> np.ndarray:
    """The array (rows, columns) that was packed. Raises zlib.error if the bytes are damaged."""
    stream = zlib.decompressobj()
    raw = np.frombuffer(stream.decompress(blob, MOST_BYTES), np.uint8)
    if not stream.eof:
        raise zlib.error(f"a row does not end, or holds more than {MOST_BYTES:,} bytes")
    if raw.size % (columns * NUMBER):
        raise zlib.error(f"{raw.size} bytes are no rows of {columns} numbers")
    numbers = np.array(raw.reshape(columns, NUMBER, -1).transpose(2, 0, 1), order="C")
    return numbers.view("<i8")[:, :, 0]
