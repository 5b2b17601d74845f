"""Find the lay-off that leaves the defender the least deadwood (rules.md 3.7)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .melds import SETS_AND_RUNS, compute_deadwood, find_optimal_meldings


@dataclass
class LayOff:
    """Best lay-off of the defender."""

    deadwood: int  # the defender's deadwood after the lay-off
    defender_melds: list[list[str]]  # the defender's own melds in an optimal way
    laid_off: list[list[str]]  # the cards laid off in that way, one list for each meld shown


def list_extensions(meld: Iterable[str], hand: Iterable[str], params: dict) -> list[frozenset[str]]:
    """Return the sets of cards of the hand that extend a meld, beginning with the empty set."""
    meld, hand = frozenset(meld), frozenset(hand)
    larger = [
        extended
        for extended in SETS_AND_RUNS[params["ace_runs"]]
        if meld < extended and extended - meld <= hand
    ]
    return [frozenset(), *sorted((extended - meld for extended in larger), key=sorted)]


def _iter_layoffs(
    extensions: list[list[frozenset[str]]], used_cards: frozenset[str]
) -> Iterator[list[frozenset[str]]]:
    """Yield every lay-off: one extension for each meld, with no card used twice."""
    if not extensions:
        yield []
        return
    for extension in extensions[0]:
        if used_cards.isdisjoint(extension):
            for others in _iter_layoffs(extensions[1:], used_cards | extension):
                yield [extension, *others]


def find_best_layoff(
    shown_melds: Iterable[Iterable[str]], hand: Iterable[str], params: dict
) -> LayOff:
    """Return a lay-off that leaves the defender the least deadwood (rules.md 3.7)."""
    hand = list(hand)
    extensions = [list_extensions(meld, hand, params) for meld in shown_melds]
    best: tuple[int, list[str], list[frozenset[str]]] | None = None
    for layoff in _iter_layoffs(extensions, frozenset()):
        laid_off = frozenset().union(*layoff)
        remaining = [card for card in hand if card not in laid_off]
        deadwood_left = compute_deadwood(remaining, params, "defender")
        if best is None or deadwood_left < best[0]:
            best = (deadwood_left, remaining, layoff)
    assert best is not None  # laying off nothing is always a way
    deadwood_left, remaining, layoff = best
    return LayOff(
        deadwood_left,
        find_optimal_meldings(remaining, params, "defender")[0],
        [sorted(extension) for extension in layoff],
    )
