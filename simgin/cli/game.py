"""Interactive game: screens, input, coach and saved games."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from pathlib import Path
from typing import Annotated

import click
from pydantic import Field, ValidationError

from simgin.analysis.analysis import Analysis, Effort, analyse
from simgin.analysis.grades import LADDER, grade, trial_of, verdict
from simgin.analysis.position import Position, better, positions_in
from simgin.cli.output import Answer, repeated, say
from simgin.play.hand import cards_text, shown_melding
from simgin.play.kernel import PolicyFailure
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.replay import make_replay, standing_text, wrapped
from simgin.play.replay_rows import rows
from simgin.play.seat import choices, prompt, table_lines
from simgin.play.table import IllegalMove, Table
from simgin.play.watch import WatchedDeal
from simgin.strategy.cast import strong_player
from simgin.text.files import has_ending, read_bytes, write_file
from simgin.text.notation import CardError, card_text, cards_in, parse_card
from simgin.text.toml import Table as Schema

LINE = 72 * "-"
WORLDS, SECONDS = 1000, 2.0  # maximum per decision
MOST_BYTES = 1 << 23  # maximum size of a saved game
HELP = "? lists the answers; u takes one back; q leaves, and the same command goes on"


class Left(Exception):
    """Signal that the player quits; the game is saved."""


class SavedGameError(ValueError):
    """Error in reading a file that should be a saved game."""


class CorruptGame(ValueError):
    """Error in the content of a saved game."""


class SavedGame(Schema):
    """Unfinished game as stored on disk.

    Attributes:
        deals: Actions of all seats in each deal, the current deal last.
        prompts: Number of actions of the current deal before each screen.
        back: Number of undone actions.
    """

    deals: Annotated[list[list[Annotated[int, Field(ge=0, lt=64)]]], Field(min_length=1)]
    prompts: list[Annotated[int, Field(ge=0)]]
    back: Annotated[int, Field(ge=0, lt=1 << 31)]


def read_saved(path: Path) -> SavedGame:
    """Read a saved game.

    Raises:
        SavedGameError: If the file cannot be read.
        CorruptGame: If its content is not a saved game.
    """
    try:
        saved = SavedGame.model_validate_json(read_bytes(path, MOST_BYTES))
    except OSError as error:
        raise SavedGameError(
            f"{path} cannot be read as a saved game: {error.strerror}. Remove it to play."
        ) from None
    except ValidationError:
        raise CorruptGame from None
    answers = len(saved.deals[-1])
    if any(first >= second for first, second in pairwise([*saved.prompts, answers])):
        raise CorruptGame
    return saved


def tell(lines: Iterable[str]) -> None:
    """Print lines within 80 columns."""
    for line in lines:
        for part in wrapped(line) or [""]:
            say(part)


@dataclass
class Game:
    """Interactive game with its screens, input and saved state."""

    matchup: Matchup
    kept: Path
    coach: Coach | None
    save: Path | None
    back: int = 0  # number of undone actions
    closed: list[list[int]] = field(default_factory=list)  # actions of earlier deals
    deals: list[WatchedDeal] = field(default_factory=list)
    told: list[str] = field(default_factory=list)  # messages for the next screen
    prompts: list[int] = field(default_factory=list)  # actions before each decision of the deal

    def __post_init__(self) -> None:
        self.table = Table(self.matchup)

    def play(self) -> None:
        """Play to the end, or until the player quits."""
        try:
            while not self.table.is_over:
                if self.table.is_deal_over:
                    self._end_deal()
                else:
                    self._decide()
        except Left:
            tell(["", f"Kept. To go on: {repeated(new=None)}"])
            return
        self.kept.unlink(missing_ok=True)
        for line in self.told:  # file names are not wrapped
            say(line)
        if self.coach is not None:
            say("Judging your decisions ...")
            tell(graded(self.matchup, self.deals))

    # One decision

    def _decide(self) -> None:
        question = self.table.question
        assert question is not None, "the deal is not over"
        lines = table_lines(question, self.table.rules, self.matchup.opponent)
        self._show(*lines, "", prompt(question), *([] if self.prompts else [f"({HELP})"]))
        legal = choices(question)
        typed = self._read()
        if typed == "?":
            every = [f"  {key:<3} {does}" for key, (_, does) in legal.items()]
            self.told += ["You may type:", *every, f"  {HELP}"]
        elif typed == "u":
            self._take_back()
        elif typed in legal:
            self._answer(legal[typed][0])
        elif typed in map(card_text, cards_in(int(question.view.hand))):
            self.told.append(f"{typed} cannot be thrown now; ? lists what can")
        else:
            self.told.append(f"{typed!r} is not among the answers here; ? lists them")

    def _answer(self, answers: list[int]) -> None:
        self.prompts.append(len(self.table.answers))
        try:
            for answer in answers:
                self.table.answer(answer)
        except IllegalMove:
            self.told.append("the card that you just took cannot be thrown")
        self._keep()
        if self.coach is not None:
            say("The coach looks at it ...")
            self.told += self.coach.comments(self.table.watched(), self.prompts[-1])

    def _take_back(self) -> None:
        if not self.prompts:
            self.told.append("there is nothing to take back in this deal")
            return
        self.table.go_back(self.prompts.pop())
        self.back += 1
        self._keep()
        self.told = ["Taken back"]

    def _read(self) -> str:
        try:
            typed = input("> ").strip()
        except EOFError:
            raise Left from None
        if typed.lower() == "q":
            raise Left
        if not sys.stdin.isatty():
            say(typed)  # a pipe does not echo
        with contextlib.suppress(CardError):
            return card_text(parse_card(typed))
        return typed.lower() if len(typed) == 1 else typed.upper()

    # Screens

    def _show(self, *lines: str) -> None:
        """Print a screen: the score, pending messages, and lines."""
        if sys.stdout.isatty():
            click.clear()
        tell([*self._head(), *self.told, *lines])
        self.told = []

    def _head(self) -> Iterator[str]:
        """Yield the game, the deal and the score."""
        state, variant = self.table.state, self.matchup.variant
        you_deal = self.matchup.b is not None and state.dealer == 0
        dealt = ", you deal" if you_deal else ""
        marked = f", {self.back} taken back" if self.back else ""
        goal = variant.goal.won_by.format(**variant.row)
        match = f", a match to {goal}" if self.matchup.unit == "match" else ""
        yield f"{variant.text}{match}: deal {int(state.deal) + 1}{dealt}{marked}"
        if self.matchup.unit == "match":
            sides = [
                f"{player.text}, {standing_text(state, variant.row, seat)}"
                for seat, player in enumerate(self.matchup.players)
            ]
            yield "; ".join(sides)
        yield LINE

    # The end of a deal

    def _end_deal(self) -> None:
        deal = self.table.watched()
        coached = [] if self.coach is None else [self.coach.deal_line()]
        asked = "Enter goes on; u takes the last answer back; q leaves"
        self._show(*result_lines(deal), *coached, "", asked)
        if self._read() == "u" and self.prompts:
            self._take_back()
            return
        self._close(deal)
        if self.save is not None:
            self._write(self.save, deal)
        self._keep()

    def _close(self, deal: WatchedDeal) -> None:
        self.deals.append(deal)
        self.closed.append(self.table.answers)
        self.prompts = []
        self.table.close_deal()

    def _write(self, place: Path, deal: WatchedDeal) -> None:
        """Write the deal as `simgin show --json` prints it."""
        first, *rest = rows(make_replay(deal))
        first["taken_back"] = self.back
        name = place.stem if has_ending(place, ".json") else place.name
        files = (place.with_name(f"{name}-{number}.json") for number in count(1))
        file = next(
            file for file in files if not file.exists()
        )  # earlier games are not overwritten
        answer = Answer(repeated(new=None), [first, *rest], self.matchup.seed)
        write_file(file, f"{answer.json()}\n".encode())
        self.told.append(f"Written: {file}")

    # Saved games

    def _keep(self) -> None:
        """Save the game."""
        deals = [*self.closed, self.table.answers]
        saved = SavedGame(deals=deals, prompts=self.prompts, back=self.back)
        write_file(self.kept, saved.model_dump_json().encode())

    def restore(self) -> None:
        """Resume the saved game, if there is one.

        Raises:
            SavedGameError: If the file cannot be read.
            CorruptGame: If the game cannot be replayed.
        """
        if not self.kept.exists():
            return
        saved = read_saved(self.kept)
        *closed, current = saved.deals
        try:
            for answers in closed:
                self._repeat(answers)
                if not self.table.is_deal_over:
                    raise CorruptGame
                self._close(self.table.watched())
            if not self.table.is_over:
                self._repeat(current)
        except (IllegalMove, PolicyFailure):
            raise CorruptGame from None
        self.prompts, self.back = saved.prompts, saved.back
        self.told.append("You go on where you left")

    def _repeat(self, answers: list[int]) -> None:
        """Replay the actions of a deal.

        Raises:
            CorruptGame: If the game is over or the deal has other actions.
        """
        if self.table.is_over:
            raise CorruptGame
        self.table.repeat(answers)
        if self.table.answers != answers:
            raise CorruptGame


def result_lines(deal: WatchedDeal) -> Iterator[str]:
    """Yield how a deal ended, as in `simgin show`, and a hand that was not shown."""
    replay = make_replay(deal)
    lines = list(replay.lines())
    yield from lines[len(lines) - lines[::-1].index("") :]
    hand = int(deal.state.hand[1])
    if deal.state.stopper < 0 and deal.matchup.b is not None and hand:
        count, melds = shown_melding(hand, replay.rules)
        yield f"{deal.matchup.opponent} held {cards_text(melds, hand)}, deadwood {count}"


# Costs of decisions


class Coach:
    """Evaluator of the decisions of seat 0, one after another."""

    def __init__(self, matchup: Matchup) -> None:
        self.matchup = matchup
        self._found: dict[int, Analysis] = {}  # analyses of this deal, by decision

    def comments(self, deal: WatchedDeal, first: int) -> list[str]:
        """Return a line for each decision from number `first` on."""
        seen = positions_in(replace(deal, fault="", is_cut=False))  # the deal may be unfinished
        made = [position for position in seen if position.view.seat == 0]
        numbers = {position.number for position in made}
        self._found = {number: one for number, one in self._found.items() if number in numbers}
        new = [position for position in made if position.number >= first]
        return [self._comment(position) for position in new]

    def _comment(self, position: Position) -> str:
        other = self.matchup.opponent or None
        effort = Effort(WORLDS, SECONDS, self.matchup.seed)
        found = analyse(position, strong_player(position.variant), other, effort)
        self._found[position.number] = found
        place = position.actions.index(position.was_done)
        done, best = (
            position.text(position.was_done),
            position.text(position.actions[found.best[0]]),
        )
        if found.best == [place]:
            return f"Coach: {done} is best"
        if place in found.best:
            others = [position.text(position.actions[one]) for one in found.best if one != place]
            return f"Coach: {done} or {others[0]}: too close to call"
        mean, low, high = found.cost(place)
        cost = f"{mean:.1f} {found.unit} ({low:.1f} to {high:.1f})"
        return f"Coach: {done} cost {cost}; better: {better(done, best)}"

    def deal_line(self) -> str:
        """Return the total cost of the mistakes of the deal."""
        costs = []
        for found in self._found.values():
            place = found.position.actions.index(found.position.was_done)
            if place not in found.best:
                costs.append(found.cost(place))
        unit = next((found.unit for found in self._found.values()), "points")
        self._found = {}
        if not costs:
            return "Coach: no clear mistake in this deal"
        mistakes = "1 clear mistake" if len(costs) == 1 else f"{len(costs)} clear mistakes"
        mean, low, high = map(sum, zip(*costs, strict=True))
        cost = f"{mean:.1f} {unit} in all ({low:.1f} to {high:.1f})"
        return f"Coach: {mistakes} in this deal, {cost}"


def graded(matchup: Matchup, deals: Sequence[WatchedDeal]) -> Iterator[str]:
    """Yield what the decisions of seat 0 cost in some deals, and the rates of known strategies."""
    best = strong_player(matchup.variant)
    judging = parse_matchup(best, matchup.opponent or None, matchup.variant.text, 1, "deal")
    found = grade(trial_of(matchup.a.text, judging, len(deals)), deals)
    yield from verdict(found)
    if found.has_ladder and found.is_rate:
        ladder = ", ".join(f"{name} {points:g}" for name, (points, _) in LADDER.items())
        yield f"In hundreds of deals (eaai): {ladder}"
