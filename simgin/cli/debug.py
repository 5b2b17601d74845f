"""Option `--debug`, which runs the engine and the policies in Python, so `breakpoint()` works."""

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path

import click

DEBUG_DEALS = 100  # default number of deals with --debug, which runs at 10 to 100 deals per second
ENGINE_PATH = str(Path(__file__).resolve().parent.parent) + os.sep


def _is_interpreted() -> bool:
    """Import the engine, and return True if it runs as plain Python."""
    from simgin.core import jit

    return jit.is_interpreted()


def _restart_without_compilation(
    context: click.Context, _parameter: click.Parameter, is_debug: bool
) -> bool:
    """Restart Python without compilation for --debug, because numba reads the setting on import."""
    if is_debug and not context.resilient_parsing and not _is_interpreted():
        sys.stdout.flush()
        sys.stderr.flush()
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)
    return is_debug


debug_option = click.option(
    "--debug",
    is_flag=True,
    is_eager=True,
    callback=_restart_without_compilation,
    help="Run policies as plain Python, so that print() and breakpoint() work. The "
    f"results are the same, but play is much slower, so the default is {DEBUG_DEALS} deals.",
)


@contextmanager
def redirect_policy_output(as_json: bool) -> Iterator[None]:
    """Redirect the output of policies to stderr with --json, and show tracebacks of their errors.

    Args:
        as_json: True if the command prints a JSON object on stdout.
    """
    redirects_output = as_json and _is_interpreted()
    redirection = redirect_stdout(sys.stderr) if redirects_output else nullcontext()
    try:
        with redirection:
            yield
    except ValueError as error:
        show_traceback(error.__cause__)
        raise


def show_traceback(error: BaseException | None) -> None:
    """Print a traceback without engine frames if --debug is active.

    Args:
        error: Exception raised by a policy, or None.
    """
    if error is None or not _is_interpreted():
        return
    try:
        report = traceback.TracebackException.from_exception(error)
    except Exception:  # Formatting a user-defined exception can fail.
        return
    n_engine_frames = 0
    for frame in report.stack:
        if not frame.filename.startswith(ENGINE_PATH):
            break
        n_engine_frames += 1
    del report.stack[:n_engine_frames]
    if report.stack:
        click.echo("".join(report.format()), err=True, nl=False)
