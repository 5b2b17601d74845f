"""Deals logged by other engines (OpenSpiel, Kaggle, RLCard), which simgin replays.

A log contains the whole pack and every move. The moves are replayed under the variant that is
closest to the rules of the engine. `ENGINE_NOTES` lists the remaining differences. If simgin's
rules do not allow a move, simgin raises an error.

* OpenSpiel: `pyspiel.serialize_game_and_state(game, state)`. The output of `state.serialize()` is
  also accepted, but it contains no rules, so the default rules apply (google-deepmind/open_spiel,
  gin_rummy.h). Games implemented in Python log the player of every action (`history=-1:41,0:54`, -1
  for chance).
* Kaggle: the JSON replay of an episode. The observations contain OpenSpiel's serialized game
  (Kaggle/kaggle-environments, open_spiel_env).
* RLCard: the move sheet, `print(*env.game.round.move_sheet, sep="\\n")` (datamllab/rlcard,
  games/gin_rummy/round.py).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from simgin.analysis.position import PositionError
from simgin.core.cards import ALL_CARDS
from simgin.core.codes import ACTION_PASS, ACTION_STOCK, ACTION_TAKE, PHASE_LAST
from simgin.core.deadwood import deadwood
from simgin.core.position_rollouts import ACTION_DISCARD, ACTION_END_DEAL, ACTION_LEAVE_DISCARD
from simgin.play.matchup import parse_matchup
from simgin.play.rollouts import Action, list_legal_actions
from simgin.play.traced_deal import Decision, TracedDeal, trace_deal, truncate_deal
from simgin.rules.build import build_rules
from simgin.text.messages import quote_text
from simgin.text.notation import cards_to_mask, format_card, mask_to_cards, parse_card, parse_cards

ENGINE_BASE_VARIANT = "standard+goal=single+stock_end=opponent_may_take"
OPENSPIEL_VARIANT = f"{ENGINE_BASE_VARIANT}+undercut_on_tie=no+discard_ban=none"
RLCARD_VARIANT = f"{ENGINE_BASE_VARIANT}+first_turn=discard_first"
ENGINE_NOTES = {
    "OpenSpiel": "OpenSpiel lets players choose melds and lay-offs, but simgin always uses the "
    "best ones. OpenSpiel aborts deals with repeated discards. In simgin, these deals have no "
    "result.",
    "RLCard": "In RLCard, gin scores 1, a knock scores 0.2, and all other results score minus a "
    "hundredth of the deadwood. simgin instead scores the deals in points, with lay-offs and "
    "undercuts. In RLCard, a player who can go gin must do so.",
}
# simgin's rule parameter for each OpenSpiel parameter, and the settings that OpenSpiel games
# require
OPENSPIEL_PARAMETERS = {"knock_card": "knock_limit", "oklahoma": "knock_by_upcard"}
OPENSPIEL_PARAMETERS |= {name: name for name in ("gin_bonus", "undercut_bonus")}
FIXED_OPENSPIEL_PARAMETERS = ("hand_size=10", "num_ranks=13", "num_suits=4")
OPENSPIEL_TAKE_ACTION, OPENSPIEL_DRAW_ACTION, OPENSPIEL_PASS_ACTION, OPENSPIEL_KNOCK_ACTION = (
    52,
    53,
    54,
    55,
)
OPENSPIEL_HEADER_PATTERN = re.compile(r"^\s*gin_rummy(?:_proxy)?\(([^()]*)\)\s*$", re.MULTILINE)
OPENSPIEL_HISTORY_PATTERN = re.compile(r"^history=(.*)$", re.MULTILINE)
OPENSPIEL_ACTION_PATTERN = re.compile(
    r"(?:(-1|0|1):)?([0-9]{1,3})", re.ASCII
)  # The player is optional.
CHANCE_PLAYER = -1
SEVERAL_DEALS_ERROR = "the file contains several deals. Save each deal in its own file"
KAGGLE_STATE_KEY, KAGGLE_NAMES_KEY = "serializedGameAndState", "TeamNames"
RLCARD_DEAL_PATTERN = re.compile(r"([NS]) deal shuffled_deck=\[([^\]]*)\]")
NON_MOVE_WORDS = ["score"]  # second words of log lines that contain no move
RLCARD_MOVES = {
    "draw_card": ACTION_STOCK,
    "pick_up_discard": ACTION_TAKE,
    "declare_dead_hand": ACTION_LEAVE_DISCARD,
}
RLCARD_MOVES |= {"discard": ACTION_DISCARD, "knock": ACTION_END_DEAL, "gin": ACTION_END_DEAL}
RLCARD_MOVE_PATTERN = re.compile(rf"([NS]) ({'|'.join(RLCARD_MOVES)})(?: (\w\w))?")
ACTION_WORDS = {
    ACTION_STOCK: "draw",
    ACTION_TAKE: "take",
    ACTION_PASS: "pass",
    ACTION_DISCARD: "discard",
    ACTION_END_DEAL: "knock",
    ACTION_LEAVE_DISCARD: "leave",
}
# Strategy that chooses the discard first, and then how to end the deal
REPLAY_STRATEGY = "openspiel-simple"
MAX_LOGGED_MOVES = 600
GIN_ACTION = Action(ACTION_END_DEAL)  # RLCard does not log the discard that accompanies gin.

Move = tuple[int, Action]  # seat and action
# Player (None if the log does not name the player) and action
HistoryEntry = tuple[int | None, int]


@dataclass(frozen=True)
class ForeignLog:
    """Deal logged by another engine.

    Attributes:
        engine: Name of the engine that logged the deal.
        variant: Spec of the variant.
        names: Names of the players by seat.
        dealer: Seat of the dealer.
        pack: Known cards in dealing order.
        moves: Moves in the order of play.
    """

    engine: str
    variant: str
    names: tuple[str, str]
    dealer: int
    pack: list[int]
    moves: list[Move]


def parse_log(text: str) -> ForeignLog | None:
    """Parse a log, or return None if the text is not a log of a supported engine.

    Raises:
        PositionError: If the log is not valid.
        CardError: If a card is not valid.
    """
    text = text.strip()
    if match := RLCARD_DEAL_PATTERN.match(text):
        return _parse_rlcard(match, text[match.end() :].splitlines())
    if text[:1] in ("{", "[") and f'"{KAGGLE_STATE_KEY}"' in text:
        return _parse_kaggle(text)
    lines = [line.strip() for line in text.splitlines()]
    is_history = OPENSPIEL_HISTORY_PATTERN.match(text) or re.fullmatch(
        r"[\[\d,\s][\d,\s]*\]?", text
    )
    return _parse_openspiel(text) if "[Game]" in lines or is_history else None


# OpenSpiel


def _parse_openspiel(text: str) -> ForeignLog:
    """Parse a serialized OpenSpiel state or a history of actions."""
    header_match, history = _read_serialized_state(text)
    if len(history) < 21:
        raise PositionError("the history ends before the cards are dealt")
    dealt_cards, entries = history[:21], iter(history[21:])
    if any(player not in (None, CHANCE_PLAYER) for player, _ in dealt_cards):
        raise PositionError("the history contains a move before the cards are dealt")
    dealt_numbers = [number for _, number in dealt_cards]
    pack = [*chain(*zip(dealt_numbers[:10], dealt_numbers[10:20], strict=True)), dealt_numbers[20]]
    moves = list(_parse_openspiel_moves(entries, pack))
    pack = [_convert_card(number) for number in pack]
    return ForeignLog(
        "OpenSpiel", _parse_openspiel_rules(header_match), ("player 0", "player 1"), 1, pack, moves
    )


def _read_serialized_state(text: str) -> tuple[re.Match[str] | None, list[HistoryEntry]]:
    """Return the header (None if it is missing) and the history of a serialized state."""
    header_text, *states = text.split("[State]")
    if len(states) > 1:
        raise PositionError(SEVERAL_DEALS_ERROR)
    header_match = OPENSPIEL_HEADER_PATTERN.search(header_text) if states else None
    if states and not header_match:
        raise PositionError("the log is not from the game gin_rummy")
    state = states[0] if states else text
    match = OPENSPIEL_HISTORY_PATTERN.search(state)
    words = re.split(r"[\s,\[\]]+", match[1] if match else state)
    return header_match, [_parse_history_entry(word) for word in words if word]


def _parse_history_entry(word: str) -> HistoryEntry:
    """Parse an action, with or without its player, such as `0:52`."""
    match = OPENSPIEL_ACTION_PATTERN.fullmatch(word)
    if not match:
        raise PositionError(f"{quote_text(word, 40)} is not a valid OpenSpiel action")
    return None if match[1] is None else int(match[1]), int(match[2])


def _parse_kaggle(text: str) -> ForeignLog:
    """Parse a Kaggle replay, whose observations contain the history of the deal."""
    states, player_names = _collect_observations(text)
    if not states:
        raise PositionError(f"the replay contains no data for {KAGGLE_STATE_KEY}")
    histories = [_read_serialized_state(state)[1] for state in states]
    longest_history = max(histories, key=len)
    if any(history != longest_history[: len(history)] for history in histories):
        raise PositionError(SEVERAL_DEALS_ERROR)
    log = _parse_openspiel(states[histories.index(longest_history)])
    return replace(log, names=player_names or log.names)


def _collect_observations(text: str) -> tuple[list[str], tuple[str, str] | None]:
    """Return the distinct serialized games and the player names in a Kaggle replay."""
    states: dict[str, None] = {}
    player_names = []

    def collect_observation(json_object: dict[str, Any]) -> None:
        state, names = json_object.get(KAGGLE_STATE_KEY), json_object.get(KAGGLE_NAMES_KEY)
        if isinstance(state, str) and state:
            states[state] = None
        if isinstance(names, list) and [*map(type, names)] == [str, str] and all(names):
            player_names.append((names[0], names[1]))

    json.loads(text, object_hook=collect_observation)
    return [*states], player_names[0] if player_names else None


def _parse_openspiel_rules(header: re.Match[str] | None) -> str:
    """Return the variant spec for a header such as `gin_rummy(knock_card=5,oklahoma=True)`."""
    rules = {}
    for setting in filter(None, header[1].split(",") if header else ()):
        name, _, value = setting.partition("=")
        if name in OPENSPIEL_PARAMETERS:
            rules[OPENSPIEL_PARAMETERS[name]] = {"True": "yes", "False": "no"}.get(value, value)
        elif setting not in FIXED_OPENSPIEL_PARAMETERS:
            raise PositionError(
                f"simgin does not support the game parameter {quote_text(setting, 40)}"
            )
    if rules.get("knock_by_upcard") == "yes":
        rules.pop("knock_limit", None)
    return "+".join([OPENSPIEL_VARIANT, *(f"{name}={value}" for name, value in rules.items())])


def _parse_openspiel_moves(history: Iterator[HistoryEntry], pack: list[int]) -> Iterator[Move]:
    """Yield the moves of an OpenSpiel history, and append the cards drawn to the pack."""
    seat, n_passes, has_begun = 0, 0, False
    for player, action in history:
        if player not in (None, seat):
            raise PositionError(
                f"the history contains an action by player {player} (action {action}), but it is "
                f"player {seat}'s turn"
            )
        if action in (OPENSPIEL_DRAW_ACTION, OPENSPIEL_KNOCK_ACTION):
            _, card = next(history, (None, -1))
            if action == OPENSPIEL_KNOCK_ACTION:
                yield seat, Action(ACTION_END_DEAL, _convert_card(card))
                return
            if card >= 0:
                pack.append(card)
            if has_begun or n_passes < 2:  # After two passes, the draw is forced.
                yield seat, Action(ACTION_STOCK)
        elif action == OPENSPIEL_TAKE_ACTION:
            yield seat, Action(ACTION_TAKE)
        elif action == OPENSPIEL_PASS_ACTION:
            yield seat, Action(ACTION_LEAVE_DISCARD if has_begun else ACTION_PASS)
            seat, n_passes = 1 - seat, n_passes + 1
        else:
            yield seat, Action(ACTION_DISCARD, _convert_card(action))
            seat, has_begun = 1 - seat, True


def _convert_card(openspiel_card: int) -> int:
    """Convert an OpenSpiel card number to a simgin card number.

    The suit orders differ.
    """
    if not 0 <= openspiel_card < 52:
        raise PositionError(f"{openspiel_card} is not a valid OpenSpiel card number")
    return (4 - openspiel_card // 13) % 4 * 13 + openspiel_card % 13


# RLCard


def _parse_rlcard(deal: re.Match[str], lines: list[str]) -> ForeignLog:
    """Parse the cards and the moves in an RLCard log."""
    cards = parse_cards(deal[2])[::-1]  # RLCard deals from the end of the deck.
    if len(cards) != 52:
        raise PositionError(f"the deck has {len(cards)} cards instead of 52")
    dealer = "NS".index(deal[1])
    # The nondealer receives eleven cards.
    pack = [*chain(*zip(cards[:10], cards[11:21], strict=True)), cards[10], *cards[21:]]
    moves = [
        _parse_rlcard_move(line.strip())
        for line in lines
        if line.split()[1:2] not in ([], NON_MOVE_WORDS)
    ]
    return ForeignLog("RLCard", RLCARD_VARIANT, ("N", "S"), dealer, pack, moves)


def _parse_rlcard_move(line: str) -> Move:
    """Parse a move in an RLCard log, such as `N discard KS`."""
    match = RLCARD_MOVE_PATTERN.fullmatch(line)
    if not match:
        raise PositionError(f"{quote_text(line, 40)} is not a valid move in RLCard's gin_rummy")
    move_type = RLCARD_MOVES[match[2]]
    discard = match[3] if move_type in (ACTION_DISCARD, ACTION_END_DEAL) else None
    return "NS".index(match[1]), Action(move_type, parse_card(discard) if discard else -1)


# Replay


def replay_log(log: ForeignLog) -> TracedDeal:
    """Replay a logged deal until the log ends or the engine aborted the deal.

    Raises:
        PositionError: If the rules of simgin do not allow a move.
    """
    if len(set(log.pack)) < len(log.pack) or len(log.moves) > MAX_LOGGED_MOVES:
        raise PositionError("the log repeats a card, or contains more moves than a deal can have")
    matchup = parse_matchup(REPLAY_STRATEGY, REPLAY_STRATEGY, log.variant, 1, "deal")
    pack = [*log.pack, *mask_to_cards(ALL_CARDS & ~cards_to_mask(log.pack))]
    moves = _LoggedMoves(log, build_rules(matchup.variant))
    script: list[int] = []
    while True:
        deal = trace_deal(matchup, pack=pack, dealer=log.dealer, script=script)
        if deal.n_decisions == len(script):
            moves.check_end()
            return deal
        open_decision = deal.get_decision(len(script))
        action = moves.next_action(open_decision)
        if action is None:
            drawn_card = int(open_decision.view.drawn)
            return truncate_deal(deal, len(script), drawn_card < 0 or drawn_card in log.pack)
        script.append(action)


class _LoggedMoves:
    """Iterator that converts logged moves to simgin actions, and skips forced moves."""

    def __init__(self, log: ForeignLog, rules: Any) -> None:
        self.log = log
        self.rules = rules
        self.n_converted = 0
        self.is_ending = False

    def next_action(self, decision: Decision) -> int | None:
        """Return the next action, or None if the log has ended or the engine aborted the deal."""
        view, is_last_discard = decision.view, decision.view.phase == PHASE_LAST
        if decision.slot == "knock" and not is_last_discard:
            return int(self.is_ending)  # The ending is declared together with the discard.
        remaining_moves = self.log.moves[self.n_converted :]
        # action that ends the deal
        if is_last_discard and remaining_moves and remaining_moves[0][1].type == ACTION_TAKE:
            self.n_converted += 1
            del remaining_moves[0]
        if not remaining_moves or (
            decision.slot == "take" and remaining_moves[0][1].type == ACTION_LEAVE_DISCARD
        ):
            return None
        seat, action = remaining_moves[0]
        moves = list_legal_actions(view, self.rules)
        deadwood_by_move = {move: self._compute_deadwood_after_ending(view, move) for move in moves}
        if action == GIN_ACTION:
            action = next((move for move in moves if deadwood_by_move[move] == 0), action)
        # With the last discard, the engine proposes only the best ending.
        is_proposed_ending = not is_last_discard or deadwood_by_move.get(action) in (
            -1,
            view.ending_count,
        )
        if seat != decision.seat or action not in deadwood_by_move or not is_proposed_ending:
            raise self._make_illegal_move_error()
        self.n_converted += 1
        self.is_ending = action.type == ACTION_END_DEAL
        if decision.slot == "discard":
            return action.card
        return int(action.type in (ACTION_TAKE, ACTION_END_DEAL))

    def _compute_deadwood_after_ending(self, view: Any, action: Action) -> int:
        """Return the deadwood after an action that ends the deal, or -1 after other actions."""
        if action.type != ACTION_END_DEAL:
            return -1
        taken_card = 1 << int(view.taken_offer) if view.phase == PHASE_LAST else 0
        ten_cards = (int(view.hand) | taken_card) & ~(1 << action.card)
        return int(deadwood(ten_cards, self.rules))

    def check_end(self) -> None:
        """Raise PositionError if the log contains moves after the end of the deal."""
        if any(
            action.type != ACTION_LEAVE_DISCARD for _, action in self.log.moves[self.n_converted :]
        ):
            raise self._make_illegal_move_error()

    def _make_illegal_move_error(self) -> PositionError:
        """Return the error for a move that is not legal in simgin."""
        seat, (kind, card) = self.log.moves[self.n_converted]
        move_text = f"{ACTION_WORDS[kind]} {format_card(card)}" if card >= 0 else ACTION_WORDS[kind]
        return PositionError(
            f"move {self.n_converted + 1} ({move_text} by {self.log.names[seat]}) is not legal "
            f"under the rules of {self.log.variant}"
        )
