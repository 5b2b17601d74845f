"""Live progress on stderr: on a terminal what is found so far, elsewhere a line every ten seconds.

On a terminal a bar, and below it a line or a table, stand below what was printed, and are gone at
the end.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from simgin.text.messages import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

SECONDS_PER_LINE = 10.0
SECONDS_PER_LOOK = 0.5
BAR = 24  # characters


@contextmanager
def live(title: str, stream: TextIO | None = None) -> Iterator[Report]:
    """What takes the progress while the block lasts: to hand to whoever plays."""
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield _Lines(title, stream)
        return
    from rich.live import Live

    from simgin.report.terminal import Terminal

    shown = _Shown(title)
    console = Terminal(file=stream, highlight=False)
    rate = 1 / SECONDS_PER_LOOK
    with Live(
        console=console, get_renderable=lambda: shown, refresh_per_second=rate, transient=True
    ):
        yield shown


class Report:
    """Takes units done and units in all, and what tells the result so far: a line or a table."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._clock = _Clock()

    def __call__(
        self, done: int, every: int, so_far: Callable[[], RenderableType] | None = None
    ) -> None:
        """Note how far it is. `so_far` is called on a terminal only, twice a second at most."""
        self._clock.note(done, every)
        self._show(so_far)

    def _show(self, so_far: Callable[[], RenderableType] | None) -> None:
        """Show what was noted, if it is time."""
        raise NotImplementedError


class _Shown(Report):
    """The lines on a terminal: how far it is, and the result so far."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._so_far: RenderableType = ""
        self._looked = 0.0

    def _show(self, so_far: Callable[[], RenderableType] | None) -> None:
        now = self._clock.now
        if so_far is not None and now - self._looked >= SECONDS_PER_LOOK:
            self._looked = now
            self._so_far = so_far()

    def __rich_console__(
        self, _console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        room = options.max_width - 1
        how_far = f"  {self._clock.bar()}  {self._clock.left()} left"
        title = Text(self._title, no_wrap=True)
        title.truncate(room - len(how_far), overflow="ellipsis")
        yield title.append(how_far)
        if not isinstance(self._so_far, str):
            yield self._so_far
        elif self._so_far:
            line = Text(f"  {self._so_far}", no_wrap=True)
            line.truncate(room, overflow="ellipsis")
            yield line


class _Lines(Report):
    """A line every ten seconds, for files and pipes."""

    def __init__(self, title: str, stream: TextIO) -> None:
        super().__init__(title)
        self._stream = stream
        self._last = self._clock.started

    def _show(self, so_far: Callable[[], RenderableType] | None) -> None:
        clock = self._clock
        if clock.now - self._last >= SECONDS_PER_LINE and not clock.is_done:
            self._last = clock.now
            line = f"{self._title}: {clock.percent} %, {clock.left()} left"
            print(printable(line), file=self._stream, flush=True)


class _Clock:
    """How much of the work is done, and how long the rest takes at the pace so far."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.now = self.started
        self._before = -1  # done when the work began: a run may be resumed
        self._done = 0
        self._every = 1

    def note(self, done: int, every: int) -> None:
        """Note how far it is."""
        self.now = time.monotonic()
        if self._before < 0:
            self._before = done
        self._done = done
        self._every = max(1, every)

    @property
    def percent(self) -> int:
        """How much of the work is done."""
        return 100 * self._done // self._every

    @property
    def is_done(self) -> bool:
        """Whether all of the work is done."""
        return self._done >= self._every

    def bar(self) -> str:
        """`━━━━────  50 %`."""
        full = BAR * self._done // self._every
        empty = BAR - full
        return f"{'━' * full}{'─' * empty} {self.percent:3d} %"

    def left(self) -> str:
        """`44 s`, `3 min 20 s`, or a question mark before anything is done."""
        done_now = self._done - self._before
        if self._before < 0 or done_now == 0:
            return "?"
        elapsed = self.now - self.started
        rest = self._every - self._done
        seconds = round(elapsed * rest / done_now)
        if seconds < 60:
            return f"{seconds} s"
        return f"{seconds // 60} min {seconds % 60} s"
