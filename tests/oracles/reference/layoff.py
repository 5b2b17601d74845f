"""The defender's deadwood after lay-offs (rules.md 3.7): the minimum over all ways."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .melds import SETS_AND_RUNS, deadwood, optimal_meldings


@dataclass
class LayOff:
    count: int  # the defender's count
    melds: list[list[str]]  # the defender's own melds in an optimal way
    laid_off: list[list[str]]  # the cards laid off in that way, one list for each meld shown


def additions(meld: Iterable[str], hand: Iterable[str], row: dict) -> list[frozenset[str]]:
    """Return every set of cards that extends the meld to a valid one, the empty set first."""
    meld, hand = frozenset(meld), frozenset(hand)
    larger = [
        whole for whole in SETS_AND_RUNS[row["ace_runs"]] if meld < whole and whole - meld <= hand
    ]
    return [frozenset(), *sorted((whole - meld for whole in larger), key=sorted)]


def _ways(
    choices: list[list[frozenset[str]]], used: frozenset[str]
) -> Iterator[list[frozenset[str]]]:
    """Return every disjoint choice of one addition for each meld."""
    if not choices:
        yield []
        return
    for extra in choices[0]:
        if used.isdisjoint(extra):
            for others in _ways(choices[1:], used | extra):
                yield [extra, *others]


def defender_count(shown_melds: Iterable[Iterable[str]], hand: Iterable[str], row: dict) -> LayOff:
    """Return the defender's least count and a way to it (rules.md 3.7)."""
    hand = list(hand)
    choices = [additions(meld, hand, row) for meld in shown_melds]
    best: tuple[int, list[str], list[frozenset[str]]] | None = None
    for way in _ways(choices, frozenset()):
        laid = frozenset().union(*way)
        kept = [card for card in hand if card not in laid]
        count = deadwood(kept, row, "defender")
        if best is None or count < best[0]:
            best = (count, kept, way)
    assert best is not None  # laying off nothing is always a way
    count, kept, way = best
    return LayOff(
        count, optimal_meldings(kept, row, "defender")[0], [sorted(extra) for extra in way]
    )
