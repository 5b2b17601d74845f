"""Melds and meldings of a hand as text, and every melding that leaves the least deadwood."""

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
    return " | ".join(meld_texts(melding)) or "no meld"


def cards_text(melds: Melding, hand: int) -> str:
    """The cards of a hand, melds first and the rest last: `7S 7H 7D | 8C 9C TC | 4H AC`."""
    rest = notation.hand_text(hand & ~sum(melds))
    return " | ".join([*meld_texts(melds), rest] if rest else meld_texts(melds))


def in_text_order(melds: Iterable[int]) -> Melding:
    """The melds of a melding (0 is no meld) in the ASCII order of their texts."""
    return tuple(sorted((int(meld) for meld in melds if meld), key=meld_text))


def all_meldings(hand: int, rules: Any, side: int = STOPPER) -> list[Melding]:
    """Every melding of up to eleven cards that leaves the least deadwood, in text order.

    `side` (STOPPER or DEFENDER) decides the values of the cards.
    """
    room = np.zeros(meldings.MAX_MELDS, np.int64)
    melds = room[: meldings.melds_in(hand, rules, room)].tolist()
    least = int(deadwood_of(hand, rules, side))
    best = []
    for family in _disjoint(melds):
        left = notation.cards_in(hand & ~sum(family))
        if sum(rules.value[side, card % 13] for card in left) == least:
            best.append(in_text_order(family))
    return sorted(best, key=meld_texts)


def meld_texts(melding: Sequence[int]) -> list[str]:
    """The melds of a melding, one by one."""
    return [meld_text(meld) for meld in melding]


def _disjoint(melds: list[int]) -> Iterator[Melding]:
    """Every family of at most three disjoint melds, the empty one too.

    Eleven cards hold no more than three melds.
    """
    for n in range(4):
        for family in combinations(melds, n):
            if sum(family).bit_count() == sum(map(int.bit_count, family)):
                yield family


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
