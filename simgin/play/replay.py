"""The text of a deal as it was played: every decision with what the strategy saw, then the showdown. 80 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Literal

import numpy as np

from simgin.core import layoff
from simgin.core.answers import BIG_GIN, PHASE_BLIND, PHASE_LAST, PHASE_UPCARD, SHOT
from simgin.core.deadwood import deadwood_of
from simgin.core.match import UNDECIDED
from simgin.core.meldings import MAX_MELDINGS
from simgin.core.rules import DEFENDER, DIE_OFF, STOPPER
from simgin.core.sums import KINDS
from simgin.core.view import FROM_PILE
from simgin.play import deal as single
from simgin.play import hand as hands
from simgin.play import standing
from simgin.play.deal import Question, Single
from simgin.play.matchup import Matchup, seated
from simgin.rules import record
from simgin.text.notation import show, text

WIDTH = 80
UNITS = 2**48
FELL = "gives no legal answer"


class ReplayError(ValueError):
    """A deal that cannot be replayed; the message is a sentence."""


def find(
    a: str, b: str | None, variant: str, seed: int, unit: int, half: int, deal: int | None
) -> Single:
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
    if half == 1 and matchup.b is None:
        raise ReplayError(
            f"{matchup.variant.text} is for one player, and its packs are played once: there is no half 1."
        )
    if half == 1 and not matchup.mirrored:
        raise ReplayError(
            f"{matchup.a.text} plays itself here, and then a pack is played once: there is no half 1."
        )
    if deal is not None and deal < 0:
        raise ReplayError(f"deals of a match are numbered from 0, not {deal}.")


class Replay:
    """A played deal of two players with the names that its text is told with."""

    def __init__(self, played: Single) -> None:
        self.played, self.state = played, played.state
        self.row = played.matchup.variant.row
        self.rules = record.build(played.matchup.variant)
        self.names = self._names(played.matchup)  # by seat

    def _names(self, matchup: Matchup) -> tuple[str, str]:
        a, b = matchup.a.text, matchup.opponent
        by_strategy = (a, b) if a != b else (f"{a} (A)", f"{b} (B)")
        return by_strategy if self.state.half == 0 else by_strategy[::-1]

    def lines(self) -> Iterator[str]:
        """The whole text, to the result or to the question at which a policy failed."""
        yield from self._title()
        if self.rules.die != DIE_OFF:
            yield from self._blind()
        if self._dealt:
            yield from self._table()
        for phase, questions in self._told_together():
            if phase != PHASE_BLIND:
                yield ""
                yield from {PHASE_UPCARD: self._upcard, PHASE_LAST: self._last_discard}.get(
                    phase, self._turn
                )(questions)
        yield from self._silent_draw()
        yield ""
        yield from self._failure() if self.played.fault else self._result()

    def _told_together(self) -> Iterator[tuple[int, list[Question]]]:
        """The questions of each turn and phase, with the phase."""
        for (_, phase), group in groupby(
            self.played.questions, key=lambda question: (question.view.turns, question.view.phase)
        ):
            yield int(phase), list(group)

    # Before the play

    def _title(self) -> Iterator[str]:
        matchup, state = self.played.matchup, self.state
        half = f", half {state.half}" if matchup.b is not None else ""
        number = f", deal {state.deal}" if matchup.unit == "match" else ""
        yield from wrapped(
            f"{matchup.variant.text}: seed {matchup.seed}, unit {state.unit}{half}{number}"
        )

    @property
    def _dealt(self) -> bool:
        """Whether anybody saw cards: not if the deal was over with an offer before."""
        return bool(self.state.phase != PHASE_BLIND)

    def _blind(self) -> Iterator[str]:
        """The die, and the offers before the cards are seen."""
        questions = [
            question for question in self.played.questions if question.view.phase == PHASE_BLIND
        ]
        first = questions[0].view if questions else self.state
        yield ""
        yield f"Before the cards are seen, the die shows {first.stake}{f', owned by {self._who(first.owner)}' if first.owner >= 0 else ''}"
        for seat in () if self._dealt else self._seats():
            yield from wrapped(
                f"  {self._who(seat)}, {self._role(seat)}, {standing.words(self.state, self.row, seat)}"
            )
        for question in questions:
            yield from self._told_of(question)

    def _told_of(self, question: Question) -> list[str]:
        """An offer or answer, with who made it."""
        return wrapped(f"  {self._who(question.seat)} {TOLD[question.slot](question)}")

    def _seats(self) -> tuple[int, int]:
        return 1 - int(self.state.dealer), int(self.state.dealer)

    def _role(self, seat: int) -> str:
        return "dealer" if seat == self.state.dealer else "nondealer, moves first"

    def _table(self) -> Iterator[str]:
        state = self.state
        if self.rules.die != DIE_OFF:
            yield ""
        factor = f", all points times {state.multiplier}" if state.multiplier != 1 else ""
        upcard = f", upcard {text(int(state.upcard))}" if state.upcard >= 0 else ""
        yield f"Knock limit {state.limit}{' (gin only)' if state.limit == 0 else ''}{factor}{upcard}"
        for seat in self._seats():
            yield ""
            yield from wrapped(
                f"{self._who(seat)}, {self._role(seat)}, {standing.words(state, self.row, seat)}"
            )
            hand = self.played.hands[seat]
            yield f"  dealt {self._sorted(hand)}, count {deadwood_of(hand, self.rules, STOPPER)}"

    def _who(self, seat: int) -> str:
        return f"{self.names[seat]} (seat {seat})"

    def _sorted(self, hand: int) -> str:
        """A hand with its melds first."""
        return apart(hands.shown(hand, self.rules)[1], hand)

    # The play

    def _upcard(self, questions: list[Question]) -> Iterator[str]:
        yield (
            f"The upcard is {text(int(self.state.upcard))}"
            if self.state.upcard >= 0
            else "Before the first turn"
        )
        for question in questions:
            view = question.view
            if question.slot in DIE:
                yield from self._told_of(question)
            else:
                holds = f"holds {self._sorted(int(view.hand))}, count {view.count}"
                yield from wrapped(f"  {self._who(question.seat)} {holds}: {_taking(question)}")

    def _turn(self, questions: list[Question]) -> Iterator[str]:
        """A turn, told from its questions: a draw that nobody was asked about is seen in the next one."""
        seat, first = questions[0].seat, questions[0].view
        own = [question for question in questions if question.seat == seat]
        take = next((question for question in own if question.slot == "take"), None)
        yield from wrapped(f"Turn {first.turn}, {self._who(seat)}")
        if known := show(int(first.known)):
            yield f"  knows that the other holds {known}"
        ten = int(first.hand) & ~sum(
            1 << int(card) for card in (first.drawn, first.taken) if card >= 0
        )
        yield f"  holds {self._sorted(ten)}, count {first.count}"
        for question in questions:
            if question.slot in DIE:
                yield from self._told_of(question)
        if take:
            yield f"  offered {text(int(take.view.taken_offer))}, {first.stock} in the stock: {_taking(take)}"
        yield from self._draw(own[-1].view)
        for question in own:
            if question.slot not in ("take", *DIE):
                yield from wrapped(f"  {TOLD[question.slot](question)}")

    def _draw(self, view: Any) -> Iterator[str]:
        """The card drawn on a turn, from its last view; a draw that ends the deal comes after the last question."""
        drawn = int(
            self.state.drawn
            if view.turns == self.state.turns and not self.played.fault
            else view.drawn
        )
        if view.taken >= 0:
            yield f"  takes {text(int(view.taken))}"
        elif drawn >= 0:
            yield f"  draws {text(drawn)}"

    def _silent_draw(self) -> Iterator[str]:
        """A last draw about which nobody was asked before or after: where the discard pile is closed, and the draw ends the deal."""
        state, questions = self.state, self.played.questions
        if (
            questions
            and state.drawn >= 0
            and state.stopper < 0
            and not self.played.fault
            and questions[-1].view.turns != state.turns
        ):
            yield ""
            yield f"Turn {state.turns + 1}, {self._who(1 - questions[-1].seat)}"
            yield f"  draws {text(int(state.drawn))}"

    def _last_discard(self, questions: list[Question]) -> Iterator[str]:
        view = questions[0].view
        yield from wrapped(f"The last discard, {self._who(questions[0].seat)}")
        yield f"  holds {self._sorted(int(view.hand))}, count {view.count}"
        yield f"  may take {text(int(view.taken_offer))} and end the deal with it"
        yield from (
            line for question in questions for line in wrapped(f"  {TOLD[question.slot](question)}")
        )

    # The end

    def _failure(self) -> Iterator[str]:
        yield "Here the deal stopped"
        yield from wrapped(f"  {self.played.fault}")

    def _result(self) -> Iterator[str]:
        yield from self._no_ending() if self.state.stopper < 0 else self._showdown()
        if self.rules.die != DIE_OFF and self.played.kind != "refused":
            yield f"The die shows {self.state.stake}"
        yield from wrapped(self._points())
        if self.played.matchup.unit == "match":
            yield from self._match()

    def _points(self) -> str:
        return f"Points: {', '.join(f'{self.names[seat]} {self.state.score[seat]}' for seat in (0, 1))}"

    def _match(self) -> Iterator[str]:
        """How the match stands after the deal, and who has won it."""
        after, outcome = standing.entered(self.state, self.rules)
        yield from wrapped(
            f"Match: {'; '.join(f'{name}, {standing.words(after, self.row, seat)}' for seat, name in self._sides())}"
        )
        if outcome != UNDECIDED:
            yield from wrapped(standing.OVER.get(outcome) or self._won(outcome))

    def _sides(self) -> Iterable[tuple[int, str]]:
        return enumerate(self.names)

    def _won(self, seat: int) -> str:
        return f"{self.names[seat]} wins the match"

    def _no_ending(self) -> Iterator[str]:
        if self.played.kind == "stalled":
            yield f"Stalled after {self.state.turns} turns"
        elif self.played.kind == "refused":
            yield "Refused"
            unit = "game" if self.row["goal"] == "games" else "won deal"
            pays = f"{self.state.pays} {unit}{'s' if self.state.pays > 1 else ''}"
            yield from wrapped(f"  {self._who(int(self.state.winner))} gets {pays}")
        else:
            yield f"Void: {self.state.stock} cards are left in the stock"

    def _showdown(self) -> Iterator[str]:
        state = self.state
        seat, other = int(state.stopper), 1 - int(state.stopper)
        kept, hand = int(state.hand[seat]), int(state.hand[other])
        yield KINDS[state.kind].replace("_", " ").capitalize()
        yield from wrapped(
            f"  {self._who(seat)} shows {apart(hands.in_text_order(state.melds), kept)}, count {state.stopper_count}"
        )
        laid, own = self._defence(hand)
        yield from wrapped(
            f"  {self._who(other)} has {apart(own, hand & ~laid)}, count {state.other_count}"
        )
        if laid:
            yield f"    laid off {show(laid)}; without that {state.defender_before}"

    def _defence(self, hand: int) -> tuple[int, hands.Melding]:
        """The defender's lay-offs, if the rules gave him any, and his own melds."""
        laid = 0
        if self.state.laid_off:
            options, chains = (
                np.zeros((3, layoff.MAX_OPTIONS), np.int64),
                np.zeros((2, 16), np.int64),
            )
            laid = int(layoff.lay_off(hand, self.state.melds, self.rules, options, chains)[1])
        return laid, hands.all_meldings(hand & ~laid, self.rules, DEFENDER)[0]

    # For programs

    def rows(self) -> list[dict[str, Any]]:
        """One object for the deal, one for every decision, one for the result, told apart by `event`."""
        return [
            self._deal_row(),
            *map(self._decision_row, self.played.questions),
            self._result_row(),
        ]

    def _deal_row(self) -> dict[str, Any]:
        state = self.state
        return {
            "event": "deal",
            "variant": self.played.matchup.variant.text,
            "unit": int(state.unit),
            "half": int(state.half),
            "deal": int(state.deal),
            "strategies": [
                name for name, _ in zip(self.names, self.played.matchup.players, strict=False)
            ],
            "dealer": int(state.dealer) if self.played.matchup.b is not None else None,
            **standing.numbers(state, self.row),
            "limit": int(state.limit) if self._dealt else None,
            "multiplier": int(state.multiplier) if self._dealt else None,
            "upcard": _card(state.upcard) if self._dealt else None,
            "hands": [
                show(hand)
                for hand, _ in zip(self.played.hands, self.played.matchup.players, strict=False)
            ]
            if self._dealt
            else [],
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
            "deck_left": int(view.deck_left) if view.deck_left >= 0 else None,
            "stake": int(view.stake),
            "owner": int(view.owner) if view.owner >= 0 else None,
            "stake_offered": int(view.offered) or None,
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
            "melds": [hands.meld_text(meld) for meld in hands.in_text_order(state.melds)]
            if ended
            else [],
            "stopper_count": int(state.stopper_count) if ended else None,
            "defender_melds": [hands.meld_text(meld) for meld in own],
            "laid_off": show(laid),
            "defender_count": int(state.other_count) if ended else None,
            "stake": int(state.stake),
            "paid_for_refusal": int(state.pays) if self.played.kind == "refused" else None,
            "match": self._match_row(),
            "fault": self.played.fault or None,
        }

    def _match_row(self) -> dict[str, Any] | None:
        """How the match stands after the deal; nothing after a single deal or a fault."""
        if self.played.matchup.unit == "deal" or self.played.fault:
            return None
        after, outcome = standing.entered(self.state, self.rules)
        return standing.numbers(after, self.row) | {
            "over": outcome != UNDECIDED,
            "winner": outcome if outcome >= 0 else None,
        }


def _card(card: int) -> str | None:
    return text(int(card)) if card >= 0 else None


def apart(melds: hands.Melding, hand: int) -> str:
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
    how = (
        "declare big gin"
        if view.ending == BIG_GIN
        else "go gin"
        if view.ending_count == 0
        else "knock"
    )
    how = f"{'shoot' if view.ending == SHOT else how}{f' with {view.ending_count}' if view.ending_count else ''}"
    card = f", throwing {text(int(view.ending_card))}" if view.ending_card >= 0 else ""
    return f"may {how}{card}: {FELL if question.answer is None else ('plays on', 'ends the deal')[question.answer]}"


def _showing(question: Question) -> str:
    """Which melding of the lawful ones is laid down (`melding = choice`)."""
    number = int(question.view.legal) & (1 << MAX_MELDINGS) - 1
    if question.answer is None:
        return f"may show {number.bit_count()} meldings: {FELL}"
    melds = hands.in_text_order(question.view.meldings[question.answer])
    return f"shows melding {question.answer} of 0..{number.bit_count() - 1}: {apart(melds, int(question.view.hand))}"


def _offering(question: Question) -> str:
    view = question.view
    if question.answer is None:
        return f"may offer more than {view.stake}: {FELL}"
    return f"offers {question.answer}" if question.answer else f"leaves the die at {view.stake}"


def _answering(question: Question) -> str:
    offered = question.view.offered
    if question.answer is None:
        return f"is offered {offered}: {FELL}"
    return f"accepts {offered} and owns the die" if question.answer else f"refuses {offered}"


TOLD = {
    "discard": _discarding,
    "knock": _ending,
    "show": _showing,
    "offer": _offering,
    "answer": _answering,
}
DIE = ("offer", "answer")


def wrapped(line: str) -> list[str]:
    """A line cut at 80 columns, what follows indented below it."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
