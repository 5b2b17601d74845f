"""A deal of two players as `simgin show` prints it, read back.

The cards and decisions are read, and the engine plays them again: nobody is asked, so that the
players need not be there any more, and what cannot have been played is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from simgin.core.answers import PASS, STOCK, TAKE
from simgin.core.cards import PACK
from simgin.core.rules import DISCARD_FIRST, UPCARD_PASS
from simgin.core.state import MAX_QUESTIONS
from simgin.play.deal import WatchedDeal, watch_deal
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.replay import WIDTH
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant
from simgin.strategy import loader
from simgin.text.messages import quoted
from simgin.text.notation import CardError, cards_in, parse_cards
from simgin.value.analysis.analysis import STRONGEST
from simgin.value.analysis.position import PositionError

STAND_IN = STRONGEST[2]  # for a player whose strategy cannot be found
MOST = 1_000_000  # characters of a file
MOST_ANSWER = 63
_TITLE = re.compile(
    r"(?P<variant>.+): seed (?P<seed>\d+), unit (?P<unit>\d+), half [01](?P<deal>, deal \d+)?"
)
_PLAYER = re.compile(r"(.+) \(seat ([01])\), (dealer|nondealer)\b.*")
_DEALT = re.compile(r"is dealt (.*), deadwood \d+")
_UPCARD = re.compile(r"Knock limit .*\bupcard (\w\w)\b.*")
_DRAW = re.compile(r"draws (\w\w)")
_DISCARD = re.compile(r"discards (\w\w)")
_FIRST = re.compile(r".+ \(seat [01]\) holds .*: (takes it|passes|draws from the stock)")
_ENDING = re.compile(r"(knocks|goes gin|shoots|declares big gin)\b.*")
_PLAYS_ON = re.compile(r"may (knock|go gin|shoot|declare big gin)\b.*: plays on")
_SHOWS = re.compile(r"shows melding (\d+) of .*")
_DIE = re.compile(r".+ \(seat [01]\) (offers|leaves the die at|accepts|refuses) (\d+)\b.*")
_PERSON = re.compile(r"\S+( \([AB]\))? \(seat [01]\) ")
STARTS = (
    *("holds ", "knows that ", "is dealt ", "declines ", "takes ", "draws ", "discards "),
    *("knocks", "goes gin", "shoots", "declares ", "may ", "shows ", "has "),
)


def read_transcript(path: str | Path) -> WatchedDeal:
    """The deal that a file tells, with A at seat 0.

    Raises PositionError for a file that tells none, and OSError where there is no file.
    """
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        text = file.read(MOST)
    return _Transcript(str(path), list(_unwrapped(text))).deal()


def _unwrapped(text: str) -> Iterator[str]:
    """The lines without their indents, those that were cut at the width in one."""
    whole = ""
    last = ""
    for line in text.splitlines():
        begins = line.lstrip()
        indent = len(line) - len(begins)
        word = begins.partition(" ")[0]
        is_full = len(last) + 1 + len(word) > WIDTH
        # Decisions stand two characters to the right, and what is cut two more.
        may_begin = begins.startswith(STARTS) or _PERSON.match(begins)
        if is_full and (indent > 2 or (indent and not may_begin)):
            whole += f" {begins}"
        else:
            yield whole
            whole = begins
        last = line.rstrip()
    yield whole


class _Transcript:
    """The lines of a deal, and what they tell."""

    def __init__(self, name: str, lines: list[str]) -> None:
        self.name = name
        self.lines = lines

    def deal(self) -> WatchedDeal:
        """The deal, played again."""
        title = self._title()
        variant = variants.find(title["variant"])
        if variant.row["players"] == 1:
            raise self._error(f"{variant.text} is for one player; transcripts of two are read")
        if title["deal"]:
            raise self._error("a deal of a match is named by --seed, --unit and --deal instead")
        players, dealer = self._players()
        matchup = _matchup(variant, *players, int(title["seed"]))
        script = self._script(variant)
        watched = watch_deal(
            matchup,
            int(title["unit"]),
            pack=self._pack(variant, dealer),
            dealer=dealer,
            script=script,
        )
        if not watched.fault and watched.state.logged > len(script):
            raise self._error("it ends before the deal does")
        if watched.fault or watched.state.logged < len(script):
            turn = int(watched.state.turns) + 1
            raise self._error(f"what is decided about turn {turn} cannot be, with these cards")
        return watched

    def _error(self, reason: str) -> PositionError:
        return PositionError(f"{quoted(self.name)} cannot be read as a deal: {reason}.")

    def _title(self) -> re.Match[str]:
        for line in self.lines:
            if match := _TITLE.fullmatch(line):
                return match
        raise self._error("it has no line like `standard: seed 1, unit 3, half 0` of simgin show")

    def _players(self) -> tuple[tuple[str, str], int]:
        """The names by seat, and the dealer's seat."""
        names = {}
        dealer = -1
        for line in self.lines:
            if match := _PLAYER.fullmatch(line):
                name, seat, role = match.groups()
                names[int(seat)] = re.sub(r" \([AB]\)$", "", name)
                if role == "dealer":
                    dealer = int(seat)
        if len(names) < 2 or dealer < 0:
            raise self._error("it does not name two players, one of them the dealer")
        return (names[0], names[1]), dealer

    def _pack(self, variant: Variant, dealer: int) -> list[int]:
        """The pack in dealing order; what nobody saw comes last."""
        hands = []
        after = []
        for line in self.lines:
            if match := _DEALT.fullmatch(line):
                cards = match[1].replace("|", " ")
                hands.append(self._cards(cards))
                continue
            if match := _UPCARD.fullmatch(line) or _DRAW.fullmatch(line):
                card = self._cards(match[1])
                after += card
        eleven = build_rules(variant).first_turn == DISCARD_FIRST
        if [len(hand) for hand in hands] != [10 + eleven, 10]:
            raise self._error("it does not say what both players were dealt")
        nondealer, dealt = hands
        pack: list[int] = []
        for pair in zip(nondealer, dealt, strict=False):
            pack += pair
        pack += nondealer[10:] + after
        if len(set(pack)) < len(pack):
            raise self._error("a card appears twice")
        seen = set(pack)
        return pack + [card for card in cards_in(PACK) if card not in seen]

    def _cards(self, text: str) -> list[int]:
        try:
            return parse_cards(text)
        except CardError as error:
            raise self._error(str(error).rstrip(".")) from None

    def _script(self, variant: Variant) -> list[int]:
        """The answers to all questions, in order."""
        only_pass = build_rules(variant).first_turn == UPCARD_PASS
        script = []
        from_upcard = False  # whether the card taken next was taken as the first upcard
        for line in self.lines:
            if match := _FIRST.fullmatch(line):
                from_upcard = match[1] == "takes it"
                passes = STOCK if only_pass else PASS
                answers = {"takes it": TAKE, "passes": passes, "draws from the stock": STOCK}
                script.append(answers[match[1]])
            elif line.startswith("declines "):
                script.append(STOCK)
            elif line.startswith("takes "):
                if not from_upcard:
                    script.append(TAKE)
                from_upcard = False
            elif match := _DISCARD.fullmatch(line):
                script += self._cards(match[1])
            elif _ENDING.fullmatch(line):
                script.append(1)
            elif _PLAYS_ON.fullmatch(line):
                script.append(0)
            elif match := _SHOWS.fullmatch(line):
                script.append(int(match[1]))
            elif match := _DIE.fullmatch(line):
                answers = {"offers": int(match[2]), "accepts": 1}
                script.append(answers.get(match[1], 0))
        if len(script) > MAX_QUESTIONS or max(script, default=0) > MOST_ANSWER:
            raise self._error("it has decisions that no deal has")
        return script


def _matchup(variant: Variant, a: str, b: str, seed: int) -> Matchup:
    """The matchup of two players, or of those who stand in for them."""
    one = _known(a)
    two = _known(b)
    return parse_matchup(one, two, variant.text, seed, "deal")


def _known(name: str) -> str:
    """A player's own name, or STAND_IN.

    A transcript may come from anybody, so no file of Python that it names is run.
    """
    if ".py" in name:
        return STAND_IN
    try:
        return loader.find(name).text
    except (ValueError, OSError):
        return STAND_IN
