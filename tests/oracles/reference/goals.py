"""The goals of a match (rules.md 7), which find the winner from the results of deals."""

from .die import Die

GIN_KINDS = ("gin", "big_gin", "shot")


def count_won_deals(params: dict, result) -> int:
    """Return the number of won deals for which a result counts (rules.md 7, 8.2, 8.5)."""
    if result.kind in GIN_KINDS:
        return result.stake * params["deal_count_gin"]
    if result.kind == "undercut":
        return result.stake * params["deal_count_undercut"]
    return result.stake


def compute_game_value(params: dict, loser_points: int) -> int:
    """Return the number of games that the winner of a game scores (rules.md 7, `games`)."""
    return next(games for up_to, games in params["game_table"] if loser_points <= up_to)


def compute_settlement(params: dict, winner: int, points: list[int], boxes: list[int]) -> int:
    """Return the points that the loser of a game or column pays the winner (rules.md 7)."""
    loser = 1 - winner
    shut_out = params["shutout"] if boxes[loser] == 0 else "none"
    own = points[winner] * (2 if shut_out == "double_points" else 1)
    bonus = params["game_bonus"] + params["box_bonus"] * (boxes[winner] - boxes[loser])
    total = own - points[loser] + bonus + (100 if shut_out == "flat_100" else 0)
    return total * (2 if shut_out == "double_all" else 1)


class Goal:
    """Goal of a match, which keeps the score and finds the winner.

    Attributes:
        points: Points of both sides in the current game.
        deals_won: Number of deals won by each side.
        deal_tally: Deals won, with the weights of `count_won_deals`.
        is_over: True after the last deal.
        winner: 0 or 1, or None in an undecided or drawn match.
    """

    def __init__(self, params: dict) -> None:
        self.params = params
        self.points = list(params["start_points"])
        self.deals_won, self.deal_tally = [0, 0], [0, 0]
        self.is_over = False
        self.winner: int | None = None

    def record_deal(self, result) -> None:
        for side in (0, 1):
            self.points[side] += result.points[side]
        if result.winner is not None:
            self.deals_won[result.winner] += 1
            self.deal_tally[result.winner] += count_won_deals(self.params, result)
        self._update_winner(result)

    def _update_winner(self, result) -> None:
        """End the match after a deal in which a side reached its goal (rules.md 7)."""
        for side in (0, 1):
            if self._has_reached_goal(side):
                self._end_match(side)

    def _has_reached_goal(self, side: int) -> bool:
        raise NotImplementedError

    def _end_match(self, side: int | None) -> None:
        self.is_over, self.winner = True, side

    def _has_enough_points(self, side: int) -> bool:
        return self.points[side] >= self.params["points_target"]

    def _has_enough_deals(self, side: int) -> bool:
        return self.deal_tally[side] >= self.params["deals_target"]

    @property
    def settlement(self) -> int | None:
        """Points that the loser pays the winner, or None."""
        return None


class SingleDealGoal(Goal):
    """Goal of a match that consists of one deal."""

    def _update_winner(self, result) -> None:
        self._end_match(result.winner)  # a deal without a winner is a drawn match


class PointsGoal(Goal):
    """Goal of a match to a number of points."""

    def _has_reached_goal(self, side: int) -> bool:
        return self._has_enough_points(side)

    @property
    def settlement(self) -> int | None:
        if self.winner is None:
            return None
        return compute_settlement(self.params, self.winner, self.points, self.deals_won)


class ColumnsGoal(Goal):
    """Goal of Hollywood, where a won deal scores in several columns."""

    def __init__(self, params: dict) -> None:
        super().__init__({**params, "start_points": (0, 0)})  # parameters without effect here
        number = params["columns"]
        self.columns = [[0, 0] for _ in range(number)]  # points of both sides
        self.boxes = [[0, 0] for _ in range(number)]  # number of deals entered by each side
        self.closed_by: list[int | None] = [None] * number  # winner of each column
        self.opened = [0, 0]  # number of columns that each side has opened, from the left

    def _update_winner(self, result) -> None:
        if result.winner is None:
            return
        for column in self._open_entry_columns(result.winner):
            self.columns[column][result.winner] += result.points[result.winner]
            self.boxes[column][result.winner] += 1
            if self.columns[column][result.winner] >= self.params["points_target"]:
                self.closed_by[column] = result.winner
        if None not in self.closed_by:
            self._end_match(self._find_leader())

    def _open_entry_columns(self, side: int) -> list[int]:
        """Open another column if any is left, and return those in which a won deal is entered."""
        open_columns = [column for column, closed in enumerate(self.closed_by) if closed is None]
        if self.params["column_entry"] == "absolute":
            self.opened[side] = min(self.deals_won[side], len(self.columns))
        else:
            unopened = [column for column in open_columns if column >= self.opened[side]]
            self.opened[side] = unopened[0] + 1 if unopened else self.opened[side]
        return [column for column in open_columns if column < self.opened[side]]

    def compute_settlements(self) -> list[int]:
        """Return the settlement of each closed column, positive if side 0 receives it."""
        closed = zip(self.closed_by, self.columns, self.boxes, strict=True)
        return [
            compute_settlement(self.params, side, *column) * (1 if side == 0 else -1)
            for side, *column in closed
            if side is not None
        ]

    def _find_leader(self) -> int | None:
        """Return the side with the higher settlement, or more columns, or None if equal."""
        lead = sum(self.compute_settlements()) or self.closed_by.count(0) - self.closed_by.count(1)
        return None if lead == 0 else int(lead < 0)

    @property
    def settlement(self) -> int | None:
        if self.winner is None:
            return None
        return sum(self.compute_settlements()) * (1 if self.winner == 0 else -1)


class GamesGoal(Goal):
    """Goal of Gin Pro: a number of won games, each with its own die if die = game."""

    def __init__(self, params: dict) -> None:
        super().__init__(params)
        self.games, self.games_played = [0, 0], 0
        self.die = Die(params)

    def _update_winner(self, result) -> None:
        if result.kind == "refused":  # it ends the game, regardless of the table
            self._record_game(result.winner, result.stake)
        elif result.winner is not None and self._has_enough_points(result.winner):
            value = compute_game_value(self.params, self.points[1 - result.winner])
            self._record_game(result.winner, result.stake * value)

    def _record_game(self, side: int, games: int) -> None:
        self.games[side] += games
        self.games_played += 1
        if self.games[side] >= self.params["games_target"]:
            self._end_match(side)
        else:
            self.points, self.die = [0, 0], Die(self.params)


class RaceGoal(Goal):
    """Goal of a match in which one side needs points and the opponent needs won deals."""

    def _has_reached_goal(self, side: int) -> bool:
        for_points = side == self.params["race_points_seat"]
        return self._has_enough_points(side) if for_points else self._has_enough_deals(side)


class TwofoldGoal(Goal):
    """Goal of a match in which a side needs both points and won deals."""

    def _has_reached_goal(self, side: int) -> bool:
        return self._has_enough_points(side) and self._has_enough_deals(side)


class DealsGoal(Goal):
    """Goal of a match to a number of won deals."""

    def _has_reached_goal(self, side: int) -> bool:
        return self._has_enough_deals(side)


class TotalGoal(Goal):
    """Goal of Solitary Gin: few penalties (points[0]) in a fixed number of deals."""

    def __init__(self, params: dict) -> None:
        super().__init__({**params, "start_points": (0, 0)})  # parameters without effect here
        self.deals_entered = 0

    def _update_winner(self, result) -> None:
        self.deals_entered += 1
        if self.deals_entered == self.params["deals_in_match"]:
            self._end_match(0 if self.points[0] <= self.params["total_goal"] else 1)


GOAL_CLASSES = {
    "single": SingleDealGoal,
    "points": PointsGoal,
    "columns": ColumnsGoal,
    "games": GamesGoal,
    "race": RaceGoal,
    "twofold": TwofoldGoal,
    "deals": DealsGoal,
    "total": TotalGoal,
}
