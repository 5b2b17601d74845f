"""Reference discard policies, which return the set of acceptable discards.

They are described in elementary.md and bots.md in docs/reference/strategies.
"""

from fractions import Fraction
from functools import cache

from ..melds import list_all_melds
from .player_view import (
    MELD_PARAMS,
    PlayerView,
    find_near_cards,
    get_rank_index,
    get_suit_neighbour,
)

# Melds of the standard game, with which some policies look ahead in all variants
STANDARD_MELD_PARAMS = ("low", False, "face", 1)
SCORE_TOLERANCE = Fraction(1, 10**9)  # the policies compute in floating point


def find_minimal_cards(scores: dict[str, Fraction]) -> set[str]:
    """Return the cards with the lowest score, within the tolerance for rounding errors."""
    return {card for card in scores if scores[card] <= min(scores.values()) + SCORE_TOLERANCE}


def find_exactly_minimal_cards(scores: dict[str, tuple]) -> set[str]:
    """Return the cards with exactly the lowest score."""
    return {card for card in scores if scores[card] == min(scores.values())}


def low(view: PlayerView, tie: str = "high") -> set[str]:
    """Return the discards that leave the least deadwood, with a choice of tie-breakers."""
    tie_breakers = {"high": lambda card: -view.get_card_value(card), "random": lambda card: 0}
    tie_breaker = {**tie_breakers, "middle": count_melds_through_rank}[tie]
    deadwood_after = {card: view.compute_deadwood(view.hand - {card}) for card in view.legal}
    return find_exactly_minimal_cards(
        {card: (deadwood_after[card], tie_breaker(card)) for card in deadwood_after}
    )


def uniform(view: PlayerView) -> set[str]:
    """Return all legal discards."""
    return set(view.legal)


def loose_high(view: PlayerView) -> set[str]:
    """Return the highest unmatched card of each optimal melding, or the highest card."""
    chosen = set()
    for unmatched in view.find_unmatched_cards(view.hand):
        legal = unmatched & view.legal or view.legal
        chosen |= find_exactly_minimal_cards({card: -view.get_card_value(card) for card in legal})
    return chosen


def count_melds_through_rank(card: str) -> int:
    """Return the number of three-card melds that contain a card, with low aces."""
    return {0: 4, 12: 4, 1: 5, 11: 5}.get(get_rank_index(card), 6)


def simple(view: PlayerView) -> set[str]:
    """Return discards with the least deadwood that do not repeat an earlier exchange."""
    drawn = view.taken_card or view.drawn_card
    earlier = [{drew, discarded} for seat, drew, discarded in view.history if seat == view.seat]
    candidates = {card for card in view.legal if {drawn, card} not in earlier} or view.legal
    return find_exactly_minimal_cards(
        {card: view.compute_deadwood(view.hand - {card}) for card in candidates}
    )


def hits(view: PlayerView, keep_pairs: bool = False) -> set[str]:
    """Return the discards that leave the most outs, then the least deadwood."""
    legal = view.legal
    if keep_pairs:
        neighbours = {
            card
            for card in view.hand
            if {get_suit_neighbour(card, -1), get_suit_neighbour(card, 1)} & view.hand
        }
        legal = legal - neighbours or legal
    kept = {card: view.hand - {card} for card in legal}
    return find_exactly_minimal_cards(
        {
            card: (-count_outs(view, ten, view.unseen), view.compute_deadwood(ten))
            for card, ten in kept.items()
        }
    )


def count_outs(view: PlayerView, hand: frozenset[str], unseen: frozenset[str]) -> int:
    """Return the number of unseen cards that would complete a meld with the hand."""
    return sum(any(card in meld for meld in view.find_melds(hand | {card})) for card in unseen)


def danger(view: PlayerView, known: float = 2, unseen: float = 1, shed: float = 2) -> set[str]:
    """Return the discards with the least deadwood that help the opponent least."""

    def compute_score(card: str) -> tuple:
        near_cards = find_near_cards(card)
        weighted_sets = ((known, view.known), (unseen, view.unseen), (-shed, view.shed))
        danger = sum(Fraction(weight) * len(cards & near_cards) for weight, cards in weighted_sets)
        return view.compute_deadwood(view.hand - {card}), danger, -view.get_card_value(card)

    return find_exactly_minimal_cards({card: compute_score(card) for card in view.legal})


def conv(view: PlayerView, w1: float, w2: float, w3: float) -> set[str]:
    """Return the discards with the fewest cards of near rank in the hand."""

    def compute_contribution(card: str) -> Fraction:
        others = view.hand - {card}
        same = sum(other[0] == card[0] for other in others)
        one, two = (
            len(others & {get_suit_neighbour(card, -steps), get_suit_neighbour(card, steps)})
            for steps in (1, 2)
        )
        return Fraction(w1) * same + Fraction(w2) * one + Fraction(w3) * two

    return find_minimal_cards({card: compute_contribution(card) for card in view.legal})


def alpha(view: PlayerView, a: float = 1, fade: float = 0, floor: float = 0) -> set[str]:
    """Return the discards that minimize a * structure lost + (1 - a) * deadwood left."""
    weight = Fraction(max(floor, a * (1 - ((view.deal_turn - 1) / fade) ** 0.5)) if fade else a)

    def compute_score(card: str) -> Fraction:
        return weight * compute_structure(view, card) + (1 - weight) * view.compute_deadwood(
            view.hand - {card}
        )

    return find_minimal_cards({card: compute_score(card) for card in view.legal})


def compute_structure(view: PlayerView, card: str) -> Fraction:
    """Return the potential of a card: the sum of its chances to complete three-card melds."""
    is_solo = view.params["players"] == 1
    q = Fraction(0) if is_solo else Fraction(10 - len(view.known), len(view.unseen))
    total = Fraction(0)
    for meld in list_three_card_melds(STANDARD_MELD_PARAMS):
        if card in meld:
            for partner in (meld - {card}) & view.hand:
                (third,) = meld - {card, partner}
                total += 3 if third in view.hand else 1 - q**4 if third in view.unseen else 0
    return total


@cache
def list_three_card_melds(meld_params: tuple) -> frozenset[frozenset[str]]:
    return frozenset(
        meld
        for meld in list_all_melds(dict(zip(MELD_PARAMS, meld_params, strict=True)))
        if len(meld) == 3
    )
