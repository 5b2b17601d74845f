"""Tests that runs killed at instants from fixed seeds and resumed end with the same bytes."""

import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest

from simgin.runs import directory, plan
from simgin.runs.ledger import LEDGER_FILE, open_existing_ledger
from support.command_line import call
from support.command_runs import reproducible_files
from support.dask_cluster import dask

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

TIMEOUT = 300  # seconds to wait for an event in a run
MAX_START_SECONDS = 6.0  # seconds in which a kill can precede the first deal


def write_experiment(place, deals):
    """Write the file of an experiment with two matchups."""
    path = place / "two.toml"
    path.write_text(
        f'question = "Is it the same?"\nvariants = ["eaai"]\ndeals = "{deals}"\nseed = 7\n'
        '[panel]\nstrategies = ["gold", "gold-early"]\nagainst = "simple"\n'
    )
    return path


class RunProcess:
    """A real process that plays an experiment."""

    def __init__(self, path, place, *more):
        words = [sys.executable, "-m", "simgin", "run", path, "-o", place, "--workers", "2", *more]
        self._log, self._manifest = place / f"{LEDGER_FILE}-wal", place / directory.MANIFEST_FILE
        self._before = file_state(self._log), file_state(self._manifest)
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(words, text=True, **streams)

    def has_committed(self):
        found = file_state(self._log)
        return found not in (None, self._before[0]) and found[0] > 0

    def has_written(self):
        return file_state(self._manifest) not in (None, self._before[1])

    def until(self, reached):
        """Wait for `reached`, and return True if it happened before the process ended."""
        last = time.monotonic() + TIMEOUT
        while not reached():
            assert time.monotonic() < last
            if self.process.poll() is not None:
                return False
            time.sleep(1e-3)
        return True

    def kill(self):
        """Send SIGKILL unless the process has ended, and return True if it was killed."""
        self.process.kill()
        return self.end(-signal.SIGKILL, 0) != 0

    def end(self, *codes):
        """Wait for the end of the process."""
        _, error = self.process.communicate(timeout=TIMEOUT)
        assert self.process.returncode in (codes or (0,)), error
        return self.process.returncode


def file_state(path):
    """Return the size, time and number of a file; None if it does not exist."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino


def finished_batches(place, before):
    """Return the finished batches of both matchups, after checking that none is lost."""
    if not (place / LEDGER_FILE).is_file():
        return before
    with open_existing_ledger(place / LEDGER_FILE) as ledger:
        now = [ledger.finished_batches(0, 1000), ledger.finished_batches(1, 1000)]
    assert all(old <= new for old, new in zip(before, now, strict=True))
    return now


def assert_same_run(path, place, fresh):
    """Check that a run has the same files as an undisturbed run."""
    assert reproducible_files(place) == reproducible_files(fresh)
    files = [{file.relative_to(one) for file in one.rglob("*")} for one in (place, fresh)]
    assert files[0] == files[1]
    manifest, expected = (directory.read_manifest(one) for one in (place, fresh))
    assert (manifest["matchups"], manifest["stopped"]) == (
        expected["matchups"],
        expected["stopped"],
    )
    with sqlite3.connect(place / LEDGER_FILE) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        ((units,),) = connection.execute("SELECT sum(units) FROM blocks")
    cells = plan.plan_experiment(path).tasks
    assert units == sum(cell.units for cell in cells)
    with (
        open_existing_ledger(place / LEDGER_FILE) as ours,
        open_existing_ledger(fresh / LEDGER_FILE) as theirs,
    ):
        for i, cell in enumerate(cells):
            units, size = cell.units, cell.matchup.batch_size
            finished = ours.finished_batches(i, size)
            assert finished == theirs.finished_batches(i, size) and len(finished) == -(
                -units // size
            )
            assert (ours.rows(i, units, size) == theirs.rows(i, units, size)).all()


@pytest.mark.parametrize(
    ("deals", "kills", "seconds", "endings", "least"),
    [("100k", 2, 0.4, 1, 1), pytest.param("12M", 50, 1.0, 10, 30, marks=pytest.mark.slow)],
)
def test_a_run_killed_many_times_ends_with_the_same_bytes(
    tmp_path, deals, kills, seconds, endings, least
):
    """Kill seconds after the ledger is created, at any instant, and while files are written."""
    rng = np.random.default_rng(kills)
    path, place, fresh = write_experiment(tmp_path, deals), tmp_path / "killed", tmp_path / "fresh"
    call("run", path, "-o", fresh, "--json")
    there, killed = [set(), set()], 0
    for _ in range(kills):
        run = RunProcess(path, place)
        if rng.random() < 0.2:
            time.sleep(rng.random() * MAX_START_SECONDS)
        else:
            run.until(run.has_committed)
            time.sleep(rng.random() ** 2 * seconds)
        killed += run.kill()
        there = finished_batches(place, there)
    met = 0
    for _ in range(endings):
        run = RunProcess(path, place)
        run.until(run.has_written)
        time.sleep(rng.random() * 1e-3)
        run.kill()
        met += directory.read_manifest(place)["stopped"].startswith("while")
    RunProcess(path, place).end()
    assert_same_run(path, place, fresh)
    assert killed >= least and met >= (endings > 1)


@pytest.mark.slow
def test_a_killed_client_leaves_no_processes(tmp_path):
    """Kill a client and check that its local workers end."""
    psutil = pytest.importorskip("psutil", reason="comes with distributed")
    run = RunProcess(
        write_experiment(tmp_path, "500M"), tmp_path / "killed", "--scheduler", "local:1"
    )
    client = psutil.Process(run.process.pid)
    assert run.until(run.has_committed) and run.until(
        client.children
    )  # one process creates the ledger
    begun = file_state(run._log)
    assert run.until(lambda: file_state(run._log) != begun)  # the rows of one worker
    children = client.children(recursive=True)
    assert len(children) > 1 and run.kill()  # a worker and Python's helper process
    assert psutil.wait_procs(children, timeout=30)[1] == []


@pytest.mark.slow
def test_a_cluster_with_killed_workers_and_client_ends_with_the_same_bytes(tmp_path):
    """Kill and replace a worker at random instants, twelve times, and the client four times."""
    pytest.importorskip("distributed")
    rng = np.random.default_rng(3)
    path, place, fresh = write_experiment(tmp_path, "12M"), tmp_path / "killed", tmp_path / "fresh"
    RunProcess(path, fresh).end()
    there, workers_killed, clients_killed = [set(), set()], 0, 0
    with dask(tmp_path / "dask", workers=2) as cluster:
        for clients in range(5):
            run = RunProcess(path, place, "--scheduler", cluster.address)
            for _ in range(3):
                run.until(run.has_committed)
                time.sleep(rng.random() * 2)
                cluster.lose(rng)
                workers_killed += run.process.poll() is None
                cluster.worker()
            if clients == 4:
                run.end()
            else:
                clients_killed += run.kill()
                there = finished_batches(place, there)
    assert workers_killed >= 6 and clients_killed >= 2
    assert_same_run(path, place, fresh)
