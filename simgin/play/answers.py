"""What a strategy would do where another one was asked: its own answers to what that one saw."""

from functools import cached_property
from typing import Any

import numpy as np

from simgin.core.answers import (
    BIG_GIN,
    KNOCK,
    NO_ENDING,
    PASS,
    PHASE_LAST,
    PHASE_STOP,
    PHASE_UPCARD,
    STOCK,
)
from simgin.core.deadwood import best_discards, deadwood
from simgin.core.endings import best_ending, ending_with, legal_discards, must_be_melded
from simgin.core.position import ACCEPT, END, LEAVE, OFFER, REFUSE, THROW
from simgin.core.rules import UPCARD_PASS
from simgin.play.worlds import Action, legal_actions
from simgin.strategy import Strategy, compiler

YES_OR_NO = 3  # the legal answers 0 and 1, as bits


class Adviser:
    """A strategy that is asked what it would do."""

    def __init__(self, strategy: Strategy, rules: Any) -> None:
        self.strategy = strategy
        self.rules = rules

    def action(self, view: Any, noise: float = 0.0) -> Action:
        """What the strategy does at a question of the slots take, discard or knock.

        It is asked what the engine asks from there to the end of the turn, in its own order of
        discard and ending. noise: the random number of policies that use chance, 0 to below 1.
        """
        shown = view.copy()
        shown.noise = noise
        if view.deck_left >= 0:
            return self._alone(shown)
        if view.phase == PHASE_LAST:
            ends = self._answer("knock", shown)
            return Action(END, int(view.ending_card)) if ends else Action(LEAVE)
        if view.taken_offer >= 0:
            answer = self._answer("take", shown)
            passes = view.phase == PHASE_UPCARD and self.rules.first_turn == UPCARD_PASS
            return Action(PASS if passes and answer == 0 else answer)
        return self._with_eleven(shown)

    def _alone(self, view: Any) -> Action:
        """What a single player does; big gin is proposed before gin."""
        if view.phase == PHASE_STOP:
            stops = self._ends(view, KNOCK, -1, int(view.count))
            return Action(END if stops else STOCK)
        endings = [action for action in legal_actions(view, self.rules) if action.kind == END]
        for action in reversed(endings):
            if self._ends(view, BIG_GIN if action.card < 0 else KNOCK, action.card, 0):
                return action
        return self._discard(view, int(legal_discards(view.hand, -1, view.drawn, self.rules)))

    def die_action(self, view: Any, noise: float = 0.0) -> Action:
        """What the strategy does at a question of the slots offer or answer."""
        shown = view.copy()
        shown.noise = noise
        if view.offered:
            return Action(ACCEPT if self._answer("answer", shown) else REFUSE)
        return Action(OFFER, self._answer("offer", shown))

    def _with_eleven(self, view: Any) -> Action:
        """The ending that is proposed before the discard, or after it; or else the discard."""
        rules = self.rules
        eleven = int(view.hand)
        points = int(view.own_points)
        legal = int(legal_discards(eleven, view.taken, view.drawn, rules))
        must = int(must_be_melded(view.taken, rules))
        least, best = best_discards(eleven, legal, rules)
        same = self.strategy.ending == "same"
        ending, card, count = best_ending(
            eleven, legal, must, view.limit, points, least, best, rules
        )
        if (not same or card < 0) and self._ends(view, ending, card, count):
            return Action(END, int(card))
        action = self._discard(view, legal)
        if same:
            thrown = action.card
            ten = eleven & ~(1 << thrown)
            left = deadwood(ten, rules)
            ending, count = ending_with(ten, left, must, view.limit, points, rules)
            if self._ends(view, ending, thrown, count):
                return Action(END, thrown)
        return action

    def _discard(self, view: Any, legal: int) -> Action:
        """The discard, among those that are legal."""
        _propose(view, NO_ENDING, -1, -1)
        view.legal = legal
        return Action(THROW, self._answer("discard", view))

    def _ends(self, view: Any, ending: int, card: int, count: int) -> bool:
        """Whether the strategy makes an ending, if there is one."""
        if ending == NO_ENDING:
            return False
        _propose(view, ending, card, count)
        view.legal = YES_OR_NO
        return self._answer("knock", view) == 1

    def _answer(self, slot: str, view: Any) -> int:
        policy = self.strategy.policy(slot)
        assert policy is not None, f"{self.strategy.text} has an empty slot: the loader fills them"
        ask = compiler.hook(policy)
        answer = ask(view, self.rules, self._numbers[slot])
        return int(answer)

    @cached_property
    def _numbers(self) -> dict[str, np.ndarray]:
        """The parameters of the policies."""
        numbers = {}
        for slot in ("take", "discard", "knock", "offer", "answer"):
            policy = self.strategy.policy(slot)
            if policy is not None:  # a single player takes nothing
                numbers[slot] = compiler.vector(policy)
        return numbers


def _propose(view: Any, ending: int, card: int, count: int) -> None:
    view.ending = ending
    view.ending_card = card
    view.ending_count = count
