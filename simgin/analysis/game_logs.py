"""Deals logged by other engines (OpenSpiel, Kaggle, RLCard), replayed by simgin.

The logs contain the whole pack and every move. The variant is as close as possible to the rules of
the other engine; `NOTES` lists the remaining differences. A move that the rules of simgin do not
allow is rejected.

* OpenSpiel: `pyspiel.serialize_game_and_state(game, state)`, or `state.serialize()` alone, which
  contains no rules, so the defaults apply (google-deepmind/open_spiel, gin_rummy.h). States
  implemented in Python name the player of every action (`history=-1:41,0:54`, -1 for chance).
* Kaggle: the replay of an episode as JSON. Its observations contain OpenSpiel's serialized game
  under a proxy (Kaggle/kaggle-environments, open_spiel_env).
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
from simgin.core.answers import PASS, PHASE_LAST, STOCK, TAKE
from simgin.core.cards import PACK
from simgin.core.deadwood import deadwood
from simgin.core.position import END, LEAVE, THROW
from simgin.play.matchup import parse_matchup
from simgin.play.rollout import Action, legal_actions
from simgin.play.watch import Question, WatchedDeal, cut_short, watch_deal
from simgin.rules.build import build_rules
from simgin.text.messages import quoted
from simgin.text.notation import card_text, cards_in, hand_mask, parse_card, parse_cards

RULES = "standard+goal=single+stock_end=opponent_may_take"
OPENSPIEL = f"{RULES}+undercut_on_tie=no+discard_ban=none"
RLCARD = f"{RULES}+first_turn=discard_first"
NOTES = {
    "OpenSpiel": "OpenSpiel lets players meld and lay off badly, and breaks deals off in which a "
    "discard goes round; here both are done at their best, and such a deal has no result.",
    "RLCard": "RLCard pays 1 for gin, 0.2 for a knock and loses by deadwood; here deals are scored "
    "in points, with lay-offs and undercuts. Its gin is no choice: it has to be declared.",
}
# OpenSpiel's parameters with those of simgin, and parameters that must have these values
PARAMETERS = {"knock_card": "knock_limit", "oklahoma": "knock_by_upcard"}
PARAMETERS |= {name: name for name in ("gin_bonus", "undercut_bonus")}
SIZES = ("hand_size=10", "num_ranks=13", "num_suits=4")
TAKE_IT, DRAW, PASS_IT, KNOCK = 52, 53, 54, 55
HEADER = re.compile(r"^\s*gin_rummy(?:_proxy)?\(([^()]*)\)\s*$", re.MULTILINE)
HISTORY = re.compile(r"^history=(.*)$", re.MULTILINE)
ACTION = re.compile(r"(?:(-1|0|1):)?([0-9]{1,3})", re.ASCII)  # with or without its player
CHANCE = -1
SEVERAL = "it holds several deals, and a file may hold one: write each to a file of its own"
KAGGLE_GAME, KAGGLE_NAMES = "serializedGameAndState", "TeamNames"
SHEET = re.compile(r"([NS]) deal shuffled_deck=\[([^\]]*)\]")
SCORE = ["score"]  # second word of lines without a move
KINDS = {"draw_card": STOCK, "pick_up_discard": TAKE, "declare_dead_hand": LEAVE}
KINDS |= {"discard": THROW, "knock": END, "gin": END}
MOVE = re.compile(rf"([NS]) ({'|'.join(KINDS)})(?: (\w\w))?")
WORDS = {STOCK: "draw", TAKE: "take", PASS: "pass", THROW: "discard", END: "knock", LEAVE: "leave"}
PLAYER = "openspiel-simple"  # a strategy that decides about the ending after the discard
MOST_MOVES = 600
GIN = Action(END)  # RLCard does not log the discard of a gin

Move = tuple[int, Action]  # seat and action
Entry = tuple[int | None, int]  # OpenSpiel's player, or None if unnamed, and action


@dataclass(frozen=True)
class Log:
    """Deal logged by another engine.

    Attributes:
        engine: Name of the engine.
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


def read_log(text: str) -> Log | None:
    """Parse a log; return None if the text is not a log.

    Raises:
        PositionError: If the log is not valid.
        CardError: If a card is not valid.
    """
    text = text.strip()
    if found := SHEET.match(text):
        return _rlcard(found, text[found.end() :].splitlines())
    if text[:1] in ("{", "[") and f'"{KAGGLE_GAME}"' in text:
        return _kaggle(text)
    lines = [line.strip() for line in text.splitlines()]
    is_history = HISTORY.match(text) or re.fullmatch(r"[\[\d,\s][\d,\s]*\]?", text)
    return _openspiel(text) if "[Game]" in lines or is_history else None


# OpenSpiel


def _openspiel(text: str) -> Log:
    game, history = _read_serialized(text)
    if len(history) < 21:
        raise PositionError("its history ends before the cards are dealt")
    dealt, rest = history[:21], iter(history[21:])
    if any(player not in (None, CHANCE) for player, _ in dealt):
        raise PositionError("its history has a move before the cards are dealt")
    numbers = [number for _, number in dealt]
    pack = [*chain(*zip(numbers[:10], numbers[10:20], strict=True)), numbers[20]]
    moves = list(_openspiel_moves(rest, pack))
    pack = [_card(number) for number in pack]
    return Log("OpenSpiel", _variant(game), ("player 0", "player 1"), 1, pack, moves)


def _read_serialized(text: str) -> tuple[re.Match[str] | None, list[Entry]]:
    """Return the game of a serialized state, None if it has no header, and the history."""
    header, *states = text.split("[State]")
    if len(states) > 1:
        raise PositionError(SEVERAL)
    game = HEADER.search(header) if states else None
    if states and not game:
        raise PositionError("it is a log of another game than gin_rummy")
    state = states[0] if states else text
    named = HISTORY.search(state)
    words = re.split(r"[\s,\[\]]+", named[1] if named else state)
    return game, [_entry(word) for word in words if word]


def _entry(word: str) -> Entry:
    found = ACTION.fullmatch(word)
    if not found:
        raise PositionError(f"{quoted(word, 40)} is not an action of OpenSpiel's gin_rummy")
    return None if found[1] is None else int(found[1]), int(found[2])


def _kaggle(text: str) -> Log:
    """Return the log of a Kaggle replay; every observation contains the history so far."""
    states, teams = _observed(text)
    if not states:
        raise PositionError(f"its {KAGGLE_GAME} is empty")
    histories = [_read_serialized(state)[1] for state in states]
    longest = max(histories, key=len)
    if any(history != longest[: len(history)] for history in histories):
        raise PositionError(SEVERAL)
    log = _openspiel(states[histories.index(longest)])
    return replace(log, names=teams or log.names)


def _observed(text: str) -> tuple[list[str], tuple[str, str] | None]:
    """Return the distinct serialized games of a replay, and the names of its players."""
    states: dict[str, None] = {}
    teams = []

    def collect(item: dict[str, Any]) -> None:
        state, names = item.get(KAGGLE_GAME), item.get(KAGGLE_NAMES)
        if isinstance(state, str) and state:
            states[state] = None
        if isinstance(names, list) and [*map(type, names)] == [str, str] and all(names):
            teams.append((names[0], names[1]))

    json.loads(text, object_hook=collect)
    return [*states], teams[0] if teams else None


def _variant(game: re.Match[str] | None) -> str:
    """Return the variant spec of a header such as `gin_rummy(knock_card=5,oklahoma=True)`."""
    rules = {}
    for setting in filter(None, game[1].split(",") if game else ()):
        name, _, value = setting.partition("=")
        if name in PARAMETERS:
            rules[PARAMETERS[name]] = {"True": "yes", "False": "no"}.get(value, value)
        elif setting not in SIZES:
            raise PositionError(f"its game has {quoted(setting, 40)}, which no variant here has")
    if rules.get("knock_by_upcard") == "yes":
        rules.pop("knock_limit", None)
    return "+".join([OPENSPIEL, *(f"{name}={value}" for name, value in rules.items())])


def _openspiel_moves(history: Iterator[Entry], pack: list[int]) -> Iterator[Move]:
    """Yield the moves up to the ending, and append cards drawn from the stock to the pack."""
    seat, passes, has_begun = 0, 0, False
    for player, number in history:
        if player not in (None, seat):
            raise PositionError(f"its history has {player}:{number} at the turn of player {seat}")
        if number in (DRAW, KNOCK):
            _, card = next(history, (None, -1))
            if number == KNOCK:
                yield seat, Action(END, _card(card))
                return
            if card >= 0:
                pack.append(card)
            if has_begun or passes < 2:  # after two passes the draw is forced
                yield seat, Action(STOCK)
        elif number == TAKE_IT:
            yield seat, Action(TAKE)
        elif number == PASS_IT:
            yield seat, Action(LEAVE if has_begun else PASS)
            seat, passes = 1 - seat, passes + 1
        else:
            yield seat, Action(THROW, _card(number))
            seat, has_begun = 1 - seat, True


def _card(number: int) -> int:
    """Convert a card from OpenSpiel's numbers: suits are s c d h there, S H D C here."""
    if not 0 <= number < 52:
        raise PositionError(f"{number} is no card of OpenSpiel's gin_rummy")
    return (4 - number // 13) % 4 * 13 + number % 13


# RLCard


def _rlcard(deal: re.Match[str], lines: list[str]) -> Log:
    cards = parse_cards(deal[2])[::-1]  # dealt from the end
    if len(cards) != 52:
        raise PositionError(f"its pack has {len(cards)} cards")
    dealer = "NS".index(deal[1])
    first, other, stock = cards[:11], cards[11:21], cards[21:]
    pack = [*chain(*zip(first[:10], other, strict=True)), first[10], *stock]
    moves = [_rlcard_move(line.strip()) for line in lines if line.split()[1:2] not in ([], SCORE)]
    return Log("RLCard", RLCARD, ("N", "S"), dealer, pack, moves)


def _rlcard_move(line: str) -> Move:
    found = MOVE.fullmatch(line)
    if not found:
        raise PositionError(f"{quoted(line, 40)} is no move of RLCard's")
    kind = KINDS[found[2]]
    thrown = found[3] if kind in (THROW, END) else None
    return "NS".index(found[1]), Action(kind, parse_card(thrown) if thrown else -1)


# Replay


def replayed(log: Log) -> WatchedDeal:
    """Replay the deal of a log; it is truncated at the end of the log or at a rule difference.

    Raises:
        PositionError: If the rules of simgin do not allow a move.
    """
    if len(set(log.pack)) < len(log.pack) or len(log.moves) > MOST_MOVES:
        raise PositionError("it has a card twice, or more moves than any deal")
    matchup = parse_matchup(PLAYER, PLAYER, log.variant, 1, "deal")
    pack = [*log.pack, *cards_in(PACK & ~hand_mask(log.pack))]
    moves = _Moves(log, build_rules(matchup.variant))
    script: list[int] = []
    while True:
        deal = watch_deal(matchup, pack=pack, dealer=log.dealer, script=script)
        if deal.asked == len(script):
            moves.end()
            return deal
        question = deal.question(len(script))
        answer = moves.answer(question)
        if answer is None:
            drawn = int(question.view.drawn)
            return cut_short(deal, len(script), drawn < 0 or drawn in log.pack)
        script.append(answer)


class _Moves:
    """Moves of a log as actions of simgin, which skips forced decisions."""

    def __init__(self, log: Log, rules: Any) -> None:
        self.log = log
        self.rules = rules
        self.done = 0
        self.is_ending = False

    def answer(self, question: Question) -> int | None:
        """Return the action; None if the log ends or the other engine aborted the deal."""
        view, is_last = question.view, question.view.phase == PHASE_LAST
        if question.slot == "knock" and not is_last:
            return int(self.is_ending)  # declared with the discard
        left = self.log.moves[self.done :]
        if is_last and left and left[0][1].kind == TAKE:  # to end the deal
            self.done += 1
            del left[0]
        if not left or (question.slot == "take" and left[0][1].kind == LEAVE):
            return None
        seat, action = left[0]
        legal = {one: self._left(view, one) for one in legal_actions(view, self.rules)}
        if action == GIN:
            action = next((one for one in legal if legal[one] == 0), action)
        # With the last discard, the engine proposes only the best ending
        is_proposed = not is_last or legal.get(action) in (-1, view.ending_count)
        if seat != question.seat or action not in legal or not is_proposed:
            raise self._refusal()
        self.done += 1
        self.is_ending = action.kind == END
        return action.card if question.slot == "discard" else int(action.kind in (TAKE, END))

    def _left(self, view: Any, action: Action) -> int:
        """Return the deadwood that an ending leaves; -1 for another action."""
        if action.kind != END:
            return -1
        eleven = int(view.hand) | (1 << int(view.taken_offer) if view.phase == PHASE_LAST else 0)
        return int(deadwood(eleven & ~(1 << action.card), self.rules))

    def end(self) -> None:
        """Raise an error if moves follow the end of the deal, except for a declared dead hand."""
        if any(action.kind != LEAVE for _, action in self.log.moves[self.done :]):
            raise self._refusal()

    def _refusal(self) -> PositionError:
        seat, (kind, card) = self.log.moves[self.done]
        what = f"{WORDS[kind]} {card_text(card)}" if card >= 0 else WORDS[kind]
        return PositionError(
            f"our rules ({self.log.variant}) do not allow move {self.done + 1}, "
            f"{what} by {self.log.names[seat]}"
        )
