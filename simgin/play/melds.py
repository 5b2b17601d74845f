"""Melds and meldings of a hand as text, and every melding that leaves the least deadwood."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from simgin.core import meldings
from simgin.core.deadwood import deadwood_of
from simgin.core.rules import STOPPER
from simgin.text import notation

ALL_RANKS = 0x1FFF
Melding = tuple[int, ...]  # disjoint melds as masks, in the order of their texts


def meld_text(meld: int) -> str:
    """A meld as text (rules.md 3.5): sets in the order of suits, runs in the order of ranks.

    A run round the corner starts after its gap: `QS KS AS`.
    """
    ranks = meldings.ranks_of(meld)
    start = 0 if ranks == ALL_RANKS else int(meldings.first_rank(ranks))
    ordered = sorted(notation.cards_in(meld), key=lambda card: ((card % 13 - start) % 13, card))
    return " ".join(notation.card_text(card) for card in ordered)


def melding_text(melding: Sequence[int]) -> str:
    """The melds of a melding on one line."""
    return " | ".join(map(meld_text, melding)) or "no meld"


def cards_text(melds: Melding, hand: int) -> str:
    """The cards of a hand, melds first and the rest last: `7S 7H 7D | 8C 9C TC | 4H AC`."""
    parts = [meld_text(meld) for meld in melds]
    if rest := notation.hand_text(hand & ~sum(melds)):
        parts.append(rest)
    return " | ".join(parts)


def in_text_order(melds: Iterable[int]) -> Melding:
    """The melds of a melding (0 is no meld) in the ASCII order of their texts."""
    return tuple(sorted((int(meld) for meld in melds if meld), key=meld_text))


def all_meldings(hand: int, rules: Any, side: int = STOPPER) -> list[Melding]:
    """Every melding of up to eleven cards that leaves the least deadwood, in text order.

    `side` (STOPPER or DEFENDER) decides the values of the cards.
    """
    room = np.zeros(meldings.MAX_MELDS, np.int64)
    melds = [int(meld) for meld in room[: meldings.melds_in(hand, rules, room)]]
    values = [int(value) for value in rules.value[side]]

    def points(cards: int) -> int:
        return sum(values[card % 13] for card in notation.cards_in(cards))

    worth = {meld: points(meld) for meld in melds}
    most_melded = points(hand) - int(deadwood_of(hand, rules, side))
    best = []
    for family in _disjoint(melds):
        if sum(worth[meld] for meld in family) == most_melded:
            best.append(in_text_order(family))
    return sorted(best, key=lambda melding: [meld_text(meld) for meld in melding])


def _disjoint(melds: list[int]) -> Iterator[Melding]:
    """Every family of at most three disjoint melds, the empty one too; eleven cards hold no more."""
    yield ()
    for meld in melds:
        yield (meld,)
    for a, b in combinations(melds, 2):
        if a & b == 0:
            yield a, b
    for i, a in enumerate(melds):
        others = [meld for meld in melds[i + 1 :] if a & meld == 0]
        for b, c in combinations(others, 2):
            if b & c == 0:
                yield a, b, c


def shown_melding(
    hand: int, rules: Any, *, discard: int = 0, must: int = -1, demanded: int = -1
) -> tuple[int, Melding]:
    """(points left over, melds) of the melding that the automatic rule shows (rules.md 3.5).

    For the keywords see `core.meldings.melding_shown`.
    """
    melds = np.zeros(meldings.MAX_MELDS, np.int64)
    keys, rows = np.zeros((1, 3), np.int64), np.zeros((1, 3), np.int64)
    left = meldings.melding_shown(hand, discard, must, demanded, rules, melds, keys, rows)
    return int(left), in_text_order(rows[0])
