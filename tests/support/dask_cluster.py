"""A dask scheduler and workers as real processes that can be killed."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class DaskCluster:
    """A scheduler and its workers, each a process with a single thread."""

    def __init__(self, directory):
        self.directory, self.workers = directory, []
        directory.mkdir(parents=True, exist_ok=True)
        self._file = directory / "scheduler.json"
        words = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", self._file)
        self.scheduler = self._start("scheduler", *words)
        while not (address := self._address()):
            assert self.scheduler.poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        self.address = address

    def _address(self):
        try:
            return json.loads(self._file.read_text())["address"]
        except (OSError, ValueError):
            return None

    def _start(self, command, *words, cwd=None, path=ROOT):
        python_path = os.pathsep.join([str(path), *filter(None, sys.path)])
        words = [sys.executable, "-m", "dask", command, "--no-dashboard", *map(str, words)]
        with (self.directory / f"{command}.log").open("a") as log:
            streams = {"stdout": log, "stderr": log, "stdin": subprocess.DEVNULL}
            env = {**os.environ, "PYTHONPATH": python_path}
            return subprocess.Popen(words, cwd=cwd or self.directory, env=env, **streams)

    def start_worker(self, *, cwd=None, path=ROOT):
        """Start another worker, which imports simgin from `path`."""
        words = [self.address, "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1"]
        words += ["--local-directory", self.directory / "scratch"]
        self.workers.append(self._start("worker", *words, cwd=cwd, path=path))
        return self.workers[-1]

    def kill_random_worker(self, rng):
        process = self.workers.pop(int(rng.integers(len(self.workers))))
        process.kill()
        process.wait()

    def close(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
        for process in (*self.workers, self.scheduler):
            process.wait()


@contextlib.contextmanager
def start_dask_cluster(directory, *, workers, **options):
    cluster = DaskCluster(directory)
    try:
        for _ in range(workers):
            cluster.start_worker(**options)
        yield cluster
    finally:
        cluster.close()
