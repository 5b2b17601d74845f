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

from simgin.analysis.analysis import Analysis, Budget, analyse_position
from simgin.analysis.grades import STRATEGY_RATES, grade_deals, grade_verdict, make_rating_task
from simgin.analysis.position import Position, find_decisions, format_better_action
from simgin.cli.output import CommandResult, print_line, repeat_command
from simgin.play.game_table import GameTable, IllegalMoveError
from simgin.play.hand_analysis import format_melded_hand, shown_melding
from simgin.play.kernel import PolicyCallError
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.replay import format_score, make_replay, wrap_line
from simgin.play.replay_json import replay_to_json
from simgin.play.table_text import format_prompt, list_choices, table_lines
from simgin.play.traced_deal import TracedDeal
from simgin.strategy.cast import strong_player
from simgin.text.files import has_suffix, read_bytes, write_file
from simgin.text.messages import SimginError
from simgin.text.notation import CardError, format_card, mask_to_cards, parse_card
from simgin.text.toml import StrictTable as Schema

LINE = 72 * "-"
WORLDS, SECONDS = 1000, 2.0  # maximum per decision
MAX_SAVED_BYTES = 1 << 23  # maximum size of a saved game
HELP = "Type ? for help, u to undo, or q to save and quit. Run the same command to resume."


class QuitGame(Exception):
    """Signal that the player quits; the game is saved."""


class SavedGameError(SimginError):
    """Error in reading a file that should be a saved game."""


class CorruptGameError(SimginError):
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


def read_saved_game(path: Path) -> SavedGame:
    """Read a saved game.

    Raises:
        SavedGameError: If the file cannot be read.
        CorruptGameError: If its content is not a saved game.
    """
    try:
        saved = SavedGame.model_validate_json(read_bytes(path, MAX_SAVED_BYTES))
    except OSError as error:
        raise SavedGameError(
            f"the saved game {path} could not be read: {error.strerror}. Delete the file."
        ) from None
    except ValidationError:
        raise CorruptGameError from None
    answers = len(saved.deals[-1])
    if any(first >= second for first, second in pairwise([*saved.prompts, answers])):
        raise CorruptGameError
    return saved


def print_wrapped(lines: Iterable[str]) -> None:
    """Print lines within 80 columns."""
    for line in lines:
        for part in wrap_line(line) or [""]:
            print_line(part)


@dataclass
class InteractiveGame:
    """Interactive game with its screens, input and saved state."""

    matchup: Matchup
    saved_file: Path
    coach: Coach | None
    save: Path | None
    n_undone: int = 0  # number of undone actions
    earlier_deals: list[list[int]] = field(default_factory=list)  # actions of earlier deals
    deals: list[TracedDeal] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)  # messages for the next screen
    prompts: list[int] = field(default_factory=list)  # actions before each decision of the deal

    def __post_init__(self) -> None:
        self.table = GameTable(self.matchup)

    def play(self) -> None:
        """Play to the end, or until the player quits."""
        try:
            while not self.table.is_over:
                if self.table.is_deal_over:
                    self._end_deal()
                else:
                    self._decide()
        except QuitGame:
            print_wrapped(["", f"Game saved. To resume it, run: {repeat_command(new=None)}"])
            return
        self.saved_file.unlink(missing_ok=True)
        for line in self.messages:  # file names are not wrapped
            print_line(line)
        if self.coach is not None:
            print_line("Grading your decisions ...")
            print_wrapped(grade_lines(self.matchup, self.deals))

    # One decision

    def _decide(self) -> None:
        question = self.table.decision
        assert question is not None, "the deal is not over"
        lines = table_lines(question, self.table.rules, self.matchup.opponent)
        self._show(*lines, "", format_prompt(question), *([] if self.prompts else [HELP]))
        legal = list_choices(question)
        typed = self._read_input()
        if typed == "?":
            every = [f"  {key:<3} {does}" for key, (_, does) in legal.items()]
            self.messages += ["Keys:", *every, HELP]
        elif typed == "u":
            self._undo()
        elif typed in legal:
            self._act(legal[typed][0])
        elif typed in map(format_card, mask_to_cards(int(question.view.hand))):
            self.messages.append(f"{typed} cannot be discarded now. Type ? for the legal discards.")
        else:
            self.messages.append(f"{typed!r} is not a valid key. Type ? for help.")

    def _act(self, answers: list[int]) -> None:
        self.prompts.append(len(self.table.actions))
        try:
            for answer in answers:
                self.table.act(answer)
        except IllegalMoveError:
            self.messages.append("You cannot discard the card that you just took.")
        self._save()
        if self.coach is not None:
            print_line("The coach is analysing your decision ...")
            self.messages += self.coach.comments(self.table.trace(), self.prompts[-1])

    def _undo(self) -> None:
        if not self.prompts:
            self.messages.append("There is nothing to undo in this deal.")
            return
        self.table.undo_to(self.prompts.pop())
        self.n_undone += 1
        self._save()
        self.messages = ["Undone."]

    def _read_input(self) -> str:
        try:
            typed = input("> ").strip()
        except EOFError:
            raise QuitGame from None
        if typed.lower() == "q":
            raise QuitGame
        if not sys.stdin.isatty():
            print_line(typed)  # a pipe does not echo
        with contextlib.suppress(CardError):
            return format_card(parse_card(typed))
        return typed.lower() if len(typed) == 1 else typed.upper()

    # Screens

    def _show(self, *lines: str) -> None:
        """Print a screen: the score, pending messages, and lines."""
        if sys.stdout.isatty():
            click.clear()
        print_wrapped([*self._header_lines(), *self.messages, *lines])
        self.messages = []

    def _header_lines(self) -> Iterator[str]:
        """Yield the variant, the deal and the score."""
        state, variant = self.table.state, self.matchup.variant
        you_deal = self.matchup.b is not None and state.dealer == 0
        dealt = ", you are the dealer" if you_deal else ""
        marked = f", undone: {self.n_undone}" if self.n_undone else ""
        goal = variant.goal.won_by.format(**variant.params)
        match = f", match to {goal}" if self.matchup.unit == "match" else ""
        yield f"{variant.spec}{match}: deal {int(state.deal) + 1}{dealt}{marked}"
        if self.matchup.unit == "match":
            sides = [
                f"{player.spec}: {format_score(state, variant.params, seat)}"
                for seat, player in enumerate(self.matchup.players)
            ]
            yield "; ".join(sides)
        yield LINE

    # The end of a deal

    def _end_deal(self) -> None:
        deal = self.table.trace()
        coached = [] if self.coach is None else [self.coach.deal_line()]
        asked = "Press Enter to continue, or type u to undo or q to save and quit."
        self._show(*deal_result_lines(deal), *coached, "", asked)
        if self._read_input() == "u" and self.prompts:
            self._undo()
            return
        self._close(deal)
        if self.save is not None:
            self._write(self.save, deal)
        self._save()

    def _close(self, deal: TracedDeal) -> None:
        self.deals.append(deal)
        self.earlier_deals.append(self.table.actions)
        self.prompts = []
        self.table.close_deal()

    def _write(self, place: Path, deal: TracedDeal) -> None:
        """Write the deal as `simgin show --json` prints it."""
        first, *rest = replay_to_json(make_replay(deal))
        first["taken_back"] = self.n_undone
        name = place.stem if has_suffix(place, ".json") else place.name
        files = (place.with_name(f"{name}-{number}.json") for number in count(1))
        # Earlier games are not overwritten
        file = next(file for file in files if not file.exists())
        answer = CommandResult(repeat_command(new=None), [first, *rest], self.matchup.seed)
        write_file(file, f"{answer.json()}\n".encode())
        self.messages.append(f"Saved: {file}")

    # Saved games

    def _save(self) -> None:
        """Save the game."""
        deals = [*self.earlier_deals, self.table.actions]
        saved = SavedGame(deals=deals, prompts=self.prompts, back=self.n_undone)
        write_file(self.saved_file, saved.model_dump_json().encode())

    def restore(self) -> None:
        """Resume the saved game, if there is one.

        Raises:
            SavedGameError: If the file cannot be read.
            CorruptGameError: If the game cannot be replayed.
        """
        if not self.saved_file.exists():
            return
        saved = read_saved_game(self.saved_file)
        *closed, current = saved.deals
        try:
            for answers in closed:
                self._replay_actions(answers)
                if not self.table.is_deal_over:
                    raise CorruptGameError
                self._close(self.table.trace())
            if not self.table.is_over:
                self._replay_actions(current)
        except (IllegalMoveError, PolicyCallError):
            raise CorruptGameError from None
        self.prompts, self.n_undone = saved.prompts, saved.back
        self.messages.append("Saved game resumed.")

    def _replay_actions(self, answers: list[int]) -> None:
        """Replay the actions of a deal.

        Raises:
            CorruptGameError: If the game is over or the deal has other actions.
        """
        if self.table.is_over:
            raise CorruptGameError
        self.table.replay(answers)
        if self.table.actions != answers:
            raise CorruptGameError


def deal_result_lines(deal: TracedDeal) -> Iterator[str]:
    """Yield the result of a deal as in `simgin show`, and the opponent's hand if it is hidden."""
    replay = make_replay(deal)
    lines = list(replay.lines())
    yield from lines[len(lines) - lines[::-1].index("") :]
    hand = int(deal.state.hand[1])
    if deal.state.stopper < 0 and deal.matchup.b is not None and hand:
        count, melds = shown_melding(hand, replay.rules)
        yield f"{deal.matchup.opponent} held {format_melded_hand(melds, hand)}, deadwood {count}"


# Costs of decisions


class Coach:
    """Coach that comments on the decisions of seat 0 and adds up their costs in a deal."""

    def __init__(self, matchup: Matchup) -> None:
        self.matchup = matchup
        self._found: dict[int, Analysis] = {}  # analyses of this deal, by decision

    def comments(self, deal: TracedDeal, first: int) -> list[str]:
        """Return a line for each decision from number `first` on."""
        # The deal might be unfinished
        seen = find_decisions(replace(deal, error="", is_truncated=False))
        made = [position for position in seen if position.view.seat == 0]
        numbers = {position.query_index for position in made}
        self._found = {number: one for number, one in self._found.items() if number in numbers}
        new = [position for position in made if position.query_index >= first]
        return [self._comment(position) for position in new]

    def _comment(self, position: Position) -> str:
        other = self.matchup.opponent or None
        budget = Budget(WORLDS, SECONDS, self.matchup.seed)
        found = analyse_position(position, strong_player(position.variant), other, budget)
        self._found[position.query_index] = found
        place = position.actions.index(position.chosen_action)
        done, best = (
            position.format_action(position.chosen_action),
            position.format_action(position.actions[found.best_indices[0]]),
        )
        if found.best_indices == [place]:
            return f"Coach: {done} is the best action."
        if place in found.best_indices:
            others = [
                position.format_action(position.actions[one])
                for one in found.best_indices
                if one != place
            ]
            return f"Coach: {done} and {others[0]} are too close to call."
        mean, low, high = found.estimate_cost(place)
        cost = f"{mean:.1f} {found.unit} ({low:.1f} to {high:.1f})"
        return f"Coach: {done} cost {cost}. Better: {format_better_action(done, best)}."

    def deal_line(self) -> str:
        """Return the total cost of the mistakes of the deal."""
        costs = []
        for found in self._found.values():
            place = found.position.actions.index(found.position.chosen_action)
            if place not in found.best_indices:
                costs.append(found.estimate_cost(place))
        unit = next((found.unit for found in self._found.values()), "points")
        self._found = {}
        if not costs:
            return "Coach: you made no significant mistake in this deal."
        mistakes = "mistake" if len(costs) == 1 else f"{len(costs)} mistakes"
        mean, low, high = map(sum, zip(*costs, strict=True))
        cost = f"{mean:.1f} {unit} ({low:.1f} to {high:.1f})"
        return f"Coach: your {mistakes} in this deal cost {cost}."


def grade_lines(matchup: Matchup, deals: Sequence[TracedDeal]) -> Iterator[str]:
    """Yield the grade of seat 0 in some deals, and the error rates of built-in strategies."""
    best = strong_player(matchup.variant)
    judging = parse_matchup(best, matchup.opponent or None, matchup.variant.spec, 1, "deal")
    found = grade_deals(make_rating_task(matchup.a.spec, judging, len(deals)), deals)
    yield from grade_verdict(found)
    if found.is_comparable and found.is_rate:
        ladder = ", ".join(f"{name} {points:g}" for name, (points, _) in STRATEGY_RATES.items())
        yield f"Points lost per deal by built-in strategies (eaai): {ladder}."
