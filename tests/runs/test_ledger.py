"""Tests of the ledger: complete blocks, a single writer, other runs and broken disks."""

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
from simgin.core.deal_record import DEAL_RECORD
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
from simgin.runs.runner import ExtraStep
from support import hostile_ledgers
from support.hostile import read_tree, time_limit
from support.killing import Killing

SIZE = 1000
RUN = {
    "seed": 1,
    "hypothesis": "gold wins",
    "stop": None,
    "matchups": [{"a": "gold"}],
    "variants": {"mine": {"gin_bonus": 25}},
    "strategies": {"gold": {"digest": "00"}},
}


def random_rows(rng, batches):
    """Return random rows with the width of real ones and numbers of any size."""
    bits = rng.integers(0, 63, (batches, batch_columns.N_COLUMNS))
    return rng.integers(0, 2**63, (batches, batch_columns.N_COLUMNS)) >> bits * np.sign(
        rng.integers(-1, 2, bits.shape)
    )


def is_intact(path):
    """Return True if SQLite finds no error in the file."""
    with sqlite3.connect(path) as connection:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / LEDGER_FILE


# Blocks


blocks_of_ten = st.tuples(st.integers(0, 12), st.integers(1, 60))


@given(st.lists(blocks_of_ten, max_size=12), st.integers(1, 130))
def test_overlapping_blocks_are_read_batch_by_batch(blocks, units):
    """The reference is a dictionary of batches by number and size."""
    batches = {}
    with open_ledger(None, RUN) as run_ledger:
        for first, count in blocks:
            block = Block(0, SimpleNamespace(batch_size=10), first, count)
            for i, size in enumerate(block.sizes):
                batches[first + i, size] = numbered_rows(10 * (first + i), size)[0]
            blob = pack_rows(numbered_rows(block.first_unit, count))
            run_ledger.add_block(0, first, block.sizes, blob, "x")
        assert run_ledger.finished_batches(0, 10) == set(batches)
        wanted = [(k, min(10, units - 10 * k)) for k in range(-(-units // 10))]
        present = [key for key in wanted if key in batches]
        each = list(run_ledger.iter_finished(0, units, 10))
        assert [number for number, _ in each] == [number for number, _ in present]
        for key, (_, row) in zip(present, each, strict=True):
            assert (row == batches[key]).all()
        if present == wanted:
            rows = numbered_rows(0, units)
            assert (run_ledger.rows(0, units, 10) == rows).all()
            assert (np.concatenate(list(run_ledger.iter_chunks(0, units, 10))) == rows).all()
            assert (run_ledger.total(0, units, 10) == rows.sum(axis=0)).all()
        else:
            with pytest.raises(LedgerError, match="batches are missing"):
                run_ledger.rows(0, units, 10)


@pytest.mark.parametrize(("table", "fails_at"), [("blocks", 10), ("deals", 10), ("deals", 19)])
def test_a_block_is_stored_whole_or_not_at_all(path, table, fails_at):
    """Make writing of a block or its deals fail, as on a full disk."""
    some = random_rows(np.random.default_rng(3), 10)
    deals = [pack_rows(np.ones((4, len(DEAL_RECORD.names)), np.int64))] * 10
    column = {"blocks": "first", "deals": "batch"}[table]
    with open_ledger(path, RUN) as run_ledger:
        run_ledger.add_block(0, 0, [SIZE] * 10, pack_rows(some), "x", deals)
        run_ledger._connection.execute(
            f"CREATE TEMP TRIGGER full BEFORE INSERT ON {table} "
            f"WHEN NEW.{column} = {fails_at} BEGIN SELECT RAISE(FAIL, 'no room'); END"
        )
        told = r"cannot be written \(no room\)\. Finished batches are saved\. Fix the"
        with pytest.raises(LedgerError, match=told):
            run_ledger.add_block(0, 10, [SIZE] * 10, pack_rows(some), "x", deals)
        finished = {(k, SIZE) for k in range(10)}
        assert run_ledger.finished_batches(0, SIZE) == finished
        assert run_ledger.finished_batches(0, SIZE, with_deals=True) == finished
        run_ledger._connection.execute("DROP TRIGGER full")
        run_ledger.add_block(0, 10, [SIZE] * 10, pack_rows(some), "x", deals)
        assert (run_ledger.rows(0, 20 * SIZE, SIZE) == np.concatenate([some, some])).all()


def numbered_rows(first, units):
    """Return rows of ten units, with the number of units and the sum of their indices."""
    out = np.zeros((-(-units // 10), batch_columns.N_COLUMNS), np.int64)
    for unit in range(first, first + units):
        out[(unit - first) // 10, :2] += 1, unit
    return out


# Packing


def test_damage_is_noticed():
    blob = pack_rows(np.arange(300).reshape(30, 10))
    for bad in (blob[:-9], blob[:40] + b"?" + blob[41:], b"", b"nonsense"):
        with pytest.raises(zlib.error):
            unpack_rows(bad, 10)
    with pytest.raises(zlib.error, match="2400 bytes cannot be divided into rows of 7 numbers"):
        unpack_rows(blob, 7)


# Identity of a run


OTHER_IDENTITIES = [
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


@pytest.mark.parametrize(("change", "message"), OTHER_IDENTITIES)
def test_another_run_is_rejected_and_the_difference_is_named(path, change, message):
    with open_ledger(path, RUN) as run_ledger:
        run_ledger.add_block(0, 0, [SIZE], pack_rows(random_rows(np.random.default_rng(5), 1)), "x")
    before = path.read_bytes()
    with pytest.raises(LedgerError) as error, open_ledger(path, {**RUN, **change}):
        pass
    lines = str(error.value).splitlines()
    assert lines[0] == f"{path.parent} contains another run:" and lines[1:-1] == [f"  {message}"]
    assert lines[-1] == "Choose another directory with -o, or remove this directory to start again."
    assert path.read_bytes() == before


def test_an_empty_ledger_accepts_any_run(path):
    for seed in (1, 2):
        with open_ledger(path, {**RUN, "seed": seed}) as run_ledger:
            assert run_ledger.identity["seed"] == seed


# Two processes


HOLD_CODE = """
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


def start_processes(path, count):
    """Start processes that open the ledger at the same time."""
    words = [sys.executable, "-c", HOLD_CODE, path]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    several = [subprocess.Popen(words, text=True, **pipes) for _ in range(count)]
    for process in several:
        assert process.stdout.readline() == "ready\n"
    for process in several:
        process.stdin.write("go\n")
        process.stdin.flush()
    return several


def test_of_many_processes_that_start_together_one_writes(path):
    """One process opens the ledger, and all others fail until it closes."""
    several = start_processes(path, 3)
    told = [process.stdout.readline() for process in several]
    for how in (open_ledger(path, {"seed": 1}), open_existing_ledger(path)):
        with pytest.raises(LedgerError, match=r"in use by another process\. Wait"), how:
            pass
    errors = [process.communicate()[1] for process in several]
    assert sorted(told) == ["", "", "open\n"]
    assert sum("another process" in error for error in errors) == 2
    assert is_intact(path)


def test_the_blocks_of_a_killed_process_are_kept(path):
    (other,) = start_processes(path, 1)
    assert other.stdout.readline() == "open\n"
    other.kill()
    other.communicate()
    assert (path.parent / f"{LEDGER_FILE}-wal").stat().st_size > 0
    for how in (
        open_existing_ledger(path),
        open_ledger(path, {"seed": 1}),
        open_existing_ledger(path),
    ):
        with how as run_ledger:
            assert run_ledger.finished_batches(0, SIZE) == {(0, 1000)}
            assert run_ledger.rows(0, 1000, SIZE).sum() == batch_columns.N_COLUMNS
    assert [file.name for file in path.parent.iterdir()] == [LEDGER_FILE]
    assert path.read_bytes()[18:20] == b"\1\1"  # a rollback journal, no write-ahead log


# Kills before every file operation while a ledger is created, converted and written

WRITE = """
import numpy as np
from pathlib import Path
from simgin.core import batch_columns
from simgin.runs.ledger import LEDGER_FILE, open_ledger, pack_rows
with open_ledger(Path(LEDGER_FILE), {"seed": 1}) as run_ledger:
    there = run_ledger.finished_batches(0, 1000)
    for number in range(3):
        if (number, 1000) not in there:
            row = np.full((1, batch_columns.N_COLUMNS), number)
            run_ledger.add_block(0, number, [1000], pack_rows(row), "x")
"""
READ = """
from pathlib import Path
from simgin.runs.ledger import LEDGER_FILE, open_existing_ledger
with open_existing_ledger(Path(LEDGER_FILE)) as run_ledger:
    print(len(run_ledger.finished_batches(0, 1000)))
"""
UNPRIVILEGED = """
import os
if os.geteuid() == 0:
    os.setuid(65534)
"""


@pytest.fixture(scope="module")
def killing(tmp_path_factory):
    with Killing(tmp_path_factory.mktemp("killing"), "import simgin.runs.ledger") as killing:
        yield killing


def make_empty(place):
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    return place


def read_and_complete(killing, place):
    """Return the number of batches in a killed ledger, then complete it."""
    end = killing.attempt(place, READ + WRITE + READ)
    assert end.ended == 0, end.said
    before, after = end.said.split()
    assert after == "3" and is_intact(place / LEDGER_FILE)
    return int(before)


def test_a_ledger_that_is_killed_at_any_operation_is_read_and_continued(killing, tmp_path):
    place = tmp_path / "run"
    operations = killing.attempt(make_empty(place), WRITE).operations
    held, sizes = [], set()
    for last in range(2, operations + 1):  # the first one makes the file
        assert killing.attempt(make_empty(place), WRITE, last=last).ended == -signal.SIGKILL
        sizes |= {(path.name, path.stat().st_size) for path in place.iterdir()}
        held.append(read_and_complete(killing, place))
    assert held == sorted(held) and {0, 1, 2, 3} == set(held)
    assert {(LEDGER_FILE, 0), (LEDGER_FILE, 4096), (f"{LEDGER_FILE}-journal", 4616)} <= sizes


@pytest.mark.slow
@pytest.mark.parametrize("then", [READ, WRITE])
def test_a_ledger_that_is_killed_twice_is_read_and_continued(killing, tmp_path, then):
    """The second kill occurs during the repair."""
    place, left = tmp_path / "run", tmp_path / "left"
    operations = killing.attempt(make_empty(place), WRITE).operations
    killed = 0
    for last in range(2, operations + 1):
        killing.attempt(make_empty(left), WRITE, last=last)
        for second in count(1):
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(left, place)
            end = killing.attempt(place, then, last=second)
            read_and_complete(killing, place)
            if end.ended == 0:
                break
            killed += 1
    assert killed > operations


def test_a_ledger_that_is_read_only_is_read(killing, tmp_path):
    """Return a complete or an incomplete ledger, and a path for a copy."""
    place = Path(tempfile.mkdtemp())  # readable by other users, unlike pytest's directories
    place.chmod(0o755)
    operations = killing.attempt(place, WRITE).operations
    told = {}
    for last in (operations + 1, 2, operations - 1):
        make_empty(place)
        killing.attempt(place, WRITE, last=last)
        for path in place.iterdir():
            path.chmod(0o444)
        place.chmod(0o555)
        told[last] = killing.attempt(place, f"{UNPRIVILEGED}{READ}")
        place.chmod(0o755)
    shutil.rmtree(place)
    finished, born, half = told.values()
    assert (finished.said, born.said) == ("3\n", "0\n")
    assert "attempt to write a readonly database). Copy its directory to a writable" in half.said


# Malicious changes

HOSTILE_FILES = {
    "super-journal": lambda path: hostile_ledgers.name_super_journal(path, path.with_name("mine")),
    **{
        f"a view: {name}": partial(hostile_ledgers.add_endless_view, table=name)
        for name in hostile_ledgers.COLUMNS
    },
    "a trigger": hostile_ledgers.add_endless_trigger,
    "pages in a circle": hostile_ledgers.add_cyclic_pages,
    **{
        f"a pipe{end}": partial(hostile_ledgers.put_pipe, end=end) for end in ledger.SQLITE_SUFFIXES
    },
    "a link-wal": partial(hostile_ledgers.put_link, end="-wal", target=__file__),
}


@pytest.mark.parametrize("how", HOSTILE_FILES)
def test_a_strangers_ledger_removes_nothing_and_ends(path, how):
    with open_ledger(path, RUN) as run_ledger:
        run_ledger.add_block(
            0, 0, [SIZE] * 3, pack_rows(random_rows(np.random.default_rng(5), 3)), "x"
        )
    path.with_name("mine").write_text("years of work")
    HOSTILE_FILES[how](path)
    before = {**read_tree(path.parent), LEDGER_FILE: b""}
    for use in (open_existing_ledger(path), open_ledger(path, RUN)):
        with time_limit(20), pytest.raises(LedgerError) as error, use as run_ledger:
            run_ledger.rows(0, 3 * SIZE, SIZE)
        assert str(error.value).endswith(".")
    assert {**read_tree(path.parent), LEDGER_FILE: b""} == before


def test_ctrl_c_stops_a_query(path, monkeypatch):
    with open_ledger(path, RUN) as run_ledger:
        run_ledger.add_block(0, 0, [SIZE], pack_rows(random_rows(np.random.default_rng(5), 1)), "x")
    hostile_ledgers.add_cyclic_pages(path)
    monkeypatch.setattr(ledger._StepLimit, "is_exceeded", False)
    pressed = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    # A background process may ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with time_limit(20), pytest.raises(KeyboardInterrupt), open_existing_ledger(path) as run_ledger:
        pressed.start()
        try:
            run_ledger.rows(0, SIZE, SIZE)
        finally:
            pressed.cancel()  # otherwise, after a query that ends, it would stop all tests
            signal.signal(signal.SIGINT, before)
            assert signal.alarm(0) > 10, "what stopped it was the alarm"


def test_a_row_unpacks_to_a_bounded_size(monkeypatch):
    monkeypatch.setattr(ledger, "MAX_VALUE_BYTES", 2000)
    with pytest.raises(zlib.error, match="has more than 2,000 bytes"):
        unpack_rows(pack_rows(np.ones((1000, 4), np.int64)), 4)


# Disk errors


STEP_RESULT = np.random.default_rng(8).random(400)  # the result of a step, almost one page


@pytest.mark.parametrize("value", [None, 7, "gold", b"", b"\xff" * 40])
@pytest.mark.parametrize("table", ["blocks", "deals", "steps"])
def test_a_row_with_a_changed_value_counts_as_not_played(path, table, value):
    """Any other value or type in any column."""
    some = random_rows(np.random.default_rng(9), 4)
    deals = [pack_rows(np.ones((4, len(DEAL_RECORD.names)), np.int64))] * 2
    with open_ledger(path, RUN) as run_ledger:
        for first in (0, 2):
            run_ledger.add_block(
                0, first, [SIZE] * 2, pack_rows(some[first : first + 2]), "x", deals
            )
        run_ledger.add_step("luck", 1, {"shares": STEP_RESULT})
    sound = path.read_bytes()
    with sqlite3.connect(path) as connection:
        columns = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
    left = {(k, SIZE) for k in range(4)}
    lost = {"blocks": {(0, SIZE), (1, SIZE)}, "deals": {(0, SIZE)}, "steps": set()}[table]
    for column in columns:
        path.write_bytes(sound)
        place = f"rowid = (SELECT min(rowid) FROM {table})"
        with suppress(sqlite3.IntegrityError), sqlite3.connect(path) as connection:
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE {place}", [value])
        if path.read_bytes() == sound:
            continue  # a value that SQLite itself rejects
        with open_ledger(path, RUN) as run_ledger:
            assert run_ledger.has_step("luck", 1) == (table != "steps")
            played, recorded = (
                run_ledger.finished_batches(0, SIZE, with_deals=one) for one in (False, True)
            )
            assert (left - played, left - recorded) in ((lost, set()), (set(), lost))
            run_ledger.add_block(0, 0, [SIZE] * 2, pack_rows(some[:2]), "x", deals)
            assert (run_ledger.rows(0, 4 * SIZE, SIZE) == some).all()
        assert is_intact(path)


def assert_rejected(path, message):
    for how in (open_ledger(path, RUN), open_existing_ledger(path)):
        with pytest.raises(LedgerError, match=message), how:
            pass


def test_another_file_is_not_a_ledger_and_is_unchanged(path):
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipes (name)")
    told = {b"a diary\n" * 500: "is corrupt", b"x" * 4096: "is corrupt"}
    told[path.read_bytes()] = "is not a simgin ledger. Move the file"
    for content, word in told.items():
        path.write_bytes(content)
        assert_rejected(path, word)
        assert path.read_bytes() == content
        assert [file.name for file in path.parent.iterdir()] == [LEDGER_FILE]


@pytest.mark.parametrize("form", ["0", str(ledger.LEDGER_FORMAT + 1), "old"])
def test_a_ledger_of_another_format_is_rejected(path, form):
    with open_ledger(path, RUN):
        pass
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE run SET value = ? WHERE key = 'form'", [form])
    assert_rejected(
        path, rf"another version of simgin \(format {form}, not " rf"{ledger.LEDGER_FORMAT}\)"
    )


def test_a_missing_ledger_is_reported(path):
    told = rf"does not contain {LEDGER_FILE}\. Specify a directory written by `simgin run`"
    with pytest.raises(LedgerError, match=told), open_existing_ledger(path):
        pass
    with (
        pytest.raises(LedgerError, match="cannot be used"),
        open_ledger(path / "deeper" / LEDGER_FILE, RUN),
    ):
        pass


# Run time


def test_a_run_of_ten_thousand_blocks_resumes_quickly(path):
    """Opening, finding missing units and the total take under 2 s of CPU time (0.4 s measured).

    CPU time does not depend on the load of the machine.
    """
    matchup = parse_matchup("gold", "simple", "standard", 1, "deal")
    row = np.arange(batch_columns.N_COLUMNS, dtype=np.int64)[None] * 17
    with open_ledger(path, RUN) as run_ledger:
        for k in range(10_000):
            run_ledger.add_block(0, k, [SIZE], pack_rows(row), "thread 1")
    started = time.process_time()
    with open_ledger(path, RUN) as run_ledger:
        block = Schedule([Task(matchup, 2 * SIZE * 20_000)], run_ledger, 2).next_block()
        total = run_ledger.total(0, 10_000 * SIZE, SIZE)
    seconds = time.process_time() - started
    assert block.first_batch == 10_000 and (total == 10_000 * row[0]).all()
    assert seconds < 2


# Steps: played once, stored completely, and repeated only if the ledger lacks them


RESULT = {"share": np.array([0.1, np.nan]), "variant": np.array(["oklahoma", "straight"])}


class RecordedSteps:
    """Steps that record when they were played, and can be interrupted."""

    def __init__(self, interrupted=""):
        self.names, self.interrupted = [], interrupted

    def step(self, name, n=1000):
        def play(block, workers, progress):
            if name == self.interrupted:
                raise KeyboardInterrupt
            self.names.append(name)
            if progress:
                progress(1, 2)
            return {**RESULT, "rows": kernel.play_batches(block.matchup, 0, block.units)}

        matchup = parse_matchup("gold", "gold", "standard", 1, "deal")
        return ExtraStep(name, Block(1, matchup, 0, n), play)


def is_result(ledger, name, n):
    found = [(key, array.tobytes()) for key, array in ledger.read_step(name, n).items()]
    return found == [(key, array.tobytes()) for key, array in RESULT.items()]


def test_only_missing_steps_are_played_again(path):
    played = RecordedSteps(interrupted="value")
    asked = [played.step(name) for name in ("luck", "value", "turns")]
    with open_ledger(path, {}) as ledger:
        # An empty ledger would start again
        ledger.add_block(0, 0, [1], pack_rows(np.zeros((1, 3), np.int64)), "me")
        with pytest.raises(KeyboardInterrupt):
            runner.play_steps(asked, ledger)
    played.interrupted = ""
    with open_ledger(path, {}) as ledger:
        assert [step.name for step in runner.missing_steps(asked, ledger)] == ["value", "turns"]
        runner.play_steps(asked, ledger)
        assert runner.missing_steps(asked, ledger) == []
    assert played.names == ["luck", "value", "turns"]


def test_a_stored_result_is_identical_for_its_size_only(path):
    played = RecordedSteps()
    with open_ledger(path, {}) as ledger:
        runner.play_steps([played.step("luck", 1000)], ledger)
        runner.play_steps([played.step("luck", 2000)], ledger)
        assert played.names == ["luck", "luck"]
    with open_existing_ledger(path) as ledger:
        assert is_result(ledger, "luck", 2000)
        lacks = r"the data of the extra pass luck are missing or corrupt\. Run the same"
        with pytest.raises(LedgerError, match=lacks):
            ledger.read_step("luck", 1000)


def test_progress_is_that_of_all_steps():
    played, reports = RecordedSteps(), []
    with open_ledger(None, {}) as ledger:
        asked = [played.step("luck"), played.step("value")]
        runner.play_steps(
            asked, ledger, on_progress=lambda done, units: reports.append(done / units)
        )
    assert reports == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_any_thread_may_close_a_ledger(tmp_path):
    """Python can delete a caller's results in any thread."""
    resources = ExitStack()
    run_ledger = resources.enter_context(open_ledger(tmp_path / LEDGER_FILE, {"seed": 1}))
    run_ledger.write_command("mine")
    with ThreadPoolExecutor(1) as another:
        another.submit(resources.close).result()
    assert [path.name for path in tmp_path.iterdir()] == [LEDGER_FILE]  # one plain file
    with open_existing_ledger(tmp_path / LEDGER_FILE) as found:
        assert found.command == "mine"
