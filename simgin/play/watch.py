"""One deal with every question kept: for `simgin show` and the tests.

It is played by the same engine as millions of deals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from simgin.core import sums
from simgin.core.answers import SLOTS
from simgin.core.rules import DISCARD_FIRST
from simgin.core.state import new_state
from simgin.play.kernel import describe_failure, new_views, run
from simgin.play.matchup import Matchup
from simgin.rules.build import build_rules
from simgin.text.notation import hand_mask

DECLINED = ("knock", "offer")  # slots in which 0 changes nothing


class NoSuchDeal(ValueError):
    """The match was over before the deal."""


@dataclass(frozen=True)
class Question:
    """One question of the engine to a policy: what it saw, and its answer."""

    seat: int
    slot: str
    view: np.record
    answer: int | None  # None: not legal, or the policy raised


@dataclass(frozen=True)
class WatchedDeal:
    """A deal as it was played."""

    matchup: Matchup
    state: np.record  # the engine's record, see simgin.core.state
    views: tuple[np.record, np.record]  # the last views, by seat
    fault: str  # empty, or the sentence that says which policy failed and how
    raised: Exception | None  # what the policy or the engine raised then
    hands: tuple[int, int]  # as dealt, by seat
    is_cut: bool = False  # whether only the beginning is known; see `cut_short`

    @cached_property
    def questions(self) -> list[Question]:
        """The questions of the deal; after a fault the last one has no legal answer."""
        return [self.question(number) for number in range(self.asked)]

    @property
    def asked(self) -> int:
        """How many questions there were, one without a legal answer included."""
        return int(self.state.logged) + bool(self.fault)

    def question(self, number: int) -> Question:
        """One of the questions."""
        state = self.state
        view = state["log"][number].copy()
        answer = int(state["answers"][number]) if number < state["logged"] else None
        return Question(int(view["seat"]), SLOTS[state["slots"][number]], view, answer)

    @property
    def kind(self) -> str:
        """How the deal ended; empty after a fault."""
        return sums.KINDS[self.state.kind] if self.state.kind >= 0 else ""

    @property
    def turns(self) -> list[tuple[int, int, int, int]]:
        """(seat, source, card drawn or taken, card discarded or -1) of every turn.

        A card that is hidden from one seat is in the history of the other.
        """
        views = self.views[: len(self.matchup.players)]
        histories = [view.history[: self.state.turns] for view in views]
        turns = []
        for rows in zip(*histories, strict=True):
            seat, source, _, discard = map(int, rows[0])
            turns.append((seat, source, max(int(row[2]) for row in rows), discard))
        return turns


def watch_deal(
    matchup: Matchup,
    unit: int = 0,
    half: int = 0,
    deal: int = 0,
    *,
    pack: Sequence[int] | None = None,
    joker: int = -1,
    dealer: int = 0,
    points: tuple[int, int] | None = None,
    script: Sequence[int] = (),
) -> WatchedDeal:
    """Play one deal: number `deal` of a unit and half, or one from a given pack.

    pack: 52 cards in dealing order; joker: the joker's place among the 53 of one player, -1 for
    none; dealer: seat. points: the scores of the seats before the deal, by default start_points.
    script: the first answers, given in place of the players'.
    A policy that fails ends the deal: see `fault`. Raises NoSuchDeal past the end of a match.
    """
    state = new_state(matchup.seed)
    rules = build_rules(matchup.variant)
    if points is not None:
        rules.start_points[:] = points
    state.watch_half = half
    state.watch_deal = deal
    if pack is not None:
        # Dealt as it is, without a shuffle
        state.pack[:] = pack
        state.given = 1
        state.shuffled = len(pack)
        state.dealer = dealer
        state.joker = joker
    state.answers[: len(script)] = script
    state.scripted = len(script)
    views = new_views()
    fault = ""
    raised = None
    try:
        run(matchup, state, rules, views, unit, 1)
    except Exception as error:
        fault = describe_failure(matchup, state, error)
        raised = error
    if not fault and not state.watched:
        raise NoSuchDeal(
            f"the match of unit {unit}, half {half} was over after {state.deal + 1} deals; "
            f"name one of 0..{state.deal}."
        )
    return WatchedDeal(
        matchup=matchup,
        state=state,
        views=views,
        fault=fault,
        raised=raised,
        hands=dealt_hands(state, rules, alone=matchup.b is None),
    )


@dataclass(frozen=True)
class Decision:
    """What a seat did at a question of a slot, as the engine's answer."""

    seat: int
    slot: str
    answer: int


def lead_to(
    matchup: Matchup,
    done: list[Decision],
    is_there: Callable[[Question], bool],
    unit: int = 0,
    **deal: Any,
) -> tuple[WatchedDeal, int] | None:
    """A deal played by some decisions, and then by the players; None if it does not come there.

    With it the number of the question behind the decisions, of which `is_there` has to be true.
    Endings and offers that are not among the decisions are declined, and those declined need not
    come: `done` is changed accordingly. unit, deal: as of `watch_deal`; the pack is given, since a
    script counts for both halves of a pair.
    """
    while True:
        played = watch_deal(matchup, unit, script=[decision.answer for decision in done], **deal)
        seats = played.state.log["seat"][: played.asked].tolist()
        slots = [SLOTS[slot] for slot in played.state.slots[: played.asked].tolist()]
        place = 0
        for decision, seat, slot in zip(done, seats, slots, strict=False):
            if (decision.seat, decision.slot) != (seat, slot):
                break
            place += 1
        if place == played.asked:
            return None
        if place == len(done) and is_there(played.question(place)):
            return played, place
        if place < len(done) and done[place].answer == 0 and done[place].slot in DECLINED:
            del done[place]
        elif slots[place] in DECLINED:
            done.insert(place, Decision(seats[place], slots[place], 0))
        else:
            return None


def cut_short(deal: WatchedDeal, answers: int, is_open: bool) -> WatchedDeal:
    """The deal up to a number of answers; is_open: whether the next question is asked as well."""
    deal.state.logged = answers
    deal.state.kind = -1
    fault = "Nothing more is known of this deal." if is_open else ""
    return replace(deal, fault=fault, is_cut=True)


def dealt_hands(state: Any, rules: Any, alone: bool) -> tuple[int, int]:
    """The hands dealt, by seat: one card at a time, the nondealer first.

    To a single player one hand, and none; a joker in it takes the place of a card.
    """
    eleven = rules.first_turn == DISCARD_FIRST
    if alone:
        size = 11 if eleven else 10
        return hand_mask(state.pack[: size - (0 <= state.joker < size)]), 0
    nondealer = hand_mask(state.pack[0:20:2])
    dealer = hand_mask(state.pack[1:20:2])
    if eleven:
        nondealer |= 1 << int(state.pack[20])
    return (nondealer, dealer) if state.dealer == 1 else (dealer, nondealer)
