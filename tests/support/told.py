"""What a player would tell of a position, for tests of positions that are written down."""

from simgin.analysis.written import Die
from simgin.text.notation import card_text, hand_mask, hand_text


def cards_of(view):
    """The hand in writing, the card that came last behind the others."""
    last = [int(card) for card in (view.drawn, view.taken) if card >= 0]
    hand = int(view.hand) & ~hand_mask(last)
    return f"{hand_text(hand)} {' '.join(map(card_text, last))}" if view.hand else "blind"


def pile_of(view):
    """The pile as it grew, in words; of one player the discards."""
    words = [card_text(int(view.upcard))] if view.upcard >= 0 else []
    for _, source, _, thrown in view.history[: view.turns]:
        if source == 1:
            words[-1] += "*"
        words.append(card_text(int(thrown)))
    if view.taken >= 0:
        words[-1] += "*"
    return words


def table_of(position):
    """Dealer and die, as options of `read_position`; nothing for one player."""
    view = position.view
    if view.deck_left >= 0:
        return {}
    owner = "nobody" if view.owner < 0 else "me" if view.owner == view.seat else "other"
    offer = position.is_about_die and not view.offered
    dealer = "me" if view.dealer == view.seat else "other"
    return {"dealer": dealer, "die": Die(int(view.stake), owner, offer, int(view.offered))}
