"""Values of the legal actions in a position, estimated by rollouts.

Every action is rolled out to the end of the deal in the same sampled worlds. A world is a possible
assignment of the hidden cards. For example:

    analysis = analyse_position(position, "champion", "champion", AnalysisBudget(max_worlds=10_000))
    analysis.frame()  # one row per action, best action first
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from simgin.analysis.position import Position, PositionError, find_decisions
from simgin.analysis.stake_value import (
    UNDERCUT_RESULT_INDEX,
    Equity,
    compute_equity,
    compute_net_points,
)
from simgin.analysis.world_sampling import WorldSampler
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.position_rollouts import ACTION_END_DEAL
from simgin.play import kernel
from simgin.play.matchup import Matchup, make_short_player_names, parse_matchup
from simgin.play.parallel import PROGRESS_STEPS_PER_PART, map_units
from simgin.play.rollouts import roll_out_worlds
from simgin.play.traced_deal import TracedDeal
from simgin.plots.action_costs import COST_UNITS
from simgin.renamed import RenamedAttributes
from simgin.rules.variants import Variant
from simgin.stats.estimate import (
    ALPHA,
    MIN_UNITS_BEFORE_FIRST_LOOK,
    compute_confidence_sequence_width,
)
from simgin.stats.table import build_output_frame

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_WORLDS = 10_000  # default number of worlds per position
MAX_WORLDS = 1_000_000  # maximum number of worlds, because all outcomes are kept in memory
WORLDS_PER_CALL = 50  # number of worlds per engine call
WORLDS_PER_TIME_CHECK = 400  # number of worlds between two checks of the time limit
GIN_RESULT_INDICES = (DEAL_RESULTS.index("gin"), DEAL_RESULTS.index("big_gin"))

# Outcome of a deal for the player. Points are net points, or minus the penalty. `match` is the
# probability of winning the match in %, or NaN if it is unknown. If the variant has a die, `deals`
# and `games` are the net numbers of deals and games won. Otherwise, they are NaN. Each other
# measure is 1 if the event with its name occurred, and 0 otherwise.
MEASURES = ("points", "match", "deals", "games", "win", "gin", "undercut")
# `won_undercut`, which only the coach uses, is 1 if the player undercut the opponent.
OUTCOME_DTYPE = np.dtype([(name, np.float64) for name in (*MEASURES, "won_undercut")])
# Smallest range to assume for the difference between two actions in one world, in points or % of
# matches
MIN_ASSUMED_RANGE = 100.0
# Smallest ranges to assume for other measures. One deal can change the net number of deals won by
# up to 6 (die at 6), and the net number of games won by up to 24 (die at 6, and a game that counts
# as 4).
MIN_ASSUMED_RANGE_BY_MEASURE = {"deals": 12.0, "games": 48.0}


# Selection of the best action, with early elimination of worse actions
#
# All actions are played in the same worlds, so the comparison uses the differences within each
# world. The confidence sequences for these differences (simgin.stats.estimate) are valid at every
# number of worlds and simultaneously for all pairs of actions, with probability 1 - ALPHA.
# Therefore the best action is eliminated with probability at most ALPHA, regardless of the number
# of checks. The printed intervals are valid, no matter which action is found to be best.


@dataclass(frozen=True)
class ActionGaps:
    """Differences in value between each action and the best of the remaining actions.

    Attributes:
        best_index: Index of the best action.
        means: Mean differences from the best action, usually negative; float64 (n_actions,).
        half_widths: Half-widths of the confidence intervals of the differences, float64
            (n_actions,); 0 for the best action.
    """

    best_index: int
    means: np.ndarray
    half_widths: np.ndarray


def compute_next_sample_size(n_sampled: int, max_worlds: int) -> int:
    """Return the number of worlds before the next comparison: twice the last, up to a maximum."""
    return min(max_worlds, max(MIN_UNITS_BEFORE_FIRST_LOOK, 2 * n_sampled))


def compare_actions(
    values: np.ndarray, max_worlds: int, min_assumed_range: float = MIN_ASSUMED_RANGE
) -> ActionGaps:
    """Compare the value of each action with the value of the best action.

    Args:
        values: Action values, float64 (n_worlds, n_actions); NaN if an action was not tried in a
            world.
        max_worlds: Maximum number of worlds, fixed in advance.
        min_assumed_range: Smallest range to assume for the difference between two actions.
    """
    is_tried = ~np.isnan(values)
    means = np.where(is_tried[-1], values.mean(axis=0), -np.inf)
    best_index = int(means.argmax())
    gaps = values - values[:, best_index, None]
    world_counts = is_tried.sum(axis=0)
    mean_gaps = np.nanmean(gaps, axis=0)
    ranges = np.nanmax(values, axis=1) - np.nanmin(values, axis=1)
    value_range = max(min_assumed_range, float(ranges.max()))
    # Add one world in which the difference between the actions is as large as possible. A few
    # hundred worlds might not contain a rare event, so the estimated error could otherwise be 0.
    variances = np.nanvar(gaps, axis=0) + value_range**2 / world_counts
    alpha = ALPHA / max(1, len(world_counts) * (len(world_counts) - 1) / 2)
    # The intervals are narrowest at the geometric mean of the first and last checkpoints.
    n_narrowest = sqrt(MIN_UNITS_BEFORE_FIRST_LOOK * max(MIN_UNITS_BEFORE_FIRST_LOOK, max_worlds))
    widths = [compute_confidence_sequence_width(int(n), n_narrowest, alpha) for n in world_counts]
    standard_errors = np.sqrt(variances / world_counts)
    half_widths = np.array(widths) * standard_errors
    half_widths[best_index] = 0.0
    return ActionGaps(best_index, mean_gaps, half_widths)


def find_contenders(
    values: np.ndarray, max_worlds: int, min_assumed_range: float = MIN_ASSUMED_RANGE
) -> np.ndarray:
    """Return a mask of the actions that could still be the best, (n_actions,) bool.

    Args:
        values: Action values, float64 (n_worlds, n_actions); NaN if an action was not tried in a
            world.
        max_worlds: Maximum number of worlds, fixed in advance.
        min_assumed_range: Smallest range to assume for the difference between two actions.
    """
    is_tried = np.asarray(~np.isnan(values[-1]))
    if len(values) < MIN_UNITS_BEFORE_FIRST_LOOK:
        return is_tried
    gaps = compare_actions(values, max_worlds, min_assumed_range)
    may_be_best = gaps.means + gaps.half_widths >= 0
    return np.asarray(is_tried & may_be_best)


# Analysis of a position


def is_mistake(lower_bound: float) -> bool:
    """Return True if the 95 % confidence interval of a cost has a lower bound above 0.

    The coach, `simgin grade` and the web pages all use this criterion.
    """
    return lower_bound > 0


@dataclass(frozen=True)
class AnalysisBudget:
    """Limits of an analysis: number of worlds, time and worker threads.

    Attributes:
        max_worlds: Maximum number of worlds per position.
        max_seconds: Time limit per position in seconds, or None for no limit.
        seed: Seed of the sampled worlds.
        workers: Number of worker threads, or None to use all cores.
    """

    max_worlds: int = DEFAULT_WORLDS
    max_seconds: float | None = None
    seed: int = 1
    workers: int | None = None


@dataclass(frozen=True)
class Analysis(RenamedAttributes):
    """Analysis of a position: the outcomes of all legal actions.

    Attributes:
        position: Analysed decision.
        matchup: Strategies that play in the rollouts.
        outcomes: Outcomes of the rollouts, OUTCOME_DTYPE (n_worlds, n_actions). NaN if an action
            was not played.
        max_worlds: Maximum number of worlds.
    """

    position: Position
    matchup: Matchup
    outcomes: np.ndarray
    max_worlds: int

    @property
    def measure(self) -> str:
        """Name of the measure by which actions are compared: match, deals, games, win or points."""
        if self.position.is_in_match and self.has_match_probability:
            return "match"
        return select_measure(self.position.variant)

    @property
    def has_match_probability(self) -> bool:
        """True if the probability of winning the match is known."""
        return not np.isnan(self.outcomes["match"]).all()

    @property
    def values(self) -> np.ndarray:
        """Values of the actions, (n_worlds, n_actions) float64; NaN if an action was not played.

        The values are points, percentages of matches or percentages of deals, depending on the
        measure.
        """
        factor = 100 if self.measure == "win" else 1
        return np.asarray(factor * self.outcomes[self.measure])

    @property
    def world_sampler(self) -> WorldSampler:
        """Sampler of hidden states that are consistent with the position."""
        return WorldSampler(self.matchup, self.position.view)

    @property
    def unit(self) -> str:
        """Unit of the costs of actions."""
        return COST_UNITS[self.measure]

    @property
    def min_assumed_range(self) -> float:
        """Minimum range assumed for the value difference between two actions in one world."""
        return MIN_ASSUMED_RANGE_BY_MEASURE.get(self.measure, MIN_ASSUMED_RANGE)

    @property
    def n_worlds(self) -> int:
        """Number of worlds in which the best action was played."""
        return len(self.outcomes)

    @cached_property
    def action_names(self) -> list[str]:
        """Names of the actions, such as `discard KS`."""
        return [self.position.format_action(action) for action in self.position.actions]

    @cached_property
    def action_gaps(self) -> ActionGaps:
        """Differences in value between each action and the best action."""
        return compare_actions(self.values, self.max_worlds, self.min_assumed_range)

    @cached_property
    def best_indices(self) -> list[int]:
        """Indices of the actions not significantly worse than the best action, best first."""
        is_contender = find_contenders(self.values, self.max_worlds, self.min_assumed_range)
        return [index for index in self.ranking if is_contender[index]]

    @cached_property
    def ranking(self) -> list[int]:
        """Indices of all actions, best action first."""
        indices = np.argsort(-self.action_gaps.means, kind="stable")
        return [int(index) for index in indices]

    @property
    def best_ending_index(self) -> int | None:
        """Index of the best action that ends the deal, or None if no action ends the deal."""
        types = [action.type for action in self.position.actions]
        return next((index for index in self.ranking if types[index] == ACTION_END_DEAL), None)

    @property
    def is_mistake(self) -> bool:
        """True if the chosen action is significantly worse than the best action."""
        index = self.position.chosen_index
        return index not in self.best_indices and is_mistake(self.estimate_cost(index)[1])

    def estimate_cost(self, index: int) -> tuple[float, float, float]:
        """Estimate the cost of an action compared with the best action, with a 95 % interval.

        Args:
            index: Index of the action.

        Returns:
            Mean, lower bound and upper bound of the cost. For an eliminated action, which is
            significantly worse than another action, the lower bound is at least 0.
        """
        mean = 0.0 - float(self.action_gaps.means[index])  # Negation would turn 0 into -0.
        half_width = float(self.action_gaps.half_widths[index])
        low = mean - half_width
        if index not in self.best_indices:
            low = max(0.0, low)
        return mean, low, mean + half_width

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per action, best action first."""
        return build_output_frame("analysis", self.rows())

    def rows(self) -> list[dict[str, object]]:
        """Return the rows of `frame` as dictionaries."""
        return [self._build_row(index) for index in self.ranking]

    def _build_row(self, index: int) -> dict[str, object]:
        """Return the row of an action, with its cost and its mean in every measure."""
        is_tried = ~np.isnan(self.values[:, index])
        outcomes = self.outcomes[is_tried, index]
        row: dict[str, object] = {
            "variant": self.position.variant.spec,
            "strategy": self.matchup.a.spec,
            "opponent": self.matchup.opponent,
            "action": self.action_names[index],
        }
        for name in MEASURES:
            row[name] = float(outcomes[name].mean())
            row[f"{name}_se"] = _compute_standard_error(outcomes[name])
        cost, low, high = self.estimate_cost(index)
        return row | {
            "by": self.measure,
            "cost": cost,
            "low": low,
            "high": high,
            "worlds": len(outcomes),
            "best": index in self.best_indices,
            "done": self.position.actions[index] == self.position.recorded_action,
        }


def _compute_standard_error(values: np.ndarray) -> float:
    """Return the standard error of a mean, or exactly 0 if all values are equal."""
    if np.all(values == values[0]):
        return 0.0
    return float(values.std()) / sqrt(len(values))


def compute_outcomes(records: np.ndarray, variant: Variant, equity: Equity | None) -> np.ndarray:
    """Compute the outcome of each deal for side A.

    Args:
        records: Records of the deals, DEAL array of any shape.
        variant: Variant of the deals.
        equity: Equity that computes the value of each deal in the match or game, or None.

    Returns:
        OUTCOME_DTYPE array of the same shape.
    """
    outcomes = np.empty(records.shape, OUTCOME_DTYPE)
    is_knocker = records["knocker"] == 0
    ending = records["kind"]
    outcomes["points"] = compute_net_points(variant, records)
    outcomes["match"] = outcomes["deals"] = outcomes["games"] = np.nan
    if equity is not None:
        equity.write_values(outcomes, records)
    outcomes["win"] = records["winner"] == 0
    outcomes["gin"] = is_knocker & np.isin(ending, GIN_RESULT_INDICES)
    outcomes["undercut"] = is_knocker & (ending == UNDERCUT_RESULT_INDEX)
    outcomes["won_undercut"] = outcomes["win"] * (ending == UNDERCUT_RESULT_INDEX)
    return outcomes


def compute_gains(records: np.ndarray, variant: Variant) -> np.ndarray:
    """Compute side A's gain in each deal, in the measure of the variant.

    Args:
        records: Records of the deals, DEAL array of any shape.
        variant: Variant of the deals.

    Returns:
        float64 array of the same shape.
    """
    measure = select_measure(variant)
    equity = compute_equity(variant) if measure in MIN_ASSUMED_RANGE_BY_MEASURE else None
    factor = 100 if measure == "win" else 1
    return np.asarray(factor * compute_outcomes(records, variant, equity)[measure])


def select_measure(variant: Variant) -> str:
    """Return the measure for single deals of a variant: "deals", "games", "win" or "points"."""
    params = variant.params
    if params["die"] != "off":
        return "deals" if params["die"] == "deal" else "games"
    return "win" if params["deal_scoring"] == "winloss" else "points"


# Callback that receives the number of worlds so far, the maximum number of worlds, and a function
# that returns the current result
AnalysisProgressCallback = Callable[[int, int, Callable[[], Analysis]], None]


def ignore_progress(n_done: int, total: int, get_result: Callable[[], object]) -> None:
    """Ignore the progress of an analysis (default callback)."""


def analyse_position(
    position: Position,
    strategy: str,
    opponent: str | None,
    budget: AnalysisBudget,
    on_progress: AnalysisProgressCallback = ignore_progress,
) -> Analysis:
    """Estimate the values of all actions in a position with rollouts in the same worlds.

    The analysis stops when the best action is known or a limit of the budget is reached.

    Args:
        position: Decision to analyse.
        strategy: Strategy that plays the rest of each deal for the player.
        opponent: Strategy that plays the rest of each deal for the opponent, or None in solitaire
            games.
        budget: Limits of the analysis.
        on_progress: Function that receives the number of worlds played, the maximum number of
            worlds, and a function that returns the current result.

    Raises:
        PositionError: If the budget exceeds `MAX_WORLDS`.
    """
    if budget.max_worlds > MAX_WORLDS:
        raise PositionError(
            f"{budget.max_worlds:,} worlds do not fit into memory. "
            f"Use at most {MAX_WORLDS:,} worlds."
        )
    rollouts = _Rollouts(position, strategy, opponent, budget)
    max_seconds = np.inf if budget.max_seconds is None else budget.max_seconds
    deadline = time.monotonic() + max_seconds
    checkpoint = compute_next_sample_size(0, budget.max_worlds)
    while rollouts.n_played < budget.max_worlds and rollouts.is_active.sum() > 1:
        rollouts.play(min(WORLDS_PER_TIME_CHECK, checkpoint - rollouts.n_played))
        if rollouts.n_played == checkpoint:
            result = rollouts.get_result()
            rollouts.is_active = find_contenders(
                result.values, budget.max_worlds, result.min_assumed_range
            )
            checkpoint = compute_next_sample_size(checkpoint, budget.max_worlds)
        on_progress(rollouts.n_played, budget.max_worlds, rollouts.get_result)
        if time.monotonic() > deadline:
            break
    return rollouts.get_result()


def analyse_without_elimination(
    position: Position, strategy: str, opponent: str | None, budget: AnalysisBudget
) -> Analysis:
    """Estimate the values of all actions in the same worlds, without eliminating any action.

    Args:
        position: Decision to analyse.
        strategy: Strategy that plays the rest of each deal for the player.
        opponent: Strategy that plays the rest of each deal for the opponent, or None in solitaire
            games.
        budget: Limits of the analysis. The time limit has no effect.
    """
    rollouts = _Rollouts(position, strategy, opponent, budget)
    rollouts.play(budget.max_worlds)
    return rollouts.get_result()


class _Rollouts:
    """Rollouts of all actions in a position, in batches of worlds."""

    def __init__(
        self, position: Position, strategy: str, opponent: str | None, budget: AnalysisBudget
    ) -> None:
        variant = position.variant
        self.position = position
        self.matchup = parse_matchup(strategy, opponent, variant.spec, budget.seed, "deal")
        kernel.compile_matchup(self.matchup)
        self.budget = budget
        self.equity = compute_equity(variant, budget.workers)
        self.world_sampler = WorldSampler(self.matchup, position.view)
        self.is_active = np.ones(len(position.actions), bool)
        self.n_played = 0
        self._outcome_blocks: list[np.ndarray] = []

    def play(self, n_worlds: int) -> None:
        """Roll out the remaining actions in `n_worlds` more worlds."""
        first_world = self.n_played
        view = self.position.view
        active_indices = np.flatnonzero(self.is_active)
        actions = [self.position.actions[index] for index in active_indices]

        def play_block(block_start: int, n_block_worlds: int) -> np.ndarray:
            block_first_world = first_world + block_start
            worlds = self.world_sampler.sample(n_block_worlds, block_first_world)
            return roll_out_worlds(self.matchup, view, actions, worlds, block_first_world)

        records = np.concatenate(
            map_units(play_block, n_worlds, WORLDS_PER_CALL, self.budget.workers)
        )
        outcomes = np.full((n_worlds, len(self.is_active)), np.nan, OUTCOME_DTYPE)
        outcomes[:, active_indices] = compute_outcomes(records, self.position.variant, self.equity)
        self._outcome_blocks.append(outcomes)
        self.n_played += n_worlds

    def get_result(self) -> Analysis:
        """Return the analysis based on all rollouts so far."""
        outcomes = np.concatenate(self._outcome_blocks)
        return Analysis(self.position, self.matchup, outcomes, self.budget.max_worlds)


# Analysis of all decisions in a deal

DealProgressCallback = Callable[[int, int, Callable[[], Mapping[str, Analysis]]], None]


def analyse_deal(
    deal: TracedDeal,
    turn: int | None,
    strategy: str | None,
    opponent: str | None,
    budget: AnalysisBudget,
    on_progress: DealProgressCallback = ignore_progress,
    player_names: Sequence[str] = (),
) -> dict[str, Analysis]:
    """Analyse all decisions of a deal, or the decisions of one turn.

    Args:
        deal: Recorded deal.
        turn: Turn to analyse, or None to analyse all turns.
        strategy: Strategy that plays the rest of each deal for side A (default: the strategy that
            played A).
        opponent: Strategy that plays the rest of each deal for side B (default: the strategy that
            played B).
        budget: Limits of each analysis.
        on_progress: Function that receives the progress, the total, and a function that returns the
            finished analyses.
        player_names: Names of the players by side (default: the names of the strategies).

    Returns:
        Analyses, with keys such as `turn 5, draw, gold`. In solitaire games, the keys contain no
        player name.
    """
    players = [player.spec for player in deal.matchup.players]
    player_names = (
        player_names
        if len(set(player_names)) == len(players)
        else make_short_player_names(deal.matchup)
    )
    is_solo = len(players) == 1
    positions = find_decisions(deal, turn)
    if not positions:
        raise PositionError(
            "the known part of this deal contains no decision to analyse. Use another deal."
        )
    rollout_opponent = opponent if is_solo else opponent or players[-1]
    strategies = [strategy or players[0], rollout_opponent]
    analyses: dict[str, Analysis] = {}
    total = PROGRESS_STEPS_PER_PART * len(positions)
    for position in positions:
        side = int(position.view.seat != deal.state.half)
        title = position.label if is_solo else f"{position.label}, {player_names[side]}"

        def report_progress(
            n_played: int, max_worlds: int, get_result: Callable[[], Analysis], title: str = title
        ) -> None:
            finished_analyses = analyses.copy()
            n_done = (
                PROGRESS_STEPS_PER_PART * len(finished_analyses)
                + PROGRESS_STEPS_PER_PART * n_played // max_worlds
            )
            on_progress(n_done, total, lambda: {**finished_analyses, title: get_result()})

        analyses[title] = analyse_position(
            position, strategies[side] or players[0], strategies[1 - side], budget, report_progress
        )
        on_progress(PROGRESS_STEPS_PER_PART * len(analyses), total, analyses.copy)
    return analyses


def analyses_to_frame(analyses: Mapping[str, Analysis]) -> pd.DataFrame:
    """Combine several analyses in one DataFrame, with one row per decision and action."""
    rows = []
    for decision, analysis in analyses.items():
        columns = {"decision": decision, "turn": analysis.position.turn}
        rows += [columns | row for row in analysis.rows()]
    return build_output_frame("analysis", rows)
