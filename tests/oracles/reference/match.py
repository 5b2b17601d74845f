"""Play deals until the match ends, and determine the dealer of each deal (rules.md 4.1, 7)."""

from .die import Die
from .goals import GOAL_CLASSES, GamesGoal


class Match:
    """Match that is played deal by deal. In solitaire games, the dealer is None."""

    def __init__(self, params: dict, first_dealer: int | None = None) -> None:
        self.params = params
        self.goal = GOAL_CLASSES[params["goal"]](params)
        self.dealer = first_dealer
        self.n_deals = 0

    def get_next_die(self) -> Die:
        """Return the die of the next deal: that of the game, or a new one (rules.md 8)."""
        of_game = isinstance(self.goal, GamesGoal) and self.params["die"] == "game"
        return self.goal.die if of_game else Die(self.params)

    def record_deal(self, result) -> None:
        """Record a deal, unless it must be dealt again (rules.md 5.1)."""
        if result.outcome != "redeal":
            self.n_deals += 1
            self.goal.record_deal(result)
            self.dealer = self._choose_next_dealer(result)

    def _choose_next_dealer(self, result) -> int | None:
        """Return the dealer of the next deal (rules.md 4.1)."""
        if self.dealer is None:
            return None
        if result.winner is None:
            return self.dealer if self.params["void_dealer"] == "same" else 1 - self.dealer
        rule = self.params["next_dealer"]
        if rule == "alternate":
            return 1 - self.dealer
        return result.winner if rule == "winner" else 1 - result.winner

    @property
    def is_unfinished(self) -> bool:
        """True if the match is still undecided after max_deals deals (rules.md 7)."""
        return not self.goal.is_over and self.n_deals >= self.params["max_deals"]

    @property
    def is_over(self) -> bool:
        return self.goal.is_over or self.is_unfinished

    @property
    def winner(self) -> int | None:
        """Seat of the winner, or None in an undecided, drawn or unfinished match."""
        return self.goal.winner

    @property
    def points(self) -> list[int]:
        return self.goal.points

    @property
    def settlement(self) -> int | None:
        return self.goal.settlement
