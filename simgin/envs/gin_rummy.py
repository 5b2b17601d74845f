"""Gin Rummy for PettingZoo and Gymnasium: `pip install 'simgin[rl]'`.

from simgin.envs import gin_rummy
env = gin_rummy.env(variant="oklahoma")             # PettingZoo: both seats from outside
env = gin_rummy.gym_env(opponent="champion")        # Gymnasium: one seat, or a game for one
envs = gin_rummy.vector_env(256, opponent="gold")   # many deals, stepped in one compiled call

An observation is a dict: `observation`, float32 (encoding.SIZE,), and `action_mask`, int8
(encoding.ACTIONS,); see `simgin.envs.encoding` for both. It holds no hidden card. A reward is what
a deal brought in points (the stake of a die, less the penalty); with unit="match" 1 or -1 at the
end of the match. An illegal action ends the game, at a reward of -100 (-1 of a match).
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from simgin.envs.encoding import ACTIONS, SIZE
from simgin.envs.seats import Seats

SEEDS = 2**63


def observation_space() -> spaces.Dict:
    """What a seat sees, and may do."""
    return spaces.Dict(
        {
            "observation": spaces.Box(-1000.0, 1000.0, (SIZE,), np.float32),
            "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8),
        }
    )


class SingleEnv(gymnasium.Env[dict[str, np.ndarray], np.int64]):
    """One seat against a strategy, or a game for one alone."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "name": "gin_rummy_v0"}

    def __init__(
        self,
        variant: str = "standard",
        opponent: str = "simple",
        unit: str = "deal",
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = render_mode
        self.observation_space = observation_space()
        self.action_space = spaces.Discrete(ACTIONS)
        self._seats = Seats(variant, opponent, unit, 1)
        self._is_seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin the first game of a seed, or the next one."""
        super().reset(seed=seed)
        if seed is None and not self._is_seeded:
            seed = int(self.np_random.integers(SEEDS))
        self._is_seeded = True
        self._seats.reset(seed)
        return self._seats.seen(), {}

    def step(self, action: Any) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Play on by an action, to the seat's next question or the end."""
        self._seats.step([action], again=False)
        ended = int(self._seats.ended[0])
        info = {"illegal_action": True} if ended == 2 else {}
        return self._seats.seen(), float(self._seats.rewards[0]), ended > 0, False, info

    def render(self) -> str | None:
        """The game as the seat sees it, with render_mode="ansi"."""
        return self._seats.text() if self.render_mode == "ansi" else None


class ManyEnv(VectorEnv[dict[str, np.ndarray], np.ndarray, np.ndarray]):
    """Many games of one seat against a strategy, stepped in one compiled call.

    A game that has ended begins anew with the next step, whose action is not read.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int,
        variant: str = "standard",
        opponent: str = "simple",
        unit: str = "deal",
        render_mode: str | None = None,
    ) -> None:
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = observation_space()
        self.single_action_space = spaces.Discrete(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seats = Seats(variant, opponent, unit, num_envs)
        self._is_seeded = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin the first games of a seed, one unit each, or the next ones."""
        if isinstance(seed, list):
            seed = seed[0]
        if seed is None and not self._is_seeded:
            seed = int(self.np_random.integers(SEEDS))
        self._is_seeded = True
        self._seats.reset(seed)
        return self._seen(), {}

    def step(
        self, actions: Any
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play each game on by an action."""
        self._seats.step(actions)
        truncated = np.zeros(self.num_envs, bool)
        return self._seen(), self._seats.rewards.copy(), self._seats.ended > 0, truncated, {}

    def _seen(self) -> dict[str, np.ndarray]:
        seats = self._seats
        return {"observation": seats.observations.copy(), "action_mask": seats.masks.copy()}

    def render(self) -> tuple[str, ...] | None:
        """The games as their seats see them, with render_mode="ansi"."""
        if self.render_mode != "ansi":
            return None
        return tuple(self._seats.text(game) for game in range(self.num_envs))


class TurnEnv(AECEnv[str, dict[str, np.ndarray], int | None]):
    """All seats from outside, one question after another."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"],
        "name": "gin_rummy_v0",
        "is_parallelizable": False,
    }

    def __init__(
        self, variant: str = "standard", unit: str = "deal", render_mode: str | None = None
    ) -> None:
        super().__init__()
        self.render_mode = render_mode
        self._seats = Seats(variant, None, unit, 1)
        players = len(self._seats.matchup.players)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents = self.possible_agents[:]
        self.observation_spaces = {agent: observation_space() for agent in self.agents}
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.agents}
        self._rng = np.random.default_rng()
        self._is_seeded = False

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What a seat sees, and may do."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """All actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the first game of a seed, or the next one."""
        if seed is None and not self._is_seeded:
            seed = int(self._rng.integers(SEEDS))
        self._is_seeded = True
        self._seats.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        blank: dict[str, np.ndarray] = {
            "observation": np.zeros(SIZE, np.float32),
            "action_mask": np.zeros(ACTIONS, np.int8),
        }
        self._last = dict.fromkeys(self.agents, blank)
        self._look()

    def _look(self) -> None:
        """Let the seat that is asked see its question."""
        self.agent_selection = self.possible_agents[self._seats.seat()]
        self._last[self.agent_selection] = self._seats.seen()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What a seat saw when it was last asked; it may act only if it is asked now."""
        seen = self._last[agent]
        is_asked = agent == self.agent_selection and not self.terminations[agent]
        mask = seen["action_mask"] if is_asked else np.zeros_like(seen["action_mask"])
        return {"observation": seen["observation"].copy(), "action_mask": mask.copy()}

    def step(self, action: int | None) -> None:
        """Answer the question, and go on to the next."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seat = self._seats.seat()
        self._cumulative_rewards[agent] = 0.0
        self._seats.step([action], again=False)
        gained, ended = float(self._seats.rewards[0]), int(self._seats.ended[0])
        if ended == 2 and seat == 1:
            gained = -gained
        self.rewards = {
            one: -gained if place else gained for place, one in enumerate(self.possible_agents)
        }
        if ended:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[(seat + 1) % len(self.possible_agents)]
        else:
            self._look()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The game as the seat that is asked sees it, with render_mode="ansi"."""
        return self._seats.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is open."""


def env(
    variant: str = "standard", unit: str = "deal", render_mode: str | None = None
) -> AECEnv[str, dict[str, np.ndarray], int | None]:
    """The PettingZoo environment, with the wrappers that check how it is used."""
    return wrappers.OrderEnforcingWrapper(TurnEnv(variant, unit, render_mode))


gym_env = SingleEnv
vector_env = ManyEnv
raw_env = TurnEnv
