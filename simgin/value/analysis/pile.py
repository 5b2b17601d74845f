"""The pile as a person writes it, from the first card on: `QD KS ? 9C* .. TH`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simgin.text.notation import parse_card
from simgin.value.analysis.position import PositionError

TAKEN = "*"  # after a card of the pile that was taken from it
FORGOTTEN = "?"  # in place of a card that is not remembered
SOME = ("..", "...", "\N{HORIZONTAL ELLIPSIS}")  # in place of any number of them


@dataclass(frozen=True)
class Laid:
    """A card laid on the pile, and whether it was taken from there by the next player."""

    card: int  # -1 if it is forgotten
    taken: bool = False

    @property
    def mask(self) -> int:
        """The card as a mask, 0 if it is forgotten."""
        return 1 << self.card if self.card >= 0 else 0


@dataclass(frozen=True)
class Pile:
    """Cards in the order in which they were laid, and where some were left out."""

    laid: Sequence[Laid]
    gap: int | None = None  # the place of the cards left out

    def whole(self, left: int, stock: int | None, reserve: str = "stock") -> list[Laid]:
        """The cards with as many forgotten ones in the gap as the stock tells.

        left: cards in the stock if none was left out; stock: those that there are, None if
        nobody says. reserve: what the stock is called. Raises PositionError if they do not agree.
        """
        laid = list(self.laid)
        if self.gap is None:
            if stock not in (None, left):
                raise PositionError(
                    f"by this pile {left} cards are left in the {reserve}, not {stock}: write .. "
                    "in it for the cards that you have forgotten."
                )
            return laid
        if stock is None:
            raise PositionError(
                f"with .. in the pile say how many cards are left in the {reserve}, as in "
                "--stock 20, or write a ? for each card that you have forgotten."
            )
        if not 0 <= stock <= left:
            raise PositionError(
                f"by this pile 0 to {left} cards are left in the {reserve}, not {stock}."
            )
        laid[self.gap : self.gap] = [Laid(-1)] * (left - stock)
        return laid


def read_pile(text: str) -> Pile:
    """The pile that a text tells: `QD KS 9C* TH`; CardError or PositionError for another text."""
    laid = []
    gap = None
    for word in text.replace(",", " ").split():
        if word not in SOME:
            laid.append(_read_card(word))
        elif gap is not None:
            raise PositionError("write .. once in the pile, and a ? for each other forgotten card.")
        else:
            gap = len(laid)
    return Pile(laid, gap)


def _read_card(word: str) -> Laid:
    name = word.removesuffix(TAKEN)
    card = -1 if name == FORGOTTEN else parse_card(name)
    return Laid(card, word.endswith(TAKEN))
