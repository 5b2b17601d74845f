"""The text of a deal of one player, against the joker or the clock.

Where the joker lay is told only at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from simgin.core.answers import PHASE_STOP
from simgin.core.deadwood import deadwood_of
from simgin.core.rules import DISCARD_FIRST, NO_JOKER, STOPPER
from simgin.core.solo import PLAYER
from simgin.core.sums import KINDS
from simgin.play import standing
from simgin.play.deal import Question, WatchedDeal
from simgin.play.matchup import Matchup
from simgin.play.melds import cards_text, in_text_order
from simgin.play.replay import DECISIONS, Replay, wrapped
from simgin.text.notation import card_text

JOKER = "joker"  # who sits at seat 1


def make_replay(watched: WatchedDeal) -> Replay:
    """The replay of a deal of one player or two."""
    return SoloReplay(watched) if watched.matchup.b is None else Replay(watched)


class SoloReplay(Replay):
    """A watched deal of one player, as text."""

    def _names(self, matchup: Matchup) -> tuple[str, str]:
        return matchup.a.text, JOKER

    @property
    def has_joker(self) -> bool:
        """Whether the pack holds a joker."""
        return bool(self.rules.joker != NO_JOKER)

    @property
    def deck(self) -> int:
        """Cards in the deck after the deal, with the joker unless it was dealt."""
        held = self.watched.hands[PLAYER].bit_count()
        hand_size = 11 if self.rules.first_turn == DISCARD_FIRST else 10
        joker_in_deck = self.has_joker and held == hand_size
        return 52 - held + joker_in_deck

    # Before the play

    def _table(self) -> Iterator[str]:
        limit = f"Knock limit {self.state.limit}" if self.state.limit else "Gin only"
        joker_in_deck = self.has_joker and self.state.above >= 0
        joker = " including the joker" if joker_in_deck else ""
        draws = f"; at most {self.rules.max_draws} draws" if self.rules.max_draws >= 0 else ""
        yield f"{limit}; deck of {self.deck} cards{joker}{draws}"
        yield ""
        sides = []
        for seat, name in self._sides():
            sides.append(f"{name}, {standing.describe(self.state, self.params, seat)}")
        yield from wrapped("; ".join(sides))
        yield f"  is dealt {self._dealt_text(PLAYER)}"

    def _sides(self) -> Iterable[tuple[int, str]]:
        """The player, and the joker if it can win points."""
        sides = list(enumerate(self.names))
        return sides if self.goal.score == "points" else sides[:1]

    # The play

    def _turns(self) -> Iterator[tuple[int, list[Question]]]:
        """(phase, questions) of each turn; the question after it whether to stop belongs to it.

        The question before the first draw stands alone.
        """

        def turn(question: Question) -> int:
            return int(question.view.turns) - int(question.view.phase == PHASE_STOP)

        for _, questions in groupby(self.watched.questions, key=turn):
            listed = list(questions)
            yield int(listed[0].view.phase), listed

    def _turn(self, questions: list[Question]) -> Iterator[str]:
        view = questions[0].view
        if view.phase == PHASE_STOP:
            yield "Before the first draw"
        else:
            drawn = 1 << int(view.drawn) if view.drawn >= 0 else 0
            ten = int(view.hand) & ~drawn
            yield f"Turn {view.turn}"
            yield f"  holds {self._hand_text(ten, deadwood_of(ten, self.rules, STOPPER))}"
            if view.drawn >= 0:
                yield f"  draws {card_text(int(view.drawn))}, {view.deck_left} left in the deck"
        for question in questions:
            yield from wrapped(f"  {DECISIONS[question.slot](question)}")

    def _silent_draw(self) -> Iterator[str]:
        yield from ()

    # The end

    def _no_showdown(self) -> Iterator[str]:
        """A deal ended by the joker, the last draw, or the safeguard against endless play."""
        state, kind = self.state, self.watched.kind
        if kind == "stalled":
            yield f"Stalled after {state.turns} turns"
        elif kind == "limit":
            yield f"Limit: all {state.draws[PLAYER]} draws are used"
        elif state.above < 0:
            yield "Joker: it was dealt"
        else:
            yield f"Joker: card {state.draws[PLAYER] + 1} of the {self.deck} in the deck"
        hand = self._hand_text(int(state.hand[PLAYER]), state.count[PLAYER])
        yield from wrapped(f"  {self.names[PLAYER]} holds {hand}")
        if kind == "stalled":
            yield from self._above_joker()

    def _showdown(self) -> Iterator[str]:
        state = self.state
        yield KINDS[state.kind].replace("_", " ").capitalize()
        shown = cards_text(in_text_order(state.melds), int(state.hand[PLAYER]))
        yield from wrapped(f"  {self.names[PLAYER]} shows {shown}, count {state.stopper_count}")
        yield from self._above_joker()

    def _above_joker(self) -> Iterator[str]:
        """Where the joker lay."""
        if not self.has_joker:
            return
        n = int(self.state.above)
        place = "1 card lies above the joker" if n == 1 else f"{n} cards lie above the joker"
        counts = self.params["deal_scoring"] == "joker" and self.state.stopper >= 0
        yield f"  {place}" + (f", which counts {self.state.other_count}" if counts else "")

    def _points(self) -> str:
        if self.params["deal_scoring"] == "penalty":
            return f"Penalty: {self.names[PLAYER]} {self.state.score[PLAYER]}"
        return super()._points()

    def _won(self, seat: int) -> str:
        if not self.goal.total:
            return super()._won(seat)
        result = "won" if seat == PLAYER else "lost"
        return f"The match is {result}: the goal was {self.goal.won_by.format(**self.params)}"
