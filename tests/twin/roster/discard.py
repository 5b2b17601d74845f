"""Discard policies (STRATEGIES.md 1.2, 2.5, 2.7 to 2.12): the set of acceptable cards."""

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import chain, combinations

from ..melds import all_melds
from .seen import KEYS, Seen, beside, near, rank

ROUNDING = Fraction(1, 10**9)  # scores as close as this are equal: the policies reckon in floating point


def least(scores: dict[str, Iterable]) -> set[str]:
    """The cards that may have the least score; each has all the scores that the text allows it."""
    low = {card: min(some) for card, some in scores.items()}
    high = {card: max(some) for card, some in scores.items()}
    return {card for card in scores if all(low[card] <= high[other] + ROUNDING for other in scores if other != card)}


def exactly_least(scores: dict[str, tuple]) -> set[str]:
    """The cards with the least score, of scores that are known exactly."""
    return {card for card in scores if scores[card] == min(scores.values())}


def low(seen: Seen, tie: str = "high") -> set[str]:
    """Least deadwood; ties: dearest pip, any of them, or the rank with fewest three-card melds."""
    through = {"high": lambda card: -seen.pip(card), "random": lambda card: 0, "middle": melds_through_rank}[tie]
    return exactly_least({card: (seen.count(seen.hand - {card}), through(card)) for card in seen.legal})


def uniform(seen: Seen) -> set[str]:
    return set(seen.legal)


def loose_high(seen: Seen) -> set[str]:
    """The dearest loose card of the best melding of the eleven (any of them); a hand without one throws its dearest card."""
    chosen = set()
    for loose in seen.loose(seen.hand):
        legal = loose & seen.legal or seen.legal
        chosen |= exactly_least({card: -seen.pip(card) for card in legal})
    return chosen


def melds_through_rank(card: str) -> int:
    """A K 4, 2 Q 5, 3..J 6."""
    return {0: 4, 12: 4, 1: 5, 11: 5}.get(rank(card), 6)


def simple(seen: Seen) -> set[str]:
    """Least deadwood among the cards that repeat no pair {drawn, discarded} of an earlier own turn (2.5)."""
    drawn = seen.taken or seen.drawn
    earlier = [{drew, threw} for seat, drew, threw in seen.history if seat == seen.seat]
    candidates = {card for card in seen.legal if {drawn, card} not in earlier} or seen.legal
    return exactly_least({card: seen.count(seen.hand - {card}) for card in candidates})


def hits(seen: Seen, keep_pairs: bool = False) -> set[str]:
    """Most hits of the kept hand, then least deadwood; keep_pairs: never break a two-card run while another discard exists."""
    legal = seen.legal
    if keep_pairs:
        neighbours = {card for card in seen.hand if {beside(card, -1), beside(card, 1)} & seen.hand}
        legal = legal - neighbours or legal
    kept = {card: seen.hand - {card} for card in legal}
    return exactly_least({card: (-hits_of(seen, ten, seen.unseen), seen.count(ten)) for card, ten in kept.items()})


def hits_of(seen: Seen, ten: frozenset[str], unseen: frozenset[str]) -> int:
    """hits(h): the u in U that would be in some meld of h + u."""
    return sum(any(card in meld for meld in seen.melds(ten | {card})) for card in unseen)


def danger(seen: Seen, p: float = 2, u: float = 1, d: float = 2) -> set[str]:
    """Least of (deadwood, danger, -pip), in this order (2.7)."""

    def score(card: str) -> tuple:
        close = near(card)
        danger = Fraction(p) * len(seen.known & close) + Fraction(u) * len(seen.unseen & close) - Fraction(d) * len(seen.shed & close)
        return seen.count(seen.hand - {card}), danger, -seen.pip(card)

    return exactly_least({card: score(card) for card in seen.legal})


def conv(seen: Seen, w1: float, w2: float, w3: float) -> set[str]:
    """Least share in the neighbour sum over the whole hand (2.9)."""

    def share(card: str) -> Fraction:
        others = seen.hand - {card}
        same = sum(other[0] == card[0] for other in others)
        one, two = (len(others & {beside(card, -steps), beside(card, steps)}) for steps in (1, 2))
        return Fraction(w1) * same + Fraction(w2) * one + Fraction(w3) * two

    return least({card: [share(card)] for card in seen.legal})


# 2.10, alpha


def alpha(seen: Seen, a: float, held: str = "triples") -> set[str]:
    """Greatest a * Structure - (1 - a) * deadwood of the kept hand, uniform version."""

    def score(card: str) -> Fraction:
        ten = seen.hand - {card}
        return (1 - Fraction(a)) * seen.count(ten) - Fraction(a) * structure(seen, ten, held)

    return least({card: [score(card)] for card in seen.legal})


def structure(seen: Seen, ten: frozenset[str], held: str) -> Fraction:
    """Ways to complete the pairs of the hand, each 1 - q^4 (on P that is nothing), and 2 for every meld held.

    A way is a three-card meld of which two cards are held and one may still come; one player has no opponent, so q = 0.
    held: `triples` counts every three-card meld in the hand, `melding` the melds of a best melding (the most it can have).
    """
    q = Fraction(10 - len(seen.known), len(seen.unseen)) if seen.row["players"] == 2 else Fraction(0)
    ways = sum(len(meld & ten) == 2 and meld - ten <= seen.unseen for meld in three_card_melds(seen.rules))
    return ways * (1 - q**4) + 2 * (triples(seen, ten) if held == "triples" else most_melds(seen, ten))


def triples(seen: Seen, ten: frozenset[str]) -> int:
    """Three-card melds in the hand."""
    return sum(len(meld) == 3 for meld in seen.melds(ten))


def most_melds(seen: Seen, ten: frozenset[str]) -> int:
    """The most melds that a least-deadwood melding of the hand has."""
    least = seen.count(ten)
    families = chain.from_iterable(combinations(seen.melds(ten), n) for n in range(4))
    disjoint = [some for some in families if len(frozenset().union(*some)) == sum(map(len, some))]
    return max(len(some) for some in disjoint if sum(map(seen.pip, ten.difference(*some))) == least)


@cache
def three_card_melds(rules: tuple) -> frozenset[frozenset[str]]:
    """All three-card melds of the pack."""
    return frozenset(meld for meld in all_melds(dict(zip(KEYS, rules, strict=True))) if len(meld) == 3)


# 2.11, mmd


def mmd(seen: Seen, c1: float = 0.85, c2: float = 1, **readings: str) -> set[str]:
    """Least value of the kept hand."""
    return least({card: list(hand_value(seen, seen.hand - {card}, seen.unseen, c1, c2, **readings)) for card in seen.legal})


def hand_value(
    seen: Seen, ten: frozenset[str], unseen: frozenset[str], c1: float, c2: float, sizes: str = "all", dead: str = "out"
) -> set[Fraction]:
    """dw(h) - c1 * Reach(h) - c2 * Hold(h), for every choice of the loose cards."""
    rest = seen.count(ten) - Fraction(c2) * hold(seen, ten, unseen, sizes, dead)
    return {rest - Fraction(c1) * reach(seen, ten, loose, unseen) for loose in seen.loose(ten)}


def reach(seen: Seen, ten: frozenset[str], loose: frozenset[str], unseen: frozenset[str]) -> Fraction:
    """Sum over loose c of pip(c) * (number of u in U that make a meld with c in h + u) / size of U."""
    total = 0
    for card in unseen:
        with_it = frozenset().union(*(meld for meld in seen.melds(ten | {card}) if card in meld))
        total += sum(map(seen.pip, loose & with_it))
    return Fraction(total, len(unseen))


def hold(seen: Seen, ten: frozenset[str], unseen: frozenset[str], sizes: str, dead: str) -> Fraction:
    """Credit for every card of h that is the only one of h in a meld with a card of P.

    sizes: melds of `all` sizes or of `three` cards. dead: melds with a card that nobody can hold any more are left `out`, or let `in`.
    """
    total = Fraction(0)
    for meld in all_melds_of(seen.rules):
        own, theirs = meld & ten, meld & seen.known
        possible = dead == "in" or meld <= own | seen.known | unseen
        if len(own) == 1 and theirs and possible and not _thrown_rank(seen, meld) and (sizes == "all" or len(meld) == 3):
            total += seen.pip(*own) * Fraction(1, len(unseen)) ** (len(meld) - 1 - len(theirs))
    return total


def _thrown_rank(seen: Seen, meld: frozenset[str]) -> bool:
    """A set of a rank that the opponent has thrown."""
    ranks = {card[0] for card in meld}
    return len(ranks) == 1 and any(card[0] in ranks for card in seen.shed)


@cache
def all_melds_of(rules: tuple) -> frozenset[frozenset[str]]:
    """All melds of the pack."""
    return frozenset(all_melds(dict(zip(KEYS, rules, strict=True))))


# 2.12, marjj


def marjj(
    seen: Seen,
    window: float = 5,
    weight: float = 18,
    decay: float = 0.9,
    best: int = 7,
    one_gone: float = 4,
    **readings: str,
) -> set[str]:
    """Among the dear loose cards the least deadwood + weighted mean of the best next counts + use to the opponent."""
    acceptable = set()
    for candidates in candidates_of(seen, window):
        scores = {}
        for card in candidates:
            ten = seen.hand - {card}
            ahead = Fraction(weight) * Fraction(decay) ** (seen.turn - 1) * mean_of_best(seen, ten, best)
            scores[card] = [seen.count(ten) + ahead + opponents_value(seen, card, one_gone, **readings)]
        acceptable |= least(scores)
    return acceptable


def candidates_of(seen: Seen, window: float) -> list[set[str]]:
    """Loose cards with pip within `window` of the dearest loose one, for each best melding of the eleven; all where none is legal."""
    found = []
    for loose in seen.loose(seen.hand):
        legal = loose & seen.legal
        dearest = max(map(seen.pip, legal), default=0)
        found.append({card for card in legal if seen.pip(card) >= dearest - window} or set(seen.legal))
    return found


def mean_of_best(seen: Seen, ten: frozenset[str], best: int) -> Fraction:
    """Mean of the smallest values of after(h - x + u), u in U."""
    values = sorted(seen.after(ten | {card}, seen.thrown_after(ten | {card}, drawn=card)) for card in seen.unseen)[:best]
    return Fraction(sum(values), len(values))


def opponents_value(seen: Seen, card: str, one_gone: float, both: str = "instead", self_counts: str = "no") -> Fraction:
    """oppEV(x). both: -10 for both neighbours `instead` of -5 for each, or `besides`; self_counts: whether x is one of those gone."""
    total = Fraction(0)

    def gone(other: str | None) -> bool:
        return other is None or other not in seen.unseen | seen.known

    neighbours, two_away = [beside(card, -1), beside(card, 1)], [beside(card, -2), beside(card, 2)]
    lost = sum(map(gone, neighbours))
    total -= 10 if lost == 2 and both == "instead" else 5 * lost + (10 if lost == 2 else 0)
    total -= 3 * sum(map(gone, two_away))
    low2, low1, high1, high2 = (beside(card, steps) in seen.known for steps in (-2, -1, 1, 2))
    total += 20 if (low2 and low1) or (low1 and high1) or (high1 and high2) else 0
    total += 5 * (low1 + high1) + 3 * (low2 + high2)
    mates = [other for other in near(card) if other[0] == card[0]]
    missing = sum(map(gone, mates)) + (self_counts == "yes")
    total += {0: Fraction(0), 1: Fraction(one_gone), 2: Fraction(-4)}.get(missing, Fraction(-10))
    return total + (20 if sum(mate in seen.known for mate in mates) >= 2 else 0)
