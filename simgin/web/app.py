"""Web application: routes, static files and error pages."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from simgin.report.html_report import PAGE_STYLE_TEMPLATE, load_template
from simgin.text.messages import SimginError
from simgin.web import (
    analyse_page,
    compare_page,
    home,
    job_pages,
    play,
    report_pages,
    results_pages,
    review_page,
)
from simgin.web.error_text import reword_error
from simgin.web.games import OpenGames
from simgin.web.jobs import JobQueue
from simgin.web.pages import render_page
from simgin.web.security import SecurityMiddleware

STATIC_FOLDER = Path(__file__).with_name("static")
MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
COMMAND_PAGES = (
    review_page.REVIEW_PAGE,
    compare_page.COMPARE_PAGE,
    report_pages.ODDS_PAGE,
    report_pages.CHARTS_PAGE,
    results_pages.RUN_COMPARISON_PAGE,
)
ERROR_TITLES_BY_STATUS = {
    404: "This page does not exist",
    405: "This page does not accept such a request",
    500: "simgin has a bug",
}


@dataclass
class Site:
    """Jobs, games and settings that all pages share.

    Attributes:
        results_directory: Directory for results.
        jobs: Queue of jobs.
        extra_specs: Specs of the strategies that were specified when the server was started.
        games: Games in memory.
        relative_cpu_time: CPU time of this machine relative to the reference machine (see
            `measure_relative_cpu_time`), or 1 until it is measured.
    """

    results_directory: Path
    jobs: JobQueue
    extra_specs: tuple[str, ...] = ()
    games: OpenGames = field(default_factory=OpenGames)
    relative_cpu_time: float = 1.0


def create_app(site: Site, token: str, port: int, hosts: Collection[str] = ()) -> Starlette:
    """Return the ASGI application for a site.

    Args:
        site: Data that the pages share.
        token: Secret token that requests must contain.
        port: Port of the server.
        hosts: Host names of the server in addition to localhost and IP addresses.
    """
    app = Starlette(
        routes=[
            Route("/", home.show_home),
            Route("/play", play.show_play_page),
            Route("/play/state", play.send_game_state),
            Route("/play/hint", play.send_hint),
            Route("/play/decisions/{number:int}", play.send_decision_analysis),
            Route("/play/last-decision", play.send_decision_analysis),
            Route("/play/deal.json", play.send_deal_file),
            Route("/play/restart", play.restart_game, methods=["POST"]),
            Route("/play/{action:str}", play.change_game, methods=["POST"]),
            Route("/analyse", analyse_page.show_analysis_board),
            Route("/analyse/costs", analyse_page.stream_position_costs),
            Route("/analyse/file", analyse_page.stream_deal_costs, methods=["POST"]),
            Route("/jobs/{name}", job_pages.show_job),
            Route("/jobs/{name}/events", job_pages.stream_job_states),
            Route("/jobs/{name}/cancel", job_pages.cancel_job, methods=["POST"]),
            Route("/jobs/{name}/resume", job_pages.resume_job, methods=["POST"]),
            Route("/results", results_pages.show_results),
            Route("/results/{run}", results_pages.show_run),
            Route("/results/{run}/files/{file:path}", results_pages.send_run_file),
            *(route for page in COMMAND_PAGES for route in page.list_routes()),
            Route("/static/{name}", send_static_file),
        ],
        middleware=[Middleware(SecurityMiddleware, token=token, port=port, hosts=hosts)],
        exception_handlers={
            SimginError: show_input_error,
            OSError: show_system_error,
            HTTPException: show_http_error,
            # The client disconnected while it was sending the request body.
            ClientDisconnect: show_http_error,
            Exception: show_server_error,
        },
    )
    app.state.site = site
    return app


def read_static_files() -> dict[str, bytes]:
    """Return the contents of all scripts and style sheets, keyed by file name."""
    files = {path.name: path.read_bytes() for path in STATIC_FOLDER.iterdir()}
    return files | {"page.css": load_template(PAGE_STYLE_TEMPLATE).render().encode()}


def send_static_file(request: Request) -> Response:
    """Send a script or a style sheet to the browser."""
    file_name = request.path_params["name"]
    files = read_static_files()
    if file_name not in files:
        raise HTTPException(404)
    return Response(files[file_name], media_type=MEDIA_TYPES[Path(file_name).suffix])


# Errors


def show_input_error(request: Request, error: Exception) -> Response:
    """Respond to invalid input with an error page, or with JSON if a script sent it."""
    return _make_error_response(request, 400, "This is not possible", reword_error(str(error)))


def show_system_error(request: Request, error: Exception) -> Response:
    """Respond to a request that failed because a file could not be read or written."""
    file_name = getattr(error, "filename", None) or "A file"
    reason = getattr(error, "strerror", None) or error
    return _make_error_response(
        request, 507, "This is not possible", f"{file_name} cannot be used ({reason})."
    )


def show_http_error(request: Request, error: Exception) -> Response:
    """Respond to an invalid HTTP request, such as a request for a missing page."""
    status = error.status_code if isinstance(error, HTTPException) else 400
    title = ERROR_TITLES_BY_STATUS.get(status, "This request is not valid")
    return _make_error_response(request, status, title, "Choose a page in the navigation.")


def show_server_error(request: Request, error: Exception) -> Response:
    """Respond to a request that failed because of a bug in simgin."""
    message = "The terminal in which simgin web runs shows the traceback. Please report it."
    return _make_error_response(request, 500, ERROR_TITLES_BY_STATUS[500], message)


def _make_error_response(request: Request, status: int, title: str, message: str) -> Response:
    """Return an error page, or a JSON object if a script sent the request."""
    if request.method == "POST" or "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"error": message}, status)
    return render_page(request, "error", status, title=title, message=message)
