"""Deadwood after every turn of a deal, and win rates by deadwood.

    turns = simulate_hands_by_turn(parse_matchup("gold", "simple", "standard", 1, "deal"), 20_000)
    compute_win_rate_by_deadwood(turns)

The deals are played and recorded as usual. The same kernel then replays each recorded deal. After a
replay, the pack and the histories in the state determine the hands. A replay differs from the
recorded deal only if a strategy is not deterministic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import from_dtype, int64, types

from simgin.core import batch_columns, jit
from simgin.core.codes import SLOTS
from simgin.core.policy_types import POLICY_TYPE, RECORDS_TYPE, RULES_TYPE, STATE_TYPE, VIEW_TYPE
from simgin.core.state import create_state
from simgin.core.view import create_view
from simgin.match_value import kernels
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import ProgressCallback, map_units
from simgin.rules.build import build_rules
from simgin.stats.estimate import MIN_UNITS_FOR_ESTIMATE, compute_proportion_interval
from simgin.stats.table import Frame, build_output_frame, make_frame
from simgin.strategy import python_tier

REPLAYED_DEALS_PER_CALL = 2_000  # number of deals per replay call

# Record of a turn. `deal` is the index of the deal in the records. `turn` counts the turns of both
# players from 1, and `own_turn` counts the player's turns. `count` is the player's deadwood after
# the turn.
TURN_DTYPE = np.dtype([(name, np.int64) for name in ("deal", "turn", "own_turn", "side", "count")])
TURNS_TYPE = types.Array(from_dtype(TURN_DTYPE), 1, "C")
DEADWOOD_BIN_SIZE = 5  # width of a bin, in points of deadwood


@dataclass(frozen=True)
class TurnRecords:
    """Records of deals and of all their turns, in the order of play.

    A deal has no turns if it ends before the first turn because a player refuses the die or is
    dealt a joker. If drawing a card ends the deal without a winner, the draw does not count as a
    turn.

    Attributes:
        matchup: Matchup that was played.
        deal_records: Records of the deals, (n_deals,) DEAL_RECORD_DTYPE.
        turn_records: Turns, (n_turns,) TURN_DTYPE.
    """

    matchup: Matchup
    deal_records: np.ndarray
    turn_records: np.ndarray

    def get_turn_column(self, name: str) -> np.ndarray:
        """Return a field of all turns."""
        return np.asarray(self.turn_records[name])

    def get_deal_column(self, name: str) -> np.ndarray:
        """Return a field of the deals to which the turns belong."""
        return np.asarray(self.deal_records[name][self.get_turn_column("deal")])


def simulate_hands_by_turn(
    matchup: Matchup,
    n_units: int,
    workers: int | None = None,
    on_progress: ProgressCallback | None = None,
) -> TurnRecords:
    """Play `n_units` units of single deals, and record every turn."""
    kernel.compile_matchup(matchup)
    _compile_replay_loop(len(matchup.players))

    def play_recorded(first_unit: int, n_units: int) -> np.ndarray:
        return kernel.play_with_records(matchup, first_unit, n_units)[1]

    def trace_turns(first_deal: int, n_deals: int) -> np.ndarray:
        return _replay_turns(matchup, records[first_deal : first_deal + n_deals], first_deal)

    records = np.concatenate(map_units(play_recorded, n_units, REPLAYED_DEALS_PER_CALL, workers))
    turns = map_units(trace_turns, len(records), REPLAYED_DEALS_PER_CALL, workers, on_progress)
    return TurnRecords(matchup, records, np.concatenate(turns))


def _replay_turns(matchup: Matchup, records: np.ndarray, first_deal: int) -> np.ndarray:
    """Replay recorded deals, and return their turns, (n_turns,) TURN_DTYPE.

    Args:
        matchup: Matchup that was played.
        records: Records of the deals.
        first_deal: Index of the first deal.
    """
    n_players = len(matchup.players)
    state = create_state(matchup.seed)
    rules = build_rules(matchup.variant)
    turns = np.empty(int(records["turns"].sum()), TURN_DTYPE)
    sums_row = np.zeros((1, batch_columns.N_COLUMNS), np.int64)
    deal_ids = np.stack([records[name] for name in ("unit", "half")], axis=1)
    parameter_vectors = kernel.set_strategies(state, matchup)
    kernel_arguments = (state, rules, create_view(), create_view(), sums_row, kernel.EMPTY_RECORDS)
    play_units, policies = kernel.compile_batch_kernel(n_players), kernel.compile_policies(matchup)
    replay_loop = _compile_replay_loop(n_players)
    with python_tier.reraise_policy_errors():
        replay_loop(play_units, *kernel_arguments, deal_ids, first_deal, turns, *policies)
    # The vectors are needed until here because the state contains only their addresses.
    del parameter_vectors
    return turns


@cache
def _compile_replay_loop(n_players: int) -> Any:
    """Compile the loop that replays deals with one or two players.

    The first argument of this loop is the kernel.
    """
    function = kernels.replay_deals_solo if n_players == 1 else kernels.replay_deals
    n_policies = len(kernel.SOLO_SLOTS) if n_players == 1 else 2 * len(SLOTS)
    table_type = types.Array(int64, 2, "C")
    kernel_types = (STATE_TYPE, RULES_TYPE, VIEW_TYPE, VIEW_TYPE, table_type, RECORDS_TYPE)
    play_units = types.FunctionType(kernel.make_batch_kernel_signature(n_players))
    deal_types = (table_type, int64, TURNS_TYPE)
    arguments = (play_units, *kernel_types, *deal_types, *[POLICY_TYPE] * n_policies)
    return jit.compile_function(function, types.void(*arguments))


def compute_win_rate_by_deadwood(turns: TurnRecords) -> Frame:
    """Compute A's win rate by number of turns and deadwood.

    `count` is the lower edge of a bin of 5 points of deadwood, and `n` is the number of deals that
    continued after the turn. Drawn deals count as lost. Standard errors are clustered by unit.
    Groups with fewer than 30 units are omitted.

    Returns:
        DataFrame of the output `counts` (rows.toml).
    """
    matchup = turns.matchup
    turn, deadwood, unit, is_won = _find_hands_after_turns(turns)
    turn_and_bin = np.stack([turn, deadwood // DEADWOOD_BIN_SIZE], axis=1)
    turns_and_bins, group_index = np.unique(turn_and_bin, axis=0, return_inverse=True)
    rates, errors, n_deals = _compute_mean_by_group(
        is_won, unit, group_index.reshape(-1), len(turns_and_bins)
    )
    bounds = [compute_proportion_interval(*row) for row in zip(rates, errors, n_deals, strict=True)]
    low, high = np.array(bounds).reshape(-1, 2).T
    name_columns = {"variant": matchup.variant.spec, "strategy": matchup.a.spec}
    columns = {"turn": turns_and_bins[:, 0], "count": turns_and_bins[:, 1] * DEADWOOD_BIN_SIZE}
    estimates = {"value": rates, "se": errors, "low": low, "high": high, "n": n_deals}
    frame = make_frame(columns | estimates)
    frame = build_output_frame("counts", frame.assign(**name_columns, opponent=matchup.opponent))
    return frame[frame["value"].notna()].reset_index(drop=True)


def _find_hands_after_turns(turns: TurnRecords) -> np.ndarray:
    """Return the number of turns, deadwood, unit and result for each hand of A.

    The hands are the dealt hand of A and its hand after each turn that did not end the deal.
    In self-play, the hands of both sides are included.

    Returns:
        (4, n_hands) int64. The result is 1 for a won deal, otherwise 0.
    """
    matchup = turns.matchup
    # The deal continued after the turn.
    records = turns.turn_records[turns.get_turn_column("turn") < turns.get_deal_column("turns")]
    turn_deals = turns.deal_records[records["deal"]]
    hands = []
    for side in (0,) if matchup.b is None or matchup.is_mirrored else (0, 1):
        is_side = records["side"] == side
        side_deals = turn_deals[is_side]
        deals = turns.deal_records
        no_turns = np.zeros(len(deals), np.int64)
        hands += [
            (
                records["own_turn"][is_side],
                records["count"][is_side],
                side_deals["unit"],
                side_deals["winner"] == side,
            ),
            (no_turns, deals[f"dealt_{'ab'[side]}"], deals["unit"], deals["winner"] == side),
        ]
    return np.concatenate([np.stack(columns).astype(np.int64) for columns in hands], axis=1)


def _compute_mean_by_group(
    observations: np.ndarray, unit: np.ndarray, group: np.ndarray, n_groups: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute the mean, its standard error and the sample size of each group.

    Standard errors are clustered by unit (docs/explanation/statistics.md#units-and-pairs). If a
    group has fewer than 30 units, its mean and standard error are NaN.

    Args:
        observations: Observations, (n,).
        unit: Unit of each observation, (n,) int64.
        group: Index of the group of each observation, (n,) int64.
        n_groups: Number of groups.
    """
    n_observations = np.bincount(group, minlength=n_groups)
    group_sizes = np.maximum(n_observations, 1)
    n_units = unit.max(initial=0) + 1
    group_units, group_unit_index = np.unique(group * n_units + unit, return_inverse=True)
    unit_groups = group_units // n_units
    unit_counts = np.bincount(unit_groups, minlength=n_groups)
    means = np.bincount(group, observations, minlength=n_groups) / group_sizes
    values = np.where(unit_counts >= MIN_UNITS_FOR_ESTIMATE, means, np.nan)
    residuals = np.bincount(
        group_unit_index, observations - values[group], minlength=len(group_units)
    )
    sums_of_squares = np.bincount(unit_groups, residuals**2, minlength=n_groups)
    correction = unit_counts / np.maximum(unit_counts - 1, 1)
    return values, np.sqrt(correction * sums_of_squares) / group_sizes, n_observations
