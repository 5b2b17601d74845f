"""Watchdog that warns about policy calls that do not return, and then aborts them.

A compiled policy in an endless loop cannot be stopped from outside. The engine records each policy
before calling it, and a thread reads these records at intervals. The records do not slow the engine
down.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import InvalidStateError
from contextlib import contextmanager, suppress
from typing import Any

from simgin.core import jit
from simgin.core.codes import SLOTS
from simgin.play.matchup import Matchup
from simgin.strategy import Policy
from simgin.strategy.python_tier import InvalidActionError
from simgin.text.messages import print_status

WARN_AFTER_SECONDS = 10.0  # time in seconds before the warning
ABORT_AFTER_SECONDS = 60.0  # time in seconds before the call is aborted
CHECK_INTERVAL_SECONDS = 1.0  # seconds between two checks
# State fields. Between two decisions of a deal, at least one of these fields changes.
_DECISION_FIELDS = (
    "unit",
    "half",
    "deal",
    "turns",
    "phase",
    "taken",
    "drawn",
    "query_seat",
    "query_slot",
)


class _RunningKernel:
    """Running kernel, with the time spent in the current policy call."""

    def __init__(self, matchup: Matchup, state: Any, on_timeout: TimeoutCallback) -> None:
        self._matchup = matchup
        self._state = state
        self._on_timeout = on_timeout
        self._decision: tuple[int, ...] = ()
        # The waiting time in seconds is the number of checks times their interval, so that pauses
        # of the process do not count.
        self._waiting_seconds = 0.0

    def check(self) -> None:
        """Warn if the current policy call takes too long, and later abort the call."""
        key = tuple(int(self._state[name]) for name in _DECISION_FIELDS)
        self._waiting_seconds = (
            self._waiting_seconds + CHECK_INTERVAL_SECONDS if key == self._decision else 0.0
        )
        self._decision = key
        if self._waiting_seconds >= ABORT_AFTER_SECONDS:
            _running_kernels.discard(self)
            with suppress(InvalidStateError):  # The policy returned before the call was aborted.
                self._on_timeout(
                    InvalidActionError(f"did not return within {ABORT_AFTER_SECONDS:g} s.")
                )
        elif self._waiting_seconds >= WARN_AFTER_SECONDS:
            self._warn()

    def _warn(self) -> None:
        """Print a warning about the current policy call, once per policy."""
        strategy = self._matchup.players[int(self._state.query_seat != self._state.half)]
        policy = strategy.policy(SLOTS[self._state.query_slot])
        if policy is None or policy.function in _reported_functions:
            return
        _reported_functions.add(policy.function)
        print_status(format_unresponsive_warning(policy))


TimeoutCallback = Callable[[BaseException], None]
_running_kernels: set[_RunningKernel] = set()
_reported_functions: set[Callable[..., Any]] = (
    set()
)  # policy functions for which a warning was printed
_thread_lock = threading.Lock()
_watchdog_thread: threading.Thread | None = None


def format_unresponsive_warning(policy: Policy) -> str:
    """Return a warning about a policy call that does not return, with the source line."""
    line = policy.function.__code__.co_firstlineno
    location = f"{policy.location}:{line}"
    return (
        f"the {policy.slot} policy {policy.name!r} ({location}) has not returned for "
        f"{WARN_AFTER_SECONDS:.0f} s. It might be in an endless loop. Press Ctrl-C to stop, or "
        f"wait for the abort after {ABORT_AFTER_SECONDS:g} s."
    )


@contextmanager
def watch_policies(matchup: Matchup, state: Any, on_timeout: TimeoutCallback) -> Iterator[None]:
    """Within a `with` block, warn about slow policy calls, and abort them after a time limit.

    The watchdog is disabled while a debugger is active.

    Args:
        matchup: Matchup being played.
        state: Engine state, which shows the policy being called.
        on_timeout: Function that is called with an exception after the time limit.
    """
    if jit.is_interpreted():
        yield
        return
    global _watchdog_thread
    with _thread_lock:
        if _watchdog_thread is None:
            _watchdog_thread = threading.Thread(
                target=_watch_loop, name="policy watchdog", daemon=True
            )
            _watchdog_thread.start()
    running_kernel = _RunningKernel(matchup, state, on_timeout)
    _running_kernels.add(running_kernel)
    try:
        yield
    finally:
        _running_kernels.discard(running_kernel)


def _watch_loop() -> None:
    """Check all running kernels at regular intervals."""
    while True:
        time.sleep(CHECK_INTERVAL_SECONDS)
        for running_kernel in list(_running_kernels):
            running_kernel.check()
