"""One deal with every question kept: for `simgin show`, the worked examples and the tests.

It is played by the same engine as millions of deals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simgin.core import sums
from simgin.core.answers import SLOTS
from simgin.core.rules import DISCARD_FIRST
from simgin.core.state import new_state
from simgin.play.kernel import describe_failure, new_views, run
from simgin.play.matchup import Matchup
from simgin.rules.record import build_rules


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
    questions: list[Question]
    fault: str  # empty, or the sentence that says which policy failed and how
    raised: Exception | None  # what the policy or the engine raised then
    hands: tuple[int, int]  # as dealt, by seat

    @property
    def kind(self) -> str:
        """How the deal ended; empty after a fault."""
        return sums.KINDS[self.state.kind] if self.state.kind >= 0 else ""

    @property
    def turns(self) -> list[tuple[int, int, int, int]]:
        """(seat, source, card drawn or taken, card discarded or -1) of every turn.

        A card that is hidden from one seat is in the history of the other.
        """
        histories = []
        for view in self.views[: len(self.matchup.players)]:
            histories.append(view.history[: self.state.turns])
        turns = []
        for rows in zip(*histories, strict=True):
            seat, source, _, discard = rows[0]
            card = max(row[2] for row in rows)
            turns.append((int(seat), int(source), int(card), int(discard)))
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
) -> WatchedDeal:
    """Play one deal: number `deal` of a unit and half, or one from a given pack.

    pack: 52 cards in dealing order; joker: the joker's place among the 53 of one player, -1 for
    none; dealer: seat. points: the scores of the seats before the deal, by default start_points.
    A policy that fails ends the deal: see `fault`. Raises NoSuchDeal past the end of a match.
    """
    state = new_state(matchup.seed)
    rules = build_rules(matchup.variant)
    if points is not None:
        rules.start_points[:] = points
    state.watch_half, state.watch_deal = half, deal
    if pack is not None:
        state.pack[:] = pack
        state.given, state.shuffled, state.dealer, state.joker = 1, len(pack), dealer, joker
    views = new_views()
    fault, raised = "", None
    try:
        run(matchup, state, rules, views, unit, 1)
    except Exception as error:
        fault, raised = describe_failure(matchup, state, error), error
    if not fault and not state.watched:
        raise NoSuchDeal(
            f"the match of unit {unit}, half {half} was over after {state.deal + 1} deals; "
            f"name one of 0..{state.deal}."
        )
    hands = _dealt(state, rules) if matchup.b else (_dealt_to_one(state, rules), 0)
    return WatchedDeal(matchup, state, views, _questions(state, fault), fault, raised, hands)


def _questions(state: Any, fault: str) -> list[Question]:
    """The questions of the deal; after a fault the last one has no legal answer."""
    answers: list[int | None] = [int(answer) for answer in state.answers[: state.logged]]
    if fault:
        answers.append(None)
    questions = []
    for i, answer in enumerate(answers):
        view = state.log[i]
        questions.append(Question(int(view.seat), SLOTS[state.slots[i]], view.copy(), answer))
    return questions


def _dealt_to_one(state: Any, rules: Any) -> int:
    """The hand dealt to a single player; a joker in it takes the place of a card."""
    size = 11 if rules.first_turn == DISCARD_FIRST else 10
    joker_in_hand = 0 <= state.joker < size
    return _mask(state.pack[: size - joker_in_hand])


def _dealt(state: Any, rules: Any) -> tuple[int, int]:
    """The hands dealt, by seat: one card at a time, the nondealer first."""
    nondealer, dealer = _mask(state.pack[0:20:2]), _mask(state.pack[1:20:2])
    if rules.first_turn == DISCARD_FIRST:
        nondealer |= 1 << int(state.pack[20])
    return (nondealer, dealer) if state.dealer == 1 else (dealer, nondealer)


def _mask(cards: np.ndarray) -> int:
    return sum(1 << int(card) for card in cards)
