"""The states of a match under each goal, and tables over them, filled from the end of the match.

A board is made of the rules, the seat of strategy A and the outcomes that deals have; shares of
these outcomes then make a table (docs/explanation/value.md#how-v-is-computed). What a side counts
(points, won deals, or both) makes its track, a chain of places that is never walked backwards. So a
table over both tracks is filled from the end: every entry is a mean over outcomes of entries that
are filled already.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numba import float64, int64, types, void

from simgin.core import jit
from simgin.core.sums import KINDS
from simgin.rules.parameters import Params, goal_of, number
from simgin.value import kernels
from simgin.value.outcomes import Outcomes, ScoreOutcomes


@dataclass(frozen=True)
class Track:
    """The way of one side.

    fields: what it counts, by the names of record fields without the side: "score", "deals",
    "games". targets: how much of each it needs.
    """

    fields: tuple[str, ...]
    targets: tuple[int, ...]

    @property
    def length(self) -> int:
        """Places before the goal, which is the place of this number."""
        return int(np.prod(self._sides)) - 1

    @property
    def _sides(self) -> tuple[int, ...]:
        return tuple([target + 1 for target in self.targets])

    def place(self, standing: np.ndarray) -> np.ndarray:
        """The places of standings (..., len(fields)): int64 (...).

        More than the target counts as the target.
        """
        columns = np.moveaxis(np.minimum(standing, self.targets), -1, 0)
        return np.asarray(np.ravel_multi_index(tuple(columns), self._sides))

    def standings(self) -> np.ndarray:
        """The standing at every place before the goal: int64 (length, len(fields))."""
        return np.stack(np.unravel_index(np.arange(self.length), self._sides), axis=-1)

    def steps(self, gains: np.ndarray) -> np.ndarray:
        """Where gains (outcomes, len(fields)) lead to from every place: int64 (length, outcomes).

        No gain is negative.
        """
        return self.place(self.standings()[:, None, :] + gains)


@cache
def fill() -> Any:
    """What fills a table float64 (length of A + 1, length of B + 1, 2 dealers) in place, compiled.

    Its last row and column hold what a side that arrived gets. Every other entry becomes
    `each[dealer]` plus the mean of the entries that one deal leads to. Where a deal may leave both
    places as they were, the entries for the two dealers solve their two equations.
    """
    whole = types.Array(int64, 2, "C")
    real = types.Array(float64, 2, "C")
    line = types.Array(float64, 1, "C")
    table = types.Array(float64, 3, "C")
    signature = void(table, *((whole, whole)), *((real, real)), whole, line, line)
    return jit.compiled(kernels.fill_table, signature)


Table = np.ndarray  # float64, by state
Shares = np.ndarray  # of every outcome among its dealer's deals, float64 (outcomes)
Standing = np.ndarray  # of one side, int64 (..., fields)
Standings = tuple[Standing, Standing]  # of A and of B
States = tuple[Standing, Standing, np.ndarray]  # standings of A and of B, side that deals
Place = tuple[np.ndarray, ...]  # of states in a table
Fields = tuple[tuple[str, ...], tuple[str, ...]]  # what the standings of A and of B hold

Ends = tuple[float, float, float]  # where A has won, where B has, for a match that nobody wins

DRAWN = 0.5  # what a match is worth that nobody wins


class Board:
    """The states of a match.

    A standing is what a side has of each of its fields. Tables have the dealer's side (0 A, 1 B)
    as their last axis. fields: what the standings of A and of B hold, by names of record fields
    without the side, or `left`, the deals that are left. size: the number of states, about. start:
    the standings that a match begins with.
    """

    fields: Fields
    size: int
    start: Standings

    def solve(self, share: Shares) -> Table:
        """The probability that A wins, in every state.

        share: of every outcome among its dealer's deals, float64 (outcomes).
        """
        return self._filled(share, (1, 0, DRAWN))

    def growth(self, share: Shares, z: float) -> Table:
        """The mean of z**N in every state, N being the deals to come.

        Some entry is below 1 where that is not finite.
        """
        return self._filled(z * share, (1, 1, 1))

    def index(self, a: Standing, b: Standing, dealer: np.ndarray) -> Place:
        """Where in a table states lie: standings int64 (..., fields), sides int64 (...)."""
        raise NotImplementedError

    def states(self) -> States:
        """Every undecided state."""
        raise NotImplementedError

    def _filled(self, share: Shares, ends: Ends) -> Table:
        """A table with these ends."""
        raise NotImplementedError


def make_board(params: Params, seat: int, outcomes: Outcomes) -> Board:
    """The board of a variant's parameters; strategy A sits at `seat`."""
    layout = goal_of(params).board
    if layout == "total":
        return Total(params, outcomes)
    if layout == "games":
        return Games(params, seat, outcomes)
    return Race(params, seat, outcomes)


class _Deal:
    """What outcomes do to both sides: who wins, what it brings, and who deals next."""

    def __init__(self, params: Params, outcomes: Outcomes, tracks: tuple[Track, Track]) -> None:
        self._dealer = outcomes.column("dealer")
        self._winner = outcomes.column("winner")
        self._alone = params["players"] == 1
        self._next = next_dealers(params)
        self._brought = {"score": outcomes.column("points"), "deals": won_deals(params, outcomes)}
        self._to = []
        self._gain = []
        for side, track in enumerate(tracks):
            gains, gain = self._gains(side, track)
            self._to.append(np.ascontiguousarray(track.steps(gains)))
            self._gain.append(gain)

    def _gains(self, side: int, track: Track) -> tuple[np.ndarray, np.ndarray]:
        """The different gains of a side, and which of them each deal it wins brings.

        Outcomes that bring the same are one move.
        """
        is_won = self._winner == side
        columns = [self._brought[name][is_won] for name in track.fields]
        gains, gain = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
        return gains, gain.reshape(-1)

    def moves(self, share: Shares) -> list[np.ndarray]:
        """What one deal does, from the share of every outcome, as `kernels.fill_table` takes it.

        For A and for B, the place that each outcome they win leads to, int64 (length, outcomes);
        the chances of those, by dealer, float64 (2, outcomes); who deals next, by dealer, if A
        wins, if B wins, and if nobody does, int64 (2, 3); the chance of that, by dealer.
        """
        chances = [self._chances(side, share) for side in (0, 1)]
        nobody = np.bincount(self._dealer, share * (self._winner < 0), minlength=2)
        if self._alone:  # one player's deals have no dealer, although records name one
            chances = [np.tile(chance.sum(axis=0), (2, 1)) for chance in chances]
            nobody = np.full(2, nobody.sum())
        return [*self._to, *chances, self._next, nobody]

    def _chances(self, side: int, share: Shares) -> np.ndarray:
        """The chances of a side's moves, by dealer."""
        won = self._winner == side
        dealer = self._dealer[won]
        gain = self._gain[side]
        chance = np.zeros((2, self._to[side].shape[1]))
        np.add.at(chance, (dealer, gain), share[won])
        return chance


def won_deals(params: Params, outcomes: Outcomes) -> np.ndarray:
    """The won deals that every outcome counts for its winner (rules.md 7 and 8.5): int64."""
    if not goal_of(params).counts_deals:
        return np.ones(len(outcomes.rows), np.int64)
    by_gin = number(params, "deal_count_gin")
    by_undercut = number(params, "deal_count_undercut")
    kind = np.array(KINDS)[outcomes.column("kind")]
    factor = np.where(np.isin(kind, ("gin", "big_gin", "shot")), by_gin, 1)
    factor = np.where(kind == "undercut", by_undercut, factor)
    # A refusal pays the number before the offer
    return np.asarray(factor * outcomes.column("stake"))


def next_dealers(params: Params) -> np.ndarray:
    """The side that deals next, by who dealt and by who won (0, 1, -1): int64 (2, 3)."""
    sides = [[_next_dealer(params, dealer, winner) for winner in (0, 1, -1)] for dealer in (0, 1)]
    return np.array(sides, np.int64)


def _next_dealer(params: Params, dealer: int, winner: int) -> int:
    """The side that deals after a deal (rules.md 4.1); alone it is always the same."""
    if params["players"] == 1:
        return dealer
    other = 1 - dealer
    if winner < 0:
        return other if params["void_dealer"] == "other" else dealer
    return {"winner": winner, "loser": 1 - winner, "alternate": other}[str(params["next_dealer"])]


def _track(params: Params, seat: int) -> Track:
    """The track of the side that sits there."""
    goal = goal_of(params)
    if goal.one_deal:
        return Track(("deals",), (1,))
    targets = goal.side_at(params, seat).targets
    return Track(tuple(targets), tuple([number(params, name) for name in targets.values()]))


def starting_points(params: Params) -> tuple[int, int]:
    """The points that the seats begin a match with."""
    points: Any = params["start_points"] or (0, 0)
    first, second = points
    return first, second


def starts(params: Params, seat: int, fields: Fields) -> Standings:
    """The standings of A and B when a match begins: start_points where a side counts points."""
    points = starting_points(params)
    a, b = fields
    start_a = [points[seat] if name == "score" else 0 for name in a]
    start_b = [points[1 - seat] if name == "score" else 0 for name in b]
    return np.array(start_a), np.array(start_b)


class Race(Board):
    """Both sides on a track of their own: single, points, deals, race and twofold."""

    def __init__(self, params: Params, seat: int, outcomes: Outcomes) -> None:
        self._params = params
        self._outcomes = outcomes
        self._a, self._b = _track(params, seat), _track(params, 1 - seat)
        self._single = goal_of(params).one_deal
        self._places = self._a.length + 1, self._b.length + 1  # the goals included
        self.size = 2 * self._places[0] * self._places[1]
        self.fields = self._a.fields, self._b.fields
        self.start = starts(params, seat, self.fields)

    @cached_property
    def _deal(self) -> _Deal:
        # Not before the size was looked at
        return _Deal(self._params, self._outcomes, (self._a, self._b))

    def index(self, a: Standing, b: Standing, dealer: np.ndarray) -> Place:
        return self._a.place(a), self._b.place(b), dealer

    def states(self) -> States:
        a, b, dealer = np.indices((self._a.length, self._b.length, 2)).reshape(3, -1)
        return self._a.standings()[a], self._b.standings()[b], dealer

    def _filled(self, share: Shares, ends: Ends) -> Table:
        """A table with `ends` where A has won, where B has, and for a single deal nobody won."""
        a_won, b_won, nobody_won = ends
        *moves, nobody = self._deal.moves(share)
        reward = np.zeros(2)
        if self._single:
            reward = nobody_won * nobody
            nobody = np.zeros(2)
        table = np.full((*self._places, 2), float(b_won))
        table[-1] = a_won
        fill()(table, *moves, nobody, reward)
        return table


class Games(Board):
    """Games to a number of points, which count by the loser's points (Gin Pro).

    A table over points for every pair of won games.
    """

    def __init__(self, params: Params, seat: int, outcomes: Outcomes) -> None:
        self._params = params
        self._outcomes = outcomes
        self._tracks = _track(params, seat), _track(params, 1 - seat)
        self._length = self._tracks[0].length
        self._target = number(params, "games_target")
        up_to, games = np.array(params["game_table"]).T
        band = np.searchsorted(up_to, np.arange(self._length))
        self._games = games[band]  # won games by the loser's points
        self.fields = ("games", "score"), ("games", "score")
        self.size = 2 * (self._target * (self._length + 1)) ** 2
        self.start = starts(params, seat, self.fields)

    @cached_property
    def _deal(self) -> _Deal:
        return _Deal(self._params, self._outcomes, self._tracks)

    def index(self, a: Standing, b: Standing, dealer: np.ndarray) -> Place:
        games_a, points_a = self._capped(a)
        games_b, points_b = self._capped(b)
        return games_a, games_b, points_a, points_b, dealer

    def _capped(self, standing: Standing) -> tuple[np.ndarray, np.ndarray]:
        """Won games and points of a side, more than it needs counting as what it needs."""
        games = np.minimum(standing[..., 0], self._target)
        return games, np.minimum(standing[..., 1], self._length)

    def states(self) -> States:
        numbers = np.indices((*[self._target] * 2, *[self._length] * 2, 2))
        games_a, games_b, points_a, points_b, dealer = numbers.reshape(5, -1)
        a = np.stack([games_a, points_a], axis=1)
        return a, np.stack([games_b, points_b], axis=1), dealer

    def _filled(self, share: Shares, ends: Ends) -> Table:
        """A table (games of A, games of B, points of A, points of B, dealer).

        `ends` is where A has all its games and where B has.
        """
        a_won, b_won, _ = ends
        moves = self._deal.moves(share)
        games = self._target + 1
        points = self._length + 1
        table = np.full((games, games, points, points, 2), float(b_won))
        table[self._target] = a_won
        from_the_end = range(self._target - 1, -1, -1)
        for a in from_the_end:
            for b in from_the_end:
                self._add_won_games(table, a, b)
                fill()(table[a, b], *moves, np.zeros(2))
        return table

    def _add_won_games(self, table: Table, a: int, b: int) -> None:
        """Set what a game won by A and by B leads to, where A has won `a` games and B `b`."""
        most = self._target
        after_a = np.minimum(a + self._games, most)
        after_b = np.minimum(b + self._games, most)
        new_game = table[:, :, 0, 0]
        by_points = table[a, b]
        by_points[-1, :-1] = new_game[after_a, b]
        by_points[:-1, -1] = new_game[a, after_b]


class Total(Board):
    """One player's penalties in a fixed number of deals, to stay within a total (Solitary Gin).

    States are the deals left and the running total.
    """

    def __init__(self, params: Params, outcomes: Outcomes) -> None:
        self._points = outcomes.column("points")
        self._deals = number(params, "deals_in_match")
        self._goal = number(params, "total_goal")
        self._low = self._deals * min(int(self._points.min()), 0)
        self._high = self._deals * max(int(self._points.max()), 0)
        self._totals = self._high - self._low + 1
        self.size = (self._deals + 1) * self._totals * 2
        self.fields = ("left", "score"), ()
        self.start = np.array([self._deals, 0]), np.array([], np.int64)

    def solve(self, share: Shares) -> Table:
        """Over (deals left, running total from the lowest possible, dealer).

        A total beyond what can be reached is as good as the last.
        """
        totals = np.arange(self._low, self._high + 1)
        chance = share / share.sum()
        after = self._from_lowest(totals[:, None] + self._points)
        table = np.empty((self._deals + 1, self._totals))
        table[0] = totals <= self._goal
        for left in range(self._deals):
            table[left + 1] = table[left][after] @ chance
        return np.repeat(table[:, :, None], 2, axis=2)

    def _from_lowest(self, totals: np.ndarray) -> np.ndarray:
        """Totals counted from the lowest possible."""
        return np.asarray(np.clip(totals, self._low, self._high) - self._low)

    def growth(self, share: Shares, z: float) -> Table:
        left = np.arange(self._deals + 1.0)
        return np.broadcast_to((z**left)[:, None, None], (len(left), self._totals, 2))

    def index(self, a: Standing, b: Standing, dealer: np.ndarray) -> Place:
        return a[..., 0], self._from_lowest(a[..., 1]), dealer

    def states(self) -> States:
        left, total = np.indices((self._deals, self._totals)).reshape(2, -1)
        a = np.stack([left + 1, total + self._low], axis=1)
        n = len(left)
        return a, np.empty((n, 0), np.int64), np.zeros(n, np.int64)


class ScoreBoard(Board):
    """The board of a match to a number of points in which every score has its own outcomes."""

    def __init__(self, params: Params, seat: int, outcomes: ScoreOutcomes) -> None:
        self._target = number(params, "points_target")
        self._next = next_dealers(params)
        self.fields = ("score",), ("score",)
        self.size = 2 * (self._target + 1) ** 2
        self.start = starts(params, seat, self.fields)
        start = outcomes.start
        self._dealer = start.column("dealer")
        self._winner = start.column("winner")
        self._points = start.column("points")
        # Changes by the sum of the score, and where those of each sum begin
        level = outcomes.column("score_a") + outcomes.column("score_b")
        order = np.argsort(level, kind="stable")
        self._changes = outcomes.changes[order]
        self._levels = np.searchsorted(level[order], np.arange(2 * self._target))

    def index(self, a: Standing, b: Standing, dealer: np.ndarray) -> Place:
        points_a = np.minimum(a[..., 0], self._target)
        return points_a, np.minimum(b[..., 0], self._target), dealer

    def states(self) -> States:
        a, b, dealer = np.indices((self._target, self._target, 2)).reshape(3, -1)
        return a[:, None], b[:, None], dealer

    def _filled(self, share: Shares, ends: Ends) -> Table:
        """A table with `ends` where A has won and where B has.

        Scores of one sum do not lead to one another: they are filled together, the greatest sum
        first.
        """
        a_won, b_won, _ = ends
        last = self._target - 1
        places = self._target + 1
        table = np.full((places, places, 2), float(b_won))
        table[-1] = a_won
        for level in range(2 * last, -1, -1):
            least = max(0, level - last)
            a = np.arange(least, min(level, last) + 1)
            b = level - a
            mean, stay = self._usual_means(table, a, b, share)
            self._add_changes(table, least, level, share, mean, stay)
            # Both dealers of a score that a deal may leave as it was
            table[a, b] = np.linalg.solve(np.eye(2) - stay, mean[..., None])[..., 0]
        return table

    def _usual_means(
        self, table: Table, a: np.ndarray, b: np.ndarray, share: Shares
    ) -> tuple[np.ndarray, np.ndarray]:
        """What outcomes from the start lead to, by score and dealer.

        The mean of the entries, and the chances to stay at the score, by the next dealer.
        """
        dealer = self._dealer
        ahead, stays, after = self._ahead(
            table, a[:, None], b[:, None], dealer, self._winner, self._points
        )
        sides = np.arange(2)
        is_dealer = dealer == sides[:, None]
        is_next = after[:, None] == sides
        weight = share[: len(dealer)] * is_dealer
        return ahead @ weight.T, np.einsum("do,so,oe->sde", weight, stays, is_next)

    def _add_changes(
        self,
        table: Table,
        first: int,
        level: int,
        share: Shares,
        mean: np.ndarray,
        stay: np.ndarray,
    ) -> None:
        """Add what changes at the scores of a level, the first of which has `first` points of A."""
        changes = self._changes[self._levels[level] : self._levels[level + 1]]
        a, b, group, sign, dealer, winner, points = changes.T
        ahead, stays, after = self._ahead(table, a, b, dealer, winner, points)
        weight = sign * share[len(self._dealer) :][group]
        score = a - first
        np.add.at(mean, (score, dealer), weight * ahead)
        np.add.at(stay, (score, dealer, after), weight * stays)

    def _ahead(
        self,
        table: Table,
        a: np.ndarray,
        b: np.ndarray,
        dealer: np.ndarray,
        winner: np.ndarray,
        points: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What outcomes lead to from scores.

        The entries (0 where they change no score), whether they change none, and who deals next.
        """
        gain_a = points * (winner == 0)
        gain_b = points * (winner == 1)
        to_a = np.minimum(a + gain_a, self._target)
        to_b = np.minimum(b + gain_b, self._target)
        after = self._next[dealer, winner]
        stays = np.broadcast_to((winner < 0) | (points == 0), to_a.shape)
        return np.where(stays, 0, table[to_a, to_b, after]), stays, after
