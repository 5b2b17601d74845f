"""Take policies (elementary.md, bots.md in docs) as sets of actions: 0 stock, 1 take, 2 pass."""

from .discard import hits_of
from .seen import Seen


def answer(seen: Seen, wanted: bool) -> set[int]:
    """Return the action: take the card if wanted, else pass if possible, else draw."""
    if wanted:
        return {1}
    return {2} if 2 in seen.legal else {0}


def never(seen: Seen) -> set[int]:
    return answer(seen, False)


def random(seen: Seen, p: float = 0.5) -> set[int]:
    return answer(seen, True) | answer(seen, False) if 0 < p < 1 else answer(seen, p == 1)


def meld_any(seen: Seen) -> set[int]:
    """Take the card c if some meld inside h+c contains it."""
    return answer(seen, any(seen.offer in meld for meld in seen.melds(seen.hand | {seen.offer})))


def meld_best(seen: Seen) -> set[int]:
    """Take the card c if some least-deadwood melding of h+c contains it in a meld."""
    meldings = seen.loose(seen.hand | {seen.offer})
    return answer(seen, any(seen.offer not in loose for loose in meldings))


def meld_best_lower(seen: Seen) -> set[int]:
    """Take the card if both `meld_best` and `lower` take it."""
    return answer(seen, meld_best(seen) == {1} == lower(seen))


def knock_or_meld(seen: Seen) -> set[int]:
    """Take the card if that allows a legal knock, or if `meld_best` takes it."""
    eleven = seen.hand | {seen.offer}
    knocks = seen.after(eleven, seen.thrown_after(eleven, taken=seen.offer)) <= seen.limit
    return answer(seen, knocks or meld_best(seen) == {1})


def lower(seen: Seen) -> set[int]:
    """Take the card c if after(h+c) < dw(h)."""
    eleven = seen.hand | {seen.offer}
    after = seen.after(eleven, seen.thrown_after(eleven, taken=seen.offer))
    return answer(seen, after < seen.count(seen.hand))


def value(seen: Seen, by: str = "deadwood") -> set[int]:
    """Take the card if the best value after taking beats the mean best after drawing u in U."""

    def best(card: str, unseen: frozenset[str], **drawn: str) -> int:
        eleven = seen.hand | {card}
        tens = [eleven - {thrown} for thrown in seen.thrown_after(eleven, **drawn)]
        if by == "deadwood":
            return min(map(seen.count, tens))
        return -max(hits_of(seen, ten, unseen) for ten in tens)

    draws = [best(card, seen.unseen - {card}, drawn=card) for card in seen.unseen]
    return answer(seen, best(seen.offer, seen.unseen, taken=seen.offer) * len(draws) < sum(draws))
