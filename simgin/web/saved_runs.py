"""Run directories in the directory for results, with their states."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from simgin.report.html_report import HTML_FILE_NAME, SUMMARY_FILE_NAME
from simgin.runs import directory, ledger
from simgin.runs.directory import CorruptManifestError, ResultsError
from simgin.runs.plan import LEAGUE_QUESTION
from simgin.text.amounts import UNIT_PLURALS, format_count_range
from simgin.text.files import read_text
from simgin.web.jobs import FINISHED, INTERRUPTED, Job, JobQueue
from simgin.web.pages import format_date

CORRUPT = "corrupt"  # state of a run whose manifest cannot be read
COMPARABLE_COMMANDS = (
    "match",
    "league",
    "run",
    "review",
)  # commands whose results contain matchups


@dataclass(frozen=True)
class SavedRun:
    """Finished run or unfinished job in the directory for results.

    Attributes:
        name: Name of the directory in the directory for results.
        path: Path of the directory.
        state: FINISHED for a finished run, or CORRUPT if its manifest is corrupt. Otherwise, the
            state of its job, or INTERRUPTED if there is no job.
        title: Title of the report or of the job. Without a title, the command or the name is used.
        command: Command that wrote the directory, or "" if an unfinished run has no job.
        end_time: Time of the last change, in seconds since the epoch.
        details: Strategies of a league and sample size of a finished run, or "" if there are none.
        job: Latest job of the run, or None.
        error: Error message of a corrupt run, otherwise "".
    """

    name: str
    path: Path
    state: str
    title: str
    command: str
    end_time: float
    details: str = ""
    job: Job | None = None
    error: str = ""

    @property
    def command_name(self) -> str:
        """Name of the simgin command, such as `review`."""
        return _find_command_name(self.command)

    @property
    def date(self) -> str:
        """Local time at which the run was last changed."""
        return format_date(self.end_time)

    @property
    def address(self) -> str:
        """Address of the report or, if the run is unfinished, of its job."""
        if self.job is not None and self.state != FINISHED:
            return f"/jobs/{self.job.name}"
        return f"/results/{quote(self.name)}"

    @property
    def can_compare(self) -> bool:
        """True if `simgin compare` supports the run."""
        return self.state == FINISHED and self.command_name in COMPARABLE_COMMANDS

    @property
    def can_resume(self) -> bool:
        """True if the run is unfinished and its job can be resumed."""
        return self.state != FINISHED and self.job is not None and self.job.can_resume

    @property
    def can_change(self) -> bool:
        """True if the run failed because of its input, which can be changed in a form."""
        return self.state != FINISHED and self.job is not None and self.job.can_change

    @property
    def has_report(self) -> bool:
        """True if the run has an HTML report."""
        return self.state == FINISHED and (self.path / HTML_FILE_NAME).is_file()


def _find_command_name(command: str) -> str:
    """Return the name of a simgin command, such as `review`, or "" for other commands."""
    arguments = command.split()
    return arguments[1] if len(arguments) > 1 and arguments[0] == "simgin" else ""


def list_saved_runs(queue: JobQueue) -> list[SavedRun]:
    """Return the runs and unfinished jobs in the directory for results, newest first."""
    return sorted(_iter_runs(queue), key=lambda run: -run.end_time)


def _iter_runs(queue: JobQueue) -> Iterator[SavedRun]:
    """Yield the runs and unfinished jobs in the directory for results."""
    jobs = {job.run: job for job in reversed(queue.list_jobs())}
    for path in queue.results_directory.iterdir() if queue.results_directory.is_dir() else ():
        if path.is_symlink() or not path.is_dir():
            continue
        with suppress(ResultsError, OSError):
            try:
                yield _read_run(path, jobs.get(path.name))
            except CorruptManifestError as error:
                time = path.stat().st_mtime
                yield SavedRun(path.name, path, CORRUPT, path.name, "", time, error=str(error))
            jobs.pop(path.name, None)
    for job in jobs.values():
        # Some commands create their directory only when they end.
        if job.run and job.state != FINISHED:
            yield _make_unfinished_run(queue.results_directory / job.run, job, job.created)


def _read_run(path: Path, job: Job | None) -> SavedRun:
    """Return the run in a directory, or raise an error if there is none."""
    manifest_path = path / directory.MANIFEST_FILE
    if not manifest_path.exists():
        # raises OSError for directories without a ledger
        status = (path / ledger.LEDGER_FILE).stat()
        return _make_unfinished_run(path, job, status.st_mtime)
    manifest = directory.read_manifest(path)
    command = str(manifest.get("command", ""))
    title = _read_report_title(path) or str(manifest.get("question") or command or path.name)
    state = job.state if job and job.is_open else FINISHED
    with directory.report_corruption(path):
        details = _describe_sample_size(manifest, _find_command_name(command))
    return SavedRun(
        path.name, path, state, title, command, manifest_path.stat().st_mtime, details, job
    )


def _describe_sample_size(manifest: Mapping[str, Any], command_name: str) -> str:
    """Format the sample size of a run, such as `2,000 matches per matchup`."""
    matchups = manifest.get("matchups", [])
    if not matchups:
        return ""
    sizes, unit, sample = [matchup["n"] for matchup in matchups], manifest["unit"], "matchup"
    if command_name == "review":
        sample = "pair of players" if matchups[0]["b"] else "player"
    if command_name == "odds":
        rules = [manifest["variants"][matchup["variant"]] for matchup in matchups]
        deals_per_game = [
            rule["deals_in_match"] if rule["goal"] == "total" else 1 for rule in rules
        ]
        sizes = [n * n_deals for n, n_deals in zip(sizes, deals_per_game, strict=True)]
        unit, sample = "deal", "strategy"
    text = f"{format_count_range(sizes)} {UNIT_PLURALS[unit]}"
    text += f" per {sample}" * (len(matchups) > 1)
    is_league = manifest.get("question") == LEAGUE_QUESTION
    return ", ".join([*manifest["strategies"], text] if is_league else [text])


def _make_unfinished_run(path: Path, job: Job | None, end_time: float) -> SavedRun:
    """Return a run whose directory does not contain a manifest yet."""
    if job is None or job.state == FINISHED:
        return SavedRun(path.name, path, INTERRUPTED, path.name, "", end_time)
    return SavedRun(path.name, path, job.state, job.title, job.command, end_time, job=job)


def _read_report_title(path: Path) -> str:
    """Return the title of the report in a run directory, or "" if there is no report."""
    try:
        first_line = read_text(path / SUMMARY_FILE_NAME).partition("\n")[0]
    except (OSError, UnicodeDecodeError):
        return ""
    return html.unescape(first_line.removeprefix("# ")).strip()
