"""The states of a match under each goal, and tables over them, filled from the end of the match.

A board is made of the rules, the seat of strategy A and the outcomes that deals have; shares of
these outcomes then make a table (docs/explanation/value.md#how-v-is-computed).
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from simgin.core.sums import KINDS
from simgin.rules.goals import goal_of
from simgin.rules.parameters import Params
from simgin.value.outcomes import Outcomes
from simgin.value.tracks import Moves, Track, fill

States = tuple[np.ndarray, np.ndarray, np.ndarray]  # standings of A and of B, side that deals

DRAWN = 0.5  # what a match is worth that nobody wins


class Board(Protocol):
    """The states of a match.

    A standing is what a side has of each of its fields. Tables have the dealer's side (0 A, 1 B)
    as their last axis.
    """

    @property
    def fields(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the standings of A and of B hold.

        Names of record fields without the side, or `left`, the deals that are left.
        """

    @property
    def size(self) -> int:
        """The number of states, about."""

    def solve(self, share: np.ndarray) -> np.ndarray:
        """The probability that A wins, in every state.

        share: of every outcome among its dealer's deals, float64 (outcomes).
        """

    def deals_left(self, share: np.ndarray) -> np.ndarray:
        """The mean number N of deals still to be played, in every state."""

    def growth(self, share: np.ndarray, z: float) -> np.ndarray:
        """The mean of z**N in every state; some entry is below 1 where that is not finite."""

    def index(self, a: np.ndarray, b: np.ndarray, dealer: np.ndarray) -> tuple[np.ndarray, ...]:
        """Where in a table states lie: standings int64 (..., fields), sides int64 (...)."""

    def states(self) -> States:
        """Every undecided state."""

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """The standings that a match begins with."""


def make_board(params: Params, seat: int, outcomes: Outcomes) -> Board:
    """The board of a variant's parameters; strategy A sits at `seat`."""
    layout = goal_of(params).board
    if layout == "total":
        return Total(params, outcomes)
    if layout == "games":
        return Games(params, seat, outcomes)
    return Race(params, seat, outcomes)


def number(params: Params, name: str) -> int:
    """The value of a parameter that is a number."""
    value = params[name]
    assert isinstance(value, int), (
        f"{name} is {value!r} where a number has effect: the parameters were not validated"
    )
    return value


class _Deal:
    """What outcomes do to both sides: who wins, what it brings, and who deals next."""

    def __init__(self, params: Params, outcomes: Outcomes, tracks: tuple[Track, Track]) -> None:
        self._dealer = outcomes.column("dealer")
        self._winner = outcomes.column("winner")
        self._alone = params["players"] == 1
        self._next = next_dealers(params)
        self._to = []
        self._gain = []
        brought = {"score": outcomes.column("points"), "deals": won_deals(params, outcomes)}
        for side, track in enumerate(tracks):
            is_won = self._winner == side
            won = np.stack([brought[name][is_won] for name in track.fields], axis=1)
            # Outcomes that bring the same are one move
            gains, gain = np.unique(won, axis=0, return_inverse=True)
            self._to.append(np.ascontiguousarray(track.steps(gains)))
            self._gain.append(gain.reshape(-1))

    def moves(self, share: np.ndarray) -> Moves:
        """The moves of one deal from the share of every outcome."""
        chances = [self._chances(side, share) for side in range(2)]
        nobody = np.bincount(self._dealer, share * (self._winner < 0), minlength=2)
        if self._alone:  # one player's deals have no dealer, although records name one
            chances = [np.tile(chance.sum(axis=0), (2, 1)) for chance in chances]
            nobody = np.full(2, nobody.sum())
        return Moves((self._to[0], self._to[1]), (chances[0], chances[1]), self._next, nobody)

    def _chances(self, side: int, share: np.ndarray) -> np.ndarray:
        """The chances of a side's moves, by dealer."""
        won = self._winner == side
        chance = np.zeros((2, self._to[side].shape[1]))
        np.add.at(chance, (self._dealer[won], self._gain[side]), share[won])
        return chance


def won_deals(params: Params, outcomes: Outcomes) -> np.ndarray:
    """The won deals that every outcome counts for its winner (rules.md 7 and 8.5): int64."""
    if not goal_of(params).counts_deals:
        return np.ones(len(outcomes.rows), np.int64)
    kind = np.array(KINDS)[outcomes.column("kind")]
    is_gin = np.isin(kind, ("gin", "big_gin", "shot"))
    factor = np.where(is_gin, number(params, "deal_count_gin"), 1)
    factor = np.where(kind == "undercut", number(params, "deal_count_undercut"), factor)
    # A refusal pays the number before the offer
    return np.asarray(factor * outcomes.column("stake"))


def next_dealers(params: Params) -> np.ndarray:
    """The side that deals next, by who dealt and by who won (0, 1, -1): int64 (2, 3)."""
    table = []
    for dealer in (0, 1):
        table.append([_next_dealer(params, dealer, winner) for winner in (0, 1, -1)])
    return np.array(table)


def _next_dealer(params: Params, dealer: int, winner: int) -> int:
    """The side that deals after a deal (rules.md 4.1); alone it is always the same."""
    if params["players"] == 1:
        return dealer
    if winner < 0:
        return 1 - dealer if params["void_dealer"] == "other" else dealer
    after = {"winner": winner, "loser": 1 - winner, "alternate": 1 - dealer}
    return after[str(params["next_dealer"])]


def _tracks(params: Params, seat: int) -> tuple[Track, Track]:
    """The tracks of A, who sits at `seat`, and of B."""
    return _track(params, seat), _track(params, 1 - seat)


def _track(params: Params, seat: int) -> Track:
    goal = goal_of(params)
    if goal.one_deal:
        return Track(("deals",), (1,))
    targets = goal.side_at(params, seat).targets
    return Track(tuple(targets), tuple(number(params, name) for name in targets.values()))


def starts(
    params: Params, seat: int, fields: tuple[tuple[str, ...], tuple[str, ...]]
) -> tuple[np.ndarray, np.ndarray]:
    """The standings of A and B when a match begins: start_points where a side counts points."""
    points: Any = params["start_points"] or (0, 0)
    standings = []
    for own_seat, names in zip((seat, 1 - seat), fields, strict=True):
        standings.append(np.array([points[own_seat] if name == "score" else 0 for name in names]))
    return standings[0], standings[1]


class Race:
    """Both sides on a track of their own: single, points, deals, race and twofold."""

    def __init__(self, params: Params, seat: int, outcomes: Outcomes) -> None:
        self._params = params
        self._outcomes = outcomes
        self._tracks = _tracks(params, seat)
        self._single = goal_of(params).one_deal
        self._start = starts(params, seat, self.fields)

    @cached_property
    def _deal(self) -> _Deal:
        # Not before the size was looked at
        return _Deal(self._params, self._outcomes, self._tracks)

    @property
    def fields(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self._tracks[0].fields, self._tracks[1].fields

    @property
    def size(self) -> int:
        return 2 * (self._tracks[0].length + 1) * (self._tracks[1].length + 1)

    def solve(self, share: np.ndarray) -> np.ndarray:
        return self._filled(share, ends=(1, 0, DRAWN))

    def deals_left(self, share: np.ndarray) -> np.ndarray:
        return self._filled(share, ends=(0, 0, 0), each=1)

    def growth(self, share: np.ndarray, z: float) -> np.ndarray:
        return self._filled(z * share, ends=(1, 1, 1))

    def index(self, a: np.ndarray, b: np.ndarray, dealer: np.ndarray) -> tuple[np.ndarray, ...]:
        return self._tracks[0].place(a), self._tracks[1].place(b), dealer

    def states(self) -> States:
        lengths = (self._tracks[0].length, self._tracks[1].length, 2)
        a, b, dealer = np.indices(lengths).reshape(3, -1)
        return self._tracks[0].standings()[a], self._tracks[1].standings()[b], dealer

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        return self._start

    def _filled(
        self, share: np.ndarray, ends: tuple[float, float, float], each: float = 0
    ) -> np.ndarray:
        """A table with `ends` where A has won, where B has, and for a single deal nobody won.

        `each` is added for every deal.
        """
        moves = self._deal.moves(share)
        reward = np.full(2, float(each))
        if self._single:
            reward = reward + ends[2] * moves.nobody
            moves = dataclasses.replace(moves, nobody=np.zeros(2))
        shape = (self._tracks[0].length + 1, self._tracks[1].length + 1, 2)
        table = np.full(shape, float(ends[1]))
        table[-1] = ends[0]
        fill(table, moves, reward)
        return table


class WonOrLost:
    """What a board without drawn matches makes of a table filled from its ends: A won, or B."""

    def _filled(self, share: np.ndarray, ends: tuple[float, float], each: float = 0) -> np.ndarray:
        raise NotImplementedError

    def solve(self, share: np.ndarray) -> np.ndarray:
        return self._filled(share, ends=(1, 0))

    def deals_left(self, share: np.ndarray) -> np.ndarray:
        return self._filled(share, ends=(0, 0), each=1)

    def growth(self, share: np.ndarray, z: float) -> np.ndarray:
        return self._filled(z * share, ends=(1, 1))


class Games(WonOrLost):
    """Games to a number of points, which count by the loser's points (Gin Pro).

    A table over points for every pair of won games.
    """

    def __init__(self, params: Params, seat: int, outcomes: Outcomes) -> None:
        self._params = params
        self._outcomes = outcomes
        self._tracks = _tracks(params, seat)
        self._target = number(params, "games_target")
        points = np.arange(self._tracks[0].length)
        up_to, games = np.array(params["game_table"]).T
        self._games = games[np.searchsorted(up_to, points)]  # won games by the loser's points
        self._start = starts(params, seat, self.fields)

    @cached_property
    def _deal(self) -> _Deal:
        return _Deal(self._params, self._outcomes, self._tracks)

    @property
    def fields(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return ("games", "score"), ("games", "score")

    @property
    def size(self) -> int:
        return 2 * (self._target * (self._tracks[0].length + 1)) ** 2

    def index(self, a: np.ndarray, b: np.ndarray, dealer: np.ndarray) -> tuple[np.ndarray, ...]:
        limit = (self._target, self._tracks[0].length)
        a = np.minimum(a, limit)
        b = np.minimum(b, limit)
        return a[..., 0], b[..., 0], a[..., 1], b[..., 1], dealer

    def states(self) -> States:
        length = self._tracks[0].length
        shape = (self._target, self._target, length, length, 2)
        games_a, games_b, a, b, dealer = np.indices(shape).reshape(5, -1)
        return np.stack([games_a, a], axis=1), np.stack([games_b, b], axis=1), dealer

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        return self._start

    def _filled(self, share: np.ndarray, ends: tuple[float, float], each: float = 0) -> np.ndarray:
        """A table (games of A, games of B, points of A, points of B, dealer).

        `ends` is where A has all its games and where B has.
        """
        moves = self._deal.moves(share)
        reward = np.full(2, float(each))
        n = self._target
        points = self._tracks[0].length + 1
        table = np.full((n + 1, n + 1, points, points, 2), float(ends[1]))
        table[n] = ends[0]
        for a in range(n - 1, -1, -1):
            for b in range(n - 1, -1, -1):
                table[a, b, -1, :-1] = table[np.minimum(a + self._games, n), b, 0, 0]
                table[a, b, :-1, -1] = table[a, np.minimum(b + self._games, n), 0, 0]
                fill(table[a, b], moves, reward)
        return table


class Total:
    """One player's penalties in a fixed number of deals, to stay within a total (Solitary Gin).

    States are the deals left and the running total.
    """

    def __init__(self, params: Params, outcomes: Outcomes) -> None:
        self._points = outcomes.column("points")
        self._deals = number(params, "deals_in_match")
        self._goal = number(params, "total_goal")
        self._low = self._deals * int(min(self._points.min(), 0))
        self._high = self._deals * int(max(self._points.max(), 0))

    @property
    def fields(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return ("left", "score"), ()

    @property
    def size(self) -> int:
        return (self._deals + 1) * self._totals * 2

    @property
    def _totals(self) -> int:
        return self._high - self._low + 1

    def solve(self, share: np.ndarray) -> np.ndarray:
        """Over (deals left, running total from the lowest possible, dealer).

        A total beyond what can be reached is as good as the last.
        """
        totals = np.arange(self._low, self._high + 1)
        chance = share / share.sum()
        table = np.empty((self._deals + 1, len(totals)))
        table[0] = totals <= self._goal
        for left in range(1, self._deals + 1):
            after = np.clip(totals[:, None] + self._points, self._low, self._high) - self._low
            table[left] = table[left - 1][after] @ chance
        return np.repeat(table[:, :, None], 2, axis=2)

    def deals_left(self, share: np.ndarray) -> np.ndarray:
        left = np.arange(self._deals + 1.0)[:, None, None]
        return np.broadcast_to(left, (self._deals + 1, self._totals, 2))

    def growth(self, share: np.ndarray, z: float) -> np.ndarray:
        return np.asarray(z ** self.deals_left(share))

    def index(self, a: np.ndarray, b: np.ndarray, dealer: np.ndarray) -> tuple[np.ndarray, ...]:
        return a[..., 0], np.clip(a[..., 1], self._low, self._high) - self._low, dealer

    def states(self) -> States:
        left, total = np.indices((self._deals, self._totals)).reshape(2, -1)
        a = np.stack([left + 1, total + self._low], axis=1)
        nothing = np.empty((len(left), 0), np.int64)
        return a, nothing, np.zeros(len(left), np.int64)

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array([self._deals, 0]), np.array([], np.int64)
