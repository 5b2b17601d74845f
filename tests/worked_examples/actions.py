"""Actions of a deal as worked examples write them, and the pack that they are played on.

Two players: `N pass`, `D take`, `D throw TC`, `N stock`, `N stop 2D`, `N big gin`. One: `draw`,
`throw 2H`, `stop`, `big gin`. A subject plays them on an object with `act`, which raises Illegal.
"""

from dataclasses import dataclass

from simgin.text import notation

SEATS = "ND"  # the nondealer sits at seat 0
DEALER = 1
STOCK, TAKE, PASS = "stock", "take", "pass"
THROW, STOP, BIG_GIN = "throw", "stop", "big gin"
WORDS = (STOCK, TAKE, PASS, THROW, STOP, BIG_GIN)
STOCK_CARDS = 31  # at the start


class ScriptError(ValueError):
    """Error raised for a script or a pack that cannot be read; the message is a sentence."""


class Illegal(ValueError):
    """Error raised for an action that is not possible in the current state."""


@dataclass(frozen=True)
class Action:
    """Action of WORDS or of the die; `card` is -1 for none, or the number offered."""

    seat: int
    what: str
    card: int = -1

    def __str__(self):
        card = f" {notation.format_card(self.card)}" if self.card >= 0 else ""
        return f"{SEATS[self.seat]} {self.what}{card}"


DRAW = Action(0, STOCK)
SOLO_ACTIONS = {"draw": DRAW, "stop": Action(0, STOP), "big gin": Action(0, BIG_GIN)}


def parse_action(text):
    """Parse an action of two players. Raise ScriptError if it is not valid."""
    seat, _, rest = text.strip().partition(" ")
    for what in WORDS:
        head, found, card = rest.strip().partition(what)
        named = what in (THROW, STOP)
        if found and not head and seat in tuple(SEATS) and bool(card.strip()) == named:
            return Action(SEATS.index(seat), what, notation.parse_card(card) if named else -1)
    raise ScriptError(f"{text!r} is not an action. Use, for example, N stock or D throw 6C.")


def parse_solo_action(text):
    """Parse an action of a solitaire player. Raise ScriptError if it is not valid."""
    words = " ".join(text.split())
    if words in SOLO_ACTIONS:
        return SOLO_ACTIONS[words]
    if words.startswith("throw "):
        return Action(0, THROW, notation.parse_card(words.removeprefix("throw ")))
    raise ScriptError(f"{text!r} is not an action. Use, for example, draw or throw 6C.")


def solo_action_text(one):
    return next((word for word, known in SOLO_ACTIONS.items() if known == one), str(one)[2:])


def pack_of(nondealer, dealer, upcard, stock):
    """Return the 52 cards in dealing order; the nondealer can have eleven without an upcard."""
    turned = [*nondealer[10:], *([] if upcard is None else [upcard])]
    sizes = (len(nondealer[:10]), len(dealer), len(turned), len(stock))
    if sizes != (10, 10, 1, STOCK_CARDS):
        raise ScriptError(
            "a deal is ten cards each, an upcard (or eleven cards) and a stock of 31."
        )
    dealt = [card for two in zip(nondealer, dealer, strict=False) for card in two]
    cards = [*dealt, *turned, *stock]
    if len({*cards}) < 52:
        raise ScriptError("a card can be in one place only.")
    return cards


def dealt_cards(row):
    return 11 if row["first_turn"] == "discard_first" else 10


def first_illegal(deal, script):
    """Play a script, and return the index of its first impossible action, or -1 for none."""
    for place, one in enumerate(script):
        try:
            deal.apply_action(one)
        except Illegal:
            return place
    return -1
