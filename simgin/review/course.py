"""The course of matches between equal players: length, knocks, comebacks and scores.

A step of a review plays matches deal by deal and stores counts by batch, so that medians and
proportions have standard errors clustered by match.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import sums
from simgin.core.match import UNDECIDED
from simgin.play.kernel import play_recorded, prepare
from simgin.play.matchup import Matchup
from simgin.play.parallel import Progress, over_units
from simgin.rules.parameters import Params, goal_of, number
from simgin.stats.quantity import Quantity

if TYPE_CHECKING:
    from simgin.runs.runner import Arrays

# Maximum number of batches per matchup. Above it, adjacent batches are added up, because a deep
# review would not fit into memory, and standard errors are precise to 2 %
MOST_BATCHES = 1_000
MOST_TURNS = 1_000  # turns of a match; the last bin includes longer matches
KNOCK_TURNS, COUNTS = 26, 32  # bins of own turns and deadwood of knocks; the last ones are open
STEPS = 10  # bins of scores, as parts of the target
KNOCKS = [sums.KINDS.index(kind) for kind in ("knock", "undercut", "even")]


def follow(matchup: Matchup, n: int, workers: int | None, progress: Progress | None) -> Arrays:
    """Play matches and return counts by batch, int64 arrays of shape (n_batches, ...).

    Args:
        matchup: The matchup.
        n: Number of matches.
        workers: Number of worker threads.
        progress: Progress callback.

    Returns:
        length: Matches by turns, (n_batches, MAX_TURNS).
        knocks: Knocks by own turn and deadwood, (n_batches, TURN_BINS, DEADWOOD_BINS).
        turn_squares, deadwood_squares: Sums over matches of the number of knocks in one bin times
        the number in another, (n_batches, n_bins, n_bins).
        leads: Matches and comebacks (see `count_comebacks`), (n_batches, 2).
        scores: Deals by the tenths of the target that both sides had before, and those of them
        after which the first side won the match, (n_batches, SCORE_BINS, SCORE_BINS, 2).
    """
    prepare(matchup)
    units = matchup.units(n)
    size = matchup.batch * -(-units // (MOST_BATCHES * matchup.batch))
    parts = over_units(partial(_counted, matchup), units, size, workers, progress)
    return {name: np.stack([part[name] for part in parts]) for name in parts[0]}


def _counted(matchup: Matchup, first_unit: int, units: int) -> dict[str, np.ndarray]:
    _, records = play_recorded(matchup, first_unit, units)
    params = matchup.variant.row
    first, _ = _first_and_last(records)
    turns = np.minimum(np.add.reduceat(records["turns"], first), MOST_TURNS - 1)
    match, turn, count = _knocks(records, len(matchup.players))
    cells = np.bincount(turn * COUNTS + count, minlength=KNOCK_TURNS * COUNTS)
    counts = {
        "length": np.bincount(turns, minlength=MOST_TURNS),
        "knocks": cells.reshape(KNOCK_TURNS, COUNTS),
        "turn_squares": _squares(match, turn, KNOCK_TURNS),
        "deadwood_squares": _squares(match, count, COUNTS),
    }
    goal = goal_of(params)
    if matchup.b is not None and goal.score and goal.other is None:
        counts["leads"] = count_leads(records, params).sum(axis=0)
        counts["scores"] = _scores(records, params)
    return counts


def _first_and_last(records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the first and last deal of every match."""
    last = np.flatnonzero(records["outcome"] != UNDECIDED)
    return np.append(0, last[:-1] + 1), last


def _knocks(records: np.ndarray, players: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the match, own turn and deadwood of every knock."""
    first, _ = _first_and_last(records)
    is_knock = np.isin(records["kind"], KNOCKS)
    knocked = records[is_knock]
    match = np.searchsorted(first, np.flatnonzero(is_knock), side="right") - 1
    turn = np.minimum(-(-knocked["turns"] // players), KNOCK_TURNS - 1)
    return match, turn, np.minimum(knocked["knock_count"], COUNTS - 1)


def _squares(match: np.ndarray, value: np.ndarray, values: int) -> np.ndarray:
    """Return the number of knocks in one bin times the number in another, summed over matches."""
    counts = np.zeros((match.max(initial=0) + 1, values), np.int64)
    np.add.at(counts, (match, value), 1)
    return counts.T @ counts


def count_leads(records: np.ndarray, params: Params) -> np.ndarray:
    """Count matches and comebacks, (n_matches, 2), from recorded matches (`core.record.DEAL`).

    A comeback is a win of the side that was behind when the other side first reached half of the
    target.
    """
    own, other, target = _standings(records, params)
    lead = np.sign(own - other)
    first, last = _first_and_last(records)
    outcome = records["outcome"][last]
    won = np.select([outcome == 0, outcome == 1], [1, -1], 0)
    is_half = (2 * np.maximum(own, other) >= target) & (lead != 0)
    deals = np.arange(len(records))
    at = np.minimum.reduceat(np.where(is_half, deals, len(deals)), first)
    leader = np.where(at < len(deals), lead[np.minimum(at, len(deals) - 1)], 0)
    return np.stack([np.ones_like(won), won * leader < 0], axis=1)


def _standings(records: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray, int]:
    """Return both scores before every deal, in units of the match goal, and the target."""
    ((field, name),) = goal_of(params).side.targets.items()
    return records[f"{field}_a"], records[f"{field}_b"], number(params, name)


def _scores(records: np.ndarray, params: Params) -> np.ndarray:
    """Return deals and later wins by the tenths of the target that both sides have."""
    own, other, target = _standings(records, params)
    first, last = _first_and_last(records)
    winner = np.repeat(records["outcome"][last], last + 1 - first)
    counts = np.zeros((STEPS, STEPS, 2), np.int64)
    for side, (mine, theirs) in enumerate(((own, other), (other, own))):
        cell = tuple(np.clip(points * STEPS // target, 0, STEPS - 1) for points in (mine, theirs))
        np.add.at(counts[..., 0], cell, winner >= 0)
        np.add.at(counts[..., 1], cell, winner == side)
    return counts


def merged(rows: np.ndarray) -> np.ndarray:
    """Return batch rows, (n_batches, n_columns) int64, with adjacent ones added up.

    The result has at most MAX_BATCHES rows.
    """
    if len(rows) <= MOST_BATCHES:
        return rows
    starts = np.arange(0, len(rows), -(-len(rows) // MOST_BATCHES))
    return np.asarray(np.add.reduceat(rows, starts, axis=0))


def median(counts: np.ndarray, squares: np.ndarray) -> Quantity:
    """Return the median of counted integers, each spread evenly over its unit interval.

    This is the grouped median: value v stands for v - 1/2 to v + 1/2. The influence of a match is
    the difference between one half and its own proportion below the median, divided by the density
    there (Woodruff 1952).

    Args:
        counts: Counts by value, (n_batches, n_values) int64.
        squares: Cross products, (n_batches, n_values, n_values) int64, as from `count_matches`.

    Returns:
        The median with its influences.
    """
    total = counts.sum(axis=0)
    n = int(total.sum())
    if not n:
        return Quantity.with_error(np.nan, np.nan, 0)
    below = np.append(0, total.cumsum())
    place = int(np.searchsorted(below[1:], n / 2))
    inside = (n / 2 - below[place]) / total[place]
    weights = np.full(len(total), 0.5)  # influence of one case times the density
    weights[:place] -= 1
    weights[place] -= inside
    moves = counts @ weights / total[place]
    unit_se = float(np.sqrt(weights @ squares.sum(axis=0) @ weights)) / float(total[place])
    batches = counts.sum(axis=1, dtype=float)
    effective = float(n**2 / (batches @ batches))
    return Quantity(place - 0.5 + inside, n, moves, effective, unit_se=unit_se)
