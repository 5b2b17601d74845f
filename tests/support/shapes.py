"""Plain definitions of three-card melds, partners and neighbours of cards 0..51, ace low."""

from collections.abc import Collection, Iterable
from itertools import combinations


def is_meld(three: Iterable[int]) -> bool:
    ranks = sorted(card % 13 for card in three)
    if len({card // 13 for card in three}) == 1:
        return ranks == list(range(ranks[0], ranks[0] + 3))
    return len(set(ranks)) == 1


def find_melded_cards(hand: Iterable[int]) -> set[int]:
    return {card for three in combinations(hand, 3) if is_meld(three) for card in three}


def find_outs(hand: Collection[int], others: Iterable[int]) -> set[int]:
    """Return the other cards that make a three-card meld with two cards of a hand."""
    return {card for card in others for two in combinations(hand, 2) if is_meld((*two, card))}


def get_partner_type(a: int, b: int) -> str | None:
    """Return whether two cards can become a set, a run, or no meld."""
    if a % 13 == b % 13:
        return "rank"
    return "suit" if a // 13 == b // 13 and abs(a - b) <= 2 else None


def find_partner_types(cards: Collection[int]) -> dict[int, set[str]]:
    """Return, for each card, whether it can become a meld with another card."""
    return {
        card: {way for other in cards if other != card and (way := get_partner_type(card, other))}
        for card in cards
    }


def is_next_to_any(card: int, others: Iterable[int]) -> bool:
    return any(
        card % 13 == other % 13 or (card // 13 == other // 13 and abs(card - other) <= 1)
        for other in others
    )
