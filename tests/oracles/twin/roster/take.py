"""Take policies (elementary.md, bots.md in docs) as sets of answers: 0 stock, 1 take, 2 pass."""

from collections.abc import Callable, Iterable
from fractions import Fraction

from .discard import hand_value, hits_of
from .seen import Seen

# Of ten cards, with these unseen: all values it may be given
Worth = Callable[[frozenset[str], frozenset[str]], Iterable]


def answer(seen: Seen, wanted: bool) -> set[int]:
    """Take, or else pass where that is a choice, or else draw from the stock."""
    if wanted:
        return {1}
    return {2} if 2 in seen.legal else {0}


def never(seen: Seen) -> set[int]:
    return answer(seen, False)


def random(seen: Seen, p: float = 0.5) -> set[int]:
    """With probability p."""
    return answer(seen, True) | answer(seen, False) if 0 < p < 1 else answer(seen, p == 1)


def meld_any(seen: Seen) -> set[int]:
    """Some meld inside h+c contains c."""
    return answer(seen, any(seen.offer in meld for meld in seen.melds(seen.hand | {seen.offer})))


def meld_best(seen: Seen) -> set[int]:
    """Some least-deadwood melding of h+c contains c in a meld."""
    meldings = seen.loose(seen.hand | {seen.offer})
    return answer(seen, any(seen.offer not in loose for loose in meldings))


def meld_best_lower(seen: Seen) -> set[int]:
    """Both, else not."""
    return answer(seen, meld_best(seen) == {1} == lower(seen))


def knock_or_meld(seen: Seen) -> set[int]:
    """Taking allows a legal knock, or `meld_best`."""
    eleven = seen.hand | {seen.offer}
    knocks = seen.after(eleven, seen.thrown_after(eleven, taken=seen.offer)) <= seen.limit
    return answer(seen, knocks or meld_best(seen) == {1})


def lower(seen: Seen) -> set[int]:
    """after(h+c) < dw(h), strictly."""
    eleven = seen.hand | {seen.offer}
    after = seen.after(eleven, seen.thrown_after(eleven, taken=seen.offer))
    return answer(seen, after < seen.count(seen.hand))


def value(seen: Seen, by: str = "deadwood") -> set[int]:
    """The best value after taking beats the mean of the best after drawing u, over all u in U."""
    if by == "deadwood":
        return _value(seen, lambda ten, unseen: [seen.count(ten)])
    return _value(seen, lambda ten, unseen: [-hits_of(seen, ten, unseen)])


def mmd(seen: Seen, reach: float = 0.85, hold: float = 1) -> set[int]:
    """The same with the hand value of `discard.hand_value`."""
    return _value(seen, lambda ten, unseen: hand_value(seen, ten, unseen, reach, hold))


def _value(seen: Seen, worth: Worth) -> set[int]:
    """Whether taking is worth less; both answers where melding or rounding would decide."""
    least, most = _best(seen, seen.offer, seen.unseen, worth, drawn=False)
    draws = [_best(seen, card, seen.unseen - {card}, worth, drawn=True) for card in seen.unseen]
    low, high = (Fraction(sum(draw[side] for draw in draws), len(draws)) for side in (0, 1))
    slack = Fraction(0 if isinstance(least, int) else 1, 10**9)
    answers = set()
    if least < high + slack:
        answers |= answer(seen, True)
    if most >= low - slack:
        answers |= answer(seen, False)
    return answers


def _best(seen: Seen, card: str, unseen: frozenset[str], worth: Worth, drawn: bool) -> tuple:
    """Bounds of the least value that ten of the eleven cards can have."""
    eleven = seen.hand | {card}
    legal = seen.thrown_after(eleven, **{"drawn" if drawn else "taken": card})
    values = [list(worth(eleven - {thrown}, unseen)) for thrown in legal]
    return min(map(min, values)), min(map(max, values))
