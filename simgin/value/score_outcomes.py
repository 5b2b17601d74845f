"""Outcomes by score, where the score changes how a deal is played, and the board over them.

Shots do that, and policies that look at points. Deals are played twice on the same packs: from the
score that matches begin with, and from another. At a score, the chances of outcomes are those of
all deals from the start, plus those of the deals there that went otherwise, minus those of what the
same packs gave from the start. That is an unbiased estimate, and a good one from few deals a score,
since most deals go alike. Every score has packs of its own. No score is met twice in a match, so V
is a sum of products of independent estimates, and unbiased but for deals without points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simgin.core.record import DEAL
from simgin.core.state import new_state
from simgin.core.view import new_view
from simgin.play.kernel import prepare, run
from simgin.play.matchup import Matchup
from simgin.play.parallel import Progress, over_units
from simgin.rules.build import build_rules
from simgin.rules.parameters import Params
from simgin.value import array_cache
from simgin.value.outcomes import (
    GROUPS,
    OutcomeError,
    Outcomes,
    group_of,
    merged,
    other_side,
    tally,
)
from simgin.value.states import (
    Board,
    Ends,
    Place,
    Shares,
    Standing,
    States,
    Table,
    next_dealers,
    number,
    starts,
)

UNITS = 2 * GROUPS  # of a score at least: both dealers in every group
MOST_POINTS = 250  # to play to

# Points of both sides; group; 1 for an outcome that came about there, -1 for one that did not
# although the same pack gives it from the start; sides of dealer and winner; points of the winner.
CHANGE_COLUMNS = ("score_a", "score_b", "group", "sign", "dealer", "winner", "points")
_PLACE = {name: i for i, name in enumerate(CHANGE_COLUMNS)}


@dataclass(frozen=True)
class ScoreOutcomes:
    """Outcomes of single deals from the start, and what changes at other points.

    changes: int64 (k, len(CHANGE_COLUMNS)). each: deals of each side at each score.
    """

    start: Outcomes
    changes: np.ndarray
    each: int

    def column(self, name: str) -> np.ndarray:
        """One column of every change, int64."""
        return np.asarray(self.changes[:, _PLACE[name]])

    @cached_property
    def shares(self) -> np.ndarray:
        """Shares of the outcomes from the start, then the weight of a change in each group.

        Float64 (1 + GROUPS, outcomes + GROUPS): from all groups, then with each left out.
        """
        kept_groups = np.concatenate([np.ones((1, GROUPS)), 1 - np.eye(GROUPS)])
        weights = kept_groups / (self.each * kept_groups.mean(axis=1, keepdims=True))
        return np.concatenate([self.start.shares, weights], axis=1)

    def from_both_sides(self) -> ScoreOutcomes:
        """Every deal counted for A and, as its mirror image, for B; see `Outcomes`."""
        start = self.start.from_both_sides()
        winner = self.column("winner")
        mirrored = {
            "score_a": self.column("score_b"),
            "score_b": self.column("score_a"),
            "dealer": 1 - self.column("dealer"),
            "winner": other_side(winner),
        }
        mirror = self.changes.copy()
        for name, column in mirrored.items():
            mirror[:, _PLACE[name]] = column
        return ScoreOutcomes(start, np.concatenate([self.changes, mirror]), 2 * self.each)


def count_score_outcomes(
    matchup: Matchup, deals: int, workers: int | None = None, progress: Progress | None = None
) -> ScoreOutcomes:
    """About so many single deals spread evenly over all scores, and as many from the start.

    At least forty units a score; kept on disk. Raises OutcomeError for matches to more than 250.
    """
    target = number(matchup.variant.row, "points_target")
    if target > MOST_POINTS:
        raise OutcomeError(
            f"outcomes by score are for matches to {MOST_POINTS} points at most, not {target}: "
            "set points_target=100, say."
        )
    units = UNITS * max(1, -(-matchup.units(deals) // (UNITS * target**2)))
    about = array_cache.describe(matchup, units, "outcomes by score")

    def count() -> array_cache.Arrays:
        return _count(matchup, target, units, workers, progress)

    arrays = array_cache.cached(about, count)
    start = Outcomes(arrays["rows"], arrays["counts"])
    return ScoreOutcomes(start, arrays["changes"], units * (2 if matchup.mirrored else 1) // 2)


def _count(
    matchup: Matchup, target: int, units: int, workers: int | None, progress: Progress | None
) -> array_cache.Arrays:
    def row(first: int, _one: int) -> tuple[np.ndarray, np.ndarray]:
        return _row(matchup, first, target, units)

    prepare(matchup)
    tallies, changes = zip(*over_units(row, target, 1, workers, progress), strict=True)
    arrays = merged(np.concatenate(tallies))
    arrays["changes"] = np.concatenate(changes)
    return arrays


def _row(matchup: Matchup, first: int, target: int, units: int) -> tuple[np.ndarray, np.ndarray]:
    """All scores with `first` points at seat 0: the tally of their packs, and their changes."""
    own_rules = build_rules(matchup.variant)
    begin = own_rules.start_points.copy()
    units_apart = matchup.batch * (-(-units // matchup.batch))
    tallies = []
    changes = []
    for second in range(target):
        first_unit = (first * target + second) * units_apart
        score = np.array([first, second])
        alike = _records(matchup, own_rules, begin, first_unit, units)
        there = _records(matchup, own_rules, score, first_unit, units)
        tallies.append(tally(alike))
        changes.append(_changes(alike, there))
    return np.concatenate(tallies), np.concatenate(changes)


def _records(
    matchup: Matchup, own_rules: np.record, start: np.ndarray, first_unit: int, units: int
) -> np.ndarray:
    """Records of single deals that begin with some points of seats 0 and 1.

    `own_rules` are written to: to build them anew takes longer than to play.
    """
    own_rules.start_points[:] = start
    records = np.empty(2 * units, DEAL)
    state = new_state(matchup.seed)
    run(matchup, state, own_rules, (new_view(), new_view()), first_unit, units, records)
    return records[: state.recorded]


def _changes(alike: np.ndarray, there: np.ndarray) -> np.ndarray:
    """The changes of deals at a score, from their records and those of the same packs alike."""
    changed = np.zeros(len(alike), bool)
    for name in ("winner", "points_a", "points_b"):
        changed |= alike[name] != there[name]
    here = there[changed]
    return np.concatenate([_signed(here, here, 1), _signed(here, alike[changed], -1)])


def _signed(at: np.ndarray, deals: np.ndarray, sign: int) -> np.ndarray:
    """Deals as changes (CHANGE_COLUMNS) at the scores of the records `at`."""
    points = deals["points_a"] + deals["points_b"]
    place = [at["score_a"], at["score_b"], group_of(at), np.full(len(at), sign)]
    return np.stack([*place, deals["dealer"], deals["winner"], points], axis=1)


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
