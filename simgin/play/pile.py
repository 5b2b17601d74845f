"""Text format of the discard pile, which lists the oldest card first, as in `QD TS 9D* QH`.

simgin prints and parses this format. A star follows each card that was taken. In solitaire games,
the pile contains the player's own discards.
"""

from typing import Any

from simgin.core.rules_record import FIRST_TURN_DISCARD
from simgin.core.view import FROM_PILE
from simgin.text.notation import format_card

TAKEN_MARK = "*"  # mark after a card that was taken
UNKNOWN_CARD_MARK = "?"  # mark of an unknown card
# marks for any number of unknown cards
UNKNOWN_CARDS_MARKS = ("..", "...", "\N{HORIZONTAL ELLIPSIS}")
PILE_ORDER_TEXT = "oldest first"


def format_pile_label(is_solo: bool) -> str:
    """Return the label of the pile, which states the order of the cards."""
    return f"{'Discards' if is_solo else 'Pile'} ({PILE_ORDER_TEXT})"


def format_pile(view: Any, rules: Any, is_solo: bool) -> list[str]:
    """Return the pile and the cards taken from it, in the format of the option `--pile`."""
    has_upcard = not is_solo and rules.first_turn != FIRST_TURN_DISCARD
    pile_texts = [_format_pile_card(view.upcard)] if has_upcard else []
    for _, source, _, discarded in view.history[: view.turns]:
        if source == FROM_PILE:
            pile_texts[-1] += TAKEN_MARK
        pile_texts.append(_format_pile_card(discarded))
    if view.taken >= 0 and pile_texts[-1] == _format_pile_card(
        view.taken
    ):  # The player has not discarded yet.
        pile_texts[-1] += TAKEN_MARK
    return pile_texts


def _format_pile_card(card: int) -> str:
    return format_card(int(card)) if card >= 0 else UNKNOWN_CARD_MARK
