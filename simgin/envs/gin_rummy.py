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

Seen = dict[str, np.ndarray]
OBSERVATIONS = spaces.Dict(
    {
        "observation": spaces.Box(-1000.0, 1000.0, (SIZE,), np.float32),
        "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8),
    }
)


class SingleEnv(gymnasium.Env[Seen, np.int64]):
    """One seat against a strategy, or a game for one alone."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "name": "gin_rummy_v0"}
    observation_space = OBSERVATIONS

    def __init__(
        self,
        variant: str = "standard",
        opponent: str = "simple",
        unit: str = "deal",
        render_mode: str | None = None,
    ) -> None:
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(ACTIONS)
        self._seats = Seats(variant, opponent, unit, 1)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begin the first game of a seed, or the next one."""
        super().reset(seed=seed)
        self._seats.reset(seed)
        return self._seats.seen_by_one(), {}

    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Play on by an action, to the seat's next question or the end."""
        seats = self._seats
        seats.step(action, again=False)
        ended = seats.ended.item()
        info = {"illegal_action": True} if ended == 2 else {}
        return seats.seen_by_one(), float(seats.rewards.item()), ended > 0, False, info

    def render(self) -> str | None:
        """The game as the seat sees it, with render_mode="ansi"."""
        return self._seats.text() if self.render_mode == "ansi" else None


class ManyEnv(VectorEnv[Seen, np.ndarray, np.ndarray]):
    """Many games of one seat against a strategy, stepped in one compiled call.

    A game that has ended begins anew with the next step, whose action is not read. copy: as of
    Gymnasium's vector environments; without it the next step writes over an observation.
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
        copy: bool = True,
    ) -> None:
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = OBSERVATIONS
        self.single_action_space = spaces.Discrete(ACTIONS)
        self.observation_space = batch_space(OBSERVATIONS, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seats = Seats(variant, opponent, unit, num_envs, copy)
        self._truncated = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Begin the first games of a seed, one unit each, or the next ones."""
        self._seats.reset(seed[0] if isinstance(seed, list) else seed)
        return self._seats.seen(), {}

    def step(self, actions: Any) -> tuple[Seen, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play each game on by an action."""
        seats = self._seats
        seats.step(actions)
        rewards = seats.rewards.astype(np.float64)
        return seats.seen(), rewards, seats.ended > 0, self._truncated.copy(), {}

    def render(self) -> tuple[str, ...] | None:
        """The games as their seats see them, with render_mode="ansi"."""
        if self.render_mode != "ansi":
            return None
        return tuple(map(self._seats.text, range(self.num_envs)))


class TurnEnv(AECEnv[str, Seen, int | None]):
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
        self.observation_spaces = dict.fromkeys(self.agents, OBSERVATIONS)
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What a seat sees, and may do."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """All actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the first game of a seed, or the next one."""
        self._seats.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._seen: dict[str, Seen] = {}
        self._look()

    def _look(self) -> None:
        """Let the seat that is asked see its question."""
        self.agent_selection = agent = self.possible_agents[self._seats.asked.item()]
        self._seen[agent] = self._seats.seen_by_one()

    def observe(self, agent: str) -> Seen:
        """What a seat saw when it was last asked; it may act only if it is asked now."""
        seen = self._seen.get(agent, {"observation": np.zeros(SIZE, np.float32)})
        if agent == self.agent_selection and not self.terminations[agent]:
            return seen
        return seen | {"action_mask": np.zeros(ACTIONS, np.int8)}

    def step(self, action: int | None) -> None:
        """Answer the question, and go on to the next."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seats, seat = self._seats, self._seats.asked.item()
        seats.step(action, again=False)
        ended = seats.ended.item()
        if not ended:
            self._look()
            return
        gained = float(seats.rewards.item())
        if ended == 2 and seat == 1:
            gained = -gained
        self.rewards = dict(zip(self.possible_agents, (gained, -gained), strict=False))
        self._accumulate_rewards()  # nothing is gained before the end
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[(seat + 1) % len(self.possible_agents)]

    def render(self) -> str | None:
        """The game as the seat that is asked sees it, with render_mode="ansi"."""
        return self._seats.text() if self.render_mode == "ansi" else None


def env(
    variant: str = "standard", unit: str = "deal", render_mode: str | None = None
) -> AECEnv[str, Seen, int | None]:
    """The PettingZoo environment, with the wrappers that check how it is used."""
    return wrappers.OrderEnforcingWrapper(TurnEnv(variant, unit, render_mode))


gym_env = SingleEnv
vector_env = ManyEnv
raw_env = TurnEnv
