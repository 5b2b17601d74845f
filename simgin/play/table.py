"""A table: a deal or a match in which some seats are answered from outside.

table = Table(parse_matchup("simple", "champion", "standard", 1, "match"), outside=(0,))
while table.question is not None:
    table.answer(choose(table.question))  # what a seat sees holds no hidden card
    if table.is_deal_over:
        table.close_deal()

The engine asks, plays and scores: the answers that a strategy gives at a table are those of a run
with the same seed, unit and packs. See `simgin.play.stepping`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from simgin.core.answers import SLOTS
from simgin.core.ask import IllegalAnswer
from simgin.core.policy import HOOK
from simgin.core.state import MAX_QUESTIONS, WITHOUT_LOG, new_states
from simgin.core.view import VIEW
from simgin.play import kernel, stepping
from simgin.play.kernel import SOLO_SLOTS, PolicyFailure, describe_failure, seat_players
from simgin.play.matchup import Matchup
from simgin.play.watch import Question, WatchedDeal, cut_short, dealt_hands
from simgin.rules.build import build_rules
from simgin.strategy import interpret


class Games:
    """Many games of one matchup, each with records of its own, as `stepping` reads them.

    rows: stepping.GAME (games,), at `place` in memory. states: STATE (games,). views: VIEW (games,)
    of each seat. outside: the seats that are answered from outside. The engine finds records by
    their addresses, so each copy has its own memory and enters its own addresses.
    """

    def __init__(self, matchup: Matchup, outside: Collection[int], n: int) -> None:
        self.matchup = matchup
        self.outside = tuple(outside)
        self._allocate(n)
        self._enter_addresses()
        self.rows["outside"] = sum(1 << seat for seat in outside)
        self.rows["matches"] = matchup.unit == "match"
        self.rows["players"] = len(matchup.players)
        self.states["watched"] = -1  # only answers are kept
        self._enter_players()

    def _allocate(self, n: int) -> None:
        """Allocate the memory of n games."""
        self.states = new_states(self.matchup.seed, n)
        self.views = np.zeros(n, VIEW), np.zeros(n, VIEW)  # apart in memory for each seat
        self._copied = np.zeros(n, VIEW)
        self._kept = np.zeros((n, stepping.HEAD), np.int64)
        self.rows = np.zeros(n, stepping.GAME)

    def _enter_addresses(self) -> None:
        """Enter the addresses of the records of each game."""
        records = self.states, self._kept, *self.views, self._copied
        for name, array in zip(stepping.ADDRESSES, records, strict=True):
            self.rows[name] = array.ctypes.data + array.strides[0] * np.arange(len(array))
        self.place: int = self.rows.ctypes.data

    def _enter_players(self) -> None:
        """Enter the rules and the policies, whose addresses differ between processes."""
        self.rules = build_rules(self.matchup.variant)
        self.rows["rules"] = place_in_memory(self.rules)
        first = self.states[0]
        self._vectors = seat_players(first, self.matchup)  # the states hold only addresses
        for name in ("same", "noisy", "vectors", "lengths"):
            self.states[name] = first[name]
        players = len(self.matchup.players)
        if len(self.outside) < players:
            hooks = [*map(machine_code, kernel.compiled_hooks(self.matchup))]
            slots = [i for i, slot in enumerate(SLOTS) if players == 2 or slot in SOLO_SLOTS]
            self.rows["hooks"][:, :players, slots] = np.reshape(hooks, (players, -1))

    # Copies

    def __deepcopy__(self, memo: Any) -> Games:
        """Return independent games in the same position; rules and policies are shared."""
        twin = Games.__new__(Games)
        twin.__dict__.update(self.__dict__)
        twin._allocate(len(self.rows))
        twin._write(self._contents())
        return twin

    def __reduce__(self) -> Any:
        """Return the constructor, its arguments and the memory of the games, for pickle."""
        return Games, (self.matchup, self.outside, len(self.rows)), self._contents()

    def __setstate__(self, contents: list[np.ndarray]) -> None:
        """Continue pickled games in this process."""
        self._write(contents)
        self._enter_players()

    def _contents(self) -> list[np.ndarray]:
        """Return the memory of the games, the questions that a table has logged last."""
        n, first = len(self.rows), self.states[0]
        states = np.ndarray((n, WITHOUT_LOG), np.uint8, self.states.base)
        log = first["log"][: first["logged"] + 1 if first["watched"] > 0 else 0]
        return [states, *self.views, self._copied, self._kept, self.rows, log]

    def _write(self, contents: list[np.ndarray]) -> None:
        """Copy the memory of other games to that of these."""
        *records, log = contents
        for own, other in zip(self._contents(), records, strict=False):
            own[:] = other
        self.states[0]["log"][: len(log)] = log
        self._enter_addresses()


def place_in_memory(record: Any) -> int:
    """Where a record lies in memory."""
    return int(record.__array_interface__["data"][0])


def machine_code(hook: Any) -> int:
    """Where the machine code of a compiled policy lies, found as numba finds it."""
    version = hook.get_compile_result(HOOK)
    place: int = version.library.get_pointer_to_function(version.fndesc.llvm_func_name)
    return place


class IllegalMove(ValueError):
    """An answer from outside that the rules do not allow."""


class Table:
    """One game; see the top of the file. unit: the number of its packs in the random streams."""

    def __init__(self, matchup: Matchup, outside: Collection[int] = (0,), unit: int = 0) -> None:
        self._games = Games(matchup, outside, 1)
        self.state.watched = 1  # every question is kept
        self._step(stepping.BEGIN, unit)

    # Looked up on use, so that a copy of the table has its own

    @property
    def matchup(self) -> Matchup:
        """Who plays what."""
        return self._games.matchup

    @property
    def rules(self) -> np.record:
        """The rules that are played."""
        return self._games.rules

    @property
    def state(self) -> np.record:
        """The engine's state of the deal."""
        state: np.record = self._games.states[0]
        return state

    @property
    def _at(self) -> int:
        """ASKED, DEAL_OVER or GAME_OVER."""
        return int(self._games.rows["at"][0])

    def _step(self, how: int, number: int) -> None:
        try:
            with interpret.unwrapped():
                stepping.compiled_step()(self._games.place, how, number)
        except Exception as error:
            failure = describe_failure(self.matchup, self.state, error)
            raise PolicyFailure(failure) from (None if isinstance(error, IllegalAnswer) else error)

    @property
    def is_deal_over(self) -> bool:
        """Whether the deal is played, and neither entered nor followed by another."""
        return self._at == stepping.DEAL_OVER

    @property
    def is_over(self) -> bool:
        """Whether the deal or match is over, and entered."""
        return self._at == stepping.GAME_OVER

    @property
    def question(self) -> Question | None:
        """What is asked from outside, without an answer; None behind the end of the deal."""
        if self._at != stepping.ASKED:
            return None
        state = self.state
        view = self._games.views[state.asked_seat][0].copy()
        return Question(int(view.seat), SLOTS[state.asked_slot], view, None)

    @property
    def answers(self) -> list[int]:
        """All answers in the deal so far, those of strategies too."""
        state = self.state
        given: list[int] = state.answers[: state.scripted].tolist()
        return given

    def answer(self, answer: int) -> None:
        """Answer the question, and play on. Raises IllegalMove, which changes nothing."""
        legal = int(self.state.legal) if self._at == stepping.ASKED else 0
        if not 0 <= answer < 64 or not legal >> answer & 1:
            raise IllegalMove(f"{answer} is not among the legal answers")
        self._step(stepping.GIVE, answer)

    def go_back(self, length: int) -> None:
        """Take answers of the deal back, all but the first ones, and play on from there."""
        self._step(stepping.REPEAT, length)

    def repeat(self, answers: Sequence[int]) -> None:
        """Play the deal by these answers, of all seats, and on from there."""
        if len(answers) >= MAX_QUESTIONS:
            raise IllegalMove("a deal has fewer answers")
        self.state.answers[: len(answers)] = answers
        self.go_back(len(answers))

    def close_deal(self) -> None:
        """Enter a deal that is over, and begin the next one of the match."""
        self._step(stepping.CLOSE, 0)

    def watched(self) -> WatchedDeal:
        """The deal as far as it is played; before it is closed."""
        state, views = self.state.copy(), self._games.views
        deal = WatchedDeal(
            matchup=self.matchup,
            state=state,
            views=(views[0][0].copy(), views[1][0].copy()),
            fault="",
            raised=None,
            hands=dealt_hands(state, self.rules, alone=self.matchup.b is None),
        )
        return deal if self.is_deal_over else cut_short(deal, int(state.scripted), True)
