"""The text of a deal as it was played: every decision with what the strategy saw, then the showdown. 80 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Literal

import numpy as np

from simgin import hand as hands
from simgin import notation, rules, single
from simgin.core import layoff
from simgin.core.deadwood import deadwood_of
from simgin.core.endings import BIG_GIN, SHOT
from simgin.core.rules import DEFENDER, STOPPER
from simgin.core.sums import KINDS
from simgin.core.view import PHASE_LAST, PHASE_UPCARD
from simgin.loader import StrategyError
from simgin.loader import find as find_strategy
from simgin.matchup import Matchup
from simgin.notation import show, text
from simgin.single import Question, Single
from simgin.variants import Variant

WIDTH = 80
UNITS = 2**48
ROLES = ("nondealer", "dealer")


class ReplayError(ValueError):
    """A deal that cannot be replayed; the message is a sentence."""


def find(a: str, b: str, variant: Variant, seed: int, unit: int, half: int, deal: int | None) -> Single:
    """Play the deal that is asked for: a single deal of `match --deals`, or deal number `deal` of the match of a unit.

    Raises ReplayError for what does not exist, and NoSuchDeal where the match was over before.
    """
    kind: Literal["deal", "match"] = "deal" if deal is None else "match"
    matchup = Matchup(variant, find_strategy(a), find_strategy(b), seed, kind)
    _check(matchup, unit, half, deal)
    played = single.play(matchup, unit, half, deal or 0)
    if played.fault and int(played.state.deal) != (deal or 0):
        raise ReplayError(f"the match did not come to deal {deal}: {played.fault}")
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
    if deal is not None and not 0 <= deal < int(matchup.variant.row["max_deals"] or 1):  # type: ignore[call-overload, arg-type]
        raise ReplayError(f"deals of a match are numbered from 0 to {int(matchup.variant.row['max_deals'] or 1) - 1}, not {deal}.")  # type: ignore[call-overload, arg-type]


class Replay:
    """A played deal with the names that its text is told with."""

    def __init__(self, played: Single) -> None:
        self.played, self.state = played, played.state
        self.rules = rules.of_row(played.matchup.variant.row)
        a, b = (strategy.text for strategy in (played.matchup.a, played.matchup.b))
        by_strategy = (a, b) if a != b else (f"{a} (A)", f"{b} (B)")
        self.names = by_strategy if self.state.half == 0 else by_strategy[::-1]  # by seat

    def who(self, seat: int) -> str:
        """A seat by its strategy."""
        return self.names[seat]

    def role(self, seat: int) -> str:
        """Dealer or nondealer."""
        return ROLES[seat == self.state.dealer]

    def lines(self) -> Iterator[str]:
        """The whole text."""
        yield from self._header()
        turns = groupby(self.played.questions, key=lambda question: (question.view.turns, question.view.phase))
        told = -1
        for (turn, phase), questions in turns:
            yield from self._unasked(told + 1, int(turn))
            yield ""
            yield from self._turn(int(turn), int(phase), list(questions))
            told = int(turn)
        yield from self._unasked(told + 1, int(self.state.turns))
        yield ""
        yield from self._failure() if self.played.fault else self._result()

    # Before the play

    def _header(self) -> Iterator[str]:
        matchup, state = self.played.matchup, self.state
        number = f", deal {state.deal}" if matchup.unit == "match" else ""
        yield from _wrapped(f"{matchup.variant.text}: seed {matchup.seed}, unit {state.unit}, half {state.half}{number}")
        factor = f", all points times {state.multiplier}" if state.multiplier != 1 else ""
        yield f"knock limit {state.limit}{' (gin only)' if state.limit == 0 else ''}{factor}"
        upcard = text(int(state.upcard)) if state.upcard >= 0 else "none"
        yield f"upcard {upcard}"
        for seat in (1 - int(state.dealer), int(state.dealer)):
            yield ""
            yield from _wrapped(f"{self.who(seat)}: seat {seat}, {self.role(seat)}, {state.points[seat]} points so far")
            yield from self._holding(self.played.hands[seat])

    def _holding(self, hand: int) -> Iterator[str]:
        melding = hands.shown(hand, self.rules)[1]
        yield from _wrapped(f"  {_sorted_hand(hand, melding)}  count {deadwood_of(hand, self.rules, STOPPER)}")

    # The play

    def _turn(self, turn: int, phase: int, questions: list[Question]) -> Iterator[str]:
        if phase == PHASE_UPCARD:
            yield "The upcard"
        elif phase == PHASE_LAST:
            yield "The last discard"
        seat = None
        for question in questions:
            if phase not in (PHASE_UPCARD, PHASE_LAST) and seat is None:
                yield from _wrapped(f"Turn {turn + 1}, {self.who(question.seat)}{self._knows(question)}")
            seat = question.seat
            yield from _wrapped(f"  {self._question(question)}", "    ")
        last = questions[-1]
        if last.slot == "discard" and last.answer is not None and last.view.phase != PHASE_LAST:
            return

    def _knows(self, question: Question) -> str:
        known = show(int(question.view.known))
        return f" (the other holds {known})" if known else ""

    def _question(self, question: Question) -> str:
        """One decision: what was seen, and the answer."""
        view = question.view
        if question.slot == "take":
            return self._take(question)
        if view.phase == PHASE_LAST:
            return f"{self.who(question.seat)}, holding {show(int(view.hand))}, may take {text(int(view.taken_offer))} and {self._proposal(question)}"
        return f"{self._drew(question)}{self._knock(question) if question.slot == 'knock' else self._discard(question)}"

    def _take(self, question: Question) -> str:
        view = question.view
        offered = text(int(view.taken_offer))
        head = f"{self.who(question.seat)}, " if view.phase == PHASE_UPCARD else ""
        seen = f"{head}holding {show(int(view.hand))} (count {view.count}), is offered {offered}"
        words = {None: "no legal answer", 1: "takes it", 2: "passes"}
        no = "passes" if view.phase == PHASE_UPCARD and not view.legal & 4 else f"draws from the stock of {view.stock}"
        return f"{seen}: {words.get(question.answer, no)}"

    def _drew(self, question: Question) -> str:
        view = question.view
        drawn = f"drew {text(int(view.drawn))}" if view.drawn >= 0 else f"took {text(int(view.taken))}" if view.taken >= 0 else "was dealt eleven"
        return f"{drawn}, holds {show(int(view.hand))}: "

    def _knock(self, question: Question) -> str:
        return f"may {self._proposal(question)}"

    def _proposal(self, question: Question) -> str:
        view = question.view
        how = "big gin" if view.ending == BIG_GIN else "shot" if view.ending == SHOT else "gin" if view.ending_count == 0 else "knock"
        count = f" with {view.ending_count}" if view.ending_count else ""
        card = f" throwing {text(int(view.ending_card))}" if view.ending_card >= 0 else ""
        answer = {None: "no legal answer", 0: "plays on", 1: "ends the deal"}[question.answer]
        return f"{'declare' if how != 'knock' else ''} {how}{count}{card}: {answer}".strip()

    def _discard(self, question: Question) -> str:
        if question.answer is None:
            return "no legal answer"
        kept = int(question.view.hand) & ~(1 << question.answer)
        return f"throws {text(question.answer)}, keeps count {deadwood_of(kept, self.rules, STOPPER)}"

    def _unasked(self, first: int, end: int) -> Iterator[str]:
        """Turns in which nobody was asked anything: there are none yet, since a discard is always a question."""
        yield from ()

    # The end

    def _failure(self) -> Iterator[str]:
        yield "Here the deal stopped:"
        yield from _wrapped(f"  {self.played.fault}", "  ")

    def _result(self) -> Iterator[str]:
        if self.state.stopper < 0:
            yield self._no_ending()
        else:
            yield from self._showdown()
        yield from _wrapped(f"points: {', '.join(f'{self.who(seat)} {self.state.score[seat]}' for seat in (0, 1))}")

    def _no_ending(self) -> str:
        if self.played.kind == "stalled":
            return f"stalled: {self.state.turns} turns were played"
        return f"{self.played.kind}: {self.state.stock} cards are left in the stock"

    def _showdown(self) -> Iterator[str]:
        state = self.state
        seat, other = int(state.stopper), 1 - int(state.stopper)
        kept, melds = int(state.hand[seat]), hands.in_text_order(state.melds)
        thrown = f", throwing {text(int(state.discard))}" if state.discard >= 0 else ""
        yield from _wrapped(f"{KINDS[state.kind]}: {self.who(seat)} ends the deal with {state.stopper_count}{thrown}")
        yield from _wrapped(f"  shows {_left(hands.melding_text(melds), kept & ~sum(melds))}", "    ")
        laid, own = self._defence(int(state.hand[other]))
        yield from _wrapped(f"{self.who(other)} holds {show(int(state.hand[other]))}")
        before = f", {state.defender_before} before" if laid else ""
        yield from _wrapped(f"  melds {_left(hands.melding_text(own), int(state.hand[other]) & ~sum(own) & ~laid)}", "    ")
        if laid:
            yield f"  lays off {show(laid)}"
        yield f"  count {state.other_count}{before}"

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
            "strategies": [self.who(0), self.who(1)],
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
            "strategy": self.who(question.seat),
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


def _sorted_hand(hand: int, melding: hands.Melding) -> str:
    """A hand with its melds first."""
    return " | ".join([*map(hands.meld_text, melding), *filter(None, [show(hand & ~sum(melding))])])


def _left(melding: str, loose: int) -> str:
    return f"{melding}{f', left over {show(loose)}' if loose else ''}"


def _wrapped(line: str, indent: str = "  ") -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False) or [""]
