"""Results pages: the list of runs, a run with its report, and the comparison of two runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from simgin.report.html_report import HTML_FILE_NAME, compute_report_script_digest
from simgin.runs import directory, ledger
from simgin.runs.directory import ResultsError
from simgin.text.files import read_bytes
from simgin.text.messages import SimginError, quote_text
from simgin.web.command_pages import CommandDraft, CommandPage
from simgin.web.jobs import FINISHED
from simgin.web.pages import Form, render_page
from simgin.web.saved_runs import SavedRun, list_saved_runs
from simgin.web.security import CONTENT_SECURITY_POLICY

if TYPE_CHECKING:
    from simgin.web.app import Site

# A run directory can come from an untrusted source, so its report may run only the script of
# simgin.
REPORT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src '{}'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
MEDIA_TYPES_OF_RUN_FILES = {
    ".html": "text/html",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".csv": "text/csv",
    ".md": "text/plain",
    ".json": "application/json",
}
COMPARISON_CPU_SECONDS = 1  # CPU time, in seconds


def show_results(request: Request) -> Response:
    """Show a list of all runs and unfinished jobs."""
    site = request.app.state.site
    return render_page(
        request,
        "results",
        runs=list_saved_runs(site.jobs),
        open_jobs=[job for job in site.jobs.list_jobs() if job.is_open],
        folder=site.results_directory,
    )


def show_run(request: Request) -> Response:
    """Show the report or the files of a run, or the page of an unfinished job."""
    run = _find_run(request)
    if run.job is not None and run.state != FINISHED:
        return RedirectResponse(run.address, 303)
    response = render_page(
        request, "run", run=run, files=_list_run_files(run), command=_find_command_to_show(run)
    )
    response.headers["Content-Security-Policy"] = f"{CONTENT_SECURITY_POLICY}; frame-src 'self'"
    return response


def send_run_file(request: Request) -> Response:
    """Send a file listed in the manifest of a run."""
    run = _find_run(request)
    name = request.path_params["file"]
    path = run.path / name
    if name not in _list_run_files(run) or not path.resolve().is_relative_to(run.path.resolve()):
        raise HTTPException(404)
    try:
        content = read_bytes(path)
    except OSError:
        raise HTTPException(404) from None
    media_type = MEDIA_TYPES_OF_RUN_FILES.get(Path(name).suffix, "application/octet-stream")
    headers = {}
    if media_type == MEDIA_TYPES_OF_RUN_FILES[".html"]:
        headers["Content-Security-Policy"] = REPORT_SECURITY_POLICY.format(
            compute_report_script_digest()
        )
        headers["X-Frame-Options"] = "SAMEORIGIN"
    return Response(content, media_type=media_type, headers=headers)


def _find_run(request: Request) -> SavedRun:
    """Return the run in the address of a page.

    Raises:
        ResultsError: If the run does not exist.
    """
    run_name = request.path_params["run"]
    for run in list_saved_runs(request.app.state.site.jobs):
        if run.name == run_name:
            return run
    raise ResultsError(
        f"The run {quote_text(run_name)} does not exist. Choose a run from the list of results."
    )


def _list_run_files(run: SavedRun) -> list[str]:
    """Return the files listed in the manifest of a run, report first."""
    if run.state != FINISHED:
        return []
    names = directory.read_manifest(run.path).get("files", [])
    return sorted(names, key=lambda name: (name != HTML_FILE_NAME, name))


def _find_command_to_show(run: SavedRun) -> str:
    """Return the command of a run, or "" if it is unknown or part of the report."""
    if run.command:
        return "" if run.has_report else run.command
    try:
        with ledger.open_existing_ledger(run.path / ledger.LEDGER_FILE) as run_ledger:
            return run_ledger.command
    except SimginError:
        return ""


def read_run_comparison_form(form: Form, site: Site) -> CommandDraft:
    """Return the command that compares the runs in a form, and record the form's errors."""
    labels = dict(_list_run_labels(site))
    finished_names = [*labels]

    def parse_run_name(run_name: str) -> str:
        if run_name and run_name not in finished_names:
            raise ResultsError("This run does not exist or has not finished. Choose another run.")
        return run_name

    def find_other_run(run_name: str) -> str:
        return next((other for other in finished_names if other != run_name), "")

    run = form.read("run", parse_run_name, find_other_run(form.values.get("base", "")))
    baseline = form.read("base", parse_run_name, find_other_run(run))
    if run == baseline:
        form.errors.setdefault("base", "Choose another run than the first one.")
    return CommandDraft(
        ["compare", str(site.results_directory / run), str(site.results_directory / baseline)],
        f"{run} compared with {baseline}",
        f"compare-{run}-{baseline}",
        COMPARISON_CPU_SECONDS,
        # On phones, the lists show only the beginnings of the labels.
        [f"Run: {labels.get(run)}. Baseline: {labels.get(baseline)}."],
    )


def _list_run_labels(site: Site) -> list[tuple[str, str]]:
    """Return the names and labels of the finished runs that can be compared."""
    return [
        (run.name, ", ".join(filter(None, (run.date, run.title, run.details, run.name))))
        for run in list_saved_runs(site.jobs)
        if run.can_compare
    ]


def _make_template_variables(site: Site) -> dict[str, Any]:
    """Return the names and labels of the runs that can be compared."""
    return {"runs": _list_run_labels(site)}


RUN_COMPARISON_PAGE = CommandPage(
    "compare-runs", read_run_comparison_form, _make_template_variables
)
