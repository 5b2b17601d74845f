"""The states of a match under each goal, and tables over them, filled by a mean over the outcomes of the next deal.

A board is made of the rules, the seat of strategy A and the outcomes that deals have; shares of these outcomes then make a table.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from simgin.core.sums import KINDS
from simgin.rules.goals import goal_of
from simgin.rules.parameters import Value as Setting
from simgin.value.outcomes import Outcomes
from simgin.value.tracks import Moves, Track, fill

Row = dict[str, Setting]
States = tuple[np.ndarray, np.ndarray, np.ndarray]

DRAWN = 0.5  # what a match is worth that nobody wins


class Board(Protocol):
    """The states of a match. A standing is what a side has of each of its fields; tables have the dealer's side (0 A, 1 B) last."""

    @property
    def fields(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What the standings of A and of B hold: names of record fields without the side, or `left`, deals that are left."""

    @property
    def size(self) -> int:
        """The number of states, about."""

    def solve(self, share: np.ndarray) -> np.ndarray:
        """The chance that A wins in every state, from the share of every outcome among its dealer's deals: float (outcomes)."""

    def deals_left(self, share: np.ndarray) -> np.ndarray:
        """The mean number N of deals still to be played in every state."""

    def growth(self, share: np.ndarray, z: float) -> np.ndarray:
        """The mean of z**N in every state; some entry is below 1 where that is not finite."""

    def index(self, a: np.ndarray, b: np.ndarray, dealer: np.ndarray) -> tuple[np.ndarray, ...]:
        """Where in a table states lie: standings int64 (..., fields), sides int64 (...)."""

    def states(self) -> States:
        """Every undecided state: standings of A and of B, side that deals."""

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """The standings that a match begins with."""


def board(row: Row, seat: int, outcomes: Outcomes) -> Board:
    """The board of a game's row of parameters; strategy A sits at `seat`."""
    layout = goal_of(row).board
    if layout == "total":
        return Total(row, outcomes)
    return Games(row, seat, outcomes) if layout == "games" else Race(row, seat, outcomes)


def number(row: Row, name: str) -> int:
    """The value of a parameter that is a number."""
    value = row[name]
    assert isinstance(value, int), (
        f"{name} is {value!r} where a number has effect: the row was not validated"
    )
    return value


class _Deal:
    """What outcomes do to both sides: the deals each side wins, what they bring it, and who deals next."""

    def __init__(self, row: Row, outcomes: Outcomes, tracks: tuple[Track, Track]) -> None:
        self._dealer, self._winner = outcomes.column("dealer"), outcomes.column("winner")
        self._alone = row["players"] == 1
        brought = {"score": outcomes.column("points"), "deals": won_deals(row, outcomes)}
        self._to, self._group = [], []
        for side, track in enumerate(tracks):
            won = np.stack([brought[name][self._winner == side] for name in track.fields], axis=1)
            gains, group = np.unique(won, axis=0, return_inverse=True)
            self._to.append(np.ascontiguousarray(track.steps(gains)))
            self._group.append(group.reshape(-1))
        self._next = next_dealers(row)

    def moves(self, share: np.ndarray) -> Moves:
        """The moves of one deal from the share of every outcome."""
        chances = []
        for side in range(2):
            won = self._winner == side
            chance = np.zeros((2, self._to[side].shape[1]))
            np.add.at(chance, (self._dealer[won], self._group[side]), share[won])
            chances.append(chance)
        nobody = np.bincount(self._dealer, share * (self._winner < 0), minlength=2)
        if self._alone:  # one player's deals have no dealer, and records name one all the same
            chances, nobody = (
                [np.tile(chance.sum(axis=0), (2, 1)) for chance in chances],
                np.full(2, nobody.sum()),
            )
        return Moves((self._to[0], self._to[1]), (chances[0], chances[1]), self._next, nobody)


def won_deals(row: Row, outcomes: Outcomes) -> np.ndarray:
    """The won deals that every outcome counts for its winner (rules.md 7 and 8.5): int64 (outcomes)."""
    if not goal_of(row).counts_deals:
        return np.ones(len(outcomes.rows), np.int64)
    kind = np.array(KINDS)[outcomes.column("kind")]
    factor = np.where(np.isin(kind, ("gin", "big_gin", "shot")), number(row, "deal_count_gin"), 1)
    factor = np.where(kind == "undercut", number(row, "deal_count_undercut"), factor)
    return np.asarray(
        factor * outcomes.column("stake")
    )  # a refusal pays the number before the offer


def next_dealers(row: Row) -> np.ndarray:
    """The side that deals next, by the side that dealt and by who won (0, 1, -1): int64 (2, 3)."""
    return np.array(
        [[_next_dealer(row, dealer, winner) for winner in (0, 1, -1)] for dealer in (0, 1)]
    )


def _next_dealer(row: Row, dealer: int, winner: int) -> int:
    """The side that deals after a deal (rules.md 4.1); one player's games always have the same."""
    if row["players"] == 1:
        return dealer
    if winner < 0:
        return 1 - dealer if row["void_dealer"] == "other" else dealer
    return {"winner": winner, "loser": 1 - winner, "alternate": 1 - dealer}[str(row["next_dealer"])]


def _tracks(row: Row, seat: int) -> tuple[Track, Track]:
    """The tracks of A, who sits at `seat`, and of B."""
    return _track(row, seat), _track(row, 1 - seat)


def _track(row: Row, seat: int) -> Track:
    goal = goal_of(row)
    if goal.one_deal:
        return Track(("deals",), (1,))
    targets = goal.side_at(row, seat).targets
    return Track(tuple(targets), tuple(number(row, name) for name in targets.values()))


def starts(
    row: Row, seat: int, fields: tuple[tuple[str, ...], tuple[str, ...]]
) -> tuple[np.ndarray, np.ndarray]:
    """The standings of A and B when a match begins: start_points where a side counts points, else nothing."""
    points: Any = row["start_points"] or (0, 0)
    a, b = (
        [points[one] if name == "score" else 0 for name in names]
        for one, names in zip((seat, 1 - seat), fields, strict=True)
    )
    return np.array(a), np.array(b)


def _pairs(length_a: int, length_b: int) -> States:
    """Places of both sides and dealers, every combination."""
    a, b, dealer = np.indices((length_a, length_b, 2)).reshape(3, -1)
    return a, b, dealer


class Race:
    """Both sides on a track of their own: single, points, deals, race and twofold."""

    def __init__(self, row: Row, seat: int, outcomes: Outcomes) -> None:
        self._row, self._outcomes, self._tracks = row, outcomes, _tracks(row, seat)
        self._single = goal_of(row).one_deal
        self._start = starts(row, seat, self.fields)

    @cached_property
    def _deal(self) -> _Deal:
        return _Deal(self._row, self._outcomes, self._tracks)  # not before the size was looked at

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
        a, b, dealer = _pairs(self._tracks[0].length, self._tracks[1].length)
        return self._tracks[0].standings()[a], self._tracks[1].standings()[b], dealer

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        return self._start

    def _filled(
        self, share: np.ndarray, ends: tuple[float, float, float], each: float = 0
    ) -> np.ndarray:
        """A table with `ends` where A has won, where B has, and for a single deal that nobody won; `each` is added for every deal."""
        moves, reward = self._deal.moves(share), np.full(2, float(each))
        if self._single:
            reward = reward + ends[2] * moves.nobody
            moves = dataclasses.replace(moves, nobody=np.zeros(2))
        table = np.full((self._tracks[0].length + 1, self._tracks[1].length + 1, 2), float(ends[1]))
        table[-1] = ends[0]
        fill(table, moves, reward)
        return table


class WonOrLost:
    """What a board without drawn matches makes of a table that is filled from its ends: A has won, or B."""

    def _filled(self, share: np.ndarray, ends: tuple[float, float], each: float = 0) -> np.ndarray:
        raise NotImplementedError

    def solve(self, share: np.ndarray) -> np.ndarray:
        return self._filled(share, ends=(1, 0))

    def deals_left(self, share: np.ndarray) -> np.ndarray:
        return self._filled(share, ends=(0, 0), each=1)

    def growth(self, share: np.ndarray, z: float) -> np.ndarray:
        return self._filled(z * share, ends=(1, 1))


class Games(WonOrLost):
    """Games to a number of points, which count by the loser's points: a table over points for every pair of won games (Gin Pro)."""

    def __init__(self, row: Row, seat: int, outcomes: Outcomes) -> None:
        self._row, self._outcomes, self._tracks = row, outcomes, _tracks(row, seat)
        self._target = number(row, "games_target")
        points = np.arange(self._tracks[0].length)
        up_to, games = np.array(row["game_table"]).T
        self._games = games[np.searchsorted(up_to, points)]  # won games by the loser's points
        self._start = starts(row, seat, self.fields)

    @cached_property
    def _deal(self) -> _Deal:
        return _Deal(self._row, self._outcomes, self._tracks)

    @property
    def fields(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return ("games", "score"), ("games", "score")

    @property
    def size(self) -> int:
        return 2 * (self._target * (self._tracks[0].length + 1)) ** 2

    def index(self, a: np.ndarray, b: np.ndarray, dealer: np.ndarray) -> tuple[np.ndarray, ...]:
        limit = (self._target, self._tracks[0].length)
        a, b = np.minimum(a, limit), np.minimum(b, limit)
        return a[..., 0], b[..., 0], a[..., 1], b[..., 1], dealer

    def states(self) -> States:
        length = self._tracks[0].length
        games_a, games_b, a, b, dealer = np.indices(
            (self._target, self._target, length, length, 2)
        ).reshape(5, -1)
        return np.stack([games_a, a], axis=1), np.stack([games_b, b], axis=1), dealer

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        return self._start

    def _filled(self, share: np.ndarray, ends: tuple[float, float], each: float = 0) -> np.ndarray:
        """A table (games of A, games of B, points of A, points of B, dealer) with `ends` where A has all its games and where B has."""
        moves, reward, n = self._deal.moves(share), np.full(2, float(each)), self._target
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
    """One player's penalties in a fixed number of deals, to be kept within a total (Solitary Gin): deals left and running total."""

    def __init__(self, row: Row, outcomes: Outcomes) -> None:
        self._points = outcomes.column("points")
        self._deals, self._goal = number(row, "deals_in_match"), number(row, "total_goal")
        self._low, self._high = (
            self._deals * int(bound)
            for bound in (min(self._points.min(), 0), max(self._points.max(), 0))
        )

    @property
    def fields(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return ("left", "score"), ()

    @property
    def size(self) -> int:
        return (self._deals + 1) * (self._high - self._low + 1) * 2

    def solve(self, share: np.ndarray) -> np.ndarray:
        """Over (deals left, running total from the lowest possible, dealer); a total beyond what can be reached is as good as the last."""
        totals = np.arange(self._low, self._high + 1)
        chance, points = share / share.sum(), self._points
        table = np.empty((self._deals + 1, len(totals)))
        table[0] = totals <= self._goal
        for left in range(1, self._deals + 1):
            after = np.clip(totals[:, None] + points, self._low, self._high) - self._low
            table[left] = table[left - 1][after] @ chance
        return np.repeat(table[:, :, None], 2, axis=2)

    def deals_left(self, share: np.ndarray) -> np.ndarray:
        return np.broadcast_to(
            np.arange(self._deals + 1.0)[:, None, None],
            (self._deals + 1, self._high - self._low + 1, 2),
        )

    def growth(self, share: np.ndarray, z: float) -> np.ndarray:
        return np.asarray(z ** self.deals_left(share))

    def index(self, a: np.ndarray, b: np.ndarray, dealer: np.ndarray) -> tuple[np.ndarray, ...]:
        return a[..., 0], np.clip(a[..., 1], self._low, self._high) - self._low, dealer

    def states(self) -> States:
        left, total = np.indices((self._deals, self._high - self._low + 1)).reshape(2, -1)
        return (
            np.stack([left + 1, total + self._low], axis=1),
            np.empty((len(left), 0), np.int64),
            np.zeros(len(left), np.int64),
        )

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array([self._deals, 0]), np.array([], np.int64)
