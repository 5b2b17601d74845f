"""Discard policies (elementary.md, bots.md in docs) as sets of acceptable cards."""

from fractions import Fraction
from functools import cache

from ..melds import all_melds
from .seen import KEYS, Seen, beside, near, rank

LOW = ("low", False, "face", 1)  # runs in look-ahead are those of the standard game
ROUNDING = Fraction(1, 10**9)  # the policies compute in floating point


def least(scores: dict[str, Fraction]) -> set[str]:
    """Return the cards with the least score, or nearly so."""
    return {card for card in scores if scores[card] <= min(scores.values()) + ROUNDING}


def exactly_least(scores: dict[str, tuple]) -> set[str]:
    """Return the cards with the least score, if scores are known exactly."""
    return {card for card in scores if scores[card] == min(scores.values())}


def low(seen: Seen, tie: str = "high") -> set[str]:
    """Return least-deadwood discards; ties: highest pip, any, or the rank with fewest melds."""
    ties = {"high": lambda card: -seen.pip(card), "random": lambda card: 0}
    through = {**ties, "middle": melds_through_rank}[tie]
    counts = {card: seen.count(seen.hand - {card}) for card in seen.legal}
    return exactly_least({card: (counts[card], through(card)) for card in counts})


def uniform(seen: Seen) -> set[str]:
    return set(seen.legal)


def loose_high(seen: Seen) -> set[str]:
    """Return the highest unmatched card of each best melding, else the highest card."""
    chosen = set()
    for loose in seen.loose(seen.hand):
        legal = loose & seen.legal or seen.legal
        chosen |= exactly_least({card: -seen.pip(card) for card in legal})
    return chosen


def melds_through_rank(card: str) -> int:
    """Return the number of melds of three through a rank: A K 4, 2 Q 5, 3..J 6."""
    return {0: 4, 12: 4, 1: 5, 11: 5}.get(rank(card), 6)


def simple(seen: Seen) -> set[str]:
    """Return least-deadwood cards that repeat no pair {drawn, discarded} of an earlier turn."""
    drawn = seen.taken or seen.drawn
    earlier = [{drew, threw} for seat, drew, threw in seen.history if seat == seen.seat]
    candidates = {card for card in seen.legal if {drawn, card} not in earlier} or seen.legal
    return exactly_least({card: seen.count(seen.hand - {card}) for card in candidates})


def hits(seen: Seen, keep_pairs: bool = False) -> set[str]:
    """Return cards with most hits of the remaining hand, then least deadwood."""
    legal = seen.legal
    if keep_pairs:
        neighbours = {card for card in seen.hand if {beside(card, -1), beside(card, 1)} & seen.hand}
        legal = legal - neighbours or legal
    kept = {card: seen.hand - {card} for card in legal}
    return exactly_least(
        {card: (-hits_of(seen, ten, seen.unseen), seen.count(ten)) for card, ten in kept.items()}
    )


def hits_of(seen: Seen, ten: frozenset[str], unseen: frozenset[str]) -> int:
    """Return hits(h): the u in U that would be in some meld of h + u."""
    return sum(any(card in meld for meld in seen.melds(ten | {card})) for card in unseen)


def danger(seen: Seen, known: float = 2, unseen: float = 1, shed: float = 2) -> set[str]:
    """Return the cards with the least (deadwood, danger, -pip)."""

    def score(card: str) -> tuple:
        close = near(card)
        weighed = ((known, seen.known), (unseen, seen.unseen), (-shed, seen.shed))
        danger = sum(Fraction(weight) * len(cards & close) for weight, cards in weighed)
        return seen.count(seen.hand - {card}), danger, -seen.pip(card)

    return exactly_least({card: score(card) for card in seen.legal})


def conv(seen: Seen, w1: float, w2: float, w3: float) -> set[str]:
    """Return the cards that contribute least to the weighted sum of neighbours."""

    def share(card: str) -> Fraction:
        others = seen.hand - {card}
        same = sum(other[0] == card[0] for other in others)
        one, two = (len(others & {beside(card, -steps), beside(card, steps)}) for steps in (1, 2))
        return Fraction(w1) * same + Fraction(w2) * one + Fraction(w3) * two

    return least({card: share(card) for card in seen.legal})


def alpha(seen: Seen, a: float = 1, fade: float = 0, floor: float = 0) -> set[str]:
    """Return the cards with the least a * structure lost + (1 - a) * deadwood left."""
    share = Fraction(max(floor, a * (1 - ((seen.turn_of_both - 1) / fade) ** 0.5)) if fade else a)

    def score(card: str) -> Fraction:
        return share * structure(seen, card) + (1 - share) * seen.count(seen.hand - {card})

    return least({card: score(card) for card in seen.legal})


def structure(seen: Seen, card: str) -> Fraction:
    """Sum over partners and the cards that complete a meld: 1 - q^4, or 3 if already held."""
    alone = seen.row["players"] == 1
    q = Fraction(0) if alone else Fraction(10 - len(seen.known), len(seen.unseen))
    total = Fraction(0)
    for meld in three_card_melds(LOW):
        if card in meld:
            for partner in (meld - {card}) & seen.hand:
                (third,) = meld - {card, partner}
                total += 3 if third in seen.hand else 1 - q**4 if third in seen.unseen else 0
    return total


@cache
def three_card_melds(rules: tuple) -> frozenset[frozenset[str]]:
    return frozenset(
        meld for meld in all_melds(dict(zip(KEYS, rules, strict=True))) if len(meld) == 3
    )
