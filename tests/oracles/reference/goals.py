"""Keep the score of a match, and determine the winner (rules.md 7)."""

from .die import Die

GIN_OUTCOMES = ("gin", "big_gin", "shot")


def count_won_deals(params: dict, result) -> int:
    """Return the number of won deals that a deal counts for (rules.md 7, 8.2, 8.5)."""
    if result.outcome in GIN_OUTCOMES:
        return result.stake * params["deal_count_gin"]
    if result.outcome == "undercut":
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
        points: Points of both players in the current game.
        deals_won: Number of deals won by each player.
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
        """Add the result of a deal to the score."""
        for seat in (0, 1):
            self.points[seat] += result.points[seat]
        if result.winner is not None:
            self.deals_won[result.winner] += 1
            self.deal_tally[result.winner] += count_won_deals(self.params, result)
        self._update_winner(result)

    def _update_winner(self, result) -> None:
        """End the match if a player reached the goal with this deal (rules.md 7)."""
        for seat in (0, 1):
            if self._has_reached_goal(seat):
                self._end_match(seat)

    def _has_reached_goal(self, seat: int) -> bool:
        raise NotImplementedError

    def _end_match(self, winner: int | None) -> None:
        self.is_over, self.winner = True, winner

    def _has_enough_points(self, seat: int) -> bool:
        return self.points[seat] >= self.params["points_target"]

    def _has_enough_deals(self, seat: int) -> bool:
        return self.deal_tally[seat] >= self.params["deals_target"]

    @property
    def settlement(self) -> int | None:
        """Points that the loser pays the winner, or None if no points are paid."""
        return None


class SingleDealGoal(Goal):
    """Goal of a match that consists of one deal."""

    def _update_winner(self, result) -> None:
        self._end_match(result.winner)  # a deal without a winner is a drawn match


class PointsGoal(Goal):
    """Goal of a match to a number of points."""

    def _has_reached_goal(self, seat: int) -> bool:
        return self._has_enough_points(seat)

    @property
    def settlement(self) -> int | None:
        if self.winner is None:
            return None
        return compute_settlement(self.params, self.winner, self.points, self.deals_won)


class ColumnsGoal(Goal):
    """Goal of Hollywood, in which a won deal scores in several columns."""

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

    def _open_entry_columns(self, seat: int) -> list[int]:
        """Open the next column, if any, and return the columns in which to enter a won deal."""
        open_columns = [column for column, closed in enumerate(self.closed_by) if closed is None]
        if self.params["column_entry"] == "absolute":
            self.opened[seat] = min(self.deals_won[seat], len(self.columns))
        else:
            unopened = [column for column in open_columns if column >= self.opened[seat]]
            self.opened[seat] = unopened[0] + 1 if unopened else self.opened[seat]
        return [column for column in open_columns if column < self.opened[seat]]

    def compute_settlements(self) -> list[int]:
        """Return the settlement of each closed column, positive if seat 0 receives it."""
        closed = zip(self.closed_by, self.columns, self.boxes, strict=True)
        return [
            compute_settlement(self.params, seat, *column) * (1 if seat == 0 else -1)
            for seat, *column in closed
            if seat is not None
        ]

    def _find_leader(self) -> int | None:
        """Return the seat that leads by settlement, then by columns, or None if both are equal."""
        lead = sum(self.compute_settlements()) or self.closed_by.count(0) - self.closed_by.count(1)
        return None if lead == 0 else int(lead < 0)

    @property
    def settlement(self) -> int | None:
        if self.winner is None:
            return None
        return sum(self.compute_settlements()) * (1 if self.winner == 0 else -1)


class GamesGoal(Goal):
    """Goal of Gin Pro: a number of won games. With die = game, each game has a new die."""

    def __init__(self, params: dict) -> None:
        super().__init__(params)
        self.games, self.games_played = [0, 0], 0
        self.die = Die(params)

    def _update_winner(self, result) -> None:
        if result.outcome == "refused":  # it ends the game, regardless of the table
            self._record_game(result.winner, result.stake)
        elif result.winner is not None and self._has_enough_points(result.winner):
            value = compute_game_value(self.params, self.points[1 - result.winner])
            self._record_game(result.winner, result.stake * value)

    def _record_game(self, winner: int, n_games: int) -> None:
        self.games[winner] += n_games
        self.games_played += 1
        if self.games[winner] >= self.params["games_target"]:
            self._end_match(winner)
        else:
            self.points, self.die = [0, 0], Die(self.params)


class RaceGoal(Goal):
    """Goal of a match in which one player needs points and the opponent needs won deals."""

    def _has_reached_goal(self, seat: int) -> bool:
        for_points = seat == self.params["race_points_seat"]
        return self._has_enough_points(seat) if for_points else self._has_enough_deals(seat)


class TwofoldGoal(Goal):
    """Goal of a match in which a player needs both points and won deals."""

    def _has_reached_goal(self, seat: int) -> bool:
        return self._has_enough_points(seat) and self._has_enough_deals(seat)


class DealsGoal(Goal):
    """Goal of a match to a number of won deals."""

    def _has_reached_goal(self, seat: int) -> bool:
        return self._has_enough_deals(seat)


class TotalGoal(Goal):
    """Goal of Solitary Gin: at most a given number of penalty points in a fixed number of deals."""

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
