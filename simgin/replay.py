"""The text of a deal as it was played: every decision with what the strategy saw, then the showdown. 80 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Literal

import numpy as np

from simgin import hand as hands
from simgin import rules, single
from simgin.core import layoff
from simgin.core.deadwood import deadwood_of
from simgin.core.endings import BIG_GIN, SHOT
from simgin.core.meldings import MAX_MELDINGS
from simgin.core.rules import DEFENDER, STOPPER
from simgin.core.sums import KINDS
from simgin.core.view import FROM_PILE, PHASE_LAST, PHASE_UPCARD
from simgin.matchup import Matchup, seated
from simgin.notation import show, text
from simgin.single import Question, Single

WIDTH = 80
UNITS = 2**48
JOKER = "joker"  # who sits at seat 1 where one plays alone
FELL = "gives no legal answer"


class ReplayError(ValueError):
    """A deal that cannot be replayed; the message is a sentence."""


def find(a: str, b: str | None, variant: str, seed: int, unit: int, half: int, deal: int | None) -> Single:
    """Play the deal that is asked for: a single deal of `match --deals`, or deal number `deal` of the match of a unit.

    Raises ReplayError for what does not exist, and NoSuchDeal where the match was over before.
    """
    kind: Literal["deal", "match"] = "deal" if deal is None else "match"
    matchup = seated(a, b, variant, seed, kind)
    _check(matchup, unit, half, deal)
    played = single.play(matchup, unit, half, deal or 0)
    if played.fault and not played.state.watched:
        raise ReplayError(f"the game did not come to this deal. {played.fault}") from played.raised
    return played


def _check(matchup: Matchup, unit: int, half: int, deal: int | None) -> None:
    if not 0 <= matchup.seed < 2**64:
        raise ReplayError(f"a seed is 0..2^64-1, not {matchup.seed}.")
    if not 0 <= unit < UNITS:
        raise ReplayError(f"a unit is 0..2^48-1, not {unit}.")
    if half not in (0, 1):
        raise ReplayError(f"a half is 0 or 1, not {half}.")
    if half == 1 and not matchup.mirrored:
        raise ReplayError(f"{matchup.a.text} plays itself here, and then a pack is played once: there is no half 1.")
    if deal is not None and deal < 0:
        raise ReplayError(f"deals of a match are numbered from 0, not {deal}.")


class Replay:
    """A played deal with the names that its text is told with."""

    def __init__(self, played: Single) -> None:
        self.played, self.state = played, played.state
        self.rules = rules.of_row(played.matchup.variant.row)
        a, b = played.matchup.a.text, played.matchup.opponent or JOKER
        by_strategy = (a, b) if a != b else (f"{a} (A)", f"{b} (B)")
        self.names = by_strategy if self.state.half == 0 else by_strategy[::-1]  # by seat

    def lines(self) -> Iterator[str]:
        """The whole text, to the result or to the question at which a policy failed."""
        yield from self._header()
        for (_, phase), group in groupby(self.played.questions, key=lambda question: (question.view.turns, question.view.phase)):
            yield ""
            yield from {PHASE_UPCARD: self._upcard, PHASE_LAST: self._last_discard}.get(int(phase), self._turn)(list(group))
        yield from self._silent_draw()
        yield ""
        yield from self._failure() if self.played.fault else self._result()

    # Before the play

    def _header(self) -> Iterator[str]:
        matchup, state = self.played.matchup, self.state
        number = f", deal {state.deal}" if matchup.unit == "match" else ""
        yield from _wrapped(f"{matchup.variant.text}: seed {matchup.seed}, unit {state.unit}, half {state.half}{number}")
        factor = f", all points times {state.multiplier}" if state.multiplier != 1 else ""
        upcard = f", upcard {text(int(state.upcard))}" if state.upcard >= 0 else ""
        yield f"Knock limit {state.limit}{' (gin only)' if state.limit == 0 else ''}{factor}{upcard}"
        for seat in (1 - int(state.dealer), int(state.dealer)):
            yield ""
            role = "dealer" if seat == state.dealer else "nondealer, moves first"
            yield from _wrapped(f"{self._who(seat)}, {role}, score {state.points[seat]}")
            hand = self.played.hands[seat]
            yield f"  dealt {self._sorted(hand)}, count {deadwood_of(hand, self.rules, STOPPER)}"

    def _who(self, seat: int) -> str:
        return f"{self.names[seat]} (seat {seat})"

    def _sorted(self, hand: int) -> str:
        """A hand with its melds first."""
        return _apart(hands.shown(hand, self.rules)[1], hand)

    # The play

    def _upcard(self, questions: list[Question]) -> Iterator[str]:
        yield f"The upcard is {text(int(self.state.upcard))}"
        for question in questions:
            view = question.view
            yield from _wrapped(
                f"  {self._who(question.seat)} holds {self._sorted(int(view.hand))}, count {view.count}: {_taking(question)}"
            )

    def _turn(self, questions: list[Question]) -> Iterator[str]:
        """A turn, told from its questions: a draw that nobody was asked about is seen in the next one."""
        first, last = questions[0].view, questions[-1].view
        yield from _wrapped(f"Turn {first.turn}, {self._who(questions[0].seat)}")
        if known := show(int(first.known)):
            yield f"  knows that the other holds {known}"
        ten = int(first.hand) & ~sum(1 << int(card) for card in (first.drawn, first.taken) if card >= 0)
        yield f"  holds {self._sorted(ten)}, count {first.count}"
        if questions[0].slot == "take":
            yield f"  offered {text(int(first.taken_offer))}, {first.stock} in the stock: {_taking(questions[0])}"
        yield from self._draw(last)
        for question in questions:
            if question.slot != "take":
                yield from _wrapped(f"  {TOLD[question.slot](question)}")

    def _draw(self, view: Any) -> Iterator[str]:
        """The card drawn on a turn, from its last view; a draw that ends the deal comes after the last question."""
        drawn = int(self.state.drawn if view.turns == self.state.turns and not self.played.fault else view.drawn)
        if view.taken >= 0:
            yield f"  takes {text(int(view.taken))}"
        elif drawn >= 0:
            yield f"  draws {text(drawn)}"

    def _silent_draw(self) -> Iterator[str]:
        """A last draw about which nobody was asked before or after: where the discard pile is closed, and the draw ends the deal."""
        state, questions = self.state, self.played.questions
        if state.drawn >= 0 and state.stopper < 0 and not self.played.fault and questions[-1].view.turns != state.turns:
            yield ""
            yield f"Turn {state.turns + 1}, {self._who(1 - questions[-1].seat)}"
            yield f"  draws {text(int(state.drawn))}"

    def _last_discard(self, questions: list[Question]) -> Iterator[str]:
        view = questions[0].view
        yield from _wrapped(f"The last discard, {self._who(questions[0].seat)}")
        yield f"  holds {self._sorted(int(view.hand))}, count {view.count}"
        yield f"  may take {text(int(view.taken_offer))} and end the deal with it"
        yield from (line for question in questions for line in _wrapped(f"  {TOLD[question.slot](question)}"))

    # The end

    def _failure(self) -> Iterator[str]:
        yield "Here the deal stopped"
        yield from _wrapped(f"  {self.played.fault}")

    def _result(self) -> Iterator[str]:
        if self.state.stopper < 0:
            yield self._no_ending()
        else:
            yield from self._showdown()
        yield from _wrapped(f"Points: {', '.join(f'{self.names[seat]} {self.state.score[seat]}' for seat in (0, 1))}")

    def _no_ending(self) -> str:
        if self.played.kind == "stalled":
            return f"Stalled after {self.state.turns} turns"
        return f"Void: {self.state.stock} cards are left in the stock"

    def _showdown(self) -> Iterator[str]:
        state = self.state
        seat, other = int(state.stopper), 1 - int(state.stopper)
        kept, hand = int(state.hand[seat]), int(state.hand[other])
        yield KINDS[state.kind].replace("_", " ").capitalize()
        yield from _wrapped(f"  {self._who(seat)} shows {_apart(hands.in_text_order(state.melds), kept)}, count {state.stopper_count}")
        laid, own = self._defence(hand)
        yield from _wrapped(f"  {self._who(other)} has {_apart(own, hand & ~laid)}, count {state.other_count}")
        if laid:
            yield f"    laid off {show(laid)}; without that {state.defender_before}"

    def _defence(self, hand: int) -> tuple[int, hands.Melding]:
        """The defender's lay-offs, if the rules gave him any, and his own melds."""
        laid = 0
        if self.state.laid_off:
            options, chains = np.zeros((3, layoff.MAX_OPTIONS), np.int64), np.zeros((2, 16), np.int64)
            laid = int(layoff.lay_off(hand, self.state.melds, self.rules, options, chains)[1])
        return laid, hands.all_meldings(hand & ~laid, self.rules, DEFENDER)[0]

    # For programs

    def rows(self) -> list[dict[str, Any]]:
        """One object for the deal, one for every decision, one for the result, told apart by `event`."""
        return [self._deal_row(), *map(self._decision_row, self.played.questions), self._result_row()]

    def _deal_row(self) -> dict[str, Any]:
        state = self.state
        return {
            "event": "deal",
            "variant": self.played.matchup.variant.text,
            "unit": int(state.unit),
            "half": int(state.half),
            "deal": int(state.deal),
            "strategies": list(self.names),
            "dealer": int(state.dealer),
            "points": [int(points) for points in state.points],
            "limit": int(state.limit),
            "multiplier": int(state.multiplier),
            "upcard": _card(state.upcard),
            "hands": [show(hand) for hand in self.played.hands],
        }

    def _decision_row(self, question: Question) -> dict[str, Any]:
        view, answer = question.view, question.answer
        return {
            "event": "decision",
            "turn": int(view.turn),
            "seat": question.seat,
            "strategy": self.names[question.seat],
            "slot": question.slot,
            "hand": show(int(view.hand)),
            "count": int(view.count),
            "offered": _card(view.taken_offer),
            "taken": _card(view.taken),
            "drawn": _card(view.drawn),
            "known": show(int(view.known)),
            "stock": int(view.stock),
            "ending": int(view.ending),
            "ending_card": _card(view.ending_card),
            "ending_count": int(view.ending_count) if view.ending else None,
            "answer": text(answer) if question.slot == "discard" and answer is not None else answer,
        }

    def _result_row(self) -> dict[str, Any]:
        state = self.state
        ended = state.stopper >= 0
        laid, own = self._defence(int(state.hand[1 - state.stopper])) if ended else (0, ())
        return {
            "event": "result",
            "kind": self.played.kind or None,
            "stopper": int(state.stopper) if ended else None,
            "winner": int(state.winner) if state.winner >= 0 else None,
            "score": [int(points) for points in state.score],
            "turns": int(state.turns),
            "stock": int(state.stock),
            "discard": _card(state.discard),
            "melds": [hands.meld_text(meld) for meld in hands.in_text_order(state.melds)] if ended else [],
            "stopper_count": int(state.stopper_count) if ended else None,
            "defender_melds": [hands.meld_text(meld) for meld in own],
            "laid_off": show(laid),
            "defender_count": int(state.other_count) if ended else None,
            "fault": self.played.fault or None,
        }


def _card(card: int) -> str | None:
    return text(int(card)) if card >= 0 else None


def _apart(melds: hands.Melding, hand: int) -> str:
    """Some cards, the melds first and what is left over last."""
    return " | ".join([*map(hands.meld_text, melds), *filter(None, [show(hand & ~sum(melds))])])


def _taking(question: Question) -> str:
    if question.answer is None:
        return FELL
    if question.answer == FROM_PILE:
        return "takes it"
    only_passes = question.view.phase == PHASE_UPCARD and not question.view.legal & 4
    return "passes" if question.answer == 2 or only_passes else "draws from the stock"


def _discarding(question: Question) -> str:
    return FELL if question.answer is None else f"throws {text(question.answer)}"


def _ending(question: Question) -> str:
    """A proposal to end the deal, and the answer."""
    view = question.view
    how = "declare big gin" if view.ending == BIG_GIN else "go gin" if view.ending_count == 0 else "knock"
    how = f"{'shoot' if view.ending == SHOT else how}{f' with {view.ending_count}' if view.ending_count else ''}"
    card = f", throwing {text(int(view.ending_card))}" if view.ending_card >= 0 else ""
    return f"may {how}{card}: {FELL if question.answer is None else ('plays on', 'ends the deal')[question.answer]}"


def _showing(question: Question) -> str:
    """Which melding of the lawful ones is laid down (`melding = choice`)."""
    number = int(question.view.legal) & (1 << MAX_MELDINGS) - 1
    if question.answer is None:
        return f"may show {number.bit_count()} meldings: {FELL}"
    melds = hands.in_text_order(question.view.meldings[question.answer])
    return f"shows melding {question.answer} of 0..{number.bit_count() - 1}: {_apart(melds, int(question.view.hand))}"


TOLD = {"discard": _discarding, "knock": _ending, "show": _showing}


def _wrapped(line: str) -> list[str]:
    """A line cut at 80 columns, what follows indented below it."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
