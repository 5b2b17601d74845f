"""`--debug`: the engine and the policies as plain Python, so that `print` and `breakpoint()` work inside a policy."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from pathlib import Path

import click

from simgin.core import jit

DEALS = 100  # unless the command says how many: some seconds, at 10 to 100 deals a second
ENGINE = str(Path(__file__).resolve().parent.parent) + os.sep


def _interpret(_context: click.Context, _parameter: click.Parameter, wanted: bool) -> bool:
    """Callback of the option. numba reads its switch once, when it is imported, so the command starts again in a fresh interpreter."""
    if wanted and not jit.interpreted():
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(
            sys.executable,
            [sys.executable, *sys.orig_argv[1:]],
            {**os.environ, "NUMBA_DISABLE_JIT": "1"},
        )
    return wanted


debug_option = click.option(
    "--debug",
    is_flag=True,
    is_eager=True,
    callback=_interpret,
    help=f"Play as plain Python: print and breakpoint() work in a policy. Same results, very slow ({DEALS} deals by default).",
)


@contextmanager
def session(as_json: bool) -> Iterator[None]:
    """Around whatever asks policies: what they print stays out of the one object of --json, and what they raise is shown where it was."""
    printed = redirect_stdout(sys.stderr) if as_json and jit.interpreted() else nullcontext()
    try:
        with printed:
            yield
    except ValueError as error:
        tell(error.__cause__)
        raise


def tell(error: BaseException | None) -> None:
    """Show the author of a policy the traceback from his own first line on; the engine's lines above it would not help him."""
    if error is None or not jit.interpreted():
        return
    told = traceback.TracebackException.from_exception(error)
    own = next(
        (i for i, frame in enumerate(told.stack) if not frame.filename.startswith(ENGINE)),
        len(told.stack),
    )
    del told.stack[:own]
    if told.stack:
        click.echo("".join(told.format()), err=True, nl=False)
