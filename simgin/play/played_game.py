"""Game of a human player, in solitaire or against a strategy, saved after every action.

game = PlayedGame(make_matchup_with_person("gold", "standard", 1, "match"), Path("game.json"))
game.act(list_choices(game.decision, game.table.rules)["t"][0])

`simgin play` and `simgin web` share the saved games.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from simgin.core import jit
from simgin.core.matchup_key import UnitType
from simgin.play.game_table import GameTable, IllegalMoveError
from simgin.play.kernel import PolicyCallError
from simgin.play.matchup import PERSON_NAME, Matchup, PlayerCountError
from simgin.play.replay import make_replay
from simgin.play.replay_json import replay_to_json
from simgin.play.traced_deal import Decision, TracedDeal
from simgin.rules.variants import Variant
from simgin.strategy import loader
from simgin.strategy.author import Strategy
from simgin.strategy.strategy_spec import with_policies
from simgin.text.files import read_bytes, write_file
from simgin.text.messages import SimginError
from simgin.text.toml import StrictTable as Schema

MAX_SAVED_GAME_BYTES = 1 << 23  # maximum size of a saved game, in bytes
CORRUPT_GAME_NOTE = (
    "The saved game is corrupt, so a new game starts. Your first action overwrites the file."
)


class SavedGameError(SimginError):
    """Error raised if a saved game cannot be read."""


class CorruptGameError(SimginError):
    """Error raised if a saved game has invalid contents."""


class SavedGame(Schema):
    """Contents of the file in which an unfinished game is saved.

    Attributes:
        variant: Spec of the variant.
        players: Specs of the strategies by seat, one of which is `PERSON_NAME`.
        seed: Seed of the shuffles.
        unit: "deal" or "match".
        deals: Actions of all seats in each deal. The last deal is the current deal.
        prompts: Number of actions in the current deal before each decision of the human player.
        n_undone: Number of actions that the player took back.
    """

    variant: str
    players: Annotated[list[str], Field(min_length=1, max_length=2)]
    seed: Annotated[int, Field(ge=0, lt=1 << 64)]
    unit: UnitType
    deals: Annotated[list[list[Annotated[int, Field(ge=0, lt=64)]]], Field(min_length=1)]
    prompts: list[Annotated[int, Field(ge=0)]]
    n_undone: int = Field(ge=0, lt=1 << 31, alias="back")


def make_matchup_with_person(
    opponent: str | Strategy, variant: Variant, seed: int, unit: UnitType, seat: int = 0
) -> Matchup:
    """Return the matchup of a human player against a strategy or in a solitaire game.

    Args:
        opponent: Strategy of the opponent, or an empty string in solitaire variants.
        variant: Rules.
        seed: Seed of the shuffles.
        unit: "deal" or "match".
        seat: Seat of the human player.

    Raises:
        PlayerCountError: If an opponent is specified for a solitaire variant.
    """
    # simgin never calls the policies of the strategy that represents the person.
    person = with_policies(replace(loader.find_strategy("gold"), name=PERSON_NAME), {}, PERSON_NAME)
    if variant.params["players"] == 1:
        if opponent:
            raise PlayerCountError(f"{variant.spec} is a solitaire variant. Omit {opponent}.")
        return Matchup(variant, person, None, seed, unit)
    strategy = loader.find_strategy(opponent)
    strategy_a, strategy_b = (strategy, person) if seat else (person, strategy)
    return Matchup(variant, strategy_a, strategy_b, seed, unit)


def get_saved_games_folder() -> Path:
    """Return the folder that contains saved games."""
    return jit.get_cache_root() / "play"


def get_saved_game_file(matchup: Matchup) -> Path:
    """Return the path of the file in which the game of a matchup is saved."""
    name = repr((matchup.key, jit.compute_source_digest()))
    return get_saved_games_folder() / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.json"


def read_saved_game(path: Path) -> SavedGame:
    """Read a saved game from its file.

    Raises:
        SavedGameError: If the file cannot be read.
        CorruptGameError: If the file is not a valid saved game.
    """
    try:
        saved_game = SavedGame.model_validate_json(read_bytes(path, MAX_SAVED_GAME_BYTES))
    except OSError as error:
        raise SavedGameError(
            f"the saved game {path} could not be read: {error.strerror}. To start a new game, "
            "delete the file."
        ) from None
    except ValidationError:
        raise CorruptGameError from None
    n_actions = len(saved_game.deals[-1])
    if any(n_before >= n_after for n_before, n_after in pairwise([*saved_game.prompts, n_actions])):
        raise CorruptGameError
    return saved_game


class PlayedGame:
    """Game of a human player, which is saved after every action.

    Args:
        matchup: Matchup from `make_matchup_with_person`.
        file: File of the saved game.

    Attributes:
        table: Table of the current deal.
        seat: Seat of the human player.
        deals: Finished deals.
        prompts: Number of actions in the current deal before each decision of the human player.
        n_undone: Number of actions that the player took back.
    """

    def __init__(self, matchup: Matchup, file: Path) -> None:
        self.matchup = matchup
        self.file = file
        self.seat = [player.spec for player in matchup.players].index(PERSON_NAME)
        self.table = GameTable(matchup, external_seats=(self.seat,))
        self.deals: list[TracedDeal] = []
        self.prompts: list[int] = []
        self.n_undone = 0
        self._earlier_actions: list[list[int]] = []  # actions of the finished deals

    @property
    def opponent(self) -> str:
        """Spec of the opponent, or "" in solitaire variants."""
        opponents = [player.spec for player in self.matchup.players if player.spec != PERSON_NAME]
        return opponents[0] if opponents else ""

    @property
    def is_new(self) -> bool:
        """True until the human player has taken an action."""
        return not (self.deals or self.prompts)

    @property
    def decision(self) -> Decision | None:
        """Pending decision of the human player, or None if the deal has ended."""
        return self.table.decision

    def act(self, actions: Sequence[int]) -> None:
        """Take all actions that belong to one choice of the human player, and save the game.

        Raises:
            IllegalMoveError: If an action is not legal. Earlier actions remain in effect.
        """
        self.prompts.append(len(self.table.actions))
        try:
            for action in actions:
                self.table.act(action)
        finally:
            self.save()

    def undo(self) -> bool:
        """Undo the human player's last choice in the deal, or return False if there is none."""
        if not self.prompts:
            return False
        self.table.undo_to(self.prompts.pop())
        self.n_undone += 1
        self.save()
        return True

    def close_deal(self) -> TracedDeal:
        """Add a finished deal's result to the score, begin the next deal, and save the game."""
        deal = self._finish_deal()
        self.save()
        return deal

    def _finish_deal(self) -> TracedDeal:
        """Store a finished deal, and begin the next deal."""
        deal = self.table.get_traced_deal()
        self.deals.append(deal)
        self._earlier_actions.append(self.table.actions)
        self.prompts = []
        self.table.close_deal()
        return deal

    def make_deal_records(self, deal: TracedDeal) -> list[dict[str, Any]]:
        """Return a deal in the format of `simgin show --json`, including undone actions."""
        deal_row, *decisions = replay_to_json(make_replay(deal))
        return [deal_row | {"taken_back": self.n_undone}, *decisions]

    # Saved games

    def save(self) -> None:
        """Save the game to its file."""
        saved_game = SavedGame(
            **_get_identifying_fields(self.matchup),
            deals=[*self._earlier_actions, self.table.actions],
            prompts=self.prompts,
            back=self.n_undone,
        )
        write_file(self.file, saved_game.model_dump_json(by_alias=True).encode())

    def delete(self) -> None:
        """Delete the file of the saved game if it exists."""
        self.file.unlink(missing_ok=True)

    def restore(self) -> bool:
        """Resume the saved game, or return False if there is no saved game.

        Raises:
            SavedGameError: If the file cannot be read.
            CorruptGameError: If the game cannot be replayed.
        """
        if not self.file.exists():
            return False
        saved_game = read_saved_game(self.file)
        if saved_game.model_dump(
            include={*_get_identifying_fields(self.matchup)}
        ) != _get_identifying_fields(self.matchup):
            raise CorruptGameError
        *closed_deals, current_actions = saved_game.deals
        try:
            for actions in closed_deals:
                self._replay_actions(actions)
                if not self.table.is_deal_over:
                    raise CorruptGameError
                self._finish_deal()
            if not self.table.is_over:
                self._replay_actions(current_actions)
        except (IllegalMoveError, PolicyCallError):
            raise CorruptGameError from None
        self.prompts, self.n_undone = saved_game.prompts, saved_game.n_undone
        return True

    def _replay_actions(self, actions: list[int]) -> None:
        """Replay the saved actions of a deal.

        Raises:
            CorruptGameError: If the game is over, or if an action does not match the deal.
        """
        if self.table.is_over:
            raise CorruptGameError
        self.table.replay(actions)
        if self.table.actions != actions:
            raise CorruptGameError


def _get_identifying_fields(matchup: Matchup) -> dict[str, Any]:
    """Return the fields of a saved game that must match the matchup."""
    return {
        "variant": matchup.variant.spec,
        "players": [player.spec for player in matchup.players],
        "seed": matchup.seed,
        "unit": matchup.unit,
    }


def list_saved_games() -> Iterator[SavedGame]:
    """Yield all saved games that can be resumed, newest first."""
    files = get_saved_games_folder().glob("*.json")
    for file in sorted(files, key=lambda path: -path.stat().st_mtime):
        try:
            yield read_saved_game(file)
        except (SavedGameError, CorruptGameError):
            continue
