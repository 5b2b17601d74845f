"""`simgin play`: a deal or a match at the table, against a strategy or alone."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simgin.cli.options import STRATEGY, seed_option, variant_option
from simgin.cli.output import Answer, repeated, say

if TYPE_CHECKING:
    from simgin.cli.coach import Coach
    from simgin.play.matchup import Matchup
    from simgin.play.table import Table
    from simgin.play.watch import Question, WatchedDeal

YOU = "you"
LINE = 72 * "-"
HELP = "? lists the answers; u takes one back; q leaves, and the same command goes on"


@click.command()
@click.argument("strategy", type=STRATEGY, required=False)
@variant_option
@seed_option
@click.option("--one", is_flag=True, help="A single deal in place of a match.")
@click.option("--coach", is_flag=True, help="Say after each decision what it cost.")
@click.option("--new", is_flag=True, help="Begin anew where a game was left.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write each deal as `simgin show --json` does: FILE-1.json, FILE-2.json ...",
)
def play(
    strategy: str | None,
    variant: str,
    seed: int,
    one: bool,
    coach: bool,
    new: bool,
    save: Path | None,
) -> None:
    """Play against a strategy, by default champion, or a game for one alone.

    Type a key or a card, then Enter. ? says what is legal, u takes the last answer back, and q
    leaves: the same command goes on from there.

    \b
    A match to 100 points; with advice; other rules; alone
      simgin play
      simgin play simple --coach
      simgin play -v oklahoma --seed 7
      simgin play -v solitaire-gin
    Your deals for later: what did each decision cost?
      simgin play --save mine
      simgin analyze mine-1.json
    """
    from simgin.cli.coach import Coach

    matchup = seated(strategy, variant, seed, one)
    kept = _kept_file(matchup)
    if new:
        kept.unlink(missing_ok=True)
    game = Game(matchup, kept, Coach(matchup) if coach else None, save)
    game.play()


def seated(strategy: str | None, variant: str, seed: int, one: bool) -> Matchup:
    """You at seat 0, and the strategy, if there is one, at seat 1."""
    from simgin.play.matchup import Matchup, SeatError
    from simgin.rules import variants
    from simgin.strategy import loader
    from simgin.strategy.text_form import exchange

    game = variants.find(variant)
    alone = game.row["players"] == 1
    if alone and strategy:
        raise SeatError(f"{game.text} is for one player, so you play alone: leave {strategy} out.")
    you = exchange(replace(loader.find("gold"), name=YOU), {}, YOU)  # nobody asks its policies
    opponent = None if alone else loader.find(strategy or "champion")
    return Matchup(game, you, opponent, seed, "deal" if one else "match")


def _kept_file(matchup: Matchup) -> Path:
    """Where a game is kept that was left."""
    from simgin.core import jit

    name = repr((matchup.cell, jit.digest()))
    return jit.cache_root() / "play" / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.json"


class Left(Exception):
    """The player leaves; the game is kept."""


@dataclass
class Game:
    """A game in front of somebody: what is told, typed and kept."""

    matchup: Matchup
    kept: Path
    coach: Coach | None
    save: Path | None
    back: int = 0  # answers taken back
    closed: list[list[int]] = field(default_factory=list)  # the answers of the deals before
    deals: list[WatchedDeal] = field(default_factory=list)
    told: list[str] = field(default_factory=list)  # what the next screen says first
    prompts: list[int] = field(default_factory=list)  # answers before each question of the deal

    def play(self) -> None:
        """Play to the end, or until the player leaves."""
        from simgin.play.table import Table

        self.table: Table = Table(self.matchup)
        self._restore()
        try:
            while not self.table.is_over:
                if self.table.is_deal_over:
                    self._end_deal()
                else:
                    self._decide()
        except Left:
            say("")
            say(f"Kept. To go on: {repeated(new=None)}")
            return
        self.kept.unlink(missing_ok=True)
        self._end()

    # One decision

    def _decide(self) -> None:
        from simgin.play.seat import choices

        question = self.table.question
        assert question is not None, "the deal is not over"
        self._show(question)
        legal = choices(question)
        typed = self._read()
        if typed == "?":
            every = [f"  {key:<3} {does}" for key, (_, does) in legal.items()]
            self.told += ["You may type:", *every, f"  {HELP}"]
        elif typed == "u":
            self._take_back()
        elif typed.upper() in legal or typed in legal:
            self._answer(legal[typed if typed in legal else typed.upper()][0])
        else:
            self.told.append(f"{typed!r} is not among the answers here; ? lists them")

    def _answer(self, answers: list[int]) -> None:
        from simgin.play.table import IllegalMove

        self.prompts.append(len(self.table.answers))
        for answer in answers:
            try:
                self.table.answer(answer)
            except IllegalMove:
                self.told.append("the card that you just took cannot be thrown")
                break
        self._keep()
        if self.coach is not None:
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
        return typed.lower() if len(typed) == 1 else typed.upper()

    # What is shown

    def _show(self, question: Question) -> None:
        from simgin.play.replay import wrapped
        from simgin.play.seat import prompt, table_lines

        rules, view = self.table.rules, question.view
        if sys.stdout.isatty():
            click.clear()
        for line in self._head():
            say(line)
        for line in self.told:
            for part in wrapped(line):
                say(part)
        self.told = []
        own = view.history[: view.turns, 0] == view.seat
        seen = int(own.nonzero()[0][-1]) + 1 if own.any() else 0
        for line in table_lines(question, rules, self.matchup.opponent, seen):
            say(line)
        say("")
        for line in wrapped(prompt(question)):
            say(line)
        if not self.prompts:
            say(f"({HELP})")

    def _head(self) -> Iterator[str]:
        """The game, the deal and how the match stands."""
        from simgin.play.replay import standing_text, wrapped

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
            yield from wrapped("; ".join(sides))
        yield LINE

    # The ends

    def _end_deal(self) -> None:
        from simgin.play.replay import make_replay, wrapped

        deal = self.table.watched()
        if sys.stdout.isatty():
            click.clear()
        for line in [*self._head(), *self.told, *result_lines(deal)]:
            for part in wrapped(line) or [""]:
                say(part)
        self.told = []
        if self.coach is not None:
            say(self.coach.deal_line())
        say("")
        say("Enter goes on; u takes the last answer back; q leaves")
        typed = self._read()
        if typed == "u" and self.prompts:
            self._take_back()
            return
        self.deals.append(deal)
        if self.save is not None:
            self._write(make_replay(deal))
        self._close()
        self._keep()

    def _close(self) -> None:
        self.closed.append(self.table.answers)
        self.prompts = []
        self.table.close_deal()

    def _write(self, replay: object) -> None:
        """Write the deal as `simgin show --json` prints it."""
        from simgin.play.replay import Replay
        from simgin.play.replay_rows import rows

        assert isinstance(replay, Replay) and self.save is not None
        first, *rest = rows(replay)
        first["taken_back"] = self.back
        stem = self.save.with_suffix("") if self.save.suffix == ".json" else self.save
        file = stem.with_name(f"{stem.name}-{len(self.deals)}.json")
        file.write_text(Answer(repeated(new=None), [first, *rest], self.matchup.seed).json() + "\n")
        self.told.append(f"Written: {file}")

    def _end(self) -> None:
        """The end of the match."""
        for line in self.told:
            say(line)
        if self.coach is not None and self.deals:
            from simgin.cli.coach import error_rate
            from simgin.play.replay import wrapped

            say("Judging your decisions ...")
            for line in error_rate(self.matchup, self.deals):
                for part in wrapped(line):
                    say(part)

    # What is kept

    def _keep(self) -> None:
        """Keep the game, so that it can be gone on with."""
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "deals": [*self.closed, self.table.answers],
            "prompts": self.prompts,
            "back": self.back,
        }
        self.kept.write_text(json.dumps(content))

    def _restore(self) -> None:
        """Go on with the game that was left, if there is one that can be played again."""
        from simgin.play.table import Table

        if not self.kept.exists():
            return
        try:
            content = json.loads(self.kept.read_text())
            *closed, current = content["deals"]
            for answers in closed:
                self.table.repeat(answers)
                self.deals.append(self.table.watched())
                self._close()
            if not self.table.is_over:
                self.table.repeat(current)
            self.prompts, self.back = content["prompts"], content["back"]
            self.told.append("You go on where you left")
        except (ValueError, KeyError, TypeError):
            self.kept.unlink(missing_ok=True)
            self.table = Table(self.matchup)
            self.closed, self.deals, self.prompts, self.back = [], [], [], 0
            self.told.append("The game that was kept cannot be read, so this is a new one")


def result_lines(deal: WatchedDeal) -> Iterator[str]:
    """How a deal ended, as `simgin show` tells it, and a hand that was not shown."""
    from simgin.play.melds import cards_text, shown_melding
    from simgin.play.replay import make_replay

    replay = make_replay(deal)
    lines = list(replay.lines())
    yield from lines[len(lines) - lines[::-1].index("") :]
    hand = int(deal.state.hand[1])
    if deal.state.stopper < 0 and deal.matchup.b is not None and hand:
        count, melds = shown_melding(hand, replay.rules)
        yield f"{deal.matchup.opponent} held {cards_text(melds, hand)}, deadwood {count}"
