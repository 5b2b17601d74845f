"""Cards of the pile that the player has forgotten: in each world other unseen cards lie there.

A view has -1 for them: as the first upcard, and in the history as cards thrown.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simgin.core.rules import DISCARD_FIRST, FREE
from simgin.core.view import FROM_PILE, FROM_STOCK, VIEW
from simgin.text.notation import CARDS

UPCARD = -1  # in place of the number of a turn


def forgotten(view: Any, rules: Any) -> tuple[list[int], list[int]]:
    """The turns whose discard is forgotten, -1 for the first upcard: left in the pile, and taken.

    One that was taken is among the cards that the opponent holds.
    """
    lying: list[int] = []
    taken: list[int] = []
    turns_up = view.deck_left < 0 and rules.first_turn != DISCARD_FIRST and view.turns > 0
    for turn in range(UPCARD if turns_up else 0, int(view.turns)):
        card = view.upcard if turn == UPCARD else view.history[turn, 3]
        if card < 0:
            after = turn + 1 < view.turns and view.history[turn + 1, 1] == FROM_PILE
            (taken if after else lying).append(turn)
    return lying, taken


def remembered(
    view: Any,
    rules: Any,
    hands: np.ndarray,
    cards: np.ndarray,
    first: int,
) -> np.ndarray:
    """A view with the forgotten cards filled in, as each world has them: VIEW (worlds,).

    hands: what the opponent holds, int64 (worlds,). cards: those that lie in the pile, (worlds,
    forgotten) in the order of `forgotten`. first: the number of the first world; numbers tell which
    cards of a hand were taken.
    """
    lying, taken = forgotten(view, rules)
    views = np.repeat(np.array([view], VIEW), len(hands))
    for turn, column in zip(lying, cards.T, strict=True):
        masks = _lay(views, turn, column)
        views["pile"] |= masks
        if _shown_no_use(view, rules, turn):
            views["shed"] |= masks
    for turn in taken:
        held = hands & ~views["known"]
        column = _one_of_each(held, first)
        views["known"] |= _lay(views, turn, column)
        views["history"][:, turn + 1, 2] = column
    views["unseen"] &= ~(views["pile"] | views["known"])
    return views


def _lay(views: np.ndarray, turn: int, column: np.ndarray) -> np.ndarray:
    """Write a card for each world as the discard of a turn; the cards as masks."""
    if turn == UPCARD:
        views["upcard"] = column
    else:
        views["history"][:, turn, 3] = column
    masks: np.ndarray = np.left_shift(1, column, dtype=np.int64)
    return masks


def _one_of_each(hands: np.ndarray, first: int) -> np.ndarray:
    """A card of each hand, now this one and now that: int64 (hands,)."""
    held = hands[:, np.newaxis] >> np.arange(CARDS) & 1
    numbers = first + np.arange(len(hands))
    place = numbers % held.sum(axis=1)
    passed = held.cumsum(axis=1)
    reached: np.ndarray = passed > place[:, np.newaxis]
    return np.asarray(reached.argmax(axis=1))


def _shown_no_use(view: Any, rules: Any, turn: int) -> bool:
    """Whether the opponent threw or declined the card laid in a turn."""
    if turn == UPCARD and rules.first_turn != FREE:
        return True  # both players have passed it
    thrown = turn != UPCARD and view.history[turn, 0] != view.seat
    seat, source = view.history[turn + 1, :2] if turn + 1 < view.turns else (view.seat, FROM_STOCK)
    declined = seat != view.seat and source == FROM_STOCK and rules.take_discard
    return bool(thrown or declined)
