"""The goals of a match (rules.md 7), which find the winner from the results of deals."""

from .die import Die

GIN_LIKE = ("gin", "big_gin", "shot")


def deals_counted(row: dict, result) -> int:
    """Return how many won deals a win counts (rules.md 7, 8.5); a refusal has no factor (8.2)."""
    if result.kind in GIN_LIKE:
        return result.stake * row["deal_count_gin"]
    if result.kind == "undercut":
        return result.stake * row["deal_count_undercut"]
    return result.stake


def game_value(row: dict, loser: int) -> int:
    """Return the won games for a game by the loser's points (rules.md 7, `games`)."""
    return next(games for up_to, games in row["game_table"] if loser <= up_to)


def settled(row: dict, winner: int, points: list[int], boxes: list[int]) -> int:
    """Return the settlement of a game or column for its winner (rules.md 7, `points`)."""
    loser = 1 - winner
    shut_out = row["shutout"] if boxes[loser] == 0 else "none"
    own = points[winner] * (2 if shut_out == "double_points" else 1)
    bonus = row["game_bonus"] + row["box_bonus"] * (boxes[winner] - boxes[loser])
    total = own - points[loser] + bonus + (100 if shut_out == "flat_100" else 0)
    return total * (2 if shut_out == "double_all" else 1)


class Goal:
    """Goal of a match; results have `kind`, `winner` (0, 1 or None), `points` by side, and `stake`.

    points: of the present game. won: deals won. tally: deals won as `deals_counted` counts them.
    winner: None while undecided, and in a drawn match.
    """

    def __init__(self, row: dict) -> None:
        self.row = row
        self.points = list(row["start_points"])
        self.won, self.tally = [0, 0], [0, 0]
        self.over = False
        self.winner: int | None = None

    def enter(self, result) -> None:
        for side in (0, 1):
            self.points[side] += result.points[side]
        if result.winner is not None:
            self.won[result.winner] += 1
            self.tally[result.winner] += deals_counted(self.row, result)
        self._test(result)

    def _test(self, result) -> None:
        """Return True if the match is over; the test follows every deal (rules.md 7)."""
        for side in (0, 1):
            if self._reached(side):
                self._wins(side)

    def _reached(self, side: int) -> bool:
        raise NotImplementedError

    def _wins(self, side: int | None) -> None:
        self.over, self.winner = True, side

    def _points_reached(self, side: int) -> bool:
        return self.points[side] >= self.row["points_target"]

    def _deals_reached(self, side: int) -> bool:
        return self.tally[side] >= self.row["deals_target"]

    @property
    def settlement(self) -> int | None:
        """Return the settlement for the winner, or None."""
        return None


class Single(Goal):
    def _test(self, result) -> None:
        self._wins(result.winner)  # a deal without a winner is a drawn match


class Points(Goal):
    def _reached(self, side: int) -> bool:
        return self._points_reached(side)

    @property
    def settlement(self) -> int | None:
        if self.winner is None:
            return None
        return settled(self.row, self.winner, self.points, self.won)


class Columns(Goal):
    """Goal of Hollywood: `boxes` counts entries, `closed_by` is each column's winner or None."""

    def __init__(self, row: dict) -> None:
        super().__init__({**row, "start_points": (0, 0)})  # parameters without effect here
        number = row["columns"]
        self.columns = [[0, 0] for _ in range(number)]
        self.boxes = [[0, 0] for _ in range(number)]
        self.closed_by: list[int | None] = [None] * number
        self.opened = [0, 0]  # number of columns that each side has opened, from the left

    def _test(self, result) -> None:
        if result.winner is None:
            return
        for column in self._entered(result.winner):
            self.columns[column][result.winner] += result.points[result.winner]
            self.boxes[column][result.winner] += 1
            if self.columns[column][result.winner] >= self.row["points_target"]:
                self.closed_by[column] = result.winner
        if None not in self.closed_by:
            self._wins(self._better())

    def _entered(self, side: int) -> list[int]:
        """Return the columns in which a won deal is entered; open another one if any is left."""
        open_columns = [column for column, closed in enumerate(self.closed_by) if closed is None]
        if self.row["column_entry"] == "absolute":
            self.opened[side] = min(self.won[side], len(self.columns))
        else:
            unopened = [column for column in open_columns if column >= self.opened[side]]
            self.opened[side] = unopened[0] + 1 if unopened else self.opened[side]
        return [column for column in open_columns if column < self.opened[side]]

    def settlements(self) -> list[int]:
        """Return the settlement of the closed columns for side 0."""
        closed = zip(self.closed_by, self.columns, self.boxes, strict=True)
        return [
            settled(self.row, side, *column) * (1 if side == 0 else -1)
            for side, *column in closed
            if side is not None
        ]

    def _better(self) -> int | None:
        """Return the side with the greater sum, else with more columns, else None."""
        lead = sum(self.settlements()) or self.closed_by.count(0) - self.closed_by.count(1)
        return None if lead == 0 else int(lead < 0)

    @property
    def settlement(self) -> int | None:
        if self.winner is None:
            return None
        return sum(self.settlements()) * (1 if self.winner == 0 else -1)


class Games(Goal):
    """Goal of Gin Pro: `games` won by side and `played`, and a `die` per game with die = game."""

    def __init__(self, row: dict) -> None:
        super().__init__(row)
        self.games, self.played = [0, 0], 0
        self.die = Die(row)

    def _test(self, result) -> None:
        if result.kind == "refused":  # it ends the game, regardless of the table
            self._game_won(result.winner, result.stake)
        elif result.winner is not None and self._points_reached(result.winner):
            value = game_value(self.row, self.points[1 - result.winner])
            self._game_won(result.winner, result.stake * value)

    def _game_won(self, side: int, games: int) -> None:
        self.games[side] += games
        self.played += 1
        if self.games[side] >= self.row["games_target"]:
            self._wins(side)
        else:
            self.points, self.die = [0, 0], Die(self.row)


class Race(Goal):
    def _reached(self, side: int) -> bool:
        for_points = side == self.row["race_points_seat"]
        return self._points_reached(side) if for_points else self._deals_reached(side)


class Twofold(Goal):
    def _reached(self, side: int) -> bool:
        return self._points_reached(side) and self._deals_reached(side)


class Deals(Goal):
    def _reached(self, side: int) -> bool:
        return self._deals_reached(side)


class Total(Goal):
    """Goal of Solitary Gin: points[0] are the player's penalties; a lost match is won by side 1."""

    def __init__(self, row: dict) -> None:
        super().__init__({**row, "start_points": (0, 0)})  # parameters without effect here
        self.entered = 0

    def _test(self, result) -> None:
        self.entered += 1
        if self.entered == self.row["deals_in_match"]:
            self._wins(0 if self.points[0] <= self.row["total_goal"] else 1)


GOALS = {
    "single": Single,
    "points": Points,
    "columns": Columns,
    "games": Games,
    "race": Race,
    "twofold": Twofold,
    "deals": Deals,
    "total": Total,
}
