"""Melds and meldings of a hand as text, and every melding that leaves the least deadwood."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from simgin.core import meldings, planes
from simgin.core.deadwood import deadwood_of
from simgin.core.rules import STOPPER
from simgin.text import notation

ALL_RANKS = 0x1FFF
Melding = tuple[int, ...]  # disjoint melds as masks, in the order of their texts


def meld_text(meld: int) -> str:
    """A meld as text (rules.md 3.5): sets in the order of suits, runs in the order of ranks.

    A run round the corner starts after its gap: `QS KS AS`.
    """
    ranks = planes.ranks_of(meld)
    start = 0 if ranks == ALL_RANKS else int(meldings.first_rank(ranks))

    def place(card: int) -> tuple[int, int]:
        return (card % 13 - start) % 13, card

    return " ".join(map(notation.card_text, sorted(notation.cards_in(meld), key=place)))


def melding_text(melding: Sequence[int]) -> str:
    """The melds of a melding on one line."""
    if not melding:
        return "no meld"
    return " | ".join(map(meld_text, melding))


def cards_text(melds: Melding, hand: int) -> str:
    """The cards of a hand, melds first and the rest last: `7S 7H 7D | 8C 9C TC | 4H AC`."""
    parts = _texts(melds)
    melded = sum(melds)
    if rest := notation.hand_text(hand & ~melded):
        parts.append(rest)
    return " | ".join(parts)


def in_text_order(melds: Iterable[int]) -> Melding:
    """The melds of a melding (0 is no meld) in the ASCII order of their texts."""
    present = [int(meld) for meld in melds if meld]
    present.sort(key=meld_text)
    return tuple(present)


def all_meldings(hand: int, rules: Any, side: int = STOPPER) -> list[Melding]:
    """Every melding of up to eleven cards that leaves the least deadwood, in text order.

    `side` (STOPPER or DEFENDER) decides the values of the cards.
    """
    melds = _melds_in(hand, rules)
    values = [int(value) for value in rules.value[side]]
    worth = {meld: _points(meld, values) for meld in melds}
    most_melded = _points(hand, values) - int(deadwood_of(hand, rules, side))
    best = []
    for family in _disjoint(melds):
        if sum(worth[meld] for meld in family) == most_melded:
            best.append(in_text_order(family))
    best.sort(key=_texts)
    return best


def _melds_in(hand: int, rules: Any) -> list[int]:
    room = np.zeros(meldings.MAX_MELDS, np.int64)
    n = meldings.melds_in(hand, rules, room)
    return [int(meld) for meld in room[:n]]


def _points(cards: int, values: list[int]) -> int:
    """The points of cards; values: by rank."""
    return sum(values[card % 13] for card in notation.cards_in(cards))


def _texts(melding: Melding) -> list[str]:
    return [meld_text(meld) for meld in melding]


def _disjoint(melds: list[int]) -> Iterator[Melding]:
    """Every family of at most three disjoint melds, the empty one too.

    Eleven cards hold no more than three melds.
    """
    yield ()
    for meld in melds:
        yield (meld,)
    yield from _disjoint_pairs(melds)
    for i, a in enumerate(melds):
        later = melds[i + 1 :]
        for b, c in _disjoint_pairs([meld for meld in later if a & meld == 0]):
            yield a, b, c


def _disjoint_pairs(melds: list[int]) -> Iterator[tuple[int, int]]:
    for a, b in combinations(melds, 2):
        if a & b == 0:
            yield a, b


def shown_melding(
    hand: int, rules: Any, *, discard: int = 0, must: int = -1, demanded: int = -1
) -> tuple[int, Melding]:
    """(points left over, melds) of the melding that the automatic rule shows (rules.md 3.5).

    For the keywords see `core.meldings.melding_shown`.
    """
    melds = np.zeros(meldings.MAX_MELDS, np.int64)
    keys = np.zeros((1, 3), np.int64)
    rows = np.zeros((1, 3), np.int64)
    left = meldings.melding_shown(hand, discard, must, demanded, rules, melds, keys, rows)
    return int(left), in_text_order(rows[0])
