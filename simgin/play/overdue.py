"""Watchdog for policies that do not return: it warns on stderr, then aborts the call.

A compiled policy in an endless loop cannot be stopped from outside. However, the engine notes which
policy it calls before each call. A thread reads these notes at intervals, so that the engine is not
slowed down.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import InvalidStateError
from contextlib import contextmanager, suppress
from typing import Any

from simgin.core import jit
from simgin.core.answers import SLOTS
from simgin.play.matchup import Matchup
from simgin.strategy import Policy
from simgin.strategy.interpret import NoAnswer
from simgin.text.messages import tell

SECONDS = 10.0  # seconds until a warning
PATIENCE = 60.0  # seconds until the call is aborted
BEAT = 1.0  # seconds between two checks
# At least one of these fields changes between two decisions of a deal.
_PLACE = ("unit", "half", "deal", "turns", "phase", "taken", "drawn", "asked_seat", "asked_slot")


class _Game:
    """Running kernel, and the time it has spent in the current decision."""

    def __init__(self, matchup: Matchup, state: Any, give_up: GiveUp) -> None:
        self._matchup = matchup
        self._state = state
        self._give_up = give_up
        self._place: tuple[int, ...] = ()
        self._waited = 0.0  # seconds, counted in checks so that a stopped process does not count

    def look(self) -> None:
        """Warn if the current policy call takes too long, and abort the call later."""
        place = tuple(int(self._state[name]) for name in _PLACE)
        self._waited = self._waited + BEAT if place == self._place else 0.0
        self._place = place
        if self._waited >= PATIENCE:
            _playing.discard(self)
            with suppress(InvalidStateError):  # The policy has just returned.
                self._give_up(NoAnswer(f"did not answer within {PATIENCE:g} s."))
        elif self._waited >= SECONDS:
            self._name()

    def _name(self) -> None:
        strategy = self._matchup.players[int(self._state.asked_seat != self._state.half)]
        policy = strategy.policy(SLOTS[self._state.asked_slot])
        if policy is None or policy.function in _named:
            return
        _named.add(policy.function)
        tell(describe(policy))


GiveUp = Callable[[BaseException], None]
_playing: set[_Game] = set()
_named: set[Callable[..., Any]] = set()  # functions of policies already reported
_lock = threading.Lock()
_thread: threading.Thread | None = None


def describe(policy: Policy) -> str:
    """Return a warning that names a policy that does not return and its source line."""
    line = policy.function.__code__.co_firstlineno
    place = f"{policy.home}:{line}"
    return (
        f"the {policy.slot} policy {policy.name!r} ({place}) has not answered for {SECONDS:.0f} "
        f"seconds: it may loop for ever. Ctrl-C stops; it is given up after {PATIENCE:g} s."
    )


@contextmanager
def watching(matchup: Matchup, state: Any, give_up: GiveUp) -> Iterator[None]:
    """Warn if a policy of a matchup does not return within the block, and abort it later.

    The watchdog is off under a debugger.

    Args:
        matchup: Matchup being played.
        state: Engine state, which shows the policy being called.
        give_up: Function called with the exception after the time limit.
    """
    if jit.interpreted():
        yield
        return
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_watch, name="overdue", daemon=True)
            _thread.start()
    game = _Game(matchup, state, give_up)
    _playing.add(game)
    try:
        yield
    finally:
        _playing.discard(game)


def _watch() -> None:
    while True:
        time.sleep(BEAT)
        for game in list(_playing):
            game.look()
