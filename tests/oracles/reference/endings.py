"""Legal endings with eleven cards in hand (rules.md 3.3, 3.4, 3.6)."""

from collections.abc import Iterable
from dataclasses import dataclass

from .melds import RANKS, find_permitted_meldings, find_unmatched_cards, get_card_values


@dataclass(frozen=True)
class Ending:
    """A legal way to end the deal with eleven cards in hand."""

    discard: str | None  # None for big gin
    kind: str  # knock, gin, shot, big_gin
    deadwood: int  # the knocker's deadwood with the automatic melding


def get_knock_limit(params: dict, upcard: str | None) -> int:
    """Return the knock limit of a deal, which can depend on the upcard (rules.md 3.4)."""
    if not params["knock_by_upcard"]:
        return params["knock_limit"]
    if upcard is None:
        raise ValueError("knock_by_upcard needs an upcard")  # rules.md 10.17
    if upcard[0] == "A":
        return params["upcard_ace_limit"]
    return min(RANKS.index(upcard[0]) + 1, 10)


def get_shot_ranks(score: int) -> list[str]:
    """Return the sorted ranks that a shot must leave: the last two digits of the score except 0."""
    digits = (score // 10 % 10, score % 10)
    return [RANKS[digit - 1] for digit in sorted(digits) if digit > 0]


def _compute_least_deadwood(hand: list[str], meldings: list[list[list[str]]], params: dict) -> int:
    values = get_card_values(params)
    return min(
        sum(values[card] for card in find_unmatched_cards(hand, melding)) for melding in meldings
    )


def _list_endings_with_discard(
    hand: list[str],
    discard: str,
    params: dict,
    limit: int,
    taken_card: str | None,
    required_ranks: list[str],
):
    endings = []
    knocks = find_permitted_meldings(hand, params, limit=limit, taken_card=taken_card)
    if knocks:
        deadwood = _compute_least_deadwood(hand, knocks, params)
        kind = "gin" if deadwood == 0 else "knock"  # rules.md 3.3
        endings.append(Ending(discard, kind, deadwood))
    if required_ranks:  # rules.md 3.6: no shot without a required rank
        shots = find_permitted_meldings(
            hand, params, required_ranks=required_ranks, taken_card=taken_card
        )
        if shots:
            endings.append(Ending(discard, "shot", _compute_least_deadwood(hand, shots, params)))
    return endings


def list_legal_endings(
    hand: Iterable[str],
    params: dict,
    limit: int,
    *,
    taken_card: str | None = None,
    banned_card: str | None = None,
    own_points: int = 0,
) -> list[Ending]:
    """Return every legal ending with these eleven cards (rules.md 3.3).

    taken_card: the card drawn from the discard pile on this turn, if any.
    banned_card: the card that may not be discarded.
    own_points: the player's own points at the start of the deal, for the shot.
    """
    hand = list(hand)
    required_ranks = get_shot_ranks(own_points) if params["shot"] else []
    endings = []
    for card in hand:
        if card != banned_card:
            kept = [other for other in hand if other != card]
            endings += _list_endings_with_discard(
                kept, card, params, limit, taken_card, required_ranks
            )
    if params["big_gin"] and find_permitted_meldings(
        hand, params, required_ranks=(), taken_card=taken_card
    ):
        endings.append(Ending(None, "big_gin", 0))
    return endings
