"""Cards in HTML: hands grouped by melds, the discard pile and face-down cards.

The template cards.html.j2 renders the cards.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from markupsafe import Markup, escape

from simgin.text.notation import RANK_LETTERS, SUIT_LETTERS

SUIT_SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
FACE_DOWN = "?"  # string for a face-down card
CARD_PATTERN = re.compile(rf"\b[{RANK_LETTERS}][{SUIT_LETTERS}]\b")
# Character that displays a suit as text instead of an emoji
TEXT_VARIATION = "\N{VARIATION SELECTOR-15}"


class CardRow(NamedTuple):
    """Row of cards in an HTML report, divided into groups.

    Attributes:
        label: Heading of the row.
        groups: Cards such as `7H`, or FACE_DOWN.
        marked: Card drawn with a thick border.
        removed: Indices of removed cards, counted over all groups.
    """

    label: str
    groups: Sequence[Sequence[str]]
    marked: str = ""
    removed: Sequence[int] = ()

    @property
    def faces(self) -> list[list[tuple[Markup, str]]]:
        """Groups of cards, in which a card is a pair of its HTML and its CSS classes."""
        indices = count()
        return [[self._card_html(card, next(indices)) for card in group] for group in self.groups]

    def _card_html(self, card: str, index: int) -> tuple[Markup, str]:
        tones = {
            "marked": card == self.marked,
            "gone": index in self.removed,
            "back": card == FACE_DOWN,
        }
        return _face_html(card), " ".join(tone for tone, is_so in tones.items() if is_so)


def cards_to_html(text: str) -> Markup:
    """Convert a string to HTML in which suit symbols replace the suit letters of cards."""
    return Markup(re.sub(CARD_PATTERN, lambda match: _face_html(match[0]), str(escape(text))))


def _face_html(card: str) -> Markup:
    """Return the rank and suit symbol of a card as HTML, or "" for a face-down card."""
    if card == FACE_DOWN:
        return Markup("")
    rank, suit = tuple(card)
    red = " red" if suit in "HD" else ""
    symbol = f'<span class="suit{red}">{SUIT_SYMBOLS[suit]}{TEXT_VARIATION}</span>'
    return Markup(f"{'10' if rank == 'T' else rank}{symbol}")
