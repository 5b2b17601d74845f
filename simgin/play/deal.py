"""One deal at a time, with every question kept: for `simgin show`, the worked examples, and the tests. The same engine as for millions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simgin.core import sums
from simgin.core.rules import DISCARD_FIRST
from simgin.core.state import SLOTS, new_state
from simgin.core.view import new_view
from simgin.play.matchup import Matchup, failure, run
from simgin.rules import record


class NoSuchDeal(ValueError):
    """A deal that was asked for and never played."""


@dataclass(frozen=True)
class Question:
    """One question that the engine asked, what was seen, and the answer (None if it was not legal, or the policy raised)."""

    seat: int
    slot: str
    view: np.record
    answer: int | None


@dataclass(frozen=True)
class Single:
    """A deal as it was played. `state` is the engine's record (see simgin.core.state), `views` the two seats' last views."""

    matchup: Matchup
    state: np.record
    views: tuple[np.record, np.record]
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
        """(seat, source, card drawn or taken, card discarded or -1) of every turn, nothing hidden."""
        seen = [
            view.history[: self.state.turns] for view in self.views[: len(self.matchup.players)]
        ]
        if len(seen) == 1:
            return [(int(row[0]), int(row[1]), int(row[2]), int(row[3])) for row in seen[0]]
        return [
            (int(a[0]), int(a[1]), int(max(a[2], b[2])), int(a[3]))
            for a, b in zip(*seen, strict=True)
        ]


def play(
    matchup: Matchup,
    unit: int = 0,
    half: int = 0,
    deal: int = 0,
    *,
    pack: Sequence[int] | None = None,
    joker: int = -1,
    dealer: int = 0,
    points: tuple[int, int] | None = None,
) -> Single:
    """Play one deal of a unit (of its match, deal number `deal`), or one from a given pack (52 cards in dealing order) and dealer.

    joker: place of the joker among the 53 cards of a given pack for one player, -1 for none. points: scores of the two seats before a
    deal from a given pack, instead of the rules' start_points. A policy that fails ends the deal there: see `fault`.
    """
    state = new_state(matchup.seed)
    own_rules = record.build(matchup.variant)
    if points is not None:
        own_rules.start_points[:] = points
    state.watch_half, state.watch_deal = half, deal
    if pack is not None:
        state.pack[:] = pack
        state.given, state.shuffled, state.dealer, state.joker = 1, 52, dealer, joker
    views = new_view(), new_view()
    fault, raised = "", None
    try:
        run(matchup, state, own_rules, views, unit, 1)
    except Exception as error:
        fault, raised = failure(matchup, state, error), error
    if not fault and not state.watched:
        raise NoSuchDeal(
            f"the match of unit {unit}, half {half} was over after {state.deal + 1} deals; name one of 0..{state.deal}."
        )
    hands = (_dealt_alone(state, own_rules), 0) if matchup.b is None else _dealt(state, own_rules)
    return Single(matchup, state, views, _questions(state, bool(fault)), fault, raised, hands)


def _questions(state: Any, failed: bool) -> list[Question]:
    asked = int(state.logged)
    answers: list[int | None] = [int(a) for a in state.answers[:asked]]
    return [
        Question(int(state.log[i].seat), SLOTS[state.slots[i]], state.log[i].copy(), answer)
        for i, answer in enumerate([*answers, None] if failed else answers)
    ]


def _dealt_alone(state: Any, own_rules: Any) -> int:
    """The hand as dealt to one player; a joker in it takes the place of a card."""
    n = 11 if own_rules.first_turn == DISCARD_FIRST else 10
    return sum(1 << int(card) for card in state.pack[: n - (0 <= state.joker < n)])


def _dealt(state: Any, own_rules: Any) -> tuple[int, int]:
    """The hands as dealt, by seat: singly, nondealer first, who may get an eleventh card."""
    first, second = (sum(1 << int(card) for card in state.pack[start:20:2]) for start in (0, 1))
    if own_rules.first_turn == DISCARD_FIRST:
        first |= 1 << int(state.pack[20])
    return (first, second) if state.dealer == 1 else (second, first)
