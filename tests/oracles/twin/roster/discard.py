"""Discard policies (elementary.md, bots.md in docs) as sets of acceptable cards."""

from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from ..melds import all_melds
from .seen import KEYS, Seen, beside, near, rank

LOW = ("low", False, "face", 1)  # runs ahead are those of the common game
ROUNDING = Fraction(
    1, 10**9
)  # scores as close as this are equal: the policies reckon in floating point


def least(scores: dict[str, Iterable]) -> set[str]:
    """The cards that may have the least score, of all scores that the description allows each."""
    low = {card: min(some) for card, some in scores.items()}
    high = {card: max(some) for card, some in scores.items()}
    return {
        card
        for card in scores
        if all(low[card] <= high[other] + ROUNDING for other in scores if other != card)
    }


def exactly_least(scores: dict[str, tuple]) -> set[str]:
    """The cards with the least score, of scores that are known exactly."""
    return {card for card in scores if scores[card] == min(scores.values())}


def low(seen: Seen, tie: str = "high") -> set[str]:
    """Least deadwood; ties: dearest pip, any of them, or the rank with fewest three-card melds."""
    ties = {"high": lambda card: -seen.pip(card), "random": lambda card: 0}
    through = {**ties, "middle": melds_through_rank}[tie]
    counts = {card: seen.count(seen.hand - {card}) for card in seen.legal}
    return exactly_least({card: (counts[card], through(card)) for card in counts})


def uniform(seen: Seen) -> set[str]:
    return set(seen.legal)


def loose_high(seen: Seen) -> set[str]:
    """The dearest loose card of any best melding of the eleven; without one, the dearest card."""
    chosen = set()
    for loose in seen.loose(seen.hand):
        legal = loose & seen.legal or seen.legal
        chosen |= exactly_least({card: -seen.pip(card) for card in legal})
    return chosen


def melds_through_rank(card: str) -> int:
    """A K 4, 2 Q 5, 3..J 6."""
    return {0: 4, 12: 4, 1: 5, 11: 5}.get(rank(card), 6)


def simple(seen: Seen) -> set[str]:
    """Least deadwood among cards that repeat no pair {drawn, discarded} of an earlier own turn."""
    drawn = seen.taken or seen.drawn
    earlier = [{drew, threw} for seat, drew, threw in seen.history if seat == seen.seat]
    candidates = {card for card in seen.legal if {drawn, card} not in earlier} or seen.legal
    return exactly_least({card: seen.count(seen.hand - {card}) for card in candidates})


def hits(seen: Seen, keep_pairs: bool = False) -> set[str]:
    """Most hits of the kept hand, then least deadwood; keep_pairs: runs of two are kept."""
    legal = seen.legal
    if keep_pairs:
        neighbours = {card for card in seen.hand if {beside(card, -1), beside(card, 1)} & seen.hand}
        legal = legal - neighbours or legal
    kept = {card: seen.hand - {card} for card in legal}
    return exactly_least(
        {card: (-hits_of(seen, ten, seen.unseen), seen.count(ten)) for card, ten in kept.items()}
    )


def hits_of(seen: Seen, ten: frozenset[str], unseen: frozenset[str]) -> int:
    """hits(h): the u in U that would be in some meld of h + u."""
    return sum(any(card in meld for meld in seen.melds(ten | {card})) for card in unseen)


def danger(seen: Seen, known: float = 2, unseen: float = 1, shed: float = 2) -> set[str]:
    """Least of (deadwood, danger, -pip), in this order."""

    def score(card: str) -> tuple:
        close = near(card)
        weighed = ((known, seen.known), (unseen, seen.unseen), (-shed, seen.shed))
        danger = sum(Fraction(weight) * len(cards & close) for weight, cards in weighed)
        return seen.count(seen.hand - {card}), danger, -seen.pip(card)

    return exactly_least({card: score(card) for card in seen.legal})


def conv(seen: Seen, w1: float, w2: float, w3: float) -> set[str]:
    """Least share in the neighbour sum over the whole hand."""

    def share(card: str) -> Fraction:
        others = seen.hand - {card}
        same = sum(other[0] == card[0] for other in others)
        one, two = (len(others & {beside(card, -steps), beside(card, steps)}) for steps in (1, 2))
        return Fraction(w1) * same + Fraction(w2) * one + Fraction(w3) * two

    return least({card: [share(card)] for card in seen.legal})


# 2.10, alpha


def alpha(seen: Seen, a: float = 1, fade: float = 0, floor: float = 0) -> set[str]:
    """Least a * structure lost + (1 - a) * deadwood left, uniform version."""
    faded = max(floor, a * (1 - ((seen.turn_of_both - 1) / fade) ** 0.5)) if fade else a
    share = Fraction(faded)

    def score(card: str) -> Fraction:
        return share * structure(seen, card) + (1 - share) * seen.count(seen.hand - {card})

    return least({card: [score(card)] for card in seen.legal})


def structure(seen: Seen, card: str) -> Fraction:
    """Over partners and the cards that make a meld of the two: 1 - q^4, or 3 if held already."""
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
    """All three-card melds of the pack."""
    return frozenset(
        meld for meld in all_melds(dict(zip(KEYS, rules, strict=True))) if len(meld) == 3
    )


# 2.11, mmd


def mmd(seen: Seen, reach: float = 0.85, hold: float = 1) -> set[str]:
    """Least value of the kept hand."""
    kept = {card: seen.hand - {card} for card in seen.legal}
    return least({card: hand_value(seen, kept[card], seen.unseen, reach, hold) for card in kept})


def hand_value(
    seen: Seen, ten: frozenset[str], unseen: frozenset[str], c1: float, c2: float
) -> set[Fraction]:
    """dw(h) - c1 * Reach(h) - c2 * Hold(h), for every choice of the loose cards."""
    rest = seen.count(ten) - Fraction(c2) * hold(seen, ten, unseen)
    return {rest - Fraction(c1) * reach(seen, ten, loose, unseen) for loose in seen.loose(ten)}


def reach(
    seen: Seen, ten: frozenset[str], loose: frozenset[str], unseen: frozenset[str]
) -> Fraction:
    """Sum over loose c of pip(c) * (melds of c in h + u, u in U) / size of U."""
    lacking = [(meld, meld - ten) for meld in all_melds_of(LOW)]
    made = [meld for meld, lack in lacking if len(lack) == 1 and lack <= unseen]
    return Fraction(sum(seen.pip(c) for meld in made for c in meld & loose), len(unseen))


def hold(seen: Seen, ten: frozenset[str], unseen: frozenset[str]) -> Fraction:
    """Credit for every card of h that is the only one of h in a meld with a card of P.

    Melds that need a card seen elsewhere do not count. The card itself is another that the opponent
    would have to be dealt, and declining is not discarding.
    """
    total = Fraction(0)
    thrown = {card[0] for card in seen.his}
    for meld in all_melds_of(LOW):
        own, theirs = meld & ten, meld & seen.known
        wanted = len(own) == 1 and theirs and not _rank_of_set(meld) & thrown
        if wanted and meld <= own | seen.known | unseen:
            total += seen.pip(*own) * Fraction(1, len(unseen)) ** (len(meld) - len(theirs))
    return total


def _rank_of_set(meld: frozenset[str]) -> set[str]:
    """The rank of a set; nothing for a run."""
    ranks = {card[0] for card in meld}
    return ranks if len(ranks) == 1 else set()


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
    **values: float,
) -> set[str]:
    """Among dear loose cards least deadwood + weighted best next counts + use to the opponent."""
    ahead = Fraction(weight) * Fraction(decay) ** (seen.turn - 1)

    def score(card: str) -> Fraction:
        ten = seen.hand - {card}
        his = opponents_value(seen, card, one_gone=one_gone, **values)
        return seen.count(ten) + ahead * mean_of_best(seen, ten, best) + his

    choices = candidates_of(seen, window)
    return set().union(*(least({card: [score(card)] for card in some}) for some in choices))


def candidates_of(seen: Seen, window: float) -> list[set[str]]:
    """By best melding, loose cards with pip within `window` of the dearest, else all legal."""
    found = []
    for loose in seen.loose(seen.hand):
        legal = loose & seen.legal
        dearest = max(map(seen.pip, legal), default=0)
        dear = {card for card in legal if seen.pip(card) >= dearest - window}
        found.append(dear or set(seen.legal))
    return found


def mean_of_best(seen: Seen, ten: frozenset[str], best: int) -> Fraction:
    """Mean of the smallest values of after(h - x + u), u in U."""
    values = sorted(
        seen.after(ten | {card}, seen.thrown_after(ten | {card}, drawn=card))
        for card in seen.unseen
    )[: int(best)]
    return Fraction(sum(values), len(values))


def opponents_value(
    seen: Seen,
    card: str,
    one_gone: float = 4,
    no_run: float = -10,
    next_gone: float = -5,
    far_gone: float = -3,
    run: float = 20,
    next: float = 5,
    far: float = 3,
    no_set: float = -10,
    two_gone: float = -4,
    set: float = 20,
) -> Fraction:
    """oppEV(x), as the policy's parameters define it.

    no_run and run replace the worth of each card. No card is below an ace or right above a king;
    above a queen the king counts as missing, but the card two above does not, as in the original.
    """
    around = {steps: beside(card, steps) for steps in (-2, -1, 1, 2)}
    lost = {
        steps: other is None or other not in seen.unseen | seen.known
        for steps, other in around.items()
    }
    lost[1], lost[2] = lost[1] or card[0] == "Q", lost[2] and around[2] is not None
    his = {steps: other in seen.known for steps, other in around.items()}
    total = _in_runs(lost, no_run, next_gone, far_gone) + _in_runs(his, run, next, far)
    mates = [other for other in near(card) if other[0] == card[0]]
    gone = sum(mate not in seen.unseen | seen.known for mate in mates)
    total += Fraction({0: one_gone, 1: two_gone}.get(gone, no_set))
    return total + (Fraction(set) if sum(mate in seen.known for mate in mates) >= 2 else 0)


def _in_runs(these: dict[int, bool], both: float, one: float, two: float) -> Fraction:
    """`both` for a neighbour on one side and a card on the other; else each card by itself."""
    if (these[-1] and (these[1] or these[2])) or (these[1] and (these[-1] or these[-2])):
        return Fraction(both)
    return Fraction(one) * (these[-1] + these[1]) + Fraction(two) * (these[-2] + these[2])
