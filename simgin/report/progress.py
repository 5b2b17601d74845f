"""Progress display on stderr, which is a bar on a terminal and log lines otherwise.

On a terminal, the bar and the interim result are shown below the output and are erased at the end.
In files and pipes, a line is written every ten seconds. In a notebook, a single line is updated. If
the environment variable SIMGIN_PROGRESS is `json`, each line is a JSON object for another program.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from simgin.report.report_table import Table
from simgin.text.messages import escape_control_chars

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment


SECONDS_BETWEEN_LINES = 10.0
REFRESH_SECONDS = 0.5
# delay before a notebook shows progress, in seconds, so that short runs do not show it
NOTEBOOK_DELAY_SECONDS = 1.0
MIN_MEASURED_SECONDS = 2.0  # minimum playing time for an estimate of the remaining time, in seconds
BAR_WIDTH = 24  # width of the progress bar, in characters
PROGRESS_FORMAT_VARIABLE, JSON_FORMAT = "SIMGIN_PROGRESS", "json"


@dataclass(frozen=True)
class InterimResult:
    """Interim result of a run, as a line of text and as values for other programs."""

    line: str
    values: Mapping[str, Any] | None = None

    def __rich__(self) -> str:
        """Return the interim result as a line of text, which rich prints."""
        return self.line


class OnProgress(Protocol):
    """Callback that receives the progress of a request, and can raise an exception to stop it."""

    def __call__(
        self, done: int, total: int, render_result: Callable[[], RenderableType] | None = None, /
    ) -> None:
        """Receive the finished units, the total units and a function for interim results."""


@contextmanager
def show_progress(
    title: str, stream: TextIO | None = None, *, can_end_early: bool = False
) -> Iterator[ProgressBar]:
    """Show the progress of a `with` block, and yield a function that updates it.

    Args:
        title: Title of the work.
        stream: Stream of the display (default: stderr).
        can_end_early: True if the total work is a maximum, so that the remaining time is an upper
            bound.
    """
    from numba.core import event

    event.Listener.register(CompilationTimer)
    stream = sys.stderr if stream is None else stream
    with event.install_listener("numba:compile", CompilationTimer()) as compilation_timer:
        if os.environ.get(PROGRESS_FORMAT_VARIABLE) == JSON_FORMAT:
            yield _JsonProgress(title, stream, compilation_timer, can_end_early)
        elif stream.isatty():
            with _show_terminal_progress(
                title, stream, compilation_timer, can_end_early
            ) as on_progress:
                yield on_progress
        elif hasattr(_find_ipython(), "kernel"):
            with _NotebookProgress(title, stream, compilation_timer, can_end_early) as on_progress:
                yield on_progress
        else:
            yield _LineProgress(title, stream, compilation_timer, can_end_early)


@contextmanager
def show_progress_in_ipython(title: str) -> Iterator[ProgressBar | None]:
    """Show a progress display during a `with` block in IPython or Jupyter.

    Elsewhere, yield None.
    """
    with show_progress(title) if _find_ipython() else nullcontext() as on_progress:
        yield on_progress


def _find_ipython() -> Any:
    """Return the running IPython shell, or None if there is none."""
    ipython = sys.modules.get("IPython")
    return ipython and ipython.get_ipython()


@contextmanager
def _show_terminal_progress(
    title: str, stream: TextIO, compilation_timer: CompilationTimer, can_end_early: bool
) -> Iterator[_TerminalProgress]:
    """Show a progress bar on a terminal during a `with` block, and yield the progress bar."""
    from rich.live import Live

    from simgin.report.terminal import Terminal

    progress = _TerminalProgress(title, compilation_timer, can_end_early)
    console = Terminal(file=stream, highlight=False)
    refreshes_per_second = 1 / REFRESH_SECONDS
    with Live(
        console=console,
        get_renderable=lambda: progress,
        refresh_per_second=refreshes_per_second,
        transient=True,
    ):
        yield progress


class ProgressBar:
    """Progress callback that shows the finished work, the remaining time and an interim result.

    The remaining time is estimated from the measured speed.
    """

    def __init__(
        self, title: str, compilation_timer: CompilationTimer, can_end_early: bool
    ) -> None:
        self._title = title
        self._can_end_early = can_end_early
        self._compilation_timer = compilation_timer
        self._started = self._now = time.monotonic()
        self._elapsed = 0.0  # elapsed seconds, without compilation
        # elapsed seconds and finished work at the first call
        self._first_call: tuple[float, int] | None = None
        self._done = 0
        self._total = 1

    def __call__(
        self, done: int, total: int, render_result: Callable[[], RenderableType] | None = None
    ) -> None:
        """Store the amount of finished work, and refresh the display if it is due.

        Args:
            done: Finished units of work.
            total: Total units of work.
            render_result: Function that renders an interim result. The function is called at most
                twice per second, and only on a terminal.
        """
        self._now = time.monotonic()
        self._elapsed = self._now - self._compilation_timer.compute_total_seconds()
        if self._first_call is None and done > 0:
            self._first_call = self._elapsed, done
        self._done = done
        self._total = max(1, total)
        self._refresh(render_result)

    def _refresh(self, render_result: Callable[[], RenderableType] | None) -> None:
        """Refresh the display if the refresh interval has passed."""
        raise NotImplementedError

    @property
    def _percent(self) -> int:
        """Percentage of the work that is finished."""
        return 100 * self._done // self._total

    @property
    def _seconds_left(self) -> int | None:
        """Estimated remaining time in seconds, or None if it is unknown.

        The speed is measured from the second call, because the first call can include work of an
        earlier run or the start of workers.
        """
        first_seconds, first_done = self._first_call or (self._elapsed, self._done)
        measured_seconds = self._elapsed - first_seconds
        if measured_seconds < MIN_MEASURED_SECONDS or self._done == first_done:
            return None
        return round(measured_seconds * (self._total - self._done) / (self._done - first_done))

    def _format_time_left(self, prefix: str) -> str:
        """Return the remaining time as text, such as `44 s left`, or "" if it is unknown."""
        seconds_left = self._seconds_left
        if seconds_left is None:
            return ""
        minutes, seconds = divmod(seconds_left, 60)
        minutes_text = f"{minutes} min " if minutes else ""
        at_most = "at most " if self._can_end_early else ""
        return f"{prefix}{at_most}{minutes_text}{seconds} s left"


class _TerminalProgress(ProgressBar):
    """Progress bar on a terminal, with the interim result below it."""

    def __init__(
        self, title: str, compilation_timer: CompilationTimer, can_end_early: bool
    ) -> None:
        super().__init__(title, compilation_timer, can_end_early)
        self._result: RenderableType = ""
        self._refreshed = 0.0

    def _refresh(self, render_result: Callable[[], RenderableType] | None) -> None:
        if render_result is not None and self._now - self._refreshed >= REFRESH_SECONDS:
            self._refreshed = self._now
            result = render_result()
            self._result = result.line if isinstance(result, InterimResult) else result

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType | Segment]:
        from rich.segment import Segment
        from rich.text import Text

        width = options.max_width - 1
        suffix = "  compiling" if self._compilation_timer else self._format_time_left("  ")
        n_filled = BAR_WIDTH * self._done // self._total
        bar_text = f"  {'━' * n_filled}{'─' * (BAR_WIDTH - n_filled)} {self._percent:3d} %{suffix}"
        title = Text(self._title, no_wrap=True)
        title.truncate(width - len(bar_text), overflow="ellipsis")
        yield title.append(bar_text)
        if not isinstance(self._result, str):
            # Lines below the visible part of the terminal cannot be erased.
            for segments in console.render_lines(self._result, options)[: options.size.height - 2]:
                yield from (*segments, Segment.line())
        elif self._result:
            line = Text(f"  {self._result}", no_wrap=True)
            line.truncate(width, overflow="ellipsis")
            yield line


class _LineProgress(ProgressBar):
    """Progress display that writes a line to a file or a pipe every ten seconds."""

    seconds_between_updates = SECONDS_BETWEEN_LINES

    def __init__(
        self, title: str, stream: TextIO, compilation_timer: CompilationTimer, can_end_early: bool
    ) -> None:
        super().__init__(title, compilation_timer, can_end_early)
        self._stream = stream
        self._last = self._started

    def _refresh(self, render_result: Callable[[], RenderableType] | None) -> None:
        if self._now - self._last >= self.seconds_between_updates and self._done < self._total:
            self._last = self._now
            self._write()

    def _write(self) -> None:
        print(self._line, file=self._stream, flush=True)

    @property
    def _line(self) -> str:
        suffix = ", compiling" if self._compilation_timer else self._format_time_left(", ")
        return escape_control_chars(f"{self._title}: {self._percent} %{suffix}")


class _JsonProgress(ProgressBar):
    """Progress display that writes one JSON object per line, for other programs.

    The keys are `title`, `done`, `total`, `seconds_left` (null if unknown), `can_end_early`,
    `compiling` and `result`, which is the interim result as text. `table` contains the cells of a
    table, and `values` contains the values of another result. Without a table, `table` is null.
    Without values, `values` is null.
    """

    def __init__(
        self, title: str, stream: TextIO, compilation_timer: CompilationTimer, can_end_early: bool
    ) -> None:
        super().__init__(title, compilation_timer, can_end_early)
        self._stream = stream
        self._written = 0.0
        self._write("")

    def _refresh(self, render_result: Callable[[], RenderableType] | None) -> None:
        if self._now - self._written >= REFRESH_SECONDS or self._done == self._total:
            self._written = self._now
            self._write("" if render_result is None else render_result())

    def _write(self, result: RenderableType) -> None:
        fields = {
            "title": self._title,
            "done": self._done,
            "total": self._total,
            "seconds_left": self._seconds_left,
            "can_end_early": self._can_end_early,
            "compiling": bool(self._compilation_timer),
            "result": _render_as_text(result),
            "table": result.to_json() if isinstance(result, Table) else None,
            "values": result.values if isinstance(result, InterimResult) else None,
        }
        print(json.dumps(fields), file=self._stream, flush=True)


def _render_as_text(result: RenderableType) -> str:
    """Render an interim result as plain text."""
    if isinstance(result, str):
        return result
    if isinstance(result, InterimResult):
        return result.line
    from simgin.report.terminal import render_text

    return render_text([result])


class _NotebookProgress(_LineProgress):
    """Progress line in a notebook cell, which is updated in place and erased at the end."""

    seconds_between_updates = REFRESH_SECONDS

    def __enter__(self) -> _NotebookProgress:
        self._display: Any = None
        self._timer = threading.Timer(
            NOTEBOOK_DELAY_SECONDS, self._write
        )  # Nothing has been reported yet.
        self._timer.daemon = True
        self._timer.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.cancel()
        if self._display is not None:
            self._display.update({"text/plain": "", "text/html": ""}, raw=True)

    def _write(self) -> None:
        from IPython.display import display

        mime_bundle = {"text/plain": self._line}
        if self._display is None:
            self._display = display(mime_bundle, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._display.update(mime_bundle, raw=True)


class CompilationTimer:
    """Listener for numba events that measures the time spent on compilation.

    Compilations can be nested, and only one thread compiles at a time. Compilation time is not
    included in the measured speed.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._started = 0.0
        self._seconds = 0.0  # duration of finished compilations, in seconds

    def notify(self, event: Any) -> None:
        """Record the start or the end of a compilation."""
        now = time.monotonic()
        if event.is_start and not self._depth:
            self._started = now
        self._depth += 1 if event.is_start else -1
        if not self._depth:
            self._seconds += now - self._started

    def __bool__(self) -> bool:
        """Return True while a function is being compiled."""
        return self._depth > 0

    def compute_total_seconds(self) -> float:
        """Return the total compilation time in seconds."""
        return self._seconds + (time.monotonic() - self._started if self else 0.0)
