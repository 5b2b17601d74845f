"""The discard pile as text, oldest card first: `QD TS 9D* QH`, as screens print and readers read.

A star follows each card that was taken. For a single player the pile holds the own discards.
"""

from typing import Any

from simgin.core.rules import DISCARD_FIRST
from simgin.core.view import FROM_PILE
from simgin.text.notation import card_text

TAKEN = "*"  # after a card that was taken
FORGOTTEN = "?"  # in place of a card that is not remembered
SOME = ("..", "...", "\N{HORIZONTAL ELLIPSIS}")  # in place of any number of them
ORDER = "oldest first"


def pile_label(is_alone: bool) -> str:
    """Name the pile and its order: the label on every screen and page."""
    return f"{'Thrown' if is_alone else 'Pile'} ({ORDER})"


def pile_words(view: Any, rules: Any, is_alone: bool) -> list[str]:
    """Return the cards of the pile as `--pile` reads them, those that were taken included."""
    turns_up = not is_alone and rules.first_turn != DISCARD_FIRST
    words = [_word(view.upcard)] if turns_up else []
    for _, source, _, thrown in view.history[: view.turns]:
        if source == FROM_PILE:
            words[-1] += TAKEN
        words.append(_word(thrown))
    if view.taken >= 0 and words[-1] == _word(view.taken):  # this turn, before its discard
        words[-1] += TAKEN
    return words


def _word(card: int) -> str:
    return card_text(int(card)) if card >= 0 else FORGOTTEN
