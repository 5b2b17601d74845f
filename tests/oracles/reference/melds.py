"""Find the melds, the deadwood and the melding to show of a hand (rules.md 2 and 3).

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
RUN_RANK_ORDERS = {"low": RANKS, "high_or_low": RANKS + "A", "corner": RANKS + RANKS}

MAX_CACHED_HANDS = 50_000  # number of cached hands, because a deal needs each many times

# Every set of the pack by rank, its cards in suit order.
SETS_BY_RANK = {
    rank: [
        cards for size in (3, 4) for cards in combinations([rank + suit for suit in SUITS], size)
    ]
    for rank in RANKS
}


# --- rules.md 2: card values ----------


@cache
def _compute_card_values(pip_values: str, ace_value: int) -> dict[str, int]:
    values = {}
    for card in PACK:
        pip = RANKS.index(card[0]) + 1
        middle = 5 if pip_values == "five_ten" else pip
        values[card] = ace_value if pip == 1 else 10 if pip >= 10 else middle
    return values


def get_card_values(params: dict, role: str = "knocker") -> dict[str, int]:
    """Return the deadwood value of every card for the knocker or the defender (rules.md 2)."""
    ace = params["ace_value"] if role == "knocker" else params["defender_ace_value"]
    return _compute_card_values(params["pip_values"], ace)


# --- rules.md 3.1: melds ----------


def _list_longest_run(card: str, ace_runs: str) -> list[str]:
    """Return the longest run of cards that begins with `card`, up to 13 (rules.md 3.1)."""
    start = RANKS.index(card[0])
    return [rank + card[1] for rank in RUN_RANK_ORDERS[ace_runs][start : start + 13]]


def _has_alternating_colours(suits: tuple[str, ...]) -> bool:
    """Return True if the suits alternate between black and red (rules.md 3.1)."""
    black = [suit in "SC" for suit in suits]
    return all(a != b for a, b in pairwise(black))


def _list_rainbows_from(card: str, ace_runs: str) -> list[tuple[str, ...]]:
    """Return the rainbows that begin with a card: four suits in alternating colours."""
    ranks = [other[0] for other in _list_longest_run(card, ace_runs)[:4]]
    if len(ranks) < 4:
        return []
    orders = [
        suits
        for suits in permutations(SUITS)
        if suits[0] == card[1] and _has_alternating_colours(suits)
    ]
    return [tuple(rank + suit for rank, suit in zip(ranks, suits, strict=True)) for suits in orders]


LONGEST_RUNS = {
    ace_runs: {card: _list_longest_run(card, ace_runs) for card in PACK}
    for ace_runs in RUN_RANK_ORDERS
}
RAINBOWS_BY_FIRST_CARD = {
    ace_runs: {card: _list_rainbows_from(card, ace_runs) for card in PACK}
    for ace_runs in RUN_RANK_ORDERS
}


def _find_sets(hand: frozenset[str]) -> list[tuple[str, ...]]:
    ranks = [card[0] for card in hand]
    return [
        meld
        for rank, melds in SETS_BY_RANK.items()
        if ranks.count(rank) >= 3
        for meld in melds
        if hand.issuperset(meld)
    ]


def _find_runs(hand: frozenset[str], ace_runs: str) -> list[tuple[str, ...]]:
    melds = []
    for card in hand:
        run: list[str] = []
        for following in LONGEST_RUNS[ace_runs][card]:
            if following not in hand:
                break
            run.append(following)
            if len(run) >= 3:
                melds.append(tuple(run))
    return melds


def _find_rainbows(hand: frozenset[str], ace_runs: str) -> list[tuple[str, ...]]:
    return [
        meld
        for card in hand
        for meld in RAINBOWS_BY_FIRST_CARD[ace_runs][card]
        if hand.issuperset(meld)
    ]


def find_melds(hand: Iterable[str], params: dict) -> list[tuple[str, ...]]:
    """Return every meld in a hand (rules.md 3.1)."""
    return list(_find_melds(frozenset(hand), params["ace_runs"], params["rainbow"]))


@lru_cache(MAX_CACHED_HANDS)
def _find_melds(hand: frozenset[str], ace_runs: str, rainbow: bool) -> list[tuple[str, ...]]:
    melds = _find_sets(hand) + _find_runs(hand, ace_runs)
    return melds + _find_rainbows(hand, ace_runs) if rainbow else melds


def list_all_melds(params: dict) -> set[frozenset[str]]:
    """Return every meld of the pack as a set of cards (rules.md 3.1)."""
    return {frozenset(meld) for meld in find_melds(PACK, params)}


# Sets and runs of the pack. Rainbows are left out: nothing can be added to one (rules.md 3.7).
SETS_AND_RUNS = {
    ace_runs: list_all_melds({"ace_runs": ace_runs, "rainbow": False})
    for ace_runs in RUN_RANK_ORDERS
}


def is_extendable_by(meld: Iterable[str], cards: Iterable[str], params: dict) -> bool:
    """Return True if the meld with the additional cards is a set or a run (rules.md 3.7)."""
    return frozenset(meld).union(cards) in SETS_AND_RUNS[params["ace_runs"]]


# --- rules.md 3.2: meldings and deadwood ----------


def iter_meldings(melds: list[tuple[str, ...]]) -> Iterator[list[tuple[str, ...]]]:
    """Yield every melding, that is, every selection of disjoint melds (rules.md 3.2)."""
    yield []
    for i, meld in enumerate(melds):
        rest = [other for other in melds[i + 1 :] if set(meld).isdisjoint(other)]
        for melding in iter_meldings(rest):
            yield [meld, *melding]


def find_unmatched_cards(hand: Iterable[str], melding: Iterable[Iterable[str]]) -> list[str]:
    melded = {card for meld in melding for card in meld}
    return [card for card in hand if card not in melded]


def _compute_max_melded_value(melds: list[tuple[frozenset[str], int]]) -> int:
    """Return the largest total value of disjoint melds, each given as (cards, value)."""
    best = 0
    for i, (meld, value) in enumerate(melds):
        rest = [other for other in melds[i + 1 :] if meld.isdisjoint(other[0])]
        best = max(best, value + _compute_max_melded_value(rest))
    return best


def compute_deadwood(hand: Iterable[str], params: dict, role: str = "knocker") -> int:
    """Return the least deadwood over all meldings of the hand (rules.md 3.2)."""
    ace = params["ace_value"] if role == "knocker" else params["defender_ace_value"]
    return _compute_deadwood(
        frozenset(hand), params["ace_runs"], params["rainbow"], params["pip_values"], ace
    )


@lru_cache(MAX_CACHED_HANDS)
def _compute_deadwood(
    hand: frozenset[str], ace_runs: str, rainbow: bool, pip_values: str, ace_value: int
) -> int:
    values = _compute_card_values(pip_values, ace_value)
    melds = [
        (frozenset(meld), sum([values[card] for card in meld]))
        for meld in _find_melds(hand, ace_runs, rainbow)
    ]
    return sum([values[card] for card in hand]) - _compute_max_melded_value(melds)


def format_melds(melding: Iterable[Iterable[str]]) -> list[str]:
    """Return the melds of a melding as strings in ASCII order (rules.md 3.5, item 4)."""
    return sorted(" ".join(meld) for meld in melding)


def sort_melds(melding: Iterable[Iterable[str]]) -> list[list[str]]:
    return [text.split() for text in format_melds(melding)]


def find_optimal_meldings(
    hand: Iterable[str], params: dict, role: str = "knocker"
) -> list[list[list[str]]]:
    """Return all meldings with the least deadwood (rules.md 3.2)."""
    hand = list(hand)
    values = get_card_values(params, role)
    meldings = iter_meldings(find_melds(hand, params))
    with_deadwood = [
        (sum(values[c] for c in find_unmatched_cards(hand, melding)), melding)
        for melding in meldings
    ]
    least = min(deadwood_left for deadwood_left, _ in with_deadwood)
    return sorted(
        sort_melds(melding) for deadwood_left, melding in with_deadwood if deadwood_left == least
    )


# --- rules.md 3.3, 3.5, 3.6: the meldings that permit an ending, and the one shown ----------


def find_permitted_meldings(
    hand: Iterable[str],
    params: dict,
    *,
    limit: int | None = None,
    taken_card: str | None = None,
    required_ranks: Iterable[str] | None = None,
) -> list[list[tuple[str, ...]]]:
    """Return the meldings of a hand with which the knocker may end the deal.

    Args:
        hand: Cards of the knocker.
        params: Rule parameters.
        limit: Maximum deadwood (gin and knock, rules.md 3.3).
        taken_card: A card that must be in a meld if take_to_knock = melded (rules.md 3.3).
        required_ranks: Ranks of the unmatched cards (the shot, rules.md 3.6); [] for big gin.
    """
    hand = list(hand)
    values = get_card_values(params)
    if limit is not None and compute_deadwood(hand, params) > limit:
        return []  # no melding leaves less
    required_card = taken_card if params.get("take_to_knock") == "melded" else None
    sorted_ranks = None if required_ranks is None else sorted(required_ranks)
    meldings = []
    for melding in iter_meldings(find_melds(hand, params)):
        unmatched = find_unmatched_cards(hand, melding)
        if limit is not None and sum(values[card] for card in unmatched) > limit:
            continue
        if sorted_ranks is not None and sorted(card[0] for card in unmatched) != sorted_ranks:
            continue
        if required_card is not None and not any(required_card in meld for meld in melding):
            continue
        meldings.append(melding)
    return meldings


@cache
def _find_extension_cards(meld: tuple[str, ...], ace_runs: str) -> frozenset[str]:
    """Return the cards that could be laid off on a meld (rules.md 3.7)."""
    return frozenset(
        card
        for card in PACK
        if card not in meld and is_extendable_by(meld, [card], {"ace_runs": ace_runs})
    )


def find_extension_cards(
    melding: Iterable[tuple[str, ...]], known_cards: set[str], params: dict
) -> set[str]:
    """Return the cards, except known cards, that could be laid off on a melding."""
    return {
        card for meld in melding for card in _find_extension_cards(meld, params["ace_runs"])
    } - known_cards


def sort_permitted_meldings(
    hand: Iterable[str],
    discard: str | None,
    params: dict,
    *,
    limit: int | None = None,
    taken_card: str | None = None,
    required_ranks: Iterable[str] | None = None,
) -> list[list[list[str]]]:
    """Return the permitted meldings, best first (rules.md 3.5)."""
    hand = list(hand)
    values = get_card_values(params)
    known = set(hand) if discard is None else {*hand, discard}

    def sort_key(melding: list[tuple[str, ...]]) -> tuple:
        deadwood_left = sum(values[card] for card in find_unmatched_cards(hand, melding))
        return (
            deadwood_left,
            len(find_extension_cards(melding, known, params)),
            len(melding),
            format_melds(melding),
        )

    meldings = find_permitted_meldings(
        hand, params, limit=limit, taken_card=taken_card, required_ranks=required_ranks
    )
    return [sort_melds(melding) for melding in sorted(meldings, key=sort_key)]


def find_shown_melding(
    hand: Iterable[str], discard: str | None, params: dict, **conditions
) -> list[list[str]] | None:
    """Return the melding shown with melding = auto, or None if no melding is permitted."""
    return next(iter(sort_permitted_meldings(hand, discard, params, **conditions)), None)
