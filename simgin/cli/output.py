"""Output of commands: tables or a JSON object, files, and the command that repeats the result."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.report.wrapping import wrap_text
from simgin.text import shell
from simgin.text.messages import escape_control_chars

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from simgin.report.report import Report

HTML_REPORT_FILE = "report.html"
# parameters that do not change a result
OPTIONS_NOT_AFFECTING_RESULT = (
    "workers",
    "scheduler",
    "debug",
    "dry_run",
    "details",
    "as_json",
    "save",
)
# keys of options in the metadata of the click context
PATIENCE_KEY, EXPORT_KEY, STYLE_KEY = "patience", "export", "style"
EXPORT_FORMATS = ("markdown", "latex", "csv")


@dataclass(frozen=True)
class CommandResult:
    """Result of a command: its JSON rows, seed, files and reason for stopping.

    Attributes:
        command: Command that repeats the result.
        rows: Rows that `--json` prints.
        seed: Seed, or None if the command has no seed.
        files: Paths of the written files.
        stop_reason: Reason for stopping, or "complete" for a complete run.
    """

    command: str
    rows: list[dict[str, Any]]
    seed: int | None = None
    files: Sequence[Path] = field(default=())
    stop_reason: str = "complete"

    def to_json(self) -> str:
        """Return the JSON object that `--json` prints, as a string."""
        from simgin.report.json_output import format_json_output

        return format_json_output(self.command, self.rows, self.seed, self.files, self.stop_reason)

    def print(
        self,
        as_json: bool,
        renderables: Iterable[Any],
        *,
        closing_sentence: str = "",
        use_pager: bool = False,
    ) -> None:
        """Print the JSON object, or the screen, the files and the command that repeats the result.

        Args:
            as_json: True to print the JSON object.
            renderables: Rich renderables.
            closing_sentence: Last sentence of the screen, which repeats the main result.
            use_pager: True to show the screen in a pager if it is longer than the terminal.
        """
        if as_json:
            click.echo(self.to_json())
            return
        if export_format := click.get_current_context().meta.get(EXPORT_KEY):
            click.echo(escape_control_chars(_export_tables(renderables, export_format)))
            return
        console = make_console()
        pager_capture = console.capture() if use_pager and _can_use_pager() else None
        with pager_capture or contextlib.nullcontext():
            for renderable in renderables:
                console.print(renderable, soft_wrap=bool(getattr(renderable, "no_wrap", False)))
        last_lines = [f"Output:  {_describe_files(self.files)}"] if self.files else []
        last_lines.append(f"Command: {self.command}")
        if closing_sentence:
            last_lines.append(wrap_text(closing_sentence, console.width))
        last_text = escape_control_chars("\n".join(last_lines))
        if pager_capture is None:
            click.echo(last_text)
            return
        screen_text = pager_capture.get() + last_text
        is_long = screen_text.count("\n") + 1 >= shutil.get_terminal_size().lines
        (click.echo_via_pager if is_long else click.echo)(screen_text)


def _export_tables(renderables: Iterable[Any], export_format: str) -> str:
    """Return the tables of a screen in an export format, separated by blank lines."""
    from simgin.report.report_table import Table

    tables = [
        renderable.export(export_format)
        for renderable in renderables
        if isinstance(renderable, Table)
    ]
    if not tables:
        reject_export()
    return "\n".join(tables).removesuffix("\n")


def reject_export() -> None:
    """Raise UsageError if an export is requested from a command that prints no table."""
    if EXPORT_KEY in click.get_current_context().meta:
        raise click.UsageError(f"this result contains no table to export. Omit --{EXPORT_KEY}.")


def _describe_files(files: Sequence[Path]) -> str:
    """Return the path of the HTML report, or of the first file, and the number of other files."""
    first_file = next((path for path in files if path.name == HTML_REPORT_FILE), files[0])
    return f"{first_file} (and {len(files) - 1} more files)" if len(files) > 1 else str(first_file)


def _can_use_pager() -> bool:
    """Return True if stdout is a terminal and the variable NO_PAGER is not set."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not os.environ.get("NO_PAGER")


def make_console() -> Console:
    """Return a rich console for stdout, without markup and by default with 80 columns."""
    from simgin.report.terminal import Terminal

    return Terminal(highlight=False, markup=False, emoji=False)


def render_report(report: Report, details: bool, details_hint: str) -> Iterator[Any]:
    """Yield the renderables of a report, followed by the command that prints all tables.

    Args:
        report: Report to print.
        details: True to show all tables.
        details_hint: Command or option that prints all tables.
    """
    from rich.text import Text

    yield from report.to_renderables(show_details=details)
    yield ""
    if report.caveat:
        yield Text(f"Advice:  {report.caveat.command}", no_wrap=True)
    if details_hint and not details:
        yield Text(f"Details: {details_hint}", no_wrap=True)


def render_with_commands(sentence: str, *commands: str, indent: int = 7) -> Iterator[Text]:
    """Yield a sentence, followed by commands, each on a separate line that is not wrapped."""
    from rich.text import Text

    yield Text(sentence)
    for command in commands:
        yield Text(" " * indent + command, no_wrap=True)


def can_print(text: str) -> bool:
    """Return True if stdout can encode a string."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def print_line(line: str) -> None:
    """Print a line on stdout with escaped control characters."""
    click.echo(escape_control_chars(line))


def format_command(*arguments: object) -> str:
    """Return a simgin command, with its arguments quoted for a shell."""
    return shell.join_command(["simgin", *map(str, arguments)])


def format_repeat_command(**changed_values: object) -> str:
    """Return the command that repeats the result of the running command.

    The command contains all parameters, including defaults, so that its meaning does not change in
    other versions.

    Args:
        **changed_values: Parameters with a changed value, such as the canonical spec of a strategy.
            If the value is None, the parameter is omitted.
    """
    context = click.get_current_context()
    arguments = context.command_path.split()
    for parameter in context.command.params:
        name = str(parameter.name)
        value = changed_values.get(name, context.params.get(name))
        is_set = value is not None and value is not False  # 0 is a valid value.
        if is_set and name not in OPTIONS_NOT_AFFECTING_RESULT:
            arguments += _iter_option_words(parameter, value)
    return shell.join_command(arguments)


def format_resume_command(command: str) -> str:
    """Append options that do not affect the result, such as `--json`, to a command."""
    context = click.get_current_context()
    arguments: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        is_typed = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if is_typed and name in (
            *OPTIONS_NOT_AFFECTING_RESULT,
            PATIENCE_KEY,
            EXPORT_KEY,
            STYLE_KEY,
        ):
            arguments += _iter_option_words(parameter, {**context.meta, **context.params}[name])
    return " ".join([command, shell.join_command(arguments)]) if arguments else command


def _iter_option_words(parameter: click.Parameter, value: Any) -> Iterator[str]:
    """Yield the words on the command line that set a parameter to a value."""
    option_values = value if parameter.multiple or parameter.nargs == -1 else [value]
    for option_value in option_values:
        if isinstance(parameter, click.Option):
            yield parameter.opts[0]
        if not (isinstance(parameter, click.Option) and parameter.is_flag):
            yield _format_option_value(option_value)


def _format_option_value(value: Any) -> str:
    """Format a value for the command line, with lists separated by commas."""
    if isinstance(value, tuple):  # The value of --sprt is a pair of hypotheses.
        return ",".join(map(_format_option_value, value))
    return f"{value:.15g}" if isinstance(value, float) else str(value)
