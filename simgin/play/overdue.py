"""Policies that do not answer: named on stderr while the engine waits for them, then given up.

A compiled policy that loops for ever cannot be stopped from outside, but the engine notes whom it
asks before it asks. A thread looks at these notes now and then; the engine is not slowed down.
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

SECONDS = 10.0  # without an answer, until a policy is named
PATIENCE = 60.0  # until it is given up
BEAT = 1.0  # seconds between two looks
# Between two questions of a deal at least one of these changes
_PLACE = ("unit", "half", "deal", "turns", "phase", "taken", "drawn", "asked_seat", "asked_slot")


class _Game:
    """A kernel that is playing, and since when it has been at the same question."""

    def __init__(self, matchup: Matchup, state: Any, give_up: GiveUp) -> None:
        self._matchup = matchup
        self._state = state
        self._give_up = give_up
        self._place: tuple[int, ...] = ()
        self._waited = 0.0  # counted in looks: time in which the process is stopped is no answer's

    def look(self) -> None:
        """Name the policy that is being asked if it is overdue, and give it up later."""
        place = tuple(int(self._state[name]) for name in _PLACE)
        self._waited = self._waited + BEAT if place == self._place else 0.0
        self._place = place
        if self._waited >= PATIENCE:
            _playing.discard(self)
            with suppress(InvalidStateError):  # it has just answered
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
_named: set[Callable[..., Any]] = set()  # functions of policies
_lock = threading.Lock()
_thread: threading.Thread | None = None


def describe(policy: Policy) -> str:
    """That a policy does not answer, and where it is written."""
    line = policy.function.__code__.co_firstlineno
    place = f"{policy.home}:{line}"
    return (
        f"the {policy.slot} policy {policy.name!r} ({place}) has not answered for {SECONDS:.0f} "
        f"seconds: it may loop for ever. Ctrl-C stops; it is given up after {PATIENCE:g} s."
    )


@contextmanager
def watching(matchup: Matchup, state: Any, give_up: GiveUp) -> Iterator[None]:
    """Name a policy of a matchup that does not answer while the block lasts, and give it up.

    state: the engine's record, which tells whom it asks. give_up: called with the failure. Not
    under a debugger.
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
