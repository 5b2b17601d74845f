"""How many hands melds make up to the last card, counted over the whole pack."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from simgin.core import meldings
from simgin.core.cards import PACK
from simgin.core.deadwood import each_deadwood
from simgin.rules import variants
from simgin.rules.record import build_rules_from


@cache
def melds(ace_runs: str, rainbow: bool) -> np.ndarray:
    """Every meld of the pack (masks), as the engine finds them among all 52 cards."""
    found = np.zeros(1024, np.int64)
    own_rules = build_rules_from(
        {**variants.find("standard").row, "ace_runs": ace_runs, "rainbow": rainbow}
    )
    return _distinct(found[: meldings.melds_in(PACK, own_rules, found)])


def hands(every_meld: np.ndarray, size: int, own_rules: Any) -> int:
    """Number of hands of `size` cards that are unions of disjoint melds.

    Only those count whose deadwood the engine finds to be zero.
    """
    sizes = np.array([int(meld).bit_count() for meld in every_meld])
    unions = []
    for parts in _parts(size):
        groups = [every_meld[sizes == part] for part in parts]
        unions.append(_unions(groups))
    found = _distinct(np.concatenate(unions))
    left = np.empty_like(found)
    each_deadwood(found, own_rules, 0, left)
    return int((left == 0).sum())


def _parts(size: int, least: int = 3) -> list[tuple[int, ...]]:
    """The ways to write a size as rising sizes of melds, at most three for eleven cards."""
    if size < least:
        return []
    ways: list[tuple[int, ...]] = [(size,)]
    for part in range(least, size // 2 + 1):
        for rest in _parts(size - part, part):
            ways.append((part, *rest))
    return ways


def _unions(groups: list[np.ndarray]) -> np.ndarray:
    """All unions of disjoint melds, one of each group."""
    unions = groups[0]
    for group in groups[1:]:
        a, b = np.meshgrid(unions, group, indexing="ij")
        unions = _distinct((a | b)[a & b == 0])
    return unions


def _distinct(numbers: np.ndarray) -> np.ndarray:
    """Distinct numbers, by sorting: on millions several times as fast as numpy.unique."""
    ordered = np.sort(numbers)
    distinct: np.ndarray = ordered[np.diff(ordered, prepend=-1) != 0]
    return distinct
