"""The text of a deal of one player, against the joker or the clock.

Where the joker lay is told only at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from simgin.core.answers import PHASE_STOP
from simgin.core.deadwood import deadwood_of
from simgin.core.rules import DISCARD_FIRST, NO_JOKER, STOPPER
from simgin.core.solo import PLAYER
from simgin.play import standing
from simgin.play.deal import Question, WatchedDeal
from simgin.play.matchup import Matchup
from simgin.play.melds import cards_text, in_text_order
from simgin.play.replay import Replay, decision_lines, wrapped
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
        hand = self.watched.hands[PLAYER]
        held = hand.bit_count()
        hand_size = 11 if self.rules.first_turn == DISCARD_FIRST else 10
        joker_in_deck = self.has_joker and held == hand_size
        return 52 - held + joker_in_deck

    # Before the play

    def _table(self) -> Iterator[str]:
        limit = self.state.limit
        terms = f"Knock limit {limit}" if limit else "Gin only"
        terms += f"; deck of {self.deck} cards"
        if self.has_joker and self.state.above >= 0:
            terms += " including the joker"
        if self.rules.max_draws >= 0:
            terms += f"; at most {self.rules.max_draws} draws"
        yield terms
        yield ""
        sides = []
        for seat, name in self._sides():
            score = standing.describe(self.state, self.params, seat)
            sides.append(f"{name}, {score}")
        yield from wrapped("; ".join(sides))
        yield f"  is dealt {self._dealt_text(PLAYER)}"

    def _sides(self) -> Iterable[tuple[int, str]]:
        """The player, and the joker if it can win points."""
        sides = list(enumerate(self.names))
        if self.goal.score == "points":
            return sides
        return sides[:1]

    # The play

    def _turns(self) -> Iterator[tuple[int, list[Question]]]:
        """(phase, questions) of each turn; the question after it whether to stop belongs to it.

        The question before the first draw stands alone.
        """

        def turn(question: Question) -> int:
            view = question.view
            after_discard = view.phase == PHASE_STOP
            return int(view.turns) - int(after_discard)

        for _, questions in groupby(self.watched.questions, key=turn):
            listed = list(questions)
            phase = listed[0].view.phase
            yield int(phase), listed

    def _turn(self, questions: list[Question]) -> Iterator[str]:
        view = questions[0].view
        if view.phase == PHASE_STOP:
            yield "Before the first draw"
        else:
            yield from self._holding(view)
        for question in questions:
            yield from decision_lines(question)

    def _holding(self, view: Any) -> Iterator[str]:
        """The ten cards held at the start of a turn, and the card drawn."""
        drawn = int(view.drawn)
        hand = int(view.hand)
        if drawn >= 0:
            hand &= ~(1 << drawn)
        deadwood = deadwood_of(hand, self.rules, STOPPER)
        yield f"Turn {view.turn}"
        yield f"  holds {self._hand_text(hand, deadwood)}"
        if drawn >= 0:
            yield f"  draws {card_text(drawn)}, {view.deck_left} left in the deck"

    def _silent_draw(self) -> Iterator[str]:
        yield from ()

    # The end

    def _no_showdown(self) -> Iterator[str]:
        """A deal ended by the joker, the last draw, or the safeguard against endless play."""
        state = self.state
        draws = state.draws[PLAYER]
        stalled = self.watched.kind == "stalled"
        if stalled:
            yield f"Stalled after {state.turns} turns"
        elif self.watched.kind == "limit":
            yield f"Limit: all {draws} draws are used"
        elif state.above < 0:
            yield "Joker: it was dealt"
        else:
            yield f"Joker: card {draws + 1} of the {self.deck} in the deck"
        cards = int(state.hand[PLAYER])
        hand = self._hand_text(cards, state.count[PLAYER])
        yield from wrapped(f"  {self.names[PLAYER]} holds {hand}")
        if stalled:
            yield from self._above_joker()

    def _showdown(self) -> Iterator[str]:
        state = self.state
        hand = int(state.hand[PLAYER])
        shown = cards_text(in_text_order(state.melds), hand)
        yield self._kind()
        count = state.stopper_count
        yield from wrapped(f"  {self.names[PLAYER]} shows {shown}, count {count}")
        yield from self._above_joker()

    def _above_joker(self) -> Iterator[str]:
        """Where the joker lay."""
        if not self.has_joker:
            return
        n = int(self.state.above)
        cards = "1 card lies" if n == 1 else f"{n} cards lie"
        place = f"{cards} above the joker"
        joker_scores = self.params["deal_scoring"] == "joker"
        if joker_scores and self.state.stopper >= 0:
            place += f", which counts {self.state.other_count}"
        yield f"  {place}"

    def _points(self) -> str:
        if self.params["deal_scoring"] == "penalty":
            penalty = self.state.score[PLAYER]
            return f"Penalty: {self.names[PLAYER]} {penalty}"
        return super()._points()

    def _won(self, seat: int) -> str:
        if not self.goal.total:
            return super()._won(seat)
        result = "won" if seat == PLAYER else "lost"
        won_by = self.goal.won_by.format(**self.params)
        return f"The match is {result}: the goal was {won_by}"
