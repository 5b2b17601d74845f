"""Rendering of pages from templates, and forms with an error message for each invalid field."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse

from simgin.report.html_report import load_template
from simgin.text.messages import SimginError, quote_text
from simgin.version import get_version
from simgin.web.error_text import reword_error

TEMPLATES_FOLDER = Path(__file__).with_name("templates")
# names of pages in the navigation, by path
NAVIGATION_TITLES = {
    "/play": "Play",
    "/analyse": "Analyse",
    "/review": "Review rules",
    "/compare": "Compare strategies",
    "/odds": "Odds",
    "/charts": "Charts",
    "/results": "Results",
}

ValueT = TypeVar("ValueT")


class Form:
    """Values that a user entered into a form, with an error message for each invalid field.

    Args:
        values: Values sent by the browser, by field name.

    Attributes:
        errors: Error messages, by field name.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.errors: dict[str, str] = {}

    def read(self, field_name: str, parse: Callable[[str], ValueT], default: str) -> ValueT:
        """Parse the value of a field, or its default if the value is missing or invalid."""
        entered_value = self.values.get(field_name) or default
        try:
            return parse(entered_value)
        except SimginError as error:
            self.add_error(field_name, error)
            return parse(default)

    def add_error(self, field_name: str, error: Exception) -> None:
        """Record the message of an exception at a field, unless the field has an error already."""
        self.errors.setdefault(field_name, reword_error(str(error)))

    def read_choice(self, field_name: str, choices: Container[str], default: str) -> str:
        """Return the selected option of a field, or its default if the option is not valid."""

        def check_choice(choice: str) -> str:
            if choice not in choices:
                raise SimginError(
                    f"{quote_text(choice)} is not in the list. Choose another option."
                )
            return choice

        return self.read(field_name, check_choice, default)

    def get_values(self, defaults: Mapping[str, str]) -> dict[str, str]:
        """Return the values of several fields, with defaults for missing values."""
        values = {name: self.values.get(name) or default for name, default in defaults.items()}
        return {name: value for name, value in values.items() if value}

    @property
    def http_status(self) -> int:
        """HTTP status of a response that shows this form."""
        return 400 if self.errors else 200


def format_date(seconds: float) -> str:
    """Format seconds since the epoch as a local time, such as `2026-11-28 17:05`."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def render_page(
    request: Request, template_name: str, status: int = 200, *, command: str = "", **variables: Any
) -> HTMLResponse:
    """Render a page from its template.

    Args:
        request: Request for the page.
        template_name: Name of the template without its file extension.
        status: HTTP status.
        command: Command with the same effect as the page, which is shown with a copy button.
        **variables: Additional variables of the template.
    """
    template = load_template(TEMPLATES_FOLDER / f"{template_name}.html.j2")
    content = template.render(
        path=request.url.path,
        navigation=NAVIGATION_TITLES,
        version=get_version(),
        command=command,
        **variables,
    )
    return HTMLResponse(content, status)
