"""Match accounting for goal = points and goal = single (RULES 7), and who deals (RULES 4.1)."""


class Match:
    def __init__(self, row: dict, first_dealer: int) -> None:
        if row["goal"] not in ("points", "single"):
            raise ValueError("the twin keeps matches with goal = points or single only")
        self.row = row
        self.dealer = first_dealer
        self.points = list(row["start_points"])
        self.won = [0, 0]  # deals won, for the boxes of the settlement
        self.deals = 0
        self.over = False
        self.winner: int | None = None  # None: undecided, drawn or unfinished
        self.unfinished = False

    def enter(self, result) -> None:
        """Book a deal: anything with `winner` (0, 1 or None) and `points` (of both seats)."""
        if self.over:
            raise ValueError("the match is over")
        self.deals += 1
        for seat in (0, 1):
            self.points[seat] += result.points[seat]
        if result.winner is not None:
            self.won[result.winner] += 1
        self._test(result)
        self.dealer = self._next_dealer(result)

    def _test(self, result) -> None:
        if self.row["goal"] == "single":  # RULES 7: one deal; without a winner the match is drawn
            self.over, self.winner = True, result.winner
            return
        reached = [seat for seat in (0, 1) if self.points[seat] >= self.row["points_target"]]
        if reached:  # RULES 7: the test follows every deal
            self.over, self.winner = True, reached[0]
        elif self.deals >= self.row["max_deals"]:
            self.over = self.unfinished = True

    def _next_dealer(self, result) -> int:
        """RULES 4.1: next_dealer after a deal that was won, void_dealer after any other."""
        if result.winner is None:
            return self.dealer if self.row["void_dealer"] == "same" else 1 - self.dealer
        rule = self.row["next_dealer"]
        if rule == "alternate":
            return 1 - self.dealer
        return result.winner if rule == "winner" else 1 - result.winner

    @property
    def settlement(self) -> int | None:
        """RULES 7, goal = points: W - L with game bonus, boxes and shut-out; None without a winner."""
        if self.winner is None or self.row["goal"] != "points":
            return None
        row, winner, loser = self.row, self.winner, 1 - self.winner
        shut_out = self.won[loser] == 0
        points = self.points[winner] * (2 if shut_out and row["shutout"] == "double_points" else 1)
        boxes = row["box_bonus"] * (self.won[winner] - self.won[loser])
        total = points - self.points[loser] + row["game_bonus"] + boxes
        return total * (2 if shut_out and row["shutout"] == "double_all" else 1)
