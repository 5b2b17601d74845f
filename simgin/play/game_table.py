"""Deals and matches in which external programs make the decisions of some seats.

table = GameTable(parse_matchup("simple", "champion", "standard", 1, "match"), external_seats=(0,))
while table.decision is not None:
    table.act(choose(table.decision))  # the view contains no hidden cards
    if table.is_deal_over:
        table.close_deal()

The engine calls the policies of strategies, plays the cards and scores the deals. A strategy makes
the same decisions as in a run with the same seed and unit. See `simgin.play.stepping`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from simgin.core.codes import SLOTS
from simgin.core.deadwood import deadwood
from simgin.core.query import IllegalActionError
from simgin.core.state import MAX_DECISIONS, STATE_DTYPE, STATE_SIZE_WITHOUT_LOG, create_states
from simgin.core.view import VIEW_DTYPE
from simgin.play import kernel, stepping
from simgin.play.kernel import SOLO_SLOTS, PolicyCallError, describe_failure, set_strategies
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import Decision, TracedDeal, find_dealt_hands, truncate_deal
from simgin.rules.build import build_rules
from simgin.strategy import python_tier
from simgin.text.messages import SimginError
from simgin.text.notation import cards_to_mask, mask_to_cards


class GameBatch:
    """Games of one matchup that are played in parallel, with separate records in memory.

    The engine finds records by their addresses. Each copy of the games therefore has separate
    memory and addresses.

    Attributes:
        matchup: Matchup being played.
        external_seats: Seats played by external programs.
        states: Engine states, (n_games,) STATE_DTYPE.
        views: Views of both seats, two arrays of shape (n_games,) VIEW_DTYPE.
        records: Games, (n_games,) stepping.GAME_DTYPE.
        address: Address of the first game.
        rules: Rules record.
    """

    def __init__(self, matchup: Matchup, external_seats: Collection[int], n_games: int) -> None:
        self.matchup = matchup
        self.external_seats = tuple(external_seats)
        self._allocate_records(n_games)
        self._set_record_addresses()
        self.records["external_seats"] = sum(1 << seat for seat in external_seats)
        self.records["is_match"] = matchup.unit == "match"
        self.records["n_players"] = len(matchup.players)
        self.states["log_mode"] = -1  # Log only the actions, without views.
        self._set_rules_and_policies()

    def _allocate_records(self, n_games: int) -> None:
        """Allocate memory for the states, views and records of all games."""
        self.states = create_states(self.matchup.seed, n_games)
        # Each seat has one contiguous array.
        self.views = np.zeros(n_games, VIEW_DTYPE), np.zeros(n_games, VIEW_DTYPE)
        self._copied_views = np.zeros(n_games, VIEW_DTYPE)
        self._saved_states = np.zeros((n_games, stepping.N_TURN_STATE_FIELDS), np.int64)
        self.records = np.zeros(n_games, stepping.GAME_DTYPE)

    def _set_record_addresses(self) -> None:
        """Set the memory addresses of the records of each game."""
        records = self.states, self._saved_states, *self.views, self._copied_views
        for name, array in zip(stepping.ADDRESS_FIELDS, records, strict=True):
            self.records[name] = array.ctypes.data + array.strides[0] * np.arange(len(array))
        self.address: int = self.records.ctypes.data

    def _set_rules_and_policies(self) -> None:
        """Set the memory addresses of the rules and of the policies in this process."""
        self.rules = build_rules(self.matchup.variant)
        self.records["rules"] = get_memory_address(self.rules)
        first_state = self.states[0]
        self._vectors = set_strategies(
            first_state, self.matchup
        )  # Keep the vectors alive, because the states contain only their addresses.
        for name in ("discards_first", "random_slots", "vectors", "lengths"):
            self.states[name] = first_state[name]
        n_players = len(self.matchup.players)
        if len(self.external_seats) < n_players:
            addresses = [policy.code_address for policy in kernel.compile_policies(self.matchup)]
            slots = [i for i, slot in enumerate(SLOTS) if n_players == 2 or slot in SOLO_SLOTS]
            self.records["policies"][:, :n_players, slots] = np.reshape(addresses, (n_players, -1))

    def resample_hidden_cards(self, index: int, seat: int, rng: np.random.Generator) -> None:
        """Shuffle the cards that are hidden from a seat, without contradicting past actions.

        The rules must not have a die, because simgin would then replay all actions of the deal.

        Args:
            index: Index of the game.
            seat: Seat of the player who makes the current decision.
            rng: Generator of random numbers.
        """
        state, opponent = self.states[index], 1 - seat
        known_cards = int(state.known[opponent])
        hidden_cards = int(state.hand[opponent]) & ~known_cards
        hidden_positions = [
            position
            for position, card in enumerate(state.pack.tolist())
            if position >= state.dealt or hidden_cards >> card & 1
        ]
        cards = state.pack[hidden_positions]
        state.pack[hidden_positions] = rng.permutation(cards)
        replacements = dict(zip(cards.tolist(), state.pack[hidden_positions].tolist(), strict=True))
        hand = known_cards | cards_to_mask(
            replacements[card] for card in mask_to_cards(hidden_cards)
        )
        for field, field_value in (("hand", hand), ("count", deadwood(hand, self.rules))):
            state[field][opponent] = field_value
            self._saved_states[index, find_int64_field_index(field) + opponent] = field_value
        drawn_cards = self.views[opponent][index].history[: int(state.turns), 2]
        drawn_cards[:] = [replacements.get(card, card) for card in drawn_cards.tolist()]

    # Copies

    def __deepcopy__(self, memo: Any) -> GameBatch:
        """Return independent copies of the games in the same positions.

        The copies share the rules and the policies.
        """
        games = GameBatch.__new__(GameBatch)
        games.__dict__.update(self.__dict__)
        games._allocate_records(len(self.records))
        games._replace_memory(self._get_memory_arrays())
        return games

    def __reduce__(self) -> Any:
        """Return the constructor, the arguments and the memory of the games for pickle."""
        return (
            GameBatch,
            (self.matchup, self.external_seats, len(self.records)),
            self._get_memory_arrays(),
        )

    def __setstate__(self, contents: list[np.ndarray]) -> None:
        """Restore pickled games in this process."""
        self._replace_memory(contents)
        self._set_rules_and_policies()

    def _get_memory_arrays(self) -> list[np.ndarray]:
        """Return the memory of the games as arrays.

        The last array is the log of decisions.
        """
        n_games, state = len(self.records), self.states[0]
        states = np.ndarray((n_games, STATE_SIZE_WITHOUT_LOG), np.uint8, self.states.base)
        log = state["log"][: state["n_logged"] + 1 if state["log_mode"] > 0 else 0]
        return [states, *self.views, self._copied_views, self._saved_states, self.records, log]

    def _replace_memory(self, arrays: list[np.ndarray]) -> None:
        """Replace the contents of the memory with arrays from `_get_memory_arrays`."""
        *records, log = arrays
        for target, source in zip(self._get_memory_arrays(), records, strict=False):
            target[:] = source
        self.states[0]["log"][: len(log)] = log
        self._set_record_addresses()


def find_int64_field_index(name: str) -> int:
    """Return the index of a field in a state record that is viewed as an int64 array."""
    assert STATE_DTYPE.fields is not None
    return STATE_DTYPE.fields[name][1] // 8


def get_memory_address(record: Any) -> int:
    """Return the memory address of a record."""
    return int(record.__array_interface__["data"][0])


class IllegalMoveError(SimginError):
    """Error raised if an external action is not legal."""


class GameTable:
    """Game in which external callers make the decisions of some seats.

    Args:
        matchup: Matchup being played. The strategies of external seats are not called.
        external_seats: Seats played by external programs.
        unit: Number of the unit, which determines the shuffles.
    """

    def __init__(
        self, matchup: Matchup, external_seats: Collection[int] = (0,), unit: int = 0
    ) -> None:
        self._games = GameBatch(matchup, external_seats, 1)
        self.state.log_mode = 1  # Log every decision.
        self._step(stepping.COMMAND_BEGIN, unit)

    # These are properties and not attributes, so that a copied table uses the copied games.

    @property
    def matchup(self) -> Matchup:
        """Matchup of the game."""
        return self._games.matchup

    @property
    def rules(self) -> np.record:
        """Rules record of the game."""
        return self._games.rules

    @property
    def state(self) -> np.record:
        """Engine state of the deal."""
        state: np.record = self._games.states[0]
        return state

    @property
    def _status(self) -> int:
        """Status of the game, as a constant of `stepping` such as DEAL_OVER."""
        return int(self._games.records["status"][0])

    def _step(self, command: int, argument: int) -> None:
        """Run a command of `stepping.step_game`, and raise PolicyCallError if a policy fails."""
        try:
            with python_tier.reraise_policy_errors():
                stepping.compile_step_game()(self._games.address, command, argument)
        except Exception as error:
            failure = describe_failure(self.matchup, self.state, error)
            raise PolicyCallError(failure) from (
                None if isinstance(error, IllegalActionError) else error
            )

    @property
    def is_deal_over(self) -> bool:
        """True if the deal has ended but its result has not yet been added to the match score."""
        return self._status == stepping.DEAL_OVER

    @property
    def is_over(self) -> bool:
        """True if the game has ended and the last result has been added to the score."""
        return self._status == stepping.GAME_OVER

    @property
    def decision(self) -> Decision | None:
        """Pending decision of an external seat, or None if the deal has ended."""
        if self._status != stepping.AWAITING_ACTION:
            return None
        state = self.state
        view = self._games.views[state.query_seat][0].copy()
        return Decision(int(view.seat), SLOTS[state.query_slot], view, None)

    @property
    def actions(self) -> list[int]:
        """Actions of all seats so far in the current deal."""
        state = self.state
        actions_so_far: list[int] = state.answers[: state.n_scripted].tolist()
        return actions_so_far

    def act(self, action: int) -> None:
        """Take an action at the pending decision, and advance to the next decision.

        Raises:
            IllegalMoveError: If the action is not legal. The game then remains unchanged.
        """
        legal = int(self.state.legal) if self._status == stepping.AWAITING_ACTION else 0
        if not 0 <= action < 64 or not legal >> action & 1:
            raise IllegalMoveError(f"{action} is not a legal action")
        self._step(stepping.COMMAND_ACT, action)

    def undo_to(self, n_actions: int) -> None:
        """Undo all actions of the deal except the first `n_actions`."""
        self._step(stepping.COMMAND_REPLAY, n_actions)

    def replay(self, actions: Sequence[int]) -> None:
        """Replay the deal with the given actions of all seats, and advance to the next decision."""
        if len(actions) >= MAX_DECISIONS:
            raise IllegalMoveError("the game contains more actions than a deal can have")
        self.state.answers[: len(actions)] = actions
        self.undo_to(len(actions))

    def close_deal(self) -> None:
        """Add the result of a finished deal to the score, and begin the next deal of the match."""
        self._step(stepping.COMMAND_CLOSE_DEAL, 0)

    def get_traced_deal(self) -> TracedDeal:
        """Return the current deal with all of its decisions so far.

        The deal must not have been closed.
        """
        state, views = self.state.copy(), self._games.views
        deal = TracedDeal(
            matchup=self.matchup,
            state=state,
            views=(views[0][0].copy(), views[1][0].copy()),
            error="",
            exception=None,
            hands=find_dealt_hands(state, self.rules, is_solo=self.matchup.b is None),
        )
        return deal if self.is_deal_over else truncate_deal(deal, int(state.n_scripted), True)
