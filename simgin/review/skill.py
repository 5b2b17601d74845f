"""How much skill counts: the skill chain.

The chain is that of Elias, Garfield and Gutschera (GDC 2009); see
 docs/reference/rule-metrics.md#skill-and-luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simgin.stats import sequential
from simgin.stats.quantity import Quantity
from simgin.stats.round_robin.bradley_terry import ELO

if TYPE_CHECKING:
    import pandas as pd

CLEAR = 0.6  # share of matches that a step of the chain takes


@dataclass(frozen=True)
class Chain:
    """Players of whom each wins 60 % of the matches against the next, best first.

    sure: the longest chain by the lower limits of the shares. longest: by the upper limits, which
    is the most that further matches could show.
    """

    sure: tuple[str, ...]
    longest: tuple[str, ...]

    @property
    def steps(self) -> int:
        """Links of the sure chain; 0 where nobody clearly beats anybody."""
        return max(0, len(self.sure) - 1)

    @property
    def most(self) -> int:
        """Links of the longest chain that the intervals allow."""
        return max(0, len(self.longest) - 1)


def chain(cross: pd.DataFrame) -> Chain:
    """The chain among the players of a cross-table (`simgin.stats.ratings.CROSS_COLUMNS`)."""
    players = list(dict.fromkeys(cross["strategy"]))
    surely = cross[cross["low"] >= CLEAR]
    possibly = cross[cross["high"] >= CLEAR]
    return Chain(_longest(players, _beaten(surely)), _longest(players, _beaten(possibly)))


def _beaten(cross: pd.DataFrame) -> dict[str, list[str]]:
    """The opponents of each player in the rows of a cross-table."""
    return {str(name): list(rows["opponent"]) for name, rows in cross.groupby("strategy")}


def _longest(players: Sequence[str], beaten: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The longest way from player to beaten player without a repetition; the first of several."""

    def extended(path: tuple[str, ...]) -> tuple[str, ...]:
        after = [name for name in beaten.get(path[-1], ()) if name not in path]
        return max([path, *(extended((*path, name)) for name in after)], key=len)

    return max([(), *(extended((name,)) for name in players)], key=len)


def elo(won: Quantity) -> Quantity:
    """The lead in Elo that a share of matches is worth, 400 log10(s / (1 - s)); NaN at 0 and 1."""
    if not 0 < won.value < 1:
        return Quantity.with_error(np.nan, np.nan, won.n)
    lead = sequential.elo_of_share(won.value)
    slope = ELO / (won.value * (1 - won.value))
    return won.scaled(slope, lead - slope * won.value)
