"""Cards on a page: hands sorted by melds, the pile as it grew, and cards face down.

cards.html.j2 beside this file draws them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from markupsafe import Markup, escape

from simgin.text.notation import RANKS, SUITS

SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
BACK = "?"  # a card face down
CARD = re.compile(rf"\b[{RANKS}][{SUITS}]\b")
PLAIN = "\N{VARIATION SELECTOR-15}"  # a suit is a letter, not a small picture


class CardRow(NamedTuple):
    """Cards in a row, in groups with a space between them: texts such as `7H`, or BACK."""

    label: str
    groups: Sequence[Sequence[str]]
    marked: str = ""  # the card with a thick frame
    gone: Sequence[int] = ()  # places of cards that were taken away

    @property
    def faces(self) -> list[list[tuple[Markup, str]]]:
        """The groups as faces, each with its CSS classes."""
        place = count()
        return [[self._drawn(card, next(place)) for card in group] for group in self.groups]

    def _drawn(self, card: str, place: int) -> tuple[Markup, str]:
        tones = {"marked": card == self.marked, "gone": place in self.gone, "back": card == BACK}
        return _face(card), " ".join(tone for tone, is_so in tones.items() if is_so)


def with_faces(text: str) -> Markup:
    """A text with its cards as ranks and symbols."""
    return Markup(re.sub(CARD, lambda found: _face(found[0]), str(escape(text))))


def _face(card: str) -> Markup:
    """The rank and the symbol of a card; nothing for one face down."""
    if card == BACK:
        return Markup("")
    rank, suit = tuple(card)
    red = " red" if suit in "HD" else ""
    symbol = f'<span class="suit{red}">{SYMBOLS[suit]}{PLAIN}</span>'
    return Markup(f"{'10' if rank == 'T' else rank}{symbol}")
