"""Runs killed at random instants and continued end with the bytes of an undisturbed run.

No batch is lost or doubled. The instants are drawn from fixed seeds; where they fall in a run
depends on the machine.
"""

import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

from simgin.cli.main import cli
from simgin.runs import directory, plan
from simgin.runs.ledger import FILE, reading
from support.dask_cluster import dask

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

KEPT = ("table.csv", "summary.csv", "summary.md")
STARTING = 6.0  # seconds within which a kill may meet a process that has not begun to play


def experiment(place, deals):
    """The file of an experiment with two cells."""
    path = place / "two.toml"
    path.write_text(
        f'question = "Is it the same?"\nvariants = ["eaai"]\ndeals = "{deals}"\nseed = 7\n'
        '[panel]\nstrategies = ["gold", "gold-early"]\nagainst = "simple"\n'
    )
    return path


class Run:
    """A real process that plays an experiment."""

    def __init__(self, path, place, *more):
        words = [sys.executable, "-m", "simgin", "run", path, "-o", place, "--workers", "2", *more]
        self._log = place / f"{FILE}-wal"
        self._before = self._logged()
        self.process = subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )

    def _logged(self):
        try:
            found = self._log.stat()
        except FileNotFoundError:
            return None
        return found.st_size, found.st_mtime_ns

    def has_committed(self):
        found = self._logged()
        return found is not None and found[0] > 0 and found != self._before

    def until(self, reached):
        """Wait until `reached`; returns whether that came before the process ended."""
        while not reached():
            if self.process.poll() is not None:
                return False
            time.sleep(1e-4)
        return True

    def kill(self):
        """Send SIGKILL unless the process has ended; returns whether it was killed."""
        self.process.kill()
        return self._ended(-signal.SIGKILL, 0) != 0

    def end(self):
        """Let the process end by itself."""
        self._ended(0)

    def _ended(self, *codes):
        _, said = self.process.communicate(timeout=300)
        assert self.process.returncode in codes, said
        return self.process.returncode


def kill_some(path, place, rng, kills, seconds, *more):
    """Start the run again and again and kill it, and return the number of kills that came in time.

    A kill comes within some seconds of the first block, or at any instant.
    """
    there, killed = [set(), set()], 0
    for _ in range(kills):
        run = Run(path, place, *more)
        if rng.random() < 0.2:
            time.sleep(rng.random() * STARTING)
        else:
            run.until(run.has_committed)
            time.sleep(rng.random() ** 2 * seconds)
        killed += run.kill()
        there = grown(place, there)
    return killed


def grown(place, before):
    """The finished batches of both cells, after checking that none known before is lost."""
    if not (place / FILE).is_file() or not (place / FILE).stat().st_size:
        return before
    with reading(place / FILE) as ledger:
        now = [ledger.finished(0, 1000), ledger.finished(1, 1000)]
    assert all(old <= new for old, new in zip(before, now, strict=True))
    return now


def kill_while_writing(path, place, rng, kills):
    """Kill the run while its manifest says that files are being written.

    Returns the number of kills that met that state.
    """
    met = 0
    for _ in range(kills):
        manifest = place / directory.MANIFEST
        before = manifest.stat().st_ino if manifest.exists() else 0
        run = Run(path, place)
        run.until(
            lambda old=before, manifest=manifest: (
                manifest.exists() and manifest.stat().st_ino != old
            )
        )
        time.sleep(rng.random() * 1e-3)
        run.kill()
        met += directory.read_manifest(place)["stopped"].startswith("while")
    return met


def assert_alike(path, place, fresh):
    """Check that a run left exactly what an undisturbed run left."""
    for name in KEPT:
        assert (place / name).read_bytes() == (fresh / name).read_bytes()
    assert sorted(file.relative_to(place) for file in place.rglob("*")) == sorted(
        file.relative_to(fresh) for file in fresh.rglob("*")
    )
    said, wanted = (directory.read_manifest(one) for one in (place, fresh))
    assert (said["matchups"], said["stopped"]) == (wanted["matchups"], wanted["stopped"])
    with sqlite3.connect(place / FILE) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        blocks = connection.execute("SELECT units FROM blocks").fetchall()
    cells = plan.plan_file(path).tasks
    with reading(place / FILE) as ours, reading(fresh / FILE) as theirs:
        assert sum(units for (units,) in blocks) == sum(cell.units for cell in cells)
        for i, cell in enumerate(cells):
            units, size = cell.units, cell.matchup.batch
            finished = ours.finished(i, size)
            assert finished == theirs.finished(i, size) and len(finished) == -(-units // size)
            assert (ours.rows(i, units, size) == theirs.rows(i, units, size)).all()


def killed_and_fresh(tmp_path, deals, kills, seconds, endings, seed):
    rng = np.random.default_rng(seed)
    path, place, fresh = experiment(tmp_path, deals), tmp_path / "killed", tmp_path / "fresh"
    found = CliRunner().invoke(
        cli, ["run", str(path), "-o", str(fresh), "--json"], prog_name="simgin"
    )
    assert found.exit_code == 0, found.output
    killed = kill_some(path, place, rng, kills, seconds)
    met = kill_while_writing(path, place, rng, endings)
    Run(path, place).end()
    assert_alike(path, place, fresh)
    return killed, met


def test_a_run_killed_a_few_times_ends_with_the_same_bytes(tmp_path):
    killed, _ = killed_and_fresh(tmp_path, "2M", kills=2, seconds=0.5, endings=1, seed=1)
    assert killed >= 1


@pytest.mark.slow
def test_a_run_killed_sixty_times_ends_with_the_same_bytes(tmp_path):
    killed, met = killed_and_fresh(tmp_path, "12M", kills=50, seconds=1.0, endings=10, seed=2)
    assert killed >= 30 and met >= 2


# Clusters


@pytest.mark.slow
def test_a_killed_client_leaves_no_processes(tmp_path):
    """Its local workers end by themselves."""
    psutil = pytest.importorskip("psutil", reason="comes with distributed")
    path, place = experiment(tmp_path, "500M"), tmp_path / "killed"
    run = Run(path, place, "--scheduler", "local:1")
    assert run.until(run.has_committed)
    children = psutil.Process(run.process.pid).children(recursive=True)
    assert children and run.kill()
    assert psutil.wait_procs(children, timeout=30)[1] == []


@pytest.mark.slow
def test_a_cluster_with_killed_workers_and_client_ends_with_the_same_bytes(tmp_path):
    """A worker is killed and replaced twelve times, the client four times, at random instants."""
    pytest.importorskip("distributed")
    rng = np.random.default_rng(3)
    path, place, fresh = experiment(tmp_path, "12M"), tmp_path / "killed", tmp_path / "fresh"
    Run(path, fresh).end()
    there, workers_killed, clients_killed = [set(), set()], 0, 0
    with dask(tmp_path / "dask", workers=2) as cluster:
        for clients in range(5):
            run = Run(path, place, "--scheduler", cluster.address)
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
                there = grown(place, there)
    assert workers_killed >= 6 and clients_killed >= 2
    assert_alike(path, place, fresh)
