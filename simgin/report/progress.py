"""Live progress on stderr: a bar and an interim result on a terminal, otherwise log lines.

On a terminal, the bar and the interim result appear below the output and are erased at the end.
Files and pipes get a line every ten seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from simgin.text.messages import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment


SECONDS_PER_LINE = 10.0
SECONDS_PER_LOOK = 0.5
MEASURED_SECONDS = 2.0  # seconds of play before the remaining time is estimated
BAR = 24  # characters


class OnProgress(Protocol):
    """Callback that receives the progress of a request. It may raise an exception to stop it."""

    def __call__(
        self, done: int, total: int, look: Callable[[], RenderableType] | None = None, /
    ) -> None:
        """Record that `done` of `total` is done; `look` returns the result so far."""


@contextmanager
def live(title: str, stream: TextIO | None = None) -> Iterator[Report]:
    """Show progress while the block runs, and yield the callable that takes it."""
    from numba.core import event

    event.Listener.register(_Compiling)
    stream = sys.stderr if stream is None else stream
    with event.install_listener("numba:compile", _Compiling()) as compiling:
        if stream.isatty():
            with _shown(title, stream, compiling) as report:
                yield report
        else:
            yield _Lines(title, stream, compiling)


@contextmanager
def _shown(title: str, stream: TextIO, compiling: _Compiling) -> Iterator[_Shown]:
    """Show the progress bar on a terminal while the block runs."""
    from rich.live import Live

    from simgin.report.terminal import Terminal

    shown = _Shown(title, compiling)
    console = Terminal(file=stream, highlight=False)
    rate = 1 / SECONDS_PER_LOOK
    with Live(
        console=console, get_renderable=lambda: shown, refresh_per_second=rate, transient=True
    ):
        yield shown


class Report:
    """A callable that takes the work done, the total and a renderer of an interim result.

    It estimates the remaining time from the pace so far.
    """

    def __init__(self, title: str, compiling: _Compiling) -> None:
        self._title = title
        self._compiling = compiling
        self._started = self._now = time.monotonic()
        self._played = 0.0  # seconds so far, without compilation
        self._begun: tuple[float, int] | None = None  # seconds and work done at the first call
        self._done = 0
        self._every = 1

    def __call__(
        self, done: int, every: int, so_far: Callable[[], RenderableType] | None = None
    ) -> None:
        """Record the work done and refresh the display if it is due.

        Args:
            done: Units of work done.
            every: Units of work in total.
            so_far: Function that renders an interim result, called at most twice per second and
                only on a terminal.
        """
        self._now = time.monotonic()
        self._played = self._now - self._compiling.seconds()
        if self._begun is None and done > 0:
            self._begun = self._played, done
        self._done = done
        self._every = max(1, every)
        self._show(so_far)

    def _show(self, so_far: Callable[[], RenderableType] | None) -> None:
        """Refresh the display if it is due."""
        raise NotImplementedError

    @property
    def _percent(self) -> int:
        """The percentage of the work that is done."""
        return 100 * self._done // self._every

    def _left(self, before: str) -> str:
        """Return `44 s left` or `3 min 20 s left` after a prefix, or "" if it is not yet known.

        The first call does not count towards the pace: it may include the work of an earlier run or
        the start of the workers.
        """
        seconds, done = self._begun or (self._played, self._done)
        measured = self._played - seconds
        if measured < MEASURED_SECONDS or self._done == done:
            return ""
        rest = round(measured * (self._every - self._done) / (self._done - done))
        time_left = f"{rest} s" if rest < 60 else f"{rest // 60} min {rest % 60} s"
        return f"{before}{time_left} left"


class _Shown(Report):
    """A progress bar on a terminal, with an interim result below it."""

    def __init__(self, title: str, compiling: _Compiling) -> None:
        super().__init__(title, compiling)
        self._so_far: RenderableType = ""
        self._looked = 0.0

    def _show(self, so_far: Callable[[], RenderableType] | None) -> None:
        if so_far is not None and self._now - self._looked >= SECONDS_PER_LOOK:
            self._looked = self._now
            self._so_far = so_far()

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType | Segment]:
        from rich.segment import Segment
        from rich.text import Text

        room = options.max_width - 1
        rest = "  compiling" if self._compiling else self._left("  ")
        full = BAR * self._done // self._every
        how_far = f"  {'━' * full}{'─' * (BAR - full)} {self._percent:3d} %{rest}"
        title = Text(self._title, no_wrap=True)
        title.truncate(room - len(how_far), overflow="ellipsis")
        yield title.append(how_far)
        if not isinstance(self._so_far, str):
            # Lines beyond the height of the terminal could not be erased
            for part in console.render_lines(self._so_far, options)[: options.size.height - 2]:
                yield from (*part, Segment.line())
        elif self._so_far:
            line = Text(f"  {self._so_far}", no_wrap=True)
            line.truncate(room, overflow="ellipsis")
            yield line


class _Lines(Report):
    """A progress line every ten seconds, for files and pipes."""

    def __init__(self, title: str, stream: TextIO, compiling: _Compiling) -> None:
        super().__init__(title, compiling)
        self._stream = stream
        self._last = self._started

    def _show(self, so_far: Callable[[], RenderableType] | None) -> None:
        if self._now - self._last >= SECONDS_PER_LINE and self._done < self._every:
            self._last = self._now
            line = f"{self._title}: {self._percent} %{self._left(', ')}"
            print(printable(line), file=self._stream, flush=True)


class _Compiling:
    """A numba listener that measures the time spent compiling.

    Compilations are nested and run in one thread at a time. Their time is excluded from the pace.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._began = 0.0
        self._seconds = 0.0  # of finished compilations

    def notify(self, event: Any) -> None:
        """Record that a compilation starts or ends."""
        now = time.monotonic()
        if event.is_start and not self._depth:
            self._began = now
        self._depth += 1 if event.is_start else -1
        if not self._depth:
            self._seconds += now - self._began

    def __bool__(self) -> bool:
        """Return True if a function is being compiled."""
        return self._depth > 0

    def seconds(self) -> float:
        """Return the seconds spent compiling."""
        return self._seconds + (time.monotonic() - self._began if self else 0.0)
