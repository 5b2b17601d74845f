"""Run directories below the directory for results, and their state."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from simgin.report.html_report import HTML_NAME, SUMMARY_NAME
from simgin.runs import directory, ledger
from simgin.runs.directory import ResultsError
from simgin.text.files import read_text
from simgin.web.pages import format_date

FINISHED, UNFINISHED = "finished", "interrupted"
COMPARABLE_KINDS = ("match", "league", "run", "review")  # commands with matchups


@dataclass(frozen=True)
class SavedRun:
    """Run directory in the directory for results.

    Attributes:
        name: Name of the directory below the directory for results.
        path: The directory.
        state: FINISHED, or UNFINISHED if it contains only a ledger.
        title: Title of the report, or else the command.
        command: Command that wrote the directory; empty for an unfinished run.
        ended: Time of the last change, in seconds since the epoch.
    """

    name: str
    path: Path
    state: str
    title: str
    command: str
    ended: float

    @property
    def kind(self) -> str:
        """Name of the command, such as `review`."""
        words = self.command.split()
        return words[1] if len(words) > 1 and words[0] == "simgin" else ""

    @property
    def date(self) -> str:
        """Local time at which the run was last changed."""
        return format_date(self.ended)

    @property
    def can_compare(self) -> bool:
        """True if `simgin compare` accepts the run."""
        return self.state == FINISHED and self.kind in COMPARABLE_KINDS

    @property
    def has_report(self) -> bool:
        """True if the run has an HTML report."""
        return self.state == FINISHED and (self.path / HTML_NAME).is_file()


def list_saved_runs(results: Path) -> list[SavedRun]:
    """Return the valid runs directly below a directory, newest first."""
    return sorted(_iter_runs(results), key=lambda run: -run.ended)


def _iter_runs(results: Path) -> Iterator[SavedRun]:
    if not results.is_dir():
        return
    for path in results.iterdir():
        if path.is_symlink() or not path.is_dir():
            continue
        try:
            yield _read_run(path)
        except (ResultsError, OSError):
            continue


def _read_run(path: Path) -> SavedRun:
    manifest = path / directory.MANIFEST_FILE
    if not manifest.exists():
        status = (path / ledger.LEDGER_FILE).stat()  # OSError for other directories
        return SavedRun(path.name, path, UNFINISHED, path.name, "", status.st_mtime)
    contents = directory.read_manifest(path)
    command = str(contents.get("command", ""))
    title = _read_report_title(path) or str(contents.get("question") or command or path.name)
    return SavedRun(path.name, path, FINISHED, title, command, manifest.stat().st_mtime)


def _read_report_title(path: Path) -> str:
    """Return the title of the report in a run directory, or "" without a report."""
    try:
        first_line = read_text(path / SUMMARY_NAME).partition("\n")[0]
    except (OSError, UnicodeDecodeError):
        return ""
    return html.unescape(first_line.removeprefix("# ")).strip()
