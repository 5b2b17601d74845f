"""Jobs: simgin commands that run one after another in child processes.

A child process can be cancelled at any time and uses all cores without delaying the pages. It
writes the same files as the command in a terminal. A child process reports its progress as JSON
lines on stderr (see `simgin.report.progress`) and ends with the server (see
`simgin.web.job_process`). If the server ends while a job is running, the job is listed as
interrupted and can be resumed. The state of each job is stored in a JSON file in the user's data
directory. It is not stored in the run directory, because a run directory can come from an untrusted
source, and resuming a job runs its command.
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
from simgin.text.user_data import find_user_data_directory
from simgin.web.error_text import reword_error

JOBS_FOLDER = "jobs"  # name of the folder in the user's data directory
MAX_OPEN_JOBS, MAX_SAVED_JOBS = 20, 200
PROGRESS_RESULT_KEYS = ("result", "table")  # keys of progress objects that contain results
# minimum ratio of the sample sizes of two points in the chart of a job
MIN_SAMPLE_SIZE_RATIO_IN_CHART = 1.04
MAX_STORED_MESSAGES = 50  # maximum number of stderr lines that are kept
# time to write finished blocks before a child process is killed, in seconds
CANCEL_TIMEOUT_SECONDS = 20.0
QUEUED, RUNNING = "queued", "running"
FINISHED, FAILED, CANCELLED, INTERRUPTED = "finished", "failed", "cancelled", "interrupted"
OPEN_STATES, RESUMABLE_STATES = (QUEUED, RUNNING), (FAILED, CANCELLED, INTERRUPTED)
ERROR_PREFIX, NOTE_PREFIX = "simgin: error: ", "simgin: "
INVALID_INPUT_EXIT_CODE = 2
SYSTEM_ERROR_TEXT = "cannot be read or written ("  # part of errors such as a full disk
INTERRUPTED_EXIT_CODES = (130, -signal.SIGINT, -signal.SIGTERM, -signal.SIGKILL)


class JobError(SimginError):
    """Exception for a job that does not exist or cannot be started, cancelled or resumed."""


@dataclass
class Job:
    """Job: a simgin command that runs in a child process.

    Attributes:
        name: Random name of the job.
        title: Title that is shown on the pages.
        words: Arguments of `simgin`.
        run: Name of the run directory in the directory for results, or empty if there is none.
        state: QUEUED, RUNNING, FINISHED, FAILED, CANCELLED or INTERRUPTED.
        created: Time at which the job was created, in seconds since the epoch.
        progress: Latest progress object of the command.
        history: Values of earlier progress objects, for a chart.
        messages: Lines that the command wrote to stderr, except for progress reports.
        output: Text that the command wrote to stdout.
        exit_code: Exit code of the command.
        form_address: Address of the form that started the job, or empty if there is none.
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
    exit_code: int = 0
    form_address: str = ""

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
        """True if the job was cancelled, was interrupted or failed, unless its input is invalid."""
        return self.state in RESUMABLE_STATES and not self._has_invalid_input

    @property
    def can_change(self) -> bool:
        """True if the input of the job is invalid and can be changed in a form."""
        return self._has_invalid_input and bool(self.form_address)

    @property
    def _has_invalid_input(self) -> bool:
        """True if the job failed because of its input, and not because of the system."""
        is_rejected = self.state == FAILED and self.exit_code == INVALID_INPUT_EXIT_CODE
        return is_rejected and SYSTEM_ERROR_TEXT not in self.error

    @property
    def percent(self) -> int:
        """Percentage of the job that has been completed."""
        if self.state == FINISHED:
            return 100
        if self.history and self.history[-1].get("target"):
            return self._precision_percent
        return int(100 * self.progress.get("done", 0) / max(1, self.progress.get("total", 1)))

    @property
    def _precision_percent(self) -> int:
        """Progress of a run towards its target precision, in percent."""
        point = self.history[-1]
        width_ratio = 2 * point["target"] / (point["high"] - point["low"] or math.inf)
        return int(100 * (point["matchup"] + min(1, width_ratio**2)) / point["matchups"])

    @property
    def error(self) -> str:
        """Error message of a failed command, or ""."""
        if self.state != FAILED:
            return ""
        errors = [line for line in self.messages if line.startswith(ERROR_PREFIX)]
        return reword_error("".join((errors or self.messages)[-1:]).removeprefix(ERROR_PREFIX))

    def to_json(self) -> dict[str, Any]:
        """Return the state of the job as a JSON object for the browser."""
        keys = ("name", "title", "run", "state", "progress", "percent", "history", "error")
        buttons = {"can_resume": self.can_resume, "can_change": self.can_change}
        return {key: getattr(self, key) for key in keys} | buttons | {"note": self.messages[-1:]}


class JobQueue:
    """Queue that runs one job at a time, because a command uses all cores.

    Args:
        results_directory: Directory for results, which has its own list of jobs.
    """

    def __init__(self, results_directory: Path) -> None:
        self.results_directory = results_directory
        key = hashlib.sha256(os.fsencode(results_directory.absolute())).hexdigest()[:16]
        self._folder = find_user_data_directory() / JOBS_FOLDER / key
        self._jobs = {job.name: job for job in self._read_saved_jobs()}
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition(threading.RLock())
        self._process: subprocess.Popen[str] | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._run_jobs, name="jobs", daemon=True)
        self._thread.start()

    # requests from the pages

    def list_jobs(self) -> list[Job]:
        """Return all jobs, newest first."""
        with self._changed:
            return sorted(self._jobs.values(), key=lambda job: -job.created)

    def find_job(self, job_name: str) -> Job:
        """Return the job with a given name.

        Raises:
            JobError: If the job does not exist.
        """
        with self._changed:
            if job_name not in self._jobs:
                raise JobError("This job does not exist. Choose a job from the list of results.")
            return self._jobs[job_name]

    def enqueue(
        self, arguments: Sequence[str], title: str, run_name: str = "", form_address: str = ""
    ) -> Job:
        """Create a job and append it to the queue.

        Args:
            arguments: Arguments of `simgin`, which include `-o` if the command writes a run
                directory.
            title: Title that is shown on the pages.
            run_name: Name of the run directory (see `find_unused_run_name`).
            form_address: Address of the form that describes the job.

        Raises:
            JobError: If too many jobs are waiting.
        """
        with self._changed:
            job = Job(
                secrets.token_hex(8), title, [*arguments], run_name, form_address=form_address
            )
            self._append_to_queue(job)
            self._jobs[job.name] = job
            return job

    def enqueue_run(
        self, arguments: Sequence[str], title: str, run_name: str, form_address: str = ""
    ) -> Job:
        """Add a job that writes a new run directory, or return an unfinished job with equal input.

        Args:
            arguments: Arguments of `simgin` without `-o`.
            title: Title that is shown on the pages.
            run_name: Name of the run directory. If the directory exists, a number is appended.
            form_address: Address of the form that describes the job.

        Raises:
            JobError: If too many jobs are waiting.
        """
        with self._changed:
            for job in self._jobs.values():
                if job.is_open and job.run and job.words[:-2] == [*arguments]:
                    return job
            unused_name = self.find_unused_run_name(run_name)
            output_arguments = ["-o", str(self.results_directory / unused_name)]
            return self.enqueue([*arguments, *output_arguments], title, unused_name, form_address)

    def cancel(self, job_name: str) -> Job:
        """Cancel a waiting or running job, and keep the results that it has saved."""
        with self._changed:
            job = self.find_job(job_name)
            if not job.is_open:
                raise JobError("This job has already ended.")
            is_running = job.state == RUNNING
            self._set_state(job, CANCELLED)
            if is_running:
                self._interrupt_running_job()
            else:
                self._waiting.remove(job)
            return job

    def resume(self, job_name: str) -> Job:
        """Put a cancelled or interrupted job back into the queue."""
        with self._changed:
            job = self.find_job(job_name)
            if not job.can_resume:
                raise JobError("Only a job that was cancelled or interrupted can be resumed.")
            self._append_to_queue(job)
            return job

    def find_unused_run_name(self, run_name: str) -> str:
        """Return a name that no run directory and no other job uses."""
        with self._changed:
            used_names = {job.run for job in self._jobs.values()}
        suffix_number, candidate = 1, run_name
        while candidate in used_names or (self.results_directory / candidate).exists():
            suffix_number += 1
            candidate = f"{run_name}-{suffix_number}"
        return candidate

    def close(self) -> None:
        """Interrupt the running job, so that it is listed as interrupted after a restart."""
        with self._changed:
            self._is_closed = True
            self._waiting.clear()
            self._interrupt_running_job()
            self._changed.notify_all()
        self._thread.join(CANCEL_TIMEOUT_SECONDS + 5)

    def _append_to_queue(self, job: Job) -> None:
        """Reset the output of a job, and append the job to the queue."""
        if sum(open_job.is_open for open_job in self._jobs.values()) >= MAX_OPEN_JOBS:
            raise JobError(
                f"{MAX_OPEN_JOBS} jobs are waiting. Cancel a job, or wait until a job has ended."
            )
        job.messages, job.output, job.progress = [], "", {}
        self._set_state(job, QUEUED)
        self._waiting.append(job)
        self._changed.notify_all()

    # worker thread

    def _run_jobs(self) -> None:
        """Run the waiting jobs one after another, until the queue is closed."""
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
                    self._set_state(job, FAILED)
                    continue
            self._record_process(job, process)

    def _start_process(self, job: Job) -> subprocess.Popen[str]:
        """Start the child process of a job."""
        environment = os.environ | {progress.PROGRESS_FORMAT_VARIABLE: progress.JSON_FORMAT}
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "simgin.web.job_process", *job.words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=environment | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "80"},
            # Ctrl-C in the terminal of the server does not reach the child process
            start_new_session=True,
        )

    def _record_process(self, job: Job, process: subprocess.Popen[str]) -> None:
        """Record the output of a running command, and its final state when it ends."""
        output_parts: list[str] = []
        with process:
            assert process.stdout is not None and process.stderr is not None
            read_output = process.stdout.read
            reader = threading.Thread(target=lambda: output_parts.append(read_output()))
            reader.start()
            for line in process.stderr:
                if job.state == RUNNING:  # The job was neither cancelled nor put back in the queue.
                    self._record_stderr_line(job, line.rstrip("\n"))
            reader.join()
        with self._changed:
            self._process = None
            if job.state != RUNNING:
                return
            job.output, job.exit_code = "".join(output_parts), process.returncode
            end_status = INTERRUPTED if process.returncode in INTERRUPTED_EXIT_CODES else FAILED
            self._set_state(job, FINISHED if process.returncode == 0 else end_status)

    def _record_stderr_line(self, job: Job, line: str) -> None:
        """Store a progress report or message that a job has written to stderr."""
        fields = None
        if line.startswith("{"):
            with suppress(ValueError):
                fields = json.loads(line)
        with self._changed:
            if isinstance(fields, dict):
                # A result remains until a newer result arrives.
                job.progress = fields | {
                    key: fields.get(key) or job.progress.get(key) for key in PROGRESS_RESULT_KEYS
                }
                if fields.get("values"):
                    job.history = _append_chart_point(job.history, fields["values"])
            elif line.strip():
                job.messages = [*job.messages[1 - MAX_STORED_MESSAGES :], line]
                # A line after the last progress object describes the next phase.
                if job.progress and line.startswith(NOTE_PREFIX):
                    phase = line.removeprefix(NOTE_PREFIX).rstrip(".")
                    job.progress = job.progress | {"title": phase, "seconds_left": None}
            self._changed.notify_all()

    def _interrupt_running_job(self) -> None:
        """Interrupt the running command, and kill it if it does not end in time."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        assert process.stdin is not None
        process.stdin.close()
        timer = threading.Timer(CANCEL_TIMEOUT_SECONDS, process.kill)
        timer.daemon = True
        timer.start()

    # job states on disk

    def _set_state(self, job: Job, state: str) -> None:
        """Change the state of a job, and save the job."""
        job.state = state
        write_file(self._get_job_file_path(job.name), json.dumps(asdict(job)).encode())
        self._changed.notify_all()

    def _get_job_file_path(self, job_name: str) -> Path:
        return self._folder / f"{job_name}.json"

    def _read_saved_jobs(self) -> Iterator[Job]:
        """Yield the latest jobs of earlier servers, and delete the files of older jobs."""
        paths = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for path in paths[:-MAX_SAVED_JOBS]:
            path.unlink(missing_ok=True)
        for path in paths[-MAX_SAVED_JOBS:]:
            with suppress(OSError, ValueError, TypeError, KeyError):
                contents = parse_json(read_text(path))
                names = [job_field.name for job_field in fields(Job) if job_field.name in contents]
                job = Job(**{name: contents[name] for name in names})
                if job.name == path.stem:
                    job.state = INTERRUPTED if job.is_open else job.state
                    yield job


def _append_chart_point(
    history: list[dict[str, Any]], point: dict[str, Any]
) -> list[dict[str, Any]]:
    """Append a point to a chart, or replace the last point if it is close.

    A resumed job can repeat earlier points.
    """
    position = (point["matchup"], point["n"])
    points = [earlier for earlier in history if (earlier["matchup"], earlier["n"]) < position]
    is_close = (
        len(points) > 1 and points[-1]["n"] < MIN_SAMPLE_SIZE_RATIO_IN_CHART * points[-2]["n"]
    )
    if is_close and points[-2]["matchup"] == position[0]:
        points.pop()
    return [*points, point]
