"""A dask scheduler and workers as real processes that can be killed."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Dask:
    """A scheduler and its workers, each a process with a single thread."""

    def __init__(self, place):
        self.place, self.workers = place, []
        place.mkdir(parents=True, exist_ok=True)
        self._file = place / "scheduler.json"
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

    def _start(self, what, *words, cwd=None, path=ROOT):
        python_path = os.pathsep.join([str(path), *filter(None, sys.path)])
        words = [sys.executable, "-m", "dask", what, "--no-dashboard", *map(str, words)]
        with (self.place / f"{what}.log").open("a") as log:
            streams = {"stdout": log, "stderr": log, "stdin": subprocess.DEVNULL}
            env = {**os.environ, "PYTHONPATH": python_path}
            return subprocess.Popen(words, cwd=cwd or self.place, env=env, **streams)

    def worker(self, *, cwd=None, path=ROOT):
        """Start another worker, which imports simgin from `path`."""
        words = [self.address, "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1"]
        words += ["--local-directory", self.place / "scratch"]
        self.workers.append(self._start("worker", *words, cwd=cwd, path=path))
        return self.workers[-1]

    def lose(self, rng):
        process = self.workers.pop(int(rng.integers(len(self.workers))))
        process.kill()
        process.wait()

    def close(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
        for process in (*self.workers, self.scheduler):
            process.wait()


@contextlib.contextmanager
def dask(place, *, workers, **where):
    cluster = Dask(place)
    try:
        for _ in range(workers):
            cluster.worker(**where)
        yield cluster
    finally:
        cluster.close()
