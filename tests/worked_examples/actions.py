"""Parse the actions of worked examples, and build the packs in which they are legal.

Two players: `N pass`, `D take`, `D throw TC`, `N stock`, `N stop 2D`, `N big gin`. One: `draw`,
`throw 2H`, `stop`, `big gin`. An implementation applies them with `Deal.apply_action`, which raises
IllegalActionError.
"""

from dataclasses import dataclass

from simgin.text import notation

SEAT_LETTERS = "ND"  # the nondealer sits at seat 0
DEALER_SEAT = 1
STOCK, TAKE, PASS = "stock", "take", "pass"
THROW, STOP, BIG_GIN = "throw", "stop", "big gin"
ACTION_KINDS = (STOCK, TAKE, PASS, THROW, STOP, BIG_GIN)
N_STOCK_CARDS = 31  # at the start


class ScriptError(ValueError):
    """Raised for a script or a pack that cannot be read."""


class IllegalActionError(ValueError):
    """Raised for an action that is illegal in the current state."""


@dataclass(frozen=True)
class Action:
    """Action of a player in a deal."""

    seat: int
    kind: str  # one of ACTION_KINDS, or an action of the die
    card: int = -1  # -1 for none, or the number offered on the die

    def __str__(self):
        card = f" {notation.format_card(self.card)}" if self.card >= 0 else ""
        return f"{SEAT_LETTERS[self.seat]} {self.kind}{card}"


SOLO_DRAW_ACTION = Action(0, STOCK)
SOLO_ACTIONS = {"draw": SOLO_DRAW_ACTION, "stop": Action(0, STOP), "big gin": Action(0, BIG_GIN)}


def parse_action(text):
    """Parse an action of a two-player deal. Raise ScriptError if it is not valid."""
    seat, _, rest = text.strip().partition(" ")
    for kind in ACTION_KINDS:
        head, separator, card = rest.strip().partition(kind)
        takes_card = kind in (THROW, STOP)
        is_complete = bool(card.strip()) == takes_card
        if separator and not head and seat in tuple(SEAT_LETTERS) and is_complete:
            number = notation.parse_card(card) if takes_card else -1
            return Action(SEAT_LETTERS.index(seat), kind, number)
    raise ScriptError(f"{text!r} is not an action. Use, for example, N stock or D throw 6C.")


def parse_solo_action(text):
    """Parse an action of a solitaire deal. Raise ScriptError if it is not valid."""
    words = " ".join(text.split())
    if words in SOLO_ACTIONS:
        return SOLO_ACTIONS[words]
    if words.startswith("throw "):
        return Action(0, THROW, notation.parse_card(words.removeprefix("throw ")))
    raise ScriptError(f"{text!r} is not an action. Use, for example, draw or throw 6C.")


def format_solo_action(action):
    """Return an action of a solitaire player as a string."""
    return next((word for word, known in SOLO_ACTIONS.items() if known == action), str(action)[2:])


def build_pack(nondealer, dealer, upcard, stock):
    """Return a pack that deals these hands, this upcard and this stock."""
    upcards = [*nondealer[10:], *([] if upcard is None else [upcard])]
    sizes = (len(nondealer[:10]), len(dealer), len(upcards), len(stock))
    if sizes != (10, 10, 1, N_STOCK_CARDS):
        raise ScriptError(
            "a deal is ten cards each, an upcard (or eleven cards) and a stock of 31."
        )
    dealt = [card for two in zip(nondealer, dealer, strict=False) for card in two]
    cards = [*dealt, *upcards, *stock]
    if len({*cards}) < 52:
        raise ScriptError("a card can be in one place only.")
    return cards


def count_dealt_cards(params):
    """Return the number of cards that the first player is dealt."""
    return 11 if params["first_turn"] == "discard_first" else 10


def find_illegal_action(deal, script):
    """Play a script, and return the index of its first illegal action, or -1."""
    for i, action in enumerate(script):
        try:
            deal.apply_action(action)
        except IllegalActionError:
            return i
    return -1
