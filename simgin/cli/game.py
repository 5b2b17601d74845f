"""Interactive game in the terminal, with screens and keyboard input."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import termios
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import click

from simgin.analysis import grades
from simgin.analysis.coach import Coach
from simgin.cli import output
from simgin.cli.session import announce_compilation
from simgin.play import saved_deals, table_text
from simgin.play.hand_analysis import choose_shown_melding, format_melded_hand
from simgin.play.matchup import PERSON_NAME, Matchup, make_short_names, parse_matchup
from simgin.play.played_game import PlayedGame
from simgin.play.replay import JOKER_NAME, LINE_WIDTH, format_scores, make_replay, wrap_line
from simgin.play.traced_deal import TracedDeal
from simgin.rules.variants import Variant
from simgin.strategy.cast import find_strong_player
from simgin.text.files import has_suffix, write_file
from simgin.text.messages import escape_control_chars
from simgin.text.notation import CardError, format_card, mask_to_cards, parse_card

SEPARATOR_LINE = 72 * "-"
MAX_RULE_LINES = 3  # maximum number of lines that explain a variant
CARD_PATTERN = re.compile(r"\b[A2-9TJQK]([SHDC])\b")
SUIT_COLOURS = {"H": "bright_red", "D": "bright_blue", "C": "green"}  # spades have no colour
OTHER_KEYS_NOTE = "Other keys: e evaluate, w why, l log, ? help, u undo, q save and quit"
NEXT_DEAL_PROMPT = (
    "Press Enter to continue. Other keys: e evaluate your last decision, w why, l log, u undo, "
    "q save and quit"
)
HELP_LINES = [
    "  e   evaluate your possible actions in simulated deals, in about two seconds",
    "  w   explain what your last action cost, and why",
    "  l   list the turns of this deal",
    "  u   undo your last action",
    "  q   save the game and quit; run the same command to resume it",
]


class QuitGame(Exception):
    """Exception that ends the program after the user has quit and the game has been saved."""


def print_wrapped(lines: Iterable[str]) -> None:
    """Print lines of at most 80 columns, with coloured suits if the terminal supports them."""
    for line in lines:
        for wrapped_line in wrap_line(line) or [""]:
            # If stdout is not a terminal, the text has no colours.
            click.echo(colour_suits(escape_control_chars(wrapped_line)))


def colour_suits(line: str) -> str:
    """Return a line with coloured suits, or the unchanged line if NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return line
    return CARD_PATTERN.sub(lambda card: click.style(card[0], fg=SUIT_COLOURS.get(card[1])), line)


def format_rule_lines(variant: Variant) -> list[str]:
    """Return up to three lines that explain the special rules of a variant."""
    if variant.spec == "standard":
        return []
    text = f"{variant.title}. {variant.about}"
    return textwrap.wrap(text, LINE_WIDTH, max_lines=MAX_RULE_LINES, placeholder=" ...")


@contextlib.contextmanager
def announce_analysis(message: str) -> Iterator[None]:
    """Print a message before an analysis, and discard the keys typed during the analysis."""
    output.print_line(message)
    with announce_compilation():
        yield
    if sys.stdin.isatty():
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


@dataclass
class InteractiveGame:
    """Game that a user plays in the terminal, with screens and keyboard input."""

    game: PlayedGame
    is_coached: bool
    save_path: Path | None
    messages: list[str] = field(default_factory=list)  # messages to show on the next screen
    panel: list[str] = field(default_factory=list)  # lines of the panel that the player opened
    log_page: int = 0  # number of times that the player typed `l` in succession

    def __post_init__(self) -> None:
        self.matchup, self.table = self.game.matchup, self.game.table
        self.coach = Coach(self.matchup)

    @property
    def opponent_name(self) -> str:
        """Short name of the opponent, or "" in solitaire games."""
        opponent = self.matchup.opponent
        return make_short_names([self.matchup]).get(opponent, opponent)

    def play(self) -> None:
        """Play until the game ends or the player quits."""
        if self.game.is_new:
            self.messages += format_rule_lines(self.matchup.variant)
        try:
            while not self.table.is_over:
                if self.table.is_deal_over:
                    self._finish_deal()
                else:
                    self._play_decision()
        except QuitGame:
            command = output.format_resume_command(output.format_repeat_command(new=None))
            print_wrapped(["", f"Game saved. To resume it, run: {command}"])
            return
        self.game.delete()
        for line in self.messages:  # file names are not wrapped
            output.print_line(line)
        if self.is_coached:
            output.print_line("Grading your decisions ...")
            print_wrapped(grade_user_decisions(self.matchup, self.game.deals))
        n_deals = min(len(self.game.deals), saved_deals.MAX_SAVED_DEALS)
        output.print_line(f"Grade: simgin grade --last {n_deals}")

    # The current decision

    def _play_decision(self) -> None:
        """Show the table, read a key, and take the action that the key selects."""
        decision = self.table.decision
        assert decision is not None, "the deal is not over"
        rules = self.table.rules
        opponent = self.opponent_name
        lines = (
            [*self.panel, "", *table_text.format_hand_lines(decision.view, rules)]
            if self.panel
            else table_text.format_table_lines(decision, rules, opponent)
        )
        self._print_screen(*lines, "", table_text.format_prompt(decision, rules), OTHER_KEYS_NOTE)
        choices = table_text.list_choices(decision, rules)
        key = self._read_input()
        if self._open_panel(key):
            pass
        elif key == "?":
            self.panel = list(format_help_lines(choices))
        elif key == "u":
            self._undo()
        elif key in choices:
            self._take_actions(choices[key][0])
        elif key in map(format_card, mask_to_cards(int(decision.view.hand))):
            self.messages.append(f"{key} cannot be discarded now. Type ? for the legal discards.")
        elif CARD_PATTERN.fullmatch(key):
            self.messages.append(f"{key} is not in your hand. Type ? for help.")
        else:
            self.messages.append(f"{key!r} is not a valid key. Type ? for help.")

    def _open_panel(self, key: str) -> bool:
        """Fill the panel that a key opens, and return False if the key opens no panel."""
        deal = self.table.get_traced_deal()
        self.log_page = self.log_page + 1 if key == "l" else 0
        if key == "e":
            with announce_analysis("Evaluating your actions ..."):
                self.panel = self.coach.format_hint(deal)
        elif key == "w":
            with announce_analysis("Analysing your last action ..."):
                self.panel = self.coach.explain_last_decision(deal)
        elif key == "l":
            no_turn_message = "No turn has been played in this deal yet."
            lines = table_text.format_history_lines(deal, self.log_page - 1)
            self.panel = lines or [no_turn_message]
        return key in ("e", "w", "l")

    def _take_actions(self, actions: list[int]) -> None:
        """Take actions and, in coached games, show the coach's comments."""
        self.game.act(actions)
        if self.is_coached:
            with announce_analysis("The coach is analysing your decision ..."):
                self.messages += self.coach.format_comments(
                    self.table.get_traced_deal(), self.game.prompts[-1]
                )

    def _undo(self) -> None:
        """Undo the last action, or report that there is nothing to undo."""
        if self.game.undo():
            self.messages = ["Undone."]
        else:
            self.messages.append("There is nothing to undo in this deal.")

    def _read_input(self) -> str:
        """Read a card or a key from the user, or raise QuitGame if the user quits."""
        try:
            typed_text = input("> ").strip()
        except EOFError:
            raise QuitGame from None
        if typed_text.lower() == "q":
            raise QuitGame
        if not sys.stdin.isatty():
            output.print_line(typed_text)  # A pipe does not echo the input.
        with contextlib.suppress(CardError):
            return format_card(parse_card(typed_text))
        return typed_text.lower() if len(typed_text) == 1 else typed_text.upper()

    # Screens

    def _print_screen(self, *lines: str) -> None:
        """Print a screen with the score, the pending messages and additional lines."""
        if sys.stdout.isatty():
            click.clear()
        print_wrapped([*self._format_header(), *self.messages, *lines])
        self.messages, self.panel = [], []

    def _format_header(self) -> Iterator[str]:
        """Yield the header of a screen: the variant, the number of the deal and the score."""
        state, variant = self.table.state, self.matchup.variant
        is_user_dealer = self.matchup.b is not None and state.dealer == 0
        dealer_text = ", you are the dealer" if is_user_dealer else ""
        undo_text = f", undone: {self.game.n_undone}" if self.game.n_undone else ""
        goal = self.matchup.goal_text
        match_text = f", match to {goal}" if goal else ""
        yield f"{variant.spec}{match_text}: deal {int(state.deal) + 1}{dealer_text}{undo_text}"
        if goal:
            names = {0: PERSON_NAME, 1: self.opponent_name or JOKER_NAME}
            yield format_scores(state, self.matchup, names)
        yield SEPARATOR_LINE

    # End of a deal

    def _finish_deal(self) -> None:
        """Show the result of a finished deal, and handle the next key."""
        deal = self.table.get_traced_deal()
        coach_lines = [self.coach.format_deal_summary(deal)] if self.is_coached else []
        self._print_screen(
            *(self.panel or [*format_deal_result(deal), *coach_lines]), "", NEXT_DEAL_PROMPT
        )
        key = self._read_input()
        if not key:
            self._save_deal(self.game.close_deal())
            self.coach.clear_analyses()
        elif key == "u":
            self._undo()
        elif key == "?":
            self.panel = list(format_help_lines({"Enter": ([], "continue with the next deal")}))
        elif not self._open_panel(key):
            self.messages.append(f"{key!r} is not a valid key after a deal.")

    def _save_deal(self, deal: TracedDeal) -> None:
        """Save the deal for `simgin grade --last` and, if requested, in the file of `--save`."""
        records = self.game.make_deal_records(deal)
        command_result = output.CommandResult(
            output.format_repeat_command(new=None), records, self.matchup.seed
        )
        content = f"{command_result.to_json()}\n".encode()
        try:
            saved_deals.save_deal(content)
        except OSError as error:
            reason = error.strerror or error
            self.messages.append(f"`simgin grade --last` cannot use this deal: {reason}.")
        if self.save_path is None:
            return
        name = self.save_path.stem if has_suffix(self.save_path, ".json") else self.save_path.name
        files = (self.save_path.with_name(f"{name}-{number}.json") for number in count(1))
        # Earlier games are not overwritten.
        file = next(file for file in files if not file.exists())
        write_file(file, content)
        self.messages.append(f"Saved: {file}")


def format_deal_result(deal: TracedDeal) -> Iterator[str]:
    """Yield the lines about the result of a deal, as in `simgin show`, and the opponent's hand."""
    replay = make_replay(deal)
    lines = list(replay.iter_lines())
    yield from lines[len(lines) - lines[::-1].index("") :]
    hand = int(deal.state.hand[1])
    if deal.state.knocker < 0 and deal.matchup.b is not None and hand:
        deadwood_points, melds = choose_shown_melding(hand, replay.rules)
        melded_hand = format_melded_hand(melds, hand)
        yield f"{replay.names[1]} held {melded_hand}, deadwood {deadwood_points}"


def format_help_lines(choices: table_text.ChoicesByKey) -> Iterator[str]:
    """Yield a line for each valid key at a decision, with all discards on one line."""
    yield "Keys:"
    if card_keys := [key for key in choices if len(key) == 2 and key[1].isalpha()]:
        yield f"  {' '.join(card_keys)}   discard the card"
    for key, (_, description) in choices.items():
        if key not in card_keys:
            yield f"  {key:<3} {description}"
    yield from HELP_LINES


def grade_user_decisions(matchup: Matchup, deals: Sequence[TracedDeal]) -> Iterator[str]:
    """Yield sentences that compare the user's error rate with those of built-in strategies."""
    spec = find_strong_player(matchup.variant)
    judge_matchup = parse_matchup(spec, matchup.opponent or None, matchup.variant.spec, 1, "deal")
    grade = grades.grade_deals(
        grades.make_grading_task(matchup.a.spec, judge_matchup, len(deals)), deals
    )
    yield from grades.iter_grade_sentences(grade)
    if grade.is_comparable and grade.has_enough_deals:
        reference_rates = ", ".join(
            f"{name} {points:g}" for name, (points, _) in grades.STRATEGY_ERROR_RATES.items()
        )
        yield f"Points lost per deal by built-in strategies (eaai): {reference_rates}."
