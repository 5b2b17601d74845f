"""What all sentences of a run share: figures without signs, lists, and how many are named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simgin.report import numbers
from simgin.stats import table

if TYPE_CHECKING:
    import pandas as pd

MOST = 6  # sentences of a kind, or names in one; the rest are counted

Limits = tuple[float, float, float]  # value, low, high


def side(limits: Limits, even: float) -> int:
    """1 above `even`, -1 below, 0 where the interval holds it or is undefined."""
    value, low, high = limits
    if math.isnan(low + high) or low <= even <= high:
        return 0
    return 1 if value > even else -1


def size(limits: Limits, factor: int = 1) -> str:
    """An estimate without its sign, for sentences whose words say which way it goes."""
    value, low, high = limits
    if value > 0:
        return numbers.estimate(value, low, high, factor)
    return numbers.estimate(-value, -high, -low, factor)


def ranged(row: Any, name: str, factor: int = 1) -> str:
    """An estimate of a row, with the limits that stand beside it."""
    return numbers.estimate(row[name], row[f"{name}_low"], row[f"{name}_high"], factor)


def percent(rows: pd.DataFrame, metric: str) -> str:
    """A share with its interval, in per cent."""
    share = numbers.estimate(*table.cell(rows, metric), 100)
    return f"{share} %"


def listed(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    *first, last = parts
    if not first:
        return last
    begun = ", ".join(first)
    return f"{begun} and {last}"


def counted(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    if len(names) <= MOST:
        return listed(names)
    shown = ", ".join(names[: MOST - 1])
    more = len(names) - MOST + 1
    return f"{shown} and {more} more"
