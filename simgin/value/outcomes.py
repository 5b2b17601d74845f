"""Outcome distributions: exact counts of how single deals of A against B end, cached on disk.

An outcome consists of the dealer, the winner, the ending, the points and the number on the die.
Outcomes are counted in single deals, mirrored for two different strategies. The deals are divided
into twenty groups, for jackknife standard errors. The counts are a pure function of the rules, the
strategies, the seed and the number of deals.
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
GROUPS = 20  # A standard error from 20 groups has itself a standard error of 16 %.
Arrays = dict[str, np.ndarray]
CALL_UNITS = 20_000  # units per call of the engine, with 10 MB of records

# Sides of the dealer and of the winner (0 A, 1 B, -1 neither), index of the ending, points of the
# winner (of A if neither won), and the number on the die at the end of the deal
OUTCOME_COLUMNS = ("dealer", "winner", "kind", "points", "stake")
_PLACE = {name: i for i, name in enumerate(OUTCOME_COLUMNS)}
# An outcome is packed into one integer: the minimum and the number of values of each column.
_LOWEST = np.array([0, -1, 0, -(2**20), 0])
_VALUES = (2, 3, len(KINDS), 2**21, 8)


class OutcomeError(ValueError):
    """Error for outcomes that cannot be counted."""


@dataclass(frozen=True)
class Outcomes:
    """Outcome counts of single deals.

    The groups have equal size. They are independent, because they consist of whole pairs.

    Attributes:
        rows: Distinct outcomes in sorted order, (n_outcomes, len(OUTCOME_COLUMNS)) int64.
        counts: Count of each outcome by group, (N_GROUPS, n_outcomes) int64.
    """

    rows: np.ndarray
    counts: np.ndarray

    @property
    def deals(self) -> int:
        """Number of deals counted."""
        return int(self.counts.sum())

    def column(self, name: str) -> np.ndarray:
        """Return one column of every outcome, (n_outcomes,) int64."""
        return np.asarray(self.rows[:, _PLACE[name]])

    @cached_property
    def shares(self) -> np.ndarray:
        """Probability of each outcome given its dealer, (1 + N_GROUPS, n_outcomes) float64.

        Row 0 is from all groups. The other rows each leave out one group.
        """
        total = self.counts.sum(axis=0)
        kept = np.concatenate([total[None], total - self.counts])
        dealer = self.column("dealer")
        return np.asarray(kept / (kept @ (dealer[:, None] == dealer)))

    def from_both_sides(self) -> Outcomes:
        """Return the counts with every deal counted for A and, mirrored, for B.

        This is appropriate for a strategy that plays against itself.
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
    """Return winners from the other side's point of view: 0 and 1 swapped, -1 unchanged."""
    return np.asarray(np.where(winner < 0, -1, 1 - winner))


def jackknife(left_out: np.ndarray) -> np.ndarray:
    """Compute the standard error of an estimate from its leave-one-group-out values.

    Source: Efron 1982, The Jackknife, 2.2.

    Args:
        left_out: Estimates, the left-out group along the first axis.
    """
    return np.asarray(np.sqrt((len(left_out) - 1) * left_out.var(axis=0)))


def count_outcomes(
    matchup: Matchup, deals: int, workers: int | None = None, progress: Progress | None = None
) -> Outcomes:
    """Count the outcomes of single deals, or load them from the cache.

    Args:
        matchup: Matchup to play.
        deals: Number of deals.
        workers: Number of threads; by default one per CPU.
        progress: Callback for the progress.

    Raises:
        OutcomeError: There are fewer than 10,000 deals.
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
    """Count recorded deals by (group, packed outcome, count), (n_rows, 3) int64."""
    from_lowest = observed(records) - _LOWEST
    packed = np.ravel_multi_index(tuple(from_lowest.T), _VALUES)
    size = int(np.prod(_VALUES))
    keys = group_of(records) * size + packed
    keys, counts = np.unique(keys, return_counts=True)
    group, packed = np.divmod(keys, size)
    return np.stack([group, packed, counts], axis=1)


def group_of(records: np.ndarray) -> np.ndarray:
    """Return the group of each recorded deal, 0 to N_GROUPS - 1.

    Groups consist of pairs of consecutive units, because the dealer of single deals alternates.
    """
    return np.asarray(records["unit"] // 2 % GROUPS)


def observed(records: np.ndarray) -> np.ndarray:
    """Return the outcome of each recorded deal, (n_deals, len(OUTCOME_COLUMNS)) int64."""
    points = records["points_a"] + records["points_b"]  # one side scores (rules.md 7)
    stake = np.maximum(records["stake"], 0)
    columns = [records["dealer"], records["winner"], records["kind"], points, stake]
    return np.stack(columns, axis=1)


def merged(rows: np.ndarray) -> outcomes.Arrays:
    """Merge rows of `tally_records`, in any order, into the fields of Outcomes."""
    group, packed, count = rows.T
    packed, column = np.unique(packed, return_inverse=True)
    counts = np.zeros((GROUPS, len(packed)), np.int64)
    np.add.at(counts, (group, column), count)
    from_lowest = np.stack(np.unravel_index(packed, _VALUES), axis=1)
    return {"rows": from_lowest + _LOWEST, "counts": counts}


# Outcomes by score, if the score changes how a deal is played
#
# Shots depend on the score, as do policies that read points. Each deal is played twice with the
# same shuffle: from the starting score of matches, and from another score. The outcome
# probabilities at a score are those of all deals from the start, plus those of the deals at that
# score that ended differently, minus those of the same shuffles from the start. This estimate is
# unbiased, and precise with few deals per score because most deals end in the same way. Every score
# has its own shuffles, and no score occurs twice in a match. A match value is therefore a sum of
# products of independent estimates, and unbiased except for deals without points.


UNITS = 2 * GROUPS  # minimum units per score, for both dealers in every group
MOST_POINTS = 250  # maximum points_target

# Points of both sides; group; 1 for an outcome at this score, -1 for the outcome of the same
# shuffle from the start; sides of the dealer and the winner; points of the winner
CHANGE_COLUMNS = ("score_a", "score_b", "group", "sign", "dealer", "winner", "points")
_CHANGE_PLACE = {name: i for i, name in enumerate(CHANGE_COLUMNS)}


@dataclass(frozen=True)
class ScoreOutcomes:
    """Outcomes of single deals from the starting score, and their changes at other scores.

    Attributes:
        start: Outcomes from the starting score.
        changes: Changes of outcomes, (n_changes, len(CHANGE_COLUMNS)) int64.
        deals_per_score: Deals of each side as dealer at each score.
    """

    start: Outcomes
    changes: np.ndarray
    each: int

    def column(self, name: str) -> np.ndarray:
        """Return one column of every change, (n_changes,) int64."""
        return np.asarray(self.changes[:, _CHANGE_PLACE[name]])

    @cached_property
    def shares(self) -> np.ndarray:
        """Outcome probabilities from the start, then the weights of a change by group.

        (1 + N_GROUPS, n_outcomes + N_GROUPS) float64. Row 0 is from all groups. The other rows each
        leave out one group.
        """
        kept_groups = np.concatenate([np.ones((1, GROUPS)), 1 - np.eye(GROUPS)])
        weights = kept_groups / (self.each * kept_groups.mean(axis=1, keepdims=True))
        return np.concatenate([self.start.shares, weights], axis=1)

    def from_both_sides(self) -> ScoreOutcomes:
        """Return the counts with every deal counted for A and, mirrored, for B."""
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
    """Count outcomes at every score, or load them from the cache.

    About half of the play starts at other scores, spread evenly; each score has at least forty
    units.

    Args:
        matchup: Matchup to play.
        deals: Approximate number of deals at other scores, and of those from the starting score.
        workers: Number of threads; by default one per CPU.
        progress: Callback for the progress.

    Raises:
        OutcomeError: The match is to more than 250 points.
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
    """Play all scores with `seat0_points`; return (tally from the start, changes)."""
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
    """Return the records of single deals that begin with the given points of seats 0 and 1.

    `own_rules` is changed, because building new rules takes longer than playing.
    """
    own_rules.start_points[:] = start
    records = np.empty(2 * units, DEAL)
    state = new_state(matchup.seed)
    run(matchup, state, own_rules, (new_view(), new_view()), first_unit, units, records)
    return records[: state.recorded]


def _changes(alike: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Return the changes of deals at a score, compared with the same shuffles from the start."""
    changed = np.zeros(len(alike), bool)
    for name in ("winner", "points_a", "points_b"):
        changed |= alike[name] != there[name]
    here = there[changed]
    return np.concatenate([_signed(here, here, 1), _signed(here, alike[changed], -1)])


def _signed(at: np.ndarray, deals: np.ndarray, sign: int) -> np.ndarray:
    """Return deals as changes (CHANGE_COLUMNS) at the scores of the records `at`."""
    points = deals["points_a"] + deals["points_b"]
    place = [at["score_a"], at["score_b"], group_of(at), np.full(len(at), sign)]
    return np.stack([*place, deals["dealer"], deals["winner"], points], axis=1)


# Cache of computed arrays, keyed by a digest of everything they depend on
#
# The files are next to the compiled code (`simgin.core.jit.cache_directory`). A change of the
# engine therefore starts a new directory, and old files are removed with the old code. The files
# are plain npz, which numpy reads; their entry `about` describes them as JSON. A checksum follows.
# Corrupt files are computed again.


DIGEST = 32  # bytes of the checksum at the end of a file
FORM = 1  # format version; raised for changes that readers have to know


def cached(about: Mapping[str, Any], make: Callable[[], Arrays]) -> Arrays:
    """Return cached arrays, or compute and cache them.

    A file that cannot be read is replaced.

    Args:
        about: Everything the arrays depend on.
        make: Function that computes the arrays.
    """
    text = json.dumps(about, sort_keys=True)
    place = _place(text)
    if place is None:
        return make()
    arrays = _read(place, text)
    if arrays is None:
        arrays = make()
        with contextlib.suppress(OSError):  # A full disk only prevents caching.
            _write(place, text, arrays)
    return arrays


def describe(matchup: Matchup, units: int, form: str) -> dict[str, Any]:
    """Return everything that arrays depend on that are computed from units of a matchup."""
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
    """Return the directory of the cached files; None if nothing is cached."""
    folder = jit.cache_directory()
    return None if folder is None else folder / "outcomes"


def _place(text: str) -> Path | None:
    folder = directory()
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    return None if folder is None else folder / f"{digest}.npz"


def _read(place: Path, text: str) -> Arrays | None:
    """Return the arrays of a file; None if it is missing, corrupt or about something else."""
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
    """Write arrays to a temporary file and move it to `path`, so that writing is atomic."""
    place.parent.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    np.savez_compressed(stream, about=np.array(text), **arrays)  # type: ignore[arg-type]
    with replacing(place) as file:
        file.write(stream.getvalue() + _digest(stream))


def _digest(stream: io.BytesIO) -> bytes:
    """Return the checksum at the end of a file, which readers of npz files ignore."""
    return hashlib.sha256(stream.getbuffer()).digest()
