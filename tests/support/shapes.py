"""Define three-card melds, partners and neighbours of cards from 0 to 51 with low aces."""

from collections.abc import Collection, Iterable
from functools import cache
from itertools import combinations


@cache
def is_three_card_meld(cards: tuple[int, ...]) -> bool:
    ranks = sorted(card % 13 for card in cards)
    if len({card // 13 for card in cards}) == 1:
        return ranks == list(range(ranks[0], ranks[0] + 3))
    return len(set(ranks)) == 1


def find_melded_cards(hand: Iterable[int]) -> set[int]:
    return {card for three in combinations(hand, 3) if is_three_card_meld(three) for card in three}


def find_outs(hand: Collection[int], candidates: Iterable[int]) -> set[int]:
    """Return the candidates that form a three-card meld with two cards of a hand."""
    # No other pairs can be in a meld, and listing the pairs once is faster
    pairs = [pair for pair in combinations(hand, 2) if get_partner_type(*pair)]
    return {card for card in candidates if any(is_three_card_meld((*pair, card)) for pair in pairs)}


def get_partner_type(a: int, b: int) -> str | None:
    """Return "rank" or "suit" if two cards can become a set or a run, otherwise None."""
    if a % 13 == b % 13:
        return "rank"
    return "suit" if a // 13 == b // 13 and abs(a - b) <= 2 else None


def find_partner_types(cards: Collection[int]) -> dict[int, set[str]]:
    """Return the partner types that each card has among the other cards."""
    return {
        card: {way for other in cards if other != card and (way := get_partner_type(card, other))}
        for card in cards
    }


def is_next_to_any(card: int, others: Iterable[int]) -> bool:
    """Return True if a card has the rank of another card or is next to it in its suit."""
    return any(
        card % 13 == other % 13 or (card // 13 == other // 13 and abs(card - other) <= 1)
        for other in others
    )
