"""Gins that a strategy did not take: hands that could go out with gin, and the deal went on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simgin.core.answers import BIG_GIN, KNOCK, PHASE_LAST
from simgin.core.deadwood import best_discards
from simgin.core.endings import must_be_melded
from simgin.core.scoring import KIND_BIG_GIN, KIND_GIN
from simgin.core.state import DISCARD
from simgin.core.state import KNOCK as KNOCK_SLOT


@dataclass
class Gins:
    """Hands of eleven cards that could go out with gin, over some deals."""

    taken: int = 0  # the deal ended with gin
    declined: int = 0  # gin was proposed, and declined
    unasked: int = 0  # a discard broke it up before it was proposed

    def sentence(self) -> str:
        """In how many of these hands the deal went on; empty if in none."""
        went_on = self.declined + self.unasked
        hands = went_on + self.taken
        if not went_on:
            return ""
        asked = f"{self.declined:,} times it was asked and declined"
        unasked = f"{self.unasked:,} times its discard broke up the gin unasked"
        return (
            f"In {went_on:,} of {hands:,} hands that could go out with gin it played on: "
            f"{asked}, {unasked}."
        )

    def add_deal(self, state: Any, rules: Any, seat: int) -> None:
        """Add the hands of a seat in a watched deal that was played to its end.

        state, rules: the engine's records, see simgin.core.state and simgin.core.rules. The last
        discard of the 50th-card rule is not looked at.
        """
        ended_by_seat = state.stopper == seat
        if ended_by_seat and state.kind in (KIND_GIN, KIND_BIG_GIN):
            self.taken += 1
        views = state.log[: state.logged]
        slots = state.slots[: state.logged]
        own = views["seat"] == seat
        last = state.turns - 1
        asked_in = _turns_with_proposal(views[own & (slots == KNOCK_SLOT)])
        for view in views[own & (slots == DISCARD)]:
            ended = ended_by_seat and view["turns"] == last
            if ended or not _gin_to_be_had(view, rules):
                continue
            if view["turns"] in asked_in:
                self.declined += 1
            else:
                self.unasked += 1


def _turns_with_proposal(views: np.ndarray) -> set[int]:
    """The turns, by their place in the history, in which gin was proposed with eleven cards."""
    is_gin = (views["ending"] == KNOCK) & (views["ending_count"] == 0)
    is_big_gin = views["ending"] == BIG_GIN
    before_discard = views["ending_card"] >= 0
    on_turn = views["phase"] != PHASE_LAST
    proposed = (is_gin & before_discard | is_big_gin) & on_turn
    return set(views["turns"][proposed].tolist())


def _gin_to_be_had(view: Any, rules: Any) -> bool:
    """Whether eleven cards may end the deal with gin.

    A single player may not before the first draw, unless `stop_before_draw`.
    """
    if rules.players == 1 and view["drawn"] < 0 and not rules.stop_before_draw:
        return False
    legal = int(view["legal"])
    must = must_be_melded(view["taken"], rules)
    if must >= 0:
        legal &= ~(1 << must)
    count, _ = best_discards(int(view["hand"]), legal, rules)
    return bool(count == 0)
