"""Sequence of deals (rules.md 4.1 and 7): the dealer, and the end of the match."""

from .die import Die
from .goals import GOALS, Games


class Match:
    """Match whose `goal` keeps the score; `dealer` deals next, and is None with one player."""

    def __init__(self, row: dict, first_dealer: int | None = None) -> None:
        self.row = row
        self.goal = GOALS[row["goal"]](row)
        self.dealer = first_dealer
        self.deals = 0

    def die(self) -> Die:
        """Return the die of the next deal: one per game, or a new one per deal (rules.md 8)."""
        of_game = isinstance(self.goal, Games) and self.row["die"] == "game"
        return self.goal.die if of_game else Die(self.row)

    def enter(self, result) -> None:
        """Record a deal, unless it must be dealt again (rules.md 5.1)."""
        if result.kind != "redeal":
            self.deals += 1
            self.goal.enter(result)
            self.dealer = self._next_dealer(result)

    def _next_dealer(self, result) -> int | None:
        """Return the next dealer: next_dealer after a won deal, else void_dealer (rules.md 4.1)."""
        if self.dealer is None:
            return None
        if result.winner is None:
            return self.dealer if self.row["void_dealer"] == "same" else 1 - self.dealer
        rule = self.row["next_dealer"]
        if rule == "alternate":
            return 1 - self.dealer
        return result.winner if rule == "winner" else 1 - result.winner

    @property
    def unfinished(self) -> bool:
        """Return True if max_deals deals of any result left the match undecided (rules.md 7)."""
        return not self.goal.over and self.deals >= self.row["max_deals"]

    @property
    def over(self) -> bool:
        return self.goal.over or self.unfinished

    @property
    def winner(self) -> int | None:
        """Winner, or None in an undecided, drawn or unfinished match."""
        return self.goal.winner

    @property
    def points(self) -> list[int]:
        return self.goal.points

    @property
    def settlement(self) -> int | None:
        return self.goal.settlement
