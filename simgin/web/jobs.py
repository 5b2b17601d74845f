"""Jobs: simgin commands that run one after another in child processes.

A child process can be cancelled at any time, uses all cores without delaying the pages, and writes
the same files as the command in a terminal. It reports its progress as JSON lines on stderr (see
`simgin.report.progress`) and ends with the server (see `simgin.web.job_process`). The state of each
job is a JSON file, so that a job that was running when the server ended is listed as interrupted
and can be resumed. The file is in the user's data directory, because a run directory can come from
an untrusted source and resuming runs the command.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from simgin.report import progress
from simgin.text.files import parse_json, read_text, write_file
from simgin.text.messages import SimginError
from simgin.text.shell import join_command
from simgin.text.user_data import user_data_directory

JOBS_FOLDER = "jobs"  # inside the user's data directory
MAX_OPEN_JOBS, MAX_KEPT_JOBS = 20, 200
RESULT_KEYS = ("result", "table")  # of progress objects
POINT_DISTANCE = 1.04  # minimum ratio of the sizes of two points in a job's chart
MAX_MESSAGES = 50  # lines of stderr that are kept
CANCEL_SECONDS = 20.0  # time to write finished blocks before a child process is killed
QUEUED, RUNNING = "queued", "running"
DONE, FAILED_JOB, CANCELLED, CUT_OFF = "finished", "failed", "cancelled", "interrupted"
OPEN_STATES, RESUMABLE_STATES = (QUEUED, RUNNING), (FAILED_JOB, CANCELLED, CUT_OFF)
ERROR_PREFIX, NOTE_PREFIX = "simgin: error: ", "simgin: "
INTERRUPTED_CODES = (130, -signal.SIGINT, -signal.SIGTERM, -signal.SIGKILL)


class JobError(SimginError):
    """Error raised if a job does not exist, or cannot be started, cancelled or resumed."""


@dataclass
class Job:
    """Command that runs in a child process.

    Attributes:
        name: Random name of the job.
        title: Title for the pages.
        words: Arguments of `simgin`.
        run: Name of the run directory below the directory for results; empty if there is none.
        state: QUEUED, RUNNING, DONE, FAILED_JOB, CANCELLED or CUT_OFF.
        created: Time of the start, in seconds since the epoch.
        progress: Latest progress object of the command.
        history: Values of earlier progress objects, for a chart.
        messages: Other lines that the command printed on stderr.
        output: Text that the command printed on stdout.
    """

    name: str
    title: str
    words: list[str]
    run: str = ""
    state: str = QUEUED
    created: float = field(default_factory=time.time)
    progress: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    output: str = ""

    @property
    def command(self) -> str:
        """Command of the job, quoted for a shell."""
        return join_command(["simgin", *self.words])

    @property
    def is_open(self) -> bool:
        """True if the job is waiting or running."""
        return self.state in OPEN_STATES

    @property
    def can_resume(self) -> bool:
        """True if the job can be started again."""
        return self.state in RESUMABLE_STATES

    @property
    def percent(self) -> int:
        """Percentage of the job's work that is done."""
        if self.state == DONE:
            return 100
        if self.history and self.history[-1].get("target"):
            return self._precision_percent
        return int(100 * self.progress.get("done", 0) / max(1, self.progress.get("total", 1)))

    @property
    def _precision_percent(self) -> int:
        """Percentage of the work of a run until a precision, estimated from the interval."""
        last = self.history[-1]
        ratio = 2 * last["target"] / (last["high"] - last["low"] or math.inf)
        return int(100 * (last["matchup"] + min(1, ratio**2)) / last["matchups"])

    @property
    def error(self) -> str:
        """Error message of the command if it failed, otherwise ""."""
        errors = [line for line in self.messages if line.startswith(ERROR_PREFIX)]
        last = errors or self.messages
        return last[-1].removeprefix(ERROR_PREFIX) if self.state == FAILED_JOB and last else ""

    def to_json(self) -> dict[str, Any]:
        """Return the state of the job for the browser."""
        keys = ("name", "title", "run", "state", "progress", "percent", "history", "error")
        more = {"can_resume": self.can_resume, "note": self.messages[-1:]}
        return {key: getattr(self, key) for key in keys} | more


class JobQueue:
    """Queue that runs one job at a time, because each command uses all cores.

    Args:
        results: Directory for results; each has its own list of jobs.
    """

    def __init__(self, results: Path) -> None:
        self.results = results
        key = hashlib.sha256(os.fsencode(results.absolute())).hexdigest()[:16]
        self._folder = user_data_directory() / JOBS_FOLDER / key
        self._jobs = {job.name: job for job in self._read_states()}
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition(threading.RLock())
        self._process: subprocess.Popen[str] | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="jobs", daemon=True)
        self._thread.start()

    # Requests of the pages

    def list_jobs(self) -> list[Job]:
        """Return all jobs, newest first."""
        with self._changed:
            return sorted(self._jobs.values(), key=lambda job: -job.created)

    def find(self, name: str) -> Job:
        """Return the job with a name.

        Raises:
            JobError: If there is no such job.
        """
        with self._changed:
            if name not in self._jobs:
                raise JobError("This job does not exist. Choose a job from the list of results.")
            return self._jobs[name]

    def start(self, words: Sequence[str], title: str, run: str = "") -> Job:
        """Append a new job to the queue.

        Args:
            words: Arguments of `simgin`, including `-o` if the command writes a run directory.
            title: Title for the pages.
            run: Name of the run directory; see `new_run_name`.

        Raises:
            JobError: If too many jobs are waiting.
        """
        with self._changed:
            job = Job(secrets.token_hex(8), title, list(words), run)
            self._append(job)
            self._jobs[job.name] = job
            return job

    def start_run(self, words: Sequence[str], title: str, name: str) -> Job:
        """Append a job that writes a new run directory, or return an open job of this command.

        Args:
            words: Arguments of `simgin` without `-o`.
            title: Title for the pages.
            name: Name of the run directory, which receives a number if it exists.

        Raises:
            JobError: If too many jobs are waiting.
        """
        with self._changed:
            for job in self._jobs.values():
                if job.is_open and job.run and job.words[:-2] == [*words]:
                    return job
            run = self.new_run_name(name)
            return self.start([*words, "-o", str(self.results / run)], title, run)

    def cancel(self, name: str) -> Job:
        """Cancel a waiting or running job, and keep the finished parts of its work."""
        with self._changed:
            job = self.find(name)
            if not job.is_open:
                raise JobError("This job has already ended.")
            is_running = job.state == RUNNING
            self._set_state(job, CANCELLED)
            if is_running:
                self._interrupt()
            else:
                self._waiting.remove(job)
            return job

    def resume(self, name: str) -> Job:
        """Append a cancelled or interrupted job to the queue again."""
        with self._changed:
            job = self.find(name)
            if not job.can_resume:
                raise JobError("Only a job that was cancelled or interrupted can be resumed.")
            self._append(job)
            return job

    def new_run_name(self, name: str) -> str:
        """Return a name that no run directory and no other job uses."""
        with self._changed:
            used = {job.run for job in self._jobs.values()}
        number, found = 1, name
        while found in used or (self.results / found).exists():
            number += 1
            found = f"{name}-{number}"
        return found

    def close(self) -> None:
        """Interrupt the running job, so that the next server lists it as interrupted."""
        with self._changed:
            self._is_closed = True
            self._waiting.clear()
            self._interrupt()
            self._changed.notify_all()
        self._thread.join(CANCEL_SECONDS + 5)

    def _append(self, job: Job) -> None:
        if sum(each.is_open for each in self._jobs.values()) >= MAX_OPEN_JOBS:
            raise JobError(
                f"{MAX_OPEN_JOBS} jobs are waiting. Cancel a job, or wait until a job has ended."
            )
        job.messages, job.output, job.progress = [], "", {}
        self._set_state(job, QUEUED)
        self._waiting.append(job)
        self._changed.notify_all()

    # Worker thread

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_closed)
                if self._is_closed:
                    return
                job = self._waiting.popleft()
                self._set_state(job, RUNNING)
                try:
                    self._process = process = self._start_process(job)
                except OSError as error:
                    job.messages = [f"{ERROR_PREFIX}the command cannot be started ({error})."]
                    self._set_state(job, FAILED_JOB)
                    continue
            self._follow(job, process)

    def _start_process(self, job: Job) -> subprocess.Popen[str]:
        environment = os.environ | {progress.FORMAT_VARIABLE: progress.JSON_FORMAT}
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "simgin.web.job_process", *job.words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "80"},
            start_new_session=True,  # Ctrl-C in the terminal of the server does not reach it
        )

    def _follow(self, job: Job, process: subprocess.Popen[str]) -> None:
        """Record the output of a command until the command ends, and then record its state."""
        printed: list[str] = []
        with process:
            assert process.stdout is not None and process.stderr is not None
            read = process.stdout.read
            reader = threading.Thread(target=lambda: printed.append(read()))
            reader.start()
            for line in process.stderr:
                if job.state == RUNNING:  # not cancelled, and perhaps in the queue again
                    self._record_line(job, line.rstrip("\n"))
            reader.join()
        with self._changed:
            self._process = None
            if job.state != RUNNING:
                return
            job.output = "".join(printed)
            end_status = CUT_OFF if process.returncode in INTERRUPTED_CODES else FAILED_JOB
            self._set_state(job, DONE if process.returncode == 0 else end_status)

    def _record_line(self, job: Job, line: str) -> None:
        fields = None
        if line.startswith("{"):
            with suppress(ValueError):
                fields = json.loads(line)
        with self._changed:
            if isinstance(fields, dict):
                # A result remains until there is a newer one
                job.progress = fields | {
                    key: fields.get(key) or job.progress.get(key) for key in RESULT_KEYS
                }
                if fields.get("values"):
                    job.history = _add_point(job.history, fields["values"])
            elif line.strip():
                job.messages = [*job.messages[1 - MAX_MESSAGES :], line]
                if job.progress and line.startswith(NOTE_PREFIX):  # the phase after the progress
                    phase = line.removeprefix(NOTE_PREFIX).rstrip(".")
                    job.progress = job.progress | {"title": phase, "seconds_left": None}
            self._changed.notify_all()

    def _interrupt(self) -> None:
        """Interrupt the running command, and kill it if it does not stop."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        timer = threading.Timer(CANCEL_SECONDS, process.kill)
        timer.daemon = True
        timer.start()

    # States on disk

    def _set_state(self, job: Job, state: str) -> None:
        job.state = state
        write_file(self._state_file(job.name), json.dumps(asdict(job)).encode())
        self._changed.notify_all()

    def _state_file(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _read_states(self) -> Iterator[Job]:
        """Yield the jobs that earlier servers stored, and delete the oldest if there are many."""
        paths = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in paths[:-MAX_KEPT_JOBS]:
            path.unlink(missing_ok=True)
        for path in paths[-MAX_KEPT_JOBS:]:
            with suppress(OSError, ValueError, TypeError, KeyError):
                contents = parse_json(read_text(path))
                job = Job(**{each.name: contents[each.name] for each in fields(Job)})
                if job.name == path.stem:
                    job.state = CUT_OFF if job.is_open else job.state
                    yield job


def _add_point(history: list[dict[str, Any]], point: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a chart's points with a new point, which replaces a last point of nearly this size.

    A resumed job can repeat earlier points.
    """
    place = (point["matchup"], point["n"])
    kept = [one for one in history if (one["matchup"], one["n"]) < place]
    is_close = len(kept) > 1 and kept[-1]["n"] < POINT_DISTANCE * kept[-2]["n"]
    if is_close and kept[-2]["matchup"] == place[0]:
        kept.pop()
    return [*kept, point]
