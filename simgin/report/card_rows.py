"""HTML card rows: hands grouped by melds, the discard pile and face-down cards.

The template cards.html.j2 renders the card rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from markupsafe import Markup, escape

from simgin.text.notation import RANK_LETTERS, SUIT_LETTERS

SUIT_SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
FACE_DOWN_CARD = "?"  # string that represents a face-down card
CARD_PATTERN = re.compile(rf"\b[{RANK_LETTERS}][{SUIT_LETTERS}]\b")
# character that displays a suit symbol as text instead of an emoji
TEXT_VARIATION_SELECTOR = "\N{VARIATION SELECTOR-15}"


class CardRow(NamedTuple):
    """Row of cards in an HTML report, divided into groups such as melds.

    Attributes:
        label: Heading of the row.
        groups: Cards of each group, such as `7H` or FACE_DOWN_CARD.
        marked_card: Card that is drawn with a thick border.
        removed_indices: Indices of the removed cards, counted over all groups.
    """

    label: str
    groups: Sequence[Sequence[str]]
    marked_card: str = ""
    removed_indices: Sequence[int] = ()

    @property
    def faces(self) -> list[list[tuple[Markup, str]]]:
        """HTML and CSS classes of every card, grouped as in `groups`."""
        indices = count()
        return [[self._format_card(card, next(indices)) for card in group] for group in self.groups]

    def _format_card(self, card: str, index: int) -> tuple[Markup, str]:
        """Return the HTML of a card and its CSS classes."""
        css_classes = {
            "marked": card == self.marked_card,
            "gone": index in self.removed_indices,
            "back": card == FACE_DOWN_CARD,
        }
        class_names = [name for name, applies in css_classes.items() if applies]
        return _format_face(card), " ".join(class_names)


def cards_to_html(text: str) -> Markup:
    """Convert a string to HTML, with suit symbols instead of the suit letters of cards."""
    return Markup(re.sub(CARD_PATTERN, lambda match: _format_face(match[0]), str(escape(text))))


def _format_face(card: str) -> Markup:
    """Return the rank and suit symbol of a card as HTML, or "" for a face-down card."""
    if card == FACE_DOWN_CARD:
        return Markup("")
    rank, suit = tuple(card)
    red_class = " red" if suit in "HD" else ""
    symbol = f'<span class="suit{red_class}">{SUIT_SYMBOLS[suit]}{TEXT_VARIATION_SELECTOR}</span>'
    return Markup(f"{'10' if rank == 'T' else rank}{symbol}")
