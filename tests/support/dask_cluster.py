"""A dask scheduler and workers as real processes that can be killed."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


class DaskCluster:
    """Dask scheduler and workers, each in a process of its own."""

    def __init__(self, directory):
        self.directory, self.workers = directory, []
        directory.mkdir(parents=True, exist_ok=True)
        self._file = directory / "scheduler.json"
        words = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", self._file)
        self.scheduler = self._start_process("scheduler", *words)
        while not (address := self._read_address()):
            assert self.scheduler.poll() is None, "the scheduler did not start"
            time.sleep(0.05)
        self.address = address

    def _read_address(self):
        try:
            return json.loads(self._file.read_text())["address"]
        except (OSError, ValueError):
            return None

    def _start_process(self, command, *arguments, cwd=None, import_path=REPOSITORY):
        python_path = os.pathsep.join([str(import_path), *filter(None, sys.path)])
        arguments = [sys.executable, "-m", "dask", command, "--no-dashboard", *map(str, arguments)]
        with (self.directory / f"{command}.log").open("a") as log:
            streams = {"stdout": log, "stderr": log, "stdin": subprocess.DEVNULL}
            env = {**os.environ, "PYTHONPATH": python_path}
            return subprocess.Popen(arguments, cwd=cwd or self.directory, env=env, **streams)

    def start_worker(self, *, cwd=None, import_path=REPOSITORY):
        """Start another worker, which imports simgin from `import_path`."""
        words = [self.address, "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1"]
        words += ["--local-directory", self.directory / "scratch"]
        self.workers.append(self._start_process("worker", *words, cwd=cwd, import_path=import_path))
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
def start_dask_cluster(directory, *, n_workers, **worker_options):
    cluster = DaskCluster(directory)
    try:
        for _ in range(n_workers):
            cluster.start_worker(**worker_options)
        yield cluster
    finally:
        cluster.close()
