"""How much skill counts: ladders of players, the chain of those who each beat the next clearly, and what a restricted player loses.

The chain is that of Elias, Garfield and Gutschera (GDC 2009); restricted play that of Jaffe et al. (AIIDE 2012). METRICS 7.1 and 7.3.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simgin.stats import metrics, quantity, ratings, sequential
from simgin.stats.quantity import Quantity
from simgin.stats.ratings import Pairings

if TYPE_CHECKING:
    import pandas as pd

CLEAR = 0.6  # share of matches that a step of the chain takes


@dataclass(frozen=True)
class Chain:
    """Players of whom each takes 60 % of the matches from the next, best first: the longest there is."""

    sure: tuple[str, ...]  # by the lower limits of the intervals
    longest: tuple[str, ...]  # by the upper limits: what more matches could show at most

    @property
    def steps(self) -> int:
        """Links of the sure chain: one less than its players, and 0 where nobody beats anybody clearly."""
        return max(0, len(self.sure) - 1)

    @property
    def most(self) -> int:
        """Links of the longest chain that the intervals allow."""
        return max(0, len(self.longest) - 1)


def chain(cross: pd.DataFrame) -> Chain:
    """The chain among the players of a cross-table (`simgin.stats.ratings.CROSS_COLUMNS`: strategy, opponent, share, low, high)."""
    players = list(dict.fromkeys(cross["strategy"]))
    return Chain(
        *(_longest(players, _beaten(cross[cross[end] >= CLEAR])) for end in ("low", "high"))
    )


def _beaten(cross: pd.DataFrame) -> dict[str, list[str]]:
    return {
        str(name): list(rows["opponent"]) for name, rows in cross.groupby("strategy", sort=False)
    }


def _longest(players: Sequence[str], beats: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The longest way from player to player along `beats` that meets nobody twice; the first of several."""

    def from_here(path: tuple[str, ...]) -> tuple[str, ...]:
        onward = [from_here((*path, name)) for name in beats.get(path[-1], ()) if name not in path]
        return max([path, *onward], key=len)

    return max((from_here((name,)) for name in players), key=len, default=())


def ladder(pairings: Pairings, order: Sequence[str]) -> pd.DataFrame:
    """The share of matches that each of `order`, best first, takes from the next: columns strategy, opponent, value, low, high, n."""
    import pandas as pd

    rows = [
        (a, b, won.value, *won.limits, won.n)
        for a, b in itertools.pairwise(order)
        for won in [share(pairings, a, b)]
    ]
    return pd.DataFrame(rows, columns=["strategy", "opponent", "value", "low", "high", "n"])


def share(pairings: Pairings, a: str, b: str) -> Quantity:
    """The share of matches that a takes from b, whichever of them the cell names first."""
    as_b = (b, a) in pairings
    rows = pairings[(b, a) if as_b else (a, b)]
    return quantity.ratio(rows, metrics.BY_NAME["match_win"], as_b)


def elo(won: Quantity) -> Quantity:
    """The lead in Elo that a share of matches is worth, 400 log10(s / (1 - s)); NaN at 0 and 1."""
    if not 0 < won.value < 1:
        return Quantity.with_error(np.nan, np.nan, won.n)
    slope = ratings.ELO / (won.value * (1 - won.value))
    return won.scaled(slope, sequential.elo_of_share(won.value) - slope * won.value)
