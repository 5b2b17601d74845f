"""How long numba has been compiling, which says nothing about how fast deals are played."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event


class Compiling(event.Listener):  # type: ignore[misc]
    """Hears numba begin and end to compile: functions in one another, one thread at a time."""

    def __init__(self) -> None:
        self._depth = 0
        self._began = 0.0
        self._seconds = 0.0  # of what was compiled

    def on_start(self, event: Any) -> None:
        """A function is compiled from now on."""
        if not self._depth:
            self._began = time.monotonic()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """A function is compiled."""
        self._depth -= 1
        if not self._depth:
            self._seconds += time.monotonic() - self._began

    def __bool__(self) -> bool:
        """Whether something is being compiled."""
        return self._depth > 0

    def seconds(self) -> float:
        """How long it has taken."""
        return self._seconds + (time.monotonic() - self._began if self else 0.0)


@contextmanager
def listening() -> Iterator[Compiling]:
    """What hears the compiler while the block lasts."""
    listener = Compiling()
    with event.install_listener("numba:compile", listener):
        yield listener
