"""Cards of the pile that the player has forgotten: in each world other unseen cards lie there.

A view has -1 for them: as the first upcard, and in the history as cards thrown.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simgin.core.rules import DISCARD_FIRST, FREE
from simgin.core.view import FROM_PILE, FROM_STOCK, VIEW
from simgin.text.notation import CARDS


def forgotten(view: Any, rules: Any) -> tuple[list[int], list[int]]:
    """The places of the cards that are forgotten: of those left in the pile, and of those taken.

    Place 0 is that of the first upcard, place n of the discard of turn n. A card that was taken is
    among those that the opponent holds.
    """
    alone = view.deck_left >= 0
    turns_up = not alone and rules.first_turn != DISCARD_FIRST
    first = 0 if turns_up else 1
    end = view.turns + alone  # of two players, one sees the card on top
    lying: list[int] = []
    taken: list[int] = []
    for place in range(first, end):
        card = view.history[place - 1, 3] if place else view.upcard
        if card >= 0:
            continue
        after = view.history[place, 1]
        places = taken if after == FROM_PILE else lying
        places.append(place)
    return lying, taken


def remembered(
    view: Any, rules: Any, hands: np.ndarray, cards: np.ndarray, first: int
) -> np.ndarray:
    """A view with the forgotten cards filled in, as each world has them: VIEW (worlds,).

    hands: what the opponent holds, int64 (worlds,). cards: those that lie in the pile, (worlds,
    forgotten) in the order of `forgotten`. first: the number of the first world; numbers tell which
    cards of a hand were taken.
    """
    lying, taken = forgotten(view, rules)
    views = np.repeat(np.array([view], VIEW), len(hands))
    for place, column in zip(lying, cards.T, strict=True):
        masks = _lay(views, place, column)
        views["pile"] |= masks
        if _is_shed(view, rules, place):
            views["shed"] |= masks
    for place in taken:
        held = hands & ~views["known"]
        column = _one_of_each(held, first)
        views["known"] |= _lay(views, place, column)
        views["history"][:, place, 2] = column
    views["unseen"] &= ~(views["pile"] | views["known"])
    return views


def _lay(views: np.ndarray, place: int, column: np.ndarray) -> np.ndarray:
    """Write a card for each world to a place of the pile; the cards as masks."""
    if place == 0:
        views["upcard"] = column
    else:
        views["history"][:, place - 1, 3] = column
    masks: np.ndarray = np.left_shift(1, column, dtype=np.int64)
    return masks


def _one_of_each(hands: np.ndarray, first: int) -> np.ndarray:
    """A card of each hand, now this one and now that: int64 (hands,)."""
    cards = np.arange(CARDS)
    held = hands[:, np.newaxis] >> cards & 1
    sizes = held.sum(axis=1)
    numbers = first + np.arange(len(hands))
    wanted = numbers % sizes
    so_far = held.cumsum(axis=1)
    reached = so_far > wanted[:, np.newaxis]
    chosen = reached.argmax(axis=1)
    return np.asarray(chosen)


def _is_shed(view: Any, rules: Any, place: int) -> bool:
    """Whether the opponent threw or declined the card in a place."""
    if place == 0 and rules.first_turn != FREE:
        return True  # both players have passed it
    if place and view.history[place - 1, 0] != view.seat:
        return True
    seat, source = view.history[place, :2]
    is_drawn = source == FROM_STOCK and rules.take_discard
    return bool(is_drawn and seat != view.seat)
