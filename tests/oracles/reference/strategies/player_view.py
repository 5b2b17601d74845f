"""Information that a player may use for a decision (docs/reference/strategies/elementary.md).

Hand, U (unseen), P (known to be the opponent's), D (shed by the opponent) and the score.
"""

from dataclasses import dataclass
from functools import cache
from itertools import chain

from ..melds import (
    PACK,
    RANKS,
    compute_deadwood,
    find_melds,
    find_optimal_meldings,
    get_card_values,
)

# Rule parameters on which deadwood depends
MELD_PARAMS = ("ace_runs", "rainbow", "pip_values", "ace_value")


@dataclass(frozen=True)
class PlayerView:
    """Information that a player may use for one decision, with cards as strings."""

    params: dict
    hand: frozenset[str]  # ten before the draw, eleven before a discard
    unseen: frozenset[str]  # U
    known: frozenset[str]  # P
    shed: frozenset[str]  # D
    legal: frozenset  # the legal discards, or the actions 0, 1, 2
    turn: int  # own turns, from 1
    deal_turn: int = 1  # turns of both players, from 1
    offered_card: str | None = None
    taken_card: str | None = None  # taken from the pile on this turn
    drawn_card: str | None = None  # drawn from the stock on this turn
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
    own_deadwood: int = 0  # deadwood before the draw
    phase: int = 1  # 0 at the first upcard
    dealer: int = 0
    noise: int = 0

    @property
    def opponent_discards(self) -> list[str]:
        """Discards of the opponent in order."""
        return [discarded for seat, _, discarded in self.history if seat != self.seat and discarded]

    @property
    def meld_params(self) -> tuple:
        """Values of the rule parameters on which deadwood depends."""
        return tuple(self.params[key] for key in MELD_PARAMS)

    def get_card_value(self, card: str) -> int:
        return get_card_values(self.params)[card]

    def compute_deadwood(self, hand: frozenset[str]) -> int:
        return compute_deadwood(hand, self.params)

    def compute_least_deadwood(self, hand: frozenset[str], legal: frozenset[str]) -> int:
        """Return the least deadwood of the hand after one of the legal discards."""
        return min(self.compute_deadwood(hand - {card}) for card in legal)

    def list_legal_discards(
        self, hand: frozenset[str], *, drawn: str | None = None, taken: str | None = None
    ) -> frozenset[str]:
        """Return the legal discards of a hand of eleven (rules.md 4.3, discard_ban)."""
        banned = {"none": None, "taken": taken, "drawn": drawn or taken}[self.params["discard_ban"]]
        return hand - {banned}

    def find_melds(self, hand: frozenset[str]) -> tuple[frozenset[str], ...]:
        return _find_melds(hand, self.meld_params)

    def find_unmatched_cards(self, hand: frozenset[str]) -> tuple[frozenset[str], ...]:
        """Return the unmatched cards of each optimal melding, followed by their union."""
        return _find_unmatched_cards(hand, self.meld_params)


def _to_params_dict(meld_params: tuple) -> dict:
    return dict(zip(MELD_PARAMS, meld_params, strict=True))


@cache
def _find_melds(hand: frozenset[str], meld_params: tuple) -> tuple[frozenset[str], ...]:
    return tuple(
        map(
            frozenset,
            find_melds([card for card in PACK if card in hand], _to_params_dict(meld_params)),
        )
    )


@cache
def _find_unmatched_cards(hand: frozenset[str], meld_params: tuple) -> tuple[frozenset[str], ...]:
    meldings = find_optimal_meldings(
        [card for card in PACK if card in hand], _to_params_dict(meld_params)
    )
    unmatched = {hand - frozenset(chain(*melding)) for melding in meldings}
    return *unmatched, frozenset().union(*unmatched)


def get_rank_index(card: str) -> int:
    """Return the rank of a card, from 0 for an ace to 12 for a king."""
    return RANKS.index(card[0])


def get_suit_neighbour(card: str, steps: int) -> str | None:
    """Return the card of the same suit `steps` ranks higher, or None beyond ace and king."""
    rank = get_rank_index(card) + steps
    return RANKS[rank] + card[1] if 0 <= rank < 13 else None


@cache
def find_near_cards(card: str) -> frozenset[str]:
    """Return the cards of the same rank, or of the same suit and at most two ranks away."""
    same_rank = {other for other in PACK if other[0] == card[0]}
    return frozenset(
        (same_rank | {get_suit_neighbour(card, steps) for steps in (-2, -1, 1, 2)}) - {card, None}
    )
