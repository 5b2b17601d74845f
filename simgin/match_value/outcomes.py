"""Counts of the outcomes of single deals, which are cached on disk.

An outcome consists of the dealer, the winner, the ending, the points and the number on the die.
Outcomes are counted in single deals, which are mirrored if the strategies differ. Deals are divided
into twenty groups for jackknife standard errors. The counts depend only on the rules, the
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
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.deal_record import DEAL_RECORD_DTYPE
from simgin.core.state import create_state
from simgin.core.view import create_view
from simgin.play.kernel import compile_matchup, play_with_records, run_units
from simgin.play.matchup import Matchup
from simgin.play.parallel import ProgressCallback, map_units
from simgin.rules.build import build_rules
from simgin.rules.parameters import get_int_param
from simgin.strategy import loader
from simgin.text.files import atomic_write, read_bytes
from simgin.text.messages import SimginError

MIN_OUTCOME_DEALS = 10_000
N_JACKKNIFE_GROUPS = 20  # number of groups (the relative error of standard errors is 16 %)
ArraysByName = dict[str, np.ndarray]
UNITS_PER_ENGINE_CALL = 20_000  # number of units per engine call (records of 10 MB)

# `dealer` and `winner` are sides (0 for A, 1 for B, -1 for neither). If neither side won, `points`
# are the points of A. `stake` is the number on the die at the end of the deal.
OUTCOME_COLUMNS = ("dealer", "winner", "kind", "points", "stake")
_COLUMN_INDEX = {name: i for i, name in enumerate(OUTCOME_COLUMNS)}
# Minimum value and number of values of each column, for packing an outcome into an integer
_COLUMN_MINIMA = np.array([0, -1, 0, -(2**20), 0])
_VALUES_PER_COLUMN = (2, 3, len(DEAL_RESULTS), 2**21, 8)


class OutcomeError(SimginError):
    """Error raised if outcomes cannot be counted."""


@dataclass(frozen=True)
class Outcomes:
    """Counts of the outcomes of single deals, by group of deals.

    The groups have equal sizes and are independent because they consist of complete pairs.

    Attributes:
        rows: Distinct outcomes in sorted order, (n_outcomes, len(OUTCOME_COLUMNS)) int64.
        counts: Count of each outcome in each group, (N_JACKKNIFE_GROUPS, n_outcomes) int64.
    """

    rows: np.ndarray
    counts: np.ndarray

    @property
    def n_deals(self) -> int:
        """Number of deals that have been counted."""
        return int(self.counts.sum())

    def column(self, name: str) -> np.ndarray:
        """Return a column of the outcomes, (n_outcomes,) int64."""
        return np.asarray(self.rows[:, _COLUMN_INDEX[name]])

    @cached_property
    def probabilities(self) -> np.ndarray:
        """Probability of each outcome given the dealer, (1 + n_groups, n_outcomes) float64.

        Row 0 uses all groups. Every other row omits one group.
        """
        total = self.counts.sum(axis=0)
        group_counts = np.concatenate([total[None], total - self.counts])
        dealer = self.column("dealer")
        return np.asarray(group_counts / (group_counts @ (dealer[:, None] == dealer)))

    def with_mirrored_deals(self) -> Outcomes:
        """Return counts that include every deal a second time with the sides swapped.

        The method applies only if a strategy plays against itself.
        """
        mirrored_rows = self.rows.copy()
        mirrored_rows[:, _COLUMN_INDEX["dealer"]] = 1 - self.column("dealer")
        mirrored_rows[:, _COLUMN_INDEX["winner"]] = swap_sides(self.column("winner"))
        all_rows = np.concatenate([self.rows, mirrored_rows])
        rows, row_index = np.unique(all_rows, axis=0, return_inverse=True)
        row_index = row_index.reshape(-1)
        counts = np.zeros((N_JACKKNIFE_GROUPS, len(rows)), np.int64)
        np.add.at(counts.T, row_index, np.tile(self.counts, 2).T)
        return Outcomes(rows, counts)


def swap_sides(winners: np.ndarray) -> np.ndarray:
    """Swap the sides 0 and 1 in an array of winners, in which -1 means no winner."""
    return np.asarray(np.where(winners < 0, -1, 1 - winners))


def compute_jackknife_se(leave_one_out: np.ndarray) -> np.ndarray:
    """Compute the jackknife standard error of an estimate (Efron 1982, section 2.2).

    Args:
        leave_one_out: Estimates that omit one group each, with the groups along the first axis.
    """
    return np.asarray(np.sqrt((len(leave_one_out) - 1) * leave_one_out.var(axis=0)))


def count_outcomes(
    matchup: Matchup,
    deals: int,
    workers: int | None = None,
    on_progress: ProgressCallback | None = None,
) -> Outcomes:
    """Count the outcomes of single deals, or load the counts from the cache.

    Args:
        matchup: Matchup to play.
        deals: Number of deals.
        workers: Number of threads. By default, one thread per core is used.
        on_progress: Progress callback.

    Raises:
        OutcomeError: If there are fewer than 10,000 deals.
    """
    if deals < MIN_OUTCOME_DEALS:
        raise OutcomeError(
            f"{deals} deals are too few to estimate the outcome distribution. Use at least "
            f"{MIN_OUTCOME_DEALS:,} deals, preferably a million."
        )
    identity = make_cache_identity(matchup, deals, "outcomes of single deals")

    def compute_arrays() -> ArraysByName:
        return _count_outcomes(matchup, deals, workers, on_progress)

    return Outcomes(**load_or_compute_arrays(identity, compute_arrays))


def _count_outcomes(
    matchup: Matchup, deals: int, workers: int | None, on_progress: ProgressCallback | None
) -> ArraysByName:
    """Play deals and count their outcomes."""

    def count_units(first_unit: int, n_units: int) -> np.ndarray:
        _, records = play_with_records(matchup, first_unit, n_units)
        return tally_records(records)

    compile_matchup(matchup)
    units = matchup.count_units(deals)
    tallies = map_units(count_units, units, UNITS_PER_ENGINE_CALL, workers, on_progress)
    return merge_tallies(np.concatenate(tallies))


def tally_records(records: np.ndarray) -> np.ndarray:
    """Count recorded deals by group and outcome.

    Each row contains the group, the packed outcome and the count, (n_rows, 3) int64.
    """
    offsets = make_outcome_rows(records) - _COLUMN_MINIMA
    packed_outcomes = np.ravel_multi_index(tuple(offsets.T), _VALUES_PER_COLUMN)
    n_packed = int(np.prod(_VALUES_PER_COLUMN))
    packed_keys = compute_group_indices(records) * n_packed + packed_outcomes
    packed_keys, counts = np.unique(packed_keys, return_counts=True)
    group, packed_outcomes = np.divmod(packed_keys, n_packed)
    return np.stack([group, packed_outcomes, counts], axis=1)


def compute_group_indices(records: np.ndarray) -> np.ndarray:
    """Return the group index of each recorded deal.

    Groups consist of pairs of consecutive units because the dealer of single deals alternates.
    """
    return np.asarray(records["unit"] // 2 % N_JACKKNIFE_GROUPS)


def make_outcome_rows(records: np.ndarray) -> np.ndarray:
    """Return the outcome of each recorded deal, (n_deals, len(OUTCOME_COLUMNS)) int64."""
    # At most one side scores (rules.md, section 7).
    points = records["points_a"] + records["points_b"]
    stake = np.maximum(records["stake"], 0)
    columns = [records["dealer"], records["winner"], records["kind"], points, stake]
    return np.stack(columns, axis=1)


def merge_tallies(tallies: np.ndarray) -> ArraysByName:
    """Merge several tallies into the fields of Outcomes.

    The rows can be in any order.
    """
    group, packed_outcomes, n_deals = tallies.T
    packed_outcomes, column_index = np.unique(packed_outcomes, return_inverse=True)
    counts = np.zeros((N_JACKKNIFE_GROUPS, len(packed_outcomes)), np.int64)
    np.add.at(counts, (group, column_index), n_deals)
    offsets = np.stack(np.unravel_index(packed_outcomes, _VALUES_PER_COLUMN), axis=1)
    return {"rows": offsets + _COLUMN_MINIMA, "counts": counts}


# Outcomes by score, for variants and policies in which play depends on the score
#
# The score determines which hands are shots, and some policies use the score. Each deal is played
# twice with the same shuffle, once from the starting score of a match and once from another score.
# The outcome probabilities at the other score are those at the starting score, plus the differences
# between the two outcomes of each deal. This estimate is unbiased. It is precise with few deals per
# score, because most deals end in the same way. Every score has its own shuffles, and no score
# occurs twice in a match. A match value is therefore a sum of products of independent estimates,
# which is unbiased except for deals without points.


MIN_UNITS_PER_SCORE = 2 * N_JACKKNIFE_GROUPS  # every group needs a unit with each dealer
MAX_TARGET_POINTS = 250  # maximum of the rule parameter points_target

# `sign` is 1 for the outcome at this score, and -1 for the outcome of the same shuffle from the
# starting score. `points` are the points of the winner.
OUTCOME_CHANGE_COLUMNS = ("score_a", "score_b", "group", "sign", "dealer", "winner", "points")
_CHANGE_COLUMN_INDEX = {name: i for i, name in enumerate(OUTCOME_CHANGE_COLUMNS)}


@dataclass(frozen=True)
class ScoreOutcomes:
    """Outcomes of single deals at the starting score, and their changes at other scores.

    Attributes:
        start_outcomes: Outcomes at the starting score.
        changes: Changed outcomes, (n_changes, len(OUTCOME_CHANGE_COLUMNS)) int64.
        deals_per_score: Number of deals at each score with each dealer.
    """

    start_outcomes: Outcomes
    changes: np.ndarray
    deals_per_score: int

    def column(self, name: str) -> np.ndarray:
        """Return a column of the changes, (n_changes,) int64."""
        return np.asarray(self.changes[:, _CHANGE_COLUMN_INDEX[name]])

    @cached_property
    def probabilities(self) -> np.ndarray:
        """Outcome probabilities at the starting score, followed by weights of outcome changes.

        The array has shape (1 + n_groups, n_outcomes + n_groups) and dtype float64. Row 0 uses all
        groups. Every other row omits one group.
        """
        group_weights = np.concatenate(
            [np.ones((1, N_JACKKNIFE_GROUPS)), 1 - np.eye(N_JACKKNIFE_GROUPS)]
        )
        weights = group_weights / (self.deals_per_score * group_weights.mean(axis=1, keepdims=True))
        return np.concatenate([self.start_outcomes.probabilities, weights], axis=1)

    def with_mirrored_deals(self) -> ScoreOutcomes:
        """Return counts that include every deal a second time with the sides swapped."""
        start_outcomes = self.start_outcomes.with_mirrored_deals()
        winner = self.column("winner")
        swapped_columns = {
            "score_a": self.column("score_b"),
            "score_b": self.column("score_a"),
            "dealer": 1 - self.column("dealer"),
            "winner": swap_sides(winner),
        }
        mirrored_changes = self.changes.copy()
        for name, column in swapped_columns.items():
            mirrored_changes[:, _CHANGE_COLUMN_INDEX[name]] = column
        changes = np.concatenate([self.changes, mirrored_changes])
        return ScoreOutcomes(start_outcomes, changes, 2 * self.deals_per_score)


def count_outcomes_by_score(
    matchup: Matchup,
    deals: int,
    workers: int | None = None,
    on_progress: ProgressCallback | None = None,
) -> ScoreOutcomes:
    """Count the outcomes of single deals at every score, or load the counts from the cache.

    About half of the deals start from other scores, which are evenly distributed. At least forty
    units are played at each score.

    Args:
        matchup: Matchup to play.
        deals: Approximate number of deals at other scores, which is also the number of deals from
            the starting score.
        workers: Number of threads. By default, one thread per core is used.
        on_progress: Progress callback.

    Raises:
        OutcomeError: If the target exceeds 250 points.
    """
    target = get_int_param(matchup.variant.params, "points_target")
    if target > MAX_TARGET_POINTS:
        raise OutcomeError(
            f"points_target = {target} is too high to count outcomes by score. Use at most "
            f"{MAX_TARGET_POINTS}."
        )
    n_units = MIN_UNITS_PER_SCORE * max(
        1, -(-matchup.count_units(deals) // (MIN_UNITS_PER_SCORE * target**2))
    )
    identity = make_cache_identity(matchup, n_units, "outcomes by score")

    def compute_arrays() -> ArraysByName:
        return _count_outcomes_by_score(matchup, target, n_units, workers, on_progress)

    arrays = load_or_compute_arrays(identity, compute_arrays)
    start_outcomes = Outcomes(arrays["rows"], arrays["counts"])
    return ScoreOutcomes(
        start_outcomes, arrays["changes"], n_units * (2 if matchup.is_mirrored else 1) // 2
    )


def _count_outcomes_by_score(
    matchup: Matchup,
    target: int,
    n_units: int,
    workers: int | None,
    on_progress: ProgressCallback | None,
) -> ArraysByName:
    """Play deals at every score, and count the outcomes."""

    def play_score_row(seat0_points: int, _n_rows: int) -> tuple[np.ndarray, np.ndarray]:
        return _play_score_row(matchup, seat0_points, target, n_units)

    compile_matchup(matchup)
    tallies, changes = zip(*map_units(play_score_row, target, 1, workers, on_progress), strict=True)
    arrays = merge_tallies(np.concatenate(tallies))
    arrays["changes"] = np.concatenate(changes)
    return arrays


def _play_score_row(
    matchup: Matchup, seat0_points: int, target: int, n_units: int
) -> tuple[np.ndarray, np.ndarray]:
    """Play deals at all scores at which seat 0 has `seat0_points`.

    Return the tally of the deals from the starting score, and the changes at the other scores.
    """
    rules = build_rules(matchup.variant)
    starting_score = rules.start_points.copy()
    unit_stride = matchup.batch_size * (-(-n_units // matchup.batch_size))
    tallies = []
    changes = []
    for seat1_points in range(target):
        first_unit = (seat0_points * target + seat1_points) * unit_stride
        score = np.array([seat0_points, seat1_points])
        start_records = _play_from_score(matchup, rules, starting_score, first_unit, n_units)
        score_records = _play_from_score(matchup, rules, score, first_unit, n_units)
        tallies.append(tally_records(start_records))
        changes.append(_find_outcome_changes(start_records, score_records))
    return np.concatenate(tallies), np.concatenate(changes)


def _play_from_score(
    matchup: Matchup, rules: np.record, starting_points: np.ndarray, first_unit: int, n_units: int
) -> np.ndarray:
    """Return the records of single deals that start with the given points for both seats.

    `rules` is modified in place because building rules takes longer than playing.
    """
    rules.start_points[:] = starting_points
    records = np.empty(2 * n_units, DEAL_RECORD_DTYPE)
    state = create_state(matchup.seed)
    run_units(matchup, state, rules, (create_view(), create_view()), first_unit, n_units, records)
    return records[: state.n_recorded]


def _find_outcome_changes(start_records: np.ndarray, score_records: np.ndarray) -> np.ndarray:
    """Return the outcome changes of deals whose results differ between two sets of records."""
    is_changed = np.zeros(len(start_records), bool)
    for name in ("winner", "points_a", "points_b"):
        is_changed |= start_records[name] != score_records[name]
    changed_deals = score_records[is_changed]
    return np.concatenate(
        [
            _make_outcome_changes(changed_deals, changed_deals, 1),
            _make_outcome_changes(changed_deals, start_records[is_changed], -1),
        ]
    )


def _make_outcome_changes(score_records: np.ndarray, records: np.ndarray, sign: int) -> np.ndarray:
    """Return one row of OUTCOME_CHANGE_COLUMNS per deal, with the given sign."""
    points = records["points_a"] + records["points_b"]
    score_columns = [
        score_records["score_a"],
        score_records["score_b"],
        compute_group_indices(score_records),
        np.full(len(score_records), sign),
    ]
    return np.stack([*score_columns, records["dealer"], records["winner"], points], axis=1)


# Cache of computed arrays, with a digest of their dependencies as the key
#
# The files are in the directory of the compiled code (`simgin.core.jit.get_cache_directory`), which
# is removed if the engine changes. Each file is an npz archive, followed by a checksum. The
# entry `about` of the archive is a description in JSON. If a file is corrupt, its arrays are
# computed again.


CHECKSUM_SIZE = 32  # size of the checksum at the end of a file, in bytes
CACHE_VERSION = 1  # version of the file format


def load_or_compute_arrays(
    identity: Mapping[str, Any], compute_arrays: Callable[[], ArraysByName]
) -> ArraysByName:
    """Load arrays from the cache, or compute and cache them.

    If a cache file cannot be read, it is replaced.

    Args:
        identity: All settings that determine the arrays.
        compute_arrays: Function that computes the arrays.
    """
    identity_text = json.dumps(identity, sort_keys=True)
    path = _get_cache_path(identity_text)
    if path is None:
        return compute_arrays()
    arrays = _read_arrays(path, identity_text)
    if arrays is None:
        arrays = compute_arrays()
        with contextlib.suppress(OSError):  # The result is valid even if it cannot be cached.
            _write_arrays(path, identity_text, arrays)
    return arrays


def make_cache_identity(matchup: Matchup, n_units: int, content: str) -> dict[str, Any]:
    """Return the settings on which arrays computed from a matchup depend, for the cache key."""
    players = [[player.spec, loader.compute_strategy_digest(player)] for player in matchup.players]
    return {
        "kept": CACHE_VERSION,
        "form": content,
        "stream": rng.STREAM_VERSION,
        "players": players,
        "seed": matchup.seed,
        "unit": matchup.unit,
        "n": n_units,
        "rules": matchup.variant.params,
    }


def get_outcomes_directory() -> Path | None:
    """Return the directory for cached files, or None if files cannot be cached."""
    folder = jit.get_cache_directory()
    return None if folder is None else folder / "outcomes"


def _get_cache_path(identity_text: str) -> Path | None:
    folder = get_outcomes_directory()
    digest = hashlib.sha256(identity_text.encode()).hexdigest()[:32]
    return None if folder is None else folder / f"{digest}.npz"


def _read_arrays(path: Path, identity_text: str) -> ArraysByName | None:
    """Return the arrays in a cache file, or None if it is missing, corrupt or outdated."""
    try:
        content = read_bytes(path)
    except OSError:
        return None
    archive = io.BytesIO(content[:-CHECKSUM_SIZE])
    if content[-CHECKSUM_SIZE:] != _compute_checksum(archive):
        return None
    with np.load(archive, allow_pickle=False) as stored_arrays:
        arrays = {name: stored_arrays[name] for name in stored_arrays.files}
    return arrays if str(arrays.pop("about", "")) == identity_text else None


def _write_arrays(path: Path, identity_text: str, arrays: ArraysByName) -> None:
    """Write arrays to a file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    archive = io.BytesIO()
    np.savez_compressed(archive, about=np.array(identity_text), **arrays)  # type: ignore[arg-type]
    with atomic_write(path) as file:
        file.write(archive.getvalue() + _compute_checksum(archive))


def _compute_checksum(archive: io.BytesIO) -> bytes:
    """Return the checksum that is appended to a cache file.

    Programs that read npz files ignore the checksum.
    """
    return hashlib.sha256(archive.getbuffer()).digest()
