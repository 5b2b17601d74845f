"""The text of a deal that one player played, against the joker or the clock. Where the joker lay is told at the end only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from simgin.core.answers import PHASE_STOP
from simgin.core.deadwood import deadwood_of
from simgin.core.rules import DISCARD_FIRST, NO_JOKER, STOPPER
from simgin.core.solo import FAR, PLAYER
from simgin.core.sums import KINDS
from simgin.play import hand as hands
from simgin.play import replay, standing
from simgin.play.deal import Question, Single
from simgin.play.matchup import Matchup
from simgin.play.replay import TOLD, apart, wrapped
from simgin.text.notation import show, text

JOKER = "joker"  # who sits at seat 1


def told(played: Single) -> replay.Replay:
    """The replay of a deal, of one player or two."""
    return (Alone if played.matchup.b is None else replay.Replay)(played)


class Alone(replay.Replay):
    """A played deal of one player."""

    def _names(self, matchup: Matchup) -> tuple[str, str]:
        return matchup.a.text, JOKER

    @property
    def _has_joker(self) -> bool:
        return bool(self.rules.joker != NO_JOKER)

    @property
    def _deck(self) -> int:
        """Cards in the deck after the deal; a joker that was dealt is not among them."""
        held = self.played.hands[PLAYER].bit_count()
        return 52 - held + (self._has_joker and held == self._hand_size)

    @property
    def _hand_size(self) -> int:
        return 11 if self.rules.first_turn == DISCARD_FIRST else 10

    # Before the play

    def _table(self) -> Iterator[str]:
        hand = self.played.hands[PLAYER]
        limit = f"Knock limit {self.state.limit}" if self.state.limit else "Gin only"
        draws = f"; at most {self.rules.max_draws} draws" if self.rules.max_draws >= 0 else ""
        joker = ", one of them the joker" if self._has_joker and self.state.above >= 0 else ""
        yield f"{limit}; a deck of {self._deck} cards{joker}{draws}"
        yield ""
        yield from wrapped(
            "; ".join(
                f"{who}, {standing.words(self.state, self.row, seat)}"
                for seat, who in self._sides()
            )
        )
        yield f"  dealt {self._sorted(hand)}, count {deadwood_of(hand, self.rules, STOPPER)}"

    def _sides(self) -> Iterable[tuple[int, str]]:
        """The player, and the joker where it can win points."""
        return list(enumerate(self.names))[: 2 if self.row["goal"] == "points" else 1]

    # The play

    def _told_together(self) -> Iterator[tuple[int, list[Question]]]:
        """The questions of each turn, the one whether to stop after it included; that before the first draw stands alone."""
        for _, questions in groupby(
            self.played.questions,
            key=lambda one: int(one.view.turns) - int(one.view.phase == PHASE_STOP),
        ):
            group = list(questions)
            yield int(group[0].view.phase), group

    def _turn(self, questions: list[Question]) -> Iterator[str]:
        view = questions[0].view
        if view.phase == PHASE_STOP:
            yield "Before the first draw"
        else:
            ten = int(view.hand) & ~(1 << int(view.drawn) if view.drawn >= 0 else 0)
            yield f"Turn {view.turn}"
            yield f"  holds {self._sorted(ten)}, count {deadwood_of(ten, self.rules, STOPPER)}"
            if view.drawn >= 0:
                yield f"  draws {text(int(view.drawn))}, {view.deck_left} left in the deck"
        for question in questions:
            yield from wrapped(f"  {TOLD[question.slot](question)}")

    def _silent_draw(self) -> Iterator[str]:
        yield from ()

    # The end

    def _no_ending(self) -> Iterator[str]:
        """The joker, the last draw, or the guard against endless play."""
        state, name = self.state, self.names[PLAYER]
        if self.played.kind == "stalled":
            yield f"Stalled after {state.turns} turns"
        elif self.played.kind == "limit":
            yield f"Limit: {state.draws[PLAYER]} draws are made"
        elif state.above < 0:
            yield "Joker: it is among the cards dealt"
        else:
            yield f"Joker: it is card {state.draws[PLAYER] + 1} of the {self._deck} in the deck"
        yield from wrapped(
            f"  {name} holds {self._sorted(int(state.hand[PLAYER]))}, count {state.count[PLAYER]}"
        )
        if self.played.kind == "stalled":
            yield from self._above()

    def _showdown(self) -> Iterator[str]:
        state = self.state
        yield KINDS[state.kind].replace("_", " ").capitalize()
        melds = apart(hands.in_text_order(state.melds), int(state.hand[PLAYER]))
        yield from wrapped(f"  {self.names[PLAYER]} shows {melds}, count {state.stopper_count}")
        yield from self._above()

    def _above(self) -> Iterator[str]:
        """Where the joker lay."""
        if not self._has_joker:
            return
        n = int(self.state.above)
        lay = f"{n} cards lie above the joker" if n != 1 else "1 card lies above the joker"
        counts = self.row["deal_scoring"] == "joker" and self.state.stopper >= 0
        yield f"  {lay}{f', which counts {self.state.other_count}' if counts else ''}"

    def _points(self) -> str:
        if self.row["deal_scoring"] == "penalty":
            return f"Penalty: {self.names[PLAYER]} {self.state.score[PLAYER]}"
        return super()._points()

    def _won(self, seat: int) -> str:
        if self.row["goal"] == "total":
            return f"A total of {self.row['total_goal']} or less was asked for: the match is {('won', 'lost')[seat]}"
        return super()._won(seat)

    # For programs

    def _deal_row(self) -> dict[str, Any]:
        return super()._deal_row() | {"deck": self._deck}

    def _result_row(self) -> dict[str, Any]:
        state = self.state
        above = (
            int(state.above)
            if self._has_joker and 0 <= state.above < FAR and not self.played.fault
            else None
        )
        held = {"held": show(int(state.hand[PLAYER])), "held_count": int(state.count[PLAYER])}
        return super()._result_row() | held | {"above_joker": above}
