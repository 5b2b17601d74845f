"""Where the score changes how a deal is played (shots, policies that look at points): what every score changes, and the board over it.

Deals are played twice on the same packs, from the score that matches begin with and from another. At a score, the chances of outcomes are
those of all deals from the start, plus those of the deals there that went otherwise, minus those of what the same packs gave from the
start: an unbiased estimate, which few deals a score make a good one, since most deals go alike. Every score has packs of its own. No
score is met twice in a match, so that V is a sum of products of independent estimates and unbiased but for deals without points.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simgin.core.record import DEAL
from simgin.core.state import new_state
from simgin.core.view import new_view
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import usable_cpus
from simgin.rules.record import build_rules
from simgin.value import array_cache
from simgin.value.outcomes import GROUPS, OutcomeError, Outcomes, merged, tally
from simgin.value.states import Row, States, WonOrLost, next_dealers, number, starts

UNITS = 2 * GROUPS  # of a score at least: both dealers in every group
MOST_POINTS = 250  # to play to
COLUMNS = ("score_a", "score_b", "group", "sign", "dealer", "winner", "points")
COLUMN = {name: i for i, name in enumerate(COLUMNS)}


@dataclass(frozen=True)
class ByScore:
    """Outcomes of single deals from the start, and what goes otherwise at every pair of points below the target.

    changes: int64 (k, len(COLUMNS)): at a score, an outcome that came about there (sign 1) or that did not, though the same pack gives it
    from the start (-1). Sides, points and groups are those of Outcomes. each: deals of each side at each score.
    """

    start: Outcomes
    changes: np.ndarray
    each: int

    @cached_property
    def shares(self) -> np.ndarray:
        """Shares of the outcomes from the start, and the weight of a change in each group: for all groups, then with each left out.

        Float (1 + GROUPS, outcomes + GROUPS).
        """
        kept_groups = np.concatenate([np.ones((1, GROUPS)), 1 - np.eye(GROUPS)])
        weights = kept_groups / (self.each * kept_groups.mean(axis=1, keepdims=True))
        return np.concatenate([self.start.shares, weights], axis=1)

    def from_both_sides(self) -> ByScore:
        """Every deal counted for A and, as its mirror image, for B: what a strategy against itself is worth counting as."""
        mirror = self.changes[:, [COLUMN[name] for name in ("score_b", "score_a", *COLUMNS[2:])]]
        mirror[:, COLUMN["dealer"]] = 1 - mirror[:, COLUMN["dealer"]]
        mirror[:, COLUMN["winner"]] = np.where(
            mirror[:, COLUMN["winner"]] < 0, -1, 1 - mirror[:, COLUMN["winner"]]
        )
        return ByScore(
            self.start.from_both_sides(), np.concatenate([self.changes, mirror]), 2 * self.each
        )


def of(one: Matchup, deals: int, workers: int | None = None) -> ByScore:
    """About so many single deals spread evenly over all scores, at least forty units each, and as many from the start; kept on disk."""
    target = number(one.variant.row, "points_target")
    if target > MOST_POINTS:
        raise OutcomeError(
            f"outcomes by score are for games to {MOST_POINTS} points at most, not {target}: set points_target=100, say."
        )
    units = UNITS * max(1, -(-one.units(deals) // (UNITS * target**2)))
    found = array_cache.arrays(
        array_cache.about(one, units, "outcomes by score"),
        lambda: _count(one, target, units, workers),
    )
    return ByScore(
        Outcomes(found["rows"], found["counts"]),
        found["changes"],
        units * (2 if one.mirrored else 1) // 2,
    )


def _count(one: Matchup, target: int, units: int, workers: int | None) -> array_cache.Arrays:
    kernel.prepare(one)
    with ThreadPoolExecutor(workers or usable_cpus()) as threads:
        rows = list(threads.map(lambda first: _row(one, first, target, units), range(target)))
    return {
        **merged(np.concatenate([counted for counted, _ in rows])),
        "changes": np.concatenate([changes for _, changes in rows]),
    }


def _row(one: Matchup, first: int, target: int, units: int) -> tuple[np.ndarray, np.ndarray]:
    """All scores with `first` points at seat 0: the counts of their packs from the start (`outcomes.tally`), and their changes."""
    own_rules = build_rules(one.variant)
    begin = own_rules.start_points.copy()
    counted, changes = [], []
    for second in range(target):
        first_unit = (first * target + second) * one.batch * -(-units // one.batch)
        alike = _records(one, own_rules, begin, first_unit, units)
        other = _records(one, own_rules, np.array([first, second]), first_unit, units)
        counted.append(tally(alike))
        changes.append(_changes(alike, other))
    return np.concatenate(counted), np.concatenate(changes)


def _records(
    one: Matchup, own_rules: np.record, start: np.ndarray, first_unit: int, units: int
) -> np.ndarray:
    """Records of single deals that begin at some points of seats 0 and 1. `own_rules` are written to: a build takes longer than play."""
    own_rules.start_points[:] = start
    records = np.empty(2 * units, DEAL)
    state = new_state(one.seed)
    kernel.run(one, state, own_rules, (new_view(), new_view()), first_unit, units, records)
    return records[: state.recorded]


def _changes(alike: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The changes that deals at a score make, from their records and those of the same packs from the start."""
    changed = np.zeros(len(alike), bool)
    for name in ("winner", "points_a", "points_b"):
        changed |= alike[name] != other[name]
    return np.concatenate(
        [_signed(other[changed], other[changed], 1), _signed(other[changed], alike[changed], -1)]
    )


def _signed(at: np.ndarray, deals: np.ndarray, sign: int) -> np.ndarray:
    """Deals as changes at the score of the records `at`."""
    group = at["unit"] // 2 % GROUPS
    points = deals["points_a"] + deals["points_b"]
    place = (at["score_a"], at["score_b"])
    return np.stack(
        [
            *place,
            group,
            np.full(len(at), sign),
            deals["dealer"],
            deals["winner"],
            points,
        ],
        axis=1,
    )


class Scores(WonOrLost):
    """The board of a match to a number of points in which every score has outcomes of its own."""

    def __init__(self, row: Row, seat: int, outcomes: ByScore) -> None:
        self._target = number(row, "points_target")
        self._next, self._start = next_dealers(row), starts(row, seat, self.fields)
        self._usual = [outcomes.start.column(name) for name in ("dealer", "winner", "points")]
        level = outcomes.changes[:, COLUMN["score_a"]] + outcomes.changes[:, COLUMN["score_b"]]
        order = np.argsort(level, kind="stable")
        self._changes = outcomes.changes[order]
        self._levels = np.searchsorted(level[order], np.arange(2 * self._target))

    @property
    def fields(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return ("score",), ("score",)

    @property
    def size(self) -> int:
        return 2 * (self._target + 1) ** 2

    def index(self, a: np.ndarray, b: np.ndarray, dealer: np.ndarray) -> tuple[np.ndarray, ...]:
        return np.minimum(a[..., 0], self._target), np.minimum(b[..., 0], self._target), dealer

    def states(self) -> States:
        a, b, dealer = np.indices((self._target, self._target, 2)).reshape(3, -1)
        return a[:, None], b[:, None], dealer

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        return self._start

    def _filled(self, share: np.ndarray, ends: tuple[float, float], each: float = 0) -> np.ndarray:
        """A table with `ends` where A has won and where B has, `each` being added for every deal.

        Scores of one sum do not lead to one another: they are filled together, the greatest sum first.
        """
        target = self._target
        table = np.full((target + 1, target + 1, 2), float(ends[1]))
        table[-1] = ends[0]
        for level in range(2 * target - 2, -1, -1):
            a = np.arange(max(0, level - target + 1), min(level, target - 1) + 1)
            mean, stay = self._usual_means(table, a, level - a, share)
            self._add_changes(table, a[0], level, share, mean, stay)
            table[a, level - a] = np.linalg.solve(np.eye(2) - stay, (mean + each)[..., None])[
                ..., 0
            ]
        return table

    def _usual_means(
        self, table: np.ndarray, a: np.ndarray, b: np.ndarray, share: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """By score and dealer the mean of the entries that outcomes from the start lead to, and the chances to stay, by the next dealer."""
        dealer, winner, points = self._usual
        ahead, stays, after = self._ahead(table, a[:, None], b[:, None], dealer, winner, points)
        weight = share[: len(dealer)] * (dealer == np.arange(2)[:, None])
        stay = np.einsum("do,so,oe->sde", weight, stays, after[:, None] == np.arange(2))
        return ahead @ weight.T, stay

    def _add_changes(
        self,
        table: np.ndarray,
        first: int,
        level: int,
        share: np.ndarray,
        mean: np.ndarray,
        stay: np.ndarray,
    ) -> None:
        """Add what is otherwise at the scores of a level, the first of which has `first` points of A."""
        changes = self._changes[self._levels[level] : self._levels[level + 1]]
        a, b, group, sign, dealer, winner, points = changes.T
        ahead, stays, after = self._ahead(table, a, b, dealer, winner, points)
        weight = sign * share[len(self._usual[0]) + group]
        np.add.at(mean, (a - first, dealer), weight * ahead)
        np.add.at(stay, (a - first, dealer, after), weight * stays)

    def _ahead(
        self,
        table: np.ndarray,
        a: np.ndarray,
        b: np.ndarray,
        dealer: np.ndarray,
        winner: np.ndarray,
        points: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The entries that outcomes lead to (0 where they change no score), whether they change none, and who deals next."""
        to_a = np.minimum(a + points * (winner == 0), self._target)
        to_b = np.minimum(b + points * (winner == 1), self._target)
        after = self._next[dealer, winner]
        stays = (winner < 0) | (points == 0)
        stays = np.broadcast_to(stays, to_a.shape)
        return np.where(stays, 0, table[to_a, to_b, after]), stays, after
