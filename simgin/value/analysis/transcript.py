"""A deal as `simgin show` prints it, read back: whole or only begun, of a match, for one player.

The cards and decisions are read, and the engine plays them again: nobody is asked, so that the
players need not be there any more, and what cannot have been played is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from simgin.core.answers import PASS, STOCK, TAKE
from simgin.core.cards import PACK
from simgin.core.rules import DISCARD_FIRST, NO_JOKER, UPCARD_PASS
from simgin.core.state import MAX_QUESTIONS
from simgin.play.deal import WatchedDeal, cut_short, watch_deal
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.replay import WIDTH
from simgin.play.told_standing import Standing, read_standing
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant
from simgin.strategy import loader
from simgin.text.messages import quoted
from simgin.text.notation import CardError, cards_in, parse_cards
from simgin.value.analysis.analysis import strongest
from simgin.value.analysis.position import PositionError

MOST = 1_000_000  # characters of a file
MOST_ANSWER = 63
_TITLE = re.compile(
    r"(?P<variant>.+): seed (?P<seed>\d+), unit (?P<unit>\d+)(, half [01])?(, deal (?P<deal>\d+))?"
)
_PLAYER = re.compile(r"(.+) \(seat ([01])\), (dealer|nondealer)(?:, plays first)?, (.+)")
_ALONE = re.compile(r"([^\s,]+), ((?:score|total) .+?)(?:; joker, (.+))?")
_TURN = re.compile(r"Turn (\d+)\b.*")
_DEALT = re.compile(r"is dealt (.*), deadwood \d+")
_UPCARD = re.compile(r"Knock limit .*\bupcard (\w\w)\b.*")
_DRAW = re.compile(r"draws (\w\w)(?:, \d+ left in the deck)?")
_DISCARD = re.compile(r"discards (\w\w)")
_FIRST = re.compile(r".+ \(seat [01]\) holds .*: (takes it|passes|draws from the stock)")
_ENDING = re.compile(r"(knocks|goes gin|shoots|declares big gin)\b.*")
_PLAYS_ON = re.compile(r"may (knock|go gin|shoot|declare big gin)\b.*: plays on")
_SHOWS = re.compile(r"shows melding (\d+) of .*")
_DIE = re.compile(r".+ \(seat [01]\) (offers|leaves the die at|accepts|refuses) (\d+)\b.*")
_DIE_SHOWS = re.compile(r"Before the cards are seen, the die shows (\d+).*")
_JOKER_DRAWN = re.compile(r"Joker: card (\d+) of the \d+ in the deck")
_JOKER_BELOW = re.compile(r"(\d+) cards? lies? above the joker\b.*")
_JOKER_DEALT = "Joker: it was dealt"
_PERSON = re.compile(r"\S+( \([AB]\))? \(seat [01]\) ")
STARTS = (
    *("holds ", "knows that ", "is dealt ", "declines ", "takes ", "draws ", "discards "),
    *("knocks", "goes gin", "shoots", "declares ", "may ", "shows ", "has "),
)


@dataclass(frozen=True)
class Line:
    """A line without its indent, and the number of its first line in the file."""

    number: int
    text: str


@dataclass(frozen=True)
class Decision:
    """An answer to a question of the engine, and the line that tells it."""

    answer: int
    line: Line


def read_transcript(path: str | Path) -> WatchedDeal:
    """The deal that a file tells, with A at seat 0; cut short where the file ends before the deal.

    Raises PositionError for a file that tells none, and OSError where there is no file.
    """
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        text = file.read(MOST)
    return _Transcript(str(path), list(_unwrapped(text))).deal()


def _unwrapped(text: str) -> Iterator[Line]:
    """The lines without their indents, those that were cut at the width in one."""
    number = 0
    whole = ""
    last = ""
    for place, line in enumerate(text.splitlines(), 1):
        begins = line.lstrip()
        indent = len(line) - len(begins)
        word = begins.partition(" ")[0]
        is_full = len(last) + 1 + len(word) > WIDTH
        # Decisions stand two characters to the right, and what is cut two more.
        may_begin = begins.startswith(STARTS) or _PERSON.match(begins) or _JOKER_BELOW.match(begins)
        if is_full and (indent > 2 or (indent and not may_begin)):
            whole += f" {begins}"
        else:
            yield Line(number, whole)
            number = place
            whole = begins
        last = line.rstrip()
    yield Line(number, whole)


class _Transcript:
    """The lines of a deal, and what they tell."""

    def __init__(self, name: str, lines: list[Line]) -> None:
        self.name = name
        self.lines = lines

    def deal(self) -> WatchedDeal:
        """The deal, played again."""
        played = self._play_alone() if self.alone else self._play()
        self._check(played)
        if played.fault or played.state.logged > len(self.script):
            played = self._cut(played)
        if self.title["deal"] is None:
            return played
        self.standing.enter(played, int(self.title["deal"]))
        return replace(played, matchup=replace(played.matchup, unit="match"))

    def _error(self, reason: str, line: Line | None = None) -> PositionError:
        place = "" if line is None else f"line {line.number}, {quoted(line.text)}, "
        return PositionError(f"{quoted(self.name)} cannot be read as a deal: {place}{reason}.")

    def _found(self, pattern: re.Pattern[str]) -> Iterator[tuple[Line, re.Match[str]]]:
        for line in self.lines:
            if match := pattern.fullmatch(line.text):
                yield line, match

    # What the deal is

    @cached_property
    def title(self) -> re.Match[str]:
        for _, match in self._found(_TITLE):
            return match
        raise self._error("it has no line like `standard: seed 1, unit 3, half 0` of simgin show")

    @cached_property
    def variant(self) -> Variant:
        return variants.find(self.title["variant"])

    @property
    def alone(self) -> bool:
        return self.variant.row["players"] == 1

    @cached_property
    def players(self) -> dict[int, tuple[str, str, str]]:
        """By seat: the name, whether it deals, and how it stands."""
        players = {}
        for _, match in self._found(_PLAYER):
            name, seat, role, stands = match.groups()
            players[int(seat)] = re.sub(r" \([AB]\)$", "", name), role, stands
        roles = {role for _, role, _ in players.values()}
        if len(players) < 2 or len(roles) < 2:
            raise self._error("it does not name two players, one of them the dealer")
        return players

    @cached_property
    def standing(self) -> Standing:
        """The match before the deal."""
        if self.alone:
            sides = self._player()[1:]
            return read_standing(self.variant, [side for side in sides if side])
        for line, match in self._found(_DIE_SHOWS):
            if match[1] != "1":
                reason = "tells of a die that was turned in an earlier deal: name the deal by "
                raise self._error(reason + "--seed, --unit and --deal instead", line)
        return read_standing(self.variant, [self.players[seat][2] for seat in (0, 1)])

    def _player(self) -> tuple[str, str, str]:
        """The name of a single player, how it stands, and how the joker does."""
        for _, match in self._found(_ALONE):
            return match[1], match[2], match[3] or ""
        raise self._error("it does not name the player")

    # The cards

    @cached_property
    def hands(self) -> list[list[int]]:
        """The cards dealt, in the order of the lines."""
        hands = []
        for line, match in self._found(_DEALT):
            cards = match[1].replace("|", " ")
            hands.append(self._cards(cards, line))
        return hands

    @cached_property
    def draws(self) -> dict[int, tuple[int, Line]]:
        """The card drawn in a turn, and its line."""
        draws = {}
        turn = 0
        for line in self.lines:
            if match := _TURN.fullmatch(line.text):
                turn = int(match[1])
            elif match := _DRAW.fullmatch(line.text):
                if turn in draws:
                    raise self._error("draws a second card in a turn", line)
                (card,) = self._cards(match[1], line)
                draws[turn] = card, line
        return draws

    def _pack(self, first: list[int]) -> list[int]:
        """The pack in dealing order: the first cards, those drawn, and what nobody saw."""
        pack = first + [card for card, _ in self.draws.values()]
        for card, line in self.draws.values():
            if pack.count(card) > 1:
                raise self._error("has a card that was seen elsewhere before", line)
        seen = set(pack)
        if len(seen) < len(pack):
            raise self._error("a card is dealt twice")
        return pack + [card for card in cards_in(PACK) if card not in seen]

    def _cards(self, text: str, line: Line) -> list[int]:
        try:
            return parse_cards(text)
        except CardError as error:
            raise self._error(f"cannot be: {str(error).rstrip('.')}", line) from None

    @property
    def _eleven(self) -> bool:
        return bool(build_rules(self.variant).first_turn == DISCARD_FIRST)

    # The deal

    def _play(self) -> WatchedDeal:
        """The deal of two players."""
        if [len(hand) for hand in self.hands] != [10 + self._eleven, 10]:
            raise self._error("it does not say what both players were dealt")
        nondealer, dealt = self.hands
        first: list[int] = []
        for pair in zip(nondealer, dealt, strict=False):
            first += pair
        first += nondealer[10:]
        for line, match in self._found(_UPCARD):
            first += self._cards(match[1], line)
        names = [self.players[seat][0] for seat in (0, 1)]
        _, role, _ = self.players[1]
        points = None
        if self.title["deal"] is not None:
            points = self.standing.points
        return watch_deal(
            self._matchup(names),
            int(self.title["unit"]),
            pack=self._pack(first),
            dealer=int(role == "dealer"),
            points=points,
            script=self._answers(),
        )

    def _play_alone(self) -> WatchedDeal:
        """The deal of a single player."""
        if len(self.hands) != 1:
            raise self._error("it does not say what the player was dealt")
        (hand,) = self.hands
        name, *_ = self._player()
        return watch_deal(
            self._matchup([name]),
            int(self.title["unit"]),
            pack=self._pack(hand),
            joker=self._joker(),
            script=self._answers(),
        )

    def _matchup(self, names: list[str]) -> Matchup:
        """The matchup of one player or two, or of those who stand in for them."""
        stand_in = strongest(self.variant)
        a, *others = [_known(name, stand_in) for name in names]
        b = others[0] if others else None
        seed = int(self.title["seed"])
        return parse_matchup(a, b, self.variant.text, seed, "deal")

    def _answers(self) -> list[int]:
        return [decision.answer for decision in self.script]

    def _joker(self) -> int:
        """The joker's place among the 53 cards, the last if nothing is told; -1 without a joker."""
        if build_rules(self.variant).joker == NO_JOKER:
            return -1
        dealt = 10 + self._eleven
        for line in self.lines:
            if line.text == _JOKER_DEALT:
                return 0
            if match := _JOKER_DRAWN.fullmatch(line.text):
                return dealt + int(match[1]) - 1
            if match := _JOKER_BELOW.fullmatch(line.text):
                return dealt + len(self.draws) + int(match[1])
        return 52

    @cached_property
    def script(self) -> list[Decision]:
        """The answers to all questions, in order."""
        script: list[Decision] = []
        from_upcard = False  # whether the card taken next was taken as the first upcard
        for line in self.lines:
            if line.text.startswith("takes ") and from_upcard:
                from_upcard = False
                continue
            answer = self._answer(line)
            if answer is None:
                continue
            if _FIRST.fullmatch(line.text):
                from_upcard = answer == TAKE
            if answer > MOST_ANSWER or len(script) == MAX_QUESTIONS:
                raise self._error("is a decision that no deal has", line)
            script.append(Decision(answer, line))
        return script

    def _answer(self, line: Line) -> int | None:
        """The answer that a line tells, None if it tells none."""
        text = line.text
        if match := _FIRST.fullmatch(text):
            passes = STOCK if build_rules(self.variant).first_turn == UPCARD_PASS else PASS
            answers = {"takes it": TAKE, "passes": passes, "draws from the stock": STOCK}
            return answers[match[1]]
        if text.startswith("declines "):
            return STOCK
        if text.startswith("takes "):
            return TAKE
        if match := _DISCARD.fullmatch(text):
            (card,) = self._cards(match[1], line)
            return card
        if _ENDING.fullmatch(text):
            return 1
        if _PLAYS_ON.fullmatch(text):
            return 0
        if match := _SHOWS.fullmatch(text):
            return int(match[1])
        if match := _DIE.fullmatch(text):
            answers = {"offers": int(match[2]), "accepts": 1}
            return answers.get(match[1], 0)
        return None

    def _check(self, played: WatchedDeal) -> None:
        """Refuse lines that do not follow from those before them."""
        wrong = list(self._wrong_draws(played))
        done = int(played.state.logged)
        if done < len(self.script):
            wrong.append(self.script[done].line)
        if wrong:
            first = min(wrong, key=lambda line: line.number)
            raise self._error("does not follow from the cards and decisions before it", first)

    def _wrong_draws(self, played: WatchedDeal) -> Iterator[Line]:
        """The lines of cards that were drawn in other turns."""
        drawn = played.turns
        for turn, (card, line) in self.draws.items():
            if 0 < turn <= len(drawn) and drawn[turn - 1][2] != card:
                yield line

    def _cut(self, played: WatchedDeal) -> WatchedDeal:
        """The deal as far as it is told; the next decision is open if its cards are known."""
        done = len(self.script)
        view = played.state.log[done]
        is_told = view.drawn < 0 or int(view.turn) in self.draws
        return cut_short(played, done, is_told)


def _known(name: str, stand_in: str) -> str:
    """A player's own name, or that of who stands in.

    A transcript may come from anybody, so no file of Python that it names is run.
    """
    if ".py" in name:
        return stand_in
    try:
        return loader.find(name).text
    except (ValueError, OSError):
        return stand_in
