"""Live progress on stderr: a bar on a terminal, one plain line every ten seconds elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

SECONDS_PER_LINE = 10.0


@contextmanager
def live(title: str, stream: TextIO | None = None) -> Iterator[Callable[[int, int], None]]:
    """A callback (units done, units in all) to hand to the runner while the block lasts."""
    stream = sys.stderr if stream is None else stream
    if not stream.isatty():
        yield _lines(title, stream)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=stream), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, every: bar.update(task, completed=done, total=every)


def _lines(title: str, stream: TextIO) -> Callable[[int, int], None]:
    started = last = time.monotonic()

    def report(done: int, every: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SECONDS_PER_LINE and done < every:
            last = now
            print(
                f"{title}: {100 * done // every} %, {_left(started, now, done, every)} left",
                file=stream,
                flush=True,
            )

    return report


def _left(started: float, now: float, done: int, every: int) -> str:
    seconds = round((now - started) * (every - done) / max(done, 1))
    return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"
