"""Matchups of an experiment as names, before any strategy or variant is loaded."""

from dataclasses import dataclass
from typing import Literal

from simgin.core import sums

Unit = Literal["deal", "match"]


@dataclass(frozen=True)
class Cell:
    """Names of the players and the rules, the seed and the unit of analysis of a matchup.

    Attributes:
        variant: Canonical name of the variant.
        a: Canonical name of strategy A.
        b: Canonical name of strategy B, empty in single-player variants.
        seed: Seed of the random numbers.
        unit: Type of game that is played and counted. Standard errors are clustered by mirrored
            pair, or by single game if the matchup is not mirrored.
    """

    variant: str
    a: str
    b: str
    seed: int
    unit: Unit

    @property
    def players(self) -> tuple[str, ...]:
        """Strategies in the order of their seats."""
        return (self.a, self.b) if self.b else (self.a,)

    @property
    def title(self) -> str:
        """Heading "A v B"."""
        return " v ".join(self.players)

    @property
    def mirrored(self) -> bool:
        """True if every game is played twice, the second time with the strategies' seats swapped.

        A strategy against itself is not mirrored, because both games would be identical.
        """
        return self.b not in ("", self.a)

    @property
    def batch(self) -> int:
        """Number of units in a batch row."""
        return sums.BATCH_MATCHES if self.unit == "match" else sums.BATCH_DEALS

    def units(self, n: int) -> int:
        """Return the number of units that n deals or matches make, counting half a pair as one."""
        return (n + 1) // 2 if self.mirrored else n

    def results(self, units: int) -> int:
        """Return the number of deals or matches in a number of units: two per mirrored pair."""
        return units * (2 if self.mirrored else 1)
