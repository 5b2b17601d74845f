"""Deals and matches in which some seats are played by external programs.

table = GameTable(parse_matchup("simple", "champion", "standard", 1, "match"), external_seats=(0,))
while table.decision is not None:
    table.act(choose(table.decision))  # The view contains no hidden card.
    if table.is_deal_over:
        table.close_deal()

The engine calls policies, plays and scores. The actions of a strategy in a game are those of a run
with the same seed, unit and shuffles. See `simgin.play.stepping`.
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
    """Games of one matchup, each with its own records, in the layout of `stepping`.

    The engine finds records by their addresses. Each copy therefore has its own memory and its own
    addresses.

    Attributes:
        matchup: Matchup that is played.
        external_seats: Seats played by external programs.
        states: Engine states, (n_games,) STATE.
        views: Views of each seat, (n_games,) VIEW each.
        records: Games, (n_games,) stepping.GAME.
        address: Address of the first game.
        rules: Rules record.
    """

    def __init__(self, matchup: Matchup, outside: Collection[int], n: int) -> None:
        self.matchup = matchup
        self.outside = tuple(outside)
        self._allocate(n)
        self._enter_addresses()
        self.rows["outside"] = sum(1 << seat for seat in outside)
        self.rows["matches"] = matchup.unit == "match"
        self.rows["players"] = len(matchup.players)
        self.states["watched"] = -1  # Log only actions.
        self._enter_players()

    def _allocate(self, n: int) -> None:
        """Allocate the memory of n games."""
        self.states = new_states(self.matchup.seed, n)
        self.views = np.zeros(n, VIEW), np.zeros(n, VIEW)  # contiguous for each seat
        self._copied = np.zeros(n, VIEW)
        self._kept = np.zeros((n, stepping.HEAD), np.int64)
        self.rows = np.zeros(n, stepping.GAME)

    def _enter_addresses(self) -> None:
        """Set the addresses of the records of each game."""
        records = self.states, self._kept, *self.views, self._copied
        for name, array in zip(stepping.ADDRESSES, records, strict=True):
            self.rows[name] = array.ctypes.data + array.strides[0] * np.arange(len(array))
        self.place: int = self.rows.ctypes.data

    def _enter_players(self) -> None:
        """Set the rules and policies, whose addresses differ between processes."""
        self.rules = build_rules(self.matchup.variant)
        self.rows["rules"] = place_in_memory(self.rules)
        first = self.states[0]
        self._vectors = seat_players(first, self.matchup)  # The states hold only addresses.
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
        """Return the memory of the games; the last array is the log of a table's decisions."""
        n, first = len(self.rows), self.states[0]
        states = np.ndarray((n, WITHOUT_LOG), np.uint8, self.states.base)
        log = first["log"][: first["logged"] + 1 if first["watched"] > 0 else 0]
        return [states, *self.views, self._copied, self._kept, self.rows, log]

    def _write(self, contents: list[np.ndarray]) -> None:
        """Copy the memory of other games to these games."""
        *records, log = contents
        for own, other in zip(self._contents(), records, strict=False):
            own[:] = other
        self.states[0]["log"][: len(log)] = log
        self._enter_addresses()


def place_in_memory(record: Any) -> int:
    """Return the address of a record."""
    return int(record.__array_interface__["data"][0])


def machine_code(hook: Any) -> int:
    """Return the address of the machine code of a compiled policy, as numba finds it."""
    version = hook.get_compile_result(HOOK)
    place: int = version.library.get_pointer_to_function(version.fndesc.llvm_func_name)
    return place


class IllegalMove(ValueError):
    """Error for an external action that is not legal."""


class Table:
    """One game with external seats; see the module docstring.

    Args:
        matchup: Matchup; the strategies of external seats are not called.
        outside: Seats played by external programs.
        unit: Number of the shuffles in the random streams.
    """

    def __init__(self, matchup: Matchup, outside: Collection[int] = (0,), unit: int = 0) -> None:
        self._games = Games(matchup, outside, 1)
        self.state.watched = 1  # Log every decision.
        self._step(stepping.BEGIN, unit)

    # Properties rather than attributes, so that a copy of the table uses its own games

    @property
    def matchup(self) -> Matchup:
        """Matchup that is played."""
        return self._games.matchup

    @property
    def rules(self) -> np.record:
        """Rules record."""
        return self._games.rules

    @property
    def state(self) -> np.record:
        """Engine state of the deal."""
        state: np.record = self._games.states[0]
        return state

    @property
    def _at(self) -> int:
        """Status: ASKED, DEAL_OVER or GAME_OVER of `stepping`."""
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
        """True if the deal has ended, and its result has not been applied to the match yet."""
        return self._at == stepping.DEAL_OVER

    @property
    def is_over(self) -> bool:
        """True if the deal or match is over, and its result has been applied."""
        return self._at == stepping.GAME_OVER

    @property
    def question(self) -> Question | None:
        """Pending decision of an external seat, without an action; None after the deal."""
        if self._at != stepping.ASKED:
            return None
        state = self.state
        view = self._games.views[state.asked_seat][0].copy()
        return Question(int(view.seat), SLOTS[state.asked_slot], view, None)

    @property
    def answers(self) -> list[int]:
        """Actions of the deal so far, including those of strategies."""
        state = self.state
        given: list[int] = state.answers[: state.scripted].tolist()
        return given

    def answer(self, answer: int) -> None:
        """Make the pending decision, and advance to the next one.

        Raises:
            IllegalMove: The action is not legal; the game is unchanged.
        """
        legal = int(self.state.legal) if self._at == stepping.ASKED else 0
        if not 0 <= answer < 64 or not legal >> answer & 1:
            raise IllegalMove(f"{answer} is not among the legal answers")
        self._step(stepping.GIVE, answer)

    def go_back(self, length: int) -> None:
        """Undo all actions of the deal except the first `length`, and advance from there."""
        self._step(stepping.REPEAT, length)

    def repeat(self, answers: Sequence[int]) -> None:
        """Replay the deal by the given actions of all seats, and advance from there."""
        if len(answers) >= MAX_QUESTIONS:
            raise IllegalMove("a deal has fewer answers")
        self.state.answers[: len(answers)] = answers
        self.go_back(len(answers))

    def close_deal(self) -> None:
        """Apply the result of a finished deal, and begin the next deal of the match."""
        self._step(stepping.CLOSE, 0)

    def watched(self) -> WatchedDeal:
        """Return the trace of the deal so far; the deal must not be closed yet."""
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
