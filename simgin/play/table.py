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
from simgin.core.state import MAX_QUESTIONS, new_states
from simgin.play import kernel, stepping
from simgin.play.kernel import SOLO_SLOTS, PolicyFailure, describe_failure, seat_players
from simgin.play.matchup import Matchup
from simgin.play.watch import Question, WatchedDeal, cut_short, dealt_hands
from simgin.rules.build import build_rules
from simgin.strategy import interpret


class Games:
    """Many games of one matchup, each with records of its own, as `stepping` reads them.

    rows: stepping.GAME (games,). outside: the seats that are answered from outside.
    """

    def __init__(self, matchup: Matchup, outside: Collection[int], n: int) -> None:
        self.matchup = matchup
        self.rules = build_rules(matchup.variant)
        self.states = new_states(matchup.seed, n)
        self.views = [kernel.new_views() for _ in range(n)]
        self.rows = np.zeros(n, stepping.GAME)
        self._kept = np.zeros((n, stepping.HEAD), np.int64)
        self._vectors = seat_players(self.states[0], matchup)  # the states hold only addresses
        players = len(matchup.players)
        for name, records in (
            ("state", self.states),
            ("kept", self._kept),
            ("view0", [views[0] for views in self.views]),
            ("view1", [views[1] for views in self.views]),
        ):
            self.rows[name] = [*map(place_in_memory, records)]
        self.rows["rules"] = place_in_memory(self.rules)
        self.rows["outside"] = sum(1 << seat for seat in outside)
        self.rows["matches"] = matchup.unit == "match"
        self.rows["players"] = players
        for state in self.states:
            state.watched = -1  # only answers are kept
            for name in ("same", "noisy", "vectors", "lengths"):
                state[name] = self.states[0][name]
        if len(outside) < players:
            hooks = [*map(machine_code, kernel.compiled_hooks(matchup))]
            slots = [i for i, slot in enumerate(SLOTS) if players == 2 or slot in SOLO_SLOTS]
            self.rows["hooks"][:, :players, slots] = np.reshape(hooks, (players, -1))


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
        self.matchup = matchup
        self._games = Games(matchup, outside, 1)
        self._game = self._games.rows[0]
        self._place = place_in_memory(self._games.rows)
        self.rules = self._games.rules
        self.state = self._games.states[0]
        self.state.watched = 1  # every question is kept
        self._step(stepping.BEGIN, unit)

    def _step(self, how: int, number: int) -> None:
        try:
            with interpret.unwrapped():
                stepping.compiled_step()(self._place, how, number)
        except Exception as error:
            failure = describe_failure(self.matchup, self.state, error)
            raise PolicyFailure(failure) from (None if isinstance(error, IllegalAnswer) else error)

    @property
    def is_deal_over(self) -> bool:
        """Whether the deal is played, and neither entered nor followed by another."""
        return bool(self._game.at == stepping.DEAL_OVER)

    @property
    def is_over(self) -> bool:
        """Whether the deal or match is over, and entered."""
        return bool(self._game.at == stepping.GAME_OVER)

    @property
    def question(self) -> Question | None:
        """What is asked from outside, without an answer; None behind the end of the deal."""
        if self._game.at != stepping.ASKED:
            return None
        view = self._games.views[0][int(self.state.asked_seat)].copy()
        return Question(int(view.seat), SLOTS[self.state.asked_slot], view, None)

    @property
    def answers(self) -> list[int]:
        """All answers in the deal so far, those of strategies too."""
        given: list[int] = self.state.answers[: self.state.scripted].tolist()
        return given

    def answer(self, answer: int) -> None:
        """Answer the question, and play on. Raises IllegalMove, which changes nothing."""
        legal = int(self.state.legal) if self._game.at == stepping.ASKED else 0
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
        state, views = self.state.copy(), self._games.views[0]
        deal = WatchedDeal(
            matchup=self.matchup,
            state=state,
            views=(views[0].copy(), views[1].copy()),
            fault="",
            raised=None,
            hands=dealt_hands(state, self.rules, alone=self.matchup.b is None),
        )
        return deal if self.is_deal_over else cut_short(deal, int(state.scripted), True)
