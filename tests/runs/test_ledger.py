"""Tests that the ledger keeps finished blocks, allows one writer and rejects corrupt files."""

import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simgin.core import batch_columns
from simgin.core.deal_record import DEAL_RECORD_DTYPE
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.runs import ledger, runner
from simgin.runs.block import Block, Schedule, Task
from simgin.runs.ledger import (
    LEDGER_FILE,
    LedgerError,
    open_existing_ledger,
    open_ledger,
    pack_rows,
    unpack_rows,
)
from simgin.runs.runner import ExtraPass
from support import hostile_ledgers
from support.hostile import read_directory, time_limit
from support.killing import KillableProcess

BATCH_SIZE = 1000
RUN_IDENTITY = {
    "seed": 1,
    "hypothesis": "gold wins",
    "stop": None,
    "matchups": [{"a": "gold"}],
    "variants": {"mine": {"gin_bonus": 25}},
    "strategies": {"gold": {"digest": "00"}},
}


def make_random_rows(rng, n_batches):
    """Return random rows with the width of real ones and numbers of any size."""
    bits = rng.integers(0, 63, (n_batches, batch_columns.N_COLUMNS))
    return rng.integers(0, 2**63, (n_batches, batch_columns.N_COLUMNS)) >> bits * np.sign(
        rng.integers(-1, 2, bits.shape)
    )


def is_intact_database(path):
    """Return True if SQLite finds no error in the file."""
    with sqlite3.connect(path) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.fixture
def ledger_path(tmp_path):
    return tmp_path / LEDGER_FILE


# Blocks


block_positions = st.tuples(st.integers(0, 12), st.integers(1, 60))


@given(st.lists(block_positions, max_size=12), st.integers(1, 130))
def test_overlapping_blocks_are_read_batch_by_batch(blocks, units):
    """Compare the batches with a dictionary that is keyed by batch index and size."""
    batches = {}
    with open_ledger(None, RUN_IDENTITY) as run_ledger:
        for first, count in blocks:
            block = Block(0, SimpleNamespace(batch_size=10), first, count)
            for i, size in enumerate(block.sizes):
                batches[first + i, size] = make_numbered_rows(10 * (first + i), size)[0]
            blob = pack_rows(make_numbered_rows(block.first_unit, count))
            run_ledger.add_block(0, first, block.sizes, blob, "x")
        assert run_ledger.find_finished_batches(0, 10) == set(batches)
        requested = [(k, min(10, units - 10 * k)) for k in range(-(-units // 10))]
        present = [key for key in requested if key in batches]
        finished = list(run_ledger.iter_finished_rows(0, units, 10))
        assert [number for number, _ in finished] == [number for number, _ in present]
        for key, (_, row) in zip(present, finished, strict=True):
            assert (row == batches[key]).all()
        if present == requested:
            rows = make_numbered_rows(0, units)
            assert (run_ledger.read_rows(0, units, 10) == rows).all()
            assert (np.concatenate(list(run_ledger.iter_row_blocks(0, units, 10))) == rows).all()
            assert (run_ledger.compute_total(0, units, 10) == rows.sum(axis=0)).all()
        else:
            with pytest.raises(LedgerError, match="batches are missing"):
                run_ledger.read_rows(0, units, 10)


@pytest.mark.parametrize(("table", "failing_row"), [("blocks", 10), ("deals", 10), ("deals", 19)])
def test_block_is_stored_completely_or_not_at_all(ledger_path, table, failing_row):
    """Let the write of a block or of its deals fail, as on a full disk."""
    rows = make_random_rows(np.random.default_rng(3), 10)
    deals = [pack_rows(np.ones((4, len(DEAL_RECORD_DTYPE.names)), np.int64))] * 10
    column = {"blocks": "first", "deals": "batch"}[table]
    with open_ledger(ledger_path, RUN_IDENTITY) as run_ledger:
        run_ledger.add_block(0, 0, [BATCH_SIZE] * 10, pack_rows(rows), "x", deals)
        run_ledger._connection.execute(
            f"CREATE TEMP TRIGGER full BEFORE INSERT ON {table} "
            f"WHEN NEW.{column} = {failing_row} BEGIN SELECT RAISE(FAIL, 'no room'); END"
        )
        message = r"cannot be written \(no room\)\. Finished batches are saved\. Fix the"
        with pytest.raises(LedgerError, match=message):
            run_ledger.add_block(0, 10, [BATCH_SIZE] * 10, pack_rows(rows), "x", deals)
        finished = {(k, BATCH_SIZE) for k in range(10)}
        assert run_ledger.find_finished_batches(0, BATCH_SIZE) == finished
        assert run_ledger.find_finished_batches(0, BATCH_SIZE, with_deals=True) == finished
        run_ledger._connection.execute("DROP TRIGGER full")
        run_ledger.add_block(0, 10, [BATCH_SIZE] * 10, pack_rows(rows), "x", deals)
        assert (
            run_ledger.read_rows(0, 20 * BATCH_SIZE, BATCH_SIZE) == np.concatenate([rows, rows])
        ).all()


def make_numbered_rows(first, units):
    """Return batch rows of ten units each, with the number and the index sum of the units."""
    rows = np.zeros((-(-units // 10), batch_columns.N_COLUMNS), np.int64)
    for unit in range(first, first + units):
        rows[(unit - first) // 10, :2] += 1, unit
    return rows


# Packing


def test_corrupt_packed_rows_are_detected():
    blob = pack_rows(np.arange(300).reshape(30, 10))
    for corrupt in (blob[:-9], blob[:40] + b"?" + blob[41:], b"", b"nonsense"):
        with pytest.raises(zlib.error):
            unpack_rows(corrupt, 10)
    with pytest.raises(zlib.error, match="2400 bytes cannot be divided into rows of 7 numbers"):
        unpack_rows(blob, 7)


# Identity of a run


IDENTITY_CHANGES = [
    ({"stop": "until ±0.1"}, 'stop: nothing in the other run, "until ±0.1" in this run.'),
    (
        {"matchups": [{"a": "simple"}]},
        'matchup 1, a: "gold" in the other run, "simple" in this run.',
    ),
    (
        {"matchups": [{"a": "gold"}, {"a": "simple"}]},
        'matchups: {"a": "simple"} is only in this run.',
    ),
    (
        {"variants": {"mine": {"gin_bonus": 20}}},
        "variants, mine, gin_bonus: 25 in the other run, 20 in this run.",
    ),
]


@pytest.mark.parametrize(("change", "message"), IDENTITY_CHANGES)
def test_another_run_is_rejected_with_the_difference(ledger_path, change, message):
    with open_ledger(ledger_path, RUN_IDENTITY) as run_ledger:
        run_ledger.add_block(
            0, 0, [BATCH_SIZE], pack_rows(make_random_rows(np.random.default_rng(5), 1)), "x"
        )
    before = ledger_path.read_bytes()
    with pytest.raises(LedgerError) as error, open_ledger(ledger_path, {**RUN_IDENTITY, **change}):
        pass
    lines = str(error.value).splitlines()
    assert lines[0] == f"{ledger_path.parent} contains another run:"
    assert lines[1:-1] == [f"  {message}"]
    assert lines[-1] == "Choose another directory, or remove this directory to start again."
    assert ledger_path.read_bytes() == before


@pytest.mark.parametrize(
    ("digest", "message"), [("1", "Repeat the command in the working dir"), ("2", "another run")]
)
def test_moved_strategy_file_is_distinguished_from_another_run(ledger_path, digest, message):
    identity = {**RUN_IDENTITY, "strategies": {"gold+knock=mine.py#late:k=3": "1"}}
    with open_ledger(ledger_path, identity) as run_ledger:
        run_ledger.add_block(
            0, 0, [BATCH_SIZE], pack_rows(make_random_rows(np.random.default_rng(5), 1)), "x"
        )
    moved = {**RUN_IDENTITY, "strategies": {"gold+knock=/home/a/mine.py#late:k=3": digest}}
    with pytest.raises(LedgerError, match=message), open_ledger(ledger_path, moved):
        pass


def test_empty_ledger_accepts_any_run(ledger_path):
    for seed in (1, 2):
        with open_ledger(ledger_path, {**RUN_IDENTITY, "seed": seed}) as run_ledger:
            assert run_ledger.identity["seed"] == seed


# Two processes


HOLD_LEDGER_CODE = """
import sys
import numpy as np
from pathlib import Path
from simgin.core import batch_columns
from simgin.runs.ledger import open_ledger, pack_rows
print("ready", flush=True)
sys.stdin.readline()
with open_ledger(Path(sys.argv[1]), {"seed": 1}) as ledger:
    ledger.add_block(0, 0, [1000], pack_rows(np.ones((1, batch_columns.N_COLUMNS), np.int64)), "x")
    print("open", flush=True)
    sys.stdin.read()
"""


def start_ledger_processes(path, n_processes):
    """Start processes that open the ledger at the same time."""
    arguments = [sys.executable, "-c", HOLD_LEDGER_CODE, path]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    processes = [subprocess.Popen(arguments, text=True, **pipes) for _ in range(n_processes)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    return processes


def test_only_one_of_several_processes_opens_the_ledger(ledger_path):
    """Expect all other processes to fail until the first one closes the ledger."""
    processes = start_ledger_processes(ledger_path, 3)
    outputs = [process.stdout.readline() for process in processes]
    for opening in (open_ledger(ledger_path, {"seed": 1}), open_existing_ledger(ledger_path)):
        with pytest.raises(LedgerError, match=r"in use by another process\. Wait"), opening:
            pass
    errors = [process.communicate()[1] for process in processes]
    assert sorted(outputs) == ["", "", "open\n"]
    assert sum("another process" in error for error in errors) == 2
    assert is_intact_database(ledger_path)


def test_blocks_of_a_killed_process_are_kept(ledger_path):
    (killed_process,) = start_ledger_processes(ledger_path, 1)
    assert killed_process.stdout.readline() == "open\n"
    killed_process.kill()
    killed_process.communicate()
    assert (ledger_path.parent / f"{LEDGER_FILE}-wal").stat().st_size > 0
    for opening in (
        open_existing_ledger(ledger_path),
        open_ledger(ledger_path, {"seed": 1}),
        open_existing_ledger(ledger_path),
    ):
        with opening as run_ledger:
            assert run_ledger.find_finished_batches(0, BATCH_SIZE) == {(0, 1000)}
            assert run_ledger.read_rows(0, 1000, BATCH_SIZE).sum() == batch_columns.N_COLUMNS
    assert [file.name for file in ledger_path.parent.iterdir()] == [LEDGER_FILE]
    assert ledger_path.read_bytes()[18:20] == b"\1\1"  # a rollback journal, no write-ahead log


# Kills before every file operation while a ledger is created, converted and written

WRITE_LEDGER_CODE = """
import numpy as np
from pathlib import Path
from simgin.core import batch_columns
from simgin.runs.ledger import LEDGER_FILE, open_ledger, pack_rows
with open_ledger(Path(LEDGER_FILE), {"seed": 1}) as run_ledger:
    there = run_ledger.find_finished_batches(0, 1000)
    for number in range(3):
        if (number, 1000) not in there:
            row = np.full((1, batch_columns.N_COLUMNS), number)
            run_ledger.add_block(0, number, [1000], pack_rows(row), "x")
"""
READ_LEDGER_CODE = """
from pathlib import Path
from simgin.runs.ledger import LEDGER_FILE, open_existing_ledger
with open_existing_ledger(Path(LEDGER_FILE)) as run_ledger:
    print(len(run_ledger.find_finished_batches(0, 1000)))
"""
DROP_PRIVILEGES_CODE = """
import os
if os.geteuid() == 0:
    os.setuid(65534)
"""


@pytest.fixture(scope="module")
def crash_runner(tmp_path_factory):
    """Run code in child processes that can be killed at a given file operation."""
    with KillableProcess(
        tmp_path_factory.mktemp("killing"), "import simgin.runs.ledger"
    ) as crash_runner:
        yield crash_runner


def create_empty_directory(path):
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    return path


def read_and_complete_ledger(crash_runner, path):
    """Return the number of batches in a killed ledger, then complete it."""
    end = crash_runner.execute(path, READ_LEDGER_CODE + WRITE_LEDGER_CODE + READ_LEDGER_CODE)
    assert end.ended == 0, end.said
    before, after = end.said.split()
    assert after == "3" and is_intact_database(path / LEDGER_FILE)
    return int(before)


@pytest.mark.parametrize("step", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_ledger_killed_at_any_operation_can_be_completed(crash_runner, tmp_path, step):
    directory = tmp_path / "run"
    operations = crash_runner.execute(
        create_empty_directory(directory), WRITE_LEDGER_CODE
    ).operations
    n_batches, sizes = [], set()
    for last in range(2, operations + 1, step):  # the first one makes the file
        assert (
            crash_runner.execute(
                create_empty_directory(directory), WRITE_LEDGER_CODE, last_operation=last
            ).ended
            == -signal.SIGKILL
        )
        sizes |= {(path.name, path.stat().st_size) for path in directory.iterdir()}
        n_batches.append(read_and_complete_ledger(crash_runner, directory))
    assert n_batches == sorted(n_batches) and {0, 1, 2, 3} == set(n_batches)
    assert {(LEDGER_FILE, 0), (LEDGER_FILE, 4096), (f"{LEDGER_FILE}-journal", 4616)} <= sizes


@pytest.mark.slow
@pytest.mark.parametrize("code", [READ_LEDGER_CODE, WRITE_LEDGER_CODE])
def test_ledger_killed_again_during_repair_can_be_completed(crash_runner, tmp_path, code):
    directory, killed_directory = tmp_path / "run", tmp_path / "left"
    operations = crash_runner.execute(
        create_empty_directory(directory), WRITE_LEDGER_CODE
    ).operations
    n_kills = 0
    for last in range(2, operations + 1):
        crash_runner.execute(
            create_empty_directory(killed_directory), WRITE_LEDGER_CODE, last_operation=last
        )
        for second in count(1):
            shutil.rmtree(directory, ignore_errors=True)
            shutil.copytree(killed_directory, directory)
            end = crash_runner.execute(directory, code, last_operation=second)
            read_and_complete_ledger(crash_runner, directory)
            if end.ended == 0:
                break
            n_kills += 1
    assert n_kills > operations


def test_read_only_ledger_can_be_read_unless_incomplete(crash_runner, tmp_path):
    """Expect an error for an incomplete ledger, which SQLite would have to repair."""
    directory = Path(tempfile.mkdtemp())  # readable by other users, unlike pytest's directories
    directory.chmod(0o755)
    operations = crash_runner.execute(directory, WRITE_LEDGER_CODE).operations
    results = {}
    for last in (operations + 1, 2, operations - 1):
        create_empty_directory(directory)
        crash_runner.execute(directory, WRITE_LEDGER_CODE, last_operation=last)
        for path in directory.iterdir():
            path.chmod(0o444)
        directory.chmod(0o555)
        results[last] = crash_runner.execute(directory, f"{DROP_PRIVILEGES_CODE}{READ_LEDGER_CODE}")
        directory.chmod(0o755)
    shutil.rmtree(directory)
    finished, empty, incomplete = results.values()
    assert (finished.said, empty.said) == ("3\n", "0\n")
    assert (
        "attempt to write a readonly database). Copy its directory to a writable" in incomplete.said
    )


# Malicious changes

HOSTILE_CHANGES = {
    "super-journal": lambda path: hostile_ledgers.write_super_journal(path, path.with_name("mine")),
    **{
        f"a view: {name}": partial(hostile_ledgers.add_endless_view, table=name)
        for name in hostile_ledgers.TABLE_COLUMNS
    },
    "a trigger": hostile_ledgers.add_endless_trigger,
    "pages in a circle": hostile_ledgers.add_endless_pages,
    **{
        f"a pipe{suffix}": partial(hostile_ledgers.create_pipe, suffix=suffix)
        for suffix in ledger.SQLITE_SUFFIXES
    },
    "a link-wal": partial(hostile_ledgers.create_link, suffix="-wal", target=__file__),
}


@pytest.mark.parametrize("change", HOSTILE_CHANGES)
def test_hostile_ledger_is_rejected_without_side_effects(ledger_path, change):
    with open_ledger(ledger_path, RUN_IDENTITY) as run_ledger:
        run_ledger.add_block(
            0, 0, [BATCH_SIZE] * 3, pack_rows(make_random_rows(np.random.default_rng(5), 3)), "x"
        )
    ledger_path.with_name("mine").write_text("years of work")
    HOSTILE_CHANGES[change](ledger_path)
    before = {**read_directory(ledger_path.parent), LEDGER_FILE: b""}
    for opening in (open_existing_ledger(ledger_path), open_ledger(ledger_path, RUN_IDENTITY)):
        with time_limit(20), pytest.raises(LedgerError) as error, opening as run_ledger:
            run_ledger.read_rows(0, 3 * BATCH_SIZE, BATCH_SIZE)
        assert str(error.value).endswith(".")
    assert {**read_directory(ledger_path.parent), LEDGER_FILE: b""} == before


def test_ctrl_c_stops_a_query(ledger_path, monkeypatch):
    with open_ledger(ledger_path, RUN_IDENTITY) as run_ledger:
        run_ledger.add_block(
            0, 0, [BATCH_SIZE], pack_rows(make_random_rows(np.random.default_rng(5), 1)), "x"
        )
    hostile_ledgers.add_endless_pages(ledger_path)
    monkeypatch.setattr(ledger._QueryStepLimit, "is_exceeded", False)
    ctrl_c_timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    # A background process may ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with (
        time_limit(20),
        pytest.raises(KeyboardInterrupt),
        open_existing_ledger(ledger_path) as run_ledger,
    ):
        ctrl_c_timer.start()
        try:
            run_ledger.read_rows(0, BATCH_SIZE, BATCH_SIZE)
        finally:
            ctrl_c_timer.cancel()  # otherwise, after a query that ends, it would stop all tests
            signal.signal(signal.SIGINT, before)
            assert signal.alarm(0) > 10, "what stopped it was the alarm"


def test_unpacked_size_of_rows_is_limited(monkeypatch):
    monkeypatch.setattr(ledger, "MAX_VALUE_BYTES", 2000)
    with pytest.raises(zlib.error, match="has more than 2,000 bytes"):
        unpack_rows(pack_rows(np.ones((1000, 4), np.int64)), 4)


# Disk errors


STEP_RESULT = np.random.default_rng(8).random(400)  # the result of a step, almost one page


@pytest.mark.parametrize(
    "value", [None, 7, "gold", pytest.param(b"", marks=pytest.mark.slow), b"\xff" * 40]
)
@pytest.mark.parametrize("table", ["blocks", "deals", "steps"])
def test_row_with_a_changed_value_is_ignored(ledger_path, table, value):
    """Replace the value of each column by values of several types."""
    rows = make_random_rows(np.random.default_rng(9), 4)
    deals = [pack_rows(np.ones((4, len(DEAL_RECORD_DTYPE.names)), np.int64))] * 2
    with open_ledger(ledger_path, RUN_IDENTITY) as run_ledger:
        for first in (0, 2):
            run_ledger.add_block(
                0, first, [BATCH_SIZE] * 2, pack_rows(rows[first : first + 2]), "x", deals
            )
        run_ledger.add_step_result("luck", 1, {"shares": STEP_RESULT})
    original = ledger_path.read_bytes()
    with sqlite3.connect(ledger_path) as connection:
        columns = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
    all_batches = {(k, BATCH_SIZE) for k in range(4)}
    lost_batches = {
        "blocks": {(0, BATCH_SIZE), (1, BATCH_SIZE)},
        "deals": {(0, BATCH_SIZE)},
        "steps": set(),
    }[table]
    for column in columns:
        ledger_path.write_bytes(original)
        condition = f"rowid = (SELECT min(rowid) FROM {table})"
        with suppress(sqlite3.IntegrityError), sqlite3.connect(ledger_path) as connection:
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {condition}", [value])
        if ledger_path.read_bytes() == original:
            continue  # a value that SQLite itself rejects
        with open_ledger(ledger_path, RUN_IDENTITY) as run_ledger:
            assert run_ledger.has_step_result("luck", 1) == (table != "steps")
            played, recorded = (
                run_ledger.find_finished_batches(0, BATCH_SIZE, with_deals=with_deals)
                for with_deals in (False, True)
            )
            assert (all_batches - played, all_batches - recorded) in (
                (lost_batches, set()),
                (set(), lost_batches),
            )
            run_ledger.add_block(0, 0, [BATCH_SIZE] * 2, pack_rows(rows[:2]), "x", deals)
            assert (run_ledger.read_rows(0, 4 * BATCH_SIZE, BATCH_SIZE) == rows).all()
        assert is_intact_database(ledger_path)


def assert_rejected(path, message):
    """Check that a ledger can be opened neither for writing nor for reading."""
    for opening in (open_ledger(path, RUN_IDENTITY), open_existing_ledger(path)):
        with pytest.raises(LedgerError, match=message), opening:
            pass


def test_file_that_is_not_a_ledger_is_rejected_and_unchanged(ledger_path):
    with sqlite3.connect(ledger_path) as connection:
        connection.execute("CREATE TABLE recipes (name)")
    messages = {b"a diary\n" * 500: "is corrupt", b"x" * 4096: "is corrupt"}
    messages[ledger_path.read_bytes()] = "is not a simgin ledger. Move the file"
    for content, message in messages.items():
        ledger_path.write_bytes(content)
        assert_rejected(ledger_path, message)
        assert ledger_path.read_bytes() == content
        assert [file.name for file in ledger_path.parent.iterdir()] == [LEDGER_FILE]


@pytest.mark.parametrize("version", ["0", str(ledger.LEDGER_FORMAT + 1), "old"])
def test_ledger_of_another_format_is_rejected(ledger_path, version):
    with open_ledger(ledger_path, RUN_IDENTITY):
        pass
    with sqlite3.connect(ledger_path) as connection:
        connection.execute("UPDATE run SET value = ? WHERE key = 'form'", [version])
    assert_rejected(
        ledger_path,
        rf"another version of simgin \(format {version}, not " rf"{ledger.LEDGER_FORMAT}\)",
    )


def test_missing_ledger_is_reported(ledger_path):
    message = rf"does not contain {LEDGER_FILE}\. Specify a directory written by `simgin run`"
    with pytest.raises(LedgerError, match=message), open_existing_ledger(ledger_path):
        pass
    with (
        pytest.raises(LedgerError, match="cannot be used"),
        open_ledger(ledger_path / "deeper" / LEDGER_FILE, RUN_IDENTITY),
    ):
        pass


# Run time


def test_run_of_ten_thousand_blocks_resumes_quickly(ledger_path):
    """Allow 2 s of CPU time for opening, scheduling and summing (0.4 s measured).

    CPU time does not depend on the load of the machine.
    """
    matchup = parse_matchup("gold", "simple", "standard", 1, "deal")
    row = np.arange(batch_columns.N_COLUMNS, dtype=np.int64)[None] * 17
    with open_ledger(ledger_path, RUN_IDENTITY) as run_ledger:
        for k in range(10_000):
            run_ledger.add_block(0, k, [BATCH_SIZE], pack_rows(row), "thread 1")
    started = time.process_time()
    with open_ledger(ledger_path, RUN_IDENTITY) as run_ledger:
        block = Schedule([Task(matchup, 2 * BATCH_SIZE * 20_000)], run_ledger, 2).next_block()
        total = run_ledger.compute_total(0, 10_000 * BATCH_SIZE, BATCH_SIZE)
    seconds = time.process_time() - started
    assert block.first_batch == 10_000 and (total == 10_000 * row[0]).all()
    assert seconds < 2


# Steps: played once, stored completely, and repeated only if the ledger lacks them


STEP_ARRAYS = {"share": np.array([0.1, np.nan]), "variant": np.array(["oklahoma", "straight"])}


class RecordingSteps:
    """Factory of extra passes that record their names and can be interrupted."""

    def __init__(self, interrupted=""):
        self.names, self.interrupted = [], interrupted

    def make_step(self, name, n_units=1000):
        def play(block, workers, progress):
            if name == self.interrupted:
                raise KeyboardInterrupt
            self.names.append(name)
            if progress:
                progress(1, 2)
            return {**STEP_ARRAYS, "rows": kernel.play_batches(block.matchup, 0, block.units)}

        matchup = parse_matchup("gold", "gold", "standard", 1, "deal")
        return ExtraPass(name, Block(1, matchup, 0, n_units), play)


def has_expected_arrays(ledger, name, n):
    """Return True if the ledger contains exactly STEP_ARRAYS for a step."""
    arrays = [(key, array.tobytes()) for key, array in ledger.read_step_result(name, n).items()]
    return arrays == [(key, array.tobytes()) for key, array in STEP_ARRAYS.items()]


def test_only_missing_steps_are_played_again(ledger_path):
    recorded_steps = RecordingSteps(interrupted="value")
    steps = [recorded_steps.make_step(name) for name in ("luck", "value", "turns")]
    with open_ledger(ledger_path, {}) as ledger:
        # An empty ledger would start again
        ledger.add_block(0, 0, [1], pack_rows(np.zeros((1, 3), np.int64)), "me")
        with pytest.raises(KeyboardInterrupt):
            runner.play_passes(steps, ledger)
    recorded_steps.interrupted = ""
    with open_ledger(ledger_path, {}) as ledger:
        assert [step.name for step in runner.find_missing_passes(steps, ledger)] == [
            "value",
            "turns",
        ]
        runner.play_passes(steps, ledger)
        assert runner.find_missing_passes(steps, ledger) == []
    assert recorded_steps.names == ["luck", "value", "turns"]


def test_step_result_replaces_that_of_another_sample_size(ledger_path):
    recorded_steps = RecordingSteps()
    with open_ledger(ledger_path, {}) as ledger:
        runner.play_passes([recorded_steps.make_step("luck", 1000)], ledger)
        runner.play_passes([recorded_steps.make_step("luck", 2000)], ledger)
        assert recorded_steps.names == ["luck", "luck"]
    with open_existing_ledger(ledger_path) as ledger:
        assert has_expected_arrays(ledger, "luck", 2000)
        message = r"the data of the extra pass luck are missing or corrupt\. Run the same"
        with pytest.raises(LedgerError, match=message):
            ledger.read_step_result("luck", 1000)


def test_progress_is_reported_over_all_steps():
    recorded_steps, reports = RecordingSteps(), []
    with open_ledger(None, {}) as ledger:
        steps = [recorded_steps.make_step("luck"), recorded_steps.make_step("value")]
        runner.play_passes(
            steps, ledger, on_progress=lambda done, units: reports.append(done / units)
        )
    assert reports == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_ledger_can_be_closed_in_another_thread(tmp_path):
    """Close a ledger in another thread, as Python can when it deletes unused results."""
    resources = ExitStack()
    run_ledger = resources.enter_context(open_ledger(tmp_path / LEDGER_FILE, {"seed": 1}))
    run_ledger.write_command("mine")
    with ThreadPoolExecutor(1) as executor:
        executor.submit(resources.close).result()
    assert [path.name for path in tmp_path.iterdir()] == [LEDGER_FILE]  # one plain file
    with open_existing_ledger(tmp_path / LEDGER_FILE) as reopened:
        assert reopened.command == "mine"
