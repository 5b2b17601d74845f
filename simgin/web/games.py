"""Games in memory, each identified by the address of its page."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from simgin.analysis.coach import Coach
from simgin.core.match import MATCH_UNDECIDED
from simgin.core.matchup_key import UnitType
from simgin.play import played_game, saved_deals
from simgin.play.game_table import GameTable
from simgin.play.matchup import PERSON_NAME, Matchup
from simgin.play.replay import JOKER_NAME, copy_state_after_deal, format_scores
from simgin.play.table_text import list_choices
from simgin.play.traced_deal import TracedDeal
from simgin.report.json_output import format_json_output
from simgin.rules.variants import Variant
from simgin.strategy.cast import find_strong_player
from simgin.text.messages import SimginError
from simgin.text.shell import join_command
from simgin.web.opponents import get_display_name
from simgin.web.pages import Form, format_date
from simgin.web.request_values import find_allowed_strategy, find_allowed_variant, parse_seed_field
from simgin.web.table_json import make_game_version

MAX_OPEN_GAMES = 50
GAME_LENGTHS: dict[str, UnitType] = {"match": "match", "deal": "deal"}
SEAT_CHOICES = {"0": 0, "1": 1}


class MoveError(SimginError):
    """Exception for an action that is not possible in the current state of a game."""


@dataclass(frozen=True)
class GameRequest:
    """Settings of a game, as stored in the address of its page.

    Attributes:
        variant: Rules.
        opponent: Spec of the opponent, or empty in solitaire games.
        unit: "deal" or "match".
        seat: Seat of the user.
        seed: Seed of the shuffles.
    """

    variant: Variant
    opponent: str
    unit: UnitType
    seat: int
    seed: int

    @classmethod
    def read(cls, form: Form, extra_specs: tuple[str, ...]) -> GameRequest:
        """Read the settings of a game from a form, and record the form's errors."""
        variant = form.read("variant", find_allowed_variant, "standard")
        opponent = form.read(
            "opponent",
            lambda spec: find_allowed_strategy(spec, extra_specs),
            find_strong_player(variant),
        )
        seat = SEAT_CHOICES[form.read_choice("seat", SEAT_CHOICES, "0")]
        return cls(
            variant,
            "" if variant.is_solo else opponent.spec,
            GAME_LENGTHS[form.read_choice("length", GAME_LENGTHS, "match")],
            0 if variant.is_solo else seat,
            form.read("seed", parse_seed_field, "1"),
        )

    @property
    def opponent_name(self) -> str:
        """Display name of the opponent, or "" in solitaire games."""
        return get_display_name(self.opponent)

    @property
    def query_string(self) -> str:
        """Query string of the game's address."""
        fields = {
            "variant": self.variant.spec,
            "opponent": self.opponent,
            "length": self.unit,
            "seat": str(self.seat),
            "seed": str(self.seed),
        }
        return urlencode({name: value for name, value in fields.items() if value})

    def make_matchup(self) -> Matchup:
        """Return the matchup of the user against the opponent."""
        return played_game.make_matchup_with_person(
            self.opponent, self.variant, self.seed, self.unit, self.seat
        )

    def make_terminal_command(self, is_coached: bool) -> str:
        """Return the command that plays the game in a terminal, or "" if the user has seat 1."""
        if self.seat:
            return ""
        arguments = ["simgin", "play", *([self.opponent] if self.opponent else [])]
        arguments += ["-v", self.variant.spec, "--seed", str(self.seed)]
        arguments += ["--one"] * (self.unit == "deal") + ["--coach"] * is_coached
        return join_command(arguments)


def read_score_and_date(
    saved_game: played_game.SavedGame, request: GameRequest
) -> tuple[str | None, str]:
    """Return the score of a saved game, or None if it is over, and the game's date.

    All actions are stored in the file, so no policy is called.

    Raises:
        OSError: If another version of simgin saved the game.
    """
    matchup = request.make_matchup()
    date = format_date(played_game.get_saved_game_file(matchup).stat().st_mtime)
    table = GameTable(matchup, range(len(matchup.players)))
    *finished_deals, current_deal = saved_game.deals
    for actions in finished_deals:
        table.replay(actions)
        table.close_deal()
    if table.is_over:
        return None, date
    table.replay(current_deal)
    is_match = request.unit == "match"
    if table.is_deal_over:
        state_after, outcome = copy_state_after_deal(table.state, table.rules)
        if not is_match or outcome != MATCH_UNDECIDED:
            return None, date
        return _format_scores(state_after, request), date
    return _format_scores(table.state, request) if is_match else "", date


def _format_scores(state: Any, request: GameRequest) -> str:
    """Format the scores of the user and of the opponent or the joker."""
    names = {request.seat: PERSON_NAME, 1 - request.seat: request.opponent_name or JOKER_NAME}
    return format_scores(state, request.make_matchup(), names)


class OpenGame:
    """Game in memory, with its coach and with locks for simultaneous requests."""

    def __init__(self, request: GameRequest) -> None:
        self.lock = threading.Lock()
        # Run one analysis at a time, because an analysis uses all cores.
        self.coach_lock = threading.Lock()
        matchup = request.make_matchup()
        file = played_game.get_saved_game_file(matchup)
        self.game = played_game.PlayedGame(matchup, file)
        self.note = ""  # message for the user when the game is opened
        try:
            self.game.restore()
        except played_game.CorruptGameError:
            self.game = played_game.PlayedGame(matchup, file)
            self.note = played_game.CORRUPT_GAME_NOTE
        self.coach = Coach(matchup, self.game.seat)
        self.command = request.make_terminal_command(is_coached=False) or "simgin web"

    def check_version(self, version: object) -> None:
        """Raise MoveError if the browser shows an earlier state of the game."""
        if version != make_game_version(self.game):
            raise MoveError(
                "The game has changed in another tab. This page now shows its current state."
            )

    def take_action(self, action_key: object) -> None:
        """Take the action that a key represents in the current decision.

        Raises:
            MoveError: If no action has this key.
        """
        decision = self.game.decision
        choices = {} if decision is None else list_choices(decision, self.game.table.rules)
        if not isinstance(action_key, str) or action_key not in choices:
            raise MoveError("This action is not legal at this point in the game.")
        self.game.act(choices[action_key][0])

    def undo(self) -> None:
        """Undo the last decision in the deal."""
        if not self.game.undo():
            raise MoveError("There is nothing to undo in this deal.")

    def start_next_deal(self) -> None:
        """Start the next deal, and save the finished deal for `simgin grade --last`."""
        if not self.game.table.is_deal_over:
            raise MoveError("The deal is not over yet.")
        deal = self.game.close_deal()
        self.coach.clear_analyses()
        saved_deals.save_deal(self.format_deal_file(deal))

    def get_latest_deal(self) -> TracedDeal:
        """Return the current deal, or the last deal of a finished game."""
        return self.game.deals[-1] if self.game.table.is_over else self.game.table.get_traced_deal()

    def format_deal_file(self, deal: TracedDeal) -> bytes:
        """Return a finished deal in the file format of `simgin play --save`, as bytes."""
        rows = self.game.make_deal_records(deal)
        return f"{format_json_output(self.command, rows, self.game.matchup.seed)}\n".encode()


class OpenGames:
    """Games in memory, of which the least recently used games are discarded."""

    def __init__(self) -> None:
        self._games: OrderedDict[str, OpenGame] = OrderedDict()
        self._lock = threading.Lock()

    def find_or_start(self, request: GameRequest) -> OpenGame:
        """Return the open game for a request, and resume or start the game if necessary."""
        with self._lock:
            open_game = self._games.get(request.query_string)
        # Compile outside the lock, so that compilation does not delay other games.
        game = open_game or OpenGame(request)
        with self._lock:
            self._games.setdefault(request.query_string, game)
            self._games.move_to_end(request.query_string)
            while len(self._games) > MAX_OPEN_GAMES:
                self._games.popitem(last=False)
            return self._games[request.query_string]

    def restart(self, request: GameRequest) -> OpenGame:
        """Replace a game with a new game with the same settings."""
        game = self.find_or_start(request)
        with self._lock, game.lock:
            game.game.delete()
            self._games.pop(request.query_string, None)
        return self.find_or_start(request)
