"""Worlds: the hidden cards of a position, drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from simgin.play.worlds import Worlds
from simgin.text.notation import cards_in

HAND = 10


def draw_worlds(view: Any, n: int, seed: int, first: int = 0) -> Worlds:
    """n worlds of a view, from number `first` on: every deal of the unseen cards is as likely.

    What the opponent took face up and still holds is in his hand. The same seed and numbers give
    the same worlds.
    """
    unseen = np.array(cards_in(int(view.unseen)), np.int8)
    hidden = HAND - int(view.known).bit_count()
    lots = np.empty((n, len(unseen)), np.uint64)
    for i in range(n):
        key = np.array([seed, first + i], np.uint64)
        lots[i] = np.random.Philox(key=key).random_raw(len(unseen))
    dealt = unseen[np.argsort(lots, axis=1, kind="stable")]
    cards = np.int64(1) << dealt[:, :hidden].astype(np.int64)
    hands = cards.sum(axis=1) | int(view.known)
    stocks = np.ascontiguousarray(dealt[:, hidden:])
    return Worlds(hands, stocks)
