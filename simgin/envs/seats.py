"""The games of an environment: reset, stepped and shown as arrays; what both interfaces share."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from simgin.core.answers import SLOTS
from simgin.envs import encoding
from simgin.play import stepping
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.seat import table_lines
from simgin.play.table import Games, place_in_memory
from simgin.play.watch import Question
from simgin.rules import variants
from simgin.strategy import interpret


class Seats:
    """Games of an environment with the arrays that they are seen in.

    opponent: who plays seat 1; None if it is answered from outside, too, or if there is none.
    unit: deal or match. units: of the next games. asked: the seats
    that are asked. rewards: of seat 0. ended: 1 for a game that is over, 2 for one ended by an
    illegal action. All int64 (games,). observations, masks: what the seats that are asked see, and
    may do, a row for each game; new arrays with every step, unless copy is false.
    """

    def __init__(
        self, variant: str, opponent: str | None, unit: str, n: int, copy: bool = True
    ) -> None:
        alone = variants.find(variant).row["players"] == 1
        # A seat that is answered from outside is filled by a strategy that is never asked. Only its
        # order counts: the ending before the discard, as in `strategy_of`.
        a, b = ("solo-greedy", None) if alone else ("gold", opponent or "gold")
        matchup = parse_matchup(a, b, variant, 0, "match" if unit == "match" else "deal")
        self.matchup: Matchup = matchup
        outside = (0,) if opponent or alone else (0, 1)
        self.games = Games(self.matchup, outside, n)
        rows = self.games.rows
        self.units, self.ended = rows["unit"], rows["ended"]
        self.actions, self.rewards = rows["action"], rows["reward"]
        self.asked = rows["seat"]
        self.observations = np.zeros((n, encoding.SIZE), np.float32)
        self.observations[:, -encoding.N_RULES :] = encoding.rule_numbers(self.games.rules)
        self.masks = np.zeros((n, encoding.ACTIONS), np.int8)
        self._step, self._place = encoding.compiled_step(), place_in_memory(rows)
        self._copy = copy
        self._is_seeded = False

    def reset(self, seed: int | None) -> None:
        """Begin each game: the first ones of a seed, or else the next ones."""
        if seed is None and not self._is_seeded:
            seed = secrets.randbits(63)
        if seed is not None:
            self._is_seeded = True
            self.units[:] = np.arange(len(self.units))
            for state, views in zip(self.games.states, self.games.views, strict=True):
                state.seed = seed
                for view in views:
                    for name in view.dtype.names:
                        view[name] = 0
        self.ended[:] = 1
        self._call(len(self.units))

    def step(self, actions: Any, again: bool = True) -> None:
        """Play each game on by an action; again: those that have ended begin anew instead."""
        self.actions[:] = actions
        self._call(len(self.units) if again else 0)

    def _call(self, stride: int) -> None:
        before = self.observations
        if self._copy:
            self.observations, self.masks = np.empty_like(before), np.empty_like(self.masks)
        try:
            self._step(self._place, stride, before, self.observations, self.masks)
        except BaseException:
            with interpret.unwrapped():
                raise

    def seen(self) -> dict[str, np.ndarray]:
        """What the seats that are asked see, and may do; a row for each game."""
        return {"observation": self.observations, "action_mask": self.masks}

    def seen_by_one(self) -> dict[str, np.ndarray]:
        """The same of a single game."""
        return {"observation": self.observations[0], "action_mask": self.masks[0]}

    def text(self, game: int = 0) -> str:
        """One of the games as the seat that is asked sees it."""
        if self.games.rows[game].at != stepping.ASKED:
            return "The game is over"
        seat, slot = self.asked[game], SLOTS[self.games.states[game].asked_slot]
        asked = Question(int(seat), slot, self.games.views[game][seat], None)
        opponent = "" if self.matchup.b is None else "opponent"
        return "\n".join(table_lines(asked, self.games.rules, opponent))
