"""Gin Rummy environments for PettingZoo and Gymnasium.

To install the required packages, run `pip install 'simgin[rl]'`.

from simgin.envs import gin_rummy
env = gin_rummy.env(variant="oklahoma")             # PettingZoo: both seats are external
env = gin_rummy.gym_env(opponent="champion")        # Gymnasium: one seat, or a solitaire game
envs = gin_rummy.vector_env(256, opponent="gold")   # many deals, stepped in one compiled call

An observation is a dict with `observation`, (OBSERVATION_SIZE,) float32, and `action_mask`,
(N_ACTIONS,) int8 (see `simgin.envs.encoding`). Observations do not contain hidden cards. The reward
of a deal is the net points, the stake in games with a die, or minus the penalty in penalty games.
With unit="match", the reward is 1 or -1 at the end of the match. An illegal action ends the game
with a reward of -100 (-1 in matches).
"""

from __future__ import annotations

import operator
from copy import copy, deepcopy
from typing import Any, ClassVar, Self

import numpy as np

from simgin.envs.encoding import N_ACTIONS, OBSERVATION_SIZE
from simgin.envs.env_games import DEFAULT_OPPONENT, EnvError, EnvGames, parse_actions
from simgin.text.amounts import parse_seed
from simgin.text.messages import format_value

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"The simgin environments require {error.name}, which is not installed. Run: "
        "pip install 'simgin[rl]'",
        name=error.name,
    ) from None

# Maximum number of games in a vector environment (30 GB of memory)
MAX_ENVS = 1_000_000
Observation = dict[str, np.ndarray]


def _make_observation_space() -> spaces.Dict:
    """Return a new observation space.

    Environments must not share the random numbers of a space.
    """
    return spaces.Dict(
        {
            "observation": spaces.Box(-1000.0, 1000.0, (OBSERVATION_SIZE,), np.float32),
            "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8),
        }
    )


def _check_options(render_mode: str | None, opponent: str | None = "") -> None:
    """Raise EnvError if the render mode is unknown or the opponent is None."""
    if render_mode not in (None, "ansi"):
        raise EnvError(
            f"{format_value(render_mode)} is not a valid render mode. Use 'ansi' or None."
        )
    if opponent is None:
        raise EnvError(
            "None is not a valid opponent. Use a strategy such as 'simple', or gin_rummy.env() to "
            "control both seats."
        )


class SearchMixin:
    """Methods for tree search, which copy and restore the game and resample the hidden cards."""

    _seats: EnvGames

    def clone(self) -> Self:
        """Return an independent copy of the environment in the same position, for searches."""
        new_env = copy(self)
        new_env.restore_state(vars(self))
        return new_env

    def clone_state(self) -> dict[str, Any]:
        """Return a copy of the current state for use with `restore_state`."""
        return vars(self.clone())

    def restore_state(self, state: dict[str, Any]) -> None:
        """Restore a state that `clone_state` returned.

        A state can be restored any number of times.

        Args:
            state: State returned by `clone_state` of an environment of the same type.
        """
        # Spaces are not copied, to save time.
        spaces = {id(space): space for name, space in state.items() if "space" in name}
        vars(self).update(deepcopy(state, spaces))

    def resample_hidden_cards(self, seed: int | np.random.Generator) -> None:
        """Shuffle the cards that the acting player cannot see; all orders are equally likely.

        The observation and the legal actions do not change. Cards that the opponent took face up
        stay in the opponent's hand. In OpenSpiel, this method is called `resample_from_infostate`.

        Args:
            seed: Seed or random number generator.

        Raises:
            EnvError: If the variant has a die or a joker.
        """
        self._seats.resample_hidden_cards(np.random.default_rng(seed))


def _make_no_game_error() -> EnvError:
    return EnvError("No game is in progress. Call reset() first.")


class SingleEnv(SearchMixin, gymnasium.Env[Observation, np.int64]):
    """Gymnasium environment for one player, against a strategy or in a solitaire game.

    Args:
        variant: Variant spec.
        opponent: Strategy spec of the opponent, if the variant has two players.
        unit: Length of an episode, "deal" or "match".
        render_mode: "ansi" or None.

    Example:
        env = gin_rummy.gym_env(opponent="champion")
        observation, info = env.reset(seed=1)
        action = env.action_space.sample(observation["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "name": "gin_rummy_v0"}

    def __init__(
        self,
        variant: str = "standard",
        opponent: str = DEFAULT_OPPONENT,
        unit: str = "deal",
        render_mode: str | None = None,
    ) -> None:
        _check_options(render_mode, opponent)
        self.render_mode = render_mode
        self.observation_space = _make_observation_space()
        self.action_space = spaces.Discrete(N_ACTIONS)
        self._seats = EnvGames(variant, opponent, unit, 1)
        self._is_running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game from a new seed, or the next game if `seed` is None."""
        super().reset(seed=None if seed is None else parse_seed(seed))
        self._seats.reset(seed)
        self._is_running = True
        return self._seats.observe_single(), {}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action, and advance to the player's next decision or to the end of the game."""
        if not self._is_running:
            raise _make_no_game_error()
        seats = self._seats
        seats.step_single(action)
        ended = seats.ended.item()
        self._is_running = not ended
        info = {"illegal_action": True} if ended == 2 else {}
        return seats.observe_single(), float(seats.rewards.item()), ended > 0, False, info

    def render(self) -> str | None:
        """Return the card table as text if render_mode is "ansi"."""
        return self._seats.render_text() if self.render_mode == "ansi" else None


class GinVectorEnv(SearchMixin, VectorEnv[Observation, np.ndarray, np.ndarray]):
    """Gymnasium vector environment that plays many games against a strategy.

    One compiled call advances all games.

    When a game has finished, the next step ignores its action and starts a new game.

    Args:
        num_envs: Number of games.
        variant: Variant spec.
        opponent: Strategy spec of the opponent, if the variant has two players.
        unit: Length of an episode, "deal" or "match".
        render_mode: "ansi" or None.
        copy: True to return new arrays in every step. If False, the next step overwrites the
            observations.

    Example:
        envs = gin_rummy.vector_env(256, opponent="gold")
        observations, infos = envs.reset(seed=1)
        actions = observations["action_mask"].argmax(axis=1)
        observations, rewards, terminated, truncated, infos = envs.step(actions)
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int,
        variant: str = "standard",
        opponent: str = DEFAULT_OPPONENT,
        unit: str = "deal",
        render_mode: str | None = None,
        copy: bool = True,
    ) -> None:
        _check_options(render_mode, opponent)
        num_envs = _parse_num_envs(num_envs)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = _make_observation_space()
        self.single_action_space = spaces.Discrete(N_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seats = EnvGames(variant, opponent, unit, num_envs, copy)
        self._truncated = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start games from a new seed, or the next games if `seed` is None.

        Every game plays one unit. If `seed` is a list, only its first element is used.
        """
        if isinstance(seed, list):
            seed = seed[0] if seed else None
        self._seats.reset(seed)
        return self._seats.observe(), {}

    def step(
        self, actions: Any
    ) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take one action in each game."""
        seats = self._seats
        if not seats.has_begun:
            raise _make_no_game_error()
        seats.step(parse_actions(actions, self.num_envs))
        rewards = seats.rewards.astype(np.float64)
        return seats.observe(), rewards, seats.ended > 0, self._truncated.copy(), {}

    def render(self) -> tuple[str, ...] | None:
        """Return the card tables as text if render_mode is "ansi"."""
        if self.render_mode != "ansi":
            return None
        return tuple(map(self._seats.render_text, range(self.num_envs)))


def _parse_num_envs(num_envs: Any) -> int:
    """Convert the number of games to an int, or raise EnvError if it is not valid."""
    number = (
        operator.index(num_envs) if hasattr(num_envs, "__index__") and num_envs is not True else 0
    )
    if not 1 <= number <= MAX_ENVS:
        raise EnvError(
            f"{format_value(num_envs)} is not a valid number of games. Use an integer from 1 to "
            f"{MAX_ENVS:,}."
        )
    return number


class RawAECEnv(SearchMixin, AECEnv[str, Observation, int | None]):
    """PettingZoo AEC environment in which external agents play in all seats.

    Args:
        variant: Variant spec.
        unit: Length of an episode, "deal" or "match".
        render_mode: "ansi" or None.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"],
        "name": "gin_rummy_v0",
        "is_parallelizable": False,
    }

    def __init__(
        self, variant: str = "standard", unit: str = "deal", render_mode: str | None = None
    ) -> None:
        super().__init__()
        _check_options(render_mode)
        self.render_mode = render_mode
        self._seats = EnvGames(variant, None, unit, 1)
        self._empty_observation: Observation = {
            "observation": np.zeros(OBSERVATION_SIZE, np.float32),
            "action_mask": np.zeros(N_ACTIONS, np.int8),
        }
        players = len(self._seats.matchup.players)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []  # the list is empty until the first reset
        self.observation_spaces = {
            agent: _make_observation_space() for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(N_ACTIONS) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space of a seat."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space of a seat."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game from a new seed, or the next game if `seed` is None."""
        self._seats.reset(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._observations: dict[str, Observation] = {}
        self._update_observation()

    def _update_observation(self) -> None:
        """Update the observation of the acting player."""
        self.agent_selection = agent = self.possible_agents[self._seats.acting_seats.item()]
        self._observations[agent] = self._seats.observe_single()

    def observe(self, agent: str) -> Observation:
        """Return the latest observation of a seat.

        The action mask is zero unless the seat is acting.
        """
        if not self._seats.has_begun:
            raise _make_no_game_error()
        observation = self._observations.get(agent, self._empty_observation)
        is_acting = agent == self.agent_selection and not self.terminations.get(agent, True)
        mask = observation["action_mask"] if is_acting else self._empty_observation["action_mask"]
        return {"observation": observation["observation"].copy(), "action_mask": mask.copy()}

    def step(self, action: int | None) -> None:
        """Take an action, and advance to the next decision."""
        if not self.agents:
            raise _make_no_game_error()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        seats = self._seats
        seats.step_single(action)
        ended = seats.ended.item()
        if not ended:
            self._update_observation()
            return
        seat = seats.acting_seats.item()
        gain = float(seats.rewards.item())
        if ended == 2 and seat == 1:
            gain = -gain
        self.rewards = dict(zip(self.possible_agents, (gain, -gain), strict=False))
        self._accumulate_rewards()  # all rewards are 0 before the end
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[(seat + 1) % len(self.possible_agents)]

    def render(self) -> str | None:
        """Return the card table as text if render_mode is "ansi"."""
        return self._seats.render_text() if self.render_mode == "ansi" else None


class OrderEnforcingEnv(wrappers.OrderEnforcingWrapper[str, Observation, int | None]):
    """Wrapper that adds PettingZoo's checks of the call order to `RawAECEnv`."""

    def __str__(self) -> str:
        return str(self.env)

    def clone(self) -> Self:
        """Return an independent copy of the environment in the same position, for searches."""
        new_env = copy(self)
        new_env.env = self.env.clone()
        return new_env


def env(
    variant: str = "standard", unit: str = "deal", render_mode: str | None = None
) -> OrderEnforcingEnv:
    """Return a PettingZoo environment that checks the order of calls.

    Args:
        variant: Variant spec.
        unit: Length of an episode, "deal" or "match".
        render_mode: "ansi" or None.

    Example:
        env = gin_rummy.env(variant="oklahoma")
        env.reset(seed=1)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            done = terminated or truncated
            env.step(None if done else int(observation["action_mask"].argmax()))
    """
    return OrderEnforcingEnv(RawAECEnv(variant, unit, render_mode))


gym_env = SingleEnv
vector_env = GinVectorEnv
raw_env = RawAECEnv
