"""A deal as text: every decision with what the player saw, then the showdown. 80 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

import numpy as np

from simgin.core import layoff
from simgin.core.answers import BIG_GIN, PASS, PHASE_BLIND, PHASE_LAST, PHASE_UPCARD, SHOT, TAKE
from simgin.core.cell import Unit
from simgin.core.deadwood import deadwood_of
from simgin.core.match import UNDECIDED
from simgin.core.meldings import MAX_MELDINGS
from simgin.core.rules import DEFENDER, DIE_OFF, STOPPER
from simgin.core.sums import KINDS
from simgin.play import standing
from simgin.play.deal import Question, WatchedDeal, watch_deal
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.melds import Melding, all_meldings, cards_text, in_text_order, shown_melding
from simgin.rules.record import build_rules
from simgin.text.notation import card_text, hand_text

WIDTH = 80
MAX_UNITS = 2**48
MAX_SEEDS = 2**64
NO_ANSWER = "gives no legal answer"
DIE_SLOTS = ("offer", "answer")


class ReplayError(ValueError):
    """A deal that cannot be replayed; the message is a sentence."""


def find_deal(
    a: str, b: str | None, variant: str, seed: int, unit: int, half: int, deal: int | None
) -> WatchedDeal:
    """Play a single deal as of `match --deals`, or number `deal` of the match of a unit.

    Raises ReplayError for a deal that does not exist, and NoSuchDeal past the end of the match.
    """
    kind: Unit = "deal" if deal is None else "match"
    matchup = parse_matchup(a, b, variant, seed, kind)
    _check(matchup, unit, half, deal)
    watched = watch_deal(matchup, unit, half, deal or 0)
    if watched.fault and not watched.state.watched:
        raise ReplayError(
            f"the match did not get as far as this deal. {watched.fault}"
        ) from watched.raised
    return watched


def _check(matchup: Matchup, unit: int, half: int, deal: int | None) -> None:
    if not 0 <= matchup.seed < MAX_SEEDS:
        raise ReplayError(f"a seed is 0..2^64-1, not {matchup.seed}.")
    if not 0 <= unit < MAX_UNITS:
        raise ReplayError(f"a unit is 0..2^48-1, not {unit}.")
    if half not in (0, 1):
        raise ReplayError(f"a half is 0 or 1, not {half}.")
    if half == 1 and matchup.b is None:
        raise ReplayError(
            f"{matchup.variant.text} is for one player, so its packs are played once: "
            "there is no half 1."
        )
    if half == 1 and not matchup.mirrored:
        raise ReplayError(
            f"{matchup.a.text} plays itself, so its packs are played once: there is no half 1."
        )
    if deal is not None and deal < 0:
        raise ReplayError(f"the deals of a match are numbered from 0, not {deal}.")


class Replay:
    """A watched deal of two players, as text."""

    def __init__(self, watched: WatchedDeal) -> None:
        self.watched, self.state = watched, watched.state
        self.params, self.goal = watched.matchup.variant.row, watched.matchup.variant.goal
        self.rules = build_rules(watched.matchup.variant)
        self.names = self._names(watched.matchup)  # by seat

    def _names(self, matchup: Matchup) -> tuple[str, str]:
        a, b = matchup.a.text, matchup.opponent
        if a == b:
            a, b = f"{a} (A)", f"{b} (B)"
        return (a, b) if self.state.half == 0 else (b, a)

    @property
    def dealt(self) -> bool:
        """Whether cards were seen; not if a refused offer ended the deal before."""
        return bool(self.state.phase != PHASE_BLIND)

    def lines(self) -> Iterator[str]:
        """The whole text, up to the result or to the question at which a policy failed."""
        yield from self._title()
        if self.rules.die != DIE_OFF:
            yield from self._blind_offers()
        if self.dealt:
            yield from self._table()
        for phase, questions in self._turns():
            if phase != PHASE_BLIND:
                yield ""
                yield from self._phase(phase)(questions)
        yield from self._silent_draw()
        yield ""
        yield from self._failure() if self.watched.fault else self._result()

    def _phase(self, phase: int) -> Callable[[list[Question]], Iterator[str]]:
        phases = {PHASE_UPCARD: self._upcard, PHASE_LAST: self._last_discard}
        return phases.get(phase, self._turn)

    def _turns(self) -> Iterator[tuple[int, list[Question]]]:
        """(phase, questions) of each phase of each turn."""

        def place(question: Question) -> tuple[int, int]:
            return int(question.view.turns), int(question.view.phase)

        for (_, phase), questions in groupby(self.watched.questions, key=place):
            yield phase, list(questions)

    # Before the play

    def _title(self) -> Iterator[str]:
        matchup, state = self.watched.matchup, self.state
        half = f", half {state.half}" if matchup.b is not None else ""
        deal = f", deal {state.deal}" if matchup.unit == "match" else ""
        place = f"seed {matchup.seed}, unit {state.unit}{half}{deal}"
        yield from wrapped(f"{matchup.variant.text}: {place}")

    def _blind_offers(self) -> Iterator[str]:
        """The die, and the offers before the cards are seen."""
        questions = [
            question for question in self.watched.questions if question.view.phase == PHASE_BLIND
        ]
        first = questions[0].view if questions else self.state
        owner = f", owned by {self._who(first.owner)}" if first.owner >= 0 else ""
        yield ""
        yield f"Before the cards are seen, the die shows {first.stake}{owner}"
        if not self.dealt:
            for seat in self._seats():
                yield from wrapped(f"  {self._player(seat)}")
        for question in questions:
            yield from self._offer(question)

    def _offer(self, question: Question) -> list[str]:
        """An offer or the answer to one, with the player who made it."""
        return wrapped(f"  {self._who(question.seat)} {DECISIONS[question.slot](question)}")

    def _seats(self) -> tuple[int, int]:
        """The nondealer's seat and the dealer's."""
        return 1 - int(self.state.dealer), int(self.state.dealer)

    def _player(self, seat: int) -> str:
        role = "dealer" if seat == self.state.dealer else "nondealer, plays first"
        return f"{self._who(seat)}, {role}, {standing.describe(self.state, self.params, seat)}"

    def _table(self) -> Iterator[str]:
        """The knock limit, the upcard and the hands as dealt."""
        state = self.state
        if self.rules.die != DIE_OFF:
            yield ""
        gin_only = " (gin only)" if state.limit == 0 else ""
        factor = f", all points times {state.multiplier}" if state.multiplier != 1 else ""
        upcard = f", upcard {card_text(int(state.upcard))}" if state.upcard >= 0 else ""
        yield f"Knock limit {state.limit}{gin_only}{factor}{upcard}"
        for seat in self._seats():
            yield ""
            yield from wrapped(self._player(seat))
            yield f"  is dealt {self._dealt_text(seat)}"

    def _dealt_text(self, seat: int) -> str:
        hand = self.watched.hands[seat]
        return self._hand_text(hand, deadwood_of(hand, self.rules, STOPPER))

    def _who(self, seat: int) -> str:
        return f"{self.names[seat]} (seat {seat})"

    def _hand_text(self, hand: int, deadwood: int) -> str:
        melds = shown_melding(hand, self.rules)[1]
        return f"{cards_text(melds, hand)}, deadwood {deadwood}"

    # The play

    def _upcard(self, questions: list[Question]) -> Iterator[str]:
        if self.state.upcard >= 0:
            yield f"The upcard is {card_text(int(self.state.upcard))}"
        else:
            yield "Before the first turn"
        for question in questions:
            if question.slot in DIE_SLOTS:
                yield from self._offer(question)
            else:
                hand = self._hand_text(int(question.view.hand), question.view.count)
                choice = _upcard_choice(question)
                yield from wrapped(f"  {self._who(question.seat)} holds {hand}: {choice}")

    def _turn(self, questions: list[Question]) -> Iterator[str]:
        """A turn as its questions show it; a draw without a question is seen in the next one."""
        seat, first = questions[0].seat, questions[0].view
        own = [question for question in questions if question.seat == seat]
        stock = int(first.stock) + (first.drawn >= 0)
        yield from wrapped(f"Turn {first.turn}, {self._who(seat)}, {stock} cards in the stock")
        if known := hand_text(int(first.known)):
            yield from wrapped(f"  knows that {self.names[1 - seat]} holds {known}")
        picked_up = sum(1 << int(card) for card in (first.drawn, first.taken) if card >= 0)
        yield f"  holds {self._hand_text(int(first.hand) & ~picked_up, first.count)}"
        for question in questions:
            if question.slot in DIE_SLOTS:
                yield from self._offer(question)
        for question in own:
            if question.slot == "take" and question.answer != TAKE:
                yield f"  {_offered_discard(question)}"
        yield from self._draw(own[-1].view)
        for question in own:
            if question.slot not in ("take", *DIE_SLOTS):
                yield from wrapped(f"  {DECISIONS[question.slot](question)}")

    def _draw(self, view: Any) -> Iterator[str]:
        """The card taken or drawn on a turn, from the last view of it.

        A draw that ends the deal comes after the last question, so only the state has it.
        """
        drawn = view.drawn
        if view.turns == self.state.turns and not self.watched.fault:
            drawn = self.state.drawn
        if view.taken >= 0:
            yield f"  takes {card_text(int(view.taken))}"
        elif drawn >= 0:
            yield f"  draws {card_text(int(drawn))}"

    def _silent_draw(self) -> Iterator[str]:
        """A last draw with no question before or after it: it ends the deal, the pile is closed."""
        state, questions = self.state, self.watched.questions
        if self.watched.fault or not questions or state.drawn < 0 or state.stopper >= 0:
            return
        if questions[-1].view.turns != state.turns:
            yield ""
            yield f"Turn {state.turns + 1}, {self._who(1 - questions[-1].seat)}"
            yield f"  draws {card_text(int(state.drawn))}"

    def _last_discard(self, questions: list[Question]) -> Iterator[str]:
        view = questions[0].view
        yield from wrapped(f"The last discard, {self._who(questions[0].seat)}")
        yield f"  holds {self._hand_text(int(view.hand), view.count)}"
        yield f"  may take {card_text(int(view.taken_offer))} to end the deal"
        for question in questions:
            yield from wrapped(f"  {DECISIONS[question.slot](question)}")

    # The end

    def _failure(self) -> Iterator[str]:
        yield "The deal stopped here"
        yield from wrapped(f"  {self.watched.fault}")

    def _result(self) -> Iterator[str]:
        yield from self._no_showdown() if self.state.stopper < 0 else self._showdown()
        if self.rules.die != DIE_OFF and self.watched.kind != "refused":
            yield f"The die shows {self.state.stake}"
        yield from wrapped(self._points())
        if self.watched.matchup.unit == "match":
            yield from self._match()

    def _points(self) -> str:
        scores = [f"{self.names[seat]} {self.state.score[seat]}" for seat in (0, 1)]
        return f"Points: {', '.join(scores)}"

    def _match(self) -> Iterator[str]:
        """How the match stands after the deal, and who has won it."""
        after, outcome = standing.enter_deal(self.state, self.rules)
        standings = []
        for seat, name in self._sides():
            standings.append(f"{name}, {standing.describe(after, self.params, seat)}")
        yield from wrapped(f"Match: {'; '.join(standings)}")
        if outcome != UNDECIDED:
            yield from wrapped(standing.OVER.get(outcome) or self._won(outcome))

    def _sides(self) -> Iterable[tuple[int, str]]:
        """(seat, name) of the sides that can win points."""
        return enumerate(self.names)

    def _won(self, seat: int) -> str:
        return f"{self.names[seat]} wins the match"

    def _no_showdown(self) -> Iterator[str]:
        """A deal that nobody ended with cards."""
        if self.watched.kind == "stalled":
            yield f"Stalled after {self.state.turns} turns"
        elif self.watched.kind == "refused":
            pays, unit = int(self.state.pays), self.goal.unit
            yield "Refused"
            plural = "s" if pays > 1 else ""
            yield from wrapped(f"  {self._who(int(self.state.winner))} gets {pays} {unit}{plural}")
        else:
            yield f"Void: {self.state.stock} cards are left in the stock"

    def _showdown(self) -> Iterator[str]:
        state = self.state
        stopper, defender = int(state.stopper), 1 - int(state.stopper)
        kept, hand = int(state.hand[stopper]), int(state.hand[defender])
        shown = cards_text(in_text_order(state.melds), kept)
        laid, melds = self.defence()
        held = cards_text(melds, hand & ~laid)
        yield KINDS[state.kind].replace("_", " ").capitalize()
        yield from wrapped(f"  {self._who(stopper)} shows {shown}, count {state.stopper_count}")
        yield from wrapped(f"  {self._who(defender)} has {held}, count {state.other_count}")
        if laid:
            yield f"    after laying off {hand_text(laid)}; count before: {state.defender_before}"

    def defence(self) -> tuple[int, Melding]:
        """The defender's lay-offs, as far as the rules allow any, and own melds."""
        hand, laid = int(self.state.hand[1 - self.state.stopper]), 0
        if self.state.laid_off:
            options = np.zeros((3, layoff.MAX_OPTIONS), np.int64)
            chains = np.zeros((2, 16), np.int64)
            _, mask = layoff.lay_off(hand, self.state.melds, self.rules, options, chains)
            laid = int(mask)
        return laid, all_meldings(hand & ~laid, self.rules, DEFENDER)[0]


# Decisions in words, for a sentence that begins with the player


def _upcard_choice(question: Question) -> str:
    if question.answer is None:
        return NO_ANSWER
    if question.answer == TAKE:
        return "takes it"
    must_pass = question.view.phase == PHASE_UPCARD and not question.view.legal & 1 << PASS
    return "passes" if question.answer == PASS or must_pass else "draws from the stock"


def _offered_discard(question: Question) -> str:
    """The top discard that was not taken."""
    card = card_text(int(question.view.taken_offer))
    if question.answer is None:
        return f"may take {card}: {NO_ANSWER}"
    return f"declines {card}"


def _discard(question: Question) -> str:
    return NO_ANSWER if question.answer is None else f"discards {card_text(question.answer)}"


def _ending(question: Question) -> str:
    """A way to end the deal, taken or not."""
    view = question.view
    infinitive, verb = "knock", "knocks"
    if view.ending == BIG_GIN:
        infinitive, verb = "declare big gin", "declares big gin"
    elif view.ending == SHOT:
        infinitive, verb = "shoot", "shoots"
    elif view.ending_count == 0:
        infinitive, verb = "go gin", "goes gin"
    how = f" with {view.ending_count}" if view.ending_count else ""
    if view.ending_card >= 0:
        how += f", discarding {card_text(int(view.ending_card))}"
    if question.answer is None:
        return f"may {infinitive}{how}: {NO_ANSWER}"
    return f"{verb}{how}" if question.answer else f"may {infinitive}{how}: plays on"


def _melding(question: Question) -> str:
    """The melding that a player chose to show (`melding = choice`)."""
    number = (int(question.view.legal) & (1 << MAX_MELDINGS) - 1).bit_count()
    if question.answer is None:
        return f"may show {number} meldings: {NO_ANSWER}"
    melds = in_text_order(question.view.meldings[question.answer])
    shown = cards_text(melds, int(question.view.hand))
    return f"shows melding {question.answer} of 0..{number - 1}: {shown}"


def _offer(question: Question) -> str:
    stake = question.view.stake
    if question.answer is None:
        return f"may offer more than {stake}: {NO_ANSWER}"
    return f"offers {question.answer}" if question.answer else f"leaves the die at {stake}"


def _answer(question: Question) -> str:
    offered = question.view.offered
    if question.answer is None:
        return f"is offered {offered}: {NO_ANSWER}"
    return f"accepts {offered} and owns the die" if question.answer else f"refuses {offered}"


DECISIONS = {
    "discard": _discard,
    "knock": _ending,
    "show": _melding,
    "offer": _offer,
    "answer": _answer,
}


def wrapped(line: str) -> list[str]:
    """A line cut at 80 columns, continued with a deeper indent."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
