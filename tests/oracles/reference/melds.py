"""Cards, melds, deadwood and the melding shown (rules.md 2, 3.1, 3.2, 3.5).

Everything is found by listing: the melds contained in a hand, then every family of disjoint melds.
"""

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import combinations, pairwise, permutations

RANKS = "A23456789TJQK"
SUITS = "SHDC"  # the suit order of card strings, rules.md 3.5
PACK = tuple(rank + suit for suit in SUITS for rank in RANKS)

# rules.md 3.1: the ranks a run may go through, upward. "high_or_low" has the ace at both ends,
# "corner" is the circle, cut open twice round.
LINE = {"low": RANKS, "high_or_low": RANKS + "A", "corner": RANKS + RANKS}

REMEMBERED = 50_000  # number of cached hands, because a deal needs each many times

# Every set of the pack, its cards in suit order.
SETS = [
    cards
    for rank in RANKS
    for size in (3, 4)
    for cards in combinations([rank + suit for suit in SUITS], size)
]


# --- rules.md 2: card values ----------


@cache
def _values(pip_values: str, ace_value: int) -> dict[str, int]:
    values = {}
    for card in PACK:
        pip = RANKS.index(card[0]) + 1
        middle = 5 if pip_values == "five_ten" else pip
        values[card] = ace_value if pip == 1 else 10 if pip >= 10 else middle
    return values


def card_values(row: dict, side: str = "stopper") -> dict[str, int]:
    """Return the deadwood value of every card, by side; only the ace can differ (rules.md 2)."""
    ace = row["ace_value"] if side == "stopper" else row["defender_ace_value"]
    return _values(row["pip_values"], ace)


# --- rules.md 3.1: melds ----------


def _chain(card: str, ace_runs: str) -> list[str]:
    """Return the cards of a run from `card` upward, at most 13 (rules.md 3.1)."""
    start = RANKS.index(card[0])
    return [rank + card[1] for rank in LINE[ace_runs][start : start + 13]]


def _alternate(suits: tuple[str, ...]) -> bool:
    """Return True if the colours alternate, BRBR or RBRB (rules.md 3.1)."""
    black = [suit in "SC" for suit in suits]
    return all(a != b for a, b in pairwise(black))


def _rainbows_from(card: str, ace_runs: str) -> list[tuple[str, ...]]:
    """Return the rainbows (rules.md 3.1) up from `card`: four suits with alternating colours."""
    ranks = [other[0] for other in _chain(card, ace_runs)[:4]]
    if len(ranks) < 4:
        return []
    orders = [suits for suits in permutations(SUITS) if suits[0] == card[1] and _alternate(suits)]
    return [tuple(rank + suit for rank, suit in zip(ranks, suits, strict=True)) for suits in orders]


CHAINS = {ace_runs: {card: _chain(card, ace_runs) for card in PACK} for ace_runs in LINE}
RAINBOWS = {ace_runs: {card: _rainbows_from(card, ace_runs) for card in PACK} for ace_runs in LINE}


def _sets(held: frozenset[str]) -> list[tuple[str, ...]]:
    return [meld for meld in SETS if held.issuperset(meld)]


def _runs(held: frozenset[str], ace_runs: str) -> list[tuple[str, ...]]:
    melds = []
    for card in held:
        run: list[str] = []
        for following in CHAINS[ace_runs][card]:
            if following not in held:
                break
            run.append(following)
            if len(run) >= 3:
                melds.append(tuple(run))
    return melds


def _rainbows(held: frozenset[str], ace_runs: str) -> list[tuple[str, ...]]:
    return [meld for card in held for meld in RAINBOWS[ace_runs][card] if held.issuperset(meld)]


def melds_in(hand: Iterable[str], row: dict) -> list[tuple[str, ...]]:
    """Return every meld in the hand in text order (rules.md 3.5)."""
    return list(_melds_in(frozenset(hand), row["ace_runs"], row["rainbow"]))


@lru_cache(REMEMBERED)
def _melds_in(held: frozenset[str], ace_runs: str, rainbow: bool) -> list[tuple[str, ...]]:
    melds = _sets(held) + _runs(held, ace_runs)
    return melds + _rainbows(held, ace_runs) if rainbow else melds


def all_melds(row: dict) -> set[frozenset[str]]:
    """Return every meld of the pack as a set of cards (rules.md 3.1)."""
    return {frozenset(meld) for meld in melds_in(PACK, row)}


# Sets and runs of the pack. Rainbows are left out: nothing can be added to one (rules.md 3.7).
SETS_AND_RUNS = {ace_runs: all_melds({"ace_runs": ace_runs, "rainbow": False}) for ace_runs in LINE}


def extends(meld: Iterable[str], extra: Iterable[str], row: dict) -> bool:
    """Return True if the meld with the extra cards is a valid meld of its kind (rules.md 3.7)."""
    return frozenset(meld).union(extra) in SETS_AND_RUNS[row["ace_runs"]]


# --- rules.md 3.2: meldings and deadwood ----------


def families(melds: list[tuple[str, ...]]) -> Iterator[list[tuple[str, ...]]]:
    """Yield every family of disjoint melds of the list, the empty family first (rules.md 3.2)."""
    yield []
    for number, meld in enumerate(melds):
        rest = [other for other in melds[number + 1 :] if set(meld).isdisjoint(other)]
        for family in families(rest):
            yield [meld, *family]


def left_over(hand: Iterable[str], family: Iterable[Iterable[str]]) -> list[str]:
    melded = {card for meld in family for card in meld}
    return [card for card in hand if card not in melded]


def _most_saved(options: list[tuple[frozenset[str], int]]) -> int:
    """Return the largest total value of disjoint melds, given as (cards, value)."""
    most = 0
    for number, (meld, saved) in enumerate(options):
        rest = [option for option in options[number + 1 :] if meld.isdisjoint(option[0])]
        most = max(most, saved + _most_saved(rest))
    return most


def deadwood(hand: Iterable[str], row: dict, side: str = "stopper") -> int:
    """Return the least deadwood over all meldings of the hand (rules.md 3.2)."""
    ace = row["ace_value"] if side == "stopper" else row["defender_ace_value"]
    return _deadwood(frozenset(hand), row["ace_runs"], row["rainbow"], row["pip_values"], ace)


@lru_cache(REMEMBERED)
def _deadwood(
    held: frozenset[str], ace_runs: str, rainbow: bool, pip_values: str, ace_value: int
) -> int:
    values = _values(pip_values, ace_value)
    options = [
        (frozenset(meld), sum([values[card] for card in meld]))
        for meld in _melds_in(held, ace_runs, rainbow)
    ]
    return sum([values[card] for card in held]) - _most_saved(options)


def texts(family: Iterable[Iterable[str]]) -> list[str]:
    """Return the names of the melds of a melding in ASCII order (rules.md 3.5, item 4)."""
    return sorted(" ".join(meld) for meld in family)


def in_text_order(family: Iterable[Iterable[str]]) -> list[list[str]]:
    return [text.split() for text in texts(family)]


def optimal_meldings(
    hand: Iterable[str], row: dict, side: str = "stopper"
) -> list[list[list[str]]]:
    """Return all meldings with least deadwood (rules.md 3.2), short runs and long ones apart."""
    hand = list(hand)
    values = card_values(row, side)
    every = families(melds_in(hand, row))
    counted = [(sum(values[c] for c in left_over(hand, family)), family) for family in every]
    least = min(count for count, _ in counted)
    return sorted(in_text_order(family) for count, family in counted if count == least)


# --- rules.md 3.3, 3.5, 3.6: the meldings that permit an ending, and the one shown ----------


def permitted(
    hand: Iterable[str],
    row: dict,
    *,
    limit: int | None = None,
    taken: str | None = None,
    demanded: Iterable[str] | None = None,
) -> list[list[tuple[str, ...]]]:
    """Return the meldings of the knocker's cards that meet every condition.

    Args:
        hand: Cards of the knocker.
        row: Rules.
        limit: Maximum deadwood (gin and knock, rules.md 3.3).
        taken: A card that must be in a meld if take_to_knock = melded (rules.md 3.3).
        demanded: Ranks of the unmatched cards (the shot, rules.md 3.6); [] for big gin.
    """
    hand = list(hand)
    values = card_values(row)
    if limit is not None and deadwood(hand, row) > limit:
        return []  # no melding leaves less
    must_be_melded = taken if row.get("take_to_knock") == "melded" else None
    wanted = None if demanded is None else sorted(demanded)
    found = []
    for family in families(melds_in(hand, row)):
        left = left_over(hand, family)
        if limit is not None and sum(values[card] for card in left) > limit:
            continue
        if wanted is not None and sorted(card[0] for card in left) != wanted:
            continue
        if must_be_melded is not None and not any(must_be_melded in meld for meld in family):
            continue
        found.append(family)
    return found


@cache
def _direct(meld: tuple[str, ...], ace_runs: str) -> frozenset[str]:
    """Return the cards that could be laid off on a meld as it is shown (rules.md 3.7)."""
    return frozenset(
        card for card in PACK if card not in meld and extends(meld, [card], {"ace_runs": ace_runs})
    )


def extension_cards(family: Iterable[tuple[str, ...]], known: set[str], row: dict) -> set[str]:
    """Return cards outside `known` that can be laid off directly (rules.md 3.5, item 2)."""
    return {card for meld in family for card in _direct(meld, row["ace_runs"])} - known


def showable(
    hand: Iterable[str],
    discard: str | None,
    row: dict,
    *,
    limit: int | None = None,
    taken: str | None = None,
    demanded: Iterable[str] | None = None,
) -> list[list[list[str]]]:
    """Return the meldings of `permitted` in the order of rules.md 3.5; `discard` ends the deal."""
    hand = list(hand)
    values = card_values(row)
    known = set(hand) if discard is None else {*hand, discard}

    def preference(family: list[tuple[str, ...]]) -> tuple:
        count = sum(values[card] for card in left_over(hand, family))
        return count, len(extension_cards(family, known, row)), len(family), texts(family)

    choices = permitted(hand, row, limit=limit, taken=taken, demanded=demanded)
    return [in_text_order(family) for family in sorted(choices, key=preference)]


def shown(
    hand: Iterable[str], discard: str | None, row: dict, **conditions
) -> list[list[str]] | None:
    """Return the melding shown if melding = auto, the first of `showable`; None without one."""
    return next(iter(showable(hand, discard, row, **conditions)), None)
