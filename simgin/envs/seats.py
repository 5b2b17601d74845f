"""The games of an environment: reset, stepped and shown as arrays; what both interfaces share."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from simgin.core.answers import SLOTS
from simgin.envs import encoding
from simgin.play import stepping
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.seat import table_lines
from simgin.play.table import Games
from simgin.play.watch import Question
from simgin.rules import variants
from simgin.strategy import interpret


class Seats:
    """Games of an environment with the arrays that they are seen in.

    opponent: who plays seat 1; None if it is answered from outside, too, or if there is none.
    unit: deal or match. rewards: float64 (games,), of seat 0. ended: int64 (games,), 1 for a game
    that is over and 2 for one ended by an illegal action.
    """

    def __init__(self, variant: str, opponent: str | None, unit: str, n: int) -> None:
        row = variants.find(variant).row
        stand_in = (
            "simple" if row["players"] == 2 else "solo-greedy"
        )  # its answers are not asked for
        b = (opponent or stand_in) if row["players"] == 2 else None
        self.matchup: Matchup = parse_matchup(
            stand_in, b, variant, 0, "match" if unit == "match" else "deal"
        )
        outside: Collection[int] = (0,) if opponent or b is None else (0, 1)
        self.games = Games(self.matchup, outside, n)
        self.units = np.arange(n)
        self.observations = np.zeros((n, encoding.SIZE), np.float32)
        self.observations[:, -encoding.N_RULES :] = encoding.rule_numbers(self.games.rules)
        self.masks = np.zeros((n, encoding.ACTIONS), np.int8)
        self.rewards = np.zeros(n)
        self.ended = np.zeros(n, np.int64)
        self._begin, self._step = encoding.compiled_games()

    def reset(self, seed: int | None) -> None:
        """Begin each game: the first ones of a seed, or else the next ones."""
        n = len(self.units)
        if seed is not None:
            self.units[:] = np.arange(n)
            for state, views in zip(self.games.states, self.games.views, strict=True):
                state.seed = seed
                for view in views:
                    for name in view.dtype.names:
                        view[name] = 0
        self.ended[:] = 0
        with interpret.unwrapped():
            self._begin(self.games.rows, self.units, n, self.observations, self.masks)

    def step(self, actions: Any, again: bool = True) -> None:
        """Play each game on by an action; again: those that have ended begin anew instead."""
        stride = len(self.units) if again else 0
        with interpret.unwrapped():
            self._step(
                self.games.rows, self.units, stride, np.asarray(actions, np.int64),
                self.rewards, self.ended, self.observations, self.masks,
            )  # fmt: skip

    def seen(self, game: int = 0) -> dict[str, np.ndarray]:
        """What the seat that is asked in one of the games sees, and may do."""
        return {
            "observation": self.observations[game].copy(),
            "action_mask": self.masks[game].copy(),
        }

    def seat(self, game: int = 0) -> int:
        """The seat that is asked in one of the games."""
        return int(self.games.states[game].asked_seat)

    def text(self, game: int = 0) -> str:
        """One of the games as the seat that is asked sees it."""
        if self.games.rows[game, stepping.AT] != stepping.ASKED:
            return "The game is over"
        state = self.games.states[game]
        view = self.games.views[game][self.seat(game)]
        asked = Question(self.seat(game), SLOTS[state.asked_slot], view, None)
        opponent = "" if self.matchup.b is None else "opponent"
        return "\n".join(
            table_lines(asked, self.games.rules, opponent, max(0, int(view.turns) - 2))
        )
