"""Cards in HTML: hands grouped by melds, the discard pile in order, and face-down cards.

The template cards.html.j2 renders them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from markupsafe import Markup, escape

from simgin.text.notation import RANKS, SUITS

SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
BACK = "?"  # a face-down card
CARD = re.compile(rf"\b[{RANKS}][{SUITS}]\b")
PLAIN = "\N{VARIATION SELECTOR-15}"  # shows a suit as text, not as an emoji


class CardRow(NamedTuple):
    """A row of cards in groups, with a space between two groups.

    Attributes:
        label: Heading of the row.
        groups: Cards such as `7H`, or FACE_DOWN.
        marked: Card drawn with a thick border.
        gone: Indices, counted over all groups, of cards that were removed.
    """

    label: str
    groups: Sequence[Sequence[str]]
    marked: str = ""
    gone: Sequence[int] = ()

    @property
    def faces(self) -> list[list[tuple[Markup, str]]]:
        """The groups as pairs of HTML and CSS classes, one pair per card."""
        place = count()
        return [[self._drawn(card, next(place)) for card in group] for group in self.groups]

    def _drawn(self, card: str, place: int) -> tuple[Markup, str]:
        tones = {"marked": card == self.marked, "gone": place in self.gone, "back": card == BACK}
        return _face(card), " ".join(tone for tone, is_so in tones.items() if is_so)


def with_faces(text: str) -> Markup:
    """Return the text as HTML with cards shown as ranks and suit symbols."""
    return Markup(re.sub(CARD, lambda found: _face(found[0]), str(escape(text))))


def _face(card: str) -> Markup:
    """Return the rank and suit symbol of a card as HTML; a face-down card is empty."""
    if card == BACK:
        return Markup("")
    rank, suit = tuple(card)
    red = " red" if suit in "HD" else ""
    symbol = f'<span class="suit{red}">{SYMBOLS[suit]}{PLAIN}</span>'
    return Markup(f"{'10' if rank == 'T' else rank}{symbol}")
