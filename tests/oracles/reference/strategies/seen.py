"""Information that a player has for a decision (docs/reference/strategies/elementary.md).

Hand, U (unseen), P (known to be the opponent's), D (shed by the opponent) and the score.
"""

from dataclasses import dataclass
from functools import cache
from itertools import chain

from ..melds import PACK, RANKS, card_values, deadwood, melds_in, optimal_meldings

KEYS = ("ace_runs", "rainbow", "pip_values", "ace_value")  # the parameters deadwood depends on


@dataclass(frozen=True)
class Seen:
    """A position as its player sees it. Cards are strings, sets of cards frozensets."""

    row: dict
    hand: frozenset[str]  # ten before the draw, eleven before a discard
    unseen: frozenset[str]  # U
    known: frozenset[str]  # P
    shed: frozenset[str]  # D
    legal: frozenset  # the legal discards, or the actions 0, 1, 2
    turn: int  # own turns, from 1
    turn_of_both: int = 1
    offer: str | None = None  # the card on offer
    taken: str | None = None  # taken from the pile on this turn
    drawn: str | None = None  # drawn from the stock on this turn
    seat: int = 0
    # (seat, drawn card or None, discard or None) of every turn; hidden cards are None
    history: tuple = ()
    stock: int = 31
    own_points: int = 0
    other_points: int = 0
    target: int = 100
    limit: int = 10
    ending: int = 0  # 1 knock or gin, 2 shot, 3 big gin
    ending_count: int = -1
    own_count: int = 0  # deadwood before the draw
    phase: int = 1  # 0 at the first upcard
    dealer: int = 0
    noise: int = 0

    @property
    def his(self) -> list[str]:
        """Return the opponent's discards in order."""
        return [thrown for seat, _, thrown in self.history if seat != self.seat and thrown]

    @property
    def rules(self) -> tuple:
        """Return the parameters of a row that determine card values and melds."""
        return tuple(self.row[key] for key in KEYS)

    def pip(self, card: str) -> int:
        return card_values(self.row)[card]

    def count(self, hand: frozenset[str]) -> int:
        """Return the deadwood of a hand, dw(h)."""
        return deadwood(hand, self.row)

    def after(self, hand: frozenset[str], legal: frozenset[str]) -> int:
        return min(self.count(hand - {card}) for card in legal)

    def thrown_after(
        self, hand: frozenset[str], *, drawn: str | None = None, taken: str | None = None
    ) -> frozenset[str]:
        """Return the legal discards of a hand of eleven (rules.md 4.3, discard_ban)."""
        banned = {"none": None, "taken": taken, "drawn": drawn or taken}[self.row["discard_ban"]]
        return hand - {banned}

    def melds(self, hand: frozenset[str]) -> tuple[frozenset[str], ...]:
        return _melds(hand, self.rules)

    def loose(self, hand: frozenset[str]) -> tuple[frozenset[str], ...]:
        """Return the unmatched cards of every best melding, and the union of them last."""
        return _loose(hand, self.rules)


def _row(rules: tuple) -> dict:
    return dict(zip(KEYS, rules, strict=True))


@cache
def _melds(hand: frozenset[str], rules: tuple) -> tuple[frozenset[str], ...]:
    return tuple(map(frozenset, melds_in([card for card in PACK if card in hand], _row(rules))))


@cache
def _loose(hand: frozenset[str], rules: tuple) -> tuple[frozenset[str], ...]:
    meldings = optimal_meldings([card for card in PACK if card in hand], _row(rules))
    left = {hand - frozenset(chain(*melding)) for melding in meldings}
    return *left, frozenset().union(*left)


def rank(card: str) -> int:
    """Return the rank of a card, from 0 for an ace to 12 for a king."""
    return RANKS.index(card[0])


def beside(card: str, steps: int) -> str | None:
    """Return the card of the same suit `steps` ranks higher, or None beyond ace and king."""
    place = rank(card) + steps
    return RANKS[place] + card[1] if 0 <= place < 13 else None


@cache
def near(card: str) -> frozenset[str]:
    """Return True for the same rank, or the same suit within two ranks (no corner)."""
    same_rank = {other for other in PACK if other[0] == card[0]}
    return frozenset((same_rank | {beside(card, steps) for steps in (-2, -1, 1, 2)}) - {card, None})
