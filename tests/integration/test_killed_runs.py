"""Tests that runs that are killed at random times and resumed write the same files."""

import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest

from simgin.runs import directory, plan
from simgin.runs.ledger import LEDGER_FILE, open_existing_ledger
from support.command_line import run_simgin
from support.command_runs import read_reproducible_files
from support.dask_cluster import start_dask_cluster

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

PROCESS_TIMEOUT_SECONDS = 300  # to wait for an event in a run
MAX_START_SECONDS = 6.0  # seconds in which a kill can precede the first deal


def write_experiment(folder, deals):
    """Write an experiment file with two matchups, and return its path."""
    path = folder / "two.toml"
    path.write_text(
        f'question = "Is it the same?"\nvariants = ["eaai"]\ndeals = "{deals}"\nseed = 7\n'
        '[panel]\nstrategies = ["gold", "gold-early"]\nagainst = "simple"\n'
    )
    return path


class RunProcess:
    """Process that plays an experiment."""

    def __init__(self, path, run_directory, *options):
        arguments = [
            sys.executable,
            "-m",
            "simgin",
            "run",
            path,
            "-o",
            run_directory,
            "--workers",
            "2",
            *options,
        ]
        self._log, self._manifest = (
            run_directory / f"{LEDGER_FILE}-wal",
            run_directory / directory.MANIFEST_FILE,
        )
        self._before = read_file_state(self._log), read_file_state(self._manifest)
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(arguments, text=True, **streams)

    def has_committed_rows(self):
        """Return True if rows have been written to the ledger."""
        found = read_file_state(self._log)
        return found not in (None, self._before[0]) and found[0] > 0

    def has_written_manifest(self):
        """Return True if the manifest has been written."""
        return read_file_state(self._manifest) not in (None, self._before[1])

    def wait_until(self, is_reached):
        """Wait until a condition is true; return False if the process ends before that."""
        deadline = time.monotonic() + PROCESS_TIMEOUT_SECONDS
        while not is_reached():
            assert time.monotonic() < deadline
            if self.process.poll() is not None:
                return False
            time.sleep(1e-3)
        return True

    def kill(self):
        """Send SIGKILL unless the process has ended, and return True if it was killed."""
        self.process.kill()
        return self.wait_for_exit(-signal.SIGKILL, 0) != 0

    def wait_for_exit(self, *codes):
        """Wait for the end of the process, and check its exit code."""
        _, error = self.process.communicate(timeout=PROCESS_TIMEOUT_SECONDS)
        assert self.process.returncode in (codes or (0,)), error
        return self.process.returncode


def read_file_state(path):
    """Return the size, modification time and inode of a file; None if it does not exist."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


def read_finished_batches(run_directory, earlier_batches):
    """Return the finished batches of both matchups, and check that no earlier batch is lost."""
    if not (run_directory / LEDGER_FILE).is_file():
        return earlier_batches
    with open_existing_ledger(run_directory / LEDGER_FILE) as ledger:
        finished = [ledger.find_finished_batches(0, 1000), ledger.find_finished_batches(1, 1000)]
    assert all(old <= new for old, new in zip(earlier_batches, finished, strict=True))
    return finished


def assert_same_files(experiment, run_directory, expected_directory):
    """Check that a run has the same files and rows as an uninterrupted run."""
    assert read_reproducible_files(run_directory) == read_reproducible_files(expected_directory)
    files = [
        {file.relative_to(compared) for file in compared.rglob("*")}
        for compared in (run_directory, expected_directory)
    ]
    assert files[0] == files[1]
    manifest, expected = (
        directory.read_manifest(compared) for compared in (run_directory, expected_directory)
    )
    assert (manifest["matchups"], manifest["stopped"]) == (
        expected["matchups"],
        expected["stopped"],
    )
    with sqlite3.connect(run_directory / LEDGER_FILE) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        ((units,),) = connection.execute("SELECT sum(units) FROM blocks")
    tasks = plan.plan_experiment(experiment).tasks
    assert units == sum(task.units for task in tasks)
    with (
        open_existing_ledger(run_directory / LEDGER_FILE) as ledger,
        open_existing_ledger(expected_directory / LEDGER_FILE) as expected_ledger,
    ):
        for i, task in enumerate(tasks):
            units, size = task.units, task.matchup.batch_size
            finished = ledger.find_finished_batches(i, size)
            assert finished == expected_ledger.find_finished_batches(i, size) and len(
                finished
            ) == -(-units // size)
            assert (
                ledger.read_rows(i, units, size) == expected_ledger.read_rows(i, units, size)
            ).all()


@pytest.mark.parametrize(
    ("deals", "n_kills", "max_seconds", "n_late_kills", "min_kills"),
    [("100k", 1, 0.4, 1, 1), pytest.param("12M", 50, 1.0, 10, 30, marks=pytest.mark.slow)],
)
def test_run_killed_many_times_writes_the_same_files(
    tmp_path, deals, n_kills, max_seconds, n_late_kills, min_kills
):
    """Kill the run at random times, then `n_late_kills` times while it writes files."""
    rng = np.random.default_rng(2)
    path, run_directory, expected_directory = (
        write_experiment(tmp_path, deals),
        tmp_path / "killed",
        tmp_path / "fresh",
    )
    run_simgin("run", path, "-o", expected_directory, "--json")
    finished, killed = [set(), set()], 0
    for _ in range(n_kills):
        run = RunProcess(path, run_directory)
        if rng.random() < 0.2:
            time.sleep(rng.random() * MAX_START_SECONDS)
        else:
            run.wait_until(run.has_committed_rows)
            time.sleep(rng.random() ** 2 * max_seconds)
        killed += run.kill()
        finished = read_finished_batches(run_directory, finished)
    n_while_writing = 0
    for _ in range(n_late_kills):
        run = RunProcess(path, run_directory)
        run.wait_until(run.has_written_manifest)
        time.sleep(rng.random() * 1e-3)
        run.kill()
        n_while_writing += directory.read_manifest(run_directory)["stopped"].startswith("while")
    RunProcess(path, run_directory).wait_for_exit()
    assert_same_files(path, run_directory, expected_directory)
    assert killed >= min_kills and n_while_writing >= (n_late_kills > 1)


@pytest.mark.slow
def test_killed_client_leaves_no_worker_processes(tmp_path):
    psutil = pytest.importorskip("psutil", reason="comes with distributed")
    run = RunProcess(
        write_experiment(tmp_path, "500M"), tmp_path / "killed", "--scheduler", "local:1"
    )
    client = psutil.Process(run.process.pid)
    assert run.wait_until(run.has_committed_rows) and run.wait_until(
        client.children
    )  # one process creates the ledger
    first_state = read_file_state(run._log)
    assert run.wait_until(
        lambda: read_file_state(run._log) != first_state
    )  # the rows of one worker
    children = client.children(recursive=True)
    assert len(children) > 1 and run.kill()  # a worker and Python's helper process
    assert psutil.wait_procs(children, timeout=30)[1] == []


@pytest.mark.slow
def test_cluster_with_killed_processes_writes_the_same_files(tmp_path):
    """Kill and replace a worker 15 times, and kill the client four times."""
    pytest.importorskip("distributed")
    rng = np.random.default_rng(3)
    path, run_directory, expected_directory = (
        write_experiment(tmp_path, "12M"),
        tmp_path / "killed",
        tmp_path / "fresh",
    )
    RunProcess(path, expected_directory).wait_for_exit()
    finished, workers_killed, clients_killed = [set(), set()], 0, 0
    with start_dask_cluster(tmp_path / "dask", n_workers=2) as cluster:
        for clients in range(5):
            run = RunProcess(path, run_directory, "--scheduler", cluster.address)
            for _ in range(3):
                run.wait_until(run.has_committed_rows)
                time.sleep(rng.random() * 2)
                cluster.kill_random_worker(rng)
                workers_killed += run.process.poll() is None
                cluster.start_worker()
            if clients == 4:
                run.wait_for_exit()
            else:
                clients_killed += run.kill()
                finished = read_finished_batches(run_directory, finished)
    assert workers_killed >= 6 and clients_killed >= 2
    assert_same_files(path, run_directory, expected_directory)
