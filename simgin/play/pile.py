"""The discard pile as text, oldest card first, as in `QD TS 9D* QH`.

The same format is printed and parsed. A star follows each card that was taken. In solitaire games,
the pile contains the player's own discards.
"""

from typing import Any

from simgin.core.rules import DISCARD_FIRST
from simgin.core.view import FROM_PILE
from simgin.text.notation import card_text

TAKEN = "*"  # follows a card that was taken
FORGOTTEN = "?"  # marks an unknown card
SOME = ("..", "...", "\N{HORIZONTAL ELLIPSIS}")  # mark any number of unknown cards
ORDER = "oldest first"


def pile_label(is_alone: bool) -> str:
    """Return the label of the pile with its order, for screens and reports."""
    return f"{'Thrown' if is_alone else 'Pile'} ({ORDER})"


def pile_words(view: Any, rules: Any, is_alone: bool) -> list[str]:
    """Format the cards of the pile as `--pile` accepts them, including those taken."""
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
