"""Arrays with the states of the games that Gymnasium and PettingZoo environments play."""

from __future__ import annotations

import operator
import secrets
from typing import Any

import numpy as np

from simgin.core.codes import SLOTS
from simgin.core.state import seed_to_int64
from simgin.envs import encoding
from simgin.play import stepping
from simgin.play.game_table import GameBatch
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.table_text import format_table_lines
from simgin.play.traced_deal import Decision
from simgin.rules import variants
from simgin.strategy import python_tier
from simgin.text.amounts import parse_seed
from simgin.text.messages import SimginError, format_value

EPISODE_UNITS = ("deal", "match")
DEFAULT_OPPONENT = "simple"  # solitaire games reject every other opponent


class EnvError(SimginError):
    """Error raised if an environment does not support an argument or a method call."""


class EnvGames:
    """Games that an environment plays in parallel, with their observations.

    Args:
        variant: Variant spec.
        opponent: Strategy spec of seat 1, or None if this seat is external. Solitaire games accept
            only None and the default opponent.
        unit: "deal" or "match".
        n_games: Number of games.
        copy: True to return new, modifiable arrays in every step.

    Attributes:
        batch: Records of the games.
        units: Units of the next games, (n_games,) int64.
        actions: Actions to take, (n_games,) int64.
        acting_seats: Seat that acts in each game, (n_games,) int64.
        rewards: Rewards of seat 0, (n_games,) int64.
        ended: Status of each game, (n_games,) int64. The status is 1 for a finished game, 2 for a
            game that an illegal action ended, and 0 otherwise.
        observations: Observations of the acting seats, (n_games, OBSERVATION_SIZE) float32.
        masks: Action masks of the acting seats, (n_games, N_ACTIONS) int8.
    """

    def __init__(
        self, variant: str, opponent: str | None, unit: str, n_games: int, copy: bool = True
    ) -> None:
        if unit not in EPISODE_UNITS:
            raise EnvError(f"{format_value(unit)} is not a valid unit. Use 'deal' or 'match'.")
        is_solo = variants.find_variant(variant).is_solo
        # External seats need a strategy, but its policies are never called. Only the order of
        # decisions matters: the ending is chosen before the discard, as in
        # `make_external_strategy`.
        default_opponent = "gold" if opponent is None else opponent
        if is_solo and opponent not in (None, DEFAULT_OPPONENT):
            raise EnvError(
                f"{variant} is a solitaire game, so it has no opponent. Remove opponent="
                f"{format_value(opponent)}, or use a two-player variant."
            )
        a, b = ("solo-greedy", None) if is_solo else ("gold", default_opponent)
        matchup = parse_matchup(a, b, variant, 0, "match" if unit == "match" else "deal")
        external_seats = (0, 1) if opponent is None and not is_solo else (0,)
        self.batch = GameBatch(matchup, external_seats, n_games)
        self.observations = np.zeros((n_games, encoding.OBSERVATION_SIZE), np.float32)
        self.masks = np.zeros((n_games, encoding.N_ACTIONS), np.int8)
        self.has_begun = False
        self._rules = encoding.encode_rules(self.batch.rules)
        self._copy = copy
        self._bind_arrays()

    def _bind_arrays(self) -> None:
        """Set the attributes that refer to fields of the game records."""
        records = self.batch.records
        self.units, self.ended = records["unit"], records["ended"]
        self.actions, self.rewards = records["action"], records["reward"]
        self.acting_seats = records["seat"]

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        """Restore the attributes of a copy, so that its arrays refer to its own games."""
        self.__dict__.update(attributes)
        self._bind_arrays()

    @property
    def matchup(self) -> Matchup:
        """Matchup in which placeholder strategies replace the external players."""
        return self.batch.matchup

    def reset(self, seed: int | None) -> None:
        """Start games from a new seed, or the next games if `seed` is None."""
        if seed is None and not self.has_begun:
            seed = secrets.randbits(64)
        if seed is not None:
            self.batch.states["seed"] = seed_to_int64(parse_seed(seed))
            self.units[:] = np.arange(len(self.units))
            for views in self.batch.views:
                views[:] = 0
            self.has_begun = True
        self.ended[:] = 1
        self._step_games(len(self.units))

    def step(self, actions: Any, restart_ended: bool = True) -> None:
        """Take one action in each game.

        Args:
            actions: Actions, (n_games,).
            restart_ended: True to replace finished games with new games.
        """
        self.actions[:] = actions
        self._step_games(len(self.units) if restart_ended else 0)

    def step_single(self, action: Any) -> None:
        """Take an action in the only game, or raise EnvError if the action is invalid."""
        self.actions[0] = parse_action(action)
        self._step_games(0)

    def resample_hidden_cards(self, rng: np.random.Generator) -> None:
        """Shuffle the cards that the acting seats cannot see (see `SearchMixin`)."""
        params = self.matchup.variant.params
        if params["die"] != "off" or params["joker"] != "none":
            raise EnvError(
                f"hidden cards cannot be sampled in {self.matchup.variant.spec}, because this "
                "variant has a die or a joker. Use another variant."
            )
        for game in np.flatnonzero(self.ended == 0).tolist():
            self.batch.resample_hidden_cards(game, int(self.acting_seats[game]), rng)

    def _step_games(self, unit_step: int) -> None:
        """Take the stored action in each game, and update the observations."""
        observations, masks = self.observations, self.masks
        if self._copy:
            observations = np.empty(observations.shape, np.float32)
            masks = np.empty(masks.shape, np.int8)
        compiled_step = encoding.compile_step_games()
        try:
            invalid_index = compiled_step(
                self.batch.address, unit_step, self._rules, observations, masks
            )
        except BaseException:
            with python_tier.reraise_policy_errors():
                raise
        if invalid_index >= 0:
            raise _make_invalid_action_error(int(self.actions[invalid_index]))
        self.observations, self.masks = observations, masks

    def observe(self) -> dict[str, np.ndarray]:
        """Return the observations and action masks of the acting seats, with one row per game."""
        return {"observation": self.observations, "action_mask": self.masks}

    def observe_single(self) -> dict[str, np.ndarray]:
        """Return the observation and the action mask of the only game."""
        return {"observation": self.observations[0], "action_mask": self.masks[0]}

    def render_text(self, game: int = 0) -> str:
        """Return the card table of a game as text, from the perspective of the acting seat."""
        if not self.has_begun:
            raise EnvError("No game has begun. Call reset() first.")
        if self.batch.records[game].status != stepping.AWAITING_ACTION:
            return "The game is over."
        seat, slot = self.acting_seats[game], SLOTS[self.batch.states[game].query_slot]
        decision = Decision(int(seat), slot, self.batch.views[seat][game], None)
        opponent = "" if self.matchup.b is None else "opponent"
        return "\n".join(format_table_lines(decision, self.batch.rules, opponent))


# Validation of user input


def parse_action(action: Any) -> int:
    """Convert an action to an int, or raise EnvError if it is not a valid action."""
    try:
        number = operator.index(action)
    except TypeError:
        raise _make_invalid_action_error(action) from None
    if action is True or action is False or not 0 <= number < encoding.N_ACTIONS:
        raise _make_invalid_action_error(action)
    return number


def parse_actions(actions: Any, n_games: int) -> np.ndarray:
    """Convert the actions of the games to an array, or raise EnvError if they are not integers."""
    try:
        numbers = np.asarray(actions)
    except ValueError:  # the lists have different lengths
        numbers = np.zeros(0, object)
    if numbers.shape != (n_games,) or numbers.dtype.kind not in "iu":
        raise EnvError(
            f"An array of {numbers.dtype} with shape {numbers.shape} does not contain one action "
            f"per game. Pass an array of integers with shape ({n_games},)."
        )
    return numbers


def _make_invalid_action_error(action: Any) -> EnvError:
    """Return the error for an action outside the action space."""
    max_action = encoding.N_ACTIONS - 1
    return EnvError(
        f"{format_value(action)} is not a valid action. Use an integer from 0 to {max_action} that "
        "`action_mask` allows."
    )
