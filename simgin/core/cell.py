"""A cell of an experiment: one matchup as texts, before any strategy or variant is looked up."""

from dataclasses import dataclass
from typing import Literal

from simgin.core import sums

Unit = Literal["deal", "match"]


@dataclass(frozen=True)
class Cell:
    """Who plays whom, under which rules, with which packs.

    Texts are canonical; `b` is empty in games for one player. A unit is what errors are clustered
    by: a mirrored pair, or a single deal or match where a strategy plays itself or plays alone.
    """

    variant: str
    a: str
    b: str
    seed: int
    unit: Unit

    @property
    def players(self) -> tuple[str, ...]:
        """The strategies, in the order of the seats."""
        return (self.a, self.b) if self.b else (self.a,)

    @property
    def title(self) -> str:
        """The strategies as a heading: "A v B"."""
        return " v ".join(self.players)

    @property
    def mirrored(self) -> bool:
        """Whether every pack is played twice, with the strategies exchanged.

        A strategy against itself is not mirrored: both plays would be the same.
        """
        return self.b not in ("", self.a)

    @property
    def batch(self) -> int:
        """Units in a batch row."""
        return sums.BATCH_MATCHES if self.unit == "match" else sums.BATCH_DEALS

    def units(self, n: int) -> int:
        """Units that n deals or matches make; half a pair is rounded up."""
        return (n + 1) // 2 if self.mirrored else n

    def results(self, units: int) -> int:
        """Deals or matches in that many units: two in a pair."""
        return units * (2 if self.mirrored else 1)
