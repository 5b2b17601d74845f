"""Pages with forms that describe commands and start them as jobs.

The address of a page contains the values of its form. After each change of the form, the script
static/form.js sends its values to `/NAME/check`, which returns the command and the errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from simgin.text.amounts import format_duration
from simgin.text.files import make_directory_name
from simgin.text.shell import join_command
from simgin.web.expected_time import estimate_elapsed_seconds
from simgin.web.pages import Form, render_page
from simgin.web.spec_fields import move_errors_to_parameters

if TYPE_CHECKING:
    from simgin.web.app import Site


@dataclass(frozen=True)
class CommandDraft:
    """Command described by a form, without the output directory.

    Attributes:
        arguments: Arguments of `simgin`.
        title: Title of the job.
        run_name: Requested name of the run directory.
        cpu_seconds: Expected CPU time in seconds (see `simgin.web.expected_time`), or None if it is
            unknown.
        notes: Notes about the command.
        parameter_fields: Form fields for the parameters of each spec in the form, by field name.
    """

    arguments: list[str]
    title: str
    run_name: str
    cpu_seconds: float | None
    notes: list[str] = field(default_factory=list)
    parameter_fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CommandPage:
    """Page with a form that describes a command and starts it as a job.

    Attributes:
        name: Name of the page and of its template.
        read_form: Function that reads the form and records its errors.
        make_template_variables: Function that returns the template variables.
    """

    name: str
    read_form: Callable[[Form, Site], CommandDraft]
    make_template_variables: Callable[[Site], dict[str, Any]]

    def list_routes(self) -> list[Route]:
        """Return the routes that show the form, check it and start its command."""
        return [
            Route(f"/{self.name}", self.show_form, methods=["GET"]),
            Route(f"/{self.name}", self.start_job, methods=["POST"]),
            Route(f"/{self.name}/check", self.check_form),
        ]

    def show_form(self, request: Request) -> Response:
        """Show the form with its values, its errors and the command."""
        form, draft = self._read_draft(request)
        return render_page(
            request,
            self.name,
            form.http_status,
            form=form,
            command=_format_command(form, draft, request),
            has_live_command=True,
            **self.make_template_variables(request.app.state.site),
        )

    def check_form(self, request: Request) -> Response:
        """Send the command of a form, its expected time and the errors of the form."""
        form, draft = self._read_draft(request)
        relative_cpu_time = request.app.state.site.relative_cpu_time
        response = {
            "command": _format_command(form, draft, request),
            "errors": form.errors,
            "time": draft.cpu_seconds
            and format_duration(estimate_elapsed_seconds(draft.cpu_seconds, relative_cpu_time)),
            "notes": draft.notes,
            "specs": draft.parameter_fields,
        }
        return JSONResponse(response, form.http_status)

    def start_job(self, request: Request) -> Response:
        """Start the command of a form as a job, and send the job's name or the errors."""
        form, draft = self._read_draft(request)
        if form.errors:
            message = "Correct the marked fields."
            return JSONResponse({"error": message, "errors": form.errors}, form.http_status)
        name, address = make_directory_name(draft.run_name), f"/{self.name}?{request.url.query}"
        job = request.app.state.site.jobs.enqueue_run(draft.arguments, draft.title, name, address)
        return JSONResponse({"job": job.name})

    def _read_draft(self, request: Request) -> tuple[Form, CommandDraft]:
        """Return the form in a request and the command that the form describes."""
        form = Form(request.query_params)
        draft = self.read_form(form, request.app.state.site)
        move_errors_to_parameters(form.errors, draft.parameter_fields)
        return form, draft


def _format_command(form: Form, draft: CommandDraft, request: Request) -> str:
    """Return the command that a form describes with an output directory, or "" after errors."""
    if form.errors:
        return ""
    site = request.app.state.site
    name = site.jobs.find_unused_run_name(make_directory_name(draft.run_name))
    output = site.results_directory / name
    return join_command(["simgin", *draft.arguments, "-o", str(output)])
