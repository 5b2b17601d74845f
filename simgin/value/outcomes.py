"""Outcome distributions: how single deals of A against B end, counted exactly and kept on disk.

An outcome is who dealt, who won, how, with how many points, and the number on the die. Outcomes are
counted from single deals, mirrored for two different strategies, in twenty groups, so that what
is computed from them has an error by leaving groups out. The counts are a pure function of the
rules, the strategies, the seed and the number of deals.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import jit, rng
from simgin.core.record import DEAL
from simgin.core.state import new_state
from simgin.core.sums import KINDS
from simgin.core.view import new_view
from simgin.play.kernel import play_recorded, prepare, run
from simgin.play.matchup import Matchup
from simgin.play.parallel import Progress, over_units
from simgin.rules.build import build_rules
from simgin.rules.parameters import number
from simgin.strategy import loader
from simgin.text.files import read_bytes, replacing
from simgin.value import outcomes

FEWEST_DEALS = 10_000
GROUPS = 20  # a standard error from 20 groups is itself known to 16 %
Arrays = dict[str, np.ndarray]
CALL_UNITS = 20_000  # of one call of the engine: 10 MB of records

# Sides of the dealer and of the winner (0 A, 1 B, -1 nobody), index of sums.KINDS, points of the
# winner (of A where nobody won), and the number on the die when the deal was over.
OUTCOME_COLUMNS = ("dealer", "winner", "kind", "points", "stake")
_PLACE = {name: i for i, name in enumerate(OUTCOME_COLUMNS)}
# An outcome is packed into one integer: the least value of each column, and how many there are.
_LOWEST = np.array([0, -1, 0, -(2**20), 0])
_VALUES = (2, 3, len(KINDS), 2**21, 8)


class OutcomeError(ValueError):
    """Outcomes that cannot be had; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class Outcomes:
    """Counted outcomes of single deals.

    rows: int64 (outcomes, len(OUTCOME_COLUMNS)), ordered, each once. counts: int64 (GROUPS,
    outcomes); the groups are of equal size and, by pairs of the same packs, independent.
    """

    rows: np.ndarray
    counts: np.ndarray

    @property
    def deals(self) -> int:
        """The number of deals counted."""
        return int(self.counts.sum())

    def column(self, name: str) -> np.ndarray:
        """One column of every outcome, int64."""
        return np.asarray(self.rows[:, _PLACE[name]])

    @cached_property
    def shares(self) -> np.ndarray:
        """Shares of the outcomes among their dealer's deals: float64 (1 + GROUPS, outcomes).

        From all groups, then with each left out.
        """
        total = self.counts.sum(axis=0)
        kept = np.concatenate([total[None], total - self.counts])
        dealer = self.column("dealer")
        return np.asarray(kept / (kept @ (dealer[:, None] == dealer)))

    def from_both_sides(self) -> Outcomes:
        """Every deal counted for A and, as its mirror image, for B.

        This is what a strategy against itself is worth counting as.
        """
        mirror = self.rows.copy()
        mirror[:, _PLACE["dealer"]] = 1 - self.column("dealer")
        mirror[:, _PLACE["winner"]] = other_side(self.column("winner"))
        both = np.concatenate([self.rows, mirror])
        rows, place = np.unique(both, axis=0, return_inverse=True)
        place = place.reshape(-1)
        counts = np.zeros((GROUPS, len(rows)), np.int64)
        np.add.at(counts.T, place, np.tile(self.counts, 2).T)
        return Outcomes(rows, counts)


def other_side(winner: np.ndarray) -> np.ndarray:
    """Winners seen from the other side: 0 and 1 exchanged, -1 (nobody) as it is."""
    return np.asarray(np.where(winner < 0, -1, 1 - winner))


def jackknife(left_out: np.ndarray) -> np.ndarray:
    """Standard error of an estimate from its values with each group (first axis) left out.

    Efron 1982, The Jackknife, 2.2.
    """
    return np.asarray(np.sqrt((len(left_out) - 1) * left_out.var(axis=0)))


def count_outcomes(
    matchup: Matchup, deals: int, workers: int | None = None, progress: Progress | None = None
) -> Outcomes:
    """The outcomes of so many single deals, from disk if they were counted before.

    Raises OutcomeError below 10,000 deals.
    """
    if deals < FEWEST_DEALS:
        raise OutcomeError(
            f"{deals} deals are too few for a distribution of outcomes: "
            f"take at least {FEWEST_DEALS:,}, better a million."
        )
    about = outcomes.describe(matchup, deals, "outcomes of single deals")

    def count() -> outcomes.Arrays:
        return _count(matchup, deals, workers, progress)

    return Outcomes(**outcomes.cached(about, count))


def _count(
    matchup: Matchup, deals: int, workers: int | None, progress: Progress | None
) -> outcomes.Arrays:
    def part(first_unit: int, units: int) -> np.ndarray:
        _, records = play_recorded(matchup, first_unit, units)
        return tally(records)

    prepare(matchup)
    units = matchup.units(deals)
    return merged(np.concatenate(over_units(part, units, CALL_UNITS, workers, progress)))


def tally(records: np.ndarray) -> np.ndarray:
    """Recorded deals as rows of group, packed outcome and count: int64 (rows, 3)."""
    from_lowest = observed(records) - _LOWEST
    packed = np.ravel_multi_index(tuple(from_lowest.T), _VALUES)
    size = int(np.prod(_VALUES))
    keys = group_of(records) * size + packed
    keys, counts = np.unique(keys, return_counts=True)
    group, packed = np.divmod(keys, size)
    return np.stack([group, packed, counts], axis=1)


def group_of(records: np.ndarray) -> np.ndarray:
    """The group of each recorded deal, 0 to GROUPS - 1.

    Units go into groups by twos, since the dealer of single deals alternates.
    """
    return np.asarray(records["unit"] // 2 % GROUPS)


def observed(records: np.ndarray) -> np.ndarray:
    """The outcome of each recorded deal: int64 (deals, len(OUTCOME_COLUMNS))."""
    points = records["points_a"] + records["points_b"]  # one side scores (rules.md 7)
    stake = np.maximum(records["stake"], 0)
    columns = [records["dealer"], records["winner"], records["kind"], points, stake]
    return np.stack(columns, axis=1)


def merged(rows: np.ndarray) -> outcomes.Arrays:
    """The fields of Outcomes from rows of `tally`, in any order and any number of pieces."""
    group, packed, count = rows.T
    packed, column = np.unique(packed, return_inverse=True)
    counts = np.zeros((GROUPS, len(packed)), np.int64)
    np.add.at(counts, (group, column), count)
    from_lowest = np.stack(np.unravel_index(packed, _VALUES), axis=1)
    return {"rows": from_lowest + _LOWEST, "counts": counts}


# Outcomes by score, where the score changes how a deal is played
#
# Shots do that, and policies that look at points. Deals are played twice on the same packs: from
# the score that matches begin with, and from another. At a score, the chances of outcomes are those
# of all deals from the start, plus those of the deals there that went otherwise, minus those of
# what the same packs gave from the start. That is an unbiased estimate, and a good one from few
# deals a score, since most deals go alike. Every score has packs of its own. No score is met twice
# in a match, so V is a sum of products of independent estimates, and unbiased but for deals without
# points.


UNITS = 2 * GROUPS  # of a score at least: both dealers in every group
MOST_POINTS = 250  # to play to

# Points of both sides; group; 1 for an outcome that came about there, -1 for one that did not
# although the same pack gives it from the start; sides of dealer and winner; points of the winner.
CHANGE_COLUMNS = ("score_a", "score_b", "group", "sign", "dealer", "winner", "points")
_CHANGE_PLACE = {name: i for i, name in enumerate(CHANGE_COLUMNS)}


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
        return np.asarray(self.changes[:, _CHANGE_PLACE[name]])

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
            mirror[:, _CHANGE_PLACE[name]] = column
        return ScoreOutcomes(start, np.concatenate([self.changes, mirror]), 2 * self.each)


def count_by_score(
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
    about = outcomes.describe(matchup, units, "outcomes by score")

    def count() -> outcomes.Arrays:
        return _count_by_score(matchup, target, units, workers, progress)

    arrays = outcomes.cached(about, count)
    start = Outcomes(arrays["rows"], arrays["counts"])
    return ScoreOutcomes(start, arrays["changes"], units * (2 if matchup.mirrored else 1) // 2)


def _count_by_score(
    matchup: Matchup, target: int, units: int, workers: int | None, progress: Progress | None
) -> outcomes.Arrays:
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


# Arrays that were computed once and are kept on disk, under a digest of all that they depend on
#
# They lie beside the compiled code (`simgin.core.jit.cache_directory`), so that a change of the
# engine is a new directory, and old ones are pruned with it. The files are plain npz, readable with
# numpy alone; `about` in them says what they are, as JSON. Behind them stands a digest: a file that
# was damaged is made again.


DIGEST = 32  # bytes at the end of a file
FORM = 1  # raised whenever a reader would have to look elsewhere


def cached(about: Mapping[str, Any], make: Callable[[], Arrays]) -> Arrays:
    """The arrays that `about` describes in full: from disk, or made and put there.

    A file that cannot be read is replaced.
    """
    text = json.dumps(about, sort_keys=True)
    place = _place(text)
    if place is None:
        return make()
    arrays = _read(place, text)
    if arrays is None:
        arrays = make()
        with contextlib.suppress(OSError):  # a full disk costs the cache, not the numbers
            _write(place, text, arrays)
    return arrays


def describe(matchup: Matchup, units: int, form: str) -> dict[str, Any]:
    """Everything that arrays counted in some form from units of a matchup depend on."""
    players = [[player.text, loader.source_digest(player)] for player in matchup.players]
    return {
        "kept": FORM,
        "form": form,
        "stream": rng.STREAM,
        "players": players,
        "seed": matchup.seed,
        "unit": matchup.unit,
        "n": units,
        "rules": matchup.variant.row,
    }


def directory() -> Path | None:
    """Where the files lie; None where nothing is kept."""
    folder = jit.cache_directory()
    return None if folder is None else folder / "outcomes"


def _place(text: str) -> Path | None:
    folder = directory()
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    return None if folder is None else folder / f"{digest}.npz"


def _read(place: Path, text: str) -> Arrays | None:
    """The arrays of a file; None if there is none, it is damaged, or it is about something else."""
    try:
        content = read_bytes(place)
    except OSError:
        return None
    stream = io.BytesIO(content[:-DIGEST])
    if content[-DIGEST:] != _digest(stream):
        return None
    with np.load(stream, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return arrays if str(arrays.pop("about", "")) == text else None


def _write(place: Path, text: str, arrays: Arrays) -> None:
    """Written beside its place and moved into it: a reader sees all of it or nothing."""
    place.parent.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    np.savez_compressed(stream, about=np.array(text), **arrays)  # type: ignore[arg-type]
    with replacing(place) as file:
        file.write(stream.getvalue() + _digest(stream))


def _digest(stream: io.BytesIO) -> bytes:
    """What a file ends with; whatever reads an npz file passes over it."""
    return hashlib.sha256(stream.getbuffer()).digest()
