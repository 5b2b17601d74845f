"""Course of matches between equal players, with length, knocks, comebacks and scores.

A review records these matches deal by deal and counts events per batch. Standard errors of medians
and proportions are therefore clustered by match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.core import batch_columns
from simgin.core.match import UNDECIDED
from simgin.play.kernel import compile_matchup, play_with_records
from simgin.play.matchup import Matchup
from simgin.play.parallel import Progress, map_units
from simgin.rules.parameters import Params, int_param, match_goal
from simgin.stats.paired_estimate import PairedEstimate

if TYPE_CHECKING:
    from simgin.runs.block import Block
    from simgin.runs.runner import Arrays

# Maximum number of batches per matchup. If there are more, adjacent batches are added up so that a
# deep review fits into memory. Standard errors from 1,000 batches are precise to 2 %.
MAX_BATCHES = 1_000
MAX_TURNS = 1_000  # maximum number of turns per match; the last bin includes longer matches
# Number of bins for the turn and the deadwood of a knock; the last bin is open-ended
TURN_BINS, DEADWOOD_BINS = (26, 32)
SCORE_BINS = 10  # bins of scores, as fractions of the target
KNOCK_INDICES = [batch_columns.DEAL_RESULTS.index(kind) for kind in ("knock", "undercut", "even")]


def count_matches(block: Block, workers: int | None, progress: Progress | None) -> Arrays:
    """Play the matches of a block and return counts by batch, int64 arrays (n_batches, ...).

    Args:
        block: Consecutive batches of a matchup.
        workers: Number of worker threads.
        progress: Callback that reports the progress.

    Returns:
        length: Matches by turns, (n_batches, MAX_TURNS).
        knocks: Knocks by own turn and deadwood, (n_batches, TURN_BINS, DEADWOOD_BINS).
        turn_squares, deadwood_squares: Number of knocks in one bin times the number in another bin,
        summed over matches, (n_batches, n_bins, n_bins).
        leads: Matches and comebacks (see `count_comebacks`), (n_batches, 2).
        scores: Deals by the scores of both sides before the deal, in tenths of the target, and the
        deals of matches that the first side won, (n_batches, SCORE_BINS, SCORE_BINS, 2).
        rows: Batch rows of the matchup, which are never merged.
    """
    matchup = block.matchup
    compile_matchup(matchup)

    def count(offset: int, units: int) -> Arrays:
        return _count_units(matchup, block.first_unit + offset, units)

    size = matchup.batch_size * -(-block.units // (MAX_BATCHES * matchup.batch_size))
    parts = map_units(count, block.units, size, workers, progress)
    rows = np.concatenate([part.pop("rows") for part in parts])
    return {name: np.stack([part[name] for part in parts]) for name in parts[0]} | {"rows": rows}


def _count_units(matchup: Matchup, first_unit: int, units: int) -> Arrays:
    rows, records = play_with_records(matchup, first_unit, units)
    params = matchup.variant.params
    first, _ = _deal_ranges(records)
    turns = np.minimum(np.add.reduceat(records["turns"], first), MAX_TURNS - 1)
    match, turn, knock_count = _find_knocks(records, len(matchup.players))
    knocks = np.bincount(turn * DEADWOOD_BINS + knock_count, minlength=TURN_BINS * DEADWOOD_BINS)
    counts = {
        "rows": rows,
        "length": np.bincount(turns, minlength=MAX_TURNS),
        "knocks": knocks.reshape(TURN_BINS, DEADWOOD_BINS),
        "turn_squares": _cross_products(match, turn, TURN_BINS),
        "deadwood_squares": _cross_products(match, knock_count, DEADWOOD_BINS),
    }
    goal = match_goal(params)
    if matchup.b is not None and goal.score and goal.other is None:
        counts["leads"] = count_comebacks(records, params).sum(axis=0)
        counts["scores"] = _count_scores(records, params)
    return counts


def _deal_ranges(records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the first and the last deal of every match."""
    last = np.flatnonzero(records["outcome"] != UNDECIDED)
    return np.append(0, last[:-1] + 1), last


def _find_knocks(records: np.ndarray, n_players: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the match number, own turn and deadwood of every knock."""
    first, _ = _deal_ranges(records)
    is_knock = np.isin(records["kind"], KNOCK_INDICES)
    knocked = records[is_knock]
    match = np.searchsorted(first, np.flatnonzero(is_knock), side="right") - 1
    turn = np.minimum(-(-knocked["turns"] // n_players), TURN_BINS - 1)
    return match, turn, np.minimum(knocked["knock_count"], DEADWOOD_BINS - 1)


def _cross_products(match: np.ndarray, value: np.ndarray, n_values: int) -> np.ndarray:
    """Return the products of the numbers of knocks in two bins, summed over matches."""
    counts = np.zeros((match.max(initial=0) + 1, n_values), np.int64)
    np.add.at(counts, (match, value), 1)
    return counts.T @ counts


def count_comebacks(records: np.ndarray, params: Params) -> np.ndarray:
    """Count matches and comebacks in recorded matches (`core.record.DEAL`), (n_matches, 2).

    A comeback is a win of the side that was behind when its opponent first reached half of the
    target.
    """
    score_a, score_b, target = _scores_before_deals(records, params)
    lead = np.sign(score_a - score_b)
    first, last = _deal_ranges(records)
    outcome = records["outcome"][last]
    winner_sign = np.select([outcome == 0, outcome == 1], [1, -1], 0)
    is_half = (2 * np.maximum(score_a, score_b) >= target) & (lead != 0)
    deals = np.arange(len(records))
    half_deal = np.minimum.reduceat(np.where(is_half, deals, len(deals)), first)
    leader = np.where(half_deal < len(deals), lead[np.minimum(half_deal, len(deals) - 1)], 0)
    return np.stack([np.ones_like(winner_sign), winner_sign * leader < 0], axis=1)


def _scores_before_deals(records: np.ndarray, params: Params) -> tuple[np.ndarray, np.ndarray, int]:
    """Return both scores before every deal, in units of the match goal, and the target."""
    ((field, name),) = match_goal(params).side.targets.items()
    return records[f"{field}_a"], records[f"{field}_b"], int_param(params, name)


def _count_scores(records: np.ndarray, params: Params) -> np.ndarray:
    """Return the numbers of deals and later match wins, by both scores in tenths of the target."""
    score_a, score_b, target = _scores_before_deals(records, params)
    first, last = _deal_ranges(records)
    winner = np.repeat(records["outcome"][last], last + 1 - first)
    counts = np.zeros((SCORE_BINS, SCORE_BINS, 2), np.int64)
    for side, (mine, theirs) in enumerate(((score_a, score_b), (score_b, score_a))):
        cell = tuple(
            np.clip(points * SCORE_BINS // target, 0, SCORE_BINS - 1) for points in (mine, theirs)
        )
        np.add.at(counts[..., 0], cell, winner >= 0)
        np.add.at(counts[..., 1], cell, winner == side)
    return counts


def merge_batches(rows: np.ndarray) -> np.ndarray:
    """Add up adjacent batch rows if there are too many batches.

    Both arrays have the shape (n_batches, n_columns); the result has at most `MAX_BATCHES` rows.
    """
    if len(rows) <= MAX_BATCHES:
        return rows
    starts = np.arange(0, len(rows), -(-len(rows) // MAX_BATCHES))
    return np.asarray(np.add.reduceat(rows, starts, axis=0))


def grouped_median(counts: np.ndarray, squares: np.ndarray) -> PairedEstimate:
    """Return the grouped median of counted integers.

    In a grouped median, the value v covers the interval from v - 1/2 to v + 1/2. The influence of a
    match is one half minus the proportion of the match's values below the median, divided by the
    density at the median (Woodruff 1952).

    Args:
        counts: Number of occurrences of each value, (n_batches, n_values) int64.
        squares: Cross products as returned by `count_matches`, (n_batches, n_values, n_values)
            int64.

    Returns:
        Estimate of the median, with the influences of the batches.
    """
    total = counts.sum(axis=0)
    n = int(total.sum())
    if not n:
        return PairedEstimate.with_known_se(np.nan, np.nan, 0)
    cumulative = np.append(0, total.cumsum())
    bin_index = int(np.searchsorted(cumulative[1:], n / 2))
    fraction = (n / 2 - cumulative[bin_index]) / total[bin_index]
    weights = np.full(len(total), 0.5)  # influence of one match, multiplied by the density
    weights[:bin_index] -= 1
    weights[bin_index] -= fraction
    influences = counts @ weights / total[bin_index]
    unit_se = float(np.sqrt(weights @ squares.sum(axis=0) @ weights)) / float(total[bin_index])
    batches = counts.sum(axis=1, dtype=float)
    effective = float(n**2 / (batches @ batches))
    return PairedEstimate(bin_index - 0.5 + fraction, n, influences, effective, unit_se=unit_se)
