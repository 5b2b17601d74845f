"""Legal endings with eleven cards in hand (rules.md 3.3, 3.4, 3.6)."""

from collections.abc import Iterable
from dataclasses import dataclass

from .melds import RANKS, card_values, left_over, permitted


@dataclass(frozen=True)
class Ending:
    card: str | None  # the discard; None for big gin
    how: str  # knock, gin, shot, big_gin
    count: int  # the knocker's deadwood with the automatic melding


def knock_limit(row: dict, upcard: str | None) -> int:
    """Return the knock limit of the deal (rules.md 3.4), fixed or set by the first upcard."""
    if not row["knock_by_upcard"]:
        return row["knock_limit"]
    if upcard is None:
        raise ValueError("knock_by_upcard needs an upcard")  # rules.md 10.17
    if upcard[0] == "A":
        return row["upcard_ace_limit"]
    return min(RANKS.index(upcard[0]) + 1, 10)


def shot_ranks(score: int) -> list[str]:
    """Return the ranks a shot must leave: the last two digits except 0 (rules.md 3.6), sorted."""
    digits = (score // 10 % 10, score % 10)
    return [RANKS[digit - 1] for digit in sorted(digits) if digit > 0]


def _least(kept: list[str], meldings: list[list[list[str]]], row: dict) -> int:
    values = card_values(row)
    return min(sum(values[card] for card in left_over(kept, melding)) for melding in meldings)


def _with_discard(
    kept: list[str], card: str, row: dict, limit: int, taken: str | None, demanded: list[str]
):
    found = []
    knocks = permitted(kept, row, limit=limit, taken=taken)
    if knocks:
        count = _least(kept, knocks, row)
        how = "gin" if count == 0 else "knock"  # rules.md 3.3
        found.append(Ending(card, how, count))
    if demanded:  # rules.md 3.6: no demanded card, no shot
        shots = permitted(kept, row, demanded=demanded, taken=taken)
        if shots:
            found.append(Ending(card, "shot", _least(kept, shots, row)))
    return found


def legal_endings(
    hand: Iterable[str],
    row: dict,
    limit: int,
    *,
    taken: str | None = None,
    banned: str | None = None,
    own_points: int = 0,
) -> list[Ending]:
    """Return every legal ending with these eleven cards (rules.md 3.3).

    taken: the card drawn from the discard pile on this turn, if any.
    banned: the card that may not be discarded.
    own_points: the player's own points at the start of the deal, for the shot.
    """
    hand = list(hand)
    demanded = shot_ranks(own_points) if row["shot"] else []
    found = []
    for card in hand:
        if card != banned:
            kept = [other for other in hand if other != card]
            found += _with_discard(kept, card, row, limit, taken, demanded)
    if row["big_gin"] and permitted(hand, row, demanded=(), taken=taken):
        found.append(Ending(None, "big_gin", 0))
    return found
