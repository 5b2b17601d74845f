"""Key that identifies a matchup before any strategy or variant is loaded."""

from dataclasses import dataclass
from typing import Literal

from simgin.core import batch_columns

UnitType = Literal["deal", "match"]


@dataclass(frozen=True)
class MatchupKey:
    """Key of a matchup, which consists of the variant, the strategy names, the seed and the unit.

    Attributes:
        variant: Canonical name of the variant.
        a: Canonical name of strategy A.
        b: Canonical name of strategy B, or "" in single-player variants.
        seed: Seed of the random numbers.
        unit: Type of game, "deal" or "match". Standard errors are clustered by mirrored pair, or by
            single game if the matchup is not mirrored.
    """

    variant: str
    a: str
    b: str
    seed: int
    unit: UnitType

    @property
    def players(self) -> tuple[str, ...]:
        """Names of the strategies in the order of their seats."""
        return (self.a, self.b) if self.b else (self.a,)

    @property
    def title(self) -> str:
        """Title of the form "A v B"."""
        return " v ".join(self.players)

    @property
    def is_mirrored(self) -> bool:
        """True if every game is played a second time with the seats swapped.

        A matchup of a strategy against itself is not mirrored, because both games would be
        identical.
        """
        return self.b not in ("", self.a)

    @property
    def batch_size(self) -> int:
        """Number of units in a batch row."""
        return (
            batch_columns.MATCH_BATCH_SIZE
            if self.unit == "match"
            else batch_columns.DEAL_BATCH_SIZE
        )

    def count_units(self, n_games: int) -> int:
        """Return the number of units in a given number of deals or matches.

        An incomplete pair counts as a unit.
        """
        return (n_games + 1) // 2 if self.is_mirrored else n_games

    def count_games(self, n_units: int) -> int:
        """Return the number of deals or matches in a given number of units.

        A mirrored pair contains two games.
        """
        return n_units * (2 if self.is_mirrored else 1)
