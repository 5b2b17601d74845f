"""Course of matches in self-play: length, knocks, comebacks and scores.

A review records these matches deal by deal and counts events in each batch. Batches consist of
whole matches, so the standard errors of medians and proportions are clustered by match.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import batch_columns
from simgin.core.match import MATCH_UNDECIDED
from simgin.play.kernel import compile_matchup, play_with_records
from simgin.play.matchup import Matchup
from simgin.play.parallel import ProgressCallback, map_units
from simgin.rules.parameters import Params, find_match_goal, get_int_param
from simgin.stats.paired_estimate import PairedEstimate

if TYPE_CHECKING:
    from simgin.runs.block import Block
    from simgin.runs.runner import NamedArrays

# Maximum number of batches per matchup. If there are more batches, adjacent batches are merged so
# that a deep review fits into memory. Standard errors computed from 1,000 batches have a relative
# error of about 2 %.
MAX_BATCHES_PER_MATCHUP = 1_000
MAX_UNITS_PER_KERNEL_CALL = 500  # unless one batch is larger
MAX_TURNS_PER_MATCH = 1_000  # the last bin contains all longer matches
# number of bins for the turn and the deadwood of a knock; the last bin is open-ended
N_KNOCK_TURN_BINS, N_KNOCK_DEADWOOD_BINS = (26, 32)
N_SCORE_BINS = 10  # number of score bins, which are fractions of the target
KNOCK_ENDING_CODES = [
    batch_columns.DEAL_RESULTS.index(kind) for kind in ("knock", "undercut", "even")
]


def count_match_events(
    block: Block, workers: int | None, progress: ProgressCallback | None
) -> NamedArrays:
    """Play matches, and count the lengths, knocks, comebacks and scores of each batch.

    Args:
        block: Consecutive batches of a matchup.
        workers: Number of worker threads.
        progress: Callback that reports the progress.

    Returns:
        length: Number of matches by number of turns, (n_batches, MAX_TURNS_PER_MATCH).
        knocks: Number of knocks by turn of the player and deadwood, (n_batches, N_KNOCK_TURN_BINS,
        N_KNOCK_DEADWOOD_BINS).
        turn_squares, deadwood_squares: Number of knocks in one bin times the number in another bin,
        summed over matches, (n_batches, n_bins, n_bins).
        leads: Numbers of matches and comebacks (see `count_comebacks`), (n_batches, 2).
        scores: Number of deals, and number of these deals in matches that the first side won, by
        the scores of both sides in tenths of the target, (n_batches, N_SCORE_BINS, N_SCORE_BINS,
        2).
        rows: Batch rows of the matchup, which are never merged.
    """
    matchup = block.matchup
    compile_matchup(matchup)
    units_per_batch = matchup.batch_size * -(
        -block.units // (MAX_BATCHES_PER_MATCHUP * matchup.batch_size)
    )

    def count_unit_events(unit_offset: int, n_units: int) -> NamedArrays:
        return _count_unit_events(matchup, block.first_unit + unit_offset, n_units, units_per_batch)

    n_batches = max(1, MAX_UNITS_PER_KERNEL_CALL // units_per_batch)
    chunks = map_units(
        count_unit_events, block.units, n_batches * units_per_batch, workers, progress
    )
    return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}


def _count_unit_events(
    matchup: Matchup, first_unit: int, n_units: int, units_per_batch: int
) -> NamedArrays:
    """Play a range of units, and count the events of each batch (see `count_match_events`)."""
    rows, records = play_with_records(matchup, first_unit, n_units)
    params = matchup.variant.params
    n_batches = -(-n_units // units_per_batch)
    first_deals, last_deals = _find_deal_ranges(records)
    batch_of_match = np.arange(len(last_deals)) // units_per_batch
    turns = np.minimum(np.add.reduceat(records["turns"], first_deals), MAX_TURNS_PER_MATCH - 1)
    match_index, turn, knock_deadwood = _find_knocks(records, len(matchup.players))
    bins = batch_of_match[match_index], turn, knock_deadwood
    match_shape = n_batches, units_per_batch
    counts = {
        "rows": rows,
        "length": _count_index_tuples((batch_of_match, turns), (n_batches, MAX_TURNS_PER_MATCH)),
        "knocks": _count_index_tuples(bins, (n_batches, N_KNOCK_TURN_BINS, N_KNOCK_DEADWOOD_BINS)),
        "turn_squares": _sum_cross_products(match_index, turn, (*match_shape, N_KNOCK_TURN_BINS)),
        "deadwood_squares": _sum_cross_products(
            match_index, knock_deadwood, (*match_shape, N_KNOCK_DEADWOOD_BINS)
        ),
    }
    goal = find_match_goal(params)
    if matchup.b is not None and goal.score_unit and goal.other_side_goal is None:
        leads = count_comebacks(records, params)
        counts["leads"] = np.add.reduceat(leads, np.arange(0, len(leads), units_per_batch))
        counts["scores"] = _count_wins_by_score(records, params, batch_of_match, n_batches)
    return counts


def _count_index_tuples(indices: tuple[np.ndarray, ...], shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of the given shape that counts how often each index occurs."""
    flat_indices = np.ravel_multi_index(indices, shape)
    return np.bincount(flat_indices, minlength=math.prod(shape)).reshape(shape)


def _find_deal_ranges(records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of the first and the last deal of each match."""
    last_deals = np.flatnonzero(records["outcome"] != MATCH_UNDECIDED)
    return np.append(0, last_deals[:-1] + 1), last_deals


def _find_knocks(records: np.ndarray, n_players: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the match index, the knocker's turn and the deadwood of each knock."""
    first_deals, _ = _find_deal_ranges(records)
    is_knock = np.isin(records["kind"], KNOCK_ENDING_CODES)
    knock_records = records[is_knock]
    match_index = np.searchsorted(first_deals, np.flatnonzero(is_knock), side="right") - 1
    turn = np.minimum(-(-knock_records["turns"] // n_players), N_KNOCK_TURN_BINS - 1)
    return match_index, turn, np.minimum(knock_records["knock_count"], N_KNOCK_DEADWOOD_BINS - 1)


def _sum_cross_products(
    match_index: np.ndarray, bin_index: np.ndarray, shape: tuple[int, int, int]
) -> np.ndarray:
    """Return the cross products of the knock counts of each match, summed over each batch.

    Args:
        match_index: Index of the match of every knock.
        bin_index: Bin of every knock.
        shape: Number of batches, of matches per batch, and of bins.
    """
    n_batches, n_matches, n_bins = shape
    counts_by_match = _count_index_tuples((match_index, bin_index), (n_batches * n_matches, n_bins))
    counts_by_batch = counts_by_match.reshape(shape)
    products: np.ndarray = counts_by_batch.transpose(0, 2, 1) @ counts_by_batch
    return products


def count_comebacks(records: np.ndarray, params: Params) -> np.ndarray:
    """Return one row per recorded match: the number 1, and 1 for a comeback, otherwise 0.

    A comeback is a win by the side that was behind when the opponent first reached half of the
    target.
    """
    score_a, score_b, target = _extract_scores_before_deals(records, params)
    lead_sign = np.sign(score_a - score_b)
    first_deals, last_deals = _find_deal_ranges(records)
    match_outcome = records["outcome"][last_deals]
    winner_sign = np.select([match_outcome == 0, match_outcome == 1], [1, -1], 0)
    is_half_reached = (2 * np.maximum(score_a, score_b) >= target) & (lead_sign != 0)
    indices = np.arange(len(records))
    first_half_deal = np.minimum.reduceat(
        np.where(is_half_reached, indices, len(indices)), first_deals
    )
    leader_sign = np.where(
        first_half_deal < len(indices), lead_sign[np.minimum(first_half_deal, len(indices) - 1)], 0
    )
    return np.stack([np.ones_like(winner_sign), winner_sign * leader_sign < 0], axis=1)


def _extract_scores_before_deals(
    records: np.ndarray, params: Params
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return both sides' scores before each deal, and the target score."""
    ((field, target_name),) = find_match_goal(params).side_goal.targets.items()
    return records[f"{field}_a"], records[f"{field}_b"], get_int_param(params, target_name)


def _count_wins_by_score(
    records: np.ndarray, params: Params, batch_of_match: np.ndarray, n_batches: int
) -> np.ndarray:
    """Count all deals, and the deals of won matches, by the scores of both players."""
    score_a, score_b, target = _extract_scores_before_deals(records, params)
    first_deals, last_deals = _find_deal_ranges(records)
    n_deals = last_deals + 1 - first_deals
    winner = np.repeat(records["outcome"][last_deals], n_deals)
    batch = np.repeat(batch_of_match, n_deals)
    shape = (n_batches, N_SCORE_BINS, N_SCORE_BINS, 2)
    counts = np.zeros(shape, np.int64)
    for side, (side_score, opponent_score) in enumerate(((score_a, score_b), (score_b, score_a))):
        bins = [
            np.clip(score * N_SCORE_BINS // target, 0, N_SCORE_BINS - 1)
            for score in (side_score, opponent_score)
        ]
        for column, is_counted in enumerate((winner >= 0, winner == side)):
            counted_indices = tuple(index[is_counted] for index in (batch, *bins))
            counts[..., column] += _count_index_tuples(counted_indices, shape[:3])
    return counts


def merge_batches(batch_rows: np.ndarray) -> np.ndarray:
    """Merge adjacent batch rows until at most `MAX_BATCHES_PER_MATCHUP` rows remain.

    The batch rows have shape (n_batches, n_columns).
    """
    if len(batch_rows) <= MAX_BATCHES_PER_MATCHUP:
        return batch_rows
    start_rows = np.arange(0, len(batch_rows), -(-len(batch_rows) // MAX_BATCHES_PER_MATCHUP))
    return np.asarray(np.add.reduceat(batch_rows, start_rows, axis=0))


def estimate_grouped_median(frequencies: np.ndarray, cross_products: np.ndarray) -> PairedEstimate:
    """Estimate the grouped median of integers from their frequencies.

    In a grouped median, the value v covers the interval from v - 1/2 to v + 1/2. The influence of a
    match depends on the proportion of its values below the median and on the density at the median
    (Woodruff 1952).

    Args:
        frequencies: Number of occurrences of each value, (n_batches, n_values) int64.
        cross_products: Cross products returned by `count_match_events`,
            (n_batches, n_values, n_values) int64.

    Returns:
        Estimate of the median, including the influences of the batches.
    """
    value_counts = frequencies.sum(axis=0)
    total_count = int(value_counts.sum())
    if not total_count:
        return PairedEstimate.from_known_se(np.nan, np.nan, 0)
    cumulative_counts = np.append(0, value_counts.cumsum())
    bin_index = int(np.searchsorted(cumulative_counts[1:], total_count / 2))
    median_count = value_counts[bin_index]
    fraction = (total_count / 2 - cumulative_counts[bin_index]) / median_count
    weights = np.full(len(value_counts), 0.5)  # influence of one match multiplied by the density
    weights[:bin_index] -= 1
    weights[bin_index] -= fraction
    influences = frequencies @ weights / median_count
    unit_se = float(np.sqrt(weights @ cross_products.sum(axis=0) @ weights)) / float(median_count)
    batch_totals = frequencies.sum(axis=1, dtype=float)
    n_effective = float(total_count**2 / (batch_totals @ batch_totals))
    return PairedEstimate(
        bin_index - 0.5 + fraction, total_count, influences, n_effective, unit_se=unit_se
    )
